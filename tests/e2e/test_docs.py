"""The examples in README, docs and skills are executed, and the generated parts are what the code would write.

- A ``python`` block runs as a program; one that begins with ``# file: NAME`` is written to that file instead.
- In a ``console`` block each line that begins with ``$`` is a command; it must succeed, and the lines that follow
  must appear in its output in this order, ``...`` standing for any lines. Blocks of a page share a folder. ``labrig``
  runs in the process of the tests, where all is imported once; ``make soak ONLY=large`` runs it as a shell would.
- ``sh`` and other blocks are not executed: they need a network, a client or an engine that tests do not have.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import Done, labrig
from support.places import PROJECT as ROOT

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "clients").rglob("SKILL.md")])
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _appears(shown: list[str], output: str) -> bool:
    """Tell whether the shown lines appear in the output, ``...`` standing for any text, a line of it for any lines."""
    lines = [line.rstrip() for line in output.splitlines()]
    chunks: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == "...":
            chunks.append([])
        else:
            chunks[-1].append(re.escape(line.rstrip()).replace(r"\.\.\.", ".*"))
    at = 0
    for number, chunk in enumerate(chunks):
        starts = range(at, len(lines) - len(chunk) + 1)
        if number == 0:
            starts = range(min(1, len(starts)))
        if number == len(chunks) - 1 and chunk:
            starts = range(max(at, len(lines) - len(chunk)), len(lines) - len(chunk) + 1)
        found = next((n for n in starts if all(map(re.fullmatch, chunk, lines[n : n + len(chunk)]))), None)
        if found is None:
            return False
        at = found + len(chunk)
    return len(chunks) > 1 or at == len(lines)


def _commands(block: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def _words_of_labrig(command: str) -> list[str] | None:
    """Return what ``labrig`` is told by a command that is nothing else, and that ends by itself; else None."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    program, *words = lexer
    needs_a_shell = any(set(word) <= set("();<>|&") for word in words)
    return None if program != "labrig" or needs_a_shell or words[0] == "serve" else words


def _pages(mark: pytest.MarkDecorator) -> pytest.MarkDecorator:
    pages = [pytest.param(page, id=page.relative_to(ROOT).as_posix(), marks=mark) for page in PAGES]
    return pytest.mark.parametrize(
        "page", [each for each in pages if _BLOCK.search(each.values[0].read_text())]
    )


@_pages(pytest.mark.accept)
def test_examples_work(
    page: Path, private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(page, tmp_path / "page", monkeypatch)


@_pages(pytest.mark.soak)
def test_examples_work_as_processes(
    page: Path, private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(page, tmp_path / "page", monkeypatch, as_processes=True)


def _run(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, *, as_processes: bool = False) -> None:
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

    def run(command: list[str] | str) -> subprocess.CompletedProcess[str] | Done:
        words = _words_of_labrig(command) if isinstance(command, str) and not as_processes else None
        if words is not None:
            return labrig(*words)
        return subprocess.run(
            command, shell=isinstance(command, str), capture_output=True, text=True, timeout=240
        )

    for kind, block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            first = block.split("\n", 1)[0]
            if first.startswith("# file: "):
                (folder / first.removeprefix("# file: ").strip()).write_text(block)
                continue
            done = run([sys.executable, "-c", block])
            assert done.returncode == 0, f"{block}\n{done.stderr}"
            assert done.stdout.strip(), block
        else:
            for command, shown in _commands(block):
                done = run(command)
                # doctor's exit code says whether all is installed, which a private home never is
                assert done.returncode == 0 or command == "labrig doctor", f"{command}\n{done.stderr}"
                assert _appears(shown, done.stdout), f"{command}\nshown:\n{shown}\ngot:\n{done.stdout}"


def test_what_needs_a_shell_is_given_to_one() -> None:
    assert _words_of_labrig('labrig call x y \'{"a": "b | c"}\' --text') == [
        "call",
        "x",
        "y",
        '{"a": "b | c"}',
        "--text",
    ]
    others = ("labrig runs > x", "labrig runs | sort", "labrig serve earth", "ls lab", "cd a && labrig runs")
    assert [_words_of_labrig(command) for command in others] == [None] * len(others)


def test_the_matcher_can_fail() -> None:
    assert _appears(["a", "...", "c"], "a\nb\nb\nc\n")
    assert _appears(["..."], "anything\nat all\n")
    assert not _appears(["a", "c"], "a\nb\nc\n")
    assert not _appears(["a", "...", "d"], "a\nb\nc\n")
    assert not _appears(["pH 8.27"], "pH 8.28\n")


@pytest.mark.accept
def test_generated_parts_are_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.accept
def test_the_picture_of_the_readme_is_what_a_run_gives() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs/picture.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.accept
def test_the_site_has_every_page_and_a_page_for_every_tool(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "docs/site.py"), str(tmp_path / "site")], check=True)
    pages = {path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*.md")}
    named = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert named <= pages
    left_out = {page for page in pages - named if not page.startswith(("tools/", "changes/"))}
    assert not left_out, "pages that the site's menu lacks"
    for name in ("phreeqc/execute_phreeqc", "earth/describe_data", "papers/find_quantities"):
        text = (tmp_path / "site" / "tools" / f"{name}.md").read_text(encoding="utf-8")
        assert "| argument | type | default |" in text
    assert "(servers/earth/)" in (tmp_path / "site" / "llms.txt").read_text(encoding="utf-8")
