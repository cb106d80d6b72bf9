"""The outline of a PHREEQC output: simulation > stage > state > section, with line ranges.

PHREEQC prints everything it computes into one text: a few kilobytes for a speciation, megabytes for a column.
An agent should not read that text, it should find its way in it. `outline_reading` maps the text; every state carries
the few numbers a geochemist looks at first (pH, pe, ionic strength, temperature, charge error, time).
`states` and `find_state` find states by line or by words; `outline_text.render` prints the map.

Words
-----
A *stage* is what PHREEQC announces in a box ("Beginning of batch-reaction calculations."). A *state* is one
computed equilibrium: an initial solution, a reaction step, one cell after one shift, one inverse model. A
*section* is one printed table of a state ("Saturation indices").

Line numbers
------------
All are 1-based and inclusive, and count line feeds only, as a file-reading tool does. A carriage return
before the line feed is tolerated. (The published lists in `toc` count with ``str.splitlines``; the two
disagree only if the input brought other line separators into the output: form feed, U+0085, U+2028 ...)
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A printed table, or a run of tables of the same name.

    Attributes
    ----------
    name : str
        As PHREEQC prints it, such as ``Saturation indices``.
    first, last : int
        Line range, inclusive.
    count : int
        Tables in the run.
    stride : int or None
        Lines from one table of the run to the next, if that is always the same.
    """

    name: str
    first: int
    last: int
    count: int = 1
    stride: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """One computed equilibrium and where it is printed.

    Attributes
    ----------
    label : str
        ``initial solution 1 Seawater``, ``step 4``, ``transport step 10 cell 3``, ``advection shift 3 cell
        2``, ``initial cell 3``, ``cell 5 step 1`` (RUN_CELLS), ``model 2`` (inverse), ``print 7`` (no heading
        was printed).
    simulation, stage : int, str
        Where it belongs.
    first, last : int
        Line range, inclusive.
    reactants : tuple of str
        From the lines "Using solution 1." and so on: ``("solution 1", "phases 1")``.
    sections : tuple of Section
        In printed order.
    pH, pe : float or None
        As printed in "Description of solution"; None where it is not printed.
    ionic_strength : float or None
        mol/kgw.
    temperature : float or None
        degrees Celsius.
    charge_error : float or None
        100*(Cat-|An|)/(Cat+|An|), percent.
    time : float or None
        Seconds since the start of the kinetic calculation: the incremented time, the transport time, or the
        time step if that is all that is printed.
    """

    label: str
    simulation: int
    stage: str
    first: int
    last: int
    reactants: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    pH: float | None = None
    pe: float | None = None
    ionic_strength: float | None = None
    temperature: float | None = None
    charge_error: float | None = None
    time: float | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One kind of calculation within a simulation.

    Attributes
    ----------
    name : str
        From the box that announces it: ``initial solution``, ``batch-reaction``, ``transport`` ...
    first, last : int
        Line range, inclusive.
    states : tuple of State
        In printed order.
    shifts : (int, int, int) or None
        First, last and number of the advection or transport steps announced in it, printed or not.
    """

    name: str
    first: int
    last: int
    states: tuple[State, ...] = ()
    shifts: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Simulation:
    """From "Reading input data for simulation N." to the next.

    Attributes
    ----------
    number : int
        0 if the output has no such line.
    first, last : int
        Line range, inclusive; simulations leave no gap.
    title : str or None
        TITLE as printed, or as echoed where the printing is switched off.
    stages : tuple of Stage
        In printed order.
    warnings, errors : int
        Lines that start with WARNING or ERROR.
    warning_lines, error_lines : tuple of int
        The first five of them.
    """

    number: int
    first: int
    last: int
    title: str | None = None
    stages: tuple[Stage, ...] = ()
    warnings: int = 0
    errors: int = 0
    warning_lines: tuple[int, ...] = ()
    error_lines: tuple[int, ...] = ()

    @property
    def states(self) -> tuple[State, ...]:
        """All states of the simulation, in printed order."""
        return tuple(state for stage in self.stages for state in stage.states)


@dataclass(frozen=True, slots=True)
class Outline:
    """The map of one output.

    Attributes
    ----------
    chars, lines : int
        Size of the output.
    preamble : (int, int) or None
        Line range before the first simulation: the whole text if nothing in it was recognised, None if the
        first line starts a simulation.
    simulations : tuple of Simulation
        In printed order.
    """

    chars: int
    lines: int
    preamble: tuple[int, int] | None
    simulations: tuple[Simulation, ...]

    @property
    def states(self) -> tuple[State, ...]:
        """All states, in printed order."""
        return tuple(state for simulation in self.simulations for state in simulation.states)


def states(outline: Outline, from_line: int = 1, to_line: int | None = None) -> list[State]:
    """Return all states printed, at least partly, in a line range.

    Parameters
    ----------
    outline : Outline
        What to search.
    from_line, to_line : int
        1-based, inclusive; by default the whole output.
    """
    end = outline.lines if to_line is None else to_line
    return [state for state in outline.states if state.first <= end and state.last >= from_line]


def find_state(outline: Outline, query: str | int) -> list[State]:
    """Find states by line or by words, folded or not.

    Parameters
    ----------
    outline : Outline
        What to search.
    query : str or int
        A line number (``700`` or ``"L700"``): the state printed there. Otherwise words, and numbers after
        their word: ``"step 4"``, ``"cell 3 step 10"``, ``"sim 2 Seawater"``, ``"gas 1"``. All must occur in
        the simulation number, stage, label or reactants, in any order and case.

    Returns
    -------
    list of State
        States whose label is exactly the query, if there are any; else every match, in printed order.
    """
    words = " ".join(str(query).lower().split())
    if match := re.fullmatch(r"(?:l|line )?(\d{1,18})", words):
        return states(outline, int(match[1]), int(match[1]))
    if exact := [state for state in outline.states if state.label.lower() == words]:
        return exact
    terms = re.findall(r"[^\W\d]+ \d+|\S+", words)
    patterns = [re.compile(rf"(?<!\w){re.escape(term)}(?!\w)") for term in terms]

    def described(state: State) -> str:
        number = state.simulation
        place = f"sim {number} simulation {number} {state.stage}"
        return " ".join((place, state.label, *state.reactants)).lower()

    if not patterns:
        return []
    return [state for state in outline.states if all(p.search(described(state)) for p in patterns)]
