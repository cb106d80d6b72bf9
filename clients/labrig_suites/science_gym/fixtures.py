"""Trajectories whose scores are known: the answers of ``fixtures.toml``, and runs that end without one."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from labrig.canonical import content_hash
from labrig_harness.channels import Channel, submitted
from labrig_harness.endings import EndReason
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Fixture
from labrig_harness.trajectory import Step, ToolCall, Trajectory
from labrig_suites.science_gym.items import NAME, VERSION, prompt
from labrig_suites.science_gym.question import (
    CATEGORY,
    DECISIONS,
    EXPECTED,
    NOT_POSSIBLE,
    QUERIES,
    README_CHOICES,
    Expected,
    Query,
)

REPOSITORY, PATH, SCHEME = "isg/1:7", "depth=5/run1.csv", r"depth=(?P<depth>[0-9]+)/run(?P<run>[0-9])\.csv"

READ = ToolCall("read_text_file", {"id": REPOSITORY, "path": PATH}, 0, False)
COUNTED = ToolCall("run_python_code", {"code": "print(12)"}, 1, False)
FAILED = ToolCall("run_python_code", {"code": "print("}, 2, True)
LOST = ToolCall("run_python_code", {}, -1, True, fault="not_json")


def asked(cell: str) -> Expected:
    """Return what is expected, from the words of the page: ``choice csv of csv / json``, ``number 1.2, 2 digits``."""
    kind, _, rest = cell.partition(" ")
    if kind == "choice":
        value, _, choices = rest.partition(" of ")
        return Expected("choice", value, tuple(choices.split(" / ")))
    if kind == "number":
        value, digits = rest.split(", ")
        return Expected("number", value, digits=int(digits[0]))
    if kind == "impossible":
        choices = rest.removeprefix("of ")
        return Expected(
            "impossible", NOT_POSSIBLE, tuple(choices.split(" / ")) if rest else (), reason="missing variable"
        )
    return Expected("integer" if kind == "integer" else "text", rest)


def sample(expected: Expected) -> Sample:
    """Return a question that has such an answer, made without a repository."""
    query = _query(expected)
    about = f'This question is about repository {REPOSITORY}. Pass id="{REPOSITORY}" to the tools.'
    truth = {
        "answer": expected.value,
        "expected": EXPECTED.dump_python(expected, mode="json"),
        "query": QUERIES.dump_python(query, mode="json"),
    }
    labels = {
        "repository": REPOSITORY,
        "question": "fixture",
        "category": CATEGORY[query.type],
        "type": query.type,
        "style": "note",
        "statistic": query.statistic,
        "format": "csv",
    }
    question = f"- wanted: the {query.statistic or query.type}"
    id = f"fixture-{content_hash(truth)[:8]}"
    return Sample(NAME, VERSION, SampleInput(id, prompt(about, question)), truth, labels)


def _query(expected: Expected) -> Query:
    choices = {each.strip(".") for each in expected.choices}
    if expected.kind == "text":
        return Query(REPOSITORY, "title", SCHEME)
    if expected.kind == "integer":
        return Query(REPOSITORY, "count-rows", SCHEME, PATH)
    if choices and choices <= set(README_CHOICES):
        return Query(REPOSITORY, "readme", SCHEME)
    if choices and choices <= set(DECISIONS):
        columns = ("site", "ph", "depth")
        return Query(
            REPOSITORY,
            "bivariate-hypothesis",
            SCHEME,
            PATH,
            statistic="anova",
            variables=columns,
            alpha="0.05",
        )
    if "csv" in choices:
        return Query(REPOSITORY, "extension", SCHEME)
    return Query(
        REPOSITORY,
        "univariate-file",
        SCHEME,
        PATH,
        statistic="mode" if choices else "mean",
        variables=("ph",),
    )


def played(
    question: Sample, message: str, *calls: ToolCall, end: EndReason | None = None, prompt: str = ""
) -> Trajectory:
    """Return a trajectory that ends with a message; what is committed is what the channel of the arms finds in it."""
    steps = (
        Step(0, prompt or question.brief.prompt, source="user"),
        *(Step(n, calls=(each,)) for n, each in enumerate(calls, 1)),
        Step(len(calls) + 1, message),
    )
    submission = submitted(Channel("json"), steps, ())
    ended = end or ("answered" if submission else "no_answer")
    return Trajectory(question.id, NAME, "fixture", "agent-paper", 0, 0, steps, submission, ended)


def fixtures() -> list[Fixture]:
    """Return the fixtures."""
    return [*_answers(), *_runs()]


def _answers() -> list[Fixture]:
    text = files(__package__).joinpath("fixtures.toml").read_text("utf-8")
    rows: dict[str, list[tuple[str, str]]] = tomllib.loads(text)
    kinds: dict[str, tuple[float, float, bool, dict[str, Any]]] = {
        "both": (1, 1, False, {}),
        "neither": (0, 0, False, {"committed": True, "abstained": False, "abstained_compat": False}),
        "abstained": (0, 0, False, {"abstained": True, "abstained_compat": True, "impossible": False}),
        "unread": (0, 0, True, {"committed": True, "reads": ""}),
        "strict": (1, 0, False, {}),
        "compat": (0, 1, False, {}),
    }
    made = []
    for kind, cells in rows.items():
        strict, compat, refused, facts = kinds[kind]
        for cell, message in cells:
            expected = asked(cell)
            question = sample(expected)
            told = {**facts, "impossible": expected.kind == "impossible", "reason": expected.reason}
            if kind == "both":
                told["abstained"] = told["impossible"]
            about = f"{kind}: {cell}: {message}"
            made.append(
                Fixture(question, played(question, message, READ), strict, compat, refused, told, about)
            )
    return made


def _runs() -> list[Fixture]:
    """Return runs: with calls that failed, without a submission, cut off, silent."""
    rows = sample(asked("integer 12"))
    right = '{"answer": 12}'
    uncommitted = {"committed": False}
    return [
        Fixture(
            rows,
            played(rows, right, READ, FAILED, LOST, COUNTED),
            *(1, 1),
            facts={"python_runs": 2, "calls": 4},
            about="code that failed and a call that no server saw, then the answer",
        ),
        Fixture(
            rows,
            played(rows, right),
            *(1, 1),
            facts={"calls": 0},
            about="the answer without a call: neither grader asks how it was found",
        ),
        Fixture(
            rows,
            played(rows, right, COUNTED, end="step_limit"),
            *(1, 1),
            facts={"end": "step_limit"},
            about="a limit hit after the answer",
        ),
        Fixture(
            rows,
            played(rows, "There are 12 rows.", COUNTED),
            *(1, 1),
            facts={**uncommitted, "reads": "12"},
            about="no JSON: the message is the answer",
        ),
        Fixture(
            rows,
            played(rows, "12 rows in 3 files", COUNTED),
            *(0, 1),
            facts=uncommitted,
            about="no JSON, and two numbers in the message",
        ),
        Fixture(
            rows,
            played(rows, "I cannot tell.", READ, FAILED),
            *(0, 0),
            facts={**uncommitted, "reads": ""},
            about="no JSON, and nothing to read",
        ),
        Fixture(
            rows,
            played(rows, "", READ, COUNTED, end="wall_limit"),
            *(0, 0),
            facts={**uncommitted, "reads": "", "end": "wall_limit"},
            about="stopped before it said anything",
        ),
        Fixture(
            rows,
            played(rows, "", end="model_error", prompt=f"How many rows? Reply as in {right}"),
            *(0, 0),
            facts=uncommitted,
            about="nothing said; the prompt is no answer",
        ),
    ]
