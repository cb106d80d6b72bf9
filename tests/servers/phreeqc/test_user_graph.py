"""USER_GRAPH: the curves are what other ways to the same numbers give, whatever the program skips."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.output.series import series
from labrig_phreeqc.runs.user_graph import Curve, curves, picture, punched, to_csv
from labrig_phreeqc.server import toolbox

STEPS = """SOLUTION 1
 pH 7
 Na 1
 Cl 1
REACTION 1
 HCl
 1 2 3 mmol
USER_GRAPH 1 Titration
 -headings acid pH_of_water chloride alkalinity
 -axis_titles "HCl, mmol" "mmol/kgw" pH
 -chart_title "A titration"
 {options}
 -start
 10 REM graph_x in a remark and "GRAPH_Y 1, 2" in a text: a$ = "PLOT_XY 1, 2"
 20 IF STEP_NO = 2 THEN GOTO 60
 30 GRAPH_X RXN*1e3
 40 GRAPH_Y TOT("Cl")*1e3 : GRAPH_Y ALK*1e3
 50 graph_sy -LA("H+")
 60 END
 -end
END
"""


async def drawn(text: str, database: str = "phreeqc.dat") -> tuple[Any, list[Curve], list[Any]]:
    changed, definitions = punched(text)
    async with Engine() as engine:
        run = await engine.run(changed, database)
        return run, curves(run, definitions), definitions


async def test_graph_x_and_y_are_the_states_that_the_program_reaches(databases: Path) -> None:
    run, found, definitions = await drawn(STEPS.format(options=""))
    assert run.solved, run.errors
    table = series(run.output, ["pH", "Cl"], states="batch")
    first, third = table.column("pH")[0], table.column("pH")[2]
    acid = next(curve for curve in found if curve.second)
    assert [(round(x, 9), round(y, 3)) for _, x, y in acid.points] == [(1, first), (3, third)]
    names = {curve.name: curve for curve in found}
    assert [y for _, _, y in names["pH_of_water"].points] == pytest.approx([2, 4], rel=1e-3)
    data = picture(found, definitions, 1)
    assert (data["title"], data["x"]["name"]) == ("A titration", "HCl, mmol")
    assert {line["unit"] for line in data["lines"]} == {"mmol/kgw", "pH"}
    assert to_csv(found).count("\n") == 1 + sum(len(curve.points) for curve in found)


async def test_initial_solutions_are_plotted_where_the_input_says_so(databases: Path) -> None:
    _, found, _ = await drawn(STEPS.format(options="-initial_solutions true"))
    assert len(found[0].points) == 3


async def test_a_program_of_plot_xy_and_a_block_defined_anew(databases: Path) -> None:
    text = """SOLUTION 1
REACTION_TEMPERATURE 1
 25 75 in 3 steps
USER_GRAPH 1
 10 PLOT_XY tc, -LA("H+"), color = Red, symbol = None
 20 PLOT_XY tc, mu, y-axis = 2, line_width = 2
END
USE solution 1
REACTION_TEMPERATURE 1
 80
USER_GRAPH 1
 10 plot_xy tc, 1, color = Blue
END
USER_GRAPH 1
 -detach
SOLUTION 2
REACTION_TEMPERATURE 2
 10
END
"""
    run, found, definitions = await drawn(text)
    assert run.solved, run.errors
    assert [(curve.second, len(curve.points)) for curve in found] == [(False, 3), (True, 3), (False, 1)]
    assert [x for _, x, _ in found[0].points] == [25, 50, 75]
    assert len({line["name"] for line in picture(found, definitions, 1)["lines"]}) == 3


async def test_the_breakthrough_of_example_11_is_its_closed_form(examples: Path, databases: Path) -> None:
    run, found, _ = await drawn((examples / "ex11").read_text())
    assert run.solved
    by_name = {curve.name: curve.points for curve in found if curve.graph == 2}
    numeric, exact = by_name["Cl"], by_name["Cl_analytical"]
    assert [x for _, x, _ in numeric] == [x for _, x, _ in exact]
    assert max(abs(a - b) for (*_, a), (*_, b) in zip(numeric, exact, strict=True)) < 0.02 * 1.2


async def test_it_is_drawn_through_the_front_door(tmp_path: Path, databases: Path) -> None:
    from fastmcp import Client

    from labrig.serving.builder import build
    from labrig.toolbox import ServeOptions

    options = ServeOptions(workspace=tmp_path / "w", toolsets=("default", "outputs"))
    async with Client(build(toolbox, options)) as client:
        made = await client.call_tool_mcp("draw_user_graph", {"input": STEPS.format(options="")})
        assert not made.is_error and any(each.type == "image" for each in made.content)
        lines = (tmp_path / "w" / "user_graph.csv").read_text().splitlines()
        assert lines[0] == "graph,curve,y axis,simulation,x,y"
        assert (tmp_path / "w" / "user_graph.png").read_bytes().startswith(b"\x89PNG")
        none = await client.call_tool_mcp("draw_user_graph", {"input": "SOLUTION 1\nEND\n"})
        assert none.is_error and "no USER_GRAPH" in none.content[0].text
        failed = await client.call_tool_mcp(
            "draw_user_graph", {"input": STEPS.format(options="") + "SOLUTION 2\n Xx 1\n y\nEND"}
        )
        assert not failed.is_error or "USER_GRAPH plots no point" in failed.content[0].text
