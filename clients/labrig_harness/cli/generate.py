"""``generate``: the items of a suite as a file, from a seed or from a published file."""

from __future__ import annotations

import argparse
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig_harness.suite import Generator, Suite
    from labrig_harness.task import Task


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    generate = verbs.add_parser(
        "generate", help="make the items of a suite and write them as JSONL, truths included"
    )
    generate.add_argument("suite", metavar="SUITE")
    generate.add_argument(
        "--seed", metavar="S", help="any text; private: openssl rand -hex 16 (default: drawn, and printed)"
    )
    generate.add_argument("--n", type=int, metavar="N", help="how many items (default: 200)")
    generate.add_argument(
        "--from", dest="source", type=Path, metavar="FILE", help="take the published questions of this file"
    )
    generate.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="with --from: database=phreeqc.dat"
    )
    generate.add_argument("--out", type=Path, required=True, metavar="FILE")
    generate.set_defaults(run=_generate)


def _generate(arguments: argparse.Namespace) -> int:
    from labrig_harness import suites
    from labrig_harness.outfolder import json_text, write_new

    suite = suites.load(arguments.suite)
    generator = generator_of(suite)
    if arguments.out.exists():
        raise LabrigError(
            "This file is there already, and items that were run cannot be made again without their seed",
            where=str(arguments.out),
            try_="another --out",
        )
    if not arguments.out.parent.is_dir():
        raise LabrigError("There is no such folder", where=str(arguments.out.parent), code="not_found")
    if not os.access(arguments.out.parent, os.W_OK):  # before minutes of work
        raise LabrigError("This folder cannot be written to", where=str(arguments.out.parent))
    if arguments.source is not None:
        made, said = _adopted(arguments, suite, generator), [f"from {arguments.source}"]
    else:
        made, said = _made(arguments, generator)
    write_new(arguments.out, "".join(json_text(generator.row(each)) + "\n" for each in made))
    print(f"{suite.name} {suite.version}: {len(made)} items in {arguments.out}", *said, sep="\n")
    return 0


def generator_of(suite: Suite) -> Generator:
    """Return the generator of a suite; a LabrigError where it has none."""
    if suite.generator is None:
        from labrig_harness import suites

        others = [name for name in suites.names() if suites.load(name).generator is not None]
        raise LabrigError(
            f"The items of {suite.name} are fixed", where=suite.name, expected=f"one of {', '.join(others)}"
        )
    return suite.generator


def _made(arguments: argparse.Namespace, generator: Generator) -> tuple[list[Task], list[str]]:
    from rich.console import Console
    from rich.progress import Progress

    if arguments.set:
        raise LabrigError("Settings belong to published questions", where="--set", expected="--from FILE")
    if arguments.seed is not None and not arguments.seed.strip():
        raise LabrigError("The seed is empty", where="--seed", expected="any text, or no --seed")
    if arguments.seed is not None and not is_text(arguments.seed):
        raise LabrigError("The seed is not UTF-8", where="--seed", expected="any text, or no --seed")
    count = 200 if arguments.n is None else arguments.n
    seed = arguments.seed or secrets.token_hex(16)
    with Progress(console=Console(stderr=True)) as bars:
        bar = bars.add_task("items", total=max(count, 1))
        made = generator.make(seed, count, progress=lambda done: bars.update(bar, completed=done))
    said = [f"commitment {generator.commitment(seed)}"]
    if arguments.seed is None:
        said.append(f"seed {seed} (keep it: the same set can be made from it, and from nothing else)")
    return made, said


def _adopted(arguments: argparse.Namespace, suite: Suite, generator: Generator) -> list[Task]:
    from labrig_harness.cli.runs import settings_of

    if generator.adopt is None:
        raise LabrigError(f"{suite.name} has no published form", where="--from")
    if arguments.seed is not None or arguments.n is not None:
        raise LabrigError("Published questions come from a file, not from a seed", where="--seed, --n")
    return generator.adopt([row for _, row in _rows(arguments.source)], settings_of(arguments.set))


def read_tasks(path: Path, suite: Suite) -> list[Task]:
    """Return the items of a file that ``labrig generate`` wrote.

    Raises
    ------
    LabrigError
        For a file that cannot be read, a line that is no item of the suite, an item that is there twice, no item.
    """
    generator = generator_of(suite)
    tasks: dict[str, Task] = {}
    for number, row in _rows(path):
        try:
            task = generator.task(row)
        except LabrigError as error:
            published = generator.adopt is not None and "truth" not in row and "question" in row
            raise LabrigError(
                error.what,
                where=f"{path}:{number}",
                try_=f"labrig generate {suite.name} --from {path} --out FILE" if published else error.try_,
            ) from error
        if task.id in tasks:
            raise LabrigError(f"The item {task.id} is there twice", where=f"{path}:{number}")
        tasks[task.id] = task
    if not tasks:
        raise LabrigError("The file holds no item", where=str(path))
    return list(tasks.values())


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the lines of a JSONL file with their numbers."""
    try:
        lines: Sequence[str] = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise LabrigError(f"Cannot read the items: {error}", where=str(path)) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise LabrigError(
                f"This line is not JSON: {error}", where=f"{path}:{number}", expected="one item a line"
            ) from error
        if not isinstance(row, dict):
            raise LabrigError("This line is not a JSON object", where=f"{path}:{number}")
        if not is_text(json.dumps(row, ensure_ascii=False)):
            raise LabrigError("This line has half a character (a lone surrogate)", where=f"{path}:{number}")
        yield number, row


def is_text(text: str) -> bool:
    """Return whether a text can be written as UTF-8; arguments that are none, and half pairs in JSON, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")
