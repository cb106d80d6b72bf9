"""Real Claude Code and Codex, given the Earth server by ``labrig install``, work on files that the server did not make.

Their models are scripted on 127.0.0.1 and know no value: what they answer is made of the results that they are sent.
Rain and districts, land cover and fields lie beside ``.mcp.json``, as a user's own files do.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labrig.plotting.images import Look, look
from support import foreign_files as foreign
from support.real_clients import ask_claude_code, ask_codex, binary, install
from support.scripted_model import Turn

QUESTION = (
    "What fell on the wettest day in the district inn, and how much of the field around the block is trees?"
)
COVER = {"files": ["@project/cover.tif"], "layers": ["@project/places.gpkg"]}
NUMBER = r'"name":\s*"%s",\s*"value":\s*([\d.]+)[^{}]*"note":\s*"%s'


def _value(asked: str, name: str, note: str) -> float:
    """Return the value of a result among all that a model was sent."""
    return float(re.findall(NUMBER % (name, note), asked.replace("\\", ""))[-1])


def _answer(asked: str) -> Turn:
    rain, trees = _value(asked, "prate", "inn"), _value(asked, "fraction_10", "around the block")
    return f"{rain:g} mm, and {trees:.0%} of it."


SCRIPT: list[Turn] = [
    ("find_data", {"text": "precipitation"}),
    ("describe_data", {"data": "@project/rain.nc"}),
    ("describe_data", {"data": "@project/cover.tif"}),
    ("describe_data", {"data": "@project/places.gpkg"}),
    (
        "aggregate_grid",
        {"data": "@project/rain.nc", "polygons": "@project/places.gpkg", "statistic": "max"},
    ),  # which layer?
    (
        "aggregate_grid",
        {
            "data": "@project/rain.nc",
            "polygons": "@project/places.gpkg",
            "statistic": "max",
            "options": {"layer": "districts"},
        },
    ),
    (
        "zonal_statistics",
        {
            "data": "@project/cover.tif",
            "polygons": "@project/places.gpkg",
            "statistics": ["fractions"],
            "options": {"layer": "fields"},
        },
    ),
    ("sample_grid", {"data": "@project/cover.tif", "select": {"box": [12.744, 48.301, 12.749, 48.304]}}),
    (
        "plot",
        {
            "kind": "map",
            **COVER,
            "options": {
                "classes": {"10": "trees", "50": "built-up", "80": "water"},
                "styles": [{"style": "outline", "layer": "fields"}],
            },
        },
    ),
    _answer,
]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("project", "private"):
        (tmp_path / name).mkdir()
    project = tmp_path / "project"
    foreign.rain(project / "rain.nc")
    foreign.land_cover(project / "cover.tif")
    foreign.places(project / "places.gpkg")
    return project, tmp_path / "private"


def expected() -> str:
    """Return the answer by NumPy on the arrays that were written."""
    row = int(np.flatnonzero(foreign.LATITUDES == 47.5)[0])
    wettest = foreign.millimetres()[:, row, [5, 6]].mean(axis=1).max()
    return f"{wettest:g} mm, and 50% of it."


def check(results: list[str], images: list[bytes]) -> None:
    """Check what a model was sent for each call."""
    plain = [re.sub(r"(?<=[:,])\s+", "", each.replace("\\", "")) for each in results]
    found, rain, cover, places, refused, _, zonal, cut, drawn = plain
    assert "@project/rain.nc" in found and "@project/cover.tif" not in found
    assert "mm/day" in rain and '"last":"2021-06-30"' in rain and "sha256" in rain
    assert "EPSG:32633" in cover and "60 of 3000" in cover
    assert '"districts"' in places and '"fields"' in places
    assert "has 2 layers" in refused and 'layer="districts"' in refused
    assert "exactextract" in zonal
    assert len(re.findall(r'"value":80(?:\.0)?,', cut)) == 12 and "y 5352450" in cut
    assert "map.png" in drawn
    (picture,) = map(look, images)
    assert isinstance(picture, Look) and picture.width > 600 and picture.height > 400


@pytest.mark.accept
def test_claude_code_works_on_files_of_others(folders: tuple[Path, Path]) -> None:
    binary("@anthropic-ai/claude-code", "claude")
    install("claude-code", "earth", *folders, "--root", ".", "--workspace", "lab")
    output, requests = ask_claude_code(QUESTION, list(SCRIPT), "earth", *folders)
    blocks = [
        block
        for each in requests[-1]["messages"]
        if isinstance(each["content"], list)
        for block in each["content"]
    ]
    contents: list[Any] = [block["content"] for block in blocks if block.get("type") == "tool_result"]
    images = [part["source"]["data"] for part in contents[-1] if part["type"] == "image"]
    check([json.dumps(each) for each in contents], [base64.b64decode(each) for each in images])
    assert json.loads(output.strip().splitlines()[-1])["result"] == expected()


@pytest.mark.accept
def test_codex_works_on_files_of_others(folders: tuple[Path, Path]) -> None:
    binary("@openai/codex", "codex")
    install("codex", "earth", *folders, "--root", ".", "--workspace", "lab")
    events, requests = ask_codex(QUESTION, list(SCRIPT), *folders)
    items = [each["item"] for each in events if each["type"] == "item.completed"]
    outputs = [item for item in requests[-1]["input"] if item.get("type") == "function_call_output"]
    assert len(outputs) == len(SCRIPT) - 1
    texts = [json.dumps(each["output"]) for each in outputs]
    images = [part["image_url"] for part in outputs[-1]["output"] if part["type"] == "input_image"]
    check(texts, [base64.b64decode(each.partition(",")[2]) for each in images])
    assert [item["text"] for item in items if item["type"] == "agent_message"][-1] == expected()
