"""What a hard repository is, before a file of it is written: places, loggers, visits, quantities, and its one question.

The number alone decides all of this, so the same number at other levels is the same campaign and the same question with
more or fewer difficulties. The gap that makes a question impossible is drawn apart from the question, and changes only
what the files hold: so no word of a question depends on whether it can be answered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, isqrt
from typing import Literal

from labrig_repository.gym.hard.levels import PREFIX, VERSION, Levels, written
from labrig_repository.gym.hard.worlds import Category, Quantity, Unit, World, units, worlds
from labrig_repository.gym.numbers import Draws

On = Literal["factor", "block", "category", "above", "below", "days"]
Kind = Literal["summary", "difference", "test", "ratio", "window", "count", "check"]
Gap = Literal["", "ambiguous", "no unit", "no clock", "confounded", "underpowered"]
GAPS: dict[Kind, tuple[Gap, ...]] = {
    "summary": ("ambiguous", "no unit"),
    "difference": ("confounded",),
    "test": ("underpowered",),
    "ratio": ("ambiguous", "no unit"),
    "window": ("no clock",),
    "count": ("ambiguous",),
    "check": (),
}
KINDS: tuple[Kind, ...] = tuple(GAPS)
STATISTICS: dict[Kind, tuple[str, ...]] = {
    "summary": ("mean", "median", "sample-sd", "population-sd", "minimum", "maximum"),
    "difference": ("mean",),
    "test": ("anova", "kruskal-wallis", "pearson", "spearman"),
    "ratio": ("mean", "median"),
    "window": ("mean", "median", "sample-sd"),
    "count": ("count",),
    "check": ("count",),
}
DAY = 1_440
FIRST_DAY, DAYS = 17_000, 2_500
"""Campaigns begin in these days since 1970."""
CAMPAIGN_DAYS = 150
STEPS = (151, 37, 7, 1)
"""Minutes from row to row, by the level of rows."""
DATE_FORMS = ("%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M", "%m/%d/%Y %H:%M", "%Y/%m/%d %H:%M")
OFFSETS = (0, 120, -300, 330, -210, 60)
CODES = (("-999",) * 4, ("-999", "NA", "9999", ""), ("0", "-999", "", "NA"))
POWER = Fraction(157, 10)
"""Twice the square of 1.96 + 0.84: samples a group, times the squared ratio of deviation and effect."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A column of numbers, its range as mantissas of its base unit, and the names under which it is asked for."""

    column: str
    about: str
    unit: str
    low: int
    high: int
    decimals: int
    called: tuple[str, ...]
    pilot_sd: str = ""
    smallest_effect: str = ""


@dataclass(frozen=True, slots=True)
class Logger:
    """How one instrument writes its files."""

    code: str
    semicolons: bool
    form: str
    offset: int
    missing: str
    units: tuple[Unit, ...]
    told: Literal["heading", "row", "table"]
    comments: bool
    order: tuple[int, ...]
    names: tuple[str, ...]
    absent: int | None
    untold: tuple[int, ...] = ()
    clock: bool = True


@dataclass(frozen=True, slots=True)
class Site:
    """A place, by the numbers of its levels."""

    code: str
    factor: int
    block: int


@dataclass(frozen=True, slots=True)
class Visit:
    """A stay at a place, which is one file of so many `rows`; the list of visits says `said` samples more.

    Attributes
    ----------
    untold
        Its file does not tell the unit of the quantity that is asked for; so only where nobody asks for its samples.
    """

    code: str
    site: int
    logger: int
    start: int
    superseded: bool
    copied: bool
    withdrawn: bool
    said: int
    maintained: tuple[int, int]
    rows: int
    untold: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """``factor``, ``block``, ``category``: one of these levels; ``above``, ``below``: the second quantity and a bound
    in its base unit; ``days``: two days since 1970, UTC, both included."""

    on: On
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """The question: `term` names the main quantity, as people ask for it; `hours` are of ``window``, UTC."""

    kind: Kind
    statistic: str
    term: str
    unit: str
    other: str
    other_unit: str
    conditions: tuple[Condition, ...]
    pair: tuple[str, str]
    hours: tuple[int, int]
    digits: int


@dataclass(frozen=True, slots=True)
class Correction:
    """What a logger read too high, in the base unit, from a day to a day (UTC, both included)."""

    logger: int
    amount: Fraction
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A campaign. `measured` are the main quantity in its two ways, the second, and two that nobody asks for."""

    number: int
    levels: Levels
    world: World
    gap: Gap
    ask: Ask
    measured: tuple[Measured, ...]
    main: int
    sites: tuple[Site, ...]
    loggers: tuple[Logger, ...]
    visits: tuple[Visit, ...]
    correction: Correction
    wrong_unit: str
    withdrawn_rows: tuple[int, ...]

    @property
    def id(self) -> str:
        """The id of the repository."""
        return written(self.number, self.levels)

    @property
    def step(self) -> int:
        """Minutes from row to row."""
        return STEPS[self.levels["rows"]]


def stream(number: int, *names: str) -> Draws:
    """Return the choices of one step; levels have no say in them."""
    return Draws(f"{PREFIX}{VERSION}:{number}", *names)


def fate(number: int) -> tuple[Kind, Gap]:
    """Return what is asked of a repository, and why it is impossible: empty for two thirds of the kinds with gaps."""
    draws = stream(number, "fate")
    kind = draws.one(KINDS)
    gaps = GAPS[kind]
    return kind, (draws.one(gaps) if gaps and draws.chance(1, 3) else "")


def plan(number: int, levels: Levels, *, whole: bool = False) -> Plan:
    """Return the campaign of a number; with `whole` as it would be without its gap."""
    kind, gap = fate(number)
    gap = "" if whole else gap
    draws = stream(number, "world")
    world = draws.one(worlds())
    start = FIRST_DAY + stream(number, "day").below(DAYS)
    measured, main = _measured(stream(number, "quantities"), world, gap)
    ask = _ask(stream(number, "ask"), kind, world, measured, levels, start)
    decoys = (3, 4) if stream(number, "decoys").chance(1, 2) else (3,)
    loggers = _loggers(stream(number, "loggers"), levels, measured, main, gap, decoys)
    sites = _sites(stream(number, "sites"), world, levels, ask, gap)
    visits = _visits(stream(number, "visits"), stream(number, "lengths"), levels, sites, start)
    visits = _beside(stream(number, "beside"), visits, sites, ask, world)
    draws = stream(number, "correction")
    first = start + draws.between(5, 40)
    amount = Fraction(max((measured[main].high - measured[main].low) // 12, 1), 10 ** measured[main].decimals)
    others = [each.name for each in units(measured[main].unit)[1:]]
    return Plan(
        number,
        levels,
        world,
        gap,
        ask,
        _piloted(stream(number, "pilot"), measured, main, ask, levels, gap, world),
        main,
        sites,
        loggers,
        visits,
        Correction(draws.below(2), amount, first, first + draws.between(40, 90)),
        draws.one(others) if others else measured[main].unit,
        tuple(draws.below(each.rows) for each in visits),
    )


def _measured(draws: Draws, world: World, gap: Gap) -> tuple[tuple[Measured, ...], int]:
    one, second, third = draws.some(world.quantities, 3)
    ways = draws.some(world.ways, 2)
    main = draws.below(2)
    both = (True, True) if gap == "ambiguous" else (main == 0, main == 1)
    pair = [_way(one, way, known) for way, known in zip(ways[0], both, strict=True)]
    single = Measured(
        *(second.column, second.name, second.unit, *_range(second), second.decimals, (second.name,))
    )
    unasked = [_way(third, way, True) for way in ways[-1]]
    return (*pair, single, *unasked), main


def _range(quantity: Quantity) -> tuple[int, int]:
    return int(quantity.low * 10**quantity.decimals), int(quantity.high * 10**quantity.decimals)


def _way(quantity: Quantity, way: tuple[str, str], known: bool) -> Measured:
    """Return a quantity measured in one way; `known` by its plain name too."""
    suffix, words = way
    about = f"{quantity.name}, {words}"
    called = (quantity.name, about) if known else (about,)
    return Measured(
        *(f"{quantity.column}_{suffix}", about, quantity.unit, *_range(quantity), quantity.decimals, called)
    )


def _ask(
    draws: Draws, kind: Kind, world: World, measured: tuple[Measured, ...], levels: Levels, start: int
) -> Ask:
    term = measured[0].about.rpartition(", ")[0]
    statistic = draws.one(STATISTICS[kind])
    unit = draws.one(units(measured[0].unit)).name
    other = measured[2]
    free: list[On] = ["factor", "block", "category", "above", "below", "days"]
    if kind == "difference":
        free = ["category", "above", "below", "days"]
    elif kind == "test" and statistic in ("anova", "kruskal-wallis"):
        free = ["block", "category", "above", "below", "days"]
    elif kind == "test" or kind == "ratio":
        free = ["factor", "block", "category", "days"]
    elif kind == "check":
        free = ["factor", "block"]
    elif kind == "window":
        free.remove("days")
    count = min(draws.between(1, levels["steps"] + 1), len(free))
    kinds = draws.some(free, count)
    if "above" in kinds and "below" in kinds:
        kinds.remove("below")
    conditions = tuple(_condition(draws, each, world, other, start) for each in kinds)
    pair = draws.some(world.factor.levels, 2)
    hour = draws.below(14)
    return Ask(
        kind,
        statistic,
        term,
        unit,
        other.called[0],
        draws.one(units(other.unit)).name,
        conditions,
        (pair[0], pair[1]),
        (hour, hour + draws.between(6, 10)),
        draws.between(3, 5),
    )


def _condition(draws: Draws, on: On, world: World, other: Measured, start: int) -> Condition:
    category: dict[str, Category] = {"factor": world.factor, "block": world.block, "category": world.category}
    if on in category:
        levels = category[on].levels
        return Condition(on, tuple(draws.some(levels, draws.between(1, max(1, len(levels) - 1)))))
    if on == "days":
        first = start + draws.between(0, 30)
        return Condition("days", (str(first), str(first + draws.between(60, 110))))
    place = draws.between(35, 50) if on == "above" else draws.between(50, 65)
    at = other.low + (other.high - other.low) * place // 100
    return Condition(on, (str(Fraction(2 * at + 1, 2 * 10**other.decimals)),))


def _loggers(
    draws: Draws,
    levels: Levels,
    measured: tuple[Measured, ...],
    main: int,
    gap: Gap,
    decoys: tuple[int, ...],
) -> tuple[Logger, ...]:
    """Return the loggers; `decoys` are columns without a unit that nobody asks for."""
    codes = draws.some([f"{letter}{number}" for letter in "CDKLRT" for number in range(2, 9)], 5)
    order = draws.some(range(4), 4)
    found = []
    for number in range(5):
        kind = order[number] if number < 4 else draws.below(4)
        unit = tuple(_unit(draws, each, levels, number) for each in measured)
        told: Literal["heading", "row", "table"] = ("heading", "row", "row")[levels["units-row"]]
        if levels["units-row"] == 2 and kind % 2:
            told = "heading"
        if levels["units"] == 2 and kind == 3:
            told = "table"
        shuffled = tuple(draws.some(range(len(measured) + 2), len(measured) + 2))
        other = [
            draws.one(
                (each.column.upper(), f"ch{place + 1:02d}", f"{each.column}_{kind + 1}", f"v{place * 7 + 3}")
            )
            for place, each in enumerate(measured)
        ]
        renamed = levels["columns"] >= 2 and kind in (1, 2)
        found.append(
            Logger(
                codes[number],
                levels["separators"] == 1 and kind == 1,
                DATE_FORMS[kind] if levels["dates"] >= 1 else DATE_FORMS[0],
                draws.one(OFFSETS) if levels["dates"] == 2 else 0,
                CODES[levels["missing"] - 1][kind] if levels["missing"] else "",
                unit,
                told,
                levels["units-row"] == 2 and kind == 2,
                shuffled if levels["columns"] >= 1 and kind else tuple(range(len(measured) + 2)),
                tuple(other) if renamed else tuple(each.column for each in measured),
                2 if levels["columns"] == 3 and number == 3 else None,
                () if number else (*decoys, main) if gap == "no unit" else decoys,
                number != 4 and not (gap == "no clock" and number == 0),
            )
        )
    return tuple(found)


def _unit(draws: Draws, measured: Measured, levels: Levels, number: int) -> Unit:
    able = units(measured.unit)
    if levels["units"] == 1:
        able = tuple(each for each in able if not each.zero)
    drawn = draws.one(able)
    return drawn if levels["units"] and number else able[0]


def _sites(draws: Draws, world: World, levels: Levels, ask: Ask, gap: Gap) -> tuple[Site, ...]:
    factors, blocks = len(world.factor.levels), len(world.block.levels)
    count = max(8, min(levels.files // 2, 3 * factors * blocks))
    numbers = draws.some(range(1, 10 * count), count)
    start, initial = draws.below(factors), world.place[0].upper()
    one, other = (world.factor.levels.index(each) for each in ask.pair)
    found = []
    for place, number in enumerate(sorted(numbers)):
        factor, block = (start + place) % factors, (place // factors + draws.below(2)) % blocks
        if gap == "confounded" and factor in (one, other):
            low = max(blocks // 2, 1)
            block = block % low if factor == one else low + block % (blocks - low)
        found.append(Site(f"{initial}{number:03d}", factor, block))
    return tuple(found)


def _visits(
    draws: Draws, lengths: Draws, levels: Levels, sites: tuple[Site, ...], start: int
) -> tuple[Visit, ...]:
    copies, rows = levels["copies"], levels.rows
    found = []
    for number in range(levels.files):
        roll = draws.below(60)
        begin, length = draws.below(max(rows - 2, 1)), draws.between(1, max(rows // 5, 1))
        found.append(
            Visit(
                f"V{number + 1:0{max(3, len(str(levels.files)))}d}",
                number % len(sites),
                draws.below(4) if number >= 4 else number,
                start * DAY + draws.below(CAMPAIGN_DAYS * DAY),
                copies >= 2 and roll < 12,
                copies >= 1 and 12 <= roll < 20,
                copies >= 3 and 20 <= roll < 25,
                draws.between(1, 4) if draws.chance(1, 4) else 0,
                (begin, begin + length) if levels["outliers"] == 2 and draws.chance(1, 3) else (1, 0),
                rows - lengths.below(max(rows // 8, 1) + 1),
            )
        )
    return tuple(found)


def _beside(
    draws: Draws, visits: tuple[Visit, ...], sites: tuple[Site, ...], ask: Ask, world: World
) -> tuple[Visit, ...]:
    """Return visits with gaps where the question does not go: at places that its conditions leave out."""
    asked = {each.on: each.values for each in ask.conditions if each.on in ("factor", "block")}
    found = []
    for visit in visits:
        site = sites[visit.site]
        levels = {"factor": world.factor.levels[site.factor], "block": world.block.levels[site.block]}
        outside = any(levels[on] not in values for on, values in asked.items())
        untold, clockless = draws.chance(1, 3), draws.chance(1, 4)
        if outside:
            visit = replace(visit, untold=untold, logger=4 if clockless else visit.logger)
        found.append(visit)
    return tuple(found)


def _piloted(
    draws: Draws,
    measured: tuple[Measured, ...],
    main: int,
    ask: Ask,
    levels: Levels,
    gap: Gap,
    world: World,
) -> tuple[Measured, ...]:
    """Return the quantities with the deviation and the smallest effect that their pilot study gave."""
    share = Fraction(1)
    for condition in ask.conditions:
        words = condition.on in ("factor", "block", "category")
        share *= Fraction(len(condition.values), 4) if words else Fraction(3, 5)
    groups = len(world.factor.levels) if ask.statistic in ("anova", "kruskal-wallis") else 1
    expected = max(int(levels.files * levels.rows * share / groups), 4)
    found = []
    for place, each in enumerate(measured):
        scarce = draws.chance(1, 3) if place != main else gap == "underpowered"
        aim = (
            draws.between(expected * 6 // 5, expected * 2)
            if scarce
            else draws.between(expected // 4, expected * 3 // 4)
        )
        deviation = max((each.high - each.low) // 6, 1)
        effect = deviation * isqrt(int(POWER * 10**6 / aim))
        found.append(
            replace(
                each,
                pilot_sd=_decimal(deviation, each.decimals),
                smallest_effect=_decimal(max(effect, 1), each.decimals + 3),
            )
        )
    return tuple(found)


def needed(measured: Measured) -> int:
    """Return how many samples the reporting rule asks of a group, for a quantity."""
    return ceil(POWER * (Fraction(measured.pilot_sd) / Fraction(measured.smallest_effect)) ** 2)


def _decimal(mantissa: int, decimals: int) -> str:
    sign, digits = ("-" if mantissa < 0 else ""), f"{abs(mantissa):0{decimals + 1}d}"
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}" if decimals else sign + digits
