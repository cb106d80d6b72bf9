"""Small networks in ONNX's format, written field by field: no library is needed that Labrig does not bring.

Each output of a network is the input of its kind times a factor plus an offset, so what a forecast must be is known.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

FLOAT, OPSET, IR = 1, 13, 8


def _varint(value: int) -> bytes:
    made = b""
    while value > 0x7F:
        made += bytes([value & 0x7F | 0x80])
        value >>= 7
    return made + bytes([value])


def number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def part(field: int, content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _value(name: str, shape: Sequence[int | str], kind: int = FLOAT) -> bytes:
    sizes = b"".join(part(1, number(1, each) if isinstance(each, int) else part(2, each)) for each in shape)
    return part(1, name) + part(2, part(1, number(1, kind) + part(2, sizes)))


def _weight(name: str, value: float, external: bool) -> bytes:
    made = number(2, FLOAT) + part(8, name)
    if external:
        return made + part(13, part(1, "location") + part(2, "/etc/passwd")) + number(14, 1)
    return made + part(9, struct.pack("<f", value))


def _node(kind: str, given: Sequence[str], made: str) -> bytes:
    return b"".join(part(1, each) for each in given) + part(2, made) + part(4, kind)


def network(
    shape: tuple[int, int],
    *,
    levels: int = 13,
    factors: Mapping[str, float] | None = None,
    offsets: Mapping[str, float] | None = None,
    names: tuple[str, str] = ("input", "input_surface"),
    kind: int = FLOAT,
    external: bool = False,
    operator: str = "Mul",
) -> bytes:
    """Return a network of Pangu-Weather's form: ``output = input * factor + offset``, the same for the surface."""
    graph = b""
    for name, lead, default in ((names[0], (5, levels), "upper"), (names[1], (4,), "surface")):
        made = f"output{name.removeprefix('input')}"
        graph += part(1, _node(operator, [name, f"{made}.factor"], f"{made}.scaled"))
        graph += part(1, _node("Add", [f"{made}.scaled", f"{made}.offset"], made))
        graph += part(5, _weight(f"{made}.factor", (factors or {}).get(default, 1.0), external))
        graph += part(5, _weight(f"{made}.offset", (offsets or {}).get(default, 0.0), external))
        graph += part(11, _value(name, (*lead, *shape), kind)) + part(12, _value(made, (*lead, *shape), kind))
    return (
        number(1, IR)
        + part(2, "labrig's tests")
        + part(7, part(2, "toy") + graph)
        + part(8, number(2, OPSET))
    )
