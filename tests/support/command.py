"""The command ``labrig`` in the process of the tests, with a standard input, an environment and an end of its own."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from labrig_cli import main
from support.in_memory import in_memory


@dataclass(frozen=True)
class Done:
    """What a command said, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


def labrig(*words: str, stdin: str = "", **environment: str) -> Done:
    """Run the command, its servers in memory; a defect that would be a traceback is raised here."""
    out, err = io.StringIO(), io.StringIO()
    terminated = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err), in_memory():
        patch.setattr(sys, "stdin", io.StringIO(stdin))
        for name, value in environment.items():
            patch.setitem(os.environ, name, value)
        try:
            code = main(words)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        finally:
            signal.signal(signal.SIGTERM, terminated)
    return Done(code, out.getvalue(), err.getvalue())
