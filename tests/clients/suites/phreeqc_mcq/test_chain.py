"""phreeqc-mcq: where the chain broke, from the record, for modellers who make the mistakes that the options name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.endings import EndReason
from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Score
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from labrig_phreeqc.server import toolbox
from labrig_suites.phreeqc_mcq import items, suite
from labrig_suites.phreeqc_mcq.evidence import evidence
from labrig_suites.phreeqc_mcq.scenario import READING
from labrig_suites.phreeqc_mcq.solution import solution
from labrig_suites.phreeqc_mcq.stems import STEMS

NAMES = (
    "cadmium-in-calcite",
    "coastal-sediment",
    "evaporating-lake",
    "gassy-well",
    "limestone-filter",
    "zinc-adsorption-edge",
)


@pytest.fixture(scope="module")
def made(databases: Path) -> list[Sample]:
    return items.generate("chain", 6, stems=[stem for stem in STEMS if stem.name in NAMES])


class Modeller:
    """Plays calls over MCP and keeps what a record would."""

    def __init__(self, client: Client, arm: Arm) -> None:
        self.client, self.arm = client, arm
        self.calls: list[ToolCall] = []
        self.texts: list[str] = []

    async def call(self, tool: str, arguments: dict[str, object]) -> str:
        wire = await self.client.call_tool_mcp(tool, arguments)
        self.texts.append("\n".join(part.text for part in wire.content))
        self.calls.append(
            ToolCall(tool, arguments, len(self.calls), wire.is_error, result=str(len(self.calls)))
        )
        return self.texts[-1]

    async def solve(self, sample: Sample) -> str:
        """Play the reference solution of `task` without committing; return its letter."""
        solved = solution(sample, self.arm)
        results: list[str] = []
        for call in solved.calls:
            results.append(await self.call(call.tool, call.bind(results)))
        return solved.answer(results)

    def score(self, sample: Sample, text: str | None, end: EndReason = "answered") -> Score:
        """Score what was done, with `text` committed."""
        calls = list(self.calls)
        if text is not None and self.arm.server:
            calls.append(
                ToolCall("write_file", {"path": "final_answer.txt", "content": text}, len(calls), False)
            )
        steps = [Step(n + 1, calls=(call,)) for n, call in enumerate(calls)] or [Step(1)]
        submission = None if text is None else Submission(text, steps[-1].index)
        done = Trajectory(sample.id, suite.name, "tester", self.arm.name, 0, 0, tuple(steps), submission, end)
        scored = suite.score(sample, done)
        return replace(
            scored,
            facts=scored.facts
            | evidence(
                sample, done, lambda call: self.texts[call.record] if call.record < len(self.texts) else ""
            ),
        )


def mistaken(sample: Sample, letters: Sequence[str]) -> Sample:
    """Return the item as somebody understands it who missed what leads to an option."""
    missed = [each for letter in letters for each in sample.truth["options"][letter]["missed"]]
    states = sample.truth["states"] | {each["switch"]: each["state"] for each in missed}
    return replace(sample, truth=sample.truth | {"states": states})


def wrong(sample: Sample) -> list[str]:
    return [letter for letter in sample.truth["options"] if letter != sample.truth["answer"]]


@pytest.mark.parametrize("protocol", ["toc", "raw:100000"])
async def test_a_missed_switch_is_found_at_its_place(
    made: list[Sample], private_home: Path, tmp_path: Path, protocol: str
) -> None:
    options = ServeOptions(toolsets=("paper",), output=protocol, workspace=tmp_path / "w")
    seen = set()
    async with Client(build(toolbox, options)) as client:
        for sample in made:
            for letter in wrong(sample):
                agent = Modeller(client, Arm("agent", "phreeqc", options))
                assert await agent.solve(mistaken(sample, letter)) == letter
                scored = agent.score(sample, letter)
                kinds = {each["kind"] for each in sample.truth["options"][letter]["missed"]}
                expected = "navigation" if kinds <= set(READING) else "input"
                assert scored.facts["break"] == expected, (sample.labels["stem"], kinds)
                assert letter in scored.facts["shown"] and scored.facts["missed"]
                assert scored.facts["output_chars"] > 2_000 and scored.compat == 0
                seen.add(expected)
    assert seen == {"input", "navigation"}


@pytest.mark.accept
async def test_the_other_places_of_the_chain(made: list[Sample], private_home: Path, tmp_path: Path) -> None:
    options = ServeOptions(toolsets=("paper",), output="toc", workspace=tmp_path / "w")
    arm = Arm("agent", "phreeqc", options)
    sample = next(
        sample
        for sample in made
        if all(each["kind"] not in READING for each in sample.truth["options"][wrong(sample)[0]]["missed"])
    )
    letter, right = wrong(sample)[0], sample.truth["answer"]
    async with Client(build(toolbox, options)) as client:
        agent = Modeller(client, arm)
        assert agent.score(sample, None, "no_answer").facts["break"] == "input"  # nothing was built
        await agent.call("write_file", {"path": "input.pqi", "content": "SOLUTION 1\n pH seven\nEND\n"})
        assert agent.score(sample, letter).facts["break"] == "input"  # written, and never run
        await agent.call("execute_phreeqc", {"input_path": "input.pqi"})
        failed = agent.score(sample, letter)
        assert (failed.facts["break"], failed.facts["failed_executions"]) == ("execution", 1)

        agent = Modeller(client, arm)
        assert await agent.solve(sample) == right
        scored = agent.score(sample, right)
        assert (scored.strict, scored.compat, scored.facts["break"]) == (1, 1, "")
        assert scored.facts["output_chars"] == sample.truth["output_chars"]
        assert agent.score(sample, letter).facts["break"] == "answer"
        assert agent.score(sample, None, "step_limit").facts["break"] == "answer"
        assert agent.score(sample, "I think A").facts["break"] == "answer"

        agent.calls, agent.texts = agent.calls[:2], agent.texts[:2]  # it ran, and nothing was read
        assert agent.score(sample, None, "step_limit").facts["break"] == "navigation"
        assert agent.score(sample, letter).facts["break"] == "navigation"


@pytest.mark.parametrize(("protocol", "read"), [("raw:100000", False), ("toc", True), ("toc", False)])
async def test_a_whole_output_without_the_quantity_is_of_a_wrong_model(
    made: list[Sample], private_home: Path, tmp_path: Path, protocol: str, read: bool
) -> None:
    options = ServeOptions(toolsets=("paper",), output=protocol, workspace=tmp_path / "w")
    sample = next(
        sample
        for sample in made
        if any(each["kind"] not in READING for each in sample.truth["options"][wrong(sample)[0]]["missed"])
    )
    async with Client(build(toolbox, options)) as client:
        agent = Modeller(client, Arm("agent", "phreeqc", options))
        await agent.call("write_file", {"path": "input.pqi", "content": "TITLE nothing\nEND\n"})
        await agent.call("execute_phreeqc", {"input_path": "input.pqi"})
        if read:
            await agent.call("read_file", {"path": "result.out", "start_line": 1, "end_line": 10**9})
        scored = agent.score(sample, wrong(sample)[0])
    assert scored.facts["shown"] == []
    assert scored.facts["break"] == ("navigation" if (protocol, read) == ("toc", False) else "input")


async def test_a_value_in_a_selected_output_counts_as_shown(
    made: list[Sample], private_home: Path, tmp_path: Path
) -> None:
    options = ServeOptions(toolsets=("paper",), output="toc", workspace=tmp_path / "w")
    sample = made[0]
    async with Client(build(toolbox, options)) as client:
        agent = Modeller(client, Arm("agent", "phreeqc", options))
        await agent.solve(sample)
        agent.calls, agent.texts = agent.calls[:2], agent.texts[:2]
        agent.texts.append(f"step\tvalue\n1\t{sample.truth['value']:.10e}\n")
        agent.calls.append(ToolCall("read_file", {"path": "selected.tsv"}, 2, False, result="2"))
        assert agent.score(sample, "E").facts["shown"] == [sample.truth["answer"]]


def test_arms_without_tools_have_no_chain(made: list[Sample]) -> None:
    done = Trajectory(
        made[0].id, suite.name, "x", "direct", 0, 0, (Step(1),), Submission(wrong(made[0])[0], 1), "answered"
    )
    assert suite.score(made[0], done).facts["break"] == ""
