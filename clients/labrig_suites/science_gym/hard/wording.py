"""The question of a hard repository in words, composed by the grammar of `frames.toml` in four styles.

The productions are drawn from the repository's number and the style, before anything is known of the answer; a gap has
no stream of its own here. So no wording depends on whether a question can be answered.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from labrig_repository.gym.hard.plan import Condition, Plan, stream
from labrig_repository.gym.hard.writing import day
from labrig_repository.gym.numbers import Draws
from labrig_suites.science_gym.grammar import composed, frames
from labrig_suites.science_gym.wording import STATISTICS

WORDS = ("", "", "two", "three", "four", "five")


def worded(plan: Plan, style: str) -> str:
    """Return the question in a style."""
    draws = stream(plan.number, "wording", style)
    slots = _slots(plan)
    slots["conditions"] = lambda: _conditions(draws, plan)
    kind = plan.ask.kind
    if kind == "test":
        kind = "test_groups" if plan.ask.statistic in ("anova", "kruskal-wallis") else "test_pairs"  # type: ignore[assignment]
    slots["np"] = lambda: composed(draws, draws.one(frames()[kind]), slots)
    text = composed(draws, draws.one(frames()[style]), slots)
    return "\n".join(line[:1].upper() + line[1:] for line in text.split("\n"))


def _slots(plan: Plan) -> dict[str, str | Callable[[], str]]:
    ask, world = plan.ask, plan.world
    title = world.title[0].lower() + world.title[1:]
    name = STATISTICS.get(ask.statistic, "")
    return {
        "title": f"the {title}" if plan.number % 2 else f"“{world.title}”",
        "Title": world.title,
        "samples": "visits" if ask.kind == "check" else "samples",
        "statistic": name,
        "test": name,
        "term": ask.term,
        "unit": ask.unit,
        "other": ask.other,
        "other_unit": ask.other_unit,
        "factor": world.factor.about,
        "block": world.block.about,
        "one": ask.pair[0],
        "two": ask.pair[1],
        "from": f"{ask.hours[0]:02d}:00",
        "to": f"{ask.hours[1]:02d}:00",
        "digits": WORDS[ask.digits] if plan.number % 3 else str(ask.digits),
        "Digits": WORDS[ask.digits].capitalize() if plan.number % 3 else str(ask.digits),
    }


def _conditions(draws: Draws, plan: Plan) -> str:
    order = draws.some(plan.ask.conditions, len(plan.ask.conditions))
    mark = draws.one((" and ", "; ", ", and also "))
    return mark.join(_condition(draws, plan, each) for each in order)


def _condition(draws: Draws, plan: Plan, condition: Condition) -> str:
    if condition.on == "days":
        first, last = (day(int(each)) for each in condition.values)
        return composed(draws, draws.one(frames()["days"]), {"first": first, "last": last})
    if condition.on in ("above", "below"):
        bound = f"{float(Fraction(condition.values[0])):.12g} {plan.measured[2].unit}"
        return composed(draws, draws.one(frames()[condition.on]), {"other": plan.ask.other, "bound": bound})
    category = getattr(plan.world, condition.on)
    return composed(
        draws,
        draws.one(frames()["any_of"]),
        {"about": category.about, "one_of": " or ".join(condition.values)},
    )
