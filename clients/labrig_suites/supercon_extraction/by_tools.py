"""The reference of long papers: what the tools of the papers server make of a paper, without a word of its language.

Values that `find_quantities` calls measured, and does not say to be denied, are taken with the material that stands
nearest; `match_property` names each by its quantity and sentence, among the names that the task lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.common.answer_data import data
from labrig_suites.supercon_extraction.items import FILE
from labrig_suites.supercon_extraction.reading import continued

FINDS, MATCHES = 14, 48
"""Calls that find values, and that name them; those beyond the last one repeat the first."""
CONTEXT = 400


def by_tools(sample: Sample, arm: Arm) -> Solution:
    """Return the tools' own reading of a paper.

    Raises
    ------
    Unsolvable
        For an arm without `find_quantities`.
    """
    offered = arm.serve.tools or ("find_quantities",)
    if arm.server != "papers" or "find_quantities" not in offered:
        raise Unsolvable(f"no solution of a long paper for the arm {arm.name}")
    listed = re.findall(
        r"`([^`\n]+)`", sample.brief.prompt.partition("## Closed list")[2].partition("## Form")[0]
    )

    def following(results: Sequence[str]) -> dict[str, Any]:
        return {"path": FILE, **(continued(results[-1]) if results else {})}

    def nth(number: int) -> Any:
        return lambda results: asked([*named(results), *[("T_{c}", "")] * MATCHES][number])

    def conclude(results: Sequence[str]) -> str:
        names = named(results)
        meant = dict(zip(names, results[FINDS:], strict=False))
        rows: dict[tuple[str, str, str], dict[str, Any]] = {}
        for each in own_values(results):
            question = name_of(each)
            matches = data(meant[question], "matches") if question in meant else None
            name = matches[0]["name"] if matches else ""
            if name in listed:
                row = written(each, name, len(rows) + 1)
                rows.setdefault((row["material_or_system"], name, str(each.get("value", each["text"]))), row)
        if not rows:
            raise Unsolvable("the results have no value of the paper's own")
        return json.dumps({"properties": list(rows.values())}, ensure_ascii=False)

    return Solution(
        (
            *(Call("find_quantities", following) for _ in range(FINDS)),
            *(Call("match_property", nth(number)) for number in range(MATCHES)),
        ),
        conclude,
    )


def asked(question: tuple[str, str]) -> dict[str, str]:
    """Return the arguments by which a name is matched."""
    name, context = question
    return {"name": name, **({"context": context} if context else {})}


def named(results: Sequence[str]) -> list[tuple[str, str]]:
    """Return what the values of the paper's own are called, each with its sentence, once."""
    return list(dict.fromkeys(name_of(each) for each in own_values(results)))[:MATCHES]


def name_of(found: dict[str, Any]) -> tuple[str, str]:
    """Return what a value is called, with the sign before it as in c = 13.2 Å, and the sentence that says more."""
    if found.get("column"):
        return str(found["column"])[:CONTEXT], ""
    quote = found["quote"]
    sign = re.search(r"(\S+)\s[=≈∼]\s?$", quote.partition(found["text"])[0])
    return f"{found['name'].replace('_', ' ')} {sign[1] if sign else ''}".strip(), quote[:CONTEXT]


def own_values(results: Sequence[str]) -> list[dict[str, Any]]:
    """Return the values that the tools take for the paper's own, of a quantity and a material."""
    found = [each for text in dict.fromkeys(results[:FINDS]) for each in data(text, "quantities") or []]
    return [
        each
        for each in found
        if each.get("standing") == "measured"
        and "denied" not in each.get("conditions", {})
        and each.get("name")
        and each.get("formulas")
        and "problem" not in each
    ]


def written(found: dict[str, Any], name: str, number: int) -> dict[str, Any]:
    """Return a value in the form of the task."""
    text, unit = found["text"], found.get("unit", "")
    bare = not re.search(r"[A-Za-zÅμµΩ%]", re.sub(r"\^\{[^}]*\}", "", text))
    label = found.get("conditions", {}).get("label", "")
    return {
        "id": f"prop_{number:03}",
        "material_or_system": re.sub(r"[_{}]", "", found["formulas"][0]),
        **({"sample_label": label} if label else {}),
        "property_name": name,
        "value_string": f"{text} {unit}".strip() if bare else text,
        "location": {
            "page": found["page"],
            "source_type": found.get("source", "text"),
            "evidence": found["quote"],
        },
    }
