"""phreeqc-mcq: attackers find the leaks that are planted, and none where options were drawn alike."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from attackers.phreeqc_mcq import learners
from attackers.phreeqc_mcq.__main__ import attack, main
from attackers.phreeqc_mcq.learners import classifiers
from attackers.phreeqc_mcq.results import Result, limit
from attackers.phreeqc_mcq.rules_of_thumb import rules_of_thumb
from attackers.phreeqc_mcq.seen import seen
from attackers.phreeqc_mcq.set_rules import set_rules
from labrig.errors import LabrigError
from labrig_harness.sample import Sample, SampleInput
from labrig_suites.phreeqc_mcq import items
from labrig_suites.phreeqc_mcq.items import LETTERS
from labrig_suites.phreeqc_mcq.scenario import FIELD, Quantity, Stem
from labrig_suites.phreeqc_mcq.stems import STEMS

Choose = Callable[[list[float], int], int]
"""From four values and the number of the item, which is to be the truth."""
ASKED: list[tuple[Stem, Quantity]] = [
    (stem, quantity)
    for stem in STEMS
    for quantity in stem.quantities
    if quantity.form == "value" and "H2" not in quantity.ask
]
STEMS_ASKED = list(dict.fromkeys(stem.name for stem, _ in ASKED))


def by_hand(count: int, choose: Choose | None = None, stems: int = 45) -> list[Sample]:
    """Return items of random values, nothing of them computed; the truth is any of the four, or as `choose` says."""
    draws = random.Random(f"{count} by hand")
    asked = [each for each in ASKED if each[0].name in STEMS_ASKED[:stems]]
    first = {stem.name: (stem, quantity) for stem, quantity in reversed(asked)}
    dealt = [list(first.values())[n % len(first)] for n in range(count)]
    letters = draws.sample([LETTERS[n % 4] for n in range(count)], count)
    return [item(n, *dealt[n], four(dealt[n][1], draws), letters[n], choose) for n in range(count)]


def four(quantity: Quantity, draws: random.Random) -> list[float]:
    """Return four values in random order, as printed, with their distance."""
    while True:
        scale = 10 ** draws.uniform(-2, 3)
        found = [float(quantity.show(scale * draws.lognormvariate(0, 1)).split()[0]) for _ in LETTERS]
        if all(quantity.gap(*pair) >= 1 for pair in combinations(found, 2)):
            return found


def item(
    n: int, stem: Stem, quantity: Quantity, values: list[float], letter: str, choose: Choose | None
) -> Sample:
    """Return an item with the truth at a letter, the other values in their order at the others."""
    truth = values.pop(choose(values, n) if choose else 0)
    by_letter = {each: truth if each == letter else values.pop() for each in LETTERS}
    first, second = (
        {
            "switch": each.name,
            "state": each.states[1],
            "kind": each.kind,
            "diagnosis": each.mistakes[each.states[1]],
        }
        for each in stem.switches[:2]
    )
    missed = iter(([first], [second], [first, second]))
    options = {
        each: {"value": value, "missed": [] if each == letter else next(missed)}
        for each, value in by_letter.items()
    }
    texts = {each: quantity.show(value) for each, value in by_letter.items()}
    question = (
        f"A water of {stem.topic}, {stem.name}. {quantity.ask}\n\nUse the thermodynamic database x.dat."
    )
    return Sample(
        suite=items.NAME,
        suite_version=items.VERSION,
        brief=SampleInput(f"{n:012x}", items.prompt(question, texts), choices=LETTERS),
        truth={
            "answer": letter,
            "value": truth,
            "options": options,
            "stem": stem.name,
            "numbers": stem.draw(random.Random(n)),
            "states": {each.name: each.states[0] for each in stem.switches} | {FIELD: quantity.name},
            "output_chars": 300_000 if n % 5 == 0 else 20_000,
            "shift": 0.0,
        },
        labels={"stem": stem.name},
    )


def medoid(values: list[float], n: int) -> int:
    """The value next to the mean of the four."""
    return min(range(4), key=lambda each: abs(values[each] - sum(values) / 4))


def roundest(values: list[float], n: int) -> int:
    """The value with the most zeros at its end."""
    return min(range(4), key=lambda each: len(f"{values[each]:.3e}".partition("e")[0].rstrip("0")))


def of_closest_pair(values: list[float], n: int) -> int:
    """One of the two that are nearest to each other, in turns the smaller and the larger."""
    pair = min(combinations(range(4), 2), key=lambda two: abs(values[two[0]] - values[two[1]]))
    return sorted(pair, key=lambda each: values[each])[n % 2]


def largest_or_smallest(values: list[float], n: int) -> int:
    """Which of the two depends on the stem, and on nothing else: items are dealt to the stems in turn."""
    return values.index(max(values) if n % 20 % 2 else min(values))


def leaking(results: list[Result]) -> set[str]:
    return {each.attacker for each in results if each.leaks}


@pytest.mark.parametrize(
    ("choose", "attacker"),
    [
        (medoid, "distance from the mean: smallest"),
        pytest.param(roundest, "significant digits: smallest", marks=pytest.mark.accept),
        pytest.param(of_closest_pair, "distance to the nearest: smallest", marks=pytest.mark.accept),
        pytest.param(
            lambda values, n: values.index(sorted(values)[2]),
            "value: second largest",
            marks=pytest.mark.accept,
        ),
    ],
)
def test_a_planted_leak_is_found(choose: Choose, attacker: str) -> None:
    """Also where it is in every third item only."""
    for share in (1, 3):

        def now_and_then(values: list[float], n: int, share: int = share) -> int:
            return choose(values, n // share) if n % share == 0 else 0

        found = [seen(each) for each in by_hand(400, now_and_then)]
        assert attacker in leaking(rules_of_thumb(found))


def test_a_favourite_letter_is_found() -> None:
    samples = by_hand(600)
    biased = [
        replace(each, truth=each.truth | {"answer": "B"}) if n % 8 == 0 else each
        for n, each in enumerate(samples)
    ]
    assert leaking(rules_of_thumb([seen(each) for each in biased])) >= {"always B"}
    assert "letters are even: 20 to 30 % each" in broken(biased)


@pytest.mark.accept
def test_values_drawn_alike_tell_nothing() -> None:
    """2,000 items: the limit is 27 % as it stands."""
    results = rules_of_thumb([seen(each) for each in by_hand(2_000)])
    assert leaking(results) == set()
    assert len(results) > 45 and {each.group for each in results} == {"options", "question"}
    assert all(each.limit == 0.27 for each in results if each.tried == 2_000)


JUDGED = {"logistic regression, unseen stems", "gradient boosting, unseen stems"}


@pytest.mark.accept
def test_classifiers_find_what_holds_for_other_stems_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "FOLDS", 2)
    found = [seen(each) for each in by_hand(160, medoid, stems=20)]
    results = classifiers(found)
    assert leaking(results) == JUDGED
    assert all(each.hits > 0.6 * each.tried for each in results)
    alike = [seen(each) for each in by_hand(160, stems=20)]
    assert leaking(classifiers(alike)) == set()


@pytest.mark.accept
def test_classifiers_are_judged_on_stems_they_have_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only the name of the stem tells is learned from other items of the stem, and not without them."""
    monkeypatch.setattr(learners, "FOLDS", 4)
    found = [seen(each) for each in by_hand(400, largest_or_smallest, stems=20)]
    results = classifiers(found)
    hits = {each.attacker: each.hits / each.tried for each in results}
    assert hits["logistic regression on words, seen stems"] > 0.7
    assert hits["logistic regression on words, unseen stems"] < 0.6
    assert {each.attacker for each in results if each.judged} == JUDGED


def test_the_limit_is_wider_on_few_items() -> None:
    """Of 60 fair guesses one in a thousand has more than 26 (binomial, p = 1/4)."""
    assert limit(60) == pytest.approx(26 / 60)
    assert limit(1_999) > 0.27 and limit(2_000) == 0.27
    assert Result("options", "x", 27, 60).leaks and not Result("options", "x", 26, 60).leaks
    assert Result("options", "x", 541, 2_000).leaks and not Result("options", "x", 540, 2_000).leaks


def test_who_reads_the_question_is_not_judged() -> None:
    """A rule of thumb of that group that is always right is not a leak; the same rule on the options is one."""
    nearest = by_hand(60, lambda values, n: values.index(min(values)))
    told = [
        replace(each, question=f"{each.values.min() * 0.99:.6f} mmol of it?")
        for each in (seen(sample) for sample in nearest)
    ]
    results = {each.attacker: each for each in rules_of_thumb(told)}
    of_question = results["distance from the question's numbers: smallest"]
    assert of_question.hits == 60 and not of_question.leaks
    assert results["value: smallest"].hits == 60 and results["value: smallest"].leaks


def broken(samples: list[Sample], small: bool = False) -> set[str]:
    return {rule.name for rule in set_rules(samples, small) if rule.broken}


def test_a_sound_set_breaks_no_rule() -> None:
    assert broken(by_hand(200)) == set()


def with_values(sample: Sample, first: float, second: float) -> Sample:
    """Return an item with two of its wrong options changed, and printed."""
    quantity = next(quantity for stem, quantity in ASKED if stem.name == sample.truth["stem"])
    wrong = [letter for letter in LETTERS if letter != sample.truth["answer"]][:2]
    changed = dict(zip(wrong, (first, second), strict=True))
    options = {
        letter: option | {"value": changed.get(letter, option["value"])}
        for letter, option in sample.truth["options"].items()
    }
    texts = {letter: quantity.show(each["value"]) for letter, each in options.items()}
    prompt = items.prompt(items.row(sample)["question"], texts)
    return replace(
        sample, brief=replace(sample.brief, prompt=prompt), truth=sample.truth | {"options": options}
    )


COUNTED = next((stem, quantity) for stem in STEMS for quantity in stem.quantities if quantity.form == "count")


def counted(values: list[float]) -> Sample:
    """Return an item whose options are whole numbers, or are printed as such."""
    return item(1, *COUNTED, values, "A", None)


def with_truth(sample: Sample, **fields: Any) -> Sample:
    return replace(sample, truth=sample.truth | fields)


def with_brief(sample: Sample, **fields: Any) -> Sample:
    return replace(sample, brief=replace(sample.brief, **fields))


def misprinted(sample: Sample) -> Sample:
    """Return an item whose truth is not what its option is printed as."""
    truth = {"value": sample.truth["value"] * 1.001, "missed": []}
    return with_truth(
        sample, options=sample.truth["options"] | {sample.truth["answer"]: truth}, value=truth["value"]
    )


FAR, PRINTED_FAR = "options are far enough apart", "printed options are far enough apart"


@pytest.mark.parametrize(
    ("change", "rules"),
    [  # 1e6 and more is far from the other values
        (lambda sample: with_values(sample, 1e6, 1.019e6), {FAR, PRINTED_FAR}),
        (lambda sample: with_values(sample, 1e6, 1e6 + 1), {FAR, PRINTED_FAR}),  # printed alike
        (lambda sample: with_values(sample, 1e6, 1.02045e6), {PRINTED_FAR}),  # as 1.020e+06
        (lambda sample: with_truth(sample, shift=1e9), {"refinement changes nothing"}),
        (lambda sample: with_truth(sample, output_chars=100_001), {"outputs are small or large"}),
        (lambda sample: with_truth(sample, output_chars=250_000), {"outputs are small or large"}),
        (lambda sample: with_truth(sample, value=-1.0), {"the answer is the truth"}),
        (misprinted, {"printed options agree with their values"}),
        (
            lambda sample: with_brief(
                sample, prompt="Equilibrium_Phases, PURE_PHASES. " + sample.brief.prompt
            ),
            {"no PHREEQC keyword in a prompt"},
        ),
        (lambda sample: with_brief(sample, id="salt-pan-0001"), {"ids reveal nothing"}),
        (lambda sample: with_brief(sample, id=f"{1:012x}"), {"ids are unique"}),
    ],
)
def test_what_breaks_a_rule_is_found(change: Callable[[Sample], Sample], rules: set[str]) -> None:
    samples = by_hand(200)
    assert broken([change(samples[0]), *samples[1:]]) == rules


@pytest.mark.parametrize(
    ("values", "rules"),
    [
        ([3.0, 4.0, 5.0, 6.0], set()),  # 2 % would ask for less
        ([99.0, 100.0, 101.0, 102.0], set()),  # and here for more
        ([3.0, 3.6, 5.0, 6.0], {FAR}),
        ([3.5, 4.5, 6.0, 8.0], {PRINTED_FAR}),  # 4 and 4
        ([3.0, 3.0, 5.0, 6.0], {FAR, PRINTED_FAR}),
    ],
)
def test_distances_of_whole_numbers(values: list[float], rules: set[str]) -> None:
    samples = by_hand(200)
    assert broken([*samples[:1], counted(values), *samples[2:]]) == rules


def test_shares_of_the_set() -> None:
    samples = by_hand(200)

    def sized(large: int) -> list[Sample]:
        return [
            replace(each, truth=each.truth | {"output_chars": 300_000 if n < large else 20_000})
            for n, each in enumerate(samples)
        ]

    assert broken(sized(29)) == broken(sized(51)) == {"large outputs: 15 to 25 %"}
    assert broken(sized(30)) == broken(sized(50)) == broken(sized(0), small=True) == set()
    assert broken(by_hand(200, stems=39)) == {"at least 40 stems"}


def rows(samples: list[Sample]) -> list[dict[str, Any]]:
    return [items.row(each) for each in samples]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda row: row | {"options": {"A": "1.000 mmol"}}, "not a sample"),
        (lambda row: row | {"options": row["options"] | {"C": "about 3"}}, "not a number"),
        (lambda row: row | {"options": row["options"] | {"C": "1.2.3"}}, "not a number"),
        (lambda row: row | {"answer": "E"}, "the answer 'E' is not one of"),
        (lambda row: row | {"id": f"{1:012x}"}, "is there twice"),
        (lambda row: row | {"version": "0"}, "version '0'"),
        (lambda row: row | {"truth": {"stem": row["stem"]}}, "'options' is missing"),
        (lambda row: row | {"truth": row["truth"] | {"stem": "unheard-of"}}, "unheard-of"),
        (lambda row: "not JSON", "not JSON"),
    ],
)
def test_rows_that_are_no_items(
    spoil: Callable[[dict[str, Any]], Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.dumps(each) for each in rows(by_hand(3))]
    spoiled = spoil(json.loads(lines[2]))
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join([*lines[:2], spoiled if isinstance(spoiled, str) else json.dumps(spoiled)]))
    assert main(["--tasks", str(file)]) == 2
    said = capsys.readouterr().err
    assert message in said and (f"{file}:3" in said or f"sample {2:012x}" in said)


def test_no_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tasks", str(tmp_path / "none.jsonl")]) == 2
    assert "Cannot read the samples" in capsys.readouterr().err
    (tmp_path / "empty.jsonl").write_text("\n")
    assert main(["--tasks", str(tmp_path / "empty.jsonl")]) == 2
    assert "no sample" in capsys.readouterr().err


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    with pytest.raises(LabrigError, match="need scikit-learn"):
        classifiers([seen(each) for each in by_hand(8)])


@pytest.mark.accept
@pytest.mark.parametrize(("choose", "code"), [(None, 0), (medoid, 1)])
def test_the_command(
    choose: Choose | None,
    code: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learners, "FOLDS", 2)
    file = tmp_path / "items.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in rows(by_hand(80, choose))))
    assert main(["--tasks", str(file)]) == code
    shown = capsys.readouterr().out
    line = next(each for each in shown.splitlines() if "distance from the mean: smallest" in each)
    assert line.endswith("  LEAK" if code else "  ok") and "one blind guesser in a thousand" in shown
    assert ("LEAK" in shown) == (code == 1) and "BROKEN" not in shown


@pytest.mark.accept
def test_generated_items_tell_nothing(databases: Path) -> None:
    samples = items.generate("attack", 60, stems=[stem for stem in STEMS if not stem.large])
    results = attack(samples)
    assert leaking(results) == set()
    assert broken(samples, small=True) == set()
    assert attack(samples) == results
