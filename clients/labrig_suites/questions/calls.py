"""What a question asserts of the calls, asked of a trajectory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labrig_harness.trajectory import ToolCall

_LONGEST = 10_000


def failed_rules(rules: Iterable[Mapping[str, Any]], calls: Sequence[ToolCall]) -> list[str]:
    """Return in words the rules that do not hold, such as ``execute_phreeqc: 0 calls, at least 1``.

    A call counts towards *at least* where it succeeded, and towards *at most* where a server saw it.
    """
    failed = []
    for rule in rules:
        matching = [call for call in calls if call.record >= 0 and _is_meant(call, rule)]
        succeeded = sum(call.succeeded for call in matching)
        name = _name_rule(rule)
        if succeeded < rule["least"]:
            failed.append(f"{name}: {succeeded} calls, at least {rule['least']}")
        elif rule["most"] is not None and len(matching) > rule["most"]:
            failed.append(f"{name}: {len(matching)} calls, at most {rule['most']}")
    return failed


def _is_meant(call: ToolCall, rule: Mapping[str, Any]) -> bool:
    """Tell whether a call is one of the tool with the arguments of a rule."""
    if rule["tool"] not in (call.tool, call.tool.rpartition("__")[2]):
        return False
    return all(_has_value(call.arguments, name, wanted) for name, wanted in rule["arguments"].items())


def _has_value(arguments: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name not in arguments:
        return False
    given = arguments[name]
    if isinstance(wanted, dict) and set(wanted) == {"matches"}:
        return isinstance(given, str) and re.search(wanted["matches"], given[:_LONGEST]) is not None
    if isinstance(given, bool) != isinstance(wanted, bool):
        return False  # to Python, True is 1
    return bool(given == wanted)


def _name_rule(rule: Mapping[str, Any]) -> str:
    arguments = ", ".join(rule["arguments"])
    return f"{rule['tool']}({arguments})" if arguments else str(rule["tool"])
