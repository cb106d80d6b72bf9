"""Title, abstract and README of a repository, from the patterns of its field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from labrig_repository.gym.numbers import Draws
from labrig_repository.gym.specification import Context, FileVariable, Placeholder, Specification
from labrig_repository.gym.taxonomy.field import Domain, Field
from labrig_repository.gym.values import Decimal

SLOT = re.compile(r"\{(\w+)\}")
MOST_FACTORS = 4
"""An abstract names no more conditions than a reader takes in."""
STUDIED = ("categorical", "ordered", "number")


def slots(
    draws: Draws,
    field: Field,
    domain: Domain,
    context: Context,
    placeholders: Sequence[Placeholder],
    variables: Sequence[FileVariable],
) -> dict[str, str]:
    """Return what the slots of the patterns are filled with."""
    factors = [each.about for each in placeholders if each.kind in STUDIED]
    outcomes = _abouts([each for each in variables if isinstance(each.form, Decimal)], "dependent")
    covariates = _abouts(variables, "independent")
    main = draws.one(outcomes)
    others = [each for each in outcomes if each != main]
    return {
        "subject": draws.one(domain.subjects),
        "topic": context.subdomain,
        "factor": draws.one(factors),
        "factors": in_words(draws.some(factors, MOST_FACTORS)),
        "outcome": main,
        "outcomes": in_words([main, *draws.some(others, 2)]),
        "covariates": in_words(draws.some(covariates, draws.between(2, 3))),
        "setting": draws.one(field.settings).text,
        "method": draws.one(field.methods).text,
    }


def title(draws: Draws, field: Field, words: Mapping[str, str]) -> str:
    """Return the title, without a full stop."""
    return filled(draws.one(field.phrases.titles), words)


def abstract(draws: Draws, field: Field, words: Mapping[str, str]) -> str:
    """Return four or five sentences; none says what was found."""
    phrases = field.phrases
    parts = [phrases.aims, phrases.designs, phrases.measurements, phrases.analyses, phrases.uses]
    if draws.chance(1, 3):
        parts.pop(draws.between(3, 4))
    return " ".join(filled(draws.one(each), words) for each in parts)


def filled(pattern: str, words: Mapping[str, str]) -> str:
    """Return a pattern with its slots filled; its first letter, and one after a colon in a slot, as a sentence has."""
    text = SLOT.sub(lambda match: words[match[1]], pattern)
    return text[:1].upper() + text[1:]


def in_words(items: Sequence[str]) -> str:
    """Return a list as it is written in a sentence."""
    if len(items) < 3:
        return " and ".join(items)
    return ", ".join(items[:-1]) + " and " + items[-1]


def _abouts(variables: Sequence[FileVariable], role: str) -> list[str]:
    """Return what columns of a role are; flags explain their 1 in brackets, which no sentence needs."""
    return [each.about.partition(" (")[0] for each in variables if each.role == role]


def readme(specification: Specification) -> str:
    """Return the text of README.md; without a title it has no heading that could be taken for one."""
    says = specification.readme
    assert says is not None
    parts = [f"# {specification.title}"] if says.title else []
    if says.abstract:
        parts.append(f"## Abstract\n\n{specification.abstract}")
    if says.scheme:
        lines = "\n".join(f"- `{each.name}`: {_explained(each)}" for each in specification.placeholders)
        parts.append(f"## Files\n\nFiles are named `{specification.scheme}`, where\n\n{lines}")
    if not says.abstract and not says.scheme:
        parts.append("Tables of this project, one file for each run.")
    return "\n\n".join(parts) + "\n"


def _explained(placeholder: Placeholder) -> str:
    needless = placeholder.unit in ("", "a") or placeholder.unit in placeholder.about  # "year, in a"
    unit = "" if needless else f", in {placeholder.unit}"
    form = f", written {placeholder.form}" if placeholder.form else ""
    return f"{placeholder.about}{unit}{form}"
