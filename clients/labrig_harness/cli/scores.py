"""``score``, ``report``: what came of runs, from their records alone."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

FAILED = 1
WIDTH = 110


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    score = verbs.add_parser("score", help="score an output folder from its records alone")
    score.add_argument("out", type=Path, metavar="DIR")
    score.add_argument("--json", action="store_true", help="print the scores as JSON lines")
    score.set_defaults(run=_score)

    report = verbs.add_parser("report", help="write a report of an output folder")
    report.add_argument("out", type=Path, metavar="DIR")
    report.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="one self-contained HTML file"
    )
    report.set_defaults(run=_report)


def stdout_console() -> Any:
    """Return a console on stdout; where that is no terminal, wide enough for the tables."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=WIDTH)


def _score(arguments: argparse.Namespace) -> int:
    from labrig_harness.records import score_folder
    from labrig_harness.report.terminal import print_scores

    scored = score_folder(arguments.out)
    if arguments.json:
        for each in scored.scores:
            print(json.dumps(asdict(each), ensure_ascii=False))
    else:
        print_scores(scored, stdout_console())
    return 0 if scored.whole else FAILED


def _report(arguments: argparse.Namespace) -> int:
    from labrig_harness.outfolder import write_atomically
    from labrig_harness.records import score_folder
    from labrig_harness.report.page import render

    write_atomically(arguments.output, render(score_folder(arguments.out)))
    print(f"report: {arguments.output}")
    return 0
