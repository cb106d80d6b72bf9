"""What the attack programs are after, laid out anew for each rig, and how it is seen from outside that one was hurt.

A watched tree with a secret in each place; listeners on loopback, on a path and on an abstract name; a process of the
same user that holds secrets in its memory, in an open file and in shared memory. No secret is ever part
of a program that is sent: a program that shows one has read it.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import shutil
import signal
import socket
import stat
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[3]
PLANTED = "labrig_attack_target"
"""A module planted in the side environment that everybody may write: only a wall can save it.

It lies in a folder of its own below ``share``: a file more below ``lib`` would make the environment a damaged one to
all that look at it meanwhile (`labrig.sideenv.own_python.status`).
"""

MARKED = "labrig-attack-file"
"""How the names of files begin that a program tries to leave where many write."""
SHARED_PLACES = tuple(map(Path, ("/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue")))

VICTIM = r"""
import ctypes, ctypes.util, json, os, resource, signal, sys
got = []
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGURG, signal.SIGIO, signal.SIGALRM, signal.SIGRTMIN):
    signal.signal(number, lambda number, frame: got.append(number))
first = json.loads(sys.stdin.readline())
held = ctypes.create_string_buffer(first["secret"].encode() + b" untouched")
before = held.value
file = os.open(first["file"], os.O_RDONLY)
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
segment = libc.shmget(first["key"], 4096, 0o1600)
if segment >= 0:
    ctypes.memmove(libc.shmat(segment, None, 0), first["shared"].encode(), len(first["shared"]))
print(json.dumps({"pid": os.getpid(), "buffer": ctypes.addressof(held), "descriptor": file}), flush=True)
for _ in iter(sys.stdin.readline, ""):
    state = {"signals": got, "memory": held.value == before, "nice": os.nice(0), "policy": os.sched_getscheduler(0),
             "processors": len(os.sched_getaffinity(0)), "files": resource.getrlimit(resource.RLIMIT_NOFILE)}
    print(json.dumps(state), flush=True)
if segment >= 0:
    libc.shmctl(segment, 0, None)
"""


class Listeners:
    """Sockets that wait for somebody to reach them; `heard` names those that were, and what was said."""

    def __init__(self, folder: Path, abstract: str) -> None:
        self.heard: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self.places: dict[str, Any] = {}
        for name, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("tcp6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("unix", socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "socket")),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract),
        ):
            each = socket.socket(family, kind)
            try:
                each.bind(address)
            except OSError:  # a machine without IPv6
                each.close()
                self.places[name] = 1
                continue
            if kind == socket.SOCK_STREAM:
                each.listen(64)
            each.setblocking(False)
            self._selector.register(each, selectors.EVENT_READ, name)
            self.places[name] = abstract if name == "abstract" else each.getsockname()
            if isinstance(self.places[name], tuple):
                self.places[name] = self.places[name][1]
        os.chmod(folder / "socket", 0o777)
        self._wake, self._waker = socket.socketpair()
        self._selector.register(self._wake, selectors.EVENT_READ, "")
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if not key.data:
                    return
                assert isinstance(key.fileobj, socket.socket)
                with contextlib.suppress(OSError):
                    if key.fileobj.type == socket.SOCK_DGRAM:
                        said = key.fileobj.recv(4096)
                    else:
                        caller, _ = key.fileobj.accept()
                        with caller:
                            caller.settimeout(0.2)
                            said = b""
                            with contextlib.suppress(OSError):
                                said = caller.recv(4096)
                    with self._lock:
                        self.heard[key.data] = self.heard.get(key.data, b"") + said

    def take(self) -> dict[str, bytes]:
        """Return what was heard since the last time."""
        with self._lock:
            heard, self.heard = self.heard, {}
        return heard

    def close(self) -> None:
        """Close every socket."""
        self._waker.send(b"x")
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._waker.close()


class Victim:
    """A process of the same user that has nothing to do with the sandbox."""

    def __init__(self, start: list[str], given: dict[str, Any], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [*start, sys.executable, "-I", "-c", VICTIM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )
        self._say(json.dumps(given))
        self.about: dict[str, int] = self._hear()
        self._before = self.state()

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def _hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        heard: dict[str, Any] = json.loads(self.process.stdout.readline())
        return heard

    def state(self) -> dict[str, Any]:
        """Return what the process says of itself; {} where it is stopped, traced or dead."""
        pid = self.about["pid"]
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return {}
        if "TracerPid:\t0\n" not in status or "\nState:\tT" in status or "\nState:\tt" in status:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGCONT)
            return {}
        if self.process.poll() is not None:
            return {}
        try:
            self._say("?")
            return self._hear()
        except (OSError, ValueError):  # it was killed, and died while it was asked: no answer came
            return {}

    @property
    def hurt(self) -> list[str]:
        """What has become different about it since it was started."""
        now = self.state()
        if not now:
            return ["stopped, traced or killed"]
        return [name for name, value in now.items() if value != self._before[name]]

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class Targets:
    """Everything laid out for one rig; `given` is what a program is told of it."""

    def __init__(
        self, folder: Path, side_python: Path, links: dict[str, Path], user: int | None, start: list[str]
    ) -> None:
        self.folder, self.user, self._start = folder, user, start
        self.secrets: dict[str, bytes] = {}
        folder.mkdir()
        folder.chmod(0o755)
        self.home, self.outside, self.given_folder = folder / "home", folder / "outside", folder / "given"
        self.labrig_home, self.tmp, self.cwd = folder / "labrig", folder / "tmp", folder / "cwd"
        self.table = self.given_folder / "data.csv"
        self.tmp.mkdir()
        for name, target in links.items():
            (self.labrig_home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.labrig_home / name).symlink_to(target)
        self._lay()
        self._well_known(side_python)
        self.listeners = Listeners(folder, f"labrig-{secrets.token_hex(6)}")
        self._key = secrets.randbelow(1 << 30) + 1
        self.victim = self._victim()
        self._side_python = side_python
        self._plant()
        self._sweep()

    def _lay(self) -> None:
        """Lay out the tree, in place of whatever stands there."""
        for top in (self.home, self.outside, self.given_folder, self.cwd):
            if top.is_symlink():
                top.unlink()
            top.mkdir(exist_ok=True)
            for path in top.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        files = {
            "home": self.home / ".ssh" / "id_rsa",
            "labrig home": self.labrig_home / "truths.json",
            "outside": self.outside / "secret.txt",
            "held": self.outside / "held.txt",
            "neighbour": self.given_folder / "neighbour.txt",
            "cwd": self.cwd / "secret.txt",
        }
        for place, path in files.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{self.secret(place)}\n")
            os.chmod(path, 0o600)
        (self.outside / f"name-{self.secret('name')}").touch()
        (self.outside / "module.py").write_text(f"print({self.secret('module')!r})\n")
        self.table.write_text("x,y\n1,2\n3,4\n")
        folder = self.given_folder / "folder"
        folder.mkdir()
        (folder / "plain.txt").write_text("nothing secret\n")
        (folder / "link").symlink_to(files["outside"])
        if self.user is not None:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, self.user, self.user, follow_symlinks=False)

    def secret(self, place: str) -> str:
        """Return the secret of a place, made when it is first asked for."""
        if place not in self.secrets:
            self.secrets[place] = f"canary-{place.replace(' ', '-')}-{secrets.token_hex(12)}".encode()
        return self.secrets[place].decode()

    def _well_known(self, side_python: Path) -> None:
        """Add what the machine itself holds: its password file, its number, this project, other packages."""
        self.secrets["password file"] = b"root:x:0:0:"
        self.secrets["project"] = b"class LabrigError("
        machine = Path("/etc/machine-id")
        if machine.is_file() and len(machine.read_text().strip()) >= 32:
            self.secrets["machine"] = machine.read_bytes().strip()
        self.packages = Path(_asked(side_python, "sysconfig.get_path('purelib')"))
        base = _asked(side_python, "sys.base_prefix")
        self.base_package = ""
        version = _asked(side_python, "'%d.%d' % sys.version_info[:2]")
        for where in (f"{base}/lib/python{version}/site-packages", f"{base}/lib/python3/dist-packages"):
            for path in sorted(Path(where).glob("*/__init__.py")) if Path(where).is_dir() else []:
                # As it stands in a printed bytes object: plain, and near the beginning.
                lines = [line.strip() for line in path.read_bytes()[:10_000].splitlines()]
                lines = [line for line in lines if len(line) > 40 and line.replace(b" ", b"").isalnum()]
                if lines and not self.base_package:
                    self.base_package = str(path)
                    self.secrets["base packages"] = max(lines, key=len)

    def _victim(self) -> Victim:
        given = {
            "secret": self.secret("memory"),
            "file": str(self.outside / "held.txt"),
            "shared": self.secret("shared"),
            "key": self._key,
        }
        return Victim(self._start, given, self.environment)

    def _plant(self) -> None:
        """Put a module into the side environment that anybody may write, and its bytecode."""
        share = self.packages.parents[2] / "share"
        if not os.access(share, os.W_OK):
            self._planted: list[Path] = []
            self.planted = share / f"{PLANTED}.py"
            return
        if not hasattr(self, "planted"):
            self.planted = Path(tempfile.mkdtemp(prefix="labrig-attack-", dir=share), f"{PLANTED}.py")
            self.planted.parent.chmod(0o755)
        self.planted.write_text("value = 'clean'\n")
        subprocess.run([self._side_python, "-I", "-m", "py_compile", self.planted], check=True)
        self._planted = [self.planted, *self.planted.parent.glob(f"__pycache__/{PLANTED}.*.pyc")]
        for path in self._planted:
            os.chmod(path, 0o666)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the process that holds the sandbox: with a key in it, as a server has."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return kept | {
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "LABRIG_HOME": str(self.labrig_home),
            "LABRIG_CANARY": self.secret("environment"),
            "ANTHROPIC_API_KEY": self.secret("environment"),
        }

    def told(self) -> dict[str, Any]:
        """Return what a program is told: places, never secrets."""
        return {
            "folder": str(self.folder),
            "home": str(self.home),
            "outside": str(self.outside),
            "labrig_home": str(self.labrig_home),
            "beside_input": str(self.given_folder),
            "cwd": str(self.cwd),
            "project": str(PROJECT),
            "packages": str(self.packages),
            "planted": str(self.planted),
            "base_package": self.base_package,
            "victim": self.victim.about["pid"],
            "victim_buffer": self.victim.about["buffer"],
            "victim_descriptor": self.victim.about["descriptor"],
            "victim_key": self._key,
            **self.listeners.places,
        }

    def read(self, data: bytes) -> list[str]:
        """Return the places whose secret is in the data."""
        return [place for place, secret in self.secrets.items() if secret in data]

    @property
    def inputs(self) -> dict[str, str]:
        """What a program is given to read."""
        return {"data.csv": str(self.table), "folder": str(self.given_folder / "folder")}

    def seen(self) -> dict[str, tuple[object, ...]]:
        """Return what stands where; the change time tells every change of content, mode, owner and attribute."""
        found: dict[str, tuple[object, ...]] = {}
        for path in self._watched():
            with contextlib.suppress(OSError):
                about = os.lstat(path)
                found[str(path)] = (
                    stat.S_IFMT(about.st_mode),
                    about.st_size,
                    about.st_ino,
                    about.st_ctime_ns,
                )
        return found

    def _watched(self) -> Iterator[Path]:
        for place in (self.home, self.outside, self.given_folder, self.cwd):
            for top, _, names in os.walk(place):
                yield Path(top)
                yield from (Path(top, name) for name in names)
        yield from (self.packages, *self._planted, self.labrig_home / "truths.json")
        for place in (Path("/etc"), Path(sysconfig.get_path("stdlib")), Path("/usr/lib")):
            yield place
        for place in (*SHARED_PLACES, PROJECT):
            with contextlib.suppress(OSError):
                yield from (each for each in place.iterdir() if each.name.startswith(MARKED))

    def mend(self, before: dict[str, tuple[object, ...]]) -> None:
        """Put right what an attack may have hurt, so that the next one finds everything in its place."""
        if self.seen() != before:
            self._lay()
            self._plant()
            self._sweep()
        if self.victim.hurt:
            self.victim.close()
            self.victim = self._victim()

    def _sweep(self) -> None:
        """Remove what programs have left where many write."""
        for place in (*SHARED_PLACES, PROJECT, self.packages):
            with contextlib.suppress(OSError):
                for path in place.iterdir():
                    if path.name.startswith(MARKED):
                        path.unlink()

    def close(self) -> None:
        """End the victim and the listeners, and take the planted module away."""
        self.listeners.close()
        self.victim.close()
        self._sweep()
        if self._planted:
            shutil.rmtree(self.planted.parent, ignore_errors=True)


def _asked(python: Path, expression: str) -> str:
    """Ask an interpreter for a text."""
    code = f"import sys, sysconfig; print({expression})"
    return subprocess.run(
        [python, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
