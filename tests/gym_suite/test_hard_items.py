"""Sets of the hard tier: made, read back, refused, answered over MCP by the reference."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
from fastmcp import Client

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig_harness.sample import Sample
from labrig_harness.suite import Unsolvable
from labrig_repository.server import toolbox
from labrig_suites.science_gym import items, suite
from labrig_suites.science_gym.grading import grade
from labrig_suites.science_gym.question import EXPECTED
from labrig_suites.science_gym.solution import solution
from labrig_suites.science_gym.wording import STYLES
from support.sandbox_rig import skip_unless
from support.solved import results_of

QUESTIONS = int(os.environ.get("LABRIG_HARD_QUESTIONS", "30"))
SET = {"tier": "hard"}


def made(count: int, **settings: Any) -> list[Sample]:
    return items.configured({**SET, **settings})("a seed", count)


def test_a_set_is_read_back_as_it_was_written() -> None:
    samples = made(9)
    assert [items.from_row(items.row(each)) for each in samples] == samples == made(9)
    assert [each.labels["style"] for each in samples[:5]] == [*STYLES, STYLES[0]]
    assert len({each.brief.prompt for each in samples}) == 9
    plain, usual = (made(64, **levels)[::4] for levels in ({"missing": 0}, {}))
    assert plain[0].labels["levels"] == "missing=0" and usual[0].labels["levels"] == "usual"
    same = [
        one.truth["hard"]["term"] == other.truth["hard"]["term"]
        for one, other in zip(plain, usual, strict=True)
    ]
    assert sum(same) >= 12


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answer": "17.5"}, "the answer is"),
        ({"labels": {"type": "hard-count"}}, "the labels say"),
        ({"labels": {"repository": "isg/hard-1:9-3223322221111"}}, "not about"),
    ],
)
def test_an_edited_line_is_refused(change: dict[str, Any], said: str) -> None:
    (sample,) = made(1)
    row = items.row(sample)
    edited = {**row, **{k: {**row[k], **v} if isinstance(v, dict) else v for k, v in change.items()}}
    with pytest.raises(LabrigError, match=said):
        items.from_row(edited)


@pytest.mark.parametrize("settings", [{"tier": "harder"}, {"tier": "clean", "missing": 0}, {"nothing": 1}])
def test_a_setting_that_is_none_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(LabrigError):
        items.configured(settings)("a seed", 1)


OTHER_DIGITS = str.maketrans("0123456789", "1234567890")


@pytest.mark.accept
@pytest.mark.timeout(1800)
async def test_the_reference_is_right_over_mcp_and_by_its_calls_alone() -> None:
    skip_unless()
    samples = made(QUESTIONS * len(STYLES))[:: len(STYLES)]
    wrong, unmoved = [], []
    for arm in (suite.arm("agent-default"), suite.arm("agent-paper")):
        async with Client(build(toolbox, arm.serve)) as client:
            for sample in samples[:: 1 if arm.name == "agent-default" else 10]:
                played = solution(replace(sample, truth={"hard": sample.truth["hard"]}), arm)
                results = await results_of(client, played)
                found = grade(
                    EXPECTED.validate_python(sample.truth["expected"]), said := played.answer(results), said
                )
                if not (found.strict and found.compat):
                    wrong.append((sample.labels["repository"], said, sample.truth["answer"]))
                try:
                    other = [each.translate(OTHER_DIGITS).replace("not possible", "1") for each in results]
                    if played.answer(other) == said:
                        unmoved.append((sample.labels["repository"], said))
                except Unsolvable:
                    pass
    assert not wrong and len(samples) == QUESTIONS
    assert not unmoved


def test_no_solution_without_code() -> None:
    (sample,) = made(1)
    with pytest.raises(Unsolvable):
        solution(sample, suite.arm("agent-reading"))
