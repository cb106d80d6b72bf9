"""phreeqc-mcq: the same seed makes the same items, options keep the rules, the reference solution finds the truth."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from fastmcp import Client

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.sample import Sample
from labrig_harness.suite import Arm
from labrig_phreeqc.server import toolbox
from labrig_suites.phreeqc_mcq import items
from labrig_suites.phreeqc_mcq.orbit import draw, told
from labrig_suites.phreeqc_mcq.scenario import FIELD, Stem
from labrig_suites.phreeqc_mcq.solution import scene, solution
from labrig_suites.phreeqc_mcq.stems import STEMS
from labrig_suites.phreeqc_mcq.values import Value
from support.solved import answer_of, other_digits

KEYWORDS = (
    "SOLUTION|EQUILIBRIUM_PHASES|REACTION|REACTION_TEMPERATURE|REACTION_PRESSURE|KINETICS|EXCHANGE|SURFACE|"
    "GAS_PHASE|MIX|USE|SAVE|ADVECTION|TRANSPORT|SELECTED_OUTPUT|USER_PUNCH|END|INVERSE_MODELING|SOLID_SOLUTIONS"
)
SMALL = [stem for stem in STEMS if not stem.large]
PROTOCOLS = ("toc", "outline", "toc:50", "raw:100000")


@pytest.fixture(scope="module")
def made(databases: Path) -> list[Sample]:
    return items.generate("7", 12, stems=SMALL)


@pytest.mark.accept
def test_the_seed_and_nothing_else_decides(made: list[Sample]) -> None:
    again = items.generate("7", 12, stems=SMALL)
    assert [json.dumps(items.row(each)) for each in again] == [json.dumps(items.row(each)) for each in made]
    other = items.generate("8", 3, stems=SMALL)
    assert not {sample.id for sample in other} & {sample.id for sample in made}
    assert [items.from_row(json.loads(json.dumps(items.row(each)))) for each in made] == made
    assert re.fullmatch(r"[0-9a-f]{64}", items.commitment("7")) and items.commitment("7") != items.commitment(
        "8"
    )


@pytest.mark.accept
def test_options_keep_their_distance_and_letters_are_even(made: list[Sample]) -> None:
    for sample in made:
        quantity = scene(sample).quantity
        values = [each["value"] for each in sample.truth["options"].values()]
        assert min(quantity.gap(*pair) for pair in combinations(values, 2)) >= 1
        right = sample.truth["options"][sample.truth["answer"]]
        assert (right["value"], right["missed"]) == (sample.truth["value"], [])
        assert sorted(len(each["missed"]) for each in sample.truth["options"].values()) == [0, 1, 1, 2]
        assert sample.truth["shift"] <= 0.1 * min(abs(a - b) for a, b in combinations(values, 2))
        assert not re.search(rf"\b({KEYWORDS})\b", sample.brief.prompt)
        assert sample.truth["database"] in sample.brief.prompt
    assert set(Counter(sample.truth["answer"] for sample in made).values()) == {3}
    ranks = Counter(
        sorted(each["value"] for each in sample.truth["options"].values()).index(sample.truth["value"])
        for sample in made
    )
    assert ranks == {0: 3, 1: 3, 2: 3, 3: 3}


@pytest.mark.accept
def test_no_items_and_no_seed_of_another_version(made: list[Sample]) -> None:
    with pytest.raises(LabrigError, match="so few"):
        items.generate("7", 0)
    with pytest.raises(LabrigError, match="version '0'"):
        items.from_row(items.row(made[0]) | {"version": "0"})
    with pytest.raises(LabrigError, match="not a sample"):
        items.from_row({"version": items.VERSION, "id": "x"})


@pytest.mark.parametrize("stem", STEMS, ids=lambda stem: stem.name)
def test_any_scene_of_an_orbit_is_as_likely_as_the_others(stem: Stem) -> None:
    """Numbers do not depend on states, and the states of each switch come equally often: see `orbit`."""
    for seed in range(20):
        numbers = stem.draw(random.Random(seed))
        scenes, _ = draw(stem, random.Random(seed))
        assert all(each.numbers == numbers for each in scenes)
        asked = {each.states[FIELD] for each in scenes}
        assert (
            len({stem.quantity(name).form for name in asked})
            == len({stem.quantity(name).unit for name in asked})
            == 1
        )
        assert len({len(stem.switches_of(name)) for name in asked}) == 1
    counts = Counter(
        (name, state)
        for seed in range(600)
        for name, state in draw(stem, random.Random(f"even {seed}"))[0][0].states.items()
        if name != FIELD
    )
    for switch in stem.switches:
        assert all(
            abs(counts[switch.name, each] * len(switch.states) / 600 - 1) < 0.3 for each in switch.states
        )


@pytest.mark.parametrize("truth", range(4))
def test_any_scene_of_an_orbit_may_be_the_truth(truth: int) -> None:
    scenes, switches = draw(SMALL[0], random.Random(5))
    values = [Value(float(n)) for n in range(4)]
    options = told(scenes, switches, values, truth)
    assert options[0].scene is scenes[truth] and options[0].missed == ()
    for option in options:
        differing = {
            name for name, state in option.scene.states.items() if state != scenes[truth].states[name]
        }
        assert {each.switch for each in option.missed} == differing
        for each in option.missed:
            switch = next(found for found in switches if found.name == each.switch)
            assert (each.state, each.diagnosis) == (
                option.scene.states[each.switch],
                switch.mistakes[option.scene.states[each.switch]],
            )
    assert [len(each.missed) for each in options] == [0, 1, 1, 2]


def test_stems_have_names_and_switches_of_their_own() -> None:
    assert len({stem.name for stem in STEMS}) == len(STEMS)
    for stem in STEMS:
        assert len(stem.switches) >= 3 and len(stem.quantities) >= 2, stem.name
        assert all(len(switch.states) >= 2 for switch in stem.switches), stem.name


def corrupted(text: str) -> str:
    """Change every digit, and take every second indented line away: what is read or counted is another."""
    lines = text.split("\n")
    kept = [line for n, line in enumerate(lines) if n % 2 or not line.startswith(" ")]
    return other_digits("\n".join(kept))


@pytest.mark.parametrize(
    "protocol",
    ["toc", *(pytest.param(each, marks=pytest.mark.accept) for each in PROTOCOLS if each != "toc")],
)
async def test_the_reference_is_right_and_hangs_on_every_result(
    made: list[Sample], private_home: Path, tmp_path: Path, protocol: str
) -> None:
    options = ServeOptions(toolsets=("paper",), output=protocol, workspace=tmp_path / "w")
    arm = Arm("agent", "phreeqc", options)
    async with Client(build(toolbox, options)) as client:
        for sample in made:
            solved = solution(sample, arm)
            assert await answer_of(client, solved) == sample.truth["answer"], sample.labels["stem"]
            for at in (
                (1, 2) if protocol == "toc" else (2,)
            ):  # elsewhere it reads the file, whatever else is said
                assert await answer_of(client, solved, corrupted, at) != sample.truth["answer"], (
                    sample.labels["stem"],
                    at,
                )


@pytest.mark.accept
async def test_what_was_missed_leads_to_its_option(
    made: list[Sample], private_home: Path, tmp_path: Path
) -> None:
    options = ServeOptions(toolsets=("paper",), output="toc", workspace=tmp_path / "w")
    arm = Arm("agent", "phreeqc", options)
    async with Client(build(toolbox, options)) as client:
        for sample in made:
            for letter, option in sample.truth["options"].items():
                states = sample.truth["states"] | {each["switch"]: each["state"] for each in option["missed"]}
                other = replace(sample, truth=sample.truth | {"states": states})
                assert await answer_of(client, solution(other, arm)) == letter, (
                    sample.labels["stem"],
                    option["diagnosis"],
                )
