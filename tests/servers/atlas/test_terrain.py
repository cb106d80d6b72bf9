"""Real heights on a coarse grid: asked by a setting alone, known points exact, right cells, and how good they are."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import quantiles
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

from labrig.config import home
from labrig.errors import LabrigError
from labrig.sideenv import setup
from labrig_atlas.asking import Atlas
from labrig_atlas.offline import elevation as interpolating
from labrig_atlas.offline import terrain
from labrig_atlas.world.database import World
from support.atlas_world import opened_earth

HOME = home()
BROUGHT = (HOME / terrain.TERRAIN.target / terrain.FILE).is_file()


@pytest.fixture(scope="module")
def earth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened_earth(tmp_path_factory) as world:
        yield world


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A grid that was brought: sea but for three cells; the first and last row and column are among them."""
    cells = np.full((2160, 4320), terrain.SEA, np.uint8)
    cells[0, 0], cells[2159, 4319], cells[int(41.5 * 12), int(190.2 * 12)] = 20, 30, 40
    with h5py.File(tmp_path / terrain.FILE, "w") as file:
        file.create_dataset("Altitude", data=cells, compression="gzip")
    content = (tmp_path / terrain.FILE).read_bytes()
    known = replace(terrain.TERRAIN, sha256={terrain.FILE: hashlib.sha256(content).hexdigest()})
    monkeypatch.setattr(terrain, "TERRAIN", known)
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    assert setup(known, source=tmp_path).changed
    terrain._grid.cache_clear()
    yield known.path / terrain.FILE
    terrain._grid.cache_clear()


def test_a_cell_is_that_of_the_point(earth: World, made: Path) -> None:
    points = [
        (90.0, -180.0),
        (-89.95, 179.95),
        (-89.95, -179.95),
        (48.49, 10.21),
        (48.49, 10.30),
        (0.0, -30.0),
    ]
    found = terrain.elevations(earth, points)
    assert [each.elevation_m for each in found] == [110.0, 390.0, 0.0, 670.0, 0.0, 0.0]
    assert (
        not any(each.made_up for each in found) and "28 m" in found[0].method and "pvlib" in found[0].source
    )


def test_a_known_point_keeps_its_height(earth: World, made: Path) -> None:
    (everest,) = terrain.elevations(earth, [(27.988, 86.925)])
    assert (everest.elevation_m, everest.method) == (8849.0, interpolating.KNOWN)


def test_what_cannot_be_told_is_an_error(earth: World, made: Path) -> None:
    twin = SimpleNamespace(name="twin-7", fictional=True)
    for world, points, code in (
        (twin, [(0.0, 0.0)], "bad_input"),
        (earth, [], "bad_input"),
        (earth, [(91.0, 0.0)], "bad_input"),
        (earth, [(0.0, 0.0)] * 513, "limit"),
    ):
        with pytest.raises(LabrigError) as caught:
            terrain.elevations(world, points)
        assert caught.value.code == code
    terrain._grid.cache_clear()
    made.write_bytes(made.read_bytes() + b" ")
    for there in (True, False):
        if not there:
            made.unlink()
        with pytest.raises(LabrigError) as caught:
            terrain.elevations(earth, [(0.0, 0.0)])
        assert caught.value.code == "unavailable" and "labrig setup atlas-terrain" in caught.value.try_


async def test_the_setting_alone_asks_it(made: Path) -> None:
    for backends, wanted in (({"elevation": "terrain"}, True), ({}, False)):
        async with Atlas(backends=backends) as atlas:
            told = await atlas.ask("elevation", [(48.49, 10.21)])
            assert (told.facts[0].elevation_m == 670.0) is wanted and told.made_up is not wanted


@pytest.mark.skipif(not BROUGHT, reason="labrig setup atlas-terrain brings the grid")
def test_cells_are_nearer_to_known_heights_than_what_lies_between_other_points(
    earth: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(HOME))
    terrain._grid.cache_clear()
    rows = [row for row in earth.ask("SELECT latitude, longitude, elevation, around FROM height") if row[3]]
    grid, misses = terrain._grid(), {"cells": [], "between": []}  # type: dict[str, Any]
    for latitude, longitude, height, _ in random.Random(1).sample(rows, 300):
        cell = terrain._height(grid, latitude, longitude)
        others = [
            each for each in interpolating._known(earth, latitude, longitude) if each[0] > 50 and each[1][5]
        ]
        if cell and len(others) > interpolating.NEIGHBOURS:
            used, beyond = others[: interpolating.NEIGHBOURS], others[interpolating.NEIGHBOURS][0]
            weights = [((beyond - away + 1) / (beyond * away)) ** 2 for away, _ in used]
            mean = np.average([each[1][2] for each in used], weights=weights)
            misses["cells"].append(abs(cell - height))
            misses["between"].append(abs(mean - height))
    cells, between = (quantiles(misses[name], n=20) for name in ("cells", "between"))
    assert cells[9] <= 25 and cells[18] <= 250, (cells[9], cells[18])
    assert between[9] >= 1.5 * cells[9] and between[18] >= 1.5 * cells[18]


@pytest.mark.parametrize(
    "program, said",
    [("raise ModuleNotFoundError(\"No module named 'h5py'\")", "pip install h5py"), ("print(1)", "")],
)
def test_a_grid_that_cannot_be_read_is_said(
    program: str, said: str, earth: World, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terrain, "READ", program)
    with pytest.raises(LabrigError) as caught:
        terrain.elevations(earth, [(0.0, 0.0)])
    assert caught.value.code == "unavailable" and caught.value.try_ == said
