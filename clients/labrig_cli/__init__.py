"""The command ``labrig``: short verbs, each in the module named after what it concerns.

Exit codes: 0 done; 1 the tool or the work failed; 2 the command line cannot be used; 3 the server died;
130 interrupted.

- `servers`: serve, tools, call; `saving`: what a call left, as files
- `runs`: run, resume, suites, demo; `ab`: with and without a server; `scores`: score, report; `view`; `tables`;
  `structure`: chains and merges of golden traces;
  `compare`; `audit`: where the numbers of answers come from; `judging`: judge, a model asked for what scorers
  cannot tell; `verdict`: the exit code for CI
- `questions`: new-suite, and a file of questions in place of a suite; `sweep`: a file of runs in its place
- `generate`: items as a file; `bridges`: tasks for frameworks of others; `logs`: import, export, show
- `proxy`: record any server; `ledger`; `sandbox`
- `house`: install, manifests, setup, doctor, gc; `installing`: servers put into a client's configuration, manifests
- `settings`: K=V on a command line
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from labrig import __version__
from labrig.errors import LabrigError
from labrig.redaction import redact
from labrig_study.report.prose import readable

FAILED, USAGE, SERVER_DIED, INTERRUPTED = 1, 2, 3, 130


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command."""
    from labrig_cli import (
        ab,
        audit,
        bridges,
        compare,
        generate,
        house,
        judging,
        ledger,
        logs,
        proxy,
        questions,
        runs,
        sandbox,
        scores,
        servers,
        structure,
        tables,
        view,
    )

    top = argparse.ArgumentParser(
        prog="labrig",
        description="MCP tool servers for science agents, and a harness that runs and scores agents.",
        epilog="SERVER is the name of a server (phreeqc), a URL, or a command after --.",
    )
    top.add_argument("--version", action="version", version=f"labrig {__version__}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    servers.add(verbs)
    generate.add(verbs)
    bridges.add(verbs)
    questions.add(verbs)
    runs.add(verbs)
    ab.add(verbs)
    scores.add(verbs)
    view.add(verbs)
    audit.add(verbs)
    judging.add(verbs)
    tables.add(verbs)
    structure.add(verbs)
    compare.add(verbs)
    logs.add(verbs)
    proxy.add(verbs)
    sandbox.add(verbs)
    ledger.add(verbs)
    house.add(verbs)
    return top


def _end(*_: object) -> None:
    """Clean up as for Ctrl-C: a batch system ends us with SIGTERM. A script's background job ignores Ctrl-C itself."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    command: list[str] = []
    if "--" in words:
        at = words.index("--")
        words, command = words[:at], words[at + 1 :]
    arguments = parser().parse_args(words)
    arguments.command = command
    signal.signal(signal.SIGTERM, _end)
    try:
        if command and not getattr(arguments, "takes_command", False):
            raise LabrigError(f"labrig {arguments.verb} takes no command after --")
        result: int = arguments.run(arguments)
        sys.stdout.flush()
        return result
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (labrig tools phreeqc | head): not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception as error:
        return _explain(error)


def _explain(error: BaseException) -> int:
    """Print what a person can act on, and return the exit code; anything else is a defect and is raised."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, LabrigError):
        print(f"labrig: {readable(redact(str(error)))}", file=sys.stderr)
        return USAGE if error.code in ("bad_input", "not_found", "refused", "unavailable") else FAILED
    if isinstance(error, RecursionError):
        print(
            "labrig: A file is nested too deep to be read, such as JSON within JSON a thousand times",
            file=sys.stderr,
        )
        return USAGE
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        print(readable(redact(f"labrig: {error.strerror or error}{where}")), file=sys.stderr)
        return FAILED
    raise error
