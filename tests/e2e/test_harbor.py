"""Exported tasks, loaded and run by the real Harbor: its oracle has full marks, its nop none.

Harbor is not a dependency of ours: it is looked for in the virtual environment ``$LABRIG_TEST_HARBOR``, or ``harbor``
beside the agent programs of the other tests (``.ci/run`` makes it; Python 3.12 or later). Docker is not needed:
`harbor_boxes` stands in for it, and says what it does not show.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import labrig
from support.places import PROJECT
from support.solvable import write_solvable

pytestmark = pytest.mark.accept

CHOSEN = {"phreeqc-mcq": "agent-toc", "science-gym": "agent-reading"}
"""An arm that answers by a file, and one that answers by the last message and whose samples have files."""


@pytest.fixture(scope="module")
def harbor() -> Path:
    """Return Harbor's program."""
    cache = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
    found = Path(os.environ.get("LABRIG_TEST_HARBOR", cache / "harbor")) / "bin" / "harbor"
    if not found.exists() or shutil.which("bwrap") is None:
        pytest.skip("harbor or bubblewrap is not installed; LABRIG_TEST_HARBOR names its virtual environment")
    return found


def test_the_oracle_has_full_marks_and_nothing_none(
    harbor: Path, databases: Path, private_home: Path, tmp_path: Path
) -> None:
    for suite, arm in CHOSEN.items():
        words = ("export-tasks", suite, "--arm", arm, "--format", "harbor")
        done = labrig(
            *words, "--items", write_solvable(suite, arm, 1, tmp_path / "ids"), "--out", str(tmp_path / suite)
        )
        assert done.returncode == 0 and not done.stderr, done.stderr
        (task,) = (tmp_path / suite).iterdir()
        (tmp_path / "tasks").mkdir(exist_ok=True)
        task.rename(tmp_path / "tasks" / suite)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "LABRIG_HOME": str(private_home),
        "LABRIG_TEST_BIN": str(Path(sys.executable).parent),
        "LABRIG_TEST_DOCKERFILE": str(PROJECT / "Dockerfile"),
        "PYTHONPATH": str(PROJECT / "tests" / "support"),
    }
    for agent, reward in (("oracle", 1.0), ("nop", 0.0)):
        ran = subprocess.run(
            # Without a network but for a loopback of its own, which all containers of a task share.
            [
                *("bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", "--"),
                *(harbor, "run", "-p", tmp_path / "tasks", "-e", "harbor_boxes:Boxes", "-a", agent),
                *("-n", "1", "-o", tmp_path / "jobs", "--job-name", agent, "-y", "-q"),
            ],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
        results = [json.loads(each.read_text()) for each in (tmp_path / "jobs" / agent).glob("*/result.json")]
        assert [each["exception_info"] for each in results] == [None, None]
        rewards = {
            each["task_name"].partition("/")[0]: each["verifier_result"]["rewards"] for each in results
        }
        full = {"reward": reward, "compat": reward}
        assert rewards == {f"labrig-{suite}": full for suite in CHOSEN}
