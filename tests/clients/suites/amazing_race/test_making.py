"""Legs of our own: every stop is needed, every clue has its answer, no clue says a title."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig_atlas.articles import articles_of, read_articles
from labrig_repository.gym.numbers import Draws
from labrig_suites.amazing_race import items, simulated
from labrig_suites.amazing_race.closure import matter
from labrig_suites.amazing_race.legs import Leg, leg_of, read_leg
from labrig_suites.amazing_race.lint import lint
from labrig_suites.amazing_race.making.assembling import leg_of_plan
from labrig_suites.amazing_race.making.detours import BY_NAME
from labrig_suites.amazing_race.making.pages import Pages, pages_of
from labrig_suites.amazing_race.making.planning import LEVELS, Market, plan
from labrig_suites.amazing_race.making.reductions import REDUCTIONS
from labrig_suites.amazing_race.path import follow
from labrig_suites.amazing_race.score import TEMPLATES, template
from labrig_suites.amazing_race.values import folded
from support.race_tools import RaceTools

ADDRESS = "https://en.wikipedia.org/wiki/"
MARKETS = (Market("AURM", "stock"), Market("ZZC", "crypto"))
EACH = 1
"""Legs of each level and variant."""


@cache
def pages() -> Pages:
    return pages_of(read_articles(), ADDRESS)


@cache
def made() -> dict[tuple[str, str, int], dict[str, Any]]:
    found = {}
    for variant in ("linear", "dag"):
        for level in LEVELS:
            for n in range(EACH):
                draws = Draws("test", variant, level, str(n))
                planned = plan(draws, pages(), RaceTools(pages()), level, variant, MARKETS, tries=3000)
                assert planned is not None, (variant, level, n)
                found[variant, level, n] = leg_of_plan(planned, f"leg-{variant}-{level}-{n}", level, "test")
    return found


def legs() -> Iterator[tuple[str, str, Leg]]:
    return ((variant, level, read_leg(fields)) for (variant, level, _), fields in made().items())


def test_counts_are_those_of_the_level() -> None:
    for variant, level, leg in legs():
        assert (leg.variant, leg.level) == (variant, level)
        kinds = Counter(stop.stop_type for stop in leg.stops)
        merges = sum(stop.merges for stop in leg.stops)
        diamonds = LEVELS[level].diamonds if variant == "dag" else (0, 0)
        tools = LEVELS[level].roadblocks
        assert tools[0] + 3 * diamonds[0] <= kinds["tool"] <= tools[1] + 3 * diamonds[1]
        assert LEVELS[level].detours[0] <= kinds["reason"] <= LEVELS[level].detours[1]
        low, high = LEVELS[level].stops
        assert low + 1 + 3 * diamonds[0] <= len(leg.stops) <= high + 1 + 3 * diamonds[1]
        assert merges >= diamonds[0]


def test_every_stop_is_needed_and_the_linter_finds_nothing_but_what_a_level_allows() -> None:
    for _, level, leg in legs():
        assert matter(leg) == set(range(len(leg.stops))), leg.trail_id
        flags = lint(leg, has_page=lambda url: url.startswith(ADDRESS))
        assert level == "easy" or not flags, (leg.trail_id, flags)


def test_no_clue_says_a_title_of_the_way_or_a_value_that_is_asked_for() -> None:
    for _, _, leg in legs():
        riddle = folded(leg.riddle)
        for stop in leg.of_type("page"):
            assert folded((stop.page_url or "").removeprefix(ADDRESS).replace("_", " ")) not in riddle
        assert len(re.findall(r"^\d+\. ", leg.riddle, re.MULTILINE)) == len(leg.stops)


def test_a_clue_refers_to_clues_before_it_and_to_all_that_it_needs() -> None:
    for _, _, leg in legs():
        for stop, clue in zip(leg.stops, leg.riddle.split("\n\n"), strict=True):
            body = clue.partition(". ")[2]
            referred = {int(each) - 1 for each in re.findall(r"clues? (\d+)", body)}
            for listed in re.findall(r"clues ([\d, ]+ and \d+)", body):
                referred |= {int(each) - 1 for each in re.findall(r"\d+", listed)}
            assert referred <= set(range(stop.index))
            assert referred == set(stop.depends_on), clue


def test_the_digit_follows_from_the_values_by_code_that_shares_nothing() -> None:
    for _, _, leg in legs():
        recompute(leg)


@pytest.mark.accept
@pytest.mark.parametrize("part", range(5))
def test_sixty_codes_are_recomputed(part: int) -> None:
    """Take them in parts: a slow machine needs minutes for all, and the guard against hanging is a test's."""
    for sample in items.generate(f"sixty-{part}", 12):
        recompute(leg_of(sample))


def recompute(leg: Leg) -> None:
    """Run the Python code of a leg, compute its detours another way, and evaluate its finish line."""
    for stop in leg.stops:
        if stop.stop_type == "reason":
            assert stop.reason_source_stop is not None
            value = another(str(stop.reason_transform), leg.stops[stop.reason_source_stop].extracted_value)
            assert value == int(stop.extracted_value), stop.reason_transform
        for step in stop.bridge.tool_chain:
            if step.tool_name == "python_execute_code":
                assert ran(step.arguments["code"]) == int(stop.extracted_value)
    operands = [int(float(leg.stops[each].extracted_value)) for each in leg.finish.bridge.referenced_stops]
    text = str(leg.finish.bridge.expression)
    assert [int(each) for each in re.findall(r"\d+", text.removesuffix("% 10"))] == operands
    inner = text.replace("digital_root", "").removesuffix("% 10")
    assert abs(eval(inner)) == leg.number  # noqa: S307 - numbers and signs, as asserted above
    digit = leg.number % 10 if "% 10" in text else int(np_root(leg.number))
    assert digit == leg.passcode


def ran(code: str) -> int:
    lines: list[str] = []
    exec(code, {"print": lambda value: lines.append(str(value))})  # noqa: S102 - our own code, of numbers alone
    return int(lines[-1])


def np_root(number: int) -> int:
    while number > 9:
        number = sum(map(int, str(number)))
    return number


def another(name: str, value: Any) -> int:
    """Return a detour's value, computed another way than the generator does."""
    text = str(value).casefold()
    n = abs(int(float(value))) if not isinstance(value, str) else 0
    prime = lambda k: k > 1 and all(k % d for d in range(2, math.isqrt(k) + 1))  # noqa: E731
    match name:
        case "next_prime":
            return next(k for k in range(n + 1, 2 * n + 2) if prime(k))
        case "num_divisors":
            return sum(1 if d * d == n else 2 for d in range(1, math.isqrt(n) + 1) if n % d == 0)
        case "sum_prime_factors" | "largest_prime_factor":
            both = {d for k in range(1, math.isqrt(n) + 1) if n % k == 0 for d in (k, n // k) if prime(d)}
            return sum(both) if name.startswith("sum") else max(both)
        case "roman_numeral_letter_count":
            letters = (0, 1, 2, 3, 2, 1, 2, 3, 4, 2)
            return n // 1000 + sum(letters[int(each)] for each in f"{n % 1000:03d}")
        case "binary_1bit_count":
            return f"{n:b}".count("1")
        case "digit_reversal":
            return int("".join(reversed(str(n))))
        case "digital_root":
            return np_root(n)
        case "digit_sum":
            return sum(n // 10**k % 10 for k in range(20))
        case "day_of_week":
            return date(n, 1, 1).weekday() + 1
        case "leap_years_to_2000":
            low, high = min(n, 2000), max(n, 2000)
            return sum((date(y, 12, 31) - date(y, 1, 1)).days == 365 for y in range(low, high + 1))
        case "scrabble_score":
            groups = {"aeilnorstu": 1, "dg": 2, "bcmp": 3, "fhvwy": 4, "k": 5, "jx": 8, "qz": 10}
            return sum(points for each in text for letters, points in groups.items() if each in letters)
        case "vowel_count":
            return len(re.findall("[aeiou]", text))
        case _:
            return "abcdefghijklmnopqrstuvwxyz".index(re.findall("[a-z]", text)[0]) + 1


@given(st.sampled_from(sorted(BY_NAME)), st.integers(1583, 2100))
def test_detours_are_what_another_computation_gives(name: str, number: int) -> None:
    detour = BY_NAME[name]
    value: Any = f"Ünder {number} Zürich qx" if detour.takes == "text" else number
    assert detour.able(value, detour.takes)
    assert detour.apply(value) == another(name, value)


def test_a_perfect_run_over_made_legs_passes_all_by_our_definitions() -> None:
    for _, _, leg in legs():
        passed = follow(leg, simulated.perfect(leg))
        assert passed.page_rate == 1.0 and passed.roadblock_rate in (1.0, None) and passed.resolved


def test_digits_do_not_follow_from_the_reduction() -> None:
    """Each digit is drawn before a plan is looked for, so a product is as often odd."""
    drawn: Counter[tuple[str, int]] = Counter()
    for n in range(400):
        draws = Draws("digits", str(n))
        reduction = draws.weighted(REDUCTIONS, [each.weight for each in REDUCTIONS])
        drawn[reduction.name, draws.between(1 if reduction.name == "digital_root" else 0, 9)] += 1
    for name in ("mod10", "abs_diff_mod10"):
        group = [drawn[name, digit] for digit in range(10)]
        assert max(group) < 3 * sum(group) / 10


def test_same_seed_same_bytes_in_another_process() -> None:
    program = f"""
import sys
sys.path[:0] = ["tests"]
import hashlib, json
from support.race_tools import RaceTools
from labrig_atlas.articles import read_articles
from labrig_repository.gym.numbers import Draws
from labrig_suites.amazing_race.making.assembling import leg_of_plan
from labrig_suites.amazing_race.making.pages import pages_of
from labrig_suites.amazing_race.making.planning import Market, plan
pages = pages_of(read_articles(), {ADDRESS!r})
markets = (Market("AURM", "stock"), Market("ZZC", "crypto"))
planned = plan(Draws("test", "dag", "medium", "0"), pages, RaceTools(pages), "medium", "dag", markets, tries=3000)
leg = leg_of_plan(planned, "leg-dag-medium-0", "medium", "test")
print(hashlib.sha256(json.dumps(leg).encode()).hexdigest())
"""
    environment = {"PYTHONHASHSEED": "7", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == hashlib.sha256(json.dumps(made()["dag", "medium", 0]).encode()).hexdigest()


def test_every_template_is_used_by_some_leg_or_has_its_chain() -> None:
    used = {
        template(stop.bridge.tool_chain[-1].output_key)
        for _, _, leg in legs()
        for stop in leg.of_type("tool")
    }
    assert used <= set(TEMPLATES.values())
    assert {"geocode_elevation", "nearby_poi_count", "merge", "math_conversion"} <= used


SMALL = """
[[article]]
title = "Lake Sorn"
kind = "lake"
lead = "A lake of [[Norland]]."
sources = ["x"]
coordinates = [58.0, 12.0]
[article.infobox]
Area = "1,234.5 km²"
Depth = "88 m (289 ft)"
Outflow = "[[Norland]]"
Frozen = "3 March 1893"
Named = "1347"
Level = "about 3 m"
Range = "3 to 5 m"
[[article.section]]
title = "History"
text = '''
It froze in 1893 and 1901, at 1,850 m.

| Year | Ice | Note |
| 1901 | 12 cm | x |
| 1902 | 14 | y |
'''
[[article]]
title = "Norland"
kind = "country"
lead = "A country with [[Lake Sorn]]."
sources = ["x"]
[article.infobox]
Area = "1,234.5 km²"
"""


def test_facts_of_a_page_are_what_a_reader_would_answer() -> None:
    small = pages_of(articles_of(SMALL, "small"), ADDRESS)
    lake = small.by_title["Lake Sorn"]
    facts = {(fact.label or fact.section, fact.kind): (fact.value, fact.unit) for fact in lake.facts}
    assert facts == {
        ("Area", "number"): (1234.5, "km2"),
        ("Depth", "number"): (88.0, "m"),
        ("Outflow", "text"): ("Norland", ""),
        ("Frozen", "date"): ("3 March 1893", ""),
        ("Named", "year"): (1347, ""),
        ("History", "year"): (1893, ""),
        ("History", "number"): (14.0, ""),
    }
    assert lake.links == ("Norland",) and lake.place and not small.by_title["Norland"].place
    described = [words for words, _ in small.descriptions(lake)]
    assert "the lake whose infobox gives 88 m (289 ft) as “Depth”" in described
    assert not any("Norland" in each for each in described)


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_asks_for_what_the_paper_s_table_says(level: str) -> None:
    known = {
        "easy": ((3, 6), (1, 2), (1, 2), (1, 1), 1, False),
        "medium": ((7, 12), (2, 4), (2, 3), (1, 2), 2, True),
        "hard": ((13, 16), (4, 5), (3, 4), (2, 3), 3, True),
        "extreme": ((17, 21), (5, 7), (4, 6), (3, 5), 3, True),
    }
    found = LEVELS[level]
    assert (
        found.stops,
        found.roadblocks,
        found.detours,
        found.diamonds,
        found.crawl,
        found.cross_section,
    ) == known[level]


@pytest.mark.accept
def test_same_seed_same_bytes_in_another_python() -> None:
    """`LABRIG_TEST_OTHER_PYTHON` names the Python of an environment with ``labrig[atlas,harness]`` of this checkout."""
    other = os.environ.get("LABRIG_TEST_OTHER_PYTHON")
    if other is None:
        pytest.skip("LABRIG_TEST_OTHER_PYTHON names no other Python with Labrig")
    program = (
        "import hashlib, json; from labrig_suites.amazing_race import items; "
        "rows = [items.row(each) for each in items.generate('pythons', 8)]; "
        "print(hashlib.sha256(json.dumps(rows).encode()).hexdigest())"
    )
    digests = {
        subprocess.run([each, "-c", program], capture_output=True, text=True, check=True).stdout
        for each in (sys.executable, other)
    }
    assert len(digests) == 1
