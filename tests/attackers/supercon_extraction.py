"""What cheap answers are worth, without a model and a tool.

    PYTHONPATH=tests python -m attackers.supercon_extraction

Each attack is given the text of the pages, as a good reader would have it, and the closed list; truths of other papers
where it learns from them. A suite in which one of them does well measures little.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean

from labrig_harness.sample import Sample
from labrig_suites.supercon_extraction.grading import literal, strict
from labrig_suites.supercon_extraction.grading.formulas import composition
from labrig_suites.supercon_extraction.grading.text import signs
from labrig_suites.supercon_extraction.grading.units import read_unit
from labrig_suites.supercon_extraction.grading.values import read_value
from labrig_suites.supercon_extraction.items import generate, of_level
from labrig_suites.supercon_extraction.reading import UNITS
from labrig_suites.supercon_extraction.rows import Predicted, Truth, truths

PAPERS, LONG = 60, 24
Attack = Callable[[Sequence[str], Sequence[Truth]], list[Predicted]]
"""Answers a paper, given its pages and truths of other papers."""
_VALUE = re.compile(rf"(?<![\w.])-?\d+(?:\.\d+)?(?:\(\d+\))? ?(?:{'|'.join(map(re.escape, UNITS))})(?![\w^])")


def materials(pages: Sequence[str]) -> list[str]:
    """Return the resolved formulas of a text, the most frequent first, without marks of scripts."""
    words = Counter(
        word.strip(".,;")
        for page in pages
        for word in page.split()
        if "_{" in word and composition(word.strip(".,;"))
    )
    return [re.sub(r"[_{}]", "", word) for word, _ in words.most_common() if len(composition(word) or ()) > 2]


def by_unit(pages: Sequence[str], known: Sequence[Truth]) -> list[Predicted]:
    """Give each value of the text, for the most frequent material, to every property of its dimension."""
    return _by_unit(pages, known, most=99)


def first_by_unit(pages: Sequence[str], known: Sequence[Truth]) -> list[Predicted]:
    """Give each property the first value of its dimension in the text, for the most frequent material."""
    return _by_unit(pages, known, most=1)


def _by_unit(pages: Sequence[str], known: Sequence[Truth], most: int) -> list[Predicted]:
    names: dict[str, set[object]] = defaultdict(set)
    for truth in known:
        unit = read_unit(truth.unit)
        if truth.rule == "numeric" and unit is not None:
            names[truth.name].add(unit.dimension)
    (material, *_) = materials(pages) or [""]
    given: Counter[str] = Counter()
    rows = []
    for number, page in enumerate(pages, 1):
        for line in signs(page).splitlines():
            for found in _VALUE.findall(line):
                value = read_value(found)
                for name, dimensions in names.items():
                    if (
                        value is not None
                        and value.unit is not None
                        and value.unit.dimension in dimensions
                        and given[name] < most
                    ):
                        given[name] += 1
                        rows.append(Predicted(name, material, found, page=number, quote=line))
    return rows


def most_frequent(pages: Sequence[str], known: Sequence[Truth]) -> list[Predicted]:
    """Give each property the value that it has most often in other papers, for each material of the text."""
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for truth in known:
        values[truth.name][truth.printed] += 1
    lines = [(number, line) for number, page in enumerate(pages, 1) for line in page.splitlines()]
    rows = []
    for material in materials(pages)[:4]:
        for name, counts in values.items():
            value = counts.most_common(1)[0][0]
            page, quote = next(((n, line) for n, line in lines if value.split()[0] in line.split()), (1, ""))
            rows.append(Predicted(name, material, value, page=page, quote=quote))
    return rows


def every_number(pages: Sequence[str], known: Sequence[Truth]) -> list[Predicted]:
    """Give every property of every material all numbers of the paper, in one value."""
    numbers = ", ".join(re.findall(r"\d+(?:\.\d+)?", " ".join(map(signs, pages))))
    return [
        Predicted(name, material, numbers, page=1, quote=pages[0].splitlines()[0])
        for name in sorted({truth.name for truth in known})
        for material in materials(pages)[:4]
    ]


def prompt_alone(pages: Sequence[str], known: Sequence[Truth]) -> list[Predicted]:
    """Give each property the material and value that are most frequent in other papers, without a look at this one."""
    by_name: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for truth in known:
        by_name[truth.name][truth.material, truth.printed] += 1
    return [
        Predicted(name, *counts.most_common(1)[0][0], page=1, quote="We report this value for our sample.")
        for name, counts in by_name.items()
    ]


ATTACKS: dict[str, Attack] = {
    "every value by its unit": by_unit,
    "first value by its unit": first_by_unit,
    "most frequent value": most_frequent,
    "all numbers in one value": every_number,
    "the prompt alone": prompt_alone,
}


def measured(samples: Sequence[Sample]) -> dict[str, tuple[float, float, float, float]]:
    """Return of each attack the means over papers: F1 by strict, of values, by compat, and recall by compat.

    What it learns from are the truths of the other papers of the same field.
    """
    every = [(sample, truths().validate_python(sample.truth["rows"])) for sample in samples]
    found = {}
    for name, attack in ATTACKS.items():
        marks = []
        for sample, rows in every:
            field = sample.labels["field"]
            known = [
                row
                for other, theirs in every
                if other.id != sample.id and other.labels["field"] == field
                for row in theirs
            ]
            pages = sample.truth["pages"]
            said = attack(pages, known)
            in_text = [row for row in rows if not row.in_figure]
            graded, published = strict.grade(rows, said, pages), literal.grade(in_text, said)
            marks.append((graded.proved.f1, graded.values[0].f1, published.f1, published.recall))
        proved, values, compat, recall = (fmean(column) for column in zip(*marks, strict=True))
        found[name] = (proved, values, compat, recall)
    return found


def main() -> int:
    """Print what each attack gets."""
    for samples, levels in ((generate("attacked", PAPERS), "1 to 4"), (of_level(5, "attacked", LONG), "5")):
        print(
            f"levels {levels} | F1 proved (strict) | F1 of values | F1 published (compat) | recall published"
        )
        for name, marks in measured(samples).items():
            print(" | ".join([name, *(f"{each:.3f}" for each in marks)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
