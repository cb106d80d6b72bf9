"""Running on a dask cluster: workers and items die, and every record is made once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.records.scoring import score_folder
from labrig_harness.run import makers
from labrig_harness.run.cluster import run
from labrig_harness.run.plan import RunPlan, prepare
from support.basics import basics

if find_spec("distributed") is None:  # an import would take half a second, in every process that collects
    pytest.skip("distributed is not installed", allow_module_level=True)

AGENT = """\
# An agent program that counts its starts, and on one item kills whatever runs it.
import os, signal, sys, time
prompt = open(os.environ["LABRIG_PROMPT_FILE"]).read()
log, poison = sys.argv[1], sys.argv[2]
with open(log, "a") as file:
    file.write(("poison" if poison in prompt else "item") + chr(10))
if poison in prompt:
    parent = os.getppid()
    while parent > 1:
        command = open(f"/proc/{parent}/cmdline").read()
        if "one_record" in command:
            os.kill(parent, signal.SIGKILL)
            break
        parent = int(open(f"/proc/{parent}/stat").read().rsplit(")", 1)[1].split()[1])
    time.sleep(60)
time.sleep(0.3)
"""


def plan(agent: AgentSpec, *, limit: int, epochs: int = 1) -> RunPlan:
    suite = suites.load("phreeqc-basics")
    return RunPlan(suite, suite.arm(), agent, basics()[:limit], epochs=epochs, jobs=2)


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers, each a process of its own, as they would be on other machines."""
    port_file = folder / "scheduler.json"
    python = [sys.executable, "-m"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    scheduler = subprocess.Popen(
        [
            *(*python, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"),
            *("--no-dashboard", "--scheduler-file", str(port_file)),
        ],
        **quiet,
    )
    deadline = time.monotonic() + 60
    while not port_file.exists() or not port_file.read_text().strip().endswith("}"):
        assert scheduler.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    address = json.loads(port_file.read_text())["address"]
    start = [*python, "distributed.cli.dask_worker", address, "--host", "127.0.0.1", "--nthreads", "1"]
    started = [subprocess.Popen([*start, "--no-dashboard", "--no-nanny"], **quiet) for _ in range(workers)]
    try:
        yield address, started
    finally:
        for process in [*started, scheduler]:
            process.kill()
            process.wait(30)


@pytest.mark.accept
def test_a_killed_worker_and_a_poison_item_cost_nothing_else(databases: Path, tmp_path: Path) -> None:
    script, log, out = tmp_path / "agent.py", tmp_path / "starts.log", tmp_path / "out"
    script.write_text(AGENT)
    first = basics()[3]
    poison = first.brief.prompt.splitlines()[0][:60]
    spec = AgentSpec(
        "command", settings={"confine": "off"}, command=(sys.executable, str(script), str(log), poison)
    )
    wanted = plan(spec, limit=8, epochs=2)
    killed: list[int] = []
    with cluster(tmp_path, 3) as (address, workers):

        def kill_one(_: Any) -> None:
            if not killed and len(list(out.glob("*/*/epoch*/trajectory.json"))) >= 4:
                workers[0].send_signal(signal.SIGKILL)
                killed.append(workers[0].pid)

        run(wanted, out, address, progress=kill_one)
    assert killed, "a worker was killed half-way"
    scored = score_folder(out)
    assert scored.whole and len(scored.records) == 16
    poisoned = [each for each in scored.records if each.task == first.id]
    assert [each.end for each in poisoned] == ["agent_error"] * 2
    assert all("its process ended with -9" in each.end_detail for each in poisoned)
    others = [each for each in scored.records if each.task != first.id]
    assert {each.end for each in others} == {"no_answer"}
    starts = log.read_text().split()
    assert starts.count("item") >= 14 and starts.count("poison") >= 6, "three tries an epoch"
    assert len(starts) <= 21, "only what the killed worker was at is begun again"


@pytest.mark.accept
def test_a_local_cluster_makes_the_records_of_a_local_run(databases: Path, tmp_path: Path) -> None:
    wanted = plan(AgentSpec("random"), limit=2)
    run(wanted, tmp_path, "local")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*/epoch*/trajectory.json")}
    assert len(before) == 2
    assert score_folder(tmp_path).whole
    run(wanted, tmp_path, "local")
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.accept
def test_a_process_of_a_worker_makes_one_record_after_another(databases: Path, tmp_path: Path) -> None:
    """And it ends with the run that it belongs to."""
    wanted = prepare(plan(AgentSpec("nop"), limit=3), tmp_path)
    first, second, third = (sample.id for sample in wanted.tasks)
    try:
        for item in (first, second):
            assert makers.make_record("a run", str(tmp_path), wanted.label, item, 0) == ""
        (maker,) = makers._idle
        assert maker.is_alive
        assert makers.make_record("another run", str(tmp_path), wanted.label, third, 0) == ""
        assert not maker.is_alive and len(makers._idle) == 1
        with pytest.raises(makers.Refused, match="no sample"):
            makers.make_record("another run", str(tmp_path), wanted.label, "no-such-item", 0)
    finally:
        makers.end_makers()
    assert not makers._idle
    assert score_folder(tmp_path).whole


@pytest.mark.accept
def test_a_scheduler_that_is_not_there_is_said(databases: Path, tmp_path: Path) -> None:
    words = ["run", "phreeqc-basics", "--agent", "nop", "--limit", "1", "--out", str(tmp_path)]
    program = textwrap.dedent(
        """
        import sys
        import labrig_cli as cli
        from labrig_harness.run import cluster
        cluster.CONNECT_S = 1.0
        sys.exit(cli.main(sys.argv[1:]))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words, "--scheduler", "tcp://127.0.0.1:9"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert "The scheduler cannot be reached" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
