"""The suite phreeqc-basics: its tasks, its reference solution over the real server, its scorer and tables."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig_harness.endings import EndReason
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Arm, Solution, Unsolvable
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from labrig_study.statistics.proportions import wilson
from labrig_suites.common.choice import parse
from labrig_suites.common.numbers import last_place, significant
from labrig_suites.phreeqc_basics import suite
from labrig_suites.phreeqc_basics.quantities import shown
from labrig_suites.phreeqc_basics.stems import edited, stems
from support.basics import basics
from support.solved import answer_of, other_digits

KEYWORDS = (
    "SOLUTION|EQUILIBRIUM_PHASES|REACTION|REACTION_TEMPERATURE|REACTION_PRESSURE|KINETICS|EXCHANGE|SURFACE|"
    "GAS_PHASE|MIX|USE|SAVE|ADVECTION|TRANSPORT|SELECTED_OUTPUT|USER_PUNCH|END"
)
ARMS = [arm.name for arm in suite.arms if arm.server]


@pytest.fixture(scope="module")
def made(databases: Path) -> list[Sample]:
    return list(basics())


# ------------------------------------------------------------------------------------------------------ tasks


def test_there_are_enough_tasks_each_from_its_own_stem(made: list[Sample]) -> None:
    assert len(made) >= 14
    assert len({sample.labels["stem"] for sample in made}) == len(made) == len(stems())
    assert {sample.truth["database"] for sample in made} == {"phreeqc.dat", "pitzer.dat"}
    assert all(re.fullmatch(r"[0-9a-f]{10}", sample.id) for sample in made)
    assert all(stem.printed.section and stem.printed.row for stem in stems())


@pytest.mark.accept
def test_tasks_depend_on_the_seed_and_on_nothing_else(made: list[Sample]) -> None:
    assert suite.tasks(seed=0) == made
    other = basics(1)
    assert not {sample.id for sample in other} & {sample.id for sample in made}
    assert [sample.truth["answer"] for sample in other] != [sample.truth["answer"] for sample in made]
    assert [sample.truth["value"] for sample in other] == [sample.truth["value"] for sample in made]


@pytest.mark.accept
async def test_tasks_can_be_made_inside_an_event_loop(made: list[Sample]) -> None:
    assert suite.tasks(seed=0) == made


def test_tasks_survive_their_record(made: list[Sample]) -> None:
    assert [Sample.from_dict(sample.to_dict()) for sample in made] == made


def test_options_are_far_enough_apart(made: list[Sample]) -> None:
    for sample in made:
        values = {letter: each["value"] for letter, each in sample.truth["options"].items()}
        assert values[sample.truth["answer"]] == sample.truth["value"]
        absolute = {"pH": 0.02, "SI": 0.05}.get(sample.labels["quantity"])
        for first, second in combinations(values.values(), 2):
            gap = absolute or 0.02 * max(abs(first), abs(second))
            assert abs(first - second) >= gap, sample.labels["stem"]


@pytest.mark.accept
@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_the_question_helps_a_guesser(databases: Path, seed: int) -> None:
    samples = basics(seed)
    letters = Counter(sample.truth["answer"] for sample in samples)
    assert set(letters) == set("ABCD")
    assert max(letters.values()) - min(letters.values()) <= 1
    ranks = Counter(
        sum(each["value"] < sample.truth["value"] for each in sample.truth["options"].values())
        for sample in samples
    )
    assert max(ranks.values()) - min(ranks[n] for n in range(4)) <= 1


def test_a_prompt_names_database_and_options_and_gives_nothing_away(made: list[Sample]) -> None:
    keyword = re.compile(rf"\b({KEYWORDS})\b")
    for sample in made:
        prompt = sample.brief.prompt
        assert sample.truth["database"] in prompt
        assert "final_answer.txt" not in prompt, "how to answer is the arm's to say"
        assert all(arm.channel.path in arm.prompt(sample.brief) for arm in suite.arms if arm.channel.is_file)
        assert re.findall(r"^([A-D])\. \S", prompt, re.MULTILINE) == list(sample.brief.choices)
        assert not keyword.search(prompt)
        assert sample.labels["stem"] not in prompt
        for option in sample.truth["options"].values():
            assert not option["diagnosis"] or option["diagnosis"] not in prompt


def test_every_wrong_option_has_a_diagnosis_and_the_truth_its_provenance(made: list[Sample]) -> None:
    for sample in made:
        diagnoses = {letter: each["diagnosis"] for letter, each in sample.truth["options"].items()}
        assert diagnoses.pop(sample.truth["answer"]) == ""
        assert all(diagnoses.values()) and len(set(diagnoses.values())) == 3
        assert sample.truth["engine"]["database"]["name"] == sample.truth["database"]
        assert len(sample.truth["engine"]["library"]["sha256"]) == 64


def test_a_missing_engine_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from labrig.errors import LabrigError

    monkeypatch.setenv("LABRIG_PHREEQC_DATABASES", str(tmp_path))
    with pytest.raises(LabrigError, match="labrig setup phreeqc"):
        suite.tasks(seed=0)


# ---------------------------------------------------------------------------------------------------- oracles


def truth(samples: list[Sample], stem: str) -> float:
    return next(float(sample.truth["value"]) for sample in samples if sample.labels["stem"] == stem)


def test_quartz_follows_its_rate_law_in_closed_form(made: list[Sample]) -> None:
    """Rimstidt and Barnes (1980): dc/dt = k A (1 - c/c_eq), with c_eq from log K(60 degC) of quartz."""
    kelvin = 333.15
    k = 10 ** -(13.7 + 4700.4 * (1 / kelvin - 1 / 298))
    rate = k * 0.146 * 100 * 1.5
    log_k = -3.98 + 5990 / (math.log(10) * 1.98720) * (1 / 298.15 - 1 / kelvin)
    equilibrium = 10**log_k
    after = equilibrium * (1 - math.exp(-rate * 31_557_600 / equilibrium))
    assert truth(made, "quartz-kinetics") == pytest.approx(after * 1e6, rel=0.01)


def test_headspace_follows_gas_law_and_henry(made: list[Sample]) -> None:
    """40.9 mmol of CO2: 20 mmol become bicarbonate, the rest is shared by 1 L of gas and 1 kg of water."""
    per_atm = 1 / (0.082057 * 298.15)
    left = 1.0 * per_atm - 0.020
    assert truth(made, "headspace-co2") == pytest.approx(left / (per_atm + 10**-1.468), rel=0.02)


def test_the_calcium_front_arrives_with_the_retardation_of_the_exchanger(made: list[Sample]) -> None:
    """R = 1 + 2 meq of sites / 1 meq of calcium = 3 pore volumes = 30 shifts, the middle of the front."""
    assert 0.05 < truth(made, "column-effluent") / 0.5 < 0.95


def test_evaporation_stays_below_proportion(made: list[Sample]) -> None:
    ions = 0.5 * (2 + 2 + 4 * (1 + 0.5 + 1) + 1) * 1e-3
    assert 0.7 * 20 * ions < truth(made, "evaporation") < 20 * ions


def test_limestone_water_follows_the_textbook(made: list[Sample]) -> None:
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


@asynccontextmanager
async def server(arm: Arm, workspace: Path) -> AsyncIterator[Any]:
    from fastmcp import Client

    from labrig.serving.builder import build
    from labrig_phreeqc.server import toolbox

    async with Client(build(toolbox, replace(arm.serve, workspace=workspace))) as client:
        yield client


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "agent-toc" else pytest.mark.accept) for name in ARMS]
)
async def test_the_reference_is_right_and_hangs_on_every_result(
    made: list[Sample], private_home: Path, tmp_path: Path, name: str
) -> None:
    arm = suite.arm(name)
    async with server(arm, tmp_path / "workspace") as client:
        for sample in made:
            solution = suite.solution(sample, arm)
            assert await answer_of(client, solution) == sample.truth["answer"], sample.labels["stem"]
            for at in range(1, len(solution.calls)):
                corrupted = await answer_of(client, solution, other_digits, at)
                assert corrupted != sample.truth["answer"], (sample.labels["stem"], solution.calls[at].tool)


@pytest.mark.accept
async def test_a_wrong_build_leads_to_its_option(
    made: list[Sample], private_home: Path, tmp_path: Path
) -> None:
    """The solution reads what was computed: with a mistake in the build it finds that mistake's option."""
    # What these edits change is punched but not printed: the printed output ends with shift 30 of cell 10.
    unprinted = ("-punch_cells 9", "-punch_cells 5", "-shifts 31")
    builds = {
        (stem.name, diagnosis): edited(stem, mistake)
        for stem in stems()
        for diagnosis, mistake in stem.mistakes.items()
        if edited(stem, mistake) != stem.build and not any(new in unprinted for _, new in mistake.edits)
    }
    arm, led = suite.arm(), 0
    async with server(arm, tmp_path / "workspace") as client:
        for sample in made:
            write, *rest = suite.solution(sample, arm).calls
            for letter, option in sample.truth["options"].items():
                build = builds.get((sample.labels["stem"], option["diagnosis"]))
                if build is not None:
                    changed = replace(write, arguments={"path": "input.pqi", "content": build})
                    wrong = Solution((changed, *rest), suite.solution(sample, arm).answer)
                    assert await answer_of(client, wrong) == letter, (
                        sample.labels["stem"],
                        option["diagnosis"],
                    )
                    led += 1
    assert led >= 20


def test_the_solution_does_not_look_at_the_truth(made: list[Sample]) -> None:
    for sample in made:
        blind = replace(sample, truth={})
        assert suite.solution(blind, suite.arm()).calls[:2] == suite.solution(sample, suite.arm()).calls[:2]


def test_results_without_the_number_are_unsolvable(made: list[Sample]) -> None:
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
    assert shown("pH", 7.2849) == "pH 7.28"
    assert shown("SI", -0.0004) == "SI 0.00"
    assert shown("mol/kg water", 0.115903) == "0.1159 mol/kg water"
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


def item() -> Sample:
    options = {
        letter: {"value": n, "diagnosis": "" if letter == "B" else f"mistake {letter}", "also": []}
        for n, letter in enumerate("ABCD")
    }
    brief = SampleInput("0123456789", "?", choices=("A", "B", "C", "D"))
    return Sample(suite.name, "1", brief, {"answer": "B", "options": options}, {"stem": "made-up"})


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
        "import sys, labrig_suites.phreeqc_basics\n"
        "print(sorted(each for each in sys.modules if each.startswith(('labrig_phreeqc', 'fastmcp', 'mcp'))))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ----------------------------------------------------------------------------------------------------- tables


def test_tables_count_what_scores_say() -> None:
    sample = item()
    made = [
        trajectory("B", RUN, WRITE, commit=1),
        trajectory("D", RUN, WRITE, commit=1),
        trajectory(None, RUN, end="step_limit"),
        trajectory("B", WRITE, commit=0, agent="guess"),
    ]
    accuracy, by_stem, diagnoses, ends = suite.tables([sample], [suite.score(sample, each) for each in made])
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
