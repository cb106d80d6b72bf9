"""A picture that code of an agent draws is shown to the model, and a file that it leaves is read back, in real clients.

Claude Code and Codex are given the repository server by ``labrig install``. What counts is what their model, scripted
on 127.0.0.1, is sent.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from labrig.plotting.images import Look, look
from support.real_clients import ask_claude_code, ask_codex, binary, install
from support.sandbox_rig import skip_unless

LEFT = "depth,chl\n1,3.5\n"
HANDLE = f"sha256:{hashlib.sha256(LEFT.encode()).hexdigest()[:16]}"
DRAW = f"""
import matplotlib.pyplot as plt
plt.figure(figsize=(3, 2), dpi=100)
plt.savefig("saved.png")
plt.close()
plt.plot([0, 1])  # and stays open
open("left.csv", "w").write({LEFT!r})
print("drawn")
"""
SCRIPT: list[Any] = [
    ("run_python_code", {"code": DRAW}),
    ("read_text_file", {"path": HANDLE}),
    ("run_python_code", {"code": "print(open('inputs/left.csv').read()[::-1])", "files": [HANDLE]}),
    "It rises.",
]
QUESTION = "Draw it."


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("project", "private"):
        (tmp_path / name).mkdir()
    (tmp_path / "project" / "notes.txt").write_text("nothing\n")
    return tmp_path / "project", tmp_path / "private"


def check(results: list[Any], images: list[bytes]) -> None:
    """Check what a model was given: two pictures, the text beside them, and the file by its handle, twice."""
    drawn, read, computed = (json.dumps(each) for each in results)
    figure, saved = map(look, images)
    assert isinstance(figure, Look) and saved == Look("image/png", 300, 200)
    captions = (f"figure-1.png: {figure.width} x {figure.height} pixels", "saved.png: 300 x 200 pixels")
    for part in (*captions, "drawn", HANDLE, "left.csv"):
        assert part in drawn, part
    assert "3.5" in read and HANDLE in read
    assert "5.3,1" in computed


@pytest.mark.accept
def test_claude_code_shows_its_model_the_pictures(folders: tuple[Path, Path]) -> None:
    skip_unless()
    binary("@anthropic-ai/claude-code", "claude")
    install("claude-code", "repository", *folders, "--root", ".")
    _, requests = ask_claude_code(QUESTION, SCRIPT, "repository", *folders)
    blocks = [
        block
        for each in requests[-1]["messages"]
        if isinstance(each["content"], list)
        for block in each["content"]
    ]
    results = [block["content"] for block in blocks if block.get("type") == "tool_result"]
    images = [part["source"] for part in results[0] if part["type"] == "image"]
    check(results, [base64.b64decode(each["data"]) for each in images])


@pytest.mark.accept
def test_codex_shows_its_model_the_pictures(folders: tuple[Path, Path]) -> None:
    skip_unless()
    binary("@openai/codex", "codex")
    install("codex", "repository", *folders, "--root", ".")
    _, requests = ask_codex(QUESTION, SCRIPT, *folders)
    outputs = [item for item in requests[-1]["input"] if item.get("type") == "function_call_output"]
    results = [item["output"] for item in outputs]
    images = [part["image_url"] for part in results[0] if part["type"] == "input_image"]
    check(results, [base64.b64decode(each.partition(",")[2]) for each in images])
