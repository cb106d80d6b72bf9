"""Attack real servers, over stdio and HTTP: each with the cases of `hostile.servers.general` and with those of its own.

python tests/hostile/servers/attack.py            prints the table, what failed, and a line of counts
python tests/hostile/servers/attack.py --write    also writes the tables into docs/attacks.md
python tests/hostile/servers/attack.py --server=NAME WORDS      only that server, only cases whose name holds WORDS
python tests/hostile/servers/attack.py --server=NAME --write    its columns and tables; those of others stay

After each case the same server is asked a canary, whose answer is known (`hostile.servers.target`); of PHREEQC it is
the pH of water in equilibrium with calcite and the carbon dioxide of air. A case fails if its outcome is not an
acceptable one, the server died, the canary was not answered right, an answer or a file of the workspace holds a secret,
anything outside the workspace was created or changed, an answer is larger than the case allows or an own tool may give
(`support.answer_sizes`), a process is left behind, or the event loop was held for more than a second of the processor,
or the server itself imported a library that reads foreign bytes behind walls (`hostile.servers.watched`). Exit code
1 if one did.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hostile.guard import Guard, adopting, descendants, until
from hostile.servers import watched
from hostile.servers.acts import in_order
from hostile.servers.case import ANSWERED, NOTHING, Act, Case, EveryArgument, EveryFileTool, Raw
from hostile.servers.channels import THEIRS, Http, Reply, Stdio
from hostile.servers.general import GENERAL
from hostile.servers.listed import Listed
from labrig.artifacts import ArtifactStore
from labrig.canonical import sha256
from labrig.workspace import Workspace
from labrig_harness.registry import servers
from support import answer_sizes
from support.every_server import installed, names, recorded, target
from support.foreign_bytes import kept_out_of_servers

PAGE = Path(__file__).resolve().parents[3] / "docs" / "attacks.md"
TABLE = re.compile(r"(<!-- attack table -->\n).*?(<!-- end of attack table -->)", re.DOTALL)
TRANSPORTS = ("stdio", "HTTP")
CHANNELS: dict[str, type[Stdio] | type[Http]] = {"stdio": Stdio, "HTTP": Http}

PATIENCE_S = 120.0
"""Above every limit of time that a case sets."""
LEFT_S = 15.0
"""A process may take so long to end: above the 5 s that a search may take."""
STANDING = ("labrig.isolation.inside.answering",)
"""Modules that a server may have run in processes of its own from then on: they wait for the next question."""
AHEAD = ("labrig_phreeqc.engine.solver",) * 2
"""A child of PHREEQC that waits for the next run is forked ahead of it; what tells it from a run is `READY_S`."""
READY_S = 0.1
"""Of a processor: more than such a child has when it waits."""
GONE = "gone"
LIBRARIES = kept_out_of_servers()
DEFECTS = {"internal", "no answer", "closed", "nameless error"}
"""Words that are no answer."""


@dataclass
class Record:
    """What came of a case over one transport."""

    server: str
    case: Case
    transport: str
    outcome: str = ""
    dead: bool = False
    answered: bool = False
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    large: int = 0
    sizes: list[str] = field(default_factory=list)

    @property
    def accepted(self) -> bool:
        """Whether the outcome is one that the case accepts."""
        if self.outcome == NOTHING:
            return True
        allowed = self.case.accepted(self.transport)
        words = set(self.outcome.split(", "))
        if ANSWERED in allowed:
            return not any(each in DEFECTS or each.startswith("JSON-RPC -326") for each in words)
        if isinstance(self.case.send, EveryFileTool | EveryArgument) or self.case.together:
            return words <= set(allowed)
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
        found += self.noted
        if self.large:
            found.append(f"an answer of {self.large:,} bytes")
        return found + self.sizes

    @property
    def cell(self) -> str:
        """What the table says: the acceptable outcomes, of which this was one; else in bold what happened."""
        if self.outcome == NOTHING:
            return NOTHING
        if not self.faults:
            allowed = self.case.accepted(self.transport)
            if len(allowed) > 1 and self.case in GENERAL:  # servers differ, but each does the same every time
                here = {self.outcome, *self.outcome.split(", ")}
                allowed = tuple(each for each in allowed if each in here)
            return " or ".join(allowed)
        said = {
            "server died": self.dead,
            "next call not answered": not self.answered,
            "secret read": self.reads,
            "written outside": self.writes,
            "process left behind": self.left,
            "loop held or wall passed": self.noted,
            "answer too large": self.large or self.sizes,
        }
        return f"**{', '.join([self.outcome, *(words for words, so in said.items() if so)])}**"


class Rig:
    """A server under attack, and the watched tree around it; one that asks the network replays a ledger of its own."""

    servers: ClassVar[set[int]] = set()

    def __init__(self, name: str, transport: str, folder: Path) -> None:
        self.name, self.transport, self.target = name, transport, target(name)
        self.guard = Guard(folder, self.target, self.target.ground)
        network = recorded(name, folder.with_name(f"{folder.name}-network"))
        self.variables = dict(network.variables) if network else {}
        self.site = network.site if network else ""
        self.flags = [*self.target.lay_out(self.guard), *(network.flags if network else ())]
        self.guard.set_wall(20)
        self.log = folder.with_name(f"{folder.name}-noted")
        self.replies: list[Reply] = []
        self.sizes: list[str] = []
        self._before = set(descendants(os.getpid()))
        self.start()
        tools = self.server.listed().result["tools"]
        self._first = [each["name"] for each in tools]
        self.listed = Listed(tools, self.target.arguments)
        if isinstance(self.server, Http):
            self.server.call(self.listed.quiet or "nothing", {})
            self.guard.workspace = next(self.guard.work.iterdir())
            self.server.call(self.listed.quiet or "nothing", {}, token=THEIRS)
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
        self._idle = self._shape()

    def start(self) -> None:
        """Start a server on the watched tree."""
        self.server = CHANNELS[self.transport](self.argv, self.environment, self.guard.cwd)
        self.servers.add(self.server.process.pid)

    @property
    def argv(self) -> list[str]:
        """The command of the server, over stdio."""
        workspace = self.guard.work if self.transport == "HTTP" else self.guard.work / "mine"
        toolsets = ",".join(servers.toolbox(self.name).toolsets)
        _, _, module, *rest = servers.module(self.name)  # -P -m
        argv = [
            sys.executable,
            "-P",
            watched.__file__,
            str(self.log),
            ",".join(sorted(LIBRARIES)),
            module,
            *rest,
        ]
        argv += ["--workspace", str(workspace)]
        return [*argv, "--toolsets", toolsets, *self.flags]

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the server."""
        return self.guard.environment | self.variables

    @property
    def alive(self) -> bool:
        """Whether the server runs."""
        return self.server.process.poll() is None

    def noted(self) -> list[str]:
        """Return what the watch has seen since it was asked last."""
        found = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return found

    def call(self, tool: str, arguments: Any, patience: float = PATIENCE_S) -> Reply:
        """Call a tool; the answer is kept, and looked through for secrets at the end of the case."""
        for kind in ("quiet", "reads", "writes"):
            if tool == f"{{{kind}}}" and not (tool := getattr(self.listed, kind)):
                return Reply(NOTHING)
        arguments = self.filled(arguments)
        reply = self.kept(self.server.call(tool, arguments, patience))
        structured = reply.result.get("structuredContent")
        if structured is not None:
            wrong = answer_sizes.judged(self.name, tool, arguments, structured)
            self.sizes += [wrong] if wrong else []
        return reply

    def kept(self, reply: Reply) -> Reply:
        """Keep an answer, to be looked through."""
        self.replies.append(reply)
        return reply

    def prepare(self) -> None:
        """Ask the canary, so that what the server starts once has been started."""
        self.canary()

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
            "site": self.site,
            "theirs_sha256": self._theirs_sha256,
            "theirs_sha256_16": self._theirs_sha256[:16],
        }

    def canary(self) -> bool:
        """Ask what is known, without a canary for the list of tools."""
        if self.target.canary is None:
            tools = self.kept(self.server.listed()).result.get("tools", [])
            return [each["name"] for each in tools] == self._first
        call = self.target.canary
        return self.target.right(self.kept(self.server.call(call.tool, call.arguments, 60)).result)

    def working(self) -> list[int]:
        """Return the processes below the server that are not there when it has nothing to do, or only wait then."""
        chains = self._chains(descendants(os.getpid()))
        return [pid for pid, chain in chains.items() if chain[-1] != GONE and self._works(pid, chain)]

    def _works(self, pid: int, chain: tuple[str, ...]) -> bool:
        return chain not in self._idle or (chain == AHEAD and _has_computed(pid))

    def _chains(self, ours: Mapping[int, int]) -> dict[int, tuple[str, ...]]:
        """Return the processes below the server, each with what it and those above it run, from the server down."""
        server = self.server.process.pid
        chains: dict[int, tuple[str, ...]] = {}
        for pid in ours:
            up = list(_upwards(pid, ours))
            if server in up[1:]:
                chains[pid] = tuple(_program(each) for each in reversed(up[: up.index(server)]))
        return chains

    def _shape(self) -> set[tuple[str, ...]]:
        """Return what runs below the server when it has nothing to do: the same at each of several looks."""
        seen = []
        for _ in range(4):
            seen.append(set(self._chains(descendants(os.getpid())).values()))
            time.sleep(0.1)
        return set.intersection(*seen) | {(each,) for each in STANDING} | {AHEAD}

    def strangers(self) -> list[int]:
        """Return every process of ours but the servers and what these keep.

        All is told from one look: what starts between two would belong to nobody. What has ended since is none.
        """
        ours = descendants(os.getpid())
        chains = self._chains(ours)
        found = [
            pid
            for pid in ours.keys() - self._before - self.servers
            if (
                self._works(pid, chains[pid])
                if pid in chains
                else self.servers.isdisjoint(
                    _upwards(pid, ours)
                )  # another rig answers for what is below its own
            )
        ]
        return [pid for pid in found if pid in descendants(os.getpid())]

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


def _has_computed(pid: int) -> bool:
    """Tell whether a process has had more of a processor than one needs that only gets ready (proc_pid_stat(5))."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) > READY_S * os.sysconf("SC_CLK_TCK")
    return False


def _upwards(pid: int, parents: Mapping[int, int]) -> Iterator[int]:
    """Give a process, its parent, and so on."""
    yield pid
    while pid in parents:
        pid = parents[pid]
        yield pid


def _program(pid: int) -> str:
    """Return what a process runs: the module of a Python or the code that it was given, else the program's name."""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        if "-m" in words[:-1]:
            return words[words.index("-m") + 1]
        if "-c" not in words[:-1]:
            return Path(words[0]).name or GONE  # one that ends has no words any more
        code, *arguments = words[words.index("-c") + 1 :]
        booted = re.search(r'"([\w.]+)"\]$', arguments[0]) if arguments else None  # labrig.isolation.boot
        return booted[1] if booted else sha256(code)[:8]
    return GONE


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:80]
    return GONE


def attack(rig: Rig, case: Case, *, whole: bool = True) -> Record:
    """Carry out one case and say what came of it.

    If not `whole`, and all that is asked is an answer, each argument of a tool gets one of the case's values, in turn.
    """
    record = Record(rig.name, case, rig.transport)
    rig.guard.set_wall(case.wall_s)
    rig.guard.sweep()
    for kind, name, content in case.plant:
        rig.guard.plant(kind, name, rig.filled(content))
    rig.replies.clear()
    rig.sizes.clear()
    before = rig.guard.seen()
    try:
        record.outcome = _carried_out(rig, case, whole)
        if "no answer" in record.outcome:
            rig.restart()
        if not rig.alive:
            record.dead = not case.kills
            rig.restart()
        record.answered = rig.canary()
        left: list[int] = []

        def nobody() -> bool:
            left[:] = rig.strangers()
            return not left

        until(nobody, LEFT_S)
        for pid in left:
            record.left.append(_command(pid))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        after = rig.guard.seen()
        record.writes = sorted(
            name
            for name in before.keys() | after.keys()
            if before.get(name) != after.get(name) and not (case.theirs and rig.guard.is_theirs(name))
        )
        record.reads = [f"in an answer ({each.word})" for each in rig.replies if rig.guard.leaked(each.raw)]
        record.reads += [f"in {name} of the workspace" for name in rig.guard.leaks()]
        record.large = max((len(each.raw) for each in rig.replies if len(each.raw) > case.most), default=0)
        record.sizes = list(dict.fromkeys(rig.sizes))[:5]
        record.noted = rig.noted()
    finally:
        rig.guard.sweep()
    return record


def _carried_out(rig: Rig, case: Case, whole: bool) -> str:
    send = case.send
    if callable(send) and not isinstance(send, Act):
        send = send(rig.listed.quiet or "nothing")
    match send:
        case Act(do):
            return do(rig)
        case Raw(body, tool, number):
            return rig.kept(rig.server.raw(body, number, tool=tool)).word
        case EveryFileTool(paths):
            calls = [call for path in paths for call in rig.listed.file_calls(rig.filled(path))]
            words = {
                word
                for tool, arguments in calls
                if (word := rig.call(tool, arguments).word) != "ok" or not rig.listed.lists(tool)
            }
            return ", ".join(sorted(words)) or NOTHING
        case EveryArgument(values):
            in_turn = not whole and ANSWERED in case.accepted(rig.transport)
            calls = rig.listed.argument_calls(values, in_turn=in_turn)
            return ", ".join(sorted({rig.call(*call).word for call in calls})) or NOTHING
        case calls if case.together:
            with ThreadPoolExecutor(len(calls)) as pool:
                replies = list(pool.map(lambda each: rig.call(each.tool, each.arguments), calls))
        case calls:
            replies = [rig.call(each.tool, each.arguments) for each in calls]
    return in_order(each.word for each in replies)


def cases_of(server: str) -> tuple[Case, ...]:
    """Return the attacks on a server: the general ones, and its own."""
    return (*GENERAL, *target(server).cases())


def table(cells: Mapping[tuple[str, str, str], str]) -> str:
    """Return the tables: attacks on any server with a column for each, then those on one server alone.

    Parameters
    ----------
    cells
        What a table says, by server, case and transport, as `published` gives it.
    """
    named = [server for server in installed() if any(server == of for of, _, _ in cells)]
    lines = ["### Attacks on any server"]
    lines += _rows(GENERAL, named, lambda case: [_both(cells, server, case) for server in named])
    for server in named:
        alone = [case for case in cases_of(server) if case not in GENERAL]
        if alone:
            lines += ["", f"### Attacks on {server} alone"]
            lines += _rows(
                alone,
                TRANSPORTS,
                lambda case, server=server: [cells.get((server, case.name, of), "") for of in TRANSPORTS],
            )
    return "\n".join(lines)


def _both(cells: Mapping[tuple[str, str, str], str], server: str, case: Case) -> str:
    """Return the outcome over stdio and HTTP: once where it is the same."""
    found = [cells[server, case.name, of] for of in TRANSPORTS if (server, case.name, of) in cells]
    return " / ".join(dict.fromkeys(found))


def _rows(cases: Iterable[Case], columns: Iterable[str], cells: Any) -> list[str]:
    lines: list[str] = []
    columns, family = list(columns), ""
    for case in cases:
        if case.family != family:
            family = case.family
            head = ["attack", "what it tries", *columns]
            lines += ["", f"#### {family}", "", f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
        shown = [case.name, case.tries, *cells(case)]
        lines.append("| " + " | ".join(each.replace("|", "\\|") for each in shown) + " |")
    return lines


def published() -> dict[tuple[str, str, str], str]:
    """Return what the page says: the outcome by server, case and transport."""
    part = TABLE.search(PAGE.read_text(encoding="utf-8"))
    assert part, "docs/attacks.md has no table"
    found: dict[tuple[str, str, str], str] = {}
    server, columns = "", []
    for line in part[0].splitlines():
        if match := re.fullmatch(r"### Attacks on (\w+) alone", line):
            server = match[1]
        cells = [each.strip() for each in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells or cells[0] == "---":
            continue
        if cells[0] == "attack":
            columns = cells[2:]
            continue
        for column, cell in zip(columns, cells[2:], strict=True):
            if server:
                found[server, cells[0], column] = cell
            else:
                first, _, second = cell.partition(" / ")
                found |= {(column, cells[0], "stdio"): first, (column, cells[0], "HTTP"): second or first}
    return found


def counts(records: list[Record]) -> str:
    """Return the closing line."""
    n = len({(each.server, each.case.name) for each in records})
    return (
        f"{n} cases x {len({each.transport for each in records})} transports: "
        f"{sum(each.dead for each in records)} server deaths, {sum(map(bool, (r.reads for r in records)))} reads, "
        f"{sum(map(bool, (r.writes for r in records)))} writes, "
        f"{sum(each.answered for each in records)} next calls answered"
    )


def _attacked(names: Iterable[str], words: list[str], folder: Path) -> Iterator[Record]:
    for name in names:
        cases = [case for case in cases_of(name) if all(word in case.name for word in words)]
        for transport in TRANSPORTS if cases else ():
            rig = Rig(name, transport, folder / name / transport)
            try:
                for case in cases:
                    began = time.monotonic()
                    record = attack(rig, case)
                    took = f"{time.monotonic() - began:5.1f} s"
                    verdict = "; ".join(record.faults) or "stood"
                    said = f"{name:12}{transport:6}{case.name:36}{record.outcome[:34]:36}{took}  {verdict}"
                    print(said, flush=True)
                    yield record
            finally:
                rig.close()


def _write(records: Iterable[Record]) -> None:
    """Put what came of the attacks on a server into the page; what it says of others stays."""
    cells = published() | {(each.server, each.case.name, each.transport): each.cell for each in records}
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda part: f"{part[1]}{table(cells)}\n{part[2]}", page), encoding="utf-8")


def main() -> int:
    """Attack, print, and write the table if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="only cases whose name holds each")
    parser.add_argument("--server", action="append", choices=names(), help="only this one; repeatable")
    parser.add_argument(
        "--write", action="store_true", help="write each server's into docs/attacks.md as it is done"
    )
    asked = parser.parse_args()
    words, only = asked.words, asked.server
    if asked.write and words:
        parser.error("only whole tables can be written: leave the words away")
    records: list[Record] = []
    with tempfile.TemporaryDirectory() as folder, adopting():
        for name in only or installed():
            records += (of_one := list(_attacked([name], words, Path(folder).resolve())))
            if asked.write:
                _write(of_one)
    print(counts(records))
    return int(any(each.faults for each in records))


if __name__ == "__main__":
    sys.exit(main())
