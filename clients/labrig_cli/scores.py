"""``score``, ``report``: what came of runs, from their records alone."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from labrig.errors import LabrigError
from labrig_cli.verdict import add_verdict, check_share, say_below

FAILED = 1


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    score = verbs.add_parser("score", help="score an output folder from its records alone")
    score.add_argument("out", type=Path, metavar="DIR")
    score.add_argument("--json", action="store_true", help="print the scores as JSON lines")
    add_verdict(score)
    score.set_defaults(run=_score)

    report = verbs.add_parser(
        "report", help="write a report of an output folder: HTML, CSV, JSONL or Parquet"
    )
    report.add_argument("out", type=Path, metavar="DIR")
    report.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="one self-contained .html page, or one row per record: .csv, .jsonl, .parquet",
    )
    report.add_argument(
        "--format",
        choices=("html", "csv", "jsonl", "parquet"),
        default="",
        help="where the suffix of FILE does not say it",
    )
    report.add_argument(
        "--trajectories",
        type=Path,
        metavar="DIR",
        help="write each record as a page of its own, with its texts whole, and link to it",
    )
    report.set_defaults(run=_report)


def _score(arguments: argparse.Namespace) -> int:
    from labrig_harness.records.scoring import score_folder
    from labrig_study.report.terminal import print_scores, stdout_console

    check_share(arguments.fail_below)
    scored = score_folder(arguments.out)
    if arguments.json:
        for score in scored.scores:
            print(json.dumps(asdict(score), ensure_ascii=False))
    else:
        print_scores(scored, stdout_console())
    low = say_below(scored, arguments.fail_below)
    return 0 if scored.whole and not low else FAILED


def _report(arguments: argparse.Namespace) -> int:
    from labrig_harness.records.scoring import score_folder
    from labrig_study.report.files import format_of, write_report

    kind = format_of(arguments.output, arguments.format)
    if arguments.trajectories is not None and kind != "html":
        raise LabrigError("Pages of records belong to an HTML report", where="--trajectories")
    scored = score_folder(arguments.out)
    path, *pages = write_report(scored, arguments.output, kind, arguments.trajectories)
    if pages:
        print(f"records: {arguments.trajectories} ({len(pages)} pages)")
    print(f"report: {path}")
    return 0
