"""Warm children: each question in a process of its own, which ends alone; one that stays keeps its state."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from hostile.guard import descendants
from labrig.errors import LabrigError
from labrig.isolation.children import Children, refusal
from labrig.isolation.process import Limits
from labrig.sideenv import find_side_env, status

WORK = """
import gc, os, sys, threading, time
from labrig.isolation.inside.answering import FIRST_FILE, Refused
seen = []

def work(question):
    seen.append(question)
    do = question["do"]
    if do == "say":
        print("printed")
        return f"{os.getpid()} {os.getppid()} {len(seen)}".encode()
    if do == "collect":
        return str(gc.isenabled()).encode()
    if do == "read":
        return os.read(FIRST_FILE, 100) + b" " + str(len(os.listdir("/proc/self/fd"))).encode()
    if do == "read all":
        return b" ".join(os.pread(FIRST_FILE + each, 9, 0) for each in range(question["count"]))
    if do == "refuse":
        raise Refused("no such thing", "not_found", where="there", **{"try": "that"})
    if do == "fail":
        return 1 / 0
    if do == "abort":
        os.abort()
    if do == "fill":
        return bytes(bytearray(8 << 30))
    if do == "flood":
        return bytes(int(question["size"]))
    if do == "loop":
        while True:
            pass
    if do == "sleep":
        time.sleep(600)
    if do == "leave":
        first, second = os.pipe()
        if os.fork() == 0:
            os.setsid()  # no signal to the child's group reaches it
            if os.fork() != 0:
                os._exit(0)
            os.write(second, str(os.getpid()).encode())
            time.sleep(600)
        left = os.read(first, 20)
        if question.get("then") == "sleep":
            open(question["file"], "wb").write(left)
            time.sleep(600)
        return left
    if do == "threads":
        for _ in range(200):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        time.sleep(60)
    if do == "exit":
        os._exit(0)
"""
LIMITS = Limits(wall_s=20, cpu_s=2, memory_bytes=2 << 30, output_bytes=1 << 20)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "answering_toy.py").write_text(WORK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    monkeypatch.setenv("SECRET_KEY", "x")
    return "answering_toy"


def toy(module: str, **more: object) -> Children:
    return Children(module, what="The toy", limits=LIMITS, **more)  # type: ignore[arg-type]


async def test_each_question_has_a_process_of_one_warm_parent(module: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("content")
    async with toy(module) as children:
        said = [(await children.ask({"do": "say"})) for _ in range(3)]
        assert all(each.kind == "ok" and each.stderr == b"printed\n" for each in said)
        pids, parents, counts = zip(*(each.stdout.split() for each in said), strict=True)
        assert len(set(pids)) == 3 and len(set(parents)) == 1 and set(counts) == {b"1"}, (
            "nothing of another is seen"
        )
        with (tmp_path / "file").open("rb") as file:
            read = await children.ask({"do": "read"}, [file.fileno()])
        assert read.stdout == b"content 6", "input, output twice, errors, the file, and the listing itself"
        parent = int(parents[0])
        assert b"SECRET_KEY" not in Path(f"/proc/{parent}/environ").read_bytes()
    assert not Path(f"/proc/{parent}").exists()


async def test_a_process_that_begins_before_the_first_question_answers_it_or_ends_with_the_rest(
    module: str,
) -> None:
    before = set(descendants(os.getpid()))
    asked, unasked = toy(module), toy(module)
    asked.begin()
    unasked.begin()
    begun = set(descendants(os.getpid())) - before
    assert len(begun) == 2
    assert int((await asked.ask({"do": "say"})).stdout.split()[1]) in begun
    assert (await asked.ask({"do": "collect"})).stdout == b"True", "it stood still for the import alone"
    await asked.close()
    await unasked.close()
    assert not set(descendants(os.getpid())) & begun


async def test_more_files_come_than_one_message_carries(module: str, tmp_path: Path) -> None:
    count = 300
    paths = [tmp_path / f"{number}.txt" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(str(number))
    limits = replace(LIMITS, descriptors=1024)
    with ExitStack() as held:
        files = [held.enter_context(path.open("rb")).fileno() for path in paths]
        async with toy(module) as children:
            read = await children.ask({"do": "read all", "count": count}, files, limits=limits)
    assert read.stdout.split() == [str(number).encode() for number in range(count)]


async def test_what_waits_for_its_turn_or_for_the_start_begins_nothing_after_the_end(module: str) -> None:
    """A process that starts after `close` would be ended by nobody."""
    before = set(descendants(os.getpid()))
    children = toy(module, slots=1, places=1)
    await children.ask({"do": "say"})
    asked = [asyncio.create_task(children.ask({"do": each})) for each in ("sleep", "say")]
    await asyncio.sleep(0)  # the first has its turn, the second waits
    await children.close()
    starting = toy(module)
    asked.append(asyncio.create_task(starting.ask({"do": "say"})))
    while not set(descendants(os.getpid())) - before:
        await asyncio.sleep(0)
    await starting.close()
    came = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(each, LabrigError) and each.code for each in came] == ["engine"] * 3, came
    assert not set(descendants(os.getpid())) - before
    with pytest.raises(LabrigError, match="was closed"):
        await children.ask({"do": "say"})


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ({"do": "fail"}, "exit", "ZeroDivisionError: division by zero"),
        ({"do": "abort"}, "signal", ""),
        ({"do": "fill"}, "memory_limit", "MemoryError"),
        ({"do": "flood", "size": 2 << 20}, "output_limit", ""),
        ({"do": "threads"}, "thread_limit", ""),
        ({"do": "exit"}, "ok", ""),
        pytest.param({"do": "loop"}, "cpu_limit", "", marks=pytest.mark.accept),
    ],
)
async def test_a_child_that_fails_ends_alone(
    module: str, question: dict[str, object], kind: str, said: str
) -> None:
    async with toy(module) as children:
        before = (await children.ask({"do": "say"})).stdout.split()[1]
        outcome = await children.ask(question)
        assert outcome.kind == kind and said.encode() in outcome.stderr, outcome
        assert kind != "cpu_limit" or outcome.signal == "SIGXCPU", "not a SIGKILL, which says nothing"
        assert (await children.ask({"do": "say"})).stdout.split()[1] == before


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel gives orphans to whom it is told on Linux")
async def test_what_left_the_group_of_a_child_ends_with_it_and_no_other(module: str, tmp_path: Path) -> None:
    file = tmp_path / "left"
    async with toy(module) as children:
        question = {"do": "leave", "then": "sleep", "file": str(file)}
        staying = asyncio.create_task(children.ask(question, limits=Limits(wall_s=60)))
        while not file.exists() or not file.read_bytes():
            await asyncio.sleep(0.01)
        other = int(file.read_bytes())
        gone = int((await children.ask({"do": "leave"})).stdout)
        assert not Path(f"/proc/{gone}").exists()
        assert Path(f"/proc/{other}").exists(), "what another child started stays with that"
        staying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await staying
        assert not Path(f"/proc/{other}").exists()


async def test_a_refusal_comes_back_as_it_was_raised(module: str) -> None:
    async with toy(module) as children:
        refused = refusal(await children.ask({"do": "refuse"}))
        assert refused is not None
        assert refused.to_dict() == {
            "code": "not_found",
            "what": "no such thing",
            "where": "there",
            "try": "that",
        }


@pytest.mark.accept
async def test_time_cancelling_and_a_killed_parent(module: str) -> None:
    async with toy(module) as children:
        late = await children.ask({"do": "sleep"}, limits=Limits(wall_s=0.2))
        assert late.kind == "wall_limit"
        parent = int((await children.ask({"do": "say"})).stdout.split()[1])
        asked = asyncio.create_task(children.ask({"do": "sleep"}))
        running = Path(f"/proc/{parent}/task/{parent}/children")
        while not running.read_text().strip():
            await asyncio.sleep(0.01)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert not running.read_text().strip(), "it has ended with who asked"
        asked = asyncio.create_task(children.ask({"do": "sleep"}))
        while not (child := running.read_text().strip()):
            await asyncio.sleep(0.01)
        os.kill(parent, signal.SIGKILL)
        with pytest.raises(LabrigError, match="ended unexpectedly"):
            await asked
        deadline = time.monotonic() + 10
        while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        assert not Path(f"/proc/{child}").exists(), "the kernel has ended it"
        assert (await children.ask({"do": "say"})).kind == "ok", "another one was started"


async def test_one_that_stays_keeps_its_state_until_it_ends(module: str) -> None:
    async with toy(module) as children, children.standing() as child:
        first, second = [(await child.ask({"do": "say"})).split() for _ in range(2)]
        assert first[0] == second[0] and (first[2], second[2]) == (b"1", b"2")
        with pytest.raises(LabrigError, match="no such thing"):
            await child.ask({"do": "refuse"})
        assert (await child.ask({"do": "say"})).split()[2] == b"4"
        assert len(await child.ask({"do": "flood", "size": 1 << 19})) == 1 << 19
        with pytest.raises(LabrigError, match="SIGABRT"):
            await child.ask({"do": "abort"})
        with pytest.raises(LabrigError) as gone:
            await child.ask({"do": "say"})
        assert gone.value.code in ("engine", "limit")
        assert (await children.ask({"do": "say"})).kind == "ok"
    assert not Path(f"/proc/{int(first[0])}").exists()


async def test_one_that_stays_has_time_for_each_question(module: str) -> None:
    async with toy(module) as children:
        async with children.standing(limits=Limits(wall_s=0.3)) as child:
            with pytest.raises(LabrigError, match=r"took longer than 0\.3 s"):
                await child.ask({"do": "sleep"})
        async with children.standing(limits=LIMITS) as child:
            with pytest.raises(LabrigError, match="wrote more than"):
                await child.ask({"do": "flood", "size": 3 << 20})


async def test_too_many_wait_in_vain_and_an_idle_process_ends(module: str) -> None:
    async with toy(module, slots=1, places=1, idle_s=0.2) as children:
        parent = int((await children.ask({"do": "say"})).stdout.split()[1])
        held = [asyncio.create_task(children.ask({"do": "sleep"})) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(LabrigError) as busy:
            await children.ask({"do": "say"})
        assert busy.value.code == "busy"
        for each in held:
            each.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        deadline = time.monotonic() + 10
        while Path(f"/proc/{parent}").exists() and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        assert not Path(f"/proc/{parent}").exists()
        assert (await children.ask({"do": "say"})).kind == "ok"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_package", "no_such_package"),
        ("work = 1 / 0", "division by zero"),
        ("", "has no attribute 'work'"),
        pytest.param(
            "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\nwork = len",
            "1 threads",
            marks=pytest.mark.accept,
        ),
    ],
)
async def test_a_module_that_cannot_be_asked_is_said_so(
    tmp_path: Path, module: str, text: str, said: str
) -> None:
    (tmp_path / "modules" / "broken_toy.py").write_text(text)
    async with toy("broken_toy") as children:
        with pytest.raises(LabrigError, match=said) as caught:
            await children.ask({})
        assert caught.value.code == "internal"


async def test_a_process_that_could_not_be_started_is_started_the_next_time(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = toy(module)
    with monkeypatch.context() as patch:
        patch.setattr(Children, "_command", lambda self: ["/no/such/program"])
        with pytest.raises(LabrigError, match="could not be started"):
            await children.ask({"do": "say"})
    assert (await children.ask({"do": "say"})).kind == "ok"
    await children.close()


async def test_a_relative_folder_is_the_one_that_it_was(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.chdir(tmp_path)
    children = toy(module, python=Path(sys.executable), folders=[Path("modules")])
    monkeypatch.chdir("/")
    async with children:
        assert b" 1" in (await children.ask({"do": "say"})).stdout
    with pytest.raises(LabrigError, match="not a folder"):
        toy(module, python=Path(sys.executable), folders=[Path("modules")])


@pytest.mark.accept
async def test_the_python_of_another_environment_answers(tmp_path: Path) -> None:
    env = find_side_env("sandbox")
    if status(env).state != "installed":
        pytest.skip("no sandbox is installed: labrig setup sandbox")
    (tmp_path / "in_pandas.py").write_text(
        "import json, sys\nsys.modules['pyarrow'] = None  # it starts a thread\nimport pandas\n"
        "from labrig.isolation.inside.answering import Refused\n"
        "def work(q):\n    if q is None: raise Refused('nothing')\n"
        "    return json.dumps([sys.prefix, float(pandas.Series(q).mean()), 'labrig.errors' in sys.modules]).encode()\n"
    )
    python = env.path / "bin" / "python"
    async with Children(
        "in_pandas", what="The toy", python=python, folders=[tmp_path], preload=["numpy"]
    ) as children:
        outcome = await children.ask([1, 2, 6])
        prefix, mean, ours = json.loads(outcome.stdout)
        assert Path(prefix).samefile(env.path) and mean == 3.0 and not ours
        refused = refusal(await children.ask(None))
        assert refused is not None and refused.what == "nothing"
        async with children.standing() as child:
            assert json.loads(await child.ask([4]))[1] == 4.0
