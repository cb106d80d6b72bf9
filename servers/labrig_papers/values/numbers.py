"""One number as a paper prints it: 6.24(3), 13.2470(12), 1,200, 23.7 ± 0.5, 1.2(3) x 10^{6}, 4e-5.

The uncertainty in brackets counts in the last printed digit, which pint reads wrongly; `uncertainties` reads it right
and is asked for it. What a number lost in the PDF (a raised exponent, a plus-minus sign that became a 6) is
flagged where it shows, and never repaired without a word.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_papers.values.text import SUPERSCRIPTS, fold, without_latex

_DIGITS = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,3}(?:\u2009\d{3})+(?:\.\d+)?(?!\d)"
    r"|\d+\.\d+|\d+,\d+|\d+\.(?!\d)|\d+|\.\d+)"
)
_PLUS_MINUS = r"(?:±|\+\s?/\s?-|\+-)"
_POWER = (
    r"(?:\s?[×x*·]\s?10\s?(?:\^\s?\{?\s?(?P<power{n}>[+-]?\d+)\s?\}?|(?P<raised{n}>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<flat{n}>[+-]?\d+))"
    r"|[eE](?P<e{n}>[+-]?\d{1,3})(?![\w.]))"
)
_BRACKET = r"(?:\s?\((?P<bracket{n}>\d+(?:\.\d+)?)\))"
_BARE = (
    r"(?P<bare{n}>(?:[+-]\s?)?10\s?(?:\^\s?\{?\s?(?P<barepower{n}>[+-]?\d+)\s?\}?"
    r"|(?P<bareraised{n}>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))"
)
_ASYMMETRIC = (
    r"(?:\^\{\s?\+(?P<up{n}>[\d.]+)\s?\}\s?_\{\s?-(?P<down{n}>[\d.]+)\s?\}"
    r"|_\{\s?-(?P<down2{n}>[\d.]+)\s?\}\s?\^\{\s?\+(?P<up2{n}>[\d.]+)\s?\})"
)


def pattern(n: str = "") -> str:
    """Return the regular expression of a number on folded text, its groups ending in `n`."""
    bracket, asymmetric = _BRACKET.replace("{n}", n), _ASYMMETRIC.replace("{n}", n)
    power, power_of_spread, power_of_both = (_POWER.replace("{n}", each) for each in (n, "u" + n, "b" + n))
    one = (
        rf"(?P<sign{n}>[+-]\s?)?(?P<digits{n}>{_DIGITS}){bracket}?{asymmetric}?"
        rf"(?:\s?{_PLUS_MINUS}\s?(?P<plusminus{n}>{_DIGITS}){power_of_spread}?)?{power}?"
    )
    bracketed = (
        rf"\(\s?(?P<bsign{n}>[+-]\s?)?(?P<bdigits{n}>{_DIGITS})\s?{_PLUS_MINUS}\s?(?P<bplusminus{n}>{_DIGITS})\s?\)"
        rf"{power_of_both}?"
    )
    bare = _BARE.replace("{n}", n)
    return rf"(?P<number{n}>{bare}|{bracketed}|{one})"


@dataclass(frozen=True)
class Number:
    """A number with what it says of its uncertainty.

    Attributes
    ----------
    text
        As printed.
    value, uncertainty
        The uncertainty is the larger of two unequal ones, None where none is printed.
    flags
        What is doubtful in the reading, by short names: ``decimal_comma``, ``exponent_not_raised``,
        ``asymmetric_uncertainty``, ``shared_exponent``, ``lost_plus_minus``.
    """

    text: str
    value: float
    uncertainty: float | None = None
    flags: tuple[str, ...] = ()


NUMBER = re.compile(pattern())


def read_number(text: str) -> Number:
    """Read a text that is one number and nothing else.

    Raises
    ------
    LabrigError
        If it is no number, or can be read in two ways (``1,20``; ``1.2 x 106``, whose exponent is not raised).
    """
    folded = fold(without_latex(text)).strip()
    match = NUMBER.fullmatch(folded) if len(folded) <= 200 else None
    if match is None:
        raise LabrigError(
            f"{text[:80]!r} is not a number",
            where="number",
            expected="such as 6.24(3), 1,200, 23.7 ± 0.5 or 1.2 × 10^{6}",
        )
    return number_of(match)


def number_of(match: re.Match[str], n: str = "") -> Number:
    """Return the number of a match of `pattern`, whose groups end in `n`."""
    part = {key: value for key, value in match.groupdict().items() if value is not None}
    text = part[f"number{n}"]
    flags: list[str] = []
    if f"bare{n}" in part:
        sign = -1.0 if part[f"bare{n}"].startswith("-") else 1.0
        power = part.get(f"barepower{n}") or part[f"bareraised{n}"].translate(SUPERSCRIPTS)
        return Number(text, sign * _power_of_ten(int(power)))
    if f"bdigits{n}" in part:
        factor = _factor(part, "b" + n, flags)
        value = _plain(part[f"bdigits{n}"], flags) * _sign(part.get(f"bsign{n}")) * factor
        spread = _plain(part[f"bplusminus{n}"], flags) * factor
        return Number(text, _finite(value), spread, tuple(flags))
    digits = part[f"digits{n}"]
    factor = _factor(part, n, flags)
    mantissa = _plain(digits, flags)
    uncertainty = None
    if bracket := part.get(f"bracket{n}"):
        uncertainty = _in_last_digit(digits, bracket, flags) * factor
    up, down = part.get(f"up{n}") or part.get(f"up2{n}"), part.get(f"down{n}") or part.get(f"down2{n}")
    if up and down:
        flags.append("asymmetric_uncertainty")
        uncertainty = max(_plain(up, flags), _plain(down, flags)) * factor
    if spread_text := part.get(f"plusminus{n}"):
        own = _factor(part, "u" + n, flags)
        has_own = any(f"{kind}u{n}" in part for kind in ("power", "raised", "flat", "e"))
        if has_own and factor == 1.0 and own != 1.0 and _plain(spread_text, []) * own > mantissa:
            flags.append("shared_exponent")  # 1.2 ± 0.3 × 10^6: the exponent is meant for both
            factor = own
        elif not has_own:
            own = factor
        uncertainty = _plain(spread_text, flags) * own
    value = _finite(_sign(part.get(f"sign{n}")) * mantissa * factor)
    return Number(text, value, uncertainty, tuple(flags))


def _sign(text: str | None) -> float:
    return -1.0 if text and text.strip() == "-" else 1.0


def _plain(digits: str, flags: list[str]) -> float:
    """Return the value of digits with thousands separated, or with a comma for the decimal point."""
    text = digits.replace("\u2009", "")
    if "," in text:
        head, _, tail = text.partition(",")
        if re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?", text):
            text = text.replace(",", "")
        elif head == "0" or len(tail) not in (2, 3):
            flags.append("decimal_comma")
            text = f"{head}.{tail}"
        else:
            raise LabrigError(
                f"{digits!r} can be read in two ways: with a decimal comma, or as two numbers",
                where="number",
                expected="a decimal point, and commas between thousands only",
            )
    return float(text)


def _factor(part: dict[str, str], n: str, flags: list[str]) -> float:
    """Return the power of ten that is printed behind a number, 1 where none is."""
    if power := part.get(f"power{n}"):
        return _power_of_ten(int(power))
    if raised := part.get(f"raised{n}"):
        return _power_of_ten(int(raised.translate(SUPERSCRIPTS)))
    if power := part.get(f"e{n}"):
        return _power_of_ten(int(power))
    if flat := part.get(f"flat{n}"):
        if flat[0] not in "+-":
            raise LabrigError(
                f"'10{flat}' behind a multiplication sign is a power of ten whose exponent is not raised, or a number",
                where="number",
                expected=f"10^{{{flat}}} if {flat} is the exponent",
                try_="look at the picture of the page",
            )
        flags.append("exponent_not_raised")
        return _power_of_ten(int(flat))
    return 1.0


def _power_of_ten(power: int) -> float:
    if abs(power) > 300:
        raise LabrigError(
            f"10^{power} is no value of a paper", where="number", expected="an exponent within ±300"
        )
    return float(f"1e{power}")


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise LabrigError("A number is too large to be held", where="number")
    return value


def _in_last_digit(digits: str, bracket: str, flags: list[str]) -> float:
    """Return the uncertainty that a bracket behind the digits means."""
    from uncertainties import ufloat_fromstr

    plain = digits.replace("\u2009", "")
    if "," in plain:
        plain = plain.replace(",", "." if "decimal_comma" in flags else "")
    return float(ufloat_fromstr(f"{plain.rstrip('.')}({bracket})").std_dev)
