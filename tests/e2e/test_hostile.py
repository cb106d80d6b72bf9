"""Hostile input against real servers: one test per attack and transport, and the walls looked at directly.

What an attack is and when the server has stood it is written in `hostile.servers.case` and
`hostile.servers.attack`; the table in docs/attacks.md may say only what these tests show. Here an argument gets one of
the odd texts or huge numbers, in turn; all of them in ``make soak ONLY=server-attacks``.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hostile.guard import adopting, descendants, until
from hostile.servers import attack as attacks
from hostile.servers import watched
from hostile.servers.attack import TRANSPORTS, Record, Rig, attack, cases_of, counts, published
from hostile.servers.case import Act, Call, Case
from hostile.servers.general import GENERAL, ODD_TEXTS, odd_texts
from hostile.servers.listed import Listed
from hostile.servers.phreeqc import ENDLESS
from hostile.servers.target import Target
from labrig_phreeqc.engine import closing
from labrig_phreeqc.engine.run import Limits
from support.every_server import FOLDER, installed, known, names, target, toys
from support.toys_installed import toys_installed

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="what is left behind can be found on Linux only"
)

SAMPLED = ("phreeqc",)
"""Servers that stand a sample in `make test`: the general cases against one stand for those against the others."""
QUICK = [
    pytest.param(name, case, id=f"{name}-{case.name}", marks=[] if name in SAMPLED else pytest.mark.accept)
    for name in names()
    for case in cases_of(name)
    if case.quick
]


def _tier(transport: str, case: Case) -> pytest.MarkDecorator:
    """All are made over HTTP; over stdio those for which the transport may matter, and the quick ones."""
    concerned = case.http or case.family in ("Protocol", "Calls and processes")
    return pytest.mark.accept if transport == "HTTP" or case.quick or concerned else pytest.mark.soak


OVER_BOTH = [
    pytest.param(name, transport, case, id=f"{name}-{transport}-{case.name}", marks=_tier(transport, case))
    for name in installed()
    for transport in TRANSPORTS
    for case in cases_of(name)
]
GetRig = Callable[[str, str], Rig]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory, databases: Path) -> Iterator[GetRig]:
    """Give a server over a transport, started when it is first asked for; a case that ends it starts it again."""
    rigs: dict[tuple[str, str], Rig] = {}

    def get(name: str, transport: str) -> Rig:
        if (name, transport) not in rigs:
            target(name).needs()
            folder = tmp_path_factory.mktemp("hostile") / transport
            rigs[name, transport] = Rig(name, transport, folder)
        return rigs[name, transport]

    with adopting(), toys_installed():
        try:
            yield get
        finally:
            for each in rigs.values():
                each.close()


@pytest.mark.parametrize(("name", "case"), QUICK)
def test_the_server_stands_a_sample(name: str, case: Case, rig: GetRig) -> None:
    assert attack(rig(name, "stdio"), case).faults == []


@pytest.mark.parametrize(("name", "transport", "case"), OVER_BOTH)
def test_the_server_stands(name: str, transport: str, case: Case, rig: GetRig) -> None:
    record = attack(rig(name, transport), case, whole=False)
    assert record.faults == []
    if name not in waiting():
        assert published()[name, case.name, transport] == record.cell


@pytest.mark.accept
@pytest.mark.parametrize("name", toys())
def test_a_toy_stands_over_http(name: str, rig: GetRig) -> None:
    for case in cases_of(name):
        assert attack(rig(name, "HTTP"), case, whole=False).faults == [], case.name


@pytest.mark.accept
@pytest.mark.usefixtures("rig")
def test_a_server_of_which_nothing_is_known_is_attacked_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its tools list alone; the canary is that list."""
    monkeypatch.setattr(attacks, "target", lambda name: Target())
    server = Rig("scale", "stdio", tmp_path / "stdio")
    try:
        records = [attack(server, case) for case in GENERAL if not case.http and not case.theirs]
    finally:
        server.close()
    assert [(each.case.name, each.faults) for each in records if each.faults] == []
    assert "refused" in {each.outcome for each in records}


def test_in_turn_no_argument_and_no_value_is_left_out() -> None:
    text, number = {"type": "string"}, {"type": "integer"}
    tools = [
        {
            "name": name,
            "inputSchema": {"properties": {f"{name}{at}": text for at in range(6)} | {"n": number}},
        }
        for name in "abc"
    ]
    listed = Listed(tools)
    every, in_turn = listed.argument_calls(odd_texts), listed.argument_calls(odd_texts, in_turn=True)
    assert len(every) == 18 * len(ODD_TEXTS)
    assert all(call in every for call in in_turn)
    assert [next(iter(given)) for _, given in in_turn] == [f"{name}{at}" for name in "abc" for at in range(6)]
    assert {text for _, given in in_turn for text in given.values()} == set(ODD_TEXTS)


def waiting() -> set[str]:
    """Return the new servers that `make attack` has not met yet; the page says nothing of them."""
    return {name for name in installed() if getattr(known(name), "NOT_YET_ON_THE_PAGE", False)}


def test_the_page_has_every_attack_and_no_other() -> None:
    shown = {(server, name) for server, name, _ in published()}
    met = [server for server in installed() if server not in waiting()]
    assert shown == {(server, case.name) for server in met for case in cases_of(server)}
    assert len(GENERAL) >= 40


@pytest.mark.parametrize("name", names())
def test_names_of_attacks_are_distinct(name: str) -> None:
    cases = [case.name for case in cases_of(name)]
    assert len(set(cases)) == len(cases)


@pytest.mark.parametrize("name", names())
def test_a_server_says_how_it_is_attacked(name: str) -> None:
    """Without a canary, all that is known after an attack is that the server lists its tools."""
    about = getattr(known(name), "TARGET", None)
    where = f"TARGET in {FOLDER}/{name}.py"
    assert about is not None, f"{name} is attacked by its tools list alone: give it a {where}"
    assert about.canary is not None, f"{where} lacks a canary: a call whose answer is known"


@pytest.mark.accept
def test_an_attack_that_succeeds_is_seen(rig: GetRig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a secret, write outside, leave a process, answer too much, die: each must be called by its name."""
    server = rig("phreeqc", "stdio")

    def tried(name: str, act: Callable[[Rig], object], *, kills: bool = False) -> Record:
        return attack(server, Case("", name, "", Act(lambda rig: str(act(rig))), ("None",), kills=kills))

    secret = Case(
        "",
        "secret",
        "",
        (Call("read_file", {"path": "hard"}),),
        ("ok",),
        plant=(("hard link", "hard", "{outside}/secret.txt"),),
    )
    read = attack(server, secret)
    assert read.accepted
    assert read.reads == ["in an answer (ok)", "in hard of the workspace"]
    written = tried("vandal", lambda rig: (rig.guard.home / ".ssh" / "id_rsa").chmod(0o777))
    assert [Path(each).name for each in written.writes] == ["id_rsa"]
    created = tried("litter", lambda rig: (rig.guard.cwd / "x").touch())
    assert [Path(each).name for each in created.writes] == ["x"]
    orphan = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)"
    monkeypatch.setattr(attacks, "LEFT_S", 0.5)
    left = tried("orphan", lambda rig: subprocess.run([sys.executable, "-c", orphan], check=True) and None)
    assert left.left == ["sleep 60 "]
    large = (Call("look_up_database", {"query": "", "kind": "database"}),)
    monkeypatch.setattr("support.answer_sizes.ANSWER_BYTES", 100)
    assert len(attack(server, Case("", "", "", large, ("ok",))).sizes) == 1
    monkeypatch.undo()
    killed = tried("murder", _murder)
    assert killed.dead
    assert not tried("allowed", _murder, kills=True).faults
    assert attack(server, Case("", "", "", (Call("list_file"),), ("refused",))).faults == [
        "outcome 'ok', acceptable: ('refused',)"
    ]
    assert counts([read, written, killed]).startswith(
        "3 cases x 1 transports: 1 server deaths, 1 reads, 1 writes"
    )


def _murder(rig: Rig) -> None:
    rig.server.process.kill()
    rig.server.process.wait()


def test_a_child_that_starts_between_two_looks_is_not_left_behind(
    rig: GetRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PHREEQC's next child is forked some milliseconds after an answer, while the attacker may be looking."""
    server = rig("phreeqc", "stdio")

    def looked(pid: int) -> dict[int, int]:
        seen = descendants(pid)
        assert server.canary()
        assert until(lambda: bool(descendants(pid).keys() - seen.keys()))
        return seen

    monkeypatch.setattr(attacks, "descendants", looked)
    assert server.strangers() == []


def test_what_a_run_holds(rig: GetRig) -> None:
    """A run has its socket, its stderr, its own status and a pipe, and may open nothing more."""
    server = rig("phreeqc", "stdio")
    server.guard.set_wall(30)
    take_back = server.server.begin("execute_phreeqc", {"input": ENDLESS})
    assert until(lambda: bool(server.working()))
    process = Path(f"/proc/{server.working()[0]}")
    assert until(lambda: _limits(process).get("Max open files") == ("0", "0"))
    held = sorted(os.readlink(each).split(":")[0] for each in (process / "fd").iterdir())
    assert held == ["/memfd", "/memfd", f"/proc/{process.name}/status", "pipe", "socket"]
    limits = _limits(process)
    assert limits["Max address space"] == (str(2 << 30), str(2 << 30))
    assert limits["Max core file size"] == ("1", "1")
    assert limits["Max processes"] == ("0", "0")
    assert limits["Max file size"] == (str(closing.STDERR_BYTES),) * 2
    assert limits["Max cpu time"][0] == str(Limits().cpu_s)
    assert os.readlink(process / "cwd") == "/"
    environment = (process / "environ").read_bytes()
    assert b"LABRIG" not in environment
    assert b"HOME" not in environment
    take_back()
    assert until(lambda: not server.working())


def _limits(process: Path) -> dict[str, tuple[str, str]]:
    found = {}
    with contextlib.suppress(OSError):
        for line in (process / "limits").read_text().splitlines()[1:]:
            found[line[:26].strip()] = (line[26:].split()[0], line[26:].split()[1])
    return found


_CONFINED = """
import json, os, socket, sys
from labrig_phreeqc.engine.closing import limits_of
from labrig.isolation.inside import limits
ways = {
    "open": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "create": lambda: os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY),
    "list": lambda: os.listdir("/"),
    "socket": socket.socket,
    "socket pair": socket.socketpair,
    "pipe": os.pipe,
    "memory file": lambda: os.memfd_create("x"),
    "duplicate": lambda: os.dup2(1, 9),
}
limits.put_up(limits_of({"memory_bytes": 2 << 30, "cpu_s": 5}))
found = {}
for name, way in ways.items():
    try:
        found[name] = repr(way())
    except OSError as error:
        found[name] = error.errno
print(json.dumps(found))
"""


def test_nothing_can_be_opened_once_confined(tmp_path: Path) -> None:
    """No file and no socket, so no network either: each needs a descriptor, and there is none to be had."""
    done = subprocess.run(
        [sys.executable, "-c", _CONFINED, str(tmp_path / "x")], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert found.pop("duplicate") == errno.EBADF
    assert set(found.values()) == {errno.EMFILE}, found
    assert not (tmp_path / "x").exists()


@pytest.mark.accept
@pytest.mark.parametrize("folder", ["servers", "sandbox"])
def test_a_question_about_the_attacks_starts_none(folder: str) -> None:
    program = Path(__file__).parents[1] / "hostile" / folder / "attack.py"
    for words, code in ((["--help"], 0), (["--write", "password"], 2), (["--sever=phreeqc"], 2)):
        done = subprocess.run([sys.executable, program, *words], capture_output=True, text=True, timeout=60)
        assert done.returncode == code and "usage:" in done.stdout + done.stderr, words
        assert "stood" not in done.stdout, words


async def test_the_watch_sees_what_holds_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio.Handle, "_run", asyncio.Handle._run)
    monkeypatch.setattr(watched, "MOST_S", 0.05)
    watched.watch(tmp_path / "held")

    async def hold(seconds: float) -> None:
        began = time.thread_time()
        while time.thread_time() - began < seconds:
            pass

    await asyncio.create_task(hold(0.1))
    await asyncio.create_task(asyncio.to_thread(sum, range(1000)))
    (line,) = (tmp_path / "held").read_text().splitlines()
    assert "hold()" in line and line.startswith("the event loop was held for 0.1 s")
