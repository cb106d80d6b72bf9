"""The subjects of the hard tier: in the taxonomy, without two things of one name, and exact in 64 bits."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import lcm

import pytest

from labrig_repository.gym.hard.plan import Logger, Measured
from labrig_repository.gym.hard.records import how_written
from labrig_repository.gym.hard.worlds import World, units, worlds
from labrig_repository.gym.taxonomy.loading import load
from labrig_suites.science_gym.hard.solver import TO_BASE

PLACES = {(field.name, sub) for field in load() for domain in field.domains for sub in domain.subdomains}
MOST_TIMES = 8
"""By how much a spike is above the range, at most."""


@pytest.mark.parametrize("world", worlds(), ids=lambda each: str(each.subdomain))
def test_a_subject_stands_in_the_taxonomy_and_names_each_thing_once(world: World) -> None:
    assert (world.field, world.subdomain) in PLACES
    categories = (world.factor, world.block, world.category)
    columns = [each.column for each in (*categories, *world.quantities)]
    assert len(set(columns)) == len(columns) and not {"site", "sample", "time", "visit", "logger"} & set(
        columns
    )
    words = [level for each in categories for level in each.levels]
    assert len(set(words)) == len(words)
    names = [each.name for each in world.quantities]
    assert len(set(names)) == len(names) and not any(each.startswith(("mean ", "median ")) for each in names)
    assert len(world.quantities) >= 7 and len(world.ways) >= 3 and len(world.factor.levels) >= 4
    assert all(each.low < each.high and each.high > 0 for each in world.quantities)
    suffixes = [suffix for way in world.ways for suffix, _ in way]
    assert len(set(suffixes)) == len(suffixes)


def test_values_in_every_unit_fit_in_64_bits() -> None:
    """The truth adds integers over the common denominator of the units of three loggers."""
    for quantity in {each.unit: each for world in worlds() for each in world.quantities}.values():
        measured = Measured(
            "", "", quantity.unit, 0, int(quantity.high * 10**quantity.decimals), quantity.decimals, ()
        )
        forms = []
        for unit in units(quantity.unit):
            logger = Logger("", False, "", 0, "", (unit,), "row", False, (), (), None)
            forms.append((how_written(logger, measured, 0), unit))
        for some in combinations(forms, min(3, len(forms))):
            below = lcm(
                *(part.denominator for form, _ in some for part in form.exact()), 10**quantity.decimals
            )
            for form, unit in some:
                step, _ = form.exact()
                most = (quantity.high * MOST_TIMES - unit.zero) / step
                assert (most * step + abs(unit.zero)) * below < 2**62, (quantity, unit)


def test_the_solver_converts_as_the_generator_does_from_a_table_of_its_own() -> None:
    for base in {each.unit for world in worlds() for each in world.quantities}:
        for unit in units(base)[1:]:
            factor, zero = TO_BASE[base][unit.name]
            assert abs(Fraction(factor) - unit.factor) < unit.factor / 10**12
            assert abs(Fraction(zero) - unit.zero) < Fraction(1, 10**9)
