"""Send every program of `hostile.sandbox.programs` to a real sandbox and to a child without one, and see what it gets.

python tests/hostile/sandbox/attack.py            prints the table, what failed, and one line of counts
python tests/hostile/sandbox/attack.py --write    also writes the table into docs/attacks.md
python tests/hostile/sandbox/attack.py WORDS      only the cases whose name holds WORDS

The sandbox is held by a process of its own (`host.py`), as root and, where this runs as root, as an ordinary user; the
control runs as the ordinary user where there is one. Whether a program succeeded is seen from
outside (`targets.py`, `monitor.py`). After each, the same sandbox is asked for 1+1. A case fails if anything was
read, reached, changed, hurt or used up; if a process, a file or a descriptor is left; or if the next call is not
answered. Exit code 1 if one did, or if fewer than `MUST_LEAK` programs succeed without a sandbox.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import errno
import json
import os
import platform
import queue
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hostile.guard import adopting, descendants
from hostile.sandbox import ordinary
from hostile.sandbox.case import LIMITS, PRELUDE, Case, numbers
from hostile.sandbox.cases import CASES
from hostile.sandbox.monitor import Monitor, until_gone
from hostile.sandbox.targets import PROJECT, Targets

PAGE = PROJECT / "docs" / "attacks.md"
TABLE = re.compile(r"(<!-- sandbox attack table -->\n).*?(<!-- end of sandbox attack table -->)", re.DOTALL)
HOST = Path(__file__).with_name("host.py")
EARTH = "earth, "
"""What the columns of the profile `earth` begin with; the others are of `science`."""
COLUMNS = ("bubblewrap", "landlock", "landlock, ABI 1", "earth, bubblewrap", "earth, landlock", "control")
SANDBOXES = COLUMNS[:-1]
USERS = ("root", "ordinary user")
ABI_1 = ("Files it would read", "Files it would change", "Network", "Other processes", "Kernel interfaces")
"""Groups in which Landlock's later versions have a say."""
MUST_LEAK = 30
MB = 1 << 20
MOST_LAG_S = 1.5
"""A task of the host may be woken so much too late; on a machine at work, 0.3 s have been seen without any attack."""
MOST_LOCKS = 2_000
"""Locks on files may be so many more on the machine: each is kernel memory that no limit of a process counts."""
BURST = 200 * MB
"""What may be written between two looks at the scratch folder."""
SETTLE_S = 5.0
BESIDE = re.compile(r"beside-\w+")
"""What a program prints of itself, and one at the same moment should not know."""


@dataclass
class Record:
    """What came of a case in one column, as one user."""

    case: Case
    column: str
    user: str
    word: str = ""
    leaks: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    took_s: float = 0.0

    @property
    def cell(self) -> str:
        """What the table says."""
        if self.column == "control":
            return ", ".join(self.leaks) or "–"
        wrong = [f"{what}: {more}" for what, more in self.leaks.items()] + self.faults
        return f"**{'; '.join(wrong)}**" if wrong else self.word


class Rig:
    """One column for one user: the targets, and the process that holds the sandbox or starts the control."""

    def __init__(self, column: str, user: str, folder: Path, python: Path, prefix: Path) -> None:
        self.column, self.user, self._python = column, user, python
        self.known: set[int] = set()
        self.litter: set[str] = set()
        self.mark = f"mark-{secrets.token_hex(12)}"
        paths = [Path(sys.base_prefix), Path(sys.prefix), PROJECT, prefix, folder, _base(python)]
        changes = user == "ordinary user" and os.geteuid() == 0
        self._start = ordinary.command(paths) if changes else []
        number = ordinary.USER if changes else None
        self.targets = Targets(folder, python, {f"sandbox/{prefix.name}": prefix}, number, self._start)
        self.start()
        self._clean = self.targets.seen()
        quiet = self.ask(op="run", code="import numpy, pandas\n1+1", inputs={}, limits=LIMITS)
        if quiet.get("status") != "ok":
            raise RuntimeError(f"{column} as {user} does not work before any attack: {quiet}")
        self._base_bytes: int = quiet.get("max_rss_bytes", 200 * MB)
        self._descriptors: int = self.ask(op="facts")["descriptors"]

    def start(self) -> None:
        """Start the process, and wait until it has a sandbox."""
        backend, _, version = self.column.removeprefix(EARTH).partition(", ABI ")
        asked = {
            "profile": profile(self.column),
            "backend": backend,
            "python": str(self._python),
            "abi": int(version) if version else None,
        }
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.process = subprocess.Popen(
            [*self._start, sys.executable, str(HOST), json.dumps(asked)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=self.targets.environment,
            cwd=self.targets.cwd,
            start_new_session=True,
        )
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._number = 0
        self._first: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._listen, args=(self.process.stdout,), daemon=True).start()
        first = self._first.get(timeout=120)
        if "dead" in first:
            self._errors.seek(0)
            raise RuntimeError(self._errors.read().decode(errors="replace")[-2000:])
        self.facts = first

    def _listen(self, stream: Any) -> None:
        for line in stream:
            reply = json.loads(line)
            self._answers.get(reply.get("id", 0), self._first).put(reply)
        for each in (self._first, *self._answers.values()):
            each.put({"dead": True})

    def send(self, **request: Any) -> queue.Queue[dict[str, Any]]:
        """Send a request; the answer comes in the queue."""
        self._number += 1
        answer = self._answers[self._number] = queue.Queue()
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"id": self._number, **request}).encode() + b"\n")
            self.process.stdin.flush()
        return answer

    def ask(self, patience: float = 60.0, **request: Any) -> dict[str, Any]:
        """Send a request and wait for the answer; "dead" if there is none."""
        try:
            return self.send(**request).get(timeout=patience)
        except queue.Empty:
            return {"dead": True}

    @property
    def fork_server(self) -> int:
        """The number of the fork server's process; 0 for the control."""
        return int(self.facts.get("fork_server") or 0)

    def scratch(self) -> list[Path]:
        """Return the folders in which the runs' folders lie, seen from here."""
        found = [self.targets.labrig_home / "sandbox" / "scratch", self.targets.tmp]
        for pid in descendants(self.fork_server) if self.fork_server else ():
            found.append(Path(f"/proc/{pid}/root/scratch"))
        return found

    def left_in_scratch(self) -> list[str]:
        """Return what is in the scratch folders while nothing runs."""
        found: list[str] = []
        home, *others = (
            self.scratch()
        )  # in the first one a folder for each fork server, in that one for each purpose
        for folder in (*(home.glob("*/*/") if home.is_dir() else ()), *others):
            with contextlib.suppress(OSError):
                found += [str(each) for each in folder.iterdir()]
        return found

    def program(self, code: str, **more: Any) -> str:
        """Return the text that is sent: what it is told, the prelude, the program."""
        told = {
            **self.targets.told(),
            "host": self.process.pid,
            "mark": self.mark,
            "calls": numbers(),
            **more,
        }
        return f"T = {told!r}\n{PRELUDE}\n{code}"

    def restart(self) -> None:
        """Have a process that answers, whatever became of the last one."""
        self.end()
        self.start()

    def end(self) -> None:
        """End the process and everything below it."""
        below = descendants(self.process.pid)
        self.process.kill()
        self.process.wait()
        for pid in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pipe in (self.process.stdin, self._errors):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    def close(self) -> None:
        """End everything."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        self.end()
        self.targets.close()


def _base(python: Path) -> Path:
    asked = [python, "-I", "-c", "import sys; print(sys.base_prefix)"]
    base = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    return Path(base).resolve()


def attack(rig: Rig, case: Case) -> Record:
    """Carry out one case and say what came of it."""
    record = Record(case, rig.column, rig.user)
    began = time.monotonic()
    rig.mark = f"mark-{secrets.token_hex(12)}"
    rig.targets.mend(rig._clean)
    rig.targets.listeners.take()
    rig.known = set(descendants(os.getpid()))  # the victim may be a new one
    rig._clean = rig.targets.seen()
    domain = Path("/proc/sys/kernel/domainname").read_text()
    limits = LIMITS | case.limits
    request = {"op": "run", "inputs": rig.targets.inputs, "limits": limits}
    monitor = Monitor(rig.process.pid, rig.scratch(), rig.targets.victim.about["pid"], rig.targets.table)
    replies = []
    monitor.start()
    try:
        beside = None
        if case.beside:
            secret = f"SECRET = {rig.targets.secret('beside')!r}\n"
            beside = rig.send(**request, code=secret + rig.program(case.beside))
            time.sleep(0.4)
        reply = rig.ask(limits["wall_s"] + 20, **request, code=rig.program(case.code))
        replies.append(reply)
        if beside is not None:
            other = beside.get(timeout=limits["wall_s"] + 20)
            found_out = set(BESIDE.findall(reply.get("output", ""))) & set(
                BESIDE.findall(other.get("output", ""))
            )
            if found_out:
                record.leaks["noticed"] = ", ".join(sorted(found_out))
    finally:
        monitor.stop()
    record.word = _word(reply)
    _seen_outside(rig, record, reply, limits, monitor)
    if Path("/proc/sys/kernel/domainname").read_text() != domain:
        record.leaks["changed"] = "the domain name"
        Path("/proc/sys/kernel/domainname").write_text(domain)
    _system_v(rig, record)
    if case.then and "dead" not in reply:
        then = rig.ask(60, **request, code=rig.program(case.then, mark=""))
        replies.append(then)
        if rig.mark in json.dumps(then):
            record.leaks["next call"] = "knew of the one before"
    _afterwards(rig, record)
    for each in replies:
        try:
            json.dumps(each, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            record.faults.append("a text that is not Unicode")
        if not set(each.get("figures", ())) <= set(each.get("files", ())):
            record.faults.append("a figure that is not a file")
        if "refused" in each:
            record.faults.append(f"the host failed: {each['refused'][:200]}")
        found = rig.targets.read(_everything(each))
        if found:
            record.leaks["read"] = ", ".join(found)
    record.took_s = time.monotonic() - began
    return record


def _word(reply: dict[str, Any]) -> str:
    if "refused" in reply:
        return "refused"
    if "dead" in reply:
        return "no answer"
    said = [line[3:] for line in reply["output"].splitlines() if line.startswith("=> ")]
    if reply["status"] == "ok":
        return ", ".join(dict.fromkeys(said)) or "ok"
    if reply["status"] == "error":
        last = (reply["error"].strip().splitlines() or [""])[-1]
        raised = last.partition(":")[0].rpartition(".")[2]
        return raised if raised.isidentifier() else "error"
    return str(reply["status"])


def _everything(reply: dict[str, Any]) -> bytes:
    """Return all bytes of an answer."""
    files = b"".join(base64.b64decode(data) for data in reply.get("files", {}).values())
    return json.dumps(reply, ensure_ascii=False).encode(errors="replace") + files


def _seen_outside(
    rig: Rig, record: Record, reply: dict[str, Any], limits: dict[str, Any], monitor: Monitor
) -> None:
    leaks = record.leaks
    if heard := rig.targets.listeners.take():
        leaks["reached"] = ", ".join(sorted(heard))
    after = rig.targets.seen()
    before = rig._clean
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if changed:
        leaks["changed"] = f"{len(changed)}: {', '.join(Path(name).name for name in changed[:5])}"
    hurt = rig.targets.victim.hurt + [f"{each} traced" for each in sorted(monitor.traced)]
    if hurt:
        leaks["hurt"] = ", ".join(hurt)
    if monitor.processes > (2 if record.case.beside else 1):
        leaks["processes"] = str(monitor.processes)
    if monitor.threads > limits.get("threads", 64) + 40:
        leaks["threads"] = str(monitor.threads)
    if monitor.descriptors > 1024:
        leaks["descriptors"] = str(monitor.descriptors)
    if monitor.locks > MOST_LOCKS:
        leaks["locks"] = f"{monitor.locks:,}"
    if monitor.seen:
        leaks["holds"] = ", ".join(sorted(monitor.seen))
    allowed = rig._base_bytes + int(limits["memory_bytes"] * 1.25) + 64 * MB
    used_bytes = max(monitor.memory, reply.get("max_rss_bytes", 0))
    if not record.case.beside and used_bytes > allowed:
        leaks["memory"] = f"{used_bytes / MB:.0f} MB"
    if monitor.shared > int(limits["memory_bytes"] * 1.25) + 2 * 64 * MB + 100 * MB:
        leaks["shared memory"] = f"{monitor.shared / MB:.0f} MB"
    if monitor.disk > limits["scratch_bytes"] + BURST:
        leaks["disk"] = f"{monitor.disk / MB:.0f} MB"
    if reply.get("wall_s", 0) > limits["wall_s"] + 0.8:
        leaks["time"] = f"{reply['wall_s']:.1f} s"
    written = max(len(reply.get(name, "").encode(errors="replace")) for name in ("output", "error"))
    if written > 4 * limits["output_bytes"] + 1000:  # a byte that is not text is shown in four
        leaks["output"] = f"{written / MB:.1f} MB"
    sizes = reply.get("sizes", {})
    if sum(sizes.values()) > limits["scratch_bytes"] or any(
        each > limits["file_bytes"] for each in sizes.values()
    ):
        leaks["disk"] = f"{sum(sizes.values()) / MB:.0f} MB collected"
    if len(sizes) > 5000:
        leaks["files"] = f"{len(sizes):,}"


def _system_v(rig: Rig, record: Record) -> None:
    """Find what outlives its process in the kernel, and remove it."""
    key = str(rig.targets.told()["victim_key"] + 1)
    for kind, flag in (("shm", "-m"), ("sem", "-s"), ("msg", "-q")):
        lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
        for words in (line.split() for line in lines):
            if words[0] == key:
                record.leaks["left"] = "System V objects"
                subprocess.run(["ipcrm", flag, words[1]], check=False, capture_output=True)
    with contextlib.suppress(OSError):
        if rig.mark in Path("/proc/keys").read_text() or rig.mark in _keys(rig):
            record.leaks["left"] = "a key"


def _keys(rig: Rig) -> str:
    """Return the keys as the user of the rig sees them: nobody sees those of others."""
    asked = [*rig._start, sys.executable, "-I", "-c", "print(open('/proc/keys').read())"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout


def _afterwards(rig: Rig, record: Record) -> None:
    """See that nothing is left, and that the next call is answered."""
    left = until_gone(os.getpid(), rig.known, SETTLE_S)
    if rig.column == "control":
        if left:
            record.leaks["left"] = "a process"
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _remove(*rig.targets.tmp.iterdir())
        if rig.ask(op="facts", patience=10).get("dead"):
            record.leaks["hurt"] = "the host"
            rig.restart()
        return
    facts = rig.ask(op="facts", patience=20)
    if "dead" in facts:
        record.faults.append("the host died")
        rig.restart()
        return
    if facts["lag"] > MOST_LAG_S:
        record.leaks["held up"] = f"the host, for {facts['lag']:.1f} s"
    if facts["signals"]:
        record.leaks["hurt"] = f"signals to the host: {facts['signals']}"
    if facts["peak"] > rig.facts["peak"] + 400 * MB:
        record.faults.append(f"the host took {facts['peak'] / MB:.0f} MB")
    if facts["fork_server"] != rig.facts["fork_server"]:
        record.faults.append("the fork server died")
        rig.facts = facts
    answer = rig.ask(20, op="run", code="1+1", inputs={}, limits=LIMITS)
    if answer.get("output", "").strip() != "2":
        record.faults.append(f"the next call was not answered: {_word(answer)}")
        rig.restart()
        return
    deadline = time.monotonic() + SETTLE_S
    while time.monotonic() < deadline:
        facts = rig.ask(op="facts")
        strangers = sorted(set(descendants(os.getpid())) - rig.known)
        open_ = facts.get("descriptors", 0)
        littered = set(rig.left_in_scratch()) - rig.litter
        if not strangers and open_ <= rig._descriptors and not littered:
            return
        time.sleep(0.05)
    record.faults += [f"left running: {_command(pid)}" for pid in strangers]
    if open_ > rig._descriptors:
        record.faults.append(f"{open_ - rig._descriptors} descriptors left open")
        rig._descriptors = open_
    if littered:
        record.faults.append(f"left in the scratch folder: {len(littered)}")
        rig.litter |= littered


def _remove(*paths: Path) -> None:
    """Remove what is there; `shutil.rmtree` ends at a thousand nested folders."""
    if paths:
        subprocess.run(["rm", "-rf", "--", *map(str, paths)], check=False, stderr=subprocess.DEVNULL)


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:80]
    return "gone"


def profile(column: str) -> str:
    """Return the profile of the sandbox whose Python a column runs in."""
    return "earth" if column.startswith(EARTH) else "science"


def side_environment(column: str = "") -> tuple[Path, Path]:
    """Return the Python of a column's sandbox and the folder it lies in; `LabrigError` where it is not installed."""
    from labrig.sandbox import environment

    interpreter = environment.find(profile(column))
    return interpreter.python, interpreter.prefix


def lacking(column: str) -> str:
    """Return why a column cannot be had here; empty if it can."""
    from labrig.errors import LabrigError

    try:
        side_environment(column)
    except LabrigError as error:
        return str(error)
    return ""


def users() -> dict[str, str]:
    """Return as whom the programs can be sent here, and why not as others."""
    if os.geteuid() != 0:
        return {"root": "this is not run by root", "ordinary user": ""}
    python, prefix = side_environment()
    paths = [Path(sys.base_prefix), Path(sys.prefix), PROJECT, prefix, _base(python)]
    return {"root": "", "ordinary user": ordinary.missing(paths)}


def columns() -> list[tuple[str, str]]:
    """Return the columns and users that can be had here."""
    can = [user for user, why in users().items() if not why]
    found = [
        (column, user)
        for column in SANDBOXES
        if not lacking(column)
        for user in can
        if column != "landlock, ABI 1" or user == can[0]
    ]
    return [*found, ("control", can[-1])]


def suited(case: Case, column: str) -> bool:
    """Tell whether a case is sent in a column."""
    if case.machines and platform.machine() not in case.machines:
        return False
    if column == "control":
        return case.control
    return column != "landlock, ABI 1" or case.group in ABI_1


def table(records: Iterable[Record]) -> str:
    """Return the table, a part for each group; where users differ, both words stand."""
    cells: dict[str, dict[str, list[str]]] = {}
    cases: dict[str, Case] = {}
    for each in records:
        words = cells.setdefault(each.case.name, {}).setdefault(each.column, [])
        if each.cell not in words:
            words.append(each.cell)
        cases[each.case.name] = each.case
    lines: list[str] = []
    group = ""
    for name, case in cases.items():
        if case.group != group:
            group = case.group
            lines += ["", f"### {group}", "", f"| attack | what it tries | {' | '.join(COLUMNS)} |"]
            lines.append("| --- | --- |" + " --- |" * len(COLUMNS))
        shown = [name, case.tries]
        shown += [
            " or ".join(cells[name].get(each, ["not run"] if suited(case, each) else [])) for each in COLUMNS
        ]
        lines.append("| " + " | ".join(each.replace("|", "\\|").replace("\n", " ") for each in shown) + " |")
    return "\n".join(lines).strip()


def published() -> dict[tuple[str, str], list[str]]:
    """Return what the page says: the words of each case in each column that it has."""
    part = TABLE.search(PAGE.read_text(encoding="utf-8"))
    assert part, "docs/attacks.md has no table of the sandbox"
    found: dict[tuple[str, str], list[str]] = {}
    columns: list[str] = []
    for line in part[0].splitlines():
        if not line.startswith("|"):
            continue
        name, _, *cells = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
        if name == "attack":
            columns = cells
        elif name != "---":
            found |= {(name, column): cell.split(" or ") for column, cell in zip(columns, cells, strict=True)}
    return found


def agrees(cell: str, words: list[str]) -> bool:
    """Tell whether a cell says what one of the published ones says.

    Which error number refuses a try may differ between kernels and machines (what does not exist, what may not be
    opened); that it was refused, and every word that is not an error number, may not.
    """

    def plain(cell: str) -> set[str]:
        return {"refused" if each in errno.errorcode.values() else each for each in cell.split(", ")}

    return any(plain(cell) == plain(each) for each in words)


def counts(records: list[Record]) -> str:
    """Return the closing line."""
    held = [each for each in records if each.column != "control"]
    control = [each for each in records if each.column == "control"]
    return (
        f"{len({each.case.name for each in records})} programs, {len(held)} runs in a sandbox: "
        f"{sum(bool(each.leaks) for each in held)} escapes, {sum(bool(each.faults) for each in held)} left something; "
        f"without one {sum(bool(each.leaks) for each in control)} of {len(control)} succeed"
    )


@contextlib.contextmanager
def place() -> Any:
    """Make a folder that every user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="labrig-")).resolve()
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        _remove(folder)


def main() -> int:
    """Attack, print, and write the table if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="only cases whose name holds each")
    parser.add_argument("--column", action="append", help="only this one; repeatable")
    parser.add_argument("--write", action="store_true", help="write the table into docs/attacks.md")
    asked = parser.parse_args()
    words, only = asked.words, asked.column
    cases = [case for case in CASES if all(word in case.name for word in words)]
    if asked.write and (words or only):
        parser.error("only the whole table can be written: leave the words and the column away")
    records: list[Record] = []
    for user, why in users().items():
        if why:
            print(f"not as {user}: {why}")
    for column in SANDBOXES:
        if why := lacking(column):
            print(f"not in {column}: {why}")
    with place() as folder, adopting():
        for number, (column, user) in enumerate(columns()):
            if only and column not in only:
                continue
            rig = Rig(column, user, folder / str(number), *side_environment(column))
            try:
                for case in cases:
                    if suited(case, column):
                        record = attack(rig, case)
                        records.append(record)
                        print(
                            f"{column[:17]:18}{user[:8]:9}{case.name:34}{record.took_s:5.1f} s  {record.word[:40]:42}"
                            f"{'; '.join([*(f'{a}: {b}' for a, b in record.leaks.items()), *record.faults])}",
                            flush=True,
                        )
            finally:
                rig.close()
    records.sort(key=lambda each: cases.index(each.case))
    if asked.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            TABLE.sub(lambda part: f"{part[1]}{table(records)}\n{part[2]}", page), encoding="utf-8"
        )
    print(counts(records))
    held = [each for each in records if each.column != "control"]
    leaked = sum(bool(each.leaks) for each in records if each.column == "control")
    enough = leaked >= MUST_LEAK or bool(words) or bool(only)
    return int(any(each.leaks or each.faults for each in held) or not enough)


if __name__ == "__main__":
    sys.exit(main())
