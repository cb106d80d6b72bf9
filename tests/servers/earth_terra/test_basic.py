"""Group basic over MCP: regions, searches, pages and the math agent, against imitated services; bad input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from shapely.geometry import shape

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.natural_earth.shapes import countries
from labrig_earth.server import toolbox
from support.imitation import Imitation, as_json, imitation, page, status, text
from support.terra import refused, run

pytestmark = pytest.mark.asyncio(loop_scope="session")

RING = [[16.0, 48.0], [16.6, 48.0], [16.6, 48.4], [16.0, 48.4], [16.0, 48.0]]
PLACE = {
    "display_name": "Vienna, Austria", "boundingbox": ["48.0", "48.4", "16.0", "16.6"], "lat": "48.2", "lon": "16.3",
    "geojson": {"type": "Polygon", "coordinates": [RING]},
}  # fmt: skip
FOUND = {
    "organic": [
        {"title": "Front", "link": "https://a.example/"},
        {"title": "Report", "link": "https://b.example/report/1"},
        {"title": "Index", "link": "https://c.example/index.html"},
        {"title": "Second", "link": "https://d.example/x?y=1"},
    ],
    "searchParameters": {"q": "heat"},
}
PAGE = (
    "<html><head><title>Heat in June</title><script>evil()</script></head><body><nav>Menu Login</nav>"
    "<main><h1>Heat</h1><p>The mean was 24.5&nbsp;°C in June.</p></main><footer>Imprint</footer></body></html>"
)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Imitation]:
    """Nominatim, Serper, pages, and a model."""
    with imitation() as made:
        made.on("/*").then(status(404))
        made.on("/nominatim/search").then(as_json([PLACE]))
        for kind in ("search", "news", "places"):
            made.on(f"/serper/{kind}", method="POST").then(as_json(FOUND))
        made.on("/page.html").then(page(PAGE.encode(), "text/html; charset=utf-8"))
        made.on("/model/chat/completions", method="POST").then(said("24.5 °C in June."))
        origin = made.url("").rstrip("/")
        for name, value in {
            "LABRIG_HTTP_PRIVATE_ORIGINS": origin,
            "LABRIG_HTTP_CONTACT": "a@example.org", "LABRIG_HTTP_URL_NOMINATIM": f"{origin}/nominatim",
            "LABRIG_HTTP_URL_SERPER": f"{origin}/serper", "LABRIG_EARTH_SERPER_KEY": "serper-key-of-the-test",
            "LABRIG_HTTP_URL_LANGUAGE_MODEL": f"{origin}/model", "LABRIG_EARTH_MODEL_KEY": "model-key-of-the-test",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        yield made


def said(words: str) -> Any:
    """Return a model's answer."""
    return as_json({"model": "writer-1", "choices": [{"message": {"content": words}}]})


def server(folder: Path, mode: str = "live", **settings: str) -> Client[Any]:
    (folder / "work").mkdir(parents=True, exist_ok=True)
    options = ServeOptions(
        workspace=folder / "work",
        toolsets=("terra-basic",),
        http_mode=mode,  # type: ignore[arg-type]
        ledger=folder.parent / "ledger.sqlite" if mode != "live" else None,
        settings=settings,
    )
    return Client(build(toolbox, options))


async def test_a_country_needs_no_network(served: Client[Any], small: Path) -> None:
    found = await run(
        served,
        "gis_resolve_region",
        place_query="Austria",
        source="natural_earth",
        return_geometry_type="all",
    )
    [austria] = [each.geometry for each in countries("50m") if each.name == "Austria"]
    west, south, east, north = austria.bounds
    assert found["bbox"] == pytest.approx([south, west, north, east])
    assert shape(found["polygon"]).equals(austria)
    assert found["centroid"] == pytest.approx({"lat": austria.centroid.y, "lon": austria.centroid.x})
    long = await run(
        served, "gis_resolve_region", admin_code="CAN", source="natural_earth", return_geometry_type="polygon"
    )
    assert (
        long["polygon"] is None and long["polygon_path"] == "data/osm/region.geojson" and "bbox" not in long
    )
    assert json.loads((small / long["polygon_path"]).read_text())["properties"] == {"name": "Canada"}
    fiji = await run(served, "gis_resolve_region", place_query="Fiji", source="natural_earth")
    assert fiji["bbox"][1] > fiji["bbox"][3] and "antimeridian" in str(fiji["warnings"])
    for change, code, words in (
        ({"place_query": ""}, "bad_input", "missing"),
        ({"place_query": "Atlantis"}, "not_found", "Atlantis"),
        ({"return_geometry_type": "box"}, "not_found", "centroid"),
        ({"source": "osm"}, "not_found", "natural_earth"),
        ({"nominatim_url": "http://169.254.169.254/search"}, "refused", "LABRIG_HTTP_URL_NOMINATIM"),
    ):
        given = {"place_query": "Austria", "source": "natural_earth", **change}
        found_, why = await refused(served, "gis_resolve_region", **given)
        assert found_ == code and words in why, (change, found_, why)


@pytest.mark.accept
async def test_code_runs_on_streamed_files_which_it_cannot_change(served: Client[Any], small: Path) -> None:
    (small / "numbers.csv").write_text("x,y\n1,2\n3,4\n")
    given = await run(
        served, "stream_data_to_math_agent", file_path="numbers.csv", metadata={"what": "numbers"}
    )
    assert given["file_size_bytes"] == 12 and given["response"]["path"] == "inputs/numbers.csv"
    code = "rows = open('inputs/numbers.csv').read().split()[1:]\nopen('sums.txt', 'w').write('done')\n"
    code += "print(k * sum(int(row.split(',')[0]) for row in rows))"
    found = await run(served, "run_math_agent", query=code, variables={"k": 2.5, "label": 'it\'s "x"\n'})
    assert (found["result"], found["status"], found["turns"]) == ("10.0", "ok", 1)
    [left] = found["artifacts"]
    assert left["saved_path"] == "data/code_agent_artifacts/sums.txt"
    assert (small / left["saved_path"]).read_text() == "done"
    fenced = await run(
        served, "run_math_agent", query="Please run\n```python\nprint(6 * 7)\n```\nand tell me."
    )
    assert fenced["result"] == "42"
    changed = await run(served, "run_math_agent", query="open('inputs/numbers.csv', 'w').write('x')")
    assert changed["status"] == "error" and "Error" in changed["error"]
    assert (small / "numbers.csv").read_text() == "x,y\n1,2\n3,4\n"
    for tool, change, code_, words in (
        ("run_math_agent", {"query": " "}, "bad_input", "empty"),
        ("run_math_agent", {"query": "What is the mean of x?"}, "unavailable", "earth.model"),
        ("run_math_agent", {"query": "1", "variables": {"a b": 1}}, "bad_input", "no name"),
        ("run_math_agent", {"query": "1", "base_url": "http://127.0.0.1"}, "refused", "sandbox"),
        ("run_math_agent", {"query": "1", "max_turns": 0}, "bad_input", "max_turns"),
        ("run_math_agent", {"query": "1", "max_turns": True}, "bad_input", "no numbers"),
        ("run_math_agent", {"query": "1+1", "artifact_dir": "../x"}, "refused", "workspace"),
        ("stream_data_to_math_agent", {"file_path": "none.csv"}, "not_found", "no such file"),
        ("stream_data_to_math_agent", {"file_path": "/etc/passwd"}, "refused", ""),
        ("stream_data_to_math_agent", {"file_path": ""}, "bad_input", ""),
        (
            "stream_data_to_math_agent",
            {"file_path": "numbers.csv", "upload_url": "http://x"},
            "refused",
            "sandbox",
        ),
        (
            "stream_data_to_math_agent",
            {"file_path": "numbers.csv", "headers": {"a": 1}},
            "refused",
            "sandbox",
        ),
    ):
        found_, why = await refused(served, tool, **change)
        assert found_ == code_ and words in why, (tool, change, found_, why)


@pytest.mark.accept
async def test_services_are_asked_recorded_and_replayed(site: Imitation, tmp_path: Path) -> None:
    (tmp_path / "one/work").mkdir(parents=True)
    (tmp_path / "one/work/a.csv").write_text("x\n4\n")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("gis_resolve_region", {"place_query": "Vienna", "return_geometry_type": "all"}),
        ("web_search_serper", {"query": "heat", "num_results": 1, "language": "EN", "country": "at"}),
        ("summarize_web_page", {"url": site.url("/page.html"), "question": "How warm?", "max_chars": 20}),
        ("run_math_agent", {"query": "What is twice the x of a.csv?", "max_turns": 2}),
    ]
    async with server(tmp_path / "one", "record", model="writer") as client:
        await run(client, "stream_data_to_math_agent", file_path="a.csv")
        first = [await run(client, *calls[0][:1], **calls[0][1])]
        place, *_ = first
        assert place["bbox"] == [48.0, 16.0, 48.4, 16.6] and place["name"] == "Vienna, Austria"
        assert (
            place["centroid"] == pytest.approx({"lat": 48.2, "lon": 16.3})
            and site.hits[-1].query["q"] == "Vienna"
        )
        search = await run(client, "web_search_serper", **calls[1][1])
        assert [each["title"] for each in search["organic"]] == ["Report"] and search[
            "filtered_out_count"
        ] == 2
        asked = json.loads(site.hits[-1].body)
        assert asked == {"q": "heat", "num": 2, "hl": "en", "gl": "at"}
        assert site.hits[-1].headers["x-api-key"] == "serper-key-of-the-test"
        summary = await run(client, "summarize_web_page", **calls[2][1])
        assert summary["summary"] == "24.5 °C in June." and summary["truncated"]
        words = (tmp_path / "one/work" / summary["primary_text_path"]).read_text()
        assert words == "Heat The mean was 24.5 °C in June."
        sent = json.loads(site.hits[-1].body)
        assert sent["messages"][1]["content"] == words[:20] and "How warm?" in sent["messages"][0]["content"]
        replies = ["```python\nprint(open('inputs/none.csv').read())\n```", "```python\nprint(2 * 4)\n```"]
        site.on("/model/chat/completions", method="POST").then(*map(said, replies))
        agent = await run(client, "run_math_agent", **calls[3][1])
        assert (agent["result"], agent["turns"], agent["code"]) == ("8", 2, "print(2 * 4)")
        again = json.loads(site.hits[-1].body)["messages"]
        assert "FileNotFoundError" in again[-1]["content"] and "inputs/a.csv" in again[1]["content"]
    before = len(site.hits)
    async with server(
        tmp_path / "one", "replay", model="writer"
    ) as client:  # the streamed file is still there
        for (tool, arguments), found in zip(calls, (place, search, summary, agent), strict=True):
            assert await run(client, tool, **arguments) == found
        code, _ = await refused(client, "gis_resolve_region", place_query="Graz")
        assert code == "not_recorded"
    assert len(site.hits) == before


@pytest.mark.accept
async def test_what_services_may_answer(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(tmp_path / "one", model="writer") as client:
        for number, (answer, code, words) in enumerate((
            ([], "not_found", "knows no"),
            ({"error": "x"}, "unreachable", "places"),
            ([{"display_name": "x"}], "unreachable", "no place"),
            ([{**PLACE, "boundingbox": ["48", "nan", "1", "2"]}], "unreachable", "no place"),
            ([{**PLACE, "geojson": {"type": "Star"}}], "unreachable", "no place"),
        )):  # fmt: skip
            site.on("/nominatim/search").then(as_json(answer))
            found, why = await refused(client, "gis_resolve_region", place_query=f"Place {number}")
            assert found == code and words in why, (answer, found, why)
        for change, code, words in (
            ({"query": ""}, "bad_input", "searched for"),
            ({"search_type": "images"}, "not_found", "news"),
            ({"num_results": 21}, "bad_input", "num_results"),
            ({"num_results": True}, "bad_input", "no numbers"),
            ({"language": "english"}, "bad_input", "two letters"),
            ({"artifact_root": "/tmp/x"}, "refused", "workspace"),
        ):
            found, why = await refused(client, "web_search_serper", **{"query": "heat", **change})
            assert found == code and words in why, (change, found, why)
        site.on("/serper/news", method="POST").then(
            as_json({"news": [{"link": site.url("/page.html")}, {"link": site.url("/gone/x")}]})
        )
        kept = await run(client, "web_search_serper", query="heat", search_type="news", archive_results=True)
        one, other = kept["archived_artifacts"]
        assert one["title"] == "Heat in June" and "404" in other["error"]
        assert (tmp_path / "one/work" / one["text_path"]).read_text().startswith("Heat The mean")
        site.on("/picture.png").then(page(b"\x89PNG", "image/png"))
        site.on("/empty.html").then(page(b"<html><script>x</script></html>", "text/html"))
        for change, code, words in (
            ({"url": ""}, "bad_input", "missing"),
            ({"url": "file:///etc/passwd"}, "bad_input", "https"),
            ({"url": "http://169.254.169.254/latest"}, "refused", ""),
            ({"url": site.url("/picture.png")}, "refused", "image/png"),
            ({"url": site.url("/gone.html")}, "not_found", ""),
            ({"url": site.url("/empty.html")}, "not_found", "no text"),
            ({"max_chars": 0}, "bad_input", "max_chars"),
            ({"max_tokens": 5000}, "bad_input", "max_tokens"),
            ({"artifact_root": "../x"}, "refused", "workspace"),
        ):
            found, why = await refused(
                client, "summarize_web_page", **{"url": site.url("/page.html"), **change}
            )
            assert found == code and words in why, (change, found, why)
        site.on("/robots.txt").then(text("User-agent: *\nDisallow: /closed"))
        plain = await run(client, "summarize_web_page", page_text="It was 24.5 °C.", question="?")
        assert plain["chars_input"] == 15 and plain["source_url"] is None
        site.on("/model/chat/completions", method="POST").then(said(" "))
        found, why = await refused(client, "summarize_web_page", page_text="It was 24.6 °C.")
        assert found == "unreachable" and "wrote nothing" in why
        monkeypatch.delenv("LABRIG_EARTH_SERPER_KEY")
        found, why = await refused(client, "web_search_serper", query="cold")
        assert found == "unavailable" and "LABRIG_EARTH_SERPER_KEY" in why
    monkeypatch.delenv("LABRIG_HTTP_CONTACT")
    async with server(tmp_path / "two") as client:
        found, why = await refused(client, "gis_resolve_region", place_query="Linz")
        assert found == "unavailable" and "natural_earth" in why
        found, why = await refused(client, "summarize_web_page", page_text="x")
        assert found == "unavailable" and "LABRIG_EARTH_MODEL" in why
