"""Every line of the suite's page that is for a shell is run, in a folder that holds what the page presupposes.

What stands in: two legs for 200, a scripted model for a service, one leg of each variant for the release, and made
records for the sets of others. ``git clone`` alone is not run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from labrig_harness.records.items_file import read_tasks
from labrig_suites.amazing_race import suite
from support.command import labrig
from support.places import PROJECT
from support.published_race import clone_at, write_log, write_trial
from support.real_clients import binary
from support.scripted_model import Reply, scripted_model

PAGE = (PROJECT / "docs" / "suites" / "amazing-race.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def lines(number: int) -> Iterator[list[str]]:
    """The words of each line of a block; of what is asked of a service, what stands in for it."""
    for line in BLOCKS[number].replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:2] != ["git", "clone"]:
            yield [
                "2" if before == "--n" else word for before, word in zip(["", *words], words, strict=False)
            ]


def run(words: list[str], model: str = "") -> str:
    """Run one line where it is to be run, and return what it printed."""
    if words[0] == "python":
        done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        return done.stdout
    assert words[0] == "labrig", words
    if "loop" in words:
        words[words.index("anthropic:MODEL")] = "openai-chat:scripted"
        words += ["--set", f"base_url={model}/v1"]
    elif "claude-code" in words:
        words += ["--model", "scripted", "--set", f"base_url={model}"]
    ended = labrig(*words[1:])
    assert ended.returncode == 0, f"{words}\n{ended.stderr}"
    return ended.stdout


def test_the_page_has_the_five_blocks_that_are_run_here() -> None:
    firsts = [next(lines(number))[:2] for number in range(len(BLOCKS))]
    assert firsts == [
        ["labrig", "generate"],
        ["python", "-m"],
        ["python", "-m"],
        ["labrig", "generate"],
        ["labrig", "structure"],
    ]


@pytest.mark.accept
def test_legs_are_made_checked_and_run_against_models(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Path(binary("@anthropic-ai/claude-code", "claude"))
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(key, "sk-no-real-key-0123456789")
    monkeypatch.chdir(tmp_path)
    with scripted_model([("write_file", {"path": "answer.txt", "content": "7"}), Reply("7")]) as model:
        shown = [run(each, model.url) for number in (0, 1) for each in lines(number)]
    assert Path("report.html").stat().st_size > 10_000
    assert "agent-paper" in shown[4] and "agent-default" in shown[4]
    ends = {json.loads(each.read_text())["end"] for each in Path("race").rglob("trajectory.json")}
    assert ends == {"answered"}, "both runs"
    assert len(list(Path("race").rglob("trajectory.json"))) == 4


@pytest.mark.accept
def test_legs_of_a_wiki_are_made_and_run(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from labrig_atlas.articles import read_articles
    from labrig_atlas.wiki.article_pages import article_page
    from labrig_atlas.wiki.as_html import as_html
    from labrig_atlas.wiki.identity import Identity

    monkeypatch.chdir(tmp_path)
    host = Identity("wiki.example.org", "")
    Path("pages").mkdir()
    for article in read_articles():
        html = as_html(article_page(article, host.titled(article.title)))
        (Path("pages") / f"{article.title.replace(' ', '_').replace('/', '%2F')}.html").write_text(html)
    *_, shown = [run(each) for each in lines(2)]
    (out,) = {each.parent for each in Path("runs").rglob("scores.jsonl")}
    assert {json.loads(row)["strict"] for row in (out / "scores.jsonl").read_text().splitlines()} == {1.0}, (
        shown
    )


@pytest.mark.accept
def test_the_release_its_logs_a_job_and_a_run(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-no-real-key-0123456789")
    monkeypatch.chdir(tmp_path)
    clone_at(Path("clone"))
    todo = lines(3)
    run(next(todo))
    samples = read_tasks(Path("published.jsonl"), suite)
    for sample in samples:
        write_log(Path("logs") / sample.id, sample, "7")
    write_trial(Path("HARBOR-JOB"), 1, samples[0], "7", ["echo -n 7 > answer.txt"])
    with scripted_model([Reply("7")]) as model:
        shown = [run(each, model.url) for each in todo]
    assert "linear" in shown[2] and "dag" in shown[2], "Table 2"
    assert len(list(Path("published").rglob("trajectory.json"))) == len(samples)


@pytest.mark.accept
def test_the_structure_of_sets_of_others(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    clone_at(Path("clone"))
    calls = [
        {"name": "add", "label": "$var_1", "arguments": {"a": 1}},
        {"name": "sub", "label": "$var_2", "arguments": {"a": "$var_1.result$"}},
    ]
    Path("NESTFUL/data_v1").mkdir(parents=True)
    Path("NESTFUL/data_v1/one.jsonl").write_text(json.dumps({"sample_id": "1", "output": calls}) + "\n")
    named = [
        {"api": "a", "parameters": {"x": 1}, "responses": ["API_call_0"]},
        {"api": "b", "parameters": {"y": "API_call_0"}, "responses": []},
    ]
    Path("Seal-Tools/Seal-Tools_Dataset").mkdir(parents=True)
    Path("Seal-Tools/Seal-Tools_Dataset/dev.jsonl").write_text(json.dumps({"calling": named}) + "\n")
    (words,) = lines(4)
    shown = run(words)
    assert re.findall(r"^ *(\S+) +1 +0 +1 ", shown, re.MULTILINE) == [
        Path(each).name for each in words[2:]
    ], shown
