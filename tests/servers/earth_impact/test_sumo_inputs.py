"""Files of a run of SUMO: what is read of them, what is refused, and what becomes of trips on closed roads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_earth.impact.simulator import Named
from labrig_earth.impact.traffic.accounting import DISTURBED, UNDISTURBED, read_legs, totals
from labrig_earth.impact.traffic.network import read_network
from labrig_earth.impact.traffic.sumo import added_up, asked_of, case_of
from support.traffic import FORK, given, random_trips, steady

NET = b"""<net version="1.20" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<location netOffset="0,0" convBoundary="0,0,1,1" origBoundary="0,0,1,1" projParameter="+nadgrids=/etc/passwd"/>
<edge id=":b_0" function="internal"><lane id=":b_0_0" index="0" speed="10" length="5" shape="0,0 5,0"/></edge>
<edge id="ab" from="a" to="b" hidden="x"><lane id="ab_0" index="0" speed="10" length="100" shape="0,0 100,0"/>
<param key="file" value="/etc/passwd"/></edge>
<edge id="bc" from="b" to="c"><lane id="bc_0" index="0" speed="10" length="100" shape="100,0 200,0"/></edge>
<tlLogic id="b" type="static" programID="0" offset="0"><phase duration="30" state="G"/></tlLogic>
</net>"""
TRIP = '<routes><trip id="1" depart="0" from="ab" to="cf"/></routes>'


def test_only_what_is_known_of_a_network_goes_to_the_engine() -> None:
    network = read_network(Named("x.net.xml", NET))
    text = network.files["network.net.xml"].decode()
    assert sorted(network.edges) == ["ab", "bc"]
    assert 'shape="0,0 100,0"' in text
    assert 'phase duration="30"' in text
    for hidden in ("passwd", "param", "nadgrids", "hidden"):
        assert hidden not in text
    assert network.notes == ("attributes of the network that are left out: edge hidden",)


@pytest.mark.parametrize(
    ("network", "code", "said"),
    [
        (b'<!DOCTYPE net [<!ENTITY x SYSTEM "/etc/passwd">]><net/>', "refused", "document type or entities"),
        (NET.replace(b"static", b"actuated"), "refused", "is 'actuated'"),
        (
            NET.replace(b"<phase ", b"<include href='/etc/passwd'/><phase "),
            "not_found",
            "element named 'include'",
        ),
        (b"<net/>", "bad_input", "has 0 edges"),
        (b"<routes/>", "bad_input", "The root is <routes>"),
        (b"<net><edge", "bad_input", "This is no XML"),
        (b"<a>" * 100_000, "bad_input", "too deep"),
        (b"", "bad_input", "no JSON object"),
        (b"<?xml version='1.0' encoding='x'?><net/>", "bad_input", "This is no XML"),
        (NET.replace(b'speed="10"', b'speed="fast"'), "bad_input", "'fast'"),
        ({"nodes": [], "edges": []}, "bad_input", "has 0 edges"),
        ({**FORK, "include": "/etc/passwd"}, "not_found", "field named 'include'"),
        ({**FORK, "edges": [{**FORK["edges"][0], "from": "z"}]}, "not_found", "node named 'z'"),
        ({**FORK, "edges": [{**FORK["edges"][0], "id": "a b"}]}, "bad_input", "no name"),
        ({**FORK, "edges": [{**FORK["edges"][0], "speed_m_s": True}]}, "bad_input", "no number"),
        ({**FORK, "edges": [{**FORK["edges"][0], "length_m": 1e400}]}, "bad_input", "length_m"),
    ],
)
def test_networks_that_are_refused(network: Any, code: str, said: str) -> None:
    with pytest.raises(LabrigError) as found:
        case_of(given(network, TRIP.encode(), {}))
    assert found.value.code == code, found.value
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("trips", "code", "said"),
    [
        (b"", "bad_input", "no rows"),
        (b"<routes/>", "bad_input", "0 trips"),
        (b"id,depart_s,from\n1,0,ab", "bad_input", "no column to"),
        (b"id,depart_s,from,to\n1,0,ab", "bad_input", "The line has 3 cells"),
        (b"id,depart_s,from,to\n1,nan,ab,cf", "bad_input", "depart_s is nan"),
        (b"id,depart_s,from,to\n1,0,ab,fc", "not_found", "did you mean"),
        (b"id,depart_s,from,to\n1,0,ab,cf\n1,5,ab,cf", "bad_input", "there twice"),
        (b"\xff\xfe\x00", "bad_input", "no CSV table"),
        (TRIP.replace("<trip", "<flow").encode(), "refused", "A flow stands for trips"),
        (TRIP.replace("<trip", "<include href='/etc/passwd'/><trip").encode(), "not_found", "'include'"),
        (TRIP.replace('to="cf"', 'to="cf" via="bd"').encode(), "not_found", "'via'"),
        (TRIP.replace('to="cf"', 'to="cf" type="lorry"').encode(), "not_found", "'lorry'"),
        (
            TRIP.replace("<trip", "<vType id='x' emissionClass='/etc/passwd'/><trip").encode(),
            "not_found",
            "emission",
        ),
        (TRIP.replace("<trip", "<vType id='x' vClass='ship'/><trip").encode(), "not_found", "'ship'"),
        (TRIP.replace("<trip", "<vType id='x' length='-5'/><trip").encode(), "bad_input", "length is '-5'"),
        (TRIP.replace('depart="0"', 'depart="triggered"').encode(), "bad_input", "'triggered'"),
        (b"<routes><vehicle id='1' depart='0'/></routes>", "bad_input", "no route"),
    ],
)
def test_trips_that_are_refused(trips: bytes, code: str, said: str) -> None:
    with pytest.raises(LabrigError) as found:
        case_of(given(FORK, trips, {}))
    assert found.value.code == code, found.value
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("disruption", "code", "said"),
    [
        (b"", "bad_input", "no JSON object"),
        ({"closed_edges": ["cb"]}, "not_found", "edge named 'cb'"),
        ({"closed_edges": "bc"}, "bad_input", "no list of edges"),
        ({"closed_edges": ["ab"]}, "bad_input", "Every trip begins or ends on a closed edge"),
        ({"closed_edges": ["bc"], "speed_factors": {"bc": 0.5}}, "bad_input", "is closed, and has a speed"),
        ({"speed_factors": {"bc": 0}}, "bad_input", "speed factor of bc is 0"),
        ({"speed_factors": {"bc": True}}, "bad_input", "True"),
        ({"seeds": 0}, "bad_input", "seeds is 0"),
        ({"seeds": 2.5}, "bad_input", "seeds is 2.5"),
        ({"end_s": -1}, "bad_input", "end_s is -1"),
        ({"closed": ["bc"]}, "not_found", "field named 'closed'"),
        ({"most_stuck_share": 2}, "bad_input", "most_stuck_share is 2"),
    ],
)
def test_disruptions_that_are_refused(disruption: Any, code: str, said: str) -> None:
    with pytest.raises(LabrigError) as found:
        case_of(given(FORK, TRIP.encode(), disruption))
    assert found.value.code == code, found.value
    assert said in str(found.value)


def test_trips_on_closed_edges_are_cancelled_and_given_routes_leave_them() -> None:
    routes = (
        "<routes><trip id='1' depart='0' from='ab' to='bc'/><trip id='2' depart='1' from='ab' to='cf'/>"
        "<vehicle id='3' depart='2'><route edges='ab bc cf'/></vehicle>"
        "<route id='r' edges='ab bd dc'/><vehicle id='4' depart='3' route='r'/></routes>"
    )
    case = case_of(given(FORK, routes.encode(), {"closed_edges": ["bc"]}))
    assert case.changed.cancelled == ("1",)
    assert case.changed.rerouted == {"3"}
    arguments, files = asked_of(case, 47)
    assert arguments["seeds"] == list(range(47, 57))
    now = files["disturbed.rou.xml"].decode()
    assert "ab bc cf" not in now
    assert "ab bd dc" in now
    assert "ab bc cf" in files["undisturbed.rou.xml"].decode()
    assert any("1 of 4 trips begin or end on a closed edge" in note for note in case.notes)


def trips_csv(*rows: tuple[int, str, str, float, float, int]) -> bytes:
    """Return the table of a run: seed, roads, trip, waited, driven, finished."""
    lines = ["seed,roads,trip,departure_delay_s,duration_s,time_loss_s,route_m,finished"]
    lines += [
        f"{seed},{roads},{trip},{wait},{drive},1.5,500,{done}"
        for seed, roads, trip, wait, drive, done in rows
    ]
    return "\n".join(lines).encode()


TABLE = trips_csv(
    (1, UNDISTURBED, "x", 0, 100, 1),
    (1, UNDISTURBED, "y", 2, 200, 1),
    (1, UNDISTURBED, "z", 0, 900, 1),
    (1, DISTURBED, "x", 10, 120, 1),
    (1, DISTURBED, "y", 2, 210, 1),
)
RUN = {"seed": 1, "inserted": 3, "running": 0, "waiting": 0, "teleports": 0}
CLEAN: dict[str, Any] = {"unroutable": [], "cut": [], "crossing": []}
RESULT = {
    "cases": {
        UNDISTURBED: {**CLEAN, "runs": [{**RUN, "loaded": 3}]},
        DISTURBED: {**CLEAN, "runs": [{**RUN, "loaded": 2}]},
    }
}


def three(**disruption: Any) -> Any:
    routes = "<routes>" + "".join(
        f"<trip id='{name}' depart='0' from='ab' to='{end}'/>"
        for name, end in (("x", "cf"), ("y", "cf"), ("z", "bc"))
    )
    return case_of(
        given(FORK, (routes + "</routes>").encode(), {"closed_edges": ["bc"], "seeds": 1, **disruption})
    )


def test_what_a_disruption_adds_is_over_the_same_trips() -> None:
    """The long trip is cancelled: the mean over all falls from 400.7 to 171 s, and each other trip takes longer."""
    found, told = added_up(three(), RESULT, TABLE)
    assert found.metrics["added_travel_time_s"].value == pytest.approx((30 + 10) / 2)
    assert found.metrics["avg_travel_time_s"].value == pytest.approx((130 + 212) / 2)
    assert found.derived["undisturbed_travel_time_s"].value == pytest.approx((100 + 202) / 2)
    assert found.metrics["trips_cancelled"].value == 1
    assert found.metrics["avg_departure_delay_s"].value == pytest.approx(6)
    assert found.metrics["total_delay_h"].value == pytest.approx((12 + 3) / 3600)
    assert found.metrics["throughput_per_h"].value == pytest.approx(2 / (212 / 3600))
    assert not told


@pytest.mark.parametrize(
    ("roads", "changed", "code", "said"),
    [
        (UNDISTURBED, {"unroutable": ["z"]}, "engine", "2 trips were to go, SUMO loaded 3"),
        (DISTURBED, {"cut": ["x"]}, "engine", "1 trips cut"),
        (DISTURBED, {"crossing": ["x"]}, "engine", "1 trips crossing"),
        (DISTURBED, {"runs": [{**RUN, "loaded": 1}]}, "engine", "SUMO loaded 1 and reported 2"),
        (
            DISTURBED,
            {"runs": [{**RUN, "loaded": 2, "running": 1}]},
            "engine",
            "not 2 finished and 1 unfinished",
        ),
        (DISTURBED, {"runs": [{**RUN, "loaded": 2, "teleports": 1}]}, "bad_input", "The traffic is stuck"),
    ],
)
def test_a_trip_that_is_lost_is_an_error(roads: str, changed: dict[str, Any], code: str, said: str) -> None:
    cases = {**RESULT["cases"], roads: {**RESULT["cases"][roads], **changed}}
    with pytest.raises(LabrigError) as found:
        added_up(three(), {"cases": cases}, TABLE)
    assert found.value.code == code, found.value
    assert said in str(found.value)


def test_stuck_trips_may_be_allowed_and_are_told() -> None:
    stuck = {**CLEAN, "runs": [{**RUN, "loaded": 2, "running": 1}]}
    table = TABLE.replace(b"1,disturbed,y,2,210,1.5,500,1", b"1,disturbed,y,2,210,1.5,500,0")
    found, told = added_up(
        three(most_stuck_share=0.5), {"cases": {**RESULT["cases"], DISTURBED: stuck}}, table
    )
    assert "1 of 3 trips are unfinished" in told[0]
    assert found.metrics["trips_unfinished"].value == 1
    assert found.metrics["added_travel_time_s"].value == pytest.approx(30)


def test_a_table_of_seeds_has_a_mean_and_an_error() -> None:
    table = trips_csv(
        *((seed, UNDISTURBED, "x", 0, 100, 1) for seed in (1, 2, 3)),
        *((seed, DISTURBED, "x", 0, 100 + added, 1) for seed, added in ((1, 10), (2, 20), (3, 30))),
    )
    runs = [{**RUN, "seed": seed, "loaded": 1} for seed in (1, 2, 3)]
    found = totals(
        read_legs(table), {UNDISTURBED: {"runs": runs}, DISTURBED: {"runs": runs}}, departs_s={"x": 0.0}
    )
    assert found.metrics["added_travel_time_s"].value == pytest.approx(20)
    assert found.derived["added_travel_time_standard_error_s"].value == pytest.approx(10 / 3**0.5)
    assert [row["unit"] for row in found.rows] == ["seed 1", "seed 2", "seed 3"]


def test_files_at_their_limits() -> None:
    with pytest.raises(LabrigError) as found:
        case_of(given(FORK, random_trips(FORK, 20_001), {}))
    assert "20,001 rows" in str(found.value)
    with pytest.raises(LabrigError) as found:
        case_of(given(FORK, steady(10_001, 1), {"seeds": 40}))
    assert found.value.code == "limit"
    assert json.loads(json.dumps(FORK)) == FORK
