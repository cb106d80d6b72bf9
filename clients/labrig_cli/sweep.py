"""A sweep: agents, models, arms and seeds of a TOML file, each with each, as runs of one folder.

The keys of the file are the flags of ``labrig run``, read by its parser, so that a sweep says no more than they do.
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig import toml_text
from labrig.errors import LabrigError, unknown_name
from labrig_cli.questions import take_question_file

if TYPE_CHECKING:
    from labrig_harness.run.plan import RunPlan

TABLE, AGENTS = "sweep", "agents"
AXES = ("agent", "model", "arm", "seed")
"""A list of these makes a run for each of its values; a list of a flag that can be repeated is all of them together."""
OF_ALL = ("out", "scheduler", "dry_run", "fail_below", "fail_on_error")
"""What is not of one run."""
APART = ("suite", "command")
"""Keys that are no flags: the argument, and what stands after ``--``."""


def is_sweep(path: Path) -> bool:
    """Return whether a file, named in place of a suite, is a sweep."""
    if path.suffix.lower() != ".toml" or not path.is_file():
        return False
    try:
        return TABLE in toml_text.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return False  # the reader of questions says what is wrong with it


def sweep_plans(
    parser: argparse.ArgumentParser,
    arguments: Namespace,
    make_plan: Callable[[Namespace, Sequence[Any]], RunPlan],
) -> list[RunPlan]:
    """Return the plans of a sweep; flags that were given stand for what the file does not say."""
    path = Path(arguments.suite)
    table = dict(toml_text.loads(path.read_text(encoding="utf-8-sig"))[TABLE])
    agents = table.pop(AGENTS, [{}])
    if not isinstance(agents, list) or not all(isinstance(each, dict) for each in agents):
        raise LabrigError(
            "This is no list of tables", where=f"{path}: {AGENTS}", expected=f"[[{TABLE}.{AGENTS}]]"
        )
    plans: list[RunPlan] = []
    for row in agents:
        said = {**table, **row}
        seeds = said.pop("seed", arguments.seed)
        seeds = seeds if isinstance(seeds, list) else [seeds]
        for chosen in _combine(said):
            made = _parse(parser, arguments, {**chosen, "seed": seeds[0]}, path)
            for name in OF_ALL:
                setattr(arguments, name, getattr(made, name))
            asked = take_question_file(made) or (plans[0].tasks if plans and not made.preset else ())
            plan = make_plan(made, asked)
            for seed in seeds:
                named = (
                    replace(plan.agent, name=f"{plan.agent.label}-seed{seed}")
                    if len(seeds) > 1
                    else plan.agent
                )
                plans.append(replace(plan, seed=int(seed), agent=named))
    twice = [label for label, count in Counter(plan.label for plan in plans).items() if count > 1]
    if twice:
        raise LabrigError(f"Two runs are called {twice[0]}", where=str(path), try_="give one of them a name")
    return plans


def _combine(said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each choice of one value of every axis, with all else."""
    axes = {name: said[name] for name in AXES if isinstance(said.get(name), list)}
    for values in product(*axes.values()):
        yield {**said, **dict(zip(axes, values, strict=True))}


def _parse(
    parser: argparse.ArgumentParser, arguments: Namespace, said: Mapping[str, Any], path: Path
) -> Namespace:
    """Return the arguments of one run."""
    flags = {text.removeprefix("--"): each for each in parser._actions for text in each.option_strings}
    argv: list[str] = []
    for name, value in said.items():
        if name in APART:
            continue
        if name not in flags:
            raise unknown_name("key of a sweep", name, [*APART, AGENTS, *flags], where=str(path))
        if isinstance(value, bool) and flags[name].nargs == 0:
            argv += [f"--{name}"] * value
            continue
        for each in value if isinstance(value, list) else [value]:
            argv.append(f"--{name}={each}")
        if isinstance(value, list) and len(value) > 1 and not isinstance(flags[name].default, list):
            raise LabrigError(
                f"{name} takes one value", where=str(path), expected=f"a list of {', '.join(AXES)}"
            )
    if not isinstance(said.get("suite"), str):
        raise LabrigError("A sweep names its suite, or a file of questions", where=f"{path}: suite")
    read = parser.parse_args([said["suite"], *argv], Namespace(**{**vars(arguments), "suite": ""}))
    read.command = [str(each) for each in said.get("command", arguments.command)]
    return read
