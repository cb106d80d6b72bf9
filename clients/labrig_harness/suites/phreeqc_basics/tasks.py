"""From stems to tasks: every number in an option is computed by PHREEQC when the suite is loaded.

The truth is read with SELECTED_OUTPUT and USER_PUNCH, as typed doubles; the reference solution reads the
printed output. Wrong options come from running a stem's mistakes, and each keeps its diagnosis in
``task.truth``, so that a table can say which mistake an agent made, not only that it made one.

What a guesser could use is kept even: letters are dealt out as evenly as their number allows, and so is
the rank of the truth among its four options: when every wrong option is one edit away from the truth, the
truth tends to lie in the middle, and whoever sees nothing but the options beats chance.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig_harness.from_sync import from_sync
from labrig_harness.suites.phreeqc_basics.stems import STEMS, Mistake, Stem
from labrig_harness.task import Brief, Task

if TYPE_CHECKING:
    from labrig_phreeqc.engine import Engine

NAME = "phreeqc-basics"
VERSION = "2"
LETTERS = ("A", "B", "C", "D")
AT_ONCE = 8
"""Runs handed to the engine together; its queue is finite."""

ABSENT = -99.0
"""PHREEQC's SI of a phase whose elements are absent is -99.99 or -999.999."""

PUNCH = """\
SELECTED_OUTPUT 1
    -reset false
    -high_precision true
USER_PUNCH 1
    -headings value
    -start
10 PUNCH {expression}
    -end
"""

PROMPT = """\
{question}

Use the thermodynamic database {database}.

{options}
"""

T = TypeVar("T")


@dataclass(frozen=True)
class Option:
    """A computed value and how it came about; `diagnosis` is empty for the truth.

    Attributes
    ----------
    also
        Other mistakes whose value could not be told apart from this one.
    """

    value: float
    diagnosis: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Computed:
    """A stem with its truth, the wrong options it may be given, and what computed them."""

    stem: Stem
    truth: float
    wrong: tuple[Option, ...]
    engine: dict[str, Any]


def tasks(*, seed: int) -> list[Task]:
    """Return one task per stem.

    Parameters
    ----------
    seed
        Chooses the wrong options, their order and the ids; the truths do not depend on it.

    Raises
    ------
    LabrigError
        ``unavailable`` or ``not_found`` when the engine or a database is missing; ``internal`` when a
        stem cannot be given four options that are far enough apart.
    """
    computed = from_sync(_compute_all)
    draw = random.Random(f"{NAME}/{VERSION}/{seed}")
    letters = _evenly(LETTERS, len(computed), draw)
    options = _choose(computed, draw)
    return [
        _task(each, right, wrong, seed, draw)
        for each, right, wrong in zip(computed, letters, options, strict=True)
    ]


def _task(computed: Computed, right: str, wrong: Sequence[Option], seed: int, draw: random.Random) -> Task:
    stem = computed.stem
    order = draw.sample(list(wrong), len(wrong))
    by_letter = {letter: Option(computed.truth, "") if letter == right else order.pop() for letter in LETTERS}
    prompt = PROMPT.format(
        question=stem.question,
        database=stem.database,
        options="\n".join(
            f"{letter}. {stem.quantity.show(each.value)}" for letter, each in by_letter.items()
        ),
    )
    truth = {
        "answer": right,
        "value": computed.truth,
        "unit": stem.quantity.unit or stem.quantity.name,
        "options": {
            letter: {"value": each.value, "diagnosis": each.diagnosis, "also": list(each.also)}
            for letter, each in by_letter.items()
        },
        "database": stem.database,
        "engine": computed.engine,
    }
    item = sha256(f"{stem.name}/{NAME}/{VERSION}/{seed}")[:10]
    return Task(
        suite=NAME,
        suite_version=VERSION,
        brief=Brief(id=item, prompt=prompt, choices=LETTERS),
        truth=truth,
        labels={"stem": stem.name, "quantity": stem.quantity.unit or stem.quantity.name},
    )


# ------------------------------------------------------------------------------------------- choosing options


def _evenly(values: Sequence[T], count: int, draw: random.Random) -> list[T]:
    """Return `count` values in random order, each as often as the others to within one."""
    order = draw.sample(list(values), len(values))
    dealt = [order[n % len(order)] for n in range(count)]
    draw.shuffle(dealt)
    return dealt


def _choose(computed: Sequence[Computed], draw: random.Random) -> list[tuple[Option, ...]]:
    """Choose three wrong options for each stem, with the ranks of the truths as even as they can be.

    Stems that leave the least freedom are served first, each with its least used rank.
    """
    feasible = [_by_rank(each) for each in computed]
    used = dict.fromkeys(range(len(LETTERS)), 0)
    chosen: dict[int, tuple[Option, ...]] = {}
    order = draw.sample(range(len(computed)), len(computed))
    for n in sorted(order, key=lambda n: len(feasible[n])):
        rank = min(feasible[n], key=lambda rank: (used[rank], draw.random()))
        used[rank] += 1
        chosen[n] = draw.choice(feasible[n][rank])
    return [chosen[n] for n in range(len(computed))]


def _by_rank(computed: Computed) -> dict[int, list[tuple[Option, ...]]]:
    """Return the triples of wrong options that are far enough apart, by the rank they give the truth."""
    quantity = computed.stem.quantity
    found: dict[int, list[tuple[Option, ...]]] = {}
    for triple in combinations(computed.wrong, len(LETTERS) - 1):
        values = [computed.truth, *(each.value for each in triple)]
        texts = {quantity.show(value) for value in values}
        if len(texts) == len(values) and all(quantity.differ(*pair) for pair in combinations(values, 2)):
            rank = sum(value < computed.truth for value in values)
            found.setdefault(rank, []).append(triple)
    if not found:
        raise _defect(computed.stem, "its mistakes do not give three options that are far enough apart")
    return found


# ------------------------------------------------------------------------------------------ computing values


async def _compute_all() -> list[Computed]:
    from labrig_phreeqc.engine import Engine  # here, so that scoring a folder of records needs no server

    gate = asyncio.Semaphore(AT_ONCE)

    async with Engine() as engine:

        async def value(stem: Stem, mistake: Mistake) -> tuple[float, dict[str, Any]]:
            async with gate:
                return await _value(engine, stem, mistake)

        return await asyncio.gather(*(_compute(stem, value) for stem in STEMS))


async def _compute(
    stem: Stem, value: Callable[[Stem, Mistake], Awaitable[tuple[float, dict[str, Any]]]]
) -> Computed:
    (truth, record), *wrong = await asyncio.gather(
        *(value(stem, each) for each in (Mistake(diagnosis=""), *stem.mistakes))
    )
    options = [
        Option(theirs, mistake.diagnosis, _indistinct(mistake, theirs, stem, wrong))
        for mistake, (theirs, _) in zip(stem.mistakes, wrong, strict=True)
        if stem.quantity.differ(theirs, truth)
    ]
    return Computed(stem, truth, tuple(options), record)


def _indistinct(
    mistake: Mistake, value: float, stem: Stem, computed: Iterable[tuple[float, dict[str, Any]]]
) -> tuple[str, ...]:
    return tuple(
        other.diagnosis
        for other, (theirs, _) in zip(stem.mistakes, computed, strict=True)
        if other is not mistake and not stem.quantity.differ(value, theirs)
    )


async def _value(engine: Engine, stem: Stem, mistake: Mistake) -> tuple[float, dict[str, Any]]:
    """Run a stem as `mistake` has it and return the punched value with the provenance of the run."""
    from labrig_phreeqc.run import record

    text = PUNCH.format(expression=mistake.punch or stem.punch) + edited(stem, mistake)
    run = await engine.run(text, database=mistake.database or stem.database)
    if not run.solved:
        raise _defect(stem, f"{mistake.diagnosis or 'the right build'} does not run: {'; '.join(run.errors)}")
    rows = run.selected[0].rows
    cell = rows[stem.row if mistake.row is None else mistake.row][0]
    if not isinstance(cell, int | float) or not math.isfinite(cell) or cell <= ABSENT:
        raise _defect(stem, f"{mistake.diagnosis or 'the right build'} gives no value, but {cell!r}")
    return float(cell), record(run)


def edited(stem: Stem, mistake: Mistake) -> str:
    """Return the build of a stem with a mistake made in it."""
    text = stem.build
    for old, new in mistake.edits:
        if text.count(old) != 1:
            raise _defect(stem, f"the edit {old!r} of {mistake.diagnosis!r} must fit once")
        text = text.replace(old, new)
    return text


def _defect(stem: Stem, what: str) -> LabrigError:
    return LabrigError(f"Stem {stem.name} of {NAME}: {what}", code="internal")
