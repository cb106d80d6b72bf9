"""``judge``: a model judges what a scorer asks of records, once; ``labrig score`` then goes by what it said."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from labrig.errors import LabrigError
from labrig_cli.settings import settings_of


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb."""
    judge = verbs.add_parser(
        "judge",
        help="have a model judge what a scorer asks of records",
        description="Asks each question once and keeps what was said beside the record (verdicts.json); run again, it "
        "goes on. labrig score, report and tables then go by it.",
    )
    judge.add_argument("out", type=Path, metavar="DIR")
    judge.add_argument("--model", required=True, metavar="M", help="PROVIDER:NAME of the judge")
    judge.add_argument("--set", action="append", default=[], metavar="K=V", help="temperature, base_url, ...")
    judge.add_argument(
        "--embedder",
        default="wordllama",
        metavar="E",
        help="what proposes the nearest names: wordllama (pip install wordllama), which runs here, or PROVIDER:NAME",
    )
    judge.add_argument("--jobs", type=int, default=4, metavar="N", help="questions at a time")
    judge.set_defaults(run=_judge)


def _judge(arguments: argparse.Namespace) -> int:
    from labrig_harness.agent import AgentSpec
    from labrig_study.judging import judge_folder

    if arguments.jobs < 1:
        raise LabrigError("This must be at least 1", where=f"--jobs {arguments.jobs}")
    spec = AgentSpec("judge", arguments.model, settings_of(arguments.set))
    asked = asyncio.run(judge_folder(arguments.out, spec, arguments.embedder, jobs=arguments.jobs))
    print(f"{asked} questions asked; labrig score {arguments.out} goes by what was said")
    return 0
