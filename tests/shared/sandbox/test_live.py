"""Sessions: variables, imports and open figures stay from cell to cell, in a process that is stopped between them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.sandbox import Result, Sandbox
from labrig.sandbox.forkserver import ForkServer
from labrig.sandbox.inputs import Input, Inputs, Standing
from labrig.turns import OWNER
from support.sandbox_rig import BACKENDS, Rig, rig


@pytest.fixture(scope="module", params=BACKENDS)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Rig]:
    with rig(backend=request.param, warm=False) as made:
        try:
            made.run("1", session="first")
        except LabrigError as error:
            pytest.skip(str(error))
        made.sandbox.end_session("first")
        yield made


@pytest.fixture
def cell(sandbox: Rig, request: pytest.FixtureRequest) -> Iterator[Any]:
    def run(code: str, **options: Any) -> Result:
        return sandbox.run(code, session=request.node.name, **options)

    yield run
    sandbox.sandbox.end_session(request.node.name)


def state(pid_line: str) -> str:
    return Path(f"/proc/{pid_line}/stat").read_text().rpartition(")")[2].split()[0]


def test_names_imports_and_errors_stay(cell: Any) -> None:
    assert cell("import math\nx = [1]\ndef f(): return len(x)").status == "ok"
    assert cell("x.append(math.pi); f()").output == "2\n"
    failed = cell("x.append(3)\nraise ValueError('no')")
    assert (failed.status, failed.detail, failed.exit_code) == ("error", "it raised ValueError", 1)
    assert cell("print(len(x)); f()").output == "3\n"
    assert cell("import sys; sys.exit(3)").status == "exit"
    assert cell("def g():\n    return 1 / 0").status == "ok"
    assert "return 1 / 0" in cell("x = 0\ng()").error
    assert cell("x;", display="always").output == ""
    assert cell("print(1)\nx", display="always").output == "1\n0\n"
    assert "each run starts anew" not in " ".join(cell("unknown").notes)


def test_output_and_files_are_those_of_the_cell(cell: Any) -> None:
    assert cell("print('one'); open('a.txt', 'w').write('a')").files == {"a.txt": b"a"}
    second = cell("print('two'); open('b.txt', 'w').write('b')")
    assert (second.output, second.files) == ("two\n", {"b.txt": b"b"})
    assert cell("print(open('a.txt').read(), end='')").files == {}
    assert cell("open('a.txt', 'a').write('more')").files == {"a.txt": b"amore"}
    assert cell("print('x' * 300_000)").cut == {"output": 200_001}
    assert cell("print('after')").output == "after\n"


def test_a_figure_is_shown_when_it_is_new_or_has_changed(cell: Any) -> None:
    drawn = cell("import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 2]);")
    assert tuple(drawn.figures) == ("figure-1.png",)
    assert not cell("1").figures
    assert tuple(cell("axes.plot([2, 1]);").figures) == ("figure-1-2.png",)
    assert tuple(cell("plt.figure(7); plt.plot([3]); plt.figure(1);").figures) == ("figure-7.png",)
    assert cell("print(plt.gcf().number); plt.close('all')").output == "1\n"


def test_a_figure_that_the_code_saved_is_shown_once_by_its_own_name(cell: Any) -> None:
    plot = "import matplotlib.pyplot as plt, os\nfigure, axes = plt.subplots()\naxes.plot([1, 2])\n"
    drawn = cell(
        plot + "axes.set(title='Depth', xlabel='T (degC)', ylabel='z (m)')\nfigure.savefig('profile.png')"
    )
    assert drawn.figures == {"profile.png": "Depth; x: T (degC), y: z (m)"} and [*drawn.files] == [
        "profile.png"
    ]
    assert not cell("1").figures
    assert [*cell("axes.plot([3]);").figures] == ["figure-1.png"]  # changed since it was saved
    assert [*cell("plt.close('all')\nos.mkdir('out')\n" + plot + "plt.savefig('out/bare')").figures] == [
        "out/bare.png"
    ]
    for elsewhere in (
        "figure.savefig('a.pdf')",
        "figure.savefig('/tmp/a.png')",
        "figure.savefig(open('b', 'wb'))",
    ):
        (name,) = cell(
            f"plt.close('all')\n{plot}{elsewhere}"
        ).figures  # no picture among the files of the run
        assert name.startswith("figure-1"), elsewhere


def test_the_process_is_stopped_between_cells(sandbox: Rig, cell: Any) -> None:
    code = """
import threading
def spin():
    while True:
        pass
threading.Thread(target=spin, daemon=True).start()
"""
    before = descendants(sandbox)
    assert cell(code).status == "ok"
    (pid,) = descendants(sandbox) - before
    assert until(lambda: state(pid) == "T")
    assert cell("1 + 1").output == "2\n"


def descendants(sandbox: Rig) -> set[str]:
    from support.sandbox_rig import children

    assert sandbox.sandbox.pid
    return set(map(str, children(sandbox.sandbox.pid)))


def until(true: Any) -> bool:
    import time

    for _ in range(200):
        if true():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("code", "limits", "status"),
    [
        ("while True: pass", {"wall_s": 1.0}, "wall_limit"),
        ("while True: pass", {"wall_s": 60.0, "cpu_s": 1.0}, "cpu_limit"),
        ("import os; os._exit(4)", {}, "exit"),
        ("import ctypes; ctypes.string_at(0)", {}, "crashed"),
        (
            "import threading, time\n"
            "for _ in range(90): threading.Thread(target=time.sleep, args=(9,)).start()\ntime.sleep(9)",
            {},
            "thread_limit",
        ),
    ],
    ids=["wall", "cpu", "exit", "crash", "threads"],
)
def test_a_cell_that_ends_the_process_ends_the_session(
    cell: Any, code: str, limits: dict[str, Any], status: str
) -> None:
    cell("x = 1")
    assert cell(code, **limits).status == status
    after = cell("x")
    assert after.status == "error" and after.notes[0].startswith("the session was begun anew")
    assert status in after.notes[0] and cell("'again'").output == "again\n"


def test_limits_hold_for_each_cell_and_do_not_add_up(cell: Any) -> None:
    spin = "import time\nend = time.process_time() + 0.6\nwhile time.process_time() < end: pass"
    for _ in range(3):
        assert cell(spin, cpu_s=1.5, wall_s=60.0).status == "ok"
    big = cell("kept = bytearray(400 << 20)", memory_bytes=256 << 20)
    assert big.status in ("memory_limit", "ok")  # of the process: what the first cell was given holds
    assert cell("1").status == "ok"


def test_inputs_come_with_any_cell(cell: Any, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("one")
    (tmp_path / "two.txt").write_text("two")
    cell("x = 1")
    assert cell("open('inputs/a.txt').read()", inputs={"a.txt": tmp_path / "one.txt"}).output == "one\n"
    assert cell("open('inputs/a.txt').read()").output == "one\n"
    assert cell("open('inputs/a.txt').read()", inputs={"a.txt": tmp_path / "two.txt"}).output == "two\n"
    assert "OSError" in cell("open('inputs/a.txt', 'w')\n").error.replace("PermissionError", "OSError")


@pytest.mark.accept
def test_inputs_of_many_cells_have_a_limit(
    cell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "some").write_bytes(b"x" * 60)
    monkeypatch.setattr("labrig.sandbox.inputs.MAX_COPIED", 100)
    cell("kept = 1", inputs={"a": tmp_path / "some"})
    cell("1", inputs={"b": tmp_path / "some"})
    with pytest.raises(LabrigError, match=r"more than 100 bytes.*ending the session"):
        cell("1", inputs={"c": tmp_path / "some"})
    assert cell("kept").output == "1\n"  # nothing is lost by it


def test_what_a_cancelled_call_was_placing_goes_away(
    sandbox: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "many.txt").touch()
    placed, let_go, place = threading.Event(), threading.Event(), Inputs.place

    def place_and_wait(self: Inputs, *given: Any) -> list[Input]:
        found = place(self, *given)
        placed.set()
        let_go.wait(60)
        return found

    monkeypatch.setattr(Inputs, "place", place_and_wait)

    async def cancelled() -> None:
        call = asyncio.create_task(sandbox.sandbox.run("1", session="placing", inputs={"many": tmp_path}))
        assert await asyncio.to_thread(placed.wait, 60)
        call.cancel()
        await asyncio.wait([call])
        let_go.set()
        async with asyncio.timeout(60):  # the thread that places ends by itself; its copies go in this loop
            while list(area.glob("*/many")):
                await asyncio.sleep(0.01)

    assert sandbox.sandbox._folder is not None
    area = sandbox.sandbox._folder.inputs
    sandbox.go(cancelled())
    sandbox.sandbox.end_session("placing")


def test_functions_of_the_host_are_those_of_the_cell(cell: Any) -> None:
    async def tell(x: int) -> int:
        """tell(x)"""
        return x + 1

    assert cell("tell(1)", functions={"tell": tell}).output == "2\n"
    assert "there is no function" in cell("tell(1)").error


def test_a_session_belongs_to_its_owner_and_its_name(sandbox: Rig) -> None:
    for owner in ("a", "b"):
        sandbox.run(f"x = {owner!r}", session="mine", owner=owner)
    assert sandbox.run("x", session="mine", owner="a").output == "'a'\n"[1:-2] + "\n"
    assert "NameError" in sandbox.run("x", session="other", owner="a").error
    for session, owner in (("mine", "a"), ("other", "a"), ("mine", "b")):
        assert sandbox.sandbox.end_session(session, owner)
    assert not sandbox.sandbox.end_session("mine", "a")


def test_there_are_so_many(sandbox: Rig) -> None:
    try:
        for number in range(4):
            sandbox.run("1", session=f"s{number}")
        with pytest.raises(LabrigError, match=r"too many sessions.*'s0' or 's1'"):
            sandbox.run("1", session="s4")
        assert sandbox.sandbox.end_session("s2")
        assert sandbox.run("1", session="s4").status == "ok"
    finally:
        for number in range(5):
            sandbox.sandbox.end_session(f"s{number}")
    assert OWNER.get() == "local"


def test_no_more_come_of_many_calls_at_once(sandbox: Rig) -> None:
    names = [f"m{number}" for number in range(9)]
    before = descendants(sandbox)
    said = together(sandbox, [sandbox.sandbox.run("1", session=name, owner="many") for name in names])
    assert said == ["ok"] * 4 + ["limit"] * 5
    assert until(lambda: len(descendants(sandbox) - before) == 4)
    for name in names:
        sandbox.sandbox.end_session(name, "many")
    assert until(lambda: descendants(sandbox) <= before)


def test_one_that_is_ended_before_it_has_begun_leaves_nothing(sandbox: Rig) -> None:
    async def ended() -> None:
        for _ in range(6):
            call = asyncio.create_task(sandbox.sandbox.run("1", session="early", owner="early"))
            for _ in range(4):
                await asyncio.sleep(0)
            sandbox.sandbox.end_session("early", "early")
            calls.append(call)
        await asyncio.wait(calls)

    calls: list[asyncio.Task[Result]] = []
    before = descendants(sandbox)
    sandbox.go(ended())
    assert until(lambda: len(descendants(sandbox) - before) <= 1)
    sandbox.sandbox.end_session("early", "early")
    assert until(lambda: descendants(sandbox) <= before)


def test_so_many_calls_wait_for_one(sandbox: Rig) -> None:
    calls = [sandbox.sandbox.run("1", session="long", owner="long") for _ in range(40)]
    assert together(sandbox, calls) == ["ok"] * 33 + ["busy"] * 7
    sandbox.sandbox.end_session("long", "long")


@pytest.mark.accept
def test_those_that_have_ended_are_forgotten(sandbox: Rig) -> None:
    known = len(sandbox.sandbox._lives)
    for number in range(12):
        sandbox.run("import os; os._exit(0)", session=f"gone{number}", owner="gone")
    assert len(sandbox.sandbox._lives) <= known + 5
    assert "ended with ok" in sandbox.run("1", session="gone11", owner="gone").notes[0]
    sandbox.sandbox.end_session("gone11", "gone")


@pytest.mark.accept
def test_who_has_most_gives_way_to_another(sandbox: Rig) -> None:
    owners = ["o1", "o2", "o3", "o4"]
    for owner in owners:
        for name in "abcd":
            sandbox.run("kept = 1", session=name, owner=owner)
    sandbox.run("kept", session="a", owner="o1")  # it was used last
    assert sandbox.run("1", session="a", owner="o5").status == "ok"
    assert sandbox.run("kept", session="a", owner="o1").status == "ok"
    with pytest.raises(LabrigError, match=r"too many sessions.*'c' or 'd' or 'a'"):
        sandbox.run("kept", session="b", owner="o1")
    sandbox.sandbox.end_session("a", "o5")
    assert "another caller" in sandbox.run("kept", session="b", owner="o1").notes[0]
    for owner in [*owners, "o5"]:
        for name in "abcd":
            sandbox.sandbox.end_session(name, owner)


def together(sandbox: Rig, calls: list[Any]) -> list[str]:
    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*calls, return_exceptions=True)

    return [each.code if isinstance(each, LabrigError) else each.status for each in sandbox.go(all_of_them())]


def test_two_calls_at_once_come_one_after_the_other(sandbox: Rig) -> None:
    async def both() -> list[Result]:
        run = sandbox.sandbox.run
        return await asyncio.gather(
            run("import time\nx = 1\ntime.sleep(0.3)\nx += 1", session="two"),
            run("x += 10\nx", session="two"),
        )

    assert [each.output for each in sandbox.go(both())] == ["", "12\n"]
    sandbox.sandbox.end_session("two")


def test_a_call_that_is_cancelled_ends_the_session(sandbox: Rig) -> None:
    async def cancelled() -> None:
        await sandbox.sandbox.run("x = 1", session="gone")
        task = asyncio.create_task(sandbox.sandbox.run("while True: pass", session="gone"))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    sandbox.go(cancelled())
    after = sandbox.run("x", session="gone")
    assert "a call was cancelled" in after.notes[0] and "NameError" in after.error
    sandbox.sandbox.end_session("gone")


def test_a_session_that_is_ended_while_it_runs_is_cancelled(sandbox: Rig) -> None:
    async def ended() -> Result:
        task = asyncio.create_task(sandbox.sandbox.run("print('begun')\nwhile True: pass", session="ended"))
        while not sandbox.sandbox.end_session("ended"):
            await asyncio.sleep(0.05)
        return await task

    assert sandbox.go(ended()).status == "cancelled"
    assert "NameError" in sandbox.run("x", session="ended").error
    sandbox.sandbox.end_session("ended")


def test_a_sandbox_that_is_closed_ends_its_sessions() -> None:
    async def closed() -> list[Any]:
        sandbox = Sandbox()
        await sandbox.run("x = 1", session="idle")
        task = asyncio.create_task(sandbox.run("while True: pass", session="busy"))
        await asyncio.sleep(0.5)
        await asyncio.wait_for(sandbox.close(), 30)
        return await asyncio.gather(task, return_exceptions=True)

    (came,) = asyncio.run(closed())
    assert isinstance(came, LabrigError) or came.status == "cancelled"


def test_what_a_cell_says_of_its_end_is_not_believed_beyond_itself(cell: Any) -> None:
    """The code may write to the host's socket: it can end its own cell, no more."""
    code = """
import os, json, time
os.write(3, (json.dumps({"end": {"ended": "ok", "code": "x", "figures": ["../f"], "notes": [1]}}) + "\\n").encode())
time.sleep(0.2)
"""
    assert cell(code).status in ("ok", "exit")
    assert cell("print('still')").status in ("ok", "flood", "exit", "error")
    assert cell("os.write(3, b'no message\\n'); time.sleep(5)").status in ("flood", "ok", "error", "exit")


def test_a_session_stands_in_its_folder(sandbox: Rig, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    about = tmp_path.stat()
    folder = Standing(tmp_path, (about.st_dev, about.st_ino))
    with rig(backend=sandbox.sandbox.backend, roots=[tmp_path], warm=False) as made:
        assert made.run("open('b.txt', 'w').write('b')", session="s", folder=folder).files == {"b.txt": b"b"}
        assert (
            made.run("import os; sorted(os.listdir())", session="s", folder=folder).output
            == "['a.csv', 'b.txt', 'inputs']\n"
        )
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.csv"]


def test_the_report_of_a_cell_may_be_faster_than_the_word_of_its_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard = ForkServer.heard

    def hear_late(server: ForkServer, event: str, message: dict[str, Any]) -> None:
        if event == "started":
            asyncio.get_running_loop().call_later(0.3, heard, server, event, message)
        else:
            heard(server, event, message)

    monkeypatch.setattr(ForkServer, "heard", hear_late)
    with rig(warm=False) as made:
        assert made.run("open('a.txt', 'w').write('a')", session="late").files == {"a.txt": b"a"}
        assert made.run("open('a.txt').read()", session="late").output == "a\n"


def test_without_a_file_system_of_its_own_there_is_none() -> None:
    with (
        rig(backend="unsafe-local", warm=False) as made,
        pytest.raises(LabrigError, match="file system of its own"),
    ):
        made.run("1", session="s")
