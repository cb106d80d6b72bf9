"""The real Claude Code, given the atlas server by ``labrig install``, answers a question of several steps.

Its model is scripted on 127.0.0.1, but knows no value: each step is made of the results before it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from labrig_atlas.articles import read_articles
from support.real_clients import ask_claude_code, install
from support.sandbox_rig import skip_unless
from support.scripted_model import Turn

PEOPLE = ("Albert Einstein", "Mario Vargas Llosa")
QUESTION = f"What is the elevation difference between the birthplaces of {PEOPLE[0]} and {PEOPLE[1]}?"
BIRTHPLACE = re.compile(r'"Birthplace",\s*"text":\s*"([^"]+)"')
HEIGHT = re.compile(r'"elevation of [^"]+",\s*"value":\s*([\d.]+)')


def _plain(asked: str) -> str:
    """Return a request without the strokes of JSON in JSON."""
    return asked.replace("\\", "")


def _heights(asked: str) -> Turn:
    return "get_elevations", {"places": list(dict.fromkeys(BIRTHPLACE.findall(_plain(asked))))}


def _difference(asked: str) -> Turn:
    first, second = list(dict.fromkeys(HEIGHT.findall(_plain(asked))))
    return "run_python_code", {"code": f"print('difference', round(abs({first} - {second}), 1))"}


def _answer(asked: str) -> Turn:
    return f"The difference is {re.findall(r'difference ([0-9.]+)', _plain(asked))[-1]} m."


SCRIPT: list[Turn] = [
    ("search_pages", {"query": PEOPLE[0]}),
    ("fetch_webpage", {"url": PEOPLE[0]}),
    ("fetch_webpage", {"url": PEOPLE[1]}),
    _heights,
    _difference,
    _answer,
]


def _from_the_tables() -> float:
    """Return the difference as the articles of the world have it, metres."""
    articles = {article.title: article for article in read_articles()}
    heights = []
    for person in PEOPLE:
        (town, *_) = re.findall(r"\[\[([^\]|]+)", articles[person].infobox["Birthplace"])
        heights.append(float(articles[town].infobox["Elevation"].removesuffix(" m").replace(",", "")))
    return abs(heights[0] - heights[1])


@pytest.mark.accept
def test_claude_code_finds_the_difference_of_two_birthplaces(tmp_path: Path) -> None:
    skip_unless()
    project, private = tmp_path / "project", tmp_path / "private"
    project.mkdir()
    private.mkdir()
    install("claude-code", "atlas", project, private)
    output, requests = ask_claude_code(QUESTION, list(SCRIPT), "atlas", project, private)
    events = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    expected = _from_the_tables()
    assert expected > 0
    assert events[-1]["result"] == f"The difference is {expected:g} m."
    assert "Labrig's own short article" in json.dumps(requests[-1]), (
        "what the model was given names its source"
    )
