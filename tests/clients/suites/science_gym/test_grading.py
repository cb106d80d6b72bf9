"""science-gym: the rows of the grading page are what the graders say, and no way of writing a truth is lost."""

from __future__ import annotations

import json
import re
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from labrig_harness.channels import last_json_object
from labrig_suites.science_gym.fixtures import asked, fixtures
from labrig_suites.science_gym.grading import Grade, grade
from labrig_suites.science_gym.question import DECISIONS, NOT_POSSIBLE, README_CHOICES, Expected
from support.places import PROJECT

PAGE = PROJECT / "docs" / "suites" / "science-gym-grading.md"
ROW = re.compile(r"\| `(.+?)` \| `(.+?)` \| ([a-z, ]+) \| ([a-z, ]+) \| .+ \|")
LEVELS = ("low", "med", "high", "med_high")


def rows() -> list[tuple[str, str, str, str]]:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    found = [ROW.fullmatch(line) for line in lines]
    assert all(found), [line for line, each in zip(lines, found, strict=True) if not each]
    return [(each[1], each[2], each[3], each[4]) for each in found if each]


def graded(expected: Expected, message: str) -> Grade:
    return grade(expected, last_json_object(message) or None, message)


def answered(expected: Expected, answer: object) -> Grade:
    return graded(expected, json.dumps({"answer": answer}))


def cells(found: Grade) -> tuple[str, str]:
    def cell(right: bool, abstains: bool) -> str:
        return ("right" if right else "wrong") + (", abstains" if abstains else "")

    return cell(found.compat, found.abstains_compat), cell(found.strict, found.abstains_strict)


@pytest.mark.parametrize(("question", "message", "compat", "strict"), rows())
def test_the_page_says_what_the_graders_do(question: str, message: str, compat: str, strict: str) -> None:
    found = graded(asked(question), message)
    assert cells(found) == (compat, strict), found


def test_the_page_has_every_kind_of_counter_example() -> None:
    asked_for = [question.split()[0] for question, *_ in rows()]
    assert set(asked_for) == {"number", "integer", "choice", "text", "impossible"} and len(asked_for) > 100
    # The page is of use where the two differ, both ways.
    assert {(compat[:5], strict[:5]) for _, _, compat, strict in rows()} >= {
        ("right", "wrong"),
        ("wrong", "right"),
    }


def test_every_row_on_which_the_graders_differ_is_a_fixture() -> None:
    named = {each.about for each in fixtures() if each.strict != each.compat}
    for question, message, compat, strict in rows():
        if compat[:5] != strict[:5]:
            right = "compat" if compat.startswith("right") else "strict"
            assert f"{right}: {question}: {message}" in named


def rounded(truth: Decimal, digits: int) -> Decimal:
    return Decimal(format(truth, f".{digits - 1}e"))


def settled(truth: Decimal, digits: int) -> bool:
    """Say that no rounding to `digits` or one fewer is in doubt: half a unit of the last digit decides nothing."""
    unit = Decimal((0, (1,), rounded(truth, digits).adjusted() - digits + 1))
    near = [truth + each * unit for each in (Decimal("-0.51"), 0, Decimal("0.51"))]
    return len({rounded(each, digits - 1) for each in near}) == 1


TRUTHS = st.builds(
    lambda sign, digits, place: Decimal((sign, tuple(map(int, str(digits))), place)),
    st.integers(0, 1),
    st.integers(10**16, 10**17 - 1),
    st.integers(-24, -8),
)
"""Decimals of 17 significant digits between 1e-8 and 1e9."""
WAYS = {
    "exponent": lambda d: f"{d:e}",
    "capital exponent": lambda d: f"{d:E}",
    "sign": lambda d: f"{d:+f}",
    "unit": lambda d: f"{d:+f} mg/L",
    "unit with a power": lambda d: f"{d:f} m² s⁻¹",
    "unit that touches": lambda d: f"{d:f}cm",
    "minus sign": lambda d: f"{d:f}".replace("-", "−"),
    "thousands": lambda d: f"{d:,f}",
    "power of ten": lambda d: "{}×10^{}".format(*f"{d:e}".lower().split("e")),
    "bold": lambda d: f"**{d:f}**",
    "sentence": lambda d: f"The median is {d:f}.",
    "latex": lambda d: r"${} \times 10^{{{}}}$".format(*f"{d:e}".lower().split("e")),
}


def expected_number(truth: Decimal, digits: int) -> Expected:
    return Expected("number", f"{truth:f}", digits=digits)


@pytest.mark.parametrize("way", WAYS)
@given(truth=TRUTHS, digits=st.integers(2, 4), asked_for=st.booleans())
def test_strict_reads_a_truth_in_every_usual_way(
    way: str, truth: Decimal, digits: int, asked_for: bool
) -> None:
    expected = expected_number(truth, digits)
    written = WAYS[way](rounded(truth, digits) if asked_for else truth)
    assert answered(expected, written).strict, written
    assert graded(expected, written).strict, "without JSON"


@given(truth=TRUTHS, digits=st.integers(2, 4))
def test_a_truth_rounded_as_asked_is_right_in_both(truth: Decimal, digits: int) -> None:
    assume(settled(truth, digits))
    expected, said = expected_number(truth, digits), rounded(truth, digits)
    for answer in (float(said), f"{said:f}", f"{said:e}"):
        found = answered(expected, answer)
        assert found.compat and found.strict, answer


@given(truth=TRUTHS, digits=st.integers(2, 4), off=st.sampled_from((Decimal("-1.01"), Decimal("1.01"))))
def test_a_wrong_number_is_wrong(truth: Decimal, digits: int, off: Decimal) -> None:
    expected = expected_number(truth, digits)
    assert not answered(expected, f"{-truth:f}").strict
    assert not answered(expected, f"{-truth:f} mg").strict
    # A little more than half a unit of the last digit that is asked for is wrong, a little less is right.
    unit = Decimal((0, (1,), truth.adjusted() - digits + 1))
    assert not answered(expected, f"{truth + off * unit / 2:f}").strict
    assert answered(expected, f"{truth + off * unit * Decimal('0.49'):f}").strict


@given(truth=st.integers(-(10**7), 10**7), off=st.integers(1, 10**6))
def test_whole_numbers_are_exact(truth: int, off: int) -> None:
    expected = Expected("integer", str(truth))
    for answer in (truth, str(truth), f"{truth}.0", float(truth)):
        found = answered(expected, answer)
        assert found.strict, answer
        # What int() does not cast loses its sign: a row of the page.
        assert found.compat == (truth >= 0 or "." not in str(answer)), answer
    for written in (f"{truth:,}", f"{truth:,} rows", f"n = {truth}".replace("-", "−"), f"`{truth}`"):
        assert answered(expected, written).strict, written
    for wrong in (truth + off, truth - off, f"{truth}.5", f"{truth} or {truth + off}"):
        assert not answered(expected, wrong).strict, wrong


@pytest.mark.parametrize(
    "choices", [README_CHOICES, DECISIONS, LEVELS, ("csv", "json", "jsonl", "xlsx"), ("0", "1", "10")]
)
def test_each_choice_is_itself_and_no_other(choices: tuple[str, ...]) -> None:
    for truth in choices:
        expected = Expected("choice", truth, choices)
        for said in choices:
            for written in (said, said.upper(), f"**{said}**"):
                found = answered(expected, written)
                assert found.strict == (said == truth), (truth, written)
                # "low" is contained in no other level; where one choice contains another, compat takes both.
                assert found.compat or said != truth
                assert not found.compat or truth in said
        assert answered(expected, NOT_POSSIBLE).abstains_strict
        assert not answered(expected, " or ".join(choices)).strict


EXPECTED = [
    Expected("integer", "12"),
    Expected("number", "1.23456789012345", digits=3),
    Expected("choice", "low", LEVELS),
    Expected("choice", "yes, no", DECISIONS),
    Expected("text", "Growth of algae"),
    Expected("impossible", NOT_POSSIBLE, LEVELS),
]
MILLION = 10**6
HOSTILE = {
    "digits": "1" * MILLION,
    "digits as JSON": '{"answer": ' + "7" * MILLION + "}",
    "digits as text": '{"answer": "' + "7" * MILLION + '"}',
    "points": "." * MILLION,
    "spaces": "{" + " " * MILLION,
    "signs": "-+" * (MILLION // 2),
    "thousands": "1" + ",111" * (MILLION // 4) + ",",
    "numbers": "1 " * (MILLION // 2),
    "powers": "10^" * (MILLION // 3),
    "large exponent": '{"answer": 1e999999999999999999999}',
    "beyond floats": '{"answer": "1e5000"}',
    "small exponent": '{"answer": "1e-999999999999"}',
    "nested lists": '{"answer": ' + "[" * 10_000 + "]" * 10_000 + "}",
    "nested objects": '{"answer": ' * 3_000 + "1" + "}" * 3_000,
    "nested a little": '{"answer": ' * 200 + "13" + "}" * 200,
    "nested texts": '{"answer": "{\\"answer\\": \\"{\\\\\\"answer\\\\\\": 13}\\"}"}',
    "NUL": '{"answer": "\\u0000"}\x00',
    "surrogates": '{"answer": "\\ud800\\udfff\\udc00"}' + "\ud800",
    "large letters": "ﷺ" * (MILLION // 10),
    "wide list": '{"answer": [' + "3," * (MILLION // 2) + "3]}",
    "braces": "{" * 10_000,
    "empty": "",
    "choices": '{"answer": "' + "lo" * (MILLION // 2) + '"}',
    "not possible": "not possible: " + "lo" * 9_000,
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.accept) if name in ("nested objects", "wide list") else name
        for name in HOSTILE
    ],
)
def test_hostile_answers_are_wrong_and_end(name: str) -> None:
    text = HOSTILE[name]
    # Once as the channel gives it, once as if the whole were the object, whatever it is.
    answers = (last_json_object(text) or None, text)
    for expected in EXPECTED:
        for answer in answers:
            found = grade(expected, answer, text)
            assert not found.strict or (name == "not possible" and expected.kind == "impossible")
            assert not found.compat or found.abstains_compat
            json.dumps([found.compat_reads, found.strict_reads], ensure_ascii=False).encode("utf-8")


@given(text=st.text(max_size=60), expected=st.sampled_from(EXPECTED))
def test_no_text_raises(text: str, expected: Expected) -> None:
    for answer, response in ((None, text), (text, text), (json.dumps({"answer": text}), "")):
        grade(expected, answer, response)
