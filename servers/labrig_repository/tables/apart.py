"""A table of a folder is described by a child process: the readers of Parquet, HDF5 and workbooks are large, and a file
may be made to crash them, to fill the memory or to take for ever. That ends the child, and the server says so.

The child is given one file that is open already, and opens nothing else of the folder. What passes between them is that
of `labrig.drawing`: JSON in, JSON and exit code 0 out, or exit code 2 and the refusal.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

from labrig.errors import LabrigError
from labrig.process import Limits, Outcome, outcome_error, run
from labrig_repository.folder import Folder, media_type_of, read_at
from labrig_repository.store import Entry, Kind
from labrig_repository.tables import Description, describe

LIMITS = Limits(wall_s=40, cpu_s=40, memory_bytes=4 << 30)
"""Of one description; a client waits 60 s. Address space is more than memory: pyarrow maps a lot that it never uses."""

REFUSED = 2
_KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONUSERBASE", "PYTHONDONTWRITEBYTECODE", "HOME")


async def describe_apart(folder: Folder, path: str, *, sheet: str = "") -> Description:
    """Describe a table of a folder, as `describe` does.

    Raises
    ------
    LabrigError
        As `describe`; ``limit`` for what takes too long or too much memory, ``bad_input`` for what crashes a reader.
    """
    with folder.opened_file(path) as descriptor:
        request = {"file": f"/proc/{os.getpid()}/fd/{descriptor}", "path": path, "sheet": sheet}
        outcome = await run(
            [sys.executable, "-P", "-m", __name__],
            limits=LIMITS,
            cwd="/",
            env=_environment(),
            stdin=json.dumps(request).encode(),
        )
    if outcome.kind == "ok":
        return Description(**json.loads(outcome.stdout))
    raise refusal(outcome, path)


def _environment() -> dict[str, str]:
    """Return nothing of ours but what finds the modules."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }


def refusal(outcome: Outcome, path: str) -> LabrigError:
    """Return the error for a child that gave no description."""
    if outcome.kind == "exit" and outcome.returncode == REFUSED:
        lines = outcome.stderr.decode("utf-8", "replace").strip().split("\n")
        try:
            return LabrigError.from_dict(json.loads(lines[-1]))
        except (ValueError, AttributeError, TypeError):
            pass
    if outcome.kind == "signal":
        return LabrigError(
            f"The reader of this format was killed by {outcome.signal}: the file is broken, or made to do that",
            where=path,
        )
    error = outcome_error(outcome, "Describing the table")
    error.where, error.try_ = path, "read what is needed of it in run_python_code"
    return error


class _Single:
    """The one file that the child was given, as a repository."""

    name = about = ""

    def __init__(self, file: str) -> None:
        self._descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)

    def kind(self, path: str) -> Kind | None:
        return "file"

    def entries(self, folder: str) -> Sequence[Entry]:
        return []

    def size(self, path: str) -> int:
        return os.fstat(self._descriptor).st_size

    def read(self, path: str, start: int = 0, size: int | None = None) -> bytes:
        return read_at(self._descriptor, start, self.size(path) - start if size is None else size)

    def media_type(self, path: str) -> str:
        return media_type_of(path)


def _answer() -> int:
    """Be the child: read the request, write the description, and return the exit code."""
    result = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no result
    try:
        request = json.load(sys.stdin.buffer)
        found = describe(_Single(request["file"]), request["path"], sheet=request["sheet"])
        written = json.dumps(asdict(found)).encode()
    except LabrigError as error:
        refused = error
    except PermissionError:
        refused = LabrigError("The file system does not permit this", where=request["path"], code="refused")
    except MemoryError:
        refused = LabrigError(
            f"Describing the table needs more than {LIMITS.memory_bytes or 0:,} bytes of memory",
            where=request["path"],
            try_="read what is needed of it in run_python_code",
            code="limit",
        )
    except Exception as error:  # each reader has its own, and a broken file finds others
        refused = LabrigError(
            f"The file cannot be read: {type(error).__name__}: {error}", where=request["path"]
        )
    else:
        with os.fdopen(result, "wb") as out:
            out.write(written)
        return 0
    print(json.dumps(refused.to_dict()), file=sys.stderr, flush=True)
    return REFUSED


if __name__ == "__main__":
    sys.exit(_answer())
