"""What a column holds, as integers, and how an integer is written: so that text and value agree exactly.

A decimal number is an integer, its mantissa m, and a number of decimals k. Its value is the float m / 10**k, which
is the float nearest to the decimal (one division, correctly rounded, while |m| < 2**53 and k <= 22), so it is what
a parser makes of the text. The text is that float printed to k decimals, which is m again while |m| < 10**15: a
float tells all decimals of 15 digits apart, and not all of 16.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from labrig_repository.gym.numbers import Integers, Reals


@dataclass(frozen=True, slots=True)
class Decimal:
    """Numbers with a fixed number of decimals; the data are mantissas. No decimals: integers."""

    decimals: int = 0

    @property
    def conversion(self) -> str:
        """How ``%`` writes a cell."""
        return f"%.{self.decimals}f" if self.decimals else "%d"

    def cells(self, data: Integers) -> list[int] | list[float]:
        """Return what is written: ints, or floats."""
        cells: list[int] | list[float] = (self.values(data) if self.decimals else data).tolist()
        return cells

    def values(self, data: Integers) -> Reals:
        """Return the numbers as floats."""
        return data.astype(np.float64) / ten_to(self.decimals)

    def exact(self, datum: int) -> Fraction:
        """Return one number as a fraction."""
        return Fraction(datum, 10**self.decimals)


@dataclass(frozen=True, slots=True)
class Levels:
    """Texts of a category; the data are places in `texts`."""

    texts: tuple[str, ...]

    @property
    def conversion(self) -> str:
        """How ``%`` writes a cell."""
        return "%s"

    def cells(self, data: Integers) -> list[str]:
        """Return the texts."""
        texts = self.texts
        return [texts[each] for each in data.tolist()]


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels made of pieces; the data number the labels.

    Attributes
    ----------
    pieces
        Texts to choose from, or the width of the number of the row.
    """

    pieces: tuple[tuple[str, ...] | int, ...]

    @property
    def conversion(self) -> str:
        """How ``%`` writes a cell."""
        return "%s"

    @property
    def choices(self) -> int:
        """How many labels one row may have."""
        count = 1
        for piece in self.pieces:
            count *= 1 if isinstance(piece, int) else len(piece)
        return count

    def cells(self, data: Integers) -> list[str]:
        """Return the labels: a datum is the row times `choices`, plus which choice."""
        row, choice = np.divmod(data, np.int64(self.choices))
        parts: list[list[str]] = []
        for piece in reversed(self.pieces):
            if isinstance(piece, int):
                form = f"%0{piece}d"
                parts.append([form % (each + 1) for each in row.tolist()])
            else:
                choice, place = np.divmod(choice, np.int64(len(piece)))
                parts.append([piece[each] for each in place.tolist()])
        return ["".join(each) for each in zip(*reversed(parts), strict=True)]


@dataclass(frozen=True, slots=True)
class Moments:
    """Dates or times; the data are seconds since 1970, without a time zone.

    Attributes
    ----------
    form
        As for `datetime.strftime`; only ``%Y %m %d %H %M %S``.
    """

    form: str

    @property
    def conversion(self) -> str:
        """How ``%`` writes a cell."""
        return "%s"

    def cells(self, data: Integers) -> list[str]:
        """Return the texts, their characters taken out of ISO 8601."""
        count = len(data)
        iso = np.datetime_as_string(data.astype("datetime64[s]")).astype(f"U{len(ISO)}")
        form = "".join(PARTS.get(each, each) for each in CODE.split(self.form))
        texts = np.empty((count, len(form)), dtype="U1")
        texts[:] = list(form)
        from_iso = [(place, ISO.index(each)) for place, each in enumerate(form) if each in ISO_DIGITS]
        places, sources = map(list, zip(*from_iso, strict=True))
        texts[:, places] = iso.view("U1").reshape(count, len(ISO))[:, sources]
        cells: list[str] = texts.view(f"U{len(form)}").reshape(count).tolist()
        return cells


ISO = "\0\1\2\3-\4\5-\6\7T\10\11:\12\13:\14\15"
"""A time of ISO 8601, each digit of it as a character of its own that no form holds."""
ISO_DIGITS = frozenset(ISO) - frozenset("-T:")
PARTS = {"%Y": ISO[:4], "%m": ISO[5:7], "%d": ISO[8:10], "%H": ISO[11:13], "%M": ISO[14:16], "%S": ISO[17:]}
CODE = re.compile("(%[YmdHMS])")

Form = Decimal | Levels | Labels | Moments


@dataclass(frozen=True, slots=True)
class Column:
    """Cells of one column, of one file or of many.

    Attributes
    ----------
    data
        Mantissas, places, labels or seconds, as `form` says.
    """

    name: str
    form: Form
    data: Integers

    def __len__(self) -> int:
        return len(self.data)

    def cells(self) -> list[int] | list[float] | list[str]:
        """Return the cells as ints, floats or texts."""
        return self.form.cells(self.data)

    def texts(self) -> list[str]:
        """Return the cells as they are written."""
        conversion = self.form.conversion
        return [conversion % each for each in self.cells()]


def ten_to(decimals: int) -> float:
    """Return 10**decimals as a float; exact up to 22."""
    return float(f"1e{decimals}")


def mantissas(numbers: Reals, decimals: int) -> Integers:
    """Return the mantissas of numbers rounded to this many decimals, a half to the even side."""
    return np.rint(numbers * ten_to(decimals)).astype(np.int64)


def mantissa(number: float | Fraction, decimals: int) -> int:
    """Return the mantissa of one number, of the decimal that it is written as."""
    exact = number if isinstance(number, Fraction) else Fraction(repr(number))
    whole: int = round(exact * 10**decimals)
    return whole
