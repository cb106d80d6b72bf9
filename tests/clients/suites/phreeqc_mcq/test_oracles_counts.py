"""Counts of species, found again in the text of the database: those that the elements of the water can form."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import Engine
from labrig_suites.phreeqc_mcq.scenario import DATABASE, FIELD, Scene
from labrig_suites.phreeqc_mcq.stems.counts import LIGANDS, STEMS
from labrig_suites.phreeqc_mcq.values import value

pytestmark = pytest.mark.accept

NUMBERS = {
    **{"temp": 25, "ph": 7, "sodium": 40, "zinc": 10, "cadmium": 0.5, "nickel": 5},
    **{"sulfate": 2, "carbonate": 4, "fluoride": 0.1, "phosphate": 0.05},
}
METALS = {"zinc-species": "Zn", "cadmium-species": "Cd", "nickel-species": "Ni"}
HYDROSULFIDE = re.compile(r"\(?HS|S2|S4|S5")
"""Complexes of sulfide: its valence is not in a water of sulfate."""


@pytest.mark.parametrize("database", STEMS[0].switches[-1].states)
async def test_every_species_that_the_elements_allow_is_listed(databases: Path, database: str) -> None:
    species = read(find_database(database).path).species
    async with Engine() as engine:
        for present in product((True, False), repeat=len(LIGANDS)):
            states = {
                name: "with" if there else "without" for name, there in zip(LIGANDS, present, strict=True)
            }
            elements = {"H", "O", "Na", "Cl", "Zn", "Cd", "Ni"} | {
                LIGANDS[name][1].partition("(")[0] for name, state in states.items() if state == "with"
            }
            for quantity, metal in METALS.items():
                scene = Scene(STEMS[0], NUMBERS, {**states, DATABASE: database, FIELD: quantity})
                found = await value(engine, scene)
                allowed = [
                    each.name
                    for each in species
                    if metal in each.elements
                    and each.elements <= elements
                    and not HYDROSULFIDE.search(each.name)
                ]
                assert found.value == len(allowed), (states, quantity, sorted(allowed))
