"""The suite ``toy-volumes``: the volume of what lies on the scale, from a file of bytes and a density."""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness.agent import AgentSpec, Bench
from labrig_harness.agents.own_code import OwnCode, commit
from labrig_harness.blobs import Blob
from labrig_harness.channels import Channel
from labrig_harness.sample import Attachment, Sample, SampleInput
from labrig_harness.suite import (
    Arm,
    Call,
    Fixture,
    Generator,
    Score,
    Served,
    Solution,
    Suite,
    Table,
    Unsolvable,
)
from labrig_harness.trajectory import LeftFile, Step, Submission, ToolCall, Trajectory

NAME, VERSION = "toy-volumes", "1"
DENSITY = {"quartz": 2.65, "calcite": 2.71}
INSTRUCTIONS = "Write the volume in cm3, with two decimals and nothing else, to final_answer.txt."
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)


def make(seed: str, count: int, *, progress: Callable[[int], None] = lambda done: None) -> list[Sample]:
    """Make samples from a seed."""
    made = []
    for number in range(count):
        draw = random.Random(f"{seed}/{number}")
        masses = [round(draw.uniform(1, 9), 2) for _ in range(5)]
        mineral = draw.choice(list(DENSITY))
        brief = SampleInput(
            f"volume-{number}",
            f"masses.f8 holds the masses of grains of {mineral} in g (float64). What is their volume?",
            files={
                "masses.f8": Blob.of(struct.pack("<5d", *masses)),
                "notes/about.txt": "Weighed on a Monday.\n",
            },
            attachments=(Attachment("dial.png", "image/png", blob=Blob.of(PICTURE)),),
        )
        truth = {"answer": f"{sum(masses) / DENSITY[mineral]:.2f}", "mineral": mineral}
        made.append(
            Sample(NAME, VERSION, brief, truth, {"mineral": mineral}, limits={"max_steps": 9, "wall_s": 90})
        )
        progress(number + 1)
    return made


def solution(sample: Sample, arm: Arm) -> Solution:
    """Weigh in a job, look the density up on the shelf, divide."""
    reads = "shelf__read_file" if arm.server == "scale" else "read_file"

    def job(results: Sequence[str]) -> dict[str, Any]:
        return {"job": _found(r"job-\d+|weighing-\d+", results[0]), "wait_s": 5}

    def answer(results: Sequence[str]) -> str:
        mass = float(_found(r"mass = ([\d.e-]+)", results[1])) * (1000 if " kg" in results[1] else 1)
        density = float(_found(r"density ([\d.]+)", results[2]))
        return f"{mass / density:.2f}"

    return Solution(
        (
            Call("start_weighing", {"path": "masses.f8", "pause_s": 0.2}),
            Call("get_job", job, until=lambda text: "mass =" in text),
            Call(reads, {"path": sample.truth["mineral"]}),
        ),
        answer,
    )


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise Unsolvable(f"nothing like {pattern} in the result")
    return found[found.lastindex or 0]


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Compare two decimals; the file that the answer was written to must have been left."""
    text = trajectory.submission.text.strip() if trajectory.submission else ""
    right = float(text == sample.truth["answer"])
    left = {file.path for file in trajectory.left}
    strict = right * ("final_answer.txt" in left)
    read = bool(re.fullmatch(r"-?[\d.]+", text))
    facts = {"read": read, "left": sorted(left), "mineral": sample.truth["mineral"]}
    return Score(sample.id, trajectory.arm, trajectory.agent, trajectory.epoch, strict, right, text, facts)


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Give one table."""
    return [Table("Volumes", ("sample", "strict"), tuple((each.task, each.strict) for each in scores))]


def fixtures() -> list[Fixture]:
    """Give trajectories whose scores are known."""
    (sample,) = make("fixtures", 1)

    def submitted(text: str, *left: str) -> Trajectory:
        step = Step(
            1, calls=(ToolCall("write_file", {"path": "final_answer.txt", "content": text}, 0, False),)
        )
        files = tuple(LeftFile(path, len(text), sha256(text.encode())) for path in left)
        return Trajectory(
            sample.id,
            NAME,
            "a",
            "both",
            0,
            0,
            (Step(0, "?", source="user"), step),
            Submission(text, 1),
            "answered",
            left=files,
        )

    right = sample.truth["answer"]
    return [
        Fixture(sample, submitted(right, "final_answer.txt"), 1, 1),
        Fixture(sample, submitted(right), 0, 1),
        Fixture(sample, submitted("0.00", "final_answer.txt"), 0, 0, facts={"read": True}),
        Fixture(sample, submitted("much", "final_answer.txt"), 0, 0, refused=True, facts={"read": False}),
    ]


def another(sample: Sample, arm: Arm) -> Solution:
    """Weigh twice, and look the density up first."""
    reads = Call(
        "shelf__read_file" if arm.server == "scale" else "read_file", {"path": sample.truth["mineral"]}
    )
    weigh = Call("start_weighing", {"path": "masses.f8"})
    wait = Call("get_job", {"job": "weighing-2", "wait_s": 5}, until=lambda text: "mass =" in text)
    one = solution(sample, arm)
    return Solution(
        (reads, weigh, weigh, wait), lambda results: one.answer((results[1], results[3], results[0]))
    )


class Guesser(OwnCode):
    """The agent ``toy-guesser``: says what its setting says."""

    def __init__(self, spec: AgentSpec, seed: str) -> None:
        if "guess" not in spec.settings:
            raise LabrigError("The agent toy-guesser needs a guess", where="--set", expected="guess=1.23")
        self._guess = str(spec.settings["guess"])

    async def run(self, bench: Bench) -> None:
        """Commit the guess."""
        await commit(bench, self._guess)


def _row(sample: Sample) -> dict[str, Any]:
    return sample.to_dict()


def _task(row: dict[str, Any]) -> Sample:
    try:
        return Sample.from_dict(row)
    except ValueError as error:
        raise LabrigError(f"This is not a sample of {NAME}: {error}") from error


SCALE = ServeOptions(settings={"unit": "kg"})
both = Arm(
    "both",
    "scale",
    SCALE,
    INSTRUCTIONS,
    Channel("file", "final_answer.txt"),
    also=(Served("shelf"),),
    result_chars=300,
    left_files=True,
    max_steps=3,
    about="scale and shelf in one workspace",
)
arms = (
    both,
    Arm("direct", instructions=INSTRUCTIONS, channel=Channel("json"), max_steps=1),
)
suite = Suite(
    NAME,
    VERSION,
    "1",
    "volumes of grains, from masses and a density",
    arms,
    lambda *, seed: make(str(seed), 6),
    solution,
    score,
    tables,
    "mineral",
    generator=Generator(make, lambda seed: json.dumps(seed), _row, _task),
    fixtures=fixtures,
    kind="mineral",
    another=another,
    agents={"toy-guesser": Guesser},
)
