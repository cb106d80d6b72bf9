"""Locks on files in a run are pretended: SQLite works there, and an input can be locked by nobody inside.

HDF5 is in `test_earth`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from support.sandbox_rig import Rig, rig

SQLITE = """
import sqlite3, threading
for mode in ("delete", "wal"):
    def connected():
        made = sqlite3.connect(mode, timeout=0.2)
        made.execute(f"pragma journal_mode={mode}")
        return made
    one, other = connected(), connected()
    one.execute("create table t (x)")
    one.commit()
    one.execute("insert into t values (1)")
    try:
        other.execute("insert into t values (2)")
    except sqlite3.OperationalError as error:
        print(error)
    one.rollback()
    def add(number):
        with connected() as mine:
            mine.execute("insert into t values (?)", [number])
    for number in range(5):
        threads = [threading.Thread(target=add, args=(number,))]
        [each.start() for each in threads], [each.join() for each in threads]
    print(other.execute("pragma integrity_check").fetchone(), other.execute("select sum(x) from t").fetchone())
"""
INPUT = """
import fcntl, sqlite3
number = open("inputs/base")
fcntl.flock(number, fcntl.LOCK_SH)
fcntl.lockf(number, fcntl.LOCK_SH)
reading = sqlite3.connect("file:inputs/base?mode=ro", uri=True)
rows = reading.execute("select x from t order by x")
print(next(rows), write_on_the_host(), len(list(rows)))
"""


@pytest.fixture(scope="module", params=["bubblewrap", pytest.param("landlock", marks=pytest.mark.accept)])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def lab(backend: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rig, Path]]:
    root = tmp_path_factory.mktemp("root")
    with rig(backend=backend, roots=[root], warm=False) as made:
        yield made, root


def test_sqlite_keeps_its_order_within_a_run(lab: tuple[Rig, Path]) -> None:
    done = lab[0].run(SQLITE)
    assert (done.status, done.error) == ("ok", "")
    assert done.output.splitlines() == ["database is locked", "('ok',) (10,)"] * 2


def test_no_run_keeps_the_host_from_writing_to_an_input(lab: tuple[Rig, Path]) -> None:
    base = lab[1] / "base"
    with closing(sqlite3.connect(base)) as made, made:
        made.execute("create table t (x)")
        made.executemany("insert into t values (?)", [(number,) for number in range(1000)])

    async def write_on_the_host() -> str:
        with closing(sqlite3.connect(base, timeout=0)) as made, made:
            made.execute("insert into t values (1000)")
        return "written"

    done = lab[0].run(INPUT, inputs={"base": base}, functions={"write_on_the_host": write_on_the_host})
    assert (done.status, done.error) == ("ok", "")
    assert done.output.startswith("(0,) written ")
