"""``import``, ``export``, ``show``: logs of agents in and out, and one record to be read."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig_study.report.prose import readable

if TYPE_CHECKING:
    from labrig_harness.sample import Sample
    from labrig_harness.suite import Suite


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    load = verbs.add_parser(
        "import", help="make records of logs: of agent programs, ATIF, Inspect, or a table of results"
    )
    load.add_argument(
        "format",
        metavar="FORMAT",
        help="claude-code, codex, gemini, gemini-session, aar-tools, atif, swe-agent, mini-swe-agent, openhands, "
        "tau-bench, tau2-bench, agentdojo, otel, inspect, terrabench, results, or auto (by content)",
    )
    load.add_argument("path", type=Path, metavar="PATH", help="a file, or a folder with one log to a file")
    load.add_argument("--out", type=Path, required=True, metavar="DIR")
    load.add_argument("--suite", default="", metavar="S", help="the logs are runs of this suite")
    load.add_argument("--seed", type=int, default=0, metavar="N", help="of the suite's samples")
    load.add_argument(
        "--tasks", type=Path, metavar="FILE", help="the samples and truths, in place of --suite's own"
    )
    load.add_argument(
        "--item", default="", metavar="ID", help="the sample, where neither log nor file name says it"
    )
    load.add_argument("--arm", default="", metavar="A", help="the arm (default: the suite's first)")
    load.add_argument(
        "--agent", default="", metavar="LABEL", help="name in tables (default: program and model)"
    )
    load.add_argument("--epoch", type=int, metavar="N", help="which run of the sample (default: by count)")
    load.set_defaults(run=_import)

    save = verbs.add_parser("export", help="write the records of an output folder in another format")
    save.add_argument("out", type=Path, metavar="DIR")
    save.add_argument(
        "--format", required=True, metavar="F", help="atif, terrabench, or inspect (for `inspect view`)"
    )
    save.add_argument("-o", "--output", type=Path, metavar="PATH", help="folder (default: DIR/export-F)")
    save.set_defaults(run=_export)

    show = verbs.add_parser("show", help="print one sample and what was done on it")
    show.add_argument("item", metavar="ITEM", help="a sample id, or the start of one")
    show.add_argument(
        "--run", dest="out", type=Path, default=Path(), metavar="DIR", help="output folder (default: here)"
    )
    show.add_argument("--agent", default="", metavar="A", help="only this agent")
    show.add_argument("--arm", default="", metavar="X", help="only this arm")
    show.add_argument("--epoch", type=int, metavar="N", help="only this run of it")
    show.add_argument("--truth", action="store_true", help="print the truth, too")
    show.add_argument("--full", action="store_true", help="print whole results")
    show.set_defaults(run=_show)


def _import(arguments: argparse.Namespace) -> int:
    from labrig_study.logs.importing import import_logs
    from labrig_study.logs.keeping import Where

    if arguments.epoch is not None and arguments.epoch < 0:
        raise LabrigError("An epoch is counted from 0", where=f"--epoch {arguments.epoch}")
    suite, samples = _load_suite(arguments)
    done = import_logs(
        arguments.format,
        arguments.path,
        arguments.out,
        suite=suite,
        samples=samples,
        seed=arguments.seed,
        where=Where(arguments.item, arguments.arm, arguments.agent, arguments.epoch),
    )
    for line in done.skipped:
        print(f"skipped: {readable(line)}", file=sys.stderr)
    for line in done.notes:
        print(readable(line), file=sys.stderr)
    print(f"records: {len(done.records)} in {arguments.out}")
    return 0


def _load_suite(arguments: argparse.Namespace) -> tuple[Suite | None, list[Sample]]:
    from labrig_harness import suites

    suite = suites.load(arguments.suite) if arguments.suite else None
    if arguments.tasks is None:
        return suite, [] if suite is None else suite.tasks(seed=arguments.seed)
    samples = _read_samples(arguments.tasks, suite)
    suite = suite or suites.load(samples[0].suite)
    if samples[0].suite != suite.name:
        raise LabrigError(f"These samples are of {samples[0].suite}, not of {suite.name}", where="--tasks")
    return suite, samples


def _read_samples(path: Path, suite: Suite | None) -> list[Sample]:
    """Return the samples of an output folder's ``tasks.jsonl``, or of a file that ``labrig generate`` wrote."""
    from labrig_harness.records import items_file
    from labrig_harness.records.outfolder import read_samples

    _, first = next(items_file.rows(path), (0, {"schema": ""}))
    if "schema" in first:
        return read_samples(path)
    if suite is None:
        raise LabrigError(
            "This file does not say which suite its samples are of", where=str(path), try_="--suite S"
        )
    return items_file.read_tasks(path, suite)


def _export(arguments: argparse.Namespace) -> int:
    from labrig_study.logs.exporting import export

    target = arguments.output or arguments.out / f"export-{arguments.format}"
    done = export(arguments.out, arguments.format, target)
    for line in done.skipped:
        print(f"skipped: {readable(line)}", file=sys.stderr)
    print(f"{len(done.files)} files in {target}")
    if arguments.format == "inspect":
        print(f"open it: inspect view start --log-dir {target}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from labrig_study.logs.showing import find, print_record

    sample, records, others = find(
        arguments.out, arguments.item, agent=arguments.agent, arm=arguments.arm, epoch=arguments.epoch
    )
    console: Any = Console(soft_wrap=not sys.stdout.isatty(), highlight=False, markup=False)
    for number, folder in enumerate(records):
        if number:
            console.print()
        print_record(console, sample, folder, truth=arguments.truth, full=arguments.full)
    for line in others:
        print(readable(line), file=sys.stderr)
    return 0
