"""How golden traces hang together: chains, forks and merges, of any set that says what its calls use (Table 1).

A record is read as what it is: a leg of the race, ours or published; a list of calls whose arguments name the labels of
others (NESTFUL, Seal-Tools); nodes and links between them (TaskBench); steps that name those before them (T-Eval, or
``depends_on``). A record that has only an order of calls (tau-bench, BFCL) is counted apart: an order is no dependence.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from labrig.errors import LabrigError
from labrig_harness.records.items_file import published_rows, rows
from labrig_harness.suite import Table
from labrig_suites.amazing_race.closure import inputs
from labrig_suites.amazing_race.legs import read_leg

MOST_STEPS = 5_000
_REFERENCE = re.compile(r"(?<=\$)[A-Za-z_]\w*|\bAPI_call_\d+")
_NODE = re.compile(r"<node-(\d+)>")
_GATHERS = "var_result"
"""The last entry of a NESTFUL trace that calls nothing and names what is returned."""
NOTE = (
    "linear: one chain; parallel: several that never meet; DAG: a step that several use, or one that uses several. "
    "depth: steps on the longest way; merges: steps that use several. An order of calls alone says nothing of either."
)
KINDS = ("single", "linear", "parallel", "DAG")
HELD = frozenset(
    (
        *("stops", "truth", "task_nodes", "output", "calling", "ground_truth", "steps", "trace", "actions"),
        "evaluation_criteria",
    )
)
"""Keys of records that hold a trace; an object without any may hold records under names of its own."""
COLUMNS = (
    *("traces", "records", "not read", "with links", "steps"),
    *(f"{kind} %" for kind in KINDS),
    *("depth", "merges"),
)


@dataclass(frozen=True)
class Graph:
    """A trace: for each step, those before it whose results it uses; `told` is whether the record says so."""

    uses: tuple[frozenset[int], ...]
    told: bool = True

    @property
    def merges(self) -> int:
        """Steps that use several others."""
        return sum(len(each) > 1 for each in self.uses)

    @property
    def depth(self) -> int:
        """Steps on the longest way."""
        longest: list[int] = []
        for used in self.uses:
            longest.append(1 + max((longest[each] for each in used), default=0))
        return max(longest, default=0)

    @property
    def kind(self) -> str:
        """One of ``single``, ``linear``, ``parallel`` and ``DAG``."""
        if len(self.uses) < 2:
            return "single"
        users = [place for used in self.uses for place in used]
        if self.merges or len(users) > len(set(users)):
            return "DAG"
        return "linear" if len(users) == len(self.uses) - 1 else "parallel"


def structure(paths: Sequence[Path]) -> Table:
    """Return what the traces of files or folders are like, a row each.

    Raises
    ------
    LabrigError
        ``bad_input`` for what cannot be read, and for a path without a trace.
    """
    return Table("Table 1. Structure of golden traces", COLUMNS, tuple(map(_row, paths)), NOTE)


def _row(path: Path) -> tuple[Any, ...]:
    graphs, wrong = [], 0
    for record in _records(path):
        try:
            graph = graph_of(record)
        except LabrigError:
            wrong += 1
            continue
        graphs += [] if graph is None else [graph]
    if not graphs:
        raise LabrigError(
            f"No record of this holds a trace that is known, and {wrong} hold one that cannot be read",
            where=str(path),
            expected="legs, NESTFUL, Seal-Tools, TaskBench, T-Eval, tau-bench, BFCL, or steps with depends_on",
        )
    told = [each for each in graphs if each.told]
    steps = round(fmean(len(each.uses) for each in graphs), 1)
    begin = (path.name, len(graphs), wrong, len(told), steps)
    if not told:
        return (*begin, *[None] * (len(COLUMNS) - len(begin)))
    kinds = Counter(each.kind for each in told)
    shares = (round(100 * kinds[kind] / len(told), 1) for kind in KINDS)
    depth, merges = fmean(each.depth for each in told), fmean(each.merges for each in told)
    return (*begin, *shares, round(depth, 1), round(merges, 2))


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the records of a file or folder; lines may stand in a .json file, and records under names in an object."""
    if path.is_dir():
        for each in sorted(path.rglob("*.json*")):
            yield from _records(each)
        return
    try:
        found = published_rows(path)
    except LabrigError:
        if path.suffix != ".json":
            raise
        found = [row for _, row in rows(path)]
    for record in found:
        inner = list(record.values())
        if not HELD & record.keys() and inner and all(isinstance(each, dict) for each in inner):
            yield from inner
        else:
            yield record


def graph_of(record: Mapping[str, Any]) -> Graph | None:
    """Return the graph of a record; None for one that holds no trace that is known.

    Raises
    ------
    LabrigError
        ``bad_input`` for a trace that names a step that is none, or a later one.
    """
    for read in (_of_leg, _of_nodes, _of_labels, _of_steps, _of_order):
        try:
            uses = read(record)
        except (TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
            raise LabrigError(f"This trace cannot be read: {error}"[:300], where=_named(record)) from error
        if uses is not None:
            if len(uses) > MOST_STEPS:
                raise LabrigError(
                    f"A trace of {len(uses)} steps", where=_named(record), expected=f"{MOST_STEPS}"
                )
            return Graph(_in_order(uses, _named(record)), read is not _of_order)
    return None


def _named(record: Mapping[str, Any]) -> str:
    return str(
        next((record[key] for key in ("id", "sample_id", "trail_id", "task_id") if key in record), "")
    )[:60]


def _in_order(uses: Sequence[set[int]], where: str) -> tuple[frozenset[int], ...]:
    """Return the steps so that each follows those that it uses."""
    places: dict[int, int] = {}
    left = list(range(len(uses)))
    while left:
        ready = [each for each in left if uses[each] <= places.keys()]
        if not ready:
            raise LabrigError("Steps of this trace use each other, or one that is none", where=where)
        for each in ready:
            places[each] = len(places)
        left = [each for each in left if each not in places]
    return tuple(frozenset(places[used] for used in uses[each]) for each in places)


def _of_leg(record: Mapping[str, Any]) -> list[set[int]] | None:
    fields = record.get("truth", {}).get("leg") if isinstance(record.get("truth"), dict) else record
    if not isinstance(fields, Mapping) or "stops" not in fields:
        return None
    leg = read_leg(fields)
    return [inputs(leg, stop) for stop in leg.stops]


def _of_nodes(record: Mapping[str, Any]) -> list[set[int]] | None:
    """TaskBench: links by the names of tasks (of several of one name the one before is meant), else ``<node-0>`` in
    arguments, as in its predictions."""
    held = record["result"] if isinstance(record.get("result"), Mapping) else record
    nodes = held.get("task_nodes")
    if nodes is None:
        return None
    if "task_links" not in held:
        return [set(map(int, _NODE.findall(json.dumps(each["arguments"])))) for each in nodes]
    uses: list[set[int]] = [set() for _ in nodes]
    names = [each["task"] for each in nodes]
    for link in held["task_links"]:
        source, target = link["source"], link["target"]
        targets = [place for place, name in enumerate(names) if name == target]
        sources = [place for place, name in enumerate(names) if name == source]
        for at in targets:
            before = [each for each in sources if each < at] or [each for each in sources if each != at]
            uses[at] |= set(before[-1:])
    return uses


def _of_labels(record: Mapping[str, Any]) -> list[set[int]] | None:
    """NESTFUL: ``$var_1.result$`` in arguments; Seal-Tools: ``API_call_0``, one of the responses of a call."""
    calls = record.get("calling", record.get("output"))
    calls = json.loads(calls) if isinstance(calls, str) and calls.lstrip().startswith("[") else calls
    if not isinstance(calls, list) or not all(isinstance(each, dict) for each in calls):
        return None
    if not all("name" in each or "api" in each for each in calls):
        return None
    places: dict[str, int] = {}
    uses: list[set[int]] = []
    for each in calls:
        if each.get("name") != _GATHERS:
            named = _REFERENCE.findall(json.dumps(each.get("arguments", each.get("parameters", {}))))
            uses.append({places[name] for name in named if name in places})
            given = each.get("responses", [str(each.get("label", "")).strip("$")])
            places |= dict.fromkeys(given, len(uses) - 1)
    return uses


def _of_steps(record: Mapping[str, Any]) -> list[set[int]] | None:
    for key in ("ground_truth", "steps", "trace"):
        steps = record.get(key)
        if isinstance(steps, list) and steps and all(isinstance(each, dict) for each in steps):
            before = next(
                (name for name in ("prev", "depends_on") if all(name in each for each in steps)), None
            )
            if before is not None:
                places = {each.get("id", place): place for place, each in enumerate(steps)}
                return [{places[used] for used in each[before]} for each in steps]
    return None


def _of_order(record: Mapping[str, Any]) -> list[set[int]] | None:
    told = record.get("evaluation_criteria")
    actions = record.get("actions") or (told.get("actions") if isinstance(told, dict) else None)
    turns = record.get("ground_truth")
    if actions is None and isinstance(turns, list):
        actions = [call for turn in turns for call in (turn if isinstance(turn, list) else [turn])]
    if not isinstance(actions, list):
        return None
    return [{place - 1} if place else set() for place in range(len(actions))]
