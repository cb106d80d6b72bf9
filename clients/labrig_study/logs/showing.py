"""One record as text for a terminal: the question, what was said, called and answered, the submission, the score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from labrig.calls import CallLog
from labrig.errors import LabrigError, unknown_name
from labrig_harness import suites
from labrig_harness.endings import OUTSIDE
from labrig_harness.records import outfolder
from labrig_harness.records.verify import contradiction
from labrig_harness.sample import Sample
from labrig_harness.trajectory import Tokens, ToolCall, Trajectory
from labrig_study.report.prose import readable

if TYPE_CHECKING:
    from rich.console import Console

LINES, CHARS = 24, 2_000
"""What is shown of a long text: so many lines and characters, two thirds of them from its start."""


def find(
    out: Path, item: str, *, agent: str = "", arm: str = "", epoch: int | None = None
) -> tuple[Sample, list[Path], list[str]]:
    """Return an item of an output folder and its records.

    Returns
    -------
    tuple
        The task; the folders of the records asked for: one, unless more were; and lines about the others.

    Raises
    ------
    LabrigError
        If there is no such item, or no such record of it.
    """
    samples = {sample.id: sample for sample in outfolder.read_tasks(out)}
    starts = [id for id in samples if id.startswith(item)]
    id = item if item in samples else starts[0] if len(starts) == 1 else ""
    if not id:
        raise unknown_name("sample", item, samples, where="ITEM")
    found = sorted(path.parent for path in out.glob(f"*/{id}/epoch*/trajectory.json"))
    found = [folder for folder in found if (out / folder.parts[-3] / "run.json").is_file()]
    wanted = [folder for folder in found if _is_meant(folder, out, agent, arm, epoch)]
    if not wanted:
        raise LabrigError(
            f"There is no such record of {id}",
            where=str(out),
            expected="one of " + ", ".join("/".join(each.parts[-3::2]) for each in found[:20])
            if found
            else "",
            code="not_found",
        )
    rest = [f"also: {'/'.join(each.parts[-3::2])}" for each in wanted[1:]]
    return samples[id], wanted[:1] if not (agent or arm) else wanted, rest if not (agent or arm) else []


def _is_meant(folder: Path, out: Path, agent: str, arm: str, epoch: int | None) -> bool:
    about = outfolder.read_run(out, folder.parts[-3])
    label = folder.parts[-3].removeprefix(f"{about.get('arm', '')}.")
    return (
        (not arm or about.get("arm") == arm)
        and (not agent or agent in (label, folder.parts[-3]) or label == outfolder.safe(agent))
        and (epoch is None or folder.name == f"epoch{epoch}")
    )


def print_record(
    console: Console, sample: Sample, folder: Path, *, truth: bool = False, full: bool = False
) -> None:
    """Print one record."""
    trajectory = Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text(encoding="utf-8")))
    problem = contradiction(folder, trajectory)

    def head(text: str) -> None:
        console.print(readable(text), style="bold")

    def body(text: str, indent: int = 2) -> None:
        shown = text if full else cut(text)
        console.print("\n".join(" " * indent + line for line in readable(shown).splitlines()))

    head(f"{sample.id}  {trajectory.arm}.{trajectory.agent}, epoch {trajectory.epoch}")
    if problem:
        console.print(f"This record does not stand: {problem}", style="bold red")
    prompt = next((step.text for step in trajectory.steps if step.source == "user"), "")
    body(prompt or sample.brief.prompt or "(the log does not show the question)")
    if sample.brief.choices:
        body(f"options: {', '.join(sample.brief.choices)}")
    asked = False
    for step in trajectory.steps:
        if step.source == "user" and not asked:
            asked = True
            continue
        console.print()
        about = [f"step {step.index}", step.source if step.source != "agent" else step.model]
        about += [_show_tokens(step.tokens)] if step.source == "agent" else []
        head(", ".join(filter(None, [*about, *(f"fault: {fault}" for fault in step.faults)])))
        if step.reasoning:
            body(f"(reasoning) {step.reasoning}")
        if step.text:
            body(step.text)
        for call in step.calls:
            console.print(readable(f"  > {call.tool}({_show_arguments(call, full)})"), style="cyan")
            text, style = _read_result(folder, call)
            if style:
                console.print(" " * 4 + style, style="red")
            body(text, indent=4)
    console.print()
    submission = trajectory.submission
    place = f" (step {submission.step})" if submission is not None and submission.step >= 0 else ""
    head(f"submission{place}" if submission is not None else "no submission")
    if submission is not None:
        body(submission.text)
    head(f"end: {trajectory.end}" + (f" ({trajectory.end_detail})" if trajectory.end_detail else ""))
    cost = trajectory.cost
    used = [
        f"{len(trajectory.turns)} turns",
        f"{len(trajectory.calls)} calls",
        _show_tokens(trajectory.tokens),
    ]
    body(
        ", ".join(filter(None, [*used, f"{cost.amount:.4g} {cost.currency} by {cost.table}" if cost else ""]))
    )
    if not problem and sample.truth and trajectory.end not in OUTSIDE:
        try:
            score = suites.load(sample.suite).score(sample, trajectory)
        except LabrigError as error:
            head(f"no score: {error.what}")
        else:
            head(f"score: strict {score.strict:g}, compat {score.compat:g}, answer {score.answer or 'none'}")
            why = [score.facts.get("why"), *(score.facts.get("failed_calls") or ())]  # of questions of a file
            body("\n".join(str(each) for each in why if each))
    if truth:
        head("truth")
        body(json.dumps(sample.truth, indent=1, ensure_ascii=False))


def cut(text: str) -> str:
    """Return a text with its middle left out where it is long.

    >>> cut("a") == "a", "lines left out" in cut("x\\n" * 100)
    (True, True)
    """
    lines = text.splitlines()
    if len(lines) > LINES:
        start = LINES * 2 // 3
        left = len(lines) - LINES
        text = "\n".join(
            [*lines[:start], f"[... {left} lines left out; --full shows them ...]", *lines[start + left :]]
        )
    if len(text) > CHARS:
        start = CHARS * 2 // 3
        left = len(text) - CHARS
        text = f"{text[:start]} [... {left} characters left out ...] {text[start + left :]}"
    return text


def _read_result(folder: Path, call: ToolCall) -> tuple[str, str]:
    """Return what came back of a call, and a remark where that is not an ordinary result."""
    if call.record < 0:
        own = call.told and not call.is_error
        never = f"never reached a tool{f' ({call.fault})' if call.fault else ''}"
        return call.told or call.raw, "a tool of the program's own" if own else never
    log = CallLog(folder)
    try:
        record = next((each for number, each in enumerate(log) if number == call.record), None)
        if record is None or not record.result:
            what = (record.error or {}).get("what", "") if record is not None else ""
            return str(what), "no result"
        wire = log.result(record)
    except LabrigError as error:
        return "", str(error)
    parts = wire.get("content") or []
    texts = [
        str(part["text"])
        if isinstance(part, dict) and isinstance(part.get("text"), str)
        else f"[{part.get('type')} {part.get('mimeType', part.get('uri', ''))}]"
        if isinstance(part, dict)
        else str(part)
        for part in parts
    ]
    if not texts and "structuredContent" in wire:
        texts = [json.dumps(wire["structuredContent"], ensure_ascii=False, indent=1)]
    given = ""
    if call.meta.get("cut"):
        given = f"the model was given {call.delivered_bytes} bytes of this"
    return "\n".join(texts), "error" if call.is_error else given


def _show_arguments(call: ToolCall, full: bool) -> str:
    if call.raw:
        return call.raw
    shown = []
    for name, value in call.arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        text = text if full else cut(text)
        shown.append(f"{name}={text}" if "\n" not in text else f"{name}=\n{text}\n")
    return ", ".join(shown)


def _show_tokens(tokens: Tokens) -> str:
    if not tokens.measured:
        return ""
    return f"{tokens.input} tokens in ({tokens.cache_read} cached), {tokens.output} out"
