"""Calls as the process metrics see them: made, valid, successful.

- A *meta* call is one of a tool of ``meta`` in ``words.toml``. It is left out of everything.
- A *valid* call names a tool that is offered, and gives it arguments that are a JSON object which the tool's schema
  accepts. A call that the tool carried out or refused for another reason is valid.
- A *successful* call is a valid one whose result is no error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from labrig.errors import LabrigError
from labrig.former_names import name_today, names_today
from labrig_harness.trajectory import Trajectory
from labrig_suites.terrabench.metrics.families import is_meta

MOST_CALLS = 10_000
"""Calls of a run that are looked at; a reference may have `MOST_REFERENCE`."""
MOST_REFERENCE = 1_000


@dataclass(frozen=True)
class Made:
    """A call that an agent made, or a reference makes.

    Attributes
    ----------
    valid, success
        See the head of this module.
    instead
        For a call of a reference: other tools that are as good.
    after
        For a call of a reference: the places (0-based) of those that must come before it; None: all before it.
    kinds
        For a call of a reference: how values of an argument are compared, by key, where not as found
        (`labrig_suites.terrabench.metrics.arguments.KINDS`).
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    valid: bool = True
    success: bool = True
    instead: tuple[str, ...] = ()
    after: tuple[int, ...] | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)


def made_of(trajectory: Trajectory, offered: Collection[str] = ()) -> list[Made]:
    """Return the calls of a run that are no meta calls, in their order; at most `MOST_CALLS`.

    Parameters
    ----------
    offered
        The tools that were offered, where that is known: a call of any other is not valid. A call that the record
        marks with a fault (no JSON, an unknown tool, arguments that the schema forbids, never delivered) is not either.
    """
    names = names_today(offered)
    found = []
    for call in trajectory.calls:
        if is_meta(call.tool):
            continue
        tool = name_today(call.tool, call.arguments)
        valid = not call.fault and not call.raw and (not names or tool in names)
        found.append(Made(tool, call.arguments, valid, valid and not call.is_error))
        if len(found) == MOST_CALLS:
            break
    return found


def reference_of(calls: Iterable[Mapping[str, Any]], where: str = "paths") -> list[Made]:
    """Read the calls of a reference from the truth of an item, and leave out meta calls.

    Parameters
    ----------
    calls
        Objects with ``tool`` and ``arguments``, and where they apply ``instead``, ``after`` (places in this list) and
        ``kinds``.

    Raises
    ------
    LabrigError
        ``bad_input``: an object that is no call, a call that would come after itself or a later one, or more than
        `MOST_REFERENCE` calls.
    """
    rows = list(calls)
    if len(rows) > MOST_REFERENCE:
        raise LabrigError(
            "A reference has too many calls",
            where=where,
            expected=f"at most {MOST_REFERENCE}, not {len(rows)}",
        )
    kept: dict[int, int] = {}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or not isinstance(row.get("tool"), str) or not row["tool"]:
            raise LabrigError("A call of the reference has no tool", where=f"{where}[{number}]")
        if not isinstance(row.get("arguments", {}), Mapping):
            raise LabrigError("Arguments of the reference are no object", where=f"{where}[{number}]")
        if not is_meta(row["tool"]):
            kept[number] = len(kept)
    found = []
    for number in kept:
        row = rows[number]
        after = row.get("after")
        if after is not None:
            if not isinstance(after, list | tuple) or any(
                not isinstance(each, int) or not 0 <= each < number for each in after
            ):
                raise LabrigError(
                    "A call of the reference comes after one that is not before it",
                    where=f"{where}[{number}].after",
                    expected=f"places from 0 to {number - 1}",
                )
            after = tuple(kept[each] for each in after if each in kept)
        found.append(
            Made(
                name_today(row["tool"], row.get("arguments")),
                row.get("arguments", {}),
                instead=tuple(map(name_today, row.get("instead", ()))),
                after=after,
                kinds=row.get("kinds", {}),
            )
        )
    return found
