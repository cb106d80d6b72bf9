"""What people expect of a Python, and what it says where this one cannot."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from labrig.errors import LabrigError
from support.sandbox_rig import BACKENDS, Rig, rig


@pytest.fixture(scope="module", params=BACKENDS)
def lab(request: pytest.FixtureRequest, standing: Callable[[str], Rig]) -> Rig:
    return standing(request.param)


def test_a_module_that_the_code_wrote_can_be_imported(lab: Rig) -> None:
    code = "from pathlib import Path\nPath('mine.py').write_text('x = 41')\nimport mine\nprint(mine.x)"
    result = lab.run(code)
    assert (result.output, list(result.files)) == ("41\n", ["mine.py"])


def test_a_figure_that_cannot_be_drawn_leaves_the_others(lab: Rig) -> None:
    code = """
import matplotlib.pyplot as plt
for title in ("one", r"$\\frac{$", "three"):
    plt.figure()
    plt.title(title)
"""
    result = lab.run(code)
    assert tuple(result.figures) == ("figure-1.png", "figure-3.png")
    assert result.cut == {"figures": 1}
    assert result.notes == ("ValueError while figure 2 was drawn",)


@pytest.mark.accept
def test_drawings_are_the_same_byte_for_byte() -> None:
    code = """
import matplotlib.pyplot as plt
plt.fill_between([0, 1], [1, 2])
for kind in ("svg", "pdf", "eps"):
    plt.savefig(f"a.{kind}")
"""
    taken = []
    for _ in range(2):
        with rig(warm=False) as lab:
            taken.append(lab.run(code).files)
        time.sleep(1.1)  # their times have whole seconds
    assert set(taken[0]) == {"a.svg", "a.pdf", "a.eps", "figure-1.png"}
    assert taken[0] == taken[1]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import subprocess\nsubprocess.run(['ls'])", "no other process"),
        ("import socket\nsocket.socket()", "no network"),
        ("import urllib.request as u\nu.urlopen('http://example.com')", "no network"),
        ("import no_such_package", "nothing can be installed"),
        ("import pandas as pd\npd.DataFrame().to_hdf('a', key='b')", "nothing can be installed"),
        ("input()", "standard input is empty"),
        ("!pip install something", "IPython"),
        ("x = 1\n%matplotlib inline", "IPython"),
    ],
)
def test_errors_of_the_place_are_explained(lab: Rig, code: str, said: str) -> None:
    result = lab.run(code)
    assert result.status == "error"
    assert said in " ".join(result.notes)


def test_other_errors_are_not(lab: Rig) -> None:
    assert lab.run("1 / 0").notes == lab.run("x = = 1").notes == ()


def test_what_the_host_refuses_can_be_caught_by_its_name(lab: Rig) -> None:
    async def refuse() -> None:
        raise LabrigError("no such mineral")

    code = "try:\n    refuse()\nexcept HostError as error:\n    print(error)"
    assert lab.run(code, functions={"refuse": refuse}).output == "no such mineral.\n"


@pytest.mark.accept
def test_a_run_that_makes_and_removes_folders_all_the_time_is_not_disturbed(lab: Rig) -> None:
    """What goes away while the fork server looks has it stop the run for a moment; nothing may come of that."""
    code = """
import queue, tempfile, threading, time
done, began = queue.Queue(), time.monotonic()
def work():
    for number in range(10_000):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            with open(f"{folder}/{number}", "w") as file:
                file.write(str(number))
            with open(f"{folder}/{number}") as file:
                assert file.read() == str(number)
        if time.monotonic() - began > 2:
            break
    done.put(number)
for _ in range(2):
    threading.Thread(target=work).start()
slept = time.monotonic()
time.sleep(0.5)
assert time.monotonic() - slept >= 0.5
print(min(done.get(timeout=30), done.get(timeout=30)) > 5)
"""
    result = lab.run(code)
    assert (result.status, result.output) == ("ok", "True\n")
