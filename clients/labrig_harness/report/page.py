"""The report as one page of HTML that needs nothing but itself: no network, no script to be read."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from labrig import __version__
from labrig_harness.records import Scored
from labrig_harness.report.leaderboard import chance, leaderboard
from labrig_harness.report.prose import MOST, Prose, percent, readable
from labrig_harness.report.reading import ReadStep, read_steps
from labrig_harness.report.tabular import columns
from labrig_harness.report.truth import Truth, truth_of
from labrig_harness.suite import Score
from labrig_harness.task import Task
from labrig_harness.trajectory import Trajectory

BUDGET = 3_000_000
"""Bytes that a page should stay within: its texts are cut harder until it does."""

LIMITS = (MOST, 2_000, 1_000, 500, 250, 0)
"""Characters shown of one text, from generous to none."""

SHARED = 300
"""Characters from which a text that comes again is a link to where it came first."""


@dataclass(frozen=True)
class Record:
    """One record of the page.

    Attributes
    ----------
    verdict
        ``right``, ``partly right``, ``wrong`` or ``not committed``, by the strict score.
    place
        Its folder, relative to the output folder.
    """

    anchor: str
    place: str
    trajectory: Trajectory
    score: Score
    verdict: str
    answer: str
    diagnosis: str
    submission: Prose | None
    steps: tuple[ReadStep, ...]

    @property
    def name(self) -> str:
        """How the page calls it."""
        return f"{self.trajectory.arm}, {self.trajectory.agent}, epoch {self.trajectory.epoch}"

    @property
    def words(self) -> str:
        """The verdict in words, with that of compat where it is another."""
        strict, compat = self.score.strict, self.score.compat
        return self.verdict if strict == compat else f"{self.verdict} by strict, {compat:.0%} by compat"


@dataclass(frozen=True)
class Item:
    """One task of the page, with its records column by column."""

    anchor: str
    task: Task
    truth: Truth
    prompt: Prose
    files: tuple[tuple[str, Prose], ...]
    cells: tuple[tuple[Record, ...], ...]

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """All its records."""
        return tuple(record for cell in self.cells for record in cell)

    @property
    def kind(self) -> str:
        """``even`` when all records are right, ``split`` when only some are, else ``missed``."""
        right = [record.verdict == "right" for record in self.records]
        return "even" if all(right) and right else "split" if any(right) else "missed"


@dataclass(frozen=True)
class Shown:
    """A text as it is shown at one place: cut, or as a link to where it was shown first."""

    prose: Prose
    anchor: str
    same_as: str


class Texts:
    """The long texts of a page in the order they are shown; each is shown once."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._seen: dict[str, tuple[str, str]] = {}

    def show(self, prose: Prose, where: str) -> Shown:
        """Return how to show a text at `where`."""
        if prose.chars < SHARED:
            return Shown(prose, "", "")
        if prose.sha256 in self._seen:
            return Shown(prose.cut(0), *self._seen[prose.sha256])
        anchor = f"t-{len(self._seen)}"
        self._seen[prose.sha256] = anchor, readable(where)
        return Shown(prose.cut(self.limit), anchor, "")


class Anchors:
    """Names of places on the page: readable, stable, and never twice the same."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, *parts: Any) -> str:
        """Return an anchor made of `parts`."""
        base = "-".join(re.sub(r"[^A-Za-z0-9_.]+", "-", str(part)) for part in parts)
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name


def render(scored: Scored, *, budget: int = BUDGET) -> str:
    """Return the report of a scored output folder as HTML.

    The same records give the same page: nothing in it is taken from the clock.

    Parameters
    ----------
    budget
        Bytes to stay within. The texts of prompts, arguments and results are cut to `LIMITS` in turn until
        the page fits; the last limit is taken whether it does or not.
    """
    view = _view(scored)
    page = ""
    for limit in LIMITS:
        page = _TEMPLATE.render(**view, texts=Texts(limit))
        if len(page.encode()) <= budget:
            break
    return page


def _view(scored: Scored) -> dict[str, Any]:
    """Return what the template shows."""
    runs = _columns(scored)
    epochs = max((each.epoch for each in scored.records), default=0) + 1
    return {
        "suite": scored.suite,
        "arms": [arm for arm in scored.suite.arms if any(arm.name == name for name, _ in runs)],
        "rows": leaderboard(scored),
        "chance": chance(scored),
        "tables": [(table, columns(table)) for table in scored.tables],
        "groups": _groups(runs),
        "columns": runs,
        "items": _items(scored, runs),
        "epochs": epochs,
        "partly": any(0 < each.strict < 1 for each in scored.scores),
        "differ": any(each.strict != each.compat for each in scored.scores),
        "runs": _runs(scored, runs),
        "skipped": scored.skipped,
        "missing": scored.missing,
        "labrig_version": __version__,
    }


def _columns(scored: Scored) -> list[tuple[str, str]]:
    """Return (arm, agent) pairs: arms in the suite's order, agents from the best."""
    arms = {arm.name: number for number, arm in enumerate(scored.suite.arms)}
    pairs = [(row.arm, row.agent) for row in leaderboard(scored)]
    return sorted(pairs, key=lambda pair: (arms.get(pair[0], len(arms)), pair[0]))


def _groups(columns: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return how many columns each arm has, in order."""
    groups: dict[str, int] = {}
    for arm, _ in columns:
        groups[arm] = groups.get(arm, 0) + 1
    return groups


def _items(scored: Scored, columns: list[tuple[str, str]]) -> list[Item]:
    anchors = Anchors()
    cells: dict[tuple[str, str, str], list[Record]] = {}
    truths = {name: truth_of(task) for name, task in scored.tasks.items()}
    for each in scored.records:
        if each.score is None:
            continue
        record = _record(anchors, each.trajectory(), each.folder, each.score, truths[each.task])
        cells.setdefault((each.task, each.arm, each.agent), []).append(record)
    return [
        Item(
            anchor=anchors.of("i", name),
            task=task,
            truth=truths[name],
            prompt=Prose.of(task.brief.prompt),
            files=tuple((readable(path), Prose.of(text)) for path, text in task.brief.files.items()),
            cells=tuple(
                tuple(sorted(cells.get((name, *column), ()), key=lambda record: record.trajectory.epoch))
                for column in columns
            ),
        )
        for name, task in scored.tasks.items()
    ]


def _record(anchors: Anchors, each: Trajectory, folder: Path, score: Score, truth: Truth) -> Record:
    if each.submission is None:
        verdict = "not committed"
    else:
        verdict = "right" if score.strict >= 1 else "partly right" if score.strict > 0 else "wrong"
    diagnosis = score.facts.get("diagnosis") or (truth.diagnosis(score.answer) if verdict == "wrong" else "")
    return Record(
        anchor=anchors.of("r", each.arm, each.agent, each.task, each.epoch),
        place="/".join(folder.parts[-3:]),
        trajectory=each,
        score=score,
        verdict=verdict,
        answer=readable(score.answer),
        diagnosis=readable(str(diagnosis)),
        submission=Prose.of(each.submission.text) if each.submission else None,
        steps=read_steps(folder, each),
    )


def _runs(scored: Scored, columns: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return what produced the records: for each run its ``run.json`` and what its trajectories say."""
    runs = []
    for arm, agent in columns:
        mine = [each for each in scored.records if (each.arm, each.agent) == (arm, agent)]
        versions: dict[str, set[str]] = {}
        for each in mine:
            for name, version in each.versions.items():
                versions.setdefault(name, set()).add(str(version))
        ends = Counter(each.end for each in mine)
        started = sorted(each.started[:16].replace("T", " ") for each in mine if each.started)
        about = _run_json(mine[0].folder.parent.parent / "run.json")
        runs.append(
            {
                "arm": arm,
                "agent": agent,
                "records": len(mine),
                "seeds": sorted({each.seed for each in mine}),
                "versions": {name: sorted(each) for name, each in sorted(versions.items())},
                "ends": dict(sorted(ends.items(), key=lambda pair: -pair[1])),
                "started": started[:1] + started[-1:],
                "budget": about.get("budget"),
                "tasks": str(about.get("tasks", "")),
                "about": json.dumps(about, ensure_ascii=False, indent=1) if about else "",
            }
        )
    return runs


def _run_json(path: Path) -> Mapping[str, Any]:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, Mapping) else {}


def _script_hash(script: str) -> str:
    """Return the hash by which the page's policy lets its own script run, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _environment() -> Environment:
    # Escaping is on for every file: what agents and servers wrote is never markup.
    loader = PackageLoader("labrig_harness.report", ".")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        readable=readable,
        percent=percent,
        number=_number,
        count="{:,}".format,
        json=_pretty_json,
    )
    script = loader.get_source(environment, "page.js")[0]
    environment.globals.update(script_hash=_script_hash(script), script=script)
    return environment


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else readable(str(value))


def _pretty_json(value: Any) -> str:
    return readable(json.dumps(value, ensure_ascii=False, indent=1, default=str))


_TEMPLATE = _environment().get_template("page.html.j2")
