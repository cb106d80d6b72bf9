"""Roads and trips out of streets of OpenStreetMap, and the picture of where time is lost."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from labrig.errors import LabrigError
from labrig.plotting import style
from labrig_earth.data.formats import Place
from labrig_earth.impact.traffic import drawing
from labrig_earth.impact.traffic.building import make
from labrig_earth.impact.traffic.sumo import case_of
from labrig_earth.work.calls import Call
from support.traffic import given

DEGREE_M = 111_195.0


def town(one_way: bool = False, dead_end: bool = True) -> bytes:
    """Return streets: a ladder of two rungs over a river, one a bridge with a name; and a road that leads out only."""
    places = {1: (0, 0), 2: (1, 0), 3: (2, 0), 4: (0, 1), 5: (1, 1), 6: (2, 1), 7: (3, 1)}
    nodes = [f'<node id="{n}" lat="{50 + y / 500}" lon="{9 + x / 500}"/>' for n, (x, y) in places.items()]
    ways = [
        (1, (1, 2, 3), {"highway": "primary", "lanes": "4", "maxspeed": "50"}),
        (2, (4, 5, 6), {"highway": "residential"} | ({"oneway": "yes"} if one_way else {})),
        (3, (1, 4), {"highway": "residential"}),
        (4, (2, 5), {"highway": "secondary", "bridge": "yes", "name": "Old Bridge"}),
        (5, (3, 6), {"highway": "residential"}),
    ]
    if dead_end:
        ways.append((6, (6, 7), {"highway": "residential", "oneway": "yes"}))
    said = [
        f'<way id="{n}">{"".join(f"<nd ref={str(ref)!r}/>" for ref in refs)}'
        + "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())
        + "</way>"
        for n, refs, tags in ways
    ]
    return f'<?xml version="1.0"?><osm version="0.6">{"".join(nodes + said)}</osm>'.encode()


def made(folder: Path, content: bytes, **options: Any) -> tuple[Any, dict[str, Any]]:
    (folder / "town.osm").write_bytes(content)
    call = Call({"data": (Place(str(folder / "town.osm"), "town.osm"),)}, {"options": options}, folder)
    result = make(call)
    return result, json.loads((folder / "roads.json").read_bytes())


def test_streets_become_edges_of_both_directions_with_lengths_speeds_and_lanes(tmp_path: Path) -> None:
    result, roads = made(tmp_path, town(), trips=40, minutes=10, seed=3, lights=3)
    edges = {each["id"]: each for each in roads["edges"]}
    bridge = edges["2-5"]
    assert bridge["name"] == "Old Bridge"
    assert bridge["length_m"] == pytest.approx(DEGREE_M / 500, rel=0.005)
    assert bridge["speed_m_s"] == pytest.approx(50 / 3.6, abs=0.01)
    at = {each["id"]: np.array([each["x"], each["y"]]) for each in roads["nodes"]}
    assert np.hypot(*(at["2"] - at["5"])) == pytest.approx(bridge["length_m"], rel=0.005)
    assert {(each["edge"], each["name"]) for each in result.data["bridges"]} == {
        ("2-5", "Old Bridge"),
        ("5-2", "Old Bridge"),
    }
    assert [each["lanes"] for name, each in edges.items() if name == "2-5"] == [1]
    assert max(each["lanes"] for each in edges.values()) == 2, "four lanes are two for each direction"
    assert not any("7" in (each["from"], each["to"]) for each in edges.values()), (
        "nobody comes back from there"
    )
    assert {each["id"] for each in roads["nodes"] if each.get("type") == "traffic_light"} == {"2", "5"}
    trips = list(csv.DictReader(io.StringIO((tmp_path / "trips.csv").read_text())))
    assert len(trips) == 40
    assert [float(each["depart_s"]) for each in trips] == sorted(float(each["depart_s"]) for each in trips)
    assert float(trips[-1]["depart_s"]) <= 600
    case = case_of(given(roads, (tmp_path / "trips.csv").read_bytes(), {"closed_edges": ["2-5", "5-2"]}))
    assert len(case.demand.trips) == 40


def test_the_same_seed_gives_the_same_trips(tmp_path: Path) -> None:
    tables = []
    for number, seed in enumerate((1, 1, 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        made(folder, town(), trips=20, seed=seed)
        tables.append((folder / "trips.csv").read_bytes())
    assert tables[0] == tables[1] != tables[2]


@pytest.mark.parametrize(
    ("content", "options", "code", "said"),
    [
        (b"<osm version='0.6'/>", {}, "not_found", "no street for drive"),
        (b"{}", {}, "bad_input", "Streets are read from OSM data"),
        (town(), {"trips": True}, "bad_input", "trips is no number"),
        (town(), {"trips": 1e9}, "bad_input", "trips is 1000000000"),
        (town(), {"minutes": 0}, "bad_input", "minutes is 0"),
        (town(), {"trip": 5}, "not_found", "trips"),
    ],
)
def test_what_cannot_become_roads_is_refused(
    tmp_path: Path, content: bytes, options: dict[str, Any], code: str, said: str
) -> None:
    with pytest.raises(LabrigError) as found:
        made(tmp_path, content, **options)
    assert found.value.code == code, found.value
    assert said in str(found.value)


class Run:
    """The tables of a run as a picture gets them."""

    def __init__(self, name: str, edges: str, trips: str) -> None:
        self.name = name
        self.record = SimpleNamespace(scenario=name, version="SUMO 1.28.0")
        self._files = {"outputs/edges.csv": edges.encode(), "outputs/trips.csv": trips.encode()}

    def bytes_of(self, path: str) -> bytes:
        return self._files[path]


EDGES = """edge,closed,speed_m_s,length_m,undisturbed_vehicles,undisturbed_time_loss_s,{more}shape
a,0,10,100,5,720,{first}"0,0 100,0"
b,1,10,100,5,360,{second}"100,0 200,50,3"
"""
TRIPS = """seed,roads,trip,departure_delay_s,duration_s,time_loss_s,route_m,finished
1,undisturbed,x,5,100,20,200,1
1,undisturbed,y,0,100,10,200,1
"""
OPEN = Run("open", EDGES.format(more="", first="", second=""), TRIPS)
CLOSED = Run(
    "closed",
    EDGES.format(more="disturbed_vehicles,disturbed_time_loss_s,", first="9,4320,", second="0,0,"),
    TRIPS + "1,disturbed,x,5,160,50,300,1\n1,disturbed,y,0,100,10,200,0\n",
)


def test_what_is_drawn_of_a_run() -> None:
    drawn = drawing.read(CLOSED.bytes_of(drawing.EDGES), CLOSED.bytes_of(drawing.TRIPS), "closed", added=True)
    assert drawn.lost_h.tolist() == [1.0, -0.1]
    assert drawn.delays_s.tolist() == [60.0]
    assert drawn.closed.tolist() == [False, True]
    whole = drawing.read(
        CLOSED.bytes_of(drawing.EDGES), CLOSED.bytes_of(drawing.TRIPS), "closed", added=False
    )
    assert whole.lost_h.tolist() == [1.2, 0.0]
    assert whole.delays_s.tolist() == [55.0]


def reds(*runs: Run) -> int:
    """Return how many points of a picture of runs are red: time that is lost."""
    page, _ = drawing.figure(runs, {"title": "Bridges"})  # type: ignore[arg-type]
    points = imread(io.BytesIO(style.png(page)))
    return int(((points[..., 0] > 0.4) & (points[..., 1] < 0.25) & (points[..., 2] < 0.25)).sum())


def test_a_road_that_loses_time_is_red() -> None:
    assert reds(CLOSED) > 500


@pytest.mark.accept
def test_several_runs_are_drawn_side_by_side() -> None:
    assert reds(OPEN) > 500
    assert reds(OPEN, CLOSED) > 500
    assert reds(CLOSED, CLOSED, CLOSED, CLOSED) > 500


def test_damaged_tables_are_refused() -> None:
    for edges, trips in (
        ("", TRIPS),
        ("edge\na\n", TRIPS),
        (EDGES.format(more="", first="", second=""), "x,y\n1,2\n"),
    ):
        with pytest.raises(LabrigError) as found:
            drawing.figure((Run("x", edges, trips),), {})  # type: ignore[arg-type]
        assert found.value.code == "bad_input"
