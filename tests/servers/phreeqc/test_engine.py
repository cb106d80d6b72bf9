"""The engine on the real library: right numbers, typed endings, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_phreeqc.database.databases import OFFICIAL_SHA256, find_database, list_databases
from labrig_phreeqc.engine.engine import PATIENT_S, Engine
from labrig_phreeqc.engine.library import Library, find_library
from labrig_phreeqc.engine.run import Limits, provenance, record
from labrig_phreeqc.input.screening import screen
from labrig_phreeqc.runs.includes import resolve_includes
from support.places import EXAMPLES

EXAMPLE_NAMES = [f"ex{n}" for n in ("1", "2", "2b", "3", "4", "5", "7", "9", "11", "14", "16", "18")]
SEAWATER = """SOLUTION 1  SEAWATER (official example 1, major ions)
    units ppm; pH 8.22; pe 8.451; density 1.023; temp 25.0
    Ca 412.3; Mg 1291.8; Na 10768.0; K 399.1; Si 4.28; Cl 19353.0
    Alkalinity 141.682 as HCO3; S(6) 2712.0
SELECTED_OUTPUT 1
    -reset false; -ionic_strength; -si Calcite Halite Nothing
END
"""
LOOP = "SOLUTION 1\nUSER_PRINT\n10 WHILE (1)\n20 WEND\nEND\n"
FILE_ATTACKS = """SOLUTION 0-4
    Na 1; Cl 1
TRANSPORT
    -cells 3; -shifts 2; -dump {target}; -dump_frequency 1
SELECTED_OUTPUT
    -file {target}
DUMP
    -file {target}
    -all
END
INCLUDE$ {secret}
"""

pytestmark = pytest.mark.skipif(not list_databases(), reason="needs databases: labrig setup phreeqc")


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    async with Engine() as started:
        yield started


def basic(statement: str) -> str:
    return f"SOLUTION 1\nUSER_PRINT\n10 {statement}\nEND\n"


def children(pid: int) -> list[int]:
    """Return the children of a process, in the order of their ids."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def server_of(engine: Engine) -> subprocess.Popen[bytes]:
    assert engine._server is not None
    return engine._server.process


async def wait_until(condition: object) -> None:
    assert callable(condition)
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("did not happen within 5 s")


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


async def test_seawater(engine: Engine) -> None:
    run = await engine.run(SEAWATER, "PHREEQC")
    assert run.status == "ok_with_warnings"  # of the phase "Nothing"
    table = run.selected[0]
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert 0.74 <= float(row["si_Calcite"] or 0) <= 0.79
    assert row["mu"] == pytest.approx(0.67, abs=0.01)
    assert row["si_Nothing"] == -999.999
    assert "Description of solution" in run.output
    assert {"Ca", "Mg", "Na"} <= set(run.components)
    assert run.database.official == "3.8.6"
    assert run.max_rss_bytes > 1 << 20
    assert run.library.sha256[:12] in provenance(run)
    assert record(run)["database"]["sha256"] == OFFICIAL_SHA256["phreeqc.dat"]


async def test_ignored_input_is_said_first(engine: Engine) -> None:
    run = await engine.run("SOLUTIN 9\nSOLUTION 1\n Caa 1\n Na 1\nEND\n")
    assert run.status == "ok_with_warnings"
    assert run.ignored_input == [
        "Unknown input, no keyword has been specified. (line 1: SOLUTIN 9)",
        "Could not find element in database, Caa. Concentration is set to zero. (line 3: Caa 1)",
    ]
    assert run.warnings[:2] == run.ignored_input


async def test_two_selected_outputs_and_their_files(engine: Engine) -> None:
    text = (
        "SOLUTION 1\n Ca 1\nSELECTED_OUTPUT 1\n -file a.sel\n -reset false\n -pH\n"
        "SELECTED_OUTPUT 7\n -totals Ca\nUSER_PUNCH 7\n -headings name n\n10 PUNCH 'x', 3\nEND\n"
        "SELECTED_OUTPUT 1\n -file b.sel\n -reset false\n -pe\nUSE solution 1\nREACTION\n NaCl 1\n 0.1\nEND\n"
    )
    first, second = (await engine.run(text)).selected
    assert (first.user, second.user, second.file) == (1, 7, "")
    assert second.columns == ["Ca(mol/kgw)", "name", "n"]
    assert second.rows[0] == [pytest.approx(1e-3, rel=1e-6), "x", 3.0]
    assert {name: text.split()[0] for name, text in first.files.items()} == {"a.sel": "pH", "b.sel": "pe"}


async def test_errors_name_their_line(engine: Engine) -> None:
    run = await engine.run("SOLUTION 1\n Ca abc\n -foo 3\nEQUILIBRIUM_PHASES\n Calcit 0 1\nEND")
    assert run.status == "input_error"
    assert run.errors[:4] == [
        "Concentration data error for Ca in solution input. (line 2: Ca abc)",
        "Unknown option. (line 3: -foo 3)",
        "Unknown input in SOLUTION keyword. (line 3: -foo 3)",
        "Phase not found in database, Calcit. (line 5: Calcit 0 1)",
    ]


async def test_an_output_is_whole_where_the_components_cannot_be_listed(engine: Engine) -> None:
    """To list them PHREEQC looks at every reactant, and what it does not know it adds to the output, which moves."""
    unknown = "".join(f" Unknown{n} 1\n" for n in range(300))
    run = await engine.run(
        f"REACTION 1\n{unknown} 1 mol\nSOLUTION 1\n Nope 1\nEQUILIBRIUM_PHASES 1\n Nope\nEND\n"
    )
    assert run.status == "input_error"
    assert run.output.startswith("-" * 36 + "\nReading input data")
    assert "Unknown7." not in run.output, "it is of the run alone"


async def test_not_converged(engine: Engine) -> None:
    run = await engine.run("SOLUTION 1\n pH 7 charge\n Na 1000\n Cl 1\nKNOBS\n -iterations 2\nEND")
    assert run.status == "not_converged"
    assert "converge" in " ".join(run.errors)
    assert "Initial solution 1" in run.output


@pytest.mark.parametrize(
    ("text", "limits", "status", "detail"),
    [
        pytest.param(LOOP, Limits(cpu_s=1), "cpu_limit", "1 s of CPU", marks=pytest.mark.accept),
        (LOOP, Limits(wall_s=0.3), "wall_limit", "0.3 s of wall"),
        (basic('PRINT MID$("abc", 100, 5)'), Limits(), "crashed", "SIGABRT: .*out_of_range"),
        (basic("PRINT " + "(" * 200_000 + "1" + ")" * 200_000), Limits(), "crashed", "SIGSEGV"),
        (basic("GOSUB 10"), Limits(memory_bytes=300 << 20), "memory_limit", "300 MiB"),
        pytest.param(
            "SOLUTION 1-2000000\nEND",
            Limits(memory_bytes=300 << 20),
            "memory_limit",
            "300 MiB",
            marks=pytest.mark.accept,
        ),
        (SEAWATER, Limits(output_bytes=2000), "output_truncated", "cut to 2000 of"),
    ],
    ids=["cpu", "wall", "abort", "segv", "gosub", "solutions", "output"],
)
async def test_endings(engine: Engine, text: str, limits: Limits, status: str, detail: str) -> None:
    run = await engine.run(text, limits=limits)
    assert run.status == status
    assert re.search(detail, run.detail)
    assert (await engine.run(SEAWATER)).solved


async def test_two_runs_do_not_mix(engine: Engine) -> None:
    texts = [f"SOLUTION 1\n pH {6 + n / 10}\n Na {n + 1}\n Cl {n + 1}\nEND" for n in range(8)]
    together = await asyncio.gather(*(engine.run(text) for text in texts))
    alone = [await engine.run(text) for text in texts]
    assert [run.output for run in together] == [run.output for run in alone]
    assert len({run.output for run in alone}) == len(texts)


async def test_full_queue_is_busy() -> None:
    async with Engine(concurrency=1) as engine:
        runs = [asyncio.create_task(engine.run(LOOP, limits=Limits(wall_s=30))) for _ in range(17)]
        await asyncio.sleep(0.2)
        with pytest.raises(LabrigError) as caught:
            await engine.run(SEAWATER)
        assert caught.value.code == "busy"
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)


async def test_a_generator_waits_where_a_caller_is_told_that_it_is_busy() -> None:
    async with Engine(concurrency=1, queue_s=0.01) as hasty:
        first = asyncio.create_task(hasty.run(LOOP, limits=Limits(wall_s=30)))
        await solving_child(hasty)
        with pytest.raises(LabrigError, match="busy"):
            await hasty.run(SEAWATER)
        waiting = asyncio.create_task(hasty.run(SEAWATER, queue_s=PATIENT_S))
        await asyncio.sleep(0.05)
        first.cancel()
        assert (await waiting).solved


async def solving_child(engine: Engine) -> int:
    """Wait for the one child that solves, and return its process id."""
    await wait_until(lambda: engine._server is not None and len(children(server_of(engine).pid)) == 1)
    (child,) = children(server_of(engine).pid)
    return child


async def test_cancel_kills_the_child(engine: Engine) -> None:
    run = asyncio.create_task(engine.run(LOOP))
    child = await solving_child(engine)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert is_gone(child)
    assert children(server_of(engine).pid) == []


async def test_close_ends_runs_as_cancelled(engine: Engine) -> None:
    run = asyncio.create_task(engine.run(LOOP))
    child = await solving_child(engine)
    await engine.close()
    assert (await run).status == "cancelled"
    await wait_until(lambda: is_gone(child))


async def test_dead_fork_server_is_replaced(engine: Engine) -> None:
    run = asyncio.create_task(engine.run(LOOP))
    child = await solving_child(engine)
    server_of(engine).kill()
    with pytest.raises(LabrigError) as caught:
        await run
    assert caught.value.code == "engine"
    await wait_until(lambda: is_gone(child))
    assert (await engine.run(SEAWATER)).solved


async def test_killed_parent_leaves_no_orphan() -> None:
    program = f"import asyncio; from labrig_phreeqc.engine.engine import Engine\nasyncio.run(Engine().run({LOOP!r}))"
    parent = subprocess.Popen([sys.executable, "-c", program])
    found: list[int] = []

    def solving() -> bool:
        first = children(parent.pid)
        found[:] = [*first, *(each for pid in first for each in children(pid))]
        return len(found) == 2

    await wait_until(solving)
    await asyncio.sleep(0.3)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    await wait_until(lambda: all(map(is_gone, found)))


@pytest.mark.accept
async def test_descriptors_stay_stable(engine: Engine) -> None:
    async def open_descriptors() -> tuple[int, int]:
        """Return how many are open when the child that waits for the next run is gone, and every other."""
        server = engine._server
        assert server is not None
        await wait_until(lambda: server._ahead is not None)
        server._let_end()
        await wait_until(lambda: not server.runs)
        assert children(server.process.pid) == []
        return len(os.listdir("/proc/self/fd")), len(os.listdir(f"/proc/{server.process.pid}/fd"))

    await engine.run(SEAWATER)
    before = await open_descriptors()
    for n in range(200):
        await engine.run(basic('PRINT MID$("a", 9, 9)') if n % 10 == 0 else "SOLUTION 1\nEND")
    assert await open_descriptors() == before


async def test_files_are_out_of_reach_without_screening(engine: Engine, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("TITLE the secret text\n")
    attacks = [
        FILE_ATTACKS.format(target=tmp_path / "written", secret=secret),
        f"INCLUDE$ {secret}\nSOLUTION 1\nEND",
        basic(f'LOAD "{secret}"'),
        (EXAMPLES / "ex16").read_text().replace("-range", f"-lon_netpath {tmp_path / 'net'}\n-range")
        if EXAMPLES.is_dir()
        else "",
        "SOLUTION 1\nKINETICS\nrate\n -m 1\nRATES\nrate\n-start\n10 SAVE 1e10 * TIME\n-end\nEND",
    ]
    for attack in attacks:
        run = await engine.run(attack, limits=Limits(cpu_s=5))
        assert "the secret text" not in run.output
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


async def test_mismatched_database_is_refused_with_the_reason() -> None:
    current = find_library()
    bundled = current.packages / "phreeqpy" / "iphreeqc" / "phreeqc3" / "libiphreeqc-3.7.3.so"
    if not bundled.is_file():
        pytest.skip("phreeqpy bundles no 3.7.3 library for this system")
    async with Engine(library=Library(bundled, "phreeqpy", current.packages)) as engine:
        with pytest.raises(LabrigError, match="cannot be loaded") as caught:
            await engine.run(SEAWATER)
    assert caught.value.code == "unavailable"
    assert caught.value.where


async def test_missing_library_is_a_typed_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"not a library")
    async with Engine(library=replace(find_library(), path=broken)) as engine:
        with pytest.raises(LabrigError) as caught:
            await engine.run(SEAWATER)
    assert caught.value.code == "unavailable"


def test_databases_by_name_only() -> None:
    assert find_database(" Phreeqc ").name == "phreeqc.dat"
    for name, code in [("../phreeqc.dat", "refused"), ("/x", "refused"), ("phreeq.dt", "not_found")]:
        with pytest.raises(LabrigError) as caught:
            find_database(name)
        assert caught.value.code == code
    with pytest.raises(LabrigError, match="add-on"):
        find_database("concrete_phr")


def test_no_database_names_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LABRIG_PHREEQC_DATABASES", str(tmp_path))
    with pytest.raises(LabrigError, match="labrig setup phreeqc"):
        find_database("phreeqc.dat")


@pytest.mark.parametrize(
    "name",
    [*EXAMPLE_NAMES, pytest.param("ex21", marks=pytest.mark.accept)],
)
async def test_official_example(engine: Engine, name: str) -> None:
    """Headings as in the reference output; selected output equal where the system is well posed."""
    if not (EXAMPLES / name).is_file():
        pytest.skip("the official examples are not here")
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    resolved = await resolve_includes(text, lambda _: None, engine.run)
    screen(resolved)
    run = await engine.run(resolved)
    assert run.solved
    assert not run.ignored_input
    reference = EXAMPLES / "reference_out"
    assert headings(run.output) == headings((reference / f"{name}.out").read_text(errors="replace"))
    for file, written in run.files.items():
        if (reference / file).is_file():
            compare_tables(written, (reference / file).read_text())


def headings(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith("---") and line.strip("-")]


def compare_tables(ours: str, theirs: str) -> None:
    """Compare numbers to 0.1 %; columns ``pe`` are left out, since unbuffered waters do not fix it."""
    a, b = ([line.split("\t") for line in text.splitlines()] for text in (ours, theirs))
    assert [cell.strip() for cell in a[0]] == [cell.strip() for cell in b[0]]
    assert len(a) == len(b)
    compared = [n for n, name in enumerate(a[0]) if name.strip() not in ("", "pe")]
    for row, other in zip(a[1:], b[1:], strict=True):
        for n in compared:
            if row[n].strip() != other[n].strip():
                assert float(row[n]) == pytest.approx(float(other[n]), rel=1e-3, abs=1e-12)


async def test_startup_is_lazy(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(subprocess, "Popen", lambda *words, **more: started.append(words))
    engine = Engine()
    assert engine._server is None and not started
    await engine.close()


@pytest.mark.parametrize("first", ["", "SELECTED_OUTPUT\n -pH\n", "PRINT\n -reset false\n"])
async def test_a_failure_to_converge_has_its_reasons_whatever_is_printed(first: str) -> None:
    """With SELECTED_OUTPUT the library keeps no text of errors; the output has it."""
    async with Engine() as engine:
        run = await engine.run(f"{first}SOLUTION 1\n pH 30\n Na 1\nEND\n")
    assert run.status == "not_converged"
    assert any("failed to converge" in each for each in run.errors)
    assert not any("reset false" in each for each in run.warnings), "no line of the input is to blame"


async def test_of_equal_lines_the_one_without_keyword_is_named() -> None:
    async with Engine() as engine:
        stray = await engine.run("SOLUTION 1\n Na 1\nEND\n Na 1\nSOLUTION 2\nEND\n")
    assert next(each for each in stray.warnings if "no keyword" in each).endswith("(line 4: Na 1)")
