"""JSON lines, read with bounded memory, and an account of what was skipped."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

Line = bytes | str

LONGEST = 32 * 2**20
"""Bytes of a line that is read; a longer one is skipped. A result of 10 MB as JSON in JSON stays well below."""

MOST = 512 * 2**20
"""Bytes of a log that are read; the lines after that are skipped."""


class Skipped:
    """What was not read: by kind, how often and where first. Ten thousand of a kind are one line."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[int, int]] = {}

    def add(self, kind: str, line: int = 0) -> None:
        """Count one; ``line`` 0 is for what has no line."""
        count, first = self._kinds.get(kind, (0, line))
        if kind not in self._kinds and len(self._kinds) >= 50:
            kind = "things of other kinds"
            count, first = self._kinds.get(kind, (0, line))
        self._kinds[kind] = (count + 1, first)

    def told(self) -> tuple[str, ...]:
        """Return one line for each kind.

        >>> skipped = Skipped()
        >>> skipped.add("not JSON", 7)
        >>> skipped.add("not JSON", 9)
        >>> skipped.told()
        ('not JSON (2 times, first at line 7)',)
        """
        return tuple(f"{kind}{_name_place(*found)}" for kind, found in self._kinds.items())


def _name_place(count: int, first: int) -> str:
    if count == 1:
        return f" (line {first})" if first else ""
    return f" ({count} times, first at line {first})" if first else f" ({count} times)"


def objects(lines: Iterable[Line] | BinaryIO, skipped: Skipped) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) for each line that is a JSON object; the others are counted in `skipped`.

    Empty lines are passed over. Numbers that JSON does not have (NaN, Infinity, 1e999) stay as text, because no
    record could hold them.
    """
    total = 0
    for number, line, ended in _read_bounded(lines, skipped):
        total += len(line)
        if total > MOST:
            skipped.add(f"everything after the first {MOST // 2**20} MB", number)
            return
        text = _decode_line(line, number, skipped).strip().removeprefix("\ufeff")
        if not text:
            continue
        if "\x00" in text:
            skipped.add("not text (zero bytes)", number)
            continue
        try:
            found = json.loads(text, parse_constant=str, parse_float=_read_float)
        except (ValueError, RecursionError):
            cut = text.startswith("{") and not ended
            skipped.add("the last line is cut off" if cut else "not JSON", number)
            continue
        if isinstance(found, dict):
            yield number, found
        else:
            skipped.add("JSON, but no object", number)


def _read_float(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def _decode_line(line: Line, number: int, skipped: Skipped) -> str:
    if isinstance(line, str):
        return line
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        skipped.add("bytes that are not UTF-8, read as \N{REPLACEMENT CHARACTER}", number)
        return line.decode("utf-8", errors="replace")


def _read_bounded(lines: Iterable[Line] | BinaryIO, skipped: Skipped) -> Iterator[tuple[int, Line, bool]]:
    """Yield (number, line, whether it ended) without ever holding more than `LONGEST` bytes of a file's line."""
    too_long = f"a line of more than {LONGEST // 2**20} MB"
    if not hasattr(lines, "readline"):
        for number, given in enumerate(lines, 1):
            if len(given) > LONGEST:
                skipped.add(too_long, number)
            else:
                # A list of lines split by its maker: only a file knows whether its last line ended.
                yield number, given, True
        return
    number = 0
    while line := lines.readline(LONGEST + 1):
        number += 1
        if len(line) <= LONGEST:
            yield number, line, line.endswith(b"\n")
            continue
        skipped.add(too_long, number)
        while line and not line.endswith(b"\n"):
            line = lines.readline(2**20)


MOST_VALUES = 10_000_000
"""Values of a JSON document that are read: some 100 bytes of memory each, whatever few bytes they are in the file."""


def parse(text: bytes | str) -> Any:
    """Return JSON whose numbers a record can hold; ValueError for other text, and for more than `MOST_VALUES`."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES:,} values")
    return json.loads(text, parse_constant=str, parse_float=_read_float)
