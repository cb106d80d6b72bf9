"""From stems to items: any number of them, the same from the same seed, generator and engine.

The seed may be any text. A private one (128 bits, from ``openssl rand -hex 16``) keeps a set from being made again by
others; `commitment` can be published before, and shows afterwards that the set was not chosen by its results.
Item ids are keyed hashes, so they tell neither stem nor number.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from labrig.errors import LabrigError
from labrig_harness import generated
from labrig_harness.from_sync import from_sync
from labrig_harness.suites.phreeqc_mcq.checked import check
from labrig_harness.suites.phreeqc_mcq.orbit import Drawn, Option, item
from labrig_harness.suites.phreeqc_mcq.scenario import Stem
from labrig_harness.suites.phreeqc_mcq.stems import STEMS
from labrig_harness.task import Brief, Task

T = TypeVar("T")

if TYPE_CHECKING:
    from labrig_phreeqc.engine import Engine

NAME = "phreeqc-mcq"
VERSION = "1"
LETTERS = ("A", "B", "C", "D")
AT_ONCE = 3
"""Items drawn together; four runs each, and the engine's queue is finite."""
LARGE_SHARE = 0.185
"""Of items whose output exceeds 250,000 characters, as in the paper's Table 8 (37 of 200)."""

OPTIONS = re.compile(r"\n\n(A\. .*\nB\. .*\nC\. .*\nD\. .*)\n\Z")
"""The options as `prompt` writes them."""


def prompt(question: str, options: Mapping[str, str]) -> str:
    """Return what an agent is asked; `options` by letter, empty where they stand in the question."""
    lines = "\n".join(f"{letter}. {' '.join(text.split())}" for letter, text in options.items())
    return f"{question}\n\n{lines}\n" if lines else f"{question}\n"


def commitment(seed: str) -> str:
    """Return what can be published of a private seed: it fixes the seed and does not tell it."""
    return generated.commitment(NAME, seed)


def generate(
    seed: str,
    count: int,
    stems: Sequence[Stem] = STEMS,
    progress: Callable[[int], None] | None = None,
    first: int | None = None,
) -> list[Task]:
    """Return `count` items.

    Parameters
    ----------
    seed
        All that varies depends on it.
    stems
        Dealt out evenly, large and small ones apart.
    progress
        Is given the number of items that are done.
    first
        Only so many of the set are made, from its beginning.

    Raises
    ------
    LabrigError
        ``bad_input`` for a count below 1; ``unavailable`` or ``not_found`` where the engine or a database is missing;
        ``internal`` where no stem gives four options.
    """
    if count < 1:
        raise LabrigError("There is no set of so few items", where=f"n={count}", expected="1 or more")
    return from_sync(lambda: _generate(seed, count, stems, progress or (lambda done: None), first))


async def _generate(
    seed: str, count: int, stems: Sequence[Stem], progress: Callable[[int], None], first: int | None
) -> list[Task]:
    from labrig_phreeqc.engine import Engine  # here, so that scoring a folder of records needs no server

    draws = random.Random(f"{NAME}/{VERSION}/{seed}")
    dealt = _dealt(stems, count, draws)
    letters = _evenly(LETTERS, count, draws)
    ranks = _evenly(range(len(LETTERS)), count, draws)
    gate = asyncio.Semaphore(AT_ONCE)
    done = 0

    async with Engine() as engine:

        async def make(number: int) -> Task:
            nonlocal done
            async with gate:
                task = await _item(engine, seed, number, dealt[number], letters[number], ranks[number])
            done += 1
            progress(done)
            return task

        async with asyncio.TaskGroup() as group:
            made = [group.create_task(make(number)) for number in range(count)[:first]]
    return [each.result() for each in made]


def _dealt(stems: Sequence[Stem], count: int, draws: random.Random) -> list[Stem]:
    """Return the stem of each item: large ones for their share, each stem as often as the others to within one."""
    large = [each for each in stems if each.large]
    small = [each for each in stems if not each.large]
    if not (large and small):
        return _evenly(tuple(stems), count, draws)
    many = round(LARGE_SHARE * count)
    dealt = _evenly(tuple(large), many, draws) + _evenly(tuple(small), count - many, draws)
    draws.shuffle(dealt)
    return dealt


def _evenly(values: Sequence[T], count: int, draws: random.Random) -> list[T]:
    """Return `count` values in random order, each as often as the others to within one."""
    order = draws.sample(list(values), len(values))
    dealt = [order[n % len(order)] for n in range(count)]
    draws.shuffle(dealt)
    return dealt


async def _item(engine: Engine, seed: str, number: int, stem: Stem, answer: str, rank: int) -> Task:
    draws = random.Random(f"{NAME}/{VERSION}/{seed}/{number}")
    drawn, reasons = await item(engine, stem, draws, rank)
    if drawn is None:
        raise LabrigError(
            f"The stem {stem.name} gives no four options: {max(set(reasons), key=reasons.count)}",
            code="internal",
        )
    wrong = draws.sample(drawn.options[1:], 3)
    by_letter = {letter: drawn.options[0] if letter == answer else wrong.pop() for letter in LETTERS}
    id = generated.opaque_id(seed, f"{NAME}/{VERSION}/{number}")
    plain = await engine.run(drawn.scene.build, database=drawn.scene.database)
    return _task(id, drawn, by_letter, answer, len(plain.output))


def _task(id: str, drawn: Drawn, by_letter: dict[str, Option], answer: str, output_chars: int) -> Task:
    scene, quantity = drawn.scene, drawn.scene.quantity
    options = {letter: quantity.show(each.value) for letter, each in by_letter.items()}
    truth: dict[str, Any] = {
        "answer": answer,
        "value": drawn.options[0].value,
        "unit": quantity.unit,
        "options": {
            letter: {
                "value": each.value,
                "diagnosis": "; and ".join(missed.diagnosis for missed in each.missed),
                "missed": [vars(missed) for missed in each.missed],
                "input": each.scene.build,
            }
            for letter, each in by_letter.items()
        },
        "stem": scene.stem.name,
        "numbers": dict(scene.numbers),
        "states": dict(scene.states),
        "state": scene.state,
        "database": scene.database,
        "output_chars": output_chars,
        "shift": max(each.computed.shift for each in drawn.options),
        "engine": drawn.options[0].computed.engine,
    }
    return Task(
        suite=NAME,
        suite_version=VERSION,
        brief=Brief(id=id, prompt=prompt(scene.statement, options), choices=LETTERS),
        truth=truth,
        labels={"stem": scene.stem.name, "topic": scene.stem.topic, "quantity": quantity.name},
    )


def row(task: Task) -> dict[str, Any]:
    """Return an item as a line of a JSONL file: what an agent may see, the answer, and the rest under ``truth``.

    ``options`` is empty where a published question holds them in its text.
    """
    found = OPTIONS.search(task.brief.prompt)
    texts = dict(line.split(". ", 1) for line in found[1].splitlines()) if found else {}
    question = task.brief.prompt[: found.start()] if found else task.brief.prompt.rstrip("\n")
    return {
        "id": task.id,
        "stem": task.labels["stem"],
        "question": question,
        "options": texts,
        **generated.hidden(task),
    }


def from_row(fields: dict[str, Any]) -> Task:
    """Return the item of a line that `row` made.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no such line, or of another version, or could not be scored.
    """
    with generated.read_back(NAME, VERSION, fields):
        check(fields, LETTERS)
        options = {letter: fields["options"][letter] for letter in LETTERS if fields["options"]}
        return Task(
            suite=NAME,
            suite_version=VERSION,
            brief=Brief(fields["id"], prompt(fields["question"], options), choices=LETTERS),
            truth={"answer": fields["answer"], **fields["truth"]},
            labels=dict(fields["labels"]),
        )
