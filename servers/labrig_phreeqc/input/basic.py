"""Words of the Basic in an input or a database, cut as PHREEQC cuts them (``PBasic::parse``, release 3.8.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from labrig.errors import LabrigError
from labrig_phreeqc.database.databases import Database
from labrig_phreeqc.input.statements import Statement, statements

BLOCKS = frozenset(("RATES", "USER_PRINT", "USER_PUNCH", "USER_GRAPH", "CALCULATE_VALUES"))
MEMORY = {"peek": "reads", "poke": "writes"}
"""Words that work on the memory of the process."""
_TOKEN = re.compile(
    r"""
    (?P<string> "[^"]*"? | '[^']*'? )
    | (?P<number> (?: 0[xX][0-9a-fA-F]+ | \d+\.?\d* | \.\d+ ) (?: [eE][+-]?\d+ )? )
    | (?P<word> [A-Za-z][A-Za-z0-9_$]* )
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


def words(line: str) -> Iterator[str]:
    """Yield the words of a line of Basic in lower case; strings and what follows REM are none."""
    for token in _TOKEN.finditer(line):
        if token["word"]:
            word = token["word"].lower()
            if word == "rem":
                return
            yield word


def check_memory(statement: Statement, where: str) -> None:
    """Refuse PEEK and POKE; they are switched off in the library too, where that can be (`engine.basic_words`).

    A line of one word alone is the name of a rate, or an error.

    Raises
    ------
    LabrigError
        ``refused``.
    """
    if statement.block not in BLOCKS or statement.is_keyword or not statement.rest:
        return
    for word in words(statement.text):
        if word in MEMORY:
            raise LabrigError(
                f"{word.upper()} in Basic {MEMORY[word]} the memory of PHREEQC's process",
                where=where,
                expected="a program without PEEK and POKE",
                try_="PUT and GET, which keep numbers between programs",
                code="refused",
            )


def check_database(database: Database) -> None:
    """Refuse a database of one's own whose programs use PEEK or POKE."""
    if database.official is None:
        _check_file(database.path, database.sha256)


@lru_cache(maxsize=64)
def _check_file(path: Path, sha256: str) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    if not re.search("|".join(MEMORY), text, re.IGNORECASE):
        return
    for statement in statements(text):
        check_memory(statement, f"line {statement.line} of {path.name}")
