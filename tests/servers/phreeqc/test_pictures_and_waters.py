"""The tools for waters and pictures over MCP, in memory: from a CSV to numbers, files and images."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.answer import ANSWER_BYTES
from labrig.plotting.drawing import png_size
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_phreeqc.server import toolbox

TABLE = """Well,Temp (C),pH,Ca (mg/L),Mg (mg/L),Na (mg/L),K (mg/L),HCO3 (mg/L),SO4 (mg/L),Cl (mg/L),Aquifer
A,12.1,7.42,82,21,30,2.1,268,88,41,chalk
B,11.8,7.31,105,14,18,1.4,310,45,36,chalk
C,13.0,7.95,34,12,270,6,420,95,190,sand
D,12.5,74,90,22,33,2,280,92,44,sand
"""
STEPS = "SOLUTION 1\nEQUILIBRIUM_PHASES 1\n Gypsum 0 1\nREACTION_TEMPERATURE 1\n 25 75 in 6 steps\nEND\n"


class Lab:
    """A client and the folder of its workspace."""

    def __init__(self, client: Client[Any], folder: Path) -> None:
        self.client, self.folder = client, folder

    async def answer(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.client.call_tool_mcp(tool, arguments)
        assert not result.is_error, result.content[0].text
        structured: dict[str, Any] = result.structured_content
        return structured

    async def picture(self, **arguments: Any) -> tuple[bytes, str]:
        result = await self.client.call_tool_mcp("draw_plot", arguments)
        assert not result.is_error, result.content[0].text
        assert result.structured_content is None
        image, caption = result.content
        return base64.b64decode(image.data), caption.text

    async def refusal(self, tool: str, **arguments: Any) -> dict[str, str]:
        result = await self.client.call_tool_mcp(tool, arguments)
        assert result.is_error
        error: dict[str, str] = result.meta["labrig"]["error"]
        assert error["code"] != "internal", error
        return error


@pytest.fixture
async def lab(tmp_path: Path, databases: Path) -> AsyncIterator[Lab]:
    options = ServeOptions(workspace=tmp_path / "w", toolsets=("default", "waters"))
    async with Client(build(toolbox, options)) as client:
        yield Lab(client, tmp_path / "w")


@pytest.mark.accept
async def test_from_a_table_to_numbers_files_and_three_pictures(lab: Lab) -> None:
    answer = await lab.answer("speciate_waters", table=TABLE)
    data = answer["data"]
    assert len(json.dumps(answer).encode()) <= ANSWER_BYTES
    assert (data["rows"], data["ok"], data["rejected"]) == (4, 3, 1)
    assert "74" in data["rejected_rows"][0]["why"]
    at = data["table"]["columns"].index("SI(Calcite)")
    values = {row[0]: row[at] for row in data["table"]["rows"]}
    direct = await lab.answer(
        "execute_phreeqc",
        input="SOLUTION 1\n units mg/L\n temp 12.1\n pH 7.42\n density 1 calculate\n Ca 82\n Mg 21\n Na 30\n K 2.1\n"
        " Alkalinity 268 as HCO3\n S(6) 88 as SO4\n Cl 41\nEND\n",
        output="outline",
    )
    assert values["A"] == pytest.approx(direct["data"]["saturation_indices"][0]["SI"]["Calcite"], abs=0.01)
    lines = (lab.folder / data["files"]["table"]).read_text().splitlines()
    assert len(lines) == 5, "every row, the rejected one too"
    for kind in ("piper", "stiff", "saturation"):
        png, caption = await lab.picture(kind=kind, path=data["files"]["pictures"])
        assert png_size(png) > (600, 400)
        assert (lab.folder / caption.split(":")[0]).read_bytes() == png


@pytest.mark.accept
async def test_the_users_own_files_stay(lab: Lab) -> None:
    for name in ("speciated_waters.csv", "piper.png"):
        await lab.client.call_tool_mcp("write_file", {"path": name, "content": TABLE})
    answer = await lab.answer("speciate_waters", path="speciated_waters.csv")
    files = {"table": "speciated_waters_2.csv", "pictures": "speciated_waters_2.json"}
    assert answer["data"]["files"] == files, "one number for both"
    assert [each["name"] for each in answer["artifacts"]] == list(files.values())
    again = await lab.answer("speciate_waters", path="speciated_waters.csv")
    assert again["data"]["files"] == files, "our own are written again"
    assert not (lab.folder / "speciated_waters.json").exists()
    _, caption = await lab.picture(kind="piper", path="speciated_waters_2.json")
    assert caption.startswith("piper_2.png")
    assert (lab.folder / "speciated_waters.csv").read_text() == TABLE


@pytest.mark.accept
async def test_uncertainty_of_one_water(lab: Lab) -> None:
    asked = {
        "table": TABLE,
        "sample": "A",
        "phases": ["Calcite"],
        "members": 200,
        "databases": ["phreeqc.dat"],
    }
    first, again = [await lab.answer("estimate_saturation", **asked, seed=7) for _ in range(2)]
    assert first == again
    (calcite,) = first["data"]["phases"]
    assert calcite["as_measured"]["phreeqc.dat"] == pytest.approx(first["values"][0]["value"], abs=0.03)
    assert calcite["sd"] == pytest.approx(0.1, abs=0.03), "0.1 pH is 0.1 in the index"
    assert calcite["analysis_by_input"]["pH"] > 0.8
    png, caption = await lab.picture(kind="uncertainty", path=first["data"]["files"]["pictures"])
    assert png_size(png) > (600, 400)
    assert caption.startswith("uncertainty.png")
    other = await lab.answer("estimate_saturation", **asked, seed=8)
    assert other["values"] != first["values"]


BRINE = """Name,Temp (C),pH,Ca (mg/L),Mg (mg/L),Na (mg/L),K (mg/L),HCO3 (mg/L),SO4 (mg/L),Cl (mg/L),NO3 (mg/L)
Dead Sea,25,6.2,17200,42000,39700,7600,240,450,219000,2
"""


async def test_a_brine_beyond_the_database_comes_with_a_warning(lab: Lab) -> None:
    answer = await lab.answer("speciate_waters", table=BRINE)
    assert answer["status"] == "ok_with_warnings" and answer["data"]["flagged"] == 1
    (said,) = [each for each in answer["warnings"] if "ionic strength" in each]
    assert "beyond the ion association model of phreeqc.dat (to about 1)" in said
    assert "pitzer.dat lacks N(5)" in said, "nitrate; without it pitzer.dat has all"


@pytest.mark.accept
async def test_databases_named_lose_no_constituent_in_silence(lab: Lab) -> None:
    asked = {"phases": ["Gypsum"], "members": 50, "level": 0.9}
    for named in ({"databases": ["pitzer.dat"]}, {}):
        answer = await lab.answer("estimate_saturation", table=BRINE, **asked, **named)
        assert list(answer["data"]["phases"][0]["as_measured"]) == ["pitzer.dat"]
        assert any("pitzer.dat lacks N(5): minor" in each for each in answer["warnings"])
    rich = BRINE.replace(",2\n", ",20000\n")
    error = await lab.refusal(
        "estimate_saturation", table=rich, phases=["Gypsum"], databases=["pitzer.dat"], members=50, level=0.9
    )
    assert "lacks N(5)" in error["where"]


async def test_one_database_has_no_share_of_its_own(lab: Lab) -> None:
    asked = {"table": TABLE, "sample": "A", "phases": ["Calcite"], "members": 60, "level": 0.9}
    one = await lab.answer("estimate_saturation", **asked, databases=["phreeqc.dat"])
    (calcite,) = one["data"]["phases"]
    assert "database" not in calcite["spread_from"] and "database" not in calcite["standard_error"]
    assert any("cannot be estimated with one database" in each for each in one["warnings"])
    drawn = json.loads((lab.folder / one["data"]["files"]["pictures"]).read_text())["estimates"][0]["shares"]
    assert drawn and "database" not in drawn
    two = await lab.answer("estimate_saturation", **asked, databases=["phreeqc.dat", "llnl.dat"])
    assert "database" in two["data"]["phases"][0]["spread_from"]
    assert not any("pe was not measured" in each for each in two.get("warnings", [])), (
        "nothing in it hangs on pe"
    )


async def test_a_row_is_named_without_doubt(lab: Lab) -> None:
    twice = TABLE.replace("B,11.8", "A,11.8")
    asked = {"table": twice, "phases": ["Calcite"], "members": 50, "level": 0.9, "databases": ["phreeqc.dat"]}
    error = await lab.refusal("estimate_saturation", **asked, sample="A")
    assert error["where"] == "lines 2, 3" and "line 2" in error["expected"]
    found = [await lab.answer("estimate_saturation", **asked, sample=f"line {n}") for n in (2, 3)]
    assert found[0]["values"][0]["value"] != found[1]["values"][0]["value"]
    error = await lab.refusal("estimate_saturation", **asked, sample="line 5")
    assert "pH 74" in error["where"]


@pytest.mark.parametrize(
    ("errors", "says"),
    [
        ({"Ca": -5}, "0 to 100 %"),
        ({"pH": 2}, "error_pH"),
        ({"Xy": 2}, "Xy"),
        ({"SO4": 2, "S(6)": 3}, "two errors"),
    ],
)
async def test_errors_in_percent_are_refused_in_percent(
    lab: Lab, errors: dict[str, float], says: str
) -> None:
    error = await lab.refusal(
        "estimate_saturation", table=TABLE, sample="A", phases=["Calcite"], error_percent_of=errors
    )
    assert says in " ".join(error.values()) and "fraction" not in " ".join(error.values())


@pytest.mark.accept
async def test_errors_by_the_names_of_ions_and_a_phase_without_its_elements(lab: Lab) -> None:
    table = TABLE.replace("A,12.1,7.42,82,21,30,2.1,268,", "A,12.1,7.42,82,21,30,2.1,0,")
    answer = await lab.answer(
        "estimate_saturation",
        table=table,
        sample="A",
        phases=["Calcite", "Gypsum"],
        error_percent_of={"SO4": 20, "HCO3": 3},
        members=60,
        level=0.9,
        databases=["phreeqc.dat"],
    )
    assert answer["data"]["errors"]["S(6)"] == "lognormal, relative sd 0.2"
    assert [each["phase"] for each in answer["data"]["phases"]] == ["Gypsum"]
    said = " ".join(answer["warnings"])
    assert "Calcite is not estimated: The water has no carbonate" in said
    assert "charge error of" in said, "the anions are gone"


@pytest.mark.accept
async def test_a_picture_of_what_cannot_be_drawn_is_refused_in_words(lab: Lab) -> None:
    await lab.answer("speciate_waters", table="Name,Temp (C),pH,Ca (mg/L),HCO3 (mg/L)\nA,12,7.4,82,268\n")
    error = await lab.refusal("draw_plot", kind="piper", path="speciated_waters.json")
    assert error["what"].startswith("No row has all of Ca, Mg, Na, HCO3, SO4, Cl")
    mine = (
        "Name,Temp (C),pH,Ca (mg/L),Mg (mg/L),Na (mg/L),Alkalinity (meq/L),SO4 (mg/L),Cl (mg/L),Fe (mg/L)\n"
        "AMD,15,2.6,250,120,30,0,2600,15,480\n"
    )
    await lab.answer("speciate_waters", table=mine)
    png, _ = await lab.picture(kind="piper", path="speciated_waters.json")
    assert png_size(png) > (600, 400)


@pytest.mark.accept
async def test_a_series_of_an_output_and_of_selected_output(lab: Lab) -> None:
    await lab.answer("execute_phreeqc", input=STEPS + "SELECTED_OUTPUT\n -temperature\n -si Anhydrite\nEND\n")
    _, caption = await lab.picture(
        kind="series", quantities=["SI(Anhydrite)", "total Ca"], x="temperature", of="batch"
    )
    assert caption.startswith("series.png: series of result.out")
    await lab.answer("execute_phreeqc", input="SELECTED_OUTPUT\n -temperature\n -si Anhydrite\n" + STEPS)
    _, caption = await lab.picture(
        kind="series", path="selected_output_1.tsv", quantities=["si_Anhydrite"], x="temp"
    )
    assert caption.startswith("series_2.png"), "no earlier picture is replaced"
    read = await lab.answer("read_values", path="selected_output_1.tsv", quantities=["SI(Anhydrite)"], of="")
    assert len(read["data"]["rows"]) == 7


async def test_what_was_assumed_comes_with_a_run_and_alone(lab: Lab) -> None:
    text = "SOLUTION 1\n units mg/L\n N 50 as NO3\n Alkalinity 100\n S(6) 90\n Na 100\nEND\n"
    run = await lab.answer("execute_phreeqc", input=text)
    check = await lab.answer("check_input", input=text)
    assert run["data"]["assumed"]["defaults"] == check["data"]["defaults"]
    assert "pH 7, pe 4, temperature 25 degC" in check["data"]["defaults"][0]
    for said in (run["warnings"], check["warnings"]):
        assert any("nearly all N(0)" in each for each in said)
        assert any("Alkalinity in mg/L without 'as'" in each for each in said)
    neutral = await lab.answer("check_input", input="SOLUTION 1\n pH 8\n Na 1\n C(4) 1\nEND\n")
    (solution,) = neutral["data"]["solutions"]
    assert solution["pH_if_charge"] == pytest.approx(8.27, abs=0.01)
    assert solution["pH_change_by_charge"] == pytest.approx(0.27, abs=0.01)


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "says"),
    [
        ("speciate_waters", {}, "bad_input", "either path or table"),
        ("speciate_waters", {"table": "a\n1\n"}, "bad_input", ""),
        ("speciate_waters", {"table": TABLE, "phases": ["Calcit"]}, "not_found", "Calcit"),
        ("speciate_waters", {"table": TABLE, "database": "../x"}, "refused", ""),
        ("speciate_waters", {"path": "../waters.csv"}, "refused", ""),
        ("estimate_saturation", {"table": TABLE, "phases": ["Calcite"]}, "bad_input", "3 waters"),
        ("estimate_saturation", {"table": TABLE, "phases": ["Calcite"], "sample": "Z"}, "not_found", "Z"),
        ("estimate_saturation", {"table": TABLE, "phases": ["Xyz"], "sample": "A"}, "not_found", "Xyz"),
        ("draw_plot", {"kind": "piper"}, "bad_input", "needs the file"),
        ("draw_plot", {"kind": "piper", "path": "none.json"}, "not_found", ""),
        ("draw_plot", {"kind": "series"}, "not_found", ""),
        (
            "check_input",
            {"input": "SOLUTION 1\nINCLUDE$ /etc/passwd\nEND"},
            "refused",
            "outside the workspace",
        ),
        ("check_input", {"input": " "}, "bad_input", "empty"),
    ],
)
async def test_refusals(lab: Lab, tool: str, arguments: dict[str, Any], code: str, says: str) -> None:
    error = await lab.refusal(tool, **arguments)
    assert error["code"] == code
    assert says in " ".join(error.values())


async def test_a_picture_of_another_file_is_refused(lab: Lab) -> None:
    await lab.client.call_tool_mcp("write_file", {"path": "x.json", "content": '{"schema": "x"}'})
    for kind in ("piper", "uncertainty"):
        error = await lab.refusal("draw_plot", kind=kind, path="x.json")
        assert "not a file for" in error["what"]


async def test_a_table_as_a_western_spreadsheet_saves_it(lab: Lab) -> None:
    text = TABLE.replace("Temp (C)", "Temperature (°C)").replace(",chalk", ",Kalk fürs Grundwasser")
    (lab.folder / "t.csv").write_bytes(text.encode("cp1252"))
    assert (await lab.answer("speciate_waters", path="t.csv"))["data"]["ok"] == 3
    (lab.folder / "t.xlsx").write_bytes(b"PK\x03\x04")
    assert "xlsx" in (await lab.refusal("speciate_waters", path="t.xlsx"))["what"]
