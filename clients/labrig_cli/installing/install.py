"""``labrig install``: putting servers into a client's configuration, and taking them out again.

A change is planned, shown as a diff, and then written in one step. A record in ``installs`` below Labrig's
home keeps what the file held before, so that `undo` gives the same bytes back; if somebody else has changed
the file since, `undo` takes out our entries only.
"""

from __future__ import annotations

import base64
import contextlib
import difflib
import fcntl
import hashlib
import json
import os
import re
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labrig import commands
from labrig.config import home
from labrig.errors import LabrigError
from labrig_cli.installing import client_configs, config_edit
from labrig_cli.installing.client_configs import Client
from labrig_harness.registry import servers as known_servers

SCHEMA = "labrig.install/1"
NEW_FILE_MODE = 0o666
PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE = 0o600, 0o700
"""A client's configuration may hold keys, and a record of ours holds a copy of it."""


@dataclass(frozen=True)
class InstallPlan:
    """A change that has not been made yet.

    Attributes
    ----------
    path
        The configuration file as the client knows it.
    target
        The file that is written: the same, or what a symbolic link leads to.
    before, after
        Its bytes; `before` is None if there is no such file.
    diff
        A unified diff for the user; empty if there is nothing to do.
    """

    client: str
    servers: tuple[str, ...]
    path: Path
    target: Path
    before: bytes | None
    after: bytes
    diff: str


class ByHandError(LabrigError):
    """The file cannot be changed without loss, such as one with comments: its owner must put the lines in.

    Attributes
    ----------
    lines
        The entries, as they belong between the braces of the table.
    """

    def __init__(self, error: LabrigError, table: str, lines: str) -> None:
        super().__init__(
            error.what,
            where=error.where,
            expected=error.expected,
            try_=f'put the lines that are shown into "{table}" by hand',
            code=error.code,
        )
        self.lines = lines


@dataclass(frozen=True)
class UndoReport:
    """What an undo did.

    Attributes
    ----------
    exact
        Whether the file is again, byte for byte, what it was, or gone if there was none.
    exists
        Whether there still is a file.
    """

    path: Path
    servers: tuple[str, ...]
    exact: bool
    exists: bool

    def __str__(self) -> str:
        taken = f"took {', '.join(map(client_configs.key, self.servers))} out of {self.path}"
        if self.exact and self.exists:
            return f"{taken}: the file is as it was before"
        if self.exact:
            return f"removed {self.path}, which the installation had made"
        if self.exists:
            return f"{taken}: it was changed since the installation, and those changes stay"
        return f"{self.path} has been deleted since the installation, and nothing is left to take out"


def plan(
    client: str,
    servers: Sequence[str],
    *,
    path: Path | None = None,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    workspace: Path | None = None,
    roots: Sequence[Path] = (),
    settings: Sequence[str] = (),
    toolsets: Sequence[str] = (),
) -> InstallPlan:
    """Work out what an installation would write; nothing is written.

    Parameters
    ----------
    client
        A name in `labrig_cli.installing.client_configs.CLIENTS`.
    servers
        Names of servers, such as ``phreeqc``.
    path
        The configuration file, if not the usual one.
    cwd
        The project folder, for clients that keep their configuration there.
    env
        Where ``HOME``, ``CODEX_HOME``, ``LABRIG_HOME`` are looked up; by default the process environment.
    workspace
        The writable folder of the servers; by default a fresh one each time below ``LABRIG_HOME``.
    roots
        Folders that the servers may read; a file there is named ``@folder/name``.
    settings
        ``[SERVER.]NAME=VALUE``, of the first server by default.
    toolsets
        ``[SERVER.]A,B``, of the first server by default; a server without serves ``default``.

    Raises
    ------
    LabrigError
        For an unknown client or server, or a file that cannot be read, parsed or safely changed.
    """
    found = client_configs.find(client)
    env = os.environ if env is None else env
    if not servers:
        raise LabrigError("No server is named", expected=", ".join(known_servers.names()))
    path = _make_absolute(path) if path else found.path(_make_absolute(cwd), env)
    target = _follow_links(path)
    variables = (
        {"LABRIG_HOME": str(_make_absolute(Path(env["LABRIG_HOME"])))} if env.get("LABRIG_HOME") else {}
    )
    for root in roots:
        if not _make_absolute(root).is_dir():
            raise LabrigError("This root is not a folder", where=f"--root {root}")
    flags = ["--workspace", str(_make_absolute(workspace))] if workspace else []
    flags += ["--root", *(str(_make_absolute(root)) for root in roots)] if roots else []
    set_for = known_servers.settings_of(settings, servers, flag="--set")
    tools_for = known_servers.toolsets_of(toolsets, servers, flag="--toolsets")
    own = {
        server: [*_make_toolset_flags(tools_for.get(server, ())), *_make_set_flags(set_for.get(server, {}))]
        for server in servers
    }
    wanted = {
        client_configs.key(server): client_configs.entry(
            found, [*command(server), *flags, *own[server]], variables
        )
        for server in servers
    }
    before = _read(target)
    try:
        after = _change_content(found, before or b"", wanted, path)
    except LabrigError as error:
        if before is None or found.syntax != "json":
            raise
        raise ByHandError(error, found.table, json.dumps(wanted, indent=2)[1:-1].strip("\n")) from None
    return InstallPlan(client, tuple(servers), path, target, before, after, _make_diff(before, after, path))


def _make_set_flags(settings: Mapping[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


def _make_toolset_flags(toolsets: Sequence[str]) -> list[str]:
    return ["--toolsets", ",".join(dict.fromkeys(toolsets))] if toolsets else []


def command(server: str) -> list[str]:
    """Return the absolute command that starts a server of this installation.

    Where Labrig itself was started by ``uvx``, whose environments come and go with a cache, it is ``uvx``.
    """
    python = _make_absolute(Path(sys.executable))
    if uvx := commands.uvx():
        return [str(_make_absolute(Path(uvx))), *client_configs.portable(server)[1:]]
    script = python.with_name(client_configs.key(server))
    return [str(script)] if script.is_file() else [str(python), *known_servers.module(server)]


def apply(plan: InstallPlan) -> None:
    """Write what was planned; the record for `undo` is written first.

    Raises
    ------
    LabrigError
        If the file is no longer what it was when the plan was made, or cannot be written.
    """
    if plan.before == plan.after:
        return
    with _hold_lock():
        _apply(plan)


def _apply(plan: InstallPlan) -> None:
    if _read(plan.target) != plan.before:
        raise LabrigError(
            "The file has changed since the plan was made", where=str(plan.path), try_="plan again"
        )
    record_path = _place_record(plan.client, plan.target)
    record = _read_record(record_path)
    original, servers = plan.before, plan.servers
    made = _find_missing_folders(plan.target)
    if record is not None:
        servers = tuple(dict.fromkeys((*record["servers"], *servers)))
        if plan.before is not None and _hash_content(plan.before) == record["written_sha256"]:
            original, made = _read_original(record), record["folders_made"]
        elif plan.before is not None:  # changed by others since our last change
            found = client_configs.find(plan.client)
            kept = _find_altered(found, plan.before, record, plan.path)
            original = _restore_content(found, plan.before, record, plan.path, kept)
    written = {
        "schema": SCHEMA,
        "client": plan.client,
        "path": str(plan.target),
        "servers": list(servers),
        "original": None if original is None else base64.b64encode(original).decode(),
        "written": base64.b64encode(plan.after).decode(),
        "written_sha256": _hash_content(plan.after),
        "folders_made": made,
        "meta": {"at": datetime.now(UTC).isoformat(timespec="seconds")},
    }
    with _explain_errors(record_path):
        record_path.parent.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER_MODE)
        _replace(record_path, json.dumps(written, indent=1).encode() + b"\n", PRIVATE_FILE_MODE)
    with _explain_errors(plan.path):
        plan.target.parent.mkdir(parents=True, exist_ok=True)
        _replace(plan.target, plan.after, NEW_FILE_MODE)


def undo(client: str, path: Path | None = None, *, cwd: Path | None = None) -> UndoReport:
    """Take our servers out of a client's configuration.

    Parameters
    ----------
    client, path, cwd
        As for `plan`; by default the current folder and the process environment.

    Raises
    ------
    LabrigError
        "not_found" if there is no installation to undo, for instance because it was undone before.
    """
    found = client_configs.find(client)
    path = _make_absolute(path) if path else found.path(_make_absolute(cwd or Path.cwd()), os.environ)
    with _hold_lock():
        return _undo(found, path)


def _undo(found: Client, path: Path) -> UndoReport:
    target = _follow_links(path)
    record_path = _place_record(found.name, target)
    record = _read_record(record_path)
    if record is None:
        raise LabrigError(
            f"There is no installation in {found.title} to undo",
            where=str(path),
            expected=f"an installation that was not undone since; its record would be {record_path}",
            code="not_found",
        )
    now, original = _read(target), _read_original(record)
    exact = original is None if now is None else _hash_content(now) == record["written_sha256"]
    after = original if exact or now is None else _restore_content(found, now, record, path)
    with _explain_errors(path):
        if now is not None and after is not None:
            _replace(target, after, NEW_FILE_MODE)
        elif now is not None:
            target.unlink()
            for folder in record["folders_made"]:
                with contextlib.suppress(OSError):  # somebody else keeps something there
                    Path(folder).rmdir()
    with _explain_errors(record_path):
        record_path.unlink()
    return UndoReport(path, tuple(record["servers"]), exact, target.exists())


def _change_content(client: Client, content: bytes, wanted: config_edit.Entries, path: Path) -> bytes:
    return config_edit.change(
        _decode_text(content, path), client.syntax, client.table, wanted, str(path)
    ).encode()


def _restore_content(
    client: Client, content: bytes, record: Mapping[str, Any], path: Path, kept: Sequence[str] = ()
) -> bytes:
    """Return a changed file without our entries but those kept; an entry that ours replaced comes back."""
    original = _decode_text(_read_original(record) or b"", path)
    earlier = config_edit.entries(original, client.syntax, client.table, str(path))
    keys = map(client_configs.key, record["servers"])
    return _change_content(client, content, {key: earlier.get(key) for key in keys if key not in kept}, path)


def _find_altered(client: Client, content: bytes, record: Mapping[str, Any], path: Path) -> list[str]:
    """Return the entries of ours that somebody else has changed since, and which are therefore theirs."""
    if "written" not in record:  # as records once were
        return []
    wrote = _decode_text(base64.b64decode(record["written"]), path)
    ours, now = (
        config_edit.entries(text, client.syntax, client.table, str(path))
        for text in (wrote, _decode_text(content, path))
    )
    keys = map(client_configs.key, record["servers"])
    return [key for key in keys if key in now and now[key] != ours.get(key)]


def _decode_text(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise LabrigError("The file is not UTF-8 text", where=f"{path}, line {line}") from error


def _make_absolute(path: Path) -> Path:
    """Return the path from the root on, links kept: a venv's Python is one."""
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100


def _follow_links(path: Path) -> Path:
    try:
        target = path.resolve()
    except (OSError, RuntimeError) as error:
        raise LabrigError(f"The path cannot be followed: {error}", where=str(path)) from error
    if target.exists() and not target.is_file():
        raise LabrigError("This is not a file", where=str(path), expected="the client's configuration file")
    return target


def _read(path: Path) -> bytes | None:
    with _explain_errors(path):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None


def _replace(path: Path, content: bytes, new_mode: int) -> None:
    """Write a file in one step; one that exists keeps its mode."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, new_mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if path.exists():
                os.fchmod(descriptor, path.stat().st_mode & 0o7777)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _find_missing_folders(target: Path) -> list[str]:
    """Return the folders that must be made for this file, the deepest first."""
    return [str(each) for each in target.parents if not each.exists()]


def _place_record(client: str, target: Path) -> Path:
    return home() / "installs" / f"{client}-{_hash_content(os.fsencode(target))[:16]}.json"


def _read_record(path: Path) -> dict[str, Any] | None:
    content = _read(path)
    if content is None:
        return None
    try:
        record = json.loads(content)
    except ValueError:
        record = None
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise LabrigError(
            "The record of an earlier installation cannot be read",
            where=str(path),
            try_="delete it, and take the servers out of the client's configuration by hand",
        )
    return record


def _read_original(record: Mapping[str, Any]) -> bytes | None:
    return None if record["original"] is None else base64.b64decode(record["original"])


@contextlib.contextmanager
def _hold_lock() -> Iterator[None]:
    """Hold the lock of all installations: of two at once, one would take what the other wrote for its own."""
    path = home() / ".installs.lock"
    with contextlib.ExitStack() as held:
        with _explain_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = held.enter_context(path.open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _hash_content(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextlib.contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LabrigError(
            f"The file cannot be used: {error.strerror or error}", where=str(path), code="unavailable"
        ) from error


def _make_diff(before: bytes | None, after: bytes, path: Path) -> str:
    """Return a unified diff, in which a missing newline at the end is told as diff(1) does."""
    old, new = (re.findall(r"[^\n]*\n|[^\n]+", each.decode("utf-8")) for each in (before or b"", after))
    lines = difflib.unified_diff(old, new, str(path) if before is not None else os.devnull, str(path))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
