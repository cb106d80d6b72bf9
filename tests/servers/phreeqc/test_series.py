"""Series read from the printed tables, against the values that PHREEQC itself selects in the same run."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Run
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.quantities import parse_quantity
from labrig_phreeqc.output.series import Series, available, series, to_csv
from labrig_phreeqc.output.table_file import read_table

REACTION = """
SELECTED_OUTPUT 1
  -reset false
  -high_precision true
  -state
  -pH
  -pe
  -ionic_strength
  -water
  -charge_balance
  -percent_error
  -alkalinity
  -temperature
  -totals C Ca Mg S S(6) S(-2) Cl Na
  -molalities HCO3- CO2 CaSO4 CaX2 NaX Hfo_wOH Hfo_sOHCa+2
  -activities HCO3- Ca+2 H2O
  -saturation_indices Calcite Gypsum CO2(g) Aragonite
  -equilibrium_phases Calcite Gypsum Dolomite
  -gases CO2(g) N2(g)
USER_PUNCH 1
  -headings p_CO2(g) p_N2(g)
  10 PUNCH PR_P("CO2(g)") * (GAS("CO2(g)") > 0), PR_P("N2(g)") * (GAS("N2(g)") > 0)
SOLUTION 1
  pH 7.5
  Na 1
  K 0.2
  Cl 1 charge
  Ca 1
  Mg 0.5
  C 2
  S(6) 0.3
SAVE solution 1
END
USE solution 1
EQUILIBRIUM_PHASES 1
  Calcite 0 0.01
  Gypsum 0 1e-4
  Dolomite 0 0
EXCHANGE 1
  X 0.02
  -equilibrate 1
GAS_PHASE 1
  -fixed_volume
  -volume 0.7
  -temperature 25
  CO2(g) 0.01
  N2(g) 0.9
  O2(g) 0.2
SURFACE 1
  Hfo_sOH 5e-6 600 0.09
  Hfo_wOH 2e-4
  -equilibrate 1
REACTION 1
  HCl 1
  0.001 0.004 0.01
END
"""
# Heading of selected output -> quantity. What follows the tables is the tolerance of each printed format.
SELECTED = {
    "pH": "pH",
    "pe": "pe",
    "temp(C)": "temperature",
    "mu": "ionic strength",
    "mass_H2O": "mass of water",
    "charge(eq)": "charge balance",
    "pct_err": "charge error",
    "Alk(eq/kgw)": "alkalinity",
    "time": "time",
}
PATTERNS = (
    (r"m_(.+)\(mol/kgw\)", "m({})"),
    (r"la_(.+)", "la({})"),
    (r"si_(.+)", "SI({})"),
    (r"d_(.+)", "delta({})"),
    (r"dk_(.+)", "dk({})"),
    (r"k_(.+)", "kin({})"),
    (r"g_(.+)", "gas({})"),
    (r"s_(.+)", "ss({})"),
    (r"p_(.+)", "p({})"),
    (r"(.+)\(mol/kgw\)", "total {}"),
    (r"([A-Z][a-z]+)", "moles({})"),
)
DECIMALS = {"pH": 3, "pe": 3, "temperature": 2, "charge error": 2, "la": 3, "SI": 2}
SIGNIFICANT = {"ss": 3}


def quantity_of(heading: str) -> str | None:
    if heading in SELECTED:
        return SELECTED[heading]
    return next(
        (form.format(m[1]) for pattern, form in PATTERNS if (m := re.fullmatch(pattern, heading))), None
    )


def as_printed(quantity: str, value: float) -> object:
    """The number with the digits that the main output gives it, and no more."""
    kind = quantity.partition("(")[0]
    if kind in DECIMALS:
        return pytest.approx(value, abs=0.51 * 10 ** -DECIMALS[kind])
    if abs(value) < 1e-39:
        return 0.0  # PHREEQC prints these as 0
    digits = SIGNIFICANT.get(kind, 4)
    return pytest.approx(value, rel=5.1 * 10**-digits, abs=1e-15 if "charge" in quantity else 0)


def check(run: Run, at_least: int, **filters: str) -> Series:
    """Every cell of selected output is in the series, and the other way round; return the series."""
    assert run.solved, run.errors
    (selected,) = run.selected
    asked = {n: q for n, h in enumerate(selected.columns) if (q := quantity_of(h)) and q != "time"}
    table = series(run.output, list(asked.values()), **filters)  # type: ignore[arg-type]
    # The initial exchange and surface print a solution's columns in selected output, and only their own table.
    rows = [row for row in selected.rows if not str(row[0]).strip().startswith(("i_exch", "i_surf"))]
    keep = [
        n
        for n, state in enumerate(table.column("state"))
        if "exchange" not in str(state) and "surface" not in str(state)
    ]
    assert len(keep) == len(rows)
    water = selected.columns.index("mass_H2O")
    compared = 0
    for number, quantity in asked.items():
        cells = table.column(quantity)
        unit = next(c.unit for c in table.columns if c.name == quantity)
        for place, row in zip(keep, rows, strict=True):
            value, cell = row[number], cells[place]
            assert isinstance(value, int | float)
            if cell is None:  # nothing there: 0, or -999.999 for an index or a log activity
                assert value in (0, -999.999), (quantity, place, value)
                assert any(n.column == quantity and place in n.rows and n.text for n in table.notes)
                continue
            if quantity.startswith("m(") and unit == "mol":  # exchange species are printed in moles
                value = float(value) * float(row[water] or 0)
            if quantity.startswith("SI(") and value == -999.999:
                raise AssertionError((quantity, place, cell))
            assert cell == as_printed(quantity, value), (quantity, place, value)
            compared += 1
    assert compared >= at_least
    return table


async def solve(text: str, database: str = "phreeqc.dat") -> Run:
    async with Engine() as engine:
        return await engine.run(text, database=database)


@pytest.mark.parametrize("database", ["phreeqc.dat", "wateq4f.dat"])  # Peng-Robinson and ideal gases
async def test_reaction_with_phases_gas_exchange_and_surface(databases: Path, database: str) -> None:
    ideal = database != "phreeqc.dat"  # there, PR_P is not the pressure, and SR = fugacity is
    run = await solve(REACTION.replace("PR_P(", "SR(") if ideal else REACTION, database)
    assert ("Peng-Robinson" in run.output) != ideal
    table = check(run, at_least=130)
    assert table.column("state")[-1] == "step 3"
    assert table.column("step")[-3:] == [1, 2, 3]
    units = {column.name: column.unit for column in table.columns}
    assert units["m(CaX2)"] == "mol" and units["m(Hfo_wOH)"] == units["m(CO2)"] == "mol/kgw"
    lines = run.output.split("\n")
    assert all("step" in lines[int(str(at)) - 1] for at in table.column("line")[-3:])


async def test_kinetics_and_solid_solution(databases: Path) -> None:
    run = await solve(
        """
SOLUTION 1
  pH 7 charge
  Ca 1
  Sr 0.1
  C 2
KINETICS 1
  Calcite
    -m0 3e-3
    -parms 50 0.6
  A_reaction_with_a_very_long_name_indeed
    -formula NaCl 1 KCl 0.5
    -m0 1
  -steps 100 400 3100
INCREMENTAL_REACTIONS true
SOLID_SOLUTIONS 1
  Mixed
    -comp Aragonite 0.001
    -comp Strontianite 0.001
RATES
  Calcite
    -start
    10 SAVE 1e-8 * (1 - SR("Calcite")) * TIME
    -end
  A_reaction_with_a_very_long_name_indeed
    -start
    10 SAVE 1e-7 * TIME
    -end
SELECTED_OUTPUT 1
  -reset false
  -high_precision true
  -state
  -time
  -pH
  -water
  -totals Ca Sr Na
  -saturation_indices Strontianite Halite
  -kinetic_reactants Calcite A_reaction_with_a_very_long_name_indeed
  -solid_solutions Aragonite Strontianite
END
""".replace("  -saturation_indices Strontianite Halite Gypsum", "  -saturation_indices Strontianite Halite")
    )
    table = check(run, at_least=40)
    assert table.column("time") == [None, 100, 500, 3600]
    both = series(run.output, ["delta(Calcite)", "dk(Calcite)"])
    assert both.column("delta(Calcite)") == both.column("dk(Calcite)")


@pytest.mark.parametrize("keyword", ["ADVECTION", "TRANSPORT"])
async def test_columns(databases: Path, keyword: str) -> None:
    more = "-time_step 1000\n-dispersivities 3*0.01\n-lengths 3*0.1" if keyword == "TRANSPORT" else ""
    run = await solve(f"""
SELECTED_OUTPUT 1
  -reset false
  -high_precision true
  -state
  -water
  -distance
  -pH
  -totals Ca Na Cl N(5) K
  -molalities CaX2 NO3-
  -saturation_indices Halite Gypsum
  -equilibrium_phases Halite Gypsum
SOLUTION 1-3
  Na 1
  K 0.2
  N(5) 1.2
EXCHANGE 1-3
  X 0.001
  -equilibrate 1
EQUILIBRIUM_PHASES 1-3
  Halite 0 1e-5
  Gypsum 0 0
END
SOLUTION 0
  Ca 0.6
  Cl 1.2
{keyword}
  -cells 3
  -shifts 4
  {more}
  -print_cells 1-3
  -print_frequency 1
  -punch_cells 1-3
  -punch_frequency 1
END
""")
    table = check(run, at_least=150)
    places = list(zip(table.column("shift"), table.column("cell"), strict=True))
    assert [place for place in places if place[0]] == [
        (shift, cell) for shift in range(1, 5) for cell in (1, 2, 3)
    ]
    assert None in table.column("moles(Gypsum)") or 0.0 in table.column("moles(Gypsum)")
    column = series(run.output, ["Cl"], states="cell 3")
    assert column.column("Cl") == [
        c for c, (_, n) in zip(table.column("total Cl"), places, strict=True) if n == 3
    ]


async def test_missing_values_say_why_and_headings_can_be_off(databases: Path) -> None:
    run = await solve("""
SOLUTION 1
  Fe 1e-3
  Alkalinity 1
  O(0) 1 O2(g) -0.7
  redox O(0)/O(-2)
  Na 1 charge
USE solution 1
GAS_PHASE 1
  -fixed_pressure
  CO2(g) 1e-4
  -volume 1e-9
EQUILIBRIUM_PHASES 1
  Gypsum 0 1
  Barite 0 0
END
PRINT
  -reset false
  -saturation_indices true
USE solution 1
REACTION 1
  NaCl 1
  0.1 0.2 0.3
END
""")
    asked = [
        "alkalinity",
        "density",
        "SI(Barite)",
        "moles(Barite)",
        "pe(O(-2)/O(0))",
        "SI(Halite)",
        "Fe",
        "pressure",
    ]
    table = series(run.output, asked)
    rows = {str(state): n for n, state in enumerate(table.column("state"))}
    notes = {(note.column, row): note.text for note in table.notes for row in note.rows}
    assert table.column("alkalinity")[0] == 1e-3  # given, so it stands among the elements
    assert table.column("moles(Barite)")[rows["step 1"]] == 0.0
    assert table.column("SI(Barite)")[rows["step 1"]] is None
    assert "element" in notes["SI(Barite)", rows["step 1"]]
    assert table.column("pe(O(-2)/O(0))")[0] == pytest.approx(13.6, abs=0.2)
    assert "1 atm" in notes["pressure", 0]
    last = table.rows[-3:]
    halite = [float(str(cell)) for cell in table.column("SI(Halite)")[-3:]]
    assert halite == sorted(halite) and len(set(halite)) == 3, last
    assert "not printed" in notes["density", len(table.rows) - 1]


async def test_isotopes_and_names_of_any_length(databases: Path) -> None:
    run = await solve(
        "SELECTED_OUTPUT 1\n -reset false\n"
        " -high_precision true\n -state\n -water\n -totals Ca [13C]\n -saturation_indices [13C]H2D2(g) [13C]O[18O](g)\n"
        " -molalities Ca[13C]O2[18O] HCO2[18O]-\n"
        "SOLUTION 1\n pH 8\n Na 1\n Cl 1\n Ca 1\n C 2\n [13C] -7\n [18O] -5\n D -30\nEND\n"
        "USE solution 1\nEQUILIBRIUM_PHASES 1\n Calcite 0 0\nEND\n",
        "iso.dat",
    )
    table = check(run, at_least=6)
    assert table.column("SI([13C]H2D2(g))")[-1] is not None
    assert series(run.output, ["R(13C) HCO3-"]).column("R(13C) HCO3-")[-1] == pytest.approx(0.0112, rel=0.02)
    tight = re.sub(r"\n  Calcite +\S+ ", "\n  Calcite_long_123-123.45 ", run.output)
    assert series(tight, ["SI(Calcite_long_123)"]).column("SI(Calcite_long_123)")[0] == -123.45


async def test_official_examples(examples: Path, databases: Path) -> None:
    """The values that the reference output of PHREEQC's authors prints, found where the eye finds them."""
    text = (examples / "reference_out" / "ex2.out").read_text(encoding="utf-8")
    table = series(text, ["temperature", "SI(Gypsum)", "SI(Anhydrite)", "moles(Gypsum)"], states="batch")
    assert len(table.rows) == 51
    assert table.column("temperature") == [float(t) for t in range(25, 76)]
    assert table.column("SI(Gypsum)")[0] == 0.0 and table.column("SI(Anhydrite)")[-1] == 0.0
    for path in sorted((examples / "reference_out").glob("*.out")):
        text = path.read_text(encoding="utf-8")
        if "Description of solution" in text:
            tree = outline_output(text)
            pH = series(text, ["pH"], tree=tree).column("pH")
            assert [cell for cell in pH if cell is not None] == [
                s.pH for s in tree.states if s.pH is not None
            ]


async def test_unknown_quantity_and_unknown_state(databases: Path) -> None:
    run = await solve("SOLUTION 1\n Ca 1\n C 2\nEND\n")
    for asked, hint in {
        "SI(calcite)": "SI(Calcite)",
        "m(HCO3)": "m(HCO3-)",
        "Calcite": "SI(Calcite)",
    }.items():
        with pytest.raises(LabrigError) as error:
            series(run.output, [asked])
        assert hint in error.value.try_
        beside = series(run.output, ["pH", asked])
        assert [each.name for each in beside.columns][-1] == "pH"
        (note,) = beside.notes
        assert note.column == asked and not note.rows and hint in note.text
    with pytest.raises(LabrigError, match="Zn"):
        series(run.output, ["Zn"])
    with pytest.raises(LabrigError) as error:
        series(run.output, ["pH"], states="step 9")
    assert "initial solution 1" in error.value.expected
    tree = outline_output(run.output)
    names = available(run.output, tree, tree.states[0])
    assert names["total"][:2] == ["C", "Ca"] and "HCO3-" in names["m"] and "pH" in names["value"]
    for kind, found in names.items():
        for name in found:
            asked = name if kind in ("value", "total") else f"{kind}({name})"
            assert series(run.output, [asked]).rows


def test_quantities_as_people_write_them() -> None:
    for text, meant in {
        "PH": "pH",
        "Total alkalinity": "alkalinity",
        "total Ca": "total Ca",
        "Si(4)": "total Si(4)",
        "si Calcite": "SI(Calcite)",
        "lg(Ca+2)": "la(Ca+2)",
        "SI (CO2(g))": "SI(CO2(g))",
        "p(CO2(g))": "p(CO2(g))",
        "moles Calcite": "moles(Calcite)",
        "moles CO2(g)": "moles(CO2(g))",
        "m Ca+2": "m(Ca+2)",
        "pe O(-2)/O(0)": "pe(O(-2)/O(0))",
        "transfer": "transfer()",
    }.items():
        assert str(parse_quantity(text)) == meant


async def test_csv_is_the_table(databases: Path) -> None:
    table = series((await solve("SOLUTION 1 a, b\n Ca 1\nEND\n")).output, ["pH", "pressure", "Ca"])
    heading, row = csv.reader(io.StringIO(to_csv(table)))
    assert heading[-1] == "Ca [mol/kgw]"
    assert row == ["" if cell is None else str(cell) for cell in table.rows[0]]


def _heading(name: str) -> str:
    return name.center(79, "-")


_LINE = st.one_of(
    st.sampled_from(
        [
            *(_heading(name) for name in ("Solution composition", "Description of solution", "Gas phase")),
            *(
                _heading(name)
                for name in ("Distribution of species", "Saturation indices", "Phase assemblage")
            ),
            *(_heading(name) for name in ("Solid solutions", "Exchange composition", "Isotope Ratios")),
            "Reaction step 1.",
            "Kinetics 1.",
            "\tRate name       Delta Moles Total Moles   Reactant        Coefficient",
            "   Species          Molality    Activity  Molality  Activity     Gamma   cm³/mol",
            "Phase               SI  log IAP  log K(T, P)   Initial       Final       Delta",
            "Component         log P           P    phi     Initial       Final       Delta",
            "\tElements           Molality       Moles",
            "Calcite           0.00    -8.48     -8.48    1.000e+01 nan inf",
            "Halite is reactant",
            "Gypsum Element not present.",
            "   H+  1e-7 1e-7 -7 -7 nan 0.0",
            "",
        ]
    ),
    st.text(max_size=40),
)


@settings(max_examples=3 * settings.default.max_examples // 2)
@given(st.lists(_LINE, max_size=25).map("\n".join) | st.text())
def test_any_text(text: str) -> None:
    """Refused or read, never a crash; and what is available can be had."""
    try:
        series(text, ["pH", "SI(Calcite)", "Ca"])
    except LabrigError:
        pass
    tree = outline_output(text)
    for state in tree.states:
        for kind, found in available(text, tree, state).items():
            asked = [n if kind in ("value", "total", "R") else f"{kind}({n})" for n in found]
            exact = [a for a in asked if str(parse_quantity(a)) in (a, f"total {a}")]
            if exact:
                to_csv(series(text, exact))


INVERSE = """
SOLUTION 1
 pH 8
 Na 2
 Cl 1
 Alkalinity 1
SOLUTION 2
 pH 8
 Na 4
 Cl 2.6
 S(6) 0.2
 Alkalinity 1
SELECTED_OUTPUT 1
 -reset false
 -inverse_modeling true
 -high_precision true
INVERSE_MODELING 1
 -solutions 1 2
 -uncertainty 0.05 0.05
 -phases
  Halite
  Mirabilite
  CO2(g)
 {range}
PHASES
Mirabilite
 Na2SO4:10H2O = 2 Na+ + SO4-2 + 10 H2O
 log_k -1.1
END
"""


async def test_inverse_models_are_rows_with_their_ranges(databases: Path) -> None:
    """What is printed is what PHREEQC writes to selected output; without -range there is no least and greatest."""
    run = await solve(INVERSE.format(range="-range"))
    table = series(run.output, ["transfer", "fraction(1)"])
    assert table.column("state") == ["model 1", "model 2"]
    for phase in ("Halite", "Mirabilite"):
        for suffix in ("", "_min", "_max"):
            selected = read_table(run.selected[0].text, [phase + suffix])
            written = selected.column(phase + suffix)
            assert table.column(f"transfer{suffix}({phase})") == pytest.approx(written, rel=1e-3)
    assert table.column("transfer(CO2(g))")[1] is None, "no part of the second model"
    halite, least, most = (table.column(f"transfer{each}(Halite)")[0] for each in ("", "_min", "_max"))
    assert isinstance(halite, float) and isinstance(least, float) and isinstance(most, float)
    assert least <= halite <= most and least < most
    assert table.column("fraction(1)")[0] == pytest.approx(1, abs=1e-3)
    assert {row[0] for row in series(run.output, ["pH"]).rows} == {
        "initial solution 1",
        "initial solution 2",
    }, "models have no row where nothing of theirs is asked for"
    bare = series((await solve(INVERSE.format(range=""))).output, ["transfer(Halite)"])
    assert bare.column("transfer(Halite)")[0] is not None and bare.column("transfer_max(Halite)")[0] is None
    assert any("-range" in note.text for note in bare.notes)


async def test_moles_are_those_of_minerals_and_of_gases(databases: Path) -> None:
    run = await solve(
        "SOLUTION 1\nEQUILIBRIUM_PHASES 1\n Calcite 0 1\nGAS_PHASE 1\n -fixed_volume\n -volume 2\n CO2(g) 0.1\nEND\n"
    )
    table = series(
        run.output, ["moles Calcite", "moles CO2(g)", "gas(CO2(g))", "delta CO2(g)"], states="step 1"
    )
    calcite, moles, gas, delta = table.rows[0][-4:]
    assert isinstance(calcite, float) and 0.9 < calcite < 1
    assert isinstance(moles, float) and moles == gas and moles > 0
    assert isinstance(delta, float) and delta < 0
