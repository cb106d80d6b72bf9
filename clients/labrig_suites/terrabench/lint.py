"""What is wrong with an item, ours or a published one: ``python -m labrig_suites.terrabench.lint tasks.jsonl``.

Leaks, in what an agent sees (the prompt, and the files that are text):

=========================== =======================================================================================
true value shown            a true number of three digits or more, or a true text of five letters or more
document's value shown      the same for what the document reports; the document itself is an attachment
tolerance shown             a line that speaks of tolerance and holds the number of one
hidden word                 words of the truth's side: ground truth, reference trace, instruction prompt, ...
tool named                  the question names a tool of the reference
=========================== =======================================================================================

The truth:

=========================== =======================================================================================
truth unreadable            `labrig_suites.terrabench.truth` refuses it
key not asked for           the prompt names no such field: nobody can answer it
tolerance too wide          the tolerance (Eq. 9) is half of the value or more: a guess of the size of it is right
tolerance of nothing        a number with decimals and a tolerance of 0
document answers it         what the document reports is within the tolerance, and the item does not verify exactly
reference without calls     no valid call
call twice                  two calls of a path that are one after the other, and the same
tool unknown                a tool of a path that is neither offered nor of any family
no simulator                an item of the track Simulator-Grounded whose reference runs none
no document                 an item of the track Document-Grounded Verification without a document's values
label unknown               track, level or domain is none of the paper's
=========================== =======================================================================================

Of a set (`lint_set`): the same id twice; a median of fewer than 20 calls, less than a quarter of items with 40, a
median of fewer than 5 families; one value, that of an item, which is also right for more than 5 % of the items that
ask for a key of that name (and for four at least).
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_suites.terrabench.metrics.answers import Truth, canonical, plain_number
from labrig_suites.terrabench.metrics.families import family_of, registry
from labrig_suites.terrabench.score import SIMULATION
from labrig_suites.terrabench.truth import DOMAINS, LEVELS, TRACKS, ItemTruth, truth_of

CALLS, MANY_CALLS, FAMILIES, TYPICAL = 20, 40, 5, 0.05
FEW = 20
"""Items that ask for a key, below which one right value says nothing."""
HIDDEN = re.compile(
    r"ground[ _-]?truth|reference trace|canonical trace|instruction prompt|main_trace|evaluator|expected answer|"
    r"document truth|execution truth|verification mode",
    re.IGNORECASE,
)
_TOLERANCE = re.compile(r"toleran|abs_tol|rel_tol|floor_scale|±|\+/-|within", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w]|\.\d)")


@dataclass(frozen=True)
class Flag:
    """Something wrong, and what it is about."""

    name: str
    what: str


def lint(sample: Sample) -> list[Flag]:
    """Return what is wrong with an item."""
    flags = [
        Flag("label unknown", f"{name}: {sample.labels.get(name)!r}")
        for name, known in (("track", TRACKS), ("level", LEVELS), ("domain", DOMAINS))
        if sample.labels.get(name) not in known
    ]
    try:
        truth = truth_of(sample)
    except LabrigError as error:
        return [*flags, Flag("truth unreadable", str(error))]
    return [*flags, *_leaks(sample, truth), *_fields(sample, truth), *_paths(sample, truth)]


def lint_set(samples: Sequence[Sample]) -> list[Flag]:
    """Return what is wrong with items as a set; those whose truth cannot be read are left out."""
    ids = Counter(each.id for each in samples)
    flags = [Flag("id twice", id) for id, count in ids.items() if count > 1]
    truths = []
    for sample in samples:
        try:
            truths.append(truth_of(sample))
        except LabrigError:
            continue
    if not truths:
        return flags
    lengths = [len(each.paths[0]) for each in truths]
    groups = [len({family_of(call.tool) for call in each.paths[0]}) for each in truths]
    if median(lengths) < CALLS:
        flags.append(Flag("short references", f"median {median(lengths):g} calls, {CALLS} wanted"))
    if sum(each >= MANY_CALLS for each in lengths) < len(lengths) / 4:
        flags.append(Flag("few long references", f"fewer than a quarter have {MANY_CALLS} calls"))
    if median(groups) < FAMILIES:
        flags.append(Flag("few families", f"median {median(groups):g}, {FAMILIES} wanted"))
    by_key: dict[str, list[Truth]] = {}
    for each in truths:
        for field in each.fields:
            by_key.setdefault(field.key, []).append(field)
    for key, fields in by_key.items():
        right, value = most_typical(fields)
        if len(fields) >= FEW and right - 1 > max(3, TYPICAL * len(fields)):
            flags.append(
                Flag("typical value", f"{key}: {value!r} is right for {right} of {len(fields)} items")
            )
    return flags


def lengths(samples: Sequence[Sample]) -> list[str]:
    """Return a line for each track and level: how many calls the references make, and of how many families."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for sample in samples:
        try:
            calls = truth_of(sample).paths[0]
        except LabrigError:
            continue
        kind = (sample.labels.get("track", "?"), sample.labels.get("level", "?"))
        found.setdefault(kind, []).append((len(calls), len({family_of(call.tool) for call in calls})))
    order = [*TRACKS, *sorted({track for track, _ in found} - set(TRACKS))]
    said = []
    for (track, level), pairs in sorted(
        found.items(), key=lambda each: (order.index(each[0][0]), each[0][1])
    ):
        counts, groups = [each for each, _ in pairs], [each for _, each in pairs]
        said.append(f"{track}, level {level}: {_span(counts)} calls, {_span(groups)} families")
    return said


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def most_typical(fields: Sequence[Truth]) -> tuple[int, object]:
    """Return how many fields the best single value has right (tolerance of Eq. 9), and that value.

    Of numbers it is the lower end of some tolerance that most others reach; of the rest the most frequent one.
    """
    best: tuple[int, object] = (0, None)
    spans = [
        (float(each.value) - each.tolerance("eq9"), float(each.value) + each.tolerance("eq9"))
        for each in fields
        if each.numeric
    ]
    for low, _ in spans:
        right = sum(first <= low <= last for first, last in spans)
        best = max(best, (right, low), key=lambda each: each[0])
    others = Counter(canonical(each.value) for each in fields if not each.numeric)
    for value, right in others.most_common(1):
        best = max(best, (right, value), key=lambda each: each[0])
    return best


def _leaks(sample: Sample, truth: ItemTruth) -> list[Flag]:
    seen = "\n".join(
        [sample.brief.prompt, *(each for each in sample.brief.files.values() if isinstance(each, str))]
    )
    numbers = {float(each) for each in _NUMBER.findall(seen)}
    words = str(canonical(seen))
    flags = [
        Flag(name, f"{key}: {value!r}")
        for name, pairs in (
            ("true value shown", [(each.key, each.value) for each in truth.fields]),
            ("document's value shown", list(truth.document.items())),
        )
        for key, value in pairs
        if _stands(value, numbers, words)
    ]
    tolerances = {
        each for field in truth.fields for each in (field.abs_tol, field.rel_tol, field.floor_scale)
    } - {0.0}
    for line in seen.splitlines():
        if _TOLERANCE.search(line) and any(float(each) in tolerances for each in _NUMBER.findall(line)):
            flags.append(Flag("tolerance shown", line.strip()[:80]))
    flags += [
        Flag("hidden word", found) for found in sorted({each[0].casefold() for each in HIDDEN.finditer(seen)})
    ]
    tools = {call.tool for path in truth.paths for call in path if "_" in call.tool}
    named = [tool for tool in sorted(tools) if re.search(rf"\b{re.escape(tool)}\b", sample.brief.prompt)]
    flags += [Flag("tool named", tool) for tool in named]
    return flags


def _stands(value: object, numbers: set[float], words: str) -> bool:
    """Return whether a value stands in what is seen: numbers of few digits and short texts stand everywhere."""
    number = plain_number(value)
    if number is not None:
        digits = f"{abs(number):.15g}".partition("e")[0].replace(".", "").strip("0")
        return len(digits) >= 3 and number in numbers
    return isinstance(value, str) and len(value.strip()) >= 5 and str(canonical(value)) in words


def _fields(sample: Sample, truth: ItemTruth) -> list[Flag]:
    flags = []
    exact = sample.labels.get("verification") == "exact"
    for each in truth.fields:
        if each.key not in sample.brief.prompt:
            flags.append(Flag("key not asked for", each.key))
        if not each.numeric:
            continue
        tolerance, value = each.tolerance("eq9"), float(each.value)
        if value and tolerance >= abs(value) / 2 and tolerance >= 1:
            flags.append(Flag("tolerance too wide", f"{each.key}: {value:g} within {tolerance:g}"))
        if tolerance == 0 and value % 1:
            flags.append(Flag("tolerance of nothing", each.key))
        reported = plain_number(truth.document.get(each.key))
        if reported is not None and abs(reported - value) <= tolerance and not exact:
            flags.append(Flag("document answers it", f"{each.key}: {reported:g}"))
    return flags


def _paths(sample: Sample, truth: ItemTruth) -> list[Flag]:
    flags = []
    offered = set(truth.offered)
    for path in truth.paths:
        if not path:
            flags.append(Flag("reference without calls", ""))
        for first, second in pairwise(path):
            if first.tool == second.tool and first.arguments == second.arguments:
                flags.append(Flag("call twice", first.tool))
        for tool in sorted({call.tool for call in path}):
            if tool not in offered and (offered or tool not in registry()):
                flags.append(Flag("tool unknown", tool))
    simulates = any(family_of(call.tool) == SIMULATION for path in truth.paths for call in path)
    if sample.labels.get("track") == TRACKS[1] and not simulates:
        flags.append(Flag("no simulator", ""))
    if sample.labels.get("track") == TRACKS[2] and not truth.document:
        flags.append(Flag("no document", ""))
    return flags


def main() -> None:
    """Print what is wrong with the items of a file, how many items have each flag, and how long references are."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="items, a JSON object a line")
    samples = []
    for number, line in enumerate(parser.parse_args().file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            samples.append(Sample.from_dict(json.loads(line)))
        except (ValueError, TypeError, KeyError) as error:
            print(f"line {number}: no item: {str(error)[:120]}")
    counts: Counter[str] = Counter()
    for sample in samples:
        flags = lint(sample)
        counts.update({flag.name for flag in flags})
        for flag in flags:
            print(f"{sample.id}: {flag.name}{f': {flag.what}' if flag.what else ''}")
    for flag in lint_set(samples):
        print(f"the set: {flag.name}: {flag.what}")
    for name, count in counts.most_common():
        print(f"{name}: {count} of {len(samples)} items")
    print("\n".join(lengths(samples)), f"{len(samples)} items", sep="\n")


if __name__ == "__main__":
    main()
