"""How a call of a published sub-tool becomes its payload: files opened, a child asked, results put in place.

Files go into ``output_dir`` of the workspace, or to ``output_path``, and the payload has their paths, which every later
call takes, also after a restart. One above 64 MiB is an artifact, and its handle stands for its path.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from pydantic import AfterValidator

from labrig.answer import Published
from labrig.errors import LabrigError, over_limit
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig.workspace import MAX_FILE_BYTES
from labrig_earth.server.base import ACTIVATION, State, toolbox
from labrig_earth.server.operations import Asked, do_operation, line_of_sources
from labrig_earth.terra.arguments.declared import OUTPUT_DIR
from labrig_earth.terra.marks import MARK

if TYPE_CHECKING:
    from labrig.storage.folder import Folder
    from labrig_earth.server.operations import Worked

GROUPS = (
    "core",
    "ensemble_verify",
    "visualization",
    "geo_osm",
    "seasonal",
    "air_quality",
    "data_crawl",
    "era5_obs",
    "forecast_models",
    "satellite",
    "basic",
)
"""The groups that are there, as the public code names them."""

MOST_PAYLOAD = 200_000
"""Characters of a payload; what is asked for beyond is refused."""


def between(low: float, high: float) -> AfterValidator:
    """Return a check that a number, where one is given, lies in a range; it takes no bytes of tools/list."""

    def check(value: Any) -> Any:
        if value is not None and not low <= value <= high:
            raise ValueError(f"a number from {low:g} to {high:g}")
        return value

    return AfterValidator(check)


_active: WeakKeyDictionary[State, dict[str, frozenset[str]]] = WeakKeyDictionary()


def active(here: Session) -> frozenset[str]:
    """Return the groups that this caller has switched on."""
    return _active.get(here.state, {}).get(here.owner, frozenset())


def activate(here: Session, groups: frozenset[str]) -> None:
    """Have these groups be switched on for this caller, and no others."""
    _active.setdefault(here.state, {})[here.owner] = groups


def require_active(group: str, here: Session) -> None:
    """Raise ``refused`` where groups are to be switched on and this one is not."""
    if toolbox.setting(here.state.options, ACTIVATION.name) and group not in active(here):
        raise LabrigError(
            f"The group {group} is not switched on",
            where="earth.activation=on",
            try_=f"reset_equipped_tools({group}=true)",
            code="refused",
        )


async def run_sub_tool(
    group: str,
    tool: str,
    inputs: Mapping[str, Sequence[str]],
    arguments: Mapping[str, Any],
    *,
    output_dir: str = OUTPUT_DIR,
    output_path: str = "",
    targets: Mapping[str, PurePosixPath] = MappingProxyType({}),
) -> Published:
    """Do what a call asks for, and return its published payload.

    Parameters
    ----------
    inputs
        Paths and handles by role.
    output_path
        Of the file that the call writes, or of the first of several; empty for its own name in `output_dir`.
    targets
        Paths of files by the names that the operation gives them, where a call names several.

    Raises
    ------
    LabrigError
        What the operation refuses; ``refused`` for a path out of the workspace.
    """
    here = session()
    require_active(group, here)
    wanted = require_within(output_path, "output_path") if output_path else None
    folder = require_within(output_dir or OUTPUT_DIR, "output_dir")
    async with do_operation(Asked(f"terra_{tool}", inputs, arguments), here) as done:
        paths, hashes = await in_thread(put_files, here, done, folder, wanted, targets)
        source = line_of_sources(done.hashes)
        result, given = done.result, dict(done.hashes)
    payload = {**replace_marks(dict(result.data), paths), "method": result.method}
    if result.assumed:
        payload["assumed"] = list(result.assumed)
    if result.warnings:
        payload["warnings"] = list(result.warnings)
    record = {
        "operation": tool,
        "inputs": {name: sha for name, sha in given.items() if sha},
        "outputs": hashes,
    }
    return publish_payload(payload, source=source, record=record, warned=bool(result.warnings))


def publish_payload(
    payload: Mapping[str, Any], *, source: str, record: Mapping[str, Any], warned: bool = False
) -> Published:
    """Return a payload as the tool's answer; LabrigError where it is too long."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False)
    if len(text) > MOST_PAYLOAD:
        raise over_limit(
            f"The answer has {len(text):,} characters",
            MOST_PAYLOAD,
            try_="fewer variables, or a smaller preview",
        )
    return Published(text, status="ok_with_warnings" if warned else "ok", source=source, record=dict(record))


def require_within(path: str, where: str) -> PurePosixPath:
    """Return a path in the workspace; LabrigError for one that leads out of it."""
    found = PurePosixPath(path)
    if found.is_absolute() or ".." in found.parts or path.startswith("@"):
        raise LabrigError(
            "Results are written in the workspace",
            where=f"{where} {path}",
            expected="a relative path without '..'",
            code="refused",
        )
    return found


def put_files(
    here: Session,
    done: Worked,
    folder: PurePosixPath,
    wanted: PurePosixPath | None,
    targets: Mapping[str, PurePosixPath] = MappingProxyType({}),
) -> tuple[dict[str, str], dict[str, str]]:
    """Put the files of a result where they are wanted; return their paths, and their hashes by path."""
    paths: dict[str, str] = {}
    hashes: dict[str, str] = {}
    for number, name in enumerate(done.result.files):
        target = str(wanted if wanted is not None and number == 0 else targets.get(name, folder / name))
        made_by = {"server": "earth", "method": done.result.method}
        paths[name], hashes[paths[name]] = put_file(here, done.folder, name, target, made_by)
    return paths, hashes


def put_file(
    here: Session, folder: Folder, name: str, target: str, made_by: Mapping[str, Any]
) -> tuple[str, str]:
    """Put a file into the workspace, and return its path there and its hash; a large one gets a handle instead."""
    import hashlib

    if folder.about(name).st_size > MAX_FILE_BYTES:
        path = Path(f"/proc/self/fd/{folder.descriptor}") / name
        artifact = here.artifacts.put_path(path, made_by=dict(made_by))
        return artifact.handle, artifact.sha256
    content = folder.read(name)
    here.workspace.write_bytes(target, content)
    return target, hashlib.sha256(content).hexdigest()


def replace_marks(value: Any, paths: Mapping[str, str]) -> Any:
    """Return a payload in which each mark is the path of its file."""
    if isinstance(value, dict):
        return {key: replace_marks(each, paths) for key, each in value.items()}
    if isinstance(value, list):
        return [replace_marks(each, paths) for each in value]
    if isinstance(value, str) and value.startswith(MARK):
        return paths.get(value.removeprefix(MARK), value)
    return value
