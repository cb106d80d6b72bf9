"""The answer to the question of a hard repository, from its cells: exact, or the reason why there is none.

What decides is what the files hold, after the rules of the README: copies once, superseded and withdrawn samples not at
all, readings that are missing, above a limit or within maintenance left out, units converted exactly, corrections made.
`solver` finds the same from the files alone and shares nothing with this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labrig_repository.gym.hard.campaign import HardRepository
from labrig_repository.gym.hard.plan import DAY, needed
from labrig_repository.gym.hard.records import how_written, limit
from labrig_repository.gym.hard.worlds import units
from labrig_repository.gym.numbers import Integers
from labrig_suites.science_gym import truth
from labrig_suites.science_gym.grading.strict import band

Mask = NDArray[np.bool_]
FEWEST = 12
"""Samples that a question is about, at least."""
MARGIN = Fraction(6, 5)
"""By how much a group has more, or fewer, samples than the reporting rule asks for."""


class NotPossible(Exception):
    """The repository does not hold the answer; the message is the gap, as `plan.Gap` has it."""


class Unfit(Exception):
    """The question would be decided by rounding, by a tie, or by too few samples: it is not asked."""


@dataclass(frozen=True, slots=True)
class Values:
    """Values over a common denominator."""

    parts: list[int]
    denominator: int


class Samples:
    """The samples of a repository that count, and its quantities in them."""

    def __init__(self, repository: HardRepository) -> None:
        self.plan, self.records = repository.plan, repository.records
        plan = self.plan
        able = [number for number, each in enumerate(plan.visits) if not each.withdrawn]
        lengths = [plan.visits[number].rows for number in able]
        self.visits = np.repeat(np.array(able, dtype=np.int64), lengths)
        self.rows = np.concatenate([np.arange(length, dtype=np.int64) for length in lengths])
        if plan.levels["copies"] == 3:
            kept = self.rows != np.array(plan.withdrawn_rows, dtype=np.int64)[self.visits]
            self.visits, self.rows = self.visits[kept], self.rows[kept]
        self.times = self.records.times(self.visits, self.rows)
        self.loggers = self.records.loggers[self.visits]
        sites = self.records.sites[self.visits]
        self.factors = np.array([each.factor for each in plan.sites], dtype=np.int64)[sites]
        self.blocks = np.array([each.block for each in plan.sites], dtype=np.int64)[sites]
        self.categories = self.records.categories(self.visits, self.rows)

    def there(self, place: int) -> Mask:
        """Return where a cell has a value that is no fault by its time."""
        found = ~self.records.missing(self.visits, self.rows, place)
        if self.plan.levels["outliers"] == 2:
            first, last = (
                np.array([each.maintained[n] for each in self.plan.visits], dtype=np.int64)[self.visits]
                for n in (0, 1)
            )
            found &= ~((self.rows >= first) & (self.rows <= last))
        return np.asarray(found)

    def base(self, place: int) -> tuple[Integers, int, Mask]:
        """Return a quantity in its base unit as integers over a denominator, and where it is valid."""
        plan, measured = self.plan, self.plan.measured[place]
        mantissas = self.records.mantissas(self.visits, self.rows, place)
        forms = [how_written(each, measured, place).exact() for each in plan.loggers]
        correction = plan.correction
        denominator = lcm(
            *(part.denominator for form in forms for part in form), correction.amount.denominator
        )
        steps, zeros = (
            np.array([int(form[n] * denominator) for form in forms])[self.loggers] for n in (0, 1)
        )
        found = mantissas * steps + zeros
        valid = self.there(place)
        if plan.levels["outliers"]:
            valid &= found <= int(limit(measured) * denominator)
        if plan.levels["readme"] == 2 and place == plan.main:
            days = self.times // DAY
            wrong = (
                (self.loggers == correction.logger) & (days >= correction.first) & (days <= correction.last)
            )
            found = np.where(wrong, found - int(correction.amount * denominator), found)
        return found, denominator, valid

    def fulfil(self, *, clocked: bool = True) -> Mask:
        """Return which samples fulfil the conditions; without `clocked` those that need no clock alone."""
        plan, ask = self.plan, self.plan.ask
        found = np.ones(len(self.visits), dtype=bool)
        for each in ask.conditions:
            match each.on:
                case "factor" | "block" | "category":
                    category = getattr(plan.world, each.on)
                    data = {"factor": self.factors, "block": self.blocks, "category": self.categories}[
                        each.on
                    ]
                    found &= np.isin(data, [category.levels.index(value) for value in each.values])
                case "above" | "below":
                    data, denominator, valid = self.base(2)
                    bound = Fraction(each.values[0]) * denominator
                    near = np.abs(data - int(bound)) * 10**8 < abs(int(bound)) + 10**8
                    if (near & valid).any():
                        raise Unfit("a value at the bound")
                    found &= valid & (data > int(bound) if each.on == "above" else data < int(bound))
                case "days":
                    days = self.times // DAY
                    found &= (days >= int(each.values[0])) & (days <= int(each.values[1]))
        if ask.kind == "window" and clocked:
            minutes = self.times % DAY
            found &= (minutes >= ask.hours[0] * 60) & (minutes < ask.hours[1] * 60)
        return np.asarray(found)


def answer(repository: HardRepository) -> Decimal | int:
    """Return the answer.

    Raises
    ------
    NotPossible
        Where the repository has the gap that its plan says, and it touches what is asked.
    Unfit
        For a question that is not to be asked.
    """
    plan, ask = repository.plan, repository.plan.ask
    if ask.kind == "check":
        return _check(repository)
    samples = Samples(repository)
    main, denominator, valid = samples.base(plan.main)
    if sum(ask.term in each.called for each in plan.measured) > 1:
        raise NotPossible("ambiguous")
    untold = [number for number, each in enumerate(plan.loggers) if plan.main in each.untold]
    clockless = [number for number, each in enumerate(plan.loggers) if not each.clock]
    chosen = samples.fulfil()
    touched = chosen & samples.there(plan.main)
    if plan.gap == "no unit" and (touched & np.isin(samples.loggers, untold)).any():
        raise NotPossible("no unit")
    if plan.gap == "no clock":
        able = samples.fulfil(clocked=False) & samples.there(plan.main)
        if (able & np.isin(samples.loggers, clockless)).any():
            raise NotPossible("no clock")
    chosen &= valid
    if chosen.sum() < FEWEST:
        raise Unfit("few samples")
    found: Decimal | int = ANSWERS[ask.kind](samples, chosen, main, denominator)
    if isinstance(found, Decimal) and not truth.well_placed(found, ask.digits):
        raise Unfit("at a place of rounding")
    return found


def _check(repository: HardRepository) -> int:
    plan = repository.plan
    for each in plan.ask.conditions:
        assert each.on in ("factor", "block")
    kept = [
        visit
        for visit in plan.visits
        if not visit.withdrawn
        and all(
            getattr(plan.world, each.on).levels[getattr(plan.sites[visit.site], each.on)] in each.values
            for each in plan.ask.conditions
        )
    ]
    if len(kept) < 4 or not any(each.said for each in kept):
        raise Unfit("few visits")
    return sum(each.said > 0 for each in kept)


def asked(values: Values, base: str, unit: str) -> Values:
    """Return values of a base unit in another."""
    to = next(each for each in units(base) if each.name == unit)
    # (v / d - zero) / factor
    denominator = values.denominator * to.zero.denominator
    shift = to.zero.numerator * values.denominator
    parts = [(each * to.zero.denominator - shift) * to.factor.denominator for each in values.parts]
    return Values(parts, denominator * to.factor.numerator)


def statistic(name: str, values: Values) -> Decimal:
    """Return a statistic of one quantity."""
    parts, denominator = values.parts, values.denominator
    if name in ("minimum", "maximum", "median"):
        return truth.decimal(truth.extreme(parts, 0, name) / denominator)
    if name == "mean":
        return truth.decimal(truth.mean(parts, 0) / denominator)
    return truth.root(truth.variance(parts, 0, int(name == "sample-sd")) / denominator**2)


def _summary(samples: Samples, chosen: Mask, main: Integers, denominator: int) -> Decimal:
    ask, measured = samples.plan.ask, samples.plan.measured[samples.plan.main]
    values = asked(Values(main[chosen].tolist(), denominator), measured.unit, ask.unit)
    return statistic(ask.statistic, values)


def _count(samples: Samples, chosen: Mask, main: Integers, denominator: int) -> int:
    return int(chosen.sum())


def _difference(samples: Samples, chosen: Mask, main: Integers, denominator: int) -> Decimal:
    plan, ask = samples.plan, samples.plan.ask
    one, other = (plan.world.factor.levels.index(each) for each in ask.pair)
    found = []
    for block in range(len(plan.world.block.levels)):
        within = chosen & (samples.blocks == block)
        groups = [main[within & (samples.factors == each)].tolist() for each in (one, other)]
        if all(groups):
            first, second = (Fraction(sum(each), len(each)) for each in groups)
            found.append((first - second) / denominator)
    if not found:
        raise NotPossible("confounded")
    factor = next(each.factor for each in units(plan.measured[plan.main].unit) if each.name == ask.unit)
    return truth.decimal(sum(found, Fraction()) / len(found) / factor)


def _test(samples: Samples, chosen: Mask, main: Integers, denominator: int) -> Decimal:
    plan, ask = samples.plan, samples.plan.ask
    if ask.statistic in ("anova", "kruskal-wallis"):
        other = samples.factors[chosen]
        sizes = np.bincount(other)[np.unique(other)].tolist()
        if len(sizes) < 2:
            raise Unfit("one group")
    else:
        data, _, valid = samples.base(2)
        chosen = chosen & valid
        other, sizes = data[chosen], [int(chosen.sum())]
    rule = needed(plan.measured[plan.main])
    if min(sizes) < rule:
        if min(sizes) * MARGIN >= rule:
            raise Unfit("near the reporting rule")
        raise NotPossible("underpowered")
    if min(sizes) < rule * MARGIN:
        raise Unfit("near the reporting rule")
    values = main[chosen]
    test: Callable[..., truth.Test] = {
        "anova": lambda x, y: truth.anova(x.tolist(), y.tolist()),
        "kruskal-wallis": lambda x, y: truth.kruskal_wallis(x.tolist(), y),
        "pearson": lambda x, y: truth.pearson(x.tolist(), y.tolist()),
        "spearman": truth.spearman,
    }[ask.statistic]
    found = test(other, values).statistic
    if ask.statistic in ("kruskal-wallis", "spearman"):
        # Equal values in two units may differ by floating-point noise: no answer may depend on that.
        order = samples.loggers[chosen]
        low, high = band(Fraction(found), ask.digits)
        for sign in (1, -1):
            noisy = test(other, values * 8 + sign * order).statistic
            if not low < Fraction(noisy) < high:
                raise Unfit("decided by ties")
    return found


def _ratio(samples: Samples, chosen: Mask, main: Integers, denominator: int) -> Decimal:
    plan, ask = samples.plan, samples.plan.ask
    data, below, valid = samples.base(2)
    chosen = chosen & valid
    pair = [
        asked(Values(values[chosen].tolist(), d), plan.measured[place].unit, unit)
        for values, d, place, unit in (
            (main, denominator, plan.main, ask.unit),
            (data, below, 2, ask.other_unit),
        )
    ]
    if not all(each > 0 for each in pair[1].parts) or len(pair[1].parts) < FEWEST:
        raise Unfit("a ratio to nothing")
    factor = Fraction(pair[1].denominator, pair[0].denominator)
    ratios = [Fraction(a, b) for a, b in zip(*(each.parts for each in pair), strict=True)]
    if ask.statistic == "median":
        ordered: Sequence[Fraction] = sorted(ratios)
        half = len(ordered) // 2
        middle = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
        return truth.decimal(middle * factor)
    total = sum((truth.decimal(each) for each in ratios), Decimal())
    return truth.EXACT.multiply(truth.EXACT.divide(total, Decimal(len(ratios))), truth.decimal(factor))


ANSWERS: dict[str, Callable[[Samples, Mask, Any, int], Any]] = {
    "summary": _summary,
    "window": _summary,
    "count": _count,
    "difference": _difference,
    "test": _test,
    "ratio": _ratio,
}
