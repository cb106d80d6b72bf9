"""Answer channels: where a submission is looked for once an agent has stopped.

============ =============================================================================
file         a file in the workspace, verbatim
predictions  the same, for files of many answers (up to 16 MB)
json         the last JSON object in the agent's last message
final_json   what stands between the last <final_json> and </final_json> of that message
answer       what follows ANSWER: in the last line of that message that begins with it
letter       the last letter of a choice that stands alone in that message
============ =============================================================================

A submission is kept verbatim; the suite's scorer parses it.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from labrig_harness.trajectory import Step, Submission, ToolCall

MOST = {"file": 65_536, "predictions": 16 * 2**20}
"""Bytes of a file that are read."""

MESSAGE = 2**20
"""Characters of a last message that are searched, from its end."""


@dataclass(frozen=True)
class Channel:
    """An answer channel; `path` is that of the file, for the two kinds that have one."""

    kind: Literal["file", "predictions", "json", "final_json", "letter", "answer"] = "file"
    path: str = "final_answer.txt"

    @property
    def is_file(self) -> bool:
        """Whether an answer is committed by writing a file."""
        return self.kind in MOST


def read_submission(
    channel: Channel, *, workspace: Path | None, steps: Sequence[Step], choices: Sequence[str] = ()
) -> Submission | None:
    """Return what was committed, or None.

    Parameters
    ----------
    workspace
        The item's workspace, as the agent left it; only the file channels look into it.
    choices
        The letters of a multiple-choice question (default A to D), for the channel ``letter``.
    """
    if channel.is_file:
        return _read_file(channel, workspace, steps) if workspace is not None else None
    last = next((step for step in reversed(steps) if step.source == "agent" and step.text.strip()), None)
    if last is None:
        return None
    text = last.text[-MESSAGE:]
    if channel.kind == "json":
        found = last_json_object(text)
    elif channel.kind == "final_json":
        found = _cut_between(text, "<final_json>", "</final_json>")
    elif channel.kind == "answer":
        found = last_answer(text)
    else:
        letters = choices or ("A", "B", "C", "D")
        asked = "\n".join(step.text for step in steps if step.source == "user")
        found = last_letter(_leave_out_options(text, asked, letters), letters)
    return Submission(found, last.index) if found else None


def submitted(channel: Channel, steps: Sequence[Step], choices: Sequence[str]) -> Submission | None:
    """Return what calls show to have been committed where there is no workspace: in an imported log, in a replay.

    By a file channel, the last text written to that file.
    """
    if not channel.is_file:
        return read_submission(channel, workspace=None, steps=steps, choices=choices)
    for step in reversed(steps):
        for call in reversed(step.calls):
            named = posixpath.normpath(str(call.arguments.get("path", "")))
            content = call.arguments.get("content")
            if _is_writing(call) and named == channel.path and not call.is_error and isinstance(content, str):
                kept = content.encode("utf-8", "surrogatepass")[: MOST[channel.kind]]
                return Submission(kept.decode("utf-8", "replace"), step.index)
    return None


def _read_file(channel: Channel, workspace: Path, steps: Sequence[Step]) -> Submission | None:
    """Read the file, and find the step that wrote it last: no step, where something else made it."""
    path = workspace / channel.path
    if path.is_symlink() or not path.is_file():
        return None
    with path.open("rb") as file:
        text = file.read(MOST[channel.kind]).decode("utf-8", errors="replace")
    written = -1
    for step in steps:
        for call in step.calls:
            named = posixpath.normpath(str(call.arguments.get("path", "")))
            if _is_writing(call) and named == channel.path and call.succeeded:
                written = step.index
    return Submission(text, written)


def _is_writing(call: ToolCall) -> bool:
    """Tell whether a call writes a file: with any server of the arm, since they share the workspace."""
    return call.tool.rpartition("__")[2] == "write_file"


def _cut_between(text: str, start: str, end: str) -> str:
    _, found, tail = text.rpartition(start)
    return tail.partition(end)[0].strip() if found and end in tail else ""


def last_answer(text: str) -> str:
    """Return what follows the last ``ANSWER:`` that begins a line, to the end of the text, or an empty text.

    >>> last_answer("ANSWER: 7?\\nNo.\\n\\n**ANSWER:** 8.27 mg/L"), last_answer("The answer: 8")
    ('8.27 mg/L', '')
    >>> last_answer("ANSWER: **20 °C**"), last_answer("ANSWER: `a*`")
    ('20 °C', 'a*')
    """
    found = re.split(r"(?im)^[ \t>*_`#-]*ANSWER[ \t*_`]*:[ \t*_`]*", text)
    answer = found[-1].strip() if len(found) > 1 else ""
    for mark in ("**", "`"):
        if answer.count(mark) % 2:  # its beginning went with what leads to the answer
            answer = answer.removesuffix(mark).rstrip()
    return answer


def last_letter(text: str, choices: Sequence[str]) -> str:
    """Return the last choice that stands alone in a text, or an empty text.

    A letter stands alone when neither a letter, a digit nor an apostrophe touches it. The English article "A"
    followed by a word is not a choice unless it opens the text's last line alone.

    >>> (
    ...     last_letter("Option B is tempting. The answer is **C**.", "ABCD"),
    ...     last_letter("I cannot tell", "ABCD"),
    ... )
    ('C', '')
    """
    letters = "|".join(map(re.escape, choices))
    alone = re.compile(rf"(?<![\w'’])({letters})(?![\w'’])")
    found = [each for each in alone.finditer(text) if not _is_article(text, each)]
    return found[-1][1] if found else ""


def _leave_out_options(text: str, asked: str, choices: Sequence[str]) -> str:
    """Return a reply without the list of all options, with their texts or bare: who repeats it has not chosen.

    >>> (
    ...     _leave_out_options("A) 1\\nB) 2\\n\\nI take B", "Which?\\nA) 1\\nB) 2", "AB"),
    ...     _leave_out_options("A or B", "", "AB"),
    ... )
    ('\\n\\nI take B', '')
    """
    lists = [[re.escape(letter) for letter in choices]]
    lines = [
        next(iter(re.findall(rf"(?m)^\W*({re.escape(letter)}\b\W.*)$", asked)), "") for letter in choices
    ]
    if all(lines):
        lists.insert(0, [r"\s+".join(map(re.escape, line.split())) for line in lines])
    for each in lists:
        whole = r"(?:\W|\band\b|\bor\b)+".join(each)
        text = re.sub(rf"(?<![\w'’]){whole}(?![\w'’])", "", text)
    return text


def _is_article(text: str, found: re.Match[str]) -> bool:
    return found[1] == "A" and re.match(r" [a-z]", text[found.end() :]) is not None


def last_json_object(text: str) -> str:
    """Return the last JSON object of a text that no other contains, verbatim, or an empty text.

    >>> last_json_object('First {"a": 1}, then {"b": {"c": 2}}.')
    '{"b": {"c": 2}}'
    """
    *_, last = ("", *json_objects(text))
    return last


def json_objects(text: str) -> Iterator[str]:
    """Give the JSON objects of a text that no other contains, verbatim."""
    decoder = json.JSONDecoder()
    start, tries = text.find("{"), 0
    while start >= 0 and tries < 10_000:  # braces without an end cannot make this quadratic for ever
        tries += 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if isinstance(value, dict):
                yield text[start:end]
        start = text.find("{", end)
