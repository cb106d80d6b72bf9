"""Legs of ours over MCP: solved by the reference, by a second solution, and from the riddle alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.sandbox.profiles import profiles
from labrig_harness.asking import AskText, asking
from labrig_harness.sample import Sample
from labrig_harness.suite import Solution, Unsolvable
from labrig_suites.amazing_race import check, items, suite
from labrig_suites.amazing_race.arithmetic import DO
from labrig_suites.amazing_race.closure import matter
from labrig_suites.amazing_race.legs import Leg, Stop, leg_of
from labrig_suites.amazing_race.lint import lint
from labrig_suites.amazing_race.making.world import race_world
from labrig_suites.amazing_race.second_reading import FOUND, LINKED, ambiguous, fitting
from labrig_suites.amazing_race.solution import reduction_of
from labrig_suites.amazing_race.tool_names import PAPER_TOOLS
from labrig_suites.amazing_race.values import number as float_of
from support.riddle_solver import Solver

ARM = replace(suite.arms[0], name="agent-default")  # of the paper's tools, asked for the number too
CODE = "python_execute_code"


@pytest.fixture(scope="module")
def ask() -> Iterator[AskText]:
    if not any(env.path.is_dir() for env in profiles().values()):
        pytest.skip("no Python of the sandbox is installed: labrig setup sandbox")
    with asking("atlas", ARM.serve) as tool:
        yield tool


def played(solution: Solution, ask: AskText, corrupted: int = -1) -> str:
    results: list[str] = []
    for place, call in enumerate(solution.calls):
        try:
            text = ask(call.tool, call.bind(results))
        except LabrigError as error:
            text = str(error)
        results.append("nothing" if place == corrupted else text)
    return solution.answer(results)


def answer(sample: Sample) -> str:
    leg = leg_of(sample)
    return f"{leg.passcode}\n{leg.number}\n"


def solved_by_all(samples: Sequence[Sample], ask: AskText) -> None:
    for sample in samples:
        assert lint(leg_of(sample), PAPER_TOOLS) == []
        assert played(suite.solution(sample, ARM), ask) == answer(sample), sample.labels["kind"]
        assert suite.another is not None
        assert played(suite.another(sample, ARM), ask) == answer(sample), sample.labels["kind"]
        digit, number = Solver(sample.brief.prompt, ask).solve()
        assert f"{digit}\n{number}\n" == answer(sample), sample.brief.prompt


@pytest.mark.parametrize("count", [1, pytest.param(2, marks=pytest.mark.accept)])
def test_legs_by_three_ways_and_every_corrupted_result_changes_the_answer(ask: AskText, count: int) -> None:
    samples = items.generate("two", count)
    solved_by_all(samples, ask)
    for sample in samples:
        solution = suite.solution(sample, ARM)
        for place in range(len(solution.calls)):
            try:
                assert played(solution, ask, place) != answer(sample), solution.calls[place].tool
            except Unsolvable:
                continue
        assert check.changed(sample, ask) == []
        trace = json.loads(json.dumps(sample.truth["trace"]))
        trace[0]["sha256"] = "0" * 64
        assert check.changed(replace(sample, truth=sample.truth | {"trace": trace}), ask)[0].startswith(
            "call 1, "
        )
    assert items.generate("two", 1) == samples[:1]
    assert items.from_row(json.loads(json.dumps(items.row(samples[-1])))) == samples[-1]


def left_out(leg: Leg, skipped: Stop) -> int | None:
    """The digit without one detour: what follows takes what the detour took, 0 for a name. None for none."""
    values: dict[int, int] = {}
    for stop in leg.stops[:-1]:
        source = stop.reason_source_stop
        if stop.stop_type != "reason" or source is None:
            values[stop.index] = int(number) if (number := float_of(stop.extracted_value)) is not None else 0
        elif stop.index == skipped.index:
            values[stop.index] = values[source]
        elif float_of(leg.stops[source].extracted_value) is None:
            values[stop.index] = int(stop.extracted_value)
        else:
            try:
                values[stop.index] = DO[str(stop.reason_transform)](values[source])
            except (ValueError, LookupError, ArithmeticError):
                return None
    reduction = reduction_of(leg)
    return reduction.reduce(reduction.combine([values[each] for each in leg.finish.bridge.referenced_stops]))


def hints_of(clue: str) -> list[str]:
    said = FOUND.search(clue) or LINKED.search(clue)
    return said["said"].partition(" whose infobox gives ")[2].split("; ") if said else []


@pytest.mark.parametrize("count", [2, pytest.param(16, marks=pytest.mark.accept)])
@pytest.mark.timeout(600)
def test_riddles_by_three_ways_each_hint_and_each_detour_needed(ask: AskText, count: int) -> None:
    samples = items.generate("riddles", count, riddles=True)
    solved_by_all(samples, ask)
    with race_world("twin-1") as world:
        for sample in samples:
            leg = leg_of(sample)
            assert "https://" not in sample.brief.prompt and not world.pages.names_one(leg.riddle)
            assert matter(leg) == set(range(len(leg.stops)))
            for stop in leg.of_type("reason"):
                assert left_out(leg, stop) != leg.passcode
            described = [hints_of(clue) for clue in leg.riddle.split("\n\n")]
            assert described[0] and all(2 <= len(each) <= 4 for each in described if each)
            for hint in (hint for hints in described for hint in hints):
                assert len(fitting(f"the x whose infobox gives {hint}", world.texts)) > 1, hint
            for clue in leg.riddle.split("\n\n"):
                for hint in hints_of(clue)[1:] if FOUND.search(clue) else ():
                    shorter = replace(leg, riddle=leg.riddle.replace(f"; {hint}", ""))
                    assert ambiguous(shorter, world.texts), hint
            assert ambiguous(leg, world.texts) == []
    solution = suite.solution(samples[0], ARM)
    for place in range(len(solution.calls)):
        try:
            assert played(solution, ask, place) != answer(samples[0]), solution.calls[place].tool
        except Unsolvable:
            continue


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_riddles_of_a_store_of_html_pages_that_go_on_where_they_were_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from labrig_atlas.wiki.article_pages import article_page
    from labrig_atlas.wiki.as_html import as_html
    from labrig_atlas.wiki.building import build
    from labrig_atlas.wiki.identity import Identity
    from labrig_atlas.world.twin import twin

    wiki, host = tmp_path / "wiki", Identity("wiki.example.org", "")
    wiki.mkdir()
    for article in twin(1).articles:
        html = as_html(article_page(article, host.titled(article.title)))
        (wiki / f"{article.title.replace(' ', '_').replace('/', '%2F')}.html").write_text(html)
    store = tmp_path / "wiki.sqlite"
    asyncio.run(build(wiki, store, host="wiki.example.org"))
    monkeypatch.setattr(items, "LEAST_KEPT", 2)
    make = items.configured({"riddles": "all", "world": "twin-1", "wiki": str(store)})

    def ended(done: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make("store", 4, progress=ended)
    made: list[int] = []
    real = items._made
    monkeypatch.setattr(items, "_made", lambda *given: made.append(given[2]) or real(*given))
    samples = make("store", 4)
    assert made == [2, 3]
    arm = replace(ARM, serve=replace(ARM.serve, settings={"world": "twin-1", "wiki": str(store)}))
    with asking("atlas", arm.serve) as tool:
        for sample in samples:
            assert {
                each.page_url.split("/")[2] for each in leg_of(sample).of_type("page") if each.page_url
            } == {"wiki.example.org"}
            assert played(suite.solution(sample, arm), tool) == answer(sample)
            digit, number = Solver(sample.brief.prompt, tool).solve()
            assert f"{digit}\n{number}\n" == answer(sample)


def test_a_store_that_is_too_large_or_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from labrig_atlas.wiki.bundled import earth_store
    from labrig_suites.amazing_race.making import store_pages

    with pytest.raises(LabrigError):
        store_pages.store_pages(tmp_path / "none", lambda title, point: "subject")
    monkeypatch.setattr(store_pages, "MOST_PAGES", 5)
    with pytest.raises(LabrigError, match="pages"):
        store_pages.store_pages(earth_store()._path, lambda title, point: "subject")


def test_what_can_be_set_of_a_set_of_legs() -> None:
    for settings, said in (({"riddles": "some"}, "no riddles"), ({"riddle": "all"}, "Unknown setting")):
        with pytest.raises(LabrigError, match=said):
            items.configured(settings)
    assert items.configured({"riddles": "all"}) is not None


def test_a_published_leg_has_no_reference() -> None:
    from labrig_suites.amazing_race import fixtures

    fields = {
        key: value for key, value in fixtures.sample().truth["leg"].items() if key not in ("number", "golden")
    }
    sample = items.sample_of(fields, "x", {})
    for solve in (suite.solution, suite.another):
        assert solve is not None
        with pytest.raises(Unsolvable, match="no trace"):
            solve(sample, ARM)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_thirty_two_legs_by_three_ways(ask: AskText) -> None:
    samples = items.generate("thirty-two", 32)
    assert {each.labels["kind"] for each in samples} == {
        f"{v}-{level}" for v in ("linear", "dag") for level in items.LEVELS
    }
    solved_by_all(samples, ask)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_legs_on_the_earth_and_in_another_twin() -> None:
    for world in ("earth", "twin-23"):
        arm = replace(ARM, serve=replace(ARM.serve, settings={"world": world}))
        with asking("atlas", arm.serve) as tool:
            for sample in items.generate("elsewhere", 4, world=world):
                assert played(suite.solution(sample, arm), tool) == answer(sample)
                digit, number = Solver(sample.brief.prompt, tool).solve()
                assert f"{digit}\n{number}\n" == answer(sample)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_two_hundred_legs_by_three_ways_and_attackers_at_chance(ask: AskText) -> None:
    from attackers.amazing_race import rates

    samples = items.generate("two hundred", 200)
    solved_by_all(samples, ask)
    for name, (right, count) in rates(samples).items():
        assert right <= 0.16 * count, name


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_who_goes_from_page_to_page_for_no_riddle_is_right_by_chance(ask: AskText) -> None:
    """300 legs of riddles, and 300 of the old kind beside them: Wilson's interval holds chance, 10 to 11 %."""
    from attackers.amazing_race import rates
    from labrig_study.statistics.proportions import wilson

    found = {
        riddles: rates(items.generate("three hundred", 300, riddles=riddles), ask)
        for riddles in (True, False)
    }
    for name, (right, count) in found[True].items():
        low, high = wilson(right, count)
        old, of = found[False][name]
        print(f"{name}: riddles {right / count:.1%} ({low:.1%} to {high:.1%}), old kind {old / of:.1%}")
        assert low <= 0.11 and high >= 0.1, name
    assert found[False]["FirstHit"][0] > 2 * found[True]["FirstHit"][0]
