"""Two outputs side by side: planted changes are found where they are, and states are paired as a person would."""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.output.compare import Comparison, Difference, OneSided, OtherText, compare_outputs
from labrig_phreeqc.output.compare_text import to_text
from labrig_phreeqc.output.outline import find_state
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.series import series

pytestmark = pytest.mark.asyncio(loop_scope="session")


Solve = Callable[..., Awaitable[str]]

HEATING = """SOLUTION 1
 Na 1
 Cl 1
EQUILIBRIUM_PHASES 1
 Gypsum 0 1
REACTION_TEMPERATURE 1
 {}
END
"""


@pytest_asyncio.fixture(loop_scope="session")
async def solve(engine: Engine) -> Solve:
    async def run(text: str, database: str = "phreeqc.dat") -> str:
        done = await engine.run(text, database=database)
        assert done.solved, done.errors
        return done.output

    return run


def mirrored(one: Comparison) -> Comparison:
    """What comparing B with A must give, known from comparing A with B."""

    def difference(each: Difference) -> Difference:
        return replace(
            each,
            a=each.b,
            b=each.a,
            absolute=-each.absolute,
            place_a=each.place_b,
            place_b=each.place_a,
        )

    def one_sided(each: OneSided) -> OneSided:
        return replace(each, side="B" if each.side == "A" else "A")

    def other_text(each: OtherText) -> OtherText:
        return replace(each, place_a=each.place_b, place_b=each.place_a)

    return replace(
        one,
        states_a=one.states_b,
        states_b=one.states_a,
        only_in_a=one.only_in_b,
        only_in_b=one.only_in_a,
        differences=tuple(map(difference, one.differences)),
        one_sided=tuple(map(one_sided, one.one_sided)),
        other_text=tuple(map(other_text, one.other_text)),
    )


def unordered(one: Comparison) -> Comparison:
    """Without the order of what has no order: one-sided names that differ in the side only."""
    return replace(one, one_sided=tuple(sorted(one.one_sided, key=lambda each: (each.name, each.side))))


def labels(places: Any) -> list[str]:
    return [place.label for place in places]


async def test_identical_outputs(solve: Solve) -> None:
    text = await solve(HEATING.format("25 60 in 8 steps"))
    same = compare_outputs(text, text)
    assert same.identical and same.agree and same.same_text
    assert (same.states_a, same.states_b, same.aligned, same.same) == (9, 9, 9, 9)
    assert same.compared > 200
    assert to_text(same).endswith("same text")
    effort = re.sub(r"(Iterations += +)\d+", r"\g<1>99", text)
    assert (
        effort != text
        and compare_outputs(text, effort).identical
        and not compare_outputs(text, effort).same_text
    )


@pytest.mark.parametrize(
    ("section", "quantity", "row", "new"),
    [
        ("Description of solution", "pH", r" pH  = +", "7.500"),
        ("Saturation indices", "SI(Anhydrite)", r"\n  Anhydrite +", "-0.40"),
        ("Phase assemblage", "delta(Gypsum)", r"\nGypsum .*?(?=\S+\n)", "-3.000e-02"),
        ("Distribution of species", "m(CaSO4)", r"\n   CaSO4 +", "1.000e-02"),
        ("Solution composition", "total Ca", r"\n\tCa +", "2.000e-02"),
    ],
)
async def test_a_planted_change_is_found_where_it_is(
    solve: Solve, section: str, quantity: str, row: str, new: str
) -> None:
    text = await solve(HEATING.format("25 60 in 30 steps"))
    tree = outline_output(text)
    (state,) = find_state(tree, "step 17")
    lines = text.split("\n")
    (part,) = [each for each in state.sections if each.name == section]
    before, body = "\n".join(lines[: part.first]), "\n".join(lines[part.first : part.last])
    changed, count = re.subn(rf"({row})\S+", rf"\g<1>{new}", "\n" + body)
    assert count == (2 if quantity == "m(CaSO4)" else 1), "an ion pair is listed under both elements"
    other = before + changed + "\n" + "\n".join(lines[part.last :])
    found = compare_outputs(text, other)
    assert (found.aligned, found.same, found.differing, found.beyond) == (31, 30, 1, 1)
    (difference,) = found.differences
    assert (difference.quantity, difference.states, difference.printed) == (quantity, 1, 1)
    assert difference.place_a.label == difference.place_b.label == "step 17"
    assert (difference.place_a.first, difference.place_a.last) == (state.first, state.last)
    printed = series(text, [quantity], states="step 17").column(quantity)
    assert (difference.a, difference.b) == (printed[0], float(new))
    assert difference.absolute == float(new) - difference.a
    assert quantity in to_text(found) and "step 17" in to_text(found)
    assert not compare_outputs(text, other, quantities=["pe", quantity]).agree
    assert compare_outputs(text, other, quantities=["temperature"]).identical
    assert compare_outputs(text, other, relative=10.0).agree, "the tolerance counts"


async def test_importance_is_the_difference_over_the_tolerance(solve: Solve) -> None:
    """By the definition in the module: a logarithm in units of the last digit, an amount relative to the larger."""
    text = await solve(HEATING.format("25"))
    at = text.index("Reaction step 1")

    def edited(pattern: str, new: str) -> Difference:
        changed = text[:at] + re.sub(rf"({pattern})\S+", rf"\g<1>{new}", text[at:])
        (difference,) = compare_outputs(text, changed).differences
        return difference

    pH = edited(r" pH  = +", "8.066")
    assert pH.importance == pytest.approx(abs(8.066 - pH.a) / 0.001)
    index = edited(r"\n  Anhydrite +", "-0.28")
    assert index.importance == pytest.approx(abs(-0.28 - index.a) / 0.01)
    species = edited(r"\n   CaSO4 +", "6.000e-03")
    assert species.importance == pytest.approx(species.relative / 1e-3)
    trace = edited(r"\n   OH- +", "9.000e-07")
    assert trace.importance == pytest.approx(abs(trace.absolute) / 1e-9)
    last = f"{index.a + 0.01:.2f}"
    rounding = compare_outputs(
        text, text[:at] + re.sub(r"(\n  Anhydrite +)\S+", rf"\g<1>{last}", text[at:], count=1)
    )
    assert rounding.agree and not rounding.identical and rounding.differences[0].states == 0


async def test_a_step_put_in_shifts_nothing(solve: Solve) -> None:
    a = await solve(HEATING.format("25 30 35 40 45"))
    b = await solve(HEATING.format("25 30 33 35 40 45"))
    found = compare_outputs(a, b)
    assert labels(found.only_in_b) == ["step 3"] and not found.only_in_a
    assert found.aligned == 6 and found.beyond == 0
    assert "only in B (1): sim 1 step 3" in to_text(found)
    other_water = await solve(
        HEATING.format("25 30 33 35 40 45").replace("Na 1", "Na 2").replace("Cl 1", "Cl 2")
    )
    found = compare_outputs(a, other_water)
    assert labels(found.only_in_b) == ["step 6"], "nothing is the same: by label"


async def test_other_states_around_changed_ones(solve: Solve) -> None:
    """A step with another number, and another result, between two that are the same."""
    a = await solve(HEATING.format("25 30 35 40 45"))
    b = await solve(HEATING.format("20 25 30 36 40 45"))
    found = compare_outputs(a, b)
    assert labels(found.only_in_b) == ["step 1"]
    (temperature,) = [each for each in found.differences if each.quantity == "temperature"]
    assert (temperature.a, temperature.b, temperature.states) == (35.0, 36.0, 1)
    assert (temperature.place_a.label, temperature.place_b.label) == ("step 3", "step 4")
    a = await solve(HEATING.format("25 30 35 40 45 50"))
    b = await solve(HEATING.format("25 27 28 29 30 35 41 45 50"))
    found = compare_outputs(a, b)
    assert labels(found.only_in_b) == ["step 2", "step 3", "step 4"], "40 goes with 41, not with its number"
    a, b = await solve(HEATING.format("25 30 30 40")), await solve(HEATING.format("20 26 30 30 40"))
    found = compare_outputs(a, b)
    assert labels(found.only_in_b) == ["step 2"], "states that are all the same go with their neighbours"


async def test_solutions_and_simulations_put_in_renumbered_and_renamed(solve: Solve) -> None:
    water = "SOLUTION {} {}\n pH {}\n Na 1\n Cl 1\n Ca {}\nEND\n"
    spring, well, river = (7.1, 1.0), (7.5, 2.0), (8.0, 3.0)

    def waters(*chosen: tuple[int, str, tuple[float, float]]) -> str:
        return "".join(water.format(number, name, *values) for number, name, values in chosen)

    a = await solve(waters((1, "Spring", spring), (2, "Well", well)))
    b = await solve(waters((7, "River", river), (1, "Spring", spring), (2, "Well", well)))
    found = compare_outputs(a, b)
    assert labels(found.only_in_b) == ["initial solution 7 River"] and found.same == 2 and found.beyond == 0
    renumbered = compare_outputs(a, await solve(waters((11, "Spring", spring), (12, "Well", well))))
    assert renumbered.identical and renumbered.aligned == 2
    swapped = compare_outputs(a, await solve(waters((2, "Well", well), (1, "Spring", spring))))
    assert swapped.identical and swapped.aligned == 2
    renamed = compare_outputs(a, await solve(waters((1, "Spring, filtered", river), (2, "Well", well))))
    assert renamed.aligned == 2 and renamed.same == 1
    assert renamed.differences[0].place_b.label == "initial solution 1 Spring, filtered"
    changed = await solve(waters((2, "Well", (7.5, 4.0)), (1, "Spring", (7.1, 2.0))))
    found = compare_outputs(a, changed)
    assert {each.place_a.label for each in found.differences} == {
        each.place_b.label for each in found.differences
    }
    assert mirrored(found) == compare_outputs(changed, a), "also of two equally important differences"
    other_numbers = compare_outputs(a, await solve(waters((11, "", (7.2, 1.1)), (12, "", (7.6, 2.1)))))
    assert other_numbers.aligned == 2 and other_numbers.same == 0

    async def together(*chosen: tuple[int, str, tuple[float, float]]) -> str:
        return await solve(waters(*chosen).replace("END\nSOL", "SOL"))

    three = await together((1, "Spring", spring), (2, "", well), (3, "", river))
    found = compare_outputs(three, await together((1, "Spring", spring), (3, "", river)))
    assert labels(found.only_in_a) == ["initial solution 2"] and found.same == 2
    found = compare_outputs(three, await together((1, "Source", (7.0, 1.5)), (3, "Brook", (8.1, 3.5))))
    assert labels(found.only_in_a) == ["initial solution 2"] and found.same == 0


async def test_simulations_without_names_are_known_by_what_they_hold(solve: Solve) -> None:
    def waters(*pHs: float) -> str:
        return "".join(f"SOLUTION 1\n pH {pH}\n Na 1\n Cl 1\nEND\n" for pH in pHs)

    found = compare_outputs(await solve(waters(6, 7, 8)), await solve(waters(6, 6.5, 7, 8)))
    assert [place.simulation for place in found.only_in_b] == [2]
    assert found.same == 3


async def test_kinetics_are_compared_at_the_same_time(solve: Solve) -> None:
    decay = (
        "RATES\nDecay\n-start\n10 SAVE 1e-4*M*TIME\n-end\nSOLUTION 1\n Na 1\n Cl 1\n"
        "KINETICS 1\nDecay\n -formula NaCl 1\n -m0 {}\n -steps {}\nEND\n"
    )
    found = compare_outputs(
        await solve(decay.format(0.01, "100 400 3100")), await solve(decay.format(0.02, "100 200 400 3100"))
    )
    assert labels(found.only_in_b) == ["step 2"]
    (amount,) = [each for each in found.differences if each.quantity == "kin(Decay)"]
    assert amount.b / amount.a == pytest.approx(2, rel=1e-3)
    assert not any(each.quantity == "time" for each in found.differences)
    shifted = compare_outputs(await solve(decay.format(0.01, "100")), await solve(decay.format(0.01, "150")))
    assert ("time", 100.0, 150.0) in [(each.quantity, each.a, each.b) for each in shifted.differences]


async def test_cells_of_a_column_keep_time_and_place(solve: Solve) -> None:
    column = (
        "SOLUTION 0\n Ca 0.6\n Cl 1.2\nSOLUTION 1-4\n Na 1\n N(5) 1\nEND\nTRANSPORT\n -cells 4\n -shifts {}\n"
        " -lengths 4*0.1\n -dispersivities 4*{}\n -print_cells 1-4\nEND\n"
    )
    found = compare_outputs(await solve(column.format(3, 0.01)), await solve(column.format(5, 0.02)))
    assert not found.only_in_a
    assert {label.rpartition(" cell")[0] for label in labels(found.only_in_b)} == {
        "transport step 4",
        "transport step 5",
    }
    assert all(each.place_a.label == each.place_b.label for each in found.differences)
    assert found.differences and not found.agree
    piston = (
        "SOLUTION 0-4\n Na 1\n Cl 1\nSOLUTION 1\n Na 1\nSOLUTION 2\n Na 2\nSOLUTION 3\n Na 3\nSOLUTION 4\n Na 4\nEND\n"
        "ADVECTION\n -cells 4\n -shifts {0}\n -print_frequency {0}\nEND\n"
    )
    found = compare_outputs(await solve(piston.format(1)), await solve(piston.format(2)))
    assert {label[:15] for label in labels(found.only_in_a)} == {"advection shift"}, "one water, another time"


async def test_two_databases_on_one_input(solve: Solve) -> None:
    text = (
        "SOLUTION 1\n pH 7.5\n Ca 2\n Mg 1\n Na 3\n Cl 4 charge\n C(4) 4\n S(6) 1\n Ba 1e-3\n Zn 1e-3\n temp 20\nEND\n"
        "USE solution 1\nEQUILIBRIUM_PHASES 1\n Calcite 0 1\nEND\n"
    )
    a, b = await solve(text), await solve(text, "llnl.dat")
    found = compare_outputs(a, b)
    assert (found.states_a, found.aligned, found.same) == (2, 2, 0)
    assert not found.only_in_a and not found.only_in_b
    by_name = {each.quantity: each for each in found.differences}
    dolomite = by_name["SI(Dolomite)"]
    assert dolomite.b > dolomite.a + 0.8, "1.1 apart by the research notes"
    importances = [each.importance for each in found.differences]
    assert importances == sorted(importances, reverse=True)
    assert "total Na" not in {each.quantity for each in found.differences if each.states}
    only_b = {each.name for each in found.one_sided if each.side == "B"}
    assert {"SI(Dolomite-ord)", "m(CaCl+)"} <= only_b
    assert not any(each.name == "SI(Calcite)" for each in found.one_sided)
    assert mirrored(compare_outputs(a, b)) == compare_outputs(b, a)
    few = compare_outputs(a, b, limit=3)
    assert few.differences == found.differences[:3]
    assert (few.differing, few.one_sided_count) == (found.differing, found.one_sided_count)
    assert len(to_text(found)) <= 3000 and f"{found.differing - 10} more quantities" in to_text(found)


async def test_what_is_printed_on_one_side_only(solve: Solve) -> None:
    text = (
        "SOLUTION 1\n Ca 1\n C(4) 2\n pH 7 charge\nEND\nUSE solution 1\n{}REACTION_TEMPERATURE 1\n 30\nEND\n"
    )
    plain = await solve(text.format(""))
    phases = await solve(text.format("EQUILIBRIUM_PHASES 1\n Calcite 0 1\n"))
    found = compare_outputs(plain, phases)
    assert found.one_sided[0].name == "moles(Calcite)" and found.one_sided[0].side == "B"
    assert "moles(Calcite) = 1" in to_text(found)
    silent = await solve("PRINT\n -species false\n" + text.format(""))
    found = compare_outputs(plain, silent)
    assert [(each.name, each.side, each.states) for each in found.one_sided] == [
        ("Distribution of species", "A", 2)
    ]
    assert found.differing == 0 and not found.identical and not found.agree
    said = "USER_PRINT\n10 PRINT {}\n" + text.format("")
    (other,) = compare_outputs(await solve(said.format(1)), await solve(said.format(2))).other_text
    assert other.name == "User print" and other.states == 2


async def test_example_2_against_the_authors_output(solve: Solve, examples: Path) -> None:
    """Only what is undetermined in gypsum and pure water differs: pe, and the indices that hang on it."""
    ours = await solve((examples / "ex2").read_text())
    reference = (examples / "reference_out" / "ex2.out").read_text()
    found = compare_outputs(ours, reference)
    assert found.aligned == 52 and found.same_states
    undetermined = {"pe", "SI(H2S(g))", "SI(Sulfur)", "SI(O2(g))", "SI(H2(g))"}
    assert {each.quantity for each in found.differences if each.states} <= undetermined
    assert compare_outputs(
        ours, reference, quantities=["pH", "Ca", "SI(Anhydrite)", "moles(Gypsum)"]
    ).identical


@pytest.mark.parametrize("name", ["ex3", "ex5", "ex7", "ex9", "ex11", "ex14", "ex16", "ex18", "ex21"])
def test_every_reference_output_equals_itself_and_its_mirror(examples: Path, name: str) -> None:
    text = (examples / "reference_out" / f"{name}.out").read_text(errors="replace")
    same = compare_outputs(text, text)
    assert same.identical and same.states_a == same.aligned >= len(outline_output(text).states)
    other = (examples / "reference_out" / "ex7.out").read_text(errors="replace")
    assert unordered(mirrored(compare_outputs(text, other))) == unordered(compare_outputs(other, text))
    assert len(to_text(compare_outputs(text, other))) <= 3000


def test_inverse_models_are_compared_by_their_transfers_and_else_as_text(examples: Path) -> None:
    text = (examples / "reference_out" / "ex16.out").read_text(errors="replace")
    changed = re.sub(r"(\n +Kaolinite +)\S+", r"\g<1>-9.999e-05", text, count=1)
    assert changed != text
    found = compare_outputs(text, changed)
    (difference,) = found.differences
    assert (difference.quantity, difference.unit) == ("transfer(Kaolinite)", "mol")
    assert (difference.a, difference.b, difference.place_a.label) == (-3.392e-05, -9.999e-05, "model 1")
    moved = text.replace("7.828e-04  +   0.000e+00", "7.829e-04  +   0.000e+00", 1)
    found = compare_outputs(text, moved)
    (other,) = found.other_text
    assert other.name == "Solution 1" and other.states == 1 and other.place_a.label == "model 1"
    assert not found.identical


async def test_refusals(solve: Solve) -> None:
    text = await solve(HEATING.format("25"))
    for a, b, side in ((text, "SOLUTION 1\nEND\n", "B"), ("", text, "A"), ("", "", "A")):
        with pytest.raises(LabrigError, match=f"Output {side} has no states") as error:
            compare_outputs(a, b)
        assert error.value.code == "not_found"
    with pytest.raises(LabrigError) as error:
        compare_outputs(text, text, quantities=["pH", "SI(Gypsun)"])
    assert "SI(Gypsum)" in error.value.try_
    arguments: list[dict[str, Any]] = [
        {"relative": -1},
        {"absolute": math.nan},
        {"limit": 0},
        {"quantities": []},
    ]
    for wrong in arguments:
        with pytest.raises(LabrigError):
            compare_outputs(text, text, **wrong)
    exact = compare_outputs(text, text.replace("25.00", "25.01"), relative=0.0, absolute=0.0)
    assert exact.differing == 1


def _state(number: int, step: int, pH: float, calcium: float, phase: str) -> str:
    heading = "{:-^79}".format
    return (
        f"Reaction step {step}.\n\n{heading('Solution composition')}\n\n\tElements           Molality       Moles\n\n"
        f"\tCa                {calcium:.3e}   {calcium:.3e}\n\n{heading('Description of solution')}\n\n"
        f"                                       pH  = {pH:7.3f}\n\n{heading('Saturation indices')}\n\n"
        "  Phase               SI** log IAP   log K(298 K,   1 atm)\n\n"
        f"  {phase:<15}{pH - 8:7.2f}{number:9.2f}    -8.48  X\n\n"
    )


def _output(states: list[tuple[float, float, str]], simulations: int) -> str:
    """An output in the shape of PHREEQC's, its states dealt to some simulations."""
    rule = "-" * 36
    parts = []
    for number in range(simulations):
        chosen = states[number::simulations]
        box = "-" * 39
        parts.append(f"{rule}\nReading input data for simulation {number + 1}.\n{rule}\n\n")
        parts.append(f"{box}\nBeginning of batch-reaction calculations.\n{box}\n\n")
        parts += [_state(number, step, *each) for step, each in enumerate(chosen, 1)]
    return "".join(parts)


_STATES = st.lists(
    st.tuples(
        st.sampled_from([6.9, 7.0, 7.001, 8.2]),
        st.sampled_from([0.0, 1e-12, 1e-3, 1.001e-3, 2e-2]),
        st.sampled_from(["Calcite", "Gypsum"]),
    ),
    min_size=1,
    max_size=7,
)


@pytest.mark.accept
@settings(max_examples=2 * settings.default.max_examples)
@given(_STATES, _STATES, st.integers(1, 3), st.integers(1, 3))
def test_exchanging_the_outputs_mirrors_the_result(a: Any, b: Any, n: int, m: int) -> None:
    text_a, text_b = _output(a, n), _output(b, m)
    found = compare_outputs(text_a, text_b)
    assert (found.states_a, found.states_b) == (len(a), len(b))
    assert found.aligned + len(found.only_in_a) == len(a)
    assert found.aligned + len(found.only_in_b) == len(b)
    back = compare_outputs(text_b, text_a)
    for one, other in zip(mirrored(found).differences, back.differences, strict=True):
        # Of two equally important places, neither comes first when simulations have changed places.
        assert (one.quantity, one.importance, one.states) == (other.quantity, other.importance, other.states)
    assert replace(unordered(mirrored(found)), differences=(), one_sided=()) == replace(
        unordered(back), differences=(), one_sided=()
    )
    assert found.identical == (mirrored(found).identical and back.identical)
    assert len(to_text(found)) <= 3000
    assert compare_outputs(text_a, text_a).identical


@given(st.text(max_size=400), st.lists(st.sampled_from(HEATING.split()), max_size=5))
def test_any_text_is_compared_or_refused(noise: str, words: list[str]) -> None:
    text = _output([(7.0, 1e-3, "Calcite")], 1) + noise + " ".join(words)
    assert compare_outputs(text, text).identical
    try:
        compare_outputs(noise, text)
    except LabrigError as error:
        assert "no states" in error.what
