"""A file of questions in place of a suite, and ``new-suite``, which writes one to begin with."""

from __future__ import annotations

import argparse
import csv
import io
import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig_harness.sample import Sample

ENDINGS = (".toml", ".jsonl", ".csv")


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb of this module."""
    new = verbs.add_parser(
        "new-suite", help="write a file of questions with three examples, for labrig run FILE"
    )
    new.add_argument("file", type=Path, metavar="FILE", help=f"ends in {', '.join(ENDINGS)}")
    new.set_defaults(run=_write_example)


def take_question_file(arguments: argparse.Namespace) -> list[Sample]:
    """Return the samples of a file that is named in place of a suite; none for a suite.

    What the file says of servers, repeats and the exit code stands for flags that were not given.
    """
    path = Path(arguments.suite)
    if path.suffix.lower() not in ENDINGS:
        return []
    from labrig_suites.questions.reading import read_questions
    from labrig_suites.questions.tasks import NAME, samples_of

    if arguments.tasks is not None:
        raise LabrigError("A file of questions has its own samples", where="--tasks", try_="leave it out")
    read = read_questions(path)
    arguments.suite = NAME
    if not arguments.server:
        arguments.server, arguments.server_folder = read.server, path.absolute().parent
        arguments.server_kept = arguments.server_kept or read.server_kept
    arguments.epochs = arguments.epochs or read.repeats
    if arguments.fail_below is None:
        arguments.fail_below = read.fail_below
    return samples_of(read, path.absolute().parent)


def _write_example(arguments: argparse.Namespace) -> int:
    from labrig_harness.records.outfolder import write_new
    from labrig_suites.questions.tasks import EXAMPLE

    path: Path = arguments.file
    text = EXAMPLE.read_text(encoding="utf-8")
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise LabrigError(
            "A file of questions ends in one of these", where=str(path), expected=", ".join(ENDINGS)
        )
    content = tomllib.loads(text)
    if ending == ".jsonl":
        text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in content["question"])
    elif ending == ".csv":
        text = _write_csv(content["question"])
    write_new(path, text)
    servers = "" if ending == ".toml" else "".join(f" --server {each}" for each in content["server"])
    print(f"{path}: {len(content['question'])} questions")
    print(f"labrig run {path}{servers} --agent loop --model PROVIDER:NAME --out runs")
    return 0


def _write_csv(questions: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for each in questions for name in each))
    file = io.StringIO(newline="")
    table = csv.DictWriter(file, names, lineterminator="\n")
    table.writeheader()
    for question in questions:
        table.writerow(
            {
                name: json.dumps(each, ensure_ascii=False) if isinstance(each, list) else each
                for name, each in question.items()
            }
        )
    return file.getvalue()
