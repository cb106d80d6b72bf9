"""Answers audited: where numbers and names come from, what was not done, and what a program's corruptions reveal."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from labrig_harness.trajectory import ToolCall
from labrig_study.audit.auditing import Audit, audit
from labrig_study.audit.claims import days_and_times, names_of, numbers_of, spelled_numbers
from labrig_study.audit.corrupting import WAYS, corrupt, spell
from labrig_study.audit.measuring import judge
from labrig_study.audit.passport import make_passport, validate
from labrig_study.quantities import find_quantities, scale
from support.command import labrig
from support.written_logs import claude_log

WATER = json.dumps(
    {
        "rows": [
            {"sample": "Spring 1", "analyte": "calcium", "value": 64.18, "unit": "mg/L"},
            {"sample": "Spring 1", "analyte": "magnesium", "value": 12.06, "unit": "mg/L"},
            {"sample": "Spring 2", "analyte": "calcium", "value": 91.3, "unit": "mg/L"},
            {"sample": "Spring 2", "analyte": "magnesium", "value": 30.4, "unit": "mg/L"},
        ]
    }
)
PAPER = (
    'Page 3: "The transition of Nb3Sn-7 is sharp and complete at 18.05 K." Measured on 20 May 2024 at 14:30.'
)
ASKED = "What are calcium and magnesium of Spring 1 and 2 at 25 °C?"
RESULTS = [(0, WATER), (1, PAPER)]
CALLS = [
    ToolCall("read_table", {"path": "waters.csv"}, 0, False),
    ToolCall("read_pages", {"path": "paper.pdf"}, 1, False),
]


def audited(answer: str) -> Audit:
    return audit(answer, ASKED, CALLS, RESULTS)


@pytest.mark.parametrize(
    ("answer", "text", "status"),
    [
        ("Calcium of Spring 1 is 64.18 mg/L.", "64.18", "result"),
        ("Calcium of Spring 1 is about 64.2 mg/L.", "64.2", "rounded"),
        ("Calcium of Spring 1 is 0.06418 g/L.", "0.06418", "converted"),
        ("At 25 °C all is calm.", "25", "given"),
        ("Calcium rises by 27.12 mg/L from Spring 1 to Spring 2.", "27.12", "derived"),
        ("The mean calcium of the two springs is 77.74 mg/L.", "77.74", "derived"),
        ("Calcium to magnesium of Spring 1 is 5.322.", "5.322", "derived"),
        ("The table holds 4 rows.", "4", "counted"),
        ("Calcium of Spring 1 is 58.77 mg/L.", "58.77", "contradicted"),
        ("The colour index is 417.3.", "417.3", "unsourced"),
        ("Calcium of Spring 1 is 64.18 g/L.", "64.18", "wrong unit"),
        ("Calcium of Spring 1 is 12.06 mg/L.", "12.06", "another quantity"),
        ("Calcium of Spring 1 is fifty-eight point seven mg/L.", "fifty-eight point seven", "contradicted"),
        ("Calcium of Spring 1 is sixty-four point one eight mg/L.", "sixty-four point one eight", "result"),
        ("Nb3Sn-7 has a sharp transition.", "Nb3Sn-7", "result"),
        ("Nb3Sn-8 has a sharp transition.", "Nb3Sn-8", "unsourced"),
        ("It says “The transition of Nb3Sn-7 is sharp”.", "The transition of Nb3Sn-7 is sharp", "result"),
        ("It says “The transition of Nb3Sn-7 is broad”.", "The transition of Nb3Sn-7 is broad", "unsourced"),
        ('{"quoted_span": "transition of Nb3Sn-7 is broad"}', "transition of Nb3Sn-7 is broad", "unsourced"),
        ("It was measured on May 20, 2024 at 2:30 PM.", "2024-05-20", "result"),
        ("It was measured on May 21, 2024.", "2024-05-21", "unsourced"),
        ("It was measured at 2:45 p.m.", "14:45", "unsourced"),
    ],
)  # fmt: skip
def test_what_becomes_of_a_claim(answer: str, text: str, status: str) -> None:
    found = {each.text: each.status for each in audited(answer).traces}
    assert found.get(text) == status, found


def test_a_flagged_number_names_what_results_have_in_its_place() -> None:
    (trace,) = (each for each in audited("Calcium of Spring 1 is 12.06 mg/L.").traces if each.flagged)
    assert [(each.call, each.number.value) for each in trace.sources] == [(0, 64.18)]


def test_points_of_a_list_and_digits_of_names_are_no_numbers() -> None:
    answer = "1. Sample HAT039\n2. **Flight 7:** see https://a.invalid/12/34, credit_card_7447 and v1.2.3"
    assert [each.text for each in audited(answer).numbers] == []


def test_what_a_claim_meets_only_by_chance_is_no_source() -> None:
    crowd = "\n".join(f"item {n}: {n * 37 % 100}" for n in range(100))
    (trace,) = audit("The viscosity is 48.", "?", CALLS[:1], [(0, crowd)]).numbers
    assert trace.status == "unsourced"
    (trace,) = audit("Item 4 is 48.", "?", CALLS[:1], [(0, crowd)]).numbers[1:]
    assert trace.status == "result"


@pytest.mark.parametrize(
    ("answer", "calls", "undone"),
    [
        ("I have saved the table to sums.csv.", (("write_file", {"path": "sums.csv", "content": "a"}),), 0),
        ("I have saved the table to sums.csv.", (("write_file", {"path": "other.csv", "content": "a"}),), 1),
        ("I have saved the table to sums.csv.", (("bash", {"command": "cat > sums.csv"}),), 0),
        ("I have saved the table to sums.csv.", (("bash", {"command": "ls"}),), 1),
        ("I've created a Vue.js application.", (("write_file", {"path": "index.html", "content": "application"}),), 0),
        ("Your reservation has been cancelled.", (("cancel_reservation", {"id": "A"}),), 0),
        ("Your reservation has been cancelled.", (("get_reservation", {"id": "A"}),), 1),
        ("I could not save the table; it would have been saved to sums.csv.", (), 0),
        ("Once that is clear, it will have been sent. Shall I say I have sent it?", (), 0),
    ],
)  # fmt: skip
def test_done_without_the_call(
    answer: str, calls: tuple[tuple[str, dict[str, str]], ...], undone: int
) -> None:
    made = [ToolCall(tool, arguments, n, False) for n, (tool, arguments) in enumerate(calls)]
    assert (
        len(audit(answer, "?", made, [(n, "reservation A: done") for n in range(len(made))]).undone) == undone
    )


def test_a_call_that_failed_did_nothing() -> None:
    failed = ToolCall("write_file", {"path": "sums.csv"}, 0, True)
    assert audit("I have saved the table to sums.csv.", "?", [failed], []).undone


def test_files_that_are_cited_and_were_not_read_and_calls_that_led_nowhere() -> None:
    calls = [
        ToolCall("list_files", {}, 0, False),
        ToolCall("read_file", {"path": "aquifer.csv"}, 1, False),
        ToolCall("read_file", {"path": "rivers.csv"}, 2, False),
        ToolCall("read_file", {"path": "springs.csv"}, 3, False),
    ]
    results = [
        (0, "aquifer.csv\nrivers.csv\nsprings.csv\nwells.csv"),
        (1, "depth: 71.5"),
        (2, "flow: 803"),
        (3, "heat: 17.4"),
    ]
    said = audit(
        "The depth is 71.5 according to aquifer.csv; from wells.csv the heat is 17.4.", "?", calls, results
    )
    assert said.unread == ("wells.csv",)
    assert said.dead == (2,), "the list was needed for the names, the rivers for nothing"


@pytest.mark.parametrize("way", WAYS)
def test_each_way_of_corruption_is_found(way: str) -> None:
    answer = (
        "Calcium of Spring 1 is 64.18 mg/L and magnesium of Spring 1 is 12.06 mg/L; calcium of Spring 2 is 91.3 mg/L. "
        "Nb3Sn-7 has its transition at 18.05 K."
    )
    before = audited(answer)
    assert not before.flagged and not before.undone
    found = [
        judge(change, audited(change.answer))
        for seed in range(12)
        if (change := corrupt(before, RESULTS, way, random.Random(seed)))
    ]
    assert {each.change.way for each in found} == {way}
    assert sum(each.caught for each in found) >= 9 and sum(each.false for each in found) <= 2


def test_numbers_are_found_with_their_units() -> None:
    text = "5–7 mg L⁻¹, 45%, −2.5e-3 m s-1, -$12.50, $1,250.50, 1.2 × 10⁻³ K, 3 in all at 10 a.m., 9 days. HAT039"
    assert [(each.value, each.unit) for each in find_quantities(text)] == [
        (5, ""), (7, "mg L-1"), (45, "%"), (-0.0025, "m s-1"), (-12.5, ""),
        (1250.5, ""), (0.0012, "K"), (3, ""), (10, ""), (9, "days"),
    ]  # fmt: skip
    assert scale("km2", "ha") == (100, 0) and scale("mg/L", "mmol/L") is None


def test_words_and_units_of_tables_and_keys() -> None:
    table = "sample  Ca (mg/L)  depth m\nA  40.1  3\n| B | 7.5 | 12 |\n"
    found = list(numbers_of(table))
    assert [(each.value, each.unit) for each in found[:2]] == [(40.1, "mg/L"), (3, "")]
    assert {"ca", "a"} <= found[0].words
    (hours,) = numbers_of('{"elapsed_hours": 17.5}')
    assert (hours.unit, sorted(hours.words)) == ("hours", ["elapsed", "hour"])
    (hectares,) = numbers_of('[{"key": "burnt_ha", "value": 4.5}]')
    assert hectares.unit == "ha"
    (square,) = numbers_of('<final_json>[{"key": "burnt_ha", "value": 4.5}]</final_json>')
    assert square.unit == "ha"
    assert [each.unit for each in numbers_of('status: ok\nareas: {"area_sq_km": 0.5}')] == ["km2"]
    assert not list(numbers_of('{"doi": "10.5555/jms.77"}'))
    text = '{"a": "so it was 3.5 K", "b": [1, -2.50]}'
    assert [text[each.start : each.end] for each in numbers_of(text)] == ["3.5", "1", "-2.50"]


def test_numbers_in_words_and_days() -> None:
    for value in (13.0, 40.7, 107.2, 1107.5, 90_015.9):
        assert [each.value for each in spelled_numbers(f"It is {spell(value)}.")] == [value]
    assert not list(spelled_numbers("one of the two"))
    said = days_and_times("on 3rd May 2024 from 2:00–4:00 PM, until 2024-06-01T09:05:00Z, and 7 p.m.")
    assert [each.text for each in said] == ["2024-05-03", "2024-06-01", "14:00", "16:00", "09:05", "19:00"]
    assert [each.kind for each in names_of("See data/a_1.csv, 866-555-0100 and `x = 3`")] == [
        "path",
        "telephone",
        "code",
    ]


def written(folder: Path, *answers: str) -> list[Path]:
    """Return the records of logs in which a table was read and an answer given."""
    for number, answer in enumerate(answers):
        log = claude_log(("read_table", {"path": "waters.csv"}, [{"type": "text", "text": WATER}]), answer)
        (folder / f"log{number}.jsonl").write_text(log)
    assert labrig("import", "claude-code", str(folder), "--out", str(folder / "out")).returncode == 0
    return [path.parent for path in sorted((folder / "out").glob("*/*/*/trajectory.json"))]


def test_what_the_agent_wrote_as_its_answer_is_no_source_of_it() -> None:
    said = "The colour index is 417.3."
    wrote = ToolCall("write_file", {"path": "answer.txt", "content": said + "\n"}, 0, False)
    assumed = ToolCall("compute", {"index": 417.3}, 0, False)
    assert [each.status for each in audit(said, "?", [wrote], []).numbers] == ["unsourced"]
    assert [each.status for each in audit(said, "?", [assumed], []).numbers] == ["own"]


PASSED = (
    "Calcium of Spring 1 is 64.2 mg/L. Calcium of Spring 2 is 0.0913 g/L. "
    "Calcium of the springs differs by 27.12 mg/L."
)


def test_a_passport_leads_each_number_to_its_call_and_computes_it_again(tmp_path: Path) -> None:
    (record,) = written(tmp_path, PASSED)
    manifest = make_passport(record)
    assert validate(json.loads(json.dumps(manifest)), record) == []
    claims = {each["text"]: each for each in manifest["claims"]}
    assert {text: (each["status"], each["recomputed"]) for text, each in claims.items() if "." in text} == {
        "64.2": ("rounded", 64.18),
        "0.0913": ("converted", pytest.approx(0.0913)),
        "27.12": ("derived", pytest.approx(27.12)),
    }
    (link,) = claims["64.2"]["chain"]
    assert (link["call"], link["tool"], link["arguments"]) == (0, "read_table", {"path": "waters.csv"})
    assert link["text"][link["before"] :].startswith("64.18") and len(link["arguments_sha256"]) == 64
    assert [each["value"] for each in claims["27.12"]["chain"]] == [91.3, 64.18]
    assert manifest["summary"] == {"numbers": 5, "resolved": 5, "recomputed": 5, "names": 0, "flagged": 0}


def test_a_passport_that_was_edited_or_whose_record_was_does_not_stand(tmp_path: Path) -> None:
    (record,) = written(tmp_path, PASSED)
    manifest = json.loads(json.dumps(make_passport(record)))
    edited = {**manifest, "claims": [{**each, "recomputed": 1.0} for each in manifest["claims"]]}
    assert validate(edited, record) == ["claims is not what the record gives"]
    assert validate({**manifest, "summary": {}}) and validate([]) and validate({**manifest, "more": 1})
    (blob,) = (record / "blobs").iterdir()
    blob.write_bytes(blob.read_bytes().replace(b"64.18", b"64.19"))
    assert labrig("check", "--record", str(record)).returncode == 2


def test_the_command_checks_an_answer_of_somebody_else(tmp_path: Path) -> None:
    (record,) = written(tmp_path, PASSED)
    answer, page, made = tmp_path / "a.md", tmp_path / "p.html", tmp_path / "p.json"
    answer.write_text(
        "Calcium of Spring 1 is **64.18** mg/L, <script>alert()</script> and the colour index is 417.3."
    )
    done = labrig("check", str(answer), "--record", str(record), "-o", str(page))
    assert done.returncode == 1 and "'417.3': unsourced" in done.stdout
    assert "'64.18': result; call 1, read_table: 64.18 mg/L; computed again: 64.18" in done.stdout
    html = page.read_text()
    assert "&lt;script&gt;alert()" in html and "<script>alert" not in html
    assert all(f'href="#c{n}"' in html and f'id="c{n}"' in html for n in range(3))
    assert labrig("check", "--record", str(record), "-o", str(made)).returncode == 0
    assert labrig("check", "--validate", str(made), "--record", str(record)).returncode == 0
    made.write_text("{")
    assert labrig("check", "--validate", str(made)).returncode == 2
    assert labrig("check", "--record", str(tmp_path)).returncode == 2


def test_the_command_prints_a_row_an_agent_and_what_it_finds(tmp_path: Path) -> None:
    said = "Calcium of Spring 1 is 64.18 mg/L. Calcium of Spring 2 is {} mg/L."
    written(tmp_path, *(said.format("91.3" if number else "58.7") for number in range(4)))
    out = str(tmp_path / "out")
    done = labrig("audit", out, "--each")
    assert done.returncode == 0 and "'58.7': contradicted (call 1 has 91.3 mg/L)" in done.stdout
    rows = [json.loads(line) for line in labrig("audit", out, "--json").stdout.splitlines()]
    assert sorted(sum(claim["status"] == "result" for claim in row["claims"]) for row in rows) == [3, 4, 4, 4]
    measured = labrig("audit", out, "--corrupt", "4").stdout
    assert (
        "4 answers, 4 of them corrupted" in measured
        and measured == labrig("audit", out, "--corrupt", "4").stdout
    )
    assert labrig("audit", out, "--corrupt", "9").returncode == 2
