"""Does a server help: run with and without one, and measured; its intervals cover a known gain at their rate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from labrig_harness.registry.entries import entries
from labrig_study.report.gains import measure_gain
from support.command import labrig

AGENT = """
from zlib import crc32


class Scripted:
    confinement = "in_process"

    def __init__(self, spec, seed):
        pass

    def accept(self, arm):
        pass

    async def run(self, bench):
        # Without a server 40 of 100 are right, with one those and 25 more.
        number = int(bench.brief.id)
        right = number % 5 < 2 or (bench.arm.server and number % 4 == 3)
        if bench.arm.server and number % 10 == 0:
            bench.turn("").miscall("no_such_tool", "{}", "unknown_tool", "There is none.")
        bench.turn("ANSWER: " + ("7" if right else "ABSTAIN" if number % 2 else "8"))
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    about = tmp_path / "my_gain-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-gain\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[labrig.agents]\nscripted = my_gain:Scripted\n")
    (tmp_path / "my_gain.py").write_text(AGENT)
    monkeypatch.syspath_prepend(tmp_path)
    entries.cache_clear()
    yield
    entries.cache_clear()


@pytest.mark.accept  # 400 records
@pytest.mark.usefixtures("package")
def test_a_known_gain_on_a_hundred_questions_is_found(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    question = {"question": "How many?", "kind": "number", "answer": 7, "tolerance": 0}
    path.write_text("".join(json.dumps({"id": str(number), **question}) + "\n" for number in range(100)))
    words = ("ab", str(path), "--agent", "scripted", "--out", str(tmp_path / "out"), "--jobs", "1")
    done = labrig(*words, "--server", "phreeqc", "--json")
    assert done.returncode == 0, done.stderr
    (pair,) = json.loads(done.stdout)["pairs"]
    assert (pair["a"], pair["b"]) == ("plain.scripted", "phreeqc.scripted")
    found = {each["measure"]: each for each in pair["gains"]}
    right = {number for number in range(100) if number % 5 < 2}
    helped = {number for number in range(100) if number % 4 == 3} - right
    accuracy = found["accuracy (strict)"]
    assert (accuracy["a"], accuracy["b"]) == (0.4, 0.4 + len(helped) / 100)
    low, high = accuracy["difference"]["interval"]
    assert 0 < low < len(helped) / 100 < high and accuracy["wanted"] < 100
    wrong = sum(number % 2 == 0 for number in set(range(100)) - right)
    assert found["false completions"]["a"] == wrong / 100
    assert found["failed calls"]["b"] == 0.1
    assert "tokens" not in found, "none were reported"
    again = labrig(*words, "--server", "phreeqc")
    assert again.returncode == 0 and "A: plain, scripted   B: phreeqc, scripted" in again.stdout
    assert labrig(*words).returncode == 2, "no server"
    unnamed = labrig(*words, "--server", "phreeqc", "--server-set", "unit=g")
    assert unnamed.returncode == 2 and "phreeqc.unit=g" in unnamed.stderr
    strict = tmp_path / "questions.toml"
    strict.write_text(
        "fail_below = 0.9\n"
        '[[question]]\nid = "2"\nquestion = "How many?"\nkind = "number"\nanswer = 7\ntolerance = 0\n'
    )
    for flags, code in (((), 0), (("--fail-below", "0.9"), 1)):
        folder = str(tmp_path / f"strict{code}")
        tried = labrig(
            "ab", str(strict), "--agent", "scripted", "--out", folder, "--server", "phreeqc", *flags
        )
        assert tried.returncode == code, tried.stderr
    other = labrig("ab", "phreeqc-basics", *words[2:], "--server", "phreeqc")
    assert other.returncode == 2 and "nothing without one" in other.stderr


@pytest.mark.parametrize("size", [1, 5])
def test_intervals_cover_a_known_gain_at_their_rate(size: int) -> None:
    """200 repeats of 100 questions in groups of `size` that share how hard they are: 95 % within three deviations."""
    draw, gain, covered = np.random.default_rng(55), 0.15, 0
    for repeat in range(200):
        hard = np.repeat(draw.beta(2, 2, 100 // size), size) * 0.8
        chance = draw.random((2, 100))
        a, b = chance[0] < hard, chance[1] < hard + gain
        clusters = [str(number // size) for number in range(100)]
        found = measure_gain("x", a.tolist(), b.tolist(), clusters, resamples=1_000, seed=repeat)
        low, high = found.difference.interval or (0.0, 0.0)
        covered += low <= gain <= high
    assert 0.95 - 3 * (0.95 * 0.05 / 200) ** 0.5 <= covered / 200 <= 1


def test_more_questions_are_wanted_for_a_smaller_gain() -> None:
    a = [0.0] * 50 + [1.0] * 50
    names = [str(number) for number in range(100)]
    large = measure_gain("x", a, [1.0] * 20 + a[20:], names, resamples=500, seed=0)
    small = measure_gain("x", a, [1.0] * 3 + a[3:], names, resamples=500, seed=0)
    none = measure_gain("x", a, a, names, resamples=500, seed=0)
    assert large.settled and not small.settled and not none.settled
    assert large.wanted is not None and small.wanted is not None and large.wanted < 100 < small.wanted
    assert none.wanted is None and none.difference.value == 0
    every = measure_gain("x", [0.0] * 10, [1.0] * 10, names[:10], resamples=500, seed=0)
    assert every.difference.interval is None and every.settled and every.p == pytest.approx(2 / 2**10)
    few = measure_gain("x", [0.0] * 10, [1.0] * 10, ["one group"] * 10, resamples=500, seed=0)
    assert not few.settled, "ten questions of one group are one"
