"""Whether two checkouts give the same bytes: tool lists, items of seeds, records of reference runs, and their scores.

    python scripts/same_bytes.py BEFORE AFTER

Straightening code is to change none of them. Both run in the environment that this is started with; each line that is
printed names what differs, and what only one of the two has. Times, temporary folders and Labrig's version are not
compared.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOMS = ("clients", "servers", "shared")
SEED, ITEMS, RUNS = "5", 6, 2
SECONDS = 1_800
TIMES = {"duration_s", "started", "ended", "round_trip_s", "runtime_s", "wall_s"}
VERSIONS = {"labrig", "versions"}
FOLDERS = re.compile(r"/tmp/[\w./-]+")


def digest(value: Any) -> str:
    """Return the first half of the SHA-256 of a value as JSON, without times and temporary folders."""
    text = json.dumps(_lasting(value), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(FOLDERS.sub("", text).encode()).hexdigest()[:32]


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lasting(each) for key, each in value.items() if key not in TIMES | VERSIONS}
    return [_lasting(each) for each in value] if isinstance(value, list) else value


def labrig(checkout: Path, *words: str) -> str:
    """Return what a command of a checkout prints; of one that fails, its last line."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
    command = [sys.executable, "-c", f"from {project['scripts']['labrig'].replace(':', ' import ')}; main()"]
    with tempfile.TemporaryDirectory() as declared:
        declare(project, Path(declared))
        paths = [declared, *(str(checkout / room) for room in ROOMS)]
        done = subprocess.run(
            [*command, *words],
            capture_output=True,
            text=True,
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            timeout=SECONDS,
        )
    return done.stdout if not done.returncode else f"fails: {done.stderr.strip().splitlines()[-1:]}"


def declare(project: dict[str, Any], folder: Path) -> None:
    """Write the entry points of a checkout as installed ones: those of this environment may lead elsewhere."""
    about = folder / f"{project['name']}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = (
        "\n".join((f"[{group}]", *(f"{name} = {value}" for name, value in declared.items()), ""))
        for group, declared in project["entry-points"].items()
    )
    (about / "entry_points.txt").write_text("\n".join(groups))


def lists(checkout: Path) -> dict[str, str]:
    """Return a digest of every tool that every toolset lists."""
    found = {}
    for server in sorted(
        each.name.removeprefix("labrig_") for each in (checkout / "servers").glob("labrig_*")
    ):
        shown = labrig(checkout, "tools", server).partition("\ntoolsets of ")[2]
        for toolset in re.findall(r"^  (\S+)  ", shown, re.MULTILINE):
            said = labrig(checkout, "tools", server, "--json", "--toolsets", toolset)
            tools = json.loads(said)["tools"] if said.startswith("{") else [{"name": said}]
            found |= {f"tool {server} {toolset} {tool['name']}": digest(tool) for tool in tools}
    return found


def items(checkout: Path, suite: str, folder: Path) -> dict[str, str]:
    """Return a digest of every item that a suite makes of a seed."""
    path = folder / f"{suite}.jsonl"
    said = labrig(checkout, "generate", suite, "--seed", SEED, "--n", str(ITEMS), "--out", str(path))
    if not path.is_file():
        return {f"items {suite}": said}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {f"item {suite} {number}": digest(row) for number, row in enumerate(rows)}


def records(checkout: Path, suite: str, folder: Path) -> dict[str, str]:
    """Return a digest of every file that a run of the reference leaves."""
    out = folder / f"run-{suite}"
    said = labrig(
        checkout,
        *("run", suite, "--agent", "reference", "--limit", str(RUNS), "--seed", SEED, "--out", str(out)),
    )
    found = {} if out.is_dir() else {f"run {suite}": said}
    for path in sorted(out.rglob("*.json*")):
        if path.parent.name != "blobs":  # named by what they hold
            text = path.read_text("utf-8")
            rows = (
                [json.loads(line) for line in text.splitlines()]
                if path.suffix == ".jsonl"
                else json.loads(text)
            )
            found[f"record {suite} {path.relative_to(out)}"] = digest(rows)
    return found


def facts(checkout: Path) -> dict[str, str]:
    """Return the digests of a checkout by what they are of."""
    suites = re.findall(r"^(\S+) \S+  ", labrig(checkout, "suites"), re.MULTILINE)
    found = lists(checkout)
    with tempfile.TemporaryDirectory() as made:
        for suite in suites:
            print(f"{checkout}: {suite}", file=sys.stderr)
            found |= items(checkout, suite, Path(made)) | records(checkout, suite, Path(made))
    return found


def main() -> int:
    """Print what differs; return 1 if anything does."""
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    before, after = (facts(Path(each).resolve()) for each in sys.argv[1:])
    differ = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    for name in differ:
        state = (
            "differs"
            if name in before and name in after
            else "only before"
            if name in before
            else "only after"
        )
        print(f"{state}: {name}")
    print(f"{len(before)} before, {len(after)} after, {len(differ)} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
