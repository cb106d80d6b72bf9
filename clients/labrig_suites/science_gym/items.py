"""From questions to items: any number of them, the same from the same seed, generator and style of question.

A set is dealt out before anything is drawn: types for their shares in the paper's Table 3, possible and impossible
questions, reasons, answers of the types that have choices, and file formats. Then repositories are tried, from numbers
that the seed draws, until one has such a question. Every question is asked in four styles (`wording`), which are four
items; ``question`` is the label that they share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from labrig.errors import LabrigError
from labrig_harness.sample import Sample, SampleInput
from labrig_suites.common import generated
from labrig_suites.science_gym.checked import check
from labrig_suites.science_gym.question import (
    CATEGORY,
    EXPECTED,
    QUERIES,
    TYPES,
    Expected,
    Question,
    Type,
)

if TYPE_CHECKING:
    from labrig_repository.gym.hard.campaign import HardRepository
    from labrig_repository.gym.numbers import Draws
    from labrig_repository.gym.repository import GeneratedRepository
    from labrig_suites.science_gym.drawing.form import Form

T = TypeVar("T")

NAME = "science-gym"
VERSION = "4"
"""Of the wording too: a question in other words is another item, with another id."""
DRAWING = "3"
"""Of all that is drawn from a seed: with the same one, the same seed gives the same questions and truths."""
SHARES: dict[Type, int] = {
    "readme": 16,
    "title": 13,
    "abstract": 16,
    "extension": 14,
    "count-rows": 82,
    "files-by-prefix": 57,
    "files-by-condition": 53,
    "univariate-file": 55,
    "univariate-condition": 61,
    "bivariate-statistic": 64,
    "bivariate-hypothesis": 69,
}
"""Of 500 questions: Table 3 of the paper."""
IMPOSSIBLE = {"bivariate-hypothesis": 0.26}
IMPOSSIBLE_ELSE = 0.32
"""Share of the questions of a type that are not possible, where any can be: some 22 % of all. Of the tests it is less
than 30 %, and so is each pair of decisions, so that no answer to all of them is right more often."""
NUMBERS = 5
"""Questions of a type and an answer in a repository, as the paper draws five."""
MISSING = "missing variable"
MOST_TRIES = 20_000
commitment = partial(generated.commitment, NAME)


@dataclass(frozen=True, slots=True)
class Deal:
    """What a question is to be: its type, the answer that is wanted (see `drawing.draw`), the format of the files.

    Attributes
    ----------
    like
        The reason for which it is, or would be, impossible (`drawing.form`); empty for a type that never is.
    """

    type: Type
    want: str
    extension: str
    like: str = ""


def generate(
    seed: str, count: int, progress: Callable[[int], None] | None = None, first: int | None = None
) -> list[Sample]:
    """Return `count` items: each question in four styles, the last in fewer where `count` is not a multiple of four.

    Parameters
    ----------
    first
        Only so many of the set are made, from its beginning.

    Raises
    ------
    LabrigError
        ``bad_input`` for a count below 1; ``unavailable`` where the repository server is not installed.
    """
    generated.at_least_one(count)
    from labrig_suites.science_gym.wording import STYLES

    wanted = count if first is None else min(first, count)
    made: list[Sample] = []
    for number, deal in enumerate(deals(seed, -(-count // len(STYLES)))):
        repository, question = found(seed, number, deal)
        for style in STYLES:
            if len(made) == wanted:
                return made
            made.append(_task(seed, number, repository, question, style))
            if progress is not None:
                progress(len(made))
    return made


def configured(settings: Mapping[str, Any]) -> Callable[..., list[Sample]]:
    """Return `generate` for a tier: ``tier=clean``, or ``tier=hard`` with a level of any switch (``missing=0``)."""
    levels = dict(settings)
    tier = levels.pop("tier", "hard" if levels else "clean")
    if tier not in ("clean", "hard") or (tier == "clean" and levels):
        raise LabrigError(
            f"There is no tier {tier!r:.40} with these settings",
            where="--set",
            expected="tier=clean alone, or tier=hard with levels of its switches",
        )
    return generate if tier == "clean" else partial(_generate_hard, levels=levels)


def _generate_hard(
    seed: str, count: int, progress: Callable[[int], None] | None = None, *, levels: Mapping[str, Any]
) -> list[Sample]:
    """Return items of the hard tier."""
    generated.at_least_one(count)
    from labrig_repository.gym.hard.levels import chosen
    from labrig_suites.science_gym.hard import asking
    from labrig_suites.science_gym.wording import STYLES, asked_of

    def made(repository: HardRepository, expected: Expected, style: str, number: int) -> Sample:
        ids = [
            generated.opaque_id(seed, f"{NAME}/{VERSION}/hard/{name}")
            for name in (f"{number}/{style}", str(number))
        ]
        parts = asking.sample(
            repository, expected, style, partial(prompt, asked_of(repository)), (ids[0], ids[1])
        )
        return Sample(suite=NAME, suite_version=VERSION, **parts)

    return asking.generate(seed, count, progress, chosen(levels), made, STYLES)


def deals(seed: str, count: int) -> list[Deal]:
    """Return what each of `count` questions is to be, in random order."""
    from labrig_repository.gym.encoding import EXTENSIONS
    from labrig_repository.gym.numbers import Draws
    from labrig_suites.science_gym.drawing import OUTCOMES, REASONS, often

    draws = Draws(NAME, DRAWING, seed, "deal")
    dealt: list[tuple[Type, str, str]] = []
    for type, many in zip(TYPES, _rounded([SHARES[each] for each in TYPES], count), strict=True):
        impossible = round(many * IMPOSSIBLE.get(type, IMPOSSIBLE_ELSE)) if REASONS[type] else 0
        reasons = _evenly(draws, often(type), impossible)
        outcomes = _evenly(draws, OUTCOMES.get(type, ("",)), many - impossible)
        likes = _evenly(draws, often(type) or ("",), many - impossible)
        dealt += [(type, reason, reason) for reason in reasons]
        dealt += [(type, want, like) for want, like in zip(outcomes, likes, strict=True)]
    formats = _evenly(draws, EXTENSIONS, count)
    return [
        Deal(type, want, want if type == "extension" else format, like)
        for (type, want, like), format in zip(draws.some(dealt, count), formats, strict=True)
    ]


def _rounded(shares: Sequence[int], count: int) -> list[int]:
    """Return `count` in parts as large as the shares: by largest remainder, the first of equal ones."""
    exact = [share * count / sum(shares) for share in shares]
    parts = [int(each) for each in exact]
    order = sorted(range(len(shares)), key=lambda n: (parts[n] - exact[n], n))
    for n in order[: count - sum(parts)]:
        parts[n] += 1
    return parts


def _evenly(draws: Draws, values: Sequence[T], count: int) -> list[T]:
    """Return `count` values in random order, each as often as the others to within one."""
    order = draws.some(values, len(values))
    return draws.some([order[n % len(order)] for n in range(count)], count)


def found(seed: str, number: int, deal: Deal) -> tuple[GeneratedRepository, Question]:
    """Return the first repository that has such a question, and the question."""
    from labrig_repository.gym.design import specification
    from labrig_repository.gym.numbers import Draws
    from labrig_repository.gym.repository import GeneratedRepository
    from labrig_suites.science_gym.drawing import absent, draw
    from labrig_suites.science_gym.drawing.form import form

    draws = Draws(NAME, DRAWING, seed, "question", str(number))
    asked = form(deal.type, deal.like, Draws(NAME, DRAWING, seed, "form", str(number)))
    for _ in range(MOST_TRIES):
        drawn = GeneratedRepository(specification(draws.between(1, absent.MOST_NUMBER)))
        which = draws.below(NUMBERS)
        for repository, like in _tried(draws, deal, drawn, asked):
            if repository.specification.extension != deal.extension:
                continue
            question = draw(repository, deal.type, which, deal.want, like)
            if question and _has_a_twin(draws, deal, repository, question):
                return repository, question
    raise LabrigError(f"No repository has a question of {deal}", code="internal")


def _tried(
    draws: Draws, deal: Deal, repository: GeneratedRepository, asked: Form
) -> Iterator[tuple[GeneratedRepository, Form]]:
    """Give what is tried for one repository: those without a column of it, where the question is to miss one."""
    from labrig_repository.gym.repository import GeneratedRepository
    from labrig_suites.science_gym.drawing import absent
    from labrig_suites.science_gym.drawing.parts import askable

    if deal.want != MISSING:
        yield repository, asked
    elif names := askable(repository, asked):
        name = draws.one(names)
        for other in absent.without(draws, repository, name):
            yield GeneratedRepository(other), replace(asked, variable=name)


def _has_a_twin(draws: Draws, deal: Deal, repository: GeneratedRepository, question: Question) -> bool:
    """Tell whether the column of a question could be missing, where it is like those that miss one."""
    from labrig_suites.science_gym.drawing import absent

    twinned = deal.like != MISSING or deal.want == MISSING
    return twinned or any(absent.without(draws, repository, question.query.variables[0]))


def _task(seed: str, number: int, repository: GeneratedRepository, question: Question, style: str) -> Sample:
    from labrig_suites.science_gym.wording import asked_of, worded

    query, expected = question.query, question.expected

    def opaque(name: str) -> str:
        return generated.opaque_id(seed, f"{NAME}/{VERSION}/{name}")

    return Sample(
        suite=NAME,
        suite_version=VERSION,
        brief=SampleInput(
            opaque(f"{number}/{style}"), prompt(asked_of(repository), worded(question, repository, style))
        ),
        truth={
            "answer": expected.value,
            "expected": EXPECTED.dump_python(expected, mode="json"),
            "query": QUERIES.dump_python(query, mode="json"),
            "files": len(repository.files.texts),
        },
        labels={
            "repository": query.repository,
            "question": opaque(str(number)),
            "category": CATEGORY[query.type],
            "type": query.type,
            "style": style,
            "statistic": query.statistic,
            "format": repository.specification.extension,
        },
    )


def prompt(about: str, question: str) -> str:
    """Return what an agent is asked."""
    return f"{about}\n\n{question}\n"


def row(sample: Sample) -> dict[str, Any]:
    """Return an item as a line of a JSONL file: what an agent may see, the answer, and the rest under ``truth``."""
    return {
        "id": sample.id,
        "question": sample.brief.prompt,
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
        check(fields)
        return Sample(
            suite=NAME,
            suite_version=VERSION,
            brief=SampleInput(fields["id"], fields["question"]),
            truth={"answer": fields["answer"], **fields["truth"]},
            labels=dict(fields["labels"]),
        )
