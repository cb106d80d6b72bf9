"""``proxy``: a server for any client, with every call recorded in between."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from labrig.errors import LabrigError
from labrig.serving.serve import add_serve_arguments, serve_options
from labrig_harness.recording.call_store import MODES

SERVER_DIED = 3


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb."""
    proxy = verbs.add_parser(
        "proxy",
        help="serve a server on stdio and record every call: for a client's configuration",
        epilog="Give a client 'labrig proxy --log DIR SERVER' (or '--log DIR -- command') as the command of a server.",
    )
    proxy.add_argument("server", nargs="?", metavar="SERVER", help="a name, a URL, or a command after --")
    proxy.add_argument("--log", type=Path, required=True, metavar="DIR", help="where the calls are written")
    proxy.add_argument(
        "--mode", choices=MODES, default="live", help="who answers the calls (default: live, the server)"
    )
    proxy.add_argument("--store", type=Path, metavar="DIR", help="stored calls, for the other modes")
    proxy.add_argument("--perturb", default="", metavar="SPEC", help="change one result: causal grounding")
    proxy.add_argument("--call-timeout", type=float, metavar="S", help="seconds that a call may take")
    add_serve_arguments(proxy)
    proxy.set_defaults(run=_run_proxy, takes_command=True)


def _run_proxy(arguments: argparse.Namespace) -> int:
    from labrig.calls import CallLog
    from labrig_harness.grounding.perturb import Declared, Perturber
    from labrig_harness.recording.call_store import LIVE, CallStore, Setting
    from labrig_harness.recording.recorder import Recorder
    from labrig_harness.registry.servers import Target

    if arguments.http:
        raise LabrigError("--http belongs to serve", try_="name the URL as SERVER")
    if arguments.store and arguments.mode == LIVE:
        raise LabrigError("The mode live has no store", where="--store", try_="--mode record")
    if arguments.call_timeout is not None and not arguments.call_timeout > 0:
        raise LabrigError("This is not a time", where="--call-timeout", expected="seconds above 0")
    target, options = Target.parse(arguments.server, arguments.command), serve_options(arguments)
    try:
        arguments.log.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabrigError(f"The log cannot be made: {error.strerror}", where=str(arguments.log)) from error
    setup = {
        "argv": list(target.argv),
        "url": target.url,
        "toolsets": list(options.toolsets),
        "tools": list(options.tools),
        "read_only": options.read_only,
        "output": options.output,
    }
    recorder = Recorder(
        CallLog(arguments.log),
        target.name,
        mode=arguments.mode,
        store=CallStore.open(arguments.store, mode=arguments.mode) if arguments.store else None,
        setting=Setting(target.name, {key: value for key, value in setup.items() if value}),
        perturber=Perturber(Declared.plainly(arguments.perturb)) if arguments.perturb else None,
    )

    async def serve() -> None:
        from labrig_harness.recording.relay import relay
        from labrig_programs import shim

        async with relay(target, options, recorder, call_s=arguments.call_timeout) as path:
            await asyncio.to_thread(shim.join, str(path))

    asyncio.run(serve())
    for note in recorder.notes:
        print(f"labrig: {note}", file=sys.stderr)
    told = [f"{len(recorder.records)} calls recorded in {arguments.log}"]
    if recorder.unseen:
        told.append(f"{recorder.unseen} refused because the store does not hold them")
    if recorder.perturbation is not None:
        told.append(
            "the change was "
            + ("made" if recorder.perturbation["applied"] else "not made: no result held it")
        )
    if recorder.records or not recorder.failure:
        print(f"labrig: {'; '.join(told)}", file=sys.stderr)
    if recorder.failure:
        print(f"labrig: {recorder.failure}", file=sys.stderr)
        return SERVER_DIED
    return 0
