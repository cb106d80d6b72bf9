"""What is true of an item: fields with tolerances, accepted paths, the document's values; and what it is labelled with.

Truths are data, in `labrig_harness.sample.Sample.truth`:

======== ===========================================================================================================
key      what
======== ===========================================================================================================
fields   the rows of ``number_ground_truth.json`` (`labrig_suites.terrabench.metrics.answers.truths_of`)
paths    accepted paths, each a list of calls (`labrig_suites.terrabench.metrics.calls.reference_of`)
document by key, what the document reports: a value that an answer must not be taken from; may be missing
message  the reference's own last message, for text similarity; may be missing
offered  the tools that are offered; may be missing
======== ===========================================================================================================

Labels of a sample: ``track``, ``level`` (0 to 3) and ``domain``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from labrig.canonical import canonical_json
from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_suites.terrabench.metrics.answers import Truth, truths_of
from labrig_suites.terrabench.metrics.calls import Made, reference_of

NAME, VERSION = "terrabench", "2"
"""Of the suite. Version 2: every simulator, satellite scenes, hours of a reanalysis."""
TRACKS = ("Fundamentals", "Simulator-Grounded", "Document-Grounded Verification")
LEVELS = ("0", "1", "2", "3")
DOMAINS = (
    "Weather",
    "Air quality",
    "Emergency response",
    "Water resources",
    "Agriculture",
    "Infrastructure",
    "Environmental monitoring",
    "Hurricane / cyclone",
)
MOST_PATHS = 20


@dataclass(frozen=True)
class ItemTruth:
    """What an item's answer and calls are compared with."""

    fields: tuple[Truth, ...]
    paths: tuple[tuple[Made, ...], ...]
    document: Mapping[str, Any]
    message: str
    offered: tuple[str, ...]


def truth_of(sample: Sample) -> ItemTruth:
    """Read the truth of a sample.

    Raises
    ------
    LabrigError
        ``bad_input``: what the table at the head of this module names is missing or of another form.
    """
    try:
        text = canonical_json(sample.truth)
    except ValueError as error:
        raise LabrigError("A truth holds a number that is not finite", where=sample.id) from error
    return _read(text, sample.id)


@lru_cache(maxsize=512)
def _read(text: bytes, where: str) -> ItemTruth:
    truth: dict[str, Any] = json.loads(text)
    paths, fields = truth.get("paths"), truth.get("fields")
    if not isinstance(fields, list):
        raise LabrigError("A truth has no list of fields", where=where)
    if not isinstance(paths, list) or not 1 <= len(paths) <= MOST_PATHS:
        raise LabrigError(
            "A truth has accepted paths", where=where, expected=f"1 to {MOST_PATHS} lists of calls"
        )
    if not all(isinstance(each, list) for each in paths):
        raise LabrigError("A path is a list of calls", where=where)
    document, offered = truth.get("document", {}), truth.get("offered", [])
    if not isinstance(document, dict) or not isinstance(offered, list):
        raise LabrigError(
            "The document's values are an object, the tools that are offered a list", where=where
        )
    return ItemTruth(
        tuple(truths_of(fields, f"{where}: fields")),
        tuple(tuple(reference_of(path, f"{where}: paths[{place}]")) for place, path in enumerate(paths)),
        document,
        str(truth.get("message", "")),
        tuple(map(str, offered)),
    )
