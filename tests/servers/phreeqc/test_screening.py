"""Screening and includes: what would touch files is refused by line, what only looks like it passes."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_phreeqc.database.databases import list_databases
from labrig_phreeqc.engine.engine import Engine
from labrig_phreeqc.engine.run import Run
from labrig_phreeqc.input.screening import database_named, screen
from labrig_phreeqc.input.statements import declared_files, is_include, statements
from labrig_phreeqc.runs.includes import resolve_includes
from support.places import EXAMPLES

RADIAL_SHA256 = "46e7171250841b3402580a2dd9c5be2ae60e06ff31095fd304a8592a3c517d61"

REFUSED = {
    "nul": ("SOLUTION 1\n pH 7\0\nEND", 2),
    "include path": ("SOLUTION 1\n pH 7\nINCLUDE$ /etc/passwd", 3),
    "include any case": ("SOLUTION 1; iNcLuDe$ ../x", 1),
    "include other spelling": ("include_file /etc/passwd", 1),
    "include prefix": ("INCLUDE$anything /etc/passwd", 1),
    "include in Basic": ("USER_PRINT\n10 PRINT 1\nINCLUDE$ /etc/passwd\n", 3),
    "include in a title": ("TITLE words\nINCLUDE$ /etc/passwd\n", 2),
    "include over a joined line": ("SOLUTION 1\nINCLUDE$ \\  \n/etc/passwd", 2),
    "include behind a dead comment": ("TITLE \\# no comment ; INCLUDE$ /etc/passwd", 1),
    "include after a backslash": ("TITLE a\\;b; INCLUDE$ /etc/passwd", 1),
    "include hidden file": ("INCLUDE$ .bashrc", 1),
    "transport dump": ("TRANSPORT\n -cells 3\n -dump /tmp/x\n", 3),
    "transport dump abbreviated": ("TRANSPORT\n -du x; -shifts 3\n", 2),
    "transport dump frequency": ("TRANSPORT; dump_frequency 3\n", 1),
    "netpath": ("INVERSE_MODELING 1\n -l /tmp/x\n", 2),
    "pattern netpath": ("INVERSE_MODELING\n pat_netpath x\n", 2),
    "selected output path": ("SELECT_OUT 2\n -fi ../x\n", 2),
    "selected output drive": ("SELECTED_OUTPUT\n file C:x\n", 2),
    "dump path": ("DUMP\n -f /tmp/x\n -all", 2),
    "poke": ("USER_PRINT\n10 POKE 1, 2\n", 2),
    "peek in any case": ("USER_PUNCH\n -start\n10 PUNCH PeEk(0)\n", 3),
    "peek in brackets": ("RATES\nr\n -start\n10 a = PEEK[0]\n", 4),
    "peek without brackets": ("CALCULATE_VALUES\nr\n10 SAVE peek 0\n", 3),
    "poke close to its number": ("USER_PRINT\n10POKE 1,2\n", 2),
    "peek close to a number": ("USER_PRINT\n10 PRINT 1PEEK(0)\n", 2),
    "poke behind a hexadecimal number": ("USER_PRINT\n0x1POKE 1,2\n", 2),
    "poke after a tab": ("USER_PRINT\n10\tpoke\t1,2\n", 2),
    "poke after a colon": ("USER_PRINT\n10 a = 1:POKE 1,2\n", 2),
    "poke after THEN": ("USER_PRINT\n10 IF 1 THEN POKE 1,2\n", 2),
    "poke in a joined line": ("USER_PRINT\n10 \\\nPOKE 1,2\n", 2),
    "poke after a semicolon": ("USER_PRINT; 10 a=1; 20 POKE 1,2\n", 1),
    "poke behind a string": ("USER_PRINT\n10 PRINT 'a': POKE 1,2\n", 2),
    "poke in a graph": ("USER_GRAPH\n -start\n10 POKE 1,2\n", 3),
    "poke without a number": ("USER_PRINT\nPOKE 1,2\n", 2),
}
PASSES = {
    "comment": "SOLUTION 1 # INCLUDE$ /etc/passwd\n# ; INCLUDE$ /etc/passwd\n",
    "not the first word": "TITLE we INCLUDE$ /etc/passwd\n",
    "include of nothing": "INCLUDE$\n",
    "diffc in transport": "TRANSPORT\n -d 0.3e-9\n -disp 1\n",
    "dump keyword ends transport": "TRANSPORT\n -cells 2\nDUMP\n -all\n",
    "phases in inverse": "INVERSE_MODELING\n -p Calcite\n -phase_data\n",
    "Basic": "USER_PUNCH\n -start\n10 file$ = '/tmp/x'\n20 PUNCH file$\n -end\n",
    "option of another block": "PRINT\n -dump false\n",
    "peek in a title": "TITLE peek and poke (1)\n",
    "peek in a string": "USER_PRINT\n10 PRINT 'PEEK(0)', \"POKE 1,2\"\n",
    "peek in a remark": "USER_PRINT\n10 REM PEEK(0)\n20 PRINT 1: rem poke 1,2\n",
    "peek in a comment": "USER_PRINT\n10 PRINT 1 # PEEK(0)\n",
    "peek in longer names": "USER_PRINT\n10 peek_ = 1: poke$ = 'a': x1poke = 2: PO KE = 1\n",
    "a rate of this name": "RATES\nPeek\n -start\n10 SAVE 0\n -end\n",
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses_what_touches_files(case: str) -> None:
    text, line = REFUSED[case]
    with pytest.raises(LabrigError) as caught:
        screen(text)
    assert caught.value.code == "refused"
    assert caught.value.where.startswith(f"line {line} ")
    assert caught.value.expected or caught.value.try_


@pytest.mark.parametrize("case", PASSES)
def test_passes_what_only_looks_like_it(case: str) -> None:
    assert screen(PASSES[case]) == []


def test_notices_say_what_will_not_happen() -> None:
    text = "DATABASE pitzer.dat\nSELECTED_OUTPUT\n -file out.sel\nUSER_GRAPH\n -axis x\nINCLUDE$ more\n"
    assert [(notice.kind, notice.line) for notice in screen(text)] == [
        ("database", 1),
        ("file", 3),
        ("graph", 4),
        ("include", 6),
    ]


@given(st.text(alphabet="aA#;\\\n\r\t $-1", max_size=60))
def test_statements_cover_any_text_once_and_in_order(text: str) -> None:
    end = 0
    for statement in statements(text):
        assert end <= statement.start < statement.end <= len(text)
        assert statement.line == text.count("\n", 0, statement.start) + 1
        assert statement.first
        end = statement.end


@given(
    st.lists(
        st.sampled_from(
            ["SELECTED_OUTPUT", "-f", "file", "-", "F", "I", "le", "\\\n", ";", "\n", " ", "x.sel"]
        )
    )
)
def test_an_input_that_is_not_read_for_files_names_none(pieces: list[str]) -> None:
    text = "SELECTED_OUTPUT 1\n" + "".join(pieces)
    assert declared_files(text) == declared_files(f"{text}\n# file")


async def _never(_: str) -> Run:
    raise AssertionError("no run is needed")


async def test_include_is_replaced_by_the_workspace_file() -> None:
    files = {"a": "Na 1\nINCLUDE$ b", "b": "Cl 1"}
    text = "SOLUTION 1; INCLUDE$ a # salt\nEND\n"
    assert await resolve_includes(text, files.get, _never) == "SOLUTION 1;Na 1\nCl 1\nEND\n"


async def test_included_text_is_screened_where_it_lands() -> None:
    with pytest.raises(LabrigError, match="dump"):
        await resolve_includes("TRANSPORT\nINCLUDE$ a\n", {"a": "-dump x"}.get, _never)


@pytest.mark.parametrize(("name", "code"), [("../a", "refused"), ("absent", "refused"), ("loop", "limit")])
async def test_include_refusals(name: str, code: str) -> None:
    with pytest.raises(LabrigError) as caught:
        await resolve_includes(f"INCLUDE$ {name}\n", {"loop": "INCLUDE$ loop"}.get, _never)
    assert caught.value.code == code


async def test_example_21_includes_what_it_wrote() -> None:
    if not (EXAMPLES / "ex21").is_file() or not list_databases():
        pytest.skip("needs the official examples and the databases (labrig setup phreeqc)")
    text = (EXAMPLES / "ex21").read_text(encoding="utf-8")
    runs: list[Run] = []
    async with Engine() as engine:

        async def run_prefix(prefix: str) -> Run:
            runs.append(await engine.run(prefix))
            return runs[-1]

        resolved = await resolve_includes(text, lambda _: None, run_prefix)
    assert hashlib.sha256(runs[0].files["radial"].encode()).hexdigest() == RADIAL_SHA256
    assert runs[0].files["radial"] in resolved
    assert not any(map(is_include, statements(resolved)))


@pytest.mark.parametrize(
    "path", ["./rates.inc", "rates.inc", "sub/../rates.inc", "deep/rates.inc", "./deep/rates.inc"]
)
async def test_an_include_may_write_its_way_to_the_workspace(path: str) -> None:
    files = {"rates.inc": "PHASES\n", "deep/rates.inc": "RATES\n"}

    async def never(_: str) -> Any:
        raise AssertionError("nothing runs before a file that is there")

    text = await resolve_includes(f"INCLUDE$ {path}\nSOLUTION 1\nEND\n", files.get, never)
    assert text == files[path.replace("sub/../", "").removeprefix("./")] + "SOLUTION 1\nEND\n"


@pytest.mark.parametrize(
    "line", ["pitzer.dat", "../database/pitzer.dat", "C:\\phreeqc\\database\\PITZER.DAT"]
)
def test_a_database_line_names_a_file(line: str) -> None:
    text = f"SOLUTION 1 # DATABASE iso.dat\nEND\nDATABASE {line}\nSOLUTION 1\nEND\n"
    assert database_named(text).casefold() == "pitzer.dat"
    assert screen(text, "pitzer.dat") == []
    assert [notice.line for notice in screen(text, "phreeqc.dat")] == [3]
