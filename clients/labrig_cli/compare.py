"""``compare``: one run against another, on the items that both have."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError, unknown_name

if TYPE_CHECKING:
    from labrig_harness.records.scoring import Scored
    from labrig_study.report.runs import Run

SCHEMA = "labrig.comparison/1"


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb of this module."""
    compare = verbs.add_parser(
        "compare",
        help="compare two runs sample by sample",
        description="labrig compare DIR A B compares two runs of one folder; labrig compare DIR1 DIR2 one of each. "
        "A is the baseline. Runs are named by their folders (agent-toc.reference).",
    )
    compare.add_argument("out", type=Path, metavar="DIR", help="an output folder")
    compare.add_argument("first", metavar="A|DIR2", help="the baseline's label, or a second output folder")
    compare.add_argument("second", metavar="B", nargs="?", help="the other label")
    compare.add_argument("--run-a", metavar="L", help="with two folders: the run of the first")
    compare.add_argument("--run-b", metavar="L", help="with two folders: the run of the second")
    compare.add_argument("--score", choices=("strict", "compat"), default="strict", help="strict")
    compare.add_argument("--seed", type=int, default=0, metavar="N", help="of the resampling (0)")
    compare.add_argument("--json", action="store_true", help="print the comparison as JSON")
    compare.set_defaults(run=_compare)


def _compare(arguments: argparse.Namespace) -> int:
    from labrig_study.report.pairs import guess_rate, item_records, need_statistics

    need_statistics()
    if arguments.seed < 0:
        raise LabrigError("This must be at least 0", where=f"--seed {arguments.seed}")
    (here, a), (there, b) = _read_sides(arguments)
    names, notes = _pair_items(here, a, there, b)
    from labrig_study.statistics.comparison import compare

    samples = [here.tasks[item] for item in a.items if item in b.items]
    comparison = compare(
        item_records(a, arguments.score),
        item_records(b, arguments.score, names),
        guess=guess_rate(samples),
        seed=arguments.seed,
        score=arguments.score,
    )
    if comparison.paired is None:
        raise LabrigError(
            f"Nothing pairs: of {len(a.items)} samples in {a.label} and {len(b.items)} in {b.label} none is the same",
            where=f"{arguments.out} {arguments.first}",
            expected="two runs of the same samples: suite, version and --seed",
            try_="; ".join(notes),
        )
    if arguments.json:
        about = {
            "schema": SCHEMA,
            "run_a": a.label,
            "run_b": b.label,
            "score": arguments.score,
            "seed": arguments.seed,
            "pairing_notes": notes,
        }
        print(json.dumps(_null_nonfinite({**about, **asdict(comparison)}), ensure_ascii=False))
        return 0
    from labrig_study.report.compared_terminal import print_comparison
    from labrig_study.report.terminal import stdout_console

    places = ("", "") if arguments.second is not None else (f" in {arguments.out}", f" in {arguments.first}")
    first, second = (f"{run.name}  [{run.label}]{place}" for run, place in zip((a, b), places, strict=True))
    print_comparison(comparison, first, second, stdout_console(), notes)
    return 0


def _read_sides(arguments: argparse.Namespace) -> tuple[tuple[Scored, Run], tuple[Scored, Run]]:
    """Read what is to be compared."""
    from labrig_harness.records.scoring import score_folder

    given = (arguments.run_a, arguments.run_b)
    if arguments.second is not None:
        if any(each is not None for each in given):
            raise LabrigError("--run-a and --run-b are for two folders", try_="labrig compare DIR A B")
        here = score_folder(arguments.out)
        return (here, _choose_run(here, arguments.out, arguments.first)), (
            here,
            _choose_run(here, arguments.out, arguments.second),
        )
    other = Path(arguments.first)
    if not other.is_dir():
        raise LabrigError(
            "One run alone cannot be compared, and this is not a second output folder",
            where=arguments.first,
            try_="labrig compare DIR A B",
            code="not_found",
        )
    here, there = score_folder(arguments.out), score_folder(other)
    return (here, _choose_run(here, arguments.out, arguments.run_a, "--run-a")), (
        there,
        _choose_run(there, other, arguments.run_b, "--run-b"),
    )


def _choose_run(scored: Scored, out: Path, label: str | None, flag: str = "") -> Run:
    """Return a run by its label; without one, the only run there is."""
    from labrig_study.report.runs import runs_of

    runs = {run.label: run for run in runs_of(scored)}
    if not runs:
        raise LabrigError(
            "No run of this folder has a record that stands", where=str(out), try_=f"labrig score {out}"
        )
    if label is None:
        if len(runs) > 1:
            raise LabrigError(
                f"This folder has {len(runs)} runs",
                where=str(out),
                expected=", ".join(sorted(runs)),
                try_=flag,
            )
        (label,) = runs
    if label not in runs:
        raise unknown_name("run", label, sorted(runs), where=str(out))
    if not runs[label].records:
        raise LabrigError("No record of this run has a score", where=f"{out}: {label}")
    return runs[label]


def _pair_items(here: Scored, a: Run, there: Scored, b: Run) -> tuple[dict[str, str], list[str]]:
    """Return other names for items of B that only bear the same id, and what a reader must know of the pairing."""
    other = [
        item
        for item in b.items
        if item in here.tasks
        and (here.tasks[item].brief, a.clusters.get(item)) != (there.tasks[item].brief, b.clusters.get(item))
    ]
    notes = []
    if a.label == b.label and here is there:
        notes.append("A and B are the same run: every difference is 0 by construction.")
    if other:
        shown = ", ".join(other[:5]) + (f" and {len(other) - 5} more" if len(other) > 5 else "")
        notes.append(
            f"{len(other)} samples have the same id and another text (or cluster) in B, and are not paired: {shown}."
        )
    mine, theirs = here.suite, there.suite
    if (mine.name, mine.version, mine.scorer_version) != (theirs.name, theirs.version, theirs.scorer_version):
        notes.append(
            f"The suites differ: {mine.name} {mine.version} (scorer {mine.scorer_version}) in A, "
            f"{theirs.name} {theirs.version} (scorer {theirs.scorer_version}) in B."
        )
    for letter, run, scored in (("A", a, here), ("B", b, there)):
        notes += _note_run(letter, run, scored)
    return {item: f"{item} (another text in B)" for item in other}, notes


def _note_run(letter: str, run: Run, scored: Scored) -> list[str]:
    notes = []
    if run.changed:
        notes.append(
            f"Results of {letter} were changed on their way: being right means something else there."
        )
    if run.unscored:
        notes.append(
            f"{len(run.unscored)} records of {letter} are of samples without a truth and do not count."
        )
    mine: Sequence[str] = [
        each
        for each in (*scored.skipped, *scored.missing)
        if each.startswith((f"{run.label}/", f"{run.label}:"))
    ]
    if mine:
        notes.append(
            f"{letter} is not whole: {len(mine)} entries under Not scored or Missing (labrig score)."
        )
    return notes


def _null_nonfinite(value: Any) -> Any:
    """Return plain data in which a number that JSON has no word for is null."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {str(name): _null_nonfinite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_null_nonfinite(each) for each in value]
    return value
