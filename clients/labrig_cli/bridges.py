"""``export-tasks``: the samples of a suite as tasks of a framework of others, which runs and scores them there."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from labrig.errors import LabrigError, unknown_name

FORMATS = ("harbor",)


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb of this module."""
    save = verbs.add_parser(
        "export-tasks", help="write the samples of a suite as tasks that another framework runs and scores"
    )
    save.add_argument("suite", metavar="SUITE")
    save.add_argument("--format", required=True, metavar="F", help="harbor: a folder a sample")
    save.add_argument("--arm", default="", metavar="X", help="arm of the suite (default: its first)")
    save.add_argument(
        "--tasks", type=Path, metavar="FILE", help="the samples of this file, as labrig generate writes it"
    )
    save.add_argument(
        "--items", type=Path, metavar="FILE", help="sample ids, one a line, or a tasks.jsonl: only these"
    )
    save.add_argument("--limit", type=int, metavar="N", help="only the first N samples")
    save.add_argument("--seed", type=int, default=0, metavar="S", help="of the samples, without --tasks")
    save.add_argument(
        "--image",
        default="labrig",
        metavar="I",
        help="the image that Labrig's Dockerfile made (default: labrig)",
    )
    save.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new or empty folder")
    save.set_defaults(run=_export, preset="")


def _export(arguments: argparse.Namespace) -> int:
    from labrig_cli.runs import choose_samples
    from labrig_harness import suites
    from labrig_study.bridges.harbor import export_tasks

    if arguments.format not in FORMATS:
        raise unknown_name("format of tasks", arguments.format, FORMATS, where="--format")
    if arguments.limit is not None and arguments.limit < 1:
        raise LabrigError("This must be at least 1", where=f"--limit {arguments.limit}")
    suite = suites.load(arguments.suite)
    samples, _ = choose_samples(arguments, suite, None)
    unsolved = export_tasks(suite, suite.arm(arguments.arm), samples, arguments.out, arguments.image)
    for line in unsolved:
        print(line, file=sys.stderr)
    print(f"{len(samples)} tasks in {arguments.out}")
    print(f"run them: harbor run -p {arguments.out} -a oracle")
    return 0
