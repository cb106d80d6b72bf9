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
    before, failed = (WRITE_INPUT, RUN, LOOK), (WRITE_INPUT, FAILED_RUN)
    read: Mapping[str, Any] = {"committed": True, "parsed": True}

    def of(
        about: str,
        calls: Sequence[ToolCall],
        text: str | None,
        scores: tuple[float, float],
        *,
        arm: str = TOOLS,
        ended: EndReason = "answered",
        known: bool = True,
        refused: bool = False,
        **facts: Any,
    ) -> Fixture:
        run = played(sample, calls, text, arm=arm, end=ended, known=known)
        return Fixture(sample, run, *scores, refused, facts, about)

    def wrote(text: str, *calls: ToolCall) -> tuple[Sequence[ToolCall], str]:
        return (*calls, commit(text)), text

    return [
        of("a run, then the right letter", *wrote(right, *before), (1, 1), grounded=True, **read),
        of(
            "a run, then a wrong letter",
            *wrote(wrong, *before),
            (0, 0),
            diagnosis=_diagnosis(sample, wrong),
            **read,
        ),
        of("in lower case, with white space", *wrote(f" {right.lower()}\r\n", *before), (1, 1), **read),
        of(
            "the right letter, written before the limit was hit",
            *wrote(right, *before),
            (1, 1),
            ended="step_limit",
            end="step_limit",
        ),
        of("the right letter without any run", *wrote(right), (0, 1), executions=0, grounded=False),
        of(
            "the right letter first, the run after it",
            (WRITE_INPUT, commit(right), RUN, LOOK),
            right,
            (0, 1),
            executions=1,
            grounded=False,
        ),
        of(
            "a wrong letter first, then a run and the right one",
            *wrote(right, commit(wrong), *before),
            (1, 1),
        ),
        of(
            "a run that failed, then the right letter",
            *wrote(right, *failed),
            (0, 1),
            failed_executions=1,
            grounded=False,
        ),
        of(
            "a run that failed, one that went well, then the right letter",
            *wrote(right, *failed, *before),
            (1, 1),
            failed_executions=1,
            executions=2,
        ),
        of(
            "a run that only the agent's own log claims",
            *wrote(right, WRITE_INPUT, CLAIMED_RUN),
            (0, 1),
            grounded=False,
        ),
        of(
            "a file that something else than write_file made",
            before,
            right,
            (0, 1),
            known=False,
            grounded=False,
        ),
        of(
            "a run, and nothing committed",
            before,
            None,
            (0, 0),
            ended="no_answer",
            committed=False,
            parsed=False,
        ),
        of("nothing done", (), None, (0, 0), ended="model_error", committed=False, steps=0),
        of("an arm without tools: nothing could be run", (), right, (1, 1), arm=NO_TOOLS, grounded=True),
        of("the same, wrong", (), wrong, (0, 0), arm=NO_TOOLS, **read),
        *(
            of(about, *wrote(text, *before), (0, 0), refused=True, committed=True, parsed=False, diagnosis="")
            for about, text in _unreadable(sample, right, wrong).items()
        ),
    ]


def _unreadable(sample: Sample, right: str, wrong: str) -> dict[str, str]:
    """Return answers that are not one letter, by what they are."""
    option = next(line for line in sample.brief.prompt.splitlines() if line.startswith(f"{right}. "))
    return {
        "an empty file": "",
        "white space alone": " \n",
        "the letter in a sentence": f"The answer is {right}",
        "the letter with a point": f"{right}.",
        "the whole option": option,
        "its value with its unit": option.removeprefix(f"{right}. "),
        "two letters": right + wrong,
        "two lines": f"{wrong}\n{right}",
        "a JSON object": f'{{"answer": "{right}"}}',
        "a letter that is no option": "E",
        "a letter of full width": chr(ord(right) + 0xFEE0),
    }


def _diagnosis(sample: Sample, letter: str) -> str:
    return str(sample.truth["options"][letter]["diagnosis"])
