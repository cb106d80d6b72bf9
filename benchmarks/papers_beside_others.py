"""Real pages read by this server's reader, PyMuPDF4LLM, pypdf and pdfplumber: what each keeps, and its processor time.

Powers and scripts were chosen from the pages' text and the field's notation; rows of tables are those of
``tests/real/papers_by_eye.csv``, on whose pages this reader was mended. A reader keeps a power or a script where it
marks it, in whatever way (``10^{26}``, ``<sup>``, ``²⁶``), and a row where one line or row of its output has each value
in a cell of its own; each is asked in its best way for that. PyMuPDF's plain text, which marks nothing, is the measure
of time.

The papers lie in ``shared/data/real-papers``. The others are installed with pip into a cache once; neither is part of
Labrig.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAPERS = ROOT.parent / "shared" / "data" / "real-papers"
READ_BY_EYE = ROOT / "tests" / "real" / "papers_by_eye.csv"
PLACE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "labrig-bench" / "pdf-readers"
PEERS = ("pymupdf4llm==1.28.2", "pypdf==7.1.1", "pdfplumber==0.11.10")
POWERS = {
    ("1903.10612", 4): ("10^26 m^-3",),
    ("1903.10612", 5): ("8.58 × 10^26 m^-3", "2.8 × 10^26 m^-3"),
    ("1609.04957", 3): ("4.96 × 10^-4",),
    ("1903.06841", 3): ("10^3",),
}
SCRIPTS = {
    ("1903.10612", 4): ("WS_2", "T_c", "n_s", "λ^-2", "H_c2"),
    ("1903.08036", 3): ("SnSe_2", "T_c", "Li_x(THF)_ySnSe_2", "Li_0.2SnSe_2"),
    ("1609.04957", 3): ("T_c", "LaFeAsO_1-xH_x", "T_1"),
    ("1903.06841", 3): ("T_C", "UGe_2", "T_0", "p_eff", "p_s", "χ_0"),
}
TABLES = (("1903.06841", 3), ("1903.06841", 8), ("hal-00398330", 7))
ASK = """
import json, sys, time
folder, pages = sys.argv[1], json.loads(sys.argv[2])
import pdfplumber, pymupdf, pymupdf4llm, pypdf

def plain(path, number):
    with pymupdf.open(path) as document:
        return document[number - 1].get_text(), []

def llm(path, number):
    text = pymupdf4llm.to_markdown(path, pages=[number - 1], use_ocr=False, show_progress=False)
    return text, [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]

def by_pypdf(path, number):
    page = pypdf.PdfReader(path).pages[number - 1]
    laid = page.extract_text(extraction_mode="layout")
    return page.extract_text(), [line.split("  ") for line in laid.splitlines()]

def plumber(path, number):
    with pdfplumber.open(path) as document:
        page = document.pages[number - 1]
        rows = [row for table in page.extract_tables() for row in table]
        rows += [row for table in page.extract_tables({"vertical_strategy": "text", "horizontal_strategy": "text"})
                 for row in table]
        return page.extract_text(), [[cell or "" for cell in row] for row in rows]

found = {}
for name, read in (("PyMuPDF, plain", plain), ("PyMuPDF4LLM", llm), ("pypdf", by_pypdf), ("pdfplumber", plumber)):
    read(f"{folder}/{pages[0][0]}.pdf", pages[0][1])
    began = time.process_time()
    answers = [read(f"{folder}/{paper}.pdf", number) for paper, number in pages]
    found[name] = {"seconds": time.process_time() - began, "answers": answers}
with open(sys.argv[3], "w") as out:
    json.dump(found, out)
"""

Answer = tuple[str, list[list[str]]]


def ours(paper: str, number: int) -> Answer:
    """Read a page as the server does, and its tables."""
    from labrig_papers.pdf.opening import opened
    from labrig_papers.pdf.pages import read_pages
    from labrig_papers.pdf.tables import find_tables

    with opened(str(PAPERS / f"{paper}.pdf"), paper) as document:
        (page,) = read_pages(document, [number])
    return page.text, [[cell.text for cell in row] for table in find_tables(page) for row in table.rows]


def without_emphasis(text: str) -> str:
    """Return Markdown without the marks of italics and bold, and with its scripts as ``^`` and ``_``."""
    text = re.sub(r"_([^_\n]{1,60}?)_", r"\1", text.replace("*", "")) if "<sup>" in text else text
    return text.replace("<sup>", "^").replace("<sub>", "_").replace("</sup>", "").replace("</sub>", "")


def marked(text: str) -> str:
    """Return a text with scripts as ``^`` and ``_``, without braces and white space."""
    for digits, sign in (("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "^"), ("₀₁₂₃₄₅₆₇₈₉₋", "_")):
        for run in set(re.findall(f"[{digits}]+", text)):
            text = text.replace(run, sign + run.translate(str.maketrans(digits, "0123456789-")))
    return re.sub(r"[\s{}]", "", text).replace("−", "-").replace("×", "x")


def rows_of(paper: str, page: int) -> list[list[str]]:
    """Return the values of each row of a table that was read by eye."""
    rows: dict[float, list[str]] = defaultdict(list)
    with READ_BY_EYE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if (row["paper"], row["page"], row["where"]) == (paper, str(page), "table"):
                rows[round(float(row["bottom"]))].append(row["printed"])
    return [each for each in rows.values() if len(each) > 1]


def has_row(rows: list[list[str]], wanted: list[str]) -> bool:
    """Tell whether a row has each value in a cell of its own."""
    folded = [[re.sub(r"[^\w.()+]", "", marked(cell)) for cell in row] for row in rows]
    values = [re.sub(r"[^\w.()+]", "", marked(value)) for value in wanted]
    return any(all(value in row for value in values) for row in folded)


def main() -> None:
    """Print what each reader keeps of the same pages, and its processor time a page."""
    if not PAPERS.is_dir():
        print("shared/data/real-papers is absent: nothing to compare")
        return
    python = PLACE / "bin" / "python"
    try:
        subprocess.run([sys.executable, "-m", "venv", str(PLACE)], check=not python.exists())
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PEERS], check=True, capture_output=True)
    except subprocess.CalledProcessError:
        print(f"{', '.join(PEERS)} cannot be installed here: nothing to compare")
        return
    pages = list(dict.fromkeys([*POWERS, *SCRIPTS, *TABLES]))
    out = PLACE / "answers.json"
    subprocess.run(
        [str(python), "-c", ASK, str(PAPERS), json.dumps(pages), str(out)], check=True, capture_output=True
    )
    found = json.loads(out.read_text())
    ours(*pages[0])
    began = time.process_time()
    answers = [ours(*page) for page in pages]
    found = {"labrig": {"seconds": time.process_time() - began, "answers": answers}, **found}
    plain = found["PyMuPDF, plain"]["seconds"]
    print(f"{len(pages)} pages   powers of ten   scripts   rows of tables   ms a page (of plain PyMuPDF)")
    for name, each in found.items():
        told: dict[tuple[str, int], Answer] = dict(zip(pages, map(tuple, each["answers"]), strict=True))
        counts = []
        for kept in (POWERS, SCRIPTS):
            wanted = [(page, marked(item)) for page, items in kept.items() for item in items]
            counts.append(
                f"{sum(item in marked(without_emphasis(told[page][0])) for page, item in wanted)} of {len(wanted)}"
            )
        rows = [(page, row) for page in TABLES for row in rows_of(*page)]
        counts.append(f"{sum(has_row(told[page][1], row) for page, row in rows)} of {len(rows)}")
        seconds = each["seconds"]
        each_page = f"{1000 * seconds / len(pages):.0f} ({seconds / plain:.1f})"
        print(f"{name:16} {counts[0]:>12} {counts[1]:>12} {counts[2]:>14} {each_page:>14}")


if __name__ == "__main__":
    main()
