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
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig_harness.sample import Sample, SampleInput
from labrig_suites.common import generated
from labrig_suites.common.dealing import evenly
from labrig_suites.common.from_sync import from_sync
from labrig_suites.common.unfinished import Unfinished
from labrig_suites.phreeqc_mcq.checked import check
from labrig_suites.phreeqc_mcq.in_words import JUDGED
from labrig_suites.phreeqc_mcq.judged import Judged
from labrig_suites.phreeqc_mcq.kept import path_of
from labrig_suites.phreeqc_mcq.orbit import Drawn, Option, item, item_in_words, items_of_scenario
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
WORDS_SHARE = 0.25
"""Of items that are answered in words, in a set of all kinds: about that of the first hundred published questions."""
KINDS = ("numbers", "all")
LEAST_KEPT = 20
"""Items of a set from which on what is made of it is kept, should it be ended half-way."""
MOST_OF_SCENARIO = 4

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
    kinds: str = "numbers",
    per_scenario: int = 1,
) -> list[Sample]:
    """Return `count` items.

    Parameters
    ----------
    stems
        Dealt out evenly, large and small ones apart.
    first
        Only so many of the set are made, from its beginning.
    kinds
        ``numbers``: questions that are answered by a number; ``all``: every fourth is answered in words (`in_words`).
    per_scenario
        How many questions in a row are about one scenario, and read in one output; those in words stand alone.

    Raises
    ------
    LabrigError
        ``bad_input`` for a count below 1; ``unavailable`` or ``not_found`` where the engine or a database is missing;
        ``internal`` where no stem gives four options.
    """
    if count < 1:
        raise LabrigError("A set cannot have so few samples", where=f"n={count}", expected="1 or more")
    wanted = _Wanted(seed, count, stems, kinds, per_scenario)
    return from_sync(lambda: _generate(wanted, progress or (lambda done: None), first))


def configured(settings: Mapping[str, Any]) -> Callable[..., list[Sample]]:
    """Return `generate` with what a caller sets: ``kinds``, ``per_scenario``."""
    if unknown := sorted(set(settings) - {"kinds", "per_scenario"}):
        raise LabrigError(
            f"Unknown setting {unknown[0]!r}",
            where="--set",
            expected="kinds, per_scenario; a database with --from, for published questions",
        )
    kinds, per_scenario = settings.get("kinds", "numbers"), settings.get("per_scenario", 1)
    if kinds not in KINDS:
        raise LabrigError(
            f"There are no kinds {kinds!r:.40}", where="--set kinds", expected=" or ".join(KINDS)
        )
    if type(per_scenario) is not int or not 1 <= per_scenario <= MOST_OF_SCENARIO:
        raise LabrigError(
            f"A scenario cannot have {per_scenario!r:.40} samples",
            where="--set per_scenario",
            expected=f"1 to {MOST_OF_SCENARIO}",
        )
    return partial(generate, kinds=kinds, per_scenario=per_scenario)


@dataclass(frozen=True)
class _Wanted:
    """What set is wanted, and what of it is dealt out beforehand."""

    seed: str
    count: int
    stems: Sequence[Stem]
    kinds: str
    per_scenario: int

    def unfinished(self) -> Unfinished:
        """Return where what is made of it is kept until it is whole."""
        names = [stem.name for stem in self.stems]
        return Unfinished(path_of(VERSION, self.seed, self.count, names, self.kinds, self.per_scenario))

    @property
    def said(self) -> str:
        """What ids are made of beside the number: an item of another kind of set is another item."""
        plain = (self.kinds, self.per_scenario) == (KINDS[0], 1)
        return "" if plain else f"{self.kinds}/{self.per_scenario}/"

    def deal(self) -> tuple[list[tuple[Stem, range]], list[str], list[int]]:
        """Return the stems with the numbers of their items, and the letter and rank of each item."""
        draws = random.Random(f"{NAME}/{DRAWING}/{self.seed}")
        words = round(WORDS_SHARE * self.count) if self.kinds == "all" else 0
        groups = -(-(self.count - words) // self.per_scenario)
        able = [each for each in self.stems if each.judged or len(each.quantities) >= self.per_scenario]
        dealt = _deal_stems(able, groups, draws)
        letters = evenly(LETTERS, self.count, draws)
        ranks = evenly(range(len(LETTERS)), self.count, draws)
        if words:
            dealt += evenly(JUDGED, words, draws)
            draws.shuffle(dealt)
        left, jobs, number = self.count - words, [], 0
        for stem in dealt:
            size = 1 if stem.judged else min(self.per_scenario, left)
            left -= 0 if stem.judged else size
            jobs.append((stem, range(number, number + size)))
            number += size
        return jobs, letters, ranks


async def _generate(wanted: _Wanted, progress: Callable[[int], None], first: int | None) -> list[Sample]:
    # here, so that scoring a folder of records needs no server
    from labrig_phreeqc.engine.engine import PATIENT_S, Engine

    jobs, letters, ranks = wanted.deal()
    kept = wanted.unfinished() if wanted.count >= LEAST_KEPT else None
    there = kept.read() if kept else {}
    gate = asyncio.Semaphore(AT_ONCE)
    done = 0

    async with Engine(queue_s=PATIENT_S) as engine:

        async def make(stem: Stem, numbers: range) -> list[Sample]:
            nonlocal done
            if numbers.start in there:
                samples = [from_row(each) for each in there[numbers.start]]
            else:
                async with gate:
                    samples = await _items(engine, wanted, stem, numbers, letters, ranks)
                if kept:
                    kept.add(numbers.start, [row(each) for each in samples])
            done += len(samples)
            progress(done)
            return samples

        try:
            async with asyncio.TaskGroup() as group:
                made = [
                    group.create_task(make(stem, numbers))
                    for stem, numbers in jobs
                    if first is None or numbers.start < first
                ]
        except ExceptionGroup as several:
            raise several.exceptions[0] from None
    if kept:
        kept.remove()
    return [sample for each in made for sample in each.result()][:first]


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


async def _items(
    engine: Engine, wanted: _Wanted, stem: Stem, numbers: range, letters: Sequence[str], ranks: Sequence[int]
) -> list[Sample]:
    """Return the items of one scenario, one or more."""
    draws = random.Random(f"{NAME}/{DRAWING}/{wanted.seed}/{numbers.start}")
    rank = ranks[numbers.start]
    made: list[Drawn]
    if wanted.per_scenario > 1 and not stem.judged:
        made, reasons = await items_of_scenario(engine, stem, draws, len(numbers), rank)
    else:
        drawn, reasons = await (item_in_words if stem.judged else item)(engine, stem, draws, rank)
        made = [drawn] if drawn is not None else []
    if not made:
        raise LabrigError(
            f"The stem {stem.name} did not give four options: {max(set(reasons), key=reasons.count)}",
            code="internal",
        )
    samples = []
    for number, each in zip(numbers, made, strict=True):
        wrong, answer = draws.sample(each.options[1:], 3), letters[number]
        by_letter = {letter: each.options[0] if letter == answer else wrong.pop() for letter in LETTERS}
        id = generated.opaque_id(wanted.seed, f"{NAME}/{VERSION}/{wanted.said}{number}")
        plain = await engine.run(each.scene.build, database=each.scene.database)
        samples.append(_task(id, each, by_letter, answer, len(plain.output)))
    scenario = {"scenario": samples[0].id} if wanted.per_scenario > 1 else {}
    return [replace(sample, labels={**sample.labels, **scenario}) for sample in samples]


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
                **({"parts": list(each.computed.parts)} if quantity.form == "words" else {}),
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
        labels={
            "stem": scene.stem.name,
            "topic": scene.stem.topic,
            "quantity": quantity.name,
            **({"kind": quantity.rule} if isinstance(quantity, Judged) else {}),
        },
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
