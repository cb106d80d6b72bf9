"""Natural Earth: regions by name, areas against published figures, and no network needed."""

from __future__ import annotations

from itertools import pairwise

import pytest

from labrig.errors import LabrigError
from labrig_earth.natural_earth.regions import region_names, resolve_region
from labrig_earth.natural_earth.shapes import borders, coast, countries, land


@pytest.mark.parametrize(
    ("name", "found", "kind", "square_km"),
    [  # areas: CIA World Factbook and UN, land and inland water, 10^3 km2
        ("brazil", "Brazil", "country", 8_516e3),
        ("the United States", "United States of America", "country", 9_526e3),
        ("AUS", "Australia", "country", 7_692e3),
        ("Côte d'Ivoire", "Côte d'Ivoire", "country", 322e3),
        ("ivory coast", "Côte d'Ivoire", "country", 322e3),
        ("south-america", "South America", "continent", 17_840e3),
        ("Africa", "Africa", "continent", 30_370e3),
    ],
)
def test_a_region_by_its_name_has_its_area(name: str, found: str, kind: str, square_km: float) -> None:
    from pyproj import Geod

    region = resolve_region(name)
    assert (region.name, region.kind) == (found, kind)
    area, _ = Geod(ellps="WGS84").geometry_area_perimeter(region.geometry)
    assert abs(area) / 1e6 == pytest.approx(square_km, rel=0.03)


def test_what_lies_across_the_antimeridian_has_a_narrow_box() -> None:
    west, south, east, north = resolve_region("Fiji").bounds
    assert 170 < west < 180 and -180 < east < -175 and south < -17 < north
    assert resolve_region("Kenya").bounds == resolve_region("Kenya").geometry.bounds


def test_france_alone() -> None:
    assert "lie more than 15 degrees" in resolve_region("France").notes[0]
    assert resolve_region("France", main_part=True).bounds[0] == pytest.approx(-4.8, abs=0.1)


def test_a_wrong_name_gets_the_nearest_and_an_ambiguous_one_a_note() -> None:
    with pytest.raises(LabrigError, match="Germany"):
        resolve_region("Germny")
    with pytest.raises(LabrigError, match="continent"):
        resolve_region("Kenya", kind="contintent")
    with pytest.raises(LabrigError):
        resolve_region(" ")
    assert resolve_region("Micronesia").notes[0] == "there is also the subregion Micronesia"
    assert resolve_region("Micronesia", kind="subregion").kind == "subregion"
    assert "Seven seas (open ocean)" not in region_names("continent")


@pytest.mark.parametrize("scale", ["110m", pytest.param("50m", marks=pytest.mark.accept)])
def test_countries_cover_the_land_and_no_line_runs_round_the_world(scale: str) -> None:
    from shapely import union_all

    everyone = countries(scale)  # type: ignore[arg-type]
    together = union_all([each.geometry for each in everyone])
    assert together.area == pytest.approx(
        sum(each.geometry.area for each in everyone), rel=1e-4
    )  # no overlaps
    assert land(scale).symmetric_difference(together).area < 1  # type: ignore[arg-type]
    for lines in (coast(scale), borders(scale)):  # type: ignore[arg-type]
        for line in lines.geoms:
            longitudes = [x for x, _ in line.coords]
            assert max((abs(a - b) for a, b in pairwise(longitudes)), default=0) < 20
