"""What PHREEQC assumes, against what the engine does with the same input."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig_phreeqc.checks.input_notices import REPORTED_OTHERWISE, InputNotices, input_notices
from labrig_phreeqc.checks.run_notices import run_notices
from labrig_phreeqc.database.databases import OFFICIAL_SHA256, find_database
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.database.valences import Network, terms, valence_state
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Cell, Run
from labrig_phreeqc.output.key_values import key_values
from labrig_phreeqc.output.outline_reading import outline_output

pytestmark = pytest.mark.asyncio(loop_scope="session")


THERMODDEM = "PHREEQC_ThermoddemV1.10_15Dec2020.dat"


def assumed(text: str, database: str = "phreeqc.dat") -> InputNotices:
    return input_notices(text, find_database(database))


async def first_row(
    engine: Engine, text: str, options: str, database: str = "phreeqc.dat"
) -> dict[str, Cell]:
    run = await engine.run(
        f"SELECTED_OUTPUT\n-reset false\n-high_precision true\n{options}\n{text}", database
    )
    assert run.solved, (text, run.errors)
    return dict(zip(run.selected[0].columns, run.selected[0].rows[0], strict=True))


def warned(run: Run, text: str) -> tuple[str, ...]:
    return run_notices(text, input_notices(text, run.database), run, outline_output(run.output)).doubtful


async def test_a_plain_mineral_takes_no_heavy_isotopes_and_that_is_said(engine: Engine) -> None:
    water = "SOLUTION 1\n pH 8\n Ca 1\n C(4) 2\n [13C](4) -10\n"
    plain = f"{water}EQUILIBRIUM_PHASES 1\n Calcite 0 10\n Gypsum 0 0\n CO2(g) -2\nEND"
    run = await engine.run(plain, "iso.dat")
    calcite, gas = [each for each in warned(run, plain) if "carries no" in each]
    assert (
        calcite.startswith("line 7: Calcite carries no [13C]:")
        and "Ca[13C]O3(s) in a SOLID_SOLUTIONS" in calcite
    )
    assert gas.startswith("line 9: CO2(g)") and "[13C]O2(g) in a GAS_PHASE" in gas
    mixed = f"{water}SOLID_SOLUTIONS 1\n s\n -comp Calcite 0\n -comp Ca[13C]O3(s) 0\nEND"
    none = plain.replace(" [13C](4) -10\n", "")
    for text in (mixed, none):
        assert not [each for each in warned(await engine.run(text, "iso.dat"), text) if "carries no" in each]


async def test_an_ion_that_cannot_balance_the_charge_is_named(engine: Engine) -> None:
    impossible = "SOLUTION 1\n Na 5\n Cl 1 charge\n S(6) 10\nEND"
    run = await engine.run(impossible)
    assert run.status == "not_converged"
    assert any(
        "line 3: no amount of Cl balances the charge of SOLUTION 1" in each
        for each in warned(run, impossible)
    )
    possible = impossible.replace("Cl 1 charge", "Cl 1").replace("Na 5", "Na 5 charge")
    assert not [each for each in warned(await engine.run(possible), possible) if "balances" in each]


async def test_the_pe_of_stated_couples_is_said_beside_the_default(engine: Engine) -> None:
    text = "SOLUTION 1\n Fe(2) 1e-3\n Fe(3) 1e-4\n As 1e-3\n Na 1\n Cl 1\nEND"
    run = await engine.run(text, "wateq4f.dat")
    (said,) = run_notices(
        text, input_notices(text, run.database), run, outline_output(run.output)
    ).undetermined
    pe = re.search(r"Fe\(2\)/Fe\(3\) +(\S+)", run.output)
    assert (
        pe
        and f"divides As among valences, and the couples that are stated have another: Fe(2)/Fe(3) has {pe[1]}"
        in said
    )
    for other in (text.replace("Fe(2)", "pe 4; Fe(2)"), text.replace("As ", "As(5) ")):
        again = await engine.run(other, "wateq4f.dat")
        assert not run_notices(
            other, input_notices(other, again.database), again, outline_output(again.output)
        ).undetermined


def test_a_negative_delta_value_is_ordinary_and_a_negative_concentration_is_not() -> None:
    waters = "SOLUTION 1\n pH 8\n C 2\n [13C] -12\n D -50\n [14C] 80\nEND"
    assert not assumed(waters, "iso.dat").doubtful
    negative = assumed(waters.replace("80", "-80").replace("pH 8", "pH 8; S -2"), "iso.dat").doubtful
    assert negative == (
        "line 2: S is negative, and PHREEQC takes it as 0",
        "line 6: [14C] is negative in pmc, of which the least is 0",
    )


ISOTOPES_LEFT_OUT = {
    "Na 2\n [13C] -12": "PHREEQC leaves [13C] out: it is a ratio to C, and the solution has no C",
    "S(6) 1\n [34S] 3": "PHREEQC leaves [34S] out: it is a ratio to S, and the solution has S(6)",
    "C 2\n [13C](4) -12": "PHREEQC leaves [13C](4) out: it is a ratio to C(4), and the solution has C",
    "Alkalinity 2\n [13C] 1": "PHREEQC leaves [13C] out: it is a ratio to C, and the solution has Alkalinity",
    "C 2\n [13C] -1001": "[13C] -1001 permil is below the least there is, -1000, and PHREEQC leaves it out",
}


async def test_an_isotope_without_its_element_is_said_to_be_left_out(engine: Engine) -> None:
    for lines, said in ISOTOPES_LEFT_OUT.items():
        text = f"SOLUTION 1\n pH 8\n {lines}\nEND"
        assert said in {each.partition(": ")[2] for each in assumed(text, "iso.dat").doubtful}, lines
        assert "permil" not in (await engine.run(text, "iso.dat")).output  # no section Isotopes
    text = "SOLUTION 1\n pH 8\n C(4) 2\n S(6) 1\n [13C](4) -12\n [34S](6) -3\n D -50\n [18O] -8\nEND"
    output = (await engine.run(text, "iso.dat")).output
    assert len(re.findall(r"-\d\S+\s+permil", output)) == 4
    assert not assumed(text, "iso.dat").doubtful


def test_an_isotope_of_inverse_models_without_its_element_is_said(databases: Path) -> None:
    text = "SOLUTION 1\n pH 8\n {}\n -isotope 13C -12 1\n -i 34S(6) 9.7\n 18O -8 0.1\n 2H -50\nEND"
    said = "the isotope {} of inverse models is given, and the solution has no {}"
    assert assumed(text.format("Na 1")).doubtful == (
        f"line 4: {said.format('13C', 'C')}",
        f"line 5: {said.format('34S(6)', 'S')}",
    )
    for carbon in ("C 1", "C(4) 1", "Alkalinity 1"):
        assert not assumed(text.format(f"{carbon}\n S(6) 1")).doubtful


@pytest.mark.parametrize("database", ["phreeqc.dat", "pitzer.dat", "llnl.dat", "minteq.dat"])
def test_an_isotope_that_a_database_lacks_is_not_called_negative(databases: Path, database: str) -> None:
    doubts = assumed("SOLUTION 1\n pH 8\n C 2\n [13C] -12\n D 3\n Xx -1\nEND", database).doubtful
    assert doubts == (
        f"line 4: {database} has no [13C], and PHREEQC leaves it out; iso.dat has isotopes",
        f"line 5: {database} has no D, and PHREEQC leaves it out; iso.dat has isotopes",
    )  # of Xx, PHREEQC says itself that it is left out


def test_an_isotope_has_neither_the_unit_nor_the_mass_of_a_concentration(databases: Path) -> None:
    for units in ("meq/L", "g/L"):
        text = f"SOLUTION 1\n units {units}\n pH 8\n Cl 1\n S 1\n [34S] 12\nEND"
        found = assumed(text, "iso.dat")
        assert not [
            each for each in (*found.doubtful, *found.counted_as) if "34S" in each or "dissolved" in each
        ]


WATER_SPLITS = {
    ("phreeqc.dat", 22): "O2(g) at 10^33 atm",
    ("minteq.dat", 22): "O2(g) at 10^33 atm",  # which has no dissolved O2
    ("sit.dat", -12): "H2(g) at 10^10 atm",  # which writes H2(g) with electrons
    ("PHREEQC_ThermoddemV1.10_15Dec2020.dat", -12): "H2(g) at 10^10 atm",  # with O2
}


@pytest.mark.parametrize(("database", "pe"), WATER_SPLITS)
async def test_water_that_splits_is_said_however_a_database_writes_the_gas(
    databases: Path, database: str, pe: int
) -> None:
    text = f"SOLUTION 1\n pH 7\n pe {pe}\n Na 1\n Cl 1\nEND"
    (doubt,) = assumed(text, database).doubtful
    assert WATER_SPLITS[database, pe] in doubt
    if database == "sit.dat":
        async with Engine() as engine:
            assert re.search(r"H2\(g\) +10\.00", (await engine.run(text, database)).output)


def test_a_valence_state_that_a_database_lacks_does_not_contradict_the_element(databases: Path) -> None:
    text = "SOLUTION 1\n Fe 1\n Fe(2) 0.5\n Cl 2\nEND"
    assert any("which PHREEQC refuses" in each for each in assumed(text).doubtful)
    assert not assumed(text, "pitzer.dat").doubtful  # PHREEQC warns that it has no Fe(2), and goes on


@pytest.mark.parametrize("database", ["pitzer.dat", "core10.dat", "sit.dat", "iso.dat"])
async def test_a_density_is_left_to_phreeqc_only_where_it_has_volumes(
    databases: Path, database: str, engine: Engine
) -> None:
    brine = "SOLUTION 1\n units g/L\n{} Na 30\n Cl 46.3\nEND"
    offered = any("calculate" in each for each in assumed(brine.format(""), database).doubtful)
    run = await engine.run(brine.format(" density 1 calculate\n"), database)
    density = re.search(r"Density \(g/cm³\)  = +(\S+)", run.output)
    right = density is not None and abs(float(density[1]) - 1.0487) < 0.002
    assert offered == right


def test_nothing_is_doubted_in_the_official_examples(databases: Path, examples: Path) -> None:
    seen = 0
    for path in sorted(examples.glob("ex*")):
        if path.is_file() and not path.suffix:
            database = "iso.dat" if path.name.startswith("ex20") else "phreeqc.dat"
            found = assumed(path.read_text(), database)
            assert not found.doubtful, (path.name, found.doubtful)
            seen += bool(found.defaults or found.counted_as)
    assert seen > 8
    seawater = assumed((examples / "ex1").read_text())
    assert not seawater.defaults
    assert seawater.counted_as == (
        "line 15: Si in mg/kgs is counted as SiO2, 60.08 g/mol",
        "line 18: S(6) in mg/kgs is counted as SO4, 96.06 g/mol",
        "line 13: Fe without a valence is distributed over Fe(2), Fe(3) by the couple O(-2)/O(0)",
    )


async def test_defaults_are_those_of_the_engine(engine: Engine) -> None:
    text = "SOLUTION 1\n Na 1\n Cl 1\nSOLUTION 2-3\n pH 8\n units mg/L\n temp 10\n Na 1\n"
    text += "SOLUTION 4\n Ca 1\n C 1 Calcite\nEND"
    values = {each.solutions: each.values for each in assumed(text).defaults}
    assert values == {
        ("SOLUTION 1",): {"pH": 7.0, "pe": 4.0, "temperature": 25.0, "units": "mmol/kgw"},
        ("SOLUTION 2-3",): {"pe": 4.0, "density": 1.0},
        ("SOLUTION 4",): {"pH": 7.0, "pe": 4.0, "temperature": 25.0, "units": "mmol/kgw", "SI(Calcite)": 0.0},
    }
    assert str(assumed(text).defaults[1]) == "SOLUTION 2-3: pe 4, density 1 kg/L"
    said = "SOLUTION 1\n pH 7\n pe 4\n temp 25\n units mmol/kgw\n Na 1\n Cl 1\nEND"
    options = "-pH true\n-pe true\n-temperature true\n-ionic_strength true\n-totals Na Cl"
    silent = await first_row(engine, "SOLUTION 1\n Na 1\n Cl 1\nEND", options)
    assert silent == await first_row(engine, said, options)
    calcite = await first_row(engine, "SOLUTION 4\n Ca 1\n C 1 Calcite\nEND", "-si Calcite")
    assert calcite["si_Calcite"] == pytest.approx(0, abs=1e-6)


NITRATE = "SOLUTION 1\n units mg/L\n{}\n Na 20\n N 50 as NO3\nEND"


async def test_nitrate_without_pe_becomes_nitrogen_gas_and_that_is_said(engine: Engine) -> None:
    (doubt,) = assumed(NITRATE.format("")).doubtful
    among = "N(5), N(3), N(0), N(-3) by the default pe 4, nearly all N(0)"
    assert doubt == f"line 5: N as NO3 without a valence is distributed over {among}"
    row = await first_row(engine, NITRATE.format(""), "-totals N(5) N(0) N")
    assert row["N(0)(mol/kgw)"] == pytest.approx(row["N(mol/kgw)"], rel=1e-6)
    stated = assumed(NITRATE.format(" pe 4"))
    assert not stated.doubtful and any(
        "the pe 4 of the input, nearly all N(0)" in each for each in stated.counted_as
    )
    for redox in (" pe 14", " redox O(0)/O(-2)\n O(0) 8", " pe 12 O2(g) -0.7"):
        assert not assumed(NITRATE.format(redox)).doubtful
        said = any("without a valence" in each for each in assumed(NITRATE.format(redox)).counted_as)
        assert said == ("redox" in redox)
    assert not assumed(NITRATE.format("").replace("N 50 as NO3", "N(5) 50")).doubtful


def test_only_what_pe_makes_different_from_the_usual_is_a_doubt(databases: Path) -> None:
    found = assumed("SOLUTION 1\n Fe 1\n Mn 1\n N 1\n S 1\n C 1\n Cl 1\n Mn(2) 0\n Fe 1 O(-2)/O(0)\nEND")
    (nitrogen,) = found.doubtful[1:]  # the first is about the second Fe
    assert nitrogen.startswith("line 4: N without")
    assert found.counted_as == ("lines 3, 5, 6: by the default pe 4, Mn is Mn(2), S is S(6), C is C(4)",)
    (iron,) = assumed("SOLUTION 1\n Fe 1\nEND").doubtful
    among = "Fe(2), Fe(3) by the default pe 4: about Fe(2) 68 %, Fe(3) 32 %"
    assert iron == f"line 2: Fe without a valence is distributed over {among}"
    assert not assumed("SOLUTION 1\n S 1\n C 1\n Fe 3\nEND", "pitzer.dat").doubtful  # no redox there
    assert not assumed("SOLUTION 1\n C 1\n [13C] 1\n D 1\nEND", "iso.dat").doubtful


@pytest.mark.parametrize(
    "database",
    [
        *("phreeqc.dat", "wateq4f.dat"),
        *(
            pytest.param(name, marks=pytest.mark.accept)
            for name in ("llnl.dat", "minteq.v4.dat", "sit.dat", THERMODDEM)
        ),
    ],
)
async def test_the_valence_that_dominates_is_the_engine_s(
    databases: Path, database: str, engine: Engine
) -> None:
    catalogue = read(databases / database)
    masters = {each.name: each.master_species for each in catalogue.elements}
    wanted = [name for name in ("N", "S", "C", "Fe", "Mn", "As", "U", "Cu", "Cr") if name in masters]
    compared = 0
    for element in wanted:
        states = [name for name in masters if name.startswith(f"{element}(")]
        for pH, pe in ((7, 4), (5, 8), (8, -3)) if len(states) > 1 else ():
            text = f"SOLUTION 1\n pH {pH}\n pe {pe}\n {element} 0.01\nEND"
            row = await first_row(engine, text, f"-totals {' '.join(states)}", database)
            found = {name: float(row[f"{name}(mol/kgw)"] or 0) / 1e-5 for name in states}
            shares = Network(element, masters[element], catalogue.species, 25.0).shares(1e-5, pH, pe)
            assert sum(shares.values()) == pytest.approx(1, abs=1e-6)
            for state, share in shares.items():
                if share > 0.99 and state in states:
                    assert found[state] > 0.98, (element, pH, pe, found, shares)
                    compared += 1
    assert compared > 8


def test_equations_and_valences_are_read() -> None:
    assert terms("- 4 H+ - 4 e- + 2 H2O") == [("H+", -4.0), ("e-", -4.0), ("H2O", 2.0)]
    assert terms("1.500O2 + 2.000NH3") == [("O2", 1.5), ("NH3", 2.0)]
    for species, element, state in (("SO4-2", "S", "S(6)"), ("HS-", "S", "S(-2)"), ("S2O3-2", "S", "S(2)")):
        assert valence_state(species, element) == state
    assert valence_state("CaSO4", "S") == ""


@pytest.mark.parametrize("database", ["phreeqc.dat", "wateq4f.dat", "llnl.dat", "minteq.v4.dat", THERMODDEM])
async def test_masses_are_counted_as_it_says(databases: Path, database: str, engine: Engine) -> None:
    names = ["S(6)", "Si", "N(5)", "P", "Alkalinity", "Ca"]
    text = "SOLUTION 1\n units mg/kgw\n pe 12\n Na 40\n" + "".join(f" {name} 10\n" for name in names)
    text = text.replace("Alkalinity 10", "Alkalinity 300")
    found = assumed(text, database)
    said = {m[1]: float(m[2]) for each in (*found.counted_as, *found.doubtful) if (m := WEIGHT.search(each))}
    assert said.keys() == set(names) - {"Ca"}
    row = await first_row(engine, text, f"-alkalinity true\n-totals {' '.join(names[:4])}", database)
    for name, weight in said.items():
        column = "Alk(eq/kgw)" if name == "Alkalinity" else f"{name}(mol/kgw)"
        assert (0.3 if name == "Alkalinity" else 0.01) / float(row[column] or 0) == pytest.approx(
            weight, abs=0.006
        ), name
    assert len(found.doubtful) == 1 and "Alkalinity in mg/kgw without 'as'" in found.doubtful[0]
    explicit = text.replace("Alkalinity 300", "Alkalinity 300 as HCO3").replace("S(6) 10", "S(6) 10 gfw 96")
    assert not assumed(explicit, database).doubtful
    assert not any("S(6)" in each for each in assumed(explicit, database).counted_as)


WEIGHT = re.compile(r"line \d+: (\S+) in .* is counted .*?([\d.]+) g/(?:mol|eq)$")


def test_the_databases_differ_only_on_elements_that_are_always_named(databases: Path) -> None:
    weights: dict[str, set[float]] = {}
    for name in sorted(path.name for path in databases.glob("*.dat") if path.name in OFFICIAL_SHA256):
        for each in read(databases / name).elements:
            if (
                each.formula_weight
                and each.alkalinity is not None
                and re.match(r"[A-Z][a-z]?(\(|$)", each.name)
            ):
                weights.setdefault(each.name, set()).add(each.formula_weight)
    differing = {name for name, found in weights.items() if max(found) / min(found) > 1.03} - {
        "H(1)",
        "O(-2)",
    }
    assert {name.partition("(")[0] for name in differing} == REPORTED_OTHERWISE - {"P"}


SILENT = [
    ("Ca 1,5", "line 2: PHREEQC reads 1,5 as 1", 1e-3),
    ("Ca 5mg", "line 2: PHREEQC reads 5mg as 5", 5e-3),
    ("Ca 0x10", "line 2: PHREEQC reads 0x10 as 16", 16e-3),
    ("Ca 1d-3", "line 2: PHREEQC reads 1d-3 as 1", 1e-3),
    ("Ca -5", "line 2: Ca is negative, and PHREEQC takes it as 0", 0.0),
    ("Alkalinity -0.2", "line 2: Alkalinity is negative, and PHREEQC takes it as 0", None),
    ("Ca nan", "line 2: nan is not a finite number, and PHREEQC computes with it", None),
    ("Ca 1e400", "line 2: 1e400 is not a finite number, and PHREEQC computes with it", None),
    ("Ca 1\n Ca 2", "line 2: Ca is given again in line 3, which alone counts", 2e-3),
]


async def test_what_phreeqc_misreads_without_a_word(engine: Engine) -> None:
    for line, doubt, calcium in SILENT:
        text = f"SOLUTION 1\n {line}\n Cl 3\nEND"
        assert assumed(text).doubtful == (doubt,)
        run = await engine.run(f"SELECTED_OUTPUT\n-reset false\n-totals Ca\n-ionic_strength true\n{text}")
        assert run.status == "ok" and not run.warnings, line  # it says nothing itself
        if calcium is not None:
            assert dict(zip(run.selected[0].columns, run.selected[0].rows[0], strict=True))[
                "Ca(mol/kgw)"
            ] == pytest.approx(calcium)


REFUSED = [
    ("N 3\n N(5) 2\n pe 14", "line 3: N and its valence state N(5) are both given, which PHREEQC refuses"),
    ("pH 20", "line 2: pH 20 is outside -2 to 16"),
    (
        "temp 298.15",
        "line 2: temperature 298.15 degC is outside 0 to 200; were it kelvin, it would be 25 degC",
    ),
    ("pe 16", "line 2: pe 16 at pH 7 means O2(g) at 10^9 atm: water is not stable there"),
    ("pe -12", "line 2: pe -12 at pH 7 means H2(g) at 10^10 atm: water is not stable there"),
]


async def test_what_cannot_be_is_said_before_phreeqc_fails(engine: Engine) -> None:
    for line, doubt in REFUSED:
        text = f"SOLUTION 1\n {line}\n Na 1\n Cl 1\nEND"
        assert doubt in assumed(text).doubtful
        assert not (await engine.run(text)).solved, line
    assert not assumed("SOLUTION 1\n temp 250\n Na 1\nEND", "llnl.dat").doubtful
    assert not assumed("SOLUTION 1\n temp -20\n Na 1\nEND", "frezchem.dat").doubtful
    assert not assumed("SOLUTION 1\n pH 8\n pe 12.5\n Na 1\nEND").doubtful


async def test_what_is_computed_is_not_what_stands_there(engine: Engine) -> None:
    both = "SOLUTION 1\n pH 8\n Na 1\n C 2\n Alkalinity 1.5\nEND"
    assert (
        "Alkalinity and C are both given: PHREEQC adjusts the pH, 8 is its start" in assumed(both).doubtful[0]
    )
    units = "SOLUTION 1\n units mg/kg water\n Na 23\nEND"
    assert assumed(units).doubtful == (
        "line 2: PHREEQC has no unit 'mg/kg water'; the line has no effect, mmol/kgw counts",
    )
    column = "SOLUTION_SPREAD\nNumber\tna\tCl\n1\t1\t1\n2\t1\t1\nEND"
    assert assumed(column).doubtful == (
        "lines 3, 4: column 'na' is passed over, since elements begin with a capital letter",
    )
    ranges = (
        "SOLUTION 1-5\n Na 1\n Cl 1\nSOLUTION 3\n K 1\n Cl 1\nEND\nUSE solution 3\nREACTION\n H2O 1\n 0\nEND"
    )
    assert assumed(ranges).doubtful == (
        "line 4: SOLUTION 3 is never computed: SOLUTION 1-5 of line 1 replaces it",
    )
    assert (await first_row(engine, both, "-pH true"))["pH"] != pytest.approx(8, abs=0.5)
    assert (await first_row(engine, units, "-totals Na"))["Na(mol/kgw)"] == pytest.approx(0.023)
    run = await engine.run(f"SELECTED_OUTPUT\n-reset false\n-totals Na K\n{ranges}")
    assert run.selected[0].rows[-1] == [pytest.approx(1e-3), 0.0]
    run = await engine.run(f"SELECTED_OUTPUT\n-reset false\n-totals Na\n{column}")
    assert run.selected[0].rows[0] == [0.0] and not run.warnings


def test_definitions_of_the_input_count_from_their_simulation_on(databases: Path) -> None:
    own = "SOLUTION_MASTER_SPECIES\nFe Fe+2 0 Fe 55.847\nXx Xx+ 0 XxO2 50\nSOLUTION_SPECIES\nXx+ = Xx+\n log_k 0\n"
    water = "SOLUTION 1\n units mg/kgw\n Xx 3\nEND\n"
    assert assumed(own + water).counted_as == ("line 9: Xx in mg/kgw is counted as XxO2, 82.00 g/mol",)
    assert assumed(water + own + water).counted_as == (
        "line 13: Xx in mg/kgw is counted as XxO2, 82.00 g/mol",
    )
    assert not assumed(water + own).counted_as


lines = st.sampled_from(
    """N 5|N 1e-320 mg/kgw as NO3|Fe 1e308|S 3|S(6) 4|C nan|U 1 ppb pe|As 3 gfw 0|Si 1 gfw -2|Alkalinity 3 mg/l|pH 1e300
    pH 3 Calcite|pe -1e9|pe 12|temp 5e3|temp -300|units mg/l|units g/kgs|units eq/l|density 0|Xx 4|C 1 CO2(g)|N 3 as
    Fe(+2) 1|-redox O(0)/O(-2)|N(5) N(3) 4|D 3|[13C] 2|H 1|O 2|E 3|SOLUTION 2-4|SOLUTION_SPREAD\tFe|END""".replace(
        "\n    ", "|"
    ).split("|")
)


@pytest.mark.parametrize("database", ["phreeqc.dat", "llnl.dat", "pitzer.dat", "iso.dat"])
@settings(max_examples=2 * settings.default.max_examples // 5)
@given(st.lists(lines, max_size=12))
def test_nothing_upsets_it_and_every_doubt_has_its_line(
    databases: Path, database: str, drawn: list[str]
) -> None:
    found = assumed("\n".join(["SOLUTION 1", *drawn]), database)
    for each in (*found.doubtful, *found.counted_as):
        first = re.match(r"lines? (\d+)[:, a]", each)
        assert first is not None and 1 <= int(first[1]) <= len(drawn) + 1


EQUIVALENTS = "SOLUTION 1\n units {}\n pH 7.5\n Ca 4\n Mg 2\n Na 1\n Cl 1\n S(6) 2\n Alkalinity 4\nEND"


@pytest.mark.parametrize("size", ["", "m", "u"])
@pytest.mark.parametrize("per", ["L", "kgw", "kgs"])
async def test_equivalents_that_the_engine_counts_as_moles_are_doubted(
    databases: Path, size: str, per: str
) -> None:
    text = EQUIVALENTS.format(f"{size}eq/{per}")
    said = [each for each in assumed(text).doubtful if "equivalents" in each]
    alone = "only Alkalinity is in equivalents"
    assert said == [
        f"lines 4, 5, 8: units {size}eq/{per}: equivalents are counted as moles for Ca, Mg, S(6): {alone}"
    ]
    assert not any("equivalents" in each for each in assumed(text.replace("eq/", "mol/")).doubtful)
    assert not assumed("SOLUTION 1\n units meq/L\n Na 1\n Cl 1\n Alkalinity 1\n Ca 1 mmol/L\nEND").doubtful
    if size == "m":
        async with Engine() as engine:
            row = await first_row(engine, text, "-totals Ca")
        assert row["Ca(mol/kgw)"] == pytest.approx(0.004, rel=0.01)


async def test_words_after_a_unit_are_said_to_be_dropped(engine: Engine) -> None:
    text = "SOLUTION 1\n units ppm{}\n Ca 40\nEND"
    (doubt,) = assumed(text.format(" as CaCO3")).doubtful
    assert doubt.startswith("line 2: 'as CaCO3' after the unit")
    spread = "SOLUTION_SPREAD\n -units ppm as CaCO3\nCa\tNa\n40\t20\n50\t10\nEND"
    assert [each.partition(" after")[0] for each in assumed(spread).doubtful] == ["line 2: 'as CaCO3'"]
    dropped = await first_row(engine, text.format(" as CaCO3"), "-totals Ca")
    assert dropped == await first_row(engine, text.format(""), "-totals Ca")


@pytest.mark.parametrize("name", ["temp", "pH", "pe", "-water"])
def test_an_option_given_twice_is_doubted(databases: Path, name: str) -> None:
    (doubt,) = assumed(f"SOLUTION 1\n {name} 5\n Na 1\n Cl 1\n {name} 8\nEND").doubtful
    assert doubt.startswith("line 2: ") and doubt.endswith(
        " is given again in line 5, which alone counts (8)"
    )
    assert not assumed("SOLUTION_SPREAD\n -temp 20\ntemp\tNa\tCl\n10\t1\t1\n12\t1\t1\nEND").doubtful


async def test_much_salt_at_the_density_of_water_is_doubted(engine: Engine) -> None:
    text = "SOLUTION 1\n units mg/L\n{} Na 100000\n Cl 154000\nEND"
    (doubt,) = assumed(text.format(""), "pitzer.dat").doubtful
    assert doubt.startswith("line 1: 254 g/L dissolved at the default density 1 kg/L")
    assert "'density 1 calculate'" in doubt
    assert "'density" not in assumed(text.format(""), "wateq4f.dat").doubtful[0]
    assert assumed(text.format(" density 1\n"), "pitzer.dat").doubtful[0].startswith("line 3: 254 g/L")
    for other in (" density 1 calculate\n", " density 1.16\n"):
        assert not assumed(text.format(other), "pitzer.dat").doubtful
    assert assumed("SOLUTION 1\n units mmol/L\n Na 100\n Cl 100\nEND").doubtful
    for little in ("mg/L\n Na 1900\n Cl 3000", "ppm\n Na 100000\n Cl 154000", "mmol/L\n Na 80\n Cl 80"):
        assert not assumed(f"SOLUTION 1\n units {little}\nEND").doubtful
    options = "-ionic_strength true"
    plain = await first_row(engine, text.format(""), options, "pitzer.dat")
    better = await first_row(engine, text.format(" density 1 calculate\n"), options, "pitzer.dat")
    assert (plain["mu"], better["mu"]) == (pytest.approx(5.83, abs=0.01), pytest.approx(4.79, abs=0.01))


def test_a_pe_that_may_be_millivolts_is_doubted_with_what_it_would_be(databases: Path) -> None:
    for pe, would_be in ((250, "4.23"), (-200, "-3.38"), (100, "1.69")):
        (doubt,) = assumed(f"SOLUTION 1\n pe {pe}\n Na 1\n Cl 1\nEND").doubtful
        assert doubt == f"line 2: pe {pe} is that of no water; were it mV, pe would be {would_be}"
    (hot,) = assumed("SOLUTION 1\n temp 60\n pe 400\nEND").doubtful
    assert hot.endswith("pe would be 6.05")
    (below,) = assumed("SOLUTION 1\n pe 60\nEND").doubtful
    assert "O2(g) at 10^" in below and below.endswith("pe would be 1.01")
    (absurd,) = assumed("SOLUTION 1\n pe 1e4\nEND").doubtful
    assert "mV" not in absurd
    assert not assumed("SOLUTION 1\n pe 250 O2(g) -0.7\nEND").doubtful


def test_databases_for_cold_brines_are_doubted_in_the_warm(databases: Path) -> None:
    for name in ("frezchem.dat", "ColdChem.dat"):
        (doubt,) = assumed("SOLUTION 1\n temp 60\n Na 1\n Cl 1\nEND", name).doubtful
        assert doubt == f"line 2: temperature 60 degC is outside what {name} is for (to 25)"
        for celsius in (-30, 0, 25):
            assert not assumed(f"SOLUTION 1\n temp {celsius}\n Na 1\n Cl 1\nEND", name).doubtful
    assert not assumed("SOLUTION 1\n temp 60\n Na 1\n Cl 1\nEND").doubtful


async def test_shares_of_nitrogen_are_about_those_of_the_engine(engine: Engine) -> None:
    mixed = 0
    for pH in (6.5, 7.0, 7.25, 7.5, 7.75, 8.0):
        text = f"SOLUTION 1\n pH {pH}\n pe 12\n temp 10\n N 5\nEND"
        row = await first_row(engine, text, "-totals N(0) N(5) N")
        said = next(each for each in assumed(text).counted_as if "N without" in each)
        total = row["N(mol/kgw)"]
        assert isinstance(total, float)
        for state, share in re.findall(r"(N\(\d\)) (\d+) %", said):
            computed = row[f"{state}(mol/kgw)"]
            assert isinstance(computed, float) and float(share) == pytest.approx(
                100 * computed / total, abs=10
            )
            mixed += 1
    assert mixed >= 2


def test_a_couple_that_distributes_elements_is_said_and_replaces_the_default_pe(databases: Path) -> None:
    found = assumed(
        "SOLUTION 1\n redox Fe(2)/Fe(3)\n Fe(2) 1\n Fe(3) 1\n As 1\n Cu 1\n S 2 pe\nEND", "wateq4f.dat"
    )
    assert "pe" not in found.defaults[0].values
    by = "by the couple Fe(2)/Fe(3)"
    assert any(
        each.startswith("line 5: As without a valence") and each.endswith(by) for each in found.counted_as
    )
    assert any(
        each.startswith("line 6: Cu without a valence") and each.endswith(by) for each in found.counted_as
    )
    assert not any(each.startswith("line 7: ") and by in each for each in found.counted_as)


async def test_a_mix_with_a_solution_that_nothing_makes_is_doubted(engine: Engine) -> None:
    text = "SOLUTION 1\n Na 1\n Cl 1\n{}MIX 1\n 1 1\n 2 1\nEND"
    lost = "MIX 1 names solution 2, which nothing defines: PHREEQC leaves it out"
    assert assumed(text.format("")).doubtful == (f"line 6: {lost}",)
    for makes in (
        "SOLUTION 2\n",
        "SOLUTION 2-4\n",
        "SAVE solution 2\nEND\n",
        "SAVE solution 2-3\nEND\n",
        "COPY solution 1 2\nEND\n",
        "COPY cell 1 2-5\nEND\n",
        "RUN_CELLS\n -cells 1\nEND\n",
        "SOLUTION_RAW 2\nEND\n",
        "SOLUTION_SPREAD\nNumber\tNa\n2\t1\n",
    ):
        assert not assumed(text.format(makes)).doubtful, makes
    run = await engine.run(text.format(""))
    assert run.solved and not run.warnings and "Solution 2" not in run.output


def test_a_weight_without_formula_is_given_that_of_a_species(databases: Path) -> None:
    found = assumed("SOLUTION 1\n units mg/L\n pe 4\n S(6) 20\n C 3\nEND", "wateq4f.dat").counted_as
    assert "line 4: S(6) in mg/L is counted as SO4, 96.06 g/mol" in found
    assert "line 5: C in mg/L is counted as HCO3, 61.02 g/mol" in found


async def test_the_pe_of_a_stated_couple_stands_before_the_default(engine: Engine) -> None:
    text = (
        "SELECTED_OUTPUT\n -activities Fe+3 Fe+2\n"
        "SOLUTION 1\n pH 7\n redox Fe(2)/Fe(3)\n Fe(2) 1\n Fe(3) 0.001\n Cl 2 charge\nEND\n"
    )
    run = await engine.run(text)
    values = {each.name: each.value for each in key_values(run, outline_output(run.output))}
    assert list(values)[:3] == ["pH", "pe(Fe(2)/Fe(3))", "pe"]
    row = dict(zip(run.selected[0].columns, run.selected[0].rows[0], strict=True))
    nernst = 13.02 + row["la_Fe+3"] - row["la_Fe+2"]  # type: ignore[operator]  # log K of phreeqc.dat
    assert values["pe(Fe(2)/Fe(3))"] == pytest.approx(nernst, abs=2e-3) and values["pe"] == 4
