"""USER_GRAPH: the curves are what other ways to the same numbers give, whatever the program skips."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.output.series import series
from labrig_phreeqc.runs.user_graph import (
    Charts,
    Curve,
    curves,
    measured,
    picture,
    punched,
    to_csv,
    told,
)
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


async def drawn(text: str, database: str = "phreeqc.dat") -> tuple[Any, list[Curve], Charts]:
    changed, charts = punched(text)
    async with Engine() as engine:
        run = await engine.run(changed, database)
        return run, curves(run, charts), charts


async def test_graph_x_and_y_are_the_states_that_the_program_reaches(databases: Path) -> None:
    run, found, charts = await drawn(STEPS.format(options=""))
    assert run.solved, run.errors
    table = series(run.output, ["pH", "Cl"], states="batch")
    first, third = table.column("pH")[0], table.column("pH")[2]
    acid = next(curve for curve in found if curve.look.second)
    assert [(round(x, 9), round(y, 3)) for *_, x, y in acid.points] == [(1, first), (3, third)]
    names = {curve.name: curve for curve in found}
    assert [y for *_, y in names["pH_of_water"].points] == pytest.approx([2, 4], rel=1e-3)
    data = picture(found, charts.of(1))
    assert data["title"] == "A titration"
    assert [data["axes"][axis]["label"] for axis in ("x", "y", "y2")] == ["HCl, mmol", "mmol/kgw", "pH"]
    assert [each["second"] for each in data["curves"]] == [False, False, True]
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
    run, found, charts = await drawn(text)
    assert run.solved, run.errors
    assert [(curve.look.second, len(curve.points)) for curve in found] == [(False, 3), (True, 3), (False, 1)]
    assert [x for *_, x, _ in found[0].points] == [25, 50, 75]
    assert [curve.name for curve in found] == ['-LA("H+")', "mu", "1"]
    looks = [
        (each["colour"], each["symbol"], each["width"]) for each in picture(found, charts.of(1))["curves"]
    ]
    assert looks == [("Red", "None", None), ("", "", 2.0), ("Blue", "", None)]


@pytest.mark.accept
async def test_the_breakthrough_of_example_11_is_its_closed_form(examples: Path, databases: Path) -> None:
    run, found, _ = await drawn((examples / "ex11").read_text())
    assert run.solved
    by_name = {curve.name: curve.points for curve in found if curve.graph == 2}
    numeric, exact = by_name["Cl"], by_name["Cl_analytical"]
    assert [x for *_, x, _ in numeric] == [x for *_, x, _ in exact]
    assert max(abs(a - b) for (*_, a), (*_, b) in zip(numeric, exact, strict=True)) < 0.02 * 1.2


async def test_axes_looks_and_simulations_are_those_of_the_input(databases: Path) -> None:
    text = """PRINT
 -selected_output false
SOLUTION 1
USER_GRAPH 4 Two temperatures
 -axis_scale x_axis 90 1 a a
 -axis_scale y_axis 1e-8 auto auto auto log
 -axis_scale secondary_y_axis 4 7 0.5
 -connect_simulations false
 -plot_tsv_file C:\\data\\Seen.tsv
 -headings cold
 10 FOR i = 1 TO 2
 20 IF i = 1 THEN PLOT_XY tc, i*1e-7, color=Green symbol = Square symbol_size = 0 ELSE PLOT_XY tc, (i, 2)
 30 NEXT i
REACTION_TEMPERATURE 1
 10 20
END
USE solution 1
REACTION_TEMPERATURE 1
 30
USER_GRAPH 4
 -headings warm
END
PRINT
 -user_graph false
USE solution 1
REACTION_TEMPERATURE 1
 40
END
PRINT; -user_graph true
USER_GRAPH 4
 -detach
END
USER_GRAPH 4
 10 PLOT_XY tc, 1
USE solution 1
REACTION_TEMPERATURE 1
 50
END
""".replace("(i, 2)", "i*1e-7, line_width=0")
    run, found, charts = await drawn(text)
    assert run.solved, run.errors
    xs = {(each.graph, each.name): [x for *_, x, _ in each.points] for each in found}
    assert xs[4, "cold"] == [10, 20]
    assert xs[4, "warm"] == [30]
    assert xs[10_004, "1"] == [50]  # the chart after -detach is another
    assert found[0].look.colour == "Green" and found[0].look.size == 0
    assert [each.look.width for each in found if each.graph == 4] == [None, 0.0] * 2
    definition = charts.of(4)
    assert definition.title == "Two temperatures" and definition.files == ("C:\\data\\Seen.tsv",)
    axes = picture([each for each in found if each.graph == 4], definition)["axes"]
    assert (axes["x"]["least"], axes["x"]["most"]) == (1, 90)
    assert (axes["y"]["least"], axes["y"]["most"], axes["y"]["logarithmic"]) == (1e-8, None, True)
    assert (axes["y2"]["least"], axes["y2"]["major"]) == (4, 0.5)


@pytest.mark.accept
async def test_later_profiles_begin_anew_and_one_series_goes_on(databases: Path) -> None:
    text = """SOLUTION 0-3
TRANSPORT
 -cells 3
 -shifts 2
USER_GRAPH
 -headings distance profile
 {options}
 10 GRAPH_X DIST
 20 GRAPH_Y -LA("H+")
END
"""
    _, found, charts = await drawn(text.format(options=""))
    (drawn_curve,) = picture(found, charts.of(1))["curves"]
    _, apart, _ = await drawn(text.format(options="-connect_simulations false"))
    profiles = [[x for *_, x, _ in each.points] for each in apart]
    assert [each[-3:] for each in profiles[1:]] == [[0.5, 1.5, 2.5]] * 2
    whole = [x for profile in profiles for x in (*profile, None)][:-1]
    assert drawn_curve["x"] == whole  # each profile begins anew where x turns back


def test_measured_points_have_their_looks() -> None:
    file = "T\tGypsum\tAnhydrite\t\ncolor\tRed\tGreen\nsymbol\tStar\nline_w\t\t2\n30\t1e-2\n40\t\t2e-2\n"
    gypsum, anhydrite = measured(file, 1)
    assert (gypsum.name, gypsum.look.colour, gypsum.look.symbol, gypsum.look.width) == (
        "Gypsum",
        "Red",
        "Star",
        0,
    )
    assert (anhydrite.look.colour, anhydrite.look.width) == ("Green", 2)
    assert [point[2:] for point in (*gypsum.points, *anhydrite.points)] == [(30, 1e-2), (40, 2e-2)]
    assert told([gypsum]) == ["- Gypsum: 1 measured points, x 30 to 30, y 0.01 to 0.01"]


@pytest.mark.accept
async def test_it_is_drawn_through_the_front_door(tmp_path: Path, databases: Path) -> None:
    from fastmcp import Client

    from labrig.serving.builder import build
    from labrig.toolbox import ServeOptions

    options = ServeOptions(workspace=tmp_path / "w")
    steps = STEPS.format(options="-plot_tsv_file seen.tsv\n -plot_tsv_file lost.tsv")
    async with Client(build(toolbox, options)) as client:
        (tmp_path / "w" / "SEEN.tsv").write_text("acid\tseen\n1\t2.5\n")
        made = await client.call_tool_mcp("draw_user_graph", {"input": steps})
        assert not made.is_error and any(each.type == "image" for each in made.content)
        caption = next(each.text for each in made.content if each.type == "text")
        assert "- seen: 1 measured points, x 1 to 1, y 2.5 to 2.5" in caption
        assert "lost.tsv: no such file" in caption and "(second y axis)" in caption
        lines = (tmp_path / "w" / "user_graph.csv").read_text().splitlines()
        assert lines[0] == "graph,curve,y axis,simulation,x,y"
        assert (tmp_path / "w" / "user_graph.png").read_bytes().startswith(b"\x89PNG")
        none = await client.call_tool_mcp("draw_user_graph", {"input": "SOLUTION 1\nEND\n"})
        assert none.is_error and "no USER_GRAPH" in none.content[0].text
        failed = await client.call_tool_mcp(
            "draw_user_graph", {"input": STEPS.format(options="") + "SOLUTION 2\n Xx 1\n y\nEND"}
        )
        assert not failed.is_error or "USER_GRAPH plots no point" in failed.content[0].text
