"""A store of recorded calls, from which a session can be replayed without its server.

A store is a folder: a ``labrig.call/1`` log with its blobs, and ``servers/``, which holds each server's tools/list,
version and instructions. Many sessions, items and processes write one store.

Servers have a state: ``read_file`` returns what ``execute_phreeqc`` made of what ``write_file`` wrote. A stored result
therefore has a place that is made of

- the call: server, tool, arguments;
- the state it met: a hash that starts from how the server was set up and the files it was given, and goes on with every
  call before it in the session of a tool that does not say ``readOnlyHint: true``;
- its number among the same calls in the same state, since a job that is polled answers differently each time.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from labrig.answer import META_KEY
from labrig.calls import SCHEMA, CallLog, CallRecord, call_key, split_volatile
from labrig.canonical import canonical_json, content_hash, sha256
from labrig.errors import LabrigError
from labrig.redaction import redact, redact_bytes

LIVE, RECORD, REPLAY, REFRESH = "live", "record", "replay", "refresh"
MODES = (LIVE, RECORD, REPLAY, REFRESH)
SHOWN = 300
"""Characters of a recorded call's arguments that an error shows, and that likeness is judged by."""


@dataclass(frozen=True)
class Setting:
    """What the results of a session depend on beside its calls.

    Attributes
    ----------
    options
        How the server is set up, as plain data without machine paths: toolsets, output protocol, or a command.
    files
        The files that it finds at the start: relative path -> text, or hash and size.
    """

    server: str
    options: dict[str, Any] = field(default_factory=dict)
    files: Mapping[str, str | dict[str, str | int]] = field(default_factory=dict)

    @property
    def setup(self) -> str:
        """Hash of the server and its set-up, which its tools/list depends on."""
        return content_hash([self.server, self.options])

    @property
    def start(self) -> str:
        """Hash of the state in which a session begins."""
        return content_hash([self.setup, self.files])


@dataclass(frozen=True)
class Place:
    """Where a call stands: its own hash, the state it met, and its number among equals, from 1."""

    call: str
    state: str
    number: int


class Session:
    """Follows the state of one session."""

    def __init__(self, start: str) -> None:
        self._state = start
        self._made: Counter[tuple[str, str]] = Counter()

    def place(self, server: str, tool: str, arguments: dict[str, Any], *, changes: bool) -> Place:
        """Return the place of the next call; one that `changes` the state leads to another for those after it."""
        call, state = call_key(server, tool, arguments), self._state
        self._made[call, state] += 1
        if changes:
            self._state = content_hash([state, call])
        return Place(call, state, self._made[call, state])


@dataclass(frozen=True)
class Stored:
    """What the store knows of a call without looking at its result.

    Attributes
    ----------
    result
        SHA-256 of the result; empty for a call that the server answered with a JSON-RPC error, which `error` holds.
    shown
        The arguments, clipped.
    """

    result: str
    error: dict[str, Any] | None
    tool: str
    shown: str


class CallStore:
    """A folder of stored calls.

    Attributes
    ----------
    skipped
        Lines of the log that could not be read (a writer that was killed half-way).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = CallLog(folder)
        self.skipped = 0
        self._places: dict[tuple[str, str], dict[int, Stored]] = {}
        self._read = 0

    @classmethod
    def open(cls, folder: Path, *, mode: str = REPLAY) -> CallStore:
        """Return the store in a folder, the same one to all who ask in this process.

        Raises
        ------
        LabrigError
            In the mode ``replay``, when the folder holds no store; when the folder cannot be made.
        """
        if mode == REPLAY and not (folder / "calls.jsonl").is_file() and not (folder / "servers").is_dir():
            raise LabrigError(
                "There is no store here",
                where=str(folder),
                expected="a folder that --calls record has written",
                code="not_found",
            )
        if mode != REPLAY:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise LabrigError(f"The store cannot be made: {error.strerror}", where=str(folder)) from error
        return _opened.setdefault(str(folder.resolve()), cls(folder))

    # ------------------------------------------------------------------------------------------------ servers

    def about(self, setting: Setting) -> dict[str, Any]:
        """Return what is stored of a server: ``tools``, ``version``, ``instructions``.

        Raises
        ------
        LabrigError
            ``not_found`` when the server was never recorded with this set-up.
        """
        path = self._place_setting(setting)
        try:
            loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(loaded["tools"], list):
                raise TypeError("tools is not a list")
        except FileNotFoundError:
            others = sorted(each.name.rpartition("-")[0] for each in self.folder.glob("servers/*.json"))
            raise LabrigError(
                f"The store holds no recording of the server {setting.server!r} set up like this",
                where=str(self.folder),
                expected="recorded: " + (", ".join(dict.fromkeys(others)) or "nothing"),
                try_="record it with --calls record and the same arm",
                code="not_found",
            ) from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise LabrigError(f"This part of the store cannot be read: {error}", where=str(path)) from error
        return loaded

    def keep_about(self, setting: Setting, about: dict[str, Any], *, replace: bool = False) -> str:
        """Store what a server says of itself; what is there stays, unless it is to be replaced.

        Returns
        -------
        str
            A note where the stored one differs and stays, or an empty text.
        """
        path = self._place_setting(setting)
        text = redact(json.dumps({"server": setting.server, "options": setting.options, **about}, indent=1))
        with self._hold_lock():
            there = path.read_text(encoding="utf-8") if path.exists() else ""
            if there == text or (there and not replace):
                return (
                    "" if there == text else f"{path.name} differs from the server's tools/list and was kept"
                )
            path.parent.mkdir(exist_ok=True)
            temporary = path.with_name(f".{secrets.token_hex(6)}")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path)
        return ""

    def _place_setting(self, setting: Setting) -> Path:
        name = re.sub(r"[^A-Za-z0-9._-]", "-", setting.server)[:60].lstrip(".") or "server"
        return self.folder / "servers" / f"{name}-{setting.setup[:12]}.json"

    # -------------------------------------------------------------------------------------------------- calls

    def answer(self, place: Place) -> Stored | None:
        """Return what is stored of a call, or None.

        The n-th of equal calls gets the n-th stored result; when there are fewer, the last one again.
        """
        self._catch_up()
        numbers = self._places.get((place.call, place.state))
        if not numbers:
            return None
        return numbers[max((n for n in numbers if n <= place.number), default=min(numbers))]

    def result(self, stored: Stored) -> dict[str, Any]:
        """Return a stored result in wire form, checked against its hash."""
        return self.log.result(CallRecord("", stored.tool, {}, stored.result, 0, False, None, "", {}))

    def keep(
        self, place: Place, record: CallRecord, wire: dict[str, Any] | None, *, replace: bool = False
    ) -> str:
        """Store a call where its place is free, or replace what is there.

        Returns
        -------
        str
            A note where the store holds another result of this call and keeps it, or an empty text.
        """
        if wire is not None and wire.get("resultType", "complete") != "complete":
            return f"{record.tool} asked for input and is not stored"
        stable, _ = split_volatile(wire) if wire is not None else ({}, {})
        result = sha256(redact_bytes(canonical_json(stable))) if wire is not None else ""
        with self._hold_lock():
            self._catch_up()
            there = self._places.get((place.call, place.state), {}).get(place.number)
            if there is not None and (there.result == result or not replace):
                if there.result == result:
                    return ""
                return f"{record.tool}: the store holds another result of this call and keeps it"
            self._end_line()
            self.log.append(
                server=record.server,
                tool=record.tool,
                arguments=record.arguments,
                result=wire,
                error=record.error,
                tools_hash=record.tools_hash,
                versions=record.versions,
                meta={
                    "call": place.call,
                    "state": place.state,
                    "number": place.number,
                    "replaces": there is not None,
                },
            )
            self._catch_up()
        return ""

    def __len__(self) -> int:
        self._catch_up()
        return sum(map(len, self._places.values()))

    def unseen(self, place: Place, tool: str, arguments: dict[str, Any]) -> LabrigError:
        """Return the refusal of a call that is not stored, with the stored call that is most like it."""
        wanted = _show_arguments(arguments)
        same = [(state, stored) for (_, state), each in self._places.items() for stored in each.values()
                if stored.tool == tool]  # fmt: skip
        if any(call == place.call for call, _ in self._places):
            why = "it was recorded, but after other calls that change the server's state"
        elif not same:
            why = "no call of this tool was recorded"
        else:
            here = [stored for state, stored in same if state == place.state] or [
                stored for _, stored in same
            ]
            best = max(here[:500], key=lambda each: SequenceMatcher(None, each.shown, wanted).quick_ratio())
            why = f"the nearest recorded call is {tool}({best.shown})"
        return LabrigError(
            f"The store holds no result of {tool}({wanted})",
            expected=why,
            try_="a call that was recorded, or a run with --calls record",
            code="not_found",
        )

    # --------------------------------------------------------------------------------------------------- file

    @contextmanager
    def _hold_lock(self) -> Iterator[None]:
        """Hold the store alone among all processes; an end of the process lets go."""
        self.folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _end_line(self) -> None:
        """End a line that a killed writer left half-written, so that the next one stands alone."""
        path = self.folder / "calls.jsonl"
        if not path.exists() or not path.stat().st_size:
            return
        with path.open("r+b") as file:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")

    def _catch_up(self) -> None:
        """Read what was appended since the last time, by whomever; a line without an end is not read yet."""
        path = self.folder / "calls.jsonl"
        try:
            if path.stat().st_size <= self._read:
                return
        except FileNotFoundError:
            return
        with path.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                self._take_line(line)

    def _take_line(self, line: bytes) -> None:
        try:
            fields = json.loads(line)
            if fields.get("schema") != SCHEMA:
                raise ValueError("another schema")
            record = CallRecord(**fields)
            call, state = (
                str(record.meta["call"]),
                str(record.meta["state"]),
            )  # the call's own hash: keys are left out
            number = int(record.meta["number"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self.skipped += 1
            return
        numbers = self._places.setdefault((call, state), {})
        if number not in numbers or record.meta.get("replaces"):
            numbers[number] = Stored(
                record.result, record.error, record.tool, _show_arguments(record.arguments)
            )


_opened: dict[str, CallStore] = {}


def refusal(error: LabrigError) -> dict[str, Any]:
    """Return an error as a tool result in wire form."""
    return {
        "content": [{"type": "text", "text": str(error)}],
        "isError": True,
        "_meta": {META_KEY: {"error": error.to_dict()}},
    }


def _show_arguments(arguments: dict[str, Any]) -> str:
    text = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
