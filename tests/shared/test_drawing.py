"""Pictures by a child process: what it refuses, how it fails, what it is given, and that it never stays behind."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.plotting import drawing
from labrig.plotting.drawing import Painter, png_size

DOT = (  # one white pixel
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c63f80f0001010100b138f614"
    "0000000049454e44ae426082"
)
CHILD = """
import json, os, sys, time
from labrig.plotting.drawing import painted
from labrig.errors import LabrigError
PNG = bytes.fromhex({dot!r})
def paint(data):
{body}
work = painted(paint)
"""

Child = Callable[[str], str]


async def draw(module: str, data: dict[str, Any], *, extra: str = "all", wall_s: float = 60) -> bytes:
    async with Painter(module, extra=extra) as painter:
        return await painter.draw(data, wall_s=wall_s)


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Child:
    """Return what makes a module out of the body of its `paint`, none of which needs the plotting library."""
    monkeypatch.setattr(drawing, "SLOW", ())  # with it every child takes half a second to be warm
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    (tmp_path / "modules").mkdir()

    def write(body: str) -> str:
        lines = "\n".join("    " + line for line in body.splitlines())
        (tmp_path / "modules" / "painter.py").write_text(CHILD.format(dot=DOT, body=lines))
        return "painter"

    return write


async def test_the_picture_comes_back_whatever_is_printed(child: Child) -> None:
    module = child(
        "print('hello'); os.system('echo hello'); assert data == {'a': [1, None, 'ä']}; return PNG"
    )
    png = await draw(module, {"a": [1, None, "ä"]})
    assert png == bytes.fromhex(DOT) and png_size(png) == (1, 1)


async def test_the_child_gets_nothing_it_need_not_know(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    module = child("raise LabrigError(json.dumps([dict(os.environ), os.getcwd()]))")
    with pytest.raises(LabrigError) as caught:
        await draw(module, {})
    environment, folder = json.loads(caught.value.what)
    cache = Path(os.environ["LABRIG_HOME"]) / "cache" / "matplotlib"
    assert not {"SECRET_TOKEN", "HOME", "PATH", "DISPLAY"} & set(environment)
    assert (environment["MPLBACKEND"], environment["MPLCONFIGDIR"]) == ("Agg", str(cache)) and Path(
        folder
    ).samefile(cache)


async def test_a_refusal_comes_back_as_it_was_raised(child: Child) -> None:
    module = child(
        "sys.stderr.write('a warning\\n')\n"
        "raise LabrigError('µ is wrong', where='x[3]', expected='a number', try_='3', code='limit')"
    )
    with pytest.raises(LabrigError) as caught:
        await draw(module, {})
    assert caught.value.to_dict() == {
        "code": "limit",
        "what": "µ is wrong",
        "where": "x[3]",
        "expected": "a number",
        "try": "3",
    }


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("import a_plotting_library", "unavailable", "a_plotting_library"),
        ("return 1 / 0", "internal", "exit code 1: ZeroDivisionError: division by zero"),
        ("return b'no picture'", "internal", "not a PNG"),
        ("return PNG[:-1]", "internal", "not a PNG"),
        ("os._exit(2)", "internal", "exit code 2"),
        ("print('[1]', file=sys.stderr); os._exit(2)", "internal", "exit code 2: [1]"),
        ("os.abort()", "engine", "SIGABRT"),
        ("return PNG + bytearray(8 << 30)", "limit", "memory"),
    ],
)
async def test_a_child_that_fails(child: Child, body: str, code: str, said: str) -> None:
    with pytest.raises(LabrigError) as caught:
        await draw(child(body), {}, extra="cinema")
    assert caught.value.code == code and said in str(caught.value)
    assert (caught.value.try_ == "pip install 'labrig[cinema]'") == (code == "unavailable")
    if code == "internal":
        assert "Traceback" not in str(caught.value)


async def test_a_module_that_does_not_exist_is_a_defect(child: Child) -> None:
    with pytest.raises(LabrigError, match="no_such_painter") as caught:
        await draw("no_such_painter", {})
    assert caught.value.code == "internal"


@pytest.mark.accept
async def test_the_wall_limit_kills_the_child(child: Child, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    module = child(f"open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    limit = 4.0
    while not note.exists():  # a busy machine may not get to it in time
        with pytest.raises(LabrigError, match=f"longer than {limit:g} s") as caught:
            await draw(module, {}, wall_s=limit)
        assert caught.value.code == "limit"
        limit *= 4
    status = Path(f"/proc/{note.read_text()}")
    deadline = time.monotonic() + 60
    while status.exists() and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    assert not status.exists()


async def test_too_much_data_and_no_place_for_fonts(
    child: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = child("return PNG")
    monkeypatch.setattr(drawing, "MAX_DATA_BYTES", 100)
    with pytest.raises(LabrigError) as caught:
        await draw(module, {"a": "x" * 100})
    assert caught.value.code == "limit"
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises(LabrigError) as caught:
        await draw(module, {})
    assert caught.value.code == "unavailable" and "LABRIG_HOME" in caught.value.try_


@pytest.mark.accept
async def test_pictures_side_by_side(child: Child) -> None:
    module = child("time.sleep(0.2); return PNG if data['n'] % 2 else 1 / 0")
    async with Painter(module) as painter:
        found = await asyncio.gather(*(painter.draw({"n": n}) for n in range(6)), return_exceptions=True)
    assert [isinstance(each, bytes) for each in found] == [n % 2 == 1 for n in range(6)]
