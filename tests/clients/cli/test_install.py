"""An installation changes our entries and nothing else, and can be taken back."""

import errno
import json
import os
import stat
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_cli.installing import client_configs, config_edit, install
from labrig_cli.installing.client_configs import CLIENTS
from labrig_cli.installing.install import InstallPlan
from labrig_harness.registry import entries as entries_module
from labrig_harness.registry import servers
from labrig_harness.registry.entries import entries

KEY = "labrig-phreeqc"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a project folder of our own; the machine's are never touched."""
    for name in ("CODEX_HOME", "XDG_CONFIG_HOME", "APPDATA", "LABRIG_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "labrig"))
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return project


def plan(client: str, place: Path, **options: Any) -> InstallPlan:
    return install.plan(client, ["phreeqc"], cwd=place, **options)


def installed(client: str, place: Path, **options: Any) -> InstallPlan:
    made = plan(client, place, **options)
    install.apply(made)
    return made


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def read(client: str, content: bytes) -> dict[str, Any]:
    found = CLIENTS[client]
    text = content.decode()
    whole: dict[str, Any] = json.loads(text) if found.syntax == "json" else tomllib.loads(text)
    servers: dict[str, Any] = whole[found.table]
    return servers


@pytest.mark.parametrize("client", CLIENTS)
def test_round_trip_in_the_usual_place(client: str, place: Path, tmp_path: Path) -> None:
    made = installed(client, place)
    assert made.path.is_relative_to(tmp_path) and made.before is None and made.path.read_bytes() == made.after
    entry = read(client, made.after)[KEY]
    program = Path(entry["command"][0] if client == "opencode" else entry["command"])
    assert program.is_file() and program.is_absolute()
    variables = entry["environment" if client == "opencode" else "env"]
    assert variables == {"LABRIG_HOME": str(tmp_path / "labrig")}
    assert made.diff.startswith(f"--- {os.devnull}\n+++ {made.path}\n") and KEY in made.diff
    assert plan(client, place).diff == ""
    report = install.undo(client)
    assert report.exact and not report.exists and "removed" in str(report)
    assert not made.path.exists()
    assert names(tmp_path) == ["labrig", "project"] and names(place) == []
    with pytest.raises(LabrigError, match="no installation"):
        install.undo(client)


def test_paths_of_each_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cwd, env = Path("/p"), {"HOME": "/u", "APPDATA": "/roaming"}

    def paths(**more: str) -> dict[str, str]:
        return {name: client.path(cwd, {**env, **more}).as_posix() for name, client in CLIENTS.items()}

    monkeypatch.setattr(sys, "platform", "linux")
    assert paths() == {
        "claude-code": "/p/.mcp.json",
        "claude-desktop": "/u/.config/Claude/claude_desktop_config.json",
        "codex": "/u/.codex/config.toml",
        "gemini": "/u/.gemini/settings.json",
        "vscode": "/p/.vscode/mcp.json",
        "cursor": "/p/.cursor/mcp.json",
        "opencode": "/p/opencode.json",
        "qwen": "/u/.qwen/settings.json",
    }
    assert paths(CODEX_HOME="/c")["codex"] == "/c/config.toml"
    monkeypatch.setattr(sys, "platform", "darwin")
    desktop = "Claude/claude_desktop_config.json"
    assert paths()["claude-desktop"] == f"/u/Library/Application Support/{desktop}"
    monkeypatch.setattr(sys, "platform", "win32")
    assert paths()["claude-desktop"] == f"/roaming/{desktop}"


def test_what_an_entry_says(place: Path) -> None:
    entries = {name: read(name, plan(name, place, env={"HOME": "/u"}).after)[KEY] for name in CLIENTS}
    assert {name for name, entry in entries.items() if entry.get("type") == "stdio"} == {
        "claude-code",
        "cursor",
        "vscode",
    }
    assert "required" not in entries["codex"], "one command that is gone would stop all of Codex"
    assert entries["opencode"]["type"] == "local" and "args" not in entries["opencode"]
    assert entries["claude-code"]["timeout"] == entries["gemini"]["timeout"] == 600_000
    assert "trust" not in entries["gemini"]
    assert set(entries["claude-desktop"]) == {"command", "args"}
    wanted = {
        "startup_timeout_sec": 30,
        "tool_timeout_sec": 600,
        "default_tools_approval_mode": "approve",
    }
    assert wanted.items() <= entries["codex"].items() and not any("env" in each for each in entries.values())
    args = read("codex", plan("codex", place, workspace=Path("w"), roots=[Path()]).after)[KEY]["args"]
    assert args[-4:] == ["--workspace", str(place / "w"), "--root", str(place)]


def test_the_command_starts_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(python))
    assert install.command("phreeqc") == [str(python), "-P", "-m", "labrig_phreeqc"]
    script = python.with_name(KEY)
    script.touch()
    assert install.command("phreeqc") == [str(script)]
    monkeypatch.setattr(sys, "executable", str(tmp_path / "uv" / "archive-v0" / "x" / "bin" / "python"))
    monkeypatch.setenv("PATH", str(python.parent))
    uvx = python.with_name("uvx")
    uvx.touch(mode=0o755)
    assert install.command("phreeqc") == [str(uvx), *client_configs.portable("phreeqc")[1:]]


@pytest.mark.parametrize("program", [False, True])
@pytest.mark.parametrize("file", ["balance.py", "balance/__init__.py", ""])
def test_a_server_of_somebody_else_is_started_whatever_it_is_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, program: bool
) -> None:
    about = tmp_path / "balance-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: balance\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[labrig.servers]\nbalance = balance:toolbox\n")
    for each in (file, "balance/__main__.py" if program and "/" in file else ""):
        if each:
            (tmp_path / each).parent.mkdir(exist_ok=True)
            (tmp_path / each).touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        entries_module, "entries", entries.__wrapped__
    )  # those read before know nothing of it
    own = program and "/" in file
    assert servers.module("balance") == (
        ["-P", "-m", "balance"] if own else ["-P", "-m", "labrig_harness.registry", "balance"]
    )
    sys.modules.pop("balance", None)


GEMINI = """{
\t"theme": "Dark",
\t"n": 1.50, "e": "\\u00e9",
\t"mcpServers": {
\t\t"a": {"args": ["x", "y"]}
\t}
}"""
GEMINI_AFTER = """{
\t"theme": "Dark",
\t"n": 1.50, "e": "\\u00e9",
\t"mcpServers": {
\t\t"a": {"args": ["x", "y"]},
\t\t"labrig-phreeqc": {
\t\t\t"command": "COMMAND",
\t\t\t"args": [],
\t\t\t"timeout": 600000
\t\t}
\t}
}"""
CODEX = '# mine\nmodel = "m"  # keep\n\n[mcp_servers.a]\ncommand = "a"\n\n[profiles.p]\nx = 1\n'
CODEX_AFTER = """# mine
model = "m"  # keep

[mcp_servers.a]
command = "a"

[mcp_servers.labrig-phreeqc]
command = "COMMAND"
args = []
startup_timeout_sec = 30
tool_timeout_sec = 600
default_tools_approval_mode = "approve"

[profiles.p]
x = 1
"""


@pytest.mark.parametrize(
    ("client", "before", "after"), [("gemini", GEMINI, GEMINI_AFTER), ("codex", CODEX, CODEX_AFTER)]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_rest_of_the_file_stays(
    client: str, before: str, after: str, newline: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "command", lambda server: ["COMMAND"])
    monkeypatch.delenv("LABRIG_HOME")
    path = place / "config"
    path.write_bytes(before.replace("\n", newline).encode())
    path.chmod(0o640)
    made = plan(client, place, path=path)
    assert made.after.decode() == after.replace("\n", newline)
    monkeypatch.setenv("LABRIG_HOME", str(place / "labrig"))
    install.apply(made)
    assert path.read_bytes() == made.after and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(place) == ["config", "labrig"]
    assert install.undo(client, path).exact
    assert path.read_bytes() == before.replace("\n", newline).encode()


def test_the_record_is_private_and_comes_first(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place / ".mcp.json"
    path.write_text('{"mcpServers": {"a": {"command": "x", "env": {"KEY": "secret"}}}}')
    made, replace = plan("claude-code", place), Path.replace

    def full(self: Path, target: Path) -> Path:
        if target == path:
            raise OSError(errno.ENOSPC, "no space left")
        return replace(self, target)

    with monkeypatch.context() as disk:
        disk.setattr(Path, "replace", full)
        with pytest.raises(LabrigError, match="no space left"):
            install.apply(made)
    assert path.read_bytes() == made.before and names(place) == [".mcp.json"]
    (record,) = (tmp_path / "labrig" / "installs").iterdir()
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert stat.S_IMODE(record.parent.stat().st_mode) == 0o700
    install.undo("claude-code")
    assert path.read_bytes() == made.before


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_undo_after_others_changed_the_file(client: str, place: Path) -> None:
    path = place / "config"
    before, extra = {
        "claude-code": ('{"mcpServers": {"a": {"command": "x"}}, "z": 1}', ("1}", "2}")),
        "codex": ('z = 1\n[mcp_servers.a]\ncommand = "x"\n', ("z = 1", "z = 2 # two")),
    }[client]
    path.write_text(before)
    installed(client, place, path=path)
    path.write_text(path.read_text().replace(*extra))
    report = install.undo(client, path)
    assert not report.exact and "those changes stay" in str(report)
    after = path.read_text()
    assert KEY not in after and extra[1] in after
    assert read(client, after.encode()) == {"a": {"command": "x"}}


def test_undo_gives_back_an_entry_that_was_there(place: Path) -> None:
    path = place / ".mcp.json"
    mine = {"mcpServers": {KEY: {"command": "mine"}}}
    path.write_text(json.dumps(mine))
    installed("claude-code", place)
    path.write_text(path.read_text()[:-1] + ', "new": 1}')
    install.undo("claude-code")
    assert json.loads(path.read_text()) == {**mine, "new": 1}


def test_installing_again_after_a_change_still_undoes_to_the_user_s_file(place: Path, tmp_path: Path) -> None:
    path = place / ".mcp.json"
    path.write_text('{"a": 1}\n')
    installed("claude-code", place)
    installed("claude-code", place, workspace=tmp_path / "w")
    assert install.undo("claude-code").exact and path.read_text() == '{"a": 1}\n'
    installed("claude-code", place)
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    installed("claude-code", place, workspace=tmp_path / "w")
    assert install.undo("claude-code").exact
    assert json.loads(path.read_text())["a"] == 2 and KEY not in path.read_text()


def test_a_file_that_is_gone(place: Path) -> None:
    path = place / ".mcp.json"
    path.write_text("{}")
    installed("claude-code", place)
    path.unlink()
    report = install.undo("claude-code")
    assert (report.exact, report.exists) == (False, False) and "deleted" in str(report)


def test_a_link_is_written_through(place: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "dotfiles" / "mcp.json", place / ".mcp.json"
    target.parent.mkdir()
    target.write_text("{}")
    link.symlink_to(target)
    installed("claude-code", place)
    assert link.is_symlink() and KEY in target.read_text()
    assert install.undo("claude-code").exact and target.read_text() == "{}"
    target.unlink()
    installed("claude-code", place)  # a link to a file that does not exist yet
    assert link.is_symlink() and KEY in target.read_text()
    loop = place / "loop"
    loop.symlink_to(loop)
    with pytest.raises(LabrigError):
        plan("claude-code", place, path=loop)


@pytest.mark.parametrize(
    ("client", "content", "where"),
    [
        ("vscode", b'{\n  // mine\n  "servers": {}\n}', "line 2"),
        ("claude-code", b'{\n  "a": 1,\n}', "line 3"),
        ("claude-code", b"[]", "not a JSON object"),
        ("claude-code", b'{"mcpServers": []}', "not a table"),
        ("claude-code", b'{\n"a": "\xff"}', "line 2"),
        ("codex", b"a = 1\nb = = 2\n", "line 2"),
        ("codex", b"a = 1\na = 2\n", "line 2"),
    ],
)
def test_a_file_that_cannot_be_parsed_is_left_alone(
    client: str, content: bytes, where: str, place: Path
) -> None:
    path = place / "config"
    path.write_bytes(content)
    with pytest.raises(LabrigError) as caught:
        plan(client, place, path=path)
    assert where in str(caught.value)
    if CLIENTS[client].syntax == "json":
        assert isinstance(caught.value, install.ByHandError) and "by hand" in caught.value.try_
        pasted = json.loads(f"{{{caught.value.lines}}}")
        assert pasted == read(client, plan(client, place, path=place / "new").after)
    assert path.read_bytes() == content and names(place) == ["config"]


def test_refusals(place: Path) -> None:
    with pytest.raises(LabrigError, match="did you mean claude-code"):
        plan("claude-cod", place)
    with pytest.raises(LabrigError, match="did you mean phreeqc"):
        install.plan("codex", ["phreeq"], cwd=place)
    with pytest.raises(LabrigError, match="No server"):
        install.plan("codex", [], cwd=place)
    with pytest.raises(LabrigError, match="not a file"):
        plan("codex", place, path=place)
    made = plan("claude-code", place)
    made.path.write_text("{}")
    with pytest.raises(LabrigError, match="changed since the plan"):
        install.apply(made)
    assert made.path.read_text() == "{}"


def test_the_diff_shows_a_missing_newline(place: Path) -> None:
    path = place / ".mcp.json"
    path.write_text('{\n  "a": 1\n}')
    assert "\n }\n\\ No newline at end of file\n" in plan("claude-code", place).diff


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ENTRIES = st.dictionaries(st.text(), JSON_VALUES, max_size=3)


@pytest.mark.accept
@settings(max_examples=3 * settings.default.max_examples // 2)
@given(
    rest=st.dictionaries(st.text(), JSON_VALUES, max_size=4),
    table=st.none() | ENTRIES,
    indent=st.sampled_from([None, 0, 1, 2, "\t"]),
    ascii_only=st.booleans(),
    bom=st.booleans(),
)
def test_json_edits_change_one_entry(
    rest: dict[str, Any], table: dict[str, Any] | None, indent: Any, ascii_only: bool, bom: bool
) -> None:
    whole = {key: value for key, value in rest.items() if key not in ("t", KEY)}
    if table is not None:
        whole["t"] = {key: value for key, value in table.items() if key != KEY}
    text = "\ufeff" * bom + json.dumps(whole, indent=indent, ensure_ascii=ascii_only)
    entry = {"command": "c", "args": ["é"]}
    added = config_edit.change(text, "json", "t", {KEY: entry}, "f")
    assert json.loads(added.removeprefix("\ufeff")) == {**whole, "t": {**whole.get("t", {}), KEY: entry}}
    assert config_edit.change(added, "json", "t", {KEY: entry}, "f") == added
    removed = config_edit.change(added, "json", "t", {KEY: None}, "f")
    assert json.loads(removed.removeprefix("\ufeff")) == {**whole, "t": whole.get("t", {})}
    if whole.get("t"):
        assert removed == text


TOMLS = [
    "",
    "a = 1",
    "mcp_servers = {a = {command = 'x'}}\n",
    "mcp_servers.a.command = 'x'\n[z]\nq = 1",
    "[mcp_servers.a]\ncommand = 'x'\n[other]\nk = 1\n[mcp_servers.b]\ncommand = 'y'\n",
    "[mcp_servers]\n[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a.env]\nK = 'v'\n\n[[p]]\nq = 1\n[[p]]\n",
    f"[mcp_servers.{KEY}]\ncommand = 'old'\n[mcp_servers.{KEY}.env]\nK = 'v'\n# tail\n[z]\n",
    f'x = 1\n\n[mcp_servers."{KEY}"] # ours\ncommand = "old" # c\n',
]


@pytest.mark.parametrize("text", TOMLS)
@pytest.mark.parametrize("env", [{}, {"H": "/x y"}])
def test_toml_edits_change_one_entry(text: str, env: dict[str, str]) -> None:
    entry = client_configs.entry(CLIENTS["codex"], ["c", "a"], env)
    before = tomllib.loads(text)
    added = config_edit.change(text, "toml", "mcp_servers", {KEY: entry}, "f")
    assert tomllib.loads(added) == {**before, "mcp_servers": {**before.get("mcp_servers", {}), KEY: entry}}
    assert config_edit.change(added, "toml", "mcp_servers", {KEY: entry}, "f") == added
    removed = tomllib.loads(config_edit.change(added, "toml", "mcp_servers", {KEY: None}, "f"))
    assert KEY not in removed.get("mcp_servers", {})
    assert {**removed, "mcp_servers": None} == {**before, "mcp_servers": None}


def test_an_entry_of_ours_that_somebody_changed_comes_back(place: Path) -> None:
    """Installed, made over by hand, installed again, undone: what stood before the last installation."""
    install.apply(plan("claude-code", place))
    path = plan("claude-code", place).path
    mine = json.dumps({"mcpServers": {KEY: {"command": "mine"}, "x": {"command": "y"}}, "z": 1})
    path.write_text(mine)
    install.apply(plan("claude-code", place))
    assert json.loads(path.read_text())["mcpServers"][KEY]["command"] != "mine"
    assert install.undo("claude-code", path).exact
    assert path.read_text() == mine


def test_of_two_installations_at_once_none_is_lost(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both were planned before either was written: the second is refused and says to plan again."""
    write = install._replace

    def slowly(path: Path, content: bytes, mode: int) -> None:
        time.sleep(0.1)
        write(path, content, mode)

    monkeypatch.setattr(install, "_replace", slowly)
    plans = [install.plan("claude-code", [server], cwd=place) for server in ("phreeqc", "repository")]

    def applied(made: InstallPlan) -> str:
        try:
            install.apply(made)
        except LabrigError as error:
            return error.what
        return made.servers[0]

    with ThreadPoolExecutor(2) as pool:
        said = [*pool.map(applied, plans)]
    refused = "The file has changed since the plan was made"
    assert said.count(refused) == 1
    (done,) = {*said} - {refused}
    assert [*json.loads(plans[0].path.read_text())["mcpServers"]] == [f"labrig-{done}"]


def test_a_root_that_is_not_there_is_refused(place: Path) -> None:
    with pytest.raises(LabrigError, match="not a folder"):
        plan("claude-code", place, roots=[place / "nowhere"])


def test_settings_of_a_server_are_written_into_its_command(tmp_path: Path) -> None:
    planned = install.plan(
        "claude-code",
        ["phreeqc", "repository"],
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        settings=["wall_s=20", "repository.python=earth"],
    )
    servers = json.loads(planned.after)["mcpServers"]
    assert servers["labrig-phreeqc"]["args"][-2:] == ["--set", "wall_s=20"]
    assert servers["labrig-repository"]["args"][-2:] == ["--set", "python=earth"]
    for wrong in ("wal_s=20", "wall_s=soon", "atlas.wall_s=20", "wall_s"):
        with pytest.raises(LabrigError, match="--set"):
            install.plan(
                "claude-code", ["phreeqc"], cwd=tmp_path, env={"HOME": str(tmp_path)}, settings=[wrong]
            )


def test_toolsets_of_a_server_are_written_into_its_command(tmp_path: Path) -> None:
    def args(*words: str) -> dict[str, list[str]]:
        planned = install.plan(
            "claude-code",
            ["papers", "earth"],
            cwd=tmp_path,
            env={"HOME": str(tmp_path)},
            settings=["earth.activation=on"],
            toolsets=words,
        )
        return {name: each["args"] for name, each in json.loads(planned.after)["mcpServers"].items()}

    asked = args("default,literature", "earth.terra", "earth.simulators,terra")
    assert asked["labrig-papers"][-2:] == ["--toolsets", "default,literature"]
    assert asked["labrig-earth"][-4:] == ["--toolsets", "terra,simulators", "--set", "activation=on"]
    assert "--toolsets" not in args("earth.impact")["labrig-papers"]
    for wrong in ("literatur", "default,", "", "phreeqc.default", "earth.literature"):
        with pytest.raises(LabrigError, match="--toolsets"):
            args(wrong)
