"""The output folder of runs: where what lies, and how it is written so that what is there is whole.

    tasks.jsonl                            the items with their truths
    files/<sha256>                         files of the items that are bytes
    <arm>.<agent>/run.json                 what was run
    <arm>.<agent>/<item>/epoch<n>/         one record: trajectory.json, calls.jsonl, blobs/
    scores.jsonl                           written by scoring

A record is made in a folder named ``.making-<process>-...`` beside its place and renamed at the end. What a killed
process left behind is removed by the next run.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import shutil
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from labrig import __version__
from labrig.canonical import content_hash
from labrig.errors import LabrigError
from labrig_harness import blobs
from labrig_harness.endings import OUTSIDE
from labrig_harness.records.chosen import PRESET
from labrig_harness.sample import Sample

RUN_SCHEMA = "labrig.run/2"
REDO = "redo"
"""The file beside a record that `labrig resume --redo` makes again."""
MAKING = ".making-"
WORKSPACE = "labrig-item-"


def record_folder(out: Path, label: str, item: str, epoch: int) -> Path:
    """Return the folder of one record.

    Raises
    ------
    LabrigError
        For an item whose id is not a name: files of items come from others, and a path would lead out of the folder.
    """
    if item in ("", ".", "..") or "\0" in item or Path(item).name != item:
        raise LabrigError("A sample's id is not the name of a folder", where=repr(item)[:80])
    return out / label / item / f"epoch{epoch}"


def tasks_hash(samples: Sequence[Sample]) -> str:
    """Return the hash by which ``run.json`` names the items and truths that were run."""
    return content_hash([sample.to_dict() for sample in samples])


def read_tasks(out: Path) -> list[Sample]:
    """Return the tasks of an output folder.

    Raises
    ------
    LabrigError
        If there is no ``tasks.jsonl``, it holds no task, or a line of it is not one.
    """
    path = out / "tasks.jsonl"
    if not path.is_file():
        raise LabrigError(
            "This is not an output folder of labrig run",
            where=str(out),
            expected="a folder with tasks.jsonl",
            code="not_found",
        )
    return read_samples(path)


def read_samples(path: Path) -> list[Sample]:
    """Return the tasks of a file in the form of ``tasks.jsonl``; the LabrigError is that of `read_tasks`."""
    samples: dict[str, Sample] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            sample = Sample.from_dict(json.loads(line)).beside(path.parent)
        except (ValueError, TypeError, AttributeError) as error:
            reason = str(error).splitlines()[0]
            raise LabrigError(f"This line is not a task: {reason}", where=f"{path.name}:{number}") from error
        if sample.id in samples:
            raise LabrigError(f"The sample {sample.id} is there twice", where=f"{path.name}:{number}")
        samples[sample.id] = sample
    if not samples:
        raise LabrigError("The folder holds no task", where=str(path))
    return list(samples.values())


def keep_tasks(out: Path, samples: Sequence[Sample]) -> list[Sample]:
    """Write the tasks, or take those that are there already: the same items, or the first of the one or the other.

    The same items made on another machine may carry another engine hash in their truths; the first ones stay.

    Raises
    ------
    LabrigError
        If the folder holds other items, saying what differs: scores would not be comparable.
    """
    out.mkdir(parents=True, exist_ok=True)
    there = kept_tasks(out, samples)
    more = samples[len(there) :]
    if not more:
        return there
    for path in out.glob("*/run.json") if there else ():
        if "count" not in read_run(out, path.parent.name):
            raise LabrigError(
                "A run of this folder does not say of how many samples it is, so none can be added",
                where=path.parent.name,
                try_="another --out",
            )
    for sample in more:
        blobs.keep(sample.blobs, out)
    before = (out / "tasks.jsonl").read_text(encoding="utf-8") if there else ""
    body = before + "".join(json_text(sample.to_dict()) + "\n" for sample in more)
    write_atomically(out / "tasks.jsonl", body)
    return [*there, *(sample.beside(out) for sample in more)]


def kept_tasks(out: Path, samples: Sequence[Sample]) -> list[Sample]:
    """Return the tasks that an output folder holds, none for a new one; the LabrigError is that of `keep_tasks`."""
    if not (out / "tasks.jsonl").exists():
        return []
    there = read_tasks(out)
    ours, theirs = {sample.id: sample for sample in samples}, {sample.id: sample for sample in there}
    changed = [
        key for key in ours if key in theirs and _select_asked(ours[key]) != _select_asked(theirs[key])
    ]
    shared = min(len(theirs), len(ours))
    if changed or [*theirs][:shared] != [*ours][:shared]:
        common = len(ours.keys() & theirs.keys())
        raise LabrigError(
            f"The output folder holds {len(theirs)} samples, {common} of them among your {len(ours)}"
            + (f", {len(changed)} with another text or answer, {changed[0]} first" if changed else ""),
            where=str(out),
            expected="the same samples, or fewer or more of them: suite, version, --seed and --items as before",
            try_="another --out",
        )
    return there[:shared]


def _select_asked(sample: Sample) -> tuple[Any, ...]:
    return sample.brief, sample.truth.get("answer"), sample.limits


def keep_run(out: Path, label: str, about: dict[str, Any]) -> None:
    """Write ``run.json``; one that is there must agree, but for the numbers of epochs and of samples, which may grow.

    The preset that chose the samples stays named while they stay the same, also where the run goes on without it.

    Raises
    ------
    LabrigError
        If the records that are there were made with another suite version or seed.
    """
    path = out / label / "run.json"
    about = {
        "schema": RUN_SCHEMA,
        **about,
        "versions": {
            "labrig": __version__,
            "python": platform.python_version(),
            "fastmcp": version("fastmcp"),
            "mcp": version("mcp"),
            "platform": platform.platform(),
        },
    }
    about["epochs"] = max(about["epochs"], check_run(out, label, about))
    if path.exists() and (there := read_run(out, label)).get("tasks") == about["tasks"] and PRESET in there:
        about = {PRESET: there[PRESET], **about}
    write_atomically(path, json.dumps(about, indent=1) + "\n")


def check_run(out: Path, label: str, about: dict[str, Any]) -> int:
    """Return the epochs of a run that is there and agrees, 0 for a new one; the LabrigError is that of `keep_run`."""
    path = out / label / "run.json"
    if not path.exists():
        return 0
    there = read_run(out, label)
    before, now = there.get("count", 0), about.get("count", 0)
    if now < before:
        raise LabrigError(
            f"The run there is of {before} samples, not {now}",
            where=str(path),
            try_="--limit no less, or another --out",
        )
    if 0 < before < now:  # it was of the first of these
        about = {**about, "tasks": tasks_hash(read_tasks(out)[: there["count"]])}
    for key in ("suite", "suite_version", "seed", "tasks", "agent", "budget", "calls", "perturb", "servers"):
        if there.get(key) != json.loads(json.dumps(about.get(key))):
            raise LabrigError(
                f"The records there were made with {key} {there.get(key)!r}, not {about.get(key)!r}",
                where=str(path),
                try_="another --out, or another --name for the agent",
            )
    return int(there.get("epochs", 0))


def read_run(out: Path, label: str) -> dict[str, Any]:
    """Return ``run.json`` of one run; a LabrigError says why it cannot be used."""
    path = out / label / "run.json"
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        if about["schema"] != RUN_SCHEMA:
            raise ValueError(f"schema {about['schema']!r}, not {RUN_SCHEMA}")
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise LabrigError(f"run.json cannot be used: {error}", where=label) from error
    loaded: dict[str, Any] = about
    return loaded


def safe(name: str) -> str:
    """Return a name as a folder may bear it: letters, digits, ``._-+``; the rest becomes ``-``.

    >>> safe("scale:1.2@execute_phreeqc")
    'scale-1.2-execute_phreeqc'
    """
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "._-+") else "-" for c in name)
    return kept.lstrip(".")[:120] or "-"


def mark_to_redo(folder: Path) -> None:
    """Mark a record to be made again; it counts until its successor is there."""
    (folder / REDO).touch()


def to_redo(folder: Path) -> bool:
    """Return whether a record was marked to be made again."""
    return (folder / REDO).exists()


def replace_failed(folder: Path) -> None:
    """Make room for a new attempt at a record: one that failed from outside or was marked is removed, others never.

    A folder without a trajectory is not a record, but it may hold calls that somebody wants to see: it is set aside.
    """
    try:
        end = json.loads((folder / "trajectory.json").read_text(encoding="utf-8"))["end"]
    except FileNotFoundError:
        with contextlib.suppress(FileNotFoundError):
            folder.rename(folder.with_name(f".damaged-{folder.name}-{secrets.token_hex(4)}"))
        return
    except (OSError, ValueError, TypeError, KeyError):
        return
    if end in OUTSIDE or to_redo(folder):
        shutil.rmtree(folder, ignore_errors=True)


def json_text(value: Any) -> str:
    """Return JSON on one line, readable where it can be: half surrogate pairs are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _mark_own() -> str:
    """Return what marks a folder as this process's: several machines may share the output folder."""
    host = "".join(c for c in platform.node() if c.isalnum())[:32] or "host"
    return f"{host}-{os.getpid()}"


def workspace_prefix() -> str:
    """Return the prefix of the names of this process's workspaces."""
    return f"{WORKSPACE}{_mark_own()}-"


def labels(out: Path) -> list[str]:
    """Return the names of the runs in an output folder."""
    return sorted(path.parent.name for path in out.glob("*/run.json"))


def making(folder: Path) -> Path:
    """Return a new folder to make a record in, beside its place."""
    path = folder.parent / f"{MAKING}{_mark_own()}-{secrets.token_hex(4)}"
    path.mkdir(parents=True)
    return path


def place(made: Path, folder: Path) -> None:
    """Put a finished record in its place; where another process was first, its record stays."""
    try:
        made.rename(folder)
    except OSError:
        if not (folder / "trajectory.json").exists():
            raise
        shutil.rmtree(made, ignore_errors=True)


def sweep(out: Path) -> None:
    """Remove what processes of this machine that no longer run left behind: half-made records and workspaces."""
    host = _mark_own().rpartition("-")[0]
    stale = [*out.glob(f"*/*/{MAKING}*"), *Path(tempfile.gettempdir()).glob(f"{WORKSPACE}*")]
    for path in stale:
        owner, _, process = path.name.removeprefix(MAKING).removeprefix(WORKSPACE).partition("-")
        process = process.partition("-")[0]
        if owner == host and process.isdigit() and not _is_running(int(process)):
            shutil.rmtree(path, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def write_atomically(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def write_new(path: Path, text: str) -> None:
    """Write a text file for its owner alone, whole or not at all, and never over one that is there.

    Raises
    ------
    LabrigError
        For a file that is there; ``unavailable`` where it cannot be written, with the file's name.
    """
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}")
    try:
        try:
            temporary.touch(0o600, exist_ok=False)
            temporary.write_bytes(text.encode())
            _rename_new(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except FileExistsError as error:
        raise LabrigError("This file is there already", where=str(path), try_="another --out") from error
    except OSError as error:
        raise LabrigError(
            f"Cannot write: {error.strerror or error}", where=str(path), code="unavailable"
        ) from error


def _rename_new(temporary: Path, path: Path) -> None:
    """Give a file its name unless that is taken, as a rename would not ask."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError(path) from None
        temporary.replace(path)
