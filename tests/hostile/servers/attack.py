"""Attack a real PHREEQC server with every case of `hostile.servers.cases`, over stdio and over HTTP.

python tests/hostile/servers/attack.py            prints the table, what failed, and one line of counts
python tests/hostile/servers/attack.py --write    also writes the table into docs/security.md
python tests/hostile/servers/attack.py WORDS      only the cases whose name holds WORDS

After each case the same server is asked a canary: water in equilibrium with calcite and the carbon dioxide of air,
whose pH is known. A case fails if its outcome is not an acceptable one, the server died, the canary was not
answered right, an answer or a file of the workspace holds a secret, anything outside the workspace was created or
changed, an answer is larger than `MAX_ANSWER`, or a process is left behind. Exit code 1 if one did.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hostile.guard import Guard, adopting, descendants, until
from hostile.servers.cases import CASES, Act, Case, EveryFileTool, Raw
from hostile.servers.channels import THEIRS, Http, Reply, Stdio, message
from labrig.artifacts import ArtifactStore
from labrig.workspace import Workspace
from labrig_harness.registry.servers import toolbox
from labrig_phreeqc.database.databases import find_database

PAGE = Path(__file__).resolve().parents[3] / "docs" / "security.md"
TABLE = re.compile(r"(<!-- attack table -->\n).*?(<!-- end of attack table -->)", re.DOTALL)
TRANSPORTS = ("stdio", "HTTP")
CHANNELS: dict[str, type[Stdio] | type[Http]] = {"stdio": Stdio, "HTTP": Http}

CANARY = """SOLUTION 1
EQUILIBRIUM_PHASES 1
 Calcite 0
 CO2(g) -3.5
END
"""
CANARY_PH = (8.2, 8.4)
"""Calcite in water open to air (log p CO2 -3.5, 25 degC): pH 8.3 (Stumm and Morgan, Aquatic Chemistry)."""

MAX_ANSWER = 1_200_000
"""Bytes; nothing that is asked for here has a long answer."""
ENDLESS = "SOLUTION 1\nUSER_PRINT\n10 GOTO 10\nEND\n"
LEFT_S = 15.0
"""A process may take so long to end: above the 5 s that a search may take."""


@dataclass
class Record:
    """What came of a case over one transport."""

    case: Case
    transport: str
    outcome: str = ""
    dead: bool = False
    answered: bool = False
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    large: int = 0

    @property
    def accepted(self) -> bool:
        """Whether the outcome is one that the case accepts."""
        allowed = self.case.accepted(self.transport)
        if isinstance(self.case.send, EveryFileTool) or self.case.together:
            return set(self.outcome.split(", ")) <= set(allowed)
        return self.outcome in allowed

    @property
    def faults(self) -> list[str]:
        """What is wrong, in words; empty if the server stood."""
        found = []
        if not self.accepted:
            found.append(f"outcome {self.outcome!r}, acceptable: {self.case.accepted(self.transport)}")
        if self.dead:
            found.append("the server died")
        if not self.answered:
            found.append("the next call was not answered right")
        found += [f"a secret was read: {each}" for each in self.reads]
        found += [f"written outside the workspace: {each}" for each in self.writes]
        found += [f"left behind: {each}" for each in self.left]
        if self.large:
            found.append(f"an answer of {self.large:,} bytes")
        return found

    @property
    def cell(self) -> str:
        """What the table says: the acceptable outcomes, of which this was one; else in bold what happened."""
        if not self.faults:
            return " or ".join(self.case.accepted(self.transport))
        said = {
            "server died": self.dead,
            "next call not answered": not self.answered,
            "secret read": self.reads,
            "written outside": self.writes,
            "process left behind": self.left,
            "answer too large": self.large,
        }
        return f"**{', '.join([self.outcome, *(words for words, so in said.items() if so)])}**"


class Rig:
    """A server under attack, and the watched tree around it."""

    servers: ClassVar[set[int]] = set()

    def __init__(self, transport: str, folder: Path, databases: Path) -> None:
        self.transport = transport
        self.guard = Guard(folder, databases)
        self.guard.set_wall(20)
        self.replies: list[Reply] = []
        self._before = set(descendants(os.getpid()))
        self.start()
        if isinstance(self.server, Http):
            self.canary()
            self.guard.workspace = next(self.guard.work.iterdir())
            self.server.call("list_file", {}, token=THEIRS)
            self.guard.theirs = next(p for p in self.guard.work.iterdir() if p != self.guard.workspace)
        else:
            self.guard.workspace = self.guard.work / "mine"
            self.guard.theirs = self.guard.work / "theirs"
        theirs = Workspace(self.guard.theirs)
        theirs.write_text("secret.txt", self.guard.secret)
        self._theirs_sha256 = (
            ArtifactStore(theirs)
            .put("secret.txt", self.guard.secret.encode(), media_type="text/plain")
            .sha256
        )
        assert self.canary(), "the server does not work before any attack"

    def start(self) -> None:
        """Start a server on the watched tree."""
        workspace = self.guard.work if self.transport == "HTTP" else self.guard.work / "mine"
        flags = ["--workspace", str(workspace), "--toolsets", ",".join(toolbox("phreeqc").toolsets)]
        self.server = CHANNELS[self.transport](flags, self.guard.environment, self.guard.cwd)
        self.servers.add(self.server.process.pid)

    @property
    def alive(self) -> bool:
        """Whether the server runs."""
        return self.server.process.poll() is None

    def call(self, tool: str, arguments: Any, patience: float = 45.0) -> Reply:
        """Call a tool; the answer is kept, and looked through for secrets at the end of the case."""
        return self._kept(self.server.call(tool, self.filled(arguments), patience))

    def _kept(self, reply: Reply) -> Reply:
        self.replies.append(reply)
        return reply

    def filled(self, value: Any) -> Any:
        """Put the places of this rig into arguments."""
        if isinstance(value, str):
            for name, place in self.places.items():
                value = value.replace(f"{{{name}}}", place)
            return value
        if isinstance(value, dict):
            return {key: self.filled(each) for key, each in value.items()}
        return [self.filled(each) for each in value] if isinstance(value, list) else value

    @property
    def places(self) -> dict[str, str]:
        """What the names in braces stand for."""
        return {
            "outside": str(self.guard.outside),
            "home": str(self.guard.home),
            "theirs": self.guard.theirs.name,
            "theirs_sha256": self._theirs_sha256,
            "theirs_sha256_16": self._theirs_sha256[:16],
        }

    def canary(self) -> bool:
        """Ask for the pH of a water that is known."""
        reply = self._kept(self.server.call("execute_phreeqc", {"input": CANARY}, 30))
        values = reply.result.get("structuredContent", {}).get("values", [])
        found = [each["value"] for each in values if each["name"] == "pH"]
        return bool(found) and CANARY_PH[0] <= found[-1] <= CANARY_PH[1]

    def runs(self) -> list[int]:
        """Return the processes that solve: the children of the fork server."""
        server = self.server.process.pid
        return [pid for pid, parent in descendants(server).items() if parent != server]

    def strangers(self) -> list[int]:
        """Return every process of ours but the servers and an idle fork server."""
        found = []
        for pid, parent in descendants(os.getpid()).items():
            if pid in self._before or pid in self.servers:
                continue
            if parent in self.servers and _is_fork_server(pid):
                continue
            found.append(pid)
        return found

    def restart(self) -> None:
        """Have a server that answers, whatever became of the last one."""
        if self.alive:
            self.server.process.kill()
        self.server.process.wait()
        self.servers.discard(self.server.process.pid)
        self.start()

    def close(self) -> None:
        """End the server."""
        self.server.close()
        self.servers.discard(self.server.process.pid)


def _is_fork_server(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"labrig_phreeqc.engine.solver" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:80]
    return "gone"


def attack(rig: Rig, case: Case) -> Record:
    """Carry out one case and say what came of it."""
    record = Record(case, rig.transport)
    rig.guard.set_wall(case.wall_s)
    rig.guard.sweep()
    for kind, name, content in case.plant:
        rig.guard.plant(kind, name, rig.filled(content))
    rig.replies.clear()
    before = rig.guard.seen()
    try:
        record.outcome = _carried_out(rig, case)
        if "no answer" in record.outcome:
            rig.restart()
        if not rig.alive:
            record.dead = not case.kills
            rig.restart()
        record.answered = rig.canary()
        until(lambda: not rig.strangers(), LEFT_S)
        for pid in rig.strangers():
            record.left.append(_command(pid))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        after = rig.guard.seen()
        record.writes = sorted(
            name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
        )
        record.reads = [f"in an answer ({each.word})" for each in rig.replies if rig.guard.leaked(each.raw)]
        record.reads += [f"in {name} of the workspace" for name in rig.guard.leaks()]
        record.large = max((len(each.raw) for each in rig.replies if len(each.raw) > MAX_ANSWER), default=0)
    finally:
        rig.guard.sweep()
    return record


def _carried_out(rig: Rig, case: Case) -> str:
    match case.send:
        case Act(name):
            return ACTS[name](rig)
        case Raw(body, tool, number):
            return rig._kept(rig.server.raw(body, number, tool=tool)).word
        case EveryFileTool(paths):
            words = {rig.call(*call).word for path in paths for call in _file_calls(rig, path)}
            return ", ".join(sorted(words))
        case calls if case.together:
            with ThreadPoolExecutor(len(calls)) as pool:
                replies = list(pool.map(lambda each: rig.call(each.tool, each.arguments), calls))
        case calls:
            replies = [rig.call(each.tool, each.arguments) for each in calls]
    return _in_order(each.word for each in replies)


def _in_order(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _file_calls(rig: Rig, path: str) -> list[tuple[str, dict[str, Any]]]:
    """Return a call of every tool that reads a file, with this path as each of its path arguments."""
    calls = []
    for tool, schema in _tools(rig).items():
        names = [name for name, about in schema["properties"].items() if _is_path(name, about)]
        if not names or "content" in schema["properties"]:
            continue
        needed = {
            name: _something(schema["properties"][name], schema)
            for name in schema.get("required", [])
            if name not in names
        }
        calls.append((tool, {**needed, **dict.fromkeys(names, path)}))
    assert len(calls) >= 3, "the tools that read files have other arguments than this knows"
    return calls


def _tools(rig: Rig) -> dict[str, dict[str, Any]]:
    tools = rig.server.listed().result["tools"]
    return {each["name"]: {"properties": {}, **each["inputSchema"]} for each in tools}


def _is_path(name: str, about: dict[str, Any]) -> bool:
    text = about.get("type") == "string" or {"type": "string"} in about.get("anyOf", [])
    return text and (name.endswith("path") or "workspace" in about.get("description", ""))


def _something(about: dict[str, Any], schema: dict[str, Any]) -> Any:
    """Return a value that fits a schema, for arguments that are not the matter."""
    if "$ref" in about:
        about = schema["$defs"][about["$ref"].rpartition("/")[2]]
    if "enum" in about:
        return about["enum"][0]
    match about.get("type"):
        case "array":
            return [_something(about.get("items", {}), schema)]
        case "object":
            properties = about.get("properties", {})
            return {name: _something(properties[name], schema) for name in about.get("required", [])}
        case "integer" | "number":
            return about.get("minimum", 1)
        case "boolean":
            return False
    return "pH"


ACTS: dict[str, Callable[[Rig], str]] = {}


def act(function: Callable[[Rig], str]) -> Callable[[Rig], str]:
    """Make a function reachable by its name in `Act`."""
    ACTS[function.__name__] = function
    return function


@act
def no_handshake(rig: Rig) -> str:
    """Call a tool with nothing that says who calls."""
    if isinstance(rig.server, Http):
        return rig._kept(rig.server.raw(message("list_file", {}, 1), tool="list_file", token="")).word
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_file","arguments":{}}}'
    return rig._kept(rig.server.raw(body, 1)).word


@act
def flood(rig: Rig) -> str:
    """Send notices as fast as they go: 10,000 over stdio, 300 over HTTP, where each is a request."""
    notice = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'
    if isinstance(rig.server, Http):
        for _ in range(300):
            rig._kept(rig.server.raw(notice))
    else:
        rig._kept(rig.server.raw(b"\n".join([notice] * 10_000)))
    return "survived" if rig.call("list_file", {}).word == "ok" else "no answer"


@act
def full_workspace(rig: Rig) -> str:
    """Fill the quota with a file of holes, then write and run."""
    holes = rig.guard.workspace / "holes"
    with holes.open("wb") as file:
        file.truncate(3 << 30)
    replies = [
        rig.call("write_file", {"path": "x", "content": "one more"}),
        rig.call("execute_phreeqc", {"input": CANARY}),
    ]
    holes.unlink()
    return _in_order(each.word for each in replies)


@act
def linked_private_files(rig: Rig) -> str:
    """Make Labrig's own files in the workspace links to outside, one after the other, and run."""
    replies = []
    for name, target in (("artifacts", "folder"), ("own-files", "ledger")):
        link = rig.guard.workspace / ".labrig" / name
        if link.is_dir():
            shutil.rmtree(link)
        link.unlink(missing_ok=True)
        link.symlink_to(rig.guard.outside / target)
        replies.append(rig.call("execute_phreeqc", {"input": "SOLUTION 1\nSELECTED_OUTPUT\n -file t\nEND\n"}))
        link.unlink(missing_ok=True)
    return _in_order(each.word for each in replies)


@act
def jobs_without_end(rig: Rig) -> str:
    """Start more endless jobs than there is room for, ask the canary beside them, and cancel them."""
    room = (os.cpu_count() or 1) + toolbox("phreeqc").job_places
    started = [rig.call("start_phreeqc", {"input": ENDLESS, "wall_s": 100}) for _ in range(room + 2)]
    if not rig.canary():
        return "no call beside them"
    jobs = [each.result["structuredContent"]["data"]["job"] for each in started if each.word == "started"]
    cancelled = [rig.call("cancel_job", {"job": job}) for job in jobs]
    return _in_order(each.word for each in (*started, *cancelled))


def _ended(rig: Rig, stop: Callable[[], None]) -> str:
    if not until(lambda: bool(rig.runs())):
        return "never ran"
    stop()
    return "ended" if until(lambda: not rig.runs()) else "went on"


@act
def taken_back(rig: Rig) -> str:
    """Cancel an endless run."""
    return _ended(rig, rig.server.begin("execute_phreeqc", {"input": ENDLESS}))


@act
def client_gone(rig: Rig) -> str:
    """Break the connection under an endless run."""
    outcome = _ended(rig, rig.server.vanish("execute_phreeqc", {"input": ENDLESS}))
    if isinstance(rig.server, Stdio):  # whose client is the only one
        until(lambda: not rig.alive)
    return outcome


def _killed(rig: Rig, which: Callable[[int], int]) -> str:
    """Kill a process that has to do with an endless run, and say how its call ended."""
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(rig.call, "execute_phreeqc", {"input": ENDLESS}, 30)
        if until(lambda: bool(rig.runs())):
            os.kill(which(rig.runs()[0]), signal.SIGKILL)
        return reply.result().word


@act
def run_killed(rig: Rig) -> str:
    """Kill the process of a run."""
    return _killed(rig, lambda pid: pid)


@act
def fork_server_killed(rig: Rig) -> str:
    """Kill the process that forked the run."""
    return _killed(rig, lambda pid: descendants(rig.server.process.pid)[pid])


def _server_killed(rig: Rig, call: Callable[[], None], working: Callable[[], bool]) -> str:
    if not until(working):
        return "never ran"
    below = set(descendants(rig.server.process.pid))
    rig.server.process.kill()
    rig.server.process.wait()
    call()  # held until here: a connection that nobody holds is closed, and its call with it
    return "ended" if until(lambda: not below & set(descendants(os.getpid()))) else "went on"


@act
def server_killed_in_a_run(rig: Rig) -> str:
    """Kill the server while PHREEQC loops."""
    call = rig.server.begin("execute_phreeqc", {"input": ENDLESS})
    return _server_killed(rig, call, lambda: bool(rig.runs()))


@act
def server_killed_in_a_search(rig: Rig) -> str:
    """Kill the server while a search backtracks."""
    rig.call("write_file", {"path": "dashes", "content": "-" * 1000})
    call = rig.server.begin("search_output", {"path": "dashes", "pattern": "(-*)*z", "regex": True})
    return _server_killed(rig, call, lambda: bool(rig.strangers()))


def table(records: Iterable[Record]) -> str:
    """Return the table, a part for each family."""
    cells: dict[str, dict[str, str]] = {}
    cases: dict[str, Case] = {}
    for each in records:
        cells.setdefault(each.case.name, {})[each.transport] = each.cell
        cases[each.case.name] = each.case
    lines: list[str] = []
    family = ""
    for name, case in cases.items():
        if case.family != family:
            family = case.family
            lines += [
                "",
                f"#### {family}",
                "",
                "| attack | what it tries | stdio | HTTP |",
                "| --- | --- | --- | --- |",
            ]
        shown = [name, case.tries, *(cells[name].get(each, "") for each in TRANSPORTS)]
        lines.append("| " + " | ".join(each.replace("|", "\\|") for each in shown) + " |")
    return "\n".join(lines).strip()


def published() -> dict[tuple[str, str], str]:
    """Return what the page says: the outcome of each case over each transport."""
    part = TABLE.search(PAGE.read_text(encoding="utf-8"))
    assert part, "docs/security.md has no table"
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in part[0].splitlines() if line.startswith("|")]
    return {(row[0].strip(), of): row[2 + n].strip() for row in rows for n, of in enumerate(TRANSPORTS)}


def counts(records: list[Record]) -> str:
    """Return the closing line."""
    n = len({each.case.name for each in records})
    return (
        f"{n} cases x {len({each.transport for each in records})} transports: "
        f"{sum(each.dead for each in records)} server deaths, {sum(map(bool, (r.reads for r in records)))} reads, "
        f"{sum(map(bool, (r.writes for r in records)))} writes, "
        f"{sum(each.answered for each in records)} next calls answered"
    )


def main() -> int:
    """Attack, print, and write the table if asked."""
    words = [each for each in sys.argv[1:] if not each.startswith("-")]
    cases = [case for case in CASES if all(word in case.name for word in words)]
    databases = find_database("phreeqc.dat").path.parent
    records: dict[tuple[str, str], Record] = {}
    with tempfile.TemporaryDirectory() as folder, adopting():
        for transport in TRANSPORTS:
            rig = Rig(transport, Path(folder).resolve() / transport, databases)
            try:
                for case in cases:
                    began = time.monotonic()
                    record = records[case.name, transport] = attack(rig, case)
                    took = f"{time.monotonic() - began:5.1f} s"
                    verdict = "; ".join(record.faults) or "stood"
                    print(f"{transport:6}{case.name:36}{record.outcome[:34]:36}{took}  {verdict}", flush=True)
            finally:
                rig.close()
    ordered = [records[case.name, transport] for case in cases for transport in TRANSPORTS]
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        new = TABLE.sub(lambda part: f"{part[1]}{table(ordered)}\n{part[2]}", page)
        PAGE.write_text(new, encoding="utf-8")
    print(counts(ordered))
    return int(any(each.faults for each in ordered))


if __name__ == "__main__":
    sys.exit(main())
