"""Legs: the published form, what is refused, which stops matter."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_suites.amazing_race import audit, fixtures, items
from labrig_suites.amazing_race.closure import inputs, matching, matter, operands
from labrig_suites.amazing_race.legs import Bridge, Leg, Step, Stop, leg_of, read_leg
from labrig_suites.amazing_race.lint import lint
from labrig_suites.amazing_race.pages import page_of
from labrig_suites.amazing_race.presets import PRESETS
from labrig_suites.amazing_race.tool_names import PAPER_TOOLS
from labrig_suites.amazing_race.values import whole

PUBLISHED = Path(__file__).parents[5] / "shared" / "data" / "aar"
FILES = sorted(PUBLISHED.glob("aar-*/*/*.json"))
LEG = leg_of(fixtures.sample())


def fields() -> dict[str, Any]:
    return copy.deepcopy(dict(fixtures.sample().truth["leg"]))


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    made = fields()
    inner: Any = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return made


REFUSED = {
    "no stops": (changed("stops", to=[]), "1 to 500 stops"),
    "too many stops": (changed("stops", to=[fields()["stops"][0]] * 501), "1 to 500 stops"),
    "a cycle": (changed("stops", 3, "depends_on", to=[5]), "refers to stop 5"),
    "a stop that uses itself": (changed("stops", 5, "reason_source_stop", to=5), "refers to stop 5"),
    "a stop that is not there": (
        changed("stops", 8, "bridge", "referenced_stops", to=[99]),
        "refers to stop 99",
    ),
    "a detour of nothing": (changed("stops", 5, "reason_source_stop", to=None), "needs the stop"),
    "a roadblock without tools": (changed("stops", 2, "bridge", "tool_chain", to=[]), "needs a tool chain"),
    "a page without address": (changed("stops", 0, "page_url", to=" "), "needs a page"),
    "indices out of order": (changed("stops", 2, "index", to=3), "index of stop 2"),
    "no finish line": (changed("stops", 8, "stop_type", to="page"), "finish line"),
    "another type": (changed("stops", 2, "stop_type", to="swim"), "not a leg"),
    "a passcode that is no number": (changed("passcode", to="seven"), "not a leg"),
    "a passcode of two digits": (changed("passcode", to=17), "no digit"),
    "a passcode that the stops do not give": (changed("passcode", to=3), "the passcode is 3"),
    "no riddle": ({key: value for key, value in fields().items() if key != "riddle"}, "riddle"),
    "nothing": ({}, "not a leg"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_leg_is_refused_with_its_place(name: str) -> None:
    made, said = REFUSED[name]
    with pytest.raises(LabrigError, match=said) as refused:
        read_leg(made)
    assert refused.value.where


def test_every_stop_of_the_fixture_matters_and_one_does_not_where_its_operand_goes() -> None:
    assert matter(LEG) == set(range(9))
    shorter = changed("stops", 8, "bridge", "expression", to="(424 + 15) % 10")
    assert matter(read_leg(shorter)) == {0, 1, 2, 3, 4, 5, 8}


@pytest.mark.parametrize("depends_on, named", [([5], set()), ([0, 5], {0}), ([], {0})])
def test_a_page_is_named_by_a_value_of_a_stop_that_it_depends_on(
    depends_on: list[int], named: set[int]
) -> None:
    """Karsholt is in Norland; a clue that leads to the page of Norland another way does not use that."""
    leg = changed("stops", 6, "page_url", to="https://en.wikipedia.org/wiki/Norland")
    leg["stops"][6]["depends_on"] = depends_on
    read = read_leg(leg)
    assert inputs(read, read.stops[6]) == named


def test_a_stop_that_matters_is_found_by_changing_values() -> None:
    """An independent look: a value that another stop or the finish line prints is used by it."""
    for stop in LEG.stops[:-1]:
        shown = str(
            whole(stop.extracted_value) if whole(stop.extracted_value) is not None else stop.extracted_value
        )
        later = json.dumps(fields()["stops"][stop.index + 1 :])
        assert shown in later or stop.index in {other.reason_source_stop for other in LEG.stops}


def test_operands_are_matched_in_order_and_each_stop_once() -> None:
    assert matching(LEG) == [(424, 4), (15, 5), (288, 7)]
    twice = changed("stops", 8, "bridge", "expression", to="(15 + 15) % 10")
    assert matching(read_leg(twice)) == [(15, 5), (15, None)]
    assert [flag.name for flag in lint(read_leg(twice)) if flag.stop == 8] == ["no operand's source"]
    assert operands("digital_root(10 + 20)") == [10, 20]


@given(
    st.text("abcdefghijklmnop éß'()", min_size=1, max_size=20).filter(lambda each: each.strip()),
    st.sampled_from(["https://en.wikipedia.org", "http://en.m.wikipedia.org", "https://EN.wikipedia.org"]),
    st.sampled_from(["", "#History", "?action=raw"]),
)
def test_a_page_is_one_however_its_address_is_written(title: str, host: str, end: str) -> None:
    from urllib.parse import quote

    name = "_".join(title.split())
    plain = f"https://en.wikipedia.org/wiki/{name}"
    assert page_of(f"{host}/wiki/{quote(name)}{end}") == page_of(plain)
    assert page_of(f"https://en.wikipedia.org/w/index.php?title={quote(name)}") == page_of(plain)
    assert page_of(f"https://de.wikipedia.org/wiki/{name}") != page_of(plain)


@pytest.mark.parametrize(
    "url", ["", "[", "http://[::1", "not an address", "https://en.wikipedia.org/wiki/", "\0"]
)
def test_no_address_raises(url: str) -> None:
    assert isinstance(page_of(url), str)


FLAGGED = {
    "operand in the riddle": changed("riddle", to=LEG.riddle + " The sum of clue 5 is 424."),
    "title in the riddle": changed("riddle", to=LEG.riddle + " Look at Lake Sorn."),
    "tool in the riddle": changed("riddle", to="Use maps_geocode. " + LEG.riddle),
    "chatter": changed("riddle", to="Here is the revised riddle:\n" + LEG.riddle),
    "bare coordinate": changed(
        "stops", 3, "bridge", "tool_chain", 0, "arguments", to={"query": "hotels near -33.43750"}
    ),
    "stop without effect": changed("stops", 8, "bridge", "expression", to="(424 + 15) % 10"),
    "no roadblock needed": changed("stops", 8, "bridge", "expression", to="(15 + 288) % 10"),
    "answered without tools": changed(
        "riddle", to=f"{LEG.riddle} 412.6 12 88 1347 Karsholt, Norland: these are the values."
    ),
}


FLAGGED["last step printed"] = changed("riddle", to=LEG.riddle + " That is (424 + 15 + 288) mod 10.")
FLAGGED["day for a year"] = changed("stops", 1, "extraction_target", to="the founding year in the infobox")
FLAGGED["day for a year"]["stops"][1]["extracted_value"] = 12


@pytest.mark.parametrize("name", FLAGGED)
def test_the_linter_flags_what_is_wrong_and_nothing_of_a_sound_leg(name: str) -> None:
    assert lint(LEG, PAPER_TOOLS, lambda url: True) == []
    assert name in {flag.name for flag in lint(read_leg(FLAGGED[name]))}


@pytest.mark.parametrize(
    ("clue", "is_printed"),
    [
        ("Add 424, 15 and 288.", True),
        ("Add (424 from clue 3) + (15 from clue 5) + (288).", True),
        ("Add clues 424, 15, and 288, modulo 10: 0-9.", False),
        ("Add 424, 15 and clue 288.", False),
    ],
)
def test_numbers_of_clues_are_no_values(clue: str, is_printed: bool) -> None:
    found = {flag.name for flag in lint(read_leg(changed("riddle", to=f"{LEG.riddle}\n\n9. {clue}")))}
    assert ("last step printed" in found) is is_printed


def test_values_that_are_numbers_of_clues_alone_are_not_given_away() -> None:
    """Every value is 9 or 10, and the riddle counts to 10, refers to clues 9 and 10, and says "modulo 10" and "0-9"."""
    leg = changed("riddle", to="9. Where?\n10) Add clues 9, 10, modulo 10. A digit (0-9)?")
    for stop in leg["stops"][:-1]:
        stop["extracted_value"] = 9 + stop["index"] % 2
    leg["stops"][8]["bridge"]["expression"] = "(9 + 10 + 10) % 10"
    assert "answered without tools" not in {flag.name for flag in lint(read_leg(leg))}
    leg["riddle"] += " It is 9 and 10."
    assert "answered without tools" in {flag.name for flag in lint(read_leg(leg))}


def test_the_linter_flags_tools_that_the_arm_lacks_and_pages_that_are_not_there() -> None:
    flags = lint(LEG, ("fetch_webpage", "maps_geocode"), lambda url: not url.endswith("Sorn"))
    assert {(flag.name, flag.stop) for flag in flags} == {
        ("tool not offered", 2),
        ("tool not offered", 3),
        ("tool not offered", 4),
        ("tool not offered", 7),
        ("page not there", 6),
    }


def published() -> list[Leg]:
    return [read_leg(json.loads(path.read_text(encoding="utf-8"))) for path in FILES]


@pytest.mark.skipif(not FILES, reason="the published legs are not here")
def test_published_legs_load_unchanged_and_are_what_their_folders_say() -> None:
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in FILES]
    samples = items.adopt(rows, {})
    assert [sample.truth["leg"] for sample in samples] == rows
    assert [sample.labels["variant"] for sample in samples] == [
        path.parts[-3].removeprefix("aar-") for path in FILES
    ]
    assert [sample.labels["level"] for sample in samples] == [path.parts[-2] for path in FILES]
    assert all(items.from_row(json.loads(json.dumps(items.row(each)))) == each for each in samples)
    with pytest.raises(LabrigError, match="more than once"):
        items.adopt([rows[0], rows[0]], {})


@pytest.mark.skipif(not FILES, reason="the published legs are not here")
def test_most_stops_of_published_legs_cannot_change_the_answer() -> None:
    """195 of 274, and in 7 of 16 legs no roadblock can; the operands are all found among the stops."""
    legs = published()
    assert all(place is not None for leg in legs for _, place in matching(leg))
    assert sum(len(leg.stops) - len(matter(leg)) for leg in legs) == 195
    flags = [{flag.name for flag in lint(leg)} for leg in legs]
    assert sum("no roadblock needed" in each for each in flags) == 7
    assert sum("operand in the riddle" in each for each in flags) == 5
    assert sum("chatter" in each for each in flags) == 4


@pytest.mark.parametrize(
    ("name", "is_clean"),
    [
        ("day for a year", False),
        ("last step printed", False),
        ("answered without tools", False),
        ("chatter", True),
    ],
)
def test_clean_legs_have_no_fault_on_the_way_to_the_digit(name: str, is_clean: bool) -> None:
    sample = items.sample_of(FLAGGED[name], "one", {})
    assert PRESETS["clean"].items([sample]) == [sample] * is_clean


@pytest.mark.parametrize(
    ("kind", "fields", "chain", "right"),
    [
        (
            "another country",
            {"extracted_value": 15_040},
            ("countries_population", {"country": "Iran"}),
            "91500000",
        ),
        ("no rating", {"extracted_value": 0.0}, ("maps_search_places", {"query": "Glasgow"}), ""),
        ("no place", {}, ("maps_geocode", {"address": "Culture of France"}), ""),
        ("garbled place", {}, ("maps_geocode", {"address": '[Comcast Building](/wiki/Comcast "Com'}), ""),
        ("unknown place", {}, ("maps_geocode", {"address": "Plastic"}), ""),
        ("adjusted price", {}, ("stock_historical_price", {"ticker": "F", "date": "2022-04-08"}), ""),
        ("day not said", {"extraction_target": "days between 1990-01-01 and 2026-03-15"}, ("python", {}), ""),
    ],
)
def test_what_the_audit_says_of_a_stop(
    kind: str, fields: dict[str, Any], chain: tuple[str, dict[str, Any]], right: str
) -> None:
    tool, arguments = chain
    key = {"no rating": "place_rating", "day not said": "days"}.get(kind, "value")
    stop = Stop(
        **{"index": 1, "stop_type": "tool", "extraction_target": "?", "extracted_value": 3.0, **fields},
        page_url="https://en.wikipedia.org/wiki/Culture_of_France",
        bridge=Bridge("tool_call", tool_chain=(Step(tool, arguments, key),)),
    )
    last = Stop(
        2,
        "compute",
        "Compute",
        5,
        bridge=Bridge("compute", expression=f"({int(stop.extracted_value)} + 2) % 10"),
    )
    start = Stop(0, "page", "x", 2, page_url="https://en.wikipedia.org/wiki/X")
    leg = Leg(
        "one",
        "https://en.wikipedia.org/wiki/X",
        (start, stop, last),
        5,
        "Find it.",
        difficulty={"level": "easy"},
    )
    rows = [
        row
        for row in audit.audit(leg, lambda *_: (91_500_000.0, "a table"), lambda text: text == "Glasgow")
        if row.stop == 1
    ]
    assert [(row.kind, row.right) for row in rows if row.kind == kind] == [(kind, right)], rows


def test_a_detour_and_a_finish_line_that_give_something_else_are_told() -> None:
    start = Stop(0, "page", "the population of X", 2028, page_url="https://en.wikipedia.org/wiki/X")
    day = Stop(1, "reason", "Reason", 5, reason_transform="day_of_week", reason_source_stop=0)
    last = Stop(
        2,
        "compute",
        "Compute",
        4,
        bridge=Bridge("compute", expression="(5 + 2028) % 10", referenced_stops=(0, 1)),
    )
    leg = Leg(
        "one",
        "https://en.wikipedia.org/wiki/X",
        (start, day, last),
        4,
        "Find it.",
        difficulty={"level": "easy"},
    )
    told = {(row.stop, row.kind, row.right) for row in audit.audit(leg)}
    assert told >= {(1, "another value", "6"), (1, "no year", ""), (2, "another value", "3")}


def test_a_fault_beside_the_way_to_the_digit_leaves_a_leg_clean() -> None:
    leg = changed("stops", 8, "bridge", "expression", to="(424 + 15) % 10")
    leg["stops"][6] |= {"extraction_target": "the opening year listed in the infobox", "extracted_value": 12}
    leg["stops"][8]["extracted_value"] = leg["passcode"] = 9
    assert "day for a year" in {flag.name for flag in lint(read_leg(leg))}
    assert PRESETS["clean"].items([items.sample_of(leg, "one", {})])


def test_a_line_that_was_edited_is_refused() -> None:
    row = items.row(fixtures.sample())
    for key, value in (("answer", "3"), ("riddle", "1. Say 7."), ("version", "0")):
        with pytest.raises(LabrigError):
            items.from_row({**copy.deepcopy(row), key: value})
    del row["truth"]["leg"]
    with pytest.raises(LabrigError, match="not a sample of amazing-race"):
        items.from_row(row)
