"""labrig generate, run --tasks and --preset, labrig tables: from a seed or a published file to records and tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_cli import main
from labrig_harness import suites
from labrig_harness.records import outfolder
from labrig_harness.sample import Sample, SampleInput
from labrig_phreeqc.engine import engine as engines
from labrig_suites.phreeqc_mcq import items, presets, published, tasks
from labrig_suites.phreeqc_mcq.solution import scene

QUESTION = """\
A water at 25 degrees   contains 1 mmol/kgw of NaCl
and nothing else.

What is its ionic strength?
A. 0.001 mol/kgw
B. 0.002 mol/kgw
C. 0.01 mol/kgw
D. 0.1 mol/kgw"""


@pytest.fixture
def generated(databases: Path, private_home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "items.jsonl"
    assert main(["generate", "phreeqc-mcq", "--seed", "few", "--n", "3", "--out", str(path)]) == 0
    assert items.commitment("few") in capfd.readouterr().out
    return path


@pytest.fixture(scope="module")
def row(databases: Path) -> dict[str, Any]:
    return items.row(items.generate("few", 1)[0])


@pytest.mark.accept
def test_runs_of_a_set_wait_as_long_as_a_generator_may(
    databases: Path, private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not as long as a caller's: on a machine under load many runs of one scene wait longer than that."""
    monkeypatch.setattr(engines, "PATIENT_S", 0.0)
    with pytest.raises(LabrigError, match="PHREEQC is busy: no place came free in 0 s"):
        items.generate("few", 1)


def test_a_set_is_made_run_and_scored(
    generated: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in generated.read_text().splitlines()]
    assert generated.stat().st_mode & 0o077 == 0  # truths are for the owner
    assert all(set("ABCD") == set(row["options"]) and row["answer"] in row["options"] for row in rows)
    assert all({"value", "numbers", "states", "options"} <= set(row["truth"]) for row in rows)
    again = tmp_path / "again.jsonl"
    assert main(["generate", "phreeqc-mcq", "--seed", "few", "--n", "3", "--out", str(again)]) == 0
    assert again.read_bytes() == generated.read_bytes()

    out = tmp_path / "out"
    run = ["run", "phreeqc-mcq", "--tasks", str(generated), "--agent"]
    assert main([*run, "reference", "--out", str(out)]) == 0
    assert main([*run, "random", "--arm", "direct", "--out", str(out)]) == 0
    capfd.readouterr()
    assert main(["score", str(out), "--json"]) == 0
    scores = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    of_reference = [each for each in scores if each["agent"] == "reference"]
    assert [each["strict"] for each in of_reference] == [1, 1, 1]
    sizes = {row["id"]: row["truth"]["output_chars"] for row in rows}
    assert {each["task"]: each["facts"]["output_chars"] for each in of_reference} == sizes

    assert main(["tables", str(out), "--only", "1,9", "--format", "json"]) == 0
    made = json.loads(capfd.readouterr().out)
    assert [re.match(r"Table (\d+)\.", each["title"])[1] for each in made] == ["1", "9"]
    for form in ("text", "markdown", "csv"):
        assert main(["tables", str(out), "--format", form]) == 0
        assert "Table 31." in capfd.readouterr().out
    assert main(["tables", str(out), "--only", "32"]) == 2
    assert "There is no table 32" in capfd.readouterr().err

    damaged, gone = sorted((out / "agent-toc.reference").glob("*/epoch0/trajectory.json"))[:2]
    damaged.write_text(damaged.read_text()[:300])
    gone.unlink()
    assert main(["tables", str(out), "--only", "1"]) == 1
    said = capfd.readouterr().err.splitlines()
    assert (
        said[0].startswith(f"Not scored: {damaged.parent.relative_to(out)}: ") and "labrig resume" in said[0]
    )
    assert said[1] == "Missing: agent-toc.reference: 2 of 3 records are missing"


def test_draws_are_those_of_version_1(row: dict[str, Any]) -> None:
    """The item that version 1 drew from the same seed, worded anew."""
    assert (row["version"], row["stem"], row["answer"]) == ("3", "coastal-sediment", "B")
    values = {"A": "3.285", "B": "207.1", "C": "187.7", "D": "7.448"}
    assert row["options"] == {letter: f"{value} mmol/kg water" for letter, value in values.items()}
    states = {"per": "kilogram", "course": "salinisation", "calcite": "present", "read": "once"}
    assert row["truth"]["states"] == states | {"quantity": "sodium"}
    assert row["id"] != "d4c17b65dadc"


def test_records_of_version_1_are_scored_as_such(
    row: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "items.jsonl", tmp_path / "out"
    path.write_text(json.dumps(row))
    run = [
        "run",
        "phreeqc-mcq",
        "--tasks",
        str(path),
        "--arm",
        "direct",
        "--agent",
        "random",
        "--out",
        str(out),
    ]
    assert main(run) == 0 and main(["score", str(out)]) == 0
    now = json.loads((out / "scores.jsonl").read_text())

    def made_by(version: str) -> None:
        tasks = [replace(sample, suite_version=version) for sample in outfolder.read_tasks(out)]
        (out / "tasks.jsonl").write_text("".join(json.dumps(sample.to_dict()) + "\n" for sample in tasks))
        about = outfolder.read_run(out, now["run"])
        about |= {"suite_version": version, "tasks": outfolder.tasks_hash(tasks)}
        (out / now["run"] / "run.json").write_text(json.dumps(about))

    made_by("1")
    assert main(["score", str(out)]) == 0
    assert json.loads((out / "scores.jsonl").read_text()) == now | {"suite_version": "1"}
    made_by("0")
    capfd.readouterr()
    assert main(["score", str(out)]) == 2
    assert "phreeqc-mcq 0; installed is 3" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--n", "0"], "so few"),
        (["--n", "1", "--seed", " "], "seed is empty"),
        (["--n", "1", "--seed", "\udcff"], "seed is not UTF-8"),
        (["--n", "1", "--set", "database=x"], "published questions"),
        (["--from", "missing.jsonl", "--set", "database=x"], "No such file"),
        (["--from", "missing.jsonl", "--seed", "1"], "come from a file"),
    ],
)
def test_what_cannot_be_generated_is_said(
    arguments: list[str], said: str, tmp_path: Path, private_home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "items.jsonl"
    assert main(["generate", "phreeqc-mcq", *arguments, "--out", str(out)]) == 2
    assert said in capfd.readouterr().err
    assert not out.exists()


def test_nothing_is_written_over_and_fixed_suites_are_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "items.jsonl"
    there.write_text("precious")
    assert main(["generate", "phreeqc-mcq", "--n", "1", "--out", str(there)]) == 2
    assert "there already" in capfd.readouterr().err and there.read_text() == "precious"
    assert main(["generate", "phreeqc-basics", "--out", str(tmp_path / "x")]) == 2
    assert "phreeqc-mcq" in capfd.readouterr().err
    assert main(["generate", "phreeqc-mcq", "--out", str(tmp_path / "no" / "x")]) == 2
    assert "no such folder" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no sample"),
        ("{", ":1"),
        ("[]", "not a JSON object"),
        ('{"id": "x"}', "not a sample of phreeqc-mcq"),
        ('{"question": "Q", "answer": "A"}', "labrig generate phreeqc-mcq --from"),
    ],
)
def test_a_file_that_holds_no_items(
    text: str, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    run = ["run", "phreeqc-mcq", "--tasks", str(path), "--agent", "nop", "--out", str(tmp_path / "o")]
    assert main(run) == 2
    assert said in capfd.readouterr().err


def _edited(row: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return an item with some fields replaced, those of its truth by ``truth__NAME``; None leaves one out."""
    made = {**row, "truth": dict(row["truth"])}
    for name, value in changes.items():
        place = made["truth"] if name.startswith("truth__") else made
        place[name.removeprefix("truth__")] = value
        if value is None:
            place.pop(name.removeprefix("truth__"))
    return made


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": "../../elsewhere"}, "the id"),
        ({"id": "/elsewhere"}, "the id"),
        ({"id": ""}, "the id"),
        ({"id": 5}, "the id"),
        ({"version": "4"}, "version '4'"),
        ({"question": ["Q"]}, "question"),
        ({"options": {"A": "1", "B": "2", "C": "3", "D": "4", "E": "5"}}, "options"),
        ({"options": {"A": "1", "B": "1", "C": "3", "D": "4"}}, "two options are the same"),
        ({"answer": "E"}, "the answer 'E'"),
        ({"answer": "a"}, "the answer 'a'"),
        ({"answer": None}, "'answer' is missing"),
        ({"labels": {"stem": 3}}, "labels"),
        ({"truth__options": None}, "'options' is missing"),
        ({"truth__options": [1]}, "not a sample"),
        ({"truth__numbers": None}, "'numbers' is missing"),
        ({"truth__numbers": {}}, "do not make a scene"),
        ({"truth__states": {}}, "do not make a scene"),
        ({"truth__output_chars": "many"}, "output_chars"),
        ({"truth__shift": float("nan")}, "not a JSON number"),
    ],
)
def test_an_item_edited_by_hand_is_refused_before_it_runs(
    changes: dict[str, Any], said: str, row: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "edited.jsonl", tmp_path / "out"
    path.write_text(json.dumps(_edited(row, **changes)))
    capfd.readouterr()
    assert main(["run", "phreeqc-mcq", "--tasks", str(path), "--agent", "nop", "--out", str(out)]) == 2
    assert said in capfd.readouterr().err
    assert not out.exists()


def test_another_answer_than_that_of_no_mistake(row: dict[str, Any]) -> None:
    other = next(letter for letter in items.LETTERS if letter != row["answer"])
    with pytest.raises(LabrigError, match="but the answer is"):
        items.from_row({**row, "answer": other})


def test_lines_and_answers_of_a_set(row: dict[str, Any], tmp_path: Path) -> None:
    path, out = tmp_path / "items.jsonl", tmp_path / "out"
    run = [
        "run",
        "phreeqc-mcq",
        "--tasks",
        str(path),
        "--arm",
        "direct",
        "--agent",
        "random",
        "--out",
        str(out),
    ]
    odd = {**row, "question": row["question"] + "\u2028\x85 Say so."}
    path.write_text(json.dumps(odd, ensure_ascii=False), encoding="utf-8")
    assert main(run) == 0 and main(["score", str(out)]) == 0
    plain = {"stem": None, "options": None}
    truth = {name: value for name, value in row["truth"].items() if name not in plain}
    turned = next(letter for letter in items.LETTERS if letter != row["answer"])
    path.write_text(json.dumps({**odd, "truth": truth, "answer": turned}))
    assert main(run) == 2  # the folder's records are of the other answer


def test_two_at_once_do_not_write_over_one_another(
    tmp_path: Path, databases: Path, private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.jsonl"

    def meanwhile(*made: Any, **more: Any) -> list[Sample]:
        path.write_text("of the other")
        return []

    suite = suites.load("phreeqc-mcq")
    assert suite.generator is not None
    generator = replace(suite.generator, make=meanwhile)
    monkeypatch.setattr(suites, "load", lambda name: replace(suite, generator=generator))
    assert main(["generate", "phreeqc-mcq", "--n", "1", "--out", str(path)]) == 2
    assert path.read_text() == "of the other"
    assert [each.name for each in tmp_path.iterdir() if "items" in each.name] == ["items.jsonl"]


def test_published_questions_are_taken_over(tmp_path: Path, private_home: Path) -> None:
    rows = [
        {"question": QUESTION, "answer": "a"},
        {"question": QUESTION.replace("ionic strength", "density"), "answer": "D"},
        {"question": "What is the pH?", "A": "7.00", "B": "6.00", "C": "5.00", "D": "4.00", "answer": "B"},
        {"question": "And pOH?", "options": ["1", "2", "3", "4"], "answer": "C", "id": 7},
    ]
    source, out = tmp_path / "published.jsonl", tmp_path / "items.jsonl"
    source.write_text("\ufeff" + "\n\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    make = ["generate", "phreeqc-mcq", "--from", str(source), "--set", "database=wateq4f.dat"]
    assert main([*make, "--out", str(out)]) == 0
    made = [items.from_row(json.loads(line)) for line in out.read_text().splitlines()]
    assert [sample.truth["answer"] for sample in made] == ["A", "D", "B", "C"]
    assert all("database wateq4f.dat." in sample.brief.prompt for sample in made)
    assert all(sample.brief.prompt.count(f"{letter}. ") == 1 for sample in made for letter in "ABCD")
    assert QUESTION in made[0].brief.prompt and "C. 3" in made[3].brief.prompt
    stems = [sample.labels["stem"] for sample in made]
    assert (
        stems[0] == stems[1] and len(set(stems)) == 3
    )  # of one scenario: the first paragraph, spaces made even

    folder = tmp_path / "out"
    run = [
        "run",
        "phreeqc-mcq",
        "--tasks",
        str(out),
        "--agent",
        "random",
        "--arm",
        "direct",
        "--out",
        str(folder),
    ]
    assert main(run) == 0
    assert main(["tables", str(folder)]) == 0


@pytest.mark.parametrize("label", ["A. {}", "A.) {}", "a) {}  "])
@pytest.mark.parametrize("gap", ["\r\n\r\n", "\n"])
def test_released_files_are_taken_as_they_are(
    tmp_path: Path, private_home: Path, label: str, gap: str
) -> None:
    """The rows of the public release: ``gold``, a number as id, line ends of Windows, labels in three forms."""
    values = ("6.9", "7.0", "7.1", "7.2")
    letters = "ABCD" if label.startswith("A") else "abcd"
    options = [letter + label[1:].format(value) for letter, value in zip(letters, values, strict=True)]
    lines = gap[: len(gap) // 2 or 1].join(options)
    rows = [
        {"id": n, "question": f"Pure water at 25 °C.{gap}{ask}{gap}{lines}", "task_type": "mcq", "gold": gold}
        for n, ask, gold in ((1, "What is the pH?", "B"), (2, "What is the pOH?", "C"))
    ]
    source, out = tmp_path / "released.jsonl", tmp_path / "items.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    make = ["generate", "phreeqc-mcq", "--from", str(source), "--set", "database=phreeqc.dat"]
    assert main([*make, "--out", str(out)]) == 0
    made = [items.from_row(json.loads(line)) for line in out.read_text().splitlines()]
    assert [(each.id, each.truth["answer"]) for each in made] == [("1", "B"), ("2", "C")]
    assert all(each.brief.prompt.count(value) == 1 for each in made for value in values)
    assert not any("\r" in each.brief.prompt for each in made)
    assert (made[0].labels["stem"] == made[1].labels["stem"]) is ("\r" in gap)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": QUESTION, "answer": "A", "gold": "B"}, "answer and gold differ"),
        ({"question": QUESTION, "gold": "7.0"}, "not one of the letters"),
        ({"question": QUESTION, "gold": "A", "id": "../x"}, "cannot name a record"),
        ({"question": QUESTION, "gold": "A", "id": True}, "cannot name a record"),
        ({"answer": "A"}, "no question"),
        ({"question": QUESTION, "answer": "E"}, "not one of the letters"),
        ({"question": "Bare?", "answer": "A"}, "neither in the question"),
        ({"question": "Half?", "A": "1", "B": "2", "answer": "A"}, "not have four options"),
        ({"question": f"{QUESTION}\nE. none of these", "answer": "A"}, "five options"),
        ({"question": "Q?", "options": ["1", "2", "3", "4", "5"], "answer": "A"}, "five options"),
        (
            {"question": "Q?", "options": dict(zip("ABCDE", "12345", strict=True)), "answer": "A"},
            "five options",
        ),
        ({"question": "Q?", "options": ["1", "2", "2", "4"], "answer": "A"}, "the same"),
        ({"question": "Q?", "options": [{"text": n} for n in "1234"], "answer": "A"}, "not text"),
    ],
)
def test_published_rows_that_cannot_be_taken(row: dict[str, Any], said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        published.adopt([row], {"database": "phreeqc.dat"})


@pytest.mark.parametrize("form", ["- {}. {}", "* **{}.** {}", "**{}**. {}", "({}) {}", "{}) {}"])
def test_options_in_lines_of_other_forms(form: str) -> None:
    lines = "\n".join(form.format(letter, value) for letter, value in zip("ABCD", "1234", strict=True))
    sample = published.adopt([{"question": f"Q?\n{lines}", "answer": "D"}], {"database": "phreeqc.dat"})[0]
    assert lines in sample.brief.prompt


@pytest.mark.parametrize(
    "fields",
    [
        {"options": {"a": "1", "b": "2", "c": "3", "d": "4"}},
        {"options": ["A. 1", "B. 2", "C. 3", "D. 4"]},
        {"question": "Q?\n(A) 1\n(B) 2\n(C) 3\n(D) 4", "options": ["1", "2", "3", "4"]},
    ],
)
def test_options_stand_once(fields: dict[str, Any]) -> None:
    sample = published.adopt([{"question": "Q?", **fields, "answer": "D"}], {"database": "phreeqc.dat"})[0]
    assert [sample.brief.prompt.count(f"{letter}") for letter in "ABC"] == [1, 1, 1]
    assert [sample.brief.prompt.count(value) for value in "1234"] == [1, 1, 1, 1]


def test_published_questions_need_their_database() -> None:
    with pytest.raises(LabrigError, match="do not name a database"):
        published.adopt([{"question": QUESTION, "answer": "A"}], {})
    with pytest.raises(LabrigError, match="more than once"):
        published.adopt([{"question": QUESTION, "answer": "A"}] * 2, {"database": "phreeqc.dat"})


def test_the_preset_of_appendix_h(
    tmp_path: Path, databases: Path, private_home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tasks = [Sample("s", "1", SampleInput(f"i{n}", "?"), {"answer": "A"}) for n in range(200)]
    chosen = presets.sample(tasks)
    assert len({sample.id for sample in chosen}) == 50 and chosen == presets.sample(tasks)
    with pytest.raises(LabrigError, match="takes 50"):
        presets.sample(tasks[:49])
    source = tmp_path / "p.jsonl"
    source.write_text(
        "".join(json.dumps({"question": f"{n} {QUESTION}", "answer": "A"}) + "\n" for n in range(60))
    )
    file = tmp_path / "items.jsonl"
    make = ["generate", "phreeqc-mcq", "--from", str(source), "--set", "database=phreeqc.dat"]
    assert main([*make, "--out", str(file)]) == 0
    dry = [
        "run",
        "phreeqc-mcq",
        "--tasks",
        str(file),
        "--preset",
        "appendix-h",
        "--agent",
        "random",
        "--dry-run",
    ]
    capfd.readouterr()
    assert main([*dry, "--out", str(tmp_path / "o")]) == 0
    said = capfd.readouterr().out
    assert "50 samples" in said and "at most 24 steps and 300 s" in said
    assert "50 samples show an accuracy to within 14 points (95 %)" in said
    assert main([*dry[:-1], "--max-steps", "5", "--dry-run", "--out", str(tmp_path / "o")]) == 0
    assert "at most 5 steps" in capfd.readouterr().out
    dry[5] = "appendix-x"
    assert main([*dry, "--out", str(tmp_path / "o")]) == 2
    assert "appendix-h" in capfd.readouterr().err


def test_a_seed_of_run_is_made_once(
    monkeypatch: pytest.MonkeyPatch, databases: Path, private_home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tasks, "COUNT", 2)
    alone = tasks.first(3, 1)
    made = tasks.tasks(seed=3)
    assert alone == made[:1] == tasks.first(3, 1)
    assert Counter(sample.suite for sample in made) == {items.NAME: 2}
    monkeypatch.setattr(items, "generate", None)  # what is kept needs no generator
    assert tasks.tasks(seed=3) == made
    assert scene(made[0]).stem.name == made[0].labels["stem"]
    kept = next((private_home / "suites" / items.NAME).iterdir())
    assert kept.stat().st_mode & 0o077 == 0
    kept.write_text("{")
    with pytest.raises(TypeError):  # a damaged set is made anew
        tasks.tasks(seed=3)
