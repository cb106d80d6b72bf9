"""The recomputation, in the sandbox, over small repositories whose statistics are known by hand."""

from __future__ import annotations

import csv
import io
import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pytest

from labrig_repository.server.paper import PAPER_LIMITS, functions
from labrig_suites.science_gym.question import Condition, Query
from labrig_suites.science_gym.solution import program
from support.memory_repository import Memory
from support.sandbox_rig import Rig

Row = dict[str, str | float]
SCHEME = r"(?P<site>site=(?:north|south))/(?P<dose>\d+mg)_(?P<run>run\d\d)\.\w+"
X, Y = [1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 1.0, 4.0, 3.0, 10.5]
ROWS: list[Row] = [{"x": x, "y": y, "state": s} for x, y, s in zip(X, Y, "aabab", strict=True)]


@pytest.fixture(scope="module")
def sandbox(standing: Callable[[str], Rig]) -> Rig:
    return standing("auto")


class One:
    """What the readers ask for a repository: there is one."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def repository(self, id: object = "") -> Memory:
        assert id == "m"
        return self._memory


def asks(type: str = "univariate-condition", *, scheme: str = SCHEME, **fields: Any) -> Query:
    return Query("m", type, scheme, **fields)  # type: ignore[arg-type]


def ask(sandbox: Rig, files: Mapping[str, bytes], **queries: Query) -> dict[str, str]:
    """Return the answer to each query, all in one run; of one that is not possible, the reason in brackets."""
    text, _, _ = program(asks()).rpartition("\nprint(")
    calls = "\n".join(
        f"print(answer(json.loads({json.dumps(asdict(each))!r}), list_directory, read_text_file, read_binary_file))"
        for each in queries.values()
    )
    readers = functions(One(Memory(files)))  # type: ignore[arg-type]
    result = sandbox.go(sandbox.sandbox.run(f"{text}\n{calls}\n", functions=readers, limits=PAPER_LIMITS))
    assert result.status == "ok" and not result.error, result.error
    said = [json.loads(line) for line in result.output.splitlines()]
    assert all((each["answer"] == "not possible") == ("reason" in each) for each in said)
    shown = [f"({each['reason']})" if "reason" in each else each["answer"] for each in said]
    return dict(zip(queries, shown, strict=True))


def encoded(rows: Sequence[Row], extension: str) -> bytes:
    """Return rows as a file, by the libraries that anybody would use."""
    if extension == "json":
        return json.dumps(rows, indent=2).encode()
    if extension == "jsonl":
        return "".join(json.dumps(each) + "\n" for each in rows).encode()
    if extension == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book, stream = openpyxl.Workbook(), io.BytesIO()
        for cells in ([*rows[0]], *([*each.values()] for each in rows)):
            book.active.append(cells)
        book.save(stream)
        return stream.getvalue()
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def one(rows: Sequence[Row]) -> dict[str, bytes]:
    return {"site=north/5mg_run01.csv": encoded(rows, "csv")}


def is_in(variable: str, *values: str) -> Condition:
    return Condition(variable, "in", values)


@pytest.mark.parametrize(
    "extension",
    [
        *("csv", "xlsx"),
        *(pytest.param(each, marks=pytest.mark.accept) for each in ("txt", "log", "json", "jsonl")),
    ],
)
def test_every_format_gives_the_same_statistics(sandbox: Rig, extension: str) -> None:
    files = {
        f"site=north/5mg_run01.{extension}": encoded(ROWS[:2], extension),
        f"site=north/5mg_run02.{extension}": encoded(ROWS[2:], extension),
        f"site=south/10mg_run01.{extension}": encoded([{"x": 99, "y": 99, "state": "NA"}], extension),
        "README.md": b"# A title\n",
    }
    north = (is_in("site", "site=north"),)
    names = {
        "minimum": min(Y),
        "maximum": max(Y),
        "median": statistics.median(Y),
        "mean": statistics.fmean(Y),
        "sample-sd": statistics.stdev(Y),
        "population-sd": statistics.pstdev(Y),
        "sample-variance": statistics.variance(Y),
        "population-variance": statistics.pvariance(Y),
    }
    found = ask(
        sandbox,
        files,
        **{each: asks(files=north, statistic=each, variables=("y",)) for each in names},
        mode=asks(files=north, statistic="mode", variables=("state",)),
        na=asks(statistic="mode", variables=("state",), rows=(is_in("state", "NA", "b"), is_in("x", "99"))),
        rows=asks("count-rows", path=f"site=north/5mg_run02.{extension}"),
        extension=asks("extension"),
    )
    assert {each: float(found[each]) for each in names} == pytest.approx(names, rel=1e-12)
    said = {each: found[each] for each in ("mode", "na", "rows", "extension")}
    assert said == {"mode": "a", "na": "NA", "rows": "3", "extension": extension}


def test_files_are_chosen_by_what_their_paths_say(sandbox: Rig) -> None:
    files = {
        f"site={site}/{dose}mg_run{run:02d}.csv": encoded([{"x": dose * 100 + run}], "csv")
        for site in ("north", "south")
        for dose in (5, 10, 20)
        for run in (1, 2)
    } | {"README.md": b"", "site=north/notes.txt": b"none", "site=north/5mg_run01.csv.bak": b"none"}

    def counted(*conditions: Condition) -> Query:
        return asks("files-by-condition", files=conditions)

    found = ask(
        sandbox,
        files,
        all=counted(),
        site=counted(is_in("site", "site=north")),
        # 10 is more than 5 as a number and less as a text
        above=counted(Condition("dose", "above", ("5",))),
        at_least=counted(Condition("dose", "at least", ("5mg",))),
        below=counted(Condition("dose", "below", ("10",))),
        at_most=counted(Condition("dose", "at most", ("10",))),
        between=counted(Condition("dose", "between", ("5", "10"))),
        three=counted(is_in("site", "site=south"), is_in("dose", "5mg", "20mg"), is_in("run", "run02")),
        none=counted(is_in("run", "run03")),
        unknown=counted(is_in("site", "site=north"), is_in("depth", "5m")),
        prefix=asks("files-by-prefix", prefix="site=north/5"),
        folder=asks("files-by-prefix", prefix="site=n"),
        mean=asks(
            files=(is_in("run", "run01"), Condition("dose", "above", ("7",))),
            statistic="mean",
            variables=("x",),
        ),
    )
    assert found == {
        "all": "12",
        "site": "6",
        "above": "8",
        "at_least": "12",
        "below": "4",
        "at_most": "8",
        "between": "8",
        "three": "2",
        "none": "0",
        "unknown": "(missing variable)",
        "prefix": "2",  # the copy beside them is no data file
        "folder": "6",
        "mean": "1501.0",  # 1001 and 2001, on both sites
    }


@pytest.mark.parametrize("extension", ["csv", "json"])
def test_rows_are_chosen_by_number_or_text(sandbox: Rig, extension: str) -> None:
    rows: list[Row] = [
        {"n": 1, "t": 2.50, "code": "true", "x": 1.0},
        {"n": 2, "t": 10.0, "code": "nan", "x": 2.0},
        {"n": 3, "t": 9.75, "code": "01", "x": 4.0},
        {"n": 4, "t": -1.0, "code": "None", "x": 8.0},
    ]
    files = {f"site=north/5mg_run01.{extension}": encoded(rows, extension)}

    def summed(*conditions: Condition) -> Query:
        return asks("count-rows", path=next(iter(files)), rows=conditions)

    found = ask(
        sandbox,
        files,
        all=summed(),
        text=summed(is_in("code", "nan", "None")),
        zero=summed(is_in("code", "1")),
        true=summed(is_in("code", "True")),
        number=summed(is_in("t", "2.5", "10.00")),
        above=summed(Condition("t", "above", ("9.75",))),
        at_least=summed(Condition("t", "at least", ("9.75",))),
        below=summed(Condition("t", "below", ("-1",))),
        at_most=summed(Condition("t", "at most", ("-1.0",))),
        between=summed(Condition("t", "between", ("2.5", "9.75")), Condition("n", "above", ("1",))),
        wrong=summed(Condition("code", "above", ("1",))),
        chosen=asks(statistic="maximum", variables=("x",), rows=(is_in("code", "01", "true"),)),
    )
    assert found == {
        "all": "4",
        "text": "2",
        "zero": "0",
        "true": "0",
        "number": "2",
        "above": "1",
        "at_least": "2",
        "below": "0",
        "at_most": "1",
        "between": "1",
        "wrong": "(wrong type)",
        "chosen": "4.0",
    }


@pytest.mark.parametrize("extension", ["csv", "jsonl", "xlsx"])
def test_levels_stay_what_is_written(sandbox: Rig, extension: str) -> None:
    rows: list[Row] = [
        {"code": "007", "flag": "true", "none": "NA", "x": 1},
        {"code": "007", "flag": "true", "none": "NA", "x": 2},
        {"code": "010", "flag": "false", "none": "", "x": 3},
    ]
    path = f"site=north/5mg_run01.{extension}"

    def mode(variable: str) -> Query:
        return asks(path=path, statistic="mode", variables=(variable,))

    found = ask(
        sandbox,
        {path: encoded(rows, extension)},
        **{each: mode(each) for each in ("code", "flag", "none")},
        number=asks(path=path, statistic="maximum", variables=("none",)),
    )
    assert found == {"code": "007", "flag": "true", "none": "NA", "number": "(wrong type)"}


def test_csv_files_as_they_come(sandbox: Rig) -> None:
    """Without a last line end, with other line ends, with columns in another order, quoted, or without rows."""
    files = {
        "a3.csv": b"x,s\n1,p\n2,q",
        "b5x7.csv": b"x,s\r\n4,p\r\n",
        "c4.csv": b's,x\n"p, q",8\n',
        "d5.csv": b"x,s\n",
    }
    scheme = r"(?P<name>\w+)\.csv"
    found = ask(
        sandbox,
        files,
        mean=asks(scheme=scheme, statistic="mean", variables=("x",)),
        quoted=asks(scheme=scheme, statistic="maximum", variables=("x",), rows=(is_in("s", "p, q"),)),
        rows=asks("count-rows", scheme=scheme, path="a3.csv"),
        none=asks("count-rows", scheme=scheme, path="d5.csv"),
        # 5x7 is not one number, so it is neither above 3 nor below 9
        above=asks("files-by-condition", scheme=scheme, files=(Condition("name", "above", ("3",)),)),
        below=asks("files-by-condition", scheme=scheme, files=(Condition("name", "below", ("9",)),)),
    )
    assert found == {"mean": "3.75", "quoted": "8.0", "rows": "2", "none": "0", "above": "2", "below": "3"}


def test_statistics_of_two_columns(sandbox: Rig) -> None:
    crossed = [
        {"g": g, "h": h}
        for g, h, n in (("a", "u", 8), ("a", "v", 2), ("b", "u", 1), ("b", "v", 9))
        for _ in range(n)
    ]
    groups = [
        {"g": g, "v": v}
        for g, values in (("a", (1, 2, 3)), ("b", (2, 3, 4)), ("c", (5, 6, 7)))
        for v in values
    ]
    ranked = [
        {"g": g, "v": v}
        for g, values in (("a", (1, 2, 3)), ("b", (4, 5, 6)), ("c", (70, 88, 99)))
        for v in values
    ]

    def statistic(name: str, first: str, second: str, path: str) -> Query:
        return asks("bivariate-statistic", path=path, statistic=name, variables=(first, second))

    paths = [f"site=north/5mg_run0{n}.csv" for n in range(4)]
    files = {
        path: encoded(rows, "csv")  # type: ignore[arg-type]
        for path, rows in zip(paths, (ROWS, crossed, groups, ranked), strict=True)
    }
    found = ask(
        sandbox,
        files,
        pearson=statistic("pearson", "x", "y", paths[0]),
        spearman=statistic("spearman", "x", "y", paths[0]),
        chi=statistic("chi-square", "g", "h", paths[1]),
        anova=statistic("anova", "g", "v", paths[2]),
        kruskal=statistic("kruskal-wallis", "g", "v", paths[3]),
    )
    # chi-square of a fourfold table: n (ad - bc)^2 over the product of its four sums; F = (26 / 2) / (6 / 6);
    # H = 12 / (9 * 10) * (6^2 + 15^2 + 24^2) / 3 - 3 * 10
    assert {name: float(each) for name, each in found.items()} == pytest.approx(
        {
            "pearson": statistics.correlation(X, Y),
            "spearman": 0.8,
            "chi": 20 * 70**2 / (10 * 10 * 9 * 11),
            "anova": 13.0,
            "kruskal": 7.2,
        },
        rel=1e-12,
    )


def test_hypotheses_are_decided_at_the_level_that_is_asked_for(sandbox: Rig) -> None:
    """p of anova with 2 and 6 degrees is (1 + F / 3)^-3 = 0.0066; of Kruskal-Wallis with 2, exp(-H / 2) = 0.027."""
    assert (1 + 13 / 3) ** -3 < 0.01 < math.exp(-7.2 / 2) < 0.05
    rows: list[Row] = [
        {"g": g, "v": v, "w": w, "flat": f}
        for g, v, w, f in zip(
            "aaabbbccc", (1, 2, 3, 2, 3, 4, 5, 6, 7), range(1, 10), (1, 5, 9, 2, 6, 7, 3, 4, 8), strict=True
        )
    ]
    fourfold: list[Row] = [
        {"g": g, "h": h, "same": "p" if n % 2 else "q"}
        for g, h, count in (("a", "u", 8), ("a", "v", 2), ("b", "u", 2), ("b", "v", 8))
        for n in range(count)
    ]
    paths = ["site=north/5mg_run01.csv", "site=north/5mg_run02.csv"]
    files = {paths[0]: encoded(rows, "csv"), paths[1]: encoded(fourfold, "csv")}

    def decide(name: str, alpha: str, *variables: str, path: str = paths[0]) -> Query:
        return asks("bivariate-hypothesis", path=path, statistic=name, variables=variables, alpha=alpha)

    found = ask(
        sandbox,
        files,
        anova=decide("anova", "0.01", "g", "v", "flat"),
        other_way=decide("anova", "0.01", "g", "flat", "v"),
        kruskal=decide("kruskal-wallis", "0.05", "g", "w", "flat"),
        strict=decide("kruskal-wallis", "0.01", "g", "w", "flat"),
        chi=decide("chi-square", "0.05", "g", "h", "same", path=paths[1]),
        pearson=decide("pearson", "0.05", "w", "v", "flat"),
        spearman=decide("spearman", "0.05", "flat", "v", "flat"),
    )
    assert found == {
        "anova": "yes, no",
        "other_way": "no, yes",
        "kruskal": "yes, no",
        "strict": "no, no",
        "chi": "yes, no",
        "pearson": "yes, no",
        "spearman": "no, yes",
    }


def test_what_is_not_possible_and_why(sandbox: Rig) -> None:
    rows: list[Row] = [
        {"x": x, "state": s, "only": "o", "flat": 7, "id": f"s{x}", "mixed": m}
        for x, s, m in zip((1, 2, 3, 4), "abab", ("1", "2", "low", "4"), strict=True)
    ]
    path = "site=north/5mg_run01.csv"
    files = one(rows)

    def univariate(name: str, variable: str, *conditions: Condition) -> Query:
        return asks("univariate-file", path=path, statistic=name, variables=(variable,), rows=conditions)

    def pair(name: str, *variables: str, rows: tuple[Condition, ...] = ()) -> Query:
        return asks("bivariate-statistic", path=path, statistic=name, variables=variables, rows=rows)

    first, two = (Condition("x", "below", ("2",)),), (Condition("x", "below", ("3",)),)
    queries = {
        "empty selection": [
            univariate("mean", "x", is_in("state", "c")),
            univariate("mode", "state", is_in("state", "a"), Condition("x", "above", ("3",))),
            asks(statistic="mean", variables=("x",), files=(is_in("run", "run09"),)),
            pair("pearson", "x", "flat", rows=(Condition("x", "above", ("4",)),)),
        ],
        "wrong type": [
            univariate("mean", "state"),
            univariate("median", "mixed"),
            univariate("minimum", "id"),
            univariate("mean", "x", Condition("state", "above", ("1",))),
            pair("pearson", "x", "state"),
            pair("anova", "state", "only"),
        ],
        "missing variable": [
            univariate("mean", "depth"),
            univariate("mean", "x", is_in("depth", "1")),
            pair("spearman", "x", "X"),
        ],
        "missing file": [
            asks("univariate-file", path="site=north/5mg_run02.csv", statistic="mean", variables=("x",)),
            asks("count-rows", path="site=north/5mg_run01.txt"),
        ],
        "undefined": [
            univariate("sample-sd", "x", *first),
            univariate("sample-variance", "x", *first),
            univariate("mode", "state"),  # two of each
            pair("pearson", "x", "x", rows=two),
            pair("pearson", "x", "flat"),
            pair("spearman", "flat", "x"),
            pair("chi-square", "state", "only"),
            pair("anova", "only", "x"),
            pair("anova", "id", "x"),
            pair("kruskal-wallis", "state", "x", rows=two),
            pair("kruskal-wallis", "state", "flat"),
        ],
    }
    for reason, asked in queries.items():
        found = ask(sandbox, files, **{str(n): each for n, each in enumerate(asked)})
        assert set(found.values()) == {f"({reason})"}, (reason, found)
    single = ask(
        sandbox,
        files,
        sd=univariate("population-sd", "x", *first),
        median=univariate("median", "x", *first),
        mode=univariate("mode", "state", *first),
        three=pair("pearson", "x", "x", rows=(Condition("x", "below", ("4",)),)),
    )
    assert float(single.pop("three")) == pytest.approx(1, rel=1e-12)
    assert single == {"sd": "0.0", "median": "1.0", "mode": "a"}


@pytest.mark.parametrize(
    ("text", "states", "title", "abstract"),
    [
        (None, "no README", "(no README)", "(no README)"),
        (
            "# Lakes: a study\n\n## Abstract\n\nFour lakes.\n",
            "title and abstract",
            "Lakes: a study",
            "Four lakes.",
        ),
        ("# Lakes\n\n## Files\n\nFiles are named `a`.\n", "title only", "Lakes", "(not stated)"),
        (
            "## Abstract\n\nFour lakes.\n\n## Files\n\nFiles are named `a`.\n",
            "abstract only",
            "(not stated)",
            "Four lakes.",
        ),
        ("Tables of this project.\n", "neither", "(not stated)", "(not stated)"),
    ],
)
def test_what_a_readme_states(sandbox: Rig, text: str | None, states: str, title: str, abstract: str) -> None:
    files = one(ROWS) | {"site=north/README.md": b"# Of a folder\n"}
    if text is not None:
        files["README.md"] = text.encode()
    found = ask(sandbox, files, readme=asks("readme"), title=asks("title"), abstract=asks("abstract"))
    assert found == {"readme": states, "title": title, "abstract": abstract}


@pytest.mark.accept
def test_a_thousand_files_fit_into_one_call(sandbox: Rig) -> None:
    files = {
        f"site=north/{n}mg_run{run:02d}.csv": encoded([{"x": n, "y": run, "state": "a"}] * 50, "csv")
        for n in range(100)
        for run in range(20)
    }
    found = ask(
        sandbox,
        files,
        all=asks(statistic="mean", variables=("x",), rows=(Condition("y", "at least", ("10",)),)),
        few=asks(statistic="median", variables=("y",), files=(Condition("dose", "at least", ("98",)),)),
    )
    assert found == {"all": "49.5", "few": "9.5"}
