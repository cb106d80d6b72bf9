"""Searching a corpus of 10,000 documents: by formulas and words that few or all of them have, and for a precedent.

The documents are texts, put into the store as the reader of PDFs would; their words are drawn as those of a language
are, a few often and most seldom.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from labrig_papers.corpus.searching import search
from labrig_papers.corpus.store import Document, add, opened
from labrig_papers.precedents.finding import look

DOCUMENTS, WORDS, ROUNDS, MOST_MS = 10_000, 300, 9, 50
ELEMENTS = (
    "La",
    "Y",
    "Lu",
    "Sc",
    "Ca",
    "Sr",
    "Ni",
    "Pd",
    "Pt",
    "Rh",
    "Ir",
    "Ru",
    "Si",
    "Ge",
    "Sn",
    "Sb",
    "As",
    "P",
    "B",
    "C",
)


def _documents(draw: random.Random) -> tuple[list[Document], str, str]:
    """Return the documents, a formula that one of them has, and a word that few have."""
    syllables = [first + second for first in "bcdfglmnprst" for second in "aeiou"]
    words = ["".join(draw.choices(syllables, k=draw.randint(2, 4))) for _ in range(5_000)]
    made = []
    for number in range(DOCUMENTS):
        formula = "".join(f"{symbol}{draw.randint(2, 9)}" for symbol in draw.sample(ELEMENTS, 3))
        prose = " ".join(words[min(int(draw.paretovariate(0.8)) - 1, len(words) - 1)] for _ in range(WORDS))
        stated = f"The superconducting transition of {formula} was measured. MgB2 is known."
        text = f"{stated} {prose} A sample had {number % 90} K."
        made.append(
            Document(f"{number:064}", f"/{number}.pdf", f"Measurement of {formula}", "", 2000, [text])
        )
    return made, formula, words[-40]


def _milliseconds(work: Callable[[], object]) -> str:
    work()
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        times.append((time.process_time() - began) * 1000)
    return f"{median(times):6.1f} ms, at best {min(times):.1f}"


def main() -> None:
    """Print what adding a document and each kind of search takes."""
    documents, formula, rare = _documents(random.Random("literature"))
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "c.sqlite", make=True) as database:
        database.execute("PRAGMA synchronous=OFF")
        began = time.process_time()
        for document in documents:
            add(database, document)
        each = (time.process_time() - began) / DOCUMENTS * 1000
        print(f"{DOCUMENTS:,} documents of {WORDS} words: {each:.1f} ms of processor time to add one")
        print(f"a search, processor time, median of {ROUNDS} (at most {MOST_MS} ms):")
        common = "superconducting transition measured sample"
        for about, question in {
            "formula of one document": formula,
            "formula of all documents": "MgB2",
            "rare word": rare,
            "four words that all have": common,
            "formula and words of all": f"MgB2 {common}",
            "words that all have, one that none has": f"{common} xyzzy",
        }.items():
            print(f"  {about:40} {_milliseconds(lambda: search(database, question))}")  # noqa: B023
        print(
            f"  {'precedent of a material of one document':40} {_milliseconds(lambda: look(database, formula))}"
        )


if __name__ == "__main__":
    main()
