"""An episode: one sample, worked on by an agent that somebody else runs, and scored from what our server saw.

The evidence is what the agent cannot write: the server's own log of its calls (``labrig serve --log-calls``) and the
workspace that it served. Of the agent's words only the last message counts, in an arm that answers by one.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig_harness import blobs, suites
from labrig_harness.agent import AgentSpec
from labrig_harness.agents.reference import Reference
from labrig_harness.arm import Arm
from labrig_harness.channels import read_submission
from labrig_harness.left_files import left_files
from labrig_harness.recording.call_store import Session
from labrig_harness.recording.recorder import Course
from labrig_harness.records.items_file import read_tasks
from labrig_harness.records.outfolder import json_text, write_new
from labrig_harness.registry.servers import Target, serve_flags
from labrig_harness.run.bench import WorkBench
from labrig_harness.run.linking import tool_call
from labrig_harness.run.plan import RunPlan
from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Suite
from labrig_harness.trajectory import Step, Trajectory

SCHEMA = "labrig.episode/1"
AGENT = "elsewhere"


@dataclass(frozen=True)
class Episode:
    """A sample in an arm of its suite, with the limits that both set."""

    suite: Suite
    arm: Arm
    sample: Sample

    @classmethod
    def of(cls, suite: Suite, arm: Arm, sample: Sample) -> Episode:
        """Return the episode of a sample.

        Raises
        ------
        LabrigError
            For an arm that has no server of ours, or several, whose calls one log could not name.
        """
        if len(arm.served) != 1 or arm.targets:
            one = [each.name for each in suite.arms if len(each.served) == 1]
            raise LabrigError(
                f"The arm {arm.name} has {len(arm.served) or 'no'} servers, and an episode elsewhere has one",
                where="--arm",
                expected=f"one of {', '.join(one)}",
                code="refused",
            )
        return cls(suite, RunPlan(suite, arm, AgentSpec(AGENT), (sample,)).arm_of(sample), sample)

    @classmethod
    def read(cls, path: Path) -> Episode:
        """Return the episode that `write` wrote."""
        try:
            about = json.loads(path.read_text(encoding="utf-8"))
            if about["schema"] != SCHEMA:
                raise ValueError(f"schema {about['schema']!r}")
            sample = Sample.from_dict(about["sample"]).beside(path.parent)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise LabrigError(
                f"This is no episode: {error}", where=str(path), expected=f"a file of {SCHEMA}"
            ) from error
        suite = suites.load(sample.suite)
        if sample.suite_version not in (suite.version, *suite.earlier):
            raise LabrigError(
                f"The sample is of {suite.name} {sample.suite_version}; installed is {suite.version}",
                where=str(path),
            )
        return cls.of(suite, suite.arm(about["arm"]), sample)

    def write(self, path: Path) -> None:
        """Write the episode, its truth and files included: not where an agent reads."""
        path.parent.mkdir(parents=True, exist_ok=True)
        blobs.keep(self.sample.blobs, path.parent)
        write_new(
            path,
            json_text({"schema": SCHEMA, "arm": self.arm.name, "sample": self.sample.to_dict()}) + "\n",
        )

    @property
    def prompt(self) -> str:
        """What the agent is sent."""
        return self.arm.prompt(self.sample.brief)

    def open(self, folder: Path) -> tuple[Path, Path]:
        """Make a folder ready for the episode; return where the calls are logged, and the workspace with its files."""
        calls, workspace = _places(folder)
        calls.mkdir(parents=True)
        workspace.mkdir()
        blobs.place(self.sample.brief.files, workspace)
        return calls, workspace

    def serving(self, calls: Path, workspace: Path) -> list[str]:
        """Return the words after ``labrig serve`` that serve the episode there."""
        return [self.arm.server, *serve_flags(replace(self.arm.serve, workspace=workspace, log_calls=calls))]

    def score_folder(self, folder: Path, last: str) -> Score:
        """Return the score of what was done in a folder that `open` made."""
        return self.score(*_places(folder), last)

    def trajectory(self, calls: Path, workspace: Path, last: str = "") -> Trajectory:
        """Return what was done: a turn for each call that the server logged, then the agent's last message."""
        if not calls.is_dir():  # no log is no evidence, and not an agent that did nothing
            raise LabrigError("The server's log of calls is not here", where=str(calls), code="not_found")
        log = CallLog(calls)
        course = Course(log, Session(""), records=list(log), servers={self.arm.server: []})
        made = [Step(number + 1, calls=(tool_call(course, number),)) for number in range(len(course.records))]
        said = [Step(len(made) + 1, last)] if last.strip() else []
        steps = (Step(0, self.prompt, source="user"), *made, *said)
        brief = self.sample.brief
        submission = read_submission(
            self.arm.channel, workspace=workspace, steps=steps, choices=brief.choices
        )
        left, _ = left_files(workspace, brief.files) if self.arm.left_files else ((), "")
        return Trajectory(
            task=self.sample.id,
            suite=self.suite.name,
            agent=AGENT,
            arm=self.arm.name,
            epoch=0,
            seed=0,
            steps=steps,
            submission=submission,
            end="no_answer" if submission is None else "answered",
            left=left,
        )

    def score(self, calls: Path, workspace: Path, last: str = "") -> Score:
        """Return the score of what was done."""
        return self.suite.score(self.sample, self.trajectory(calls, workspace, last))

    async def solve(self, url: str) -> str:
        """Play the reference solution at a server, and return its last message: empty where it answers by a file."""
        arm = replace(self.arm, targets={self.arm.server: Target(self.arm.server, url)})
        with tempfile.TemporaryDirectory(prefix="labrig-solve-") as folder:
            async with WorkBench(self.sample.brief, arm, Path(folder), Path(folder)) as bench:
                await Reference(lambda _: self.suite.solution(self.sample, arm)).run(bench)
        return bench.steps[-1].text if bench.steps[-1].source == "agent" else ""


def _places(folder: Path) -> tuple[Path, Path]:
    """Return where an episode's log of calls and its workspace lie."""
    return folder / "calls", folder / "workspace"


def choose(suite: Suite, tasks: str = "", seed: int = 0, limit: int = 0) -> list[Sample]:
    """Return the samples of a file, or those of a seed; the first of them, where a limit is set."""
    if tasks:
        return read_tasks(Path(tasks), suite)[: limit or None]
    if suite.first_tasks and limit:
        return suite.first_tasks(seed, limit)
    return suite.tasks(seed=seed)[: limit or None]


def episodes_of(suite: Suite, arm: Arm, samples: Sequence[Sample]) -> dict[str, Episode]:
    """Return the episodes of samples by id; a LabrigError where what their server needs is missing here."""
    RunPlan(suite, arm, AgentSpec("nop"), tuple(samples)).check()
    return {sample.id: Episode.of(suite, arm, sample) for sample in samples}
