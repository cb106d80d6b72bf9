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
from functools import partial
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig_harness.sample import Sample, SampleInput
from labrig_suites.common import generated
from labrig_suites.common.dealing import evenly
from labrig_suites.common.from_sync import from_sync
from labrig_suites.phreeqc_mcq.checked import check
from labrig_suites.phreeqc_mcq.orbit import Drawn, Option, item
from labrig_suites.phreeqc_mcq.scenario import Stem
from labrig_suites.phreeqc_mcq.stems import STEMS

if TYPE_CHECKING:
    from labrig_phreeqc.engine.engine import Engine

NAME = "phreeqc-mcq"
VERSION = "3"
"""Of the suite and its wording; ids are made of it, since an item whose text has changed is another item."""
EARLIER = ("1", "2")
"""Versions whose records are still scored, to the same scores. Version 1 was worded otherwise; of version 2, one item
in some hundreds has a value that its own inverse model prints otherwise, by more than options may be apart."""
DRAWING = "1"
"""Of the random draws alone. Items of versions 1 to 3 have the same truths, options and letters from the same seed,
apart from those that version 3 does not take."""
LETTERS = ("A", "B", "C", "D")
AT_ONCE = 3
"""Items drawn together; four runs each, and the engine's queue is finite."""
LARGE_SHARE = 0.185
"""Of items whose output exceeds 250,000 characters, as in the paper's Table 8 (37 of 200)."""

OPTIONS = re.compile(r"\n\n(A\. .*\nB\. .*\nC\. .*\nD\. .*)\n\Z")
"""The options as `prompt` writes them."""
commitment = partial(generated.commitment, NAME)


def prompt(question: str, options: Mapping[str, str]) -> str:
    """Return what an agent is asked; `options` by letter, empty where they stand in the question."""
    lines = "\n".join(f"{letter}. {' '.join(text.split())}" for letter, text in options.items())
    return f"{question}\n\n{lines}\n" if lines else f"{question}\n"


def generate(
    seed: str,
    count: int,
    stems: Sequence[Stem] = STEMS,
    progress: Callable[[int], None] | None = None,
    first: int | None = None,
) -> list[Sample]:
    """Return `count` items.

    Parameters
    ----------
    stems
        Dealt out evenly, large and small ones apart.
    first
        Only so many of the set are made, from its beginning.

    Raises
    ------
    LabrigError
        ``bad_input`` for a count below 1; ``unavailable`` or ``not_found`` where the engine or a database is missing;
        ``internal`` where no stem gives four options.
    """
    if count < 1:
        raise LabrigError("A set cannot have so few samples", where=f"n={count}", expected="1 or more")
    return from_sync(lambda: _generate(seed, count, stems, progress or (lambda done: None), first))


async def _generate(
    seed: str, count: int, stems: Sequence[Stem], progress: Callable[[int], None], first: int | None
) -> list[Sample]:
    # here, so that scoring a folder of records needs no server
    from labrig_phreeqc.engine.engine import PATIENT_S, Engine

    draws = random.Random(f"{NAME}/{DRAWING}/{seed}")
    dealt = _deal_stems(stems, count, draws)
    letters = evenly(LETTERS, count, draws)
    ranks = evenly(range(len(LETTERS)), count, draws)
    gate = asyncio.Semaphore(AT_ONCE)
    done = 0

    async with Engine(queue_s=PATIENT_S) as engine:

        async def make(number: int) -> Sample:
            nonlocal done
            async with gate:
                sample = await _item(engine, seed, number, dealt[number], letters[number], ranks[number])
            done += 1
            progress(done)
            return sample

        async with asyncio.TaskGroup() as group:
            made = [group.create_task(make(number)) for number in range(count)[:first]]
    return [each.result() for each in made]


def _deal_stems(stems: Sequence[Stem], count: int, draws: random.Random) -> list[Stem]:
    """Return the stem of each item: large ones for their share, each stem as often as the others to within one."""
    large = [each for each in stems if each.large]
    small = [each for each in stems if not each.large]
    if not (large and small):
        return evenly(tuple(stems), count, draws)
    many = round(LARGE_SHARE * count)
    dealt = evenly(tuple(large), many, draws) + evenly(tuple(small), count - many, draws)
    draws.shuffle(dealt)
    return dealt


async def _item(engine: Engine, seed: str, number: int, stem: Stem, answer: str, rank: int) -> Sample:
    draws = random.Random(f"{NAME}/{DRAWING}/{seed}/{number}")
    drawn, reasons = await item(engine, stem, draws, rank)
    if drawn is None:
        raise LabrigError(
            f"The stem {stem.name} did not give four options: {max(set(reasons), key=reasons.count)}",
            code="internal",
        )
    wrong = draws.sample(drawn.options[1:], 3)
    by_letter = {letter: drawn.options[0] if letter == answer else wrong.pop() for letter in LETTERS}
    id = generated.opaque_id(seed, f"{NAME}/{VERSION}/{number}")
    plain = await engine.run(drawn.scene.build, database=drawn.scene.database)
    return _task(id, drawn, by_letter, answer, len(plain.output))


def _task(id: str, drawn: Drawn, by_letter: dict[str, Option], answer: str, output_chars: int) -> Sample:
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
    return Sample(
        suite=NAME,
        suite_version=VERSION,
        brief=SampleInput(id=id, prompt=prompt(scene.statement, options), choices=LETTERS),
        truth=truth,
        labels={"stem": scene.stem.name, "topic": scene.stem.topic, "quantity": quantity.name},
    )


def row(sample: Sample) -> dict[str, Any]:
    """Return an item as a line of a JSONL file: what an agent may see, the answer, and the rest under ``truth``.

    ``options`` is empty where a published question holds them in its text.
    """
    found = OPTIONS.search(sample.brief.prompt)
    texts = dict(line.split(". ", 1) for line in found[1].splitlines()) if found else {}
    question = sample.brief.prompt[: found.start()] if found else sample.brief.prompt.rstrip("\n")
    return {
        "id": sample.id,
        "stem": sample.labels["stem"],
        "question": question,
        "options": texts,
        **generated.hidden(sample),
    }


def from_row(fields: dict[str, Any]) -> Sample:
    """Return the item of a line that `row` made.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not such a line, or of another version, or could not be scored.
    """
    with generated.read_back(NAME, VERSION, fields):
        check(fields, LETTERS)
        options = {letter: fields["options"][letter] for letter in LETTERS if fields["options"]}
        return Sample(
            suite=NAME,
            suite_version=VERSION,
            brief=SampleInput(fields["id"], prompt(fields["question"], options), choices=LETTERS),
            truth={"answer": fields["answer"], **fields["truth"]},
            labels=dict(fields["labels"]),
        )
