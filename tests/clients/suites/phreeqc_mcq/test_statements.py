"""What statements say of their waters holds in the reference input, wherever the numbers fall."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from labrig_phreeqc.engine.engine import Engine
from labrig_suites.phreeqc_mcq import stems
from labrig_suites.phreeqc_mcq.scenario import FIELD, Scene
from labrig_suites.phreeqc_mcq.values import PUNCH

pytestmark = pytest.mark.accept
DRAWS = 25

CLAIMS: list[tuple[str, Mapping[str, str], str, int, Callable[[float], bool]]] = [
    ("base-for-acid-mine-water", {"air": "excluded"}, 'TOT("Fe(3)")/TOT("Fe")', -1, lambda x: x < 1e-6),
    ("base-for-acid-mine-water", {"air": "excluded"}, 'TOT("S(-2)")', -1, lambda x: x < 1e-12),
    ("potash-crystallisation", {"ore": "lean", "liquor": "recycled"}, 'SI("Halite")', 1, lambda x: x < 0),
    ("gassy-well", {"pressure": "shut", "unit": "mg"}, 'GAS("CO2(g)")', -1, lambda x: x > 1e-6),
    ("arsenate-and-ferric-chloride", {"ph": "held"}, 'EQUI("Fix_pH")', -1, lambda x: x < 10),
    ("nitrate-reduced-in-an-aquifer", {"days": "two"}, 'TOT("N(5)")', -1, lambda x: x > 1e-5),
    ("nitrate-reduced-in-an-aquifer", {"days": "one"}, 'TOT("O(0)")', -2, lambda x: x < 1e-8),
    ("dolomite-and-gypsum-below-a-swamp", {"gypsum": "some"}, 'SI("Gypsum")', -1, lambda x: x < 0),
]
"""Stem, states, expression, calculated state, what is said of the value."""


@pytest.mark.parametrize(("name", "states", "expression", "row", "holds"), CLAIMS)
async def test_what_the_statement_says_holds(
    databases: Path,
    name: str,
    states: Mapping[str, str],
    expression: str,
    row: int,
    holds: Callable[[float], bool],
) -> None:
    stem = next(each for each in stems.STEMS if each.name == name)
    async with Engine() as engine:
        for number in range(DRAWS):
            draws = random.Random(f"statement/{number}")
            drawn = {switch.name: draws.choice(switch.states) for switch in stem.switches}
            scene = Scene(stem, stem.draw(draws), {**drawn, **states, FIELD: stem.quantities[0].name})
            text = PUNCH.format(expression=expression) + scene.build
            run = await engine.run(text, database=scene.database)
            assert run.solved, run.errors
            found = run.selected[0].rows[row][0]
            assert isinstance(found, float) and holds(found), (found, scene.numbers, scene.states)
