"""Traps and clean twins of Argleton, an outside suite, one of each kind of file; `make soak ONLY=argleton` has all."""

from __future__ import annotations

from pathlib import Path

import pytest

from real.argleton.run import MORE, judge_probes, packages

pytestmark = [
    pytest.mark.accept,
    pytest.mark.skipif(
        packages() is None,
        reason="Argleton is not installed: python tests/real/argleton/run.py --install",
    ),
]
PROBES = (
    *("002-feet-as-metres", "c002-projected-area", "018-join-key-typing", "c018-plain-keys"),
    *("022-thiessen-pairing", "c022-two-gauges", "026-south-up-grid", "c026-north-up-grid"),
    *("030-sidecar-georeferencing", "c030-single-georeferencing"),
    *("031-hole-wound-as-shell", "c031-hole-wound-as-hole"),
)


async def test_no_trap_is_walked_into_and_every_clean_task_is_done(tmp_path: Path) -> None:
    verdicts = await judge_probes(tmp_path, PROBES, toolsets=("default", MORE))
    assert len(verdicts) == len(PROBES)
    assert [each.detail for each in verdicts if each.success is not True] == []
