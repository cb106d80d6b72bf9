"""Places nearby, ways and elevations in the bundled world."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_atlas.facts import Route
from labrig_atlas.offline.elevation import EXACT_M, elevation, elevations
from labrig_atlas.offline.geodesy import distance_m
from labrig_atlas.offline.made_places import KINDS, how_many, made_place
from labrig_atlas.offline.nearby import place_details, search_places
from labrig_atlas.offline.routing import matrix, route
from labrig_atlas.world.database import World
from support.atlas_world import opened_earth


@pytest.fixture(scope="module")
def earth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened_earth(tmp_path_factory) as world:
        yield world


@pytest.mark.parametrize(
    "kind", ["museums", "Restaurants", "park", "universities", "libraries", "stadia", "churches"]
)
def test_a_kind_near_a_place_gives_made_up_places_that_can_be_had_again(earth: World, kind: str) -> None:
    found = search_places(earth, f"{kind} near Oxford, England", radius_m=20_000, limit=60)
    assert found.places and found.made_up and found.total >= len(found.places) and "made up" in found.source
    distances = [place.distance_m for place in found.places]
    assert distances == sorted(distances) and all(distance <= 20_000 for distance in distances)
    assert len({place.place_id for place in found.places}) == len(found.places)
    for place in [place for place in found.places if place.made_up][:5]:  # those of articles are real
        assert 1 <= (place.rating or 0) <= 5 and place.country == "GB"
        assert found.near and distance_m(*found.near, place.latitude, place.longitude) == pytest.approx(
            place.distance_m, abs=0.1
        )
        again = place_details(earth, place.place_id)
        assert (again.name, again.latitude, again.rating) == (place.name, place.latitude, place.rating)


def test_larger_cities_have_more_places_and_names_do_not_repeat(earth: World) -> None:
    city = place_details(earth, "earth:c:2820256")
    for kind in KINDS:
        assert how_many(0, 1, 5_000_000, kind) > how_many(0, 1, 50_000, kind) or kind == "restaurant"
        names = [
            made_place("earth", 0, city, 2820256, kind, index).name.rsplit(" ", 1)[0] for index in range(60)
        ]
        assert len({name.split()[0] + name.split()[1] for name in names}) == 60


def test_articles_are_found_by_their_name(earth: World) -> None:
    rows = earth.ask("SELECT name, place_id FROM place WHERE place_id LIKE 'earth:a:%' LIMIT 5")
    for name, place_id in rows:
        assert place_id in [place.place_id for place in search_places(earth, name).places]
    near = search_places(earth, "Ulm", near=(48.4, 9.99))
    assert near.places[0].place_id == "earth:c:2820256" and near.order.startswith("distance")


@pytest.mark.parametrize(
    "query, more, code",
    [
        ("museums near Springfield", {}, "bad_input"),
        ("museums near Nowhereville", {}, "not_found"),
        ("museums", {}, "bad_input"),
        ("", {}, "bad_input"),
        ("museums near Ulm", {"radius_m": -1.0}, "bad_input"),
        ("museums near Ulm", {"radius_m": float("nan")}, "bad_input"),
        ("museums near Ulm", {"radius_m": 50_001.0}, "bad_input"),
        ("museums near Ulm", {"limit": 0}, "bad_input"),
        ("museums", {"near": (95.0, 0.0)}, "bad_input"),
    ],
)
def test_searches_that_cannot_be_answered_are_typed(
    earth: World, query: str, more: dict[str, float], code: str
) -> None:
    with pytest.raises(LabrigError) as caught:
        search_places(earth, query, **more)  # type: ignore[arg-type]
    assert caught.value.code == code
    if "Springfield" in query:
        assert "Missouri" in caught.value.expected


@given(text=st.text(max_size=50), kind=st.sampled_from(["", "museums near ", "hotels in "]))
def test_any_query_is_a_list_or_a_typed_error(earth: World, text: str, kind: str) -> None:
    for ask in (lambda: search_places(earth, kind + text), lambda: place_details(earth, text)):
        try:
            ask()
        except LabrigError as error:
            assert error.code in {"not_found", "bad_input"}


@pytest.mark.parametrize(
    "bad",
    [
        "earth:p:2820256:museum:9999",
        "earth:p:1:museum:0",
        "x",
        "earth:p:2820256:bar:0",
        "earth:p:2820256:museum:00",
    ],
)
def test_ids_that_nobody_gave_are_not_found(earth: World, bad: str) -> None:
    with pytest.raises(LabrigError) as caught:
        place_details(earth, bad)
    assert caught.value.code == "not_found"


def whole(found: Route) -> None:
    assert found.made_up and "made-up" in found.source and found.steps
    assert found.distance_m == pytest.approx(sum(step.distance_m for step in found.steps), abs=1)
    assert found.duration_s == pytest.approx(sum(step.duration_s for step in found.steps), abs=1)


def test_a_way_is_the_quickest_of_the_net(earth: World) -> None:
    found = route(earth, "Ulm", "Berlin, Germany")
    whole(found)
    ids = {"Ulm": 2820256, "Berlin": 2950159}
    links: dict[int, list[tuple[int, float, int]]] = {}
    speeds = {"motorway": 105, "primary": 80, "secondary": 60}
    for one, other, metres, road_class in earth.ask("SELECT one, other, metres, class FROM road"):
        seconds = metres * 3.6 / speeds[road_class]
        links.setdefault(one, []).append((other, seconds, metres))
        links.setdefault(other, []).append((one, seconds, metres))
    best, waiting = {}, [(0.0, 0, ids["Ulm"])]  # Dijkstra without an end, over the table itself
    while waiting:
        seconds, metres, city = heapq.heappop(waiting)
        if city not in best:
            best[city] = (seconds, metres)
            for other, more, length in links[city]:
                heapq.heappush(waiting, (seconds + more, metres + length, other))
    seconds, metres = best[ids["Berlin"]]
    assert (found.duration_s, found.distance_m) == (
        pytest.approx(seconds, abs=2),
        pytest.approx(metres, abs=2),
    )
    straight = distance_m(48.4011, 9.9876, 52.52, 13.405)
    assert 1.1 * straight < found.distance_m < 2 * straight


def test_modes_differ_as_they_should(earth: World) -> None:
    ways = {
        mode: route(earth, "Ulm", "Stuttgart", mode)
        for mode in ("driving", "transit", "bicycling", "walking")
    }
    for way in ways.values():
        whole(way)
    times = [ways[mode].duration_s for mode in ("driving", "transit", "bicycling", "walking")]
    assert times == sorted(times)
    assert ways["walking"].duration_s == pytest.approx(ways["walking"].distance_m * 3.6 / 5, rel=1e-3)


def test_a_name_with_a_small_namesake_is_taken_and_said(earth: World) -> None:
    found = route(earth, "Paris, France", "London")
    assert any("London, Ontario" in note for note in found.notes)
    assert route(earth, "New York", "Boston, Massachusetts").origin.startswith("New York City")


@pytest.mark.parametrize(
    "origin, destination, code",
    [
        ("Tokyo", "Honolulu", "not_found"),
        ("Edinburgh", "Dublin, Ireland", "not_found"),
        ("0, -30", "Ulm", "not_found"),
        ("Ulm", "-90, 0", "not_found"),
        ("Ulm", "Springfield", "bad_input"),
        ("Ulm", "Nowhereville", "not_found"),
        ("", "Ulm", "bad_input"),
    ],
)
def test_where_no_way_leads_is_said(earth: World, origin: str, destination: str, code: str) -> None:
    with pytest.raises(LabrigError) as caught:
        route(earth, origin, destination)
    assert caught.value.code == code and caught.value.where in ("origin", "destination")
    with pytest.raises(LabrigError):
        route(earth, "Ulm", "Munich", "flying")


def test_a_matrix_says_each_cell_and_agrees_with_routes(earth: World) -> None:
    found = matrix(earth, ["Ulm", "Nowhereville", "48.41, 9.98"], ["Munich", "Honolulu", "48.5, 10.2"])
    way = route(earth, "Ulm", "Munich")
    assert [[cell.status for cell in row] for row in found.rows] == [
        ["ok", "no_route", "ok"],
        ["not_found"] * 3,
        ["ok", "no_route", "ok"],
    ]
    assert found.rows[0][0].distance_m == way.distance_m and found.rows[0][0].duration_s == way.duration_s
    assert "Nowhereville" in found.rows[1][0].reason
    with pytest.raises(LabrigError) as caught:
        matrix(earth, ["Ulm"] * 500, ["Munich"])
    assert caught.value.code == "bad_input" and "25" in caught.value.expected


def test_elevation_is_exact_where_it_is_known_and_said_where_it_is_not(earth: World) -> None:
    for latitude, longitude, metres, name in earth.ask(
        "SELECT latitude, longitude, elevation, name FROM height"
    )[::997]:
        found = elevation(earth, latitude, longitude)
        assert found.elevation_m == metres and not found.made_up, name
    ulm = elevation(earth, 48.4011, 9.9876)
    assert (ulm.elevation_m, ulm.made_up, ulm.nearest_known) == (478.0, False, "Ulm")
    between = elevation(earth, 48.5, 9.9)
    assert between.made_up and "Shepard" in between.method and between.nearest_known_m
    assert 300 < between.elevation_m < 900
    sea = elevation(earth, 0, -30)
    assert sea.elevation_m == 0 and "sea" in sea.method


def test_interpolated_elevation_is_smooth_and_within_its_neighbours(earth: World) -> None:
    path = [elevation(earth, 47.0 + step / 500, 8.0).elevation_m for step in range(100)]
    assert max(abs(a - b) for a, b in pairwise(path)) < 60
    assert elevation(earth, 0, 180).elevation_m == elevation(earth, 0, -180).elevation_m
    step = EXACT_M * 1.2 / 111_000  # just beyond the exact radius of a known point
    assert elevation(earth, 48.4011 + step, 9.9876).elevation_m == pytest.approx(478, abs=1)


def test_a_summit_lifts_its_own_slopes_and_not_the_land_around(earth: World) -> None:
    alone = earth.ask(
        "SELECT name, latitude, longitude, elevation FROM height WHERE NOT around ORDER BY elevation DESC LIMIT 3"
    )
    for name, latitude, longitude, metres in alone:
        assert elevation(earth, latitude, longitude).elevation_m == metres, name
        # 0, 100 m, 1 km and 4 km to the north: down all the way, and not at one step
        path = [elevation(earth, latitude + north / 111_000, longitude) for north in (0, 100, 1_000, 4_000)]
        assert all(a.elevation_m >= b.elevation_m for a, b in pairwise(path)), name
        assert path[1].elevation_m > 0.9 * metres and path[1].nearest_known == name
        assert path[3].elevation_m < 0.8 * metres, name


@pytest.mark.parametrize("points", [[], [(0.0, 0.0)] * 513, [(91.0, 0.0)], [(float("nan"), 0.0)]])
def test_elevations_of_what_is_no_point_or_too_many_are_refused(
    earth: World, points: list[tuple[float, float]]
) -> None:
    with pytest.raises(LabrigError) as caught:
        elevations(earth, points)
    assert caught.value.code == "bad_input"
