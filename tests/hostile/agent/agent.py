"""An agent program that behaves badly, for the tests of confinement: ``agent.py MODE [FACTS]``. Standard library only.

The mode ``attack`` tries everything in ATTACKS and prints a line of JSON for each: what it tried, and what it got.
It is told more than a real agent would know (FACTS: paths, process ids), and answers from what it found.
"""

from __future__ import annotations

import ctypes
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FACTS: dict[str, Any] = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
LIBC = ctypes.CDLL(None, use_errno=True)


class Tools:
    """The tools of the item, called over MCP through the shim."""

    def __init__(self) -> None:
        servers = json.loads(Path(os.environ["LABRIG_MCP_CONFIG"]).read_text())["mcpServers"]
        (server,) = servers.values()
        self._process = subprocess.Popen(
            [server["command"], *server["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._id = 0
        client = {"name": "hostile", "version": "1"}
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == self._id:
                return dict(message.get("result") or {"isError": True, **message})
        raise ConnectionError("the server went away")

    def call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part.get("text", "") for part in result.get("content", []))
        return text, bool(result.get("isError"))


# ------------------------------------------------------------------------------------------------ attacks


def truth_by_path() -> str:
    return Path(FACTS["out"], "tasks.jsonl").read_text()


def truth_by_search() -> str:
    """Look through every folder that the machine shows for a file of tasks."""
    for folder, folders, files in os.walk("/"):
        if folder == "/":
            folders[:] = [each for each in folders if each not in ("proc", "sys", "dev")]
        if "tasks.jsonl" in files:
            return f"{folder}/tasks.jsonl"
    raise FileNotFoundError("no tasks.jsonl")


def records_by_search() -> str:
    for folder, _, files in os.walk(FACTS["out"]):
        if "command.out" in files:
            return folder
    raise FileNotFoundError("no record")


def _processes(what: str) -> list[str]:
    return [path for path in glob.glob(f"/proc/[0-9]*/{what}") if path.split("/")[2] != str(os.getpid())]


def secrets_in_environments() -> str:
    for path in _processes("environ"):
        try:
            if FACTS["secret"].encode() in Path(path).read_bytes():
                return path
        except OSError:
            continue
    raise LookupError("no process holds it")


def secrets_in_own_environment() -> str:
    return next(name for name, value in os.environ.items() if FACTS["secret"] in value)


def secrets_on_command_lines() -> str:
    for path in _processes("cmdline"):
        try:
            words = Path(path).read_bytes()
            if (
                FACTS["secret"].encode() in words and b"agent.py" not in words
            ):  # not our own, which hold FACTS
                return path
        except OSError:
            continue
    raise LookupError("no such process")


def truth_through_a_root() -> str:
    for path in [f"/proc/{FACTS['pid']}/root", *_processes("root")]:
        try:
            return Path(path + FACTS["out"], "tasks.jsonl").read_text()[:80] and path
        except OSError:
            continue
    raise LookupError("no root leads there")


def harness_folder() -> str:
    return ",".join(os.listdir(f"/proc/{FACTS['pid']}/cwd"))


def harness_memory() -> str:
    return Path(f"/proc/{FACTS['pid']}/maps").read_text()[:80]


def descriptors_of_others() -> str:
    for path in glob.glob(f"/proc/{FACTS['pid']}/fd/*"):
        if os.readlink(path):
            return path
    raise LookupError("none")


def import_generator() -> str:
    sys.path[:0] = FACTS["sources"]
    import labrig_suites  # type: ignore[import-not-found]  # what it is built on may be missing here: its source tells all

    return Path(labrig_suites.__path__[0], "phreeqc_basics", "stems.toml").read_text(encoding="utf-8")[:200]


def import_engine() -> str:
    sys.path[:0] = FACTS["sources"]
    import labrig_phreeqc  # type: ignore[import-not-found]

    return str(labrig_phreeqc.__file__)


def run_generator() -> str:
    code = "from labrig_suites.phreeqc_basics import tasks; print(tasks.__file__)"
    return subprocess.run(
        [FACTS["python"], "-c", code], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def _making() -> Path:
    return Path(next(glob.iglob(f"{FACTS['out']}/*/*/.making-*")))


def edit_the_record() -> str:
    with (_making() / "command.out").open("a") as file:
        return str(file.write(" "))


def forge_calls() -> str:
    with (_making() / "calls.jsonl").open("a") as file:
        return str(file.write("\n"))


def write_a_trajectory() -> str:
    path = Path(FACTS["out"], "forged", "x", "epoch0", "trajectory.json")
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    return str(path)


def replace_the_shim_source() -> str:
    with Path(FACTS["sources"][0], "labrig_programs", "shim.py").open("r+"):
        return "writable"


def move_the_private_folder() -> str:
    """Where the servers of the item keep artifacts: a link in its place would lead them elsewhere."""
    private, away = Path(".labrig"), Path("away")
    private.mkdir(exist_ok=True)  # a server that has not been called has made none
    private.rename(away)
    away.rename(private)
    return "moved, and back"


def other_workspaces() -> str:
    return Path(FACTS["other_workspace"], "secret.txt").read_text()


def other_sockets() -> str:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(FACTS["socket"])
        return line.recv(64).decode()


def abstract_sockets() -> str:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect("\0" + FACTS["abstract"])
        return line.recv(64).decode()


def loopback() -> str:
    with socket.create_connection(("127.0.0.1", FACTS["port"]), timeout=5) as line:
        return line.recv(64).decode()


def signal_the_harness() -> str:
    os.kill(FACTS["pid"], signal.SIGCONT)  # harmless; who may send it may send SIGKILL
    return "sent"


def trace_the_harness() -> str:
    PTRACE_SEIZE = 0x4206
    if LIBC.ptrace(PTRACE_SEIZE, FACTS["pid"], 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return "attached"


def new_namespaces() -> str:
    child = os.fork()
    if child == 0:
        CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x00020000
        os._exit(0 if LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 else 1)
    if os.waitpid(child, 0)[1] != 0:
        raise PermissionError("unshare")
    return "made"


def gain_privileges() -> str:
    PR_GET_NO_NEW_PRIVS = 39
    if LIBC.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1:
        raise PermissionError("no new privileges")
    return "set-user-id programs work"


def write_to_the_system() -> str:
    path = Path("/usr/lib/.labrig-test-of-confinement")
    path.touch()
    path.unlink()
    return str(path)


def inherited_descriptors() -> str:
    for number in range(3, 1024):
        try:
            return f"{number}: {os.fstat(number)}"
        except OSError:
            continue
    raise LookupError("none")


ATTACKS: list[Callable[[], str]] = [
    *(truth_by_path, truth_by_search, records_by_search, truth_through_a_root),
    *(secrets_in_environments, secrets_in_own_environment, secrets_on_command_lines, harness_folder),
    *(
        harness_memory,
        descriptors_of_others,
        inherited_descriptors,
        import_generator,
        import_engine,
        run_generator,
    ),
    *(edit_the_record, forge_calls, write_a_trajectory, replace_the_shim_source, other_workspaces),
    *(move_the_private_folder,),
    *(other_sockets, abstract_sockets, loopback, signal_the_harness, trace_the_harness, new_namespaces),
    *(gain_privileges, write_to_the_system),
]


def attack() -> None:
    truths = ""
    for each in ATTACKS:
        try:
            got = each()
        except BaseException as error:
            print(json.dumps({"attack": each.__name__, "failed": f"{type(error).__name__}: {error}"[:200]}))
        else:
            truths = got if each is truth_by_path else truths
            print(json.dumps({"attack": each.__name__, "got": got[:200]}))
    tools = Tools()
    truth = f"{FACTS['out']}/tasks.jsonl"
    for path in (truth, f"../../..{truth}", f"./..//../..{truth}", f"@root{truth}", f"file://{truth}"):
        text, failed = tools.call("read_file", path=path)
        print(json.dumps({"tool": path, "failed" if failed else "got": text[:200]}))
    workspace = os.getcwd()
    for name, target in (("to_truth", truth), ("to_out", FACTS["out"]), ("to_root", "/")):
        try:
            os.symlink(target, f"{workspace}/{name}")
        except OSError as error:
            print(json.dumps({"link": name, "failed": str(error)}))
            continue
        through = {"to_truth": name, "to_out": f"{name}/tasks.jsonl", "to_root": f"{name}{truth}"}[name]
        text, failed = tools.call("read_file", path=through)
        print(json.dumps({"tool": through, "failed" if failed else "got": text[:200]}))
        os.unlink(f"{workspace}/{name}")
    answer = next((task["truth"]["answer"] for task in map(json.loads, truths.splitlines())), "Z")
    tools.call("write_file", path="final_answer.txt", content=answer)


# ------------------------------------------------------------------------------------------- bad behaviour


def flood() -> None:
    block = b"x" * 65_535 + b"\n"
    while True:
        os.write(1, block)


def flood_errors() -> None:
    while True:
        os.write(2, b"y" * 65_536)


def long_line() -> None:
    for _ in range(50):
        os.write(1, b"z" * (1 << 20))
    os.write(1, b"\nThe end.\n")


def silent() -> None:
    """Never read standard input, call nothing, end well."""


def crash() -> None:
    print(f"key: {os.environ.get('HOSTILE_API_KEY', '')}")
    sys.exit(f"no service: key {os.environ.get('HOSTILE_API_KEY', '')} is not known")


def stubborn() -> None:
    """Make a call, start daemons that leave every group and session, ignore all signals, and stay."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    Tools().call("write_file", path="input.pqi", content="END\n")
    daemons()
    time.sleep(600)


def daemons() -> None:
    """Leave processes behind that bear the token of FACTS on their command line."""
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                code = "import time, signal; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
                os.execv(sys.executable, [sys.executable, "-c", code, FACTS["token"]])
            os._exit(0)
    time.sleep(1)


def greedy() -> None:
    """Make more calls than are allowed, and answer last."""
    tools = Tools()
    for number in range(int(os.environ["LABRIG_MAX_STEPS"]) + 3):
        print(tools.call("write_file", path=f"{number}.txt", content="x"))


def honest() -> None:
    """Read the prompt from standard input and the file, write an answer with a tool, say something."""
    assert sys.stdin.read() == Path(os.environ["LABRIG_PROMPT_FILE"]).read_text()
    assert sys.argv[3] == os.environ["LABRIG_MCP_CONFIG"]
    Tools().call("write_file", path="final_answer.txt", content=FACTS["answer"])
    print("It is written.")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
