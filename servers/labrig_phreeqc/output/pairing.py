"""Which state of one PHREEQC output is compared with which of another.

A state of A is compared with the state of B of the same simulation, stage, label and occurrence. Where the two
outputs do not have the same states, simulations are paired by what they hold, and within a pair of simulations:

1. states whose label differs at most in its number and that hold the same water (pH, temperature, ionic strength,
   composition, time), so that a step put in or taken out does not shift all others; then those with the same time;
2. between two such neighbours with other numbers than before, as many states as there are on the other side;
3. states with the same label, then those whose label differs only in the description of a solution;
4. as 2, between any neighbours.

A label with two numbers ("transport step 3 cell 2") is a time and a place and is never paired with another. Equal
items are found as in P. Heckel, "A technique for isolating differences between files", Communications of the ACM 21
(1978) 264-268: what occurs once in either is the same, and so are equal neighbours of what is the same. That is
linear, and gives the same pairs when A and B are exchanged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_phreeqc.output.outline import Outline, State
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.printouts import Printout, printouts
from labrig_phreeqc.output.quantities import Quantity


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is printed: simulation, stage and label of the state, and its lines (1-based, inclusive)."""

    simulation: int
    stage: str
    label: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"sim {self.simulation} {self.label} L{self.first}-{self.last}"


_DESCRIBED = re.compile(r"initial \S+ \S+(?= )")


@dataclass
class Unit:
    """A state, or one of several printouts in it, and its tables."""

    place: Place
    state: State
    row: Printout | None
    lines: Sequence[str]

    @property
    def key(self) -> tuple[str, str]:
        return self.place.stage, self.place.label

    @property
    def short(self) -> tuple[str, str]:
        """Stage and label without the description that a user gave to a solution."""
        match = _DESCRIBED.match(self.place.label)
        return self.place.stage, match[0] if match else self.place.label

    @property
    def kind(self) -> tuple[str, str]:
        """Stage and short label, without its number if it has only one."""
        stage, label = self.short
        name, numbers = re.subn(r"\d+", "#", label)
        return stage, name if numbers == 1 else label

    def number(self, quantity: Quantity) -> float | None:
        value = self.row.find(quantity).value if self.row else None
        return value if isinstance(value, float) else None

    def content(self) -> Hashable:
        """The water as printed, without pe, which may be undetermined; None if no pH is printed."""
        numbers = [self.number(Quantity("value", name)) for name in ("pH", "temperature", "ionic strength")]
        if self.row is None or numbers[0] is None:
            return None
        totals = (self.row.read("Solution composition") or {}).get("total", {})
        return (*numbers, self.state.time, tuple(sorted(totals.items())))


@dataclass
class Simulation:
    title: str | None
    units: list[Unit]


def simulations(text: str, side: str) -> list[Simulation]:
    """Return the simulations that compute anything."""
    tree = outline_output(text)
    if not any(simulation.states for simulation in tree.simulations):
        raise LabrigError(
            f"Output {side} has no states",
            where=f"{side.lower()} ({tree.lines} lines)",
            expected="the main output of PHREEQC with at least one computed state",
            try_="the output, not the input or selected output; PRINT -reset true if its printing is off",
            code="not_found",
        )
    return list(_filled(tree, text.split("\n")))


def _filled(tree: Outline, lines: Sequence[str]) -> Iterator[Simulation]:
    for simulation in tree.simulations:
        units = []
        for state in simulation.states:
            rows = printouts(lines, state)
            tables: list[Printout | None] = [*rows] or [None]
            for row in tables:
                first, last = state.first, state.last
                if row is not None and len(rows) > 1:
                    first = 1 + min(start for start, _ in row.spans.values())
                    last = max(end for _, end in row.spans.values())
                label = row.label if row else state.label
                units.append(
                    Unit(Place(simulation.number, state.stage, label, first, last), state, row, lines)
                )
        if units:
            yield Simulation(simulation.title, units)


class _Pairs:
    """A one-to-one assignment between the items of two sequences, built up step by step."""

    def __init__(self, size_a: int, size_b: int) -> None:
        self.of_a: list[int | None] = [None] * size_a
        self.of_b: list[int | None] = [None] * size_b

    def add(self, i: int, j: int) -> None:
        self.of_a[i], self.of_b[j] = j, i

    def partner(self, i: int) -> int | None:
        """Return the partner of an item of A; the positions before the first and after the last are paired."""
        if i in (-1, len(self.of_a)):
            return -1 if i == -1 else len(self.of_b)
        return self.of_a[i]

    def match(self, names_a: Sequence[Hashable], names_b: Sequence[Hashable]) -> None:
        """Pair free items of the same name (not None): those that occur once in either, then their neighbours."""
        free_a = [i for i, j in enumerate(self.of_a) if j is None and names_a[i] is not None]
        free_b = [j for j, i in enumerate(self.of_b) if i is None and names_b[j] is not None]
        count_a = Counter(names_a[i] for i in free_a)
        count_b = Counter(names_b[j] for j in free_b)
        place_b = {names_b[j]: j for j in free_b}
        for i in free_a:
            if count_a[names_a[i]] == count_b[names_a[i]] == 1:
                self.add(i, place_b[names_a[i]])
        size_a, size_b = len(self.of_a), len(self.of_b)
        for step, order in ((1, range(size_a)), (-1, range(size_a - 1, -1, -1))):
            for i in order:
                if self.of_a[i] is not None or names_a[i] is None:
                    continue
                neighbour = self.partner(i - step)
                j = None if neighbour is None else neighbour + step
                if j is not None and 0 <= j < size_b and self.of_b[j] is None and names_a[i] == names_b[j]:
                    self.add(i, j)

    def fill(
        self,
        kinds_a: Sequence[Hashable],
        kinds_b: Sequence[Hashable],
        where: Callable[[int, int], bool] = lambda before, after: True,
    ) -> None:
        """Pair free items in order, between neighbours that enclose the same kinds of free items on both sides.

        `where` is asked with the positions of the two neighbours in A.
        """
        start = 0
        while start < len(self.of_a):
            if self.of_a[start] is not None:
                start += 1
                continue
            end = start
            while end < len(self.of_a) and self.of_a[end] is None:
                end += 1
            before, after = self.partner(start - 1), self.partner(end)
            assert before is not None and after is not None
            if (
                after - before == end - start + 1
                and all(self.of_b[j] is None for j in range(before + 1, after))
                and list(kinds_a[start:end]) == list(kinds_b[before + 1 : after])
                and where(start - 1, end)
            ):
                for i in range(start, end):
                    self.add(i, before + 1 + i - start)
            start = end


def pair(
    a: Sequence[Simulation], b: Sequence[Simulation]
) -> tuple[list[tuple[Unit, Unit]], list[Unit], list[Unit]]:
    """Return pairs of states in printed order, and the states of A and of B without a partner."""
    matched = _paired_simulations(a, b)
    pairs: list[tuple[Unit, Unit]] = []
    only_a: list[Unit] = []
    only_b: dict[int, list[Unit]] = {j: b[j].units for j, i in enumerate(matched.of_b) if i is None}
    for i, j in enumerate(matched.of_a):
        if j is None:
            only_a += a[i].units
            continue
        left, right = a[i].units, b[j].units
        found = _paired_units(left, right)
        pairs += [(left[m], right[n]) for m, n in enumerate(found.of_a) if n is not None]
        only_a += [left[m] for m, n in enumerate(found.of_a) if n is None]
        only_b[j] = [right[n] for n, m in enumerate(found.of_b) if m is None]
    return sorted(pairs, key=_order), only_a, [unit for _, units in sorted(only_b.items()) for unit in units]


def _order(pair: tuple[Unit, Unit]) -> tuple[int, list[str]]:
    """Printed order, the same when A and B are exchanged, also where simulations have changed places."""
    a, b = (unit.place for unit in pair)
    return a.first + b.first, sorted((a.label, b.label))


def _paired_simulations(a: Sequence[Simulation], b: Sequence[Simulation]) -> _Pairs:
    pairs = _Pairs(len(a), len(b))
    labels_a, labels_b = ([tuple(unit.key for unit in each.units) for each in side] for side in (a, b))
    if labels_a == labels_b:
        pairs.fill(labels_a, labels_b)
        return pairs
    shorts_a, shorts_b = ([tuple(unit.short for unit in each.units) for each in side] for side in (a, b))
    titles_a, titles_b = [each.title for each in a], [each.title for each in b]
    pairs.match([_contents(each) for each in a], [_contents(each) for each in b])
    pairs.match(_with(titles_a, labels_a), _with(titles_b, labels_b))
    pairs.match(labels_a, labels_b)
    pairs.match(shorts_a, shorts_b)
    pairs.match([labels[0] for labels in labels_a], [labels[0] for labels in labels_b])
    pairs.match([labels[0] for labels in shorts_a], [labels[0] for labels in shorts_b])
    pairs.fill([None] * len(a), [None] * len(b))
    return pairs


def _contents(simulation: Simulation) -> Hashable:
    contents = tuple((unit.kind, unit.content()) for unit in simulation.units)
    return contents if any(content for _, content in contents) else None


def _paired_units(a: Sequence[Unit], b: Sequence[Unit]) -> _Pairs:
    pairs = _Pairs(len(a), len(b))
    labels_a, labels_b = (_numbered([unit.key for unit in side]) for side in (a, b))
    if labels_a == labels_b:
        pairs.fill(labels_a, labels_b)
        return pairs

    def renumbered(before: int, after: int) -> bool:
        for i in (before, after):
            j = pairs.partner(i)
            if 0 <= i < len(a) and j is not None and a[i].short != b[j].short:
                return True
        return False

    kinds_a, kinds_b = [unit.kind for unit in a], [unit.kind for unit in b]
    pairs.match(_with(kinds_a, [u.content() for u in a]), _with(kinds_b, [u.content() for u in b]))
    pairs.match(_with(kinds_a, [u.state.time for u in a]), _with(kinds_b, [u.state.time for u in b]))
    pairs.fill(kinds_a, kinds_b, renumbered)
    pairs.match(labels_a, labels_b)
    pairs.match(_numbered([unit.short for unit in a]), _numbered([unit.short for unit in b]))
    pairs.fill(kinds_a, kinds_b)
    return pairs


def _numbered(labels: Iterable[tuple[str, str]]) -> list[tuple[str, str, int]]:
    """Return stage, label and occurrence of each state."""
    seen: Counter[tuple[str, str]] = Counter()
    numbered = []
    for label in labels:
        seen[label] += 1
        numbered.append((*label, seen[label]))
    return numbered


def _with(kinds: Iterable[Hashable], contents: Iterable[Hashable]) -> list[Hashable]:
    """Return names of both; None, which is the name of nothing, where there is no content."""
    return [None if c is None else (kind, c) for kind, c in zip(kinds, contents, strict=True)]
