"""Six formats: every reader finds the values that the generator has, none lost, none changed."""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from labrig_repository.gym import design
from labrig_repository.gym.encoding import ENCODERS, EXTENSIONS, MEDIA_TYPES, encoded
from labrig_repository.gym.repository import GeneratedRepository
from labrig_repository.gym.values import Column, Decimal, Labels, Levels, Moments, mantissa, mantissas
from support.late import late

pd = late("pandas")

HARD = ("plain", "a,b", 'say "x"', "50 %", "<&>", "µ-é 日本", "tab\there", "two\nlines", "%s", "back\\slash")
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def hard() -> list[Column]:
    """Every form, with what is hard to write: signs, zeros, long mantissas, marks of the formats."""
    n = len(HARD)
    long = [10**15 - 1, 1 - 10**15, 0, -1, 1, 5, -50, 10**14, 123456789012345, -7]
    return [
        Column("row %", Decimal(), np.array([0, -3, *range(8)])),
        Column('x "q", 1', Decimal(3), np.array(long)),
        Column("tiny", Decimal(12), np.array(long)),
        Column("level", Levels(HARD), np.arange(n)),
        Column("code", Levels(("0.05", "0.10", "10")), np.arange(n) % 3),
        Column(
            "plate", Labels((("P1", "P2"), ("_",), ("A", "B", "C"), 3)), np.arange(n) * 6 + np.arange(n) % 6
        ),
        Column("at", Moments("%d.%m.%Y %H:%M"), np.arange(n) * 86_399),
    ]


def generated(extension: str) -> GeneratedRepository:
    """Return a repository with this extension."""
    number = next(n for n in range(1, 200) if design.specification(n).extension == extension)
    return GeneratedRepository(design.specification(number))


def rows_of(extension: str, content: bytes) -> list[dict[str, Any]]:
    """Return the records of a file, read by the standard library; numbers as fractions, texts as texts."""
    if extension in ("csv", "txt", "log"):
        return list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    if extension == "json":
        records: list[dict[str, Any]] = json.loads(content, parse_float=Fraction, parse_int=Fraction)
        return records
    if extension == "jsonl":
        lines = content.decode().split("\n")
        assert lines.pop() == ""
        return [json.loads(each, parse_float=Fraction, parse_int=Fraction) for each in lines]
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        assert parts.testzip() is None
        tree = ElementTree.fromstring(parts.read("xl/worksheets/sheet1.xml"))
    head, *rows = [[_cell(cell) for cell in row] for row in tree.iter(f"{SHEET}row")]
    return [dict(zip(map(str, head), row, strict=True)) for row in rows]


def _cell(cell: ElementTree.Element) -> Fraction | str:
    if cell.get("t") == "inlineStr":
        return cell.findtext(f"{SHEET}is/{SHEET}t") or ""
    return Fraction(cell.findtext(f"{SHEET}v") or "")


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_the_standard_library_reads_hard_values_back(extension: str) -> None:
    table = hard()
    rows = rows_of(extension, encoded(table, extension))
    assert len(rows) == len(HARD)
    for column in table:
        found = [row[column.name] for row in rows]
        if isinstance(column.form, Decimal):
            assert [Fraction(each) for each in found] == [
                column.form.exact(each) for each in column.data.tolist()
            ]
        else:
            assert found == column.cells()


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_pandas_reads_the_values_of_generated_files(extension: str) -> None:
    repository = generated(extension)
    names = [each.name for each in repository.specification.variables]
    for place in range(0, repository.specification.files, max(repository.specification.files // 6, 1)):
        content = repository.read(repository.files.texts[place])
        cells = repository.cells([place])
        table = repository.columns.columns(names, cells)
        for frame in _frames(extension, content):
            assert list(frame.columns) == names
            assert len(frame) == len(cells) == repository.columns.rows(np.array([place]))[0]
            for name in names:
                _same(table[name], frame[name])


def _frames(extension: str, content: bytes) -> list[pd.DataFrame]:
    if extension in ("json", "jsonl"):
        lines = extension == "jsonl"
        return [pd.read_json(io.BytesIO(content), lines=lines, dtype=False, precise_float=True)]
    if extension == "xlsx":
        engines = [each for each in ("openpyxl", "calamine") if _has(each)]
        if not engines:
            pytest.skip("neither openpyxl nor python-calamine is installed")
        return [pd.read_excel(io.BytesIO(content), engine=each) for each in engines]
    return [pd.read_csv(io.BytesIO(content)), pd.read_csv(io.BytesIO(content), engine="python")]


def _has(engine: str) -> bool:
    try:
        __import__({"calamine": "python_calamine"}.get(engine, engine))
    except ImportError:
        return False
    return True


def _same(column: Column, found: pd.Series) -> None:
    """The column of a frame holds exactly these values, and integers stay integers."""
    if isinstance(column.form, Decimal):
        assert found.dtype.kind in ("fi" if column.form.decimals else "i")
        assert found.tolist() == column.form.values(column.data).tolist()
    else:
        assert [str(each) for each in found.tolist()] == column.texts()


@pytest.mark.parametrize("extension", ["json", "jsonl"])
def test_what_read_json_changes_unless_asked_not_to(extension: str) -> None:
    """Without ``precise_float`` pandas may be off by the last bit: no bound of a question may be a value."""
    repository = generated(extension)
    frame = pd.read_json(io.BytesIO(repository.read(repository.files.texts[0])), lines=extension == "jsonl")
    table = repository.columns.columns(frame.columns, repository.cells([0]))
    for column in table.values():
        if isinstance(column.form, Decimal):
            true, found = column.form.values(column.data), frame[column.name].to_numpy()
            assert np.all(np.abs(found - true) <= 2 * np.spacing(np.abs(true)))
            assert np.array_equal(np.round(found, column.form.decimals), np.round(true, column.form.decimals))


@pytest.mark.parametrize("decimals", range(8))
def test_text_and_value_agree(decimals: int) -> None:
    """What is printed is the mantissa, and its float is the one the generator has."""
    rng = np.random.default_rng(decimals)
    data = np.concatenate([rng.integers(-(10**9), 10**9, 5000), np.arange(-50, 51), [10**15 - 1, 1 - 10**15]])
    column = Column("x", Decimal(decimals), data)
    texts = column.texts()
    assert [Fraction(each) for each in texts] == [Fraction(each, 10**decimals) for each in data.tolist()]
    assert [float(each) for each in texts] == column.form.values(data).tolist()  # type: ignore[union-attr]
    assert all(len(each.partition(".")[2]) == decimals for each in texts)
    assert not any(each.startswith("-") and float(each) == 0 for each in texts)
    assert np.array_equal(mantissas(column.form.values(data), decimals), data)  # type: ignore[union-attr]


def test_mantissas_are_of_the_decimal_that_is_written() -> None:
    assert mantissa(0.29, 2) == 29 and mantissa(-1.5, 1) == -15 and mantissa(1e-05, 6) == 10
    assert mantissas(np.array([0.125, 0.375, -0.5, math.nextafter(0.5, 1)]), 2).tolist() == [12, 38, -50, 50]


def test_a_workbook_has_no_clock_in_it() -> None:
    content = encoded(hard(), "xlsx")
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        assert {each.date_time for each in parts.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {each.compress_type for each in parts.infolist()} == {zipfile.ZIP_STORED}
        for name in parts.namelist():
            ElementTree.fromstring(parts.read(name))


def test_every_format_has_a_media_type() -> None:
    assert set(ENCODERS) == set(EXTENSIONS) and set(EXTENSIONS) < set(MEDIA_TYPES)
