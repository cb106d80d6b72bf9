"""A field campaign as people leave it, written by a program, and seventeen questions that a scientist asks of it.

Two loggers that write differently, a workbook with merged heads and four sheets, a NetCDF section with packed values, a
Parquet track, forty casts of which three differ, a database, a notebook, a picture. Every answer follows from the
numbers here.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy
import openpyxl
import pandas
from PIL import Image

DAYS, CASTS = 30, 40
CONDUCTIVITY = [300 + 7 * (day % 11) for day in range(DAYS)]
"""Of station A, uS/cm; -9999 on two days."""
LOST = (4, 17)
TEMPERATURE = [4.5 + 0.25 * day for day in range(DAYS)]
"""Of station B, degC."""
SO4 = [60 + 2.5 * number for number in range(6)]
PACKED = numpy.arange(120, 320, dtype="i2").reshape(10, 20)
"""Of the section: chlorophyll is 0.05 times it, ug/L."""
SPEED = [0.5 + number / 8 for number in range(50)]
SAMPLED, MEASURED = (
    [f"S{number:02d}" for number in range(12)],
    [f"S{number:02d}" for number in range(0, 12, 3)],
)

README = """# Lake campaign, spring 2024

- loggers/: station A (conductivity) and station B (temperature). -9999 is missing. Clock: UTC+1.
- lab/results.xlsx: ions and nutrients; sheet QC is not for use.
- casts/: one file a cast; QF=9 marks bad rows.
- Contact: the data manager.
"""


def write_campaign(top: Path) -> None:
    """Write the folder."""
    for folder in ("loggers", "lab", "sections", "tracks", "casts", "notebooks", "photos", "archive"):
        (top / folder).mkdir(parents=True)
    (top / "README.md").write_text(README)
    _write_loggers(top / "loggers")
    _write_workbook(top / "lab" / "results.xlsx")
    with h5py.File(top / "sections" / "chl_section.nc", "w") as file:
        file.attrs["title"] = "Chlorophyll along the thalweg"
        chl = file.create_dataset("chl", data=PACKED)
        chl.attrs.update({"units": "ug/L", "scale_factor": 0.05, "add_offset": 0.0})
    pandas.DataFrame({"speed_m_s": SPEED, "leg": ["out"] * 25 + ["back"] * 25}).to_parquet(
        top / "tracks" / "boat.parquet"
    )
    _write_casts(top / "casts")
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Share of the epilimnion"]},
        {
            "cell_type": "code",
            "metadata": {},
            "execution_count": 1,
            "source": ["print('share =', 0.37)"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["share = 0.37\n"]}],
        },
    ]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (top / "notebooks" / "share.ipynb").write_text(json.dumps(notebook))
    Image.new("RGB", (640, 480), (40, 90, 160)).save(top / "photos" / "mooring.jpg")
    (top / "archive" / "2023.csv.gz").write_bytes(
        gzip.compress(b"day;level (m)\n" + b"".join(f"{n};{n % 5},25\n".encode() for n in range(200)))
    )
    with closing(sqlite3.connect(top / "samples.sqlite")) as database:
        database.execute("CREATE TABLE samples (id TEXT, depth_m REAL)")
        database.executemany(
            "INSERT INTO samples VALUES (?, ?)", [(each, n / 2) for n, each in enumerate(SAMPLED)]
        )
        database.execute("CREATE TABLE results (sample TEXT, so4_mg_l REAL)")
        database.executemany("INSERT INTO results VALUES (?, ?)", [(each, 61.5) for each in MEASURED])
        database.commit()


def _write_loggers(folder: Path) -> None:
    lines = ["timestamp,conductivity,battery", "UTC+1,\u00b5S/cm,V"]
    for day, value in enumerate(CONDUCTIVITY):
        lines.append(f"2024-04-{day + 1:02d} 12:00,{-9999 if day in LOST else value},{12.5 - day / 100:.2f}")
    (folder / "station_A.csv").write_text("\n".join(lines) + "\n")
    rows = ["Datum;Temperatur (\u00b0C);Leitf\u00e4higkeit (\u00b5S/cm)"]
    for day, value in enumerate(TEMPERATURE):
        rows.append(f"{day + 1:02d}.04.2024;" + f"{value:.2f};{305.5 + day}".replace(".", ","))
    (folder / "station_B.csv").write_bytes(("\r\n".join(rows) + "\r\n").encode("latin-1"))


def _write_workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    ions = book.active
    ions.title = "Ions"
    ions.append(["Site", "Cations", None, "Anions", None])
    ions.append([None, "Ca", "Mg", "Cl", "SO4"])
    ions.append([None, "mg/L", "mg/L", "mg/L", "mg/L"])
    for number, so4 in enumerate(SO4):
        ions.append([f"L{number}", 80 + number, 20 + number, 30 + number, so4])
    ions.merge_cells("B1:C1")
    ions.merge_cells("D1:E1")
    nutrients = book.create_sheet("Nutrients")
    nutrients.append(["Nutrients of the spring campaign"])
    nutrients.append(["Order", "17-3"])
    nutrients.append([])
    nutrients.append(["Sample", "TP (ug/L)", "NO3-N (mg/L)"])
    for number in range(8):
        nutrients.append([f"N{number}", 11 + number, 0.5 + number / 4])
    book.create_sheet("Notes").append(["bottle 7 broke"])
    book.create_sheet("QC").sheet_state = "hidden"
    book.save(path)


def _write_casts(folder: Path) -> None:
    for number in range(CASTS):
        rows = [f"{depth},{15 - depth / 2:.1f},{9 if depth == number else 1}" for depth in range(10)]
        heading = "depth (m),temp (degC),QF"
        if number in (7, 23):
            heading = "depth (m),temp (degF),QF"
        if number == 31:
            heading, rows = "depth (m),temp (degC)", [row.rpartition(",")[0] for row in rows]
        (folder / f"cast_{number:02d}.csv").write_text("\n".join([heading, *rows]) + "\n")


@dataclass(frozen=True)
class Question:
    """A question, the call that a scientist makes, and words of the answer that decide it."""

    asked: str
    tool: str
    arguments: dict[str, Any]
    said: tuple[str, ...]
    picture: bool = False

    def lacking(self, answer: str) -> list[str]:
        """Return the words that an answer lacks; white space, and how JSON is quoted in JSON, count for nothing."""
        seen = "".join(answer.replace("\\n", " ").replace("\\", "").split())
        return [words for words in self.said if "".join(words.split()) not in seen]


FLAGGED = """
import pandas as pd
from pathlib import Path
casts = {path.name: pd.read_csv(path) for path in sorted(Path("casts").glob("*.csv"))}
print(len(casts), sum(int((table.QF == 9).sum()) for table in casts.values() if "QF" in table))
"""
WARMEST = "len(casts), max(casts, key=lambda name: casts[name].get('temp (degC)', pd.Series([0])).max())"
ORPHANS = """
import sqlite3
base = sqlite3.connect("file:samples.sqlite?immutable=1", uri=True)
print(base.execute("SELECT count(*) FROM samples WHERE id NOT IN (SELECT sample FROM results)").fetchone()[0])
"""
PLOT = """
import pandas as pd, matplotlib.pyplot as plt
table = pd.read_csv("loggers/station_A.csv", skiprows=[1], na_values=[-9999], parse_dates=["timestamp"])
plt.plot(table.timestamp, table.conductivity)
plt.title("Station A"); plt.ylabel("conductivity (uS/cm)"); plt.savefig("station_A.png")
print(f"{table.conductivity.mean():.3f} {table.conductivity.isna().sum()}")
"""
KEPT = [value for day, value in enumerate(CONDUCTIVITY) if day not in LOST]

QUESTIONS = (
    Question(
        "What is in the folder, and which files are large?", "list_directory", {"depth": 2},
        ("lab/results.xlsx  (", "photos/mooring.jpg  (", "samples.sqlite  ("),
    ),
    Question(
        "What does station A measure, in which units, and what is missing?", "describe_table",
        {"path": "loggers/station_A.csv"},
        ('"unit":"\u00b5S/cm"', f'"min":{min(KEPT)}', f'"max":{max(KEPT)}', '"missing":2', "-9999"),
    ),
    Question(
        "What does station B measure, and when?", "describe_table", {"path": "loggers/station_B.csv"},
        ('"unit":"\u00b0C"', f'"min":{TEMPERATURE[0]}', f'"max":{TEMPERATURE[-1]}', "2024-04-01", "2024-04-30"),
    ),
    Question(
        "Which files have conductivities in uS/cm?", "search_files", {"query": "uS/cm", "where": "contents"},
        ("loggers/station_A.csv", "loggers/station_B.csv"),
    ),
    Question(
        "Which sulphate was measured?", "describe_table", {"path": "lab/results.xlsx"},
        ('"under":"Anions"', '"unit":"mg/L"', f'"max":{SO4[-1]}', '"rows":6', '"hidden_sheets":["QC"]'),
    ),
    Question(
        "How much phosphorus?", "describe_table", {"path": "lab/results.xlsx", "sheet": "Nutrients"},
        ('"name":"TP (ug/L)"', '"min":11', '"max":18', '"rows":8', "Order"),
    ),
    Question(
        "What is along the thalweg?", "search_files", {"query": "thalweg"},
        ("sections/chl_section.nc", "Chlorophyll along the thalweg"),
    ),
    Question(
        "What is the mean chlorophyll of the section?", "run_python_code",
        {"code": "import xarray as xr\nprint(float(xr.open_dataset('sections/chl_section.nc').chl.mean()))"},
        (f"{0.05 * float(PACKED.mean()):.3f}",),
    ),
    Question(
        "How fast was the boat on its way back?", "run_python_code",
        {"code": "import pandas as pd\npd.read_parquet('tracks/boat.parquet').groupby('leg').speed_m_s.mean()"},
        (f"{sum(SPEED[25:]) / 25:.3f}", f"{sum(SPEED[:25]) / 25:.3f}"),
    ),
    Question(
        "Which casts are not like the others?", "describe_table", {"path": "casts/*.csv"},
        ('"files":37', "casts/cast_07.csv", "casts/cast_31.csv", "without QF", "with temp (degF)"),
    ),
    Question(
        "How many rows of the casts are flagged?", "run_python_code", {"code": FLAGGED, "session": "campaign"},
        (f"{CASTS} 10",),
    ),
    Question(
        "Which cast was the warmest, in the session of before?", "run_python_code",
        {"code": WARMEST, "session": "campaign"}, (f"({CASTS}, 'cast_00.csv')",),
    ),
    Question("What came out of the notebook?", "describe_table", {"path": "notebooks/share.ipynb"}, ("share = 0.37",)),
    Question(
        "How many samples have no result?", "run_python_code", {"code": ORPHANS}, (str(len(SAMPLED) - len(MEASURED)),),
    ),
    Question(
        "Show station A over time.", "run_python_code", {"code": PLOT},
        (f"{sum(KEPT) / len(KEPT):.3f} 2", "station_A.png"), picture=True,
    ),
    Question("What is on the photograph?", "view_file", {"path": "photos/mooring.jpg"}, ("640", "480"), picture=True),
    Question(
        "Is the archive of last year complete?", "describe_table", {"path": "archive/2023.csv.gz"},
        ('"packed":"gzip"', '"rows":200', '"max":4.25', '"unit":"m"'),
    ),
)  # fmt: skip
