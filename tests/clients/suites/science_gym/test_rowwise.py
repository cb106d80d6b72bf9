"""The program of the second solution: its p values against SciPy, its answers against what is known by hand."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig_suites.science_gym import rowwise
from labrig_suites.science_gym.fixtures import fixtures
from labrig_suites.science_gym.items import from_row, row
from support.late import late

special = late("scipy.special")
stats = late("scipy.stats")

SCHEME = r"(?P<site>north|south)/(?P<dose>\d+mg)\.\w+"


def ask(held: Mapping[str, str | bytes], type: str = "univariate-condition", /, **query: Any) -> Any:
    """Return the answer of the program about files in memory."""

    def reads(field: str, made: Any) -> Any:
        return lambda id, path: {"status": "success", field: made(held[path])}

    asked = {
        "repository": "m",
        "type": type,
        "scheme": SCHEME,
        "path": "",
        "prefix": "",
        "files": (),
        "rows": (),
    }
    said = rowwise.reply(
        {**asked, "statistic": "", "variables": (), "alpha": "0.05", **query},
        lambda id, prefix, depth: {"status": "success", "paths": sorted(held)},
        reads("file_content", lambda content: content),
        reads("base64_file_content", lambda content: base64.b64encode(content).decode()),
    )
    return json.loads(said)["answer"]


def table(rows: Sequence[Mapping[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def workbook(rows: Sequence[Mapping[str, object]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for cells in ([*rows[0]], *([*each.values()] for each in rows)):
        book.active.append(cells)
    book.save(stream)
    return stream.getvalue()


def drawn(count: int = 60) -> list[dict[str, Any]]:
    """Return rows with ties, and with columns that belong together and do not."""
    draws = np.random.default_rng(1)
    x = draws.integers(0, 12, count)
    return [
        {
            "x": int(a),
            "y": float(b),
            "z": int(c),
            "group": "NA" if a < 5 else "b, c",
            "kind": "uv"[int(c) % 2],
        }
        for a, b, c in zip(
            x, (x + draws.normal(0, 4, count)).round(1), draws.integers(0, 9, count), strict=True
        )
    ]


ROWS = drawn()
FILES = {
    "north/5mg.csv": table(ROWS[:20]),
    "north/10mg.csv": table(ROWS[20:]),
    "south/5mg.csv": table(ROWS[:1]),
}
NORTH = ({"variable": "site", "operator": "in", "values": ("north",)},)
X, Y, Z = ([row[name] for row in ROWS] for name in "xyz")
GROUPS = [[row["y"] for row in ROWS if row["group"] == name] for name in ("NA", "b, c")]


@pytest.mark.parametrize(
    ("statistic", "variables", "known"),
    [
        ("minimum", "y", lambda: min(Y)),
        ("maximum", "x", lambda: max(X)),
        ("median", "y", lambda: float(np.median(Y))),
        ("mean", "y", lambda: float(np.mean(Y))),
        ("sample-sd", "y", lambda: float(np.std(Y, ddof=1))),
        ("population-sd", "y", lambda: float(np.std(Y))),
        ("sample-variance", "x", lambda: float(np.var(X, ddof=1))),
        ("population-variance", "x", lambda: float(np.var(X))),
        ("pearson", "xy", lambda: stats.pearsonr(X, Y)[0]),
        ("spearman", "xz", lambda: stats.spearmanr(X, Z)[0]),
        ("anova", ("group", "y"), lambda: stats.f_oneway(*GROUPS)[0]),
        ("kruskal-wallis", ("group", "y"), lambda: stats.kruskal(*GROUPS)[0]),
    ],
)
def test_statistics_are_those_of_numpy_and_scipy(
    statistic: str, variables: Any, known: Callable[[], float]
) -> None:
    said = ask(FILES, files=NORTH, statistic=statistic, variables=tuple(variables))
    assert said == pytest.approx(known(), rel=1e-12)


def test_decisions_and_categories_are_those_of_scipy() -> None:
    counts = np.zeros((2, 2))
    for each in ROWS:
        counts[["NA", "b, c"].index(each["group"]), "uv".index(each["kind"])] += 1
    known = stats.chi2_contingency(counts, correction=False)[0]
    assert ask(FILES, files=NORTH, statistic="chi-square", variables=("group", "kind")) == pytest.approx(
        known
    )
    for test, columns, p in (
        ("pearson", ("x", "y", "z"), [stats.pearsonr(X, each)[1] for each in (Y, Z)]),
        ("spearman", ("x", "z", "y"), [stats.spearmanr(X, each)[1] for each in (Z, Y)]),
    ):
        said = ask(FILES, "bivariate-hypothesis", files=NORTH, statistic=test, variables=columns)
        assert said == ", ".join("yes" if each < 0.05 else "no" for each in p)
    assert ask(FILES, files=NORTH, statistic="mode", variables=("group",)) == max(
        ("NA", "b, c"), key=[each["group"] for each in ROWS].count
    )


def test_every_format_gives_the_same() -> None:
    texts = {"csv": table(ROWS), "txt": table(ROWS), "log": table(ROWS), "json": json.dumps(ROWS)}
    formats = {**texts, "jsonl": "\n".join(map(json.dumps, ROWS)) + "\n", "xlsx": workbook(ROWS)}
    rows = (
        {"variable": "x", "operator": "between", "values": ("3", "9.5")},
        {"variable": "group", "operator": "in", "values": ("NA", "7")},
    )
    said = {
        extension: (
            ask({f"north/5mg.{extension}": content}, statistic="sample-sd", variables=("y",), rows=rows),
            ask({f"north/5mg.{extension}": content}, "count-rows", path=f"north/5mg.{extension}"),
            ask({f"north/5mg.{extension}": content, "README.md": ""}, "extension"),
        )
        for extension, content in formats.items()
    }
    known = np.std([row["y"] for row in ROWS if 3 <= row["x"] <= 9.5 and row["group"] == "NA"], ddof=1)
    for extension, (sd, count, named) in said.items():
        assert (sd, count, named) == (pytest.approx(known, rel=1e-12), 60, extension)


@pytest.mark.parametrize(
    "query",
    [
        {"type": "count-rows", "path": "north/20mg.csv"},
        {"statistic": "mean", "variables": ("w",), "files": NORTH},
        {"statistic": "mean", "variables": ("group",), "files": NORTH},
        {
            "statistic": "mean",
            "variables": ("x",),
            "rows": ({"variable": "x", "operator": "above", "values": ("99",)},),
        },
        {
            "statistic": "mean",
            "variables": ("x",),
            "files": ({"variable": "run", "operator": "in", "values": ("1",)},),
        },
        {"statistic": "sample-variance", "variables": ("x",), "path": "south/5mg.csv"},
        {"statistic": "anova", "variables": ("group", "x"), "path": "south/5mg.csv"},
        {"statistic": "chi-square", "variables": ("group", "kind"), "path": "south/5mg.csv"},
        {"statistic": "pearson", "variables": ("x", "y"), "path": "south/5mg.csv"},
        {"type": "title"},
        {"type": "abstract"},
    ],
    ids=str,
)
def test_what_the_files_do_not_hold_is_not_possible(query: dict[str, Any]) -> None:
    query = dict(query)
    type = query.pop("type", "univariate-condition")
    assert ask(FILES, type, **query) == "not possible"


@pytest.mark.parametrize(
    ("text", "states", "title", "abstract"),
    [
        (None, "no README", "not possible", "not possible"),
        (
            "# Lakes: a study\n\n## Abstract\n\nFour lakes.\n",
            "title and abstract",
            "Lakes: a study",
            "Four lakes.",
        ),
        ("# Lakes\n\n## Files\n\nNamed `a`.\n", "title only", "Lakes", "not possible"),
        (
            "## Abstract\n\nFour lakes.\n\n## Files\n\nNamed.\n",
            "abstract only",
            "not possible",
            "Four lakes.",
        ),
        ("Tables of this project.\n", "neither", "not possible", "not possible"),
    ],
)
def test_what_a_readme_states(text: str | None, states: str, title: str, abstract: str) -> None:
    files = FILES | ({} if text is None else {"README.md": text})
    assert (ask(files, "readme"), ask(files, "title"), ask(files, "abstract")) == (states, title, abstract)
    assert ask(files, "files-by-prefix", prefix="north/") == 2
    assert ask(files, "files-by-condition", files=NORTH) == 2
    above = ({"variable": "dose", "operator": "above", "values": ("5mg",)},)
    assert ask(files, "files-by-condition", files=above) == 1


@given(st.floats(0, 1), st.floats(0.5, 5000), st.floats(0.5, 50))
def test_the_beta_function_is_that_of_scipy(x: float, a: float, b: float) -> None:
    assert rowwise.beta_share(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-6, abs=1e-9)


@given(st.floats(0.5, 60), st.floats(0, 2000))
def test_the_gamma_function_is_that_of_scipy(a: float, x: float) -> None:
    found, known = rowwise.gamma_tail(a, x), special.gammaincc(a, x)
    assert found == pytest.approx(known, rel=1e-6, abs=1e-9)
    assert found < 1e-6 or x <= 10 * (a + 10)


def test_the_questions_of_the_fixtures_are_such_as_a_file_may_hold() -> None:
    for sample in (each.sample for each in fixtures()):
        assert from_row(json.loads(json.dumps(row(sample)))) == sample
