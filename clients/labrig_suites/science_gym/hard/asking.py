"""From a seed to hard items: the question of a repository, its answer, and what a solver is told.

A set is dealt out first: kinds of question evenly, of each with gaps a third impossible, the gaps evenly. Then numbers
are tried in the order that the seed draws them, until one has that kind and that gap. An impossible question is taken
only where its repository without the gap would have been asked too: so what both are like is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from labrig.errors import LabrigError
from labrig_harness.sample import Sample, SampleInput
from labrig_repository.gym.hard.campaign import HardRepository
from labrig_repository.gym.hard.levels import SWITCHES, Levels
from labrig_repository.gym.hard.plan import GAPS, KINDS, Gap, Kind, fate, plan
from labrig_repository.gym.hard.writing import day
from labrig_repository.gym.numbers import Draws
from labrig_suites.science_gym.hard import truth
from labrig_suites.science_gym.hard.wording import worded
from labrig_suites.science_gym.question import EXPECTED, NOT_POSSIBLE, Expected

CATEGORY = "hard"
TYPES = tuple(f"hard-{each}" for each in KINDS)
MOST_NUMBER, MOST_TRIES = 999_999_999, 5_000


def generate(
    seed: str,
    count: int,
    progress: Callable[[int], None] | None,
    levels: Levels,
    made: Callable[[HardRepository, Expected, str, int], Sample],
    styles: tuple[str, ...],
) -> list[Sample]:
    """Return `count` items: each question in each of `styles`, made into a sample by `made`."""
    samples: list[Sample] = []
    for number, (kind, gap) in enumerate(deals(seed, -(-count // len(styles)))):
        repository, expected = found(seed, number, kind, gap, levels)
        for style in styles[: count - len(samples)]:
            samples.append(made(repository, expected, style, number))
            if progress is not None:
                progress(len(samples))
    return samples


def deals(seed: str, count: int) -> list[tuple[Kind, Gap]]:
    """Return kind and gap of each of `count` questions; any seven in a row from a multiple hold each kind."""
    draws = Draws("science-gym", "hard", seed, "deal")
    dealt: list[tuple[Kind, Gap]] = []
    turns = {kind: draws.below(3) for kind in KINDS}
    gaps = {kind: draws.below(2) for kind in KINDS}
    while len(dealt) < count:
        for kind in draws.some(KINDS, len(KINDS)):
            gap: Gap = ""
            if GAPS[kind] and turns[kind] % 3 == 0:
                gap = GAPS[kind][gaps[kind] % len(GAPS[kind])]
                gaps[kind] += 1
            turns[kind] += 1
            dealt.append((kind, gap))
    return dealt[:count]


def found(seed: str, number: int, kind: Kind, gap: Gap, levels: Levels) -> tuple[HardRepository, Expected]:
    """Return the first repository that is asked a question of a kind with a gap, and its answer."""
    draws = Draws("science-gym", "hard", seed, "question", str(number))
    for _ in range(MOST_TRIES):
        drawn = draws.between(1, MOST_NUMBER)
        if fate(drawn) != (kind, gap):
            continue
        try:
            expected = answered(HardRepository(plan(drawn, levels, whole=True)))
            repository = HardRepository(plan(drawn, levels))
            if gap and expected.kind != "impossible":
                expected = answered(repository)
            elif gap:
                continue
        except truth.Unfit:
            continue
        if expected.reason == gap:
            return repository, expected
    raise LabrigError(f"No repository has a question of {kind} with {gap or 'no gap'}", code="internal")


def answered(repository: HardRepository) -> Expected:
    """Return the answer of a repository's question; `truth.Unfit` for one that is not to be asked."""
    ask = repository.plan.ask
    digits = 0 if ask.kind in ("count", "check") else ask.digits
    try:
        value = truth.answer(repository)
    except truth.NotPossible as error:
        return Expected("impossible", NOT_POSSIBLE, digits=digits, reason=str(error))
    if isinstance(value, int):
        return Expected("integer", str(value))
    from labrig_suites.science_gym.truth import as_text

    return Expected("number", as_text(value), digits=digits)


def query(repository: HardRepository) -> dict[str, Any]:
    """Return what a question says, for a solver: names, units, days and bounds as its words have them."""
    ask, world = repository.plan.ask, repository.plan.world
    conditions = []
    for each in ask.conditions:
        values = list(each.values)
        if each.on == "days":
            values = [day(int(value)) for value in values]
        elif each.on in ("above", "below"):
            values = [f"{float(Fraction(value)):.12g}" for value in values]
        conditions.append({"on": each.on, "values": values})
    columns = {name: getattr(world, name).column for name in ("factor", "block", "category")}
    said = {name: value for name, value in asdict(ask).items() if name not in ("conditions", "digits")}
    pair, hours = list(ask.pair), list(ask.hours)
    return {
        **said,
        "pair": pair,
        "hours": hours,
        "repository": repository.name,
        "conditions": conditions,
        **columns,
    }


def sample(
    repository: HardRepository,
    expected: Expected,
    style: str,
    prompt: Callable[[str], str],
    ids: tuple[str, str],
) -> dict[str, Any]:
    """Return brief, truth and labels of a hard sample; `ids` are those of item and question."""
    plan = repository.plan
    usual = {each.name: each.usual for each in SWITCHES}
    other = [f"{name}={plan.levels[name]}" for name in usual if plan.levels[name] != usual[name]]
    return {
        "brief": SampleInput(ids[0], prompt(worded(plan, style))),
        "truth": {
            "answer": expected.value,
            "expected": EXPECTED.dump_python(expected, mode="json"),
            "hard": query(repository),
            "files": len(repository.paths()),
        },
        "labels": {
            "repository": repository.name,
            "question": ids[1],
            "category": CATEGORY,
            "type": f"hard-{plan.ask.kind}",
            "style": style,
            "statistic": plan.ask.statistic,
            "format": "csv",
            "levels": " ".join(other) or "usual",
        },
    }
