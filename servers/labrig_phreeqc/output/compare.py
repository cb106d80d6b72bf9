"""Two PHREEQC outputs side by side: which states they share, and which printed numbers differ by how much.

The question behind it is always the same: what changed when the database, the input or the release changed? So the
states of the two are paired first, then every number that both print is compared and the differences are sorted by
importance, and what only one of them prints is listed.

Importance
----------
``|B - A| / tolerance``, a number without dimension that is comparable across quantities: 1 is what cannot be told
from rounding or was asked to be ignored. With r for `relative` and u for one unit of the last printed digit:

- logarithms (pH, pe, SI, la ...): the greater of u and log10(1 + r), which is what a relative change r of an activity
  or an amount makes of its logarithm; Eh the same times 0.0592 V;
- amounts (totals, molalities, moles, pressures, charge balance ...): the greatest of u, r times the larger magnitude,
  and `absolute`, in the unit of the quantity (mol/kgw, mol, atm ...);
- charge error in percent: the greater of u and 100 r; temperature: u; density, volume and other properties of the
  solution: the greater of u and r times the larger magnitude.

Activities, their logarithms and Eh are compared only if asked for, since they follow from molalities, indices and pe;
the number of iterations likewise, since it says nothing about the water. What PHREEQC leaves undetermined (pe and
its traces in a water without a redox couple) is compared and reported like anything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from labrig.errors import LabrigError, unknown_name
from labrig_phreeqc.output.pairing import Place, Unit, pair, simulations
from labrig_phreeqc.output.printed_tables import READERS
from labrig_phreeqc.output.printouts import Printout
from labrig_phreeqc.output.quantities import Quantity, parse_quantity

RELATIVE = 1e-3
ABSOLUTE = 1e-9
LIMIT = 200

_ONLY_IF_ASKED = ("a", "lm", "la", "Eh")
_EFFORT = Quantity("value", "iterations")
_TIME = Quantity("value", "time")
_LOGARITHMS = ("SI", "lm", "la", "pe")
_DECIMALS = {"SI": 2, "lm": 3, "la": 3, "pe": 4, "Eh": 4}
_VALUE_DECIMALS = {
    "pH": 3,
    "pe": 3,
    "temperature": 2,
    "pressure": 2,
    "charge error": 2,
    "conductance": 0,
    "density": 5,
    "volume": 5,
    "viscosity": 5,
    "activity of water": 3,
    "osmotic coefficient": 5,
    "density of water": 5,
    "electrical potential": 5,
    "gas pressure": 2,
}
_SIGNIFICANT = {"ss": 3, "x": 3, "R": 6, "total H": 7, "total O": 7, "gas volume": 3, "time": 6}
_VOLT_PER_UNIT_OF_PE = 0.0592

_ALWAYS_PRINTED = (
    "Solution composition",
    "Description of solution",
    "Distribution of species",
    "Saturation indices",
)
"""Tables of every solution: where one is missing, PRINT left it out, and its names are not listed one by one."""

_RANKS = {"table": 0, "total": 1, "moles": 2, "p": 2, "kin": 2, "ss": 2, "SI": 3, "m": 4}
_SECONDARY = ("delta", "gas", "dk", "x")  # printed beside moles, p, kin and ss


@dataclass(frozen=True, slots=True)
class Difference:
    """A quantity that the two outputs print with different numbers.

    Attributes
    ----------
    quantity, unit : str
        In the notation of `series`.
    compared : int
        Pairs of states in which both print it.
    printed : int
        ... in which the printed numbers differ at all.
    states : int
        ... in which they differ by more than the tolerance.
    a, b : float
        The two values where the difference is most important.
    absolute, relative : float
        ``b - a`` there, and its magnitude relative to the larger of ``|a|`` and ``|b|``.
    importance : float
        ``|b - a|`` over the tolerance (see the module).
    place_a, place_b : Place
        Where that is.
    """

    quantity: str
    unit: str
    compared: int
    printed: int
    states: int
    a: float
    b: float
    absolute: float
    relative: float
    importance: float
    place_a: Place
    place_b: Place


@dataclass(frozen=True, slots=True)
class OneSided:
    """What only one of the two outputs prints in states that both have.

    Attributes
    ----------
    name : str
        A quantity such as ``SI(Dolomite)``, or the heading of a table.
    side : str
        ``A`` or ``B``: the output that has it.
    states : int
        Pairs of states in which this is so.
    value : float or None
        The largest magnitude there (of an index: the greatest); None for a table.
    unit : str
        Of `value`.
    place : Place
        Where `value` stands, or the first table.
    """

    name: str
    side: str
    states: int
    value: float | None
    unit: str
    place: Place


@dataclass(frozen=True, slots=True)
class OtherText:
    """Text without a reader (USER_PRINT, isotope alphas, inverse models) that differs in pairs of states.

    `name` is the heading, or the stage for a state without tables; the places are those of the first pair.
    """

    name: str
    states: int
    place_a: Place
    place_b: Place


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two outputs have in common and what not.

    Attributes
    ----------
    states_a, states_b : int
        States of each; tables that follow each other with nothing between count one by one, as in `series`.
    aligned, same : int
        Pairs of states, and those of them in which every compared number is printed alike.
    only_in_a, only_in_b : tuple of Place
        States without a partner, in printed order.
    differences : tuple of Difference
        By falling importance, at most `limit`.
    differing, beyond : int
        Quantities whose printed numbers differ anywhere, and those that do by more than the tolerance.
    one_sided : tuple of OneSided
        Tables, then quantities, the larger first, at most `limit`.
    one_sided_count : int
        How many there are.
    other_text : tuple of OtherText
        In printed order.
    compared : int
        Pairs of numbers compared.
    relative, absolute : float
        The tolerance.
    same_text : bool
        Whether the two outputs are the same to the last character.
    """

    states_a: int
    states_b: int
    aligned: int
    same: int
    only_in_a: tuple[Place, ...]
    only_in_b: tuple[Place, ...]
    differences: tuple[Difference, ...]
    differing: int
    beyond: int
    one_sided: tuple[OneSided, ...]
    one_sided_count: int
    other_text: tuple[OtherText, ...]
    compared: int
    relative: float
    absolute: float
    same_text: bool

    @property
    def same_states(self) -> bool:
        """Whether every state has a partner that prints the same names and, where it has no reader, the same text."""
        return not (self.only_in_a or self.only_in_b or self.one_sided_count or self.other_text)

    @property
    def identical(self) -> bool:
        """Whether, besides, every compared number is printed alike."""
        return self.same_states and not self.differing

    @property
    def agree(self) -> bool:
        """Whether, besides, no number differs by more than the tolerance."""
        return self.same_states and not self.beyond


def compare_outputs(
    text_a: str,
    text_b: str,
    *,
    quantities: Sequence[str] | None = None,
    relative: float = RELATIVE,
    absolute: float = ABSOLUTE,
    limit: int = LIMIT,
) -> Comparison:
    """Compare two PHREEQC outputs.

    Parameters
    ----------
    text_a, text_b
        Main outputs of PHREEQC, of any release, from the library or the executable.
    quantities
        Only these, in the notation of `series`, or ``time``; by default all that is printed, but for what the
        module names. Tables and texts are then not looked at otherwise.
    relative, absolute
        The tolerance: a relative change of an amount, and an amount (mol/kgw, mol, atm ...) that is nothing.
    limit
        Most differences, and most one-sided names, in the result; the counts are of all.

    Returns
    -------
    Comparison
        ``compare(b, a)`` is its mirror image.

    Raises
    ------
    LabrigError
        For a text without states, an invalid tolerance, a quantity that neither output has.
    """
    for name, value in (("relative", relative), ("absolute", absolute)):
        if not (math.isfinite(value) and value >= 0):
            raise LabrigError(
                "This is not a tolerance", where=f"{name}={value}", expected="0 or a small number"
            )
    if limit < 1:
        raise LabrigError("Nothing would be shown", where=f"limit={limit}", expected="1 or more")
    if quantities is not None and not quantities:
        raise LabrigError("No quantity was asked for", where="quantities", try_="pH, Ca, SI(Calcite)")
    wanted = None if quantities is None else [_parse(text) for text in quantities]
    a, b = simulations(text_a, "A"), simulations(text_b, "B")
    pairs, only_a, only_b = pair(a, b)
    ledger = _Ledger(relative, absolute)
    for left, right in pairs:
        ledger.take(left, right, wanted)
    if quantities is not None and wanted is not None:
        _require(quantities, wanted, [unit for simulation in (*a, *b) for unit in simulation.units])
    differences = sorted(
        (tally.difference(quantity) for quantity, tally in ledger.tallies.items() if tally.printed),
        key=lambda each: (-each.importance, _rank(each.quantity), each.quantity),
    )
    one_sided = sorted(ledger.one_sided.values(), key=_one_sided_order)
    return Comparison(
        states_a=len(pairs) + len(only_a),
        states_b=len(pairs) + len(only_b),
        aligned=len(pairs),
        same=ledger.same,
        only_in_a=tuple(unit.place for unit in only_a),
        only_in_b=tuple(unit.place for unit in only_b),
        differences=tuple(differences[:limit]),
        differing=len(differences),
        beyond=sum(each.states > 0 for each in differences),
        one_sided=tuple(one_sided[:limit]),
        one_sided_count=len(one_sided),
        other_text=tuple(ledger.other_text.values()),
        compared=sum(tally.compared for tally in ledger.tallies.values()),
        relative=relative,
        absolute=absolute,
        same_text=text_a == text_b,
    )


@dataclass
class _Tally:
    """What is known so far about one quantity."""

    unit: str
    compared: int = 0
    printed: int = 0
    states: int = 0
    importance: float = -1.0
    a: float = 0.0
    b: float = 0.0
    places: tuple[Place, Place] | None = None

    def take(self, a: float, b: float, tolerance: float, places: tuple[Place, Place]) -> None:
        """Note two numbers that differ; the first of the most important ones are kept."""
        importance = abs(b - a) / tolerance if tolerance else math.inf
        self.printed += 1
        self.states += importance > 1 + 1e-6  # numbers with few decimals have no exact difference
        if importance > self.importance:
            self.importance, self.a, self.b, self.places = importance, a, b, places

    def difference(self, quantity: Quantity) -> Difference:
        assert self.places is not None
        gap, larger = self.b - self.a, max(abs(self.a), abs(self.b))
        return Difference(
            quantity=str(quantity),
            unit=self.unit,
            compared=self.compared,
            printed=self.printed,
            states=self.states,
            a=self.a,
            b=self.b,
            absolute=gap,
            relative=abs(gap) / larger,
            importance=self.importance,
            place_a=self.places[0],
            place_b=self.places[1],
        )


@dataclass
class _Ledger:
    """What the pairs of states add up to."""

    relative: float
    absolute: float
    same: int = 0
    tallies: dict[Quantity, _Tally] = field(default_factory=dict)
    one_sided: dict[tuple[str, str], OneSided] = field(default_factory=dict)
    other_text: dict[str, OtherText] = field(default_factory=dict)

    def take(self, a: Unit, b: Unit, wanted: Sequence[Quantity] | None) -> None:
        """Compare two states."""
        places = (a.place, b.place)
        alike = True
        asked = _common(a.row, b.row) if wanted is None else wanted
        for quantity in asked:
            left, unit_a = _number(a, quantity)
            right, unit_b = _number(b, quantity)
            if left is not None and right is not None:
                tally = self.tallies.get(quantity)
                if tally is None:
                    tally = self.tallies[quantity] = _Tally(unit_a)
                tally.compared += 1
                if left != right:
                    alike = False
                    tally.take(left, right, self.tolerance(quantity, left, right), places)
            elif left is not None and (wanted is not None or quantity.kind not in _SECONDARY):
                self.only("A", str(quantity), left, unit_a, a.place)
            elif right is not None and (wanted is not None or quantity.kind not in _SECONDARY):
                self.only("B", str(quantity), right, unit_b, b.place)
        self.same += alike
        if wanted is None:
            for side, unit, other in (("A", a, b), ("B", b, a)):
                for table in _ALWAYS_PRINTED:
                    if unit.row and table in unit.row.spans and not (other.row and table in other.row.spans):
                        self.only(side, table, None, "", unit.place)
            for name in _texts_that_differ(a, b):
                known = self.other_text.get(name, OtherText(name, 0, *places))
                self.other_text[name] = OtherText(name, known.states + 1, known.place_a, known.place_b)

    def only(self, side: str, name: str, value: float | None, unit: str, place: Place) -> None:
        """Note what only one of two states prints."""
        known = self.one_sided.get((side, name))
        if known is None:
            self.one_sided[side, name] = OneSided(name, side, 1, value, unit, place)
            return
        size: Callable[[float], float] = abs if not name.startswith("SI(") else float
        if value is not None and known.value is not None and size(value) > size(known.value):
            self.one_sided[side, name] = OneSided(name, side, known.states + 1, value, unit, place)
        else:
            self.one_sided[side, name] = OneSided(
                name, side, known.states + 1, known.value, known.unit, known.place
            )

    def tolerance(self, quantity: Quantity, a: float, b: float) -> float:
        """Return what a difference is measured by; see the module."""
        kind, name = quantity
        larger = max(abs(a), abs(b))
        unit = _last_digit(quantity, larger)
        in_log = math.log10(1 + self.relative)
        if kind in _LOGARITHMS or (kind == "value" and name in ("pH", "pe")):
            return max(unit, in_log)
        if kind == "Eh":
            return max(unit, in_log * _VOLT_PER_UNIT_OF_PE)
        if kind == "value" and name == "temperature":
            return unit
        if kind == "value" and name == "charge error":
            return max(unit, 100 * self.relative)
        if kind == "value" and name in _VALUE_DECIMALS:
            return max(unit, self.relative * larger)
        return max(unit, self.relative * larger, self.absolute)


def _last_digit(quantity: Quantity, size: float) -> float:
    """Return one unit of the last digit that PHREEQC prints of a number."""
    kind, name = quantity
    decimals = _VALUE_DECIMALS.get(name) if kind == "value" else _DECIMALS.get(kind)
    if decimals is not None:
        return 10.0**-decimals
    if size == 0:
        return 0.0
    digits = _SIGNIFICANT.get(name if kind == "value" else kind, 4)
    return float(10.0 ** (math.floor(math.log10(size)) + 1 - digits))


def _common(a: Printout | None, b: Printout | None) -> dict[Quantity, None]:
    """Return what to compare: the names in tables that both print, and in those that need not be there."""
    found: dict[Quantity, None] = {_TIME: None}
    for row, other in ((a, b), (b, a)):
        for section in row.spans if row else ():
            if section in _ALWAYS_PRINTED and not (other and section in other.spans):
                continue
            for kind, table in ((row.read(section) if row else None) or {}).items():
                if kind not in _ONLY_IF_ASKED:
                    found |= {Quantity(kind, name): None for name in table}
    found.pop(_EFFORT, None)
    return found


def _number(unit: Unit, quantity: Quantity) -> tuple[float | None, str]:
    """Return a value with its unit; None where there is no number."""
    if quantity == _TIME:
        return unit.state.time, "s"
    if unit.row is None:
        return None, ""
    cell = unit.row.find(quantity)
    return (cell.value if isinstance(cell.value, float) else None), cell.unit


def _texts_that_differ(a: Unit, b: Unit) -> list[str]:
    """Return headings without a reader whose text differs, or the stage of two states without tables."""
    if a.row is None and b.row is None:
        same = _words(a, a.place.first, a.place.last) == _words(b, b.place.first, b.place.last)
        return [] if same else [f"{a.place.stage}: states without tables"]
    texts: list[dict[str, list[list[str]]]] = []
    for unit in (a, b):
        texts.append({})
        for section in unit.state.sections:
            if section.name not in READERS and unit.place.label == unit.state.label:
                texts[-1].setdefault(section.name, []).append(_words(unit, section.first, section.last))
    return [name for name in texts[0] | texts[1] if texts[0].get(name) != texts[1].get(name)]


def _words(unit: Unit, first: int, last: int) -> list[str]:
    """Return the words of some lines after the first, which is a heading with its own number."""
    return " ".join(unit.lines[first:last]).split()


def _parse(text: str) -> Quantity:
    return _TIME if text.strip() == "time" else parse_quantity(text)


def _require(asked: Sequence[str], wanted: Sequence[Quantity], units: Iterable[Unit]) -> None:
    """Refuse a quantity that no state of either output has."""
    rows = [unit.row for unit in units if unit.row]
    for text, quantity in zip(asked, wanted, strict=True):
        if quantity == _TIME or any(row.find(quantity).known for row in rows):
            continue
        known = {str(Quantity(*each)): None for row in rows for each in row.names()}
        own = [name for name in known if _parse(name).kind == quantity.kind]
        raise unknown_name(
            "quantity", text, own if own and quantity.kind != "total" else known, where="quantities"
        )


def _rank(name: str) -> int:
    kind = "table" if name in _ALWAYS_PRINTED else _parse(name).kind
    return _RANKS.get(kind, 5)


def _one_sided_order(each: OneSided) -> tuple[int, float, str, str]:
    value = each.value or 0.0
    return _rank(each.name), -(value if each.name.startswith("SI(") else abs(value)), each.name, each.side
