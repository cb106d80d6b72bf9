"""A leg is planned backwards from what its level asks for: pages, roadblocks and detours, each of which is needed.

A page either names the next one (a birthplace, then that town) or begins a thread: roadblocks and detours turn what it
gives into a number. Threads are joined (a distance between two places, the days between two dates, in a DAG a sum)
until two to four are left, which are the operands of the finish line. So no stop can be left out. A plan that does not
come out, because a chain gives nothing or a count does not fit, is thrown away, and another is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial

from labrig.errors import LabrigError
from labrig_repository.gym.numbers import Draws
from labrig_suites.amazing_race.making import roadblocks
from labrig_suites.amazing_race.making.detours import BY_NAME, DETOURS, Detour
from labrig_suites.amazing_race.making.nodes import Node, asks, detour, tool
from labrig_suites.amazing_race.making.pages import Fact, Pages, RacePage
from labrig_suites.amazing_race.making.reductions import REDUCTIONS, Reduction
from labrig_suites.amazing_race.making.riddles import Riddles
from labrig_suites.amazing_race.making.roadblocks import Ask, Dropped, Ran
from labrig_suites.amazing_race.making.walking import Visit, walk


@dataclass(frozen=True)
class Level:
    """What a difficulty asks for (Table 4); ranges include both ends. Each diamond adds stops to `stops`."""

    stops: tuple[int, int]
    roadblocks: tuple[int, int]
    detours: tuple[int, int]
    diamonds: tuple[int, int]
    crawl: int
    cross_section: bool


LEVELS = {
    "easy": Level((3, 6), (1, 2), (1, 2), (1, 1), 1, False),
    "medium": Level((7, 12), (2, 4), (2, 3), (1, 2), 2, True),
    "hard": Level((13, 16), (4, 5), (3, 4), (2, 3), 3, True),
    "extreme": Level((17, 21), (5, 7), (4, 6), (3, 5), 3, True),
}
FIRST_DAY, LAST_DAY = date(1990, 1, 1), date(2023, 12, 31)
"""Days on which weather and markets are asked for."""
MOST_OPERAND = 10**9
AGAIN = 100
"""Plans after which another finish line is drawn."""
DAYS = 8
"""Days that are tried for a weather in which something fell."""


@dataclass(frozen=True)
class Market:
    """A share or a coin that the world has, and the days for which it has prices."""

    symbol: str
    kind: str
    first: date = FIRST_DAY
    last: date = LAST_DAY


class Fails(Exception):
    """This plan does not come out."""


@dataclass
class Plan:
    """A planned leg: its stops in an order in which each follows its inputs, and the finish line.

    Attributes
    ----------
    operands
        The stops that the finish line combines.
    seed
        The page at which the race starts.
    """

    seed: RacePage
    nodes: list[Node]
    operands: list[Node]
    reduction: Reduction
    number: int
    digit: int


@dataclass
class _Making:
    """One attempt."""

    draws: Draws
    pages: Pages
    ask: Ask
    markets: Sequence[Market]
    level: Level
    dag: bool
    riddles: Riddles | None = None
    nodes: list[Node] = field(default_factory=list)
    tools: int = 0
    detours: int = 0
    diamonds: int = 0

    @property
    def enough(self) -> bool:
        """Whether the leg has the least number of roadblocks and stops of its level without those that are left."""
        made = sum(each.kind == "tool" for each in self.nodes) - 3 * self.diamonds
        stops = len(self.nodes) - 3 * self.diamonds + max(self.detours, 0)
        return made >= self.level.roadblocks[0] and stops >= self.level.stops[0]

    def add(self, node: Node) -> Node:
        """Keep a stop."""
        self.nodes.append(node)
        return node

    def run(self, make: Callable[[], Ran], *inputs: Node, counted: bool = True) -> Node:
        """Run a chain, and keep the roadblock that it makes."""
        try:
            ran = make()
        except (Dropped, LabrigError, LookupError, ValueError, TypeError) as error:
            raise Fails(str(error)) from error
        if abs(ran.value) > MOST_OPERAND:
            raise Fails("a value too large")
        self.tools -= counted
        return self.add(tool(ran, inputs))


def plan(
    draws: Draws,
    pages: Pages,
    ask: Ask,
    level: str,
    variant: str,
    markets: Sequence[Market] = (),
    tries: int = 400,
    riddles: Riddles | None = None,
) -> Plan | None:
    """Return a plan, or None where none of `tries` came out.

    Parameters
    ----------
    ask
        Asks a tool of the world, by the paper's names.
    level
        One of `LEVELS`.
    variant
        ``linear`` or ``dag``.
    riddles
        Describe pages by several facts. Then every operand needs a page, and without any one detour the digit is
        another.
    """
    titles = sorted(pages.by_title)
    reduction, digit = _finish(draws)
    for tried in range(tries):
        if tried % AGAIN == AGAIN - 1:  # this finish line may suit no leg of such a length
            reduction, digit = _finish(draws)
        making = _Making(draws, pages, ask, markets, LEVELS[level], variant == "dag", riddles)
        seed = pages.by_title[draws.one(titles)]
        try:
            return _planned(making, seed, reduction, digit)
        except Fails:
            continue
    return None


def _finish(draws: Draws) -> tuple[Reduction, int]:
    """Draw the finish line's reduction and, before there is a number, its digit."""
    reduction = draws.weighted(REDUCTIONS, [each.weight for each in REDUCTIONS])
    return reduction, draws.between(1 if reduction.name == "digital_root" else 0, 9)


def _planned(making: _Making, seed: RacePage, reduction: Reduction, digit: int) -> Plan:
    draws, level = making.draws, making.level
    stops = draws.between(*level.stops)
    making.tools, making.detours = draws.between(*level.roadblocks), draws.between(*level.detours)
    making.diamonds = draws.between(*level.diamonds) if making.dag else 0
    count = stops - making.tools - making.detours
    if count < 1:
        raise Fails("no room for a page")
    way = walk(draws, making.pages, seed, count, level.crawl, making.riddles)
    if way is None:
        raise Fails("no way")
    begins = sum(each.via != "value" for each in way)
    wanted = max(draws.between(reduction.fewest, reduction.most), min(begins, reduction.most))
    threads = _threads(making, way, _to_ask(making, way, wanted))
    threads = _diamonds(making, threads)
    threads = _more(making, threads, wanted)
    threads = _joined(making, threads, wanted)
    threads = [_needed(making, each) for each in threads]
    operands = _spent(making, threads)
    return _finished(making, seed, operands, reduction, digit)


def _to_ask(making: _Making, way: Sequence[Visit], wanted: int) -> dict[int, Fact | None]:
    """Return what each page that begins a thread is asked for, by its place on the way; None for what it is about.

    Where there are more threads than the finish line takes, pairs are chosen that can be joined: two places, two days.
    """
    draws = making.draws
    last = len(way) - 1
    begin = [place for place in range(len(way)) if place == last or way[place + 1].via != "value"]
    asked: dict[int, Fact | None] = {}
    for _ in range(len(begin) - wanted):
        free = [place for place in begin if place not in asked]
        places = [place for place in free if way[place].page.place]
        days = {place: found for place in free if (found := _days(way[place]))}
        if len(places) > 1 and (len(days) < 2 or draws.chance(1, 2)):
            asked |= dict.fromkeys(draws.some(places, 2))
        elif len(days) > 1:
            asked |= {place: draws.one(days[place]) for place in draws.some(sorted(days), 2)}
        elif not making.dag:
            raise Fails("nothing to join")
    for place in begin:
        if place not in asked:
            asked[place] = _fact(making, way[place])
    return asked


def _days(visit: Visit) -> list[Fact]:
    return [fact for fact in visit.page.facts if fact.kind == "date" and fact not in visit.describing]


def _threads(making: _Making, way: Sequence[Visit], asked: Mapping[int, Fact | None]) -> list[Node]:
    """Return the stops of pages that begin a thread; those that only name the next page are kept beside them."""
    threads: list[Node] = []
    before: Node | None = None
    for place, visit in enumerate(way):
        begins = place in asked
        fact = asked[place] if begins else way[place + 1].leads
        node = making.add(asks(visit.page, fact, visit.via, _arrival(visit, making.riddles is not None)))
        if visit.via in ("value", "link") and before is not None:
            node.inputs = (before,)
            before.used |= visit.via == "value" or making.riddles is not None
        if begins:
            threads.append(node)
        before = node
    return threads


def _arrival(visit: Visit, riddles: bool) -> str:
    if riddles and visit.via == "link":
        return f"Of the pages to which the page of clue {{0}} links, open that of {visit.description}."
    if riddles and visit.via != "value":
        return f"Find the page of {visit.description}."
    if visit.via == "seed":
        return "Begin on the page at which the race starts."
    if visit.via == "value":
        return "Open the page of what clue {0} named."
    if visit.via == "link":
        return f"From the page of clue {{0}}, follow the link to {visit.description}."
    return f"Search for {visit.description}, and open its page."


def _fact(making: _Making, visit: Visit) -> Fact | None:
    """Return what a page that begins a thread is asked for; None for what it is about."""
    page = visit.page
    hows = ("infobox", "prose", "cross_section") if making.level.cross_section else ("infobox", "prose")
    able = [
        fact
        for fact in page.facts
        if fact.how in hows
        and fact.kind in ("number", "year")
        and fact not in visit.describing
        and 0 < _amount(fact) <= MOST_OPERAND
    ]
    named = page.place or page.kind == "country"
    often = 3 if making.tools > 2 else 1
    if making.diamonds and making.riddles is not None:  # they begin with places, and no price begins a thread
        often = 4
    if named and (not able or making.draws.chance(often, 4)):
        return None
    if not able:
        raise Fails("nothing to ask")
    return making.draws.one(able)


def _amount(fact: Fact) -> float:
    return float(fact.value) if isinstance(fact.value, (int, float)) else 0.0


def _diamonds(making: _Making, threads: list[Node]) -> list[Node]:
    """Fork threads that give a place or a country into two branches each, and merge these."""
    draws = making.draws
    merges: list[Node] = []
    for _ in range(making.diamonds):
        able = [
            (each, kind) for each in threads for kind in DIAMONDS[each.gives] if not each.applied & {*kind}
        ]
        fresh = [each for each in able if not each[0].applied]
        rest = [each for each in able if each[0].applied]
        for source, templates in (*draws.some(fresh, len(fresh)), *draws.some(rest, len(rest))):
            merge = _diamond(making, source, _in_order(draws, templates))
            if merge is not None:
                merges.append(merge)
                break
        else:
            raise Fails("too few places")
    return [each for each in threads if not each.used] + merges


def _diamond(making: _Making, source: Node, templates: tuple[str, str]) -> Node | None:
    """Return the merge of two roadblocks of a source; None, and nothing kept, where one of them gives nothing."""
    kept, applied, used = len(making.nodes), set(source.applied), source.used
    try:
        first, second = (_of_template(making, source, name, counted=False) for name in templates)
        return _merge(making, first, second, making.draws.one(("add", "abs_diff")), counted=False)
    except Fails:
        del making.nodes[kept:]
        source.applied, source.used = applied | {*templates}, used
        return None


DIAMONDS: dict[str, tuple[tuple[str, str], ...]] = {
    "place": (
        ("geocode_elevation", "nearby_poi_count"),
        ("geocode_elevation", "place_rating"),
        ("geocode_weather_historical", "geocode_weather_precipitation"),
    ),
    "country": (("country_population", "country_area"),),
    **dict.fromkeys(("text", "date", "year", "number"), ()),
}
"""The four types of diamond: two roadblocks of one source."""


def _in_order(draws: Draws, names: tuple[str, str]) -> tuple[str, str]:
    return names if draws.chance(1, 2) else (names[1], names[0])


def _merge(making: _Making, first: Node, second: Node, operation: str, counted: bool = True) -> Node:
    return making.run(
        lambda: roadblocks.merged(first.whole, second.whole, operation), first, second, counted=counted
    )


def _more(making: _Making, threads: list[Node], wanted: int) -> list[Node]:
    """Begin further threads where there are too few: a second roadblock of a place, or a price."""
    places = [each for each in making.nodes if each.gives in ("place", "country")]
    while len(threads) < wanted and making.tools > 0:
        if places and making.draws.chance(3, 4):
            threads = [*threads, _roadblock(making, making.draws.one(places))]
        elif making.markets and making.riddles is None:
            threads = [*threads, _price(making)]
        else:
            raise Fails("too few threads")
    if len(threads) < wanted:
        raise Fails("too few threads")
    return threads


def _joined(making: _Making, threads: list[Node], wanted: int) -> list[Node]:
    """Join threads until as many are left as the finish line takes."""
    left = list(threads)
    while len(left) > wanted:
        if making.tools <= 0:
            raise Fails("no roadblock left to join with")
        made = _join(making, left)
        if made is None:
            raise Fails("nothing to join")
        node, gone = made
        left = [node, *(each for each in left if each not in gone)]
    return left


def _join(making: _Making, left: Sequence[Node]) -> tuple[Node, tuple[Node, Node]] | None:
    draws, ask = making.draws, making.ask
    places = [each for each in left if each.gives == "place"]
    days = [each for each in left if each.gives == "date"]
    numbers = [each for each in left if each.gives in ("number", "year")]
    if len(places) > 1:
        first, second = draws.some(places, 2)
        names = str(first.value), str(second.value)
        make = draws.one((roadblocks.distance, roadblocks.duration))
        return making.run(lambda: make(ask, *names), first, second), (first, second)
    if len(days) > 1:
        first, second = draws.some(days, 2)
        texts = str(first.value), str(second.value)
        return making.run(lambda: roadblocks.days_between(*texts), first, second), (first, second)
    if making.dag and len(numbers) > 1:
        first, second = draws.some(numbers, 2)
        return _merge(making, first, second, draws.one(("add", "abs_diff"))), (first, second)
    if making.dag and places and numbers and making.tools > 1:
        made = _roadblock(making, places[0])
        return _merge(making, made, numbers[0], "add"), (places[0], numbers[0])
    return None


def _needed(making: _Making, thread: Node) -> Node:
    """Return a thread as a number: a place or a name becomes one by a roadblock or a detour."""
    if thread.gives in ("number", "year"):
        return thread
    if thread.gives == "date":
        raise Fails("a day that stays alone")
    if thread.gives != "text" and making.tools > 0:
        return _roadblock(making, thread)
    return _detour(making, thread)


def _spent(making: _Making, threads: list[Node]) -> list[Node]:
    """Use up the roadblocks and detours that are left: conversions, and transforms of numbers."""
    left = list(threads)
    for _ in range(60):
        if making.tools <= 0 and making.detours <= 0:
            return left
        if making.tools > 0 and making.enough and not any(_convertible(each) for each in left):
            making.tools = 0
            continue
        place = making.draws.below(len(left))
        if making.tools > 0 and (making.detours <= 0 or making.draws.chance(1, 2)):
            able = [each for each in left if _convertible(each)]
            if able:
                place = left.index(making.draws.one(able))
                left[place] = _conversion(making, left[place])
            elif making.riddles is not None and making.dag and making.tools > 1:
                _widen(making, left)
            elif making.detours <= 0 or making.draws.chance(1, 4):
                raise Fails("a roadblock is left over")
        elif making.detours > 0:
            left[place] = _detour(making, left[place])
    raise Fails("roadblocks or detours are left over")


def _widen(making: _Making, left: list[Node]) -> None:
    """Merge a thread with one more roadblock of a place or country of the leg."""
    places = [each for each in making.nodes if each.gives in ("place", "country")]
    able = [each for each in left if each.kind != "reason"]  # so that detours come last
    if not places or not able:
        raise Fails("a roadblock is left over")
    thread = making.draws.one(able)
    left[left.index(thread)] = _merge(making, thread, _roadblock(making, making.draws.one(places)), "add")


def _convertible(node: Node) -> bool:
    return node.unit in roadblocks.CONVERSIONS and node.whole > 1


def _conversion(making: _Making, source: Node) -> Node:
    which = making.draws.below(2)
    return making.run(lambda: roadblocks.converted(source.whole, source.unit, which), source)


def _detour(making: _Making, source: Node) -> Node:
    if making.detours <= 0:
        raise Fails("no detour left")
    kind = (
        "text"
        if source.gives in ("place", "country", "text")
        else "year"
        if source.gives == "year"
        else "number"
    )
    able = [each for each in DETOURS if each.able(source.value, kind) and each.name not in source.applied]
    if kind == "year":
        able += [each for each in DETOURS if each.able(source.value, "number")]
    if making.riddles is not None:
        able = [each for each in able if each.apply(source.value) not in (source.value, 0)]
    if not able:
        raise Fails("no detour suits")
    chosen = making.draws.one(able)
    value = chosen.apply(source.value)
    if value == source.value or not 0 < value <= MOST_OPERAND:
        raise Fails("a detour that changes nothing")
    making.detours -= 1
    return making.add(detour(chosen.name, chosen.words, value, source))


def _roadblock(making: _Making, source: Node) -> Node:
    """Make a roadblock of a place or a country that it has not yet."""
    choices: tuple[str, ...] = ("country_population", "country_area")
    if source.gives == "place":
        choices = ("geocode_elevation", "nearby_poi_count", "place_rating", *roadblocks.WEATHER)
    able = [each for each in choices if each not in source.applied]
    for template in making.draws.some(able, len(able)):
        try:
            return _of_template(making, source, template)
        except Fails:
            continue
    raise Fails("no roadblock of this place gives anything")


def _of_template(making: _Making, source: Node, template: str, counted: bool = True) -> Node:
    ask, draws, name = making.ask, making.draws, str(source.value)
    source.applied.add(template)
    make: tuple[Callable[[], Ran], ...] = (lambda: roadblocks.country(ask, name, template),)
    if template == "geocode_elevation":
        make = (lambda: roadblocks.elevation(ask, name),)
    elif template == "nearby_poi_count":
        kinds = draws.some(roadblocks.POI, len(roadblocks.POI))
        make = tuple(partial(roadblocks.poi_count, ask, name, kind) for kind in kinds)
    elif template == "place_rating":
        make = (lambda: roadblocks.place_rating(ask, name),)
    elif template in roadblocks.WEATHER:
        make = tuple(partial(roadblocks.weather, ask, name, _day(draws), template) for _ in range(DAYS))
    for each in make[:-1]:
        try:
            return making.run(each, source, counted=counted)
        except Fails:
            continue
    return making.run(make[-1], source, counted=counted)


def _price(making: _Making) -> Node:
    market = making.draws.one(making.markets)
    templates = (
        ("stock_price", "stock_volume") if market.kind == "stock" else ("crypto_price", "crypto_volume")
    )
    template = making.draws.one(templates)
    day = market.first + timedelta(days=making.draws.below((market.last - market.first).days + 1))
    return making.run(lambda: roadblocks.market(making.ask, template, market.symbol, day))


def _day(draws: Draws) -> date:
    return FIRST_DAY + timedelta(days=draws.below((LAST_DAY - FIRST_DAY).days + 1))


def _finished(
    making: _Making, seed: RacePage, operands: list[Node], reduction: Reduction, digit: int
) -> Plan:
    if not reduction.fewest <= len(operands) <= reduction.most:
        raise Fails("too many or too few operands")
    numbers = [each.whole for each in operands]
    if any(each < 0 for each in numbers) or len(set(numbers)) < len(numbers):
        raise Fails("operands that are negative or equal")
    if reduction.reduce(reduction.combine(numbers)) != digit:
        numbers = _another(making, operands, reduction, digit)
    number = reduction.combine(numbers)
    if number < 10 or len(set(numbers)) < len(numbers):
        raise Fails("a number that is a digit already")
    if making.riddles is not None and not _all_tell(operands, reduction, digit):
        raise Fails("a detour without which the digit is the same")
    for each in operands:
        each.used = True
    if not all(each.used for each in making.nodes):
        raise Fails("a stop that nothing uses")
    return Plan(seed, _ordered(making.nodes), operands, reduction, number, digit)


def _another(making: _Making, operands: list[Node], reduction: Reduction, digit: int) -> list[int]:
    """Give the last detour of one operand another transform, so that the digit is the one that was drawn.

    Digits are drawn beforehand, each as often: else a product would end in 0 more often than not, and tell.
    """
    numbers = [each.whole for each in operands]
    changes: list[tuple[int, Detour, int]] = []
    for place, node in enumerate(operands):
        for other in DETOURS if node.kind == "reason" else ():
            (source,) = node.inputs
            kind = "text" if source.gives in ("place", "country", "text") else "number"
            if source.gives == "year" and other.takes == "year":
                kind = "year"
            if other.name in source.applied or not other.able(source.value, kind):
                continue
            value = other.apply(source.value)
            changed = [*numbers[:place], value, *numbers[place + 1 :]]
            sound = 0 < value <= MOST_OPERAND and value != source.value and len(set(changed)) == len(changed)
            if sound and reduction.reduce(reduction.combine(changed)) == digit:
                changes.append((place, other, value))
    if not changes:
        raise Fails("another digit")
    place, chosen, value = making.draws.one(changes)
    old = operands[place]
    new = detour(chosen.name, chosen.words, value, old.inputs[0])
    making.nodes[making.nodes.index(old)] = new
    operands[place] = new
    return [each.whole for each in operands]


def _all_tell(operands: Sequence[Node], reduction: Reduction, digit: int) -> bool:
    """Return whether the digit is another wherever one detour is left out; a name that is left out counts 0."""
    numbers = [each.whole for each in operands]
    for place, operand in enumerate(operands):
        after: list[Node] = []
        node = operand
        while node.kind == "reason":
            source = node.inputs[0]
            value = source.whole if source.gives in ("number", "year") else 0
            with suppress(ArithmeticError, LookupError, ValueError):  # what comes after takes no such number
                for each in reversed(after):
                    value = BY_NAME[each.detour].apply(value)
                if (
                    reduction.reduce(reduction.combine([*numbers[:place], value, *numbers[place + 1 :]]))
                    == digit
                ):
                    return False
            after.append(node)
            node = source
    return True


def _ordered(nodes: Sequence[Node]) -> list[Node]:
    """Return the stops with each roadblock and detour as early as its inputs allow, pages in their order."""
    pages = [each for each in nodes if each.kind == "page"]
    rest = [each for each in nodes if each.kind != "page"]
    done: list[Node] = []
    for page in pages:
        done.append(page)
        progress = True
        while progress:
            ready = [each for each in rest if all(one in done for one in each.inputs)]
            progress = bool(ready)
            done += ready
            rest = [each for each in rest if each not in ready]
    return done
