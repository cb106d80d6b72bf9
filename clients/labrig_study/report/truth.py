"""The truth of a task as a person reads it: the options with their values, and why each wrong one is wrong.

A suite may keep anything in a task's `truth`; all of it is shown as it is. These keys are understood:

``letter`` or ``answer``
    The right choice, or the right answer itself where there are no choices.
``value``, ``unit``
    What it stands for.
``options``
    By letter, a value or a mapping of ``value`` (or ``text``), ``unit`` (else the truth's), ``diagnosis`` (or
    ``why``, ``error``, ``note``), what a person who chose it got wrong, and ``also``, a list of what else
    leads to it. A list of such mappings with ``letter`` will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from labrig_harness.sample import Sample
from labrig_study.report.prose import readable

_DIAGNOSIS = ("diagnosis", "why", "error", "note")


@dataclass(frozen=True)
class Option:
    """One choice of a task."""

    letter: str
    value: str
    diagnosis: str
    right: bool


@dataclass(frozen=True)
class Truth:
    """What is true of a task.

    Attributes
    ----------
    answer
        The right letter, or the right answer.
    value
        What it stands for, with its unit.
    """

    answer: str
    value: str
    options: tuple[Option, ...]

    def diagnosis(self, answer: str) -> str:
        """Return what was wrong with an answer, or nothing where that is not known."""
        return next((each.diagnosis for each in self.options if each.letter == answer and not each.right), "")


def truth_of(sample: Sample) -> Truth:
    """Read a task's truth."""
    truth = sample.truth
    answer = truth.get("letter", truth.get("answer"))
    right = "" if answer is None else readable(str(answer))
    options = tuple(_read_options(truth, sample.brief.choices, right))
    value = _show_measure(truth) or next((each.value for each in options if each.right), "")
    return Truth(right, value, options)


def _read_options(truth: Mapping[str, Any], choices: tuple[str, ...], right: str) -> Iterator[Option]:
    given = truth.get("options")
    if isinstance(given, list):
        given = {str(each.get("letter", "?")): each for each in given if isinstance(each, Mapping)}
    if not isinstance(given, Mapping):
        given = {}
    for letter in dict.fromkeys([*choices, *map(str, given)]):
        each = given.get(letter, "")
        about = {"unit": truth.get("unit"), **(each if isinstance(each, Mapping) else {"value": each})}
        yield Option(readable(letter), _show_measure(about), _join_diagnosis(about), letter == right)


def _join_diagnosis(about: Mapping[str, Any]) -> str:
    """Return what leads to an option, likeliest first."""
    first = next((str(about[key]) for key in _DIAGNOSIS if about.get(key)), "")
    also = about.get("also")
    return readable("; or ".join(filter(None, [first, *map(str, also if isinstance(also, list) else ())])))


def _show_measure(about: Mapping[str, Any]) -> str:
    """Return a value with its unit; floats to six digits, which is more than any option shows."""
    value = about.get("value", about.get("text", ""))
    if value in ("", None):
        return ""
    number = f"{value:.6g}" if isinstance(value, float) else str(value)
    unit = str(about.get("unit") or "")
    return readable(f"{number} {unit}" if unit not in ("", "1") else number)
