"""Items of SUMO: full marks over MCP at each level, truths computed again out of their files, and what they hang on."""

from __future__ import annotations

import json
import xml.etree.ElementTree as tree
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from labrig.errors import Lacking
from labrig_harness.sample import Sample
from labrig_suites.terrabench import suite
from labrig_suites.terrabench.lint import lint
from labrig_suites.terrabench.making import traffic, traffic_engine
from labrig_suites.terrabench.making.assembling import make_item
from labrig_suites.terrabench.making.traffic import Quarter, Roads, make_quarter, runs
from labrig_suites.terrabench.reckoning import places
from support.terrabench_runs import full_marks, hangs_on_the_short_path, long_path, results_of, text_of
from support.traffic import needs_sumo

PER_LEVEL = (34, 42, 50, 58)


def made(number: int) -> Sample:
    needs_sumo()
    return make_item("rush", number, f"rush-{number}")


@pytest.mark.accept
@pytest.mark.parametrize("number", PER_LEVEL)
def test_the_reference_has_full_marks_at_each_level(number: int) -> None:
    sample = made(number)
    assert sample.needs == ("sumo",) and lint(sample) == []
    assert suite.preset("no-sumo").items([sample]) == []
    rows = [row for row in sample.truth["fields"] if row["key"].endswith("_s")]
    assert all(0.08 < row["abs_tol"] < 0.13 for row in rows)
    full_marks(sample)


@pytest.mark.accept
def test_truths_are_found_again_out_of_the_files_and_lie_above_what_free_roads_take() -> None:
    sample = made(PER_LEVEL[2])
    true = {row["key"]: row["value"] for row in sample.truth["fields"]}
    quarter = _read(sample, "data/roads.json")
    pontoon = _read(sample, "data/roads_pontoon.json")
    (shut,) = (
        path for path in sample.brief.files if "closed_" in path and "none" not in path and "high" not in path
    )
    (high,) = (path for path in sample.brief.files if "high_water" in path)
    bridge = json.loads(text_of(sample, shut))["closed_edges"][0].split("-")[0]
    factors = json.loads(text_of(sample, high))["speed_factors"]
    slow = next(iter(factors))
    water = {"slow": slow.split("-")[0], "factor": factors[slow]}
    asked = [
        Roads("now"),
        *(Roads(name, bridge, **more) for more in ({}, water) for name in ("now", "pontoon")),
    ]
    free, closed, relieved, flooded, both = (
        each.mean_s for each in runs({"now": quarter, "pontoon": pontoon}, asked)
    )
    assert true["travel_time_s"] == pytest.approx(free, rel=1e-8)
    assert true["closure_adds_s"] == pytest.approx(closed - free, rel=1e-8)
    assert true["pontoon_saves_s"] == pytest.approx(closed - relieved, rel=1e-8)
    assert true["pontoon_saves_in_high_water_s"] == pytest.approx(flooded - both, rel=1e-8)
    assert _free_s(quarter) < free < 2 * _free_s(quarter)
    assert _free_s(pontoon) <= _free_s(quarter)


def _read(sample: Sample, path: str) -> Quarter:
    network = json.loads(text_of(sample, path))
    trips = tree.fromstring(text_of(sample, "data/trips.rou.xml")).findall("trip")
    rows = [
        (each.attrib["id"], int(each.attrib["depart"]), each.attrib["from"], each.attrib["to"])
        for each in trips
    ]
    return Quarter(tuple(network["nodes"]), tuple(network["edges"]), tuple(rows))


def _free_s(quarter: Quarter) -> float:
    """Return the mean time of the trips at the limits of the edges between their first and their last, s."""
    at = {each["id"]: np.array([each["x"], each["y"]]) for each in quarter.nodes}
    graph: Any = nx.DiGraph()
    ends = {}
    for each in quarter.edges:
        length = float(np.hypot(*(at[each["to"]] - at[each["from"]])))
        graph.add_edge(each["from"], each["to"], s=length / each["speed_m_s"])
        ends[each["id"]] = (each["from"], each["to"])
    times = dict(nx.all_pairs_dijkstra_path_length(graph, weight="s"))
    return float(np.mean([times[ends[start][1]][ends[end][0]] for _, _, start, end in quarter.trips]))


@pytest.mark.accept
def test_what_was_observed_says_which_bridge_it_was_and_the_answer_hangs_on_the_runs() -> None:
    sample = made(PER_LEVEL[3])
    long = long_path(sample)
    results = results_of(sample)
    ran = [place for place, call in enumerate(long) if call["tool"] == "impact_sumo_run"]
    keys = {key for key, formula in sample.truth["formulas"].items() if places(formula) & set(ran)}
    assert keys == {"travel_time_s", "travel_time_had_there_been_s", "saved_had_there_been_s"}
    means = [json.loads(results[place])["metrics"]["avg_travel_time_s"]["value"] for place in ran[1:4]]
    assert all(abs(one - other) > 2.4 for one, other in pairwise(sorted(means)))
    hangs_on_the_short_path(sample, results, ran, ran[4:])


@pytest.mark.accept
def test_the_seed_changes_nothing_for_drivers_who_are_alike(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    needs_sumo()
    quarter = make_quarter(np.random.default_rng(3))
    first = runs({"now": quarter}, [Roads("now", "middle")])[0]
    script = tmp_path / "traffic_engine.py"
    said = Path(traffic_engine.__file__).read_text(encoding="utf-8")
    script.write_text(said.replace(f"SEED, AFTER_S = {traffic_engine.SEED},", "SEED, AFTER_S = 1234,"))
    monkeypatch.setattr(traffic, "__file__", str(tmp_path / "traffic.py"))
    assert np.array_equal(runs({"now": quarter}, [Roads("now", "middle")])[0].seconds, first.seconds)
    script.write_text("raise RuntimeError('no roads')")
    with pytest.raises(Exception, match="no roads"):
        runs({"now": quarter}, [Roads("now")])


def test_without_sumo_an_item_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from labrig_earth.impact.traffic import setup

    monkeypatch.setattr(setup, "SUMO_ENV", replace(setup.SUMO_ENV, name="nowhere", folder="earth/nowhere"))
    with pytest.raises(Lacking) as caught:
        runs({"now": make_quarter(np.random.default_rng(1))}, [Roads("now")])
    assert caught.value.try_ == "labrig setup sumo"
