"""What a database defines: elements, species, phases and rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal["element", "species", "phase", "rate"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, kw_only=True)
class Element:
    """A line of SOLUTION_MASTER_SPECIES: an element or one of its redox states. Also exchange and surface sites.

    Attributes
    ----------
    name
        As PHREEQC names it: ``S``, ``S(6)``, ``Fe(2)`` (``Fe(+2)`` in the file), ``Alkalinity``.
    master_species
        The species it is computed with, such as ``SO4-2``.
    alkalinity
        Equivalents of alkalinity per mole of the master species; None for sites.
    gfw
        What a mass in mg/L or ppm is counted as, when the input does not say ``as``: a formula or a number, as
        the file has it; empty for sites.
    formula_weight
        The same in g/mol; None where the formula has an element without a weight.
    atomic_weight
        Weight of the element in g/mol; given with elements, not with redox states.
    block, line
        The keyword under which it stands, and the line in the file.
    """

    name: str
    master_species: str
    alkalinity: float | None
    gfw: str
    formula_weight: float | None
    atomic_weight: float | None
    block: str
    line: int

    @property
    def elements(self) -> frozenset[str]:
        """The element without its redox state."""
        return frozenset({self.name.partition("(")[0]})


@dataclass(frozen=True, kw_only=True)
class Reaction:
    """A named equilibrium constant as the database states it, at 1 atm.

    Attributes
    ----------
    name
        Of the species, phase or named expression.
    equation
        The reaction that the constant is for; empty for a named expression.
    log_k
        At 25 degC; None if not stated.
    delta_h, delta_h_unit
        Enthalpy of reaction and its unit, a key of `KILOJOULES` (kJ/mol if the file names none).
    analytic
        A1 to A6 of `log_k_at`; where any of them is not 0, PHREEQC ignores `log_k` and `delta_h`.
    added
        Named expressions that PHREEQC adds (``-add_logk``), each with its coefficient.
    temperature_range
        Lowest and highest temperature in degC that the file states with this entry, or None.
    range_text
        The words in the file that say so, also where they are too many to be one range.
    block, line
        The keyword under which it stands, and the line of its name or equation in the file.
    """

    name: str
    equation: str
    log_k: float | None
    delta_h: float | None
    delta_h_unit: str
    analytic: tuple[float, ...]
    added: tuple[tuple[Reaction, float], ...]
    temperature_range: tuple[float, float] | None
    range_text: str
    block: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Species(Reaction):
    """An aqueous, exchange or surface species.

    Attributes
    ----------
    gamma_option, gamma
        The option that chooses its activity coefficient and its numbers: ``gamma`` (WATEQ Debye-Hueckel: ion size
        in angstrom, b), ``llnl_gamma`` (ion size), ``co2_llnl_gamma``, ``activity_water``, ``davies``. Empty if none
        is given: Davies for an ion, 0.1 times ionic strength for a neutral species.
    elements
        Elements and sites in its formula.
    """

    gamma_option: str
    gamma: tuple[float, ...]
    elements: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Phase(Reaction):
    """A mineral or gas.

    Attributes
    ----------
    formula
        The left-most species of its reaction.
    molar_volume
        cm3/mol, or None.
    elements
        Elements in its formula.
    """

    formula: str
    molar_volume: float | None
    elements: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A kinetic rate in Basic (RATES), or a line of parameters for one (RATE_PARAMETERS_PK, _SVD, _HERMANSKA).

    Attributes
    ----------
    name
        By which KINETICS calls it, or ``RATE_PK("name")`` and its sisters.
    text
        The Basic program, or the line of parameters under the heading of its block.
    comment
        What the file says before the name: source, meaning of the parameters, an example.
    elements
        Elements of the phase with that name.
    block, line
        The keyword under which it stands, and the line of the name in the file.
    """

    name: str
    text: str
    comment: str
    elements: frozenset[str]
    block: str
    line: int


Entry = Element | Species | Phase | Rate


@dataclass(frozen=True)
class Catalogue:
    """Everything one database defines, in the order of the file (of two with one name the place of the first).

    `networks` keeps what `valences` has worked out of it, by element and temperature.
    """

    elements: tuple[Element, ...]
    species: tuple[Species, ...]
    phases: tuple[Phase, ...]
    rates: tuple[Rate, ...]
    expressions: tuple[Reaction, ...]
    networks: dict[tuple[str, float], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def of_kind(self, kind: Kind) -> Sequence[Entry]:
        """Return the entries of one kind."""
        by_kind: dict[Kind, Sequence[Entry]] = {
            "element": self.elements,
            "species": self.species,
            "phase": self.phases,
            "rate": self.rates,
        }
        return by_kind[kind]

    @property
    def counts(self) -> dict[Kind, int]:
        """How many entries there are of each kind."""
        return {kind: len(self.of_kind(kind)) for kind in KINDS}
