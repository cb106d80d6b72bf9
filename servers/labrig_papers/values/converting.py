"""A value in another unit."""

from __future__ import annotations

from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_papers.values.reading import Value, read_value
from labrig_papers.values.units import Unit, read_unit


@dataclass(frozen=True)
class Converted:
    """A value in another unit.

    Attributes
    ----------
    source
        The value as read.
    unit
        The unit asked for, or the SI unit of the dimension.
    values, uncertainties
        One for each number of the value.
    equivalence
        What was assumed (``B = mu0 H``), where the two units are of different dimensions in SI.
    """

    source: Value
    unit: Unit
    values: tuple[float, ...]
    uncertainties: tuple[float | None, ...]
    equivalence: str = ""


def convert_units(value: str, to: str = "", meaning: str = "") -> Converted:
    """Convert a value as printed to another unit, or to SI where none is named.

    Raises
    ------
    LabrigError
        If the value or the unit cannot be read, or the two are of different dimensions.
    """
    read = read_value(value, meaning)
    target = read_unit(to or read.unit.si, meaning)
    if target.dimension != read.unit.dimension:
        raise LabrigError(
            f"{read.unit.canonical or 'a bare number'} ({read.unit.dimension}) cannot be converted to "
            f"{target.canonical or 'a bare number'} ({target.dimension})",
            where="to",
            expected=f"a unit of {read.unit.dimension}, such as {read.unit.si}",
        )
    if bool(read.unit.per) != bool(target.per) and to:
        raise LabrigError(
            f"{read.unit.text!r} is per {read.unit.per or 'sample'} and {to!r} per {target.per or 'sample'}",
            where="to",
            expected="the same count in both units",
        )
    values = tuple((si - target.offset) / target.factor for si in read.si())
    scale = read.unit.factor / target.factor
    spreads = tuple(None if each.uncertainty is None else each.uncertainty * scale for each in read.numbers)
    crossed = read.unit.equivalence if read.unit.equivalence != target.equivalence else ""
    crossed = crossed or (target.equivalence if read.unit.equivalence != target.equivalence else "")
    return Converted(read, target, values, spreads, crossed)
