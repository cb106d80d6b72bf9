"""Processes of a dask worker that make records one after another, so that the next one finds its servers warm.

A worker has one for each of its threads at most. One that dies takes the record with it that it was at, and the next
record gets another. They end with the run that they belong to, or with their worker.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping

OURS = ("PYTHONSAFEPATH", "labrig")
"""In the environment of local workers, and not of the records: an agent's own programs may have modules beside them."""

DIED = "its process ended"


class Refused(Exception):
    """No record of the run can be made on this worker."""


class RecordMaker:
    """A process of `labrig_harness.run.one_record`, and the run that it belongs to."""

    def __init__(self, run: str, out: str, label: str) -> None:
        self.run, self.out, self.label = run, out, label
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        read, write = os.pipe()
        self._answers = os.fdopen(read, "rb")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "labrig_harness.run.one_record", out, label, str(write)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=(write,),
                env=_list_environment(os.environ),
            )
        finally:
            os.close(write)

    def make(self, item: str, epoch: int) -> str:
        """Make a record; return an empty text, or how the process ended without it.

        Raises
        ------
        Refused
            Where no record of the run can be made here.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps([item, epoch]).encode() + b"\n")
            self._process.stdin.flush()
            answer = self._answers.readline()
        except BrokenPipeError:
            answer = b""
        if answer.endswith(b"\n"):
            if refused := json.loads(answer):
                raise Refused(refused)
            return ""
        code = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read()[-10_000:].decode("utf-8", errors="replace").strip()
        return f"{DIED} with {code}: {said.splitlines()[-1] if said else 'silent'}"

    @property
    def is_alive(self) -> bool:
        """Whether the process can make another record."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process; one that is at a record ends at once, without it."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it had gone before it read what it was told
            self._process.stdin.close()
        self._process.wait()
        self._answers.close()
        self._errors.close()


_idle: list[RecordMaker] = []
_lock = threading.Lock()


def make_record(run: str, out: str, label: str, item: str, epoch: int) -> str:
    """Make a record in the process of a worker, an idle one if there is one of the run: see `RecordMaker.make`."""
    end_makers(but=run)
    with _lock:
        maker = next((each for each in _idle if each.label == label and each.is_alive), None)
        if maker is not None:
            _idle.remove(maker)
    maker = maker or RecordMaker(run, out, label)
    try:
        return maker.make(item, epoch)
    finally:
        if maker.is_alive:
            with _lock:
                _idle.append(maker)
        else:
            maker.close()


def end_makers(but: str = "") -> None:
    """End the idle processes of this worker, except those of a run."""
    with _lock:
        ended = [each for each in _idle if each.run != but]
        _idle[:] = [each for each in _idle if each.run == but]
    for maker in ended:
        maker.close()


def _list_environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if (name, value) != OURS}
