"""Slope, aspect, areas of classes and places of extremes, against planes and counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

from labrig.errors import LabrigError
from labrig_earth.grids.areas import places_of
from labrig_earth.grids.classes import class_areas
from labrig_earth.grids.regridding import class_doubt
from labrig_earth.grids.terrain import derive_terrain


def plane(rises: bool, per_east: float, per_north: float, **attrs: Any) -> Any:
    """Return a tilted plane on cells of 10 m, its rows from south to north or from north to south."""
    y, x = 4.6e6 + 10 * np.arange(6.0), 5e5 + 10 * np.arange(5.0)
    y = y if rises else y[::-1]
    heights = 100 + per_east * (x - 5e5)[None, :] + per_north * (y - 4.6e6)[:, None]
    coordinates = {"y": ("y", y, {"units": "m"}), "x": ("x", x, {"units": "m"})}
    return xr.DataArray(heights, coordinates, ("y", "x"), name="z", attrs=attrs)


@pytest.mark.parametrize("rises", [True, False])
@pytest.mark.parametrize(
    ("per_east", "per_north", "aspect"), [(0.1, 0.0, 270), (-0.1, 0.0, 90), (0.0, 0.1, 180), (-0.1, -0.1, 45)]
)
def test_slope_and_aspect_of_a_plane_whichever_way_its_rows_run(
    rises: bool, per_east: float, per_north: float, aspect: float
) -> None:
    heights = plane(rises, per_east, per_north, units="m")
    slope = derive_terrain(heights, "slope")
    assert slope.values[1:-1, 1:-1] == pytest.approx(np.degrees(np.arctan(np.hypot(per_east, per_north))))
    assert np.isnan(slope.values[0]).all() and slope.attrs["units"] == "degree"
    assert derive_terrain(heights, "aspect").values[1:-1, 1:-1] == pytest.approx(aspect)
    in_feet = (heights / 0.3048).assign_attrs(units="ft")
    assert derive_terrain(in_feet, "slope").values[2, 2] == pytest.approx(slope.values[2, 2])


def test_flat_ground_has_no_aspect_and_two_rows_no_slope() -> None:
    assert np.isnan(derive_terrain(plane(True, 0.0, 0.0), "aspect").values).all()
    with pytest.raises(LabrigError, match="three rows"):
        derive_terrain(plane(True, 0.1, 0.0)[:2], "slope")


def test_classes_have_their_areas_and_an_absent_one_has_none() -> None:
    cover = plane(True, 0.0, 0.0).copy(data=np.repeat([[1.0, 1.0, 2.0, 2.0, np.nan]], 6, axis=0))
    found = class_areas(cover)
    assert found["class"].values.tolist() == [1, 2] and found.values.tolist() == [1200, 1200]
    assert class_areas(cover, [3, 2]).values.tolist() == [0, 1200]
    with pytest.raises(LabrigError, match=r"no classes: 1\.5"):  # bilinear, say
        class_areas(cover.copy(data=np.full((6, 5), 1.5)))
    with pytest.raises(LabrigError, match="different values"):
        class_areas(
            xr.DataArray(
                np.arange(400.0).reshape(20, 20), {"y": np.arange(20.0), "x": np.arange(20.0)}, ("y", "x")
            )
        )


def test_a_grid_that_looks_like_classes_is_not_averaged_without_a_word() -> None:
    cover = plane(True, 0.0, 0.0).copy(data=np.repeat([[1, 1, 2, 2, 3]], 6, axis=0))
    assert "method=nearest or mode" in class_doubt(cover, "bilinear")[0]
    assert class_doubt(cover, "mode") == class_doubt(cover.astype("f8"), "bilinear") == ()
    assert class_doubt(cover.assign_attrs(units="m"), "bilinear") == ()


def test_the_place_of_an_extreme_is_the_centre_of_its_cell() -> None:
    heights = plane(False, 0.1, 0.2)
    assert places_of(heights, "min") == {"place_of_min": {"x": 5e5, "y": 4.6e6}}
    assert places_of(heights, "max") == {"place_of_max": {"x": 500040.0, "y": 4600050.0}}
    flat = places_of(plane(True, 0.0, 0.1), "min")
    assert flat["place_of_min"]["cells_with_this_value"] == 5
