"""The exhaustive checks, which take hours: each runs by itself, and its row in docs/soak.md says what came of it.

``make soak`` runs all, ``make soak ONLY=NAME`` one (``attacks``: all whose names end so); ``make soak
ONLY="--try NAME"`` makes it with small numbers, to see that it works, and writes no row.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from soak.checks import CHECKS, Check

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "soak.md"
HEAD = """\
# Soak

What `make soak` found: the exhaustive form of checks that `make test` and `make accept` make in part. A row is the
last run of a check, with the commit that it ran on; a `+` says that the working tree had changes.
`tests/soak/checks.py` says what each runs.

| check | what | commit | date | figure | outcome | took |
| --- | --- | --- | --- | --- | --- | --- |
"""


def run(check: Check, folder: str, *, small: bool) -> tuple[str, bool]:
    """Run a check with its output shown; return its figure and whether it passed."""
    said: list[str] = []
    passed = True
    for command in check.small if small else check.commands:
        words = [each.replace("{python}", sys.executable).replace("{folder}", folder) for each in command]
        print(f"-- {check.name}: {' '.join(words)}", flush=True)
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
            | (check.small_environment if small else check.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            said.append(line.rstrip())
        passed = process.wait() == 0 and passed
    found = [line for line in said if re.search(check.figure, line)]
    # What an exhaustive check had to skip it has not checked: a missing database or program is a reason to set it up.
    passed = passed and not any(re.search(r"\b[1-9]\d* skipped\b", line) for line in found)
    figure = "; ".join(" ".join(line.split()).strip(" =.") for line in found)
    return figure or "no figure", passed and bool(found)


def row(check: Check, figure: str, passed: bool, seconds: float) -> str:
    """Return the row of a check."""
    cells = [
        check.name,
        check.what,
        commit(),
        f"{datetime.now(UTC):%Y-%m-%d}",
        figure.replace("|", "\\|"),
        "passed" if passed else "**failed**",
        f"{seconds / 60:.0f} min",
    ]
    return f"| {' | '.join(cells)} |"


def commit() -> str:
    """Return the commit that is checked out, with a ``+`` where files differ from it, the pages written here apart."""
    head = _git("rev-parse", "--short=10", "HEAD")
    written = (f":!docs/{page}.md" for page in ("soak", "attacks"))
    return head + ("+" if _git("status", "--porcelain", "--", ".", *written) else "")


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def merge(new: str) -> None:
    """Put a row into the page in place of the check's former one, in the order of the checks."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    rows = {line.split(" | ")[0]: line for line in [*text.splitlines(), new] if re.match(r"\| [a-z]", line)}
    rows.pop("| check", None)
    ordered = [rows[name] for check in CHECKS if (name := f"| {check.name}") in rows]
    PAGE.write_text(HEAD + "".join(f"{line}\n" for line in ordered), encoding="utf-8")


def main() -> int:
    """Run the checks that are asked for; 1 when one fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = [check.name for check in CHECKS]
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one or more of {', '.join(names)}; default: all"
    )
    parser.add_argument(
        "--try", dest="small", action="store_true", help="small numbers, no row in docs/soak.md"
    )
    given = parser.parse_args()
    asked = {name for name in names for word in given.names or [name] if f"-{name}".endswith(f"-{word}")}
    unknown = [word for word in given.names if not any(f"-{name}".endswith(f"-{word}") for name in names)]
    if unknown:
        parser.error(f"no check {', '.join(unknown)}; there are {', '.join(names)}")
    failed = []
    for check in CHECKS:
        if check.name not in asked:
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            figure, passed = run(check, folder, small=given.small)
        print(f"-- {check.name}: {'passed' if passed else 'FAILED'}: {figure}", flush=True)
        if not given.small:
            merge(row(check, figure, passed, time.monotonic() - began))
        if not passed:
            failed.append(check.name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
