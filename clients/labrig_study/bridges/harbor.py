"""Tasks of Harbor: a folder a sample, which Harbor's own loader reads.

The agent works in the container ``main``; our server stands in another one, ``labrig``, which shares its network, so
that it is reached at a loopback address and needs no token. Its workspace and its log of calls lie there, out of the
agent's reach. Harbor takes them from it when the agent has been stopped, and gives them to a third container, which
alone holds the truth and the scorer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import tomlkit

from labrig.errors import LabrigError
from labrig_harness import blobs
from labrig_harness.arm import Arm
from labrig_harness.records.outfolder import safe
from labrig_harness.sample import Sample
from labrig_harness.suite import Suite, Unsolvable
from labrig_study.bridges.episode import Episode

SERVICE, PORT = "labrig", 8000
URL = f"http://127.0.0.1:{PORT}/mcp"
WORKSPACE, CALLS, ANSWER = "/workspace", "/calls", "/logs/artifacts/answer.txt"
VERIFY_S, BUILD_S = 600.0, 3600.0

INSIDE = "#!/bin/sh\nexec python -P -m labrig_study.bridges.inside"
SAID = f"""
Write your whole last message to the file {ANSWER}, too: the answer is read there.
"""


def export_tasks(suite: Suite, arm: Arm, samples: Sequence[Sample], target: Path, image: str) -> list[str]:
    """Write a folder for each sample below `target`, which must be new or empty; return what was left out.

    Parameters
    ----------
    image
        The image that our Dockerfile makes, by the name under which Harbor finds it.
    """
    if target.exists() and any(target.iterdir()):
        raise LabrigError(
            "There is something in this folder", where=str(target), expected="a new or empty folder"
        )
    if arm.serve.roots or arm.serve.ledger:
        raise LabrigError(f"The arm {arm.name} serves folders of this machine", where="--arm", code="refused")
    unsolved = []
    for sample in samples:
        episode = Episode.of(suite, arm, sample)
        folder = target / safe(sample.id)
        _write_task(episode, folder, image)
        try:
            suite.solution(sample, episode.arm)
        except Unsolvable as error:
            unsolved.append(f"{sample.id} has no solution: {error}")
            continue
        _write_script(
            folder / "solution", "solve.sh", f"{INSIDE} solve /solution/episode.json {URL} {ANSWER}\n"
        )
        episode.write(folder / "solution" / "episode.json")
    return unsolved


def _write_task(episode: Episode, folder: Path, image: str) -> None:
    arm, brief = episode.arm, episode.sample.brief
    server, tests = folder / "environment" / "server", folder / "tests"
    (server / "files").mkdir(parents=True)
    blobs.place(brief.files, server / "files")
    _write(folder / "task.toml", tomlkit.dumps(_describe_task(episode)))
    _write(folder / "instruction.md", episode.prompt + ("" if arm.channel.is_file else SAID))
    as_root = f"FROM {image}\nUSER root\nENTRYPOINT []\n"
    _write(folder / "environment" / "Dockerfile", f"{as_root}WORKDIR /app\n")
    _write(folder / "environment" / "docker-compose.yaml", json.dumps(_compose(episode), indent=2) + "\n")
    making = f"RUN mkdir -p {CALLS} && chown -R labrig: {WORKSPACE} {CALLS}\n"
    setup = "".join(
        f"RUN labrig setup {name}\n" for name in dict.fromkeys((*arm.needs, *episode.sample.needs))
    )
    _write(
        server / "Dockerfile",
        f"FROM {image}\nUSER root\nCOPY files/ {WORKSPACE}/\n{making}USER labrig\n{setup}",
    )
    _write(tests / "Dockerfile", f"{as_root}COPY . /tests/\n")
    _write_script(
        tests,
        "test.sh",
        f"{INSIDE} verify /tests/episode.json {CALLS} {WORKSPACE} {ANSWER} /logs/verifier/reward.json\n",
    )
    episode.write(tests / "episode.json")


def _describe_task(episode: Episode) -> dict[str, object]:
    """Return what ``task.toml`` says; nothing of the truth, since agents may read it."""
    suite, arm, sample = episode.suite, episode.arm, episode.sample
    return {
        "schema_version": "1.4",
        "artifacts": [{"source": each, "service": SERVICE} for each in (WORKSPACE, CALLS)],
        "task": {
            "name": f"labrig-{suite.name}/{safe(sample.id)}",
            "description": suite.about,
            "keywords": [suite.name, arm.name],
        },
        "metadata": {
            "suite": suite.name,
            "suite_version": sample.suite_version,
            "scorer_version": suite.scorer_version,
            "arm": arm.name,
            "sample": sample.id,
        },
        "agent": {"timeout_sec": arm.wall_s},
        "verifier": {"environment_mode": "separate", "timeout_sec": VERIFY_S},
        "environment": {
            "build_timeout_sec": BUILD_S,
            "healthcheck": {"command": f"labrig tools {URL} > /dev/null", "interval_sec": 1.0, "retries": 60},
            "mcp_servers": [{"name": arm.server, "transport": "streamable-http", "url": URL}],
        },
    }


def _compose(episode: Episode) -> dict[str, object]:
    """Return the second container, in JSON, which is YAML: the server, as the arm sets it up."""
    server, *flags = episode.serving(Path(CALLS), Path(WORKSPACE))
    command = [server, "--http", f"127.0.0.1:{PORT}", *flags]
    about = {"build": {"context": "./server"}, "command": command, "network_mode": "service:main"}
    return {"services": {SERVICE: about}}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_script(folder: Path, name: str, text: str) -> None:
    _write(folder / name, text)
    (folder / name).chmod(0o755)
