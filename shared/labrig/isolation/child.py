"""One protocol for children that answer one question: JSON in, bytes out, a refusal as JSON.

`ask` is the half of the server; `answer` is that of the child, a module that is run with ``python -m`` and ends with
``sys.exit(answer(work))``. What passes between them:

- standard input: one JSON value, the question;
- exit code 0, standard output: the bytes of the answer, and nothing else (whatever a library prints goes to stderr);
- exit code 2, last line of standard error: the refusal, as JSON of `LabrigError.to_dict`;
- anything else is for the asker to judge.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.isolation.process import Limits, Outcome, run

REFUSED = 2
"""Exit code of a child that refuses its question."""
_KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONUSERBASE", "PYTHONDONTWRITEBYTECODE")


async def ask(
    module: str, question: bytes, *, limits: Limits, cwd: str | Path, variables: Mapping[str, str]
) -> Outcome:
    """Run a module of ours as a child and give it a question.

    Parameters
    ----------
    module
        What ``python -m`` runs: a module that ends with `answer`.
    question
        JSON.
    variables
        Its environment, beside what finds the modules and keeps numerical libraries to one thread. Nothing else of
        ours gets there.
    """
    return await run(
        [sys.executable, "-P", "-m", module],  # -P: a file in the working folder is not a module
        limits=limits,
        cwd=cwd,
        env=_environment() | dict(variables),
        stdin=question,
    )


def refusal(outcome: Outcome) -> LabrigError | None:
    """Return what the child refused its question with; None for one that ended otherwise."""
    if outcome.kind != "exit" or outcome.returncode != REFUSED:
        return None
    try:
        return LabrigError.from_dict(json.loads(last_line(outcome)))
    except (ValueError, AttributeError, TypeError):
        return None


def last_line(outcome: Outcome) -> str:
    """Return the last line that a child wrote to standard error, or an empty text."""
    lines = outcome.stderr.decode("utf-8", "replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "")


def answer(work: Callable[[Any], bytes]) -> int:
    """Be the child: read the question, write the answer, and return the exit code.

    Parameters
    ----------
    work
        Makes the answer; a LabrigError that it raises is the refusal.
    """
    out = os.dup(1)
    os.dup2(2, 1)
    try:
        made = work(json.load(sys.stdin.buffer))
    except LabrigError as error:
        print(json.dumps(error.to_dict()), file=sys.stderr, flush=True)
        return REFUSED
    with os.fdopen(out, "wb") as stream:
        stream.write(made)
    return 0


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    # An empty part would be the working folder, which here is none that modules come from.
    parts = [part for part in kept.pop("PYTHONPATH", "").split(os.pathsep) if Path(part).is_absolute()]
    if parts:
        kept["PYTHONPATH"] = os.pathsep.join(parts)
    return kept | {
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",
    }
