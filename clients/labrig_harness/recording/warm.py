"""The servers of a run: each is imported once, and forked for every record.

Within `warm_servers` a server that is asked for by its name starts as a fork of a warm process, which is made at the
first use and ends with the run. To who starts it nothing changes but the command: `labrig.serving.stand_in` in place of
the server's own, which ends as the server does, and becomes the server's own where no fork is possible.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from labrig.config import setting
from labrig.errors import LabrigError, unknown_name
from labrig.isolation.warm import tail
from labrig.serving import stand_in
from labrig.toolbox import ServeOptions
from labrig_harness.recording.socket_folder import socket_folder
from labrig_harness.registry.servers import STARTER, command, entry, has_main, package, serve_flags

log = logging.getLogger("labrig")

WAYS = ("auto", "warm", "cold")


@contextmanager
def warm_servers() -> Iterator[None]:
    """Start servers as forks of warm processes, in this task and what it starts, where that is possible."""
    if not wanted():
        yield
        return
    warm = WarmServers()
    token = STARTER.set(warm.command)
    try:
        yield
    finally:
        STARTER.reset(token)
        warm.close()


def wanted() -> bool:
    """Return what the setting ``harness.servers`` says; ``auto`` is warm on Linux.

    Elsewhere libraries of the system may have been used before the fork that do not bear one.
    """
    way = setting("harness", "servers", "auto")
    if way not in WAYS:
        raise unknown_name("way to start servers", way, WAYS, where="harness.servers")
    return hasattr(os, "fork") and (way == "warm" or (way == "auto" and sys.platform == "linux"))


class WarmServers:
    """The warm processes of one run, by the names of their servers."""

    def __init__(self) -> None:
        self._processes: dict[str, WarmProcess | None] = {}
        self._again: set[str] = set()

    def command(self, name: str, options: ServeOptions) -> list[str]:
        """Return the command that starts a server: forked, or afresh where it cannot be forked."""
        fresh = command(name, options)
        if name not in self._processes:
            self._processes[name] = _make_process(name, options)
        process = self._processes[name]
        if process is None:
            return fresh
        if trouble := process.trouble():
            again = process.was_killed and name not in self._again
            process.close()
            self._processes[name] = process = _make_process(name, options) if again else None
            if process is None:
                _note_cold(name, trouble)
                return fresh
            self._again.add(name)
            log.warning("labrig: the server %s: %s; another one is started, once", name, trouble)
        flags = len(serve_flags(options))
        return process.command(fresh, len(fresh) - flags)

    def close(self) -> None:
        """End the warm processes; one that had failed is told of."""
        for name, process in self._processes.items():
            if process is not None:
                if process.has_ended:
                    _note_cold(name, process.trouble())
                process.close()


class WarmProcess:
    """A process of `labrig.serving.warm` and the folder of its socket.

    Parameters
    ----------
    options
        What is rehearsed; servers with other options can be forked as well.
    """

    def __init__(self, name: str, options: ServeOptions) -> None:
        self._read = read_at_import()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._folder = socket_folder()
        self._path = self._folder / "fork"
        flags = serve_flags(replace(options, workspace=None, log_calls=None, http_mode="", ledger=None))
        try:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(self._path))
                listener.listen(128)  # until it is ready, stand-ins wait
                words = [entry(name), package(name) if has_main(name) else "", str(listener.fileno())]
                module = ["-P", "-m", "labrig.serving.warm", *words]
                self._process = subprocess.Popen(
                    [sys.executable, *module, *flags],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    pass_fds=(listener.fileno(),),
                    start_new_session=True,
                )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    @property
    def was_killed(self) -> bool:
        """Whether the process was ended by a signal, other than that for one that is not ready in time."""
        return (self._process.poll() or 0) < 0 and self._process.returncode != -signal.SIGALRM

    def command(self, fresh: list[str], skip: int) -> list[str]:
        """Return the command of a stand-in; `fresh` is the server's own, whose flags begin at `skip`."""
        return [sys.executable, "-I", "-S", stand_in.__file__, str(self._path), str(skip), *fresh]

    def trouble(self) -> str:
        """Return why no server can be forked now, or an empty text."""
        if self.has_ended:
            last = tail(self._errors).rpartition("\n")[2]
            how = f"its warm process ended with {self._process.returncode}"
            return f"{how}: {last[:300]}" if last else how
        names = sorted({name for name, _ in self._read.items() ^ read_at_import().items()})
        return f"the environment has changed: {', '.join(names)}" if names else ""

    def close(self) -> None:
        """End the process; servers that it has forked go on."""
        assert self._process.stdin is not None
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._errors.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def read_at_import() -> dict[str, str]:
    """Return the variables that an import may have read: all but Labrig's own, which it reads when it needs them."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LABRIG_")}


def _make_process(name: str, options: ServeOptions) -> WarmProcess | None:
    try:
        return WarmProcess(name, options)
    except (OSError, LabrigError) as error:
        _note_cold(name, str(error))
        return None


def _note_cold(name: str, why: str) -> None:
    log.warning("labrig: the server %s is started afresh for each record: %s", name, why)
