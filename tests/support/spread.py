"""Which tests share a worker, and which begin first: a file's, since they share its rigs, and the longest.

`pytest_xdist_make_scheduler` in conftest.py puts it in the place of ``--dist loadfile``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

ATTACKS = "tests/e2e/test_hostile.py"
"""Has a rig for each server: the tests of a server share a worker."""
APART = ("tests/e2e/test_docs.py", "tests/e2e/test_fuzz.py")
"""Files whose tests are long and share nothing: each goes where there is room."""
PLANTED = ("tests/e2e/test_sandbox_attacks.py", "tests/servers/repository/test_hostile_code.py")
"""Files that wait for one lock (`support.alone`), so that one worker runs them all."""
USUAL_S = 0.3
SECONDS = {
    ATTACKS: 0.7,
    "tests/e2e/test_fuzz.py": 40.0,
    "tests/e2e/test_docs.py": 5.0,
    PLANTED[0]: 0.5,
    "tests/e2e/test_agent_programs.py": 5.0,
    "tests/e2e/test_confinement.py": 1.5,
    "tests/servers/earth_impact/test_aquacrop.py": 3.0,
}
"""Processor time of a test, where a file is long: what it takes to have the long ones begin first."""


def shared_by(nodeid: str) -> str:
    """Return the name of the tests that share a worker with this one."""
    file = nodeid.partition("::")[0]
    if file in APART:
        return nodeid
    if file in PLANTED:
        return PLANTED[0]
    server = re.search(r"\[(\w+)-", nodeid) if file == ATTACKS else None
    return f"{file}::{server[1]}" if server else file


def seconds(unit: str, tests: int) -> float:
    """Return about how long the tests of a unit take together."""
    return tests * SECONDS.get(unit.partition("::")[0], USUAL_S)


class Spread(LoadFileScheduling):
    """Gives a worker the longest unit that is left, so that none runs alone at the end."""

    def _split_scope(self, nodeid: str) -> str:
        return shared_by(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        longest = max(self.workqueue, key=lambda unit: seconds(unit, len(self.workqueue[unit])))
        self.workqueue.move_to_end(longest, last=False)
        super()._assign_work_unit(node)
