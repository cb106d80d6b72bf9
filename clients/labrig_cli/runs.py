"""``run``, ``resume``, ``suites``, ``demo``: agents on suites."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError, unknown_name
from labrig.redaction import redact
from labrig.serving.serve import add_network_arguments, network_options
from labrig.toolbox import ServeOptions
from labrig_cli.questions import take_question_file
from labrig_cli.settings import settings_of
from labrig_cli.sweep import is_sweep, sweep_plans
from labrig_cli.verdict import ErrorCount, add_stop, add_verdict, check_share, say_below
from labrig_harness.registry.servers import Target, headers_of, kept_of
from labrig_harness.registry.servers import settings_of as server_settings_of
from labrig_harness.wording import Wording

if TYPE_CHECKING:
    from labrig_harness.run.plan import RunPlan
    from labrig_harness.sample import Sample
    from labrig_harness.suite import Arm, Preset, Suite

FAILED = 1


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    run = verbs.add_parser("run", help="run an agent on a suite and record it")
    add_run_arguments(run)
    run.set_defaults(run=partial(_run, run), takes_command=True)

    resume = verbs.add_parser(
        "resume", help="run what is missing in an output folder, or failed from outside"
    )
    resume.add_argument("out", type=Path, metavar="DIR")
    resume.add_argument(
        "--run", dest="label", metavar="LABEL", help="only this run of the folder (default: all)"
    )
    resume.add_argument(
        "--redo",
        default="",
        metavar="ENDS",
        help="make records with these ends again as well: agent_error,wall_limit",
    )
    add_verdict(resume)
    add_stop(resume)
    _add_where(resume)
    resume.set_defaults(run=_resume)

    known = verbs.add_parser("suites", help="list the suites and their arms")
    known.add_argument("--json", action="store_true", help="as JSON lines")
    known.set_defaults(run=_list_suites)

    demo = verbs.add_parser(
        "demo", help="the main job: agents operate PHREEQC over MCP, scored, with a report"
    )
    demo.add_argument("--out", type=Path, metavar="DIR", help="output folder (default: a fresh one)")
    demo.add_argument("--jobs", type=int, default=2, metavar="N")
    demo.set_defaults(run=_run_demo)


def add_run_arguments(run: argparse.ArgumentParser) -> None:
    """Add what is said of a run: what, who, with which budget and servers, and where."""
    run.add_argument(
        "suite",
        metavar="SUITE|FILE",
        help="a suite, a file of questions (.toml, .jsonl, .csv), or for `labrig run` a sweep (.toml)",
    )
    what = run.add_argument_group("what")
    what.add_argument("--arm", default="", metavar="X", help="arm of the suite (default: its first)")
    what.add_argument(
        "--items", type=Path, metavar="FILE", help="sample ids, one a line, or a tasks.jsonl: only these"
    )
    what.add_argument(
        "--tasks", type=Path, metavar="FILE", help="the samples of this file, as labrig generate writes it"
    )
    what.add_argument(
        "--preset", default="", metavar="P", help="a published setting of the suite: its samples and budgets"
    )
    what.add_argument(
        "--prompt",
        type=Path,
        metavar="FILE",
        help="ask in the words of this file; {prompt} in it stands for the suite's, {files} for the sample's files",
    )
    what.add_argument("--limit", type=int, metavar="N", help="only the first N samples")
    what.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="of what agents draw at random, and without --tasks of the samples, too",
    )
    what.add_argument(
        "--epochs", type=int, metavar="K", help="times each sample is run (default: 1, or what FILE says)"
    )
    who = run.add_argument_group("who")
    who.add_argument(
        "--agent",
        default="",
        metavar="A",
        help="reference, nop, random, noisy-reference, loop, direct, cot, claude-code, codex, gemini, command "
        "with the program after --, FILE.py:CLASS, or one that the suite (labrig suites) or another package brings",
    )
    who.add_argument("--model", default="", metavar="M", help="PROVIDER:NAME; a program's own name for it")
    who.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        help="temperature, effort, max_output_tokens, base_url, ...: sent with every request and recorded",
    )
    who.add_argument(
        "--name", default="", metavar="L", help="name in folders and tables (default: agent-model)"
    )
    who.add_argument(
        "--native",
        action="store_true",
        help="the program keeps its own tools for shell and files, beside the arm's (the arm is then called ..-native)",
    )
    who.add_argument(
        "--native-web",
        action="store_true",
        help="and those for the web, whose requests are recorded (..-native+web)",
    )
    limits = run.add_argument_group("budget of a sample (default: the arm's)")
    limits.add_argument("--max-steps", type=int, metavar="N")
    limits.add_argument("--wall-s", type=float, metavar="S", help="seconds")
    limits.add_argument("--max-tokens", type=int, metavar="N", help="input and output together")
    limits.add_argument("--max-cost", type=float, metavar="C", help="needs --prices")
    limits.add_argument("--call-s", type=float, metavar="S", help="seconds one tool call may take")
    limits.add_argument(
        "--prices", type=Path, metavar="FILE", help="price table; without it no cost is given"
    )
    calls = run.add_argument_group("tool calls")
    calls.add_argument("--calls", choices=("live", "record", "replay", "refresh"), default="live")
    calls.add_argument(
        "--store", type=Path, metavar="DIR", help="where record, replay and refresh keep calls"
    )
    calls.add_argument("--perturb", default="", metavar="SPEC", help="change one result: causal grounding")
    calls.add_argument(
        "--server",
        action="append",
        default=[],
        metavar="S",
        help="a server in place of the arm's: NAME, NAME=URL or 'NAME=-- COMMAND' (repeatable)",
    )
    calls.add_argument(
        "--server-header",
        action="append",
        default=[],
        metavar="NAME.HEADER=VARIABLE",
        help="a header of requests to a server's URL, its value in an environment variable (repeatable)",
    )
    calls.add_argument(
        "--server-kept",
        action="append",
        default=[],
        metavar="NAME",
        help="a server of a command that keeps nothing between calls: its process goes from record to record "
        "(repeatable)",
    )
    calls.add_argument(
        "--server-set",
        action="append",
        default=[],
        metavar="[SERVER.]K=V",
        help="a setting of a server, in place of the arm's (repeatable)",
    )
    add_network_arguments(run.add_argument_group("the network, as servers ask it"))
    run.add_argument("--dry-run", action="store_true", help="check and say what would be run, and stop")
    run.add_argument("--out", type=Path, metavar="DIR")
    add_verdict(run)
    add_stop(run)
    _add_where(run)


def _add_where(verb: argparse.ArgumentParser) -> None:
    where = verb.add_argument_group("where")
    where.add_argument("--jobs", type=int, default=2, metavar="N", help="samples at a time")
    where.add_argument(
        "--scheduler",
        metavar="URL",
        help="run on a dask cluster: its address (tcp://...), or local; DIR must be on a shared file system",
    )


def _run(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    if is_sweep(Path(arguments.suite)):
        plans = sweep_plans(parser, arguments, make_plan)
    else:
        plans = [make_plan(arguments, take_question_file(arguments))]
    if arguments.dry_run:
        from labrig_harness.run.plan import rehearse

        for plan in plans:
            rehearse(plan, arguments.out)
            print_plan(plan, probe_servers(plan))
        return 0
    return carry_out(
        plans,
        arguments.out,
        arguments.scheduler,
        probe=True,
        fail_below=arguments.fail_below,
        errors=ErrorCount(arguments.fail_on_error),
    )


def make_plan(arguments: argparse.Namespace, asked: Sequence[Sample] = ()) -> RunPlan:
    """Return the plan of a run by its arguments.

    Parameters
    ----------
    asked
        The questions of a file, in place of the suite's own samples.
    """
    from labrig_harness import suites
    from labrig_harness.agent import AgentSpec
    from labrig_harness.arm import budget_of
    from labrig_harness.run.plan import RunPlan

    for flag in ("agent", "out"):
        if not getattr(arguments, flag):
            raise LabrigError(f"A run needs --{flag}", where=arguments.suite)
    suite = suites.load(arguments.suite)
    _check_flags(arguments)
    file, separator, of_file = arguments.agent.rpartition(":")
    spec = AgentSpec(
        f"{Path(file).absolute()}:{of_file}" if separator and file.endswith(".py") else arguments.agent,
        arguments.model,
        settings_of(arguments.set),
        tuple(arguments.command),
        str(arguments.prices.resolve()) if arguments.prices else "",
        arguments.name,
    )
    preset = suite.preset(arguments.preset) if arguments.preset else None
    arm = suite.arm(arguments.arm)
    if preset is not None:
        arm = replace(arm, **preset.budgets.get(arguments.agent, {}))
    ours = budget_of(arguments)  # in place of the arm's
    given = {*(preset.budgets.get(arguments.agent, {}) if preset is not None else ()), *ours}
    arm = replace(arm, **ours)
    of_suite = ""
    if arguments.server:
        folder = getattr(arguments, "server_folder", Path())
        targets = {each.name: each for each in (Target.of_word(word, folder) for word in arguments.server)}
        if len(targets) < len(arguments.server):
            raise LabrigError("Two servers have one name", where=" ".join(arguments.server))
        reached = kept_of(arguments.server_kept, headers_of(arguments.server_header, targets))
        of_suite, arm = arm.name, arm.on(reached)
    elif arguments.server_header or arguments.server_kept:
        flag = "--server-header" if arguments.server_header else "--server-kept"
        raise LabrigError("This belongs to a server that --server names", where=flag)
    native = arguments.native or arguments.native_web
    if native:
        arm = arm.native(web=arguments.native_web)
    settings = server_settings_of(arguments.server_set, list(arm.served), flag="--server-set")
    network = network_options(arguments)

    def served(server: str, serve: ServeOptions) -> ServeOptions:
        return replace(serve, settings={**serve.settings, **settings.get(server, {})}, **network)

    plan = RunPlan(
        suite,
        arm.serving(served),
        spec,
        (),
        seed=arguments.seed,
        epochs=arguments.epochs or 1,
        jobs=arguments.jobs,
        calls=arguments.calls,
        store=str(arguments.store.resolve()) if arguments.store else "",
        perturb=arguments.perturb,
        given=tuple(sorted(given)),
        settings=settings,
        of_suite=of_suite,
        native=native,
        web=arguments.native_web,
    )
    plan.check()  # before the tasks, which may take an engine to make
    samples, chosen = choose_samples(arguments, suite, preset, asked)
    if spec.kind == "reference":
        _require_solvable(suite, samples, plan.arm)
    plan = replace(plan, tasks=tuple(samples), preset=chosen)
    return plan if arguments.prompt is None else _reworded(plan, Wording.read(arguments.prompt))


def _reworded(plan: RunPlan, wording: Wording) -> RunPlan:
    return replace(
        plan, tasks=tuple(wording.ask(plan.tasks)), prompt={"file": wording.name, "sha256": wording.hash}
    )


def _require_solvable(suite: Suite, samples: Sequence[Sample], arm: Arm) -> None:
    """Refuse a run of the reference in an arm in which it solves none of the samples."""
    from labrig_harness.suite import Unsolvable

    why = ""
    for sample in samples:
        try:
            suite.solution(sample, arm)
        except Unsolvable as error:
            why = str(error)
        else:
            return
    raise LabrigError(
        f"The reference solves none of these samples in the arm {arm.name}: {why}",
        where="--agent reference",
        try_=f"--arm, one of {', '.join(each.name for each in suite.arms if each.name != arm.name)}",
    )


def _check_flags(arguments: argparse.Namespace) -> None:
    """Refuse flags that cannot hold, alone or together."""
    check_share(arguments.fail_below)
    for flag in ("limit", "epochs", "jobs", "max_steps", "wall_s", "max_tokens", "max_cost", "call_s"):
        value = getattr(arguments, flag)
        least = 1 if isinstance(value, int) else 0
        if value is not None and (value < least or value == 0):
            raise LabrigError(
                "This must be at least 1" if least else "This must be above 0",
                where=f"--{flag.replace('_', '-')} {value}",
            )
    if arguments.calls != "live" and arguments.store is None:
        raise LabrigError(f"--calls {arguments.calls} needs --store DIR", where="--calls")
    if arguments.max_cost is not None and arguments.prices is None:
        raise LabrigError("A cost budget needs a price table", where="--max-cost", try_="--prices FILE")


def choose_samples(
    arguments: argparse.Namespace, suite: Suite, preset: Preset | None, asked: Sequence[Sample] = ()
) -> tuple[Sequence[Sample], dict[str, Any]]:
    """Return the samples to run, of the file or the seed, by preset, id and number; and what the preset left out."""
    from labrig_harness.records.chosen import LEFT_OUT, NAME

    if asked:
        samples: Sequence[Sample] = asked
    elif arguments.tasks is not None:
        from labrig_harness.records.items_file import read_tasks

        samples = read_tasks(arguments.tasks, suite)
    elif preset is not None and preset.tasks is not None:
        samples = preset.tasks(arguments.seed, arguments.limit if arguments.items is None else None)
    elif suite.first_tasks and arguments.limit and arguments.items is None and preset is None:
        samples = suite.first_tasks(arguments.seed, arguments.limit)
    else:
        samples = suite.tasks(seed=arguments.seed)
    chosen: dict[str, Any] = {}
    if preset is not None:
        whole = len(samples)
        samples = preset.items(samples)
        chosen = {NAME: arguments.preset, LEFT_OUT: whole - len(samples)}
    if arguments.items is not None:
        wanted = _read_items(arguments.items)
        known = {sample.id for sample in samples}
        unknown = [each for each in wanted if each not in known]
        if unknown:
            raise LabrigError(
                f"{len(unknown)} samples are not in the suite with this seed",
                where=f"{arguments.items}: {', '.join(unknown[:3])}",
                try_="check --seed",
                code="not_found",
            )
        samples = [sample for sample in samples if sample.id in set(wanted)]
    samples = samples[: arguments.limit]
    if not samples:
        by = [f"--{name}" for name in ("preset", "items") if getattr(arguments, name)]
        raise LabrigError("No sample is left to run", where=", ".join(by))
    return samples, chosen


def probe_servers(plan: RunPlan) -> dict[str, list[str]]:
    """Start the servers of others once, and return their tools; one that cannot be started ends the run here."""
    from labrig_harness.run.probing import list_foreign_tools

    if plan.calls == "replay" or not plan.arm.targets:
        return {}
    return asyncio.run(list_foreign_tools(plan.arm))


def print_plan(plan: RunPlan, foreign: dict[str, list[str]]) -> None:
    """Print what would be run."""
    suite, arm = plan.suite, plan.arm
    units = len(plan.units())
    print(f"{suite.name} {suite.version}: {len(plan.tasks)} samples x {plan.epochs} epochs, arm {arm.name}")
    settings = "".join(f", {name} {value}" for name, value in plan.agent.settings.items())
    print(f"agent {plan.agent.label}{settings}")
    for name, tools in foreign.items():
        print(f"server {name}: {len(tools)} tools, {', '.join(tools)}")
    if foreign and foreign.keys() == arm.served.keys():
        known = {tool for tools in foreign.values() for tool in tools}
        wanted = [
            (each.id, rule["tool"])
            for each in plan.tasks
            for rule in each.truth.get("calls", ())
            if rule.get("least")
        ]
        for id, tool in wanted:
            if tool not in known:
                print(f"no server has the tool {tool}, of which {id} wants a call")
    print(f"at most {arm.max_steps} steps and {arm.wall_s:g} s a sample")
    if plan.agent.model and arm.max_tokens is not None:
        print(f"at most {units * arm.max_tokens:,} tokens in all, and one reply a sample above its limit")
    elif plan.agent.model:
        print("tokens: no limit is set (--max-tokens)")
    if arm.max_cost is not None:
        print(f"at most {units * arm.max_cost:g} in all, by {plan.agent.prices}")
    print(_shown_by([each.labels.get(suite.cluster, each.id) for each in plan.tasks], suite.cluster))
    for sample in plan.tasks:
        own = "".join(f"  {name} {getattr(plan.arm_of(sample), name)}" for name in sample.limits)
        print(f"  {sample.id}  {sample.labels.get('stem', '')}{own}")


def _shown_by(clusters: list[str], kind: str) -> str:
    """Say what so many samples can show; repeats of a sample make it no more than one."""
    from labrig_study.statistics.planning import DISAGREEING, half_width, least_difference

    count, groups = len(clusters), len(set(clusters))
    found = least_difference(count)
    apart = f"two agents that disagree on {100 * DISAGREEING:.0f} % of them"
    shown = (
        f"tell {apart} apart where they differ by {100 * found:.0f} points (4 times in 5)"
        if found is not None
        else f"are too few to tell {apart} apart"
    )
    few = f"; fewer count where samples of one {kind} ({groups} here) agree" if groups < count else ""
    return f"{count} samples show an accuracy to within {100 * half_width(count):.0f} points (95 %), and {shown}{few}"


def _read_items(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise LabrigError(f"Cannot read the samples: {error}", where=str(path)) from error
    found = []
    for number, line in enumerate(filter(str.strip, lines), 1):
        if line.lstrip().startswith("{"):
            try:
                fields = json.loads(line)
                found.append(str(fields.get("id") or fields["brief"]["id"]))
            except (ValueError, KeyError, TypeError) as error:
                raise LabrigError("This line holds no sample id", where=f"{path}:{number}") from error
        else:
            found.append(line.strip())
    return found


def _resume(arguments: argparse.Namespace) -> int:
    from labrig_harness.endings import END_REASONS
    from labrig_harness.records import outfolder
    from labrig_harness.run.attempts import mark_ends
    from labrig_harness.run.plan import plans

    check_share(arguments.fail_below)
    labels = outfolder.labels(arguments.out)
    if arguments.label is not None and arguments.label not in labels:
        raise unknown_name("run", arguments.label, labels, where="--run")
    chosen = [arguments.label] if arguments.label is not None else labels
    ends = [each.strip() for each in arguments.redo.split(",") if each.strip()]
    for end in ends:
        if end not in END_REASONS:
            raise unknown_name("end", end, END_REASONS, where="--redo")
    marked = sum(mark_ends(arguments.out, label, ends) for label in chosen) if ends else 0
    if ends:
        print(f"{marked} records that ended with {', '.join(ends)} are made again", file=sys.stderr)
    return carry_out(
        plans(arguments.out, chosen, jobs=arguments.jobs),
        arguments.out,
        arguments.scheduler,
        fail_below=arguments.fail_below,
        errors=ErrorCount(arguments.fail_on_error),
    )


def carry_out(
    plans: Sequence[RunPlan],
    out: Path,
    scheduler: str | None = None,
    *,
    fail_below: float | None = None,
    errors: ErrorCount | None = None,
    quiet: bool = False,
    probe: bool = False,
) -> int:
    """Run plans into one folder with a progress bar, then score it and print the scores, unless `quiet`.

    Parameters
    ----------
    probe
        Whether the servers of others are started once before the first record.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    from labrig_harness.records import outfolder
    from labrig_harness.records.scoring import score_folder
    from labrig_harness.run.attempts import ends_to_make_again
    from labrig_harness.trajectory import Trajectory
    from labrig_study.report.terminal import print_scores, stdout_console

    console = Console(stderr=True)
    columns = (
        *(TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()),
        *(TimeElapsedColumn(), TextColumn("{task.fields[ends]}", markup=False)),
    )
    with Progress(*columns, console=console) as bars:
        for plan in plans:
            bar = bars.add_task(plan.label, total=len(plan.units()), ends="")
            ends: Counter[str] = Counter()
            folders = (
                outfolder.record_folder(out, plan.label, sample.id, epoch) for sample, epoch in plan.units()
            )
            if again := ends_to_make_again(folders):
                said = ", ".join(f"{count} that ended with {end}" for end, count in again.most_common())
                console.print(
                    f"{plan.label}: records made again: {said}; meta.attempts keeps what they used",
                    markup=False,
                    highlight=False,
                )

            def advance(done: Trajectory, bar: TaskID = bar, ends: Counter[str] = ends) -> None:
                ends[done.end] += 1
                if ends[done.end] == 1 and done.end.endswith("_error"):
                    why = redact(f"{done.task}: {done.end}: {done.end_detail}")
                    console.print(why, markup=False, highlight=False)
                if ends.total() == 1 and done.confinement == "unconfined":
                    console.print(
                        "the program is not confined: it can read truths and records", style="yellow"
                    )
                if errors is not None:
                    errors.add(done)
                bars.update(bar, advance=1, ends=" ".join(f"{end} {n}" for end, n in ends.most_common(3)))

            try:
                _execute(plan, out, scheduler, advance, probe)
            except KeyboardInterrupt:
                stays = f"; what is recorded stays. Go on with: labrig resume {out}"
                console.print(f"interrupted{stays if (out / 'tasks.jsonl').exists() else ''}")
                raise
            bars.update(bar, completed=len(plan.units()))
    scored = score_folder(out)
    if not quiet:
        print_scores(scored, stdout_console())
        print(f"records: {out}")
    labels = [plan.label for plan in plans]
    low = say_below(scored, fail_below, labels)
    return 0 if scored.whole_runs(labels) and not low else FAILED


def _execute(plan: RunPlan, out: Path, scheduler: str | None, advance: Any, probe: bool) -> None:
    if scheduler is None:
        from labrig_harness.run.runner import run as run_here

        try:
            asyncio.run(_end_by_sigterm(run_here(plan, out, progress=advance, probe=probe)))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
    else:
        from labrig_harness.run.cluster import run

        if probe:
            probe_servers(plan)
        run(plan, out, scheduler, progress=advance)


async def _end_by_sigterm(work: Coroutine[Any, Any, Any]) -> None:
    """Do the work; SIGTERM cancels it, as asyncio does for Ctrl-C.

    A KeyboardInterrupt out of a signal handler may be raised anywhere, also where a half-made record is being removed.
    """
    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    def cancel(*_: object) -> None:
        assert task is not None
        signal.signal(signal.SIGTERM, before)  # a second one does not wait
        loop.call_soon_threadsafe(task.cancel)

    before = signal.signal(signal.SIGTERM, cancel)
    try:
        await work
    finally:
        signal.signal(signal.SIGTERM, before)


def _list_suites(arguments: argparse.Namespace) -> int:
    from labrig_harness import suites

    broken = 0
    for name in suites.names():
        try:
            suite = suites.load(name)
        except LabrigError as error:  # of one package; the suites of the others are listed
            print(f"labrig: {error}", file=sys.stderr)
            broken = FAILED
            continue
        if arguments.json:
            arms = [
                {"name": arm.name, "server": arm.server, "about": arm.about}
                | ({"also": [each.server for each in arm.also]} if arm.also else {})
                for arm in suite.arms
            ]
            about = {"name": name, "version": suite.version, "about": suite.about, "arms": arms}
            presets = {preset: each.about for preset, each in suite.presets.items()}
            more = {"presets": presets, "agents": list(suite.agents)}
            print(json.dumps(about | {name: value for name, value in more.items() if value}))
            continue
        print(f"{name} {suite.version}  {suite.about}")
        for arm in suite.arms:
            print(f"  {arm.name:<15} {arm.about}")
        for preset, named in suite.presets.items():
            print(f"  --preset {preset}: {named.about}")
        if suite.agents:
            print(f"  --agent also {', '.join(suite.agents)}")
    return broken


def _run_demo(arguments: argparse.Namespace) -> int:
    from labrig_harness import suites
    from labrig_harness.agent import AgentSpec
    from labrig_harness.records.scoring import score_folder
    from labrig_harness.run.plan import RunPlan
    from labrig_study.report.files import write_report

    out = arguments.out or Path(tempfile.mkdtemp(prefix="labrig-demo-"))
    suite = suites.load("phreeqc-basics")
    samples = tuple(suite.tasks(seed=0))
    plans = [
        RunPlan(suite, suite.arm(), AgentSpec(agent), samples, jobs=arguments.jobs)
        for agent in ("reference", "noisy-reference", "random", "nop")
    ]
    carry_out(plans, out)
    scored = score_folder(out)
    page = out / "report.html"
    write_report(scored, page, "html")
    print(f"report: {page}")
    missed = [each.task for each in scored.scores if each.agent == "reference" and each.strict < 1]
    if missed:
        raise LabrigError(
            "The reference agent missed samples: the suite or the server is broken",
            where=", ".join(missed),
            code="internal",
        )
    return 0
