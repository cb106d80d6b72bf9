"""Episodes that others run: scored from the server's log and the workspace as our own runs are, and exported."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from labrig.calls import CallLog
from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness import suites
from labrig_harness.arm import Served
from labrig_harness.blobs import Blob
from labrig_harness.channels import last_json_object
from labrig_harness.suite import Fixture
from labrig_programs.reading.read_run import ReadRun
from labrig_study.bridges.episode import Episode, episodes_of
from labrig_study.bridges.gym import make_app, read_last
from labrig_study.bridges.harbor import export_tasks
from labrig_study.bridges.inside import main as inside
from labrig_study.logs import harbor
from support.basics import basics
from support.command import labrig

FIXTURES = {name: suites.load(name).fixtures for name in ("phreeqc-basics", "phreeqc-mcq", "science-gym")}


def _leave(fixture: Fixture, episode: Episode, folder: Path) -> str:
    """Leave what a server and an agent would have left of a fixture's run; return the last message."""
    calls, workspace = folder / "calls", folder / "workspace"
    calls.mkdir(parents=True)
    workspace.mkdir()
    log = CallLog(calls)
    for call in fixture.trajectory.calls:
        if call.record >= 0:  # the others reached no server
            log.append(
                server=episode.arm.server,
                tool=call.tool,
                arguments=call.arguments,
                result={"content": [], "isError": call.is_error},
                error=None,
                tools_hash="",
                versions={},
                meta={},
            )
    committed, channel = fixture.trajectory.submission, episode.arm.channel
    if not channel.is_file:
        return next((step.text for step in reversed(fixture.trajectory.turns) if step.text.strip()), "")
    if committed is not None:
        (workspace / channel.path).write_text(committed.text)
    return ""


@pytest.mark.parametrize("name", FIXTURES)
def test_an_episode_is_scored_as_our_own_run_is(name: str, tmp_path: Path) -> None:
    suite = suites.load(name)
    assert suite.fixtures is not None
    tried = []
    for number, fixture in enumerate(suite.fixtures()):
        arm = suite.arm(fixture.trajectory.arm)
        if not arm.server:
            continue
        episode = Episode.of(suite, arm, fixture.sample)
        episode.write(tmp_path / str(number) / "episode.json")
        episode = Episode.read(tmp_path / str(number) / "episode.json")
        said = _leave(fixture, episode, tmp_path / str(number))
        committed = fixture.trajectory.submission
        if said and last_json_object(said) != (committed.text if committed else ""):
            continue  # a submission as no channel reads it: fixtures try the scorer alone, too
        score = episode.score(tmp_path / str(number) / "calls", tmp_path / str(number) / "workspace", said)
        assert (score.strict, score.compat) == (fixture.strict, fixture.compat), fixture.about
        tried.append((score.strict, score.compat))
    assert len(set(tried)) > 1 and len(tried) > 4


def test_what_runs_in_the_containers_writes_the_reward(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = suites.load("phreeqc-basics")
    sample = basics()[0]
    Episode.of(suite, suite.arm(), sample).write(tmp_path / "episode.json")
    (tmp_path / "workspace").mkdir()
    words = [
        "verify",
        *(str(tmp_path / each) for each in ("episode.json", "calls", "workspace", "said", "reward")),
    ]
    assert inside(words) == 1 and not (tmp_path / "reward").exists()  # no log is no zero
    assert "log of calls is not here" in capsys.readouterr().err
    (tmp_path / "calls").mkdir()
    (tmp_path / "workspace" / "final_answer.txt").write_text(sample.truth["answer"])
    assert inside(words) == 0
    assert json.loads((tmp_path / "reward").read_text()) == {"reward": 0.0, "compat": 1.0}  # nothing was run


def test_arms_that_cannot_be_episodes_are_refused() -> None:
    suite, sample = suites.load("phreeqc-basics"), basics()[0]
    two = replace(suite.arm(), also=(Served("papers"),))
    for arm in (suite.arm("direct"), two):
        with pytest.raises(LabrigError, match="an episode elsewhere has one"):
            Episode.of(suite, arm, sample)


def test_tasks_of_harbor_hold_the_truth_where_no_agent_reads(tmp_path: Path) -> None:
    suite, sample = suites.load("phreeqc-basics"), basics()[0]
    data = Blob.of(b"\x00\x01")
    given = replace(sample, brief=replace(sample.brief, files={"a/notes.txt": "é\n", "b.bin": data}))
    assert export_tasks(suite, suite.arm(), [given], tmp_path / "out", "our/image:1") == []
    (task,) = (tmp_path / "out").iterdir()
    files = {str(each.relative_to(task)): each for each in task.rglob("*") if each.is_file()}
    seen = {name: each for name, each in files.items() if not name.startswith(("tests/", "solution/"))}
    assert sorted(seen) == [
        *("environment/Dockerfile", "environment/docker-compose.yaml", "environment/server/Dockerfile"),
        *("environment/server/files/a/notes.txt", "environment/server/files/b.bin"),
        *("instruction.md", "task.toml"),
    ]
    assert seen["environment/server/files/b.bin"].read_bytes() == b"\x00\x01"
    assert f"files/{data.sha256}" in {name.partition("/")[2] for name in files if name.startswith("tests/")}
    assert not any("truth" in each.read_text(errors="ignore") for each in seen.values())
    about = tomllib.loads(files["task.toml"].read_text())
    assert about["task"]["name"] == f"labrig-phreeqc-basics/{sample.id}"
    assert files["environment/Dockerfile"].read_text().startswith("FROM our/image:1\n")
    (server,) = json.loads(files["environment/docker-compose.yaml"].read_text())["services"].values()
    assert server["command"][0] == "phreeqc" and "--log-calls" in server["command"]
    trial = {"task_name": about["task"]["name"], "trial_name": "t"}
    assert harbor.add_trial(ReadRun("atif", ()), trial).item == sample.id
    with pytest.raises(LabrigError, match="something in this folder"):
        export_tasks(suite, suite.arm(), [given], tmp_path / "out", "labrig")
    local = replace(suite.arm(), serve=ServeOptions(roots=(tmp_path,)))
    with pytest.raises(LabrigError, match="folders of this machine"):
        export_tasks(suite, local, [given], tmp_path / "other", "labrig")


def test_the_command_exports_tasks(tmp_path: Path) -> None:
    done = labrig(
        "export-tasks", "science-gym", "--format", "harbor", "--limit", "2", "--out", str(tmp_path / "gym")
    )
    assert done.returncode == 0 and "2 tasks in" in done.stdout, done.stderr
    text = next((tmp_path / "gym").glob("*/instruction.md")).read_text()
    assert "/logs/artifacts/answer.txt" in text
    assert (
        "labrig setup sandbox" in next((tmp_path / "gym").glob("*/environment/server/Dockerfile")).read_text()
    )
    wrong = labrig("export-tasks", "science-gym", "--format", "harbour", "--out", str(tmp_path / "x"))
    assert wrong.returncode == 2 and "harbor" in wrong.stderr


async def test_a_session_of_the_gym_is_its_callers_and_ends_when_it_is_verified(tmp_path: Path) -> None:
    suite, sample = suites.load("phreeqc-basics"), basics()[0]
    app = make_app(episodes_of(suite, suite.arm(), [sample]))
    row = {"verifier_metadata": {"sample": sample.id}, "response": {"output": []}}

    def open_client(host: str = "127.0.0.1") -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=f"http://{host}")

    async with open_client() as mine, open_client() as other, open_client("evil.example") as foreign:
        assert (await foreign.post("/seed_session", json=row)).status_code == 400
        assert (
            await mine.post("/seed_session", json={"verifier_metadata": {"sample": "x"}})
        ).status_code == 404
        assert (await mine.post("/seed_session", json={})).status_code == 404
        assert (await mine.post("/seed_session", json=row)).status_code == 200
        for path in ("/list_file", "/verify"):
            assert (await other.post(path, json=row)).status_code == 404
        for body in (b"{", b"[]", b"{}", b'{"response": {"output": [1]}}'):
            assert (await mine.post("/verify", content=body)).status_code == 400
        for body in (b"{", b"7"):
            assert (await mine.post("/list_file", content=body)).status_code == 400
        scored = await mine.post("/verify", json=row)
        assert scored.json() == {**row, "reward": 0.0, "compat": 0.0, "answer": ""}
        assert (await mine.post("/verify", json=row)).status_code == 404


def test_the_last_message_of_a_response_is_read() -> None:
    said = [
        {"type": "message", "content": [{"type": "output_text", "text": text}]}
        for text in ("first", "last", " ")
    ]
    assert read_last([{"type": "function_call"}, *said, {"type": "reasoning"}]) == "last"
    assert read_last([]) == ""
