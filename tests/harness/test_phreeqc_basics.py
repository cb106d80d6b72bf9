"""The suite phreeqc-basics: its tasks, its reference solution over the real server, its scorer and tables."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig_harness.statistics import wilson
from labrig_harness.suite import Arm, Solution, Unsolvable
from labrig_harness.suites.phreeqc_basics import suite
from labrig_harness.suites.phreeqc_basics.score import parse
from labrig_harness.suites.phreeqc_basics.solution import EVIDENCE, last_place
from labrig_harness.suites.phreeqc_basics.stems import IONIC_STRENGTH, PH, SI, STEMS, significant
from labrig_harness.suites.phreeqc_basics.tasks import edited
from labrig_harness.task import Brief, Task
from labrig_harness.trajectory import EndReason, Step, Submission, ToolCall, Trajectory

KEYWORDS = (
    "SOLUTION|EQUILIBRIUM_PHASES|REACTION|REACTION_TEMPERATURE|REACTION_PRESSURE|KINETICS|EXCHANGE|SURFACE|"
    "GAS_PHASE|MIX|USE|SAVE|ADVECTION|TRANSPORT|SELECTED_OUTPUT|USER_PUNCH|END"
)
ARMS = [arm.name for arm in suite.arms if arm.server]


@pytest.fixture(scope="module")
def made(databases: Path) -> list[Task]:
    return suite.tasks(seed=0)


# ------------------------------------------------------------------------------------------------------ tasks


def test_there_are_enough_tasks_each_from_its_own_stem(made: list[Task]) -> None:
    assert len(made) >= 14
    assert len({task.labels["stem"] for task in made}) == len(made) == len(STEMS)
    assert {task.truth["database"] for task in made} == {"phreeqc.dat", "pitzer.dat"}
    assert all(re.fullmatch(r"[0-9a-f]{10}", task.id) for task in made)
    assert set(EVIDENCE) == {stem.name for stem in STEMS}


def test_tasks_depend_on_the_seed_and_on_nothing_else(made: list[Task]) -> None:
    assert suite.tasks(seed=0) == made
    other = suite.tasks(seed=1)
    assert not {task.id for task in other} & {task.id for task in made}
    assert [task.truth["answer"] for task in other] != [task.truth["answer"] for task in made]
    assert [task.truth["value"] for task in other] == [task.truth["value"] for task in made]


async def test_tasks_can_be_made_inside_an_event_loop(made: list[Task]) -> None:
    assert suite.tasks(seed=0) == made


def test_tasks_survive_their_record(made: list[Task]) -> None:
    assert [Task.from_dict(task.to_dict()) for task in made] == made


def test_options_are_far_enough_apart(made: list[Task]) -> None:
    for task in made:
        values = {letter: each["value"] for letter, each in task.truth["options"].items()}
        assert values[task.truth["answer"]] == task.truth["value"]
        absolute = {"pH": 0.02, "SI": 0.05}.get(task.labels["quantity"])
        for first, second in combinations(values.values(), 2):
            gap = absolute or 0.02 * max(abs(first), abs(second))
            assert abs(first - second) >= gap, task.labels["stem"]


@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_the_question_helps_a_guesser(databases: Path, seed: int) -> None:
    tasks = suite.tasks(seed=seed)
    letters = Counter(task.truth["answer"] for task in tasks)
    assert set(letters) == set("ABCD")
    assert max(letters.values()) - min(letters.values()) <= 1
    ranks = Counter(
        sum(each["value"] < task.truth["value"] for each in task.truth["options"].values()) for task in tasks
    )
    assert max(ranks.values()) - min(ranks[n] for n in range(4)) <= 1


def test_a_prompt_names_database_and_options_and_gives_nothing_away(made: list[Task]) -> None:
    keyword = re.compile(rf"\b({KEYWORDS})\b")
    for task in made:
        prompt = task.brief.prompt
        assert task.truth["database"] in prompt
        assert "final_answer.txt" not in prompt, "how to answer is the arm's to say"
        assert all(arm.channel.path in arm.prompt(task.brief) for arm in suite.arms if arm.channel.is_file)
        assert re.findall(r"^([A-D])\. \S", prompt, re.MULTILINE) == list(task.brief.choices)
        assert not keyword.search(prompt)
        assert task.labels["stem"] not in prompt
        for option in task.truth["options"].values():
            assert not option["diagnosis"] or option["diagnosis"] not in prompt


def test_every_wrong_option_has_a_diagnosis_and_the_truth_its_provenance(made: list[Task]) -> None:
    for task in made:
        diagnoses = {letter: each["diagnosis"] for letter, each in task.truth["options"].items()}
        assert diagnoses.pop(task.truth["answer"]) == ""
        assert all(diagnoses.values()) and len(set(diagnoses.values())) == 3
        assert task.truth["engine"]["database"]["name"] == task.truth["database"]
        assert len(task.truth["engine"]["library"]["sha256"]) == 64


def test_a_missing_engine_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from labrig.errors import LabrigError

    monkeypatch.setenv("LABRIG_PHREEQC_DATABASES", str(tmp_path))
    with pytest.raises(LabrigError, match="labrig setup phreeqc"):
        suite.tasks(seed=0)


# ---------------------------------------------------------------------------------------------------- oracles


def truth(tasks: list[Task], stem: str) -> float:
    return next(float(task.truth["value"]) for task in tasks if task.labels["stem"] == stem)


def test_quartz_follows_its_rate_law_in_closed_form(made: list[Task]) -> None:
    """Rimstidt and Barnes (1980): dc/dt = k A (1 - c/c_eq), with c_eq from log K(60 degC) of quartz."""
    kelvin = 333.15
    k = 10 ** -(13.7 + 4700.4 * (1 / kelvin - 1 / 298))
    rate = k * 0.146 * 100 * 1.5
    log_k = -3.98 + 5990 / (math.log(10) * 1.98720) * (1 / 298.15 - 1 / kelvin)
    equilibrium = 10**log_k
    after = equilibrium * (1 - math.exp(-rate * 31_557_600 / equilibrium))
    assert truth(made, "quartz-kinetics") == pytest.approx(after * 1e6, rel=0.01)


def test_headspace_follows_gas_law_and_henry(made: list[Task]) -> None:
    """40.9 mmol of CO2: 20 mmol become bicarbonate, the rest is shared by 1 L of gas and 1 kg of water."""
    per_atm = 1 / (0.082057 * 298.15)
    left = 1.0 * per_atm - 0.020
    assert truth(made, "headspace-co2") == pytest.approx(left / (per_atm + 10**-1.468), rel=0.02)


def test_the_calcium_front_arrives_with_the_retardation_of_the_exchanger(made: list[Task]) -> None:
    """R = 1 + 2 meq of sites / 1 meq of calcium = 3 pore volumes = 30 shifts, the middle of the front."""
    assert 0.05 < truth(made, "column-effluent") / 0.5 < 0.95


def test_evaporation_stays_below_proportion(made: list[Task]) -> None:
    ions = 0.5 * (2 + 2 + 4 * (1 + 0.5 + 1) + 1) * 1e-3
    assert 0.7 * 20 * ions < truth(made, "evaporation") < 20 * ions


def test_limestone_water_follows_the_textbook(made: list[Task]) -> None:
    """Ca = HCO3/2 at equilibrium: constants of Plummer and Busenberg (1982) at 12 degC, Davies activities."""
    k1, k2, ksp, kh = 10**-6.451, 10**-10.470, 10**-8.412, 10**-1.298

    def charge(ph: float) -> float:
        bicarbonate = k1 * kh * 0.01 / 10**-ph  # activities
        calcium = ksp / (k2 * bicarbonate / 10**-ph)
        root = math.sqrt(1.5 * bicarbonate)
        gamma = 10 ** (-0.5 * (root / (1 + root) - 0.3 * root**2))
        return 2 * calcium / gamma**4 - bicarbonate / gamma

    low, high = 6.0, 9.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if charge(middle) > 0 else (low, middle)
    assert truth(made, "calcite-soil-co2") == pytest.approx(low, abs=0.05)


# --------------------------------------------------------------------------------------------------- solution

Change = Callable[[str], str]


@asynccontextmanager
async def server(arm: Arm, workspace: Path) -> AsyncIterator[Any]:
    from fastmcp import Client

    from labrig.builder import build
    from labrig_phreeqc.server import toolbox

    async with Client(build(toolbox, replace(arm.serve, workspace=workspace))) as client:
        yield client


async def play(client: Any, solution: Solution, change: Change = str, at: int = -1) -> str:
    """Play a solution over MCP with the result of call `at` changed; return its letter, or why not."""
    results: list[str] = []
    try:
        for n, call in enumerate(solution.calls):
            wire = await client.call_tool_mcp(call.tool, call.bind(results))
            text = "\n".join(part.text for part in wire.content)
            results.append(change(text) if n == at else text)
        return solution.answer(results)
    except Unsolvable as error:
        return f"unsolvable: {error}"


def shift_digits(text: str) -> str:
    return re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), text)


@pytest.mark.parametrize("name", ARMS)
async def test_the_reference_is_right_and_hangs_on_every_result(
    made: list[Task], private_home: Path, tmp_path: Path, name: str
) -> None:
    arm = suite.arm(name)
    async with server(arm, tmp_path / "workspace") as client:
        for task in made:
            solution = suite.solution(task, arm)
            assert await play(client, solution) == task.truth["answer"], task.labels["stem"]
            for at in range(1, len(solution.calls)):
                corrupted = await play(client, solution, shift_digits, at)
                assert corrupted != task.truth["answer"], (task.labels["stem"], solution.calls[at].tool)


async def test_a_wrong_build_leads_to_its_option(
    made: list[Task], private_home: Path, tmp_path: Path
) -> None:
    """The solution reads what was computed: with a mistake in the build it finds that mistake's option."""
    # What these edits change is punched but not printed: the printed output ends with shift 30 of cell 10.
    unprinted = ("-punch_cells 9", "-punch_cells 5", "-shifts 31")
    builds = {
        (stem.name, each.diagnosis): edited(stem, each)
        for stem in STEMS
        for each in stem.mistakes
        if each.edits and not any(new in unprinted for _, new in each.edits)
    }
    arm, led = suite.arm(), 0
    async with server(arm, tmp_path / "workspace") as client:
        for task in made:
            write, *rest = suite.solution(task, arm).calls
            for letter, option in task.truth["options"].items():
                build = builds.get((task.labels["stem"], option["diagnosis"]))
                if build is not None:
                    changed = replace(write, arguments={"path": "input.pqi", "content": build})
                    wrong = Solution((changed, *rest), suite.solution(task, arm).answer)
                    assert await play(client, wrong) == letter, (task.labels["stem"], option["diagnosis"])
                    led += 1
    assert led >= 20


def test_the_solution_does_not_look_at_the_truth(made: list[Task]) -> None:
    for task in made:
        blind = replace(task, truth={})
        assert suite.solution(blind, suite.arm()).calls[:2] == suite.solution(task, suite.arm()).calls[:2]


def test_results_without_the_number_are_unsolvable(made: list[Task]) -> None:
    solution = suite.solution(made[0], suite.arm())
    for results in (
        [],
        ["", ""],
        ["", "status: input_error\n", ""],
        ["", "status: ok\nresult.out: 9 chars", ""],
    ):
        with pytest.raises(Unsolvable):
            solution.answer(results)


# ---------------------------------------------------------------------------------------------------- numbers


def test_options_are_printed_as_geochemists_write_them() -> None:
    assert PH.show(7.2849) == "pH 7.28"
    assert SI.show(-0.0004) == "SI 0.00"
    assert IONIC_STRENGTH.show(0.115903) == "0.1159 mol/kg water"
    assert [significant(x) for x in (42.0735, 999.97, 0.01155, 3.4e-5, 12345.0, 0.0)] == [
        "42.07",
        "1000",
        "0.01155",
        "3.400e-05",
        "1.234e+04",
        "0.000",
    ]


@given(st.floats(1e-12, 1e12), st.sampled_from([-1, 1]))
def test_a_printed_number_is_right_to_its_last_place(size: float, sign: int) -> None:
    text = significant(sign * size)
    assert abs(float(text) - sign * size) <= 0.5001 * last_place(text)


# ------------------------------------------------------------------------------------------------------ score


def item() -> Task:
    options = {
        letter: {"value": n, "diagnosis": "" if letter == "B" else f"mistake {letter}", "also": []}
        for n, letter in enumerate("ABCD")
    }
    brief = Brief("0123456789", "?", choices=("A", "B", "C", "D"))
    return Task(suite.name, "1", brief, {"answer": "B", "options": options}, {"stem": "made-up"})


def call(tool: str, *, is_error: bool = False) -> ToolCall:
    return ToolCall(tool, {}, 0, is_error, result_bytes=100)


def trajectory(
    text: str | None, *calls: ToolCall, commit: int = -1, end: EndReason = "answered", agent: str = "hand"
) -> Trajectory:
    steps = tuple(Step(n, calls=(each,)) for n, each in enumerate(calls))
    submission = None if text is None else Submission(text, commit)
    return Trajectory("0123456789", suite.name, agent, "agent-toc", 0, 0, steps, submission, end)


RUN, FAILED, READ, WRITE = (
    call("execute_phreeqc"),
    call("execute_phreeqc", is_error=True),
    call("read_file"),
    call("write_file"),
)


@pytest.mark.parametrize(
    ("text", "answer", "compat"),
    [
        (None, "", 0),
        ("", "", 0),
        ("A", "A", 0),
        ("B", "B", 1),
        (" b \n", "B", 1),
        ("The answer is B", "", 0),
        ("AB", "", 0),
        ("B\nB", "", 0),
        ("A\nB", "", 0),
        ("B.", "", 0),
        ("<<< B >>>", "", 0),
        ("E", "", 0),
        ("ß", "", 0),
        ("Ｂ", "", 0),
    ],
)
def test_a_submission_is_one_letter_and_nothing_else(text: str | None, answer: str, compat: int) -> None:
    score = suite.score(item(), trajectory(text, RUN, WRITE, commit=1))
    assert (score.answer, score.compat, score.strict) == (answer, compat, compat)


@pytest.mark.parametrize(
    ("calls", "commit", "strict"),
    [
        ((WRITE,), 0, 0),  # a bare guess
        ((WRITE, RUN), 0, 0),  # the guess first, the run for show
        ((FAILED, WRITE), 1, 0),
        ((FAILED, RUN, READ, WRITE), 3, 1),
        ((RUN,), -1, 0),  # the committing step is not known: no write_file made the answer
    ],
)
def test_strict_asks_for_a_run_behind_the_letter(
    calls: tuple[ToolCall, ...], commit: int, strict: int
) -> None:
    score = suite.score(item(), trajectory("B", *calls, commit=commit))
    assert (score.compat, score.strict) == (1, strict)


def test_facts_say_what_happened() -> None:
    score = suite.score(item(), trajectory("D", FAILED, RUN, READ, WRITE, commit=3, end="step_limit"))
    assert score.facts == {
        "stem": "made-up",
        "committed": True,
        "parsed": True,
        "end": "step_limit",
        "steps": 4,
        "executions": 2,
        "failed_executions": 1,
        "grounded": True,
        "reads": 1,
        "result_bytes": 400,
        "diagnosis": "mistake D",
    }


@given(st.text(max_size=6))
def test_the_parser_gives_a_letter_or_nothing(text: str) -> None:
    assert parse(text) in ("", "A", "B", "C", "D")
    assert not parse(text) or text.strip() in "ABCDabcd"


def test_the_scorer_imports_no_server(tmp_path: Path) -> None:
    import subprocess
    import sys

    program = (
        "import sys, labrig_harness.suites.phreeqc_basics\n"
        "print(sorted(each for each in sys.modules if each.startswith(('labrig_phreeqc', 'fastmcp', 'mcp'))))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ----------------------------------------------------------------------------------------------------- tables


def test_tables_count_what_scores_say() -> None:
    task = item()
    made = [
        trajectory("B", RUN, WRITE, commit=1),
        trajectory("D", RUN, WRITE, commit=1),
        trajectory(None, RUN, end="step_limit"),
        trajectory("B", WRITE, commit=0, agent="guess"),
    ]
    accuracy, by_stem, diagnoses, ends = suite.tables([task], [suite.score(task, each) for each in made])
    assert all(
        len(row) == len(table.columns) for table in (accuracy, by_stem, diagnoses, ends) for row in table.rows
    )
    guess, hand = (dict(zip(accuracy.columns[:10], row[:10], strict=True)) for row in accuracy.rows)
    assert (guess["agent"], guess["compat %"], guess["strict %"]) == ("guess", 100.0, 0.0)
    assert (hand["items"], hand["compat %"], hand["strict %"], hand["committed %"]) == (1, 33.3, 33.3, 66.7)
    assert accuracy.rows[1][4:6] == tuple(round(100 * bound, 1) for bound in wilson(1 / 3, 1))
    assert [row[0] for row in by_stem.rows] == ["made-up", "made-up"]
    assert {row[3]: row[4] for row in diagnoses.rows} == {"mistake D": 1, "no letter committed": 1}
    assert {row[1:4] for row in ends.rows} == {
        ("hand", "answered", 2),
        ("hand", "step_limit", 1),
        ("guess", "answered", 1),
    }
    assert [table.rows for table in suite.tables([], [])] == [(), (), (), ()]


def test_wilson_gives_published_intervals() -> None:
    """Newcombe (1998), Statistics in Medicine 17, table I, method 3."""
    for successes, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)):
        assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)
    assert wilson(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="successes"):
        wilson(3, 2)
    with pytest.raises(ValueError, match="confidence"):
        wilson(1, 2, confidence=1.0)


@given(st.integers(1, 500), st.floats(0, 1), st.floats(0.5, 0.999))
def test_wilson_holds_the_proportion_and_mirrors(n: int, share: float, confidence: float) -> None:
    k = round(share * n)
    low, high = wilson(k, n, confidence)
    assert 0 <= low <= k / n <= high <= 1
    assert wilson(n - k, n, confidence) == pytest.approx((1 - high, 1 - low), abs=1e-12)
