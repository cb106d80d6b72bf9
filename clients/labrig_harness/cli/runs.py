"""``run``, ``score``, ``report``, ``demo``: agents on suites, and what came of it."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError

FAILED = 1
WIDTH = 110


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    run = verbs.add_parser("run", help="run an agent on a suite and record it")
    run.add_argument("suite", metavar="SUITE")
    run.add_argument(
        "--items", type=Path, metavar="FILE", help="item ids, one a line, or a tasks.jsonl: only these"
    )
    run.add_argument("--agent", required=True, metavar="A", help="reference, nop, random, noisy-reference")
    run.add_argument("--model", metavar="M", help="model of an agent that has one")
    run.add_argument("--arm", default="", metavar="X", help="arm of the suite (default: its first)")
    run.add_argument("--seed", type=int, default=0, metavar="S")
    run.add_argument("--limit", type=int, metavar="N", help="only the first N items")
    run.add_argument("--epochs", type=int, default=1, metavar="K", help="times each item is run")
    run.add_argument("--jobs", type=int, default=2, metavar="N", help="items at a time")
    run.add_argument("--dry-run", action="store_true", help="say what would be run, and stop")
    run.add_argument("--out", type=Path, required=True, metavar="DIR")
    run.set_defaults(run=_run)

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

    demo = verbs.add_parser(
        "demo", help="the main job: agents operate PHREEQC over MCP, scored, with a report"
    )
    demo.add_argument("--out", type=Path, metavar="DIR", help="output folder (default: a fresh one)")
    demo.add_argument("--jobs", type=int, default=2, metavar="N")
    demo.set_defaults(run=_demo)


def _run(arguments: argparse.Namespace) -> int:
    from labrig_harness import agents, suites
    from labrig_harness.runner import RunPlan

    suite = suites.load(arguments.suite)
    arm = suite.arm(arguments.arm)
    if arguments.agent not in agents.NAMES:
        agents.make(arguments.agent, seed=0, solve=lambda brief: None)  # type: ignore[arg-type, return-value]
    if arguments.model:
        raise LabrigError(f"The agent {arguments.agent!r} has no model", where="--model", try_="leave it out")
    for flag in ("limit", "epochs", "jobs"):
        value = getattr(arguments, flag)
        if value is not None and value < 1:
            raise LabrigError("This must be at least 1", where=f"--{flag} {value}")
    tasks = suite.tasks(seed=arguments.seed)
    if arguments.items is not None:
        wanted = _items(arguments.items)
        known = {task.id for task in tasks}
        unknown = [each for each in wanted if each not in known]
        if unknown:
            raise LabrigError(
                f"{len(unknown)} items are not in the suite with this seed",
                where=f"{arguments.items}: {', '.join(unknown[:3])}",
                try_="check --seed",
                code="not_found",
            )
        tasks = [task for task in tasks if task.id in set(wanted)]
    tasks = tasks[: arguments.limit]
    if not tasks:
        raise LabrigError("No item is left to run", where="--items")
    plan = RunPlan(
        suite, arm, arguments.agent, tuple(tasks), arguments.seed, arguments.epochs, arguments.jobs
    )
    if arguments.dry_run:
        print(f"{suite.name} {suite.version}: {len(tasks)} items x {arguments.epochs} epochs, arm {arm.name}")
        print(f"agent {plan.agent}; at most {arm.max_steps} steps and {arm.wall_s:g} s an item")
        for task in tasks:
            print(f"  {task.id}  {task.labels.get('stem', '')}")
        return 0
    return _carry_out([plan], arguments.out)


def _items(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LabrigError(f"Cannot read the items: {error}", where=str(path)) from error
    found = []
    for number, line in enumerate(filter(str.strip, lines), 1):
        if line.lstrip().startswith("{"):
            try:
                fields = json.loads(line)
                found.append(str(fields.get("id") or fields["brief"]["id"]))
            except (ValueError, KeyError, TypeError) as error:
                raise LabrigError("This line holds no item id", where=f"{path}:{number}") from error
        else:
            found.append(line.strip())
    return found


def _carry_out(plans: list[Any], out: Path) -> int:
    """Run plans into one folder with a progress bar, then score it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    from labrig_harness import runner
    from labrig_harness.records import score_folder
    from labrig_harness.report.terminal import print_scores
    from labrig_harness.trajectory import Trajectory

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bars:
        for plan in plans:
            bar = bars.add_task(plan.label, total=len(plan.units()))

            def advance(_: Trajectory, bar: TaskID = bar) -> None:
                bars.advance(bar)

            asyncio.run(runner.run(plan, out, progress=advance))
            bars.update(bar, completed=len(plan.units()))
    scored = score_folder(out)
    print_scores(scored, _console())
    print(f"records: {out}")
    return 0 if scored.whole else FAILED


def _console() -> Any:
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
        print_scores(scored, _console())
    return 0 if scored.whole else FAILED


def _report(arguments: argparse.Namespace) -> int:
    from labrig_harness.outfolder import write_atomically
    from labrig_harness.records import score_folder
    from labrig_harness.report.page import render

    write_atomically(arguments.output, render(score_folder(arguments.out)))
    print(f"report: {arguments.output}")
    return 0


def _demo(arguments: argparse.Namespace) -> int:
    from labrig_harness import suites
    from labrig_harness.outfolder import write_atomically
    from labrig_harness.records import score_folder
    from labrig_harness.report.page import render
    from labrig_harness.runner import RunPlan

    out = arguments.out or Path(tempfile.mkdtemp(prefix="labrig-demo-"))
    suite = suites.load("phreeqc-basics")
    tasks = tuple(suite.tasks(seed=0))
    plans = [
        RunPlan(suite, suite.arm(), agent, tasks, seed=0, epochs=1, jobs=arguments.jobs)
        for agent in ("reference", "noisy-reference", "random", "nop")
    ]
    _carry_out(plans, out)
    scored = score_folder(out)
    page = out / "report.html"
    write_atomically(page, render(scored))
    print(f"report: {page}")
    missed = [each.task for each in scored.scores if each.agent == "reference" and each.strict < 1]
    if missed:
        raise LabrigError(
            "The reference agent missed items: the suite or the server is broken",
            where=", ".join(missed),
            code="internal",
        )
    return 0
