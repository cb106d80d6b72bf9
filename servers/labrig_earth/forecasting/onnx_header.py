"""What an ONNX network states of its inputs and outputs, read from its file without loading its weights.

The file is a protocol buffer (onnx.proto3: ModelProto.graph = 7; GraphProto.initializer = 5, input = 11, output = 12).
Fields are walked by their lengths, so of a gigabyte of weights a few kilobytes are read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from labrig.errors import LabrigError

MOST_FIELDS = 200_000
"""More than networks of a thousand layers have; a file that goes on longer is made to keep us busy."""
MOST_TEXT = 10_000
EXTERNAL = 1
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True)
class Tensor:
    """An input or output of a network.

    Attributes
    ----------
    kind
        As onnx.proto3 numbers element types; 1 is float32.
    shape
        Sizes, with a text for one that is left open.
    """

    name: str
    kind: int
    shape: tuple[int | str, ...]


@dataclass(frozen=True)
class Header:
    """Inputs without weights, and outputs."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


def read_header(descriptor: int, *, where: str) -> Header:
    """Return what a network states.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no ONNX network; ``refused`` for one whose weights lie in further files.
    """
    walk = _Walk(descriptor, where)
    graph = next((part for number, part in walk.fields(0, walk.size) if number == 7), None)
    if not isinstance(graph, tuple):
        raise walk.broken("it has no graph")
    weights: set[str] = set()
    given: list[Tensor] = []
    made: list[Tensor] = []
    for number, part in walk.fields(*graph):
        if number == 5 and isinstance(part, tuple):
            weights.add(_weight(walk, part))
        elif number == 11 and isinstance(part, tuple):
            given.append(_tensor(walk, part))
        elif number == 12 and isinstance(part, tuple):
            made.append(_tensor(walk, part))
    if not given or not made:
        raise walk.broken("it states no inputs or no outputs")
    return Header(tuple(each for each in given if each.name not in weights), tuple(made))


class _Walk:
    """The fields of messages in a file, by their places."""

    def __init__(self, descriptor: int, where: str) -> None:
        self._descriptor, self._where = descriptor, where
        self.size = os.fstat(descriptor).st_size
        self._seen = 0

    def fields(self, start: int, end: int) -> Iterator[tuple[int, int | tuple[int, int]]]:
        """Give the number of each field with its value, or with beginning and end of what it holds."""
        place = start
        while place < end:
            self._seen += 1
            if self._seen > MOST_FIELDS:
                raise self.broken(f"it has more than {MOST_FIELDS:,} fields")
            key, place = self._varint(place, end)
            number, kind = key >> 3, key & 7
            if kind == _VARINT:
                value, place = self._varint(place, end)
                yield number, value
            elif kind == _BYTES:
                length, place = self._varint(place, end)
                if place + length > end:
                    raise self.broken("it is cut")
                yield number, (place, place + length)
                place += length
            elif kind in (_FIXED32, _FIXED64):
                place += 4 if kind == _FIXED32 else 8
            else:
                raise self.broken("it is no protocol buffer")
            if number == 0 or place > end:
                raise self.broken("it is no protocol buffer")

    def text(self, part: tuple[int, int]) -> str:
        """Return the text that lies there."""
        if part[1] - part[0] > MOST_TEXT:
            raise self.broken("a name has thousands of letters")
        return os.pread(self._descriptor, part[1] - part[0], part[0]).decode("utf-8", "replace")

    def broken(self, why: str) -> LabrigError:
        """Return the error of a file that is no network."""
        return LabrigError(
            f"This is no ONNX network: {why}", where=self._where, expected="a file that ends in .onnx"
        )

    def _varint(self, place: int, end: int) -> tuple[int, int]:
        data = os.pread(self._descriptor, min(10, end - place), place)
        value = 0
        for count, byte in enumerate(data):
            value |= (byte & 0x7F) << (7 * count)
            if byte < 0x80:
                return value, place + count + 1
        raise self.broken("it is cut" if len(data) < 10 else "it is no protocol buffer")


def _weight(walk: _Walk, part: tuple[int, int]) -> str:
    """Return the name of a weight (TensorProto.name = 8), which must lie in the file (data_location = 14)."""
    name = ""
    for number, value in walk.fields(*part):
        if number == 8 and isinstance(value, tuple):
            name = walk.text(value)
        if number == 14 and value == EXTERNAL:
            raise LabrigError(
                "The network's weights lie in further files, which it names itself",
                where="model_path",
                expected="one file with all of it",
                code="refused",
            )
    return name


def _tensor(walk: _Walk, part: tuple[int, int]) -> Tensor:
    """Return a ValueInfoProto: name = 1, type = 2; of the type tensor_type = 1, with elem_type = 1 and shape = 2."""
    name, kind, shape = "", 0, list[int | str]()
    for number, value in walk.fields(*part):
        if number == 1 and isinstance(value, tuple):
            name = walk.text(value)
        if number != 2 or not isinstance(value, tuple):
            continue
        for _, tensor in _only(walk, value, 1):
            for which, about in walk.fields(*tensor):
                if which == 1 and isinstance(about, int):
                    kind = about
                elif which == 2 and isinstance(about, tuple):
                    shape = [_size(walk, each) for _, each in _only(walk, about, 1)]
    return Tensor(name, kind, tuple(shape))


def _size(walk: _Walk, part: tuple[int, int]) -> int | str:
    for number, value in walk.fields(*part):
        if number == 1 and isinstance(value, int):
            return value
        if number == 2 and isinstance(value, tuple):
            return walk.text(value)
    return "?"


def _only(walk: _Walk, part: tuple[int, int], wanted: int) -> Iterator[tuple[int, tuple[int, int]]]:
    for number, value in walk.fields(*part):
        if number == wanted and isinstance(value, tuple):
            yield number, value
