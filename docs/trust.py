"""How each tool was tested, read off the tests: what docs/trust.md and the tools' ``_meta`` say.

A tool is *validated* where tests/support/oracles.csv names a test that holds its numbers against something that is not
ours; *tested* where a test of its server names it; *experimental* where none does and its own example alone is run.
A row of the CSV claims no more than its test: the test must exist and speak of what it is held against, the bound is
the widest tolerance in its text, and its cases are counted there (what a generator draws counts as one).
"""

from __future__ import annotations

import ast
import csv
import io
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "servers"
ORACLES = ROOT / "tests" / "support" / "oracles.csv"
TOLERANCES = ("abs", "rel", "atol", "rtol")
NAMES = re.compile(r'"(\w+)"|(\w+)\(')
"""A name that is quoted or called."""


@dataclass
class Trust:
    """What the tests show of a tool."""

    standing: str = "experimental"
    against: list[str] = field(default_factory=list)
    cases: int = 0
    bounds: list[str] = field(default_factory=list)


@cache
def _module(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def find_test(named: str) -> tuple[ast.Module, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return a test that a row names, and its module; LookupError where there is none."""
    file, _, name = named.partition("::")
    if (TESTS / file).is_file():
        for node in _module(TESTS / file).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
                return _module(TESTS / file), node
    raise LookupError(f"{ORACLES.name}: there is no test {named}")


def count_cases(module: ast.Module, test: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many cases a test is parametrized with, where its text says so; else 1."""
    constants = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    cases = 1
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("mark.parametrize"):
            values = mark.args[1]
            values = constants.get(values.id, values) if isinstance(values, ast.Name) else values
            cases *= len(values.elts) if isinstance(values, ast.List | ast.Tuple) else 1
    return cases


def find_bounds(test: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the widest absolute and relative tolerance in a test: ``abs 0.1``; none where all is exact."""
    widest: dict[str, float] = {}
    for call in ast.walk(test):
        if not isinstance(call, ast.Call):
            continue
        said = [(each.arg, each.value) for each in call.keywords if each.arg in TOLERANCES]
        if (
            isinstance(call.func, ast.Name) and call.func.id == "near"
        ):  # `near(value, tolerance)` of the oracles
            said += [("abs", each) for each in call.args[1:2]]
        for kind, value in said:
            if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
                name = {"atol": "abs", "rtol": "rel"}.get(kind or "", kind or "")
                widest[name] = max(widest.get(name, 0.0), float(value.value))
    return [f"{name} {widest[name]:g}" for name in sorted(widest)]


def has_grounds(against: str, module: ast.Module, test: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a test speaks of what it is said to be held against: one of the longer words, in any case."""
    text = (ast.unparse(test) + (ast.get_docstring(module) or "")).lower()
    return any(word in text for word in re.findall(r"[a-z]{5,}", against.lower()))


@cache
def _words_of_tests(package: str) -> frozenset[str]:
    """Return every name that tests of a package quote or call: a server's, or, of what servers share, any server's."""
    found: set[str] = set()
    server = package.removeprefix("labrig").removeprefix("_")
    shared = () if server else (ROOT / "tests" / "shared").glob("test_*.py")
    outside = (ROOT / "tests" / "real").rglob("*.py")
    for path in (*TESTS.glob(f"{server}*/test_*.py"), *shared, *outside):
        for quoted, called in NAMES.findall(path.read_text(encoding="utf-8")):
            found.add(quoted or called)
    return frozenset(found)


def trust(package: str, tool: str) -> Trust:
    """Return what the tests show of a tool of a package such as ``labrig_earth``."""
    found = Trust("tested" if tool in _words_of_tests(package) else "experimental")
    server = package.removeprefix("labrig_")
    with ORACLES.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["server"], row["tool"]) == (server, tool)]
    for row in rows:
        module, test = find_test(row["test"])
        if not has_grounds(row["against"], module, test):
            raise LookupError(f"{ORACLES.name}: {row['test']} says nothing of {row['against']!r}")
        found.standing = "validated"
        bounds = find_bounds(test)
        found.against.append(f"{row['against']} ({', '.join(bounds)})" if bounds else row["against"])
        found.cases += count_cases(module, test)
        found.bounds += bounds
    return found


def write_standings(package: str, tools: list[str]) -> str:
    """Return the text of a package's ``tested.csv``, which its tools' ``_meta`` is read from."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["tool", "standing", "cases", "against"])
    for tool in tools:
        found = trust(package, tool)
        rows.writerow([tool, found.standing, found.cases or "", "; ".join(found.against)])
    return text.getvalue()
