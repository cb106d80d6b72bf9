"""The reference solution over MCP: right in both arms, and by nothing but the results of its calls."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Arm, Solution, Unsolvable
from labrig_repository.server import toolbox
from labrig_suites.science_gym.items import generate
from labrig_suites.science_gym.question import EXPECTED, NOT_POSSIBLE, TYPES, Expected
from labrig_suites.science_gym.solution import shown, solution
from support.sandbox_rig import skip_unless
from support.solved import results_of

ARMS = [Arm(f"agent-{name}", "repository", ServeOptions(toolsets=(name,))) for name in ("paper", "default")]
METADATA = ("readme", "title", "abstract")


@asynccontextmanager
async def served(arm: Arm, workspace: Path) -> AsyncIterator[Client[Any]]:
    skip_unless()
    async with Client(build(toolbox, replace(arm.serve, workspace=workspace))) as client:
        yield client


def solved(sample: Sample, arm: Arm) -> Solution:
    """Return the solution, made without the answer."""
    return solution(replace(sample, truth={"query": sample.truth["query"]}), arm)


def message(played: Solution, results: Sequence[str]) -> str:
    """Return the final message, or why there is none."""
    try:
        return played.answer(results)
    except Unsolvable:
        return "unsolvable"


def is_right(said: str, expected: Expected) -> bool:
    """Return whether a message is the truth, rounded as it was asked for."""
    match = re.fullmatch(r'\{"answer": "(.*)"\}', said)
    if match is None:
        return False
    if expected.kind != "number":
        return match[1] == expected.value
    number, truth = float(match[1]), float(expected.value)
    return f"{number:.{expected.digits - 1}e}" == f"{truth:.{expected.digits - 1}e}"


def emptied(text: str) -> str:
    return ""


STRUCTURE = frozenset(
    ["answer", "status", "success", "ok", "output", "error", "null", "paths", "file_content"]
)


def reworded(text: str) -> str:
    """Return a result in its form with other words and numbers in it."""
    shifted = re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), text)
    return re.sub(
        r"(?<!\\)[A-Za-z_]+", lambda word: word[0] if word[0] in STRUCTURE else f"{word[0][::-1]}q", shifted
    )


def unmarked(text: str) -> str:
    """Return a result without the marks of headings."""
    return text.replace("#", "")


async def check(samples: Sequence[Sample], arm: Arm, workspace: Path) -> None:
    """See that every answer is right, and that each hangs on every result."""
    async with served(arm, workspace) as client:
        for sample in samples:
            expected = EXPECTED.validate_python(sample.truth["expected"])
            played = solved(sample, arm)
            results = await results_of(client, played)
            said = message(played, results)
            assert is_right(said, expected), (sample.truth, said)
            for at in range(len(results)):
                others = [
                    message(played, [*results[:at], change(results[at]), *results[at + 1 :]])
                    for change in (emptied, reworded, unmarked)
                ]
                assert others[0] == "unsolvable", sample.truth
                if sample.labels["type"] in METADATA and expected.value in (NOT_POSSIBLE, "no README"):
                    continue  # what is not there is not there in other words either
                assert set(others[1:]) != {said}, (sample.truth, at)


@pytest.mark.parametrize(
    "arm",
    [
        pytest.param(arm, id=arm.name, marks=() if arm.name == "agent-default" else pytest.mark.accept)
        for arm in ARMS
    ],
)
async def test_the_reference_is_right_and_hangs_on_every_result(arm: Arm, tmp_path: Path) -> None:
    await check(generate("reference", 48)[::4], arm, tmp_path / "workspace")


@pytest.mark.accept
@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
async def test_the_reference_is_right_in_every_style_and_type(arm: Arm, tmp_path: Path) -> None:
    samples = generate("every type", 240)
    chosen = [sample for n, sample in enumerate(samples) if n % 4 == n // 4 % 4]
    assert {sample.labels["type"] for sample in chosen} == set(TYPES)
    assert len({sample.labels["style"] for sample in chosen}) == 4
    await check(chosen, arm, tmp_path / "workspace")


@pytest.mark.parametrize(
    ("found", "digits", "said"),
    [
        ("1234.5", 3, "1230"),
        ("0.00012346", 4, "0.0001235"),
        ("-9.96", 2, "-10"),
        ("5.0e-05", 2, "0.000050"),
        ("1234.0", 2, "1234"),  # whole numbers are not rounded
        ("-3.0", 0, "-3"),
        ("2.5", 0, "2.5"),
        ("not possible", 3, "not possible"),
        ("yes, no", 3, "yes, no"),
        ("nan", 3, "nan"),
    ],
)
def test_numbers_have_the_digits_that_the_prompt_asks_for(found: str, digits: int, said: str) -> None:
    prompt = (
        f"If your answer is a number, report it to {digits} significant figures." if digits else "How many?"
    )
    assert shown(found, prompt) == said


@pytest.mark.parametrize(
    ("arm", "truth"),
    [
        (Arm("direct"), None),
        (Arm("agent-toc", "phreeqc", ServeOptions(toolsets=("other",))), None),
        (Arm("agent-reading", "repository", ServeOptions(("paper",), tools=("read_text_file",))), None),
        (ARMS[0], {"answer": "B"}),
        (ARMS[0], {"query": {"type": "of another version"}}),
    ],
)
def test_what_there_is_no_reference_for(arm: Arm, truth: dict[str, Any] | None) -> None:
    query = {"repository": "isg/1:7", "type": "count-rows", "scheme": ".*", "path": "a.csv"}
    sample = Sample("science-gym", "1", SampleInput("t", "How many rows?"), truth or {"query": query})
    with pytest.raises(Unsolvable):
        solution(sample, arm)
