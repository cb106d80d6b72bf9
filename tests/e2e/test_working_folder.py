"""`labrig` is started in the folder of somebody else, such as a cloned repository: no file of it is run as a module."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from hostile.folder import lay_out
from labrig_cli import parser
from support.places import PROJECT

RUN = ("run", "phreeqc-basics", "--agent", "reference", "--limit", "1", "--out", "{tmp}/out")
VERBS: dict[str, tuple[str, ...]] = {
    "serve": ("serve", "phreeqc"),
    "tools": ("tools", "phreeqc"),
    "call": ("call", "phreeqc", "list_file", "{}"),
    "generate": ("generate", "phreeqc-basics", "--n", "1", "--seed", "1", "--out", "{tmp}/tasks.jsonl"),
    "run": RUN,
    "run, cold": RUN,
    "run, a cluster": (*RUN, "--scheduler", "local"),
    "ab": ("ab", "phreeqc-basics", "--agent", "nop", "--server", "phreeqc", "--out", "{tmp}/out"),
    "new-suite": ("new-suite", "{tmp}/questions.toml"),
    "resume": ("resume", "{tmp}/out"),
    "suites": ("suites",),
    "demo": ("demo", "--out", "{tmp}/out", "--jobs", "1"),
    "score": ("score", "{tmp}/out"),
    "audit": ("audit", "{tmp}/out"),
    "check": ("check", "--record", "{tmp}/out"),
    "judge": ("judge", "{tmp}/out", "--model", "openai:m"),
    "report": ("report", "{tmp}/out"),
    "view": ("view", "{tmp}/out"),
    "tables": ("tables", "{tmp}/out"),
    "structure": ("structure", "{tmp}/log.jsonl"),
    "compare": ("compare", "{tmp}/out", "{tmp}/out"),
    "import": ("import", "{tmp}/log.jsonl", "--out", "{tmp}/imported"),
    "export": ("export", "{tmp}/out", "--to", "atif"),
    "export-tasks": (
        *("export-tasks", "phreeqc-basics", "--format", "harbor"),
        *("--limit", "1", "--out", "{tmp}/harbor"),
    ),
    "serve-tasks": ("serve-tasks", "phreeqc-basics", "--arm", "direct"),
    "show": ("show", "{tmp}/out"),
    "proxy": ("proxy", "phreeqc", "--log", "{tmp}/log"),
    "sandbox": ("sandbox", "run", "-c", "print(1)"),
    "ledger": ("ledger", "{tmp}/ledger.sqlite"),
    "install": ("install", "codex", "phreeqc", "--path", "{tmp}/config.toml", "--yes"),
    "manifests": ("manifests", "--check"),
    "setup": ("setup", "nothing-of-this-name"),
    "doctor": ("doctor",),
    "gc": ("gc", "--dry-run"),
}
"""Words of each verb; where it would need records it says that there are none, when its modules are loaded."""
STARTS = ("tools", "call", "run", "run, cold", "run, a cluster", "demo", "proxy", "serve", "sandbox")
"""Verbs that start other Pythons, and must succeed."""
LONG = ("demo", "manifests", "ab", "run, cold")
"""Verbs that start the same Pythons as others of these, and more often."""


def test_each_verb_is_tried() -> None:
    (verbs,) = (each for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
    assert {name.partition(",")[0] for name in VERBS} == set(verbs.choices)


@pytest.mark.accept
@pytest.mark.parametrize(
    "verb", [pytest.param(each, marks=[pytest.mark.soak] * (each in LONG)) for each in VERBS]
)
def test_no_file_of_the_working_folder_is_imported(verb: str, databases: Path, tmp_path: Path) -> None:
    if verb == "run, a cluster" and find_spec("distributed") is None:
        pytest.skip("distributed is not installed")
    folder = tmp_path / "theirs"
    folder.mkdir()
    canary = lay_out(folder)
    words = [word.replace("{tmp}", str(tmp_path)) for word in VERBS[verb]]
    cold = {"LABRIG_HARNESS_SERVERS": "cold"} if verb == "run, cold" else {}
    done = subprocess.run(
        [Path(sys.executable).with_name("labrig"), *words],
        cwd=folder,
        env=os.environ | cold,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert not canary.exists(), canary.read_text()
    assert verb not in STARTS or done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_every_python_that_is_started_takes_no_module_of_its_folder() -> None:
    """By ``-P``, or ``-I`` of a program that needs nothing else."""
    starting = re.compile(r'(?:sys\.executable|str\(python\)|\bmodule = \[|return \[)[^\n]*"-m"')
    lines = [
        line
        for top in ("shared", "servers", "clients")
        for path in (PROJECT / top).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if starting.search(line)
    ]
    assert len(lines) >= 8 and [line for line in lines if '"-P"' not in line and '"-I"' not in line] == []
