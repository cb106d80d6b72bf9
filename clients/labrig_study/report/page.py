"""The report as one page of HTML that needs nothing but itself: no network, no script to be read."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from labrig import __version__
from labrig_harness.records import scoring as records
from labrig_harness.records.chosen import said_of
from labrig_harness.records.scoring import Scored, paper_tables
from labrig_harness.sample import Sample
from labrig_study.report import compared, words
from labrig_study.report.difficulty import by_cluster, spread
from labrig_study.report.effort import by_steps, frontier
from labrig_study.report.errors import error_table
from labrig_study.report.evidence import evidence
from labrig_study.report.failures import OUTCOMES, diagnoses, outcomes
from labrig_study.report.items import SHARED, Anchors, Item, Link, files_of, items_of, record_of
from labrig_study.report.leaderboard import WITHOUT, Row, chance, leaderboard
from labrig_study.report.pairs import MOST_RUNS, Pair, all_pairs, guess_rate
from labrig_study.report.passes import pass_table
from labrig_study.report.plots import scatter, steps_plot
from labrig_study.report.prose import MOST, Prose, percent, readable
from labrig_study.report.reruns import reruns
from labrig_study.report.runs import Run, runs_of
from labrig_study.report.tabular import columns
from labrig_study.report.truth import truth_of
from labrig_study.statistics import has_statistics

BUDGET = 3_000_000
"""Bytes that a page should stay within: its texts are cut harder until it does."""

LIMITS = (MOST, 2_000, 1_000, 500, 250, 0, -1)
"""Characters shown of one text, from generous to few; 0: a line for each step; below 0: verdicts alone."""

WHOLE = 2**62
"""More characters than any text has."""

LEAST = 1_000
"""Bytes that a record takes with its steps at the least; where all of them take more than the budget, none is read."""


@dataclass(frozen=True)
class Shown:
    """A text as it is shown at one place: cut, or as a link to where it was shown first."""

    prose: Prose
    anchor: str
    same_as: str


class Texts:
    """The long texts of a page in the order they are shown; each is shown once."""

    def __init__(self, limit: int) -> None:
        self.limit = max(limit, 0)
        self.compact = limit == 0
        self.steps = limit >= 0
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


def render(scored: Scored, *, budget: int = BUDGET, link: Link | None = None) -> str:
    """Return the report of a scored output folder as HTML.

    The same records give the same page: nothing in it is taken from the clock, and resampling has fixed seeds.

    Parameters
    ----------
    budget
        Bytes to stay within. The texts of prompts, arguments and results are cut to `LIMITS` in turn until
        the page fits; the last limit is taken whether it does or not.
    link
        Where each record lies, relative to the page; None: records are named and not linked.
    """
    most = _count_kept(len(scored.records), budget)
    view = _make_view(scored, most, link)
    limits = [each for each in LIMITS if each <= most]

    def page(limit: int) -> str:
        return find_template("page.html.j2").render(**view, texts=Texts(limit))

    whole = page(limits[0])
    if len(limits) == 1 or len(whole.encode()) <= budget:
        return whole
    low, high, found = 1, len(limits) - 1, ""
    while low < high:  # pages grow with the limit
        middle = (low + high) // 2
        made = page(limits[middle])
        if len(made.encode()) <= budget:
            high, found = middle, made
        else:
            low = middle + 1
    return found or page(limits[low])


def _count_kept(count: int, budget: int) -> int:
    """Return how many characters to keep of a text while reading: what could not be shown would fill the memory."""
    if count * LEAST > budget:
        return LIMITS[-1]
    return next((limit for limit in LIMITS if limit * count <= 8 * budget), 0)


def render_record(scored: Scored, run: Run, record: records.Record, back: str = "") -> str:
    """Return one record of a run as a page of its own, its texts whole.

    Parameters
    ----------
    back
        A link to the report.
    """
    item = item_of(scored.tasks[record.task], run, record)
    return find_template("record.html.j2").render(
        suite=scored.suite,
        item=item,
        record=item.records[0],
        back=back,
        end_names=words.ENDS,
        texts=Texts(WHOLE),
        labrig_version=__version__,
    )


def item_of(sample: Sample, run: Run, record: records.Record) -> Item:
    """Return a sample with one record of it, its texts whole."""
    truth = truth_of(sample)
    made = record_of(Anchors(), record, run, sample, truth, "", WHOLE)
    prompt = Prose.of(sample.brief.prompt, WHOLE)
    return Item("item", sample, truth, prompt, files_of(sample, WHOLE), ((made,),))


def _make_view(scored: Scored, most: int, link: Link | None) -> dict[str, Any]:
    """Return what the templates show."""
    runs = _order_columns(scored)
    rows = leaderboard(scored)
    paper = paper_tables(scored)
    guess = chance(scored)
    points = frontier(rows)
    statistics = has_statistics()
    ranked = [row.run for row in rows]
    pairs = all_pairs(ranked, guess_rate(list(scored.tasks.values()))) if statistics and len(rows) > 1 else []
    return {
        "suite": scored.suite,
        "arms": [arm for arm in scored.suite.arms if any(arm.name == run.arm for run in runs)],
        "rows": rows,
        "headline": words.headline(
            rows, next((p.comparison for p in pairs if rows[0].run is p.a and rows[1].run is p.b), None)
        ),
        "chance": guess,
        "without": "" if statistics else WITHOUT,
        "pairs": {(pair.a.label, pair.b.label): _make_pair(pair, rows) for pair in pairs},
        "compared": [row for row in rows if any(row.run.label == pair.a.label for pair in pairs)],
        "most_runs": MOST_RUNS,
        "points": points,
        "scatter": scatter(points, guess) if points else "",
        "steps": [(each, steps_plot(each)) for each in by_steps(rows)],
        "outcomes": outcomes(rows),
        "outcome_names": OUTCOMES,
        "fault_names": words.FAULTS,
        "end_names": words.ENDS,
        "diagnoses": diagnoses(rows, {name: truth_of(sample) for name, sample in scored.tasks.items()}),
        "reruns": reruns(rows),
        "clusters": by_cluster(rows),
        "spread": spread(rows),
        "evidence": (found, columns(found)) if (found := evidence(runs)) else None,
        "tables": [
            (table, columns(table))
            for table in (*scored.tables, *filter(None, (error_table(scored), pass_table(scored))))
        ],
        "paper": [(table, columns(table)) for table in paper if table.rows],
        "paper_empty": [table.title.split(". ")[0] for table in paper if not table.rows],
        "groups": _count_columns(runs),
        "columns": runs,
        "items": items_of(scored, runs, most, link),
        "records": len(scored.records),
        "epochs": max((each.epoch for each in scored.records), default=0) + 1,
        "partly": any(0 < each.strict < 1 for each in scored.scores),
        "differ": any(each.strict != each.compat for each in scored.scores),
        "unscored": sum(each.score is None for each in scored.records),
        "runs": [_describe_run(run) for run in runs],
        "skipped": scored.skipped,
        "missing": scored.missing,
        "chosen": said_of(scored.chosen),
        "linked": link is not None,
        "labrig_version": __version__,
    }


def _make_pair(pair: Pair, rows: list[Row]) -> dict[str, Any]:
    number = {row.run.label: row.number for row in rows}
    a, b = number[pair.a.label], number[pair.b.label]
    return {
        "a": pair.a,
        "b": pair.b,
        "numbers": (a, b),
        "anchor": f"pair-{a}-{b}",
        "comparison": pair.comparison,
        "paired": pair.comparison.paired,
        "holm_p": pair.holm_p,
        "findings": words.findings(pair.comparison, f"run {a}", f"run {b}"),
        "groups": compared.paired_lines(pair.comparison, pair.holm_p, pair.tests),
    }


def _order_columns(scored: Scored) -> list[Run]:
    """Return the runs: arms in the suite's order, agents from the best."""
    arms = {arm.name: number for number, arm in enumerate(scored.suite.arms)}
    return sorted(runs_of(scored), key=lambda run: (arms.get(run.arm, len(arms)), run.arm, run.changed))


def _count_columns(runs: Iterable[Run]) -> dict[str, int]:
    """Return how many columns each arm has, in order."""
    return dict(Counter(run.arm for run in runs))


def _describe_run(run: Run) -> dict[str, Any]:
    """Return what produced the records of a run: its ``run.json`` and what its trajectories say."""
    mine = (*run.records, *run.unscored)
    versions: dict[str, set[str]] = {}
    for record in mine:
        for name, version in record.versions.items():
            versions.setdefault(name, set()).add(str(version))
    ends = Counter(each.end for each in mine)
    started = sorted(each.started[:16].replace("T", " ") for each in mine if each.started)
    about = _read_run_json(mine[0].folder.parent.parent / "run.json")
    return {
        "name": run.name,
        "label": run.label,
        "records": len(mine),
        "seeds": sorted({each.seed for each in mine}),
        "models": sorted({each.model for each in mine if each.model}),
        "confinement": sorted({each.confinement for each in mine if each.confinement}),
        "versions": {name: sorted(each) for name, each in sorted(versions.items())},
        "ends": dict(sorted(ends.items(), key=lambda pair: -pair[1])),
        "started": started[:1] + started[-1:],
        "budget": about.get("budget"),
        "about": json.dumps(about, ensure_ascii=False, indent=1) if about else "",
    }


def _read_run_json(path: Path) -> Mapping[str, Any]:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, Mapping) else {}


def _hash_script(script: str) -> str:
    """Return the hash by which the page's policy lets its own script run, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@lru_cache(maxsize=1)
def _make_environment() -> Environment:
    # Escaping is on for every file: what agents and servers wrote is never markup.
    loader = PackageLoader("labrig_study.report", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        readable=readable,
        percent=percent,
        number=_show_number,
        count="{:,}".format,
        json=_show_json,
        share=words.share,
        points=words.points,
        span=words.span,
        amount=words.amount,
        size=words.size,
        p=words.p_value,
    )
    for prefix, name in (("", "page.js"), ("view_", "view.js")):
        script = loader.get_source(environment, name)[0]
        environment.globals.update({f"{prefix}script": script, f"{prefix}script_hash": _hash_script(script)})
    return environment


def find_template(name: str) -> Template:
    """Return a template of the report."""
    return _make_environment().get_template(name)


def _show_number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else readable(str(value))


def _show_json(value: Any) -> str:
    return readable(json.dumps(value, ensure_ascii=False, indent=1, default=str))
