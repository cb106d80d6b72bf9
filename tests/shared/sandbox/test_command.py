"""``labrig sandbox run`` as people use it from a shell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.sandbox_rig import skip_unless

COMMAND = [sys.executable, "-c", "import sys\nfrom labrig_cli import main\nsys.exit(main())"]


def labrig(*arguments: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run ``labrig sandbox run`` in a folder."""
    return subprocess.run(
        [*COMMAND, "sandbox", "run", *arguments],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.fixture(autouse=True)
def sandbox_is_here() -> None:
    skip_unless()


@pytest.mark.accept
def test_a_terminal_without_the_characters_is_no_error(tmp_path: Path) -> None:
    done = labrig("-c", "print('20 °C')", folder=tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout) == (0, "20 \\xb0C\n")


def test_a_folder_that_cannot_be_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file")
    done = labrig("-c", "print('it ran')", "--out", "results", folder=tmp_path)
    assert done.returncode != 0
    assert "--out" in done.stderr and "it ran" not in done.stdout


@pytest.mark.accept
def test_a_file_without_a_place_does_not_lose_the_others(tmp_path: Path) -> None:
    (tmp_path / "results" / "a").mkdir(parents=True)
    code = "for name in 'ab':\n    with open(name, 'w') as file: file.write('x')"
    done = labrig("-c", code, "--out", "results", folder=tmp_path)
    assert done.returncode == 1
    assert "not written: results/a" in done.stderr
    assert (tmp_path / "results" / "b").read_text() == "x"


@pytest.mark.accept
def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    done = labrig("-c", "open('a\\nb', 'w').close()", "--out", "results", folder=tmp_path)
    assert "1 files were not taken" in done.stderr


@pytest.mark.accept
def test_inputs_have_the_names_of_their_files(tmp_path: Path) -> None:
    (tmp_path / "k=v.csv").write_text("1")
    code = "import os\nprint(*sorted(os.listdir('inputs')))"
    done = labrig("-c", code, "--input", "k=v.csv", "--input", ".", folder=tmp_path)
    assert done.stdout == " ".join(sorted(["k=v.csv", tmp_path.name])) + "\n"
    done = labrig("-c", code, "--input", "a=", folder=tmp_path)
    assert "no path" in done.stderr
