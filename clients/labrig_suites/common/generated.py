"""What suites share whose items come from a seed: commitments, opaque ids, samples one by one, lines read back."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig_harness.sample import Sample


def commitment(suite: str, seed: str) -> str:
    """Return what can be published of a private seed: it fixes the seed and does not tell it."""
    return sha256(f"{suite}/commitment/{seed}")


def opaque_id(seed: str, name: str) -> str:
    """Return an id that tells nothing of what it names: twelve hexadecimal digits of a keyed hash."""
    return hmac.new(seed.encode(), name.encode(), "sha256").hexdigest()[:12]


def at_least_one(count: int) -> None:
    """Refuse a set without a sample."""
    if count < 1:
        raise LabrigError("A set needs at least one sample", where=f"n={count}", expected="1 or more")


def one_by_one(
    numbers: range, make: Callable[[int], Sample], progress: Callable[[int], None] | None
) -> list[Sample]:
    """Return the samples of these numbers, made one after the other; `progress` is told how many are done."""
    samples = []
    for number in numbers:
        samples.append(make(number))
        if progress is not None:
            progress(len(samples))
    return samples


def hidden(sample: Sample) -> dict[str, Any]:
    """Return the fields of a line that an agent is not shown, and the version."""
    return {
        "answer": sample.truth["answer"],
        "truth": {name: value for name, value in sample.truth.items() if name != "answer"},
        "labels": sample.labels,
        "version": sample.suite_version,
    }


@contextmanager
def read_back(suite: str, version: str, fields: Mapping[str, Any]) -> Iterator[None]:
    """Say of a line that cannot be read back, in a LabrigError, that it is not an item of this suite, and why."""
    try:
        if fields["version"] != version:
            said = str(fields["version"])[:40]
            raise LabrigError(f"These samples are of version {said!r}, not {version!r}")
        yield
    except KeyError as error:
        raise LabrigError(f"This is not a sample of {suite}: {error} is missing") from error
    except (TypeError, ValueError) as error:
        raise LabrigError(f"This is not a sample of {suite}: {error}") from error


def read_sample(
    suite: str, version: str, fields: dict[str, Any], check: Callable[[Mapping[str, Any]], None]
) -> Sample:
    """Return the sample of a line that `Sample.to_dict` made; LabrigError for another suite's, or an invalid truth."""
    try:
        sample = Sample.from_dict(fields)
        if (sample.suite, sample.suite_version) != (suite, version):
            raise ValueError(f"it is of {sample.suite} {sample.suite_version}, not {suite} {version}")
        check(sample.truth)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise LabrigError(f"This is not a sample of {suite}: {error}"[:500]) from error
    return sample
