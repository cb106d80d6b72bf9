"""Sessions: variables last from cell to cell, though each call is a process of its own."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.sandbox import conversation, replaying
from labrig.sandbox.replaying import Session
from support.sandbox_rig import Rig


@pytest.fixture(scope="module")
def lab(standing: Callable[[str], Rig]) -> Rig:
    return standing("auto")


def test_variables_imports_classes_and_files_last(lab: Rig, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a\n5\n")
    session = lab.session()
    first = lab.go(
        session.run(
            "import numpy as np, random\nx = np.random.rand()\nclass A:\n    def f(self): return x\n"
            "print('once')\nopen('f.txt', 'w').write('f')\nrandom.random()",
            inputs={"data.csv": tmp_path / "data.csv"},
        )
    )
    assert first.output == "once\n" and list(first.files) == ["f.txt"]
    second = lab.go(session.run("print(A().f() == x, open('f.txt').read(), open('inputs/data.csv').read())"))
    assert second.output == "True f a\n5\n\n" and second.files == {}
    x = lab.go(session.run("x")).output
    assert lab.go(session.run("x")).output == x and len(session.cells) == 4
    third = lab.go(
        session.run("open('f.txt', 'w').write('g')\nimport matplotlib.pyplot as plt\nplt.plot([1])")
    )
    assert third.files["f.txt"] == b"g" and third.figures == ("figure-1.png",)
    assert lab.go(session.run("plt.figure(); 1")).figures == ("figure-1.png",), (
        "earlier figures are not shown again"
    )


def test_a_cell_that_fails_leaves_the_session_as_it_was(lab: Rig) -> None:
    session = lab.session()
    lab.go(session.run("x = 1"))
    failed = lab.go(session.run("x = 2\n1 / 0"))
    assert failed.status == "error" and "as it was before" in failed.notes[-1]
    assert lab.go(session.run("x")).output == "1\n"


def test_the_host_is_asked_once(lab: Rig) -> None:
    asked: list[str] = []

    async def read(path: str) -> str:
        asked.append(path)
        if path == "missing":
            raise LabrigError("There is no such file", where=path)
        return path.upper()

    session = lab.session(functions={"read": read})
    lab.go(
        session.run(
            "texts = [read(p) for p in 'ab']\ntry: read('missing')\nexcept Exception as e: error = str(e)"
        )
    )
    result = lab.go(session.run("texts + [read('c'), error]"))
    assert result.output == "['A', 'B', 'C', 'There is no such file (at missing).']\n"
    assert asked == ["a", "b", "missing", "c"]
    lab.go(session.run("d = read('a')"))
    assert asked[4:] == ["a"], "a new cell asks anew"


def test_what_is_not_the_same_again_is_said(lab: Rig) -> None:
    async def number(n: float) -> float:
        return n

    session = lab.session(functions={"number": number})
    lab.go(session.run("import time\nt = number(time.time())"))
    result = lab.go(session.run("1"))
    assert result.status == "ok" and "1 calls in cells before this one were not the same" in result.notes[0]
    for margin_s in (1, 5, 25):  # within which the cell must have run for the first time
        session = lab.session()
        too_late = time.time() + margin_s
        if lab.go(session.run(f"import time\nt = time.time()\nif t > {too_late}: 1 / 0")).status == "ok":
            break
    lab.go(asyncio.sleep(too_late + 0.1 - time.time()))
    result = lab.go(session.run("t"))
    assert (
        result.status == "error"
        and "cell 1 ended with ZeroDivisionError when it was run again" in result.detail
    )


def test_a_session_is_plain_data(lab: Rig) -> None:
    session = lab.session()
    lab.go(session.run("x = 40"))
    stored = json.dumps(session.cells)
    again = Session(lab.sandbox, cells=tuple(json.loads(stored)))
    assert lab.go(again.run("x + 2")).output == "42\n"


def test_cells_take_turns_and_do_not_grow_for_ever(lab: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    session = lab.session()
    lab.go(session.run("x = 0"))

    async def all_at_once() -> None:
        await asyncio.gather(*(session.run("x += 1") for _ in range(4)))

    lab.go(all_at_once())
    assert lab.go(session.run("x")).output == "4\n"
    monkeypatch.setattr(replaying, "MAX_CELLS", 6)
    with pytest.raises(LabrigError, match="begin a new one"):
        lab.go(session.run("x"))


def test_what_a_cell_asked_is_kept_up_to_a_bound(lab: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    async def length(text: str) -> int:
        return len(text)

    monkeypatch.setattr(conversation, "MAX_KEPT", 50_000)
    session = lab.session(functions={"length": length})
    assert lab.go(session.run("sum(length('x' * 1000) for _ in range(20))")).output == "20000\n"
    flooded = lab.go(session.run("for _ in range(1000): length('x' * 1000)"))
    assert flooded.status == "flood" and "50,000 bytes" in flooded.detail and len(session.cells) == 1
    assert (
        lab.run("sum(length('x' * 1000) for _ in range(200))", functions={"length": length}).output
        == "200000\n"
    )
