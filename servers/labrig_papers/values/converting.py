"""A value in another unit."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_papers.values.reading import Value, read_value, tidy
from labrig_papers.values.registry import PARTS
from labrig_papers.values.units import Unit, read_unit

_H, _C, _K, _N = 6.62607015e-34, 299792458.0, 1.380649e-23, 6.02214076e23
"""Constants that define the SI (2019), in it."""
_ENERGIES = {
    "energy": (1.0, ""),
    "temperature": (_K, "E = k_B T"),
    "frequency": (_H, "E = h f"),
    "inverse_length": (_H * _C, "E = h c / λ"),
    "molar_energy": (1 / _N, "E per mole, by the Avogadro constant"),
}
"""What else an energy is printed as: its value in joule for one of the SI unit, and what is assumed."""
_OF_LIGHT = ("energy", "molar_energy", "frequency", "inverse_length")
"""What a wavelength is printed as; a temperature is none."""
Numbers = tuple[float, ...]
Spreads = tuple[float | None, ...]


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
        One for each number of the value, without the noise of a multiplication.
    texts
        The same to the digits that were given.
    equivalence
        What was assumed (``B = mu0 H``, ``E = k_B T``), where the two units are of different dimensions in SI.
    """

    source: Value
    unit: Unit
    values: tuple[float, ...]
    uncertainties: tuple[float | None, ...]
    texts: tuple[str, ...]
    equivalence: str = ""


def convert_units(value: str, to: str = "", meaning: str = "") -> Converted:
    """Convert a value as printed to another unit, or to SI where none is named.

    Raises
    ------
    LabrigError
        If the value or the unit cannot be read, or the two are of different dimensions.
    """
    read = read_value(value, meaning)
    target = read_unit(to or read.unit.si, meaning) if to or read.unit.si not in PARTS else _part(read.unit)
    by = _of_light if _is_wavelength(read.unit, target) else _by_factor
    values, spreads, assumed = by(read, target, to)
    shifted = read.unit.offset != target.offset
    texts = tuple(
        _printed(value, spread, number.text, shifted)
        for value, spread, number in zip(values, spreads, read.numbers, strict=True)
    )
    return Converted(read, target, values, spreads, texts, assumed)


def _by_factor(read: Value, target: Unit, to: str) -> tuple[Numbers, Spreads, str]:
    """Return values of the same dimension, or one energy as another, by their factors."""
    one, other = _ENERGIES.get(read.unit.dimension), _ENERGIES.get(target.dimension)
    as_energy = target.dimension != read.unit.dimension and one is not None and other is not None
    if target.dimension != read.unit.dimension and not as_energy:
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
    factor = one[0] / other[0] if as_energy and one and other else 1.0
    values = tuple(tidy((factor * si - target.offset) / target.factor) for si in read.si())
    scale = factor * read.unit.factor / target.factor
    spreads = tuple(
        None if each.uncertainty is None else tidy(each.uncertainty * scale) for each in read.numbers
    )
    crossed = read.unit.equivalence if read.unit.equivalence != target.equivalence else ""
    crossed = crossed or (target.equivalence if read.unit.equivalence != target.equivalence else "")
    if as_energy and one and other:
        crossed = "; ".join(each for each in (one[1], other[1]) if each)
    return values, spreads, crossed


def _is_wavelength(unit: Unit, target: Unit) -> bool:
    """Tell whether one of two units is of a wavelength, and the other of what light of that wavelength has."""
    one, other = sorted((unit.dimension, target.dimension), key="length".__eq__)
    return other == "length" and one in _OF_LIGHT


def _of_light(read: Value, target: Unit, to: str) -> tuple[Numbers, Spreads, str]:
    """Return the energy, frequency or wavenumber of a wavelength in vacuum, or the wavelength of one of these."""
    if "<" in read.qualifier or ">" in read.qualifier or min(read.si()) <= 0:
        raise LabrigError(
            f"A bound or a value that is not positive is not converted to {to}, by λ = h c / E",
            where="value",
            expected="one or more positive values; what is below a wavelength is above its energy",
        )
    scale, said = _ENERGIES[target.dimension if read.unit.dimension == "length" else read.unit.dimension]
    values = tuple(tidy(_H * _C / (scale * si * target.factor)) for si in read.si())
    spreads = tuple(
        None if number.uncertainty is None else tidy(value * number.uncertainty / number.value)
        for value, number in zip(values, read.numbers, strict=True)
    )
    return values, spreads, "; ".join(dict.fromkeys(filter(None, ("λ = h c / E, in vacuum", said))))


def _part(unit: Unit) -> Unit:
    """Return the share of one that a percentage of atoms, moles, mass or volume is a hundredth of."""
    return Unit(unit.si, unit.si, unit.dimension, unit.si, 1.0)


def _printed(value: float, spread: float | None, text: str, shifted: bool = False) -> str:
    """Return a value to the digits of the one that it was, with an uncertainty to the two digits of that.

    Where the zero of the scale is `shifted`, to as many places behind the point.

    >>> _printed(0.0124, None, "12.4"), _printed(0.624, 0.003, "6.24(3)")
    ('0.0124', '0.6240 ± 0.0030')
    """
    if spread:
        last = 1 - math.floor(math.log10(spread))
        return f"{_plain(value, last)} ± {_plain(spread, last)}"
    digits = re.sub(r"[^\d.]", "", re.split(r"[×x*·eE(]|10\s?\^", text)[0]).replace(".", "").lstrip("0")
    if shifted and (places := re.fullmatch(r"[-+]?\d+(?:\.(\d*))?", text.strip())):
        return f"{value:.{len(places[1] or '')}f}"
    if not value or not digits:
        return f"{value:g}"
    return _plain(value, len(digits) - 1 - math.floor(math.log10(abs(value))))


def _plain(value: float, last: int) -> str:
    """Return a number to so many places behind its point, as a power of ten where it is large or small."""
    if 1e-4 <= abs(value) < 1e6:
        return f"{round(value, last):.{max(0, last)}f}"
    exponent = math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{max(0, last + exponent)}e}"
