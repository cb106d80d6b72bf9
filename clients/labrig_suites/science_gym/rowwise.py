"""Answers a question row by row, with the standard library alone: the program of the second solution.

It is sent to the sandbox as text, like `recompute`, with which it shares nothing: rows are dictionaries that go by one
at a time, workbooks are read as the XML that they are, sums are `math.fsum` of what the textbook squares, and p values
come from series. What it cannot answer it calls not possible, without saying why.
"""

import base64
import contextlib
import csv
import io
import json
import math
import operator
import re
import statistics
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

Cell = Any
"""A text or a number, as the format has it."""
Row = Mapping[str, Cell]
Reader = Callable[..., dict[str, Any]]

ORDER: dict[str, Callable[[float, float], bool]] = {
    "at least": operator.ge,
    "at most": operator.le,
    "above": operator.gt,
    "below": operator.lt,
}
PRECISE, MOST_TERMS = 1e-13, 5_000_000


class NotPossible(Exception):
    """There is no answer in the files."""


def reply(query: dict[str, Any], list_directory: Reader, read_text: Reader, read_binary: Reader) -> str:
    """Return ``{"answer": ...}`` as JSON: a text, or a number with all its digits."""
    repository = Repository(query["repository"], list_directory, read_text, read_binary)
    try:
        said = REPLIES[query["type"]](query, repository)
    except NotPossible:
        said = "not possible"
    if isinstance(said, float) and said.is_integer():
        said = int(said)
    return json.dumps({"answer": said})


# ------------------------------------------------------------------------------------------------ files and rows


class Repository:
    """A repository: its paths, and the rows of a file."""

    def __init__(self, id: str, list_directory: Reader, read_text: Reader, read_binary: Reader) -> None:
        self._id, self._text, self._bytes = id, read_text, read_binary
        self.paths: list[str] = list_directory(id, "/", None)["paths"]

    @property
    def readmes(self) -> list[str]:
        """The README at the top, or nothing."""
        return [path for path in self.paths if path.upper().split(".")[0] == "README"]

    @property
    def data(self) -> list[str]:
        """The paths of all other files."""
        return [path for path in self.paths if path not in self.readmes]

    def text(self, path: str) -> str:
        """Return what a text file holds."""
        return str(self._text(self._id, path)["file_content"])

    def rows(self, path: str) -> Iterator[Row]:
        """Give the rows of a file, one by one."""
        ending = path.lower().rsplit(".", 1)[-1]
        if ending == "xlsx":
            yield from sheet_rows(base64.b64decode(self._bytes(self._id, path)["base64_file_content"]))
        elif ending == "jsonl":
            yield from map(json.loads, filter(str.strip, self.text(path).split("\n")))
        elif ending == "json":
            yield from json.loads(self.text(path))
        else:
            yield from csv.DictReader(io.StringIO(self.text(path), newline=""))


def sheet_rows(content: bytes) -> Iterator[Row]:
    """Give the rows of the first sheet of a workbook, below its header."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        shared: list[str] = []
        if "xl/sharedStrings.xml" in archive.namelist():
            items = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
            shared = ["".join(item.itertext()) for item in items]
        sheet = min(name for name in archive.namelist() if name.startswith("xl/worksheets/sheet"))
        root = ElementTree.fromstring(archive.read(sheet))
    header: list[str] = []
    for row in root.findall(".//{*}row"):
        cells = [cell_of(each, shared) for each in row]
        if header:
            yield dict(zip(header, cells, strict=True))
        else:
            header = [str(each) for each in cells]


def cell_of(element: ElementTree.Element, shared: Sequence[str]) -> Cell:
    """Return what a cell of a sheet holds."""
    text, kind = "".join(element.itertext()), element.get("t", "n")
    if kind == "s":
        return shared[int(text)]
    return float(text) if kind == "n" else text


# ---------------------------------------------------------------------------------------------------- conditions


def number(cell: Cell) -> float:
    """Return a cell as a number.

    Raises
    ------
    NotPossible
        For a text that is not written as one; ``nan`` and ``1_000`` are none.
    """
    if isinstance(cell, str) and cell.strip("+-.0123456789eE"):
        raise NotPossible
    try:
        return float(cell)
    except ValueError:
        raise NotPossible from None


def numbers_of(texts: Iterable[str]) -> list[float]:
    """Return those of some texts that are numbers."""
    found = []
    for text in texts:
        with contextlib.suppress(NotPossible):
            found.append(number(text))
    return found


def in_path(written: str) -> float:
    """Return the only number in what stands in a path; nan, which fulfils nothing, where there is not just one."""
    found = re.findall(r"-?[0-9]+(?:\.[0-9]+)?", written)
    return float(found[0]) if len(found) == 1 else math.nan


def fulfils(cell: Cell, condition: Mapping[str, Any], read: Callable[[Cell], float]) -> bool:
    """Return whether a cell, or a part of a path, fulfils a condition."""
    name, values = condition["operator"], condition["values"]
    if name == "in":
        return cell in values if isinstance(cell, str) else cell in numbers_of(values)
    if name == "between":
        return read(values[0]) <= read(cell) <= read(values[1])
    return ORDER[name](read(cell), read(values[0]))


def meant_files(query: Mapping[str, Any], repository: Repository) -> list[str]:
    """Return the files that a question is about."""
    if query["path"]:
        if query["path"] not in repository.paths:
            raise NotPossible
        return [query["path"]]
    scheme = re.compile(query["scheme"])
    wanted = query["files"]
    if any(each["variable"] not in scheme.groupindex for each in wanted):
        raise NotPossible
    matches = ((path, scheme.fullmatch(path)) for path in repository.data)
    return [
        path
        for path, match in matches
        if match and all(fulfils(match[each["variable"]], each, in_path) for each in wanted)
    ]


def meant_rows(query: Mapping[str, Any], repository: Repository) -> Iterator[Row]:
    """Give the rows that a question is about."""
    for path in meant_files(query, repository):
        for row in repository.rows(path):
            if any(each["variable"] not in row for each in query["rows"]):
                raise NotPossible
            if all(fulfils(row[each["variable"]], each, number) for each in query["rows"]):
                yield row


def columns(query: Mapping[str, Any], repository: Repository) -> list[list[Cell]]:
    """Return the cells of the variables of a question, a list for each; at least one row."""
    names = query["variables"]
    kept: list[list[Cell]] = [[] for _ in names]
    for row in meant_rows(query, repository):
        for cells, name in zip(kept, names, strict=True):
            if name not in row:
                raise NotPossible
            cells.append(row[name])
    if not kept[0]:
        raise NotPossible
    return kept


# ------------------------------------------------------------------------------------------------------- answers


def readme_parts(repository: Repository) -> dict[str, str]:
    """Return title and abstract, as far as a README states them.

    Raises
    ------
    NotPossible
        Where there is no README.
    """
    if not repository.readmes:
        raise NotPossible
    parts: dict[str, list[str]] = {}
    under = ""
    for line in repository.text(repository.readmes[0]).splitlines():
        if line.startswith("#"):
            level, _, heading = line.partition(" ")
            under = heading.strip().lower()
            if level == "#":
                parts["title"] = [heading]
        elif under == "abstract":
            parts.setdefault("abstract", []).append(line)
    joined = {name: "\n".join(lines).strip() for name, lines in parts.items()}
    return {name: text for name, text in joined.items() if text}


def reply_readme(query: Mapping[str, Any], repository: Repository) -> str:
    """Say which of them the README states."""
    if not repository.readmes:
        return "no README"
    stated = sorted(readme_parts(repository), reverse=True)
    return f"{stated[0]} only" if len(stated) == 1 else {0: "neither", 2: "title and abstract"}[len(stated)]


def reply_part(query: Mapping[str, Any], repository: Repository) -> str:
    """Return the title or the abstract."""
    parts = readme_parts(repository)
    if query["type"] not in parts:
        raise NotPossible
    return parts[query["type"]]


def reply_extension(query: Mapping[str, Any], repository: Repository) -> str:
    """Return what the names of all data files end in."""
    (ending,) = {path.rsplit(".", 1)[-1] for path in repository.data}
    return ending


def reply_statistic(query: Mapping[str, Any], repository: Repository) -> Any:
    """Return a statistic of one column or two."""
    cells = columns(query, repository)
    if query["statistic"] == "mode":
        often = Counter(map(str, cells[0])).most_common()
        if len(often) > 1 and often[0][1] == often[1][1]:
            raise NotPossible
        return often[0][0]
    if query["statistic"] in TESTS:
        return TESTS[query["statistic"]](*cells)[0]
    return STATISTICS[query["statistic"]]([number(each) for each in cells[0]])


def reply_decisions(query: Mapping[str, Any], repository: Repository) -> str:
    """Say of each of two relations whether the test rejects that there is none."""
    first, *others = columns(query, repository)
    test = TESTS[query["statistic"]]
    level = float(query["alpha"])
    return ", ".join("yes" if test(first, each)[1] < level else "no" for each in others)


REPLIES: dict[str, Callable[[Mapping[str, Any], Repository], Any]] = {
    "readme": reply_readme,
    "title": reply_part,
    "abstract": reply_part,
    "extension": reply_extension,
    "count-rows": lambda query, repository: sum(1 for _ in meant_rows(query, repository)),
    "files-by-prefix": lambda query, repository: sum(
        1 for path in repository.data if path[: len(query["prefix"])] == query["prefix"]
    ),
    "files-by-condition": lambda query, repository: len(meant_files(query, repository)),
    "univariate-file": reply_statistic,
    "univariate-condition": reply_statistic,
    "bivariate-statistic": reply_statistic,
    "bivariate-hypothesis": reply_decisions,
}


# ---------------------------------------------------------------------------------------------------- statistics


def scatter(values: Sequence[float]) -> float:
    """Return the sum of squared distances from the mean."""
    middle = statistics.fmean(values)
    return math.fsum((each - middle) ** 2 for each in values)


def variance(values: Sequence[float], less: int) -> float:
    """Return the variance with the divisor n less a number."""
    if len(values) <= less:
        raise NotPossible
    return scatter(values) / (len(values) - less)


STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "minimum": min,
    "maximum": max,
    "median": statistics.median,
    "mean": statistics.fmean,
    "sample-sd": lambda values: math.sqrt(variance(values, 1)),
    "population-sd": lambda values: math.sqrt(variance(values, 0)),
    "sample-variance": lambda values: variance(values, 1),
    "population-variance": lambda values: variance(values, 0),
}


def ranked(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, that of equal ones being the mean of their places."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values), 1):
        places.setdefault(value, []).append(place)
    mean = {value: (found[0] + found[-1]) / 2 for value, found in places.items()}
    return [mean[each] for each in values]


def correlation(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Return Pearson's correlation coefficient and its two-sided p value."""
    if len(first) < 3 or min(first) == max(first) or min(second) == max(second):
        raise NotPossible
    means = statistics.fmean(first), statistics.fmean(second)
    products = math.fsum((x - means[0]) * (y - means[1]) for x, y in zip(first, second, strict=True))
    r = products / math.sqrt(scatter(first) * scatter(second))
    # t of n - 2 degrees of freedom; v / (v + t^2) is 1 - r^2
    return r, beta_share(max(0.0, 1 - r * r), len(first) / 2 - 1, 0.5)


def pearson(first: Sequence[Cell], second: Sequence[Cell]) -> tuple[float, float]:
    """Return the correlation of two columns."""
    return correlation(list(map(number, first)), list(map(number, second)))


def spearman(first: Sequence[Cell], second: Sequence[Cell]) -> tuple[float, float]:
    """Return the correlation of the ranks of two columns."""
    return correlation(ranked(list(map(number, first))), ranked(list(map(number, second))))


def chi_square(first: Sequence[Cell], second: Sequence[Cell]) -> tuple[float, float]:
    """Return the squared distances of counts from what independence expects, in units of that, and p."""
    left, right = Counter(map(str, first)), Counter(map(str, second))
    seen = Counter(zip(map(str, first), map(str, second), strict=True))
    if min(len(left), len(right)) < 2:
        raise NotPossible
    expected = {(a, b): left[a] * right[b] / len(first) for a in left for b in right}
    found = math.fsum((seen[pair] - count) ** 2 / count for pair, count in expected.items())
    return found, gamma_tail((len(left) - 1) * (len(right) - 1) / 2, found / 2)


def by_group(groups: Sequence[Cell], values: Iterable[float]) -> list[list[float]]:
    """Return the values of each group.

    Raises
    ------
    NotPossible
        For one group, for groups of one, and where all values are the same.
    """
    members: dict[str, list[float]] = {}
    for group, value in zip(groups, values, strict=True):
        members.setdefault(str(group), []).append(value)
    everything = [value for each in members.values() for value in each]
    if len(members) < 2 or len(everything) <= len(members) or min(everything) == max(everything):
        raise NotPossible
    return list(members.values())


def between(groups: Sequence[Sequence[float]]) -> float:
    """Return the sum of squared distances of the means of groups from that of all, each as often as it has values."""
    middle = statistics.fmean([value for each in groups for value in each])
    return math.fsum(len(each) * (statistics.fmean(each) - middle) ** 2 for each in groups)


def anova(groups: Sequence[Cell], values: Sequence[Cell]) -> tuple[float, float]:
    """Return F of a one-way analysis of variance, and p."""
    found = by_group(groups, map(number, values))
    above, below = len(found) - 1, len(values) - len(found)
    within = math.fsum(map(scatter, found))
    if not within:
        raise NotPossible
    f = (between(found) / above) / (within / below)
    return f, beta_share(below / (below + above * f), below / 2, above / 2)


def kruskal_wallis(groups: Sequence[Cell], values: Sequence[Cell]) -> tuple[float, float]:
    """Return H, and p: what of the scatter of the ranks lies between groups, which needs no correction for ties."""
    ranks = ranked(list(map(number, values)))
    found = by_group(groups, ranks)
    h = (len(ranks) - 1) * between(found) / scatter(ranks)
    return h, gamma_tail((len(found) - 1) / 2, h / 2)


TESTS: dict[str, Callable[[Sequence[Cell], Sequence[Cell]], tuple[float, float]]] = {
    "pearson": pearson,
    "spearman": spearman,
    "chi-square": chi_square,
    "anova": anova,
    "kruskal-wallis": kruskal_wallis,
}


# ------------------------------------------------------------------------------------------------------ p values


def summed(ratio: Callable[[int], float]) -> float:
    """Return 1 + r(0) + r(0) r(1) + ..., of which no term is negative."""
    total = term = 1.0
    for n in range(MOST_TERMS):
        term *= ratio(n)
        total += term
        if term < PRECISE * total and ratio(n + 1) < 1:
            return total
    raise ArithmeticError("the series does not end")


def beta_share(x: float, a: float, b: float) -> float:
    """Return the regularized incomplete beta function I_x(a, b).

    By I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) (1 + sum of x^n (a + b)...(a + b + n - 1) / (a + 1)...(a + n)), and by
    its complement where that is shorter (DLMF 8.17.8 and 8.17.4).
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)
    size = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a + 1) - math.lgamma(b)
    return math.exp(size) * summed(lambda n: x * (a + b + n) / (a + 1 + n))


def gamma_tail(a: float, x: float) -> float:
    """Return the regularized upper incomplete gamma function Q(a, x).

    By P(a, x) = x^a e^-x / Γ(a + 1) (1 + sum of x^n / (a + 1)...(a + n)) (DLMF 8.11.4). Far out, where that sum is too
    large for a float, e^(a - x) (x / a)^a is given, which it stays below: the bound of Chernoff.
    """
    if x <= 0:
        return 1.0
    if x > 10 * (a + 10):
        return math.exp(a - x + a * math.log(x / a))
    size = a * math.log(x) - x - math.lgamma(a + 1)
    return max(0.0, 1 - math.exp(size) * summed(lambda n: x / (a + 1 + n)))
