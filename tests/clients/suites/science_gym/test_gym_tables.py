"""science-gym: every table is found again from agents whose right and wrong answers are known beforehand."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from labrig_harness.channels import last_json_object
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Score, Table
from labrig_harness.trajectory import Step, Submission, Tokens, ToolCall, Trajectory
from labrig_study.statistics.agreement import krippendorff_alpha
from labrig_study.statistics.proportions import wilson
from labrig_suites.science_gym import wording
from labrig_suites.science_gym.measures import STYLES, constant
from labrig_suites.science_gym.paper import paper_tables
from labrig_suites.science_gym.question import (
    CATEGORY,
    DECISIONS,
    EXPECTED,
    NOT_POSSIBLE,
    README_CHOICES,
    Expected,
    Type,
)
from labrig_suites.science_gym.score import score
from labrig_suites.science_gym.tables import tables


def impossible(reason: str, digits: int = 0) -> Expected:
    return Expected("impossible", NOT_POSSIBLE, digits=digits, reason=reason)


QUESTIONS: list[tuple[Type, Expected]] = [
    ("readme", Expected("choice", "neither", README_CHOICES)),
    ("readme", Expected("choice", "no README", README_CHOICES)),
    ("title", Expected("text", "Growth of algae")),
    ("title", impossible("no README")),
    ("extension", Expected("choice", ".csv", (".csv", ".json", ".jsonl"))),
    ("count-rows", Expected("integer", "163")),
    ("count-rows", Expected("integer", "163")),
    ("count-rows", Expected("integer", "20")),
    ("count-rows", impossible("missing file")),
    ("files-by-condition", Expected("integer", "3")),
    ("files-by-condition", impossible("empty selection")),
    ("univariate-file", Expected("number", "1.23456789012345", digits=3)),
    ("univariate-file", Expected("number", "1.23500000000001", digits=3)),
    ("univariate-file", Expected("number", "-0.50000000000001", digits=2)),
    ("univariate-file", impossible("wrong type", 3)),
    ("bivariate-statistic", Expected("number", "0.83000000000001", digits=3)),
    ("bivariate-statistic", impossible("empty selection", 3)),
    ("bivariate-hypothesis", Expected("choice", "yes, no", DECISIONS)),
    ("bivariate-hypothesis", Expected("choice", "no, no", DECISIONS)),
    ("bivariate-hypothesis", impossible("missing variable")),
]
"""20 questions, 6 of them impossible."""


def make_tasks() -> list[Sample]:
    """Return 80 items: each question in four styles, in five repositories of four questions."""
    return [
        Sample(
            "science-gym",
            "1",
            SampleInput(f"{number}-{style}", "?"),
            truth={"expected": EXPECTED.dump_python(expected, mode="json"), "query": {}},
            labels={
                "repository": f"isg/1:{number % 5}",
                "question": str(number),
                "category": CATEGORY[type],
                "type": type,
                "style": style,
            },
        )
        for number, (type, expected) in enumerate(QUESTIONS)
        for style in STYLES
    ]


TASKS = make_tasks()


def expected_of(sample: Sample) -> Expected:
    return EXPECTED.validate_python(sample.truth["expected"])


SPENT = Tokens(900, 50, 50, 100, measured=True)
"""Of a step: 1000 in, 50 of them cached, and 100 out."""


def trajectory(
    sample: Sample,
    message: str,
    agent: str = "tester",
    arm: str = "agent-paper",
    epoch: int = 0,
    calls: int = 2,
    tokens: Tokens = SPENT,
) -> Trajectory:
    """Return a record that made `calls` calls, every second one of them Python, and ended with a message."""
    made = tuple(
        ToolCall("run_python_code" if n % 2 else "list_directory", {}, n, is_error=False)
        for n in range(calls)
    )
    found = last_json_object(message)
    return Trajectory(
        *(sample.id, "science-gym", agent, arm, epoch, 0),
        steps=(
            Step(0, text='{"answer": "of the prompt"}', source="user"),
            Step(1, text="I look.", calls=made, tokens=tokens),
            Step(2, text=message, tokens=tokens),
        ),
        submission=Submission(found, 2) if found else None,
        end="answered",
        model="model-1",
        meta={"duration_s": 1.5},
    )


Answer = Callable[[Sample], object]


def reference(sample: Sample) -> object:
    return expected_of(sample).value


def always_answers(sample: Sample) -> object:
    return "7" if expected_of(sample).kind == "impossible" else reference(sample)


def never_answers(sample: Sample) -> object:
    return "Not possible."


def coin(sample: Sample) -> object:
    """Right by a coin that the item's name tosses."""
    return reference(sample) if random.Random(sample.id).random() < 0.5 else "wrong"


def say(answer: str, sample: Sample) -> object:
    return answer


AGENTS: dict[str, Answer] = {
    "reference": reference,
    "always answers": always_answers,
    "never answers": never_answers,
    "coin": coin,
}
CALLS = {"reference": 9, "always answers": 3, "never answers": 0, "coin": 1}


def run(agent: str, answer: Answer | None = None, arm: str = "agent-paper") -> list[Score]:
    """Return the scores of an agent on all items."""
    said = answer or AGENTS[agent]
    return [
        score(
            sample,
            trajectory(sample, json.dumps({"answer": said(sample)}), agent, arm, calls=CALLS.get(agent, 2)),
        )
        for sample in TASKS
    ]


SCORES = {agent: run(agent) for agent in AGENTS}
ALL = [each for scores in SCORES.values() for each in scores]


def named(title: str, scores: list[Score] | None = None) -> Table:
    made = tables(TASKS, ALL if scores is None else scores)
    return next(each for each in made if each.title == title)


def figure(start: str, scores: list[Score] | None = None) -> Table:
    made = paper_tables(TASKS, ALL if scores is None else scores)
    return next(each for each in made if each.title.startswith(start))


def by_agent(table: Table) -> dict[str, dict[str, object]]:
    """Rows by agent; of columns of one name the first."""
    return {
        str(row[table.columns.index("agent")]): dict(zip(reversed(table.columns), reversed(row), strict=True))
        for row in table.rows
    }


HEADS = sum(coin(sample) != "wrong" for sample in TASKS)
POSSIBLE = 70.0
"""Percent of the questions: 14 of 20."""


def test_the_styles_are_those_of_the_wording() -> None:
    assert STYLES == wording.STYLES


def test_accuracy_of_the_four_agents() -> None:
    rows = by_agent(named("Accuracy"))
    assert {agent: row["strict %"] for agent, row in rows.items()} == {
        "reference": 100.0,
        "always answers": POSSIBLE,
        "never answers": 30.0,
        "coin": round(100 * HEADS / 80, 1),
    }
    for agent, row in rows.items():
        assert (row["items"], row["repositories"], row["JSON %"]) == (80, 5, 100.0)
        right = sum(each.compat for each in SCORES[agent])
        low, high = wilson(right, 80)
        assert (row["low (Wilson)"], row["high (Wilson)"]) == (round(100 * low, 1), round(100 * high, 1))
    # Of strict by repositories: wider than over items, and none where all are right.
    coin = rows["coin"]
    assert float(str(coin["low"])) < float(str(coin["strict %"])) < float(str(coin["high"]))
    assert rows["reference"]["low"] is None
    assert "30.0 % of the samples" in named("Accuracy").note


def test_abstention_tells_apart_who_always_and_who_never_answers() -> None:
    rows = by_agent(named("“not possible”"))
    told = {
        agent: tuple(row[name] for name in ("said", "said correctly", "precision %", "recall %"))
        for agent, row in rows.items()
    }
    heads = sum(coin(sample) != "wrong" for sample in TASKS if expected_of(sample).kind == "impossible")
    assert told == {
        "reference": (24, 24, 100.0, 100.0),
        "always answers": (0, 0, None, 0.0),
        "never answers": (80, 24, 30.0, 100.0),
        "coin": (heads, heads, 100.0, round(100 * heads / 24, 1)),
    }
    assert 0 < heads < 24
    assert {row["impossible"] for row in rows.values()} == {24}
    table = named("“not possible”")
    never = next(row for row in table.rows if row[1] == "never answers")
    low, high = wilson(24, 80)
    assert never[7:9] == (round(100 * low, 1), round(100 * high, 1))
    answers = next(row for row in table.rows if row[1] == "always answers")
    assert answers[7:9] == (None, None)
    assert answers[10:12] == (0.0, round(100 * wilson(0, 24)[1], 1))


def test_reasons_categories_types_and_styles_add_up() -> None:
    reasons = {
        row[0]: row[3:] for row in named("Impossible questions by reason", SCORES["never answers"]).rows
    }
    assert reasons == {
        "empty selection": (8, 100.0, 100.0),
        "missing file": (4, 100.0, 100.0),
        "missing variable": (4, 100.0, 100.0),
        "no README": (4, 100.0, 100.0),
        "wrong type": (4, 100.0, 100.0),
    }
    always = SCORES["always answers"]
    categories = {row[0]: row[3:5] for row in named("By category", always).rows}
    assert categories == {
        "repository metadata": (16, 75.0),
        "file metadata": (20, 80.0),
        "directory traversal": (8, 50.0),
        "univariate statistics": (16, 75.0),
        "bivariate statistics": (20, 60.0),
    }
    types = named("By type", always).rows
    assert [row[0] for row in types] == list(dict.fromkeys(type for type, _ in QUESTIONS))
    assert sum(row[3] for row in types) == 80
    assert [row[0] for row in named("By style", always).rows] == list(STYLES)


def test_constant_answers_come_from_the_truths() -> None:
    rows = {row[0]: row[1:] for row in named("Constant answers", []).rows}
    assert rows["count-rows"] == (16, "163", 50.0, 25.0)
    # 1.2346 and 1.2350 are within half a percent of one number, which is right for both.
    assert rows["univariate-file"] == (16, "1.235", 50.0, 25.0)
    assert rows["bivariate-hypothesis"] == (12, "no, no", 33.3, 33.3)
    assert rows["all"] == (80, "not possible", 30.0, 30.0)
    # It is what an agent gets that gives this answer.
    for type, (_, answer, share, _) in rows.items():
        scores = [
            each
            for each in run("constant", lambda _, said=answer: said)
            if each.facts["type"] == type or type == "all"
        ]
        assert round(100 * fmean(each.strict for each in scores), 1) == share, type


def test_tokens_and_calls_stand_beside_accuracy() -> None:
    rows = by_agent(named("Tokens and tool calls"))
    assert {agent: row["calls"] for agent, row in rows.items()} == CALLS
    assert rows["reference"]["Python runs"] == 4.0
    assert {(row["tokens (k)"], row["cached input (k)"], row["output (k)"]) for row in rows.values()} == {
        (2.2, 0.1, 0.2)
    }
    bins = {(row[1], row[2]): row[3:] for row in named("By tool calls").rows}
    assert bins["reference", "8-15"] == (80, 100.0, 100.0, 2.2)
    assert bins["never answers", "0"][:2] == (80, 30.0)
    # One record that nobody measured: the mean is not known.
    unknown = score(TASKS[0], trajectory(TASKS[0], "7", "reference", epoch=1, tokens=Tokens()))
    assert by_agent(named("Tokens and tool calls", [*ALL, unknown]))["reference"]["tokens (k)"] is None


def test_agreement_is_alpha_of_right_and_wrong_against_the_template() -> None:
    table = named("Agreement of styles")
    right = {each.task: bool(each.strict) for each in SCORES["coin"]}
    units = [[right[f"{number}-{style}"] for style in STYLES] for number in range(len(QUESTIONS))]
    rows = {row[2]: row[3:] for row in table.rows if row[1] == "coin"}
    for place, style in enumerate(STYLES[1:], 1):
        alike = sum(unit[0] == unit[place] for unit in units)
        alpha = krippendorff_alpha([[unit[0] for unit in units], [unit[place] for unit in units]])
        assert alpha is not None and rows[style] == (20, 5.0 * alike, round(alpha, 2), round(alpha, 2))
    assert rows["all four"][:2] == (20, 5.0 * sum(len(set(unit)) == 1 for unit in units))
    always = {row[2]: row[3:] for row in table.rows if row[1] == "always answers"}
    assert always["note"] == (20, 100.0, 1.0, 1.0)
    # All are right: nothing to tell agreement by.
    assert {row[2]: row[5] for row in table.rows if row[1] == "reference"}["note"] is None


@pytest.mark.parametrize(
    ("item", "said", "moves"),
    [
        # An answer to a possible question turned wrong: accuracy, its type, its style, agreement.
        (
            "5-note",
            "164",
            {"Accuracy", "By category", "By type", "By style", "By tool calls", "Tokens and tool calls"},
        ),
        # An impossible one answered: abstention and its reason, too.
        ("8-note", "164", {"Accuracy", "“not possible”", "Impossible questions by reason"}),
        # A possible one given up.
        ("5-template", "not possible", {"Accuracy", "“not possible”", "By category", "Agreement of styles"}),
    ],
)
def test_one_record_moves_what_it_must(item: str, said: str, moves: set[str]) -> None:
    before = SCORES["reference"]
    sample = next(each for each in TASKS if each.id == item)
    after = [
        score(sample, trajectory(sample, json.dumps({"answer": said}), "reference", calls=9))
        if each.task == item
        else each
        for each in before
    ]
    old = {each.title: each.rows for each in tables(TASKS, before)}
    new = {each.title: each.rows for each in tables(TASKS, after)}
    moved = {title for title in old if old[title] != new[title]}
    assert moves <= moved
    assert "Constant answers" not in moved
    # Accuracy falls by one of 80 items, and by one of 20 in its style alone.
    assert next(row[4] for row in new["Accuracy"]) == pytest.approx(98.8)
    styles = {row[0]: row[4] for row in new["By style"]}
    assert styles == {style: 95.0 if item.endswith(style) else 100.0 for style in STYLES}
    said_it = said == "not possible"
    assert ("“not possible”" in moved) == (said_it or sample.truth["expected"]["kind"] == "impossible")
    assert ("Impossible questions by reason" in moved) == (sample.truth["expected"]["kind"] == "impossible")


def hedges(sample: Sample) -> object:
    """Right by compat alone: names a second number in the note, and answers behind "not possible"."""
    expected = expected_of(sample)
    if expected.kind == "impossible":
        return "It is not possible to be negative: 3"
    hedged = expected.kind == "integer" and sample.labels["style"] == "note"
    return f"{expected.value} or 999" if hedged else expected.value


def test_strict_and_compat_stand_in_their_own_columns() -> None:
    scores = run("hedges", hedges)
    row = named("Accuracy", scores).rows[0]
    # 4 of 80 are hedged numbers, 24 answers behind "not possible".
    assert (row[4], row[7]) == (65.0, 100.0)
    said = by_agent(named("“not possible”", scores))["hedges"]
    assert (said["said"], said["recall %"], said["said (compat)"], said["recall % (compat)"]) == (
        0,
        0.0,
        24,
        100.0,
    )
    styles = {row[2]: row[3:] for row in named("Agreement of styles", scores).rows}
    assert styles["plain"][1] == 100.0 and styles["note"][1] == 80.0 and styles["all four"][1] == 80.0
    assert styles["note"][2] is not None and styles["note"][3] is None
    # The paper's tables are by compat.
    assert by_agent(figure("Figure 2", scores))["hedges"]["recall %"] == 100.0
    assert figure("Leaderboard", scores).rows[0][2:5] == (100.0, 100.0, 100.0)
    assert figure("Table 1", scores).rows[0][2:] == (None, None, None)


def test_the_figures_of_the_paper_from_the_same_agents() -> None:
    rows = by_agent(figure("Figure 2"))
    assert {
        agent: (row["accuracy %"], row["precision %"], row["recall %"]) for agent, row in rows.items()
    } == {
        "reference": (100.0, 100.0, 100.0),
        "always answers": (POSSIBLE, None, 0.0),
        "never answers": (30.0, 30.0, 100.0),
        "coin": (round(100 * HEADS / 80, 1), 100.0, by_agent(named("“not possible”"))["coin"]["recall %"]),
    }
    assert by_agent(figure("Figure 3"))["always answers"]["directory traversal %"] == 50.0
    assert by_agent(figure("Figure 4"))["reference"]["tool calls per question"] == 9.0
    best = figure("Leaderboard").rows
    assert [row[0] for row in best][:2] == ["reference", "always answers"]
    assert best[0] == ("reference", "agent-paper", 100.0, 100.0, 100.0, 2.2, 9.0)
    assert figure("Table 2").rows == ()
    counted = {row[1]: row[2:] for row in figure("Table 3").rows}
    assert counted["count-rows"] == (4, 1, 25.0) and counted[""] == (20, 6, 30.0)


def test_table_1_is_alpha_by_agent_and_averages_its_columns() -> None:
    table = figure("Table 1")
    rows = {row[0]: row[2:] for row in table.rows}
    assert list(rows) == ["always answers", "coin", "never answers", "reference", "average"]
    assert rows["always answers"] == (1.0, 1.0, 1.0) and rows["reference"] == (None, None, None)
    agreed = {row[2]: row[6] for row in named("Agreement of styles").rows if row[1] == "coin"}
    assert rows["coin"] == tuple(agreed[style] for style in STYLES[1:])
    means = np.mean([rows[name] for name in ("always answers", "coin", "never answers")], axis=0)
    assert rows["average"] == pytest.approx(tuple(means), abs=0.006)


def test_order_and_foreign_records_do_not_matter_to_the_paper_tables() -> None:
    foreign = replace(ALL[0], task="of-another-set", agent="stranger")
    shuffled = [*ALL, foreign]
    random.Random(1).shuffle(shuffled)
    assert paper_tables(TASKS, shuffled) == paper_tables(TASKS, ALL)


def test_without_records_the_paper_tables_say_what_to_run() -> None:
    made = paper_tables(TASKS, [])
    assert [each.title.split(".")[0] for each in made] == [
        *("Table 1", "Table 2", "Table 3", "Figure 2", "Figure 3", "Figure 4", "Leaderboard")
    ]
    assert all(bool(each.rows) == each.title.startswith("Table 3") for each in made)
    assert all(
        "labrig run science-gym" in each.note
        for each in made
        if not each.rows and "Table 2" not in each.title
    )
    assert tables([], [])[0].rows == () and constant([]).items == 0


def test_an_item_counts_once_however_many_epochs_of_it_are_there() -> None:
    right = run("uneven", lambda _: "163")
    found = [*right, *(replace(each, epoch=1) for each in right if each.compat == 0)]
    shown = {table.title: table.rows for table in paper_tables(TASKS, found)}
    expected = round(100 * fmean(each.compat for each in right), 1)
    assert shown["Leaderboard. With the columns of the benchmark's site"][0][2] == expected
    assert shown["Figure 2. Accuracy, and impossible questions"][0][3] == expected
