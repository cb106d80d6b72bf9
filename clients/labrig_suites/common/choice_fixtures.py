"""Trajectories on a question with lettered options, and the scores that `choice` must give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labrig_harness.endings import EndReason
from labrig_harness.sample import Sample
from labrig_harness.suite import Fixture
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from labrig_suites.common.choice import EXECUTE, READ

TOOLS, NO_TOOLS = "agent-toc", "direct"
ANSWER_FILE, UNKNOWN_STEP = "final_answer.txt", -1

WRITE_INPUT = ToolCall("write_file", {"path": "input.pqi", "content": "SOLUTION 1\nEND\n"}, 0, False)
RUN = ToolCall(EXECUTE, {"input_path": "input.pqi"}, 1, False)
FAILED_RUN = ToolCall(EXECUTE, {"input_path": "input.pqi"}, 1, True)
CLAIMED_RUN = ToolCall(EXECUTE, {"input_path": "input.pqi"}, -1, False, fault="not_delivered")
LOOK = ToolCall(READ, {"path": "result.out", "start_line": 1, "end_line": 80}, 2, False)


def commit(text: str) -> ToolCall:
    """Return the call that commits an answer."""
    return ToolCall("write_file", {"path": ANSWER_FILE, "content": text}, 3, False)


def played(
    sample: Sample,
    calls: Sequence[ToolCall],
    text: str | None,
    *,
    arm: str = TOOLS,
    end: EndReason = "answered",
    known: bool = True,
) -> Trajectory:
    """Return a trajectory of one call a turn.

    Parameters
    ----------
    text
        What was committed, None for nothing.
    known
        Whether the step that committed it is known: the last one that wrote the answer file.
    """
    steps = [Step(0, sample.brief.prompt, source="user")]
    steps += [Step(n, calls=(each,)) for n, each in enumerate(calls, 1)]
    if arm == NO_TOOLS:
        steps.append(Step(len(steps), text or "I cannot tell."))
    commits = [
        step.index for step in steps for each in step.calls if each.arguments.get("path") == ANSWER_FILE
    ]
    step = steps[-1].index if arm == NO_TOOLS else max(commits, default=UNKNOWN_STEP)
    submission = None if text is None else Submission(text, step if known else UNKNOWN_STEP)
    return Trajectory(
        *(sample.id, sample.suite, "fixture", arm, 0, 0, tuple(steps), submission, end),
    )


def choice_fixtures(sample: Sample, wrong: str) -> list[Fixture]:
    """Return fixtures of a sample; `wrong` is the letter of a wrong option.

    The options A to D have texts; the sample's truth holds them by letter with their diagnoses.
    """
    right = str(sample.truth["answer"])
    before = (WRITE_INPUT, RUN, LOOK)

    def of(
        about: str,
        trajectory: Trajectory,
        strict: float,
        compat: float,
        refused: bool = False,
        **facts: Any,
    ) -> Fixture:
        return Fixture(sample, trajectory, strict, compat, refused, facts, about)

    def after_run(text: str) -> Trajectory:
        return played(sample, (*before, commit(text)), text)

    option = next(line for line in sample.brief.prompt.splitlines() if line.startswith(f"{right}. "))
    value = option.removeprefix(f"{right}. ")
    unreadable = {
        "an empty file": "",
        "white space alone": " \n",
        "the letter in a sentence": f"The answer is {right}",
        "the letter with a point": f"{right}.",
        "the whole option": option,
        "its value with its unit": value,
        "two letters": right + wrong,
        "two lines": f"{wrong}\n{right}",
        "a JSON object": f'{{"answer": "{right}"}}',
        "a letter that is no option": "E",
        "a letter of full width": chr(ord(right) + 0xFEE0),
    }
    read: Mapping[str, Any] = {"committed": True, "parsed": True}
    return [
        of("a run, then the right letter", after_run(right), 1, 1, grounded=True, **read),
        of("a run, then a wrong letter", after_run(wrong), 0, 0, diagnosis=_diagnosis(sample, wrong), **read),
        of("in lower case, with white space", after_run(f" {right.lower()}\r\n"), 1, 1, **read),
        of(
            "the right letter, written before the limit was hit",
            played(sample, (*before, commit(right)), right, end="step_limit"),
            *(1, 1),
            end="step_limit",
        ),
        of(
            "the right letter without any run",
            played(sample, (commit(right),), right),
            *(0, 1),
            grounded=False,
            executions=0,
        ),
        of(
            "the right letter first, the run after it",
            played(sample, (WRITE_INPUT, commit(right), RUN, LOOK), right),
            *(0, 1),
            grounded=False,
            executions=1,
        ),
        of(
            "a wrong letter first, then a run and the right one",
            played(sample, (commit(wrong), *before, commit(right)), right),
            *(1, 1),
        ),
        of(
            "a run that failed, then the right letter",
            played(sample, (WRITE_INPUT, FAILED_RUN, commit(right)), right),
            *(0, 1),
            failed_executions=1,
            grounded=False,
        ),
        of(
            "a run that failed, one that went well, then the right letter",
            played(sample, (WRITE_INPUT, FAILED_RUN, *before, commit(right)), right),
            *(1, 1),
            failed_executions=1,
            executions=2,
        ),
        of(
            "a run that only the agent's own log claims",
            played(sample, (WRITE_INPUT, CLAIMED_RUN, commit(right)), right),
            *(0, 1),
            grounded=False,
        ),
        of(
            "a file that something else than write_file made",
            played(sample, before, right, known=False),
            *(0, 1),
            grounded=False,
        ),
        of(
            "a run, and nothing committed",
            played(sample, before, None, end="no_answer"),
            *(0, 0),
            committed=False,
            parsed=False,
        ),
        of(
            "nothing done",
            played(sample, (), None, end="model_error"),
            *(0, 0),
            committed=False,
            steps=0,
        ),
        of(
            "an arm without tools: nothing could be run",
            played(sample, (), right, arm=NO_TOOLS),
            *(1, 1),
            grounded=True,
        ),
        of("the same, wrong", played(sample, (), wrong, arm=NO_TOOLS), 0, 0, **read),
        *(
            of(about, after_run(text), 0, 0, True, committed=True, parsed=False, diagnosis="")
            for about, text in unreadable.items()
        ),
    ]


def _diagnosis(sample: Sample, letter: str) -> str:
    return str(sample.truth["options"][letter]["diagnosis"])
