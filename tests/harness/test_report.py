"""The report, on synthetic records: real call logs and blobs, a suite made here, no server."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from labrig.calls import CallLog
from labrig.canonical import sha256
from labrig.toolbox import ServeOptions
from labrig_harness.records import Scored, summary
from labrig_harness.report.leaderboard import leaderboard
from labrig_harness.report.page import BUDGET, render
from labrig_harness.report.prose import MOST, Prose
from labrig_harness.report.tabular import columns
from labrig_harness.report.terminal import print_scores
from labrig_harness.report.truth import truth_of
from labrig_harness.suite import Arm, Score, Solution, Suite, Table
from labrig_harness.task import Brief, Task
from labrig_harness.trajectory import EndReason, Step, Submission, Tokens, ToolCall, Trajectory

LETTERS = ("A", "B", "C", "D")
STEMS = ("seawater-calcite", "calcite-soil-co2", "gypsum-in-salt", "mixing-corrosion", "evaporation")
MISTAKES = ("temperature left at 25 °C", "read aragonite for calcite", "mmol taken as mg")
HOSTILE = (
    "</script><script>alert('x')</script><img src=http://evil.example/x onerror=alert(1)>\x1b[31m\ud800\u202e"
)

PROMPT = """\
Cold surface seawater at {temp} °C has pH 8.10 and contains, per kg of water: Na 486, Mg 54.7, Ca 10.7, \
K 10.6, Cl 566 and SO4 29.3 mmol, and an alkalinity of 2.40 meq. \
What is the saturation index of calcite in it?

{options}

Build the input, run it with the tools, and write the letter of your choice, alone, to final_answer.txt. \
You have 24 steps."""

INPUT = """\
SOLUTION 1 Surface seawater
    temp {temp}
    pH 8.1
    units mmol/kgw
    Na 486
    Mg 54.7
    Ca 10.7
    K 10.6
    Cl 566
    S(6) 29.3
    Alkalinity 2.4
END
"""

OUTPUT_LINE = "\t{name:<12} {si:8.2f} {iap:9.2f} {k:9.2f}  {formula}"


def engine_output(draw: random.Random, lines: int) -> str:
    """Return text that looks like an engine's."""
    head = "------------------------------------\nReading input data for simulation 1.\n" + "-" * 36 + "\n\n"
    rows = (
        OUTPUT_LINE.format(
            name=f"Phase{n}", si=draw.gauss(0, 2), iap=draw.gauss(-8, 3), k=draw.gauss(-9, 3), formula="CaCO3"
        )
        for n in range(lines)
    )
    return head + "-----------------------Saturation indices-----------------------\n\n" + "\n".join(rows)


def make_task(number: int, *, hostile: bool = False) -> Task:
    """Return a multiple-choice task with a diagnosis for each wrong option."""
    draw = random.Random(number)
    right = draw.choice(LETTERS)
    values = dict(zip(LETTERS, sorted(round(draw.uniform(-1.5, 1.5), 2) for _ in LETTERS), strict=True))
    wrong = iter(MISTAKES)
    options = {
        letter: {"value": value, "diagnosis": "" if letter == right else next(wrong), "also": []}
        for letter, value in values.items()
    }
    listed = "\n".join(f"{letter}) SI {value}" for letter, value in values.items())
    prompt = HOSTILE if hostile else PROMPT.format(temp=8 + number, options=listed)
    brief = Brief(sha256(f"fake/{number}")[:10], prompt, choices=LETTERS)
    truth = {
        "letter": right,
        "value": values[right],
        "unit": "SI",
        "options": options,
        "database": "phreeqc.dat",
    }
    labels = {"stem": STEMS[number % len(STEMS)], "quantity": "saturation index"}
    return Task("fake-basics", "1.2", brief, truth, labels)


def score(task: Task, trajectory: Trajectory) -> Score:
    """Score a letter; compat takes the first letter that occurs, strict the whole text."""
    text = trajectory.submission.text.strip() if trajectory.submission else ""
    found = re.search("[A-D]", text)
    loose = found.group() if found else ""
    right = task.truth["letter"]
    return Score(
        task.id,
        trajectory.arm,
        trajectory.agent,
        trajectory.epoch,
        strict=float(text == right),
        compat=float(loose == right),
        answer=text if text in LETTERS else loose,
        facts={"stem": task.labels["stem"]},
    )


def tables(tasks: Iterable[Task], scores: Iterable[Score]) -> list[Table]:
    """Return accuracy by stem."""
    stems: dict[str, list[float]] = {}
    for each in scores:
        stems.setdefault(each.facts["stem"], []).append(each.strict)
    rows = tuple((stem, len(each), sum(each) / len(each)) for stem, each in sorted(stems.items()))
    return [
        Table("Accuracy by stem", ("Stem", "n", "Strict"), rows, "Over all arms and agents."),
        Table("Empty table", ("Stem", "n"), ()),
    ]


def no_tasks(*, seed: int) -> list[Task]:
    return []


def no_solution(task: Task, arm: Arm) -> Solution:
    raise NotImplementedError


SUITE = Suite(
    name="fake-basics",
    version="1.2",
    scorer_version="3",
    about="Can an agent operate a geochemical engine: build the input, run it, read the number asked for?",
    arms=(
        Arm("toc", "phreeqc", ServeOptions(output="toc"), about="Results arrive as a table of contents."),
        Arm("raw", "phreeqc", ServeOptions(output="raw:100000"), about="Results arrive whole."),
    ),
    tasks=no_tasks,
    solution=no_solution,
    score=score,
    tables=tables,
)


class Rig:
    """Writes records as the runner does, and collects what `score_folder` would."""

    def __init__(self, out: Path, tasks: list[Task], *, lines: int = 120) -> None:
        self.out = out
        self.tasks = {task.id: task for task in tasks}
        self.lines = lines
        self.made: list[tuple[Path, Trajectory]] = []

    def call(self, log: CallLog, count: int, tool: str, arguments: dict[str, object], text: str) -> ToolCall:
        failed = text.startswith("ERROR")
        record = log.append(
            server="phreeqc",
            tool=tool,
            arguments=arguments,
            result={"content": [{"type": "text", "text": text}], "isError": failed},
            error={"code": "engine", "what": text} if failed else None,
            tools_hash="0" * 64,
            versions={"labrig": "0.1.0"},
            meta={},
        )
        return ToolCall(
            tool, arguments, count, record.is_error, record.result, record.result_bytes, meta={"duration_s": 0.21}
        )

    def record(
        self, task: Task, arm: str, agent: str, epoch: int = 0, *, hostile: bool = False
    ) -> Trajectory:
        """Write one record."""
        folder = self.out / f"{arm}.{agent}" / task.id / f"epoch{epoch}"
        folder.mkdir(parents=True)
        log, calls = CallLog(folder), []
        draw = random.Random(f"{task.id}/{arm}/{agent}/{epoch}")
        right = str(task.truth["letter"])
        answer = {"nop": "", "random": draw.choice(LETTERS), "reference": right}.get(agent)
        if answer is None:
            answer = draw.choice([right, right, "", draw.choice(LETTERS), f"The answer is {right}."])
        if agent in ("reference", "noisy-reference"):
            text = INPUT.format(temp=12)
            output = engine_output(random.Random(task.id), self.lines)
            calls.append(
                self.call(log, 0, "write_file", {"path": "input.pqi", "content": text}, "Wrote 178 bytes.")
            )
            if agent == "noisy-reference" and draw.random() < 0.5:
                error = "ERROR: Phase not found in database, Calcit.\nERROR: Calculations terminating."
                calls.append(self.call(log, 1, "execute_phreeqc", {"path": "input.pqi"}, error))
            calls.append(
                self.call(
                    log, len(calls), "execute_phreeqc", {"path": "input.pqi"}, HOSTILE if hostile else output
                )
            )
            arguments = {"path": "result.out", "start_line": 41, "end_line": 60}
            calls.append(self.call(log, len(calls), "read_file", dict(arguments), output[900:1800]))
        if answer:
            arguments = {"path": "final_answer.txt", "content": answer}
            calls.append(self.call(log, len(calls), "write_file", dict(arguments), "Wrote 1 byte."))
        end: EndReason = "answered" if answer else "no_answer"
        if not answer and draw.random() < 0.5 and agent != "nop":
            end = "step_limit"
        says = "The saturation indices are under line 41." if agent == "noisy-reference" else ""
        each = Trajectory(
            task=task.id,
            suite=task.suite,
            agent=agent,
            arm=arm,
            epoch=epoch,
            seed=7,
            steps=tuple(
                Step(n, says if call.tool == "read_file" else "", (call,), Tokens())
                for n, call in enumerate(calls)
            ),
            submission=Submission(HOSTILE if hostile else answer, len(calls) - 1)
            if answer or hostile
            else None,
            end=end,
            versions={"labrig": "0.1.0", "phreeqc": "3.8.6"},
            meta={"started": "2026-11-21T10:00:00.000+00:00", "duration_s": 1.284},
        )
        (folder / "trajectory.json").write_text(json.dumps(each.to_dict()))
        about = {"suite": "fake-basics", "seed": 7, "epochs": 1, "budget": {"max_steps": 24, "wall_s": 300.0}}
        (folder.parent.parent / "run.json").write_text(json.dumps(about))
        self.made.append((folder, each))
        return each

    def scored(self, skipped: Iterable[str] = ()) -> Scored:
        """Return the folder as `score_folder` does."""
        scores = [score(self.tasks[each.task], each) for _, each in self.made]
        return Scored(
            suite=SUITE,
            tasks=self.tasks,
            records=[
                summary(folder, each, its) for (folder, each), its in zip(self.made, scores, strict=True)
            ],
            tables=tables(self.tasks.values(), scores) if scores else [],
            skipped=list(skipped),
        )


def full(out: Path, *, items: int = 14, epochs: int = 1) -> Scored:
    """Return a run of four agents, the better two in both arms."""
    rig = Rig(out, [make_task(number) for number in range(items)])
    runs = [("toc", "reference"), ("toc", "noisy-reference"), ("raw", "noisy-reference")]
    for arm, agent in [*runs, ("toc", "random"), ("toc", "nop")]:
        for task in rig.tasks.values():
            for epoch in range(epochs):
                rig.record(task, arm, agent, epoch)
    return rig.scored(["toc.reference/lost/epoch0/trajectory.json: ValueError: schema 'x'"])


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
    assert "Wilson" in html and "guessing, 25.0 %" in html and "temperature left at 25 °C" in html
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
    assert reference.split() == ["toc", "reference", "14", "100.0", "78.5–100.0", "100.0", "14/14", "4.0"]
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
    assert "not run" in html and "1 of 2 items" in html


def test_a_log_that_does_not_match_is_said_at_its_step(tmp_path: Path) -> None:
    rig = Rig(tmp_path, [make_task(number) for number in range(3)])
    for task in rig.tasks.values():
        rig.record(task, "toc", "reference")
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
    task = make_task(0)
    options = task.truth["options"]
    shapes = {
        "mapping": options,
        "list": [{"letter": letter, **each} for letter, each in options.items()],
        "bare": {letter: each["value"] for letter, each in options.items()},
    }
    truth = truth_of(replace(task, truth={**task.truth, "options": shapes[shape]}))
    assert [each.letter for each in truth.options] == list(LETTERS)
    assert all(each.value.endswith(" SI") for each in truth.options) and truth.value.endswith(" SI")
    assert [each.letter for each in truth.options if each.right] == [truth.answer]
    assert {truth.diagnosis(letter) for letter in LETTERS} == ({""} if shape == "bare" else {"", *MISTAKES})


def test_two_hundred_items_and_four_arms_stay_within_the_budget(tmp_path: Path) -> None:
    rig = Rig(tmp_path, [make_task(number) for number in range(200)])
    for column in range(4):
        for task in rig.tasks.values():
            rig.record(task, "toc" if column < 2 else "raw", "noisy-reference", column % 2)
    html = render(rig.scored())
    check(html)
    assert len(html.encode()) <= BUDGET and "Saturation indices" in html


def test_a_tight_budget_leaves_texts_out_and_says_so(scored: Scored, html: str) -> None:
    small = render(scored, budget=1)
    check(small)
    assert len(small) < len(html) and "to keep this page small" in small


@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
@pytest.mark.parametrize("opened", [False, True])
def test_a_browser_opens_it_without_a_complaint(html: str, tmp_path: Path, opened: bool) -> None:
    fragment = f"#r-toc-noisy-reference-{make_task(4).id}-0" if opened else ""
    (tmp_path / "report.html").write_text(html, encoding="utf-8")
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    )
    quiet = "--disable-component-update --disable-sync --enable-logging=stderr --v=0 --dump-dom"
    where = f"file://{tmp_path}/report.html{fragment}"
    done = subprocess.run(
        ["chromium", *flags.split(), *quiet.split(), f"--user-data-dir={tmp_path / 'profile'}", where],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert not [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    theme = re.search(r'<button id="theme"[^>]*>', done.stdout)
    assert theme and "hidden" not in theme.group(), "the page's own script did not run"
    assert done.stdout.count('<details class="record" open') == opened
