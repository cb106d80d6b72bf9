"""The real Claude Code, given the repository server by ``labrig install``, finds its way in this project's checkout.

Its model is scripted on 127.0.0.1. The checkout is a copy: what git knows, and what a user has beside it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.campaign import QUESTIONS, write_campaign
from support.places import PROJECT as ROOT
from support.real_clients import ask_claude_code, install
from support.sandbox_rig import skip_unless

RUNS = "depth_m,chl (ug/L)\n1,3.5\n2,4.5\n5,\n"
CODE = """
import io, pandas as pd
pages = [path for path in list_directory("/docs/*", depth=None) if path.endswith(".md")]
table = pd.read_csv(io.StringIO(read_text_file("data/lakes.csv")))
print(len(pages), table["chl (ug/L)"].mean())
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Copy this project; beside it stand a virtual environment, a history and a table."""
    made = tmp_path / "checkout"
    for folder in ("docs", "shared", "servers"):
        shutil.copytree(ROOT / folder, made / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "README.md", made)
    (made / "data").mkdir()
    (made / "data" / "lakes.csv").write_text(RUNS)
    (made / ".venv" / "lib").mkdir(parents=True)
    (made / ".venv" / "lib" / "copy.py").write_text("class GeneratedRepository: ...\n")
    subprocess.run(["git", "init", "--quiet"], cwd=made, check=True)
    return made


@pytest.mark.accept
def test_claude_code_explores_a_checkout(checkout: Path, tmp_path: Path) -> None:
    skip_unless()
    private = tmp_path / "private"
    private.mkdir()
    install("claude-code", "repository", checkout, private, "--root", ".")
    script: list[Any] = [
        ("list_directory", {}),
        ("search_files", {"query": "class GeneratedRepository"}),
        ("describe_table", {"path": "data/lakes.csv"}),
        ("read_text_file", {"path": ".git/config"}),
        ("run_python_code", {"code": CODE}),
        "The mean is 4.0 ug/L.",
    ]
    output, requests = ask_claude_code(
        "What is the mean chlorophyll in data/lakes.csv?", script, "repository", checkout, private
    )
    events = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    results = [json.dumps(each) for each in events if each.get("type") == "user"]
    listing, search, table, history, run = results
    assert ".venv/" in listing and "README.md" in listing and ".git/" not in listing
    assert "servers/labrig_repository/gym/repository.py" in search and "copy.py" not in search
    assert "ug/L" in table and "missing" in table
    assert "is not part of the repository" in history
    assert f"{len([*(ROOT / 'docs').rglob('*.md')])} 4.0" in run
    assert events[-1]["result"] == "The mean is 4.0 ug/L."
    assert "4.0" in json.dumps(requests[-1]), "what the model was given holds the value"


@pytest.mark.accept
def test_claude_code_answers_the_questions_of_a_campaign(tmp_path: Path) -> None:
    skip_unless()
    folder, private = tmp_path / "spring", tmp_path / "private"
    private.mkdir()
    write_campaign(folder)
    install("claude-code", "repository", folder, private, "--root", ".")
    script: list[Any] = [*((each.tool, each.arguments) for each in QUESTIONS), "All are answered."]
    output, requests = ask_claude_code("What did the campaign find?", script, "repository", folder, private)
    events = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    results = [each["message"]["content"] for each in events if each.get("type") == "user"]
    assert events[-1]["result"] == "All are answered." and len(results) == len(QUESTIONS)
    for question, result in zip(QUESTIONS, results, strict=True):
        said = json.dumps(result, ensure_ascii=False)
        assert question.lacking(said) == [], said
        assert ('"image"' in said) is question.picture, question.asked
    assert '"image"' in json.dumps(requests[-1]), "the model sees the plot"
