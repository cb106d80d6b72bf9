"""The papers server as a client meets it: evidence with each answer, answers that go on, files that are no papers."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from fastmcp import Client
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_papers.server import toolbox
from support.known_servers.papers import EXTRACTED, PDF, SENTENCE, lay_out

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client[Any]]:
    top = tmp_path_factory.mktemp("papers")
    (root,) = lay_out(top)
    work = top / "work"
    work.mkdir()
    long = Canvas(str(work / "long.pdf"), pagesize=(400, 700))
    for number in range(1, 6):
        for line in range(45):
            long.drawString(
                30, 660 - 14 * line, f"Page {number}, line {line}: the value is {number}.{line:02} K here."
            )
        long.showPage()
    long.save()
    noise = Canvas(str(work / "noise.pdf"), pagesize=(400, 300))
    for line in range(12):
        noise.drawString(20, 260 - 14 * line, "7KH WUDQVLWLRQ WHPSHUDWXUH RI WKH VDPSOH LV PHDVXUHG")
    noise.save()
    form = Canvas(str(work / "form.pdf"), pagesize=(400, 300), pageCompression=0)
    form.drawString(
        20, 260, "Please wait... If this message is not replaced, your viewer cannot show the form."
    )
    form.save()
    said = (
        (work / "form.pdf")
        .read_bytes()
        .replace(b"/Type /Catalog", b"/AcroForm<</Fields[]/XFA[]>>/Type /Catalog")
    )
    (work / "form.pdf").write_bytes(said)
    groups = Canvas(str(work / "groups.pdf"), pagesize=(400, 300))
    groups.drawString(40, 260, "In URhGe order sets in at 9.5 K, and we see 0.25 K twice.")
    groups.drawString(40, 220, "TABLE I. Transitions.")
    rows = [
        ("", "Method", "Tc (K)", "beta"), ("URhSi",), ("", "Arrott", "10.12", "0.30"),
        ("", "Scaling", "10.12", "0.31"), ("UGe2",), ("", "Arrott", "52.60", "0.33"),
    ]  # fmt: skip
    for line, row in enumerate(rows):
        for x, cell in enumerate(row):
            groups.drawString(40 + 80 * x, 200 - 16 * line, cell)
    groups.save()
    options = ServeOptions(toolsets=("default", "values"), workspace=work, roots=(root,))
    async with Client(build(toolbox, options)) as opened:
        yield opened


async def call(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    found = (await client.call_tool(tool, arguments)).structured_content
    assert found is not None
    return found


async def refused(client: Client[Any], tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    assert result.is_error
    return str(result.content[0].text)


async def test_a_value_is_found_read_and_proved(client: Client[Any]) -> None:
    opened = await call(client, "open_paper", path=PDF)
    assert opened["values"][0] == {"name": "pages", "value": 2, "unit": "1"}
    assert opened["warnings"] == ["No text on page 2: look at them with show_page; a scan has none"]
    outline = await call(client, "outline_paper", path=PDF)
    assert [(each.get("table"), each["page"]) for each in outline["data"]["entries"]] == [("TABLE I", 1)]
    hits = (await call(client, "search_paper", path=PDF, query="jc=1.2X10^6"))["data"]["hits"]
    assert [each["page"] for each in hits] == [1] and "10^{6}" in hits[0]["quote"]
    table = (await call(client, "read_table", path=PDF, table="table i"))["data"]
    assert table["columns"][1] == {"name": "Tc (K)", "unit": "K"}
    assert [each["cells"] for each in table["rows"]] == [["A1", "36.9(2)", "0.5"], ["A2", "< 1.8", "12"]]
    for row in table["rows"]:
        verdict = await call(client, "verify_quote", path=PDF, quote=row["quote"], page=1)
        assert verdict["values"][0]["value"] == "exact"
        assert verdict["data"]["places"][0]["boxes"][0] == pytest.approx(row["box"], abs=0.2)
    wrong = await call(client, "verify_quote", path=PDF, quote="6.9(2) K in zero field", page=1)
    assert (wrong["status"], wrong["values"][0]["value"]) == ("ok_with_warnings", "partial_token")


async def test_values_come_with_box_quote_and_what_competes_with_them(client: Client[Any]) -> None:
    found = (await call(client, "find_quantities", path=PDF, dimension="temperature"))["data"]["quantities"]
    first = found[0]
    assert (first["value"], first["uncertainty"], first["unit"]) == (36.9, 0.2, "K")
    assert first["quote"] == SENTENCE and first["standing"] == "measured"
    shown = await call(client, "verify_quote", path=PDF, quote="36.9(2) K in zero field", page=1)
    left, bottom, _, _ = shown["data"]["places"][0]["boxes"][0]
    assert first["boxes"][0][:2] == pytest.approx([left, bottom], abs=0.2)
    current = (await call(client, "find_quantities", path=PDF))["data"]["quantities"]
    assert not any(each["text"].startswith("1.2 x 106") for each in current)
    by_name = await call(client, "find_quantities", path=PDF, quantity="Tc")
    assert [each["text"] for each in by_name["data"]["quantities"]] == ["36.9(2) K", "36.9(2)", "< 1.8"]
    assert by_name["data"]["quantities"][1]["column"] == "Tc (K)"
    assert "No quantity is known" in await refused(client, "find_quantities", path=PDF, quantity="beauty")
    assert "no dimension" in await refused(client, "find_quantities", path=PDF, dimension="beauty")


async def test_text_goes_on_where_it_ended_and_nothing_is_lost(client: Client[Any]) -> None:
    said, cursor, answers = "", "", 0
    while True:
        answer = await call(client, "read_pages", path="long.pdf", cursor=cursor)
        said, answers = said + answer["text"], answers + 1
        if "next" not in answer:
            break
        cursor = answer["next"].split("'")[1]
    assert answers > 1
    for number in range(1, 6):
        assert said.count(f"[p.{number}]") >= 1
        for line in range(45):
            assert f"Page {number}, line {line}: the value is {number}.{line:02} K here." in said
    assert "belongs to a call with other arguments" in await refused(
        client, "read_pages", path="long.pdf", pages="2", cursor=cursor
    )


async def test_a_picture_shows_the_quote(client: Client[Any]) -> None:
    result = await client.call_tool("show_page", {"path": PDF, "quote": SENTENCE, "dpi": 72})
    image = Image.open(io.BytesIO(base64.b64decode(result.content[0].data)))
    assert image.size == (400, 300)
    colours = image.convert("RGB").getcolors(1 << 20)
    assert colours is not None and (0, 114, 178) in [colour for _, colour in colours]
    part = await client.call_tool("show_page", {"path": PDF, "part": "TABLE I", "dpi": 72})
    assert Image.open(io.BytesIO(base64.b64decode(part.content[0].data))).height < 120
    assert "not on this page" in await refused(client, "show_page", path=PDF, quote="Tc = 92 K in zero field")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("empty.pdf", "empty"),
        ("page.pdf", "web page"),
        ("garbage.pdf", "damaged"),
        ("text.txt", "no PDF"),
        ("missing.pdf", "missing.PDF"),
    ],
)
async def test_a_file_that_is_no_paper(client: Client[Any], name: str, said: str) -> None:
    assert said in (await refused(client, "open_paper", path=f"@library/{name}")).lower().replace(
        "pdf", "PDF"
    )
    assert (await call(client, "open_paper", path=PDF))["values"][0]["value"] == 2  # the server lives


@pytest.mark.parametrize(("name", "said"), [("noise.pdf", "is noise"), ("form.pdf", "XFA form")])
async def test_text_that_is_no_text_of_the_paper_is_said(client: Client[Any], name: str, said: str) -> None:
    found = await call(client, "open_paper", path=name)
    assert found["status"] == "ok_with_warnings" and [said in each for each in found["warnings"]] == [True]


@pytest.mark.parametrize("pages", ["0", "3", "2-1", "1-99999999999", "a", "1;2", "²"])
async def test_pages_that_are_not_there(client: Client[Any], pages: str) -> None:
    assert "from 1 to 2" in await refused(client, "read_pages", path=PDF, pages=pages)


async def test_the_values_of_a_paper_in_other_writings(client: Client[Any]) -> None:
    found = await call(client, "convert_units", value="310 Oe", to="T")
    assert found["values"][0]["value"] == pytest.approx(0.031)
    formula = await call(client, "normalize_formula", text="La_{2-x}Sr_{x}CuO_{4}", context="with x = 0.15")
    assert formula["data"]["composition"] == pytest.approx({"La": 1.85, "Sr": 0.15, "Cu": 1, "O": 4})
    group = await call(client, "normalize_space_group", text="P6_{3}/mmc")
    assert group["values"][0]["value"] == 194
    matches = (await call(client, "match_property", name="Tc (onset)"))["data"]["matches"]
    assert matches[0]["name"] == "transition temperature (R = 100%)"


async def test_an_extraction_is_checked_against_the_paper(client: Client[Any]) -> None:
    right = await call(client, "validate_extraction", path=PDF, extraction_file="@library/right.json")
    assert right["values"][0]["value"] == 0, right
    wrong = {**EXTRACTED, "value_string": "39.6 K"}
    made_up = {
        **EXTRACTED,
        "location": {**EXTRACTED["location"], "evidence": "The transition is at Tc = 92 K there."},
    }
    text = json.dumps({"properties": [wrong, made_up]})
    await client.call_tool("write_file", {"path": "found.json", "content": text})
    found = await call(client, "validate_extraction", path=PDF, extraction_file="found.json")
    places = {(each["index"], each["field"].split(".")[-1]) for each in found["data"]["findings"]}
    assert {index for index, _ in places} == {0, 1} and (1, "evidence") in places, found
    row = {**EXTRACTED["location"], "source_type": "table", "evidence": "A2 < 1.8 12"}
    slipped = {**EXTRACTED, "value_string": "< 1.8 mK", "location": row}
    kept = {**slipped, "value_string": "< 1.8 K"}
    text = json.dumps({"properties": [slipped, kept]})
    await client.call_tool("write_file", {"path": "row.json", "content": text})
    found = await call(client, "validate_extraction", path=PDF, extraction_file="row.json")
    assert [(each["index"], each["code"]) for each in found["data"]["findings"]] == [(0, "unit_differs")]
    assert "JSON" in await refused(
        client, "validate_extraction", path=PDF, extraction_file="@library/text.txt"
    )


@pytest.mark.parametrize(
    ("material", "value", "quote", "codes"),
    [
        ("URhSi", "10.12 K", "Arrott 10.12", []),
        ("URhSi", "10.12 K", "10.12", []),  # true, and there twice
        ("UGe2", "10.12 K", "10.12", ["material_differs"]),
        ("URhSi", "52.60 K", "Arrott 52.60", ["material_differs"]),
        ("URhGe", "9.5 K", "sets in at 9.5 K", []),
        ("URhSi", "9.5 K", "sets in at 9.5 K", ["material_differs"]),
    ],
)
async def test_a_part_of_a_row_or_a_sentence_is_of_its_material(
    client: Client[Any], material: str, value: str, quote: str, codes: list[str]
) -> None:
    location = {"page": 1, "source_type": "text", "evidence": quote}
    entry = {**EXTRACTED, "material_or_system": material, "value_string": value, "location": location}
    await client.call_tool(
        "write_file", {"path": "part.json", "content": json.dumps({"properties": [entry]})}
    )
    found = await call(client, "validate_extraction", path="groups.pdf", extraction_file="part.json")
    assert [each["code"] for each in found["data"]["findings"]] == codes


async def test_a_row_of_one_name_is_a_row_of_its_table(client: Client[Any]) -> None:
    table = (await call(client, "read_table", path="groups.pdf", table="TABLE I"))["data"]
    assert [each["name"] for each in table["columns"]] == ["", "Method", "Tc (K)", "beta"]
    assert [each["cells"][:3] for each in table["rows"]] == [
        ["URhSi", "", ""], ["", "Arrott", "10.12"], ["", "Scaling", "10.12"], ["UGe2", "", ""], ["", "Arrott", "52.60"],
    ]  # fmt: skip


async def test_a_slip_of_units_is_flagged(client: Client[Any]) -> None:
    sound = await call(client, "check_consistency", values={"tc": "36.9 K", "hc2": "53.5 T", "xi": "24.8 Å"})
    assert sound["values"][0]["value"] == 0 and sound["values"][1]["value"] > 0
    slip = await call(client, "check_consistency", values={"tc": "36.9 K", "hc2": "53.5 T", "xi": "24.8 nm"})
    assert slip["values"][0]["value"] == 1
    cell = {"a": "3.086 Å", "c": "3.524 Å", "density": "2.63 g/cm^{3}"}
    hexagonal = await call(
        client, "check_consistency", values=cell, formula="MgB2", z=1, angles_deg=[90, 90, 120]
    )
    assert hexagonal["values"][0]["value"] == 0
    same = await call(client, "compare_values", value="310 Oe", truth="0.031 T")
    assert same["values"][0]["value"] is True and same["data"]["equivalence_used"]
