"""Run a program under limits, and say exactly how it ended.

`run` starts a small supervisor (`labrig.isolation.supervision`, standard library, about 20 ms) that holds a control
socket, starts the program in a session of its own, and kills it when the time is up or the socket
ends. The socket ends when this process dies, however it dies, so no program outlives it. When the
program ends, whatever it left in the background is killed too; on Linux also what left its session.

Guarantees have an edge: if this process *and* the supervisor are killed by SIGKILL at the same moment,
nobody is left to end the program. A process forked (without exec) from this one while a program
runs keeps a copy of the control open, and the program alive as long as it lives. If only the supervisor
is killed, the program and its group are killed from here, but not what left the group.
"""

from __future__ import annotations

import asyncio
import fcntl
import math
import os
import resource
import signal as signals
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from labrig.errors import Code, LabrigError
from labrig.isolation.streams import Budget, Control, Input, Output

Kind = Literal[
    "ok",  # exit code 0
    "exit",  # another exit code
    "signal",  # killed by a signal that no limit of ours explains
    "cpu_limit",
    "wall_limit",
    "memory_limit",
    "output_limit",
    "thread_limit",  # of a warm child
    "not_started",  # no such program, not executable, no such folder
    "cancelled",  # `stop` was set
    "lost",  # the supervisor died; the program was killed and its end is unknown
]
Killed = Literal["wall_limit", "thread_limit", "cancelled"]
KINDS: tuple[str, ...] = get_args(Kind)

SUPERVISOR = Path(__file__).with_name("supervision.py")
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
PATIENCE_S = 15  # how long a supervisor may take to kill everything and end
# What runtimes write on stderr when an allocation fails: C++, Python, libc's strerror, gfortran, the loader.
MEMORY_WORDS = (
    b"std::bad_alloc",
    b"MemoryError",
    b"Cannot allocate memory",
    b"Error allocating",
    b"memory exhausted",
    b"failed to map segment",
)


@dataclass(frozen=True)
class Limits:
    """What a program may use; None means no limit of ours.

    Attributes
    ----------
    wall_s
        Seconds from start to end.
    cpu_s
        Seconds of processor time of each process, rounded up to a whole second (RLIMIT_CPU).
    memory_bytes
        Address space of each process (RLIMIT_AS): mapped, not resident.
    data_bytes
        Memory of its own of each process, without what is mapped from files (RLIMIT_DATA).
    output_bytes
        Standard output and standard error together. What exceeds it ends the program: what was written before
        is kept and marked as cut.
    descriptors
        Open files of each process (RLIMIT_NOFILE).
    file_bytes
        Size of each file written (RLIMIT_FSIZE); the program gets SIGXFSZ, or EFBIG if it ignores that.
    processes
        Processes *and threads of the same user* on the whole machine (RLIMIT_NPROC); not applied to root.

    Notes
    -----
    A limit above the hard limit of this process is lowered to it. Core files are always off.
    """

    wall_s: float | None = 60.0
    cpu_s: float | None = 60.0
    memory_bytes: int | None = 2 << 30
    output_bytes: int = 16 << 20
    descriptors: int | None = 256
    file_bytes: int | None = 256 << 20
    processes: int | None = None
    data_bytes: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name} must be a positive number, not {value!r}")

    def rlimits(self) -> list[tuple[int, int]]:
        """Return pairs of a ``resource.RLIMIT_*`` number and its value."""
        wanted = [
            (resource.RLIMIT_CPU, None if self.cpu_s is None else math.ceil(self.cpu_s)),
            (resource.RLIMIT_AS, self.memory_bytes),
            (resource.RLIMIT_DATA, self.data_bytes),
            (resource.RLIMIT_NOFILE, self.descriptors),
            (resource.RLIMIT_FSIZE, self.file_bytes),
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_CORE, 0),
        ]
        return [(which, value) for which, value in wanted if value is not None]


@dataclass(frozen=True)
class Outcome:
    """How a program ended, what it wrote and what it used.

    Attributes
    ----------
    kind
        One of `KINDS`.
    returncode
        The exit code, or None if the program did not exit by itself.
    signal
        The name of the signal that killed it, such as "SIGSEGV", or "".
    stdout, stderr
        What it wrote, at most `Limits.output_bytes` together.
    stdout_cut, stderr_cut
        Whether more was written than is kept.
    cpu_s, wall_s
        Seconds of processor time (of the program and the children it waited for) and of the clock.
    max_rss_bytes
        The largest resident size among the same processes; never less than the supervisor's own, about 10 MB.
    reason
        Why it did not start, or was lost; else "".
    limits
        The limits it ran under.
    """

    kind: Kind
    returncode: int | None = None
    signal: str = ""
    stdout: bytes = b""
    stderr: bytes = b""
    stdout_cut: bool = False
    stderr_cut: bool = False
    cpu_s: float = 0.0
    wall_s: float = 0.0
    max_rss_bytes: int = 0
    reason: str = ""
    limits: Limits = Limits()


async def run(
    argv: Sequence[str | os.PathLike[str]],
    *,
    limits: Limits = Limits(),
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    stop: asyncio.Event | None = None,
) -> Outcome:
    """Run one program to its end and return how it ended.

    Parameters
    ----------
    argv
        The program and its arguments; no shell. A name without a slash is searched for in the PATH of `env`,
        a relative path starts at `cwd`.
    limits
        What it may use.
    cwd
        Its working folder; None is that of this process.
    env
        Its whole environment; None is that of this process, secrets included.
    stdin
        What it reads from standard input, of any size; a program that does not read it is not an error.
    stop
        Set it to end the program and still get its Outcome, of kind "cancelled". Cancelling the task that
        awaits `run` kills the program as well, but raises CancelledError.

    Notes
    -----
    How the kinds are told, first match wins: the supervisor's report is missing (lost); exec failed
    (not_started); output exceeded the budget, even if the program then ended well (output_limit); we killed
    it (wall_limit, cancelled); exit code 0 (ok); SIGXCPU, or SIGKILL or a shell's code for SIGXCPU after nine
    tenths of `cpu_s` (cpu_limit); an address space limit is set and the last 8 KiB of stderr hold words of
    `MEMORY_WORDS` (memory_limit, a best effort: a program that dereferences a failed malloc shows as
    SIGSEGV); a signal; else exit.

    Raises
    ------
    ValueError
        If `argv` is empty or contains a null byte.
    """
    words = [os.fspath(word) for word in argv]
    if not words or any("\0" in word for word in words):
        raise ValueError("argv must name a program, without null bytes")
    loop = asyncio.get_running_loop()
    control = Control(loop)
    budget = Budget(limits.output_bytes, control.kill)
    input_, out, err = Input(), Output(loop, budget), Output(loop, budget)

    ours, theirs = socket.socketpair()
    try:
        supervisor = _supervisor(theirs)
    except OSError as error:
        ours.close()
        return Outcome("not_started", reason=f"the supervisor could not start: {error}", limits=limits)

    stopper: asyncio.Task[bool] | None = None
    transports: list[asyncio.BaseTransport] = []
    try:
        await loop.create_unix_connection(lambda: control, sock=ours)
        transports.append((await loop.connect_read_pipe(lambda: out, supervisor.stdout))[0])
        transports.append((await loop.connect_read_pipe(lambda: err, supervisor.stderr))[0])
        transports.append((await loop.connect_write_pipe(lambda: input_, supervisor.stdin))[0])
        control.order(
            {
                "argv": words,
                "cwd": None if cwd is None else os.fspath(cwd),
                "env": dict(os.environ if env is None else env),
                "wall_s": limits.wall_s,
                "limits": limits.rlimits(),
            }
        )
        input_.feed(stdin)
        if stop is not None:
            stopper = loop.create_task(stop.wait())
            stopper.add_done_callback(lambda task: None if task.cancelled() else control.kill())
        await control.closed
        if control.report is None:
            _kill_group(control)
        await _drain(out, err)
    finally:
        if stopper is not None:
            stopper.cancel()
        control.close()  # now the supervisor kills everything, if it has not yet
        for transport in transports:
            transport.close()
        input_.abort()
        for pipe in (supervisor.stdout, supervisor.stderr, supervisor.stdin)[len(transports) :]:
            pipe.close()  # type: ignore[union-attr]
        await _reap(supervisor, control)
    return _outcome(control, out, err, budget, limits, supervisor.returncode)


def _supervisor(control: socket.socket) -> subprocess.Popen[bytes]:
    """Start a supervisor with its end of the control socket, which is closed here."""
    number = fcntl.fcntl(control, fcntl.F_DUPFD_CLOEXEC, 3)  # 0, 1, 2 may be free here and are taken there
    control.close()
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(SUPERVISOR), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            pass_fds=(number,),
            start_new_session=True,
        )
    finally:
        os.close(number)


async def _drain(*outputs: Output) -> None:
    """Read both pipes to their ends; give up after 5 s if an escaped process holds one open."""
    for _ in range(5):
        waiting = [output.closed for output in outputs if not output.closed.done()]
        if not waiting or not (await asyncio.wait(waiting, timeout=1))[1]:
            return


async def _reap(supervisor: subprocess.Popen[bytes], control: Control) -> None:
    """Wait for the supervisor to end; if it died or hangs, do its duty."""
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while supervisor.poll() is None:
        await asyncio.sleep(0.002)
        if asyncio.get_running_loop().time() > deadline:
            supervisor.kill()
    if supervisor.returncode != 0 and control.report is None:
        _kill_group(control)


def _kill_group(control: Control) -> None:
    """Kill the program and its group in place of a supervisor that died."""
    if control.pid is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(control.pid, signals.SIGKILL)


def _outcome(
    control: Control, out: Output, err: Output, budget: Budget, limits: Limits, supervisor_code: int
) -> Outcome:
    """Put together what the supervisor reports and what came out of the pipes."""
    written: dict[str, Any] = {
        "stdout": bytes(out.data),
        "stderr": bytes(err.data),
        "stdout_cut": out.cut,
        "stderr_cut": err.cut,
        "limits": limits,
    }
    report = control.report
    if report is None:
        return Outcome("lost", reason=f"the supervisor ended with {supervisor_code}", **written)
    status: int = report["status"]
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    reason = ""
    if report["failure"]:
        kind: Kind = "not_started"
        code, reason = None, report["failure"][1]
    else:
        killed: Killed | Literal[""] = ""
        if report["killed"]:
            killed = "wall_limit" if report["killed"] == "wall" else "cancelled"
        kind = kind_of(
            code,
            signal,
            killed if signal == signals.SIGKILL else "",
            cpu_s=report["cpu_s"],
            stderr=err.data[-8192:],
            limits=limits,
            over=budget.over,
        )
    return Outcome(
        kind,
        returncode=code,
        signal=signal_name(signal),
        cpu_s=report["cpu_s"],
        wall_s=report["wall_s"],
        max_rss_bytes=report["max_rss"] * RSS_UNIT,
        reason=reason,
        **written,
    )


def kind_of(
    code: int | None,
    signal: int,
    killed: Killed | Literal[""],
    *,
    cpu_s: float,
    stderr: bytes | bytearray,
    limits: Limits,
    over: bool = False,
) -> Kind:
    """Return how a program ended that did start.

    Parameters
    ----------
    code, signal
        Its exit code, or the signal that ended it.
    killed
        Why it was killed by us; empty if it was not.
    over
        Whether it wrote more than it may.
    """
    if over:
        return "output_limit"
    if killed:
        return killed
    if code == 0:
        return "ok"
    if limits.cpu_s is not None and (
        signal == signals.SIGXCPU
        or (
            (signal == signals.SIGKILL or code == 128 + signals.SIGXCPU)
            and cpu_s > 0.9 * limits.cpu_s  # the kernel limits by ticks, and reports exactly
        )
    ):
        return "cpu_limit"
    if limits.memory_bytes is not None and any(word in stderr for word in MEMORY_WORDS):
        return "memory_limit"
    return "signal" if signal else "exit"


def signal_name(number: int) -> str:
    if not number:
        return ""
    try:
        return signals.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def outcome_error(outcome: Outcome, what: str) -> LabrigError:
    """Return the error that explains an outcome other than "ok".

    Parameters
    ----------
    outcome
        What `run` returned.
    what
        What was run, as the subject of a sentence: "The PHREEQC run".
    """
    limits = outcome.limits
    smaller = "make the problem smaller, or raise the limit"
    explained: dict[Kind, tuple[Code, str, str]] = {
        "exit": ("engine", f"ended with exit code {outcome.returncode}", ""),
        "signal": ("engine", f"was killed by {outcome.signal}", ""),
        "cpu_limit": ("limit", f"used more than {limits.cpu_s:g} s of processor time", smaller),
        "wall_limit": ("limit", f"took longer than {limits.wall_s:g} s", smaller),
        "memory_limit": ("limit", f"needed more than {limits.memory_bytes} bytes of memory", smaller),
        "output_limit": ("limit", f"wrote more than {limits.output_bytes} bytes of output", "print less"),
        "not_started": ("unavailable", f"could not start: {outcome.reason}", "check that it is installed"),
        "thread_limit": ("limit", "started too many threads", ""),
        "cancelled": ("refused", "was cancelled", ""),
        "lost": ("internal", f"was lost: {outcome.reason}", "run it again"),
    }
    if outcome.kind == "ok":
        raise ValueError("an outcome of kind 'ok' is not an error")
    code, how, try_ = explained[outcome.kind]
    if outcome.signal == "SIGXFSZ":
        code, how, try_ = "limit", f"wrote a file larger than {limits.file_bytes} bytes", smaller
    tail = outcome.stderr[-600:].decode("utf-8", "replace").strip()
    return LabrigError(f"{what} {how}" + (f"; it last wrote: {tail}" if tail else ""), try_=try_, code=code)
