"""What graders of others say of the five servers: mcpscore over stdio, and agent-friend's look at the schemas.

    python tests/soak/graders.py FOLDER

They are installed into an environment of their own in FOLDER. mcpscore's points must be at least `LEAST_PERCENT`;
agent-friend must find no error. Its grade is printed and not obeyed: it falls with every byte of a list, counts an
example in a description as waste, and wants texts such as "Path" to be longer (docs/contracts.md).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from support.every_server import installed

GRADERS = ("mcpscore==1.29.0", "agent-friend==0.209.0")
LEAST_PERCENT = 94.0


def install(folder: Path) -> Path:
    """Make the environment, and return where its commands are."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "graders")], check=True)
    commands = folder / "graders" / "bin"
    subprocess.run([str(commands / "pip"), "install", "-q", *GRADERS], check=True)
    return commands


def points(commands: Path, server: str) -> tuple[int, int]:
    """Return the points that mcpscore gives a server, and how many there are."""
    audit = [
        str(commands / "mcpscore"),
        "--json",
        "--stdio",
        sys.executable,
        "-m",
        "labrig_cli",
        "serve",
        server,
    ]
    done = subprocess.run(audit, capture_output=True, text=True, timeout=600)
    report = json.loads(done.stdout)
    return report["score"], report["max_score"]


def faults(commands: Path, server: str, folder: Path) -> tuple[int, str]:
    """Return how many errors agent-friend finds in the list of a server's tools, and its grade."""
    said = subprocess.run(
        [sys.executable, "-m", "labrig_cli", "tools", server, "--json"], capture_output=True, check=True
    ).stdout
    listed = folder / f"{server}.json"
    listed.write_text(json.dumps(json.loads(said)["tools"]))
    run = [str(commands / "agent-friend")]
    validated = subprocess.run([*run, "validate", str(listed)], capture_output=True, text=True).stdout
    graded = subprocess.run([*run, "grade", str(listed)], capture_output=True, text=True).stdout
    found, score = re.search(r"(\d+) errors?,", validated), re.search(r"Score: ([\d.]+)", graded)
    assert found is not None and score is not None, validated + graded
    return int(found[1]), score[1]


def main() -> int:
    """Print a line for each server; 1 where one is below the mark."""
    folder = Path(sys.argv[1])
    commands = install(folder)
    failed = False
    for server in sys.argv[2:] or installed():
        got, most = points(commands, server)
        errors, grade = faults(commands, server, folder)
        share = 100 * got / most
        failed = failed or share < LEAST_PERCENT or errors > 0
        print(
            f"{server}: mcpscore {got} of {most} ({share:.1f} %), agent-friend {errors} errors, grade {grade}",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
