"""Published legs through the commands of the page: a clone in, the authors' logs in, scores and tables out.

``LABRIG_TEST_RACE=CLONE`` runs the checks on the whole release (github.com/minnesotanlp/the-amazing-agent-race).
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from labrig_cli import __main__ as cli
from labrig_harness.records.items_file import read_tasks
from labrig_suites.amazing_race import audit, items, simulated, suite
from labrig_suites.amazing_race.legs import leg_of, published_id, read_leg
from labrig_suites.amazing_race.lint import GIVEN, WRONG, lint
from labrig_suites.amazing_race.paper import dataset
from labrig_suites.amazing_race.presets import PRESETS
from support.published_race import a_leg, clone_at, write_log, write_trial

CLONE = Path(os.environ.get("LABRIG_TEST_RACE", ""))
RELEASE = pytest.mark.skipif(not os.environ.get("LABRIG_TEST_RACE"), reason="the release is not here")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone: a leg of one name in both variants, neither of which joins branches, and JSON that is no leg."""
    return clone_at(tmp_path / "clone")


def test_a_clone_is_read_in_one_go_and_its_folders_say_what_a_leg_is(clone: Path) -> None:
    samples = items.adopt(items.released_rows(clone), {})
    assert [(each.id, each.labels["variant"]) for each in samples] == [
        ("dag-easy-sample_001", "dag"),
        ("linear-easy-sample_001", "linear"),
    ]
    assert all(items.from_row(json.loads(json.dumps(items.row(each)))) == each for each in samples)
    (clone / "data" / "aar-dag" / "easy" / "sample_001.json").write_text("[")
    with pytest.raises(Exception, match="not JSON"):
        items.released_rows(clone)


def test_legs_that_lie_elsewhere_are_read_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps(a_leg("sample_009")))
    (row,) = items.released_rows(tmp_path)
    assert row == a_leg("sample_009") and items.adopt([row], {})[0].id == "linear-easy-sample_009"


def test_the_commands_of_the_page_from_a_clone_to_tables(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "published.jsonl", tmp_path / "theirs"
    assert cli.main(["generate", "amazing-race", "--from", str(clone), "--out", str(file)]) == 0
    linear, dag = sorted(read_tasks(file, suite), key=lambda each: each.labels["variant"] == "dag")
    write_log(tmp_path / "logs" / linear.id, linear, "7")
    write_log(tmp_path / "logs" / dag.id, dag, "3")
    load = ["import", "aar-tools", str(tmp_path / "logs"), "--tasks", str(file), "--out", str(out)]
    assert cli.main(load) == 2 and "--suite" in capsys.readouterr().err
    assert cli.main([*load, "--suite", "amazing-race", "--arm", "agent-code"]) == 0
    assert cli.main(["score", str(out)]) == 0
    scores = {row["task"]: row for row in map(json.loads, (out / "scores.jsonl").read_text().splitlines())}
    assert {task: row["compat"] for task, row in scores.items()} == {linear.id: 1.0, dag.id: 0.0}
    assert all(row["facts"]["pvr_verify"] == 1.0 for row in scores.values())
    capsys.readouterr()
    assert cli.main(["tables", str(out), "--only", "2"]) == 0
    shown = capsys.readouterr().out
    assert "linear" in shown and "dag" in shown
    again = ["--suite", "amazing-race", "--tasks", str(out / "tasks.jsonl"), "--arm", "agent-code"]
    assert (
        cli.main(["import", "aar-tools", str(tmp_path / "logs"), "--out", str(tmp_path / "b"), *again]) == 0
    )


def test_a_job_of_the_published_adapter_is_scored_by_the_commands_that_it_ran(
    clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both variants have a task easy-sample_001; the riddle that the agent was told says which it was."""
    file, out = tmp_path / "published.jsonl", tmp_path / "out"
    assert cli.main(["generate", "amazing-race", "--from", str(clone), "--out", str(file)]) == 0
    linear, dag = sorted(read_tasks(file, suite), key=lambda each: each.labels["variant"] == "dag")
    tools = [
        f"cd /app && python3 tools.py {call.tool} '{json.dumps(call.arguments)}' | head -50"
        for call in simulated.perfect(leg_of(linear))
    ]
    write_trial(
        tmp_path / "job", 1, linear, "7", ["ls", "; ".join(tools[:2]), *tools[2:], "echo -n 7 > answer.txt"]
    )
    write_trial(
        tmp_path / "job",
        2,
        dag,
        "3",
        ["python3 /app/tools.py --list", "python3 /app/tools.py x '{'", "echo '"],
    )
    load = ["import", "auto", str(tmp_path / "job"), "--suite", "amazing-race", "--tasks", str(file)]
    assert cli.main([*load, "--arm", "agent-code", "--out", str(out)]) == 0
    assert cli.main(["score", str(out)]) == 0
    scores = {row["task"]: row for row in map(json.loads, (out / "scores.jsonl").read_text().splitlines())}
    right, wrong = scores[linear.id], scores[dag.id]
    assert (right["compat"], right["facts"]["pvr_verify"], right["facts"]["rcr_evaluate"]) == (1.0, 1.0, 1.0)
    assert right["facts"]["verify"]["right_tool_calls"] == 4, "as a perfect run has by its log"
    assert (wrong["compat"], wrong["facts"]["pvr_verify"]) == (0.0, 0.0)
    assert right["facts"]["verify"]["valid_tool_calls"] < right["facts"]["verify"]["total_tool_calls"]


@RELEASE
def test_the_release_is_1400_legs_and_table_2_is_as_printed() -> None:
    samples = items.adopt(items.released_rows(CLONE), {})
    places = Counter(each.labels["kind"] for each in samples)
    assert places == {
        **{f"linear-{level}": 200 for level in ("easy", "medium", "hard", "extreme")},
        **{"dag-easy": 100, "dag-medium": 150, "dag-hard": 166, "dag-extreme": 184},
    }
    whole = [row for row in dataset([leg_of(each) for each in samples]).rows if row[1] == "all"]
    assert [(row[0], row[2], row[3], row[6]) for row in whole] == [
        ("linear", 800, 15.0, 4.0),
        ("dag", 600, 22.1, 12.0),
    ]


@RELEASE
def test_564_legs_of_the_release_are_clean() -> None:
    samples = items.adopt(items.released_rows(CLONE), {})
    assert len(PRESETS["clean"].items(samples)) == 564


@RELEASE
def test_the_shipped_audit_is_what_the_legs_and_the_tables_say() -> None:
    """A quarter of the legs: the gazetteer is asked for each name."""
    legs = [read_leg(row) for row in items.released_rows(CLONE)[::4]]
    names = {published_id(leg) for leg in legs}
    made = [row for leg in legs for row in audit.audit(leg, *audit.bundled_tables())]
    assert made == [row for row in audit.published() if row.leg in names]


def test_the_page_counts_what_the_shipped_audit_has() -> None:
    page = (Path(__file__).parents[4] / "docs" / "suites" / "amazing-race.md").read_text(encoding="utf-8")
    table = page.partition("that the digit needs |")[2].partition("--preset clean")[0]
    told = re.findall(r"^\| ([a-z ]+) \| .* \| (\d*) ?\| (\d+) \|$", table, re.MULTILINE)
    rows: Counter[str] = Counter()
    needed: Counter[str] = Counter()
    for row in audit.published():
        rows[row.kind] += 1
        needed[row.kind] += row.needed
    flags = {*WRONG, *GIVEN}
    assert {kind: (all_ or needed_, needed_) for kind, all_, needed_ in told} == {
        kind: (str(rows[kind]), str(needed[kind])) for kind in rows if kind not in flags
    }
    years = [row for row in audit.published() if row.kind == "day for a year"]
    assert len({(row.leg, row.stop) for row in years}) == 679 and len({row.leg for row in years}) == 419
    assert len({row.leg for row in years if row.needed}) == 172
    assert len({row.leg for row in audit.published() if row.needed}) == 1400 - 564


@RELEASE
def test_what_the_linter_says_of_the_release_is_what_the_page_says() -> None:
    page = (Path(__file__).parents[4] / "docs" / "suites" / "amazing-race.md").read_text(encoding="utf-8")
    flags = [{flag.name for flag in lint(read_leg(row))} for row in items.released_rows(CLONE)]
    table = page.partition("published legs |")[2].partition("### What is wrong")[0]
    told = re.findall(r"^\| ([a-z' ]+) \|[^|]*\| ([\d,]+)", table, re.MULTILINE)
    assert Counter(name for each in flags for name in each) == {
        name: int(count.replace(",", "")) for name, count in told
    }
