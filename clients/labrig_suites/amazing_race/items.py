"""Legs as samples: published ones as they are, and what an agent is shown of any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig_harness.sample import Sample, SampleInput
from labrig_suites.amazing_race.legs import LEVELS, Leg, read_leg
from labrig_suites.common import generated

NAME = "amazing-race"
VERSION = "1"


def adopt(rows: Sequence[dict[str, Any]], settings: Mapping[str, Any]) -> list[Sample]:
    """Return samples of published legs, unchanged.

    Parameters
    ----------
    settings
        None: a leg says everything.

    Raises
    ------
    LabrigError
        ``bad_input`` for a setting, for a leg that `legs.read_leg` refuses, for two of one id.
    """
    if settings:
        raise LabrigError(f"Unknown setting {min(settings)!r}", where="--set", expected="no settings")
    samples = [sample_of(row, published_id(read_leg(row)), {"source": "published"}) for row in rows]
    twice = [id for id, times in Counter(sample.id for sample in samples).items() if times > 1]
    if twice:
        raise LabrigError(f"{len(twice)} legs occur more than once, the first as sample {twice[0]}")
    return samples


def published_id(leg: Leg) -> str:
    """Return an id that names the leg's file, ``dag-easy-sample_003``; its own id where it names no sample."""
    name = str(leg.metadata.get("sample_id") or leg.trail_id)
    return f"{leg.variant}-{leg.level or 'unknown'}-{name}"


def sample_of(
    fields: Mapping[str, Any], id: str, labels: Mapping[str, str], truth: Mapping[str, Any] | None = None
) -> Sample:
    """Return a sample of a leg in its JSON form.

    Parameters
    ----------
    truth
        What the scorer is told beside the leg, such as ``same_page``.
    """
    leg = read_leg(fields)
    if leg.level not in LEVELS:
        raise LabrigError(
            f"The level of the leg is {leg.level[:20]!r}",
            where=f"{leg.trail_id}: difficulty.level",
            expected=", ".join(LEVELS),
        )
    return Sample(
        suite=NAME,
        suite_version=VERSION,
        brief=SampleInput(id, prompt(leg)),
        truth={"answer": str(leg.passcode), "leg": dict(fields), **(truth or {})},
        labels={"level": leg.level, "variant": leg.variant, "leg": leg.trail_id, **labels},
    )


def prompt(leg: Leg) -> str:
    """Return what an agent is shown: where the race starts, and the clue envelope."""
    return f"The race starts at {leg.seed_url}\n\nThe clues:\n\n{leg.riddle.strip()}\n"


def row(sample: Sample) -> dict[str, Any]:
    """Return a sample as a line of a JSONL file: what an agent may see, the answer, and the rest under ``truth``."""
    return {"id": sample.id, "riddle": sample.brief.prompt, **generated.hidden(sample)}


def from_row(fields: dict[str, Any]) -> Sample:
    """Return the sample of a line that `row` made.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no such line, of another version, or holds a leg that cannot be read or is not the
        one that its riddle and answer say.
    """
    with generated.read_back(NAME, VERSION, fields):
        labels = {str(key): str(value) for key, value in fields["labels"].items()}
        truth = dict(fields["truth"])
        made = sample_of(truth.pop("leg"), str(fields["id"]), labels, truth)
        if made.truth["answer"] != str(fields["answer"]) or made.brief.prompt != fields["riddle"]:
            raise LabrigError("The riddle or the answer is not that of the leg", where=made.id)
        return made
