"""Packages of others that cannot be imported: the real error, and the distribution that brought them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from labrig_harness.registry import servers
from labrig_harness.registry.entries import entries
from support.command import labrig


@pytest.fixture(autouse=True)
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a distribution of others with two servers and a suite, none of which can be imported."""
    metadata = tmp_path / "Their_Lab-2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: Their_Lab\nVersion: 2\n")
    (metadata / "entry_points.txt").write_text(
        "[labrig.servers]\nlacking = their_lab:toolbox\nbad = their_bad:toolbox\n"
        "[labrig.suites]\nlacking-suite = their_lab:suite\n"
    )
    (tmp_path / "their_lab").mkdir()
    (tmp_path / "their_lab" / "__init__.py").write_text("import their_instrument\n")
    (tmp_path / "their_bad.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    entries.cache_clear()
    yield
    entries.cache_clear()


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "lacking"),
        ("tools", "lacking"),
        ("call", "lacking", "weigh"),
        ("run", "lacking-suite", "--agent", "nop", "--out", "out"),
    ],
)
def test_what_cannot_be_imported_is_named_with_who_brought_it(words: tuple[str, ...]) -> None:
    done = labrig(*words)
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert "No module named 'their_instrument'" in done.stderr
    assert "the distribution their-lab 2" in done.stderr and "labrig[" not in done.stderr


def test_a_module_that_raises_lacks_nothing() -> None:
    said = labrig("tools", "bad").stderr
    assert "ZeroDivisionError: division by zero" in said and "which should bring" not in said


def test_a_command_is_made_without_importing_the_package() -> None:
    assert servers.module("lacking") == ["-P", "-m", "labrig_harness.registry", "lacking"]
    assert servers.module("phreeqc") == ["-P", "-m", "labrig_phreeqc"]
