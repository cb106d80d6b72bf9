"""Searching an output and reading parts of it by name."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.search import MATCHED_CHARS, SHOWN_CHARS, read_section, search_output

INPUT = """
SOLUTION 1 First
  Ca 1
  C 2
REACTION 1
  HCl 1
  0.001 0.002
END
USE solution 1
USE reaction 1
END
"""


@pytest.fixture
async def output(databases: Path) -> str:
    async with Engine() as engine:
        return (await engine.run(INPUT)).output


async def test_hits_know_their_line_state_and_context(output: str) -> None:
    lines = output.split("\n")
    expected = [n for n, line in enumerate(lines, 1) if "Calcite  " in line]
    found = search_output(output, "Calcite  ", context=1)
    assert [hit.line for hit in found.hits] == expected and found.total == len(expected) == 5
    assert [hit.state for hit in found.hits] == [
        "sim 1 initial solution 1 First",
        *(f"sim {sim} step {step}" for sim in (1, 2) for step in (1, 2)),
    ]
    for hit in found.hits:
        assert hit.text == lines[hit.line - 1]
        assert hit.before == (lines[hit.line - 2],) and hit.after == (lines[hit.line],)
    assert search_output(output, "SOLUTION 1", context=0).hits[0].state is None


async def test_hits_can_be_paged(output: str) -> None:
    everything = [hit.line for hit in search_output(output, "Ca", limit=1000).hits]
    seen: list[int] = []
    start: int | None = 1
    while start is not None:
        page = search_output(output, "Ca", limit=7, from_line=start)
        assert page.total == len(everything)
        seen += [hit.line for hit in page.hits]
        start = page.next_line
    assert seen == everything


async def test_regular_expressions(output: str) -> None:
    lines = output.split("\n")
    pattern = r"^\s+pH\s+=\s+(\d)"
    found = search_output(output, pattern, regex=True)
    assert [hit.line for hit in found.hits] == [
        n for n, line in enumerate(lines, 1) if re.search(pattern, line)
    ]
    assert found.total == 5
    assert search_output(output, "^ +PH ", regex=True, ignore_case=True).total == 5
    assert search_output(output, "C.*O").total == 0  # not a regular expression unless it is said to be
    with pytest.raises(LabrigError, match="does not compile"):
        search_output(output, "(unclosed", regex=True)


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", *(pytest.param(each, marks=pytest.mark.accept) for each in ("(a|a)*b", "a*a*a*a*a*a*b"))],
)
def test_a_catastrophic_expression_is_ended(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labrig_phreeqc.output.search.REGEX_S", 0.5)
    start = time.monotonic()
    with pytest.raises(LabrigError) as error:
        search_output("a" * 1_000 + "c\n", pattern, regex=True)
    assert error.value.code == "limit"
    assert time.monotonic() - start < 30


def test_long_lines_are_cut_around_the_match() -> None:
    line = "x" * 3_000 + "here" + "y" * 3_000
    (hit,) = search_output(line, "here").hits
    assert "here" in hit.text and len(hit.text) <= SHOWN_CHARS + 2
    assert search_output("x" * MATCHED_CHARS + "z", "z$", regex=True).total == 0


@pytest.mark.parametrize(
    ("pattern", "options"),
    [("", {}), ("a\nb", {}), ("a", {"limit": 0}), ("a", {"context": -1}), ("a", {"from_line": 0})],
)
def test_unusable_arguments_are_refused(pattern: str, options: dict[str, int]) -> None:
    with pytest.raises(LabrigError):
        search_output("abc", pattern, **options)  # type: ignore[arg-type]


async def test_sections_by_name(output: str) -> None:
    lines, tree = output.split("\n"), outline_output(output)
    step = tree.simulations[0].states[-1]
    indices = next(s for s in step.sections if s.name == "Saturation indices")
    expected = "\n".join(lines[indices.first - 1 : indices.last])
    for query, section in (
        ("sim 1 step 2", "SI"),
        ("sim 1 step 2", "saturation indices"),
        ("sim 1 step 2 SI", None),
        ("sim 1 step 2 Saturation indices", None),
        (indices.first, "Sat"),
        (f"L{indices.first}", "SI"),
    ):
        passage = read_section(output, tree, query, section)
        assert (passage.first, passage.last, passage.text) == (indices.first, indices.last, expected)
        assert passage.section == "Saturation indices" and passage.label == "step 2"
    whole = read_section(output, tree, step.first)
    assert (whole.first, whole.last, whole.section) == (step.first, step.last, None)
    head = read_section(output, tree, step.first, "head")
    assert head.text.startswith("Reaction step 2.") and "HCl" in head.text


async def test_what_is_ambiguous_or_absent_is_refused(output: str) -> None:
    tree = outline_output(output)
    with pytest.raises(LabrigError) as error:
        read_section(output, tree, "step 2 SI")
    assert "sim 1 step 2 L" in error.value.expected and "sim 2 step 2 L" in error.value.expected
    with pytest.raises(LabrigError) as error:
        read_section(output, tree, "step 9")
    assert error.value.code == "not_found" and "sim 1 step 1" in str(error.value)
    with pytest.raises(LabrigError) as error:
        read_section(output, tree, "sim 1 step 1", "Gas phase")
    assert "Saturation indices" in error.value.expected
    with pytest.raises(LabrigError):
        read_section("", outline_output(""), "step 1")


@given(st.text(max_size=300), st.text(min_size=1, max_size=3))
def test_any_text_is_searched_like_grep(text: str, pattern: str) -> None:
    try:
        found = search_output(text, pattern, limit=1000)
    except LabrigError:
        assert "\n" in pattern or "\0" in pattern
        return
    assert [hit.line for hit in found.hits] == [
        n for n, line in enumerate(text.split("\n"), 1) if pattern in line
    ]


@settings(max_examples=settings.default.max_examples // 6)
@given(st.text(max_size=100), st.text(min_size=1, max_size=3), st.booleans())
def test_any_expression(text: str, pattern: str, ignore_case: bool) -> None:
    try:
        found = search_output(text, pattern, regex=True, ignore_case=ignore_case)
    except LabrigError as error:
        assert error.code == "bad_input"
        return
    assert found.total >= len(found.hits)
