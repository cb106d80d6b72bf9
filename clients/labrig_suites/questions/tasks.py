"""Questions as samples: what the agent is shown, and what the scorer compares with."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness.blobs import Blob
from labrig_harness.sample import LIMITS, Sample, SampleInput
from labrig_suites.questions.question import LETTERS, Question, QuestionFile, letter_of

NAME, VERSION = "questions", "1"

EXAMPLE = files("labrig_suites.questions") / "example.toml"


def tasks(*, seed: int) -> list[Sample]:
    """Return the questions of the example; there is nothing that depends on a seed."""
    from labrig_suites.questions.reading import parse_toml

    return samples_of(parse_toml(EXAMPLE.read_text(encoding="utf-8"), EXAMPLE.name), Path())


def samples_of(read: QuestionFile, folder: Path) -> list[Sample]:
    """Return the samples of a file.

    Parameters
    ----------
    folder
        Where the files of the questions lie.
    """
    return [_make_sample(question, read, folder) for question in read.question]


def _make_sample(question: Question, read: QuestionFile, folder: Path) -> Sample:
    shown: dict[str, str | Blob] = {path: _read_beside(folder, path, question.id) for path in question.files}
    letters = LETTERS[: len(question.options)]
    own = {name: getattr(question, name) or getattr(read, name) for name in LIMITS}
    brief = SampleInput(
        question.id, _write_prompt(question, read.instructions), shown, choices=tuple(letters)
    )
    truth = {
        "kind": question.kind,
        "answer": question.answer,
        "tolerance": list(question.allowed),
        "unit": question.unit,
        "options": dict(zip(letters, question.options, strict=True)),
        "calls": [
            {"tool": rule.tool, "arguments": rule.arguments, "least": rule.least, "most": rule.at_most}
            for rule in question.calls
        ],
    }
    if question.kind == "choice":
        truth["answer"] = letter_of(question.answer, question.options)
    labels = {"kind": question.kind, **({"group": question.group} if question.group else {})}
    limits = {name: float(value) for name, value in own.items() if value is not None}
    try:
        return Sample(NAME, VERSION, brief, truth, labels, limits)
    except ValueError as error:  # a path or a limit
        raise LabrigError(str(error), where=f"question {question.id}") from error


def _write_prompt(question: Question, instructions: str) -> str:
    """Return question, options, names of files and the form of the answer, which does not tell an abstention apart."""
    lines = [question.question.strip()]
    options = [f"{letter}) {text}" for letter, text in zip(LETTERS, question.options, strict=False)]
    if options:
        lines.append("\n".join(options))
    if question.files:
        lines.append(f"Files in your folder: {', '.join(question.files)}")
    if instructions.strip():
        lines.append(instructions.strip())
    return "\n\n".join([*lines, f"The answer is {_describe_form(question)}."])


def _describe_form(question: Question) -> str:
    if question.options:
        return "the letter of one option"
    if question.unit:
        return f"one number, in {question.unit}"
    if question.kind == "number":
        return "one number"
    if question.kind == "json":
        return f"a JSON object with the fields {_list_names(list(question.answer))}"
    return "as short as it can be: a name, a number or a few words"


def _list_names(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _read_beside(folder: Path, path: str, question: str) -> Blob:
    found = folder / path
    if not found.resolve().is_relative_to(folder.resolve()) or not found.is_file():
        raise LabrigError(
            "This file is not beside the questions", where=f"question {question}: {path}", code="not_found"
        )
    return Blob.of(found)
