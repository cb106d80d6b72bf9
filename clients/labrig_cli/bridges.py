"""``export-tasks``, ``serve-tasks``: the samples of a suite for frameworks of others, which run agents on them."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from labrig.errors import LabrigError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labrig_harness.sample import Sample
    from labrig_harness.suite import Suite

HARBOR, GYM = "harbor", "nemo-gym"


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    save = verbs.add_parser(
        "export-tasks", help="write the samples of a suite as tasks that another framework runs and scores"
    )
    _add_choice(save)
    save.add_argument(
        "--format",
        required=True,
        metavar="F",
        help=f"{HARBOR}: a folder a sample; {GYM}: a row a sample, for labrig serve-tasks",
    )
    save.add_argument(
        "--image",
        default="labrig",
        metavar="I",
        help="of Harbor: the image that Labrig's Dockerfile made (default: labrig)",
    )
    save.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="PATH",
        help="a new or empty folder; of nemo-gym, a new file",
    )
    save.set_defaults(run=_export, preset="")

    serve = verbs.add_parser(
        "serve-tasks", help="be the resources server of a suite for NeMo Gym and verifiers"
    )
    _add_choice(serve)
    serve.add_argument(
        "--port", type=int, default=0, metavar="N", help="of 127.0.0.1 (default: one that is free)"
    )
    serve.set_defaults(run=_serve, preset="")


def _add_choice(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("suite", metavar="SUITE")
    verb.add_argument("--arm", default="", metavar="X", help="arm of the suite (default: its first)")
    verb.add_argument(
        "--tasks", type=Path, metavar="FILE", help="the samples of this file, as labrig generate writes it"
    )
    verb.add_argument(
        "--items", type=Path, metavar="FILE", help="sample ids, one a line, or a tasks.jsonl: only these"
    )
    verb.add_argument("--limit", type=int, metavar="N", help="only the first N samples")
    verb.add_argument("--seed", type=int, default=0, metavar="S", help="of the samples, without --tasks")


def _choose(arguments: argparse.Namespace) -> tuple[Suite, Sequence[Sample]]:
    from labrig_cli.runs import choose_samples
    from labrig_harness import suites

    if arguments.limit is not None and arguments.limit < 1:
        raise LabrigError("This must be at least 1", where=f"--limit {arguments.limit}")
    suite = suites.load(arguments.suite)
    samples, _ = choose_samples(arguments, suite, None)
    return suite, samples


def _export(arguments: argparse.Namespace) -> int:
    if arguments.format not in (HARBOR, GYM):
        raise unknown_name("format of tasks", arguments.format, (HARBOR, GYM), where="--format")
    suite, samples = _choose(arguments)
    arm = suite.arm(arguments.arm)
    if arguments.format == GYM:
        from labrig_harness.records.outfolder import json_text, write_new
        from labrig_study.bridges.episode import episodes_of
        from labrig_study.bridges.gym import make_rows

        rows = asyncio.run(make_rows(episodes_of(suite, arm, samples)))
        write_new(arguments.out, "".join(json_text(row) + "\n" for row in rows))
        print(f"{len(rows)} rows in {arguments.out}")
        return 0
    from labrig_study.bridges.harbor import export_tasks

    for line in export_tasks(suite, arm, samples, arguments.out, arguments.image):
        print(line, file=sys.stderr)
    print(f"{len(samples)} tasks in {arguments.out}")
    print(f"run them: harbor run -p {arguments.out} -a oracle")
    return 0


def _serve(arguments: argparse.Namespace) -> int:
    from labrig_study.bridges.episode import episodes_of
    from labrig_study.bridges.gym import serve

    suite, samples = _choose(arguments)
    serve(
        episodes_of(suite, suite.arm(arguments.arm), samples),
        arguments.port,
        lambda said: print(said, flush=True),
    )
    return 0
