"""Every suite: its scorer gives what its fixtures say; a second solution of each kind of question is accepted."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from labrig_harness import agents, blobs, suites
from labrig_harness.agents.reference import Reference
from labrig_harness.channels import read_submission
from labrig_harness.endings import END_REASONS
from labrig_harness.registry.entries import entries
from labrig_harness.run.bench import WorkBench
from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Fixture, Score, Suite, Unsolvable
from labrig_harness.trajectory import Step, Submission, Trajectory
from support.in_memory import in_memory
from support.toys_installed import toys_installed

NAMES = [
    *(name for name in suites.names() if any(arm.server for arm in suites.load(name).arms)),
    "toy-volumes",
]
"""All but those that stand for records of others."""

SCORED = [*NAMES, "questions"]
"""With the one whose servers its files name."""

HOSTILE = (
    "",
    "\0",
    "B\0",
    "\ud800",
    "9" * 20_000,
    "[" * 20_000,
    '{"answer": ' * 999,
    "not possible " * 999,
    "\n" * 9_999,
)

DRAWN = {"amazing-race": 8, "phreeqc-mcq": 64, "science-gym": 240, "terrabench": 32}
"""How many generated samples have every kind of question."""

AT_ONCE = 4
"""Samples played together: each has a server of its own, and that of science-gym a sandbox."""


@pytest.fixture(scope="module", autouse=True)
def toys() -> Iterator[None]:
    with toys_installed(), in_memory():
        yield


@pytest.mark.parametrize("name", SCORED)
def test_a_scorer_gives_what_its_fixtures_say_and_the_same_twice(name: str) -> None:
    suite = suites.load(name)
    assert suite.fixtures is not None, f"{name} has no fixtures"
    fixtures = suite.fixtures()
    for fixture in fixtures:
        first = suite.score(fixture.sample, fixture.trajectory)
        said = fixture.about or fixture.trajectory.submission
        assert (first.strict, first.compat) == (fixture.strict, fixture.compat), said
        assert {key: first.facts.get(key) for key in fixture.facts} == dict(fixture.facts), said
        again = suite.score(
            Sample.from_dict(fixture.sample.to_dict()), Trajectory.from_dict(fixture.trajectory.to_dict())
        )
        assert first == again
    assert any(fixture.strict == fixture.compat == 1 for fixture in fixtures), "none has full marks"
    assert any(fixture.strict == fixture.compat == 0 and not fixture.refused for fixture in fixtures)
    assert any(fixture.strict != fixture.compat for fixture in fixtures), "none tells strict from compat"
    assert any(fixture.refused and fixture.facts for fixture in fixtures), "none cannot be read"


@pytest.mark.parametrize("name", SCORED)
def test_facts_tell_what_cannot_be_read_from_a_wrong_answer(name: str) -> None:
    suite = suites.load(name)
    fixtures = fixtures_of(suite)
    for fixture in (each for each in fixtures if each.refused):
        assert (fixture.strict, fixture.compat) == (0, 0)
        for other in fixtures:
            wrong = other.strict == other.compat == 0 and not other.refused and other.trajectory.submission
            if wrong and other.sample == fixture.sample:
                facts = suite.score(other.sample, other.trajectory).facts
                said = fixture.about, other.about
                assert any(facts.get(key) != value for key, value in fixture.facts.items()), said


@pytest.mark.parametrize("name", SCORED)
def test_a_scorer_gives_nothing_for_nothing_and_raises_for_no_text(name: str) -> None:
    suite = suites.load(name)
    tried = {each.sample.labels[suite.kind]: each for each in fixtures_of(suite)}
    for sample, trajectory in ((each.sample, each.trajectory) for each in tried.values()):
        silent = replace(trajectory, steps=trajectory.steps[:1], submission=None, end="no_answer")
        for end in END_REASONS:
            score = suite.score(sample, replace(silent, end=end))
            assert (score.strict, score.compat) == (0, 0), end
        for text in HOSTILE:
            steps = (*trajectory.steps[:1], Step(1, text))
            score = suite.score(sample, replace(trajectory, steps=steps, submission=Submission(text, 1)))
            assert {score.strict, score.compat} <= {0, 1}, text[:40]
            assert Score(**json.loads(json.dumps(vars(score)))) == score, text[:40]


def drawn(suite: Suite, count: int) -> list[Sample]:
    """Return generated samples, or those of a suite that has a few of its own."""
    if not count or suite.generator is None:
        return suite.tasks(seed=0)
    return suite.generator.make("second solutions", count, progress=lambda done: None)


def of_each_kind(suite: Suite) -> list[Sample]:
    """Return the first sample of each kind of question."""
    assert suite.kind, f"{suite.name} does not say what kinds of questions it has"
    found: dict[str, Sample] = {}
    for sample in drawn(suite, DRAWN.get(suite.name, 0)):
        found.setdefault(sample.labels[suite.kind], sample)
    return list(found.values())


def fixtures_of(suite: Suite) -> Sequence[Fixture]:
    assert suite.fixtures is not None
    return suite.fixtures()


async def played(suite: Suite, sample: Sample, arm: Arm, folder: Path) -> Trajectory:
    """Play the second solution on a bench and return the trajectory."""
    assert suite.another is not None
    record, workspace = folder / "record", folder / "workspace"
    record.mkdir()
    workspace.mkdir()
    blobs.place(sample.brief.files, workspace)
    async with WorkBench(sample.brief, arm, record, workspace) as bench:
        await Reference(lambda _: suite.another(sample, arm)).run(bench)  # type: ignore[misc]
        submission = read_submission(
            arm.channel, workspace=workspace, steps=bench.steps, choices=sample.brief.choices
        )
        return Trajectory(
            *(sample.id, suite.name, "another", arm.name, 0, 0, tuple(bench.steps), submission, "answered")
        )


def not_accepted(suite: Suite, samples: Sequence[Sample], arm: Arm) -> list[tuple[object, ...]]:
    """Play the second solution of samples, some at a time, and return those to which the scorer gives less than 1.

    By compat alone in an arm that lists left files: strict may ask for them, and the trajectories here have none.
    """
    wide = replace(arm, max_steps=200, result_chars=None, left_files=False)
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(sample: Sample) -> Trajectory:
        async with gate:
            with tempfile.TemporaryDirectory() as folder:
                return await played(suite, sample, wide, Path(folder))

    async def every() -> list[Trajectory]:
        return await asyncio.gather(*map(one, samples))

    missed: list[tuple[object, ...]] = []
    for sample, done in zip(samples, asyncio.run(every()), strict=True):
        score = suite.score(sample, done)
        if score.compat != 1 or (score.strict != 1 and not arm.left_files):
            missed.append((sample.labels[suite.kind], sample.id, done.submission, sample.truth.get("answer")))
    return missed


@pytest.mark.parametrize(
    "name",
    [name if name == "toy-volumes" else pytest.param(name, marks=pytest.mark.accept) for name in NAMES],
)
def test_a_second_solution_of_each_kind_is_accepted(name: str, databases: Path) -> None:
    suite = suites.load(name)
    assert suite.another is not None, f"{name} has no second solution"
    samples = of_each_kind(suite)
    arm = next(arm for arm in suite.arms if arm.server)
    assert not_accepted(suite, samples, arm) == []
    for sample in samples:
        first, second = suite.solution(sample, arm), suite.another(sample, arm)
        assert [call.tool for call in first.calls] != [call.tool for call in second.calls] or [
            call.arguments for call in first.calls
        ] != [call.arguments for call in second.calls], "this is the reference once more"
        with pytest.raises(Unsolvable):
            second.answer([""] * len(second.calls))


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("name", "count", "step"), [("phreeqc-mcq", 200, 1), ("science-gym", 1200, 4)])
def test_a_second_solution_is_accepted_on_a_whole_set(
    name: str, count: int, step: int, databases: Path
) -> None:
    """Of science-gym every fourth sample: the four wordings of a question have the same solution."""
    suite = suites.load(name)
    samples = drawn(suite, count)[::step]
    assert len(samples) >= 200
    assert not_accepted(suite, samples, next(arm for arm in suite.arms if arm.server)) == []


def test_an_agent_of_a_suite_has_no_name_of_ours() -> None:
    for name in NAMES:
        brought = {each.name for each in entries(agents.GROUP)}
        assert not set(suites.load(name).agents) & {*agents.NAMES, *brought}
