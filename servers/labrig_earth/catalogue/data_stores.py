"""Copernicus' Climate and Atmosphere Data Stores: a request becomes a job, whose file is fetched when it is done.

Their interface (OGC API - Processes): ``processes/NAME/execution`` takes a request and names a job, ``jobs/ID`` says
how far it is, ``jobs/ID/results`` where its file lies; ``processes/NAME/constraints`` says which values go together.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin
from weakref import WeakKeyDictionary

from labrig.canonical import content_hash
from labrig.errors import LabrigError
from labrig.http import Key, Limit, Service

if TYPE_CHECKING:
    from labrig.http import Client
    from labrig.http.stored import Stored

CDS = Service(
    "cds",
    "https://cds.climate.copernicus.eu/api",
    limit=Limit(per_second=2, concurrent=2),
    key=Key("earth", "cds_key", header="PRIVATE-TOKEN", get_it="https://cds.climate.copernicus.eu/profile"),
    terms="https://cds.climate.copernicus.eu/terms",
)

WAIT_S = 240.0
"""How long one call waits for a job; the next call with the same request goes on with the job."""
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 15.0
MOST_BYTES = 4 << 30
UNDER_WAY = ("accepted", "running")
"""All other states are the end of a job: failed, rejected, dismissed, deleted."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,119}")
_JOB = re.compile(r"[A-Za-z0-9_-]{1,80}")

_jobs: WeakKeyDictionary[Client, dict[str, str]] = WeakKeyDictionary()
"""Jobs that were not done when their call ended, by what was asked."""


async def retrieve(
    client: Client,
    service: Service,
    dataset: str,
    request: Mapping[str, Any],
    to: Path,
    *,
    wait_s: float = WAIT_S,
    told: Callable[[str], None] | None = None,
) -> Stored:
    """Have a store make a file, wait for it, and fetch it to a path that is not there yet.

    Parameters
    ----------
    request
        The inputs, as the form of the data set names them.
    told
        Is called with how far the job is.

    Raises
    ------
    LabrigError
        ``bad_input`` for what the store refuses, in its words; ``busy`` with the job's id after `wait_s`;
        ``unavailable`` without a key; ``unreachable`` for answers of another shape; what the client says.
    """
    name = _checked(dataset)
    key = content_hash({"service": service.name, "dataset": name, "request": dict(request)})
    known = _jobs.setdefault(client, {})
    job = known.get(key) or await _start(client, service, name, request)
    known[key] = job
    waited, pause = 0.0, FIRST_WAIT_S
    while True:
        try:
            status = await _status(client, service, job)
        except LabrigError as error:
            if error.code == "not_found":  # removed at the store's page: the next call begins another
                known.pop(key, None)
            raise
        if status not in UNDER_WAY:
            known.pop(key, None)
            break
        if told is not None:
            told(f"job {job}: {status}")
        if waited + pause > wait_s:
            raise LabrigError(
                f"The job {job} of {service.name} is not done yet: {status}",
                where=dataset,
                try_="the same call again, which goes on waiting for it",
                code="busy",
            )
        if not client.replays:
            await asyncio.sleep(pause)
        waited += pause
        pause = min(pause * 1.5, LONGEST_WAIT_S)
    if status != "successful":
        raise await _failed(client, service, job, status)
    address, size = await _asset(client, service, job)
    found = await client.download(address, to, max_bytes=MOST_BYTES)
    assert found.stored is not None
    if size is not None and found.stored.size != size:
        to.unlink(missing_ok=True)
        raise LabrigError(
            f"The file has {found.stored.size:,} bytes, and {size:,} were announced", where=service.name,
            code="unreachable",
        )  # fmt: skip
    return found.stored


async def constraints(
    client: Client, service: Service, dataset: str, request: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return which values each key of a request may still have, given the others.

    Raises
    ------
    LabrigError
        As `retrieve`.
    """
    name = _checked(dataset)
    answer = await client.ask(
        service, f"retrieve/v1/processes/{name}/constraints", method="POST", data={"inputs": dict(request)},
        accept=(400, 404, 422),
    )  # fmt: skip
    found = _object(answer, service)
    if answer.status >= 400:
        raise _refused(found, service, dataset)
    return {
        str(each): [str(value) for value in values]
        for each, values in found.items()
        if isinstance(values, list)
    }


async def _start(client: Client, service: Service, name: str, request: Mapping[str, Any]) -> str:
    answer = await client.ask(
        service, f"retrieve/v1/processes/{name}/execution", method="POST", data={"inputs": dict(request)},
        accept=(400, 403, 404, 422),
    )  # fmt: skip
    found = _object(answer, service)
    if answer.status >= 400:
        raise _refused(found, service, name)
    job = found.get("jobID")
    if not isinstance(job, str) or not _JOB.fullmatch(job):
        raise LabrigError(f"{service.name} named no job", where=name, code="unreachable")
    return job


async def _status(client: Client, service: Service, job: str) -> str:
    answer = await client.ask(service, f"retrieve/v1/jobs/{job}", poll=True)
    status = _object(answer, service).get("status")
    if not isinstance(status, str):
        raise LabrigError(f"{service.name} does not say how far the job is", where=job, code="unreachable")
    return status


async def _asset(client: Client, service: Service, job: str) -> tuple[str, int | None]:
    answer = await client.ask(service, f"retrieve/v1/jobs/{job}/results")
    asset = _object(answer, service).get("asset")
    value = asset.get("value") if isinstance(asset, Mapping) else None
    href = value.get("href") if isinstance(value, Mapping) else None
    address = urljoin(answer.url, href) if isinstance(href, str) and href else ""
    if not address.startswith(("http://", "https://")):
        raise LabrigError(f"{service.name} names no file for the job", where=job, code="unreachable")
    size = value.get("file:size") if isinstance(value, Mapping) else None
    return address, size if isinstance(size, int) and not isinstance(size, bool) else None


async def _failed(client: Client, service: Service, job: str, status: str) -> LabrigError:
    """Return the error of a job that came to nothing, with what the store says of it."""
    answer = await client.ask(service, f"retrieve/v1/jobs/{job}/results", accept=(400, 404, 422, 500))
    said = _said(_object(answer, service))
    return LabrigError(
        f"The job {job} of {service.name} ended as {status}" + (f": {said}" if said else ""),
        where=service.name,
        try_="progressive_cds_constraints, which says which values go together",
    )


def _refused(found: Mapping[str, Any], service: Service, dataset: str) -> LabrigError:
    said = _said(found) or "no reason is given"
    ways_out = {
        "cost limits": "fewer hours, days or variables in a call, or several calls; not a smaller area alone",
        "licence": "a person accepts the licence once, with the account of the key, at the page that the store names",
    }
    usual = "progressive_cds_constraints, which says which values go together"
    return LabrigError(
        f"{service.name} refuses the request: {said}",
        where=dataset,
        try_=next((way for words, way in ways_out.items() if words in said.casefold()), usual),
    )


def _said(found: Mapping[str, Any]) -> str:
    words = [str(found[each]) for each in ("title", "detail", "message", "traceback") if found.get(each)]
    return " ".join(": ".join(dict.fromkeys(words)).split())[:400]


def _object(answer: Any, service: Service) -> dict[str, Any]:
    found = answer.json()
    if not isinstance(found, dict):
        raise LabrigError(
            f"{service.name} did not answer with an object", where=service.at(), code="unreachable"
        )
    return found


def _checked(dataset: str) -> str:
    if not _NAME.fullmatch(dataset):
        raise LabrigError(
            "This cannot be the name of a data set", where=f"dataset {dataset[:80]!r}",
            expected="such as seasonal-monthly-single-levels",
        )  # fmt: skip
    return dataset
