"""Answers a question from the files of a repository alone: the program that runs in the sandbox.

Nothing here is imported by Labrig; `solution.program` reads this file as text and puts one line below it, which
calls `answer` with the readers of the sandbox. It shares nothing with the generator: what it knows of the files are
their formats, and of the question what `question.Query` says. So where it and the truth agree, both are likely right.

Texts stay texts: a level named ``NA``, ``nan`` or ``true`` is a text like any other, and a column is one of numbers
only if every cell of it is written as a number.
"""

import base64
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from python_calamine import CalamineWorkbook
from scipy import stats

Reader = Callable[..., dict[str, Any]]
"""A reader of the paper: its result has ``status`` and the fields that the paper names."""

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
"""As it stands in a cell; `float` alone would take ``nan``, ``inf`` and ``1_000`` for numbers."""
TOGETHER = 200
"""Files that are parsed as one: pandas takes about as long to begin with a csv file as to read its rows."""


class NotPossible(Exception):
    """The files do not hold the answer; the message is the reason, by the names of `question.Expected`."""


def answer(query: dict[str, Any], list_directory: Reader, read_text: Reader, read_binary: Reader) -> str:
    """Return ``{"answer": ...}`` as JSON, numbers with all their digits; beside "not possible" there is the reason."""
    files = Files(query["repository"], list_directory, read_text, read_binary)
    try:
        return json.dumps({"answer": ANSWERS[query["type"]](query, files)})
    except NotPossible as error:
        return json.dumps({"answer": "not possible", "reason": str(error)})


# Reading


class Files:
    """The files of a repository, through the readers."""

    def __init__(self, id: str, list_directory: Reader, read_text: Reader, read_binary: Reader) -> None:
        self._id = id
        self._read_text = read_text
        self._read_binary = read_binary
        self.paths: list[str] = said(list_directory(id, "", None))["paths"]

    def text(self, path: str) -> str:
        """Return what a text file holds."""
        return str(said(self._read_text(self._id, path))["file_content"])

    def content(self, path: str) -> bytes:
        """Return the bytes of a file."""
        return base64.b64decode(said(self._read_binary(self._id, path))["base64_file_content"])

    def tables(self, paths: Sequence[str]) -> Iterator[pd.DataFrame]:
        """Give the rows of files, many files at a time; the cells are texts or numbers, as the format has them."""
        for start in range(0, len(paths), TOGETHER):
            part = paths[start : start + TOGETHER]
            extension = part[0].rpartition(".")[2]
            if extension in ("csv", "txt", "log"):
                yield from csv_tables([self.text(each) for each in part])
            elif extension == "json":
                yield pd.DataFrame(
                    [row for each in part for row in json.loads(self.text(each))], dtype=object
                )
            elif extension == "jsonl":
                lines = (line for each in part for line in self.text(each).splitlines() if line)
                yield pd.DataFrame([json.loads(each) for each in lines], dtype=object)
            elif extension == "xlsx":
                yield from map(sheet, map(self.content, part))
            else:
                raise ValueError(f"no table: {part[0]}")


def said(result: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a reader that did read."""
    if result["status"] != "success":
        raise OSError(result["status"])
    return result


def csv_tables(texts: Sequence[str]) -> Iterator[pd.DataFrame]:
    """Give the rows of csv files; those with the same header become one table."""
    bodies: dict[str, list[str]] = {}
    for text in texts:
        header, _, body = text.partition("\n")
        bodies.setdefault(header.rstrip("\r"), []).append(body if body.endswith("\n") else body + "\n")
    for header, parts in bodies.items():
        whole = io.StringIO(header + "\n" + "".join(parts))
        yield pd.read_csv(whole, dtype=str, keep_default_na=False, na_filter=False)


def sheet(content: bytes) -> pd.DataFrame:
    """Return the first sheet of a workbook."""
    header, *rows = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()
    return pd.DataFrame(rows, columns=header, dtype=object)


# Choosing files and rows


def data_files(query: dict[str, Any], files: Files) -> dict[str, dict[str, str]]:
    """Return the data files, and what the placeholders are in the path of each."""
    scheme = re.compile(query["scheme"])
    matches = {each: scheme.fullmatch(each) for each in files.paths}
    return {path: match.groupdict() for path, match in matches.items() if match}


def chosen_files(query: dict[str, Any], files: Files) -> list[str]:
    """Return the files that a question is about; there may be none."""
    if query["path"]:
        if query["path"] not in files.paths:
            raise NotPossible("missing file")
        return [query["path"]]
    found = data_files(query, files)
    paths = pd.DataFrame(list(found.values()), index=list(found), dtype=object)
    for condition in query["files"]:
        name = condition["variable"]
        if name not in re.compile(query["scheme"]).groupindex:
            raise NotPossible("missing variable")
        column = paths[name]
        if condition["operator"] != "in":
            column = column.map(number_within)
        paths = paths[holds(column, condition)]
    return list(paths.index)


def number_within(written: str) -> float:
    """Return the number in what stands in a path, ``gr12`` or ``dose=0.5mM``; nan where there is not just one."""
    numbers = re.findall(r"-?\d+(?:\.\d+)?", written)
    return float(numbers[0]) if len(numbers) == 1 else float("nan")


def chosen_rows(query: dict[str, Any], files: Files) -> pd.DataFrame:
    """Return the variables of a question in the rows that it is about: at least one row.

    Raises
    ------
    NotPossible
        No file or no row fulfils the conditions, or a column is missing.
    """
    paths = chosen_files(query, files)
    variables = list(dict.fromkeys(query["variables"]))
    parts = []
    for table in files.tables(paths):
        if not {*variables, *(each["variable"] for each in query["rows"])} <= {*table.columns}:
            raise NotPossible("missing variable")
        parts.append(table.loc[fulfilling(table, query["rows"]), variables])
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if not len(rows):
        raise NotPossible("empty selection")
    return rows


def fulfilling(table: pd.DataFrame, conditions: Sequence[dict[str, Any]]) -> Any:
    """Return for each row whether it fulfils all conditions."""
    held = np.ones(len(table), dtype=bool)
    for condition in conditions:
        column = table[condition["variable"]]
        if condition["operator"] != "in":
            column = numbers(column)
        held &= np.asarray(holds(column, condition))
    return held


def holds(column: pd.Series, condition: dict[str, Any]) -> Any:
    """Return for each value whether it fulfils a condition."""
    operator, values = condition["operator"], condition["values"]
    if operator == "in":
        if all(re.fullmatch(NUMBER, each) for each in values) and are_numbers(column):
            return column.astype(float).isin([float(each) for each in values])
        return column.astype(str).isin(values)
    first, *second = (float(each) if re.fullmatch(NUMBER, each) else number_within(each) for each in values)
    if operator == "at least":
        return column >= first
    if operator == "at most":
        return column <= first
    if operator == "above":
        return column > first
    if operator == "below":
        return column < first
    if operator == "between":
        return (column >= first) & (column <= second[0])
    raise ValueError(f"no operator: {operator}")


def are_numbers(column: pd.Series) -> bool:
    """Return whether every cell is a number, or a text that is written as one."""
    kinds = set(map(type, column))
    if kinds <= {int, float}:
        return True
    return kinds == {str} and bool(column.str.fullmatch(NUMBER).all())


def numbers(column: pd.Series) -> pd.Series:
    """Return a column as floats, each the one nearest to what is written."""
    if not are_numbers(column):
        raise NotPossible("wrong type")
    return column.astype(float)


# Answers, by type of question


def readme_path(files: Files) -> str:
    """Return the path of the README."""
    for path in files.paths:
        if path.rpartition(".")[0].casefold() == "readme":
            return path
    raise NotPossible("no README")


def stated_title(text: str) -> str:
    """Return the title that a README states; empty where it states none."""
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return "" if heading is None else heading[1].strip()


def stated_abstract(text: str) -> str:
    """Return the abstract that a README states; empty where it states none."""
    section = re.search(r"^## Abstract\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    return "" if section is None else section[1].strip()


def readme(query: dict[str, Any], files: Files) -> str:
    """Say what the README states."""
    try:
        text = files.text(readme_path(files))
    except NotPossible:
        return "no README"
    title, abstract = stated_title(text), stated_abstract(text)
    if title and abstract:
        return "title and abstract"
    return "title only" if title else "abstract only" if abstract else "neither"


def title(query: dict[str, Any], files: Files) -> str:
    """Return the title."""
    return stated(stated_title(files.text(readme_path(files))))


def abstract(query: dict[str, Any], files: Files) -> str:
    """Return the abstract."""
    return stated(stated_abstract(files.text(readme_path(files))))


def stated(text: str) -> str:
    """Return what is stated."""
    if not text:
        raise NotPossible("not stated")
    return text


def extension(query: dict[str, Any], files: Files) -> str:
    """Return the extension that all data files have, ``csv``."""
    extensions = {path.rpartition(".")[2] for path in data_files(query, files)}
    if len(extensions) != 1:
        raise NotPossible("undefined")
    return extensions.pop()


def count_rows(query: dict[str, Any], files: Files) -> str:
    """Count the rows of a file, the header not among them."""
    tables = files.tables(chosen_files(query, files))
    return str(sum(int(fulfilling(each, query["rows"]).sum()) for each in tables))


def files_by_prefix(query: dict[str, Any], files: Files) -> str:
    """Count the data files whose paths begin with a text."""
    return str(sum(path.startswith(query["prefix"]) for path in data_files(query, files)))


def files_by_condition(query: dict[str, Any], files: Files) -> str:
    """Count the data files that fulfil the conditions."""
    return str(len(chosen_files(query, files)))


def univariate(query: dict[str, Any], files: Files) -> str:
    """Return a statistic of one column."""
    rows = chosen_rows(query, files)
    column = rows[query["variables"][0]]
    if query["statistic"] == "mode":
        return most_common(column)
    return repr(float(UNIVARIATE[query["statistic"]](numbers(column))))


def most_common(column: pd.Series) -> str:
    """Return the value that occurs most; two that occur as often are no answer."""
    modes = column.mode()
    if len(modes) > 1:
        raise NotPossible("undefined")
    return str(modes.iloc[0])


def spread(column: pd.Series, *, ddof: int, root: bool) -> float:
    """Return the variance or the standard deviation; one row has none of a sample."""
    if len(column) <= ddof:
        raise NotPossible("undefined")
    return float(column.std(ddof=ddof) if root else column.var(ddof=ddof))


UNIVARIATE: dict[str, Callable[[pd.Series], float]] = {
    "minimum": lambda column: float(column.min()),
    "maximum": lambda column: float(column.max()),
    "median": lambda column: float(column.median()),
    "mean": lambda column: float(column.mean()),
    "sample-sd": lambda column: spread(column, ddof=1, root=True),
    "population-sd": lambda column: spread(column, ddof=0, root=True),
    "sample-variance": lambda column: spread(column, ddof=1, root=False),
    "population-variance": lambda column: spread(column, ddof=0, root=False),
}


def bivariate_statistic(query: dict[str, Any], files: Files) -> str:
    """Return a statistic of two columns."""
    rows = chosen_rows(query, files)
    first, second = query["variables"]
    return repr(tested(query["statistic"], rows[first], rows[second])[0])


def bivariate_hypothesis(query: dict[str, Any], files: Files) -> str:
    """Say whether a test rejects that the first column has no relation to the second, and none to the third."""
    rows = chosen_rows(query, files)
    first, *others = query["variables"]
    p_values = [tested(query["statistic"], rows[first], rows[each])[1] for each in others]
    return ", ".join("yes" if each < float(query["alpha"]) else "no" for each in p_values)


def tested(test: str, first: pd.Series, second: pd.Series) -> tuple[float, float]:
    """Return a statistic of two columns, and its p value."""
    if test in ("pearson", "spearman"):
        found = correlated(test, numbers(first), numbers(second))
    elif test == "chi-square":
        counts = pd.crosstab(first, second)
        if min(counts.shape) < 2:
            raise NotPossible("undefined")
        found = stats.chi2_contingency(counts, correction=False)
    elif test in ("anova", "kruskal-wallis"):
        found = compared(test, [group.to_numpy() for _, group in numbers(second).groupby(first)])
    else:
        raise ValueError(f"no test: {test}")
    statistic, p_value = float(found[0]), float(found[1])
    if not (np.isfinite(statistic) and np.isfinite(p_value)):
        raise NotPossible("undefined")
    return statistic, p_value


def correlated(test: str, first: pd.Series, second: pd.Series) -> Any:
    """Return a correlation and its p value."""
    if len(first) < 3 or first.nunique() < 2 or second.nunique() < 2:
        raise NotPossible("undefined")
    return stats.pearsonr(first, second) if test == "pearson" else stats.spearmanr(first, second)


def compared(test: str, groups: Sequence[Any]) -> Any:
    """Return the statistic of a comparison of groups, and its p value."""
    rows = np.concatenate(groups)
    if len(groups) < 2 or len(rows) <= len(groups) or (rows == rows[0]).all():
        raise NotPossible("undefined")
    return stats.f_oneway(*groups) if test == "anova" else stats.kruskal(*groups)


ANSWERS: dict[str, Callable[[dict[str, Any], Files], str]] = {
    "readme": readme,
    "title": title,
    "abstract": abstract,
    "extension": extension,
    "count-rows": count_rows,
    "files-by-prefix": files_by_prefix,
    "files-by-condition": files_by_condition,
    "univariate-file": univariate,
    "univariate-condition": univariate,
    "bivariate-statistic": bivariate_statistic,
    "bivariate-hypothesis": bivariate_hypothesis,
}
