"""Sentinel-2 by an imitated Earth Search: parts of bands become scenes of the workspace, recorded and replayed; and
pictures that an imitated model describes."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from fastmcp import Client
from PIL import Image

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_earth.server import toolbox
from support import made_scenes
from support.imitation import Imitation, as_json, imitation, parts, status
from support.made_scenes import BOX, expected
from support.terra import refused, run

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.accept]

WHEN = {"bbox": BOX, "start_date": "2021-06-01", "end_date": "2021-07-01", "max_cloud": 80}
COARSE = ("swir1", "swir2")


def items(site: Imitation, folder: Path) -> list[dict[str, Any]]:
    """Write three scenes as Earth Search has them, and return its items.

    The offset is taken off the first, which it says; it is in the second; it is taken off the third, and it says no.
    """
    found = []
    for number, scene in enumerate(made_scenes.scenes()):
        assets = {}
        for key, name in made_scenes.write_bands(folder, scene, 1000 if number == 1 else 0).items():
            site.on(f"/cogs/{name}").then(parts((folder / name).read_bytes()))
            band = {
                "scale": 0.0001,
                "offset": -0.1,
            }  # of the file of ESA; the catalogue's own has it taken off
            assets[key] = {"href": site.url(f"/cogs/{name}"), "roles": ["data"], "raster:bands": [band]}
        properties = {
            "datetime": f"{scene.day}T10:10:31Z",
            "eo:cloud_cover": 10.0 * number,
            "s2:processing_baseline": "05.11",
            "earthsearch:boa_offset_applied": number == 0,
        }
        found.append({"type": "Feature", "id": f"S2A_{number}", "properties": properties, "assets": assets})
    return found


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Imitation]:
    """Earth Search with three scenes, their bands, and a model."""
    with imitation() as made:
        made.on("/*").then(status(404))
        folder = tmp_path / "bands"
        folder.mkdir()
        made.on("/v1/search", method="POST").then(as_json({"features": items(made, folder), "links": []}))
        said = {"model": "looker-1", "choices": [{"message": {"content": "A river in a town."}}]}
        made.on("/model/chat/completions", method="POST").then(as_json(said))
        origin = made.url("").rstrip("/")
        for name, value in {
            "LABRIG_HOME": str(tmp_path / "home"), "LABRIG_HTTP_PRIVATE_ORIGINS": origin,
            "LABRIG_HTTP_URL_EARTH_SEARCH": f"{origin}/v1", "LABRIG_HTTP_URL_LANGUAGE_MODEL": f"{origin}/model",
            "LABRIG_EARTH_MODEL_KEY": "key-of-the-test-0123",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        yield made


def server(folder: Path, mode: str = "live", **settings: str) -> Client[Any]:
    (folder / "work").mkdir(parents=True, exist_ok=True)
    options = ServeOptions(
        workspace=folder / "work",
        toolsets=("terra-satellite",),
        http_mode=mode,  # type: ignore[arg-type]
        ledger=folder.parent / "ledger.sqlite" if mode != "live" else None,
        settings=settings,
    )
    return Client(build(toolbox, options))


async def test_scenes_are_fetched_recorded_and_replayed_with_the_archive_stopped(
    site: Imitation, tmp_path: Path
) -> None:
    asked = {**WHEN, "scale": 10, "include_geotiff": True, "include_truecolor": False}
    async with server(tmp_path / "one", "record") as client:
        found = await run(client, "gee_fetch_sentinel2_indices", **asked)
        searched = json.loads(site.hits[0].body)
        again = len(site.hits)
        areas = await run(client, "gee_index_area_stats", **WHEN, scale=10)
        assert not [hit for hit in site.hits[again:] if hit.path.startswith("/cogs/")]  # the scenes are there
        coarse = await run(client, "gee_index_area_stats", **WHEN, scale=50)
    north, west, south, east = BOX
    assert searched["bbox"] == [west, south, east, north] and searched["collections"] == ["sentinel-2-l2a"]
    assert searched["datetime"] == "2021-06-01T00:00:00Z/2021-06-30T23:59:59Z"
    assert searched["query"] == {"eo:cloud_cover": {"lte": 80}}
    assert searched["sortby"] == [{"field": "properties.eo:cloud_cover", "direction": "asc"}]
    assert [each["date"] for each in found["scenes"]] == list(made_scenes.DAYS)
    (doubt,) = [each for each in found["warnings"] if "the offset that the catalogue states" in each]
    assert doubt.startswith("S2A_2_") and "far below 0" in doubt
    wanted = expected(made_scenes.scenes(), found["grid"]["width"], found["grid"]["height"], COARSE)
    with rasterio.open(tmp_path / "one/work" / found["geotiff"]["tif_path"]) as file:
        layers = dict(zip(file.descriptions, file.read(), strict=True))
    for name, band in wanted.bands.items():
        np.testing.assert_allclose(layers[name], band, atol=1e-6)
    built = wanted.difference("swir1", "nir")
    assert found["indices"]["NDBI"]["NDBI_mean"] == pytest.approx(wanted.mean(built), rel=1e-7)
    with np.errstate(invalid="ignore"):
        area = wanted.areas[built >= 0].sum() / 1e6
    assert areas["class_areas"]["built_up"]["area_sq_km"] == pytest.approx(area, rel=1e-6)
    kept = sorted((tmp_path / "one/work/data/gee_indices/scenes").iterdir())
    assert [each.name[:6] for each in kept] == ["S2A_0_", "S2A_0_", "S2A_1_", "S2A_1_", "S2A_2_", "S2A_2_"]
    steps = set()
    for path in kept:
        with rasterio.open(path) as file:
            steps.add(round(file.transform.a, -1))
    assert steps == {10, 50}  # what is coarse is fetched coarse
    few = expected(made_scenes.scenes(), coarse["grid"]["width"], coarse["grid"]["height"])
    mean = coarse["index_stats"]["NDVI"]["NDVI_mean"]
    assert mean == pytest.approx(few.mean(few.difference("nir", "red")), abs=0.1)
    before = len(site.hits)
    async with server(tmp_path / "two", "replay") as client:
        assert await run(client, "gee_fetch_sentinel2_indices", **asked) == found
        code, _ = await refused(client, "gee_fetch_sentinel2_indices", **{**asked, "max_cloud": 5})
        assert code == "not_recorded"
        code, _ = await refused(client, "gee_index_area_stats", **WHEN, project_id="mine")
        assert code == "not_recorded"
    assert len(site.hits) == before


async def test_what_the_archive_may_answer(site: Imitation, tmp_path: Path) -> None:
    async with server(tmp_path / "one") as client:
        features = items(site, tmp_path / "bands")
        for features_, code, said in (
            ([], "not_found", "max_cloud"),
            ([{"type": "Feature"}], "not_found", "no scene"),
            ([{**features[0], "assets": {"red": 3}}], "not_found", "no scene"),
            (
                [
                    {
                        **features[0],
                        "assets": {**features[0]["assets"], "red": {"href": site.url("/gone.tif")}},
                    }
                ],
                "not_found",
                "",
            ),
            (
                [
                    {
                        **features[0],
                        "assets": {**features[0]["assets"], "red": {"href": "http://169.254.169.254/x"}},
                    }
                ],
                "refused",
                "",
            ),
            ("no list", "unreachable", "items"),
        ):
            site.on("/v1/search", method="POST").then(as_json({"features": features_}))
            found, text = await refused(client, "gee_index_area_stats", **WHEN)
            assert found == code and said in text, (features_, found, text)
        far = {**WHEN, "bbox": [10.01, 10.0, 10.0, 10.01]}
        site.on("/v1/search", method="POST").then(as_json({"features": features}))
        found, text = await refused(client, "gee_index_area_stats", **far)
        assert (found, "covers the box" in text) == ("not_found", True)


async def test_a_picture_is_described_by_the_configured_model(site: Imitation, tmp_path: Path) -> None:
    picture = Image.new("RGBA", (2000, 500), (255, 0, 0, 255))
    stored = io.BytesIO()
    picture.save(stored, format="PNG")
    site.on("/river.png").then(stored.getvalue())
    (tmp_path / "one/work").mkdir(parents=True)
    (tmp_path / "one/work/red.png").write_bytes(stored.getvalue())
    asked = {"image": ["red.png", site.url("/river.png")], "prompt": "What is it?", "max_new_tokens": 99}
    async with server(tmp_path / "one", "record", model="looker") as client:
        found = await run(client, "describe_image_vlm", **asked)
    assert (found["caption"], found["model_id"]) == ("A river in a town.", "looker-1")
    sent = json.loads(next(hit for hit in site.hits if hit.path.startswith("/model")).body)
    assert sent["model"] == "looker" and sent["max_tokens"] == 99
    first, second, words = sent["messages"][0]["content"]
    assert words == {"type": "text", "text": "What is it?"}
    for part in (first, second):
        kind, _, data = part["image_url"]["url"].partition(",")
        with Image.open(io.BytesIO(base64.b64decode(data))) as shown:
            assert kind == "data:image/jpeg;base64" and shown.size == (1024, 256)
            assert np.allclose(np.asarray(shown)[100, 100], (254, 0, 0), atol=3)
    (tmp_path / "two/work").mkdir(parents=True)
    (tmp_path / "two/work/red.png").write_bytes(stored.getvalue())
    async with server(tmp_path / "two", "replay", model="looker") as client:
        assert await run(client, "describe_image_vlm", **asked) == found


async def test_what_describing_refuses(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one/work").mkdir(parents=True)
    (tmp_path / "one/work/note.txt").write_text("no picture")
    Image.new("RGB", (20, 20)).save(tmp_path / "one/work/w.png")
    async with server(tmp_path / "one") as client:
        code, text = await refused(client, "describe_image_vlm", image="w.png")
        assert code == "unavailable" and "LABRIG_EARTH_MODEL" in text
    async with server(tmp_path / "one", model="looker") as client:
        site.on("/page.html").then("<p>no picture</p>")
        for change, code, said in (
            ({"image": []}, "bad_input", "1 to 8"),
            ({"image": [""]}, "bad_input", "1 to 8"),
            ({"image": ["w.png"] * 9}, "bad_input", "1 to 8"),
            ({"image": "note.txt"}, "bad_input", "no picture"),
            ({"image": "../w.png"}, "refused", ""),
            ({"image": "none.png"}, "not_found", ""),
            ({"image": "http://169.254.169.254/x.png"}, "refused", ""),
            ({"image": "file:///etc/passwd"}, "not_found", ""),
            ({"image": site.url("/page.html")}, "bad_input", "no picture"),
            ({"image": site.url("/gone.png")}, "not_found", ""),
            ({"max_new_tokens": 0}, "bad_input", "max_new_tokens"),
            ({"max_new_tokens": True}, "bad_input", "no numbers"),
        ):
            found, text = await refused(client, "describe_image_vlm", **{"image": "w.png", **change})
            assert found == code and said in text, (change, found, text)
        for answer, code in (
            (as_json({"choices": []}), "unreachable"),
            (status(401), "refused"),
            ("no", "unreachable"),
        ):
            site.on("/model/chat/completions", method="POST").then(answer)
            found, text = await refused(client, "describe_image_vlm", image="w.png", prompt=f"What? {code}")
            assert found == code and "key-of-the-test" not in text, (found, text)
        monkeypatch.delenv("LABRIG_EARTH_MODEL_KEY")
        code, text = await refused(client, "describe_image_vlm", image="w.png", prompt="Without a key")
        assert code == "unavailable" and "LABRIG_EARTH_MODEL_KEY" in text
