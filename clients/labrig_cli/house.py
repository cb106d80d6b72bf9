"""``install``, ``manifests``, ``setup``, ``doctor``, ``gc``: keeping the house."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from labrig import __version__
from labrig.config import config_path, home, read_size, setting
from labrig.errors import LabrigError
from labrig.serving.serve import MODES
from labrig.toolbox import ServeOptions, Toolbox
from labrig_cli.installing.client_configs import CLIENTS
from labrig_harness.registry.entries import OURS, distribution, one
from labrig_harness.registry.servers import names, toolbox

FAILED = 1
DAY_S = 86_400
DEFAULT_QUOTA = "5GB"


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    install = verbs.add_parser("install", help="put servers into a client's configuration")
    install.add_argument("client", metavar="CLIENT", help=", ".join(CLIENTS))
    install.add_argument("servers", nargs="*", metavar="SERVER", help=f"default: all ({', '.join(names())})")
    install.add_argument(
        "--path", type=Path, metavar="FILE", help="the configuration file, if not the usual one"
    )
    install.add_argument("--workspace", type=Path, metavar="DIR", help="writable folder for the servers")
    install.add_argument(
        "--root", type=Path, action="append", default=[], metavar="DIR", help="a folder the servers may read"
    )
    install.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="[SERVER.]K=V",
        dest="settings",
        help="a setting of a server (repeatable)",
    )
    install.add_argument(
        "--toolsets",
        action="append",
        default=[],
        metavar="[SERVER.]A,B",
        help="toolsets of a server (repeatable; default: default); labrig tools SERVER lists them",
    )
    install.add_argument("--dry-run", action="store_true", help="show the change and stop")
    install.add_argument(
        "-y", "--yes", action="store_true", help="write without asking; needed where no terminal is"
    )
    install.add_argument("--undo", action="store_true", help="take the servers, or the skills, out again")
    install.add_argument(
        "--skills",
        action="store_true",
        help="in place of servers, skills: how to work with the tools, one a domain (claude-code, codex)",
    )
    install.set_defaults(run=_install)

    manifests = verbs.add_parser("manifests", help="write the client configurations and registry entries")
    manifests.add_argument("--check", action="store_true", help="say what differs instead of writing")
    manifests.add_argument("--folder", type=Path, default=Path("manifests"), metavar="DIR")
    manifests.set_defaults(run=_write_manifests)

    setup = verbs.add_parser("setup", help="install what cannot live in the main environment")
    setup.add_argument("names", nargs="*", metavar="NAME", help="default: all that is needed by most")
    setup.add_argument("--source", type=Path, metavar="DIR", help="take the files or wheels from this folder")
    setup.add_argument("--force", action="store_true", help="install again")
    setup.set_defaults(run=_set_up)

    doctor = verbs.add_parser("doctor", help="say what is installed, where things lie, and what is missing")
    doctor.set_defaults(run=_print_facts)

    gc = verbs.add_parser("gc", help="delete the oldest workspaces beyond a quota")
    gc.add_argument(
        "--quota", default=DEFAULT_QUOTA, metavar="SIZE", help=f"such as 500MB (default: {DEFAULT_QUOTA})"
    )
    gc.add_argument("--older-than", type=float, metavar="DAYS", help="also delete all that are older")
    gc.add_argument("--dry-run", action="store_true", help="say what would be deleted")
    gc.set_defaults(run=_collect_workspaces)


def _install(arguments: argparse.Namespace) -> int:
    from labrig_cli.installing import install

    if arguments.skills:
        return _install_skills(arguments)
    if arguments.undo:
        if arguments.servers:
            raise LabrigError("--undo takes the whole installation back", try_="leave the servers out")
        report = install.undo(arguments.client, path=arguments.path)
        print(report)
        return 0
    try:
        plan = install.plan(
            arguments.client,
            arguments.servers or names(),
            path=arguments.path,
            cwd=Path.cwd(),
            workspace=arguments.workspace,
            roots=arguments.root,
            settings=arguments.settings,
            toolsets=arguments.toolsets,
        )
    except install.ByHandError as error:
        print(error.lines)
        raise
    if not plan.diff:
        print(f"{plan.path} is as it should be")
        return 0
    where = f"{plan.path}" + (f", a link to {plan.target}" if plan.target != plan.path else "")
    if plan.target != plan.path:
        print(where)
    print(plan.diff, end="")
    if arguments.dry_run:
        return 0
    if not _is_agreed(arguments, where):
        return FAILED
    install.apply(plan)
    print(f"wrote {where}; `labrig install {arguments.client} --undo` takes it back")
    if next_step := CLIENTS[arguments.client].next_step:
        print(f"next: {next_step}")
    return 0


def _is_agreed(arguments: argparse.Namespace, where: str) -> bool:
    """Return whether the change that was shown may be written, by the flag or by the user."""
    if not arguments.yes and not sys.stdin.isatty():
        raise LabrigError(
            "Nobody can be asked here, so nothing was written",
            where=where,
            try_="the same command with --yes",
            code="refused",
        )
    if arguments.yes or input(f"write this to {where}? [y/N] ").strip().lower() in ("y", "yes"):
        return True
    print("nothing was written")
    return False


def _install_skills(arguments: argparse.Namespace) -> int:
    from labrig_cli.installing import skills

    if arguments.servers or arguments.path:
        raise LabrigError("--skills installs all skills, and no server", try_="leave SERVER and --path out")
    folder = skills.find_folder(arguments.client)
    if arguments.undo:
        removed, kept = skills.undo(folder)
        print(f"took {', '.join(removed) or 'nothing'} out of {folder}")
        for name in kept:
            print(f"{name} is not as this release has it, and stays")
        return 0
    changes = skills.plan(folder)
    if not changes:
        print(f"{folder} is as it should be")
        return 0
    print(skills.make_diff(changes), end="")
    if arguments.dry_run:
        return 0
    if not _is_agreed(arguments, str(folder)):
        return FAILED
    skills.apply(changes)
    print(
        f"wrote {len(changes)} skills to {folder}; `labrig install {arguments.client} --skills --undo` takes them out"
    )
    return 0


def _write_manifests(arguments: argparse.Namespace) -> int:
    from labrig_cli.installing import manifests

    if not arguments.check:
        manifests.write(arguments.folder)
        return 0
    differences = manifests.check(arguments.folder)
    for difference in differences:
        print(difference, file=sys.stderr)
    if differences:
        print("labrig: run `labrig manifests` and commit the result", file=sys.stderr)
    refused = [line for name in names() for line in manifests.refused_tools(toolbox(name))]
    for line in refused:
        print(line, file=sys.stderr)
    return FAILED if differences or refused else 0


def _set_up(arguments: argparse.Namespace) -> int:
    from labrig import sideenv

    known = sideenv.side_envs()
    if arguments.source and len(arguments.names) != 1:
        raise LabrigError("--source needs one NAME", expected=", ".join(known))
    named = [sideenv.find_side_env(each) for each in arguments.names]
    for side in named or [side for side in known.values() if side.default]:
        if not named and (why := sideenv.unsuited(side)):
            print(f"{side.title}: left out, {why}")
            continue
        done = sideenv.setup(side, source=arguments.source, force=arguments.force, say=_say)
        print(done.message)
    return 0


def _say(line: str) -> None:
    """Print a step at once: it may take a minute until the next one."""
    print(line, flush=True)


def _print_facts(arguments: argparse.Namespace) -> int:
    """Print one line per fact; exit 1 when something that a server needs is missing."""
    from labrig import sideenv
    from labrig.serving.serve import log_path

    healthy = True
    print(f"labrig {__version__}, Python {sys.version.split()[0]} ({sys.executable})")
    for package in ("fastmcp", "mcp", "phreeqpy", "phreeqcrm"):
        try:
            print(f"  {package} {version(package)}")
        except PackageNotFoundError:
            print(f"  {package} is not installed")
    print(f"home        {home()}")
    print(f"config      {config_path()}{'' if config_path().exists() else ' (none)'}")
    print(f"log         {log_path()}")
    print(f"workspaces  {home() / 'workspaces'}")
    servers = {name: _load_server(name) for name in names()}
    left_out = {
        name
        for name, found in servers.items()
        if isinstance(found, LabrigError) and _lacks_extra(name, found)
    }
    healthy &= len(left_out) < len(servers)
    for name, side in sideenv.side_envs().items():
        found = sideenv.status(side)
        needed = side.default and name not in left_out
        healthy &= found.state == "installed" or (found.state == "missing" and not needed)
        print(f"setup       {name}: {found.state}" + (f" ({found.reason})" if found.reason else ""))
    print(f"sandbox     {_describe_sandbox()}")
    print(f"network     {_describe_network()}")
    for name, box in servers.items():
        if isinstance(box, LabrigError):
            healthy &= name in left_out
            print(f"server      {name}: {'not installed: ' if name in left_out else ''}{box}")
            continue
        print(f"server      {name}: {len(box.specs)} tools, toolsets {', '.join(box.toolsets)}")
        try:
            box.select(ServeOptions())  # its settings
            for line in box.checkup():
                healthy &= not line.startswith("test run:") or line.endswith((": ok", "not tried"))
                print(f"            {line}")
        except LabrigError as error:
            healthy = False
            print(f"            {error}")
    return 0 if healthy else FAILED


def _load_server(name: str) -> Toolbox | LabrigError:
    try:
        return toolbox(name)
    except LabrigError as error:
        return error


def _lacks_extra(name: str, error: LabrigError) -> bool:
    """Return whether a server of ours is missing as its extra was not installed, which is not a fault of a machine."""
    unpacked = isinstance(error.__cause__, ModuleNotFoundError)
    return unpacked and distribution(one("labrig.servers", name, "server")) == OURS


def _describe_sandbox() -> str:
    """Say which backend of the sandbox works here, and why not a fuller one."""
    from labrig.sandbox import backends

    try:
        found = backends.choose(setting("sandbox", "backend", backends.AUTO))
    except LabrigError as error:
        return str(error)
    said = f"{found.name} ({found.reason})" if found.reason else found.name
    if found.name == "unsafe-local":
        return said
    why = backends.unmounted()
    return f"{said}; the files of a run are {f'looked at every 50 ms: {why}' if why else 'bounded by the kernel'}"


def _describe_network() -> str:
    """Say how servers ask the network."""
    mode = setting("http", "mode") or "live"
    said = [mode if mode in MODES else f"{mode} is not a mode"]
    if mode != "live":
        from labrig.http.ledger.ledger import default_path

        said.append(f"ledger {default_path()}{'' if default_path().exists() else ' (none)'}")
    said.append(f"contact {setting('http', 'contact') or 'not set'}")
    if origins := setting("http", "private_origins"):
        said.append(f"private origins {origins}")
    return "; ".join(said)


def _collect_workspaces(arguments: argparse.Namespace) -> int:
    from labrig.serving import gc

    report = gc.collect(
        home() / "workspaces",
        read_size(arguments.quota),
        older_than_s=arguments.older_than * DAY_S if arguments.older_than is not None else None,
        dry_run=arguments.dry_run,
    )
    verb = "would remove" if report.dry_run else "removed"
    for session in report.removed:
        print(f"{verb} {session.path} ({session.bytes:,} bytes)")
    for session in report.in_use:
        print(f"in use, kept: {session.path}")
    for session, reason in report.failed:
        print(f"cannot remove {session.path}: {reason}", file=sys.stderr)
    print(f"{report.before_bytes:,} bytes before, {report.after_bytes:,} after, quota {report.quota_bytes:,}")
    return FAILED if report.failed else 0
