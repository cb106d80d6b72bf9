"""Where a number or name of an answer comes from: question, result, conversion, rounding, a little arithmetic.

A claim that fits several numbers is held against the best of them by their words. Arithmetic counts only where so many
results would hardly meet the claim by chance, given how precisely it is printed.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import combinations, permutations
from statistics import fmean, median
from typing import Any, Literal

from labrig_study.audit.claims import (
    MOST,
    Name,
    Number,
    days_and_times,
    names_of,
    numbers_of,
    plain,
    spelled_numbers,
    words_of,
)
from labrig_study.quantities import is_known, scale

Status = Literal[
    "given",  # it stands in the question
    "result",  # it stands in a result
    "rounded",  # with fewer digits
    "converted",  # in another unit
    "counted",  # so many things a result lists
    "derived",  # sum, difference, ratio or mean of a few
    "own",  # only in what the agent itself passed to a tool
    "wrong unit",  # a result has the number with a unit that is not this one
    "another quantity",  # a result has the number, but of something else, and has what is named with another number
    "contradicted",  # no result has it, and one has another number for what is named
    "unsourced",  # nothing has it
]
FLAGGED: tuple[Status, ...] = ("wrong unit", "another quantity", "contradicted", "unsourced")
"""What an answer is blamed for."""
ASKED, ANSWERED = -1, -2
"""The places of what the question says, and of another number of the answer, where calls are counted from 0."""

CHANCE = 0.2
"""Arithmetic is believed where fewer results than this would meet the claim by chance."""
_FEW, _PAIRS, _COLUMN = 8, 40, 400
"""Numbers of which sums of three or four are tried; pairs; all of a column."""
_FALLING = (
    "decrease decreased drop dropped fall fell loss lost lower below minus negative less deficit decline "
    "refund refunded credited charged owed "
)
_LESS = frozenset(_FALLING.split())
_ABOUT = re.compile(
    r"(?:about|approximately|around|roughly|nearly|almost|some|over|ca\.|[~≈])\s*$", re.IGNORECASE
)


_ENDING = re.compile(r"\b(?:ends?|ending|last)\b[^\d\n]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """A number of a result: in which call, or `ASKED`."""

    call: int
    number: Number
    counted: bool = False


@dataclass(frozen=True)
class Trace:
    """A claim and what became of it.

    Attributes
    ----------
    text, start
        As it stands in the answer.
    sources
        The numbers that it rests on; for a flagged one those that speak against it.
    how
        The arithmetic, ``sign`` where only the sign differs, or the kind of a name.
    number
        The claim as it was read; None for a name.
    """

    text: str
    start: int
    status: Status
    sources: tuple[Source, ...] = ()
    how: str = ""
    number: Number | None = None

    @property
    def flagged(self) -> bool:
        """Whether it has no source."""
        return self.status in FLAGGED


@dataclass
class Known:
    """All that an agent was told before its answer: the question, and each result by the number of its call."""

    asked: str
    results: Sequence[tuple[int, str]]
    own: str = ""
    sources: list[Source] = field(init=False)

    def __post_init__(self) -> None:
        self.sources = [
            Source(ASKED, each) for each in (*numbers_of(self.asked), *spelled_numbers(self.asked))
        ]
        for call, text in self.results:
            self.sources += (Source(call, each) for each in (*numbers_of(text), *spelled_numbers(text)))
            self.sources += (Source(call, each, True) for each in counts_of(text))
        self._units: dict[str, tuple[list[float], list[Source]]] = {}
        by_unit: dict[str, list[Source]] = {}
        for each in self.sources:
            by_unit.setdefault(each.number.unit, []).append(each)
        for unit, found in by_unit.items():
            found.sort(key=lambda each: each.number.value)
            self._units[unit] = [each.number.value for each in found], found
        self._texts = [
            (ASKED, plain(self.asked)),
            *((call, plain(text[:MOST])) for call, text in self.results),
        ]
        self._moments: dict[str, int] = {}
        for call, text in ((ASKED, self.asked), *self.results):
            for moment in days_and_times(text[:MOST]):
                self._moments.setdefault(moment.text, call)
                self._moments.setdefault(moment.text[-5:], call)
        self._own = plain(self.own), [each.value for each in numbers_of(self.own)]

    def near(self, unit: str, low: float, high: float) -> list[Source]:
        """Return the numbers with a unit in a range."""
        values, found = self._units.get(unit, ([], []))
        return found[bisect_left(values, low) : bisect_right(values, high)]

    @property
    def units(self) -> Iterable[str]:
        """The units of all numbers."""
        return self._units

    def place_of(self, name: Name) -> int | None:
        """Return the call whose result has a name, `ASKED`, or None."""
        if name.kind in ("day", "time"):
            found = self._moments.get(name.text)
            return found if found is not None or name.kind == "time" else self._days_away(name.text)
        pieces = (
            [plain(each) for each in re.split(r"\.{3}|…", name.text)]
            if name.kind == "quotation"
            else [plain(name.text)]
        )
        places = [
            next((call for call, text in self._texts if piece in text), None)
            for piece in pieces
            if piece.strip()
        ]
        if name.kind == "words" and None in places:
            places = [
                next((call for call, text in self._texts if f" {word} " in text), None)
                for word in pieces[0].split()
            ]
        return None if None in places else max((each for each in places if each is not None), default=ASKED)

    def _days_away(self, day: str) -> int | None:
        """Return where a day stands from which this one is as many days away as a number says."""
        for text, call in self._moments.items():
            try:
                away = abs((date.fromisoformat(f"{text[:4]}-{day[-5:]}") - date.fromisoformat(text)).days)
            except ValueError:
                continue
            if len(day) == 5 or day[:4] == text[:4]:
                for unit in self.units:
                    for each in self.near(unit, away, away):
                        if away > 1 and {"day", "days"} & ({unit} | each.number.words):
                            return call
        return None

    def place_of_digits(self, digits: str) -> int | None:
        """Return the call whose result has a word that ends in some digits, `ASKED`, or None."""
        return next((call for call, text in self._texts if f"{digits} " in text), None)

    def is_own(self, claim: Number | Name) -> bool:
        """Tell whether the agent itself passed it to a tool."""
        if isinstance(claim, Name):
            return plain(claim.text) in self._own[0]
        return any(abs(each - claim.value) <= 1e-9 * abs(claim.value) for each in self._own[1])


def counts_of(text: str) -> Iterator[Number]:
    """Give how many things a result lists: the items of each list of a JSON text, the lines of another."""
    try:
        tree = json.loads(text[:MOST]) if text.lstrip()[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        tree = None
    if tree is None:
        lines = sum(bool(line.strip()) for line in text[:MOST].splitlines())
        if lines > 1:
            for many in (lines, lines - 1):
                yield Number(float(many), 1.0, "", frozenset(), 0, 0)
        return
    waiting: list[tuple[Any, str]] = [(tree, "")]
    while waiting:
        each, name = waiting.pop()
        if isinstance(each, dict):
            waiting += [(inner, key) for key, inner in each.items()]
        elif isinstance(each, list):
            yield Number(float(len(each)), 1.0, "", words_of(name), 0, 0)
            waiting += [(inner, name) for inner in each[:1000]]


# ------------------------------------------------------------------------------------------------------ tracing


def trace_answer(answer: str, known: Known) -> list[Trace]:
    """Return what became of each number and name of an answer, in its order; pure."""
    names = [each for each in names_of(answer) if each.kind != "code" or not any(numbers_of(each.text[:40]))]
    spans = [(each.start, each.start + len(each.text) + 2) for each in names if each.kind != "quotation"]
    moments = [each.start for each in names if each.kind in ("day", "time")]
    spans += [(start, start + 18) for start in moments]
    claims = [
        each
        for each in (*numbers_of(answer), *spelled_numbers(answer))
        if not any(a <= each.start < b for a, b in spans) and not _is_ordinal(answer, each)
    ]
    traces = [_trace_name(each, known) for each in names]
    first = [(each, _trace_number(answer, each, known)) for each in claims]
    cited = [each for each, trace in first if trace.status in ("given", "result", "rounded", "converted")]
    for claim, trace in first:
        again = _derive(claim, cited, known) if trace.status in ("unsourced", "contradicted") else None
        if again is not None:
            cited.append(claim)
        traces.append(replace(again or trace, text=trace.text, number=claim))
    return sorted(traces, key=lambda each: each.start)


def _is_ordinal(answer: str, claim: Number) -> bool:
    """Tell whether a number only counts the points of a list: ``2.``, ``Flight 2:``."""
    line = answer[answer.rfind("\n", 0, claim.start) + 1 : claim.start]
    mark = r"[:*_]*:" if _POINT.fullmatch(line) else r"[.):][*_]*\s" if not line.strip(" \t>*#-_") else None
    return mark is not None and re.match(mark, answer[claim.end : claim.end + 5]) is not None


_POINT = re.compile(r"[\s>*#_-]*(?:\d+[.)] )?[*_]*[A-Z][a-z]+(?: [A-Z][a-z]+)? ")


def _trace_name(name: Name, known: Known) -> Trace:
    place = known.place_of(name)
    if place is not None:
        source = Source(place, Number(0.0, 0.0, "", frozenset(), 0, 0))
        return Trace(name.text, name.start, "given" if place == ASKED else "result", (source,), name.kind)
    return Trace(name.text, name.start, "own" if known.is_own(name) else "unsourced", (), name.kind)


def _trace_number(answer: str, claim: Number, known: Known) -> Trace:
    text = answer[claim.start : claim.end]
    place = claim.place
    status: Status
    digits = text.replace(",", "")
    if (
        digits.isdigit()
        and digits.endswith("0")
        and _ABOUT.search(answer[max(0, claim.start - 20) : claim.start])
    ):
        place = 10.0 ** (len(digits) - len(digits.rstrip("0")))
    ending = _ENDING.search(answer[max(0, claim.start - 24) : claim.start]) is not None and len(text) > 2
    if text.isdigit() and (ending or len(text) > 4 or (text[0] == "0" and len(text) > 1)):  # digits of a name
        where = known.place_of_digits(text if ending else f" {text}" if text[0] == "0" else text)
        if where is not None or len(text) < 5:
            status = "unsourced" if where is None else "given" if where == ASKED else "result"
            return Trace(text, claim.start, status, () if where is None else (Source(where, claim),))
    fits, against = _fitting(claim, place, known)
    how = ""
    if not fits and claim.value > 0 and claim.words & _LESS:
        how, (fits, _) = "sign", _fitting(_negative(claim), place, known)
    if against and (not fits or _best(claim, against) > _best(claim, [each for _, each in fits])):
        return Trace(text, claim.start, "wrong unit", tuple(against[:3]))
    if not fits:
        other = _better(claim, frozenset(), known)
        status = "own" if claim.words and known.is_own(claim) else "contradicted" if other else "unsourced"
        return Trace(text, claim.start, status, other)
    if _by_chance(claim, place, [each for _, each in fits], known):
        return Trace(
            text,
            claim.start,
            "own" if claim.words and known.is_own(claim) else "unsourced",
            tuple(each for _, each in fits[:2]),
        )
    if other := _speaks_of_another(claim, [each for _, each in fits], known):
        return Trace(text, claim.start, "another quantity", other)
    order: tuple[Status, ...] = ("result", "given", "rounded", "converted", "counted")
    fits.sort(key=lambda fit: (-len(claim.words & fit[1].number.words), order.index(fit[0])))
    return Trace(text, claim.start, fits[0][0], tuple(each for _, each in fits[:3]), how)


def _negative(claim: Number) -> Number:
    return Number(-claim.value, claim.place, claim.unit, claim.words, claim.start, claim.end)


def _fitting(claim: Number, place: float, known: Known) -> tuple[list[tuple[Status, Source]], list[Source]]:
    """Return the numbers that a claim may be, and those that have its number with a unit that it cannot have."""
    fits: list[tuple[Status, Source]] = []
    against: list[Source] = []
    exact, half = min(1e-9 * abs(claim.value), 1e-3 * place), 0.5 * place * (1 + 1e-9)
    for unit in known.units:
        for factor, offset, status in ways(unit, claim.unit):
            # The claim in the unit of the results.
            low, high = sorted((claim.value + sign * (half + exact) - offset) / factor for sign in (-1, 1))
            for each in known.near(unit, low, high):
                off = abs(each.number.value * factor + offset - claim.value)
                if status == "against":
                    if off <= exact:
                        against.append(each)
                elif each.counted:
                    if off <= exact and _counts(claim, each.number.words):
                        fits.append(("counted", each))
                elif each.call == ASKED:
                    if claim.words:  # an answer that is a number alone is none of the question's
                        fits.append(("given", each))
                else:
                    plainly: Status = "result" if off <= exact else "rounded"
                    fits.append((plainly if status == "same" else "converted", each))
    return fits, against


def _counts(claim: Number, listed: frozenset[str]) -> bool:
    """Tell whether a claim may count what a result lists: by the name of the list, or as a number of things."""
    named = {each for each in listed if len(each) > 2}
    return not claim.unit and (
        named <= claim.words if named else not claim.words or bool(claim.words & _THINGS)
    )


_LISTED = "count column entry entrie file folder item line match matche number paper record row sample total"
_THINGS = frozenset(_LISTED.split())


def ways(unit: str, wanted: str) -> Iterator[tuple[float, float, str]]:
    """Give how a number with a unit may become one with another: factor, offset, and what that means."""
    if unit == wanted or not unit or not wanted:
        yield 1.0, 0.0, "same"
        if "%" in (unit, wanted) and unit != wanted:
            yield (100.0 if wanted else 0.01), 0.0, "converted"
        return
    found = scale(unit, wanted)
    if found is None:
        yield 1.0, 0.0, "against" if is_known(unit) and is_known(wanted) else "same"
    elif found == (1.0, 0.0):
        yield 1.0, 0.0, "same"
    else:
        yield (*found, "converted")
        yield 1.0, 0.0, "against"


def _best(claim: Number, sources: Iterable[Source]) -> int:
    return max((len(claim.words & each.number.words) for each in sources), default=0)


def _by_chance(claim: Number, place: float, fits: Sequence[Source], known: Known) -> bool:
    """Tell whether a claim shares nothing but its number with results that would fit nearly any number."""
    if any(
        each.call == ASKED or each.counted or not each.number.words or claim.words & each.number.words
        for each in fits
    ):
        return False
    if not claim.words:
        return False
    size = abs(claim.value) or place
    about = {each.number.value for unit in known.units for each in known.near(unit, size / 2, 2 * size)}
    return len(about) * place / (1.5 * size) > CHANCE


def _better(claim: Number, shared: frozenset[str], known: Known) -> tuple[Source, ...]:
    """Return the numbers of results that share more words with a claim than a set that they all share."""
    best: list[Source] = []
    most = shared
    for each in known.sources:
        if each.call == ASKED or not each.number.firm:
            continue
        mine = claim.words & each.number.words
        if mine > shared and len(mine) >= len(most) and any(_ways_fit(each.number.unit, claim.unit)):
            if len(mine) > len(most):
                best, most = [], frozenset(mine)
            best.append(each)
    # What most numbers share tells none of them apart.
    sure = len(most) > 1 or claim.firm
    return tuple(best[:3]) if sure and 0 < len(best) <= max(3, len(known.sources) // 4) else ()


def _ways_fit(unit: str, wanted: str) -> Iterator[bool]:
    yield from (status != "against" for _, _, status in ways(unit, wanted))


def _speaks_of_another(claim: Number, fits: Sequence[Source], known: Known) -> tuple[Source, ...]:
    """Return the numbers of what a claim names, where all that have its number are said to be something else."""
    if any(
        each.call == ASKED or not each.number.firm or not each.number.words - claim.words for each in fits
    ):
        return ()
    shared = max((claim.words & each.number.words for each in fits), key=len)
    calls = {each.call for each in fits}
    more = (
        1 if claim.firm or claim.unit else 2
    )  # the words of a bare number in a sentence may belong to another one
    return tuple(
        each
        for each in _better(claim, frozenset(shared), known)
        if (each.call in calls or not shared) and len(claim.words & each.number.words) >= len(shared) + more
    )


# ---------------------------------------------------------------------------------------------------- arithmetic


def _derive(claim: Number, cited: Sequence[Number], known: Known) -> Trace | None:
    """Return the sum, difference, ratio or mean that a claim is, or None."""
    told = [each for each in known.sources if each.call != ASKED and not each.counted]
    named = [each for each in told if claim.words & each.number.words]
    most = _best(claim, named)
    column = [each for each in named if len(claim.words & each.number.words) == most][:_COLUMN]
    if not column and known.results:
        column = [each for each in known.sources if each.call == known.results[-1][0] and not each.counted][
            :_COLUMN
        ]
    own = [
        Source(ANSWERED, each) for each in cited if each is not claim and each.value and not _is_year(each)
    ][-_PAIRS:]
    column = [each for each in column if each.number.value and not _is_year(each.number)]
    # What the answer itself names comes first: the fewer numbers are tried, the less is met by chance.
    for tries in (
        [*_of_pairs(own), *_of_few(own[-_FEW:])],
        [*_of_columns(column)],
        [*_of_pairs([*own, *column][:_PAIRS])] if column else [],
        _of_any(claim, known),
    ):
        if (found := _meeting(claim, tries)) is not None:
            return found
    return None


def _is_year(number: Number) -> bool:
    return number.place == 1 and not number.unit and 1500 <= number.value < 2100


def _meeting(claim: Number, tries: Iterable[_Try]) -> Trace | None:
    """Return the first try that meets a claim, unless so many come near that one would meet it by chance."""
    half = 0.5 * claim.place * (1 + 1e-9) + 1e-9 * abs(claim.value)
    near, best = 0, None
    for value, unit, how, parts in tries:
        for factor, offset, status in ways(unit, claim.unit):
            off = abs(value * factor + offset - claim.value)
            near += half < off <= _NEAR * half
            if status != "against" and best is None and off <= half:
                best = how, parts
    if best is None or near / _NEAR > CHANCE:
        return None
    return Trace("", claim.start, "derived", best[1], best[0])


_NEAR = 25
"""As many tries as lie in so wide a band around a claim, divided by this, would meet it by chance."""


_Try = tuple[float, str, str, tuple[Source, ...]]


def _of_columns(column: Sequence[Source]) -> Iterator[_Try]:
    """Give sum, mean, median and span of all numbers of a call that are named alike."""
    groups: dict[tuple[int, str], list[Source]] = {}
    for each in column:
        groups.setdefault((each.call, each.number.unit), []).append(each)
    for (_, unit), members in groups.items():
        values = [each.number.value for each in members]
        if len(values) > 2:
            parts = tuple(members)
            yield sum(values), unit, "sum", parts
            yield fmean(values), unit, "mean", parts
            yield median(values), unit, "median", parts
            yield max(values) - min(values), unit, "span", parts


def _of_pairs(numbers: Sequence[Source]) -> Iterator[_Try]:
    for a, b in combinations(numbers, 2):
        if a.number.unit == b.number.unit:
            yield a.number.value + b.number.value, a.number.unit, "sum", (a, b)
            yield (a.number.value + b.number.value) / 2, a.number.unit, "mean", (a, b)
    for a, b in permutations(numbers, 2):
        x, y = a.number.value, b.number.value
        if a.number.unit == b.number.unit:
            yield x - y, a.number.unit, "difference", (a, b)
            if y:
                yield x / y, "", "ratio", (a, b)
                yield (x - y) / y, "", "relative difference", (a, b)


def _of_any(claim: Number, known: Known) -> Iterator[_Try]:
    """Give the sums, differences and ratios of any two numbers of results that come near a claim of many digits."""
    if claim.place > 1e-4 * abs(claim.value):
        return
    band = _NEAR * claim.place
    for unit in known.units:
        numbers = [
            each for each in known.near(unit, -math.inf, math.inf) if each.number.value and not each.counted
        ]
        for factor, offset, status in ways(unit, claim.unit):
            if status == "against" or offset:
                continue
            sought, reach = claim.value / factor, band / factor
            for each in numbers[:_ANY]:
                value = each.number.value
                for other in known.near(unit, value - sought - reach, value - sought + reach):
                    yield value - other.number.value, unit, "difference", (each, other)
                for other in known.near(unit, sought - value - reach, sought - value + reach):
                    yield value + other.number.value, unit, "sum", (each, other)
        if not claim.unit or claim.unit == "%":
            sought = claim.value / (100 if claim.unit else 1)
            for each in numbers[:_ANY]:
                low, high = sorted(
                    each.number.value * (sought + sign * band / (100 if claim.unit else 1))
                    for sign in (-1, 1)
                )
                for other in known.near(unit, low, high):
                    yield other.number.value / each.number.value, "", "ratio", (other, each)


_ANY = 5000


def _of_few(numbers: Sequence[Source]) -> Iterator[_Try]:
    for many in (3, 4):
        for parts in combinations(numbers, many):
            if len({each.number.unit for each in parts}) == 1:
                values = [each.number.value for each in parts]
                yield sum(values), parts[0].number.unit, "sum", parts
                yield fmean(values), parts[0].number.unit, "mean", parts
