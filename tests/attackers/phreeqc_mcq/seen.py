"""What an attacker sees of an item: the text of the question, four options with their letters, and no engine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_suites.phreeqc_mcq import items
from labrig_suites.phreeqc_mcq.items import LETTERS

Floats: TypeAlias = npt.NDArray[np.float64]

OPTION = re.compile(r"(-?\d[\d.]*(?:e[-+]\d+)?)(?: (.*))?")


@dataclass(frozen=True)
class Seen:
    """An item without what is hidden, but for `answer` and `stem`, which only the scorer looks at.

    Attributes
    ----------
    texts, numbers, units
        Of the four options, by letter: as printed, the number (as text), what follows it.
    values
        The four numbers; of options in words, their places in the alphabet.
    names
        Of options in words: what each is a list of. Empty for numbers.
    answer
        0 to 3.
    """

    question: str
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    units: tuple[str, ...]
    values: Floats
    answer: int
    stem: str
    names: tuple[tuple[str, ...], ...] = ()

    @property
    def asked(self) -> str:
        """The last sentence before the database is named."""
        return re.split(r"(?<=[.?])\s", self.question.partition("\n\n")[0].strip())[-1]


def seen(sample: Sample) -> Seen:
    """Return what an attacker sees of an item.

    Raises
    ------
    LabrigError
        ``bad_input`` where the options are not four numbers, or the answer is not one of their letters.
    """
    where = f"sample {sample.id}"
    try:
        row = items.row(sample)
        texts = tuple(str(row["options"][letter]) for letter in LETTERS)
    except (KeyError, ValueError) as error:
        raise LabrigError(
            "A sample has no stem or does not have four options",
            where=where,
            expected="rows as items.row makes them",
        ) from error
    if row["answer"] not in LETTERS:
        raise LabrigError("A sample has no right letter", where=where, expected="A, B, C or D")
    if "kind" in sample.labels:
        return _in_words(row, texts)
    matches = [OPTION.fullmatch(text) for text in texts]
    try:
        numbers = tuple(match[1] for match in matches if match)
        values = np.array([float(each) for each in numbers])
    except ValueError:
        numbers = ()
    if len(numbers) < len(LETTERS):
        raise LabrigError(
            "An option is not a number",
            where=where,
            expected="a number, followed by its unit if it has one: 1.234 mmol",
        )
    units = tuple(match[2] or "" for match in matches if match)
    return Seen(
        row["question"], texts, numbers, units, values, LETTERS.index(row["answer"]), str(row["stem"])
    )


def _in_words(row: dict[str, Any], texts: tuple[str, ...]) -> Seen:
    places = np.array([float(sorted(texts).index(text)) for text in texts])
    numbers = tuple(f"{place:.0f}" for place in places)
    names = tuple(tuple(text.split(", ")) for text in texts)
    answer = LETTERS.index(row["answer"])
    return Seen(row["question"], texts, numbers, ("",) * len(texts), places, answer, str(row["stem"]), names)
