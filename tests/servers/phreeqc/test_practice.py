"""Twelve questions of practice, asked through MCP as an agent would, with values known by hand or in closed form.

The page of the server lists the calls and the bytes that each takes, arguments and results together.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_phreeqc.server import toolbox

PAGE = Path(__file__).parents[3] / "docs" / "servers" / "phreeqc.md"
ROW = re.compile(r"^\| ([a-z][^|]*?) \| [^|]* \| (\d+) \| ([\d.]+) kB \|$", re.MULTILINE)


class Agent:
    """Calls tools, and counts what passes to and fro."""

    def __init__(self, client: Client[Any]) -> None:
        self.client = client
        self.calls, self.bytes = 0, 0

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the data of an answer; a job is waited for."""
        done = await self.client.call_tool(tool, arguments)
        found: dict[str, Any] = done.structured_content or {}
        self.calls += 1
        self.bytes += len(json.dumps(arguments)) + len(json.dumps(found))
        if found.get("status") == "started":
            return await self.call("get_job", job=found["data"]["job"], wait_s=45)
        assert str(found["status"]).startswith(("ok", "done")), found
        return found

    async def values(self, *quantities: str, of: str = "") -> list[list[float]]:
        """Return rows of an output, the columns of the quantities alone."""
        found = await self.call("read_values", quantities=list(quantities), **({"of": of} if of else {}))
        return [row[-len(quantities) :] for row in found["data"]["rows"]]

    async def run(self, input: str, **arguments: Any) -> dict[str, Any]:
        """Run an input, of which the outline comes back."""
        return await self.call("execute_phreeqc", input=input, output="outline", **arguments)


def water(number: int | str, *lines: str) -> str:
    return f"SOLUTION {number}\n" + "".join(f" {line}\n" for line in ("units mmol/kgw", *lines))


async def mixing(agent: Agent) -> None:
    sea = water(1, "Na 485 charge", "Cl 566", "Ca 10.7", "pH 8.2", "Alkalinity 2.4")
    fresh = water(2, "Ca 2", "Cl 1", "Na 1 charge", "pH 7.3", "Alkalinity 4")
    await agent.run(f"{sea}{fresh}MIX 1\n 1 0.3\n 2 0.7\nEND\n")
    ((chloride,),) = await agent.values("total Cl", of="batch")
    assert chloride == pytest.approx(0.3 * 0.566 + 0.7 * 0.001, rel=1e-4)


async def scaling(agent: Agent) -> None:
    well = water(1, "temp 60", "pH 7.6", "Ca 3", "Cl 2", "Na 1 charge", "Alkalinity 4.5")
    await agent.run(f"{well}EQUILIBRIUM_PHASES 1\n Calcite 0 0\nEND\n")
    rows = await agent.values("total Ca", "alkalinity", "delta(Calcite)", "SI(Calcite)")
    (before, alkalinity, *_), (after, left, formed, index) = rows
    assert index == pytest.approx(0, abs=5e-3)
    assert before - after == pytest.approx(formed, rel=1e-3) and alkalinity - left == pytest.approx(
        2 * formed, rel=1e-3
    )


async def degassing(agent: Agent) -> None:
    await agent.run(
        "SOLUTION 1\nEQUILIBRIUM_PHASES 1\n CO2(g) -1.5 10\nSAVE solution 1\nEND\n"
        "USE solution 1\nEQUILIBRIUM_PHASES 2\n CO2(g) -3.4 10\nEND\n"
    )
    rows = await agent.values("pH", of="batch")
    for (pH,), log_p in zip(rows, (-1.5, -3.4), strict=True):  # [H+] is [HCO3-], ions are few
        assert pH == pytest.approx(0.5 * (6.352 + 1.468 - log_p), abs=0.02)


async def acid_drainage(agent: Agent) -> None:
    pond = "SOLUTION 1\n pH 7\nREACTION 1\n Pyrite 1\n 1 mmol\nEQUILIBRIUM_PHASES 1\n O2(g) -0.7 10\n Fe(OH)3(a) 0 0\n"
    found = await agent.call(
        "find_dose",
        input=f"{pond}REACTION 1\n Pyrite 1\n NaOH {{dose}}\n 1 mmol\nEND\n",
        target="pH",
        target_value=7,
        most=8,
    )
    assert found["values"][0]["value"] == pytest.approx(
        4, rel=5e-3
    )  # FeS2 + 15/4 O2 + 7/2 H2O = Fe(OH)3 + 2 SO4-2 + 4 H+


async def exchange(agent: Agent) -> None:
    clay = "EXCHANGE 1\n NaX 0.02\n"
    await agent.run(f"{water(1, 'Ca 5', 'Cl 10 charge')}{clay}END\n")
    before, after = await agent.values("total Na", "total Ca")
    assert after[0] == pytest.approx(2 * (before[1] - after[1]), rel=1e-3)  # equivalents
    assert after[1] < 0.2 * before[1]


async def arsenic_on_hfo(agent: Agent) -> None:
    stirred = "SURFACE 1\n Hfo_wOH 2e-4 600 0.089\n Hfo_sOH 5e-6\n"
    await agent.run(
        f"{water(1, 'pH 7', 'Na 10', 'Cl 10 charge', 'As(5) 0.005')}{stirred}END\n", database="wateq4f.dat"
    )
    bound = ("Hfo_wH2AsO4", "Hfo_wHAsO4-", "Hfo_wOHAsO4-3")
    rows = await agent.values("total As", *(f"m({each})" for each in bound))
    dissolved, *held = rows[-1]
    assert dissolved + sum(held) == pytest.approx(5e-6, rel=2e-3) and sum(held) > 0.98 * 5e-6


SIERRA = """INVERSE_MODELING 1
 -solutions 1 2
 -uncertainty 0.025
 -phases
  Halite
  Gypsum
  Kaolinite precip
  Ca-montmorillonite precip
  CO2(g)
  Calcite
  Chalcedony precip
  Biotite dissolve
  Plagioclase dissolve
 -range
PHASES
Biotite
 KMg3AlSi3O10(OH)2 + 6H+ + 4H2O = K+ + 3Mg+2 + Al(OH)4- + 3H4SiO4
 log_k 0.0
Plagioclase
 Na0.62Ca0.38Al1.38Si2.62O8 + 5.52H+ + 2.48H2O = 0.62Na+ + 0.38Ca+2 + 1.38Al+3 + 2.62H4SiO4
 log_k 0.0
END
"""


async def inverse_model(agent: Agent) -> None:
    ephemeral = water(
        1,
        "pH 6.2",
        "Si 0.273",
        "Ca 0.078",
        "Mg 0.029",
        "Na 0.134",
        "K 0.028",
        "Alkalinity 0.328",
        "S(6) 0.010",
        "Cl 0.014",
    )
    perennial = water(
        2,
        "pH 6.8",
        "Si 0.410",
        "Ca 0.260",
        "Mg 0.071",
        "Na 0.259",
        "K 0.040",
        "Alkalinity 0.895",
        "S(6) 0.025",
        "Cl 0.030",
    )
    await agent.run(f"{ephemeral}{perennial}{SIERRA}")
    found = (await agent.call("read_values", quantities=["transfer(Halite)", "transfer(Gypsum)"]))["data"]
    names = [each["name"] for each in found["columns"]]
    halite, gypsum = (found["rows"][0][names.index(f"transfer({each})")] for each in ("Halite", "Gypsum"))
    assert halite == pytest.approx(
        0.030e-3 - 0.014e-3, rel=1e-3
    )  # all chloride is from halite, all sulfate from gypsum
    assert gypsum == pytest.approx(0.025e-3 - 0.010e-3, rel=1e-3)


async def breakthrough(agent: Agent) -> None:
    cells, length, dispersivity = 40, 0.1, 0.1
    column = (
        f"{water(0, 'Na 10', 'Br 10 charge')}{water('1-40', 'Na 10', 'Cl 10 charge')}"
        f"TRANSPORT\n -cells {cells}\n -shifts 40\n -lengths {length}\n -dispersivities {dispersivity}\n"
        " -time_step 100\n -diffusion_coefficient 0\n -boundary_conditions flux flux\n -punch_cells 40\n"
        " -print_cells 40\nEND\n"
    )
    await agent.run(column)
    rows = await agent.values("total Br", of="cell 40")
    far, volume = cells * length, cells * length  # after 40 shifts, one pore volume
    root = math.sqrt(4 * dispersivity * volume)
    ogata = 0.5 * (
        math.erfc((far - volume) / root) + math.exp(far / dispersivity) * math.erfc((far + volume) / root)
    )
    assert rows[-1][0] / 0.010 == pytest.approx(ogata, abs=0.03)


async def titration(agent: Agent) -> None:
    hard = water(1, "pH 7.6", "Ca 2", "Cl 1 charge", "Alkalinity 3")
    found = await agent.call(
        "find_dose",
        input=f"{hard}END\n",
        reagent="HCl",
        target="alkalinity as CaCO3",
        target_value=0,
        most=10,
    )
    assert found["values"][0]["value"] == pytest.approx(3, rel=2e-3)


async def redox_couple(agent: Agent) -> None:
    await agent.run(f"{water(1, 'pH 2.5', 'pe 12', 'Fe 1', 'Cl 10 charge')}END\n")
    ((pe, ferric, ferrous),) = await agent.values("pe", "la(Fe+3)", "la(Fe+2)")
    assert pe == pytest.approx(13.02 + ferric - ferrous, abs=5e-3)


async def solubility(agent: Agent) -> None:
    await agent.run(f"{water(1, 'Na 500', 'Cl 500 charge')}EQUILIBRIUM_PHASES 1\n Gypsum 0 1\nEND\n")
    row = (await agent.values("la(Ca+2)", "la(SO4-2)", "la(H2O)"))[-1]
    assert row[0] + row[1] + 2 * row[2] == pytest.approx(-4.58, abs=0.01)


async def decay(agent: Agent) -> None:
    await agent.run(
        "RATES\nTritium\n-start\n10 SAVE 1e-6 * M * TIME\n-end\nSOLUTION 1\nKINETICS 1\nTritium\n -formula NaCl 1\n"
        " -m0 0.01\n -steps 1000000 in 4\nEND\n"
    )
    rows = await agent.values("kin(Tritium)", of="step")
    assert rows[-1][0] == pytest.approx(0.01 * math.exp(-1), rel=1e-3)


QUESTIONS: tuple[Callable[[Agent], Awaitable[None]], ...] = (
    mixing,
    scaling,
    degassing,
    acid_drainage,
    exchange,
    arsenic_on_hfo,
    inverse_model,
    breakthrough,
    titration,
    redox_couple,
    solubility,
    decay,
)


@pytest.mark.accept
@pytest.mark.parametrize("ask", QUESTIONS, ids=lambda ask: ask.__name__)
async def test_a_question_of_practice(
    ask: Callable[[Agent], Awaitable[None]], databases: Path, private_home: Path, tmp_path: Path
) -> None:
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path))) as client:
        agent = Agent(client)
        await ask(agent)
    told = {
        name.replace(" ", "_"): (int(calls), float(kB))
        for name, calls, kB in ROW.findall(PAGE.read_text("utf-8"))
    }
    calls, kB = told[ask.__name__]
    assert agent.calls == calls and agent.bytes / 1000 == pytest.approx(kB, abs=0.3), agent.bytes
