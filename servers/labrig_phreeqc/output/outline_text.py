"""The outline of a PHREEQC output as text: one line per state, long runs folded, every line range given.

An example::

    4356 lines, 52 states; T 25 °C, err 0 % unless given; I mol/kgw; @ comp desc species SI
    sim 1 L20 Example 2.--Temperature dependence…
     L61-111 solution 1 Pure water pH 7.000 pe 4.000 I 1.01e-7 err -0.60 @63 69 88 101
     batch, 51 states <solution+phases+temperature 1> each @+14 +21 +40 +68 phases+6
      L116-198 step 1 pH 7.066 pe 10.745 I 0.0417
      L199-281 step 2 pH 7.052 pe 10.676 I 0.0418 T 26
      ... 47 folded: step 3..49 L282-4182 every 83, pH 6.534..7.039 pe -2.096..10.607 ...

The first line says what is true of every state below unless its line says otherwise. Lines 61 to 111 hold the
initial solution; its tables "Solution composition", "Description of solution", "Distribution of species" and
"Saturation indices" start at lines 63, 69, 88 and 101 (``@``; other tables follow with their names, such as
``redox@141``). All 51 states of the batch reaction use solution, phase assemblage and temperature 1, and have
these tables 14, 21, 40 and 68 lines below their first line, and the phase assemblage 6 lines. A simulation
begins at its line with the echo of its input, and ends where the next begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TypeVar

from labrig_phreeqc.output.outline import Outline, Section, Simulation, Stage, State

PAGE_CHARS = 2_400
"""`render` folds harder until the text has at most so many characters: less than the authors' 50 entries."""

SHORT_NAMES = {
    "Solution composition": "comp",
    "Description of solution": "desc",
    "Distribution of species": "species",
    "Distribution of alkalinity": "alk",
    "Saturation indices": "SI",
    "Phase assemblage": "phases",
    "Gas phase": "gas",
    "Exchange composition": "exch",
    "Surface composition": "surf",
    "Solid solutions": "ss",
    "User print": "uprint",
    "Redox couples": "redox",
    "Isotopes": "iso",
    "Isotope Ratios": "isoR",
    "Isotope Alphas": "isoA",
    "Solution fractions": "fractions",
    "Phase mole transfers": "transfers",
    "Redox mole transfers": "redox transfers",
    "Isotopic composition of phases": "iso phases",
}
"""Section names as PHREEQC prints them, and as `render` abbreviates them. Other names appear in full."""

_USUAL = ("Solution composition", "Description of solution", "Distribution of species", "Saturation indices")
_SHORT_STAGES = {
    "batch-reaction": "batch",
    "inverse modeling": "inverse",
    "transport: equilibrating initial solutions": "equilibrating",
}
_QUANTITIES = (  # symbol, attribute of State, format, value that is not printed
    ("t", "time", ".6g", ""),
    ("pH", "pH", ".3f", ""),
    ("pe", "pe", ".3f", ""),
    ("I", "ionic_strength", ".3g", ""),
    ("T", "temperature", ".5g", "25"),
    ("err", "charge_error", ".2f", "0.00"),
)
_KEYS = ("uses", *(symbol for symbol, *_ in _QUANTITIES))  # the columns of a state, in printed order
_TITLE_CHARS = 36
_LABEL_CHARS = 36
_ROOMY = 1_000_000_000  # "keep this many": no folding
_T = TypeVar("_T")


def render(
    outline: Outline,
    fold: int | None = 2,
    budget: int | None = PAGE_CHARS,
    lines: tuple[int, int] | None = None,
) -> str:
    """Print an outline compactly: one line per state, long runs folded.

    What all states of a stage share (reactants, values, places of sections) is printed once, on the line of
    the stage. A folded line tells how many states it hides, the first and last label, their line range and
    spacing, and the range of their values; so does one for a run of simulations with the same stages.
    `outline.find_state`, `outline.states` and `lines` reach every hidden state.

    Parameters
    ----------
    outline : Outline
        What to print.
    fold : int or None
        States shown at each end of a stage that is folded, and simulations at each end of a run of them
        (there at least 2). None shows everything.
    budget : int or None
        Fold harder until the result has at most so many characters. The hardest folding (a line for all
        simulations) is returned even if it is longer. None folds as `fold` says.
    lines : (int, int) or None
        Show everything that overlaps this line range, and nothing else.

    Returns
    -------
    str
        Lines joined by line feeds. I is the ionic strength in mol/kgw, T in degrees Celsius, t in seconds,
        err the charge error in percent.
    """
    if fold is None or lines is not None:
        return "\n".join(_page(outline, _ROOMY, _ROOMY, True, lines or (1, outline.lines)))
    ends = max(2, fold)
    levels = [(fold, ends, True)]
    if budget is not None:
        levels += [(keep, ends, True) for keep in range(fold - 1, -1, -1)]
        levels += [(0, 1, True), (0, 2, False), (0, 1, False), (0, 0, False)]
    text = ""
    for keep_states, keep_simulations, alike in levels:
        text = "\n".join(_page(outline, keep_states, keep_simulations, alike, None))
        if budget is None or len(text) <= budget:
            break
    return text


def _page(
    outline: Outline, keep_states: int, keep_simulations: int, alike: bool, lines: tuple[int, int] | None
) -> Iterator[str]:
    """Yield the lines of a page; with `alike`, only simulations with the same stages are folded together."""
    first, last = lines or (1, outline.lines)
    yield _legend(outline)
    if outline.preamble and (lines or not outline.simulations) and outline.preamble[1] >= first:
        yield f"L{outline.preamble[0]}-{outline.preamble[1]} no PHREEQC heading"
    shown = [sim for sim in outline.simulations if sim.first <= last and sim.last >= first]
    if len(shown) > 1 and not (lines or _says_something(shown[-1])):
        shown.pop()  # what follows the last END: an input that PHREEQC found empty
    for _, run in groupby(shown, key=_shape if alike else lambda _: ()):
        head, hidden, tail = _fold(list(run), keep_simulations)
        for simulation in head:
            yield from _simulation_lines(simulation, keep_states, first, last)
        if hidden:
            yield _folded_simulations(hidden)
        for simulation in tail:
            yield from _simulation_lines(simulation, keep_states, first, last)


def _legend(outline: Outline) -> str:
    """Size of the output, and what is the same on all lines below, as far as it occurs."""
    states = outline.states
    parts = [f"{outline.lines} lines, {len(states)} state{'s' * (len(states) != 1)}"]
    if any(state.time is not None for state in states):
        parts.append("t s")
    if any(state.pH is not None for state in states):
        parts += ["T 25 °C, err 0 % unless given", "I mol/kgw"]
    if any(_unnamed(state, _USUAL) for state in states):
        parts.append("@ " + " ".join(SHORT_NAMES[name] for name in _USUAL))
    return "; ".join(parts)


def _says_something(simulation: Simulation) -> bool:
    return bool(simulation.stages or simulation.title or simulation.warnings or simulation.errors)


def _shape(simulation: Simulation) -> tuple[str, ...]:
    return tuple(_stage_name(stage) for stage in simulation.stages)


def _fold(items: Sequence[_T], keep: int) -> tuple[Sequence[_T], Sequence[_T], Sequence[_T]]:
    """Split into head, hidden middle and tail. A middle of one or two is not worth a line of its own."""
    if len(items) <= 2 * keep + 2 and not (keep == 0 and len(items) > 1):
        return items, (), ()
    return items[:keep], items[keep : len(items) - keep], items[len(items) - keep :]


# ------------------------------------------------------------------------------------- simulations and stages


def _simulation_lines(simulation: Simulation, keep: int, first: int, last: int) -> Iterator[str]:
    # The next simulation, or the size of the output, says where this one ends.
    parts = [f"sim {simulation.number} L{simulation.first}"]
    if simulation.title:
        parts.append(_clip(simulation.title, _TITLE_CHARS))
    parts += _messages([simulation])
    if not simulation.stages:
        parts.append("(no results)")
    yield " ".join(parts)
    for stage in simulation.stages:
        if stage.first <= last and stage.last >= first:
            yield from _stage_lines(stage, keep, first, last)


def _stage_lines(stage: Stage, keep: int, first: int, last: int) -> Iterator[str]:
    chosen = [state for state in stage.states if state.first <= last and state.last >= first]
    name = _stage_name(stage)
    if stage.shifts:
        start, end, count = stage.shifts
        name += f" {'shift' if count == 1 else 'shifts'} {start}" + (f"-{end}" if count > 1 else "")
    of = f"{len(chosen)} of " if len(chosen) < len(stage.states) else ""
    if not chosen:
        yield f" L{stage.first}-{stage.last} {name}" + (f", {of}{len(stage.states)} states" if of else "")
        return
    if len(stage.states) <= 2:
        for state in chosen:
            # The label of an initial composition says its stage too.
            label = _label(state) if stage.name.startswith("initial ") else f"{name} {_label(state)}"
            columns = _columns(state).values()
            yield " " + _join(f"L{state.first}-{state.last}", label, *columns, _places(state, _USUAL))
        return

    table = [_columns(state) for state in chosen]
    common = _common(table)
    usual, each = _stage_places(chosen)
    shared = [common[key] for key in _KEYS if key in common]
    if each:
        shared.append("each " + each)
    elif usual != _USUAL:
        shared.append("@ " + ", ".join(SHORT_NAMES.get(name, name) for name in usual))

    def line(state: State, columns: dict[str, str]) -> str:
        own = [value for key, value in columns.items() if common.get(key) != value]
        if "uses" in common and "uses" not in columns:
            own.insert(0, "<>")
        places = "" if each else _places(state, usual)
        return "  " + _join(f"L{state.first}-{state.last}", _label(state), *own, places)

    top, hidden, bottom = _fold(list(zip(chosen, table, strict=True)), keep)
    folded = _folded_states([state for state, _ in hidden], common) if hidden else ""
    if not (top or bottom):
        yield " " + _join(name, *shared, folded)
        return
    yield " " + _join(f"{name}, {of}{len(stage.states)} states", *shared)
    yield from (line(*row) for row in top)
    if folded:
        yield "  " + folded
    yield from (line(*row) for row in bottom)


def _common(table: Sequence[dict[str, str]]) -> dict[str, str]:
    """Return what all rows of a stage have in common, and the reactants that most of them have."""
    if len(table) == 1:
        return {}
    common = {key: value for key, value in table[0].items() if all(row.get(key) == value for row in table)}
    if uses := _majority(row.get("uses") for row in table):
        common["uses"] = uses  # stated once, for every state that does not name its own
    return common


def _stage_places(states: Sequence[State]) -> tuple[tuple[str, ...], str]:
    """Return the names of the sections that go unnamed in a stage, and their offsets if all states agree."""
    if len(states) == 1:
        return _USUAL, ""
    if len({_places(state, _USUAL, state.first) for state in states}) == 1:
        return _USUAL, _places(states[0], _USUAL, states[0].first)
    if any(_unnamed(state, _USUAL) for state in states):
        return _USUAL, ""
    return _majority(_names(state) for state in states) or _USUAL, ""


def _majority(items: Iterable[_T]) -> _T | None:
    """Return the item that more than half of the items equal, if there is one."""
    counts = Counter(items)
    ((item, count),) = counts.most_common(1)
    return item if 2 * count > counts.total() else None


def _folded_states(hidden: Sequence[State], common: dict[str, str]) -> str:
    first, last = hidden[0], hidden[-1]
    text = f"... {len(hidden)} folded: {_labels(first, last)} L{first.first}-{last.last}"
    text += _every([each.first for each in hidden])
    spans = [value for key, value in _spans(hidden).items() if key not in common]
    return text + (", " if spans else "") + _join(*spans)


def _every(firsts: Sequence[int]) -> str:
    """Return the lines from one to the next, `` every 83``, or about how many where they differ."""
    strides = [b - a for a, b in pairwise(firsts)]
    if not strides:
        return ""
    about = "" if len(set(strides)) == 1 else "~"
    return f" every {about}{round(sum(strides) / len(strides))}"


def _folded_simulations(hidden: Sequence[Simulation]) -> str:
    first, last = hidden[0], hidden[-1]
    inside = [state for simulation in hidden for state in simulation.states]
    text = f"... {len(hidden)} simulations folded: {first.number}..{last.number} L{first.first}-{last.last}"
    text += _every([each.first for each in hidden])
    text += f", {len(inside)} states"
    if names := list(dict.fromkeys(name for simulation in hidden for name in _shape(simulation))):
        text += f" ({', '.join(names[:4])}{', ...' if len(names) > 4 else ''})"
    return _join(text, *_spans(inside).values(), *_messages(hidden))


# ---------------------------------------------------------------------------------------- the words of a line


def _join(*words: str) -> str:
    return " ".join(word for word in words if word)


def _clip(text: str, chars: int) -> str:
    """Cut at the last word that leaves room for the dots, or within a long word."""
    if len(text) <= chars:
        return text
    head, space, word = text[:chars].rpartition(" ")
    return (head if space and len(word) < chars // 3 else text[: chars - 1]).rstrip() + "…"


def _stage_name(stage: Stage) -> str:
    """Name of a stage in a word or two: ``batch``, ``initial exchange``, ``inverse 1``."""
    name = stage.name.removesuffix("-composition")
    for long, short in _SHORT_STAGES.items():
        name = name.replace(long, short)
    return name


def _label(state: State) -> str:
    """Label without the words that its stage has said already."""
    label = state.label
    for word in ("initial ", "transport ", "advection "):
        if state.stage.startswith(word.strip()):
            label = label.removeprefix(word)
    return _clip(label, _LABEL_CHARS)


def _labels(first: State, last: State) -> str:
    """``step 3..49``, or ``step 1 cell 2 .. step 9 cell 4``."""
    (start, _, a), (end, _, b) = _label(first).rpartition(" "), _label(last).rpartition(" ")
    if start == end and a.isdigit() and b.isdigit():
        return f"{start} {a}..{b}"
    return f"{_label(first)} .. {_label(last)}"


def _columns(state: State) -> dict[str, str]:
    """What a state's line tells apart from its place: reactants and values, each as one word group."""
    columns: dict[str, str] = {}
    if state.reactants:
        columns["uses"] = f"<{_reactants(state)}>"
    for symbol, attribute, form, default in _QUANTITIES:
        value = getattr(state, attribute)
        if value is not None:
            text = _number(value, form)
        elif default and state.pH is not None:
            text = "?"  # not printed, so that the default of the legend must not be read here
        else:
            continue
        if text != default:
            columns[symbol] = f"{symbol} {text}"
    return columns


def _number(value: float, form: str) -> str:
    text = format(value, form)
    if "e" in text:  # 1.5e-05 -> 1.5e-5
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def _reactants(state: State) -> str:
    """Reactants, with n for the number of the cell, so that the cells of a column can share one phrase."""
    cell = re.search(r"\bcell (\d+)", state.label)
    number = cell[1] if cell else None
    kinds: dict[str, list[str]] = {}
    for reactant in state.reactants:
        kind, _, value = reactant.rpartition(" ")
        kinds.setdefault("n" if value == number else value, []).append(kind)
    return ", ".join(f"{'+'.join(names)} {value}" for value, names in kinds.items())


def _spans(hidden: Sequence[State]) -> dict[str, str]:
    """Range of each value over some states, ``pH 6.9..7.9``."""
    spans: dict[str, str] = {}
    for symbol, attribute, form, default in _QUANTITIES:
        values = [value for state in hidden if (value := getattr(state, attribute)) is not None]
        if values:
            low, high = _number(min(values), form), _number(max(values), form)
            if low != high:
                spans[symbol] = f"{symbol} {low}..{high}"
            elif low != default:
                spans[symbol] = f"{symbol} {low}"
    return spans


def _messages(simulations: Sequence[Simulation]) -> list[str]:
    """``2 warnings@246,247``, ``1 error@423``; dots at the end if there are more than are listed."""

    def phrase(word: str, count: int, numbers: list[int]) -> list[str]:
        shown = ",".join(map(str, numbers[:3])) + (",..." if count > 3 else "")
        return [f"{count} {word}{'s' * (count > 1)}@{shown}"] if count else []

    return [
        *phrase(
            "warning", sum(s.warnings for s in simulations), [n for s in simulations for n in s.warning_lines]
        ),
        *phrase("error", sum(s.errors for s in simulations), [n for s in simulations for n in s.error_lines]),
    ]


# ----------------------------------------------------------------------------------------- places of sections


def _names(state: State) -> tuple[str, ...]:
    return tuple(section.name for section in state.sections)


def _unnamed(state: State, usual: tuple[str, ...]) -> list[Section]:
    """The sections called `usual`, if the state has each of them once and in this order; else none."""
    found = [section for section in state.sections if section.name in usual and section.count == 1]
    return found if tuple(section.name for section in found) == usual else []


def _places(state: State, usual: tuple[str, ...], base: int | None = None) -> str:
    """Lines of the sections, the usual ones without name: ``@102 121 148 289 redox@141``.

    From a `base` line they are counted: ``@+2 +21 +48 +189 redox+41``.
    """
    unnamed = _unnamed(state, usual)
    sign, zero = ("@", 0) if base is None else ("+", base)
    lines = " ".join(sign.strip("@") + str(section.first - zero) for section in unnamed)
    named = [f"{_short(s)}{sign}{s.first - zero}" + _stride(s) for s in state.sections if s not in unnamed]
    return _join("@" * bool(unnamed) + lines, *named)


def _stride(section: Section) -> str:
    if section.count == 1:
        return ""
    return f" every {section.stride or f'~{round((section.last - section.first + 1) / section.count)}'}"


def _short(section: Section) -> str:
    name = SHORT_NAMES.get(section.name, section.name)
    return name if section.count == 1 else f"{name}×{section.count}"
