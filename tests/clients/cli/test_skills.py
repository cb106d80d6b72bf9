"""Skills: their form, and ``labrig install CLIENT --skills``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from labrig.toolbox import ServeOptions
from labrig_cli.installing import skills
from labrig_harness.registry.servers import names, toolbox
from support.command import labrig

FRONT = re.compile(r"---\nname: ([a-z0-9-]{1,64})\ndescription: (.{40,1024})\n---\n\n# ")
"""What clients ask of the head of a skill: the name that its folder has, and when it is used, on one line."""


def test_each_skill_has_the_head_that_clients_ask_for() -> None:
    for name, text in skills.read_skills().items():
        head = FRONT.match(text)
        assert head is not None and head[1] == name, name
        assert ": " not in head[2], "a colon ends the value in YAML"


def test_skills_name_tools_that_are_there() -> None:
    tools = {spec.name for server in names() for spec in toolbox(server).select(ServeOptions())}
    words = {
        word for text in skills.read_skills().values() for word in re.findall(r"`([a-z]+_[a-z_]+)`", text)
    }
    words -= {"flagged_rows", "na_values", "not_found", "place_id"}  # of results and of pandas
    assert len(words) > 20 and words <= tools, words - tools


@pytest.mark.parametrize(("client", "folder"), [("claude-code", ".claude"), ("codex", ".codex")])
def test_skills_go_in_and_out(
    client: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / folder / "skills"
    words = ("install", client, "--skills")
    assert "new: " in labrig(*words, "--dry-run").stdout and not place.exists()
    assert labrig(*words).returncode == 2 and not place.exists()  # nobody can be asked
    assert labrig(*words, "--yes").returncode == 0
    wrote = {each.parent.name: each.read_text() for each in place.glob("*/SKILL.md")}
    assert wrote == skills.read_skills()
    assert "as it should be" in labrig(*words, "--yes").stdout
    mine = place / "labrig-places" / "SKILL.md"
    mine.write_text("my own words\n")
    (place / "labrig-earth-data" / "notes.txt").write_text("hers")
    assert "-my own words" in labrig(*words, "--dry-run").stdout
    done = labrig(*words, "--undo")
    assert done.returncode == 0 and "labrig-places is not as this release has it" in done.stdout
    assert sorted(str(each.relative_to(place)) for each in place.rglob("*") if each.is_file()) == [
        *("labrig-earth-data/notes.txt", "labrig-places/SKILL.md"),
    ]


def test_other_clients_and_servers_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "claude-code" in labrig("install", "gemini", "--skills").stderr
    assert labrig("install", "codex", "phreeqc", "--skills", "--yes").returncode == 2
    assert list(tmp_path.iterdir()) == []
