"""A warm PHREEQC that forks one confined child per run.

This file is a program, started as ``python -I -S forkserver.py DESCRIPTOR LIBRARY PACKAGES...`` where the
descriptor is a socket, and it uses the standard library and phreeqpy only. It is one process with one
thread, so a fork copies nothing half done; it keeps databases loaded, so a run pays a fork and
its own solve.

On the control socket, lines of JSON go both ways. A request ``{"op": "run", "id", "database", "limits"}``
carries one end of a fresh socket pair (SCM_RIGHTS). The child reads the input from that socket and writes
its result there, so large output never passes through this process, which answers with
``started``, ``refused`` (the database does not load) and ``ended`` (exit status, CPU seconds, peak
memory, last words on stderr). It kills a run at its wall deadline or on ``{"op": "kill", "id"}``, and every
run when the control socket closes: nothing outlives the parent, however that ended. A child whose fork
server is killed is ended by the kernel: it holds the reading end of a pipe and asked for SIGIO.

A child is confined before it reads its input: no descriptor can be opened any more (INCLUDE$,
TRANSPORT -dump, the netpath options and Basic LOAD all fail), memory and CPU are limited, and its folder is
the root. ``RLIMIT_FSIZE`` is `STDERR_BYTES` rather than 0 so that last words reach the memory file
that is the child's stderr, the only file it can write.

``--once`` is the same run without the fork server, for systems without fork: the request is the first
frame on stdin, the result frames go to stdout.

Frames on a run's socket are one byte of kind, eight of length (big endian), and the payload.
"""

from __future__ import annotations

import array
import contextlib
import gc
import json
import os
import select
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

try:
    import fcntl
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from labrig_phreeqc.engine.iphreeqc import Instance

LIFELINE_FD, RUN_FD, STATUS_FD = 0, 3, 4
"""Where a child finds its lifeline, its socket and its own /proc status: all it has but stderr."""
LOADED_DATABASES = 6
"""Databases kept loaded; each more makes every fork a little slower."""
STDERR_BYTES = 65536
TAIL_BYTES = 4000
MAX_CELLS = 4_000_000
"""Cells of all SELECTED_OUTPUT tables that a run returns; above it rows are cut, and said to be."""

FRAME = struct.Struct(">BQ")
INPUT, META, OUTPUT, TEXT, ROWS, DUMP, END, REFUSED, REQUEST = range(1, 10)

Bytes = bytes | memoryview
Send = Callable[[int, Bytes], None]
Limits = dict[str, float]


def confine(limits: Limits) -> None:
    """Give up, for good, everything that a calculation has no use for."""
    os.chdir("/")
    if resource is None:
        return
    memory, cpu = int(limits["memory_bytes"]), max(1, int(-(-limits["cpu_s"] // 1)))
    wanted = {
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_FSIZE": (STDERR_BYTES, STDERR_BYTES),
        "RLIMIT_NPROC": (0, 0),
        "RLIMIT_CPU": (cpu, cpu + 1),
        "RLIMIT_AS": (memory, memory),
        "RLIMIT_NOFILE": (0, 0),
    }
    for name, (soft, hard) in wanted.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        allowed = resource.getrlimit(kind)[1]
        if allowed != resource.RLIM_INFINITY:
            soft, hard = min(soft, allowed), min(hard, allowed)
        resource.setrlimit(kind, (soft, hard))


def solve(instance: Instance, text: bytes, output_bytes: int, send: Send, status_fd: int = -1) -> None:
    """Run `text` and send everything that came of it, in frames."""
    n_errors = instance.run(text)
    room = output_bytes
    output, dump = instance.output(), instance.dump()
    selected = instance.selected()
    tables: list[dict[str, Any]] = []
    cells = 0
    for table in selected:
        rows = max(0, table.n_rows - 1)
        kept = min(rows, (MAX_CELLS - cells) // max(1, table.n_columns))
        cells += kept * table.n_columns
        tables.append(
            {
                "user": table.user,
                "file": table.file,
                "columns": instance.row(table, 0) if table.n_rows else [],
                "rows": rows,
                "kept": kept,
                "text_bytes": len(table.text),
            }
        )
    meta = {
        "n_errors": n_errors,
        "errors": instance.errors()[:output_bytes],
        "warnings": instance.warnings()[:output_bytes],
        "components": instance.components(),
        "version": instance.version,
        "output_bytes": len(output),
        "dump_bytes": len(dump),
        "tables": tables,
        "peak_bytes": _peak_memory(status_fd),
    }
    send(META, json.dumps(meta).encode())
    send(OUTPUT, output[:room])
    room -= min(room, len(output))
    for table, about in zip(selected, tables, strict=True):
        send(TEXT, table.text[:room])
        room -= min(room, len(table.text))
        for start in range(1, about["kept"] + 1, 1000):
            stop = min(start + 1000, about["kept"] + 1)
            rows_json = json.dumps([instance.row(table, n) for n in range(start, stop)])
            send(ROWS, rows_json.encode())
    send(DUMP, dump[:room])
    usage = resource.getrusage(resource.RUSAGE_SELF) if resource else None
    end = {
        "cpu_s": usage.ru_utime + usage.ru_stime if usage else time.process_time(),
        "max_rss_bytes": _rss_bytes(usage.ru_maxrss) if usage else 0,
    }
    send(END, json.dumps(end).encode())


def _peak_memory(status_fd: int) -> int:
    """Return the peak address space in bytes (``VmPeak``), 0 where the system does not tell."""
    if status_fd < 0:
        return 0
    for line in os.pread(status_fd, 4096, 0).splitlines():
        if line.startswith(b"VmPeak:"):
            return int(line.split()[1]) * 1024
    return 0


def _rss_bytes(maxrss: int) -> int:
    return maxrss if sys.platform == "darwin" else maxrss * 1024


def _frame_writer(write: Callable[[Bytes], Any]) -> Send:
    def send(kind: int, payload: Bytes) -> None:
        write(FRAME.pack(kind, memoryview(payload).nbytes))
        write(payload)

    return send


def _read_frame(read: Callable[[int], bytes]) -> tuple[int, bytes]:
    kind, length = FRAME.unpack(_read_exactly(read, FRAME.size))
    return kind, _read_exactly(read, length)


def _read_exactly(read: Callable[[int], bytes], length: int) -> bytes:
    parts: list[bytes] = []
    while length:
        part = read(min(length, 1 << 20))
        if not part:
            raise EOFError("the parent went away")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


class _Run:
    """One child: who it is, when it must end, where its stderr is kept, and its lifeline."""

    def __init__(self, number: int, pid: int, deadline: float, stderr_fd: int, lifeline: int) -> None:
        self.number = number
        self.pid = pid
        self.deadline = deadline
        self.stderr_fd = stderr_fd
        self.lifeline = lifeline
        self.reason = ""

    def kill(self, reason: str) -> None:
        self.reason = self.reason or reason
        self.deadline = float("inf")
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def last_words(self) -> str:
        size = os.fstat(self.stderr_fd).st_size
        tail = os.pread(self.stderr_fd, TAIL_BYTES, max(0, size - TAIL_BYTES))
        os.close(self.stderr_fd)
        os.close(self.lifeline)
        return tail.decode("utf-8", errors="replace")


class ForkServer:
    """The loop: requests and ended children in, forks and reports out."""

    def __init__(self, control: socket.socket, library: str) -> None:
        self.control = control
        self.library = library
        self.instances: OrderedDict[tuple[str, int, int], Instance] = OrderedDict()
        self.runs: dict[int, _Run] = {}
        self.pending = b""
        self.descriptors: deque[int] = deque()
        self.wake_read, self.wake_write = os.pipe()
        os.set_blocking(self.wake_read, False)
        os.set_blocking(self.wake_write, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Work until the control socket closes, then kill and reap every child."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self.wake_read, select.POLLIN)
        try:
            while True:
                ready = {fd for fd, _ in poll.poll(self._milliseconds_left())}
                if self.wake_read in ready:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self.wake_read, 4096)
                self._reap()
                self._enforce_deadlines()
                if self.control.fileno() in ready and not self._receive():
                    return
        except (BrokenPipeError, ConnectionResetError):
            return
        finally:
            for run in self.runs.values():
                run.kill("parent gone")
            for run in self.runs.values():
                os.waitpid(run.pid, 0)

    def _milliseconds_left(self) -> float | None:
        deadline = min((run.deadline for run in self.runs.values()), default=float("inf"))
        return None if deadline == float("inf") else max(0.0, deadline - time.monotonic()) * 1000 + 1

    def _enforce_deadlines(self) -> None:
        now = time.monotonic()
        for run in self.runs.values():
            if run.deadline <= now:
                run.kill("wall")

    def _reap(self) -> None:
        while self.runs:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if not pid:
                return
            run = self.runs.pop(pid)
            self._tell(
                event="ended",
                id=run.number,
                exit=os.waitstatus_to_exitcode(status),
                reason=run.reason,
                cpu_s=usage.ru_utime + usage.ru_stime,
                max_rss_bytes=_rss_bytes(usage.ru_maxrss),
                stderr=run.last_words(),
            )

    def _receive(self) -> bool:
        data, ancillary, _, _ = self.control.recvmsg(65536, socket.CMSG_SPACE(64 * array.array("i").itemsize))
        if not data:
            return False
        for level, kind, payload in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                received = array.array("i")
                received.frombytes(payload[: len(payload) - len(payload) % received.itemsize])
                self.descriptors.extend(received)
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            request = json.loads(line)
            if request["op"] == "run":
                self._start(request, self.descriptors.popleft())
            else:
                for run in self.runs.values():
                    if run.number == request["id"]:
                        run.kill("cancelled")
        return True

    def _start(self, request: dict[str, Any], run_fd: int) -> None:
        try:
            instance = self._instance(request["database"])
            if isinstance(instance, str):
                self._tell(event="refused", id=request["id"], reason=instance)
                return
            stderr_fd = _memory_file()
            lifeline, our_end = os.pipe()
            deadline = time.monotonic() + request["limits"]["wall_s"]
            pid = os.fork()
            if pid == 0:
                _child(instance, run_fd, stderr_fd, lifeline, request["limits"])
            os.close(lifeline)
            self.runs[pid] = _Run(request["id"], pid, deadline, stderr_fd, our_end)
            self._tell(event="started", id=request["id"], pid=pid)
        except OSError as error:
            self._tell(event="refused", id=request["id"], reason=f"{type(error).__name__}: {error}")
        finally:
            os.close(run_fd)

    def _instance(self, path: str) -> Instance | str:
        """Return an instance with the database loaded, or why it cannot be."""
        stat = os.stat(path)  # noqa: PTH116 - pathlib would cost 10 ms of start-up
        key = (path, stat.st_mtime_ns, stat.st_size)
        if key in self.instances:
            self.instances.move_to_end(key)
            return self.instances[key]
        loaded = load(self.library, path)
        if isinstance(loaded, str):
            return loaded
        while len(self.instances) >= LOADED_DATABASES:
            self.instances.popitem(last=False)[1].close()
        self.instances[key] = loaded
        return loaded

    def _tell(self, **message: Any) -> None:
        self.control.sendall(json.dumps(message).encode() + b"\n")


def load(library: str, database: str) -> Instance | str:
    """Return a new instance with `database` loaded, or PHREEQC's reasons for refusing it."""
    from labrig_phreeqc.engine.iphreeqc import Instance

    instance = Instance(library)
    if instance.load_database(database) == 0:
        return instance
    reasons = instance.errors()
    instance.close()
    return reasons or "PHREEQC gave no reason"


def _memory_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("stderr", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _child(instance: Instance, run_fd: int, stderr_fd: int, lifeline: int, limits: Limits) -> None:
    """Solve one input and exit; never returns."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        os.dup2(stderr_fd, 1)
        os.dup2(stderr_fd, 2)
        run_fd, lifeline, status_fd = (os.dup(run_fd), os.dup(lifeline), _open_status())
        os.dup2(lifeline, LIFELINE_FD)
        os.dup2(run_fd, RUN_FD)
        if status_fd >= 0:
            status_fd = os.dup2(status_fd, STATUS_FD)
        os.closerange(STATUS_FD + 1 if status_fd >= 0 else STATUS_FD, os.sysconf("SC_OPEN_MAX"))
        _end_with_server()
        wire = socket.socket(fileno=RUN_FD)
        confine(limits)
        _, text = _read_frame(wire.recv)
        solve(instance, text, int(limits["output_bytes"]), _frame_writer(wire.sendall), status_fd)
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(70)
    os._exit(0)


def _end_with_server() -> None:
    """Have the kernel send SIGIO, which ends a process, when the fork server's end of the pipe closes."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(LIFELINE_FD, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(LIFELINE_FD, fcntl.F_SETFL, fcntl.fcntl(LIFELINE_FD, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([LIFELINE_FD], [], [], 0)[0]:
        os._exit(75)


def _open_status() -> int:
    try:
        return os.open("/proc/self/status", os.O_RDONLY)
    except OSError:
        return -1


def once(library: str) -> None:
    """Serve one run over stdin and stdout, in this process."""
    source, sink = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    _, raw = _read_frame(lambda n: os.read(source, n))
    request = json.loads(raw)
    _, text = _read_frame(lambda n: os.read(source, n))
    send = _frame_writer(lambda data: _write_all(sink, data))
    instance = load(library, request["database"])
    if isinstance(instance, str):
        send(REFUSED, instance.encode())
        return
    limits = request["limits"]
    threading.Thread(target=_end_with_parent, args=(source,), daemon=True).start()
    status_fd = _open_status()
    confine(limits)
    solve(instance, text, int(limits["output_bytes"]), send, status_fd)
    os._exit(0)


def _end_with_parent(source: int) -> None:
    """End this process when the parent closes stdin, which it keeps open during the run."""
    os.read(source, 1)
    os._exit(75)


def _write_all(fd: int, data: Bytes) -> None:
    view = memoryview(data)
    while view.nbytes:
        view = view[os.write(fd, view) :]


def main() -> None:
    """``forkserver.py DESCRIPTOR|--once LIBRARY PACKAGES...``: PACKAGES are folders to import from."""
    descriptor, library, *packages = sys.argv[1:]
    sys.path.extend(packages)
    import labrig_phreeqc.engine.iphreeqc  # noqa: F401 - imported before the first fork

    if descriptor == "--once":
        once(library)
    else:
        gc.disable()  # a collection in a child would copy the pages it shares
        ForkServer(socket.socket(fileno=int(descriptor)), library).serve()


if __name__ == "__main__":
    main()
