"""What a line of a file of items must hold, looked at before an agent runs on it: such files are edited by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from labrig_harness.records.outfolder import safe
from labrig_suites.phreeqc_mcq.scenario import Scene
from labrig_suites.phreeqc_mcq.stems import find_stem


def check(fields: Mapping[str, Any], letters: Sequence[str]) -> None:
    """Check a line, its version apart.

    Raises
    ------
    ValueError
        For an item that could not be run, scored or told from others, saying why; also KeyError and TypeError.
    """
    id, question, options = fields["id"], fields["question"], fields["options"]
    if not isinstance(id, str) or id != safe(id):
        raise ValueError(f"the id {str(id)[:40]!r} is not made of at most 120 letters, digits and ._-+")
    if not isinstance(question, str) or not question.strip():
        raise ValueError("the question is not text")
    if not isinstance(options, dict) or set(options) not in (set(), set(letters)):
        raise ValueError(f"the options are not {', '.join(letters)}")
    if not all(isinstance(text, str) and text.strip() for text in options.values()):
        raise ValueError("an option is not text")
    if len({" ".join(text.split()) for text in options.values()}) < len(options):
        raise ValueError("two options are the same")
    if fields["answer"] not in letters:
        raise ValueError(f"the answer {str(fields['answer'])[:40]!r} is not one of {', '.join(letters)}")
    labels, truth = fields["labels"], fields["truth"]
    if not isinstance(labels, dict) or not all(isinstance(text, str) for text in labels.values()):
        raise ValueError("the labels are not an object whose values are text")
    if not isinstance(truth, dict):
        raise ValueError("the truth is not an object")
    if not isinstance(truth.get("output_chars", 0), int):
        raise ValueError("output_chars is not an integer")
    if "stem" in truth or "options" in truth:
        _check_generated(truth, fields["answer"], letters)


def _check_generated(truth: Mapping[str, Any], answer: str, letters: Sequence[str]) -> None:
    """Check what only an item of a stem has: the scene, and for each option which mistake leads to it."""
    hidden = {letter: truth["options"][letter] for letter in letters}
    for letter, option in hidden.items():
        if not isfinite(option["value"]):
            raise ValueError(f"the value of option {letter} is not a number")
        if bool(option["missed"]) == (letter == answer):
            said = "results from a mistake" if option["missed"] else "does not result from a mistake"
            raise ValueError(f"option {letter} {said}, but the answer is {answer}")
    stem = find_stem(truth["stem"])
    if stem is None:
        return
    scene = Scene(stem, truth["numbers"], truth["states"])
    try:
        for option in hidden.values():
            meant = scene
            for missed in option["missed"]:
                str(missed["kind"] + missed["diagnosis"])
                meant = meant.missing(missed["switch"], missed["state"])
            if not meant.build or not meant.quantity.name:
                raise ValueError("empty")
    except (ArithmeticError, LookupError, StopIteration, TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"its numbers and states do not make a scene of {stem.name}: {type(error).__name__}: {error}"
        ) from error
