"""What the public code computes (terrabench/evaluation and traces, commit b5cef743), its faults included.

- There is no alignment. ToolAcc is the F1 of the two multisets of tool names, and CategoryF1 and ArgAcc are that same
  number. OrderScore counts equal names at equal places, over the length of the reference.
- InstAcc is 1 if any tool was called (or none was wanted). A step without a status succeeded; without any step, the
  success rate is 1.
- NumScore is Hit@tol: there is no decay. A later field of a key takes the place of an earlier one; a truth value is
  compared as Python takes any value for true, so the text "no" is true; numbers may be texts.
- Activations and other meta calls count like any call, and so do calls that never reached a tool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from labrig_suites.terrabench.metrics.answers import Truth
from labrig_suites.terrabench.metrics.arguments import f1
from labrig_suites.terrabench.metrics.process import tool_use_score


def process_compat(predicted: Sequence[tuple[str, bool]], reference: Sequence[str]) -> dict[str, float]:
    """Return the process metrics of the public code.

    Parameters
    ----------
    predicted
        All calls of a run, by name, and whether the trace says that they succeeded.
    reference
        The names of the reference's calls.

    >>> found = process_compat([("a", True), ("b", False)], ["b", "a"])
    >>> found["ToolAcc"], found["OrderScore"], found["ToolCallSuccessRate"], round(found["ToolUseScore"], 3)
    (1.0, 0.0, 0.5, 0.825)
    """
    names = [name for name, _ in predicted]
    tools = f1(Counter(names), Counter(reference)) if reference else float(not names)
    at_place = sum(mine == theirs for mine, theirs in zip(names, reference, strict=False))
    metrics = {
        "ToolAcc": tools,
        "InstAcc": float(bool(names) or not reference),
        "ArgAcc": tools,
        "CategoryF1": tools,
        "OrderScore": at_place / len(reference) if reference else float(not names),
        "ToolCallSuccessRate": sum(ok for _, ok in predicted) / len(predicted) if predicted else 1.0,
    }
    return {**metrics, "ToolUseScore": tool_use_score(metrics)}


def answers_compat(document: Any, truths: Sequence[Truth]) -> float:
    """Return Hit@tol of the public code, which is also its NumScore, for the JSON document of an answer."""
    values = _values(document)
    return sum(_hit(values.get(each.key), each) for each in truths) / len(truths) if truths else 0.0


def _values(document: Any) -> dict[str, Any]:
    for name in ("answers", "final_json"):
        if isinstance(document, dict) and name in document:
            document = document[name]
    if isinstance(document, list):
        rows = [each for each in document if isinstance(each, dict) and "key" in each and "value" in each]
        return {str(each["key"]): each["value"] for each in rows}
    if not isinstance(document, dict):
        return {}
    if "key" in document and "value" in document:
        return {str(document["key"]): document["value"]}
    return {key: value for key, value in document.items() if key not in ("trace", "metadata")}


def _hit(value: Any, truth: Truth) -> bool:
    if value is None:
        return False
    wanted, given = _number(truth.value), _number(value)
    if wanted is not None:
        return given is not None and abs(given - wanted) <= truth.tolerance("code")
    if isinstance(truth.value, bool):
        return bool(value) is truth.value
    return bool(value == truth.value)


def _number(value: Any) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
