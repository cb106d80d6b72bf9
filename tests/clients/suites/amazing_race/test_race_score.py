"""Scores of legs: the published definitions with their faults, and ours beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig_harness.trajectory import ToolCall
from labrig_suites.amazing_race import arms, evaluator, fixtures, simulated, verifier
from labrig_suites.amazing_race.legs import Step, leg_of, read_leg
from labrig_suites.amazing_race.path import follow
from labrig_suites.amazing_race.reading import committed
from labrig_suites.amazing_race.score import TEMPLATES, score

FILES = sorted((Path(__file__).parents[5] / "shared" / "data" / "aar").glob("aar-*/*/*.json"))
SAMPLE = fixtures.sample()
LEG = leg_of(SAMPLE)


@pytest.mark.parametrize("fixture", fixtures.fixtures(), ids=lambda each: each.about)
def test_fixtures(fixture: Any) -> None:
    found = score(fixture.sample, fixture.trajectory)
    assert (found.strict, found.compat) == (fixture.strict, fixture.compat)
    assert {key: found.facts[key] for key in fixture.facts} == dict(fixture.facts)


def test_the_verifier_cannot_match_steps_that_pass_on_outputs() -> None:
    """A perfect run gets 4 of 5 steps: the elevation's only argument refers to the step before."""
    found = verifier.verify(LEG, "7", simulated.perfect(LEG))
    assert (found.right_tool_calls, found.golden_chain_length, found.total_tool_calls) == (4, 5, 8)
    assert (found.pages_visited, found.tools_used, found.reward) == (3, 4, 1)


def test_the_verifier_takes_parts_of_texts_and_numbers_within_one_percent() -> None:
    assert verifier.alike({"address": "Oxford, England"}, {"address": "oxford"})
    assert verifier.alike({"a": 100}, {"a": 100.9}) and not verifier.alike({"a": 100}, {"a": 102})
    assert not verifier.alike({"__from_previous": "x"}, {"locations": []})
    assert not verifier.alike({"a": "x"}, {"b": "x"})
    assert verifier.alike({"a": "x", "b": "y"}, {"a": "x"}), "keys that the call lacks are passed over"


def test_a_page_that_failed_counts_for_the_verifier_and_not_for_us() -> None:
    failed = simulated.failed(LEG)
    assert verifier.verify(LEG, None, failed).pages_visited == 3
    assert follow(LEG, failed).pages_passed == 0


def test_values_are_found_in_the_beginnings_of_results_in_the_forms_of_the_published_verifier() -> None:
    """The finish line's digit is one of the values; 412.6 may stand there as 412."""
    assert verifier.found_values(LEG, ["1347 and 88"]) == (3, 9)  # and the 7 in 1347
    assert verifier.found_values(LEG, ["x" * 2000 + "1347"]) == (0, 9)
    assert verifier.found_values(LEG, ["it is 412 m"]) == (2, 9)  # and the 12 in 412


def test_the_verifier_reads_arguments_and_addresses_as_its_code_does() -> None:
    """Null is as if left out, lists by their text, no arguments match any; a slash before a fragment stays."""
    assert verifier.alike({"mode": "walking", "origin": "Ulm"}, {"mode": None, "origin": "ulm"})
    assert not verifier.alike({"mode": "walking"}, {"mode": None})
    assert verifier.alike({"to": ["Ulm"]}, {"to": ["Ulm"]}) and verifier.alike(
        {"to": ["Ulm", 1]}, {"to": "ulm"}
    )
    assert verifier.alike({}, {"any": 1}) and not verifier.alike({"a": 100}, {"a": 101})
    page = "https://en.wikipedia.org/wiki/Ada_Verrin"
    asked = [ToolCall("fetch_webpage", {"url": f"{page}{end}"}, 0, False) for end in ("/#Life", "#Life")]
    assert [verifier.verify(LEG, None, [call]).pages_visited for call in asked] == [0, 1]


def test_each_call_takes_the_first_step_that_it_is_like() -> None:
    """In the published order, call by call: the exact call comes too late where a vaguer one took its step."""
    steps = [Step("maps_geocode", {"address": text}) for text in ("Ulm, Germany", "Ulm")]
    calls = [ToolCall("maps_geocode", {"address": text}, 0, False) for text in ("Ulm", "Ulm, Ohio")]
    assert verifier.right_calls(steps, calls) == 2
    assert verifier.right_calls(steps, calls[::-1]) == 2 and verifier.right_calls(steps, calls[:1]) == 1


def test_a_redirect_is_a_page_by_what_the_leg_says() -> None:
    call = ToolCall("fetch_webpage", {"url": "https://en.wikipedia.org/wiki/Sorn_(lake)"}, 0, False)
    assert follow(LEG, [call]).pages_passed == 0
    same = {"en.wikipedia.org/Sorn (lake)": "en.wikipedia.org/Lake Sorn"}
    assert follow(LEG, [call], same).pages_passed == 1


@pytest.mark.parametrize(
    ("locations", "passes"),
    [
        ([{"latitude": 58.12, "longitude": 11.88}], True),
        (["58.1,11.9"], True),
        ([{"latitude": 11.9, "longitude": 58.1}], True),  # which is which is the tool's to refuse
        ([{"latitude": 58.1, "longitude": -11.9}], False),
        ([{"latitude": 51.5, "longitude": 0.1}], False),
        ([], False),
    ],
)
def test_a_chain_needs_the_coordinates_of_the_golden_trace(locations: Any, passes: bool) -> None:
    calls = [
        ToolCall("geocode", {"place": "Karsholt"}, 0, False),
        ToolCall("elevation", {"locations": locations}, 1, False),
        ToolCall("search_places", {"text": "museums near Karsholt"}, 2, False),
    ]
    assert follow(LEG, calls).roadblocks_passed == 1 + passes
    assert follow(LEG, calls).resolved


def test_names_of_other_tools_and_arguments_are_known_by_what_they_say() -> None:
    other = ToolCall("geocode", {"place": "Karsholt, Ohio"}, 0, False)
    point = ToolCall("elevation", {"locations": ["58.1,11.9"]}, 1, False)
    assert follow(LEG, [other, point]).roadblocks_passed == 0
    named = replace(other, arguments={"place": "karsholt, Norland, Northern Europe"})
    assert follow(LEG, [named, point]).roadblocks_passed == 1
    assert follow(LEG, [point, named]).roadblocks_passed == 0, "coordinates come after they are looked up"


@given(st.text(max_size=200))
def test_no_answer_raises_and_only_a_digit_is_read(text: str) -> None:
    found = committed(text)
    assert found.digit is None or 0 <= found.digit <= 9


def test_steps_depend_on_the_length_of_the_leg() -> None:
    paper, code = arms.ARMS[0], arms.ARMS[1]
    assert paper.limits_of is not None and code.limits_of is not None
    assert paper.limits_of(SAMPLE) == {"max_steps": 13}
    assert code.limits_of(SAMPLE) == {"max_steps": 27}
    short = {
        **SAMPLE.truth["leg"],
        "stops": [dict(SAMPLE.truth["leg"]["stops"][8], index=0, depends_on=[], bridge={})],
    }
    assert arms.paper_steps(read_leg(short)) == arms.code_steps(read_leg(short)) == 10


@pytest.mark.skipif(not FILES, reason="the published legs are not here")
@pytest.mark.parametrize("name", simulated.BEHAVIOURS)
def test_published_legs_by_every_behaviour(name: str) -> None:
    """What the published definitions say of a perfect run is the exception; what ours say follows the behaviour."""
    from labrig_suites.amazing_race import items

    for path in FILES:
        (sample,) = items.adopt([json.loads(path.read_text(encoding="utf-8"))], {})
        leg = leg_of(sample)
        calls = simulated.BEHAVIOURS[name](leg)
        facts = score(sample, simulated.ran(sample, calls, str(leg.passcode), "agent-paper")).facts
        ours = {facts["pvr"], facts["rcr"]} - {None}
        if name in ("perfect", "another spelling"):
            assert ours <= {1.0}
        elif name in ("forged", "failed"):
            assert ours <= {0.0}
        elif name == "shortcut":
            assert facts["pvr"] in (0.0, None) and facts["rcr"] in (1.0, None)
            assert facts["pvr_verify"] == 0.0
        elif name == "wrong page":
            assert facts["pvr"] in (0.0, None) and facts["pvr_evaluate"] == 0.0
        elif name in ("wrong arguments", "wrong order"):
            assert facts["rcr_evaluate"] in (1.0, None), "the published rate asks for names of tools alone"
        if name == "perfect":
            assert facts["pvr_verify"] == facts["pvr_evaluate"] == 1.0
            assert facts["rcr_evaluate"] in (1.0, None)
        if name == "forged":
            assert facts["rcr_evaluate"] in (0.0, None)


def test_all_seventeen_templates_have_their_outputs() -> None:
    assert len(set(TEMPLATES.values()) - {"merge"}) == 17
    assert evaluator.tool_completion_rate(LEG, []) == 0.0
