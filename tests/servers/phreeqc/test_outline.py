"""Outlines of PHREEQC output: official reference outputs, hand-written hard cases, and any text at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig_phreeqc.output.outline import Outline, find_state, states
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.outline_text import SHORT_NAMES, render
from labrig_phreeqc.output.toc import toc, toc_capped, toc_json
from support.places import REFERENCE as DATA

PAPER = re.compile(r"^-{3,}\s*([A-Za-z].+?)\s*-{3,}\s*$")


def reference(name: str) -> str:
    path = DATA / f"{name}.out"
    if not path.exists():
        pytest.skip(f"official reference output {path.name} is not in shared/data")
    return path.read_text(encoding="utf-8")


def all_references() -> Iterator[tuple[str, str]]:
    if not DATA.exists():
        pytest.skip("official reference outputs are not in shared/data")
    for path in sorted(DATA.glob("*.out")):
        yield path.stem, path.read_text(encoding="utf-8")


def heading(name: str) -> str:
    """A section heading as PHREEQC centres it, 79 columns."""
    left = (79 - len(name)) // 2
    return "-" * left + name + "-" * (79 - len(name) - left)


def box(text: str) -> str:
    return f"{'-' * len(text)}\n{text}\n{'-' * len(text)}\n"


def cell(number: int, ph: float, uses: str = "mix") -> str:
    return (
        f"\nUsing {uses} {number}.\t\nUsing exchange {number}.\tafter simulation 1.\n\n"
        f"{heading('Description of solution')}\n\n"
        f"{'pH  =':>45}   {ph:.3f}      Charge balance\n{'Temperature (°C)  =':>45}  25.00\n"
        f"{heading('Saturation indices')}\n\n  Calcite  0.00\n"
    )


# ---------------------------------------------------------------------------------------- the published lists


@pytest.mark.accept
@given(
    st.lists(
        st.text(alphabet="-- AZab.µ\t\u3000", max_size=30) | st.from_regex(PAPER, fullmatch=True), max_size=8
    ).map("\n".join)
    | st.text()
)
def test_toc_is_the_published_regex(text: str) -> None:
    published = [(n, m[1]) for n, line in enumerate(text.splitlines(), 1) if (m := PAPER.match(line))]
    assert toc(text) == published


def test_toc_of_the_references() -> None:
    assert len(toc(reference("ex1"))) == 5
    assert len(toc(reference("ex2"))) == 259
    assert toc(reference("ex2b")) == []
    assert toc_json(toc(reference("ex1"))[:1]) == '[{"line": 102, "section": "Solution composition"}]'


def test_toc_survives_a_hostile_row_of_dashes() -> None:
    assert toc("---a" + "-" * 300_000 + "x---") == [(1, "a" + "-" * 300_000 + "x")]


def test_capped_list_loses_its_middle_and_says_so() -> None:
    entries = toc_capped(reference("ex2"))
    assert len(entries) == 51
    assert re.fullmatch(r"\.\.\. \d+ sections omitted \.\.\.", entries[25].section)
    assert toc_capped("----\n\n Boxed text.\n----\n") == [(3, "Boxed text")]


# --------------------------------------------------------------------------------------------- the whole tree


def check_tree(text: str, tree: Outline) -> None:
    """Ranges nest, increase and stay inside the text; sections start where they say."""
    lines = text.split("\n")
    assert tree.chars == len(text)
    assert 1 <= tree.lines <= len(lines)
    simulations = tree.simulations
    covered = tree.preamble[1] if tree.preamble else 0
    assert not tree.preamble or tree.preamble[0] == 1
    for simulation in simulations:
        assert simulation.first == covered + 1
        covered = simulation.last
        end = simulation.first - 1
        for stage in simulation.stages:
            assert end < stage.first <= stage.last <= simulation.last
            end = stage.last
            inner = stage.first - 1
            for state in stage.states:
                assert inner < state.first <= state.last <= stage.last
                inner = state.last
                assert (state.simulation, state.stage) == (simulation.number, stage.name)
                row = state.first - 1
                for section in state.sections:
                    assert row < section.first <= section.last <= state.last
                    assert section.name in lines[section.first - 1]
                    row = section.last
    assert covered == tree.lines


PIECES = r"""
-----
TITLE
 a title
Reading input data for simulation 2.
Beginning of batch-reaction calculations.
Beginning of transport calculations.
Beginning of inverse modeling 1 calculations.
Beginning of run as cells.
Equilibrating initial solutions
End of simulation.
Initial solution 1.
Exchange 1.
Reaction step 1.
Cell 2.
Beginning of advection time step 1, cumulative pore volumes 1.
Transport step   1. Mixrun   1.
Using mix 3.
Using gas phase 1.
Kinetics 3.
Solution 1: x
Summary of inverse modeling:
                pH  =   nan
WARNING: x
---Solution composition---""".splitlines()
PIECES += ["\tTime step: 1e3 seconds  (Incremented time: x seconds)", "=" * 79, "\r", "\x0b\x85\u2028"]
PIECES += map(heading, ("User print", "Saturation indices", "Description of solution"))


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("\n".join))
def test_any_text_has_an_outline(text: str) -> None:
    tree = outline_output(text)
    check_tree(text, tree)
    for page in (render(tree), render(tree, fold=0), render(tree, fold=None), render(tree, budget=1)):
        assert page.startswith(f"{tree.lines} lines, {len(tree.states)} state")
    if not tree.simulations:
        assert f"L1-{tree.lines}" in render(tree)


def test_reference_trees_hold_every_section() -> None:
    for name, text in all_references():
        tree = outline_output(text)
        check_tree(text, tree)
        listed = [s for state in tree.states for s in state.sections]
        printed = [e for e in toc(text) if not e.section.endswith("dissolved completely")]
        assert sum(s.count for s in listed if s.name in {e.section for e in printed}) == len(printed), name
        for entry in printed:
            assert len(states(tree, entry.line, entry.line)) == 1, (name, entry)


def test_line_endings_do_not_matter() -> None:
    for name in ("ex2", "ex7", "ex14", "ex16"):
        text = reference(name)
        dos, unix = outline_output(text.replace("\n", "\r\n")), outline_output(text)
        assert (dos.lines, dos.preamble, dos.simulations) == (unix.lines, unix.preamble, unix.simulations)


def test_key_values_are_the_printed_ones() -> None:
    text = reference("ex2")
    steps = [state for state in outline_output(text).states if state.label.startswith("step ")]
    assert len(steps) == 51
    chunks = re.split(r"^Reaction step \d+\.$", text, flags=re.MULTILINE)[1:]
    for state, chunk in zip(steps, chunks, strict=True):
        for value, name in (
            (state.pH, "pH"),
            (state.pe, "pe"),
            (state.ionic_strength, "Ionic strength (mol/kgw)"),
            (state.temperature, "Temperature (°C)"),
            (state.charge_error, "Percent error, 100*(Cat-|An|)/(Cat+|An|)"),
        ):
            assert value == float(chunk.split(f" {name}  =")[1].split()[0])
    assert steps[0].reactants == ("solution 1", "phases 1", "temperature 1")


def test_boxed_headings_are_found_and_messages_are_not() -> None:
    ex7 = outline_output(reference("ex7"))
    assert [stage.name for sim in ex7.simulations for stage in sim.stages] == [
        "initial solution",
        "batch-reaction",
        "batch-reaction",
        "initial gas_phase-composition",
        "batch-reaction",
    ]
    assert "dissolved" not in render(ex7, fold=None)
    assert ex7.simulations[0].title is not None and ex7.simulations[0].title.startswith("Example 7.")

    (advection,) = outline_output(reference("ex14")).simulations[4].stages
    assert advection.shifts == (1, 200, 200)  # 200 announced shifts are not 200 states
    assert [state.label for state in advection.states] == ["advection shift 200 cell 1"]

    inverse = outline_output(reference("ex16")).simulations[0].stages[1]
    assert [state.label for state in inverse.states] == ["model 1", "model 2", "summary"]

    assert outline_output(reference("ex21")).simulations[1].warning_lines == (419,)
    ex9 = reference("ex9")
    times = [state.time for state in outline_output(ex9).states if state.time is not None]
    assert times == [float(t) for t in re.findall(r"Incremented time: (\S+) seconds", ex9)]


def test_transport_cells_get_their_step() -> None:
    text = (
        box("Beginning of transport calculations.")
        + box("Equilibrating initial solutions")
        + cell(1, 7.0, "solution")
        + "Calculating transport: 2 (mobile) cells, 2 shifts, 1 mixruns...\n"
        + "".join(f"Transport step {n:3d}. Mixrun   1.\n" + cell(1, 7 + n) + cell(2, 8 + n) for n in (1, 2))
    )
    tree = outline_output(text)
    assert [(state.label, state.pH) for state in tree.states] == [
        ("initial cell 1", 7.0),
        ("transport step 1 cell 1", 8.0),
        ("transport step 1 cell 2", 9.0),
        ("transport step 2 cell 1", 9.0),
        ("transport step 2 cell 2", 10.0),
    ]
    assert tree.simulations[0].number == 0
    assert [state.label for state in find_state(tree, "cell 2 step 1")] == ["transport step 1 cell 2"]


def test_user_prints_are_one_run_and_cannot_pose_as_headings() -> None:
    pages = [f"{heading('User print')}\n\nReaction step {n}. \n{'pH  =':>45}   1.0 \n" for n in range(620)]
    (state,) = outline_output("".join(pages)).states
    (section,) = state.sections
    assert (section.name, section.count, section.stride, state.pH) == ("User print", 620, 4, None)
    assert "uprint×620@1 every 4" in render(outline_output("".join(pages)))


# ---------------------------------------------------------------------------------------------------- folding


def column(cells: int, shifts: int, simulations: int = 1) -> str:
    shift = "Beginning of advection time step {}, cumulative pore volumes 1.0.\n"
    return "".join(
        box(f"Reading input data for simulation {n}.")
        + box("Beginning of advection calculations.")
        + "".join(
            shift.format(s) + "".join(f"\nCell {c}.\n{cell(c, 7)}" for c in range(1, cells + 1))
            for s in range(1, shifts + 1)
        )
        + box("End of simulation.")
        for n in range(1, simulations + 1)
    )


@pytest.mark.parametrize("fold", [0, 1, 3, 5, None])
def test_folding_loses_no_state(fold: int | None) -> None:
    tree = outline_output(column(5, 8))
    page = render(tree, fold=fold)
    folded = sum(int(n) for n in re.findall(r"\.\.\. (\d+) folded", page))
    shown = len(re.findall(r"^  L\d+-\d+ shift", page, flags=re.MULTILINE))
    assert folded + shown == len(tree.states) == 40
    for state in tree.states:
        assert find_state(tree, state.label) == [state]
        assert find_state(tree, f"L{state.first}") == [state]
        assert f"L{state.first}-{state.last} " in render(tree, lines=(state.first, state.last))


def test_budget_folds_until_it_fits() -> None:
    tree = outline_output(column(3, 6, simulations=40))
    whole = render(tree, fold=None)
    sizes = [len(render(tree, budget=budget)) for budget in (len(whole), 6000, 2000, 800, 300, 1)]
    assert sizes == sorted(sizes, reverse=True)
    assert all(
        size <= budget for size, budget in zip(sizes, (len(whole), 6000, 2000, 800, 300), strict=False)
    )
    assert "sim 1 " in render(tree, budget=2000)  # states are folded before simulations are
    smallest = render(tree, budget=1)
    assert (
        smallest.count("\n") == 1 and "40 simulations folded: 1..40" in smallest and "720 states" in smallest
    )


def test_simulations_with_the_same_stages_fold_together() -> None:
    other = box("Reading input data for simulation 21.") + box("Beginning of batch-reaction calculations.")
    other += f"Reaction step 1.\n{cell(1, 7)}"
    tree = outline_output(column(2, 3, simulations=20) + other + column(2, 3, simulations=20))
    page = render(tree)
    assert re.findall(r"^\.\.\. (\d+) simulations folded", page, flags=re.MULTILINE) == ["16", "16"]
    assert "sim 21 " in page and " batch step 1 " in page
    assert len(page) <= len(toc_json(toc_capped(column(2, 3, simulations=40))))


# ------------------------------------------------------------------------------------------------ the wording

VALUES = {
    "pH": "pH",
    "pe": "pe",
    "I": "ionic_strength",
    "T": "temperature",
    "err": "charge_error",
    "t": "time",
}
VALUE = re.compile(r"(?<= )(pH|pe|I|T|err|t) (-?[\d.e-]+)(?= |$)")
NAMES = "|".join(sorted(SHORT_NAMES.values(), key=len, reverse=True))
PLACE = re.compile(
    rf"(?<= )({NAMES}|Solution \d+|)(?:×\d+)?(@\+?|\+)(\d+)(?: every \d+|((?: \+?\d+)*))(?= |$)"
)


def read_back(page: str) -> dict[int, tuple[dict[str, float], dict[str, int]]]:
    """First line of each state -> its values, and the lines of its sections, as an agent would read them."""
    legend, *body = page.split("\n")
    usual = legend.partition("; @ ")[2].split()
    defaults = {"T": 25.0, "err": 0.0} if "T 25 °C, err 0 % unless given" in legend else {}
    found: dict[int, tuple[dict[str, float], dict[str, int]]] = {}
    shared, each, names = dict[str, float](), "", usual
    for line in body:
        values = {symbol: float(value) for symbol, value in VALUE.findall(line)}
        if not line.startswith("  "):
            shared, each, names = values, line.partition(" each")[2], usual
            if " states" in line and " @ " in line:
                names = line.partition(" @ ")[2].split(", ")
        if not (match := re.match(r" +L(\d+)-\d+ ", line)):
            continue
        first = int(match[1])
        if line.startswith("  "):
            values = shared | values
        if "pH" in values:
            values = defaults | values
        places: dict[str, int] = {}
        for name, sign, number, more in PLACE.findall(each if each and line.startswith("  ") else line):
            numbers = [int(n) + first * ("+" in sign) for n in re.findall(r"\d+", f"{number} {more}")]
            places |= zip([name] if name else names, numbers, strict=True)
        found[first] = values, places
    return found


def test_an_unfolded_page_says_everything() -> None:
    for file, text in all_references():
        tree = outline_output(text)
        read = read_back(render(tree, fold=None))
        assert read.keys() >= {state.first for state in tree.states}
        for state in tree.states:
            values, places = read[state.first]
            printed = {symbol: getattr(state, attribute) for symbol, attribute in VALUES.items()}
            expected = {symbol: value for symbol, value in printed.items() if value is not None}
            assert values == pytest.approx(expected, rel=5e-3, abs=5e-3 if "err" in expected else 0), file
            if "I" in expected:
                assert values["I"] == pytest.approx(expected["I"], rel=5e-3, abs=0), file
            assert places == {SHORT_NAMES.get(s.name, s.name): s.first for s in state.sections}, file


def test_a_value_that_is_not_printed_is_not_a_default() -> None:
    tree = outline_output(
        box("Beginning of batch-reaction calculations.") + f"Reaction step 1.\n{cell(1, 7)}"
    )
    assert " pH 7.000 err ? " in render(tree)


def test_what_follows_the_last_end_is_not_a_simulation_of_note() -> None:
    text = reference("ex1")
    tree = outline_output(text)
    assert [simulation.first for simulation in tree.simulations] == [20, 338]
    assert "sim 2" not in render(tree)
    assert "sim 2 L338" in render(tree, lines=(338, 341))


def test_rendered_outlines_are_smaller_than_the_lists_they_replace() -> None:
    flat = capped = ours = unfolded = 0
    for name, text in all_references():
        page = render(outline_output(text))
        assert len(page) <= len(toc_json(toc_capped(text))), name
        flat += len(toc_json(toc(text)))
        capped += len(toc_json(toc_capped(text)))
        ours += len(page)
        unfolded += len(render(outline_output(text), fold=None))
    # These 13 are the short ones of the 33 official outputs: over all of them the ratio is far smaller.
    assert ours <= 0.25 * flat
    assert ours <= 0.50 * capped
    assert unfolded <= 0.50 * flat
    ex2 = reference("ex2")
    assert len(render(outline_output(ex2))) <= 0.10 * len(toc_json(toc(ex2)))


def test_short_names_are_distinct() -> None:
    assert len(set(SHORT_NAMES.values())) == len(SHORT_NAMES)


def test_what_is_folded_tells_how_far_apart_it_is() -> None:
    """Any printed step is two calls away: this line, and reading at its first line plus so many strides."""
    text = reference("ex10")
    (line,) = [each for each in render(outline_output(text)).split("\n") if "uprint×620" in each]
    match = re.search(r"uprint×620@(\d+) every ~(\d+)", line)
    assert match is not None
    first, stride = map(int, match.groups())
    printed = [n for n, each in enumerate(text.split("\n"), 1) if "User print" in each]
    for number in (1, 100, 300, 620):
        assert abs(first + (number - 1) * stride - printed[number - 1]) < 2 * stride, number
    folded = next(
        each for each in render(outline_output(reference("ex20b"))).split("\n") if "simulations" in each
    )
    assert " every ~276," in folded
