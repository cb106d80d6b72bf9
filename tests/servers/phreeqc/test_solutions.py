"""The reading of SOLUTION and SOLUTION_SPREAD against what PHREEQC itself makes of the same text."""

from __future__ import annotations

import asyncio
import ctypes
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig_phreeqc.database.definitions import Definitions
from labrig_phreeqc.database.formulas import formula_weight
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Cell, Run
from labrig_phreeqc.input.solution import Constraint, Number, Solution, Total
from labrig_phreeqc.input.solution_lines import read_number, standard_unit
from labrig_phreeqc.input.solutions import overwritten, solutions, with_charge

SIZES = {"m": 1e-3, "u": 1e-6}


def selecting(text: str) -> str:
    """Put a selected output before an input, with every total it names."""
    names = {name for each in solutions(text) for total in each.totals for name in total.name.split()}
    return (
        "SELECTED_OUTPUT 77\n-reset false\n-high_precision true\n-simulation true\n-state true\n-solution true\n"
        "-pH true\n-pe true\n-temperature true\n-water true\n-alkalinity true\n"
        f"-totals {' '.join(sorted(names - {'Alkalinity'}))}\n{text}"
    )


def initial_rows(run: Run) -> Iterator[dict[str, Cell]]:
    table = next(each for each in run.selected if each.user == 77)
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        if cells["state"] == "i_soln":
            yield cells


def molalities(solution: Solution, weights: dict[str, float], gfw: dict[str, float]) -> dict[str, float]:
    """Convert concentrations to mol/kgw as the manual says: by density, formula weight and sum of solutes."""
    default = solution.units or "mmol/kgw"
    pH = solution.pH.value if solution.pH else 7.0
    solutes = 10**-pH * weights["H"] + 10 ** (pH - 14) * (weights["O"] + weights["H"])  # g per kg solution
    found = {}
    for total in solution.totals:
        unit = total.unit or default
        value = max(total.number.value, 0.0)
        if "/L" in default:
            value /= solution.density.value if solution.density else 1.0
        prefix = unit[0] if unit[0] in "mu" and not unit.startswith("mol") else ""
        value *= SIZES.get(prefix, 1.0)
        weight = total.gfw or (
            formula_weight(total.as_, weights) if total.as_ else gfw[total.name.split()[0]]
        )
        assert weight is not None
        if total.name == "Alkalinity" and total.as_ == "CaCO3":
            weight /= 2
        if "kgw" not in unit:
            solutes += value if "g/" in unit else value * weight
        found[total.name] = value / weight if "g/" in unit else value
    water = 1.0 if "kgw" in default else 1 - 1e-3 * solutes
    return {name: value / water for name, value in found.items()}


async def agree(engine: Engine, databases: Path, text: str) -> int:
    """Compare every solution with the engine's; return how many were compared."""
    run = await engine.run(selecting(text))
    assert run.solved, run.errors
    found = solutions(text)
    lost = overwritten(found)
    expected = {(each.simulation, each.first): each for each in found if each not in lost}
    rows = {(int(row["sim"] or 0), int(row["soln"] or 0)): row for row in initial_rows(run)}
    assert rows.keys() == expected.keys()
    definitions = Definitions(read(databases / "phreeqc.dat"), text)
    for key, solution in expected.items():
        row, elements = rows[key], definitions.at(solution.simulation).elements
        weights = {e.name: e.atomic_weight for e in elements if e.atomic_weight is not None}
        gfw = {e.name: e.formula_weight for e in elements if e.formula_weight is not None}
        assert row["temp(C)"] == (solution.temperature.value if solution.temperature else 25)
        assert row["mass_H2O"] == (solution.water.value if solution.water else 1)
        assert (solution.pH_constraint is not None) or row["pH"] == (solution.pH.value if solution.pH else 7)
        assert (solution.pe_constraint is not None) or row["pe"] == (solution.pe.value if solution.pe else 4)
        known = [total for total in solution.totals if total.name.split()[0] in gfw]
        for total, molality in zip(
            known, molalities(_only(solution, known), weights, gfw).values(), strict=True
        ):
            if total.constraint is None and not solution.calculate_density and " " not in total.name:
                column = "Alk(eq/kgw)" if total.name == "Alkalinity" else f"{total.name}(mol/kgw)"
                assert row[column] == pytest.approx(molality, rel=1e-7, abs=1e-16), (key, total)
    return len(expected)


def _only(solution: Solution, totals: list[Total]) -> Solution:
    return Solution(**{**vars(solution), "totals": tuple(totals)})


SPREAD_CASES = [
    "SOLUTION_SPREAD\n-units mg/L\nNumber\tpH\tNa\tCl\tS(6)\n\t\tmmol/L\tcharge\tas SO4\n1\t7.5\t1\t2\t10\n",
    "SOLUTION_SPREAD\n\tNa\tCl\n\t1\t2\n",
    "SOLUTION_SPREAD\nNumber\tNa\tCl\n\t1\t2\n5\t3\t3\n",
    "SOLUTION 3-4\n Na 1\nSOLUTION_SPREAD\nNa\tCl\n1\t1\n2\t2\n",
    "SOLUTION_SPREAD\nNumber\tDescription\tNa\n1\tmy well\t1\n2-4\tother well\t2\n",
    "SOLUTION_SPREAD\nNumber\tNa\n1 first\t1\n2-4 rest\t2\n",
    "SOLUTION_SPREAD\nNumber\tNa\n1\t1\n-units mol/kgw\ntemp\t30\n2\t1\n",
    "SOLUTION_SPREAD\npH\tNa\tCl\n7.5\t1\t1\n",
    "SOLUTION_SPREAD\ntemp\tpH\tNa\n20\t7.5\t1\n",
    "SOLUTION_SPREAD\npH 8\nNumber\tNa\n1\t1\n",
    "SOLUTION_SPREAD\n-pH 8 Calcite\n-temp 10\nNumber\tna\tS (6)\n1\t1\t2\n",
    "SOLUTION_SPREAD\r\nNumber\tNa\tCl\r\n1\t1\t\r\n2\t2\t2\r\n",
    "SOLUTION_SPREAD; -units mol/kgw\nNumber\tNa\\\n\tCl\n1\t1\t3\n",
    "SOLUTION_SPREAD\nNumber\tC\t13C\tpe\n1\t8\t-12\t8\n\t\t\t\n2\t\t\t3\n",
]
SOLUTION_CASES = [
    "SOLUTION sea water\n Na 1\n",
    "SOLUTION 5-3 x\n Na 1\n",
    "SOLUTION -1 foo\n Na 1\n",
    "SOLUTION 1\n pH 7 charge\n pH 8\n Na 1\n",
    "SOLUTION 1\n Fe(+2) 1\n Na 2; Cl 3 # 4\n",
    "SOLUTION 1\n units mg/kg water\n Na 1\n",
    "SOLUTION 1\n units mg/kgw\n Na 1 mg/kg water as Na\n S(6) 5 as SO4 O(-2)/O(0)\n",
    "SOLUTION 1\n Na 1000\n units ppm\n N(5) 10 gfw 62\n N(-3) 10 gfm 18 pe\n C(4) 10 ppb as C CO2(g) -3.5\n",
    "SOLUTION 1\n -p 8\n -t 10\n -d 1.1\n -u mmol/L\n -w 0.5\n -i 13C -3\n Na 1\n C 1\n 13C -12\n",
    "SOLUTION 1\n Ca\n Ca NaN\n pH\n temp foo\n Na 1,5\n Cl 1.2.3\n Mg 0x10\n K -5\n Li 1d-3\n",
    "SOLUTION 1\n units mg/l\n Alkalinity 100 as CaCO3\n Na 46\n",
    "SOLUTION 1\n units mmol/l\n Alkalinity 2 meq/l\n Na 2\n Na 3\n",
    "SOLUTION 1\n units Milligrams/Liter\n density 1.02\n Na 20\n Cl 3 Moles/l\n",
    "SOLUTION 1\n N(5) N(3) 2\n",
]
OVERWRITTEN_CASES = [
    "SOLUTION 1\n Na 1\nSOLUTION 1\n K 1\n",
    "SOLUTION 1-5\n Na 1\nSOLUTION 3\n K 1\nEND\nSOLUTION 3\n K 2\n",
    "SOLUTION 3\n K 1\nSOLUTION 1-5\n Na 1\nSOLUTION 4-9\n K 3\nSOLUTION 7\n K 4\n",
]


async def test_blocks_are_read_as_the_engine_reads_them(databases: Path) -> None:
    async with Engine() as engine:
        for text in [*SPREAD_CASES, *SOLUTION_CASES, *OVERWRITTEN_CASES]:
            assert await agree(engine, databases, text), text


@pytest.mark.accept
async def test_examples_are_read_as_the_engine_reads_them(databases: Path, examples: Path) -> None:
    async with Engine() as engine:
        for name in ("ex1", "ex3", "ex4", "ex11", "ex14", "ex16", "ex18"):
            assert await agree(
                engine, databases, (examples / name).read_text().replace("-selected_out false", "")
            )


ions = st.sampled_from(["Na", "K", "Ca", "Mg", "Cl", "S(6)", "N(+5)", "Si", "Br", "Fe(2)"])
units = st.sampled_from(["mmol/{}", "mol/{}", "umol/{}", "mg/{}", "ug/{}", "g/{}", "MilliMoles/{}"])
values = st.floats(0.001, 30).map(lambda value: f"{value:.5g}")


@st.composite
def analyses(draw: st.DrawFn) -> str:
    """Draw the lines of a SOLUTION, in one of the many ways to write them."""
    per = draw(st.sampled_from(["l", "kgs", "kgw", "Liter"]))
    lines = []
    if draw(st.booleans()) or per != "kgw":
        lines.append(f"{draw(st.sampled_from(['units', '-UNITS', 'unit', '-u']))} {draw(units).format(per)}")
    for name, low, high in (
        ("pH", 4, 10),
        ("pe", 0, 8),
        ("temp", 5, 60),
        ("density", 0.9, 1.2),
        ("water", 0.1, 3),
    ):
        if draw(st.booleans()):
            lines.append(f"{draw(st.sampled_from(['', '-']))}{name} {draw(st.floats(low, high)):.4g}")
    for ion in draw(st.lists(ions, min_size=1, max_size=6)):
        scale = 1e-3 if lines and " mol/" in lines[0] else 1.0
        line = f"{ion} {float(draw(values)) * scale:.6g}"
        if draw(st.booleans()):
            unit = draw(units).format(per)
            line = f"{ion} {float(draw(values)) * (1e-3 if unit.startswith('mol') else 1):.6g} {unit}"
        if ion == "S(6)":
            line += draw(st.sampled_from(["", " as SO4", " as S", " gfw 50"]))
        lines.append(line)
    options, totals = [x for x in lines if x[0] not in "NKCMSBF"], [x for x in lines if x[0] in "NKCMSBF"]
    return draw(st.sampled_from(["\n", ";", " # note\n"])).join(draw(st.permutations([*options, *totals])))


@pytest.mark.accept
@settings(max_examples=settings.default.max_examples // 6)
@given(st.lists(analyses(), min_size=1, max_size=12))
def test_concentrations_are_those_that_the_engine_finds(databases: Path, drawn: list[str]) -> None:
    text = "".join(f"SOLUTION {number} drawn\n{each}\n" for number, each in enumerate(drawn, 1))

    async def compare() -> int:
        async with Engine() as engine:
            return await agree(engine, databases, text)

    assert asyncio.run(compare()) == len(drawn)


words = st.one_of(
    st.text("0123456789.eE+-xX,nainfp()", min_size=1, max_size=8),
    st.floats().map(repr),
    st.sampled_from(["1e400", "-1e400", "0x1p3", "infinity", "nan(7)", "1e-400", ".5", "5.", "."]),
)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="takes sscanf of the C library")
@given(words)
def test_numbers_are_those_of_sscanf(word: str) -> None:
    libc, value, read_ = ctypes.CDLL(None), ctypes.c_double(), ctypes.c_int()
    count = libc.sscanf(word.encode(), b"%lf%n", ctypes.byref(value), ctypes.byref(read_))
    number = read_number(word, 1)
    if number is None:
        assert count != 1
    elif count == 1:
        assert number.value == value.value or (math.isnan(number.value) and math.isnan(value.value))
        rest = word[read_.value :]  # an exponent without digits is dropped with or without a sign of it
        assert re.fullmatch(r"([eEpP][+-]?)?", number.unread.removesuffix(rest))


@given(st.text("SOLUTION_SPREAD 1-5\n\t;#\\pHCa(+2)charge as mg/L.-eE0x[]uits\r", max_size=300))
def test_no_text_upsets_the_reader(text: str) -> None:
    for each in solutions(f"SOLUTION 1\n{text}\nSOLUTION_SPREAD\n{text}\nEND\n{text}"):
        assert each.first <= each.last and each.start < each.end
        assert all(line >= 1 for line, _ in each.lines)


def test_what_a_line_can_state() -> None:
    text = (
        "SOLUTION 3-5 a name\n temp 12.5\n pH 7,2 Calcite 0.5 # c\n pe 4 O2(g)\n redox O(0)/O(-2)\n density 1.02 calc\n"
        " Na 5 charge\n Fe 2 ug/kgs as Fe pe\n U 1 ppb N(5)/N(-3)\n C 1 CO2(g) -3.5\nEND\n"
    )
    (solution,) = solutions(text)
    assert (solution.name, solution.description, solution.line) == ("SOLUTION 3-5", "a name", 1)
    assert solution.pH == Number(7.0, "7,2", ",2", 3)
    assert solution.pH_constraint == Constraint("Calcite", 0.5)
    assert solution.pe_constraint == Constraint("O2(g)")
    assert (solution.redox, solution.calculate_density) == ("O(-2)/O(0)", True)
    sodium, iron, uranium, carbon = solution.totals
    assert sodium.constraint is not None and sodium.constraint.is_charge
    assert (iron.unit, iron.as_, iron.redox) == ("ug/kgs", "Fe", "pe")
    assert (uranium.unit, uranium.redox, uranium.line) == ("ug/kgs", "N(-3)/N(5)", 9)
    assert carbon.constraint == Constraint("CO2(g)", -3.5)
    assert text[solution.start : solution.end] == text[: text.index("END")]


async def test_lines_and_charge_make_the_same_solution_again(databases: Path) -> None:
    for text in [*SPREAD_CASES, "SOLUTION 2\n -pH 7.5\n temp 30\n Na 2\n Cl 1\n"]:
        again = "".join(
            f"SOLUTION {each.first} {each.description}\n" + "\n".join(line for _, line in each.lines) + "\n"
            for each in solutions(text)
        )
        for one, other in zip(solutions(text), solutions(again), strict=True):
            assert [(t.name, t.number.value, t.unit, t.as_) for t in one.totals] == [
                (t.name, t.number.value, t.unit, t.as_) for t in other.totals
            ]
            assert (one.units, one.redox, one.pH_constraint) == (
                other.units,
                other.redox,
                other.pH_constraint,
            )
    (solution,) = solutions("SOLUTION 2\n -pH 7.5 # x\n Na 2\n Cl 1\n")
    charged = "SOLUTION 2\n" + "\n".join(line for _, line in with_charge(solution))
    async with Engine() as engine:
        run = await engine.run(charged + "\nSELECTED_OUTPUT\n-reset false\n-percent_error true\nEND")
    assert run.selected[0].rows[0][0] == pytest.approx(0, abs=1e-6)


def test_units_that_phreeqc_does_not_have() -> None:
    assert standard_unit("mMol / L") == "mmol/L"
    assert standard_unit("ppm") == standard_unit("mg/kgs") == "mg/kgs"
    assert standard_unit("equivalents/kgw") == "eq/kgw"
    assert standard_unit("mg/kg") is None and standard_unit("µg/L") is None and standard_unit("%") is None
