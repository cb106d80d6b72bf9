"""Adapters to live services: right values and units, recorded and replayed; whatever is odd becomes a typed error."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.http import Response
from labrig_atlas.services.provider import Reply
from support.atlas_services import CASES, KEYS, Case, serve
from support.imitation import Imitation, status
from support.web import client, files_with

by_name = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def as_bytes(reply: Reply[Any]) -> bytes:
    """Return all of a reply; the providers by name, since each holds a service."""
    shown = dataclasses.asdict(dataclasses.replace(reply, providers=()))
    return json.dumps([shown, [each.title for each in reply.providers], reply.source], default=dict).encode()


@by_name
async def test_recorded_once_and_replayed_without_network_and_keys(
    case: Case, site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(site, case)
    async with client(tmp_path, site, mode="record") as web:
        recorded = await case.ask(web)
    case.check(recorded)
    assert recorded.recorded
    assert all(each.credit in recorded.source for each in recorded.providers)
    assert {each["status"] for each in recorded.sources} <= {200, 451}
    sent = " ".join(f"{hit.target} {hit.headers}" for hit in site.hits)
    for provider in recorded.providers:
        key = provider.service.key
        assert key is None or KEYS[key.variable] in sent
    asked = len(site.hits)
    site.stop()
    for variable in KEYS:
        monkeypatch.delenv(variable)
    async with client(tmp_path, site, mode="replay", contact="") as web:
        assert as_bytes(await case.ask(web)) == as_bytes(recorded)
    assert len(site.hits) == asked
    planted = [key.encode() for key in KEYS.values()]
    assert not files_with(tmp_path, *planted)
    assert not any(key in as_bytes(recorded) for key in planted)


@by_name
async def test_told_to_wait(case: Case, site: Imitation, tmp_path: Path) -> None:
    site.on("/*").then(status(429, retry_after=120))
    async with client(tmp_path, site, cache=None) as web:
        with pytest.raises(LabrigError) as caught:
            await case.ask(web)
    assert (caught.value.code, caught.value.retry_after_s) == ("rate_limited", 120)


TYPED = ("unreachable", "not_found", "bad_input", "rate_limited", "not_recorded")


class Played:
    """Stands in for a client: gives answers by the name of the service and the end of the path, without a network."""

    mode, replays = "replay", True

    def __init__(self, answers: dict[str, Any]) -> None:
        self._answers = answers

    async def ask(self, service: Any, path: str = "", **_: Any) -> Response:
        asked = f"{service.name}/{path.lstrip('/')}"
        for known, answer in self._answers.items():
            if asked == known or (known.endswith("*") and asked.startswith(known[:-1])):
                body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                return Response(200, f"https://{asked}", {}, body, retrieved_at="2026-11-25T12:00:00Z")
        raise LabrigError(f"no answer for {asked}", code="not_recorded")


def mutations(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the paths to all that can be replaced or left out."""
    yield path
    members = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, member in members:
        yield from mutations(member, (*path, key))


def replaced(data: Any, path: tuple[Any, ...], with_: Any) -> Any:
    if not path:
        return with_
    made = copy.deepcopy(data)
    holder = made
    for step in path[:-1]:
        holder = holder[step]
    if with_ is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = with_
    return made


@by_name
async def test_whatever_is_odd_in_an_answer_a_value_or_a_typed_error_comes_back(case: Case) -> None:
    """Each part of a good answer is left out, made null, and replaced by a value of another type."""
    answers = {path: answer for path, answer in case.answers.items() if isinstance(answer, dict | list)}
    refused = 0
    for name, answer in answers.items():
        for path in mutations(answer):
            for other in (..., None, "x", 1e308, True, [[]], {}):
                if other is ... and not path:
                    continue
                played = Played({**answers, name: replaced(answer, path, other)})
                try:
                    assert isinstance(await case.ask(played), Reply)  # type: ignore[arg-type]
                except LabrigError as error:
                    refused += 1
                    assert error.code in TYPED, (path, other, error)
    assert refused > 0


MALFORMED = (
    b"<html><title>Maintenance</title>",
    b"",
    b"null",
    b"[]",
    b"{}",
    b'[{"a": [1, 2',
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"status": "OK", "code": "Ok", "results": 3, "elements": "x", "web": [], "daily": 1, "places": {}}',
)


@by_name
async def test_a_malformed_body_is_a_typed_error(case: Case) -> None:
    for body in MALFORMED:
        with pytest.raises(LabrigError) as caught:
            await case.ask(Played(dict.fromkeys(case.answers, body)))  # type: ignore[arg-type]
        assert caught.value.code in ("unreachable", "not_found", "not_recorded"), caught.value
