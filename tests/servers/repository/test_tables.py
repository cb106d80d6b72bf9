"""describe_table: columns, types, units, ranges and missing values, against what was written and other readers."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import zipfile
from contextlib import closing
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.tables import database as databases
from labrig.tables import (
    delimited,
    describe_table,
    packed,
    parquet,
    records,
    spreadsheet,
)
from labrig.tables.columns import unit_in
from labrig.tables.numbers import SENTINELS
from support.described_tables import columns, described, refusal
from support.memory_repository import Memory
from support.old_workbook import old_workbook

TABLE = """\
station,date,temp (degC),Na [mg/L],n,code,flag,note,empty
A,2020-01-02,3.5,12,1,007,true,x,
B,2020-01-01,-9999,NA,2,012,false,Na,
A,2020-03-01,1e1,.5,9007199254740993,1,True,,
"""


def test_a_table_of_every_kind_of_column() -> None:
    found = columns(TABLE)
    assert found["station"] == {"name": "station", "type": "text", "values": 3, "distinct": {"A": 2, "B": 1}}
    assert found["date"] == {
        "name": "date",
        "type": "date",
        "values": 3,
        "min": "2020-01-01",
        "max": "2020-03-01",
    }
    assert found["temp (degC)"]["unit"] == "degC"
    assert (found["temp (degC)"]["min"], found["temp (degC)"]["max"]) == (3.5, 10.0)
    assert found["temp (degC)"]["notes"] == ["-9999 is taken for a missing value, 1 times"]
    assert found["Na [mg/L]"] == {
        "name": "Na [mg/L]",
        "type": "number",
        "unit": "mg/L",
        "values": 2,
        "missing": 1,
        "missing_as": ["NA"],
        "min": 0.5,
        "max": 12,
    }
    assert (found["n"]["type"], found["n"]["max"]) == ("integer", "9007199254740993")  # exact, as text
    assert (found["code"]["type"], found["code"]["distinct"]) == ("text", {"007": 1, "012": 1, "1": 1})
    assert found["flag"]["type"] == "boolean"
    assert found["note"]["distinct"] == {"Na": 1, "x": 1}  # sodium is a value
    assert found["empty"] == {"name": "empty", "type": "empty", "values": 0, "missing": 3}


@given(
    st.lists(
        st.one_of(
            st.none(),
            st.floats(allow_nan=False).filter(lambda value: value not in SENTINELS),
            st.integers(-(10**9), 10**9).filter(lambda value: value not in SENTINELS),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_ranges_and_missing_values_of_any_numbers(values: list[float | int | None]) -> None:
    text = "x,y\n" + "".join(f"{'' if each is None else repr(each)},1\n" for each in values)
    found = columns(text)["x"]
    there = [each for each in values if each is not None]
    assert found.get("missing", 0) == values.count(None)
    assert found["values"] == len(there)
    if there:
        assert [float(found["min"]), float(found["max"])] == [min(there), max(there)]


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t.log"])
def test_separators_are_found_out(separator: str, name: str) -> None:
    text = "\n".join(
        separator.join(row) for row in [["a", "b b", "c"], ["1", "x, y" if separator != "," else "x", "2"]]
    )
    assert [*columns(text, name)] == ["a", "b b", "c"]


def test_decimal_commas_between_semicolons() -> None:
    found = columns("Datum;Temp [°C];n\n2020-01-01;3,5;1\n2020-01-02;-1,25;2\n".encode("latin-1"))
    assert found["Temp [°C]"]["notes"] == ["decimal commas"]
    assert (found["Temp [°C]"]["min"], found["Temp [°C]"]["unit"]) == (-1.25, "°C")


def test_text_that_python_would_take_for_a_number_is_none() -> None:
    assert columns("a,b\n1_000,\u0661\u0662\n2_000,\u0663\n")["a"]["type"] == "text"
    assert columns("a,b\n1_000,\u0661\u0662\n2_000,\u0663\n")["b"]["type"] == "text"


def test_what_is_odd_about_a_file_is_said() -> None:
    found = describe_table(Memory({"t.csv": b"# made\n# by\na,b,a,\n1,2\n1,2,3,4,5\n"}), "t.csv")
    assert found.notes == [
        "2 lines before the heading begin with #",
        "2 rows have more or fewer cells than the 4 of the heading",
        "headings that occur more than once: a",
        "1 columns have no heading",
    ]
    assert [each.get("missing", 0) for each in found.columns] == [0, 0, 1, 1]
    headless = describe_table(Memory({"t.csv": b"1,2\n3,4\n"}), "t.csv")
    assert (headless.rows, headless.columns[0]["name"], headless.columns[0]["min"]) == (2, "(column 1)", 1)
    assert "no headings" in headless.notes[0]


def test_an_instrument_s_words_before_the_heading_are_passed_over() -> None:
    found = describe_table(
        Memory({"t.txt": b"Logger 7\nSite: A, north\n\ntime;temp;sal\n1;2;3\n2;3;4\n3;4;5\n"}), "t.txt"
    )
    assert (found.rows, [each["name"] for each in found.columns]) == (3, ["time", "temp", "sal"])
    assert found.notes == ["2 lines before the heading are no part of the table"]


def test_a_line_of_units_below_the_heading() -> None:
    found = describe_table(Memory({"t.csv": b"site,temp,sal\n-,degC,[psu]\nA,1.5,35\nB,2.5,36\n"}), "t.csv")
    assert (found.rows, [each.get("unit") for each in found.columns]) == (2, [None, "degC", "psu"])
    assert found.notes == ["the line below the heading is taken for units"]
    missing = describe_table(Memory({"t.csv": b"site,temp\nA,NA\nB,2.5\n"}), "t.csv")
    assert (missing.rows, missing.columns[1]["missing"], missing.notes) == (2, 1, [])
    words = describe_table(Memory({"t.csv": b"site,kind\nA,low\nB,high\n"}), "t.csv")
    assert (words.rows, words.notes) == (2, [])


@pytest.mark.parametrize(
    "cell", ["<0.5", '"1,234"', '"12,000.5"', '"1,5"', "n.d.", "bdl", "> 3", "12*", "0.1 b"]
)
def test_a_first_row_of_odd_values_is_no_line_of_units(cell: str) -> None:
    found = described(f"site,TP\nA,{cell}\nB,2\nC,3\n")
    assert found["rows"] == 3
    assert "unit" not in found["columns"][1]


def test_commas_that_may_separate_thousands() -> None:
    (note,) = columns("n;m\n1,234;1\n2,345;1\n")["n"]["notes"]
    assert "thousands" in note
    assert columns("n;m\n1,234;1\n2,3;1\n")["n"]["notes"] == ["decimal commas"]


def test_a_long_heading_takes_no_longer() -> None:
    found = described("a (" + " " * 60_000 + "x,b (m)\n1,2\n")
    assert len(found["columns"][0]["name"]) == 200
    assert found["columns"][1]["unit"] == "m"


def test_many_digits_before_a_letter_take_no_longer() -> None:
    digits = "01" * 60_000
    assert [each["type"] for each in columns(f"a,b\n1,{digits}x\n").values()] == ["integer", "text"]
    assert columns(f"a,b\n1,{digits}.x\n")["b"]["type"] == "text"


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("ending", PACKERS)
def test_a_packed_table_is_described_as_it_is(ending: str) -> None:
    pack = PACKERS[ending]
    plain = described(TABLE)
    assert described(pack(TABLE.encode()), f"t.csv.{ending}") == {
        "packed": {"gz": "gzip", "bz2": "bzip2", "xz": "xz"}[ending],
        **plain,
    }
    assert described(pack(b'{"a": 1}\n{"a": 2}\n'), f"t.jsonl.{ending}")["rows"] == 2
    assert "damaged" in refusal(pack(TABLE.encode() * 99)[:-20], f"t.csv.{ending}").what
    assert "another packed file" in refusal(pack(pack(b"a,b\n1,2\n")), f"t.csv.{ending}.{ending}").what
    assert refusal(pack(b"a,b\n1,2\n"), f"t.csv.{ending}", sheet="one").code == "bad_input"


def test_a_packed_file_that_swells_is_looked_at_in_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MOST_BYTES", 2_000)
    monkeypatch.setattr(delimited, "MOST_BYTES", 1_000)
    monkeypatch.setattr(delimited, "BEGINNING", 500)
    monkeypatch.setattr(delimited, "PIECE_BYTES", 10)
    found = describe_table(Memory({"t.csv.gz": gzip.compress(b"a,b\n" + b"1,2\n" * 10**6)}), "t.csv.gz")
    assert (found.rows, found.complete) == (None, False) and 124 < found.about["rows_looked_at"] < 250


def test_what_zstd_packed_is_refused() -> None:
    assert "run_python_code" in refusal(b"\x28\xb5\x2f\xfd....", "t.csv.zst").try_


def database(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as made:
        for statement in statements:
            made.execute(statement)
        made.commit()
        return made.serialize()


CASTS = (
    "CREATE TABLE casts (site TEXT, depth_m REAL, n INTEGER)",
    "INSERT INTO casts VALUES ('A', 1.5, 1), ('B', NULL, 2), ('A', 3.25, 3)",
    'CREATE TABLE "two words" (x)',
    "CREATE VIEW deep AS SELECT * FROM casts WHERE depth_m > 2",
)


def test_tables_of_a_database() -> None:
    found = described(database(*CASTS), "field.db")
    assert (found["format"], found["table"], found["rows"]) == ("SQLite", "casts", 3)
    assert found["tables"] == {"casts": 3, "two words": 0} and found["not_read"] == ["deep"]
    assert found["columns"] == [
        {"name": "site", "type": "text", "values": 3, "distinct": {"A": 2, "B": 1}},
        {"name": "depth_m", "type": "number", "values": 2, "missing": 1, "min": 1.5, "max": 3.25},
        {"name": "n", "type": "integer", "values": 3, "min": 1, "max": 3},
    ]
    assert described(database(*CASTS), "field.db", sheet="two words")["rows"] == 0
    assert "casts" in refusal(database(*CASTS), "field.db", sheet="cast").try_


def test_a_database_with_its_log_elsewhere_is_read() -> None:
    content = bytearray(database(*CASTS))
    content[18:20] = b"\2\2"  # as PRAGMA journal_mode=WAL leaves it
    assert described(bytes(content), "field.db")["rows"] == 3


def test_databases_that_are_damaged_or_empty() -> None:
    whole = database(*CASTS)
    assert refusal(whole[:100], "field.db").code == "bad_input"
    assert refusal(whole[:5000] + b"\xff" * (len(whole) - 5000), "field.db").code == "bad_input"
    last = len(whole) - 4096  # whose pages SQLite would take for empty ones
    assert all("was cut off" in refusal(whole[:size], "field.db").what for size in (last, last + 2000))
    assert "no table" in refusal(database("CREATE VIEW v AS SELECT 1"), "field.db").what


def test_a_query_without_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_STEPS_AT_ONCE", 1_000)
    monkeypatch.setattr(databases, "MOST_STEPS", 10_000)
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT i FROM n"
    assert "interrupted" in refusal(database(f"CREATE TABLE t AS {rows}"), "t.db").what


def test_a_heading_in_the_last_comment() -> None:
    found = describe_table(Memory({"t.csv": b"# station 5\n# t,x (m)\n1,2\n3,4\n"}), "t.csv")
    assert (found.rows, [each["name"] for each in found.columns]) == (2, ["t", "x (m)"])
    assert found.notes[1] == "the last comment is taken for the heading"


def test_a_quote_that_is_never_closed_is_refused_or_said() -> None:
    """Where it makes a cell too large; a smaller one is said."""
    assert refusal('a,b\n1,"' + "x\n" * 200_000).code == "bad_input"
    (said,) = describe_table(Memory({"t.csv": b'a,b\n1,"two\n3,4\n5,6\n'}), "t.csv").notes
    assert "none closes it: 3 lines" in said
    assert not describe_table(Memory({"t.csv": b'a,b\n1,"two\n3"\n5,6\n'}), "t.csv").notes


def test_a_heading_with_fewer_names_than_there_are_columns() -> None:
    """As R writes row numbers, each other name stands at its column; else none is given to a column that is not its."""
    rows = "".join(f'"{n}",{n / 2 + 3},{n + 3}\n' for n in range(1, 6))
    found = described(f'"a","b"\n{rows}')
    assert (found["rows"], [each["name"] for each in found["columns"]]) == (5, ["(column 1)", "a", "b"])
    rows = "".join(f"1979-0{n},{336 + n / 8},0.11,x\n" for n in range(1, 6))
    table = describe_table(Memory({"t.csv": f"Date,Average,Flag\n{rows}".encode()}), "t.csv")
    assert table.rows == 5 and [each["name"] for each in table.columns] == [
        f"(column {n})" for n in range(1, 5)
    ]
    assert table.notes == ["the heading has 3 names for 4 columns: which is whose is not told"]
    assert table.about["above"] == ["Date Average Flag"]
    found = described("Station 5,Lake X\nsite,depth (m),n\n" + "".join(f"A,{n / 2},{n}\n" for n in range(5)))
    assert [each["name"] for each in found["columns"]] == ["site", "depth (m)", "n"]


def test_quotes_line_ends_and_marks() -> None:
    assert columns('\ufeffa,b\r\n"1","x\r\ny"\r\n2,"""q"""\r\n')["a"]["max"] == 2
    assert described("a,b\r\n1,2\r\n\r\n3,4")["rows"] == 2


@pytest.fixture
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MOST_BYTES": 4_000, "BEGINNING": 1_000, "PIECE_BYTES": 30}.items():
        monkeypatch.setattr(delimited, name, value)


@pytest.mark.usefixtures("small_samples")
def test_a_large_file_is_described_by_samples_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{number},{number % 7}" for number in range(10_000)]
    for end in ("\n", ""):
        memory = Memory({"t.csv": ("n,m\n" + "\n".join(lines) + end).encode()})
        found = describe_table(memory, "t.csv")
        assert (found.complete, found.rows) == (False, 10_000)
        n, m = found.columns
        assert (n["min"], m["min"], m["max"]) == (0, 0, 6) and n["max"] > 9_990
        assert n["values"] == found.about["rows_looked_at"] < 500
        assert f"{n['values']} rows were looked at" in found.notes[0]
    monkeypatch.setattr(delimited, "COUNTED_BYTES", 5_000)
    found = describe_table(memory, "t.csv")
    assert found.rows is None and abs(found.about["rows_estimated"] - 10_000) < 100


@pytest.mark.usefixtures("small_samples")
@pytest.mark.parametrize(
    "content",
    [
        ("a,b\n" + "1,2\n" * 10_000).encode("utf-16"),
        b"a,b\n" + b'1,"two\nlines"\n' * 10_000,
        b"a,b\n" + b"1,2\n" * 600 + b'1,"two\nlines"\n' * 10_000,
    ],
)
def test_of_a_large_file_whose_lines_are_no_rows_the_beginning_is_looked_at(content: bytes) -> None:
    found = describe_table(Memory({"t.csv": content}), "t.csv")
    assert (found.complete, found.rows, found.columns[0]["max"]) == (False, None, 1)
    assert found.about["rows_looked_at"] < 1_000 and "ragged" not in str(found.notes)


@pytest.mark.parametrize(
    ("content", "name"),
    [("", "t.csv"), ("just prose\nof no\ncolumns, at all\n", "t.txt"), (b"\0\1\2", "t.csv"), ("{", "t.json")],
)
def test_what_is_no_table(content: bytes | str, name: str) -> None:
    assert refusal(content, name).code == "bad_input"


@pytest.mark.parametrize(
    "content",
    [b"X\n\0\0\0\3" + bytes(20), gzip.compress(b"RDX3\nX\n\0\0\0\3" + bytes(20))],
    ids=["rds", "rda"],
)
def test_data_of_r_are_named(content: bytes) -> None:
    error = refusal(content, "stations.rds")
    assert "R saved" in error.what and "write.csv" in error.try_


def test_one_column_is_a_table_where_the_name_says_so() -> None:
    assert columns("x\n1\n2\n")["x"]["max"] == 2


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        ("temp (degC)", "degC"),
        ("Q [m3/s]", "m3/s"),
        ("temp_C", ""),
        ("year (2020)", ""),
        ("depth (mean)", ""),
        ("a (b) c", ""),
        ("NO3 (mg/L as N)", "mg/L as N"),
        ("Cl mg/l", "mg/l"),
        ("Rainfall mm", "mm"),
        ("flow m3/s ", "m3/s"),
        ("Sp. cond. µS/cm", "µS/cm"),
        ("mm", ""),
        ("Total Mg", ""),
        ("Start day", ""),
        ("Plot no", ""),
        ("ratio N/P", ""),
        ("distance m", ""),
    ],
)
def test_units_are_taken_where_they_are_stated(heading: str, unit: str) -> None:
    assert unit_in(heading) == unit


RECORDS = [
    {"id": 1, "at": {"lon": 5.5}, "tags": ["a"], "x": None},
    {"id": 2, "at": {"lon": -1.0}, "y": "0012"},
]


def test_records_as_json_and_as_lines() -> None:
    for content, name in (
        (json.dumps(RECORDS), "t.json"),
        ("\n".join(map(json.dumps, RECORDS)) + "\n", "t.jsonl"),
        (json.dumps({"type": "x", "features": RECORDS}), "t.geojson"),
    ):
        found = columns(content, name)
        assert described(content, name)["rows"] == 2
        assert (found["id"]["min"], found["id"]["max"]) == (1, 2)
        assert (found["at.lon"]["type"], found["at.lon"]["min"]) == ("number", -1.0)
        assert (found["x"]["values"], found["x"]["missing"]) == (0, 2)
        assert (found["y"]["type"], found["y"]["missing"]) == ("text", 1)
        assert found["tags"]["type"] == "list"


def test_json_of_other_shapes() -> None:
    assert columns(json.dumps({"a (m)": [1, 2], "b": ["x", "y"]}), "t.json")["a (m)"]["unit"] == "m"
    assert describe_table(Memory({"t.json": b"3"}), "t.json").notes == ["a single value: 3"]
    shape = describe_table(Memory({"t.json": b'{"a": 1, "b": [1]}'}), "t.json")
    assert (shape.rows, shape.columns, shape.about["keys"]) == (None, [], {"a": 1, "b": "list"})
    odd = b'{"TR": 2.5, "on": true, "name": "rest", "long": "%s", "n": NaN, "big": 1e300}' % (b"x" * 99)
    assert described(odd.decode(), "t.json")["keys"] == {
        **{"TR": 2.5, "on": True, "name": "rest", "long": "str", "n": "float", "big": "float"}
    }


def test_json_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "line 2" in str(refusal('{"a": 1}\n{"a"\n', "t.jsonl"))
    assert refusal("[" * 100_000, "t.json").code == "limit"
    assert refusal("[" + "9" * 5000 + "]", "t.json").code == "bad_input"
    monkeypatch.setattr(records, "MOST_BYTES", 20)
    assert refusal(json.dumps(RECORDS), "t.json").code == "limit"
    assert described('{"a": 1}\n' * 10, "t.jsonl")["rows_looked_at"] == 2


def test_parquet_from_rows_and_from_the_footer(monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as writer

    table = pyarrow.table(
        {
            "t": pyarrow.array([1.5, None, -2.0]),
            "site (m)": ["a", "b", "a"],
            "n": pyarrow.array([3, 1, 2], "int16"),
        },
        schema=pyarrow.schema(
            [
                pyarrow.field("t", "float64", metadata={"units": "degC"}),
                pyarrow.field("site (m)", "string"),
                pyarrow.field("n", "int16"),
            ]
        ),
    )
    content = io.BytesIO()
    writer.write_table(table, content, row_group_size=2)
    for most in (parquet.MOST_CELLS, 1):
        monkeypatch.setattr(parquet, "MOST_CELLS", most)
        found = columns(content.getvalue(), "t.parquet")
        assert found["t"] == found["t"] | {
            "type": "double",
            "unit": "degC",
            "missing": 1,
            "min": -2.0,
            "max": 1.5,
        }
        assert (found["n"]["type"], found["n"]["values"], found["n"]["max"]) == ("int16", 3, 3)
        assert found["site (m)"]["unit"] == "m"
    assert refusal(b"PAR1" + b"\0" * 50, "t.parquet").code == "bad_input"


def test_parquet_of_dates_texts_and_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as writer

    data: dict[str, list[Any]] = {
        "t": [date(2024, 1, 2), date(2024, 1, 1)],
        "s": ["a", None],
        "l": [[1], None],
    }
    content = io.BytesIO()
    writer.write_table(pyarrow.table(data), content)
    found = columns(content.getvalue(), "t.parquet")
    assert (found["t"]["min"], found["t"]["max"]) == ("2024-01-01", "2024-01-02")
    assert found["s"]["distinct"] == {"a": 1}
    monkeypatch.setattr(parquet, "MOST_CELLS", 1)
    found = columns(content.getvalue(), "t.parquet")
    assert (found["s"]["values"], found["s"]["missing"], found["t"]["values"]) == (1, 1, 2)
    assert "values" not in found["l"]  # the footer does not say


def workbook(sheets: dict[str, list[list[Any]]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


@pytest.mark.parametrize("library", ["openpyxl", "python_calamine"])
def test_workbooks(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import datetime

    rows: list[list[Any]] = [
        ["site", "pH", "on"],
        ["a", 7, datetime(2020, 1, 2, 3)],
        ["b", None, None],
        [None] * 3,
        ["0012", 6.5, None],
    ]
    content = workbook({"first": rows, "other": [["x"], [1]], "none": []})
    pytest.importorskip(library)
    if library != "openpyxl":
        monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    found = columns(content, "t.xlsx")
    assert (found["pH"]["type"], found["pH"]["missing"], found["pH"]["min"], found["pH"]["max"]) == (
        "number",
        1,
        6.5,
        7,
    )
    assert found["site"]["distinct"] == {"0012": 1, "a": 1, "b": 1}
    assert (found["on"]["type"], found["on"]["min"]) == ("datetime", "2020-01-02 03:00:00")
    assert described(content, "t.xlsx")["sheets"] == ["first", "other", "none"]
    assert columns(content, "t.xlsx", sheet="other")["x"]["max"] == 1
    assert describe_table(Memory({"t.xlsx": content}), "t.xlsx", sheet="none").notes == ["the sheet is empty"]
    assert refusal(content, "t.xlsx", sheet="frist").code == "not_found"
    monkeypatch.setattr(spreadsheet, "MOST_ROWS", 1)
    assert described(content, "t.xlsx")["rows_looked_at"] == 1


def test_old_workbooks(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("python_calamine")
    rows: list[list[str | float]] = [["site", "depth (m)", 2021], ["a", 1.5, 7], ["", 10, 8.25]]
    content = old_workbook({"casts": rows, "aside": [["x"], [1]]}, hidden=["aside"])
    found = described(content, "t.xls")
    assert (found["format"], found["rows"], found["sheets"]) == ("xls", 2, ["casts", "aside"])
    assert found["hidden_sheets"] == ["aside"]
    assert [
        (each["name"], each.get("min"), each.get("max"), each.get("missing")) for each in found["columns"]
    ] == [
        ("site", None, None, 1),
        ("depth (m)", 1.5, 10, None),
        ("2021", 7, 8.25, None),
    ]
    assert columns(content, "t.xls", sheet="aside")["x"]["max"] == 1
    assert refusal(content, "t.xls", sheet="none").code == "not_found"
    assert refusal(content[:700], "t.xls").code == "bad_input"
    assert spreadsheet._cell("m\0p\0g\0") == "mpg" and spreadsheet._cell("m\0pg") == "m\0pg"
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    assert "python-calamine" in refusal(content, "t.xls").try_


def test_titles_and_second_headings_of_workbooks() -> None:
    rows: list[list[Any]] = [["Table 1. Lakes"], [], ["id", "mass (g)"], [1, 2.5], [2, None]]
    titled = workbook({"s": rows})
    found = described(titled, "t.xlsx")
    assert [(each["name"], each["values"]) for each in found["columns"]] == [("id", 2), ("mass (g)", 1)]
    notes = describe_table(Memory({"t.xlsx": titled}), "t.xlsx").notes
    assert notes == ["1 lines before the heading are no part of the table"]
    grouped = workbook({"s": [["site", "nutrients", None], [None, "TP (ug/L)", "NO3"], ["A", 1, 2]]})
    found = columns(grouped, "t.xlsx")
    assert [*found] == ["site", "TP (ug/L)", "NO3"]
    assert (found["NO3"]["under"], found["TP (ug/L)"]["unit"], found["NO3"]["values"]) == (
        "nutrients",
        "ug/L",
        1,
    )
    assert described(workbook({"s": [["one"], [1], [2]]}), "t.xlsx")["rows"] == 2


def test_workbooks_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "MOST_UNPACKED", 1 << 20)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"\0" * (2 << 20))
    assert refusal(content.getvalue(), "t.xlsx").code == "limit"
    assert refusal(b"PK\x03\x04 no archive", "t.xlsx").code == "bad_input"
    assert refusal(TABLE, sheet="first").code == "bad_input"


@pytest.mark.parametrize(
    ("name", "content"), [("t.xlsx", b""), ("t.parquet", b"PAR1"), ("t.h5", b"\x89HDF\r\n\x1a\n")]
)
def test_a_missing_package_is_named(name: str, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("openpyxl", "python_calamine", "pyarrow", "h5py"):
        monkeypatch.setitem(__import__("sys").modules, package, None)
    if name == "t.xlsx":
        empty = io.BytesIO()
        with zipfile.ZipFile(empty, "w") as archive:
            archive.writestr("xl/workbook.xml", "<x/>")
        content = empty.getvalue()
    error = refusal(content, name)
    assert error.code == "unavailable" and "pip install" in error.try_


def test_what_is_no_table_is_not_sent_back_to_this_tool() -> None:
    for name in ("model.pkl", "t.csv", "t.json"):
        error = refusal(b"\x80\x04\x00.", name)
        assert "not text" in error.what and error.where == name
        assert "describe_table" not in error.try_ and f"files=['{name}']" in error.try_


@pytest.mark.parametrize(
    ("cells", "separator", "kind", "low", "high", "note"),
    [
        (["1,204", "12,345", "1,234,567", "987"], ",", "integer", 987, 1234567, "separate thousands"),
        (["1,204", "2,345"], ",", "integer", 1204, 2345, "could be decimal"),
        (["1,204.5", "987"], "\t", "number", 987, 1204.5, ""),
        (["1,234", "2,345"], ";", "number", 1.234, 2.345, "could separate thousands"),
        (["1,234", "0,5"], ",", "number", 0.5, 1.234, "decimal commas"),
        (["1.234,5", "987,25", "1.000"], ";", "number", 987.25, 1234.5, "points separate thousands"),
        (["1.234", "2.345"], ";", "number", 1.234, 2.345, ""),
        (["1 204", "1 234 567"], ";", "integer", 1204, 1234567, ""),
        (["1'204.5", "12"], ",", "number", 12, 1204.5, ""),
        (["3.5", "3,5"], ";", "number", 3.5, 3.5, "each is read by its own"),
    ],
)
def test_marks_of_numbers_follow_from_the_whole_column(
    cells: list[str], separator: str, kind: str, low: float, high: float, note: str
) -> None:
    found = columns(f"n{separator}m\n" + "".join(f'"{cell}"{separator}x\n' for cell in cells))["n"]
    assert (found["type"], found["min"], found["max"]) == (kind, low, high)
    assert note in " ".join(found.get("notes", [])) and (note or "notes" not in found)


def test_a_file_s_decimal_comma_makes_its_points_separators() -> None:
    found = columns("people;depth\n1.204;3,5\n12.345;4,25\n")
    assert (found["people"]["type"], found["people"]["max"]) == ("integer", 12345)
    assert "points separate thousands" in found["people"]["notes"][0]


@pytest.mark.parametrize(
    ("cells", "first", "last", "written"),
    [
        (["28.04.2023", "03.05.2023"], "2023-04-28", "2023-05-03", "day.month.year"),
        (["4/28/2023", "5/3/2023"], "2023-04-28", "2023-05-03", "month/day/year"),
        (
            ["28/04/2023 14:05", "03/05/2023 02:10"],
            "2023-04-28 14:05:00",
            "2023-05-03 02:10:00",
            "day/month/year",
        ),
        (
            ["4/28/23 2:05 PM", "5/3/23 12:10 AM"],
            "2023-04-28 14:05:00",
            "2023-05-03 00:10:00",
            "month/day/year",
        ),
        (["28-Apr-2023", "3 May 2023"], "2023-04-28", "2023-05-03", ""),
        (["2023/4/28", "2023/5/3"], "2023-04-28", "2023-05-03", ""),
    ],
)
def test_dates_as_people_write_them(cells: list[str], first: str, last: str, written: str) -> None:
    found = columns("d;n\n" + "".join(f"{cell};1\n" for cell in cells))["d"]
    assert (found["min"], found["max"], found.get("written_as", "")) == (first, last, written)
    assert found["type"] == ("datetime" if ":" in first else "date")


def test_dates_that_are_open_or_none() -> None:
    found = columns("d;n\n03/04/2023;1\n05/06/2023;2\n")["d"]
    assert found["type"] == "date" and "min" not in found
    assert "2023-04-03 to 2023-06-05 with the day first, else 2023-03-04 to 2023-05-06" in found["notes"][0]
    assert columns("d;n\n28/04/2023;1\n04/28/2023;2\n")["d"]["type"] == "text"
    assert columns("d;n\n31.02.2023;1\n30.02.2023;2\n")["d"]["type"] == "text"
    assert columns("v;n\n1.2.10;1\n1.3.11;2\n")["v"]["type"] == "text"


def test_codes_for_missing_values_leave_the_range() -> None:
    found = columns("depth,hpa,far\n1.2,950,9998\n-9999,1010,9999\n3.4,999.9,9997\n")
    depth = found["depth"]
    assert (depth["min"], depth["max"], depth["missing"], depth["missing_as"]) == (1.2, 3.4, 1, ["-9999"])
    assert (found["hpa"]["min"], found["hpa"]["max"], found["hpa"]["values"]) == (950, 1010, 3)  # a pressure
    assert found["far"]["max"] == 9999 and "may stand" in found["far"]["notes"][0]


WORDS = [["we", "wrote"], ["this", "above"], ["it", "for"], ["our", "lab"]]
HEADS: list[tuple[list[list[Any]], list[str], list[str], list[str], int]] = [
    (
        [
            ["Site", "Cations", None, None, "Anions"],
            [None, "Ca", "Mg", "Na", "Cl"],
            [None, *["mg/L"] * 4],
            *[["S1", 8, 2, 1, 3]] * 6,
        ],
        ["Site", "Ca", "Mg", "Na", "Cl"],
        ["", "Cations", "Cations", "Cations", "Anions"],
        ["", *["mg/L"] * 4],
        6,
    ),
    (
        [["Results"], [], ["Order", "17-3"], [], ["Sample", "As (ug/L)", "Cd (ug/L)"], *[["L0", 1, 0.1]] * 8],
        ["Sample", "As (ug/L)", "Cd (ug/L)"],
        [""] * 3,
        ["", "ug/L", "ug/L"],
        8,
    ),
    (
        [["Station", "A1"], ["Depth", 12], ["time", "temp"], [1, 2.5], [2, 3.5], [3, 3.5]],
        ["time", "temp"],
        ["", ""],
        ["", ""],
        3,
    ),
    (
        [["", "Cations", "Cations"], ["", "Ca", "Mg"], ["S1", 1, 2], ["S2", 3, 4]],
        ["(column 1)", "Ca", "Mg"],
        ["", "Cations", "Cations"],
        ["", "", ""],
        2,
    ),
    (
        [["agency", "site", "flow", "stage"], ["5s", "15s", "14n", "14n"], *[["USGS", "x", 1.5, 2]] * 4],
        ["agency", "site", "flow", "stage"],
        [""] * 4,
        [""] * 4,
        4,
    ),
    (
        [["country", "1990", "2000"], ["A", "5", "6"], ["B", "7", "8"]],
        ["country", "1990", "2000"],
        [""] * 3,
        [""] * 3,
        2,
    ),
    ([*WORDS, ["time", "temp"], [1, 2], [2, 3], [3, 4]], ["time", "temp"], ["", ""], ["", ""], 3),
]


@pytest.mark.parametrize(("rows", "names", "under", "units", "count"), HEADS)
@pytest.mark.parametrize("kind", ["xlsx", "csv"])
def test_where_a_table_begins(
    rows: list[list[Any]], names: list[str], under: list[str], units: list[str], count: int, kind: str
) -> None:
    if kind == "xlsx":
        found = described(workbook({"s": rows}), "t.xlsx")
    else:
        width = max(map(len, rows))
        padded = [
            [*("" if cell is None else str(cell) for cell in row), *[""] * (width - len(row))] for row in rows
        ]
        found = described("\n".join(map(",".join, padded)) + "\n")
    assert [each["name"] for each in found["columns"]] == names
    assert [each.get("under", "") for each in found["columns"]] == under
    assert [each.get("unit", "") for each in found["columns"]] == units
    assert found["rows"] == count


@pytest.mark.parametrize("text", ["Ca,Mg,K", "north,south,east"])
def test_a_second_heading_is_no_line_of_units(text: str) -> None:
    found = described(f"a,b,c\n{text}\n1,2,3\n4,5,6\n")
    assert found["rows"] == 2 and not any("unit" in each for each in found["columns"])


def test_merged_cells_say_what_spans_what() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [
        ["Lakes of the north"],
        ["Site", "Cations"],
        [None, "Ca", "Mg", "pH"],
        *[["S1", 80, 20, 7]] * 3,
    ]:
        book.active.append(row)
    book.active.merge_cells("A1:D1")
    book.active.merge_cells("B2:C2")
    book.create_sheet("aside").sheet_state = "hidden"
    content = io.BytesIO()
    book.save(content)
    found = described(content.getvalue(), "t.xlsx")
    assert [(each["name"], each.get("under")) for each in found["columns"]] == [
        ("Site", None), ("Ca", "Cations"), ("Mg", "Cations"), ("pH", None)
    ]  # fmt: skip
    assert (found["above"], found["hidden_sheets"]) == (["Lakes of the north"], ["aside"])


def test_formulas_without_their_values_and_numbers_stored_as_text() -> None:
    rows = [["x", "twice", "code"], [1, "=A2*2", "12"], [2, "=A3*2", "13"], [None, "=A4*2", "14"]]
    content = workbook({"s": rows})
    found = columns(content, "t.xlsx")
    assert (found["twice"]["type"], found["twice"]["values"], found["twice"].get("missing")) == (
        "formula",
        0,
        None,
    )
    assert found["x"]["missing"] == 1
    notes = describe_table(Memory({"t.xlsx": content}), "t.xlsx").notes
    assert "3 formulas whose values the file does not hold, in twice" in notes[0]
    assert notes[1] == "numbers that are stored as text: code (3)"


def test_spaces_and_aligned_columns_separate() -> None:
    aligned = "time   temp    sal\n1.0    12.5    35.1\n 2.0    12.6   35.2\n3.0   -9999    35.0\n"
    found = describe_table(Memory({"t.dat": aligned.encode()}), "t.dat")
    assert (found.format, found.rows) == ("values separated by spaces", 3)
    assert [(each["name"], each["max"]) for each in found.columns] == [
        ("time", 3.0),
        ("temp", 12.6),
        ("sal", 35.2),
    ]
    assert (
        refusal("It was 3 days before\nwe went to the river\nand then to the sea\n", "t.txt").code
        == "bad_input"
    )


PROSE = "# Notes\n\nWe went to the river, and it rained.\nThe logger was wet, the battery low.\nWe came back, late.\n"


ALIGNED = """\
* WEATHER: somewhere
@ INSI   LAT   LONG  ELEV
  SOME 47.51 -99.13  1561
@DATE  SRAD  TMAX  DEWP  WIND  EVAP
10001   6.6 -23.8 -32.6 231.7
10002       -22.7 -31.1         0.3
10003   4.2 -16.0
10004   4.9       -25.0         0.5
"""


@pytest.mark.parametrize("left", [False, True])
def test_blank_cells_below_a_heading_are_missing_in_their_own_column(left: bool) -> None:
    text = ALIGNED
    if left:
        text = "name  pH   temp  salt\nA     7.1  12.5  34\nBern       9     35\nC     6.9\nD     7    8\n"
    found = describe_table(Memory({"t.WTH": text.encode()}), "t.WTH").to_dict()
    values = {each["name"]: (each["values"], each.get("min"), each.get("max")) for each in found["columns"]}
    if left:
        assert values == {
            "name": (4, None, None),
            "pH": (3, 6.9, 7.1),
            "temp": (3, 8, 12.5),
            "salt": (2, 34, 35),
        }
        return
    assert found["rows"] == 4 and found["above"][-1] == "SOME 47.51 -99.13 1561"
    assert values["SRAD"] == (3, 4.2, 6.6) and values["DEWP"] == (3, -32.6, -25.0)
    assert values["WIND"] == (1, 231.7, 231.7) and values["EVAP"] == (2, 0.3, 0.5)


def test_a_value_that_is_its_column_s_name_begins_no_other_table() -> None:
    assert not described("x,y\nx,1\nx,2\ny,3\n", "t.csv").get("notes")


def test_tables_below_each_other_are_said() -> None:
    text = "@TRNO DATE CWAD\n1 2071 5\n1 2090 7\n2 2071 4\n@TRNO DATE LAID\n1 2071 0.5\n2 2071 0.4\n"
    assert any(
        "1 rows begin as the heading" in each
        for each in describe_table(Memory({"t.MZT": text.encode()}), "t.MZT").notes
    )
    assert "0 bytes" in refusal("", "t.csv").what


def test_prose_is_no_table_and_a_notebook_is_a_notebook() -> None:
    assert "no comma" in refusal(PROSE, "prose.md").what
    cells = [
        {"cell_type": "markdown", "source": ["# Mixing"]},
        {
            "cell_type": "code",
            "outputs": [{"output_type": "stream", "text": ["share = 0.37\n"]}],
            "source": [],
        },
    ]
    found = described(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}), "n.ipynb")
    assert (found["markdown_cells"], found["code_cells"], found["printed"]) == (1, 1, ["share = 0.37"])
    assert "columns" not in found
    for broken in ("[]", "{}", '{"cells": [3]}', "[" * 100_000):
        assert refusal(broken, "n.ipynb").code == "bad_input"
