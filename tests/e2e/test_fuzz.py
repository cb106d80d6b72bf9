"""Ten thousand calls that nobody would make, against the real server in memory: an answer comes back, always.

Calls are drawn from the tools' own input schemas, from values that almost make sense (inputs of shuffled and
mangled lines, names of files that exist, handles, states), and from schema violations. Whatever is sent, the answer
is a tool result or the protocol's refusal of the arguments, never an exception and never the code ``internal``; what
is structured fits the output schema, nothing is too large, and memory, descriptors and processes do not grow.

A failure lists the first call of each fault and the seed of the whole; ``LABRIG_FUZZ_SEED=N`` makes the same calls
again.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import logging
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from anyio.from_thread import start_blocking_portal
from fastmcp import Client
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema
from mcp import MCPError

from hostile.guard import descendants
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.registry.servers import toolbox

Call = tuple[str, dict[str, Any]]

ORDERS = {"own": 1, "paper": -1}
"""Where two toolsets hold a tool of one name the first wins, so both orders are fuzzed."""
AT_A_TIME = 10
CHUNK = 20
"""Examples of one hypothesis run: it remembers what it tried, and that is not the memory to be measured."""
WARM = 2000
MAX_CHARS = 400_000
"""`read_file` gives up to 100,000 characters, and JSON may need several for one."""
MAX_GROWTH_BYTES = 64 << 20
MAX_MORE_DESCRIPTORS = 16
INVALID_PARAMS = -32602

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


@st.composite
def mangled(draw: st.DrawFn, text: st.SearchStrategy[str]) -> str:
    """Cut, double or overwrite a piece of a text."""
    whole = draw(text)
    first = draw(st.integers(0, len(whole)))
    last = draw(st.integers(first, min(len(whole), first + 6)))
    put = draw(
        st.sampled_from(["", whole[first:last] * 2, "\0", ";", "\\", "#", "é", '"', "(", "-", "9" * 30])
    )
    return whole[:first] + put + whole[last:]


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


NASTY = st.sampled_from(
    [
        "",
        "\0",
        "\ud800",
        "a\udcff",
        "\ufeff",
        "9" * 5000,
        "raw:" + "9" * 5000,
        "SELECTED_OUTPUT " + "9" * 5000 + "\n -file x",
        "L" + "9" * 5000,
        "sim " + "9" * 400,
        "x" * 500_000,
        "x\n" * 2000,
        "(" * 5000,
        "Ca" * 2000,
        "%s%n{0}",
        base64.urlsafe_b64encode(b"[" * 50_000).decode(),
    ]
)
WRONG: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**40), 10**40),
    st.floats(),
    st.sampled_from([[], [None], {"a": [1, {"b": None}]}, [["x"] * 500], 10**400]),
    NASTY,
    NASTY,
)


RECIPES: dict[str, list[dict[str, Any]]] = {
    "execute_phreeqc": [{"input_path": "steps.pqi"}, {"input_path": "water.pqi"}],
    "start_phreeqc": [{"input": STEPS, "wall_s": 0.5}],
    "check_input": [{"input": STEPS}, {"input_path": "water.pqi"}],
    "read_file": [{"path": "steps.out", "start_line": 5, "end_line": 90}],
    "outline_output": [{"path": "steps.out"}, {"path": "steps.out", "from_line": 60, "to_line": 300}],
    "series": [
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
"""Calls that are right, in each of which one argument is changed; tools that are not named here do without."""

INSTEAD = ({"input_path", "input"}, {"path", "table"})


def _weight(tool: str) -> int:
    """Return how often a tool is called: a picture or a Monte Carlo takes about a second, a run hundredths of one."""
    if any(word in tool for word in ("draw", "plot", "estimate")):
        return 3
    return 24 if "execute" in tool else 12


def _is_text(about: dict[str, Any]) -> bool:
    return about.get("type") == "string" and "enum" not in about


def fitting(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that fit a schema.

    Objects, lists and references are taken apart here: for objects hypothesis-jsonschema 0.23 reaches into parts of
    hypothesis that later releases have changed.
    """
    if "$ref" in schema:
        return fitting(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        return st.one_of([fitting(each, root) for each in schema["anyOf"]])
    if schema.get("type") == "object":
        values = {name: fitting(each, root) for name, each in schema.get("properties", {}).items()}
        needed = {name: values[name] for name in schema.get("required", ())}
        named = st.fixed_dictionaries(
            needed, optional={name: each for name, each in values.items() if name not in needed}
        )
        more = schema.get("additionalProperties", False)
        if not isinstance(more, dict):
            return named
        extra = st.dictionaries(st.text(max_size=6), fitting(more, root), max_size=3)
        return st.builds(lambda some, rest: {**rest, **some}, named, extra)
    if schema.get("type") == "array":
        least = schema.get("minItems", 0)
        most = min(schema.get("maxItems", least + 4), least + 4)
        return st.lists(fitting(schema.get("items", {"type": "null"}), root), min_size=least, max_size=most)
    return from_schema(schema)


def calls(tools: dict[str, dict[str, Any]], handles: list[str]) -> st.SearchStrategy[Call]:
    """Return the strategy of calls: by schema, sensible, and wrong ones."""
    known = sensible(handles)

    def arguments(tool: str, schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
        values: dict[str, st.SearchStrategy[Any]] = {}
        for name, about in schema.get("properties", {}).items():
            mine = f"{tool}.{name}" if f"{tool}.{name}" in known else name
            values[name] = known[mine] if mine in known else fitting(about, schema)
        needed = {name: values[name] for name in schema.get("required", ())}
        free = {name: each for name, each in values.items() if name not in needed}
        good = st.fixed_dictionaries(needed, optional=free)
        for pair in INSTEAD:  # of which one is given
            if pair <= free.keys():
                others = {name: each for name, each in free.items() if name not in pair}
                good = st.one_of(
                    [
                        st.fixed_dictionaries({**needed, name: free[name]}, optional=others)
                        for name in sorted(pair)
                    ]
                )
        text = st.sampled_from([name for name in values if _is_text(schema["properties"][name])] or ["extra"])
        names = st.sampled_from([*values, "extra", "self", "__class__", "path\0"])
        wrong = st.one_of(
            st.builds(lambda given, name, value: {**given, name: value}, good, names, WRONG),
            st.builds(lambda given, name: {key: given[key] for key in given if key != name}, good, names),
            st.builds(lambda given, name, value: {**given, name: value}, good, text, NASTY),
        )
        one = st.sampled_from([*values] or ["extra"]).flatmap(
            lambda name: st.tuples(st.just(name), values.get(name, NASTY) | NASTY)
        )
        right = st.sampled_from(RECIPES.get(tool, [{}]))
        near = st.one_of(
            right, st.builds(lambda given, changed: {**given, changed[0]: changed[1]}, right, one)
        )
        return st.one_of(near, near, good, fitting(schema, schema), wrong, wrong)

    by_tool = {name: arguments(name, schema) for name, schema in tools.items()}
    # runs come first: what hypothesis draws from leans to the beginning
    by_weight = sorted(tools, key=lambda name: -_weight(name))
    chosen = st.sampled_from([name for name in by_weight for _ in range(_weight(name))])
    return chosen.flatmap(lambda name: st.tuples(st.just(name), by_tool[name]))


class Bench:
    """A server in memory, its tools, and what has been called so far."""

    def __init__(self, client: Client[Any], ask: Callable[..., Any]) -> None:
        self.client, self.ask = client, ask
        self.seed = _first_seed()
        tools = ask(client.list_tools)
        self.inputs = {tool.name: tool.input_schema for tool in tools}
        self.outputs = {tool.name: tool.output_schema for tool in tools}
        self.handles: list[str] = []
        self.made = 0
        self.good: Counter[str] = Counter()
        self.faults: dict[str, str] = {}

    async def _one(self, tool: str, arguments: dict[str, Any]) -> Any:
        try:
            return await self.client.call_tool_mcp(tool, arguments)
        except Exception as error:
            return error

    async def _all(self, drawn: list[Call], together: bool) -> list[Any]:
        if together:
            return await asyncio.gather(*(self._one(*each) for each in drawn))
        return [await self._one(*each) for each in drawn]

    def make(self, drawn: list[Call], together: bool) -> None:
        """Make calls, one after the other or at once, and judge each answer; the first of each fault is kept."""
        for (tool, arguments), result in zip(drawn, self.ask(self._all, drawn, together), strict=True):
            self.made += 1
            self.good[tool] += not isinstance(result, Exception) and not result.is_error
            fault = self._fault(tool, result)
            if fault:
                shown = ", ".join(f"{name}={_short(value)}" for name, value in arguments.items())
                self.faults.setdefault(
                    f"{tool}: {fault}",
                    f"call {self.made}{' (ten at once)' if together else ''}: {tool}({shown})",
                )

    def _fault(self, tool: str, result: Any) -> str:
        """Return what is wrong with an answer, in words that are the same each time; empty if nothing is."""
        if isinstance(result, MCPError):
            return "" if result.error.code == INVALID_PARAMS else f"protocol error {result.error.code}"
        if isinstance(result, Exception):
            return f"the client raised {type(result).__name__}"
        error = ((result.meta or {}).get("labrig") or {}).get("error", {})
        if error.get("code") == "internal":
            return "masked exception"
        if not result.content or bool(error) > bool(result.is_error):
            return "an error that is none, or nothing at all"
        size = sum(len(getattr(each, "text", "")) for each in result.content)
        answer = result.structured_content
        if answer is not None:
            size += len(json.dumps(answer))
            try:
                jsonschema.validate(answer, self.outputs[tool] or {})
            except jsonschema.ValidationError as wrong:
                return f"does not fit the output schema: {wrong.message[:80]}"
            new = {each["handle"] for each in answer.get("artifacts", ())}.difference(self.handles)
            self.handles += sorted(new)[: 50 - len(self.handles)]
        elif self.outputs[tool] is not None and not result.is_error:
            return "nothing structured"
        return "too large" if size > MAX_CHARS else ""

    def verdict(self) -> None:
        """Say how many calls were made; fail with every fault that was found."""
        print(f"{self.made:,} calls were answered, of which {self.good.total():,} did something")
        found = "\n".join(f"{fault}\n    {call}" for fault, call in self.faults.items())
        if found:
            pytest.fail(f"LABRIG_FUZZ_SEED={self.seed}\n{found}", pytrace=False)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 600 else f"{text[:80]}... ({len(text)} characters)"


@contextmanager
def bench(order: int, folder: Path) -> Iterator[Bench]:
    """Give a server that serves every toolset, those that come first in `order` winning."""
    tools = toolbox("phreeqc")
    server = build(tools, ServeOptions(toolsets=tools.toolsets[::order], workspace=folder))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        made = Bench(client, portal.call)
        for name, text in PLACED.items():
            portal.call(client.call_tool_mcp, "write_file", {"path": name, "content": text})
        portal.call(client.call_tool_mcp, "execute_phreeqc", {"input_path": "steps.pqi"})
        shutil.copy(folder / "result.out", folder / "steps.out")
        if "speciate_waters" in made.inputs:
            portal.call(client.call_tool_mcp, "speciate_waters", {"path": "waters.csv"})
            shutil.copy(folder / "speciated_waters.json", folder / "pictures.json")
        yield made


def fuzz(each: Bench, n_calls: int) -> None:
    """Make `n_calls` calls; the seed of each chunk follows from the first one and the calls made so far."""
    strategy = st.lists(calls(each.inputs, each.handles), min_size=AT_A_TIME, max_size=AT_A_TIME)
    until = each.made + n_calls
    while each.made < until:

        @seed(each.seed + each.made)
        @settings(
            max_examples=min(CHUNK, -(-(until - each.made) // AT_A_TIME)),
            phases=[Phase.generate],  # no shrinking: what a call does depends on those before it
            database=None,
            deadline=None,
            derandomize=False,
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy, st.booleans())
        def chunk(drawn: list[Call], together: bool) -> None:
            each.make(drawn, together)

        chunk()


def _first_seed() -> int:
    """Return the seed to begin with: the one asked for, the same one in CI, else any."""
    asked = os.environ.get("LABRIG_FUZZ_SEED")
    return int(asked) if asked else 1 if "CI" in os.environ else random.randrange(10**9)


@pytest.fixture
def short_runs(private_home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """End runs after half a second, since endless loops are among the lines, and say nothing of wrong arguments."""
    monkeypatch.setenv("LABRIG_PHREEQC_WALL_S", "0.5")
    caplog.set_level(logging.ERROR, logger="fastmcp.server.server")


@pytest.mark.usefixtures("short_runs")
@pytest.mark.parametrize("order", ["own", pytest.param("paper", marks=pytest.mark.accept)])
def test_a_sample_of_calls_is_answered(tmp_path: Path, order: str) -> None:
    with bench(ORDERS[order], tmp_path / "w") as each:
        fuzz(each, 125 if order == "paper" else 60)
    each.verdict()


def _rss(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


def _in_use() -> dict[str, int]:
    """Return memory of this process and of those below it, descriptors, and the number of processes."""
    gc.collect()
    below = descendants(os.getpid())
    return {
        "memory": _rss(os.getpid()),
        "memory below": sum(map(_rss, below)),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(below),
    }


@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("short_runs")
@pytest.mark.parametrize(
    "n_calls", [pytest.param(3_000, marks=pytest.mark.accept), pytest.param(10_000, marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("order", ORDERS)
def test_thousands_of_calls_leave_no_trace(tmp_path: Path, order: str, n_calls: int) -> None:
    with bench(ORDERS[order], tmp_path / "w") as each:
        fuzz(each, WARM)
        before = _in_use()
        fuzz(each, n_calls - WARM)
        after = _in_use()
    each.verdict()
    assert each.made >= n_calls
    assert each.good.total() > n_calls / 10, f"hardly a call did anything: {each.good}"
    assert len(+each.good) > len(each.inputs) / 2, f"most tools only refused: {each.good}"
    for what, most in (
        ("memory", MAX_GROWTH_BYTES),
        ("memory below", MAX_GROWTH_BYTES),
        ("descriptors", MAX_MORE_DESCRIPTORS),
        ("processes", 4),
    ):
        assert after[what] - before[what] < most, f"{what}: {before[what]:,} to {after[what]:,}"
