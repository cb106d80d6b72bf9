"""A child of ours that is closed in: it imports and reads what it was given, and can do nothing else."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("the walls are Linux's", allow_module_level=True)

import labrig
from labrig.isolation import children, closing
from labrig.isolation.inside import landlock, walls

PROGRAM = """
import json, os, socket, sys, threading
from labrig.isolation.closing import close_in
given = os.open(sys.argv[1], os.O_RDONLY)
missing = close_in([given]) if sys.argv[3] == "closed" else {}
def fork():
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)
ways = {
    "given": lambda: os.read(given, 5).decode(),
    "given again": lambda: open(f"/proc/self/fd/{given}").read(),
    "module": lambda: __import__("csv") and __import__("numpy").add(1, 1) and None,
    "thread": lambda: (each := threading.Thread(target=len, args=("",))) and (each.start(), each.join()) and None,
    "beside": lambda: open(sys.argv[2]).read(),
    "listing": lambda: os.listdir(os.path.dirname(sys.argv[2])),
    "writing": lambda: open(sys.argv[2] + "x", "w"),
    "removing": lambda: os.remove(sys.argv[2] + "y"),
    "password": lambda: open("/etc/passwd").read(),
    "socket": socket.socket,
    "process": fork,
    "program": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "signal": lambda: os.kill(os.getppid(), 0),
}
found = {}
for name, way in ways.items():
    try:
        found[name] = str(way())
    except OSError as error:
        found[name] = type(error).__name__
print(json.dumps([missing, found]))
"""


@pytest.mark.skipif(any(walls.available().values()), reason="walls are missing here")
def test_what_a_reader_can_do(tmp_path: Path) -> None:
    given, beside = tmp_path / "given", tmp_path / "beside"

    def found(how: str) -> tuple[dict[str, str], dict[str, str]]:
        for path in (given, beside, tmp_path / "besidey"):
            path.write_text("text of it")
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, given, beside, how], capture_output=True, text=True, check=True
        )
        missing, acts = json.loads(done.stdout)
        return missing, acts

    missing, closed = found("closed")
    assert missing == {}
    allowed = {"given": "text ", "given again": "text of it", "module": "None", "thread": "None"}
    assert {name: closed.pop(name) for name in allowed} == allowed
    assert set(closed.values()) == {"PermissionError"}, closed
    _, free = found("free")
    assert "PermissionError" not in free.values()


@pytest.mark.skipif(any(walls.available().values()), reason="walls are missing here")
def test_a_search_path_that_holds_everything_opens_nothing(tmp_path: Path) -> None:
    """An empty part of PYTHONPATH is the working folder, and a child of ours works in the root."""
    home = tmp_path / "home"
    (home / "modules").mkdir(parents=True)
    (home / "key").write_text("secret")
    program = (
        "import sys\nfrom labrig.isolation.closing import close_in\nclose_in([])\n"
        "for path in sys.argv[1:]:\n    try:\n        open(path).read()\n        print('read')\n"
        "    except OSError as error:\n        print(type(error).__name__)\n"
    )
    sources = [str(Path(labrig.__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, "/etc/passwd", home / "key"],
        cwd="/",
        env={"PYTHONPATH": os.pathsep.join(["", "/", str(home), *sources]), "HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["PermissionError"] * 2


def test_a_childs_search_path_has_no_empty_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "/modules", "here", ""]))
    assert children.Children("m", what="It")._environment()["PYTHONPATH"] == "/modules"
    monkeypatch.setenv("PYTHONPATH", os.pathsep)
    assert "PYTHONPATH" not in children.Children("m", what="It")._environment()


OTHER = """
import json, os, socket, sys
secret, port = sys.argv[1:]
ways = {
    "given": sys.stdin.read,
    "beside": lambda: open(secret).read(),
    "listing": lambda: os.listdir(os.path.dirname(secret)),
    "writing": lambda: open(secret + "x", "w") and None,
    "program": lambda: os.posix_spawn("/bin/true", ["true"], {}) and None,
    "network": lambda: socket.create_connection(("127.0.0.1", int(port))).close(),
}
found = {}
for name, way in ways.items():
    try:
        found[name] = str(way())
    except OSError as error:
        found[name] = type(error).__name__
print(json.dumps(found))
"""


@pytest.mark.skipif(any(walls.available().values()), reason="walls are missing here")
def test_what_a_program_of_somebody_else_can_do(tmp_path: Path) -> None:
    """A program that reads what a page holds, as tesseract does, could do everything that its user may."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as site:
        argv = [sys.executable, "-I", "-c", OTHER, str(secret), str(site.getsockname()[1])]

        def found(words: list[str]) -> dict[str, str]:
            done = subprocess.run(words, input="a page", capture_output=True, text=True, check=True)
            said: dict[str, str] = json.loads(done.stdout)
            return said

        free = found(argv)
        (tmp_path / "secretx").unlink()
        closed = found(closing.behind_walls(argv, [sys.prefix, sys.base_prefix]))
    assert free == {"given": "a page", "beside": "secret", "listing": "['secret']"} | dict.fromkeys(
        ("writing", "program", "network"), "None"
    )
    assert closed.pop("given") == "a page"
    assert closed.pop("network") == ("PermissionError" if landlock.version() >= 4 else "None")
    assert set(closed.values()) == {"PermissionError"} and not (tmp_path / "secretx").exists()
