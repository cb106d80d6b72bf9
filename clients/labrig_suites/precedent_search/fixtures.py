"""Answers whose scores are known, on a material that is superconducting, one that is not, and one never tested."""

from __future__ import annotations

import json
from typing import Any

from labrig_harness.channels import submitted
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Fixture
from labrig_harness.trajectory import Step, ToolCall, Trajectory
from labrig_suites.precedent_search.arms import ARMS, FILE
from labrig_suites.precedent_search.items import NAME, VERSION, prompt

FORMULA, TITLE, DOI = "Sc3Rh4Ge7", "Transport and specific heat of Sc3Rh4Ge7", "10.5555/jms.1234567.8"
QUOTE = "The superconducting transition of Sc_{3}Rh_{4}Ge_{7} has its onset at 6.24(3) K and its midpoint at 6.1 K."
TESTED = "Sc_{3}Rh_{4}Ge_{7} shows no superconductivity down to 0.35 K."
SHOWN = "The superconducting transition of Sc3Rh4Ge7 has its onset at 6.24(3) K and its midpoint at 6.1 K."
SOURCE = {"title": TITLE, "authors": ["A. Tester"], "year": 2001, "doi": DOI, "quoted_span": SHOWN}
BY_TITLE = {**SOURCE, "doi": "10.5555/wrong", "title": TITLE.replace("heat", "heats")}
NEARLY = {**SOURCE, "doi": "", "title": "Transport and the specific heat of Sc3Rh4Ge7 crystals"}


def said(claim: str, *values: str, source: dict[str, Any] | None = None, name: str = "") -> str:
    """Return an answer with values of one source."""
    cited = [source] if source else []
    rows = [
        {
            "material": FORMULA,
            "property_name": "is_superconducting",
            "value_string": claim,
            "source_dois": cited,
        }
    ]
    rows += [
        {
            "material": FORMULA,
            "property_name": name or ("tc" if claim == "Yes" else "tcn"),
            "value_string": value,
            "source_dois": cited,
        }
        for value in values
    ]
    return json.dumps({"properties": rows})


CASES: list[tuple[str, str, str, float, float, dict[str, Any]]] = [
    ("all that is reported, with its quote", "Yes", said("Yes", "6.24", "6.1", source=SOURCE), 1, 1, {"proved": True}),
    ("the highest value, with its quote", "Yes", said("Yes", "6.24", source=SOURCE), 1, 1, {"cited_doi": True}),
    ("an address of the DOI, and capitals", "Yes",
     said("Yes", "6.24", source={**SOURCE, "doi": f"https://doi.org/{DOI.upper()}"}), 1, 1, {"cited_doi": True}),
    ("a value within 0.1 %", "Yes", said("Yes", "6.245", source=SOURCE), 1, 1, {}),
    ("a wrong DOI, the title by one letter off", "Yes", said("Yes", "6.24", source=BY_TITLE), 1, 1,
     {"cited_doi": False, "cited_title": True}),
    ("a title that is alike at 0.8 and not at 0.9", "Yes", said("Yes", "6.24", source=NEARLY), 0.5, 1,
     {"cited_title": False, "cited_title_code": True, "cited_any": False}),
    ("no source", "Yes", said("Yes", "6.24"), 0.5, 1, {"proved": False, "category_strict": "partial"}),
    ("an invented quote", "Yes", said("Yes", "6.24", source={**SOURCE, "quoted_span": "We find Tc = 6.24 K here."}),
     0.5, 1, {"cited_doi": True, "proved": False}),
    ("a quote that cuts the number", "Yes",
     said("Yes", "6.24", source={**SOURCE, "quoted_span": "The superconducting transition of Sc3Rh4Ge7"}), 0.5, 1, {}),
    ("the right value among wrong ones", "Yes", said("Yes", "6.24", "9.9", source=SOURCE), 0.5, 1, {}),
    ("a hundred values in one", "Yes", said("Yes", ", ".join(f"{n / 100:g}" for n in range(590, 690)), source=SOURCE),
     0.5, 1, {"values": 100}),
    ("the value rounded", "Yes", said("Yes", "6", source=SOURCE), 0.5, 0.5, {"category": "partial"}),
    ("the lower value alone", "Yes", said("Yes", "6.1", source=SOURCE), 0.5, 0.5, {}),
    ("the class alone", "Yes", said("Yes", source=SOURCE), 0.5, 0.5, {"category": "partial"}),
    ("a value under the wrong name", "Yes", said("Yes", "6.24", source=SOURCE, name="tcn"), 0.5, 0.5, {"broken": True}),
    ("No, where it is superconducting", "Yes", said("No", "1.8", source=SOURCE), 0, 0, {"category": "incorrect"}),
    ("Unknown, where it is superconducting", "Yes", said("Unknown"), 0, 0, {"category": "not attempted"}),
    ("not superconducting, with its quote", "No",
     said("No", "350 mK", source={**SOURCE, "quoted_span": TESTED}), 1, 1, {"category_strict": "correct"}),
    ("Yes, where it is not", "No", said("Yes", "0.35", source=SOURCE), 0, 0, {"category": "incorrect"}),
    ("Unknown, where it was tested", "No", said("Unknown"), 0, 0, {"category": "not attempted"}),
    ("Unknown, where nobody tested", "Unknown", said("Unknown"), 1, 1, {"category": "correct"}),
    ("No, where nobody tested", "Unknown", said("No", "1.8"), 0, 0, {"category": "incorrect"}),
    ("Unknown, with a value all the same", "Unknown", said("Unknown", "1.8", name="tc"), 0, 1, {"broken": True}),
]  # fmt: skip
"""About, class of the truth, answer, strict, compat, facts."""
REFUSED = {
    "no JSON": "It is superconducting at 6.24 K.",
    "JSON twice": said("Yes", "6.24") * 2,
    "a list": "[]",
    "no properties": "{}",
    "properties that are no objects": '{"properties": [1]}',
    "no claim": '{"properties": []}',
    "another word": said("Maybe", "6.24"),
    "two claims": json.dumps(
        {
            "properties": [
                {"property_name": "is_superconducting", "value_string": each} for each in ("Yes", "No")
            ]
        }
    ),
    "too many properties": json.dumps({"properties": [{}] * 1_001}),
}


def sample(answer: str) -> Sample:
    """Return the material, with the class of its truth."""
    kelvin = {"Yes": [6.24, 6.1], "No": [0.35], "Unknown": []}[answer]
    source = {
        "doi": DOI,
        "title": TITLE,
        "text": f"{TITLE}\nIII. RESULTS\n{QUOTE if answer == 'Yes' else TESTED}",
    }
    return Sample(
        NAME,
        VERSION,
        SampleInput("fixture", prompt(FORMULA)),
        {"answer": answer, "kelvin": kelvin, "sources": [source] if kelvin else []},
        {"kind": "fixture", "class": answer},
    )


def played(text: str | None) -> Trajectory:
    """Return a trajectory that wrote a text into the file of the answer."""
    asked = Step(0, "Was it ever found superconducting?", source="user")
    steps: tuple[Step, ...] = (asked, Step(1, "I stop here."))
    if text is not None:
        steps = (asked, Step(1, calls=(ToolCall("write_file", {"path": FILE, "content": text}, 0, False),)))
    submission = submitted(ARMS[0].channel, steps, ())
    return Trajectory(
        "fixture",
        NAME,
        "fixture",
        ARMS[0].name,
        0,
        0,
        steps,
        submission,
        "answered" if submission else "no_answer",
    )


def fixtures() -> list[Fixture]:
    """Return the fixtures."""
    told = [
        Fixture(sample(truth), played(text), strict, compat, facts=facts, about=about)
        for about, truth, text, strict, compat, facts in CASES
    ]
    unread = {"read": False, "category": "failed"}
    told += [
        Fixture(sample("Yes"), played(text), 0, 0, True, unread, about) for about, text in REFUSED.items()
    ]
    told.append(
        Fixture(sample("Yes"), played(None), 0, 0, True, {**unread, "committed": False}, "nothing committed")
    )
    return told
