"""phreeqc-mcq: where the chain broke, from the record, for modellers who make the mistakes that the options name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fastmcp import Client

from labrig.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.suite import Arm, Score
from labrig_harness.suites.phreeqc_mcq import items, suite
from labrig_harness.suites.phreeqc_mcq.evidence import evidence
from labrig_harness.suites.phreeqc_mcq.scenario import READING
from labrig_harness.suites.phreeqc_mcq.solution import solution
from labrig_harness.suites.phreeqc_mcq.stems import STEMS
from labrig_harness.task import Task
from labrig_harness.trajectory import EndReason, Step, Submission, ToolCall, Trajectory
from labrig_phreeqc.server import toolbox

NAMES = (
    "cadmium-in-calcite",
    "coastal-sediment",
    "evaporating-lake",
    "gassy-well",
    "limestone-filter",
    "zinc-adsorption-edge",
)


@pytest.fixture(scope="module")
def made(databases: Path) -> list[Task]:
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

    async def solve(self, task: Task) -> str:
        """Play the reference solution of `task` without committing; return its letter."""
        solved = solution(task, self.arm)
        results: list[str] = []
        for call in solved.calls:
            results.append(await self.call(call.tool, call.bind(results)))
        return solved.answer(results)

    def score(self, task: Task, text: str | None, end: EndReason = "answered") -> Score:
        """Score what was done, with `text` committed."""
        calls = list(self.calls)
        if text is not None and self.arm.server:
            calls.append(
                ToolCall("write_file", {"path": "final_answer.txt", "content": text}, len(calls), False)
            )
        steps = [Step(n + 1, calls=(call,)) for n, call in enumerate(calls)] or [Step(1)]
        submission = None if text is None else Submission(text, steps[-1].index)
        done = Trajectory(task.id, suite.name, "tester", self.arm.name, 0, 0, tuple(steps), submission, end)
        scored = suite.score(task, done)
        return replace(
            scored,
            facts=scored.facts
            | evidence(
                task, done, lambda call: self.texts[call.record] if call.record < len(self.texts) else ""
            ),
        )


def mistaken(task: Task, letters: Sequence[str]) -> Task:
    """Return the item as somebody understands it who missed what leads to an option."""
    missed = [each for letter in letters for each in task.truth["options"][letter]["missed"]]
    states = task.truth["states"] | {each["switch"]: each["state"] for each in missed}
    return replace(task, truth=task.truth | {"states": states})


def wrong(task: Task) -> list[str]:
    return [letter for letter in task.truth["options"] if letter != task.truth["answer"]]


@pytest.mark.parametrize("protocol", ["toc", "raw:100000"])
async def test_a_missed_switch_is_found_at_its_place(
    made: list[Task], private_home: Path, tmp_path: Path, protocol: str
) -> None:
    options = ServeOptions(toolsets=("paper",), output=protocol, workspace=tmp_path / "w")
    seen = set()
    async with Client(build(toolbox, options)) as client:
        for task in made:
            for letter in wrong(task):
                agent = Modeller(client, Arm("agent", "phreeqc", options))
                assert await agent.solve(mistaken(task, letter)) == letter
                scored = agent.score(task, letter)
                kinds = {each["kind"] for each in task.truth["options"][letter]["missed"]}
                expected = "navigation" if kinds <= set(READING) else "input"
                assert scored.facts["break"] == expected, (task.labels["stem"], kinds)
                assert letter in scored.facts["shown"] and scored.facts["missed"]
                assert scored.facts["output_chars"] > 2_000 and scored.compat == 0
                seen.add(expected)
    assert seen == {"input", "navigation"}


async def test_the_other_places_of_the_chain(made: list[Task], private_home: Path, tmp_path: Path) -> None:
    options = ServeOptions(toolsets=("paper",), output="toc", workspace=tmp_path / "w")
    arm = Arm("agent", "phreeqc", options)
    task = next(
        task
        for task in made
        if all(each["kind"] not in READING for each in task.truth["options"][wrong(task)[0]]["missed"])
    )
    letter, right = wrong(task)[0], task.truth["answer"]
    async with Client(build(toolbox, options)) as client:
        agent = Modeller(client, arm)
        assert agent.score(task, None, "no_answer").facts["break"] == "input"  # nothing was built
        await agent.call("write_file", {"path": "input.pqi", "content": "SOLUTION 1\n pH seven\nEND\n"})
        assert agent.score(task, letter).facts["break"] == "input"  # written, and never run
        await agent.call("execute_phreeqc", {"input_path": "input.pqi"})
        failed = agent.score(task, letter)
        assert (failed.facts["break"], failed.facts["failed_executions"]) == ("execution", 1)

        agent = Modeller(client, arm)
        assert await agent.solve(task) == right
        scored = agent.score(task, right)
        assert (scored.strict, scored.compat, scored.facts["break"]) == (1, 1, "")
        assert scored.facts["output_chars"] == task.truth["output_chars"]
        assert agent.score(task, letter).facts["break"] == "answer"
        assert agent.score(task, None, "step_limit").facts["break"] == "answer"
        assert agent.score(task, "I think A").facts["break"] == "answer"

        agent.calls, agent.texts = agent.calls[:2], agent.texts[:2]  # it ran, and nothing was read
        assert agent.score(task, None, "step_limit").facts["break"] == "navigation"
        assert agent.score(task, letter).facts["break"] == "navigation"


@pytest.mark.parametrize(("protocol", "read"), [("raw:100000", False), ("toc", True), ("toc", False)])
async def test_a_whole_output_without_the_quantity_is_of_a_wrong_model(
    made: list[Task], private_home: Path, tmp_path: Path, protocol: str, read: bool
) -> None:
    options = ServeOptions(toolsets=("paper",), output=protocol, workspace=tmp_path / "w")
    task = next(
        task
        for task in made
        if any(each["kind"] not in READING for each in task.truth["options"][wrong(task)[0]]["missed"])
    )
    async with Client(build(toolbox, options)) as client:
        agent = Modeller(client, Arm("agent", "phreeqc", options))
        await agent.call("write_file", {"path": "input.pqi", "content": "TITLE nothing\nEND\n"})
        await agent.call("execute_phreeqc", {"input_path": "input.pqi"})
        if read:
            await agent.call("read_file", {"path": "result.out", "start_line": 1, "end_line": 10**9})
        scored = agent.score(task, wrong(task)[0])
    assert scored.facts["shown"] == []
    assert scored.facts["break"] == ("navigation" if (protocol, read) == ("toc", False) else "input")


async def test_a_value_in_a_selected_output_counts_as_shown(
    made: list[Task], private_home: Path, tmp_path: Path
) -> None:
    options = ServeOptions(toolsets=("paper",), output="toc", workspace=tmp_path / "w")
    task = made[0]
    async with Client(build(toolbox, options)) as client:
        agent = Modeller(client, Arm("agent", "phreeqc", options))
        await agent.solve(task)
        agent.calls, agent.texts = agent.calls[:2], agent.texts[:2]
        agent.texts.append(f"step\tvalue\n1\t{task.truth['value']:.10e}\n")
        agent.calls.append(ToolCall("read_file", {"path": "selected.tsv"}, 2, False, result="2"))
        assert agent.score(task, "E").facts["shown"] == [task.truth["answer"]]


def test_arms_without_tools_have_no_chain(made: list[Task]) -> None:
    done = Trajectory(
        made[0].id, suite.name, "x", "direct", 0, 0, (Step(1),), Submission(wrong(made[0])[0], 1), "answered"
    )
    assert suite.score(made[0], done).facts["break"] == ""
