"""Items as samples: made from a seed, or published ones with their traces."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_suites.common import generated
from labrig_suites.terrabench.published import QUESTION, TRACE, TRUTH, read_item
from labrig_suites.terrabench.truth import NAME, VERSION, truth_of

commitment = partial(generated.commitment, NAME)


def generate(
    seed: str, count: int, progress: Callable[[int], None] | None = None, first: int | None = None
) -> list[Sample]:
    """Return items of a seed: the same ones first, whatever `count` is.

    Raises
    ------
    LabrigError
        ``bad_input`` for a count below 1; ``unavailable`` without the libraries of the Earth server.
    """
    generated.at_least_one(count)
    return generated.one_by_one(range(count)[:first], lambda number: item(seed, number), progress)


def item(seed: str, number: int) -> Sample:
    """Return the item of a seed with this number, from 0.

    Raises
    ------
    LabrigError
        ``unavailable`` without the libraries of the Earth server, or without the engine of this item.
    """
    from labrig_suites.terrabench.making.assembling import make_item

    return make_item(seed, number, generated.opaque_id(seed, f"{NAME}/{VERSION}/{number}"))


def from_row(fields: dict[str, Any]) -> Sample:
    """Return the sample of a line that `Sample.to_dict` made, checked so that it can be scored.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not such a line, or of another suite or version, and for a truth that is none.
    """
    sample = generated.read_sample(NAME, VERSION, fields, lambda truth: None)
    truth_of(sample)
    return sample


def adopt(rows: Sequence[dict[str, Any]], settings: Mapping[str, Any]) -> list[Sample]:
    """Return samples of published items, one for each row; what their calls need is not published with them.

    Parameters
    ----------
    rows
        Objects with ``number_ground_truth``, ``question_input`` and ``Main_trace``: what the three files of the item's
        folder hold. The first alone is needed.

    Raises
    ------
    LabrigError
        ``bad_input``: a row of another form, or a truth that is refused; which row is said.
    """
    samples = []
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or "number_ground_truth" not in row:
            raise LabrigError(
                "This is no published item",
                where=f"row {number}",
                expected='{"number_ground_truth": [..], ..}',
            )
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made) / f"item-{number + 1}"
            folder.mkdir()
            for name in (TRUTH, QUESTION, TRACE):
                if (key := name.removesuffix(".json")) in row:
                    (folder / name).write_text(json.dumps(row[key]), encoding="utf-8")
            try:
                sample = read_item(folder)
            except LabrigError as error:
                raise LabrigError(
                    f"A published item cannot be read: {error}", where=f"row {number}"
                ) from error
        labels = sample.labels | {"kind": "published"}
        samples.append(replace(sample, suite_version=VERSION, labels=labels))
    return samples
