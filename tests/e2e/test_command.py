"""The command ``labrig`` as a tool developer uses it from a shell; docs/ shows it as a process (`test_docs`)."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labrig.errors import LabrigError
from support.command import labrig

SPECIATION = "SOLUTION 1\n pH 7 charge\n Ca 1\n Cl 2\nEND\n"


def process(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own: one that starts another gives it its standard error."""
    whole = [sys.executable, "-m", "labrig_cli", *words]
    return subprocess.run(whole, capture_output=True, text=True, timeout=120)


def call(*words: str, **more: Any) -> Any:
    done = labrig("call", *words, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_example_of_the_help_works_as_it_stands(private_home: Path) -> None:
    said = labrig("call", "--help", COLUMNS="200").stdout
    usage, _, example = said.partition("example: labrig ")
    assert usage.startswith("usage: labrig call [OPTIONS] SERVER TOOL [ARGUMENTS]\n"), "one call, not several"
    found = call(*shlex.split(example)[1:])
    assert found["status"] == "ok" and found["data"]["exact"]


def test_two_calls_share_a_workspace(private_home: Path, tmp_path: Path) -> None:
    shared = ["--workspace", str(tmp_path / "w")]
    call("phreeqc", "write_file", json.dumps({"path": "a.pqi", "content": SPECIATION}), *shared)
    answer = call("phreeqc", "execute_phreeqc", '{"input_path": "a.pqi"}', *shared)
    assert answer["status"] == "ok"
    assert "phreeqc.dat" in answer["source"]
    assert "result.out" in call("phreeqc", "list_file", *shared)["text"]
    alone = labrig("call", "phreeqc", "execute_phreeqc", '{"input_path": "a.pqi"}')
    assert alone.returncode == 1, "another call has another workspace"


def test_arguments_from_stdin_and_file(private_home: Path, tmp_path: Path) -> None:
    arguments = json.dumps({"input": SPECIATION + "#" + "x" * 200_000})
    assert call("phreeqc", "execute_phreeqc", "-", stdin=arguments)["status"] == "ok"
    (tmp_path / "a.json").write_text(arguments)
    assert call("phreeqc", "execute_phreeqc", f"@{tmp_path / 'a.json'}")["status"] == "ok"


@pytest.mark.accept
def test_exit_codes(private_home: Path) -> None:
    tool_error = labrig("call", "phreeqc", "read_file", '{"path": "none"}')
    assert tool_error.returncode == 1
    assert json.loads(tool_error.stderr)["code"] == "not_found"
    assert tool_error.stdout == ""
    failed_run = labrig("call", "phreeqc", "execute_phreeqc", '{"input": "SOLUTION 1\\n Ca x\\nEND"}')
    assert failed_run.returncode == 1
    assert json.loads(failed_run.stdout)["status"] == "input_error"
    assert json.loads(failed_run.stderr)["code"] == "engine"
    for words in (
        ["call", "phreeqc", "read_file", "{"],
        ["call", "phreeqc", "read_file", "[]"],
        ["call", "phreeqc", "read_file", "@/no/such/file"],
        ["call", "phreeq", "read_file"],
        ["call", "paper", "read_file"],
        ["tools"],
        ["tools", "phreeqc", "--toolsets", "nope"],
        ["nonsense"],
        ["gc", "--quota", "many"],
        ["setup", "nothing"],
        ["setup", "phreeqc", "nothing"],  # said before the first is installed
        ["serve", "http://127.0.0.1:1/mcp"],
        ["run", "nothing", "--agent", "nop", "--out", "x"],
        ["score", "/no/such/folder"],
        ["install", "emacs"],
    ):
        done = labrig(*words)
        assert done.returncode in (2, 3), (words, done.stderr)
        assert "Traceback" not in done.stderr, words
    assert process("tools", "--", sys.executable, "-c", "raise SystemExit(5)").returncode == 3
    assert labrig("tools", "http://127.0.0.1:9/mcp").returncode == 3


@pytest.mark.accept
def test_install_asks_and_shows_what_it_cannot_write(private_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    words = ("install", "vscode", "phreeqc", "--path", str(path))
    nobody = labrig(*words)
    assert nobody.returncode == 2 and "--yes" in nobody.stderr and not path.exists()
    assert labrig(*words, "--yes").returncode == 0
    commented = "{\n  // mine\n" + path.read_text()[1:]
    path.write_text(commented)
    refused = labrig(*words[:2], "repository", *words[3:], "--yes")
    assert refused.returncode == 2 and "by hand" in refused.stderr and path.read_text() == commented
    assert "command" in json.loads(f"{{{refused.stdout}}}")["labrig-repository"]


@pytest.mark.accept
def test_tools_and_a_foreign_command(private_home: Path) -> None:
    listed = json.loads(labrig("tools", "phreeqc", "--json").stdout)
    again = json.loads(process("tools", "--json", "--", sys.executable, "-m", "labrig_phreeqc").stdout)
    assert listed == again
    assert [
        tool["name"]
        for tool in json.loads(labrig("tools", "phreeqc", "--toolsets", "paper", "--json").stdout)["tools"]
    ] == [
        "write_file",
        "read_file",
        "list_file",
        "execute_phreeqc",
    ]


def test_budget_of_the_default_toolset(private_home: Path) -> None:
    """At most 28 kB: what a client puts into every prompt, or searches."""
    tools = json.loads(labrig("tools", "phreeqc", "--json").stdout)["tools"]
    whole = len(json.dumps(tools, separators=(",", ":")).encode())
    assert whole <= 28_000


def test_a_missing_database_names_the_line_that_brings_it(private_home: Path, tmp_path: Path) -> None:
    offline = dict.fromkeys(("UV_OFFLINE", "UV_NO_CONFIG", "PIP_NO_INDEX"), "1")
    offline |= {"UV_FIND_LINKS": "", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}
    offline |= {"UV_CACHE_DIR": str(tmp_path / "uv"), "PIP_CACHE_DIR": str(tmp_path / "pip")}
    done = labrig(
        "call",
        "phreeqc",
        "execute_phreeqc",
        json.dumps({"input": SPECIATION}),
        LABRIG_PHREEQC_DATABASES="",
        LABRIG_HOME=str(tmp_path / "empty"),
        **offline,
    )
    assert done.returncode == 1
    assert "fetching failed" in done.stderr
    assert "labrig setup phreeqc" in done.stderr
    assert labrig("doctor", LABRIG_HOME=str(tmp_path / "empty")).returncode == 1


@pytest.mark.parametrize("content", ["not = toml = x", "phreeqc = 3"])
def test_a_broken_configuration_is_named(private_home: Path, tmp_path: Path, content: str) -> None:
    path = tmp_path / "labrig.toml"
    path.write_text(content)
    environment = {key: value for key, value in os.environ.items() if key != "LABRIG_PHREEQC_DATABASES"}
    done = subprocess.run(
        [sys.executable, "-m", "labrig_cli", "doctor"],
        capture_output=True,
        text=True,
        env={**environment, "LABRIG_CONFIG": str(path)},
    )
    assert done.returncode != 0
    assert "labrig.toml" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_server_that_was_not_installed_is_no_fault_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As with ``pip install labrig[repository]`` alone: phreeqc and its databases are named, and nothing is wrong."""
    house = importlib.import_module("labrig_cli.house")
    load, broken = house.toolbox, [ModuleNotFoundError, ImportError]

    def without_phreeqc(name: str) -> Any:
        if name == "phreeqc":
            raise LabrigError("it cannot be imported", code="unavailable") from broken[0]("no phreeqcrm")
        return load(name)

    def state(side: Any) -> Any:
        missing = side.name == "phreeqc"
        return SimpleNamespace(state="missing" if missing else "installed", reason="")

    monkeypatch.setattr(house, "toolbox", without_phreeqc)
    monkeypatch.setattr("labrig.sideenv.status", state)
    assert house._print_facts(argparse.Namespace()) == 0
    assert "server      phreeqc: not installed: " in capfd.readouterr().out
    broken.pop(0)
    assert house._print_facts(argparse.Namespace()) == 1


def test_flags_that_set_up_a_server_are_refused_where_none_is_started(private_home: Path) -> None:
    """Before any connection: a setting that is silently ignored would be taken for one that holds."""
    url = labrig(
        "call", "http://127.0.0.1:9/mcp", "list_file", "{}", "--set", "wall_s=3", "--workspace", "lab"
    )
    assert url.returncode == 2 and "--workspace, --set" in url.stderr and "labrig serve" in url.stderr
    command = labrig("tools", "--toolsets", "paper", "--", "server")
    assert command.returncode == 2 and "--toolsets" in command.stderr


@pytest.mark.accept
def test_a_setting_that_the_server_refuses_is_said_in_one_line(private_home: Path) -> None:
    named = process("call", "phreeqc", "list_file", "{}", "--set", "wall_s=abc")
    assert named.returncode == 2 and "wall_s" in named.stderr
    assert len(named.stderr.splitlines()) == 1, "not that a server died as well"
