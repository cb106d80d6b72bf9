"""What a declared change does to an item: the reference solution is played on true and on changed results.

Nothing here knows a suite. What the reference computes from the true evidence is the truth; what it computes from the
changed evidence is what an agent that follows its evidence would answer. For the spec ``auto`` a change is looked for:
a number on the reference's path, and a factor after which it gives another answer.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from labrig_harness import blobs
from labrig_harness.arm import Arm
from labrig_harness.grounding import perturb
from labrig_harness.grounding.perturb import AUTO, Change, Declared
from labrig_harness.playing import played
from labrig_harness.run.bench import WorkBench
from labrig_harness.sample import Sample
from labrig_harness.suite import Solution, Suite, Unsolvable

FACTORS = (1.5, 2.0, 0.5, 3.0, 10.0, 0.1)
"""Tried after those that lead to a number of the prompt."""

POWERS = (0, 3, -3, 6, -6, 9, -9)
"""Powers of ten by which a printed number and one of the prompt may differ in unit."""

_PROMPT_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


async def declare(
    spec: str, suite: Suite, sample: Sample, arm: Arm, *, calls: str = "live", store: str = ""
) -> Declared:
    """Return what a spec changes in an item, and what the reference answers before and after.

    Parameters
    ----------
    calls, store
        As of the run: a replayed run plays the reference from the store, too.

    Raises
    ------
    LabrigError
        When the spec cannot be read.
    ServerError
        When the server does not start or dies.
    """
    wanted = None if spec == AUTO else perturb.parse(spec)
    solution = suite.solution(sample, arm)
    results = await _play_solution(solution, sample, arm, calls, store, None)
    truth = _read_answer(solution, results)
    if not truth:
        return Declared(wanted, spec, why="the reference has no answer without a change")
    change = wanted or find(solution, results, sample.brief.prompt)
    if change is None:
        return Declared(
            None, spec, truth, why="no change of one number leads the reference to another answer"
        )
    declared = Declared(change, spec, truth)
    changed = _change_results(change, results, [call.tool for call in solution.calls])
    if not _has_same_calls(
        solution, results, changed
    ):  # what it reads decides what it asks next: play it again
        changed = await _play_solution(solution, sample, arm, calls, store, declared)
    return replace(declared, expected=_read_answer(solution, changed))


def _has_same_calls(solution: Solution, results: Sequence[str], changed: Sequence[str]) -> bool:
    """Return whether a solution makes the same calls from changed results."""
    try:
        return all(
            call.bind(results[:n]) == call.bind(changed[:n])
            for n, call in enumerate(solution.calls[: len(results)])
        )
    except (Unsolvable, IndexError, ValueError):
        return False


async def _play_solution(
    solution: Solution, sample: Sample, arm: Arm, calls: str, store: str, declared: Declared | None
) -> list[str]:
    """Play a solution in a folder of its own and return its result texts, as far as it came."""
    folder, workspace = (Path(tempfile.mkdtemp(prefix="labrig-declare-")) for _ in range(2))
    arm = replace(arm, max_steps=1 + sum(call.times if call.until else 1 for call in solution.calls))
    results: list[str] = []
    try:
        blobs.place(sample.brief.files, workspace)
        async with WorkBench(
            sample.brief,
            arm,
            folder,
            workspace,
            calls="replay" if calls == "replay" else "live",
            store=store,
            perturb=declared,
        ) as bench:
            await played(bench, solution, results)
    except Unsolvable:
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(workspace, ignore_errors=True)
    return results


def _read_answer(solution: Solution, results: Sequence[str]) -> str:
    """Return what a solution answers; an empty text where the results do not hold it."""
    try:
        return solution.answer(results) if len(results) == len(solution.calls) else ""
    except (Unsolvable, IndexError, ValueError):
        return ""


# -------------------------------------------------------------------------------------------- looking for a change


def find(solution: Solution, results: Sequence[str], prompt: str) -> Change | None:
    """Return a change of one number after which a solution gives another answer, or None.

    Parameters
    ----------
    results
        What the solution's calls returned, as text.
    prompt
        Numbers of it (the options of a question) are what a changed number is led to first.
    """
    truth = _read_answer(solution, results)
    if not truth:
        return None
    wanted = list(dict.fromkeys(float(each) for each in _PROMPT_NUMBER.findall(prompt)))
    for number in reversed(range(len(results))):
        for label, printed in _find_on_path(solution, results, number, truth):
            value = float(printed)
            if not value:
                continue
            led = [each * 10.0**power / value for power in POWERS for each in wanted]
            for factor in (*led, *FACTORS):
                change = Change("scale", factor=float(f"{factor:.6g}"), match=label, value=printed)
                if change.factor not in (0.0, 1.0) and _read_answer(
                    solution, _change_results(change, results)
                ) not in (
                    "",
                    truth,
                ):
                    return change
    return None


def _change_results(change: Change, results: Sequence[str], tools: Sequence[str] = ()) -> list[str]:
    """Return the results as a run with the change would deliver them to who reads their text."""
    changed, met = [], 0
    for n, text in enumerate(results):
        wire, edits = perturb.apply(change, {"content": [{"type": "text", "text": text}]})
        if not edits or (tools and change.tool not in ("", tools[n])):
            changed.append(text)
            continue
        met += 1
        changed.append(wire["content"][0]["text"] if change.call in (0, met) else text)
    return changed


def _find_on_path(
    solution: Solution, results: Sequence[str], number: int, truth: str
) -> Iterator[tuple[str, str]]:
    """Yield the numbers of a result that the answer depends on: the words before each, and the number as printed.

    Lines are tried in halves, so that a long output needs few evaluations.
    """
    lines = results[number].splitlines(keepends=True)

    def matters(first: int, last: int, numbers: slice = slice(None)) -> bool:
        changed = [
            _blur_line(line, numbers) if first <= n < last else line for n, line in enumerate(lines)
        ]  # fmt: skip
        return _read_answer(solution, [*results[:number], "".join(changed), *results[number + 1 :]]) != truth

    spans = [(0, len(lines))]
    while spans:
        first, last = spans.pop()
        if first >= last or not matters(first, last):
            continue
        if last - first > 1:
            middle = (first + last) // 2
            spans += [(middle, last), (first, middle)]
            continue
        found = list(perturb._NUMBER.finditer(lines[first]))
        for n, hit in enumerate(found):
            if matters(first, last, slice(n, n + 1)):
                words = lines[first][: found[0].start()].split()
                yield " ".join(word for word in words if word not in ("=", ":", "|")), hit[0]


def _blur_line(line: str, numbers: slice) -> str:
    """Return a line with some of its numbers changed a little: enough for an answer that depends on them."""
    for hit in reversed(list(perturb._NUMBER.finditer(line))[numbers]):
        line = line[: hit.start()] + perturb.scaled(hit[0], 1.37) + line[hit.end() :]
    return line
