"""science-gym: 384 wordings of final answers, labelled by hand, and how many of them strict takes wrongly.

One half, chosen by a hash, was looked at when the grader was mended; the other half was held out. The grading page
states the errors of both, and the graders make no more.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from labrig_suites.science_gym.grading import grade
from labrig_suites.science_gym.question import Expected
from support.places import PROJECT

WORDINGS = Path(__file__).with_name("abstention_wordings.toml")
PAGE = PROJECT / "docs" / "suites" / "science-gym-grading.md"
ROW = re.compile(r"^\| (looked at|held out) \| (\d+) of (\d+) \| (\d+) of (\d+) \|$", re.MULTILINE)


def half(text: str, choices: list[str]) -> str:
    """Return the half of a wording, which depends on nothing but itself."""
    digest = hashlib.sha256(json.dumps([text, choices]).encode()).digest()
    return "held out" if digest[0] % 2 else "looked at"


def judged() -> dict[str, dict[bool, list[tuple[str, bool]]]]:
    """Return by half and label the wordings, each with whether strict takes it as an abstention."""
    found: dict[str, dict[bool, list[tuple[str, bool]]]] = {
        name: {True: [], False: []} for name in ("looked at", "held out")
    }
    for wording in tomllib.loads(WORDINGS.read_text(encoding="utf-8"))["wording"]:
        text, choices = wording["text"], wording.get("choices", [])
        answer = json.dumps({"answer": text})
        expected = Expected("impossible", "not possible", choices=tuple(choices))
        said = grade(expected, answer, answer).abstains_strict
        found[half(text, choices)][wording["abstains"]].append((text, said))
    return found


@pytest.mark.parametrize("name", ["looked at", "held out"])
def test_strict_errs_as_often_as_the_page_states(name: str) -> None:
    stated = {
        row[1]: [int(each) for each in row.groups()[1:]] for row in ROW.finditer(PAGE.read_text("utf-8"))
    }
    accepts, others, rejects, abstentions = stated[name]
    labelled = judged()[name]
    assert (len(labelled[False]), len(labelled[True])) == (others, abstentions)
    accepted = [text for text, said in labelled[False] if said]
    rejected = [text for text, said in labelled[True] if not said]
    assert len(accepted) <= accepts, accepted
    assert len(rejected) <= rejects, rejected
