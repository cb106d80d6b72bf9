"""Doubts about results, against runs that show what is wrong with them and runs that have nothing wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from labrig_phreeqc.checks.output_notices import IONIC_STRENGTH, output_notices, unprinted
from labrig_phreeqc.checks.state_notices import state_notices as output_doubts
from labrig_phreeqc.database.databases import list_databases
from labrig_phreeqc.database.definitions import activity_model
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.series import series

pytestmark = pytest.mark.asyncio(loop_scope="session")


BRINE = "SOLUTION 1\n units mol/kgw\n Na {0}\n Cl {0}\n{1}\nEND"


async def doubts(engine: Engine, text: str, database: str = "phreeqc.dat") -> list[str]:
    run = await engine.run(text, database)
    assert run.solved, run.errors
    return [str(each) for each in output_notices(run, outline_output(run.output), text)]


def test_activity_models_are_those_the_databases_are_known_for(databases: Path) -> None:
    models = {each.name: activity_model(each.path) for each in list_databases()}
    for name, model in models.items():
        about = next(each.description for each in list_databases() if each.name == name)
        for word, expected in (("Pitzer", "Pitzer"), ("SIT", "SIT"), ("extended Debye", "B-dot")):
            assert (word in about) == (model == expected) or "add-on" in about or not about, name
    assert activity_model(databases / "phreeqc.dat", "PITZER\n-B0\n") == "Pitzer"
    assert [name for name, model in models.items() if model == "Davies"] == ["minteq.v4.dat"]


async def test_a_database_with_davies_alone_is_doubted_from_half_a_mole(engine: Engine) -> None:
    brine = BRINE.format(0.7, " Ca 1e-4\n Mg 1e-4")
    run = await engine.run(brine, "minteq.v4.dat")
    gammas = {each[0]: each[5] for line in run.output.split("\n") if len(each := line.split()) > 5}
    assert gammas["Ca+2"] == gammas["Mg+2"] and gammas["Na+"] == gammas["Cl-"]  # by charge alone
    (doubt,) = output_notices(run, outline_output(run.output), brine)
    assert str(doubt).startswith(
        "ionic strength 0.7 mol/kgw is beyond the Davies model of minteq.v4.dat (to about 0.5)"
    )
    assert not await doubts(engine, brine, "minteq.dat")


@pytest.mark.accept
async def test_seawater_is_within_the_model_and_a_molal_brine_is_not(examples: Path, engine: Engine) -> None:
    assert not await doubts(engine, (examples / "ex1").read_text())
    assert not await doubts(engine, BRINE.format(0.99, ""))
    (doubt,) = await doubts(engine, BRINE.format(1.0, ""))
    assert doubt.startswith(
        "ionic strength 1 mol/kgw is beyond the ion association model of phreeqc.dat (to about 1); "
        "pitzer.dat and sit.dat hold all elements in it: initial solution 1, L"
    )
    assert "B-dot model of llnl.dat" in (await doubts(engine, BRINE.format(6.1, ""), "llnl.dat"))[0]
    assert not await doubts(engine, BRINE.format(3, ""), "sit.dat")
    assert "SIT model" in (await doubts(engine, BRINE.format(4, ""), "sit.dat"))[0]
    assert not await doubts(engine, BRINE.format(6.1, ""), "pitzer.dat")


@pytest.mark.parametrize(
    ("strength", "elements", "said"),
    [
        (2, " Al 1e-6\n Cd 1e-6", "; sit.dat holds all elements in it: "),
        (2, " Fe 1e-6\n Br 1e-3", "; pitzer.dat and sit.dat hold"),
        (2, " Li 1e-3\n Zn 1e-6", None),
        (5, " Al 1e-6\n Cd 1e-6", "; pitzer.dat lacks Al, Cd: "),
    ],
)
async def test_another_database_is_named_only_if_it_has_every_element(
    databases: Path, strength: float, elements: str, said: str | None, engine: Engine
) -> None:
    (doubt,) = await doubts(engine, BRINE.format(strength, elements))
    if said is not None:
        assert said in doubt
    wanted = {"Na", "Cl", *elements.split()[::2]}
    for name in ("pitzer.dat", "sit.dat"):
        holds = wanted <= {each.name for each in read(databases / name).elements}
        fit = strength < IONIC_STRENGTH[activity_model(databases / name)]
        assert (name in doubt.partition(" hold")[0] and " hold" in doubt) == (holds and fit), (name, doubt)


async def test_a_cold_brine_is_shown_frezchem_alone(engine: Engine) -> None:
    (doubt,) = await doubts(engine, BRINE.format(4, " temp -10"))
    assert "; frezchem.dat holds all elements in it" in doubt


GYPSUM = "SOLUTION 1\n{}EQUILIBRIUM_PHASES\n Gypsum\n{}REACTION\n {} 1\n {} moles\nEND"
UNPOISED = [
    ("", ""),
    (" Na 5\n Cl 5\n", " CO2(g) -2\n Calcite\n"),
    (" Fe(2) 0.001\n", ""),
]
POISED = [
    (" pe 12 O2(g) -0.7\n", ""),
    ("", " O2(g) -0.7\n"),
    (" Fe(2) 0.1\n Fe(3) 0.1\n pH 3\n", ""),
    ("", " Goethite 0 1\n Pyrite 0 1\n"),
    ("", " H2(g) -3\n"),
]


@pytest.mark.parametrize(
    ("water", "phases", "loose"), [(*c, True) for c in UNPOISED] + [(*c, False) for c in POISED]
)
async def test_pe_is_doubted_where_a_nanomole_moves_it(
    databases: Path, water: str, phases: str, loose: bool, engine: Engine
) -> None:
    texts = [
        GYPSUM.format(water, phases, gas, moles) for gas, moles in (("O2", 0), ("O2", 1e-9), ("H2", 1e-9))
    ]
    runs = [await engine.run(text) for text in texts]
    assert all(run.solved for run in runs)
    outlines = [outline_output(run.output) for run in runs]
    _, oxidised, reduced = (tree.states[-1].pe or 0.0 for tree in outlines)
    found = [
        each
        for each in output_notices(runs[0], outlines[0], texts[0])
        if each.message.startswith("pe is not")
    ]
    assert (oxidised - reduced > 5) == bool(found) == loose, (oxidised, reduced)
    for finding in found:
        assert [state.stage for state in finding.states] == ["batch-reaction"]


SEAWATER = (
    "SOLUTION 1\n units ppm\n pH 8.22\n pe 8.451\n density 1.023\n Ca 412.3\n Mg 1291.8\n Na 10768\n K 399.1\n"
    " Cl 19353\n Alkalinity 141.682 as HCO3\n S(6) 2712\n"
)
GROUNDWATER = (
    "SOLUTION 1\n pH 7.2\n temp 12\n units mg/L\n Ca 80\n Mg 12\n Na 15\n Cl 25\n S(6) 40\n"
    " Alkalinity 250 as HCO3\nEQUILIBRIUM_PHASES\n Calcite\n"
)
SALT = "REACTION\n NaCl 1\n 1 mmol\n"


@pytest.mark.parametrize(
    ("water", "database", "loose"),
    [
        (f"SOLUTION 1\n pH 7\n{SALT}", "phreeqc.dat", True),  # O(0) 4e-12 by chance
        (f"{SEAWATER}REACTION\n H2O -1\n 50 in 60 steps\n", "phreeqc.dat", True),
        (f"{GROUNDWATER}REACTION\n CaCl2 1\n 5 mmol in 5 steps\n", "wateq4f.dat", True),
        (f"SOLUTION 1\n pH 3\n Cl 1\n Fe(2) 1\n Fe(3) 1e-7\n{SALT}", "phreeqc.dat", True),
        (f"SOLUTION 1\n pe 4 O2(g) -0.7\n Na 1\n Cl 1\n{SALT}", "phreeqc.dat", False),
        (f"SOLUTION 1\n O(0) 1e-5\n Na 1\n Cl 1\n{SALT}", "phreeqc.dat", False),
        (f"SOLUTION 1\n pH 3\n Fe(2) 1e-3\n Fe(3) 1e-3\n Na 1\n Cl 1\n{SALT}", "phreeqc.dat", False),
        (f"SOLUTION 1\n S(6) 1e-4\n S(-2) 1e-4\n Na 1\n Cl 1\n{SALT}", "phreeqc.dat", False),
        (f"SOLUTION 1\n S(6) 1\n S(-2) 1e-6\n Na 2\n{SALT}", "phreeqc.dat", False),
    ],
)
async def test_the_convergence_tolerance_does_not_decide_which_pe_is_doubted(
    databases: Path, water: str, database: str, loose: bool, engine: Engine
) -> None:
    doubted = []
    for knobs in ("", "KNOBS\n -convergence_tolerance 1e-12\n"):
        run = await engine.run(f"{knobs}{water}END", database)
        assert run.solved, run.errors
        tree = outline_output(run.output)
        reacted = {state.label for state in tree.states if not state.stage.startswith("initial")}
        found = [each for each in output_notices(run, tree, water) if each.message.startswith("pe is not")]
        about = {state.label for each in found for state in each.states}
        assert about == (reacted if loose else set())
        doubted.append(about)
    assert doubted[0] == doubted[1]


async def test_a_looser_convergence_tolerance_doubts_more(engine: Engine) -> None:
    water = f"SOLUTION 1\n O(0) 1e-5\n Na 1\n Cl 1\n{SALT}END"
    assert not await doubts(engine, water)
    (doubt,) = await doubts(engine, "KNOBS\n -convergence_tolerance 1e-6\n" + water)
    assert "2e-07 mol/kgw of electrons" in doubt


async def test_selected_output_is_looked_at_where_nothing_is_printed(engine: Engine) -> None:
    columns = "SELECTED_OUTPUT 3\n -reset false\n -percent_error\n -ionic_strength\n -pH\n -temperature\n"
    salt = "SOLUTION 1\n Na 1\nSOLUTION 2\n units mol/kgw\n Na 7\n Cl 7\nEND"
    run = await engine.run(f"PRINT\n -reset false\n{columns}{salt}")
    tree = outline_output(run.output)
    assert run.status == "ok" and not tree.states
    assert output_doubts(run, tree) == ["charge error up to 100.0 % in SELECTED_OUTPUT 3, row 1"]
    (strength,) = unprinted(run, tree, salt)
    assert strength.startswith("ionic strength 7 mol/kgw is beyond") and strength.endswith("row 2")
    printed = await engine.run(columns + salt)
    assert not unprinted(printed, outline_output(printed.output), salt)
    assert len(output_doubts(printed, outline_output(printed.output))) == 1
    silent = await engine.run(f"PRINT\n -reset false\n{salt}")
    (nothing,) = output_doubts(silent, outline_output(silent.output))
    assert nothing.startswith("Nothing was printed: the input has PRINT -reset false and no SELECTED_OUTPUT")
    (none,) = output_doubts(empty := await engine.run("TITLE nothing\nEND"), outline_output(empty.output))
    assert none.startswith("No state was computed")
    cold = await engine.run(f"PRINT\n -reset false\n{columns}SOLUTION 1\n temp 60\nEND", "frezchem.dat")
    assert unprinted(cold, outline_output(cold.output))[0].startswith(
        "60 degC is above what frezchem.dat is for"
    )


async def test_a_reaction_too_warm_for_a_cold_database_is_doubted(engine: Engine) -> None:
    text = "SOLUTION 1\n Na 1\n Cl 1\nREACTION_TEMPERATURE\n {}\nEND"
    (warm,) = [
        each for each in await doubts(engine, text.format(60), "frezchem.dat") if "degC is above" in each
    ]
    assert warm.startswith("60 degC is above what frezchem.dat is for (to 25): step 1")
    assert not any("degC is above" in each for each in await doubts(engine, text.format(25), "frezchem.dat"))


SORBED = "SOLUTION 1\n Na {}\n Cl 1\n pH 8\n Zn 0.1\nSURFACE 1\n Hfo_w 1e-2 600 1\n{}END\nUSE solution 1\n"
SORBED += "USE surface 1\nREACTION\n HCl 1\n 3e-3\nEND"


@pytest.mark.parametrize("electrostatics", ["", " -no_edl\n"])
async def test_a_surface_counts_with_its_solution(
    databases: Path, electrostatics: str, engine: Engine
) -> None:
    for sodium, wrong in ((0.8, False), (5, True)):
        run = await engine.run(SORBED.format(sodium, electrostatics))
        tree = outline_output(run.output)
        assert run.solved and abs(tree.states[-1].charge_error or 0) > 5
        said = [each for each in output_doubts(run, tree) if "surface 1" in each]
        assert bool(said) == wrong, said


async def test_a_state_that_did_not_converge_has_no_charge_error_to_doubt(engine: Engine) -> None:
    run = await engine.run("SOLUTION 1\n Na 1\n Cl 1\nEND\nSOLUTION 2\n pH -3\n Na 1\nEND")
    tree = outline_output(run.output)
    assert run.status == "not_converged" and abs(tree.states[-1].charge_error or 0) > 5
    assert not any("charge error" in each for each in output_doubts(run, tree))


async def test_pe_is_not_doubted_where_it_is_input_or_without_effect(engine: Engine) -> None:
    assert not await doubts(engine, "SOLUTION 1\n Na 1\n Cl 1\nEND")
    calcite = "SOLUTION 1\n Na 1\n Cl 1\nEQUILIBRIUM_PHASES\n Calcite\nEND"
    assert (await doubts(engine, calcite))[0].startswith("pe is not determined")
    assert not await doubts(engine, calcite, "pitzer.dat")
    fixed = "PHASES\nFix_pe\n e- = e-\n log_k 0\nSOLUTION 1\n Na 1\n Cl 1\nEQUILIBRIUM_PHASES\n Fix_pe -5 O2 1\nEND"
    assert not await doubts(engine, fixed)


HOT = "SOLUTION 1\n temp {}\n pH 7\n pe -2\n Na 20\n K 1\n Al 0.003\n Si 8\n C 2\n Cl 20 charge\nEND"


async def test_log_k_far_from_25_degrees_is_doubted_where_the_database_has_no_more(engine: Engine) -> None:
    (doubt,) = await doubts(engine, HOT.format(200))
    assert doubt.startswith("log K of ") and "Albite" in doubt
    assert " at 200 degC is carried from 25 degC with a constant enthalpy (no fit given): initial" in doubt
    assert not await doubts(engine, HOT.format(60))
    assert not await doubts(engine, HOT.format(200), "llnl.dat")
    indices = []
    for database in ("phreeqc.dat", "llnl.dat"):
        run = await engine.run(HOT.format(200), database)
        indices.append(series(run.output, ["SI(Albite)"]).column("SI(Albite)")[0])
    low, high = indices
    assert isinstance(low, float) and isinstance(high, float) and high - low > 2.5  # wrong indeed


async def test_a_stated_range_counts_for_what_is_brought_to_equilibrium(
    databases: Path, engine: Engine
) -> None:
    anhydrite = "SOLUTION 1\n temp {}\n Ca 1\n S(6) 1\nEQUILIBRIUM_PHASES\n Anhydrite\nEND"
    (phase,) = [each for each in read(databases / "phreeqc.dat").phases if each.name == "Anhydrite"]
    assert phase.temperature_range == (50.0, 160.0)
    said = "log K of Anhydrite at 30 degC is outside the range stated for it: step 1, L"
    assert any(each.startswith(said) for each in await doubts(engine, anhydrite.format(30)))
    assert not any("log K" in each for each in await doubts(engine, anhydrite.format(60)))
    assert not await doubts(engine, "SOLUTION 1\n Ca 1\n S(6) 1\nEND")


async def test_what_the_input_defines_is_looked_at_too(engine: Engine) -> None:
    own = "PHASES\nMine\n NaCl = Na+ + Cl-\n log_k -5\nSOLUTION 1\n temp 60\n Na 5\n Cl 5\nEND"
    assert any(
        "log K of Mine at 60 degC is that of 25 degC (no enthalpy" in each
        for each in await doubts(engine, own)
    )


async def test_a_result_that_is_not_a_number_is_none(engine: Engine) -> None:
    (doubt,) = await doubts(engine, "SOLUTION 1\n Na nan\n Cl 5\nEND")
    assert doubt.startswith(
        "ionic strength, charge error is not a number: no value of these states is a result"
    )


async def test_a_state_that_did_not_converge_is_no_result_to_doubt(engine: Engine) -> None:
    run = await engine.run("SOLUTION 1\n Na 1\nEND\nSOLUTION 2\n pH -3\n Na 1\nEND")
    tree = outline_output(run.output)
    assert run.status == "not_converged" and (tree.states[-1].ionic_strength or 0) > 1
    assert not output_notices(run, tree)


async def test_states_that_share_a_doubt_are_said_once_and_printing_less_claims_nothing(
    examples: Path, engine: Engine
) -> None:
    text = (examples / "ex2").read_text()
    found = await doubts(engine, text)
    assert len(found) == 2
    assert ": 51 states from step 1, L" in found[0] and " to step 51, L" in found[0]
    assert found[1].startswith("log K of Anhydrite at 25 to 49 degC is outside the range")
    assert not await doubts(engine, "PRINT\n -reset false\n" + text)
    assert not await doubts(engine, "PRINT\n -species false\n -equilibrium_phases false\n" + text)
