"""``ab``: does a server help? The same questions without it, with it, and with others in its place."""

from __future__ import annotations

import argparse
import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig_cli.questions import take_question_file
from labrig_cli.runs import add_run_arguments, carry_out, make_plan, print_plan, probe_servers
from labrig_cli.verdict import ErrorCount

if TYPE_CHECKING:
    from pathlib import Path

    from labrig_harness.run.plan import RunPlan

SCHEMA = "labrig.ab/1"


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb of this module."""
    verb = verbs.add_parser(
        "ab",
        help="does a server help: the same questions without, with it, and with another, paired",
        description="Runs the questions without a server and with each --server by itself, all into one folder, and "
        "prints each difference with its interval.",
    )
    add_run_arguments(verb)
    verb.add_argument("--json", action="store_true", help="print the differences as JSON")
    verb.set_defaults(run=_compare_servers, takes_command=True)


def _compare_servers(arguments: Namespace) -> int:
    from labrig_study.report.pairs import need_statistics

    need_statistics()
    fail_below = arguments.fail_below
    asked = take_question_file(arguments)
    arguments.fail_below = (
        fail_below  # what a file wants of its runs, the one without a server is not made to reach
    )
    words = list(arguments.server)
    if not words:
        raise LabrigError("No server is named", where="--server", expected="the server that is asked about")
    names = tuple(f"{word.partition('=')[0]}." for word in words)
    for each in (
        *arguments.server_header,
        *arguments.server_set,
        *(f"{kept}." for kept in arguments.server_kept),
    ):
        if not each.startswith(names):
            raise LabrigError(
                "Here this needs the name of a server in front", where=each, expected=f"{names[0]}{each}"
            )
    plans = [
        make_plan(_with_servers(arguments, chosen), asked) for chosen in ([], *([word] for word in words))
    ]
    if plans[0].arm.server:
        raise LabrigError(
            f"The arm {plans[0].arm.name} has a server of its own, so there is nothing without one",
            where=arguments.suite,
            expected="a file of questions, or --arm with an arm that has none",
        )
    for plan in plans:
        tools = probe_servers(plan)
        if arguments.dry_run:
            print_plan(plan, tools)
    if arguments.dry_run:
        return 0
    code = carry_out(
        plans,
        arguments.out,
        arguments.scheduler,
        fail_below=arguments.fail_below,
        errors=ErrorCount(arguments.fail_on_error),
        quiet=arguments.json,
    )
    _print_gains(arguments.out, plans, as_json=arguments.json)
    return code


def _with_servers(arguments: Namespace, words: Sequence[str]) -> Namespace:
    """Return the arguments with these servers alone, and what was said of them."""
    names = tuple(f"{word.partition('=')[0]}." for word in words)

    def concerns(word: str) -> bool:
        return word.startswith(names)  # of no names, none does

    return Namespace(
        **{
            **vars(arguments),
            "server": list(words),
            "server_header": [each for each in arguments.server_header if concerns(each)],
            "server_set": [each for each in arguments.server_set if concerns(each)],
            "server_kept": [each for each in arguments.server_kept if concerns(f"{each}.")],
        }
    )


def _print_gains(out: Path, plans: Sequence[RunPlan], *, as_json: bool) -> None:
    """Print each arm against each arm before it, the one without a server first."""
    from labrig_harness.records.scoring import score_folder
    from labrig_study.report.gains import gain_table, gains
    from labrig_study.report.runs import runs_of
    from labrig_study.report.terminal import print_table, stdout_console

    runs = {run.label: run for run in runs_of(score_folder(out)) if run.records}
    shown = [runs[plan.label] for plan in plans if plan.label in runs]
    found: list[dict[str, Any]] = []
    for a, b in combinations(shown, 2):
        made = gains(a, b)
        if as_json:
            found.append({"a": a.label, "b": b.label, "gains": [asdict(each) for each in made]})
        else:
            print_table(stdout_console(), gain_table(a, b, made))
    if as_json:
        print(json.dumps({"schema": SCHEMA, "pairs": found}, ensure_ascii=False))
