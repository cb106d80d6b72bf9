"""Questions of a file: read from three formats, refused with the place, run by the command, scored."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_cli import main
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from labrig_study.quantities import convert, read_quantity
from labrig_suites.questions.reading import read_questions
from labrig_suites.questions.score import score
from labrig_suites.questions.tasks import samples_of
from support import toy_server
from support.command import labrig

QUESTION = {"id": "a", "question": "How many?", "kind": "number", "answer": 3, "tolerance": 0}


def written(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_three_formats_are_the_same_questions_and_run_with_an_exit_code(tmp_path: Path) -> None:
    for ending in ("toml", "jsonl", "csv"):
        path = tmp_path / f"mine.{ending}"
        made = labrig("new-suite", str(path))
        assert made.returncode == 0 and f"labrig run {path}" in made.stdout
        out = tmp_path / ending
        words = ("run", str(path), "--agent", "random", "--server", "phreeqc", "--out", str(out))
        assert labrig(*words, "--fail-below", "0").returncode == 0
    first, *others = [(tmp_path / each / "tasks.jsonl").read_text() for each in ("toml", "jsonl", "csv")]
    assert others == [first, first]
    again = labrig("new-suite", str(tmp_path / "mine.toml"))
    assert again.returncode == 2 and "there already" in again.stderr
    failed = labrig("score", str(out), "--fail-below", "0.9")
    assert failed.returncode == 1 and "strict accuracy 0.000 is below 0.9" in failed.stderr


def test_what_a_file_says_stands_for_flags(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(toy_server.__file__ or "", tmp_path / "server.py")
    (tmp_path / "water.csv").write_text("pH\n7\n")
    path = tmp_path / "mine.toml"
    path.write_text(
        f'server = ["near=-- {sys.executable} -I -S server.py ."]\nrepeats = 2\nfail_below = 0.5\nmax_steps = 3\n'
        '[[question]]\nquestion = "pH?"\nkind = "number"\nanswer = 7\ntolerance = 0\nfiles = ["water.csv"]\n'
    )
    out = tmp_path / "out"
    monkeypatch.chdir("/")  # files of a command lie beside the questions
    assert main(["run", str(path), "--agent", "nop", "--out", str(out)]) == 1
    assert "near.nop: strict accuracy 0.000 is below 0.5" in capfd.readouterr().err
    about = json.loads((out / "near.nop" / "run.json").read_text())
    assert about["servers"] == {
        "near": {"argv": [sys.executable, "-I", "-S", str(tmp_path / "server.py"), "."]}
    }
    assert about["epochs"] == 2
    (line,) = (out / "tasks.jsonl").read_text().splitlines()
    sample = json.loads(line)
    assert sample["limits"] == {"max_steps": 3} and "water.csv" in sample["brief"]["prompt"]
    (kept,) = (out / "files").iterdir()
    assert kept.read_text() == "pH\n7\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "nubmer"}, "question a: kind"),
        ({"tolerence": 1}, "did you mean tolerance"),
        ({"tolerance": None}, "needs a tolerance"),
        ({"tolerance": "2 %%"}, "no share such as 2%"),
        ({"tolerance": True}, "tolerance True is no number from 0 on"),
        ({"tolerance": -1}, "tolerance -1.0 is no number from 0 on"),
        ({"unit": "furlongs per banana"}, "unit 'furlongs per banana' cannot be read"),
        ({"answer": "three"}, "is no number"),
        ({"answer": None}, "answer is missing"),
        ({"id": "../a"}, "question ../a: id"),
        ({"question": ""}, "question a: question"),
        ({"kind": "choice", "options": ["x", "X "], "answer": "x"}, "no two are the same"),
        ({"kind": "choice", "options": ["x", "y"], "answer": "z"}, "no letter of one"),
        ({"kind": "regex", "answer": "("}, "cannot be read"),
        ({"kind": "json", "answer": {"pH": 7.1}, "tolerance": None}, "need a tolerance"),
        ({"kind": "abstain"}, "has no answer"),
        ({"calls": [{"tool": "run", "at_least": 2, "at_most": 1}]}, "is below at_least"),
        ({"calls": [{"tool": "run", "arguments": {"x": {"matches": "["}}}]}, "cannot be read"),
        ({"files": ["../secret"]}, "not beside the questions"),
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_right_is_refused_with_its_place(
    change: dict[str, object], said: str, tmp_path: Path
) -> None:
    (tmp_path.parent / "secret").touch()
    with pytest.raises(LabrigError) as refused:
        samples_of(read_questions(written(tmp_path, QUESTION | change)), tmp_path)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("q.toml", "[[question]\n", "not TOML"),
        ("q.toml", "", "question: is missing"),
        ("q.toml", '[[question]]\nquestion = "When?"\nkind = "text"\nanswer = 2001-01-01\n', "in quotes"),
        ("q.toml", "questions = []\n", "no such key"),
        ("q.csv", 'id,question\na,"b', "not CSV"),
        ("q.csv", "id,question\na,b,c\n", "more cells"),
        ("q.jsonl", "[1]\n", "not a JSON object"),
        ("q.yaml", "", "ends in one of these"),
    ],
)
def test_a_file_that_holds_no_questions_says_why(name: str, text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(LabrigError) as refused:
        read_questions(path)
    assert said in str(refused.value)


def test_an_id_that_is_there_twice_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LabrigError, match="a is there twice"):
        read_questions(written(tmp_path, QUESTION, QUESTION))
    with pytest.raises(LabrigError, match="Cannot read"):
        read_questions(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("7", (7.0, "")), ("-1,250.5 mg/L", (-1250.5, "mg/L")), ("≈ 4.9e-3", (0.0049, "")),
        ("$4.9 \\times 10^{-3}$", (0.0049, "")), ("−3 °C", (-3.0, "°C")), ("12 kg m⁻²", (12.0, "kg m-2")),
        ("5 %", (5.0, "%")),
        ("8,27", None), ("7 or 8", None), ("7-8", None), ("7 to 8", None), ("pH 7", None), ("", None), ("nan", None),
        ("9" * 5_000, None),
    ],
)  # fmt: skip
def test_a_number_is_read_as_it_is_written(text: str, found: tuple[float, str] | None) -> None:
    assert read_quantity(text) == found


def test_units_are_converted_or_refused(tmp_path: Path) -> None:
    assert read_questions(written(tmp_path, QUESTION | {"unit": "USD"})).question[0].unit == "USD"
    assert convert(25, "°C", "K") == pytest.approx(298.15)
    assert convert(2, "mmol/kgw", "mol/kg") == pytest.approx(0.002)
    assert convert(2, "kg m-2 s-1", "g/m2/s") == pytest.approx(2000)
    assert convert(2, "USD", "USD") == 2  # not known to pint, and the same
    assert convert(2, "g/cm**3", "g/cm3") == pytest.approx(2) == convert(2, "g/cm3", "g/cm**3")
    assert convert(2, "USD", "EUR") is None and convert(2, "m**999999999", "m") is None


def test_assertions_look_at_arguments_and_at_what_a_server_saw(tmp_path: Path) -> None:
    rules = [
        {"tool": "run", "arguments": {"database": "phreeqc.dat", "input": {"matches": "Calcite"}}},
        {"tool": "write_file", "at_most": 0},
    ]
    (sample,) = samples_of(read_questions(written(tmp_path, QUESTION | {"calls": rules})), tmp_path)
    good = {"database": "phreeqc.dat", "input": "PHASES\n Calcite 0"}

    def scored(*calls: ToolCall) -> tuple[float, list[str]]:
        run = Trajectory(
            *("a", "questions", "x", "y", 0, 0, (Step(1, "", calls),), Submission("3", 1), "answered")
        )
        found = score(sample, run)
        assert found.compat == 1
        return found.strict, found.facts["failed_calls"]

    missing = "run(database, input): 0 calls, at least 1"
    assert scored(ToolCall("other__run", good, 0, is_error=False)) == (1, [])
    assert scored(ToolCall("run", good, 0, is_error=True)) == (0, [missing])
    assert scored(ToolCall("run", good, -1, is_error=False)) == (0, [missing]), "the log alone claims it"
    assert scored(ToolCall("run", good | {"database": "pitzer.dat"}, 0, is_error=False)) == (0, [missing])
    written_file = ToolCall("write_file", {}, 1, is_error=True)
    assert scored(ToolCall("run", good, 0, is_error=False), written_file)[1] == [
        "write_file: 1 calls, at most 0"
    ]
