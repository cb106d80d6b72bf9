"""The check of an input, against closed forms and against the engine asked directly."""

from __future__ import annotations

from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_phreeqc.checks.input_check import MAX_SOLUTIONS, InputCheck, check_input, stray_lines
from labrig_phreeqc.checks.input_notices import input_notices
from labrig_phreeqc.checks.run_notices import run_notices
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Limits, Run
from labrig_phreeqc.output.outline_reading import outline_output


async def check(text: str, database: str = "phreeqc.dat") -> InputCheck:
    async with Engine() as engine:
        return await check_input(text, database, engine, Limits())


class Counting(Engine):
    """An engine that keeps what it ran."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def run(
        self,
        input_text: str,
        database: str = "phreeqc.dat",
        limits: Limits | None = None,
        *,
        queue_s: float = 20.0,
    ) -> Run:
        self.texts.append(input_text)
        return await super().run(input_text, database, limits, queue_s=queue_s)


async def test_a_planted_charge_error_is_found(databases: Path) -> None:
    text = "SOLUTION 1 ten percent more\n Na 110\n Cl 100\n temp 30\n -water 0.5\nSOLUTION 2\n Na 90\n Cl 100\nEND"
    more, less = (await check(text)).solutions
    assert more.charge_error == pytest.approx((1.1 - 1) / (1.1 + 1) * 100, abs=1e-3)
    assert less.charge_error == pytest.approx((0.9 - 1) / (0.9 + 1) * 100, abs=1e-3)
    assert more.charge_balance == pytest.approx(0.01, abs=2e-7)  # eq/kgw, in half a kilogram too
    assert less.charge_balance == pytest.approx(-0.01, abs=2e-7)
    assert (more.status, more.pH, more.pe, more.temperature) == ("ok", 7, 4, 30)
    assert more.ionic_strength == pytest.approx(0.105, rel=1e-4)
    assert (more.name, more.description, more.line) == ("SOLUTION 1", "ten percent more", 1)


async def test_the_pH_that_charge_makes_is_the_engine_s_own(databases: Path) -> None:
    water = " Na 1\n Ca 2\n C 3\n Cl 2.5\n"
    for stated in ("", " pH 7.3\n", " -ph 6 # from the field\n"):
        text = f"SOLUTION 4\n{stated}{water}REACTION\n NaOH 1\n 1 mol\nEND"
        (found,) = (await check(text)).solutions
        async with Engine() as engine:
            run = await engine.run(
                f"SELECTED_OUTPUT\n-reset false\n-high_precision true\n-pH true\nSOLUTION 4\n pH 7 charge\n{water}END"
            )
        neutral = run.selected[0].rows[0][0]
        assert found.neutral_pH == pytest.approx(neutral, abs=1e-6)
        assert found.pH is not None and found.pH_change == pytest.approx(
            float(neutral or 0) - found.pH, abs=1e-6
        )
        assert not found.no_neutral_pH


WITHOUT = [
    ("Na 1\n Cl 1 charge", "the input has Cl adjusted to charge balance"),
    ("pH 7 charge\n Na 1", "the input has pH adjusted to charge balance"),
    ("pH 7 Calcite\n Ca 1\n C 1", "the input has pH adjusted to Calcite"),
    (
        "Na 1\n Alkalinity 1",
        "Alkalinity is given, with which PHREEQC does not adjust the pH to charge balance",
    ),
    ("Na 30000", "no pH makes it neutral: PHREEQC ends with not_converged"),
]


async def test_why_there_is_no_neutral_pH(databases: Path) -> None:
    text = "".join(f"SOLUTION {number}\n {lines}\n" for number, (lines, _) in enumerate(WITHOUT)) + "END"
    found = (await check(text)).solutions
    assert [each.no_neutral_pH for each in found] == [why for _, why in WITHOUT]
    assert all(each.status == "ok" and each.neutral_pH is None and each.pH_change is None for each in found)
    async with Engine() as engine:  # and PHREEQC does refuse it
        run = await engine.run("SOLUTION 1\n pH 7 charge\n Na 1\n Alkalinity 1\nEND")
    assert not run.solved


async def test_one_solution_that_fails_does_not_take_the_others_along(databases: Path) -> None:
    text = "SOLUTION 1\n Na 1\nSOLUTION 2\n pH 20\n Na 1\nSOLUTION 3\n Na <1\nSOLUTION 4\n K 1\nSOLUTION 5\n K nan\nEND"
    first, hot, broken, last, nan = (await check(text)).solutions
    assert first.status == last.status == "ok" and last.charge_error == pytest.approx(99.98, abs=0.01)
    assert hot.status == "not_converged" and hot.pH is None
    assert hot.errors[0].startswith("Na has not converged.")
    assert broken.status == "input_error" and "(line 7: Na <1)" in broken.errors[0]
    assert nan.status == "not_a_number" and nan.charge_error is None


async def test_nothing_but_the_solutions_is_run(databases: Path, examples: Path) -> None:
    refused = "EQUILIBRIUM_PHASES\n NoSuchPhase 0 1\nKINETICS\n NoRate\n -steps 1\nEND\nMIX\n 9 1\nEND"
    found = await check(f"SOLUTION 1\n Na 1\n Cl 1\n{refused}")
    assert found.solutions[0].status == "ok" and not found.warnings and not found.doubtful
    seawater = await check((examples / "ex1").read_text())  # defines its uranium
    assert seawater.solutions[0].ionic_strength == pytest.approx(0.6704, abs=1e-4)
    assert seawater.solutions[0].charge_error == pytest.approx(0.07, abs=0.01)
    assert not seawater.ignored and not seawater.doubtful and not seawater.input_notices.doubtful
    iron = await check((examples / "ex9").read_text())
    assert iron.solutions[0].status == "ok" and not iron.ignored


async def test_definitions_count_in_their_simulation(databases: Path) -> None:
    water = "SOLUTION 1\n Na 1\n Cl 1\n Xx 1\nEND\n"
    own = "SOLUTION_MASTER_SPECIES\nXx Xx+ 0 50 50\nSOLUTION_SPECIES\nXx+ = Xx+\n log_k 0\n"
    found = await check(water + own + water)
    before, after = found.solutions
    assert before.charge_error == pytest.approx(0, abs=0.01)
    assert after.charge_error == pytest.approx(100 / 3, abs=0.01)
    assert found.ignored == (
        "Could not find element in database, Xx. Concentration is set to zero. (line 4: Xx 1)",
    )
    named = [each.solutions for each in found.input_notices.defaults]
    assert named == [("SOLUTION 1 (line 1)", "SOLUTION 1 (line 11)")]


async def test_misspelt_keywords_and_dropped_elements_keep_their_lines(databases: Path) -> None:
    text = (
        "TITLE a line of text\nSOLUTIONS OF SALT\nSOLUTIN 7\n\nSOLUTION 1\n Na 1; Cl 1 # c\n Zz 3\n"
        "EQUILIBRIUM_PHASS 1\n Calcite 0 10\nEND\n stray 1\nREACTON 2\n more\nEND\n"
    )
    found = await check(text)
    assert [each.partition(":")[0] for each in found.ignored[:3]] == ["line 8", "line 11", "line 12"]
    assert found.ignored[0].endswith("is read as part of SOLUTION; the nearest keyword is EQUILIBRIUM_PHASES")
    assert found.ignored[2].endswith(
        "stands under no keyword and is ignored; the nearest keyword is REACTION"
    )
    assert any("Zz" in each and "(line 7: Zz 3)" in each for each in found.ignored)
    assert stray_lines("SOLUTIN 1\n Na 1\n Cl 1\n")[0].startswith(
        "line 1: 'SOLUTIN 1' stands under no keyword"
    )
    assert len(stray_lines("SOLUTIN 1\n Na 1\n Cl 1\n")) == 1
    for name in ("SOLUTION 1\n isotope 13C 1\n", "INVERSE_MODELING\n solutions 1 2\n"):
        assert not stray_lines(name)


async def test_many_solutions_take_few_runs_and_the_rest_is_counted(databases: Path) -> None:
    rows = "\n".join(f"{n}\t{7 + n / 100}\t{n}\t{n}" for n in range(1, 61))
    text = f"SOLUTION_SPREAD\n-units mg/L\nNumber\tpH\tNa\tCl\n{rows}\nEND"
    async with Counting() as engine:
        found = await check_input(text, "phreeqc.dat", engine, Limits())
    assert len(engine.texts) == 2
    assert (len(found.solutions), found.unchecked) == (MAX_SOLUTIONS, 10)
    assert [each.pH for each in found.solutions] == pytest.approx([7 + n / 100 for n in range(1, 51)])
    assert found.solutions[49].line == 53 and found.solutions[49].neutral_pH is not None


async def test_what_is_beyond_the_model_names_the_solution(databases: Path) -> None:
    text = "SOLUTION 1\n Na 1\nEND\nSOLUTION 7\n units mol/kgw\n Na 3\n Cl 3\nEND"
    found = await check(text)
    alone, doubt = found.doubtful
    assert alone == "SOLUTION 1 (line 1): charge error 100.0 %"
    assert doubt.startswith("ionic strength 3 mol/kgw is beyond") and doubt.endswith(": SOLUTION 7 (line 4)")
    assert found.source.startswith("PHREEQC ") and "phreeqc.dat" in found.source


async def test_an_input_without_solutions_and_an_unknown_database(databases: Path) -> None:
    found = await check("TITLE nothing\nEND")
    assert not found.solutions and not found.source and not found.ignored
    with pytest.raises(LabrigError, match="database"):
        await check("SOLUTION 1\nEND", "phreeq")


async def test_a_solution_that_is_refused_or_does_not_converge_is_doubted(databases: Path) -> None:
    refused = await check("SOLUTION 1\n ca 1\nEND\nSOLUTION 2\n Na 1\n Cl 1\nEND")
    assert [each.partition(": ")[0] for each in refused.doubtful] == ["SOLUTION 1 (line 1)"]
    assert refused.doubtful[0].startswith("SOLUTION 1 (line 1): input_error: ")
    lost = await check("SOLUTION 4\n pH -3\n Na 1\nEND")
    assert any(each.startswith("SOLUTION 4 (line 1): not_converged") for each in lost.doubtful)
    assert not (await check("SOLUTION 1\n Na 1\n Cl 0.95\nEND")).doubtful


async def test_what_charge_and_phases_make_of_a_value_is_said(databases: Path) -> None:
    text = "SOLUTION 1\n Na 100\n Cl 1 charge\n C 1 CO2(g) -3\n pe 4 O2(g) -0.7\n"
    text += "SOLUTION 2\n pH 7 charge\n Na 10\n C 8\nSOLUTION 3\n units mg/L\n Na 230\n Cl 35 charge\n"
    text += "SOLUTION 4\n Na 1\n Cl 1 charge\nSOLUTION 5\n pH 7 charge\n Na 1\n Cl 1\nEND"
    said = (
        "SOLUTION 1 (line 1): pe was 4, equilibrium with O2(g) made it 13.623",
        "SOLUTION 1 (line 1): Cl was 1 mmol/kgw, charge balance made it 99.8",
        "SOLUTION 1 (line 1): C was 1 mmol/kgw, equilibrium with CO2(g) made it 0.2349",
        "SOLUTION 2 (line 6): pH was 7, charge balance made it 9.699",
        "SOLUTION 3 (line 10): Cl was 35 mg/L, charge balance made it 10.01 mmol/kgw",
    )
    facts = (await check(text)).input_notices.counted_as
    assert tuple(each for each in facts if "made it" in each) == said
    async with Engine() as engine:
        run = await engine.run(text)
    assert run_notices(text, input_notices(text, run.database), run, outline_output(run.output)).assumed()[
        "adjusted"
    ] == list(said)
