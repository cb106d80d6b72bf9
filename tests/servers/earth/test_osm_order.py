"""OSM files as Overpass and cut extracts give them: another order, a node twice, ways without all their nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_earth.data.formats import Place
from labrig_earth.gis import osm_order
from labrig_earth.gis.features import read_features
from labrig_earth.gis.routing import read_network

KEYS = ("building", "highway", "amenity")
NODES = {
    3: (8.0, 47.0),
    1: (8.001, 47.0),
    2: (8.001, 47.001),
    4: (8.0, 47.001),
    9: (8.01, 47.0),
    30: (8.02, 47.0),
    21: (8.0, 47.01),
    22: (8.001, 47.01),
    23: (8.001, 47.011),
}
WAYS: dict[int, tuple[list[int], dict[str, str]]] = {
    10: ([3, 1, 2, 4, 3], {"building": "yes"}),
    5: ([3, 9, 30], {"highway": "residential"}),
    11: ([21, 22, 23, 21], {}),
}
CROSSING = {"highway": "crossing"}


def _node(number: int, **tags: str) -> str:
    lon, lat = NODES[number]
    return f'<node id="{number}" lat="{lat}" lon="{lon}">{_tags(tags)}</node>'


def _way(number: int) -> str:
    refs, tags = WAYS[number]
    nodes = "".join(f'<nd ref="{ref}"/>' for ref in refs)
    return f'<way id="{number}">{nodes}{_tags(tags)}</way>'


def _tags(tags: dict[str, str]) -> str:
    return "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())


RELATION = (
    '<relation id="7"><member type="way" ref="11" role="outer"/>'
    + _tags({"type": "multipolygon", "building": "school"})
    + "</relation>"
)
ORDERED = [
    *(_node(each, **(CROSSING if each == 3 else {})) for each in sorted(NODES)),
    *(_way(each) for each in sorted(WAYS)),
    RELATION,
]
OVERPASS = [  # out body; then > and out skel qt: node 3 once more, without its tags
    *(_node(3, **CROSSING), _way(5), _way(10), RELATION),
    *(_node(each) for each in (9, 4, 3, 2, 1, 23, 22, 21, 30)),
    _way(11),
]
ORDERS = {
    "as Overpass answers": OVERPASS,
    "the other way round": ORDERED[::-1],
    "ids not ascending": [*ORDERED[:9][::-1], *ORDERED[9:]],
    "ways by no order": [*ORDERED[:9], _way(11), _way(5), _way(10), RELATION],
}


def _file(folder: Path, parts: list[str]) -> Place:
    file = folder / "part.osm"
    file.write_text(f'<?xml version="1.0"?><osm version="0.6">{"".join(parts)}</osm>')
    return Place.of(file)


def _found(place: Place) -> tuple[list[tuple[Any, ...]], list[str]]:
    found = read_features(place, keys=KEYS)
    frame = found.frame.reindex(columns=["osm_type", "osm_id", *KEYS, "geometry"]).astype(object).fillna("")
    rows = [(*row[:-1], row[-1].normalize().wkt) for row in frame.itertuples(index=False)]
    return sorted(rows), found.warnings


@pytest.mark.parametrize("order", ORDERS)
def test_features_are_the_same_whatever_the_order_of_the_file(tmp_path: Path, order: str) -> None:
    expected, warnings = _found(_file(tmp_path, ORDERED))
    assert [row[:2] for row in expected] == [("node", 3), ("relation", 7), ("way", 5), ("way", 10)]
    assert not warnings
    assert _found(_file(tmp_path, ORDERS[order])) == (expected, [])


@pytest.mark.parametrize(
    ("missing", "left"), [(2, ["node", "relation", "way"]), (23, ["node", "way", "way"]), (9, None)]
)
def test_a_feature_whose_nodes_are_not_in_the_extract_is_left_out_and_said(
    tmp_path: Path, missing: int, left: list[str] | None
) -> None:
    cut = [each for each in ORDERED if not each.startswith(f'<node id="{missing}"')]
    rows, warnings = _found(_file(tmp_path, cut))
    assert [row[0] for row in rows] == (left or ["node", "relation", "way"])
    assert [each for each in warnings if "1 of 4 features of part.osm have no geometry" in each]


def test_the_version_that_was_last_stands_of_a_node_that_comes_twice(tmp_path: Path) -> None:
    parts = [
        '<node id="8" version="2" lat="47" lon="8"><tag k="amenity" v="cafe"/></node>',
        '<node id="8" version="1" lat="47" lon="8"><tag k="amenity" v="bar"/><tag k="name" v="old"/></node>',
        _way(5),
        *(_node(each) for each in (3, 9, 30)),
    ]
    rows, _ = _found(_file(tmp_path, parts))
    assert [row[4] for row in rows if row[0] == "node"] == ["cafe"]


@pytest.mark.parametrize("order", [None, *ORDERS])
def test_streets_are_the_same_whatever_the_order_and_are_cut_at_nodes_that_are_not_there(
    tmp_path: Path, order: str | None
) -> None:
    parts = ORDERED if order is None else ORDERS[order]
    whole = read_network(_file(tmp_path, parts), tmp_path)
    ((length, osmid),) = {(edge["length"], edge["osmid"]) for *_, edge in whole.graph.edges(data=True)}
    assert (osmid, whole.warnings) == (5, ())
    cut = read_network(
        _file(tmp_path, [each for each in parts if not each.startswith('<node id="30"')]), tmp_path
    )
    assert set(cut.graph.nodes) == {3, 9} and set(whole.graph.nodes) == {3, 30}
    assert cut.warnings == (
        "Streets that were cut or left out, because some of their nodes are not in part.osm: 1",
    )
    ((shorter, _),) = {(edge["length"], edge["osmid"]) for *_, edge in cut.graph.edges(data=True)}
    assert shorter == pytest.approx(length / 2, rel=1e-6)
    with pytest.raises(LabrigError, match=r"part\.osm has no street for drive"):
        read_network(_file(tmp_path, [each for each in parts if "<way" in each]), tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["part.osm"]


def test_a_broken_or_too_large_file_out_of_order_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = _file(tmp_path, OVERPASS)
    monkeypatch.setattr(osm_order, "MOST_OBJECTS", 5)
    with pytest.raises(LabrigError, match="not in order") as caught:
        read_features(place, keys=KEYS)
    assert caught.value.code == "limit" and "osmium sort" in caught.value.try_
    (tmp_path / "part.osm").write_text(Path(place.path).read_text()[:-200])
    with pytest.raises(LabrigError, match=r"cannot be read.*part\.osm"):
        read_features(place, keys=KEYS)
