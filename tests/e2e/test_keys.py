"""Keys and tokens are searched for in all that is said and written, by servers and by commands."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from hostile.imports.logs import atif, called, codex, said
from hostile.keys import ASKING, Asking, search, shown, shown_in
from support.command import labrig

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="servers are looked at on Linux")
KEY, TOKEN = "sk-canary-0123456789+/=", "token-canary-9876543210"
SECRETS = {"LABRIG_ATLAS_GOOGLE_KEY": KEY, "LABRIG_TOKENS": f"{TOKEN},another-token-0123456789"}
TYPED = {"key": KEY, "token": TOKEN}


def _name(asking: Asking) -> str:
    return f"{asking.name} {asking.settings.get('search', '')}".strip()


@pytest.mark.accept
@pytest.mark.parametrize("asking", ASKING, ids=_name)
def test_a_server_shows_no_key_that_its_services_repeat(asking: Asking, tmp_path: Path) -> None:
    searched = search(asking, tmp_path)
    assert searched.found == []
    missed = searched.planted - searched.sent
    others = [each for each in ASKING if each.name == asking.name and each is not asking]
    assert len(missed) < len(searched.planted) if others else not missed, f"never sent: {missed}"


@pytest.mark.accept
def test_without_the_wall_each_key_turns_up(tmp_path: Path) -> None:
    (papers,) = (each for each in ASKING if each.name == "papers")
    searched = search(papers, tmp_path, wall="open")
    for place in ("answered", "ledger.sqlite", "calls.jsonl"):
        assert any(place in each for each in searched.found), place
    assert {each.split()[0] for each in searched.found} >= searched.planted


@pytest.mark.accept
def test_no_command_shows_a_key_that_a_log_holds(tmp_path: Path, private_home: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    text = f"The key is {KEY}, the token {TOKEN}."
    result = {"content": [{"type": "text", "text": text}]}
    (logs / "codex.jsonl").write_text(codex(said(text), called(arguments=TYPED, result=result, tool=TOKEN)))
    steps = [
        {"step_id": 1, "source": "user", "message": text},
        {"step_id": 2, "source": "agent", "message": text},
    ]
    (logs / "atif.json").write_text(atif(steps=steps, agent={"name": TOKEN, "version": KEY}))
    (logs / "broken.json").write_text(json.dumps({"schema_version": text, "x": text}))
    said_of_all = ""
    for words in (
        ("import", "auto", str(logs), "--out", str(out)),
        ("score", str(out)),
        ("tables", str(out)),
        ("show", str(out), "codex"),
        ("show", str(out), "atif"),
        ("report", str(out), "-o", str(tmp_path / "page.html")),
        ("export", str(out), "--format", "atif"),
        ("export", str(out), "--format", "inspect"),
        ("compare", str(out), str(out)),
        ("doctor",),
        ("call", "atlas", "fetch_webpage", json.dumps({"url": f"https://127.0.0.1/?key={KEY}"})),
        ("call", "phreeqc", TOKEN, json.dumps(TYPED)),
    ):
        done = labrig(*words, **SECRETS)
        assert "Traceback" not in done.stderr
        assert shown((done.stdout + done.stderr).encode(), TYPED) == [], (words[0], done)
        said_of_all += done.stdout + done.stderr
    assert "[key]" in said_of_all and "LABRIG_ATLAS_GOOGLE_KEY" in said_of_all
    for folder in (out, private_home):
        assert shown_in(folder, TYPED) == []
    assert shown((tmp_path / "page.html").read_bytes(), TYPED) == []
