"""The report, on synthetic records: real call logs and blobs, a suite made here, no server."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_harness.records.scoring import Scored, score_folder
from labrig_harness.suite import Table
from labrig_harness.trajectory import AT_LEAST
from labrig_study.report import flat
from labrig_study.report.effort import edges, frontier
from labrig_study.report.failures import OUTCOMES, outcomes
from labrig_study.report.files import format_of, record_page, write_report
from labrig_study.report.leaderboard import Row, leaderboard
from labrig_study.report.page import BUDGET, render
from labrig_study.report.plots import axis_of
from labrig_study.report.prose import MOST, Prose
from labrig_study.report.tabular import columns
from labrig_study.report.terminal import print_scores
from labrig_study.report.truth import truth_of
from labrig_study.statistics.bootstrap import bootstrap_mean
from labrig_study.statistics.proportions import wilson
from support.places import PROJECT
from support.report_rig import (
    HOSTILE,
    LETTERS,
    MISTAKES,
    SUITE,
    Rig,
    benchmark,
    full,
    make_task,
    modelled,
    real_task,
)


class Page(HTMLParser):
    """What a test asks of a page: its tags, its ids, its links, and what it would load."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "link", "input", "img", "br"):
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("src", "href", "srcset", "data", "action", "poster"):
                self.loads.append(value or "")
            elif name.startswith("on"):
                self.handlers.append(name)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    return full(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def html(scored: Scored) -> str:
    return render(scored)


def check(html: str) -> Page:
    """Parse a page and require what every page must keep: balance, unique ids, live links, nothing loaded."""
    page = Page(html)
    assert page.open in ([], ["html"]) and len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert all(link.startswith("#") for link in page.links)
    assert page.loads == ["data:,"] and not page.handlers
    assert page.tags.count("script") == 1 and not {"img", "iframe", "object"} & set(page.tags)
    assert not re.search(r"@import|url\(", html[: html.index("</style>")])
    return page


def test_every_record_can_be_reached_and_read(scored: Scored, html: str) -> None:
    page = check(html)
    for each in scored.records:
        anchor = f"r-{each.arm}-{each.agent}-{each.task}-{each.epoch}"
        assert anchor in page.ids and f"#{anchor}" in page.links
    assert "Wilson" in html and "guessing, 25.0&nbsp;%" in html and "temperature left at 25 °C" in html
    assert "Phase not found in database" in html and "3.8.6" in html and "ValueError: schema" in html


def test_the_same_records_give_the_same_page(scored: Scored, html: str) -> None:
    assert render(scored) == html


def test_verdicts_are_words_and_signs_beside_colours(html: str) -> None:
    matrix = html[html.index('<table class="matrix">') : html.index('id="provenance"')]
    words = r"([\w ]+?)(?: by strict, \d+% by compat)?"
    cells = re.findall(rf'<a class="mark (\w+)"[^>]*>(.)[^<]*<span class="unseen"> {words}</span>', matrix)
    assert len(cells) == 14 * 5
    assert {(kind, sign, word) for kind, sign, word in cells} == {
        ("right", "✓", "right"),
        ("wrong", "✗", "wrong"),
        ("not", "∅", "not committed"),
    }


def test_markup_and_controls_in_texts_are_only_text(tmp_path: Path) -> None:
    rig = Rig(tmp_path, [make_task(0, hostile=True)])
    rig.record(rig.tasks[next(iter(rig.tasks))], "toc", "reference", hostile=True)
    hostile = rig.scored([HOSTILE])
    hostile.tables.append(Table(HOSTILE, (HOSTILE,), ((HOSTILE,),), HOSTILE))
    html = render(replace(hostile, suite=replace(SUITE, name=HOSTILE, about=HOSTILE)))
    check(html)
    assert html.encode() and "&lt;/script&gt;&lt;script&gt;alert" in html
    assert not {"\x1b", "\u202e"} & set(html)
    screen = io.StringIO()
    print_scores(hostile, Console(file=screen, width=200))
    assert "\x1b" not in screen.getvalue() and "</script>" in screen.getvalue()


def test_console_shows_the_numbers_and_what_was_skipped(scored: Scored) -> None:
    screen = io.StringIO()
    print_scores(scored, Console(file=screen, width=120))
    text = screen.getvalue()
    reference = [line for line in text.splitlines() if " reference" in line][-1]
    assert reference.split() == [
        *("toc", "reference", "14", "100.0", "78.5–100.0", "Wilson", "100.0", "14/14", "100.0", "%")
    ]
    assert "Only 5 clusters, too few to resample" in " ".join(text.split())
    assert "Accuracy by stem" in text and "Not scored: 1" in text and "ValueError" in text


def test_leaderboard_puts_the_best_first_and_withholds_an_interval_that_does_not_apply(
    scored: Scored,
) -> None:
    rows = leaderboard(scored)
    assert (rows[0].agent, rows[-1].agent) == ("reference", "nop")
    assert [row.strict for row in rows] == sorted((row.strict for row in rows), reverse=True)
    half = [replace(each, score=replace(each.score, strict=0.5)) for each in scored.records if each.score]
    assert all(row.interval is None for row in leaderboard(replace(scored, records=half)))


@pytest.mark.parametrize("skipped", [(), ("toc.x/a/epoch0/trajectory.json: ValueError: no JSON",)])
def test_no_record_is_said_in_words(tmp_path: Path, skipped: tuple[str, ...]) -> None:
    nothing = Rig(tmp_path, [make_task(0)]).scored(skipped)
    html = render(nothing)
    check(html)
    assert "No record could be scored" in html and ("no JSON" in html) == bool(skipped)
    screen = io.StringIO()
    print_scores(nothing, Console(file=screen))
    assert "no record to score" in screen.getvalue()


def test_a_folder_without_even_tasks(tmp_path: Path) -> None:
    check(render(Rig(tmp_path, []).scored()))


def test_one_record_and_an_item_that_was_not_run(tmp_path: Path) -> None:
    rig = Rig(tmp_path, [make_task(0), make_task(1)])
    rig.record(next(iter(rig.tasks.values())), "toc", "reference")
    html = render(rig.scored())
    check(html)
    assert "not run" in html and "1 of 2 samples" in html


def test_a_log_that_does_not_match_is_said_at_its_step(tmp_path: Path) -> None:
    rig = Rig(tmp_path, [make_task(number) for number in range(3)])
    for sample in rig.tasks.values():
        rig.record(sample, "toc", "reference")
    lost, changed, swapped = (folder for folder, _ in rig.made)
    shutil.rmtree(lost / "blobs")
    for blob in (changed / "blobs").iterdir():
        blob.write_text("{}")
    lines = (swapped / "calls.jsonl").read_text().splitlines()
    (swapped / "calls.jsonl").write_text("\n".join([*lines[::-1][:2], "no JSON"]) + "\n")
    html = render(rig.scored())
    check(html)
    for words in ("is missing", "does not have its hash", "do not agree", "cannot be read to its end"):
        assert words in html


def test_a_long_text_is_cut_at_both_ends_and_its_size_stated() -> None:
    whole = "".join(chr(97 + n % 26) for n in range(50_000))
    cut = Prose.of(whole)
    assert (len(cut.head), len(cut.tail), cut.left_out) == (3000, 1000, 46_000)
    assert whole.startswith(cut.head) and whole.endswith(cut.tail)
    less = cut.cut(500)
    assert len(less.head + less.tail) == 500 and whole.endswith(less.tail) and less.left_out == 49_500
    assert Prose.of("x" * MOST).left_out == 0 and cut.cut(0).left_out == 50_000


def test_a_text_that_comes_again_is_a_link(html: str) -> None:
    assert "the same text as in" in html
    assert html.count("Reading input data for simulation 1.") <= 14


def test_numbers_of_a_column_have_the_same_decimals() -> None:
    rows = ((84.2, 1, 0.4, None, True, "a\x1b"), (100.0, 20, 4 / 15, 0.0, False, "3/4"), (0.0, 3, 1e-7, 1e9))
    made = columns(Table("t", tuple("abcdef"), rows))
    assert made[0].cells == ("84.2", "100.0", "0.0") and made[1].cells == ("1", "20", "3")
    assert made[2].cells == ("0.400", "0.267", "1e-07") and made[3].cells == ("–", "0.0", "1e+09")
    assert made[4].cells == ("yes", "no", "") and made[5].cells == ("a␛", "3/4", "")
    assert [each.numeric for each in made] == [True, True, True, True, False, False]


@pytest.mark.parametrize("shape", ["mapping", "list", "bare"])
def test_options_are_read_in_the_shapes_that_suites_use(shape: str) -> None:
    sample = make_task(0)
    options = sample.truth["options"]
    shapes = {
        "mapping": options,
        "list": [{"letter": letter, **each} for letter, each in options.items()],
        "bare": {letter: each["value"] for letter, each in options.items()},
    }
    truth = truth_of(replace(sample, truth={**sample.truth, "options": shapes[shape]}))
    assert [each.letter for each in truth.options] == list(LETTERS)
    assert all(each.value.endswith(" SI") for each in truth.options) and truth.value.endswith(" SI")
    assert [each.letter for each in truth.options if each.right] == [truth.answer]
    assert {truth.diagnosis(letter) for letter in LETTERS} == ({""} if shape == "bare" else {"", *MISTAKES})


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    """Four runs of 200 items; one with reruns of some, one perturbed, one without tokens."""
    rig = benchmark(tmp_path_factory.mktemp("rich"), items=200)
    some = list(rig.tasks.values())[:24]
    for sample in some:
        modelled(rig, sample, "toc", "loop+atlas-9", 1)
        modelled(rig, sample, "toc", "loop+atlas-9", change=True)
    return rig.scored()


@pytest.fixture(scope="module")
def leading(rich: Scored) -> list[Row]:
    """The leaderboard, whose intervals are drawn once for all tests."""
    return leaderboard(rich)


@pytest.fixture(scope="module")
def rich_html(rich: Scored) -> str:
    return render(rich)


@pytest.mark.accept
def test_two_hundred_items_and_four_arms_stay_within_the_budget(rich_html: str) -> None:
    page = check(rich_html)
    assert 1_000_000 < len(rich_html.encode()) <= BUDGET
    for section in ("pairs", "effort", "failures", "reruns", "difficulty", "evidence", "matrix"):
        assert section in page.ids and f"#{section}" in page.links


@pytest.mark.accept
def test_the_order_of_records_does_not_matter(rich: Scored, rich_html: str) -> None:
    assert render(replace(rich, records=rich.records[::-1])) == rich_html


@pytest.mark.accept
def test_the_headline_interval_resamples_clusters_and_both_are_shown(
    rich: Scored, rich_html: str, leading: list[Row]
) -> None:
    rows = {(row.arm, row.agent): row for row in leading}
    row = rows["raw", "claude-code+sonata-4"]
    scores = {each.task: each.score.strict for each in row.run.records if each.score}
    labels = [rich.tasks[item].labels["stem"] for item in sorted(scores)]
    estimate = bootstrap_mean([scores[item] for item in sorted(scores)], labels)
    assert (row.method, row.interval, row.clusters) == ("clusters", estimate.interval, 20)
    assert row.wilson == wilson(sum(scores.values()), 200) and row.design is not None
    low, high = (f"{100 * end:.1f}" for end in row.wilson)
    assert f"{low} to {high}" in rich_html and f"{row.design.deff:.2f}" in rich_html


@pytest.mark.accept
def test_epochs_are_averaged_within_an_item(rich: Scored, leading: list[Row]) -> None:
    row = next(row for row in leading if row.agent == "loop+atlas-9")
    by_item: dict[str, list[float]] = {}
    for each in rich.records:
        if each.score and (each.arm, each.agent) == ("toc", "loop+atlas-9") and not each.perturbation:
            by_item.setdefault(each.task, []).append(each.score.strict)
    assert (row.n, row.items, row.epochs) == (224, 200, 2)
    assert row.strict == pytest.approx(sum(sum(each) / len(each) for each in by_item.values()) / 200)


@pytest.mark.accept
def test_what_is_not_reported_is_not_zero(rich: Scored, rich_html: str, leading: list[Row]) -> None:
    row = next(row for row in leading if row.agent == "direct+atlas-9")
    assert (row.tokens_in, row.tokens_out, row.tokens_per_right, row.cost) == (None,) * 4
    assert "not reported" in rich_html and "Not drawn, tokens not reported" in rich_html
    priced = next(row for row in leading if row.agent == "loop+atlas-9")
    assert priced.cost and "list prices 2026-11-01" in priced.cost.table and priced.cost.table in rich_html
    cheap = [replace(each, cost=None) if each.epoch else each for each in rich.records]
    odd = [
        replace(each, cost=replace(each.cost, table="other")) if each.cost and n % 2 else each
        for n, each in enumerate(cheap)
    ]
    costs = [row.cost for row in leaderboard(replace(rich, records=odd)) if row.cost]
    assert costs and all(cost.amount is None for cost in costs), "two price tables do not add up"
    least = [
        replace(each, cost=replace(each.cost, table=each.cost.table + AT_LEAST))
        if each.cost and n % 2
        else each
        for n, each in enumerate(rich.records)
    ]
    bound = next(row.cost for row in leaderboard(replace(rich, records=least)) if row.agent == "loop+atlas-9")
    assert bound == replace(priced.cost, least=True), "a lower bound by one table is a lower bound"


@pytest.mark.accept
def test_every_cell_of_the_matrix_has_retention_and_gain_rate_and_opens_its_comparison(
    rich: Scored, rich_html: str, leading: list[Row]
) -> None:
    cells = re.findall(r'<a class="move" href="#(pair-\d-\d)">(.*?)</a>', rich_html, re.DOTALL)
    assert len({anchor for anchor, _ in cells}) == 12
    assert all("retention" in cell and "gain rate" in cell for _, cell in cells)
    rights = {}
    for row in leading:
        epochs: dict[str, list[bool]] = {}
        for each in row.run.records:
            if each.score:
                epochs.setdefault(each.task, []).append(each.score.strict == 1)
        rights[row.number] = {item: sum(said) > len(said) / 2 for item, said in epochs.items()}
    for a in rights:
        for b in rights.keys() - {a}:
            pair = rich_html[rich_html.index(f'id="pair-{a}-{b}"') :]
            kept = sum(rights[a][item] and rights[b][item] for item in rights[a])
            gained = sum(not rights[a][item] and rights[b][item] for item in rights[a])
            shown = re.search(
                r">Kept</th><td class=\"value\">(\d+).*?>Gained</th><td class=\"value\">(\d+)",
                pair,
                re.DOTALL,
            )
            assert shown and (int(shown[1]), int(shown[2])) == (kept, gained)


@pytest.mark.accept
def test_drawings_have_words_beside_them(rich_html: str) -> None:
    drawings = re.findall(r"<svg[^>]*>.*?</svg>", rich_html, re.DOTALL)
    assert len(drawings) > 20
    for each in drawings:
        named = "aria-label=" in each or ("<title" in each and "<desc" in each)
        assert named != ('aria-hidden="true"' in each), each[:200]


@pytest.mark.accept
def test_changed_evidence_is_apart_from_the_leaderboard(
    rich: Scored, rich_html: str, leading: list[Row]
) -> None:
    assert len(leading) == 4 and "toc, loop+atlas-9 (auto)" in rich_html
    changed = [each for each in rich.records if each.perturbation]
    counts = dict.fromkeys(("followed", "stayed", "noticed", "other", "not_applied"), 0)
    for each in changed:
        change, answer = each.perturbation or {}, each.score.answer if each.score else ""
        followed, stayed = answer == change["expected"], answer == change["truth"]
        counts["followed" if followed else "stayed" if stayed else "other"] += 1
    section = rich_html[rich_html.index('<section id="evidence"') :]
    shown = list(map(int, re.findall(r'<td class="num">(\d+)</td>', section)[:6]))
    assert shown == [24, *counts.values()]


@pytest.mark.accept
def test_outcomes_add_up_and_troubles_are_in_words(rich: Scored, rich_html: str, leading: list[Row]) -> None:
    for each in outcomes(leading):
        assert sum(each.counts.values()) == each.n and each.counts.keys() == OUTCOMES.keys()
    assert "arguments were no JSON object" in rich_html and "empty reply" in rich_html


def test_a_call_that_reached_no_server_shows_what_was_written_and_told(tmp_path: Path) -> None:
    rig = Rig(tmp_path, [make_task(number) for number in range(8)])
    for sample in rig.tasks.values():
        modelled(rig, sample, "toc", "loop+atlas-9", lines=3)
    html = render(rig.scored())
    check(html)
    assert "{&#34;path&#34;: input.pqi" in html and "ERROR: the arguments are no JSON object" in html
    assert "The sample’s text, then:" in html and "the model was given" in html and "reasoning" in html


def test_an_item_without_a_truth_is_listed_and_not_ranked(tmp_path: Path) -> None:
    samples = [make_task(0), replace(make_task(1), truth={})]
    rig = Rig(tmp_path, samples)
    rig.record(samples[0], "toc", "reference")
    modelled(rig, samples[1], "toc", "loop+atlas-9")
    scored = rig.scored()
    assert [row.agent for row in leaderboard(scored)] == ["reference"]
    html = render(scored)
    page = check(html)
    assert f"#r-toc-loop-atlas-9-{samples[1].id}-0" in page.links and "not scored" in html
    last = [row for row in flat.rows(scored) if row["item"] == samples[1].id]
    assert (last[0]["strict"], last[0]["compat"], last[0]["answer"]) == (None, None, None)
    alone = replace(scored, records=[each for each in scored.records if each.score is None])
    check(render(alone))


@pytest.mark.accept
def test_the_front_holds_the_runs_that_no_other_beats(rich: Scored, leading: list[Row]) -> None:
    rows = leading
    base = rows[0]
    made = [
        replace(base, number=number, strict=strict, tokens_in=tokens, tokens_out=0.0)
        for number, (strict, tokens) in enumerate(
            [(0.9, 100.0), (0.8, 50.0), (0.8, 60.0), (0.7, 50.0), (0.9, 100.0)]
        )
    ]
    assert {point.row.number: point.best for point in frontier(made)} == {
        0: True,
        1: True,
        2: False,
        3: False,
        4: True,
    }


@given(st.lists(st.integers(0, 60), min_size=1, max_size=300))
def test_ranges_of_steps_hold_every_number_once(counts: list[int]) -> None:
    ranges = edges(counts)
    assert len(ranges) <= 6
    for each in counts:
        assert sum(low <= each <= high for low, high in ranges) == 1
    assert all(high < low for (_, high), (low, _) in pairwise(ranges))


@given(st.lists(st.just(0.0) | st.floats(1e-3, 1e9), min_size=1, max_size=20))
def test_an_axis_holds_its_numbers_and_few_marks(values: list[float]) -> None:
    axis = axis_of(values, 50, 600)
    assert all(49.9 <= axis.at(value) <= 600.1 for value in values if value or not axis.log)
    assert 2 <= len(axis.ticks) <= 14 and list(axis.ticks) == sorted(set(axis.ticks))


@pytest.mark.accept
def test_csv_jsonl_and_parquet_say_the_same(rich: Scored, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    for kind in ("csv", "jsonl", "parquet"):
        write_report(rich, tmp_path / f"r.{kind}", kind)
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert parquet.read_table(tmp_path / "r.parquet").to_pylist() == lines and len(lines) == 848
    names = [column.name for column in flat.COLUMNS]
    with (tmp_path / "r.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == names == list(lines[0])
    for row, line in zip(rows, lines, strict=True):
        for name in ("strict", "steps", "tokens", "cost", "duration_s"):
            assert (float(row[name]) if row[name] else None) == line[name]
    silent = [line for line in lines if line["agent"] == "direct+atlas-9"]
    assert {(line["tokens"], line["tokens_input"], line["cost"]) for line in silent} == {(None, None, None)}
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@given(st.text(max_size=40))
@example("\n")
@example(" =1")
@example("-0")
def test_no_cell_of_a_csv_is_a_formula(text: str) -> None:
    cell = flat._write_cell(text)
    signed = re.fullmatch(
        r"[+-]([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text
    )  # a number as text is none
    assert signed or cell.lstrip()[:1] not in ("=", "+", "-", "@")
    assert cell[:1] not in ("\t", "\r", "\n")
    assert flat._write_cell(-1.5) == "-1.5"  # a number is not text


def test_hostile_text_in_every_format(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "run", [make_task(0, hostile=True)])
    rig.record(next(iter(rig.tasks.values())), "toc", "reference", hostile=True)
    scored = rig.scored()
    sum_up = [
        replace(each, submission='=HYPERLINK("http://evil.example")', agent="\ud800")
        for each in scored.records
    ]
    scored = replace(scored, records=sum_up)
    for kind in ("csv", "jsonl", "html"):
        (path,) = write_report(scored, tmp_path / f"r.{kind}", kind)
        assert path.stat().st_size
    assert "'=HYPERLINK" in (tmp_path / "r.csv").read_text()
    assert json.loads((tmp_path / "r.jsonl").read_text())["submission"].startswith("=HYPERLINK")


def test_records_become_pages_of_their_own_with_their_texts_whole(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "run", [make_task(number) for number in range(3)], lines=2000)
    for sample in rig.tasks.values():
        rig.record(sample, "toc", "reference")
    scored = rig.scored()
    report, *pages = write_report(
        scored, tmp_path / "out" / "r.html", "html", tmp_path / "out" / "all records"
    )
    assert len(pages) == 3 and record_page(tmp_path / "out" / "all records", scored.records[0]) in pages
    html = report.read_text()
    links = {link for link in Page(html).links if not link.startswith("#")}
    assert {(report.parent / unquote(link)).resolve() for link in links} == {page.resolve() for page in pages}
    for page in pages:
        text = page.read_text()
        assert "Phase1999" in text and "left out" not in text and "Phase1000 " not in html
        back = [link for link in Page(text).links if not link.startswith("#")]
        assert any((page.parent / unquote(link)).resolve() == report.resolve() for link in back)
    write_report(scored, tmp_path / "other.html", "html")
    folders = {link for link in Page((tmp_path / "other.html").read_text()).links if not link.startswith("#")}
    assert {(tmp_path / unquote(link)).resolve() for link in folders} == {
        each.folder for each in scored.records
    }


def test_a_record_that_went_away_after_scoring_harms_no_other(tmp_path: Path) -> None:
    rig = Rig(tmp_path, [make_task(0), make_task(1)])
    for sample in rig.tasks.values():
        rig.record(sample, "toc", "reference")
    scored = rig.scored()
    shutil.rmtree(scored.records[0].folder)
    check(render(scored))


@pytest.mark.parametrize(("name", "given_as"), [("report.pdf", ""), ("report", ""), ("r.html.gz", "")])
def test_a_report_of_no_known_kind_is_refused(name: str, given_as: str) -> None:
    with pytest.raises(LabrigError, match="cannot be told") as refused:
        format_of(Path(name), given_as)
    assert ".parquet" in refused.value.expected
    assert format_of(Path("x.CSV")) == "csv" and format_of(Path("x"), "jsonl") == "jsonl"


@pytest.mark.parametrize(
    "kind", ["html", *(pytest.param(each, marks=pytest.mark.accept) for each in ("csv", "jsonl", "parquet"))]
)
def test_a_disk_that_is_full_leaves_the_report_that_was_there(tmp_path: Path, kind: str) -> None:
    """A limit on the size of files stands for the disk: the same calls fail, with another number."""
    version = suites.load("phreeqc-basics").version
    rig = Rig(tmp_path / "run", [real_task(0, version)])
    rig.record(next(iter(rig.tasks.values())), "agent-toc", "reference")
    (tmp_path / "to").mkdir()
    report = tmp_path / "to" / f"r.{kind}"
    report.write_text("earlier")
    code = f"""
import resource
from labrig_cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
raise SystemExit(main(["report", {str(rig.finish())!r}, "-o", {str(report)!r}]))
"""
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=60)
    assert (
        done.returncode == 1 and "could not be written" in done.stderr and str(report.parent) in done.stderr
    )
    assert [path.name for path in report.parent.iterdir()] == [
        report.name
    ] and report.read_text() == "earlier"


def test_the_columns_are_documented() -> None:
    page = PROJECT / "docs" / "reports.md"
    rows = [f"| `{column.name}` | {column.kind} | {column.about} |" for column in flat.COLUMNS]
    table = "\n".join(["| column | type | what it holds |", "| --- | --- | --- |", *rows])
    assert table in page.read_text(encoding="utf-8")
    assert len({column.name for column in flat.COLUMNS}) == len(flat.COLUMNS)


@pytest.mark.accept
def test_without_numpy_and_scipy_scores_and_pages_stand_and_say_what_is_missing(tmp_path: Path) -> None:
    version = str(suites.load("phreeqc-basics").version)
    rig = Rig(tmp_path / "run", [real_task(number, version) for number in range(6)])
    for sample in rig.tasks.values():
        rig.record(sample, "agent-toc", "reference")
        rig.record(sample, "agent-toc", "random")
    out = rig.finish()
    code = f"""
import sys
for name in ("numpy", "scipy", "pyarrow"): sys.modules[name] = None
from labrig_cli import main
print(main(["score", {str(out)!r}]))
print(main(["report", {str(out)!r}, "-o", {str(tmp_path / "r.html")!r}]))
print(main(["report", {str(out)!r}, "-o", {str(tmp_path / "r.parquet")!r}]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "pip install 'labrig[harness]'" in " ".join(done.stdout.split())
    assert "pip install 'labrig[parquet]'" in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "r.parquet").exists()
    html = (tmp_path / "r.html").read_text()
    assert "NumPy or SciPy is not installed" in html and 'id="pairs"' not in html
    whole = score_folder(out)
    assert whole.whole and [row.method for row in leaderboard(whole)] == ["Wilson", "Wilson"]


@pytest.mark.accept
def test_a_tight_budget_leaves_texts_out_and_says_so(scored: Scored, html: str) -> None:
    sizes = []
    for budget, words in (
        (len(html.encode()) - 1, "Long texts are cut to"),
        (300_000, "To keep this page small, the texts of steps"),
        (1, "To keep this page small, records"),
    ):
        small = render(scored, budget=budget)
        check(small)
        assert words in small
        sizes.append(len(small.encode()))
    assert sizes[1] <= 300_000 and sizes == sorted(sizes, reverse=True)


def test_a_report_begins_with_the_best_run_and_how_the_next_stands_to_it(tmp_path: Path) -> None:
    lead = re.search(r'<p class="lead">(.*?)</p>', render(full(tmp_path, items=14)))
    assert lead and lead[1].startswith(
        "<b>Best of 5 runs: toc, reference, 100.0\u00a0% of 14 samples right by strict"
    )
    assert "In pairs, run 2 is −" in lead[1] and "4 times in 5" not in lead[1]
