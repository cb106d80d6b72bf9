"""A second solution: every question, those about the README too, is answered by `rowwise` in the sandbox."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.science_gym.question import Query
from labrig_suites.science_gym.solution import DEFAULT, PAPER, SHIM, query


def program(asked: Query, toolset: str = PAPER) -> str:
    """Return the Python that answers a question, for the sandbox of a toolset."""
    text = files(__package__).joinpath("rowwise.py").read_text("utf-8")
    readers = "list_directory, read_text_file, read_binary_file"
    shim = SHIM if toolset == DEFAULT else ""
    return f"{text}\n{shim}\nprint(reply(json.loads({json.dumps(asdict(asked))!r}), {readers}))\n"


def another(sample: Sample, arm: Arm) -> Solution:
    """Return a second solution of a task; numbers have all their digits.

    Raises
    ------
    Unsolvable
        For an arm that does not run code, and a task that was not generated here.
    """
    asked = query(sample)
    toolset = next((each for each in arm.serve.toolsets if each in (PAPER, DEFAULT)), "")
    if not toolset or (arm.serve.tools and "run_python_code" not in arm.serve.tools):
        raise Unsolvable(f"the arm {arm.name} does not run code")
    arguments: dict[str, Any] = {"code": program(asked, toolset)}
    if toolset == DEFAULT:
        arguments["id"] = asked.repository
    return Solution((Call("run_python_code", arguments),), _said)


def _said(results: Sequence[str]) -> str:
    """Return the last line that the program printed, which is the message to commit."""
    text = results[-1]
    try:
        text = str(json.loads(text)["output"])  # the paper's tool
    except (ValueError, TypeError, KeyError):
        pass
    lines = [line for line in text.splitlines() if line.startswith('{"answer": ')]
    if not lines:
        raise Unsolvable(f"the program printed no answer: {results[-1][:300]!r}")
    return lines[-1]
