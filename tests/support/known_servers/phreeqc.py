"""What the tests know of the PHREEQC server: words for calls that nobody would make, and how it is attacked.

Inputs are of shuffled and mangled lines; names are those of files that exist, handles and states.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from hostile.servers import phreeqc as attacks
from hostile.servers.case import Call
from hostile.servers.target import Target
from labrig_phreeqc.database.databases import find_database
from support.fuzzing import Bench, Vocabulary, mangled

WATER = "SOLUTION 1\n pH 7 charge\n Ca 1\n C(4) 2\n Na 1\nEND\n"
STEPS = """SOLUTION 1
EQUILIBRIUM_PHASES 1
 Gypsum 0 1
REACTION_TEMPERATURE 1
 25 75 in 4 steps
SELECTED_OUTPUT 1
 -file steps.sel
 -totals Ca
 -saturation_indices Gypsum
END
"""
LINES = """SOLUTION 1
SOLUTION 2-5 a description
SOLUTION_SPREAD
 pH 7 charge
 pH 8.1
 pe 4 O2(g) -0.7
 temp 60
 units mg/L
 units mmol/kgw
 redox O(0)/O(-2)
 density 1.02 calculate
 Ca 80
 Ca 1e300
 Ca -1
 Na 30 charge
 Cl 40 charge
 S(6) 90 as SO4
 Alkalinity 250 as HCO3
 C(4) 2 CO2(g) -3.5
 Fe 0.01
 Caa 1
 -water 0
 -isotope 13C -12
EQUILIBRIUM_PHASES 1
 Calcite 0 10
 Calcite 0 0
 CO2(g) -3.5
 Gypsum 1.5 Gypsum 1
REACTION 1
 NaCl 1
 HCl -1
 1 2 3 mmol
 1 in 20 steps
REACTION_TEMPERATURE 1
 0 100 in 5 steps
REACTION_PRESSURE 1
 1 500 in 3
MIX 1
 1 0.5
 2 0.5
GAS_PHASE 1
 -fixed_volume
 CO2(g) 0.1
EXCHANGE 1
 X 0.1
 -equilibrate 1
SURFACE 1
 Hfo_w 0.001 600 0.1
KINETICS 1
Calcite
 -m0 1
 -steps 100 in 3
RATES
Calcite
-start
10 SAVE 1e-9 * TIME
-end
TRANSPORT
 -cells 3
 -shifts 2
 -dump x
ADVECTION
 -cells 2
 -shifts 3
INVERSE_MODELING 1
 -solutions 1 2
 -phases
 Halite
PHASES
Rock
 CaCO3 = Ca+2 + CO3-2
 -log_k -8
SOLUTION_SPECIES
 Ca+2 = Ca+2
SELECTED_OUTPUT 2
 -file t.sel
 -file /tmp/x
 -reset true
 -totals Ca Na
USER_PUNCH
 -headings a b
10 PUNCH TOT("Ca"), -LA("H+")
20 PUNCH 1/0
USER_PRINT
10 PRINT "-----Saturation indices-----"
10 PRINT MID$("abc", 100, 5)
30 GOTO 30
USER_GRAPH 1
DUMP
 -all
PRINT
 -reset false
 -species true
KNOBS
 -iterations 2
SAVE solution 1
USE solution 1
COPY solution 1 5-9
DELETE
 -solution 1
RUN_CELLS
 -cells 1-3
TITLE words # and a comment
INCLUDE$ water.pqi
INCLUDE$ loop.pqi
DATABASE pitzer.dat
END
END; SOLUTION 3; Na 1
\\
""".splitlines()
PLACED = {
    "water.pqi": WATER,
    "steps.pqi": STEPS,
    "loop.pqi": "INCLUDE$ loop.pqi\n",
    "sweep.pqi": "SOLUTION 1\n pH 7\n Ca {x}\nEND\n",
    "empty": "",
    "folder/odd.txt": "\ufeff\r\n\x85a\x0cb\u2028\x00\u202e\n\n-----Solution composition-----\n",
    "waters.csv": "Sample,pH,Temp (C),Ca (mg/L),Cl (mg/L),Alkalinity (mg/L as HCO3)\n"
    "one,7.2,12,80,40,250\ntwo,8.1,25,<0.5,12,\n",
    "waters.json": '{"schema": "labrig.waters/1", "piper": {"samples": [{}]}}',
    "estimate.json": '{"schema": "labrig.estimate/1", "estimates": [{"phase": "Calcite"}]}',
    "deep.json": "[" * 20_000,
    "table.csv": "pH,Ca (mol/kgw)\n7,1e-3\n8,\nx,NaN\n",
}
STATES = [
    "step",
    "cell",
    "sim",
    "batch",
    "solution",
    "initial",
    "L",
    "1",
    "2",
    "4",
    "-1",
    "99",
    "700",
    ":",
    "SI",
]


LINE = st.sampled_from(LINES)
INPUT = st.one_of(
    st.sampled_from([WATER, STEPS]),
    st.lists(LINE | mangled(LINE) | st.text(max_size=12), min_size=1, max_size=14).map("\n".join),
    st.lists(LINE, max_size=8).map(lambda lines: WATER + "\n".join([*lines, "END"])),
    mangled(st.sampled_from([WATER, STEPS])),
)
CELL = st.sampled_from(
    ["7.2", "80", "250", "12", "<0.5", "", "-1", "1e308", "n.d.", "=1+1", '"a', "é", "1,5"]
)
HEADING = st.sampled_from(
    [
        "Sample",
        "pH",
        "Temp (C)",
        "Ca (mg/L)",
        "Mg (meq/L)",
        "Na",
        "Cl (mg/L)",
        "Alkalinity (mg/L as HCO3)",
        "Xx",
        "",
    ]
)
TABLE = st.one_of(
    st.just(PLACED["waters.csv"]),
    st.builds(
        lambda rows: "\n".join(",".join(cells) for cells in rows),
        st.integers(1, 6).flatmap(
            lambda n: st.builds(
                lambda head, rows: [head, *rows],
                st.lists(HEADING, min_size=n, max_size=n),
                st.lists(st.lists(CELL, min_size=n, max_size=n), max_size=5),
            )
        ),
    ),
)
NAME = st.sampled_from(
    ["result.out", "steps.out"] * 4
    + ["pictures.json", *PLACED, "steps.sel", "steps.sel", "t.sel", "new.txt", "dump.out"]
)
QUANTITY = st.sampled_from(
    ["pH", "pe", "temperature", "ionic strength", "total Ca", "SI(Gypsum)", "m(Ca+2)", "la(H+)", "p(CO2(g))"]
)
WORDS = st.lists(st.sampled_from(STATES), max_size=4).map(" ".join)


def sensible(handles: list[str]) -> dict[str, st.SearchStrategy[Any]]:
    """Return values that make sense, or nearly, by the name of the argument, if need be with that of its tool.

    Times and numbers of random waters are small, for the budget's sake.
    """
    handle = st.integers(0, 99).map(lambda n: handles[n % len(handles)] if handles else "sha256:" + "0" * 16)
    odd = st.sampled_from(
        ["../x", "/etc/passwd", ".labrig/lock", "folder", "@root/x", "a/b/d.txt", "nothing"]
    )
    path = st.one_of(NAME, NAME, NAME, NAME, NAME, handle, mangled(NAME), odd)
    line = st.one_of(st.integers(1, 8), st.integers(1, 120), st.none(), st.just(10**30))
    return {
        "path": path,
        "input_path": path,
        "a": path,
        "b": path,
        "input": INPUT,
        "table": TABLE,
        "content": st.one_of(INPUT, st.text(max_size=60)),
        "database": st.one_of(
            st.sampled_from(
                ["phreeqc.dat", "phreeqc.dat", "pitzer", "WATEQ4F.dat", "Concrete_PHR.dat", "../x"]
            ),
            mangled(st.just("phreeqc.dat")),
        ),
        "output": st.sampled_from(
            ["auto", "outline", "toc", "toc:50", "raw:500", "raw:0", "raw:x", "raw:", ""]
        ),
        "wall_s": st.floats(0.01, 1.0),
        "job": st.one_of(
            st.integers(1, 9).map(lambda n: f"phreeqc-{n}"),
            st.integers(0, 200).map(lambda n: f"phreeqc-{n}"),
            st.text(max_size=8),
        ),
        "wait_s": st.floats(0, 0.05),
        "start_line": line,
        "end_line": line,
        "to_line": line,
        "draw_plot.kind": st.sampled_from(["series"] * 4 + ["piper", "stiff", "saturation", "uncertainty"]),
        "draw_plot.path": st.one_of(
            st.sampled_from(["", "result.out", "waters.json", "deep.json", "estimate.json", "table.csv"]),
            path,
        ),
        "estimate_saturation.path": st.sampled_from(["waters.csv", "waters.csv", "table.csv"]),
        "quantities": st.one_of(
            st.lists(QUANTITY, min_size=1, max_size=4), st.lists(QUANTITY | mangled(QUANTITY), max_size=3)
        ),
        "phases": st.lists(
            st.sampled_from(["Calcite", "Gypsum", "CO2(g)", "Rock", ""]), min_size=1, max_size=3
        ),
        "databases": st.sampled_from([["phreeqc.dat"], ["phreeqc.dat", "pitzer.dat"], ["none"], []]),
        "members": st.integers(50, 60),
        "of": st.one_of(st.just(""), st.sampled_from(["sim 1", "batch", "solution", "step"]), WORDS),
        "state": st.one_of(
            st.sampled_from(["1", "L12", "L40", "solution 1", "step 1", "sim 1 step 2"]), WORDS
        ),
        "sample": st.sampled_from(["one", "one", "one", "two", "three", ""]),
        "unit": st.sampled_from(["", "mg/L", "meq/L", "furlong"]),
        "alkalinity_as": st.sampled_from(["", "CaCO3", "HCO3", "Ca"]),
        "temperature": st.one_of(st.none(), st.floats(-10, 110)),
        "error_percent_of": st.sampled_from([{}, {"Ca": 2}, {"Xx": 1}]),
        "x": st.sampled_from(["", "step", "time", "pH", "zz"]),
        "section": st.sampled_from(["", "", "", "SI", "species", "comp", "head", "phases", "S", "no such"]),
        "pattern": st.sampled_from(
            ["Calcite", "-+", "[", "^$", "(a|b)*c", "\\d+", "(?i)ph", "\\", ".", "x{99}"]
        ),
        "query": st.one_of(
            st.sampled_from(["", "Ca", "Calcite", "S(6)", "CO2(g)", "HCO3-", "Hfo"]), st.text(max_size=6)
        ),
        "cursor": st.one_of(st.just(""), st.text(max_size=20), st.just("WyIwMDAwMDAwMDAwMDAiLCA1XQ")),
    }


RECIPES: dict[str, list[dict[str, Any]]] = {
    "execute_phreeqc": [{"input_path": "steps.pqi"}, {"input_path": "water.pqi"}],
    "start_phreeqc": [{"input": STEPS, "wall_s": 0.5}],
    "check_input": [{"input": STEPS}, {"input_path": "water.pqi"}],
    "find_dose": [{"target": "pH", "target_value": 6.5, "reagent": "HCl", "input_path": "water.pqi"}],
    "sweep_parameters": [
        {"parameter": "x", "values": [1, 2], "quantities": ["pH"], "input_path": "sweep.pqi"},
    ],
    "draw_user_graph": [{"input": STEPS + 'USER_GRAPH\n 10 PLOT_XY RXN, -LA("H+")\nEND\n'}],
    "draw_predominance": [{"element": "Fe", "totals_mmol_kgw": {"Fe": 1e-3}, "steps": 9}],
    "read_file": [{"path": "steps.out", "start_line": 5, "end_line": 90}],
    "outline_output": [{"path": "steps.out"}, {"path": "steps.out", "from_line": 60, "to_line": 300}],
    "read_values": [
        {"path": "steps.out", "quantities": ["pH", "SI(Gypsum)"]},
        {"path": "table.csv", "quantities": ["pH"]},
    ],
    "search_output": [{"path": "steps.out", "pattern": "Gypsum"}],
    "read_section": [{"path": "steps.out", "state": "step 1", "section": "SI"}],
    "compare_outputs": [{"a": "steps.out", "b": "steps.out"}],
    "speciate_waters": [{"path": "waters.csv"}, {"table": PLACED["waters.csv"]}],
    "estimate_saturation": [
        {
            "path": "waters.csv",
            "sample": "one",
            "phases": ["Calcite"],
            "members": 50,
            "databases": ["phreeqc.dat"],
        }
    ],
    "draw_plot": [
        {"kind": "series", "path": "steps.out", "quantities": ["pH"]},
        {"kind": "saturation", "path": "pictures.json"},
        {"kind": "piper", "path": "pictures.json"},
    ],
}


def _weight(tool: str) -> int:
    """Return how often a tool is called: a picture or a Monte Carlo takes about a second, a run hundredths of one."""
    if any(word in tool for word in ("draw", "plot", "estimate")):
        return 3
    return 24 if "execute" in tool else 12


def _begin(bench: Bench, workspace: Path) -> None:
    """Write the files, and copy two outputs to names that no later run writes."""
    for name, text in PLACED.items():
        bench.call("write_file", path=name, content=text)
    bench.call("execute_phreeqc", input_path="steps.pqi")
    shutil.copy(workspace / "result.out", workspace / "steps.out")
    if "speciate_waters" in bench.inputs:
        bench.call("speciate_waters", path="waters.csv")
        shutil.copy(workspace / "speciated_waters.json", workspace / "pictures.json")


def _short(patch: pytest.MonkeyPatch) -> None:
    """End runs after half a second, since endless loops are among the lines."""
    patch.setenv("LABRIG_PHREEQC_WALL_S", "0.5")


VOCABULARY = Vocabulary(
    sensible,
    RECIPES,
    _weight,
    instead=({"input_path", "input"}, {"path", "table"}),
    begin=_begin,
    short=_short,
    sample={"own": 60, "paper": 125},
    thousands=(1_500, 500),
)


CANARY = """SOLUTION 1
EQUILIBRIUM_PHASES 1
 Calcite 0
 CO2(g) -3.5
END
"""
CANARY_PH = (8.2, 8.4)
"""Calcite in water open to air (log p CO2 -3.5, 25 degC): pH 8.3 (Stumm and Morgan, Aquatic Chemistry)."""


def _right(result: dict[str, Any]) -> bool:
    """Tell whether the pH of a water that is known is right."""
    values = result.get("structuredContent", {}).get("values", [])
    found = [each["value"] for each in values if each["name"] == "pH"]
    return bool(found) and CANARY_PH[0] <= found[-1] <= CANARY_PH[1]


def _databases() -> tuple[Path, ...]:
    return (find_database("phreeqc.dat").path.parent,)


TARGET = Target(
    canary=Call("execute_phreeqc", {"input": CANARY}),
    right=_right,
    ordinary=Call("execute_phreeqc", {"input": WATER}),
    endless=Call("execute_phreeqc", {"input": attacks.ENDLESS}),
    starts=(Call("start_phreeqc", {"input": WATER}),),
    arguments=RECIPES,
    configuration=lambda wall_s: f"[phreeqc]\nwall_s = {wall_s}\n",
    variables=lambda: {"LABRIG_PHREEQC_DATABASES": str(_databases()[0])},
    watched=_databases,
    cases=lambda: attacks.CASES,
)
