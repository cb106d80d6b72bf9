"""What a record of ``labrig run`` costs in processor time with forked servers and with fresh ones, in one run.

The reference answers samples of phreeqc-basics, two at a time. User and system time are those of the runner and of all
that it started and waited for: servers, supervisors, stand-ins, the engine's processes. A short run and a longer one
differ by records alone, so their difference is the cost of records without that of a start.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = 4
EPOCHS = {"warm": (1, 10), "cold": (1, 3)}
"""Of the short run and the longer one."""

MOST_S, MOST_RATIO = 0.30, 0.15


def cpu_s(way: str, epochs: int) -> float:
    """Return the processor seconds of one run."""
    with tempfile.TemporaryDirectory() as out:
        what = ["phreeqc-basics", "--agent", "reference", "--limit", str(SAMPLES), "--epochs", str(epochs)]
        runner = subprocess.Popen(
            [sys.executable, "-m", "labrig_cli", "run", *what, "--jobs", "2", "--out", out],
            env={**os.environ, "LABRIG_HARNESS_SERVERS": way},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(runner.pid, 0)
        runner.returncode = os.waitstatus_to_exitcode(status)
        made = len(list(Path(out).glob("*/*/epoch*/trajectory.json")))
        assert (runner.returncode, made) == (0, SAMPLES * epochs), "every record was made and is right"
    return used.ru_utime + used.ru_stime


def record_s(way: str) -> float:
    """Return the processor seconds of a record."""
    few, many = EPOCHS[way]
    return (cpu_s(way, many) - cpu_s(way, few)) / (SAMPLES * (many - few))


def main() -> None:
    """Print both and the ratio."""
    cpu_s("warm", 1)  # bytecode, and files in memory
    warm, cold = record_s("warm"), record_s("cold")
    print(
        f"processor seconds of a record: forked {warm:.2f} (at most {MOST_S:.2f}), fresh {cold:.2f}, "
        f"ratio {warm / cold:.3f} (at most {MOST_RATIO:g})"
    )


if __name__ == "__main__":
    main()
