"""69 ways to say a number, right and wrong, judged by hand before they were graded.

Each is a question's words, its truth with the digits that it asks for, an answer, and what a person says of it.
"""

from __future__ import annotations

import json

import pytest

from labrig_suites.science_gym.grading import grade
from labrig_suites.science_gym.question import Expected

F = "What is the F statistic of oxygen by aquifer, with depth above 5 m? Give 3 significant figures."
MEAN = (
    "What is the mean of nitrate in mg/L over samples with depth below 12.5 m from 06:00 to 18:00 UTC? "
    "Give 3 significant figures."
)
R = "What is the Pearson correlation of nitrate and chloride in wells 3 and 7? Give 3 significant figures."
H = "What is the Kruskal-Wallis H statistic of yield by block? Give 3 significant figures."
TRUTHS = {F: "4.5312", MEAN: "23.417", R: "-0.41866", H: "11.923"}

RIGHT = [
    (F, "F(2, 57) = 4.53, p = 0.0149"),
    (F, "F(2,57)=4.53; p<.05"),
    (F, "F[2, 57] = 4.53"),
    (F, "4.53 (df = 2, 57; p = 0.015)"),
    (F, "F = 4.53 with 2 and 57 degrees of freedom, p = 0.0149"),
    (F, "F = 4.53, df = 2, n = 60"),
    (F, "With depth above 5 m, F = 4.53"),
    (F, "4.531 (p-value: 1.49e-2)"),
    (F, "F: 4.53, p-value = 0.0149"),
    (F, {"F": 4.53, "p": 0.0149}),
    (F, {"statistic": 4.5312, "p_value": 0.0149, "df": [2, 57]}),
    (F, "The F statistic is 4.53 (p of 0.015)"),
    (F, "F(df=2, 57) = 4.53"),
    (F, "approximately 4.53"),
    (F, "4.53, degrees of freedom 2 and 57"),
    (MEAN, "23.4 mg/L"),
    (MEAN, "The mean of nitrate below 12.5 m is 23.4 mg/L"),
    (MEAN, "23.4 mg/L for depth < 12.5 m"),
    (MEAN, "23.4 (n = 212)"),
    (MEAN, "n = 1,212; mean = 23.4 mg/L"),
    (MEAN, "2.34e1 mg/L"),
    (MEAN, "Between 06:00 and 18:00 UTC the mean is 23.4 mg/L"),
    (MEAN, "**23.4**"),
    (MEAN, "23.4 to 3 significant figures"),
    (MEAN, "mean nitrate = 23.42 mg/L (depth below 12.5 m)"),
    (MEAN, {"mean": "23.4 mg/L", "n": 212}),
    (MEAN, "23.4 mg L-1"),
    (MEAN, "23.4 ± 1.2"),
    (R, "r(58) = -0.419, p = 0.001"),
    (R, "r = -.419, p < .001"),
    (R, "r(58) = \u22120.419"),
    (R, "-0.419 (wells 3 and 7)"),
    (R, "Pearson r = -0.419 (n = 60, p = 8.7e-4)"),
    (R, "r = -0.419; p = 8.7 × 10^-4"),
    (R, "-0.41866 (p is 0.00087)"),
    (R, "-0.419 (95 % CI -0.61 to -0.19)"),
    (H, "H(2) = 11.9, p = 0.0026"),
    (H, "χ²(2) = 11.9"),
    (H, "H = 11.92 (2 df)"),
    (H, "chi-squared(2, N = 90) = 11.9, p = .003"),
    (H, "H = 11.9, p below 0.01"),
    (H, "11.9 (H), p = 2.6·10⁻³, df = 2"),
]
WRONG = [
    (F, "F(2, 57) = 4.35, p = 0.0149"),
    (F, "p = 4.53"),
    (F, "F(2, 4.53) = 57"),
    (F, "4.53 or 5"),
    (F, "either 4.53 or 3.1"),
    (F, "F = 4.53, or 4.8 with depth above 5 m"),
    (F, "not 4.53 but 5"),
    (F, "3.1, not 4.53"),
    (F, "df = 4.53"),
    (F, {"F": 3.1, "p": 4.53}),
    (F, "between 4 and 5"),
    (F, "F = 4.53; F = 6.1 without the copies"),
    (MEAN, "12.5"),
    (MEAN, "12.5 or 23.4 mg/L"),
    (MEAN, "23.4 mg/L, perhaps 12.5"),
    (MEAN, "n = 23.4"),
    (MEAN, "mean 21.0 mg/L, median 23.4 mg/L"),
    (MEAN, "23.4 mg/L and 25.1 mg/L"),
    (MEAN, "23400 ug/L"),
    (MEAN, "5 to 23.4"),
    (R, "r(58) = 0.419, p = 0.001"),
    (R, "r = -0.31, p = 0.419"),
    (R, "-0.419? 0.3"),
    (R, "< -0.419"),
    (H, "H(11.9) = 2"),
    (H, "H = 9.8, p = 11.9"),
    (H, "11.9 rather than 9.8"),
]


def said_right(question: str, answer: object) -> bool:
    said = json.dumps({"answer": answer}, ensure_ascii=False)
    return grade(Expected("number", TRUTHS[question], digits=3), said, said, question).strict


def test_there_are_69() -> None:
    assert len(RIGHT) + len(WRONG) == 69


@pytest.mark.parametrize(("question", "answer"), WRONG, ids=str)
def test_no_wrong_answer_is_taken_for_right(question: str, answer: object) -> None:
    assert not said_right(question, answer)


def test_of_the_right_ones_at_most_eight_are_lost() -> None:
    lost = [answer for question, answer in RIGHT if not said_right(question, answer)]
    assert len(lost) <= 8, lost
    print(len(lost), lost)
