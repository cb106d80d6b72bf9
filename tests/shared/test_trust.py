"""The table of how tools were tested claims what tests show, and a tool's ``_meta`` says the same."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from labrig.serving.builder import listed_form
from labrig.serving.tested import describe_standing
from labrig_harness.registry import servers
from support.every_server import installed
from support.places import PROJECT


@pytest.fixture(scope="module")
def trust() -> Iterator[ModuleType]:
    """The program that reads the tests, which it reads once."""
    spec = importlib.util.spec_from_file_location("trust", PROJECT / "docs" / "trust.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "trust", module)
        spec.loader.exec_module(module)
        yield module


def _function(text: str) -> ast.FunctionDef:
    found = ast.parse(text).body[-1]
    assert isinstance(found, ast.FunctionDef)
    return found


@pytest.mark.parametrize("server", installed())
def test_each_tool_says_how_it_was_tested(server: str, trust: ModuleType) -> None:
    for spec in servers.toolbox(server).specs:
        said = (listed_form(spec).meta or {}).get("labrig/tested", {})
        shown = trust.trust(spec.function.__module__.partition(".")[0], spec.name)
        assert said.get("standing") == shown.standing, f"{spec.name}: run make docs"
        assert said.get("against", "") == "; ".join(shown.against), f"{spec.name}: run make docs"


def test_tools_of_a_script_say_nothing_of_tests() -> None:
    assert describe_standing("__main__", "double") == describe_standing("no_such_package", "double") == {}


def test_a_bound_is_the_widest_tolerance_and_cases_are_counted(trust: ModuleType) -> None:
    text = (
        "@pytest.mark.parametrize('x', [1, 2, 3])\ndef test_it(x):\n    assert x == approx(1, rel=1e-6)\n"
        "    assert x == approx(2, rel=0.01) and isclose(x, 1, atol=5) and x == near(3, 0.2)"
    )
    test = _function(text)
    assert trust.find_bounds(test) == ["abs 5", "rel 0.01"]
    assert trust.count_cases(ast.parse(text), test) == 3
    named = ast.parse("CASES = [1, 2]\n@pytest.mark.parametrize('x', CASES)\ndef test_it(x): pass")
    assert trust.count_cases(named, named.body[-1]) == 2


@pytest.mark.parametrize(
    ("name", "against", "says"),
    [
        ("test_gone", "a closed form", "no test"),
        ("test_areas_are_those_between_parallels_and_holes_are_taken_off", "MODFLOW", "says nothing"),
    ],
)
def test_a_claim_needs_a_test_that_speaks_of_it(
    name: str, against: str, says: str, trust: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown = trust.trust("labrig_earth", "measure_features")
    assert (shown.standing, shown.cases, shown.bounds) == ("validated", 1, ["rel 1e-05"])
    claims = tmp_path / "oracles.csv"
    claims.write_text(
        f"server,tool,test,against\nearth,measure_features,earth/test_gis.py::{name},{against}\n"
    )
    monkeypatch.setattr(trust, "ORACLES", claims)
    with pytest.raises(LookupError, match=says):
        trust.trust("labrig_earth", "measure_features")
