"""What the solutions know of the language of made papers: how it states a value, and how it names samples.

It is that of the generator's own lists of sentences. What a paper says stands in results of tools alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from labrig_harness.suite import Unsolvable
from labrig_suites.supercon_extraction.grading.text import signs
from labrig_suites.supercon_extraction.targets import Target, field

UNITS = (
    *(
        "mJ/mol K^{2}",
        "mJ mol^{-1} K^{-2}",
        "μW/cm K^{2}",
        "W m^{-1} K^{-1}",
        "g/cm^{3}",
        "g cm^{-3}",
        "μV K^{-1}",
    ),
    *("μΩ cm", "mΩ cm", "W/m K", "μV/K", "S/cm", "T/K", "meV", "nm", "Å", "K", "T", "%"),
)
NUMBER = r"-?\d+(?:\.\d+)?(?:\(\d+\))?"
_NEXT = re.compile(r"cursor='([^']+)'")


@dataclass(frozen=True)
class Stated:
    """A value that a text states: of what, of which sample or material, where."""

    target: Target
    of: str
    value: str
    page: int
    quote: str
    source: str


def pages_of(results: Sequence[str]) -> dict[int, str]:
    """Return the text of each page from results of read_pages that go on from each other, its lines joined.

    Raises
    ------
    Unsolvable
        If there is none.
    """
    pages: dict[int, str] = {}
    for result in dict.fromkeys(results):
        parts = re.split(r"^\[p\.(\d+)\]\n", result, flags=re.MULTILINE)
        for number, text in zip(parts[1::2], parts[2::2], strict=True):
            text = re.split(r"^(?:source|warnings|next): ", text, flags=re.MULTILINE)[0]
            pages[int(number)] = pages.get(int(number), "") + text
    if not pages:
        raise Unsolvable("no page in the results")
    return pages


def continued(result: str) -> dict[str, str]:
    """Return the argument with which a call goes on; none where it is at its end."""
    found = _NEXT.search(result)
    return {"cursor": found[1]} if found else {}


def one_line(text: str) -> str:
    """Return a text as one line with one kind of signs."""
    return " ".join(signs(text).split())


def stated(text: str, page: int, name: str, plain: bool) -> list[Stated]:
    """Return what the sentences of a page state."""
    line = one_line(text)
    return [
        Stated(target, found["m"], found["v"], page, found[0], "text")
        for target in field(name).targets
        for sentence in target.sentences
        for found in _pattern(sentence, target.key, plain).finditer(line)
    ]


def _pattern(sentence: str, key: str, plain: bool) -> re.Pattern[str]:
    written = without_marks(sentence) if plain else signs(sentence)
    units = "|".join(re.escape(without_marks(unit) if plain else unit) for unit in UNITS)
    value = r"[A-Z][\w/\-]*[a-z\d]" if key == "group" else rf"{NUMBER}(?: ?(?:{units}))?"
    pattern = re.escape(" ".join(written.split())).replace(re.escape("{m}"), r"(?P<m>sample \w+|\S+)")
    return re.compile(pattern.replace(re.escape(f"<{key}>"), f"(?P<v>{value})"))


def without_marks(text: str) -> str:
    """Return a text without marks of scripts; the place of a material stays."""
    return re.sub(r"[_^]\{([^{}]*)\}", r"\1", signs(text))


def materials(pages: Iterable[str]) -> dict[str, str]:
    """Return the formula of each label of a paper, with x and δ put in."""
    text = without_marks(one_line(" ".join(pages)))
    series = re.search(r"All samples belong to the series (\S+)\.", text)
    if series is None:
        return {}
    missing = re.search(r"In all of them δ = ([\d.]+) by titration", text)
    return {
        label: resolved(series[1], float(x), float(missing[1]) if missing else 0.0)
        for label, x in re.findall(r"Sample (\w+) has x = ([\d.]+)\.(?!\d)", text)
    }


def resolved(generic: str, x: float, delta: float = 0.0) -> str:
    """Return a formula with numbers for x and δ.

    >>> resolved("La2-xSrxCuO4", 0.15), resolved("Nd1+xBa2-xCu3O7-δ", 0.1, 0.06)
    ('La1.85Sr0.15CuO4', 'Nd1.1Ba1.9Cu3O6.94')
    """
    whole = re.sub(r"(\d)([+-])x", lambda found: f"{int(found[1]) + float(found[2] + '1') * x:g}", generic)
    whole = re.sub(r"(\d)-δ", lambda found: f"{int(found[1]) - delta:g}", whole)
    return re.sub(r"x(?![a-z])", f"{x:g}", whole)


def answer(found: Iterable[Stated], formulas: dict[str, str]) -> str:
    """Return what was found in the form of the task, each property of each sample once.

    Raises
    ------
    Unsolvable
        If nothing was found.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for each in found:
        label = each.of.removeprefix("sample ")
        material = formulas.get(label) or re.sub(r"[_{}^]", "", each.of)
        row = {
            "id": f"prop_{len(rows) + 1:03}",
            "material_or_system": material,
            **({"sample_label": label} if label in formulas else {}),
            "property_name": each.target.name,
            "category": each.target.category,
            "value_string": each.value,
            "location": {"page": each.page, "source_type": each.source, "evidence": each.quote},
        }
        rows.setdefault((material, each.target.key), row)
    if not rows:
        raise Unsolvable("the results state no property")
    return json.dumps({"properties": list(rows.values())}, ensure_ascii=False)
