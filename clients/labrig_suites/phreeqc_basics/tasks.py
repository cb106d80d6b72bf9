"""From stems to tasks: every number in an option is computed by PHREEQC when the suite is loaded.

The truth is read with SELECTED_OUTPUT and USER_PUNCH, as typed doubles; the reference solution reads the
printed output. Wrong options come from running a stem's mistakes, and each keeps its diagnosis in
``task.truth``, so that a table can say which mistake an agent made, not only that it made one.

What a guesser could use is kept even: letters are dealt out as evenly as their number allows, and so is
the rank of the truth among its four options: when every wrong option is one edit away from the truth, the
truth tends to lie in the middle, and an agent that sees nothing but the options beats chance.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig_harness.sample import Sample, SampleInput
from labrig_suites.common.dealing import evenly
from labrig_suites.common.from_sync import from_sync
from labrig_suites.phreeqc_basics.quantities import differ, shown
from labrig_suites.phreeqc_basics.stems import Mistake, Stem, edited, stems
from labrig_suites.phreeqc_mcq.items import LETTERS, prompt
from labrig_suites.phreeqc_mcq.values import punched

if TYPE_CHECKING:
    from labrig_phreeqc.engine.engine import Engine

NAME = "phreeqc-basics"
VERSION = "3"
DRAWING = "2"
"""Of options, letters and ids: version 3 differs from version 2 in the words of the arms' instructions alone."""
EARLIER = ("2",)
AT_ONCE = 8
"""Runs handed to the engine together; its queue is finite."""


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


def tasks(*, seed: int) -> list[Sample]:
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
    draw = random.Random(f"{NAME}/{DRAWING}/{seed}")
    letters = evenly(LETTERS, len(computed), draw)
    options = _choose(computed, draw)
    return [
        _task(each, right, wrong, seed, draw)
        for each, right, wrong in zip(computed, letters, options, strict=True)
    ]


def _task(computed: Computed, right: str, wrong: Sequence[Option], seed: int, draw: random.Random) -> Sample:
    stem = computed.stem
    order = draw.sample(list(wrong), len(wrong))
    by_letter = {letter: Option(computed.truth, "") if letter == right else order.pop() for letter in LETTERS}
    texts = {letter: shown(stem.quantity, option.value) for letter, option in by_letter.items()}
    question = f"{stem.question}\n\nUse the thermodynamic database {stem.database}."
    truth = {
        "answer": right,
        "value": computed.truth,
        "unit": stem.quantity,
        "options": {
            letter: {"value": each.value, "diagnosis": each.diagnosis, "also": list(each.also)}
            for letter, each in by_letter.items()
        },
        "database": stem.database,
        "engine": computed.engine,
    }
    item = sha256(f"{stem.name}/{NAME}/{DRAWING}/{seed}")[:10]
    return Sample(
        suite=NAME,
        suite_version=VERSION,
        brief=SampleInput(id=item, prompt=prompt(question, texts), choices=LETTERS),
        truth=truth,
        labels={"stem": stem.name, "quantity": stem.quantity},
    )


# ------------------------------------------------------------------------------------------- choosing options


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
        texts = {shown(quantity, value) for value in values}
        if len(texts) == len(values) and all(differ(quantity, *pair) for pair in combinations(values, 2)):
            rank = sum(value < computed.truth for value in values)
            found.setdefault(rank, []).append(triple)
    if not found:
        raise _defect(computed.stem, "its mistakes do not give three options that are far enough apart")
    return found


# ------------------------------------------------------------------------------------------ computing values


async def _compute_all() -> list[Computed]:
    # here, so that scoring a folder of records needs no server
    from labrig_phreeqc.engine.engine import PATIENT_S, Engine

    gate = asyncio.Semaphore(AT_ONCE)

    async with Engine(queue_s=PATIENT_S) as engine:

        async def value(stem: Stem, way: str, mistake: Mistake) -> tuple[float, dict[str, Any]]:
            async with gate:
                return await _value(engine, stem, way, mistake)

        return await asyncio.gather(*(_compute(stem, value) for stem in stems()))


async def _compute(
    stem: Stem, value: Callable[[Stem, str, Mistake], Awaitable[tuple[float, dict[str, Any]]]]
) -> Computed:
    (truth, record), *wrong = await asyncio.gather(
        value(stem, "the right build", Mistake()), *(value(stem, *way) for way in stem.mistakes.items())
    )
    values = {diagnosis: found for diagnosis, (found, _) in zip(stem.mistakes, wrong, strict=True)}
    options = tuple(
        Option(found, diagnosis, _indistinct(diagnosis, values, stem.quantity))
        for diagnosis, found in values.items()
        if differ(stem.quantity, found, truth)
    )
    return Computed(stem, truth, options, record)


def _indistinct(diagnosis: str, values: Mapping[str, float], quantity: str) -> tuple[str, ...]:
    return tuple(
        other
        for other, value in values.items()
        if other != diagnosis and not differ(quantity, value, values[diagnosis])
    )


async def _value(engine: Engine, stem: Stem, way: str, mistake: Mistake) -> tuple[float, dict[str, Any]]:
    """Run a stem as `mistake` has it and return the punched value with the provenance of the run."""
    found = await punched(
        engine,
        edited(stem, mistake),
        mistake.punch or stem.punch,
        mistake.database or stem.database,
        stem.row if mistake.row is None else mistake.row,
    )
    if found.value is None:
        raise _defect(stem, f"{way}: {found.why}")
    return found.value, found.engine or {}


def _defect(stem: Stem, what: str) -> LabrigError:
    return LabrigError(f"Stem {stem.name} of {NAME}: {what}", code="internal")
