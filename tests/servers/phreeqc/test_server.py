"""The PHREEQC server over MCP, in memory: the four faithful tools, the own form, protocols, jobs, refusals."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from hostile.filling import new_headings
from labrig.answer import ANSWER_BYTES, json_bytes
from labrig.artifacts import ArtifactStore
from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig.workspace import Workspace
from labrig_phreeqc.runs import execution
from labrig_phreeqc.runs.execution import remember_headings, remembered_headings
from labrig_phreeqc.server import toolbox

WATER = "SOLUTION 1\n pH 7 charge\n Na 1\n C(4) 1\nEND\n"
STEPS = "SOLUTION 1\nEQUILIBRIUM_PHASES 1\n Gypsum 0 1\nREACTION_TEMPERATURE 1\n 25 75 in {} steps\nEND\n"
EVERYTHING = (
    "Ca",
    "Mg",
    "Na",
    "K",
    "Fe",
    "Al",
    "Si",
    "Cl",
    "S(6)",
    "N(5)",
    "P",
    "F",
    "Zn",
    "Cd",
    "Pb",
    "Cu",
    "Ni",
    "U",
)
PAPER_REGEX = re.compile(r"^-{3,}\s*([A-Za-z].+?)\s*-{3,}\s*$")


class Lab:
    """A client of one server, with the shortest way to call and read."""

    def __init__(self, client: Client[Any], folder: Path) -> None:
        self.client, self.folder = client, folder

    async def raw(self, tool: str, **arguments: Any) -> Any:
        return await self.client.call_tool_mcp(tool, arguments)

    async def text(self, tool: str, **arguments: Any) -> str:
        result = await self.raw(tool, **arguments)
        assert not result.is_error, result.content[0].text
        text: str = result.content[0].text
        return text

    async def answer(self, tool: str, **arguments: Any) -> dict[str, Any]:
        structured: dict[str, Any] = (await self.raw(tool, **arguments)).structured_content
        return structured

    async def refusal(self, tool: str, **arguments: Any) -> dict[str, str]:
        result = await self.raw(tool, **arguments)
        assert result.is_error
        error: dict[str, str] = result.meta["labrig"]["error"]
        assert error["code"] != "internal", error
        return error


@pytest.fixture
async def lab(tmp_path: Path, databases: Path) -> AsyncIterator[Lab]:
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path / "w"))) as client:
        yield Lab(client, tmp_path / "w")


@pytest.fixture
async def paper(tmp_path: Path, databases: Path) -> AsyncIterator[Lab]:
    options = ServeOptions(toolsets=("paper",), output="toc", workspace=tmp_path / "w")
    async with Client(build(toolbox, options)) as client:
        yield Lab(client, tmp_path / "w")


async def test_the_paper_toolset_is_the_papers(paper: Lab) -> None:
    tools = {tool.name: tool for tool in await paper.client.list_tools()}
    assert list(tools) == ["write_file", "read_file", "list_file", "execute_phreeqc"]
    parameters = {name: list(tool.input_schema.get("properties", {})) for name, tool in tools.items()}
    assert parameters == {
        "write_file": ["path", "content"],
        "read_file": ["path", "start_line", "end_line"],
        "list_file": [],
        "execute_phreeqc": ["input_path", "database"],
    }
    assert all(tool.output_schema is None for tool in tools.values())


async def test_the_papers_workflow(paper: Lab) -> None:
    """Write, run, find a section in the list, read it by line numbers."""
    await paper.text("write_file", path="in.pqi", content=STEPS.format(3))
    returned = await paper.text("execute_phreeqc", input_path="in.pqi")
    listed = json.loads(returned.splitlines()[-1])
    output = (paper.folder / "result.out").read_text()
    expected = [
        {"line": number, "section": match[1]}
        for number, line in enumerate(output.splitlines(), 1)
        if (match := PAPER_REGEX.match(line))
    ]
    assert listed == expected
    at = next(each["line"] for each in listed if each["section"] == "Saturation indices")
    assert "Saturation indices" in await paper.text(
        "read_file", path="result.out", start_line=at, end_line=at
    )
    assert "result.out" in await paper.text("list_file")
    result = await paper.raw("execute_phreeqc", input_path="in.pqi")
    record = result.meta["labrig"]["record"]
    assert len(record["library"]["sha256"]) == len(record["database"]["sha256"]) == 64
    assert result.structured_content is None


async def test_the_same_call_gives_the_same_bytes(lab: Lab) -> None:
    first, second = [(await lab.raw("execute_phreeqc", input=WATER)) for _ in range(2)]
    assert first.structured_content == second.structured_content
    assert first.content == second.content


@pytest.mark.parametrize("steps", [1, 400])
async def test_auto_is_whole_when_small_and_an_outline_when_large(lab: Lab, steps: int) -> None:
    answer = await lab.answer("execute_phreeqc", input=STEPS.format(steps) if steps > 1 else WATER)
    assert answer["status"] == "ok"
    assert answer["data"]["output"]["kind"] == ("raw" if steps == 1 else "outline")
    assert len(json.dumps(answer).encode()) <= ANSWER_BYTES * 1.1
    assert "phreeqc.dat 3.8.6" in answer["source"]
    assert (lab.folder / "result.out").stat().st_size == answer["artifacts"][0]["bytes"]


async def test_protocols(lab: Lab) -> None:
    text = STEPS.format(60)
    whole = (await lab.answer("execute_phreeqc", input=text, output="raw:9999999"))["text"]
    cut = (await lab.answer("execute_phreeqc", input=text, output="raw:1000"))["text"]
    assert cut.startswith(whole[:500])
    assert cut.endswith(whole[-500:])
    assert f"{len(whole) - 1000} characters omitted" in cut
    flat = json.loads((await lab.answer("execute_phreeqc", input=text, output="toc"))["text"])
    capped = json.loads((await lab.answer("execute_phreeqc", input=text, output="toc:50"))["text"])
    assert len(flat) > 200
    assert len(capped) <= 51
    for wrong in ("tocs", "raw:", "raw:-1", "raw:x", "toc:9", ""):
        assert (await lab.refusal("execute_phreeqc", input=text, output=wrong))["where"] == "output"


async def test_outline_output_unfolds_every_state(lab: Lab) -> None:
    answer = await lab.answer("execute_phreeqc", input=STEPS.format(150))
    lines = answer["data"]["output"]["characters"]
    seen, cursor = "", ""
    while True:
        page = await lab.answer("outline_output", from_line=1, to_line=lines, cursor=cursor)
        seen += page["text"] + "\n"
        cursor = page.get("data", {}).get("cursor", "")
        if not cursor:
            break
    assert len(set(re.findall(r"step (\d+)\b", seen))) == 150
    await lab.refusal("outline_output", from_line=9, to_line=3)
    await lab.refusal("outline_output", path="none.out")


async def test_series_gives_a_table_with_units(lab: Lab) -> None:
    await lab.answer("execute_phreeqc", input=STEPS.format(6))
    answer = await lab.answer("read_values", quantities=["pH", "total Ca", "SI(Anhydrite)"])
    units = {each["name"]: each["unit"] for each in answer["data"]["columns"]}
    assert units["total Ca"].startswith("mol/kgw")
    assert len(answer["data"]["rows"]) == 7, "the initial solution and six steps"
    assert "SI(Anhydrite): " in " ".join(answer["warnings"]), "why the first row has none"
    error = await lab.refusal("read_values", quantities=["SI(Anhidrite)"])
    assert "SI(Anhydrite)" in error["try"]
    await lab.refusal("read_values", quantities=[])
    await lab.answer("execute_phreeqc", input=STEPS.format(300))
    long = await lab.answer("read_values", quantities=["pH", "temperature", "SI(Anhydrite)", "SI(Gypsum)"])
    assert len(json.dumps(long)) < ANSWER_BYTES
    assert long["data"]["summary"]["temperature"] == {
        "first": 25.0,
        "last": 75.0,
        "least": 25.0,
        "greatest": 75.0,
    }
    csv = await lab.text("read_file", path=long["artifacts"][0]["handle"])
    assert csv.startswith("state,")


async def test_look_up_says_what_a_database_holds(lab: Lab) -> None:
    calcite = await lab.answer("look_up_database", query="Calcite", kind="phase", temperature=60)
    (entry,) = calcite["data"]["exact"]
    assert entry["log_k_25_degC"] == pytest.approx(-8.48, abs=0.01)
    assert "log_k_60_degC" in entry
    mass = {}
    for database in ("phreeqc.dat", "PHREEQC_ThermoddemV1.10_15Dec2020.dat"):
        found = await lab.answer("look_up_database", query="S(6)", database=database)
        mass[database] = found["data"]["exact"][0]["a mass without 'as' is counted as"]
    assert mass["phreeqc.dat"] == "SO4" != mass["PHREEQC_ThermoddemV1.10_15Dec2020.dat"]
    assert (await lab.answer("look_up_database", query="Calcitte"))["data"]["nearest"][0] == "Calcite"
    hot = await lab.answer("look_up_database", query="Calcite", temperature=300)
    assert "0 to 250 degC" in hot["warnings"][0]
    await lab.refusal("look_up_database", query="x", kind="mineral")
    await lab.refusal("look_up_database", query="x", database="none.dat")


async def test_outputs_can_be_searched_and_read_by_state(tmp_path: Path, databases: Path) -> None:
    options = ServeOptions(toolsets=("default", "outputs"), workspace=tmp_path / "w")
    async with Client(build(toolbox, options)) as client:
        lab = Lab(client, tmp_path / "w")
        await lab.answer("execute_phreeqc", input=STEPS.format(40))
        hits = await lab.answer("search_output", pattern="Anhydrite ", context=1)
        assert hits["data"]["hits"] == 40
        assert "in sim 1 step 1" in hits["text"]
        assert "from_line=" in hits["next"]
        section = await lab.answer("read_section", state="step 7", section="SI")
        assert section["text"].startswith("---") and "Gypsum" in section["text"]
        assert "Distribution" not in section["text"]
        for wrong in ({"state": "step 99"}, {"state": "step 7", "section": "nothing"}):
            await lab.refusal("read_section", **wrong)
        assert (await lab.refusal("search_output", pattern="(a", regex=True))["code"] == "bad_input"


async def test_what_a_section_does_not_show_stands_in_the_lines_that_it_names(
    tmp_path: Path, databases: Path
) -> None:
    """Of the second state: the lines count from the beginning of the file, and none is cut."""
    salts = "".join(f" {each} 1\n" for each in EVERYTHING if each != "Ca")
    water = f"SOLUTION 1\n Ca 1\nEND\nSOLUTION 2\n{salts}END\n"
    async with Client(
        build(toolbox, ServeOptions(toolsets=("default", "outputs"), workspace=tmp_path))
    ) as client:
        lab = Lab(client, tmp_path)
        await lab.answer("execute_phreeqc", input=water, database="wateq4f.dat")
        section = await lab.answer("read_section", state="solution 2", section="Distribution of species")
    head, first, last, tail = re.split(r"\n\[\.\.\. lines (\d+) to (\d+) .*\]\n", section["text"])
    lines = (tmp_path / "result.out").read_text().split("\n")
    begin = int(first) - 1 - len(head.split("\n"))
    whole = [*head.split("\n"), *lines[int(first) - 1 : int(last)], *tail.split("\n")]
    assert whole == lines[begin : begin + len(whole)]
    assert whole[0].strip("-") == "Distribution of species" and begin > 80, "the first state has one, too"


async def test_selected_output_comes_as_tables_and_files(lab: Lab) -> None:
    text = WATER.replace(
        "END",
        "SELECTED_OUTPUT 1\n -file mine.sel\n -pH\nSELECTED_OUTPUT 2\n -totals Na\nUSER_PUNCH 2\n 10 PUNCH 1\nEND",
    )
    answer = await lab.answer("execute_phreeqc", input=text)
    tables = {table["user"]: table for table in answer["data"]["selected_output"]}
    assert tables[1]["file"] == "mine.sel"
    assert tables[2]["file"] == "selected_output_2.tsv"
    assert tables[1]["values"][0][tables[1]["columns"].index("pH")] == pytest.approx(8.27, abs=0.02)
    assert (lab.folder / "mine.sel").read_text().count("\n") == 2


async def test_selected_output_has_the_room_that_values_and_warnings_leave(lab: Lab) -> None:
    """Ten solutions with their values, some in doubt, and a table: values of the table until they have no room."""
    shown = []
    for rows in (2, 12, 30, 45, 60):
        waters = "".join(f"SOLUTION {n}\n pH 7\n temp 120\n Na {n}\n Fe 1\n" for n in range(1, 11))
        table = f"SELECTED_OUTPUT 1\n -totals Na Cl Fe\nREACTION 1\n NaCl\n 1 in {rows} steps\n"
        answer = await lab.answer("execute_phreeqc", input=waters + table + "END\n")
        assert json_bytes(answer) <= ANSWER_BYTES
        shown.append("values" in answer["data"]["selected_output"][0])
    assert shown[0] and not shown[-1]


async def test_an_answer_says_what_is_saturated(lab: Lab) -> None:
    text = "SOLUTION 1\n units mg/L\n temp 12\n pH 7.4\n Ca 80\n Alkalinity 250 as HCO3\n Cl 40\n Na 30\n S(6) 90\nEND"
    answer = await lab.answer("execute_phreeqc", input=text, output="outline")
    (state,) = answer["data"]["saturation_indices"]
    table = await lab.answer("read_values", quantities=["SI(Calcite)"])
    assert state["SI"]["Calcite"] == table["data"]["rows"][0][-1]
    assert not any(name.endswith("(g)") for name in state["SI"])
    absent = WATER.replace("END", "SELECTED_OUTPUT\n -reset false\n -si Calcite\nEND")
    (selected,) = (await lab.answer("execute_phreeqc", input=absent))["data"]["selected_output"]
    assert selected["values"] == [[None]]
    assert "-999.999" in selected["null"]


async def test_a_file_option_replaces_only_what_runs_wrote(lab: Lab) -> None:
    text = WATER.replace("END", "SELECTED_OUTPUT\n -file {}\n -pH\nEND")
    await lab.text("write_file", path="in.pqi", content=text.format("in.pqi"))
    await lab.text("write_file", path="data.csv", content="precious")
    answer = await lab.answer("execute_phreeqc", input_path="in.pqi")
    assert answer["data"]["selected_output"][0]["file"] == "selected_output_1.tsv"
    assert "-file in.pqi is taken" in answer["warnings"][0]
    assert "-file in.pqi" in (lab.folder / "in.pqi").read_text()
    for name in ("result.out", "data.csv"):
        await lab.answer("execute_phreeqc", input=text.format(name))
    assert "Beginning of initial solution" in (lab.folder / "result.out").read_text()
    assert (lab.folder / "data.csv").read_text() == "precious"
    for water in (text, text.replace("-pH", "-totals Na")):
        answer = await lab.answer("execute_phreeqc", input=water.format("mine.sel"))
        assert answer["data"]["selected_output"][0]["file"] == "mine.sel"
    assert "Na" in (lab.folder / "mine.sel").read_text(), "a file that a run wrote is written anew"
    await lab.text("write_file", path="mine.sel", content="edited")
    await lab.text("write_file", path="selected_output_1_2.tsv", content="mine too")
    answer = await lab.answer("execute_phreeqc", input=text.format("mine.sel"))
    assert answer["data"]["selected_output"][0]["file"] == "selected_output_1.tsv"
    assert (lab.folder / "mine.sel").read_text() == "edited", "... unless somebody changed it"
    twice = WATER.replace("END", "SELECTED_OUTPUT 1\n -file z\n -pH\nSELECTED_OUTPUT 2\n -file z\n -pe\nEND")
    tables = (await lab.answer("execute_phreeqc", input=twice))["data"]["selected_output"]
    for table, heading in zip(tables, ("pH", "pe"), strict=True):
        assert heading in (lab.folder / table["file"]).read_text(), "each number has its text somewhere"
    assert len({table["file"] for table in tables}) == 2
    await lab.text("write_file", path="result.out", content=WATER)
    assert (await lab.refusal("execute_phreeqc", input_path="./result.out"))["code"] == "refused"


async def test_an_output_that_finds_no_room_as_an_artifact_is_answered(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_ARTIFACTS_QUOTA_BYTES", "10")
    answer = await lab.answer("execute_phreeqc", input=WATER)
    assert answer["status"] == "ok_with_warnings" and "artifacts" not in answer
    assert "artifacts.quota_bytes" in answer["warnings"][0]
    assert "Na 1" in await lab.text("read_file", path="result.out", start_line=1)


async def test_an_input_is_named_by_its_handle(lab: Lab) -> None:
    kept = ArtifactStore(Workspace(lab.folder)).put("a.pqi", WATER.encode(), media_type="text/plain")
    answer = await lab.answer("execute_phreeqc", input_path=kept.handle)
    assert answer["values"] == (await lab.answer("execute_phreeqc", input=WATER))["values"]


async def test_an_output_stays_readable_by_its_handle(lab: Lab) -> None:
    first = await lab.answer("execute_phreeqc", input=WATER)
    await lab.answer("execute_phreeqc", input=WATER.replace("Na 1", "Na 7"))
    handle = first["artifacts"][0]["handle"]
    assert "\t Na 1\n" in await lab.text("read_file", path=handle)
    assert "initial" not in (await lab.answer("outline_output", path=handle)).get("status", "")
    await lab.refusal("read_file", path="sha256:" + "0" * 16)
    await lab.answer("execute_phreeqc", input='SOLUTION 1\nUSER_PRINT\n10 x$ = MID$("abc",100,5)\nEND')
    assert "Na 7" in (lab.folder / "result.out").read_text(), "a crash without output keeps the last one"


async def test_doubtful_numbers_are_said_to_be(lab: Lab) -> None:
    unconverged = await lab.answer("execute_phreeqc", input="SOLUTION 1\n temp 400\n Na 1\nEND")
    assert unconverged["status"] == "not_converged"
    assert all("NOT CONVERGED" in each["note"] for each in unconverged.get("values", ()))
    charged = await lab.answer("execute_phreeqc", input="SOLUTION 1\n Ca 1\nEND")
    assert charged["status"] == "ok_with_warnings"
    assert "charge error" in charged["warnings"][0]
    nothing = await lab.answer("execute_phreeqc", input="# nothing\n")
    assert "No state" in nothing["warnings"][0]
    two = await lab.answer("execute_phreeqc", input=WATER + WATER.replace("SOLUTION 1", "SOLUTION 2"))
    assert {each["note"].split(",")[0] for each in two["values"]} == {
        "sim 1 initial solution 1",
        "sim 2 initial solution 2",
    }


async def test_inputs_as_windows_and_cement_chemists_write_them(lab: Lab) -> None:
    assert (await lab.answer("execute_phreeqc", input="\ufeff" + WATER))["status"] == "ok"
    cement = "INCLUDE$ Concrete_PHR.dat\n" + WATER
    answer = await lab.answer("execute_phreeqc", input=cement)
    assert answer["status"] in ("ok", "ok_with_warnings"), answer


async def test_the_input_names_its_database_and_its_files(lab: Lab) -> None:
    brine = "DATABASE ../database/pitzer.dat\nSOLUTION 1\n pH 7 charge\n Na 5000\n Cl 5000\nINCLUDE$ ./more.inc\nEND\n"
    (lab.folder / "more.inc").write_text(" K 1\n")
    named = await lab.answer("execute_phreeqc", input=brine)
    assert "pitzer.dat" in named["source"] and not any("DATABASE" in each for each in named["warnings"])
    asked = await lab.answer("execute_phreeqc", input=brine, database="phreeqc.dat")
    assert "phreeqc.dat" in asked["source"]
    assert any(
        "DATABASE ../database/pitzer.dat is ignored: phreeqc.dat" in each for each in asked["warnings"]
    )
    other = await lab.answer("execute_phreeqc", input=brine.replace("pitzer.dat", "mine.dat"))
    assert any("DATABASE ../database/mine.dat is ignored: phreeqc.dat" in each for each in other["warnings"])
    assert "pitzer.dat" in (await lab.answer("check_input", input=brine))["source"]


async def test_a_long_section_names_its_own_lines_and_keeps_them_whole(
    tmp_path: Path, databases: Path
) -> None:
    waters = "".join(f"SOLUTION {n}\n" + "".join(f" {each} 1\n" for each in EVERYTHING) for n in (1, 2))
    options = ServeOptions(workspace=tmp_path / "w", toolsets=("default", "outputs"))
    async with Client(build(toolbox, options)) as client:
        lab = Lab(client, tmp_path / "w")
        await lab.answer("execute_phreeqc", input=waters + "END\n", database="wateq4f.dat")
        shown = (await lab.answer("read_section", state="initial solution 2", section="species"))["text"]
    printed = (lab.folder / "result.out").read_text().split("\n")
    head, _, rest = shown.partition("\n[... lines ")
    missing, _, tail = rest.partition(" of result.out are not shown ...]\n")
    first, last = map(int, missing.split(" to "))
    whole = [*head.split("\n"), *printed[first - 1 : last], *tail.split("\n")]
    begin = first - 1 - len(head.split("\n"))
    assert whole == printed[begin : begin + len(whole)]
    assert begin > len(printed) / 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SOLUTION 1\nINCLUDE$ /etc/passwd\nEND", "INCLUDE$"),
        ("SOLUTION 1\nSELECTED_OUTPUT\n -file ../../x\nEND", "-file"),
        ("TRANSPORT\n -cells 1\n -dump /tmp/x\nEND", "dump"),
        ("INVERSE_MODELING\n -lon_netpath x\nEND", "netpath"),
        ("SOLUTION 1\0END", "NUL"),
        ("", "either"),
        ("   \n", "empty"),
    ],
)
async def test_hostile_and_empty_input_is_refused(lab: Lab, text: str, says: str) -> None:
    error = await lab.refusal("execute_phreeqc", input=text)
    assert says in json.dumps(error)


async def test_arguments_are_one_or_the_other(lab: Lab) -> None:
    await lab.refusal("execute_phreeqc")
    await lab.refusal("execute_phreeqc", input=WATER, input_path="x")
    assert "wateq4f.dat" in (await lab.refusal("execute_phreeqc", input=WATER, database="wateq4.dat"))["try"]
    await lab.refusal("execute_phreeqc", input=WATER, database="../../etc/passwd")
    await lab.refusal("execute_phreeqc", input=WATER, database="/etc/passwd")


async def test_failures_of_phreeqc_are_answers(lab: Lab) -> None:
    result = await lab.raw("execute_phreeqc", input="SOLUTION 1\n Ca x\nEND")
    assert result.is_error
    assert result.structured_content["status"] == "input_error"
    assert any("line 2" in each for each in result.structured_content["data"]["errors"])
    misspelt = await lab.answer("execute_phreeqc", input="SOLUTIN 1\n Ca 1\nEND")
    assert misspelt["status"] == "ok_with_warnings"
    assert "Unknown input" in misspelt["warnings"][0]


async def test_jobs(lab: Lab) -> None:
    started = await lab.answer("start_phreeqc", input=WATER)
    done = await lab.answer("get_job", job=started["data"]["job"], wait_s=45)
    assert done["status"] == "ok"
    assert done["values"][0]["name"] == "pH"
    endless = "SOLUTION 1\nUSER_PRINT\n10 WHILE(1)\n20 WEND\nEND\n"
    started = await lab.answer("start_phreeqc", input=endless, wall_s=600)
    while "message" not in (seen := (await lab.answer("get_job", job=started["data"]["job"]))["data"]) or (
        seen["message"] == "waits for a place"
    ):
        await asyncio.sleep(0.02)
    assert seen["message"] == "PHREEQC runs, for at most 600 s" and "progress" not in seen
    assert (await lab.answer("cancel_job", job=started["data"]["job"]))["status"] == "cancelled"
    await lab.refusal("get_job", job="nothing")
    await lab.refusal("start_phreeqc", input=WATER, database="none.dat")
    await lab.refusal("start_phreeqc", input=WATER, wall_s=1e9)


async def test_jobs_leave_a_place_for_calls(lab: Lab) -> None:
    endless = "SOLUTION 1\nUSER_PRINT\n10 GOTO 10\nEND\n"
    jobs = [(await lab.answer("start_phreeqc", input=endless))["data"]["job"] for _ in range(6)]
    answer = await lab.answer("execute_phreeqc", input=WATER)
    assert answer["status"] == "ok"
    for job in jobs:
        cancelled = await lab.raw("cancel_job", job=job)
        assert not cancelled.is_error


async def test_a_job_writes_a_file_of_its_own(lab: Lab) -> None:
    await lab.answer("execute_phreeqc", input=WATER)
    before = (lab.folder / "result.out").read_bytes()
    started = await lab.answer("start_phreeqc", input=WATER.replace("Na 1", "Na 3"))
    done = await lab.answer("get_job", job=started["data"]["job"], wait_s=45)
    assert done["data"]["output"]["file"] == started["data"]["output"]["file"]
    assert (lab.folder / "result.out").read_bytes() == before


async def test_two_at_once_do_not_mix(lab: Lab) -> None:
    waters = [WATER.replace("Na 1", f"Na {n}").replace("C(4) 1", f"C(4) {n}") for n in range(1, 9)]
    answers = await asyncio.gather(
        *(lab.answer("execute_phreeqc", input=each, output="raw:9000") for each in waters)
    )
    for n, answer in enumerate(answers, 1):
        assert f"\tSOLUTION 1\n\t pH 7 charge\n\t Na {n}\n" in answer["text"]


@pytest.mark.accept
async def test_which_databases_hold_a_phase(lab: Lab) -> None:
    glauberite = await lab.answer("look_up_database", query="Glauberite", kind="database")
    names = [each["name"] for each in glauberite["data"]["databases"]]
    assert "pitzer.dat" in names
    assert "phreeqc.dat" not in names
    absent = await lab.answer("look_up_database", query="arsenic")  # phreeqc.dat has none
    assert "query='arsenic', kind='database'" in absent["next"]
    for word in ("arsenic", "thorium"):
        held = await lab.answer("look_up_database", query=word, kind="database")
        assert "llnl.dat" in [each["name"] for each in held["data"]["databases"]]
    uranium = await lab.answer("look_up_database", query="U", kind="database")
    assert "pitzer.dat" not in [each["name"] for each in uranium["data"]["databases"]]
    assert len((await lab.answer("look_up_database", query="", kind="database"))["data"]["databases"]) >= 19
    assert (await lab.refusal("look_up_database", query="Xyzite", kind="database"))["code"] == "not_found"


async def test_selected_output_has_no_stand_in_numbers_and_its_units_are_remembered(lab: Lab) -> None:
    text = "SOLUTION 1\n Na 1\nSELECTED_OUTPUT\n -time\n -totals Na\n -activities Ca+2\nEND\n"
    run = await lab.answer("execute_phreeqc", input=text)
    (table,) = run["data"]["selected_output"]
    (row,) = table["values"]
    values = dict(zip(table["columns"], row, strict=True))
    assert values["time"] is None
    assert values["la_Ca+2"] is None
    read = await lab.answer(
        "read_values", path="selected_output_1.tsv", quantities=["Na(mol/kgw)", "la_Ca+2"]
    )
    units = {each["name"]: each["unit"] for each in read["data"]["columns"]}
    assert units["Na(mol/kgw)"] == "mol/kgw"
    failed = await lab.raw("execute_phreeqc", input=text.replace("Na 1", "na 1"))
    assert failed.structured_content["status"] == "input_error"
    again = await lab.answer("read_values", path="selected_output_1.tsv", quantities=["Na"])
    assert again["data"]["rows"], "a run that fails leaves the table of the one before"


def test_headings_do_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each selected output left a file that no quota counted."""
    monkeypatch.setattr(execution, "MOST_HEADINGS", 40)
    workspace = Workspace(tmp_path / "work")
    for text, headings in islice(new_headings(), 200):
        remember_headings(workspace, text, headings)
    assert len(list((tmp_path / "work" / ".labrig" / "headings").iterdir())) <= 40
    assert remembered_headings(workspace, "run 199") == ["heading 199"]
    remember_headings(workspace, "long", ["x" * execution.HEADINGS_BYTES])
    assert remembered_headings(workspace, "long") == []


def test_headings_are_kept_in_no_file_of_somebody_else(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "work")
    remember_headings(workspace, "text", ["pH"])
    assert remembered_headings(workspace, "text") == ["pH"]
    kept = next((tmp_path / "work" / ".labrig" / "headings").iterdir())
    (tmp_path / "hers").write_text('["hers"]')
    for put_there in (kept.symlink_to, kept.hardlink_to):
        kept.unlink()
        put_there(tmp_path / "hers")
        remember_headings(workspace, "text", ["pH"])
        assert (tmp_path / "hers").read_text() == '["hers"]' and remembered_headings(workspace, "text") == [
            "pH"
        ]
    kept.unlink()
    kept.symlink_to(tmp_path / "hers")
    assert remembered_headings(workspace, "text") == []
    kept.parent.rename(tmp_path / "away")
    kept.parent.symlink_to(tmp_path / "away")
    with pytest.raises(LabrigError, match="is a link"):
        remember_headings(workspace, "text", ["pH"])
