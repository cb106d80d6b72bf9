"""The toys over real processes: servers over stdio and HTTP, the suite by the command, our loop and replay."""

from __future__ import annotations

import asyncio
import json
import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import ClientTransport, StreamableHttpTransport

from labrig.toolbox import ServeOptions
from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.records.scoring import score_folder
from labrig_harness.registry.servers import Target
from labrig_harness.run.plan import RunPlan
from labrig_harness.run.runner import run
from labrig_harness.trajectory import Trajectory
from support.scripted_model import Turn, scripted_model
from support.toys_installed import toys_installed

TOKENS = ("a-token-of-the-first-one", "a-token-of-the-other-one")


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    with toys_installed():
        yield


async def weighed(transport: ClientTransport) -> tuple[Any, list[float], Any]:
    """Write a file, start a job, wait for it, draw; return the job's answer, the notices and the picture's content."""
    notices: list[float] = []

    async def notice(progress: float, total: float | None, message: str | None) -> None:
        notices.append(progress)

    async with Client(transport) as client:
        await client.call_tool_mcp(
            "write_file", {"path": "eight.f8", "content": struct.pack("<d", 0.0).decode()}
        )
        started = await client.call_tool_mcp("start_weighing", {"path": "eight.f8", "pause_s": 1})
        job = started.structured_content["data"]["job"]
        done = await client.call_tool_mcp("get_job", {"job": job, "wait_s": 20}, progress_handler=notice)
        picture = await client.call_tool_mcp("draw_dial", {"fraction": 0.5})
        return done.structured_content, notices, picture


def check(answer: Any, notices: list[float], picture: Any) -> None:
    assert answer["values"] == [{"name": "mass", "value": 0.0, "unit": "kg"}]
    assert notices == sorted(set(notices)) and notices[-1] >= 0.5
    assert [part.type for part in picture.content] == ["image", "text"] and picture.structured_content is None


@pytest.mark.accept
async def test_over_stdio(tmp_path: Path) -> None:
    check(
        *await weighed(Target("scale").transport(ServeOptions(workspace=tmp_path, settings={"unit": "kg"})))
    )


@contextmanager
def served(*flags: str, tokens: Path) -> Iterator[str]:
    """Serve the scale over HTTP; gives its URL."""
    program = [sys.executable, "-m", "labrig_cli", "serve", "scale", "--http", "127.0.0.1:0"]
    with subprocess.Popen(
        [*program, "--token-file", str(tokens), *flags], stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found is not None
        try:
            yield found[0]
        finally:
            server.terminate()


@pytest.mark.accept
async def test_over_http_each_token_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("\n".join(TOKENS))
    (tmp_path / "tokens").chmod(0o600)
    with served("--set", "unit=kg", "--workspace", str(tmp_path / "w"), tokens=tmp_path / "tokens") as url:
        both = [weighed(StreamableHttpTransport(url, auth=token)) for token in TOKENS]
        for each in await asyncio.gather(*both):
            check(*each)
        async with Client(StreamableHttpTransport(url, auth=TOKENS[0])) as client:
            mine = await client.call_tool_mcp("get_job", {"job": "weighing-1"})
            unknown = await client.call_tool_mcp("get_job", {"job": "weighing-2"})
        assert not mine.is_error and unknown.is_error


def labrig(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "labrig_cli", *words],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=300,
    )


def made(out: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(out.glob("*/*/*/trajectory.json"))]


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key != "meta"}
    return [without_times(each) for each in value] if isinstance(value, list) else value


@pytest.mark.accept
def test_the_command_runs_it_warm_and_cold_and_replays_it(tmp_path: Path) -> None:
    store, common = tmp_path / "store", ["toy-volumes", "--agent", "reference", "--limit", "3"]
    warm = labrig("run", *common, "--calls", "record", "--store", str(store), "--out", str(tmp_path / "warm"))
    assert warm.returncode == 0, warm.stderr
    cold = labrig("run", *common, "--out", str(tmp_path / "cold"), LABRIG_HARNESS_SERVERS="cold")
    assert cold.returncode == 0, cold.stderr
    again = labrig(
        "run", *common, "--calls", "replay", "--store", str(store), "--out", str(tmp_path / "again")
    )
    assert again.returncode == 0, again.stderr
    assert [score.strict for score in score_folder(tmp_path / "warm").scores] == [1.0] * 3
    # How often a job is asked for depends on time; what was answered, cut and left does not.
    first, other, third = (
        [without_times(each) for each in made(tmp_path / name)] for name in ("warm", "cold", "again")
    )
    assert [each["submission"]["text"] for each in first] == [each["submission"]["text"] for each in third]
    assert [each["left"] for each in first] == [each["left"] for each in other] != [[]] * 3
    read = [
        [call for step in each["steps"] for call in step["calls"]][-2] for each in (*first, *other, *third)
    ]
    assert {call["tool"] for call in read} == {"shelf__read_file"}
    assert len({(call["result"], call["delivered_bytes"]) for call in read}) <= 3, (
        "by sample, however it is run"
    )
    report = labrig("report", str(tmp_path / "warm"), "--out", str(tmp_path / "report.html"))
    assert report.returncode == 0 and "40 bytes, sha256" in (tmp_path / "report.html").read_text()


@pytest.mark.accept
def test_our_loop_is_given_both_servers_cut_results_and_the_samples_limits(tmp_path: Path) -> None:
    suite = suites.load("toy-volumes")
    (sample, *_) = suite.tasks(seed=0)
    script: list[Turn] = [
        ("shelf__read_file", {"path": sample.truth["mineral"]}),
        *([("read_file", {"path": "notes/about.txt"})] * 3),
        ("write_file", {"path": "final_answer.txt", "content": sample.truth["answer"]}),
        "Done.",
    ]
    with scripted_model(script) as model:
        spec = AgentSpec("loop", "openai-chat:scripted-model", {"base_url": f"{model.url}/v1"})
        os.environ.setdefault("OPENAI_API_KEY", "sk-of-these-tests-0123456789")
        (folder,) = asyncio.run(run(RunPlan(suite, suite.arm(), spec, (sample,)), tmp_path))
    record = Trajectory.from_dict(json.loads((folder / "trajectory.json").read_text()))
    assert record.end == "answered" and len(record.turns) == 6, "the arm has three steps, the sample nine"
    assert score_folder(tmp_path).scores[0].strict == 1.0
    sent = json.dumps(model.requests[-1])
    assert "characters are shown]" in sent and sent.count("a line about it") < 30
    names = {tool["function"]["name"] for tool in model.requests[0]["tools"]}
    assert {"read_file", "shelf__read_file", "list_names", "start_weighing"} <= names
