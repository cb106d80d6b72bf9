"""Items of terrabench played over MCP, and the marks that the reference must get; within `in_memory`."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from labrig_harness import blobs
from labrig_harness.agent import AgentSpec
from labrig_harness.agents import make
from labrig_harness.asking import asking
from labrig_harness.channels import read_submission
from labrig_harness.run.bench import WorkBench
from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Score
from labrig_harness.trajectory import Trajectory
from labrig_suites.terrabench import suite
from labrig_suites.terrabench.metrics.families import family_of
from support.terrabench_faults import reference

TERRA = suite.arm("agent-terra")


async def _played(sample: Sample, arm: Arm, kind: str, folder: Path) -> Trajectory:
    record, workspace = folder / "record", folder / "workspace"
    record.mkdir()
    workspace.mkdir()
    blobs.place(sample.brief.files, workspace)
    agent = make(AgentSpec(kind), seed=0, solve=lambda _: suite.solution(sample, arm), own=suite.agents)
    async with WorkBench(sample.brief, arm, record, workspace) as bench:
        await agent.run(bench)
        submission = read_submission(arm.channel, workspace=workspace, steps=bench.steps, choices=())
        end = "answered" if submission else "no_answer"
        return Trajectory(
            *(sample.id, suite.name, kind, arm.name, 0, 0, tuple(bench.steps), submission, end)  # type: ignore[arg-type]
        )


def play(sample: Sample, arm: Arm = TERRA, kind: str = "reference") -> tuple[Trajectory, Score]:
    """Return a run of an item and its score."""
    with tempfile.TemporaryDirectory() as folder:
        run = asyncio.run(_played(sample, arm, kind, Path(folder)))
    return run, suite.score(sample, run)


def full_marks(sample: Sample, arm: Arm = TERRA, families: int = 5) -> None:
    """Play the reference: every mark, and calls of so many families at least."""
    run, score = play(sample, arm)
    assert (score.strict, score.compat) == (1, 1), (sample.labels, score.answer)
    metrics = score.facts["metrics"]
    assert metrics["ToolUseScore"] == metrics["NumScore"] == metrics["Hit@tol"] == 1, sample.labels
    assert len({family_of(call.tool) for call in run.calls}) >= families


def results_of(sample: Sample, arm: Arm = TERRA) -> list[str]:
    """Return the results of the reference's calls."""
    with tempfile.TemporaryDirectory() as folder:
        blobs.place(sample.brief.files, Path(folder))
        with asking("earth", replace(arm.serve, workspace=Path(folder))) as ask:
            results: list[str] = []
            for call in suite.solution(sample, arm).calls:
                results.append(ask(call.tool, call.bind(results)))
            return results


def text_of(sample: Sample, path: str) -> str:
    """Return a file of an item."""
    content = sample.brief.files[path]
    return content.read().decode() if isinstance(content, blobs.Blob) else content


def with_changed(results: Sequence[str], place: int) -> list[str]:
    """Return results, one of them with every number changed."""

    def visit(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: visit(each) for key, each in value.items()}
        if isinstance(value, list):
            return [visit(each) for each in value]
        return value * 1.5 + 1 if isinstance(value, float | int) and not isinstance(value, bool) else value

    return [*results[:place], json.dumps(visit(json.loads(results[place]))), *results[place + 1 :]]


def long_path(sample: Sample) -> list[dict[str, Any]]:
    """Return the longer path of an item; the shorter one, which lacks two of its calls, must get full marks."""
    long, short = sample.truth["paths"]
    assert len(long) - len(short) == 2
    run = reference(replace(sample, truth={**sample.truth, "paths": [short]}))
    assert suite.score(sample, run).strict == 1
    return list(long)


def hangs_on_the_short_path(
    sample: Sample, results: Sequence[str], calls: Collection[int], doubted: Collection[int]
) -> None:
    """Require that of these calls the short path lacks those that are doubted and move nothing, and no others."""
    (long, short), solution = sample.truth["paths"], suite.solution(sample, TERRA)
    for place in calls:
        needless = place in doubted and solution.answer(with_changed(results, place)) == solution.answer(
            results
        )
        assert needless == (long[place] not in short), place
