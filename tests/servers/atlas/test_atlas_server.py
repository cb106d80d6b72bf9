"""The atlas server through MCP: values with unit and source, candidates, typed refusals, settings."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.answer import json_bytes
from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_atlas.server import toolbox


@asynccontextmanager
async def served(folder: Path, **more: Any) -> AsyncIterator[Client[Any]]:
    async with Client(build(toolbox, ServeOptions(workspace=folder / "w", **more))) as client:
        yield client


async def told(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the Answer of a call that succeeds."""
    result = await client.call_tool_mcp(tool, arguments)
    assert not result.is_error, result.content[0].text
    answer: dict[str, Any] = result.structured_content
    assert answer["source"]
    return answer


async def refused(client: Client[Any], tool: str, **arguments: Any) -> dict[str, str]:
    """Return the error of a call that is refused."""
    result = await client.call_tool_mcp(tool, arguments)
    assert result.is_error, result
    error: dict[str, str] = result.meta["labrig"]["error"]
    return error


def value(answer: dict[str, Any], name: str) -> Any:
    (found,) = [each for each in answer["values"] if each["name"] == name]
    return found["value"]


async def test_the_default_tools_are_few_and_short(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        tools = await client.list_tools()
    assert len(tools) <= 12
    # What a model reads: `_meta`, which has the words of the client's search, is shown to none.
    apart = {"outputSchema", "_meta"}
    wire = [each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in tools]
    read = json_bytes([{key: value for key, value in each.items() if key not in apart} for each in wire])
    assert read <= 10_500


async def test_a_name_becomes_a_point_or_candidates(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        ulm = await told(client, "geocode", address="Ulm, Germany")
        assert value(ulm, "latitude") == pytest.approx(48.40, abs=0.02)
        assert value(ulm, "longitude") == pytest.approx(9.99, abs=0.02)
        many = await told(client, "geocode", address="Springfield")
        assert many["status"] == "ambiguous" and len(many["data"]["candidates"]) > 3
        one = many["data"]["candidates"][1]
        again = await told(client, "geocode", address=one["address"])
        assert again["data"]["place"]["place_id"] == one["place_id"]
        both = await told(
            client, "geocode", address="Prague, Czechia"
        )  # the city, and the division of its name
        for each in both["data"]["candidates"]:
            chosen = await told(client, "geocode", address=each["place_id"])
            assert chosen["data"]["place"]["kind"] == each["kind"]
        fictional = await refused(client, "geocode", address="Minas Tirith")
        assert fictional["code"] == "not_found" and fictional["try"]
        assert (await refused(client, "geocode", address=" "))["code"] == "bad_input"


@pytest.mark.parametrize(
    ("latitude", "longitude", "status", "says"),
    [
        (48.4, 10.0, "ok", "Ulm"),
        (0.0, -30.0, "no_place", "sea"),
        (90.0, 0.0, "no_place", "North Pole"),
        (-90.0, 12.0, "no_place", "South Pole"),
        (-17.8, 181.0, "ok", ""),
    ],
)
async def test_a_point_becomes_a_place_or_the_reason(
    latitude: float, longitude: float, status: str, says: str, tmp_path: Path
) -> None:
    async with served(tmp_path) as client:
        answer = await told(client, "reverse_geocode", latitude=latitude, longitude=longitude)
    assert (status == "ok" or answer["status"] == status) and says in answer["text"]


async def test_points_that_are_none_are_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        for latitude, longitude in ((91, 0), (-120, 45), (0, 400)):
            error = await refused(client, "reverse_geocode", latitude=latitude, longitude=longitude)
            assert error["code"] == "bad_input" and "degrees" in error["expected"]
        assert "swap" in (await refused(client, "reverse_geocode", latitude=-120, longitude=45))["try"]


async def test_figures_of_a_country_have_source_and_year(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        france = await told(client, "get_country_facts", country="FR")
        assert 5.4e5 < value(france, "area") < 6.5e5 and 6.4e7 < value(france, "population") < 7e7
        assert all("20" in each["note"] or "year" in each["note"] for each in france["values"])
        assert (await refused(client, "get_country_facts", country="Wakanda"))["code"] == "not_found"


async def test_a_page_is_walked(tmp_path: Path) -> None:
    """The birthplace in an infobox leads to a page whose infobox has the height as a number with its unit."""
    async with served(tmp_path) as client:
        person = await told(
            client, "fetch_webpage", url="https://en.m.wikipedia.org/wiki/albert_einstein#Life"
        )
        assert person["data"]["title"] == "Albert Einstein" and "Labrig" in person["source"]
        seen = await told(client, "fetch_webpage", url="Albert Einstein")
        fields = {each["label"]: each for each in seen["data"]["infobox"]}
        assert fields["Born"]["values"][0]["iso"] == "1879-03-14"
        infobox = await told(client, "fetch_webpage", url="Albert Einstein", section="infobox", links=True)
        (ulm,) = [each["address"] for each in infobox["data"]["links"] if each["text"] == "Ulm"]
        town = await told(client, "fetch_webpage", url=ulm)
        height = {each["label"]: each for each in town["data"]["infobox"]}["Elevation"]["values"][0]
        assert (height["value"], height["unit"]) == (478, "m")
        text = await told(client, "fetch_webpage", url=ulm, section="Geography")
        assert "Danube" in text["text"] and text["data"]["section_title"] == "Geography"
        hits = await told(client, "search_pages", query="relativity born in Ulm")
        assert hits["data"]["pages"][0]["title"] == "Albert Einstein"
        for wrong in ({"section": "Geology"}, {"table": 9}):
            assert (await refused(client, "fetch_webpage", url=ulm, **wrong))["code"] == "not_found"


async def test_a_long_text_is_read_in_parts(tmp_path: Path) -> None:
    """All parts together are the text, and a cursor belongs to its own call."""
    async with served(tmp_path) as client:
        read, cursor, parts = "", "", 0
        while True:
            part = await told(client, "fetch_webpage", url="Germany", section="all", cursor=cursor)
            read, parts = read + part["text"], parts + 1
            if "next" not in part:
                break
            cursor = part["next"].split("cursor='")[1].rstrip("')")
        assert len(read) == part["data"]["total_chars"] and "## " in read
        links = await told(client, "fetch_webpage", url="Germany", links=True)
        assert value(links, "links") >= len(links["data"]["links"]) > 5
        if cursor:
            assert (await refused(client, "fetch_webpage", url="France", section="all", cursor=cursor))[
                "code"
            ] == "bad_input"


async def test_what_is_made_up_says_so(tmp_path: Path) -> None:
    """Weather, markets, roads, nearby places; a height that is known does not."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get_weather", {"place": "Ulm", "start_date": "2024-01-15"}),
        ("get_weather", {"place": "Ulm"}),
        ("get_market_history", {"symbol": "ALDR.LA", "date": "2024-12-25"}),
        ("find_route", {"origin": "Ulm", "destination": "Stuttgart"}),
        ("search_places", {"query": "museums near Ulm"}),
    ]
    async with served(tmp_path) as client:
        for tool, arguments in calls:
            answer = await told(client, tool, **arguments)
            assert any("made up" in each for each in answer["warnings"]), tool
            assert all("made up" in each["note"] for each in answer.get("values", ())), tool
        heights = await told(client, "get_elevations", places=["Ulm", "48.2, 9.1"])
        assert ["made up" in each["note"] for each in heights["values"]] == [False, True]


async def test_days_without_trade_and_days_to_come(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        christmas = await told(client, "get_market_history", symbol="ALDR.LA", date="2024-12-25")
        assert "Christmas" in christmas["text"] and christmas["values"][0]["note"].startswith("2024-12-24")
        assert (await refused(client, "get_market_history", symbol="ALDR.LA", date="2031-01-02"))[
            "code"
        ] == "bad_input"
        assert (await refused(client, "get_weather", place="Ulm", start_date="2031-01-02"))[
            "code"
        ] == "bad_input"
        unknown = await refused(client, "get_weather", place="Ulm", variables=["rain"])
        assert unknown["code"] == "not_found" and "rain_sum" in unknown["try"]
        pages = [
            await told(client, "get_weather", place="Ulm", start_date="2024-01-01", end_date="2024-12-30")
        ]
        days = len(pages[0]["data"]["days"])
        assert days < 365 and "cursor" in pages[0]["next"]


async def test_ways_and_distances(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        straight = await told(
            client, "find_route", origin="52.0, 179.5", destination="52.0, -179.5", mode="straight"
        )
        assert value(straight, "distance") == pytest.approx(68_677, abs=20)  # over the antimeridian
        assert (await refused(client, "find_route", origin="Ulm", destination="Tokyo"))["code"] == "not_found"
        several = await refused(
            client, "find_route", origin="Springfield", destination="Ulm", mode="straight"
        )
        assert several["where"] == "origin" and "Missouri" in several["expected"]
        museum = (await told(client, "search_places", query="museums near Stuttgart"))["data"]["places"][0]
        visit = await told(client, "find_route", origin="Ulm", destination=museum["place_id"])
        assert value(visit, "distance") > 50_000
        walk = await told(
            client, "find_route", origin=museum["place_id"], destination="Stuttgart", mode="straight"
        )
        assert value(walk, "distance") == pytest.approx(museum["distance_m"], abs=500)
        assert (await refused(client, "find_route", origin="earth:p:1:museum:9", destination="Ulm"))[
            "code"
        ] == "not_found"
        table = await told(
            client, "get_distances", origins=["Ulm", "Stuttgart"], destinations=["Munich", "Tokyo"]
        )
        assert table["status"] == "partial" and table["data"]["distance_m"][0][1] is None
        many = await refused(client, "get_distances", origins=["Ulm"] * 500, destinations=["Paris"])
        assert many["code"] == "limit"
        assert (await refused(client, "search_places", query="museums near Ulm", radius_m=-1))[
            "code"
        ] == "bad_input"


async def test_the_same_call_gives_the_same_bytes(tmp_path: Path) -> None:
    """In another server, and after other calls."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("geocode", {"address": "Springfield"}),
        ("search_places", {"query": "hotels near Vienna"}),
        ("find_route", {"origin": "Ulm", "destination": "Vienna"}),
        ("get_weather", {"place": "Vienna"}),
        ("get_market_history", {"symbol": "ALDR.LA", "date": "2024-12-25"}),
        ("fetch_webpage", {"url": "Vienna"}),
        ("search_pages", {"query": "composer Vienna"}),
    ]
    seen = []
    for order in (1, -1):
        async with served(tmp_path / str(order)) as client:
            made = {call[0]: await told(client, call[0], **call[1]) for call in calls[::order]}
        seen.append([made[call[0]] for call in calls])
    assert seen[0] == seen[1]


@pytest.mark.accept
async def test_a_fictional_world_agrees_with_itself_and_says_that_it_is_one(tmp_path: Path) -> None:
    """From a person to the birthplace and its height: the page and the table of heights have one number."""
    from labrig_atlas.world.twin import twin

    articles = {article.title: article for article in twin(11).articles}
    person, town = next(
        (article, articles[place[1]])
        for article in articles.values()
        if (place := re.match(r"\[\[([^\]|]+)", article.infobox.get("Birthplace", "")))
        and "Elevation" in articles[place[1]].infobox
    )
    async with served(tmp_path, settings={"world": "twin-11"}) as client:
        found = await told(client, "search_pages", query=person.title)
        assert found["data"]["pages"][0]["title"] == person.title and "fictional" in found["warnings"][0]
        page = await told(client, "fetch_webpage", url=found["data"]["pages"][0]["address"])
        assert page["data"]["made_up"] and page["warnings"]
        (born,) = [each for each in page["data"]["infobox"] if each["label"] == "Birthplace"]
        assert born["links"][0]["text"] == town.title
        home = await told(client, "fetch_webpage", url=born["links"][0]["address"])
        (height,) = [each for each in home["data"]["infobox"] if each["label"] == "Elevation"]
        table = await told(client, "get_elevations", places=[born["text"]])
        assert table["values"][0]["value"] == pytest.approx(height["values"][0]["value"], abs=0.5)
        assert "made up" in table["values"][0]["note"]
        assert (await refused(client, "geocode", address="Albert Einstein"))["code"] == "not_found"


async def test_a_store_of_another_wiki_is_walked_by_its_own_addresses(tmp_path: Path) -> None:
    from labrig_atlas.wiki.building import build as build_store

    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "Quartz.html").write_text(
        '<h1 id="firstHeading">Quartz</h1><div class="mw-parser-output"><p>Quartz is hard.</p></div>'
    )
    await build_store(tmp_path / "pages", tmp_path / "rocks.sqlite", host="rocks.example.org")
    async with served(tmp_path, settings={"wiki": str(tmp_path / "rocks.sqlite")}) as client:
        for address in ("Quartz", "https://rocks.example.org/wiki/Quartz"):
            answer = await told(client, "fetch_webpage", url=address)
            assert answer["data"]["address"] == "https://rocks.example.org/wiki/Quartz"


async def test_a_store_that_is_damaged_is_named(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"SQLite format 3\0" + bytes(5000))
    async with served(tmp_path, settings={"wiki": str(tmp_path / "store.sqlite")}) as client:
        error = await refused(client, "fetch_webpage", url="Ulm")
    assert error["code"] == "unavailable" and "store.sqlite" in error["where"]


@pytest.mark.accept
async def test_code_runs_in_the_sandbox(tmp_path: Path) -> None:
    """A file that it leaves can be opened by the next run, by its handle, and so can one of the workspace."""
    async with served(tmp_path) as client:
        (tmp_path / "w" / "mine.txt").write_text("7")
        first = await told(client, "run_python_code", code="open('six.txt', 'w').write('6'); print(6 * 7)")
        assert first["text"] == "42\n"
        (made,) = first["artifacts"]
        code = "print(int(open('inputs/six.txt').read()) * int(open('inputs/mine.txt').read()))"
        again = await told(client, "run_python_code", code=code, files=[made["handle"], "mine.txt"])
        assert again["text"] == "42\n"
        for wrong, error in (("../x", "refused"), ("nothing.txt", "not_found"), (".", "bad_input")):
            assert (await refused(client, "run_python_code", code="1", files=[wrong]))["code"] == error


def test_doctor_says_who_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = list(toolbox.checkup())
    assert lines[0] == "world earth, wiki bundled" and "tables" in lines[1]
    assert any(each.startswith("service nominatim: https://") for each in lines)
    monkeypatch.setenv("LABRIG_ATLAS_ELEVATION", "open")
    assert list(toolbox.checkup())[1] == "asked of services: elevation of open"


def test_settings_say_who_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    from labrig_atlas.server.base import backends_of

    assert set(backends_of(ServeOptions()).values()) == {"offline"}
    google = backends_of(
        ServeOptions(settings={"backend": "google", "elevation": "open", "geocode": "offline"})
    )
    assert (google["route"], google["weather"], google["elevation"], google["geocode"]) == (
        "google",
        "open",
        "open",
        "offline",
    )
    with pytest.raises(LabrigError, match="did you mean google"):
        toolbox.select(ServeOptions(settings={"route": "gogle"}))
    with pytest.raises(LabrigError, match="value of weather"):
        toolbox.select(ServeOptions(settings={"weather": "google"}))
    monkeypatch.setenv("LABRIG_ATLAS_GOOGLE_KEY", "a-key-that-is-long")
    toolbox.select(ServeOptions())


async def test_a_backend_without_its_key_names_the_variable_and_one_that_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LABRIG_ATLAS_GOOGLE_KEY", raising=False)
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    async with served(tmp_path, settings={"geocode": "google"}) as client:
        error = await refused(client, "geocode", address="Ulm")
    assert (
        error["code"] == "unavailable" and "LABRIG_ATLAS_GOOGLE_KEY" in str(error) and "open" in error["try"]
    )


async def test_errors_and_empty_results_say_what_to_do_next(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        korea = await refused(client, "get_country_facts", country="Korea")
        assert "South Korea (KR)" in korea["expected"] and "North Korea (KP)" in korea["expected"]
        flying = await refused(
            client, "find_route", origin="Ulm, Germany", destination="Munich", mode="flying"
        )
        assert "straight" in flying["expected"]
        coin = await refused(client, "get_market_history", symbol="XOBOL", date="2024-01-02")
        assert "is a coin" in coin["what"]
        real = await refused(client, "get_market_history", symbol="BTC", date="2024-01-02", kind="crypto")
        assert "XOBOL" in real["expected"]
        for more in ({}, {"end_date": "2024-01-09"}):
            unknown = await refused(client, "get_market_history", symbol="no such", date="2024-01-02", **more)
            assert unknown["where"] == "symbol"
        day = await refused(
            client, "get_market_history", symbol="ALDR.LA", date="soon", end_date="2024-01-09"
        )
        assert day["where"] == "date"
        later = await refused(client, "get_weather", place="Ulm, Germany", start_date="2026-07-03")
        assert "takes no start_date" in later["try"] and "2026-07-07" in later["try"]
        nothing = await told(client, "search_places", query="zoo", near="Ulm, Germany")
        assert nothing["data"]["places"] == [] and "museum" in nothing["text"]
        assert nothing["next"] == "search_places(query='zoo', near='Ulm, Germany', radius_m=50000)"
        wider = await told(client, "search_places", query="zoo", near="Ulm, Germany", radius_m=50_000)
        assert wider["next"] == "search_pages(query='zoo')"


async def test_one_unknown_place_does_not_cost_the_heights_of_others(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        some = await told(client, "get_elevations", places=["Minas Tirith", "Ulm, Germany"])
        alone = await told(client, "get_elevations", places=["Ulm, Germany"])
        assert some["status"] == "partial" and some["values"] == alone["values"]
        (missing,) = some["data"]["without_elevation"]
        most = await told(
            client, "get_elevations", places=["Ulm, Germany", *(f"地{n}" * 200 for n in range(39))]
        )
        assert most["data"]["without_elevation_in_all"] == 39 and json_bytes(most) <= 8_000
        assert missing["where"] == "places[0]" and "Minas Tirith" in missing["why"]
        assert (await refused(client, "get_elevations", places=["Minas Tirith"]))["code"] == "not_found"


async def test_a_world_that_is_none_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no world named 'mars'"):
        async with served(tmp_path, settings={"world": "mars"}):
            pass
