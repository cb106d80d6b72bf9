"""The paper's tables from simulated agents: every table is found again from counts laid out beforehand.

120 items in ten scenarios; what an agent gets right is a range of item numbers, so that kept, gained, lost and the
like are lengths of ranges that can be read off below. Letters, scenarios and output sizes run across these ranges.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import sqrt
from statistics import fmean, median
from typing import Any

import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Score, Table
from labrig_study.statistics.proportions import wilson
from labrig_suites.phreeqc_mcq.paper import paper_tables
from labrig_suites.phreeqc_mcq.paper.lines import Line, backbone, lines
from labrig_suites.phreeqc_mcq.paper.records import arrange

N = 120
ALL = set(range(N))
LETTER = ["AAABBCCCDD"[i % 10] for i in range(N)]
"""36 A, 24 B, 36 C, 24 D."""
STEM_SIZES = (1, 5, 8, 10, 12, 14, 15, 16, 19, 20)
STEM = [f"stem-{k}" for k, size in enumerate(STEM_SIZES) for _ in range(size)]
BIN_SIZES = {"<=10k": 60, "10-20k": 24, "20-50k": 12, "50-100k": 4, "250-500k": 12, ">500k": 8}
CHARS = {
    **{"<=10k": 10_000, "10-20k": 15_000, "20-50k": 50_000, "50-100k": 100_000},
    **{"100-250k": 120_000, "250-500k": 400_000, ">500k": 700_000},
}
# 7 and 120 have no common factor: sizes go over the items in another order than stems and letters.
_IN_ORDER = [name for name, size in BIN_SIZES.items() for _ in range(size)]
BIN = [_IN_ORDER[i * 7 % N] for i in range(N)]
LONG = {i for i in ALL if BIN[i] in ("250-500k", ">500k")}

ALPHA_DIRECT = set(range(40))
ALPHA_COT = set(range(48))
ALPHA_TOC = {*range(30), *range(40, 90)}
ALPHA_RERUNS = (
    {*range(30), *range(40, 92)},
    {*range(28), *range(40, 86)},
    {*range(30), *range(40, 90), 118, 119},
)
ALPHA_RAW100 = {*range(34), *range(40, 85)}
ALPHA_RAW500 = {*range(20), *range(40, 100)}
PROGRAM_TOC = {*range(20), *range(40, 45)}
BETA_TOC, BETA_RAW100 = set(range(60)), set(range(30, 90))
BETA_LONG = (LONG - {i for i in LONG if i < 60}) | {0, 1, 2}
LABELS_A = {i for i in ALL if LETTER[i] == "A"}


def item(i: int) -> str:
    """Ids whose order is not that of the numbers."""
    return f"{(i * 37) % N:03d}-{i}"


def number(name: str) -> int:
    return int(name.split("-")[1])


def make_tasks(stems: bool = True, sizes: bool = True) -> list[Sample]:
    return [
        Sample(
            suite="phreeqc-mcq",
            suite_version="1",
            brief=SampleInput(item(i), "?", choices=("A", "B", "C", "D")),
            truth={"answer": LETTER[i], **({"output_chars": CHARS[BIN[i]]} if sizes else {})},
            labels={"stem": STEM[i]} if stems else {},
        )
        for i in range(N)
    ]


def wrong(letter: str) -> str:
    return "ABCD"[("ABCD".index(letter) + 1) % 4]


def record(
    agent: str,
    model: str,
    arm: str,
    i: int,
    ok: bool,
    epoch: int = 0,
    answer: str | None = None,
    **facts: Any,
) -> Score:
    letter = answer if answer is not None else LETTER[i] if ok else wrong(LETTER[i])
    plain = {
        **{"model": model, "stem": STEM[i], "committed": True, "parsed": letter != "", "end": "answered"},
        **{"steps": 6, "executions": 1, "failed_executions": 0, "reads": 2, "wall_s": 10.0},
        **{"tokens": None, "output_chars": None, "break": ""},
    }
    return Score(item(i), arm, agent, epoch, float(ok), float(ok), letter, {**plain, **facts})


def used(inputs: int, cached: int = 0, output: int = 50) -> dict[str, int]:
    return {"input": inputs, "cached": cached, "output": output}


def how_it_failed(i: int) -> dict[str, Any]:
    """What the log of loop-alpha's original TOC run shows of its 40 wrong items."""
    if i < 36:
        return {"steps": 8, "executions": 2}
    if i < 40:
        return {"steps": 12, "executions": 3, "failed_executions": 1}
    if i < 100:
        nothing = {"committed": False, "answer": "", "end": "step_limit"}
        return {**nothing, "steps": 24, "executions": 5, "failed_executions": 5, "reads": 9}
    if i < 105:
        return {"answer": "", "steps": 10, "reads": 9}
    if i < 108:
        return {"committed": False, "answer": "", "end": "wall_limit", "steps": 15, "executions": 0}
    if i < 110:
        return {"steps": 5, "executions": 0}
    return {"end": "step_limit", "steps": 24, "executions": 4, "failed_executions": 1, "reads": 9}


def alpha_chars(i: int) -> int | None:
    """Sizes of loop-alpha's own outputs: the reference's, but for some with none and some between the modes."""
    return None if i < 10 else 120_000 if 100 <= i < 105 else CHARS[BIN[i]]


def make_scores() -> list[Score]:
    return [*alpha(), *program(), *beta(), *scripted(), *gamma()]


def alpha() -> Iterable[Score]:
    for i in range(N):
        yield record("direct-alpha", "alpha", "direct", i, i in ALPHA_DIRECT, tokens=used(150, 0, 6))
        yield record("cot-alpha", "alpha", "cot", i, i in ALPHA_COT, tokens=used(160, 0, 900))
        ok = i in ALPHA_TOC
        log: dict[str, Any] = {} if ok else how_it_failed(i)
        log |= {"output_chars": alpha_chars(i), "wall_s": 10.0 if i < 90 else 100.0}
        yield record("loop-alpha", "alpha", "agent-toc", i, ok, tokens=used(10_000, 4_000), **log)
        for epoch, (found, spent, steps) in enumerate(
            zip(ALPHA_RERUNS, (12_000, 9_000, 12_000), ((6, 13), (9, 9), (3, 30)), strict=True), 1
        ):
            again = i in found
            log = {"tokens": used(spent), "steps": steps[0] if again else steps[1], "output_chars": 1}
            yield record("loop-alpha", "alpha", "agent-toc", i, again, epoch, **log)
        for arm, answers, short, long in (
            ("agent-raw100k", ALPHA_RAW100, 20_000, 80_000),
            ("agent-raw500k", ALPHA_RAW500, 30_000, 200_000),
        ):
            log = {"tokens": used(long if i in LONG else short), "reads": 1, "steps": 4}
            yield record("loop-alpha", "alpha", arm, i, i in answers, **log)


def program() -> Iterable[Score]:
    """Another harness on the same model, on 50 items."""
    for i in range(50):
        ok = i in PROGRAM_TOC
        yield record(
            "program-alpha", "alpha", "agent-toc", i, ok, tokens=used(40_000, 36_000), output_chars=7
        )


def beta() -> Iterable[Score]:
    """Two direct runs of one model: which is the baseline is not known."""
    for i in range(N):
        yield record("direct-beta-cold", "beta", "direct", i, i < 30)
        yield record("direct-beta-warm", "beta", "direct", i, i < 60)
        chars = 300_000 if i in BETA_LONG else 5_000
        yield record(
            "loop-beta", "beta", "agent-toc", i, i in BETA_TOC, output_chars=chars, tokens=used(1_000)
        )
        yield record("loop-beta", "beta", "agent-raw100k", i, i in BETA_RAW100)


def scripted() -> Iterable[Score]:
    """An agent without a model has one label in all arms: always A, always B, always right, never right."""
    for i in range(N):
        yield record("script", "", "direct", i, LETTER[i] == "A", answer="A")
        yield record("script", "", "cot", i, LETTER[i] == "B", answer="B")
        for epoch in (0, 1):
            yield record("script", "", "agent-toc", i, True, epoch, output_chars=CHARS[BIN[i]])
        yield record("script", "", "agent-raw100k", i, False)


def gamma() -> Iterable[Score]:
    for i in range(N):
        yield record("only-gamma", "gamma", "direct", i, i < 12)


Rows = list[dict[str, Any]]


def by_number(tables: list[Table]) -> dict[str, Table]:
    found = {
        table.title.split(". ")[0].removeprefix("Tables ").removeprefix("Table "): table for table in tables
    }
    assert len(found) == len(tables)
    return found


def rows_of(table: Table, **where: Any) -> Rows:
    """Return the rows as dictionaries, those alone that have the values of `where` in their first columns."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return [row for row in rows if all(value in list(row.values())[:3] for value in where.values())]


def pct(part: float, whole: float) -> float | None:
    return round(100 * part / whole, 1) if whole else None


@pytest.fixture(scope="module")
def found() -> dict[str, Table]:
    return by_number(paper_tables(make_tasks(), make_scores()))


def test_all_31_tables_are_there_in_order(found: dict[str, Table]) -> None:
    assert list(found) == [*map(str, range(1, 10)), "10-13", *map(str, range(14, 32))]
    assert [name for name, table in found.items() if not table.rows] == ["31"]
    assert "judgement" in found["31"].note and "Diagnoses of wrong answers" in found["31"].note
    for table in found.values():
        assert all(len(row) == len(table.columns) for row in table.rows), table.title


def test_1_accuracy_with_both_intervals(found: dict[str, Table]) -> None:
    rows = {row["agent"]: row for row in rows_of(found["1"])}
    # direct-alpha and cot-alpha belong to the lines of alpha; beta's two direct runs are nobody's.
    assert list(rows) == [
        *("loop-alpha", "loop-beta", "program-alpha", "script"),
        *("direct-beta-cold", "direct-beta-warm", "only-gamma"),
    ]
    counts = {
        "loop-alpha": ((120, 33.3), (120, 40.0), (120, 66.7), (120, 65.8)),
        "program-alpha": ((120, 33.3), (120, 40.0), (50, 50.0), (0, None)),
        "loop-beta": ((0, None), (0, None), (120, 50.0), (120, 50.0)),
        "script": ((120, 30.0), (120, 20.0), (120, 100.0), (120, 0.0)),
        "only-gamma": ((120, 10.0), (0, None), (0, None), (0, None)),
    }
    for agent, arms in counts.items():
        for arm, expected in zip(("Direct", "CoT", "Agent-TOC", "Agent-Raw100k"), arms, strict=True):
            assert (rows[agent][f"{arm} n"], rows[agent][f"{arm} %"]) == expected, (agent, arm)
    low, high = wilson(80, 120)
    assert rows["loop-alpha"]["Agent-TOC Wilson 95 %"] == f"[{100 * low:.1f}, {100 * high:.1f}]"
    assert rows["loop-beta"]["Direct Wilson 95 %"] == "–"
    # All items alike: resampling says nothing, Wilson does.
    assert (
        rows["script"]["Agent-TOC 95 %"] == "–" and rows["script"]["Agent-TOC Wilson 95 %"] == "[96.9, 100.0]"
    )
    # By stems: sqrt(sum of squared sums of residuals) / n is the standard error of a mean of clusters.
    residuals = dict.fromkeys(STEM, 0.0)
    for i in range(N):
        residuals[STEM[i]] += (i in ALPHA_TOC) - 80 / 120
    reach = 2.262 * sqrt(sum(each**2 for each in residuals.values()) * 10 / 9) / 120
    ends = [float(end) for end in rows["loop-alpha"]["Agent-TOC 95 %"].strip("[]").split(", ")]
    assert ends[1] - ends[0] == pytest.approx(200 * reach, rel=0.2)
    assert ends[0] < 66.7 < ends[1] and ends[1] - ends[0] > 2 * 100 * (high - low)
    assert "direct-beta-cold, direct-beta-warm all use beta" in found["1"].note


def test_2_kept_gained_lost(found: dict[str, Table]) -> None:
    assert found["2"].rows == (
        ("loop-alpha", 120, 30, 50, 10, 75.0, 120, 34, 45, 6, 85.0, -10.0, 1, pct(50, 80), pct(45, 80)),
        ("program-alpha", 50, 20, 5, 20, 50.0, 0, None, None, None, None, None, None, 50.0, None),
        ("script", 120, 36, 84, 0, 100.0, 120, 0, 0, 36, 0.0, 100.0, 84 + 36, 100.0, 0.0),
    )


def test_3_and_22_reruns(found: dict[str, Table]) -> None:
    # 80 right at first, then 82, 74, 82: SD sqrt(64/3) items; 1.20 M tokens, then 1.44, 1.08, 1.44.
    alpha = (120, 66.7, 1.2, "+1.7, -5.0, +1.7", "+0.24, -0.12, +0.24", 3.8, 6.7, 0.21, 0.36)
    assert found["3"].rows == (
        ("loop-alpha", *alpha),
        ("script", 120, 100.0, None, "+0.0", "", None, 0.0, None, None),
    )
    short = ALL - long_in_any()
    n = len(short)
    counts = [len(each & short) for each in (ALPHA_TOC, *ALPHA_RERUNS)]
    assert counts[0] not in counts[1:3], "the reruns must differ on the short items too"
    (row,) = rows_of(found["22"], agent="loop-alpha")
    assert (row["n"], row["orig. %"], row["orig. tokens (M)"]) == (n, pct(counts[0], n), round(n / 100, 2))
    assert row["accuracy SD (pp)"] == round(float(np.std([100 * c / n for c in counts[1:]], ddof=1)), 1)
    assert row["accuracy range (pp)"] == pct(max(counts[1:]) - min(counts[1:]), n)
    changes = [float(each) for each in row["accuracy delta (pp)"].split(", ")]
    assert changes == [pytest.approx(100 * (c - counts[0]) / n, abs=0.051) for c in counts[1:]]
    assert row["tokens range (M)"] == pytest.approx(n * 0.003, abs=0.0051)


def long_in_any() -> set[int]:
    return {i for i in ALL if (alpha_chars(i) or 0) > 100_000} | BETA_LONG | LONG


def test_4_short_and_long(found: dict[str, Table]) -> None:
    groups = (
        ("short: reference <= 100k", ALL - LONG),
        ("long: reference > 100k", LONG),
        ("long in any TOC run", long_in_any()),
    )
    assert [len(items) for _, items in groups] == [100, 20, 25]
    expected = []
    for name, items in groups:
        n, gap = len(items), len(ALPHA_TOC & items) - len(ALPHA_RAW100 & items)
        raw = (20_000 * len(items - LONG) + 80_000 * len(items & LONG)) / n
        accuracies = (pct(len(ALPHA_TOC & items), n), pct(len(ALPHA_RAW100 & items), n), pct(gap, n))
        expected.append((name, "loop-alpha", n, *accuracies, 10_000, round(raw), pct(raw - 10_000, raw)))
    assert [row for row in found["4"].rows if row[1] == "loop-alpha"] == expected
    assert [row[-1] for row in expected][:2] == [50.0, 87.5]
    (beta,) = rows_of(found["4"], name="long: reference > 100k", agent="loop-beta")
    assert beta["TOC tokens/item"] == 1_000 and beta["Raw100k tokens/item"] is beta["TOC saves %"] is None


def test_5_windows(found: dict[str, Table]) -> None:
    right = [pct(len(answers & LONG), 20) for answers in (ALPHA_RAW100, ALPHA_RAW500)]
    assert found["5"].rows == (("loop-alpha", 20, *right, 80_000, 200_000),)


def test_6_letters(found: dict[str, Table]) -> None:
    rows = {(row["agent"], row["arm"]): row for row in rows_of(found["6"])}
    assert len(rows) == 15
    assert found["6"].note.count("36/24/36/24") == 1
    assert list(rows["script", "direct"].values())[2:] == [120, 120, 0, 0, 0, 0, 0.0, 100.0]
    assert list(rows["script", "cot"].values())[2:] == [120, 0, 120, 0, 0, 0, 0.0, 100.0]
    toc = rows["loop-alpha", "agent-toc"]
    answered = [LETTER[i] if i in ALPHA_TOC else wrong(LETTER[i]) for i in ALL - set(range(90, 108))]
    assert [toc[letter] for letter in "ABCD"] == [answered.count(letter) for letter in "ABCD"]
    assert toc["NA"] == 18
    shares = [len([i for i in ALPHA_TOC if LETTER[i] == x]) / LETTER.count(x) for x in "ABCD"]
    assert (toc["lowest %"], toc["highest %"]) == (pct(min(shares), 1), pct(max(shares), 1))


def test_7_tokens_without_tools(found: dict[str, Table]) -> None:
    # Both lines of alpha have the same two runs: one row.
    assert found["7"].rows == (
        ("direct-alpha", "cot-alpha", 120, 18_000, 720, 19_200, 108_000, 150.0, 33.3, 40.0),
        ("script", "script", 120, None, None, None, None, None, 30.0, 20.0),
    )


def test_8_sizes(found: dict[str, Table]) -> None:
    rows = {row[0]: row[1:] for row in found["8"].rows}
    for name, n in {**BIN_SIZES, "100-250k": 0}.items():
        assert rows[name] == (n, pct(n, 120), None)
    assert rows["<= 100k"] == (100, 83.3, None)
    assert rows["> 100k"] == rows["> 250k"] == (20, 16.7, None)
    assert rows["> 500k"] == (8, 6.7, None)
    # Half of the items have 10,000, the next 24 have 15,000; the 12 before the last 8 have 400,000.
    assert [rows[name][2] for name in ("median", "90th percentile", "maximum")] == [12_500, 400_000, 700_000]


def test_9_long_outputs(found: dict[str, Table]) -> None:
    own = {i for i in ALL if (alpha_chars(i) or 0) > 100_000}
    union, both = (
        len(long_in_any()),
        len(set()),
    )  # program-alpha has no long output: nothing is long in all runs
    assert found["9"].rows == (
        ("loop-alpha", 120, len(own), pct(len(own), 120)),
        ("loop-beta", 120, len(BETA_LONG), pct(len(BETA_LONG), 120)),
        ("program-alpha", 50, 0, 0.0),
        ("script", 120, 20, 16.7),
        ("union: long in any run", 120, union, pct(union, 120)),
        ("intersection: long in every run", 50, both, 0.0),
    )
    without = [score for score in make_scores() if score.agent != "program-alpha"]
    last = by_number(paper_tables(make_tasks(), without))["9"].rows[-1]
    common = len(own & BETA_LONG & LONG)
    assert common > 0 and last[1:] == (120, common, pct(common, 120))


def test_10_to_13_bins(found: dict[str, Table]) -> None:
    rows = {row["bin"]: row for row in rows_of(found["10-13"], agent="loop-alpha")}
    groups = {name: {i for i in ALL if BIN[i] == name} for name in BIN_SIZES}
    groups |= {"short: <= 100k": ALL - LONG, "long: > 100k": LONG, "all": ALL}
    assert list(rows) == list(groups)
    for name, items in groups.items():
        n, long = len(items), len(items & LONG)
        right = [len(answers & items) for answers in (ALPHA_TOC, ALPHA_RAW100, ALPHA_RAW500)]
        tokens = (10_000, (n - long) * 20_000 + long * 80_000, (n - long) * 30_000 + long * 200_000)
        assert list(rows[name].values())[2:] == [
            *(n, *(pct(each, n) for each in right)),
            *(10_000, *(round(each / n) for each in tokens[1:])),
            pytest.approx(100 * (right[1] - right[0]) / n, abs=0.051),
        ], name
    assert rows["all"]["Raw100k - TOC (pp)"] == -0.8
    beta = rows_of(found["10-13"], agent="loop-beta", name="all")[0]
    assert beta["Raw500k %"] is None and beta["Raw500k tokens/item"] is None


def test_14_and_15_overlap(found: dict[str, Table]) -> None:
    assert found["14"].rows == (
        ("loop-alpha", 120, 80, 79, 75, 5, 4, 36),
        ("loop-beta", 120, 60, 60, 30, 30, 30, 30),
        ("script", 120, 120, 0, 0, 120, 0, 0),
    )
    assert found["15"].rows == (("loop-alpha", 120, 65, 0, 4, 10, 10, 5, 0, 26),)


def test_16_and_30_how_it_ended(found: dict[str, Table]) -> None:
    rows = {row["outcome"]: row["Agent-TOC"] for row in rows_of(found["16"], agent="loop-alpha")}
    assert rows == {
        **{"correct": 80, "wrong": 22, "unparseable": 5, "step limit, no answer": 10, "other": 3},
        **{"total": 120, "accuracy %": 66.7, "conditional accuracy %": 78.4},
        **{"median read_file calls": 2.0, "median steps": 6.0},
    }
    raw = {row["outcome"]: row["Agent-Raw100k"] for row in rows_of(found["16"], agent="loop-alpha")}
    assert [raw[name] for name in ("correct", "wrong", "total")] == [79, 41, 120]
    assert (raw["median read_file calls"], raw["median steps"]) == (1.0, 4.0)
    program = {row["outcome"]: row["Agent-Raw100k"] for row in rows_of(found["16"], agent="program-alpha")}
    assert set(program.values()) == {None}
    columns = ("failed", "no final", "unparseable", "PHREEQC failed", "run OK, wrong", "no run, wrong")
    (row,) = rows_of(found["30"], agent="loop-alpha")
    # The ten at the step limit had failed executions too: nothing submitted comes first.
    assert [row[name] for name in columns] == [40, 13, 5, 14, 6, 2]


def test_17_and_18_scenarios(found: dict[str, Table]) -> None:
    def shares(answers: set[int]) -> list[float]:
        starts = [sum(STEM_SIZES[:k]) for k in range(10)]
        return [len(answers & set(range(at, at + n))) / n for at, n in zip(starts, STEM_SIZES, strict=True)]

    rows = {(row["agent"], row["arm"]): row for row in rows_of(found["17"])}
    for agent, arm, answers in (
        ("loop-alpha", "agent-toc", ALPHA_TOC),
        ("direct-alpha", "direct", ALPHA_DIRECT),
        ("loop-beta", "agent-raw100k", BETA_RAW100),
    ):
        row, means = rows[agent, arm], shares(answers)
        assert (row["n"], row["item %"], row["scenarios"]) == (120, pct(len(answers), 120), 10)
        assert row["scenario mean %"] == pct(fmean(means), 1)
        assert (row["all right"], row["all wrong"]) == (means.count(1), means.count(0))
        low, high = map(float, row["95 %"].strip("[]").split(", "))
        # Student's interval of ten means, t = 2.262, is as wide.
        assert high - low == pytest.approx(200 * 2.262 * float(np.std(means, ddof=1)) / sqrt(10), rel=0.15)
    assert (rows["script", "agent-toc"]["95 %"], rows["script", "agent-toc"]["all right"]) == ("–", 10)
    grid = {row["scenario"]: row for row in rows_of(found["18"])}
    assert list(grid) == [*(f"stem-{k}" for k in range(10)), "all"]
    program = shares(PROGRAM_TOC)[:6]
    # program-alpha has items 0 to 49: all of stems 0 to 5.
    program_shares: list[float | None] = [*program, None, None, None, None]
    for k in range(10):
        agents = [shares(ALPHA_TOC)[k], shares(BETA_TOC)[k], program_shares[k], 1.0]
        known = [each for each in agents if each is not None]
        row = grid[f"stem-{k}"]
        assert row["n"] == STEM_SIZES[k]
        assert list(row.values())[2:6] == [None if each is None else pct(each, 1) for each in agents]
        assert (row["min"], row["max"]) == (pct(min(known), 1), pct(max(known), 1))
        assert (row["mean"], row["spread (pp)"]) == (pct(fmean(known), 1), pct(max(known) - min(known), 1))
    assert list(grid["all"].values())[1:] == [120, 66.7, 50.0, 50.0, 100.0, None, None, None, None]


def test_19_to_21_where_items_were_lost(found: dict[str, Table]) -> None:
    lost = set(range(30, 40))
    rows = {row["bin"]: row for row in rows_of(found["19"])}
    assert list(rows) == [*BIN_SIZES, "overall"]
    for name, n in BIN_SIZES.items():
        of_bin = {i for i in ALL if BIN[i] == name}
        gone, before = len(lost & of_bin), len(ALPHA_DIRECT & of_bin)
        expected = (n, pct(gone, before), f"{gone}/{before}")
        assert (
            tuple(rows[name][key] for key in ("n", "loop-alpha lost %", "loop-alpha lost/right")) == expected
        )
    assert (
        rows["overall"]["loop-alpha lost/right"] == "10/40" and rows["overall"]["loop-alpha lost %"] == 25.0
    )
    assert rows["overall"]["program-alpha lost/right"] == "20/40" and rows["overall"]["script lost %"] == 0.0
    # Items 30 to 39: six of stem-4 (24-35), four of stem-5 (36-49); 20 to 39: four more of stem-3, ten of stem-4.
    assert found["20"].rows == (
        ("loop-alpha", 120, 10, "stem-4 (6), stem-5 (4)"),
        ("program-alpha", 50, 20, "stem-4 (12), stem-3 (4), stem-5 (4)"),
        ("script", 120, 0, ""),
    )
    assert found["21"].rows == (
        ("loop-alpha", 120, 3, 2, 3, 2, 10),
        ("program-alpha", 50, 6, 4, 6, 4, 20),
        ("script", 120, 0, 0, 0, 0, 0),
        ("all items", 120, 36, 24, 36, 24, 120),
        ("all items, %", 120, 30.0, 20.0, 30.0, 20.0, 100.0),
    )


ALWAYS = {*range(28), *range(40, 86)}
NEVER = {*range(30, 40), *range(92, 118)}


def test_23_to_25_items_over_samples(found: dict[str, Table]) -> None:
    # Right in three: 28, 29 and 86-89 (not in the second rerun); in one: 90, 91 and 118, 119.
    assert [row[1:] for row in found["23"].rows if row[0] == "loop-alpha"] == [
        ("0/4 (always wrong)", 36, 30.0),
        ("1/4", 4, 3.3),
        ("2/4", 0, 0.0),
        ("3/4", 6, 5.0),
        ("4/4 (always right)", 74, 61.7),
        ("the same in all", 110, 91.7),
        ("variance-prone", 10, 8.3),
    ]
    own = {i: "no output" if (chars := alpha_chars(i)) is None else _bin(chars) for i in ALL}
    for table, names, group in (
        ("24", [*CHARS, "no output"], own),
        ("25", list("ABCD"), dict(enumerate(LETTER))),
    ):
        expected = []
        for name in names:
            items = {i for i in ALL if group[i] == name}
            counts = (len(items), len(items & ALWAYS), len(items & NEVER), len(items - ALWAYS - NEVER))
            expected.append(("loop-alpha", name, *counts, pct(counts[3], counts[0])))
        expected.append(("loop-alpha", "all", 120, 74, 36, 10, 8.3))
        assert [row for row in found[table].rows if row[0] == "loop-alpha"] == expected
    assert sum(row[2] for row in found["24"].rows if row[0] == "script") == 240


def _bin(chars: int) -> str:
    return next(name for name, size in CHARS.items() if size == chars)


def test_26_harnesses_on_the_items_they_share(found: dict[str, Table]) -> None:
    long = len(LONG & set(range(50)))
    raw = [(50 - long) * short + long * large for short, large in ((20_000, 80_000), (30_000, 200_000))]
    assert found["26"].rows == (
        ("alpha", "loop-alpha", "agent-raw100k", 50, 88.0, raw[0] / 50_000, 0.0, round(raw[0] / 44_000, 1)),
        ("alpha", "loop-alpha", "agent-raw500k", 50, 60.0, raw[1] / 50_000, 0.0, round(raw[1] / 30_000, 1)),
        ("alpha", "loop-alpha", "agent-toc", 50, 80.0, 10.0, 4.0, 12.5),
        ("alpha", "program-alpha", "agent-toc", 50, 50.0, 40.0, 36.0, 80.0),
    )


def test_27_to_29_lengths(found: dict[str, Table]) -> None:
    failed = [8] * 6 + [12] * 4 + [24] * 10 + [10] * 5 + [15] * 3 + [5] * 2 + [24] * 10
    (row,) = rows_of(found["27"], agent="loop-alpha")
    # 199 executions: 80 of right items, then 12, 12, 50, 5, 0, 0 and 40; 64 of them failed.
    assert list(row.values())[1:] == [120, 10.0, 100.0, 6.0, 1.0, 1.7, 4 + 50 + 10]
    assert [row[1:] for row in found["28"].rows if row[0] == "loop-alpha"] == [
        ("3 reruns", "0-4", 82, 82, 100.0),
        ("3 reruns", "5-7", 82, 82, 100.0),
        ("3 reruns", "8-11", 120, 74, 61.7),
        ("3 reruns", "12-15", 38, 0, 0.0),
        ("3 reruns", "> 24", 38, 0, 0.0),
        ("3 reruns", "all", 360, 238, 66.1),
    ]
    assert [row[1:] for row in found["28"].rows if row[0] == "loop-beta"][-1] == (
        "original",
        "all",
        120,
        60,
        50.0,
    )
    (row,) = rows_of(found["29"], agent="loop-alpha")
    assert list(row.values())[1:] == [40, median(failed), round(fmean(failed), 1), 6.0, 20, 50.0]
    (none,) = rows_of(found["29"], agent="script")
    assert list(none.values())[1:] == [0, None, None, 6.0, 0, None]


def flip(agent: str, arm: str, i: int, epoch: int = 0) -> Callable[[Score], Score]:
    def change(score: Score) -> Score:
        if (score.agent, score.arm, score.task, score.epoch) != (agent, arm, item(i), epoch):
            return score
        ok = not score.compat
        answer = LETTER[i] if ok else wrong(LETTER[i])
        return replace(score, compat=float(ok), strict=float(ok), answer=answer)

    return change


def set_fact(agent: str, arm: str, i: int, epoch: int = 0, **facts: Any) -> Callable[[Score], Score]:
    def change(score: Score) -> Score:
        if (score.agent, score.arm, score.task, score.epoch) != (agent, arm, item(i), epoch):
            return score
        return replace(score, facts={**score.facts, **facts})

    return change


TOC_RIGHT = "1 2 3 4 6 10-13 14 15 16 17 18 19 20 21 22 23 24 25 26 29 30"


@pytest.mark.parametrize(
    ("change", "tables"),
    [
        (flip("loop-alpha", "agent-toc", 30), TOC_RIGHT),
        (flip("loop-alpha", "agent-toc", 30, epoch=2), "3 22 23 24 25 28"),
        (flip("loop-alpha", "agent-raw100k", 0), "1 2 4 6 10-13 14 15 16 17 26"),
        (flip("loop-alpha", "agent-raw500k", 0), "6 10-13 15 17 26"),
        (flip("direct-alpha", "direct", 30), "1 2 6 7 17 19 20 21"),
        (flip("cot-alpha", "cot", 30), "1 6 7 17"),
        (flip("program-alpha", "agent-toc", 3), "1 2 6 16 17 18 19 20 21 26 28 29 30"),
        (flip("direct-beta-cold", "direct", 3), "1 6 17"),
        (set_fact("loop-alpha", "agent-toc", 52, output_chars=200_000), "4 9 22 24"),
        (set_fact("loop-alpha", "agent-toc", 30, tokens=used(90_000, 4_000)), "3 4 10-13 22 26"),
        (set_fact("loop-alpha", "agent-toc", 30, tokens=None), "3 4 10-13 22 26"),
        (set_fact("loop-alpha", "agent-toc", 30, epoch=1, tokens=used(900_000)), "3 22"),
        (set_fact("cot-alpha", "cot", 30, tokens=used(160, 0, 9_000)), "7"),
        (set_fact("loop-alpha", "agent-toc", 108, executions=60), "27 30"),
        (set_fact("loop-alpha", "agent-toc", 30, end="step_limit"), "29"),
        (set_fact("loop-alpha", "agent-toc", 110, steps=90), "29"),
        (set_fact("loop-alpha", "agent-toc", 107, end="step_limit"), "16 29"),
        (set_fact("loop-alpha", "agent-toc", 104, end="step_limit"), "29"),
        (set_fact("loop-alpha", "agent-toc", 30, failed_executions=1), "27 30"),
        (set_fact("loop-alpha", "agent-toc", 110, epoch=1, steps=20), "28"),
        (set_fact("loop-alpha", "agent-toc", 90, wall_s=1.0), ""),
    ],
)
def test_one_record_moves_the_tables_that_hang_on_it(
    found: dict[str, Table], change: Callable[[Score], Score], tables: str
) -> None:
    scores = [change(score) for score in make_scores()]
    assert sum(a != b for a, b in zip(scores, make_scores(), strict=True)) == 1
    after = by_number(paper_tables(make_tasks(), scores))
    assert [name for name in after if after[name].rows != found[name].rows] == tables.split()


def test_tables_do_not_hang_on_the_order_of_records(found: dict[str, Table]) -> None:
    samples, scores = make_tasks(), make_scores()
    random.Random(3).shuffle(samples)
    random.Random(4).shuffle(scores)
    assert by_number(paper_tables(samples, scores)) == found


def test_without_records_a_table_says_what_to_run() -> None:
    direct_only = [score for score in make_scores() if score.arm == "direct"]
    some = by_number(paper_tables(make_tasks(), direct_only))
    assert [name for name, table in some.items() if table.rows] == ["1", "6", "8", "17"]
    missing = {"2": "agent-raw100k", "3": "--epochs", "5": "agent-raw500k", "7": "cot", "26": "Appendix H"}
    missing |= {"9": "agent-toc", "14": "agent-raw100k", "15": "agent-raw500k", "28": "agent-toc"}
    for name, word in missing.items():
        assert some[name].note.startswith("No rows: ") and word in some[name].note, name
    nothing = paper_tables([], [])
    assert len(nothing) == 28 and not any(table.rows for table in nothing)


def test_an_imported_set_has_neither_stems_nor_sizes() -> None:
    plain = by_number(paper_tables(make_tasks(stems=False, sizes=False), make_scores()))
    assert [name for name, table in plain.items() if not table.rows] == [
        *("5", "8", "10-13", "17", "18", "19", "31")
    ]
    assert {row["Agent-TOC 95 %"] for row in rows_of(plain["1"])} == {"–"}
    assert {row[0] for row in plain["4"].rows} == {"long in any TOC run"}
    assert plain["20"].rows[0] == ("loop-alpha", 120, 10, "(no stem) (10)")
    for name in ("5", "8", "10-13", "17", "18", "19"):
        assert "imported" in plain[name].note


def test_pairs_take_only_items_that_both_runs_have() -> None:
    holes = [
        score
        for score in make_scores()
        if not (score.agent == "direct-alpha" and number(score.task) in (0, 30))
        and not (score.agent == "loop-alpha" and score.arm == "agent-toc" and number(score.task) in (1, 40))
    ]
    table = by_number(paper_tables(make_tasks(), holes))["2"]
    # TOC loses the pairs 0, 1 (kept), 30 (lost) and 40 (gained); Raw100k 0 and 30 (both kept).
    expected = ("loop-alpha", 116, 28, 49, 9, pct(28, 37), 118, 32, 45, 6, pct(32, 38))
    assert table.rows[0][:11] == expected
    # The differences are over the 116 items of all three: Raw100k kept 31 of 37 there and gained 44.
    assert table.rows[0][11:13] == (pct(28 / 37 - 31 / 37, 1), (49 - 9) - (44 - 6))
    assert table.rows[0][13:] == (pct(49, 116 - 37), pct(45, 118 - 38))


def test_one_record_without_tokens_leaves_their_sum_unknown() -> None:
    unmeasured = set_fact("loop-alpha", "agent-toc", 30, tokens=None)
    some = by_number(paper_tables(make_tasks(), [unmeasured(score) for score in make_scores()]))
    (reruns,) = rows_of(some["3"], agent="loop-alpha")
    assert [reruns[name] for name in ("orig. tokens (M)", "tokens delta (M)", "tokens SD (M)")] == [
        None,
        "",
        None,
    ]
    assert reruns["accuracy SD (pp)"] == 3.8
    known = {(row["agent"], row["arm"]): row["input tokens/right (K)"] for row in rows_of(some["26"])}
    assert known["loop-alpha", "agent-toc"] is None and known["program-alpha", "agent-toc"] == 80.0


def test_without_numpy_there_is_one_table_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labrig_suites.phreeqc_mcq.paper.has_statistics", lambda: False)
    (only,) = paper_tables(make_tasks(), make_scores())
    assert not only.rows and "labrig[harness]" in only.note


def test_two_records_of_one_item_are_refused() -> None:
    twice = record("only-gamma", "gamma", "direct", 5, True)
    with pytest.raises(LabrigError, match="only-gamma"):
        paper_tables(make_tasks(), [*make_scores(), twice])


class TestLines:
    """Which runs belong together."""

    @staticmethod
    def of(*runs: tuple[str, str, str]) -> list[Line]:
        return lines(
            arrange(make_tasks(), [record(label, model, arm, 0, True) for label, model, arm in runs])
        )

    def test_the_same_label_comes_before_the_same_backbone(self) -> None:
        found = self.of(
            ("x", "m", "agent-toc"), ("x", "m", "direct"), ("y", "m", "direct"), ("z", "m", "cot")
        )
        assert found == [Line("x", "x", "z"), Line("y", "y", "z")]

    def test_one_run_of_the_backbone_serves_all_its_agents(self) -> None:
        found = self.of(("x", "m", "agent-toc"), ("y", "m", "agent-raw100k"), ("d", "m", "direct"))
        assert found == [Line("x", "d"), Line("y", "d")]

    def test_two_runs_of_the_backbone_are_none(self) -> None:
        found = self.of(("x", "m", "agent-toc"), ("d1", "m", "direct"), ("d2", "m", "direct"))
        assert [(line.agent, line.direct) for line in found] == [("x", ""), ("d1", "d1"), ("d2", "d2")]
        assert "x has no direct run here: d1, d2 all use m" in found[0].note and not found[1].note

    def test_without_a_model_only_the_label_joins(self) -> None:
        assert self.of(("x", "", "agent-toc"), ("d", "", "direct")) == [Line("x"), Line("d", "d")]

    def test_runs_without_tools_alone_join_too(self) -> None:
        assert self.of(("d", "m", "direct"), ("c", "m", "cot"), ("e", "n", "cot")) == [
            *(Line("d", "d", "c"), Line("e", "", "e"))
        ]

    def test_a_label_of_two_models_has_no_backbone(self) -> None:
        scores = [record("x", "m", "agent-toc", 0, True), record("x", "n", "agent-toc", 1, True)]
        assert backbone(arrange(make_tasks(), scores), "x") == "x"
