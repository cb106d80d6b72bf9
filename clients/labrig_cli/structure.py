"""``structure``: how golden traces of any set hang together."""

from __future__ import annotations

import argparse
from pathlib import Path


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "structure",
        help="how golden traces hang together: share of linear chains, depth, merges",
        description="Reads legs of the race, records of NESTFUL, Seal-Tools, TaskBench, T-Eval, tau-bench, BFCL, or "
        "steps with depends_on: JSON, JSONL, or a folder of them. A row for each path.",
    )
    verb.add_argument("traces", type=Path, nargs="+", metavar="TRACES")
    verb.set_defaults(run=_structure)


def _structure(arguments: argparse.Namespace) -> int:
    from labrig_cli.tables import PAPER
    from labrig_study.report.terminal import print_table, stdout_console
    from labrig_suites.amazing_race.structure import structure

    print_table(stdout_console(PAPER), structure(arguments.traces), most_rows=None)
    return 0
