"""Looking up in databases: every constant as the engine has it, every file read, names as people write them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_phreeqc.database.catalogue import Element, Kind, Phase, Reaction, Species
from labrig_phreeqc.database.databases import ADD_ONS, Database, find_database, list_databases
from labrig_phreeqc.database.formulas import formula_weight
from labrig_phreeqc.database.log_k import in_range, log_k_at
from labrig_phreeqc.database.lookup import Found, look_up
from labrig_phreeqc.database.reading import parse, read
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.server.definitions import _look_up

pytestmark = pytest.mark.asyncio(loop_scope="session")


COUNTS = {  # elements (with redox states and sites), species, phases, rates
    "Amm.dat": (53, 291, 77, 7),
    "ColdChem.dat": (12, 10, 33, 0),
    "Concrete_PHR.dat": (0, 0, 29, 0),
    "Concrete_PZ.dat": (3, 3, 27, 0),
    "core10.dat": (82, 227, 390, 0),
    "frezchem.dat": (18, 32, 37, 0),
    "iso.dat": (58, 2335, 151, 0),
    "Kinec.v2.dat": (93, 316, 419, 136),
    "Kinec_v3.dat": (93, 316, 419, 136),
    "llnl.dat": (228, 1378, 1214, 6),
    "minteq.dat": (116, 1071, 524, 0),
    "minteq.v4.dat": (123, 1410, 568, 0),
    "phreeqc.dat": (53, 291, 77, 7),
    "phreeqc_rates.dat": (53, 291, 172, 132),
    "PHREEQC_ThermoddemV1.10_15Dec2020.dat": (209, 1030, 760, 0),
    "pitzer.dat": (31, 75, 72, 0),
    "sit.dat": (141, 1526, 924, 0),
    "Tipping_Hurley.dat": (89, 619, 319, 6),
    "wateq4f.dat": (69, 432, 319, 7),
}
# iso.dat is left to its own test: PHREEQC rewrites the reactions of phases that other phases stand in, and
# LK_PHASE adds named expressions twice (basicsubs.cpp, calc_logk_p), so the engine reports other reactions there.
LOADABLE = [name for name in COUNTS if name not in ADD_ONS and name != "iso.dat"]
SAMPLE = {"phreeqc.dat", "pitzer.dat", "wateq4f.dat", "minteq.v4.dat"}
"""Databases that are compared with the engine each time; the others are for acceptance."""

HOSTILE = """
solution_master_species
  Xx(+2) Xx++ 0 XxO4 ; Xx Xx+2 0.0 XxO4 50
  O H2O 0 O 16
SOLUTION_SPECIES
  Xx+2 = Xx+2; -gam 4 0.1
  Xx+2 + \\
     2H2O = Xx(OH)2+2H+ # joined
  LOG_K = -5 ; deltah 10 cal # 10 - 20 C would not be of an analytic
  -a_e 1 2 # fit, 5 - 75 C
NAMED_EXPRESSIONS
  Twice
    -add_logk Once 2
  Once
    -ln_alpha1000 2302.585092994046
PHASES
Solid # 1 - 2 C
  XxO4:2H2O = Xx+2 - 4 H+ + 6H2O
  -l -3 ; -d -1000 J/mol; -Vm 0.02 dm3/mol
  -add_logk Twice ; -add_constant 0.5
#   Range: 25-150
Other
  Xx = Xx+2 + 2e-
  log_k 1
# Gone
#   Xx = Xx+2 + 2e-
#   -Range: 0-300
Solid
  XxO4 = Xx+2
  -log_k = -4

# -Range: 0-7
  -delta_h 1 kcal # 8 - 9 C would not be of an analytic
#  source
#  -Range:  -10 to 60

# -Range: 0-1
Missing
  XxO = Xx+2
  -add_logk Nothing
RATES
# said before
Solid ; -start
10 REM a ; 20 SAVE -1 # kept
  -end
Bare
10 SAVE 0
END
"""


@pytest.fixture
def database(databases: Path) -> Database:
    return named("phreeqc.dat")


def named(name: str) -> Database:
    found = [each for each in list_databases() if each.name == name]
    if not found:
        pytest.skip(f"{name} is not installed")
    return found[0]


def one(database: Database, name: str, kind: Kind) -> Reaction:
    (found,) = look_up(database, name, kind).exact
    assert isinstance(found, Reaction)
    return found


def names(found: Found) -> set[str]:
    return {f"{type(each).__name__} {each.name}" for each in found.exact}


# ------------------------------------------------------------------------------------------------- the whole files


@pytest.mark.accept
def test_reads_every_installed_database(databases: Path) -> None:
    for each in list_databases():
        catalogue = read(each.path)
        assert read(each.path) is catalogue
        if each.official:
            assert tuple(catalogue.counts.values()) == COUNTS[each.name], each.name
        for entry in (*catalogue.species, *catalogue.phases):
            assert "=" in entry.equation
            if entry.temperature_range:
                low, high = entry.temperature_range
                assert -100 < low < high <= 350, entry


@pytest.mark.parametrize(
    "name", [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.accept) for name in LOADABLE]
)
async def test_every_constant_is_the_engines(name: str, engine: Engine) -> None:
    catalogue = read(named(name).path)
    entries: list[Species | Phase] = [*catalogue.species, *catalogue.phases]
    lines = [
        f'{10 + i} PRINT "@{i}", LK_{"PHASE" if isinstance(each, Phase) else "SPECIES"}("{each.name}")'
        for i, each in enumerate(entries)
    ]
    for celsius in (25, 60, 90):
        text = f"SOLUTION 1\n temp {celsius}\nUSER_PRINT\n" + "\n".join(lines) + "\nEND\n"
        run = await engine.run(text, database=name)
        assert run.solved, run.errors
        said = re.findall(r"^@(\d+)\s+(\S+)", run.output, re.M)
        assert len(said) == len(entries)
        for number, value in said:
            entry = entries[int(number)]
            if entry.log_k is None and not entry.analytic and not entry.added:
                assert float(value) == 0  # where the file states none, PHREEQC takes 0
                continue
            # PHREEQC prints five digits, and its gas constant is not CODATA's
            assert log_k_at(entry, celsius) == pytest.approx(float(value), abs=2e-3, rel=1e-4), entry


async def test_saturation_indices_use_these_constants(database: Database, engine: Engine) -> None:
    water = "SOLUTION 1\n temp {}\n pH 8 charge\n Ca 1; Mg 1; Na 1; Cl 1; S(6) 1; C(4) 1; Si 1; Al 0.001; Ba 0.001\nEND"
    for celsius in (25, 60, 90):
        run = await engine.run(water.format(celsius), database=database.name)
        table = run.output.partition(f"log K({int(celsius + 273.15)} K,   1 atm)")[2].partition("**")[0]
        rows = re.findall(r"^  (\S+)\s+\S+\s+\S+\s+(-?\d+\.\d\d)  ", table, re.M)
        assert {"Calcite", "CO2(g)", "Gypsum", "Quartz", "Barite", "Gibbsite"} <= {name for name, _ in rows}
        for name, value in rows:
            assert log_k_at(one(database, name, "phase"), celsius) == pytest.approx(float(value), abs=0.01)


async def test_named_expressions_add_to_species(engine: Engine) -> None:
    catalogue = read(named("iso.dat").path)
    adding = [each for each in catalogue.species if each.added]
    assert len(adding) == 40
    text = "SOLUTION 1\n temp 60\nUSER_PRINT\n" + "\n".join(
        f'{10 + i} PRINT "@", LK_SPECIES("{each.name}")' for i, each in enumerate(adding)
    )
    run = await engine.run(text + "\nEND\n", database="iso.dat")
    said = [float(value) for value in re.findall(r"^@\s+(\S+)", run.output, re.M)]
    assert said == pytest.approx([log_k_at(each, 60) for each in adding], abs=1e-4, rel=1e-4)


# ------------------------------------------------------------------------------------------------- single entries


def test_published_entries(database: Database) -> None:
    calcite = one(database, "calcite", "phase")
    assert isinstance(calcite, Phase)
    assert (calcite.log_k, calcite.delta_h, calcite.delta_h_unit) == (-8.48, -2.297, "kcal/mol")
    assert (calcite.equation, calcite.molar_volume) == ("CaCO3 = CO3-2 + Ca+2", 36.9)
    assert calcite.analytic[:3] == (17.118, -0.046528, -3496) and calcite.temperature_range == (0, 250)
    assert in_range(calcite, 25) and not in_range(calcite, 251)
    dolomite = one(database, "Dolomite", "phase")  # two temperatures in words: quoted, not interpreted
    assert dolomite.temperature_range is None and "50–175°C" in dolomite.range_text
    assert in_range(dolomite, 25) is None
    calcium = one(database, "Ca+2", "species")
    assert isinstance(calcium, Species) and (calcium.gamma_option, calcium.gamma) == ("gamma", (5, 0.165))
    assert log_k_at(calcium, 60) == 0
    lines = database.path.read_text("latin-1").splitlines()
    assert all(
        lines[each.line - 1].split()[0].replace("(+", "(") == each.name
        for each in read(database.path).elements
    )
    assert all(lines[each.line - 1].split()[0] == each.name for each in read(database.path).phases)


def test_mass_is_counted_as_the_fourth_column_says(database: Database) -> None:
    (sulfate,) = look_up(database, "S(6)", "element").exact
    assert isinstance(sulfate, Element)
    assert (sulfate.gfw, sulfate.master_species, sulfate.atomic_weight) == ("SO4", "SO4-2", None)
    assert sulfate.formula_weight == pytest.approx(32.064 + 4 * 16)
    (alkalinity,) = look_up(database, "Alkalinity", "element").exact
    assert isinstance(alkalinity, Element)
    assert (alkalinity.gfw, alkalinity.alkalinity) == ("Ca0.5(CO3)0.5", 1)
    assert alkalinity.formula_weight == pytest.approx(50.05, abs=0.01)
    assert formula_weight("CaSO4:2H2O", {"Ca": 40, "S": 32, "O": 16, "H": 1}) == 172
    assert all(formula_weight(each, {"Ca": 40}) is None for each in ("Zz2", "Ca(", "Ca)", "Ca.", "-", ""))


@pytest.mark.parametrize("name", ["phreeqc.dat", "wateq4f.dat", "minteq.v4.dat", "llnl.dat", "sit.dat"])
async def test_the_engine_counts_mass_so(name: str, engine: Engine) -> None:
    weights = {each.name: each.formula_weight for each in read(named(name).path).elements}
    wanted = ("S(6)", "N(5)", "C(4)", "Si", "P", "B", "Ca", "Cl", "F")
    given = "".join(f" {each} {weights[each]}\n" for each in wanted if each in weights)
    asked = "".join(
        f'{10 + i} PRINT "@", TOT("{each}")\n' for i, each in enumerate(wanted) if each in weights
    )
    run = await engine.run(
        f"SOLUTION 1\n units mg/kgw\n pH 7\n{given}USER_PRINT\n{asked}END\n", database=name
    )
    said = [float(value) for value in re.findall(r"^@\s+(\S+)", run.output, re.M)]
    assert len(said) >= 7 and said == pytest.approx([1e-3] * len(said), rel=1e-4)


def test_rates_have_their_text(database: Database) -> None:
    rates = {each.name: each for each in read(database.path).rates}
    assert set(rates) == {"Quartz", "K-feldspar", "Albite", "Calcite", "Pyrite", "Organic_C", "Pyrolusite"}
    quartz = rates["Quartz"].text.strip().splitlines()
    assert (
        quartz[0].startswith("1 REM Specific rate k from Rimstidt") and quartz[-1] == "50 SAVE moles * TIME"
    )
    assert "-parms 0.146  1.5" in rates["Quartz"].comment
    albite = look_up(named("phreeqc_rates.dat"), "Albite", "rate").exact
    assert {each.block for each in albite} == {
        "RATES",
        "RATE_PARAMETERS_PK",
        "RATE_PARAMETERS_SVD",
        "RATE_PARAMETERS_HERMANSKA",
    }


def test_hostile_text() -> None:
    catalogue = parse(HOSTILE)
    assert [(each.name, each.master_species, each.formula_weight) for each in catalogue.elements[:2]] == [
        ("Xx(2)", "Xx+2", 114),
        ("Xx", "Xx+2", 114),
    ]
    ion, hydroxide = catalogue.species
    assert ion.gamma == (4, 0.1) and hydroxide.name == "Xx(OH)2" and hydroxide.elements == {"Xx", "O", "H"}
    assert (hydroxide.log_k, hydroxide.delta_h, hydroxide.delta_h_unit) == (-5, 10, "cal/mol")
    assert hydroxide.analytic == (1, 2, 0, 0, 0, 0) and hydroxide.temperature_range == (5, 75)
    solid, other, missing = catalogue.phases
    assert (solid.equation, solid.log_k, solid.temperature_range) == ("XxO4 = Xx+2", -4, (-10, 60))
    assert other.temperature_range is None  # the range belongs to an entry that is commented out
    with pytest.raises(LabrigError, match="Nothing"):
        log_k_at(missing, 25)
    assert [each.text for each in catalogue.rates] == ["10 REM a ; 20 SAVE -1 # kept", "10 SAVE 0"]
    assert catalogue.rates[0].comment == "# said before" and "Xx" in catalogue.rates[0].elements
    first = parse(HOSTILE.replace("\nSolid\n", "\nThird\n")).phases[0]
    assert (first.molar_volume, first.temperature_range, first.formula) == (20, (25, 150), "XxO4:2H2O")
    step = 1000e-3 / (8.314462618e-3 * math.log(10)) * (1 / 373.15 - 1 / 298.15)
    assert log_k_at(first, 100) == pytest.approx(-3 + step + 2 * 1 + 0.5)


@pytest.mark.parametrize("celsius", [-273.15, math.nan, math.inf])
def test_refuses_impossible_temperatures(celsius: float) -> None:
    with pytest.raises(LabrigError, match="no such temperature"):
        log_k_at(parse(HOSTILE).species[0], celsius)


@given(
    st.lists(
        st.sampled_from(HOSTILE.split("\n")) | st.text("-=+#;\\ ABab()[]0.1\n", max_size=20), max_size=30
    ).map("\n".join)
)
@example("SOLUTION_SPECIES\n=")
@example("SOLUTION_SPECIES\nA=-0")
def test_any_text_is_read(text: str) -> None:
    catalogue = parse(text)
    for entry in (*catalogue.species, *catalogue.phases):
        assert entry.name
    formula_weight(text, {"A": 1})


# ------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Calcite", {"Phase Calcite", "Rate Calcite"}),
        ("CALCITE", {"Phase Calcite", "Rate Calcite"}),
        ("HCO3", {"Species HCO3-"}),
        ("SO4", {"Species SO4-2", "Element S", "Element S(6)"}),
        ("SO4--", {"Species SO4-2", "Element S", "Element S(6)"}),
        ("SO₄²⁻", {"Species SO4-2", "Element S", "Element S(6)"}),
        ("Ca+2", {"Species Ca+2", "Element Ca"}),
        ("Ca2+", {"Species Ca+2", "Element Ca"}),
        ("Ca", {"Species Ca+2", "Element Ca"}),
        ("Fe(+3)", {"Element Fe(3)"}),
        ("Fe+3", {"Species Fe+3", "Element Fe(3)"}),
        ("CO2", {"Species CO2", "Phase CO2(g)"}),
        ("co2(g)", {"Phase CO2(g)"}),
        ("X", {"Species X-", "Element X"}),
        ("Calcitte", set()),
    ],
)
def test_names_as_people_write_them(query: str, expected: set[str], database: Database) -> None:
    found = look_up(database, query)
    assert names(found) == expected
    assert bool(found.nearest) == (not expected)


def test_what_contains_an_element(database: Database) -> None:
    zinc = look_up(database, "Zn", limit=5)
    assert names(zinc) == {"Element Zn", "Species Zn+2"}
    assert {kind: len(some) for kind, some in zinc.related.items()} == {
        "element": 0,
        "species": 5,
        "phase": 4,
        "rate": 0,
    }
    phases = {each.name for each in zinc.related["phase"]}
    assert phases == {"Smithsonite", "Sphalerite", "Willemite", "Zn(OH)2(e)"}
    assert zinc.counts["species"] == sum("Zn" in each.name for each in read(database.path).species) > 20
    carbon = look_up(database, "C", "phase")  # not Ca, Cl, Cd
    assert all(re.search(r"C(?![a-z])", each.equation.partition("=")[0]) for each in carbon.related["phase"])


def test_typos_parts_and_lists(database: Database) -> None:
    assert look_up(database, "Calcitte").nearest[0] == "Calcite"
    assert look_up(database, "Kaolonite", "phase").nearest[0] == "Kaolinite"
    assert [each.name for each in look_up(database, "feldspar").related["phase"]] == ["K-feldspar"]
    everything = look_up(database, "", limit=3)
    assert everything.counts == read(database.path).counts and not everything.exact and not everything.nearest
    assert all(len(some) == 3 for some in everything.related.values())
    with pytest.raises(LabrigError, match="kind of definition"):
        look_up(database, "Calcite", "mineral")  # type: ignore[arg-type]


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "own.dat"
    path.write_bytes(b"PHASES\nA\nCa = Ca+2 # 25\xb0C\nlog_k 1\n")
    assert read(path).phases[0].log_k == 1
    path.write_text("PHASES\nA\nCa = Ca+2\nlog_k 22\n")
    assert read(path).phases[0].log_k == 22


@pytest.mark.parametrize(
    ("database", "word", "name"),
    [
        ("phreeqc.dat", "calcium", "Ca"),
        ("phreeqc.dat", "Sulfat", "S(6)"),
        ("phreeqc.dat", "celestine", "Celestite"),
        ("phreeqc.dat", "Eisen", "Fe"),
    ],
)
def test_words_and_names_of_other_databases_are_understood(
    databases: Path, database: str, word: str, name: str
) -> None:
    found, meant = _look_up(find_database(database), word, "")
    assert meant == name
    assert name in [entry.name for entry in found.exact]


def test_what_nothing_is_called_has_its_nearest_names(databases: Path) -> None:
    found, meant = _look_up(find_database("phreeqc.dat"), "Calcitte", "")
    assert not meant and "Calcite" in found.nearest
