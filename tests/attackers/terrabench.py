"""What cheap answers are worth, without a model and a tool.

    PYTHONPATH=tests python -m attackers.terrabench [ITEMS]

Each attacker sees context, question and contract of an item, and knows the true values of all the other items of the
set: more than an agent can. Keys that differ in the name of a place alone are one to it.

============================ ===================================================================================
attacker                     says, for each field
============================ ===================================================================================
median of the key            the median of what is true of the other items that ask for such a key
median of key and domain     the same over the other items of the domain
median of domain and level   the same over those of the level, too
most frequently right        the one value that is right for most of the other items that ask for such a key
number in the question       a number that stands in the question, drawn at random
value of the document        what the document reports; where there is none, the median of key and domain
tool names                   nothing; it makes the calls of the reference without their arguments
============================ ===================================================================================
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from statistics import fmean, median
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.trajectory import Step, Submission, Trajectory
from labrig_suites.terrabench.lint import most_typical
from labrig_suites.terrabench.metrics.answers import Truth
from labrig_suites.terrabench.score import score
from labrig_suites.terrabench.truth import truth_of
from support.terrabench_faults import faulty

ITEMS = 64
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
Attack = Callable[[Sample, str, "Known"], float | None]


def kind_of(sample: Sample, key: str) -> str:
    """Return a key without the names of the item's places: what an attacker takes for the same question."""
    return _kind(sample.brief.prompt, key)


@lru_cache(maxsize=20_000)
def _kind(prompt: str, key: str) -> str:
    about = re.search(rf"^- {re.escape(key)}: (.*)$", prompt, re.MULTILINE)
    words = set(re.findall(r"[a-z]+", about[1])) if about else set()
    known = {"minus", "corrected", "probability", "above", "tercile", "highest", "mean", "again", "printed"}
    parts = key.split("_")
    kept = [each for each in parts if each in known or each not in words]
    return "_".join(kept) if set(parts) & known and len(kept) < len(parts) else key


class Known:
    """What is true of a set: the fields by the kind of their key, each with its sample."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.by_kind: dict[str, list[tuple[Sample, Truth]]] = defaultdict(list)
        for sample in samples:
            for field in truth_of(sample).fields:
                self.by_kind[kind_of(sample, field.key)].append((sample, field))

    def others(self, sample: Sample, key: str, *labels: str) -> list[Truth]:
        """Return the fields of such a key of other samples, of those with the same labels."""
        return [
            field
            for other, field in self.by_kind[kind_of(sample, key)]
            if other.id != sample.id and all(other.labels[name] == sample.labels[name] for name in labels)
        ]


def _median(fields: Sequence[Truth]) -> float | None:
    return median(float(each.value) for each in fields) if fields else None


def of_key(sample: Sample, key: str, known: Known) -> float | None:
    """Return the median of the key."""
    return _median(known.others(sample, key))


def of_domain(sample: Sample, key: str, known: Known) -> float | None:
    """Return the median of key and domain."""
    return _median(known.others(sample, key, "domain"))


def of_level(sample: Sample, key: str, known: Known) -> float | None:
    """Return the median of key, domain and level."""
    return _median(known.others(sample, key, "domain", "level"))


def most_right(sample: Sample, key: str, known: Known) -> float | None:
    """Return the value that is right for most of the others."""
    value = most_typical(known.others(sample, key))[1]
    return float(value) if isinstance(value, int | float) else None


def in_question(sample: Sample, key: str, known: Known) -> float | None:
    """Return a number of the question."""
    found = _NUMBER.findall(sample.brief.prompt)
    return float(random.Random(f"{sample.id} {key}").choice(found)) if found else None


def of_document(sample: Sample, key: str, known: Known) -> float | None:
    """Return what the document reports."""
    reported = sample.truth.get("document", {})
    return float(reported[key]) if key in reported else of_domain(sample, key, known)


ATTACKS: dict[str, Attack] = {
    "median of the key": of_key,
    "median of key and domain": of_domain,
    "median of domain and level": of_level,
    "most frequently right": most_right,
    "number in the question": in_question,
    "value of the document": of_document,
}


def answered(sample: Sample, attack: Attack, known: Known) -> Trajectory:
    """Return the run of an attacker: one message."""
    rows: list[dict[str, Any]] = []
    for row in sample.truth["fields"]:
        value = attack(sample, row["key"], known)
        if value is not None:
            rows.append({"key": row["key"], "value": value, "abs_tol": 0, "rel_tol": 0, "floor_scale": 0})
    text = json.dumps(rows)
    steps = (Step(0, sample.brief.prompt, source="user"), Step(1, f"<final_json>{text}</final_json>"))
    return Trajectory(
        *(sample.id, sample.suite, "attacker", "direct", 0, 0, steps, Submission(text, 1), "answered")
    )


def rates(samples: Sequence[Sample]) -> dict[str, dict[str, float]]:
    """Return what each attacker gets: the means of ToolUseScore, NumScore and Hit@tol."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    known = Known(samples)
    for sample in samples:
        runs = {name: answered(sample, attack, known) for name, attack in ATTACKS.items()}
        copied = faulty(sample, "names of tools alone")
        runs["tool names"] = replace(copied, submission=None, end="no_answer")
        for name, run in runs.items():
            metrics = score(sample, run).facts["metrics"]
            for metric in ("ToolUseScore", "NumScore", "Hit@tol"):
                found[name][metric].append(metrics[metric])
    return {name: {metric: fmean(each) for metric, each in row.items()} for name, row in found.items()}


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    from labrig_suites.terrabench.items import generate

    samples = generate("attack", int(arguments[0]) if arguments else ITEMS)
    print("| attacker | ToolUseScore | NumScore | Hit@tol |\n| --- | --- | --- | --- |")
    for name, row in rates(samples).items():
        print(f"| {name} | {' | '.join(f'{100 * each:.1f} %' for each in row.values())} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
