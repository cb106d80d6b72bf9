"""science-gym: an arm whose code cannot run is refused, rather than its agent blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_harness.agent import AgentSpec
from labrig_harness.run.plan import RunPlan
from labrig_harness.suite import Arm
from labrig_suites.science_gym import suite


@pytest.mark.parametrize("arm", suite.arms, ids=lambda each: each.name)
def test_arms_with_code_need_the_sandbox(arm: Arm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    agent = "reference" if arm.server else "random"
    plan = RunPlan(suite, arm, AgentSpec(agent), ())
    if arm.name in ("agent-paper", "agent-default"):
        with pytest.raises(LabrigError, match=r"labrig setup sandbox") as caught:
            plan.check()
        assert caught.value.code == "unavailable"
    else:
        plan.check()


def test_a_replay_needs_no_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    (tmp_path / "store" / "servers").mkdir(parents=True)
    plan = RunPlan(
        suite, suite.arm(), AgentSpec("reference"), (), calls="replay", store=str(tmp_path / "store")
    )
    plan.check()
