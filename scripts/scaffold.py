"""What new_server and new_suite share: files made of templates, and lines set into pyproject.toml.

A template is a file below scripts/templates whose name ends in ``.tmpl``; in its path and its text ``@name@`` is the
name as it is typed (``ice-cores``), ``@module@`` that of the module (``ice_cores``) and ``@Title@`` its title.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
TEMPLATES = Path(__file__).resolve().parent / "templates"
PYPROJECT = PROJECT / "pyproject.toml"
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def checked(name: str, taken: Path) -> str:
    """Return a name, or stop: it must be a name, and nothing may stand where its package comes."""
    if not NAME.fullmatch(name):
        sys.exit(f"{name!r} is not a name: small letters, digits and single hyphens, such as ice-cores")
    if taken.exists():
        sys.exit(f"{taken.relative_to(PROJECT)} is there already; nothing was changed")
    return name


def write(kind: str, name: str) -> list[Path]:
    """Write the files of a template folder; one that exists stops all before the first is written."""
    words = {
        "@name@": name,
        "@module@": name.replace("-", "_"),
        "@Title@": name.replace("-", " ").capitalize(),
    }

    def filled(text: str) -> str:
        return re.sub("|".join(words), lambda found: words[found[0]], text)

    folder = TEMPLATES / kind
    made = {
        PROJECT / filled(str(each.relative_to(folder).with_suffix(""))): filled(
            each.read_text(encoding="utf-8")
        )
        for each in sorted(folder.rglob("*.tmpl"))
    }
    there = [str(path.relative_to(PROJECT)) for path in made if path.exists()]
    if there:
        sys.exit(f"There is already: {', '.join(there)}; nothing was changed")
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(made)


def with_line(text: str, section: str, key: str, line: str) -> str:
    """Return TOML with a line set into a section, before the first key that sorts after it; else at its end."""
    lines = text.splitlines(keepends=True)
    start = lines.index(f"[{section}]\n") + 1
    place = start
    for place in range(start, len(lines) + 1):
        found = re.match(r"([\w-]+) = ", lines[place]) if place < len(lines) else None
        if found is None or found[1] > key:
            break
    return "".join([*lines[:place], line + "\n", *lines[place:]])


def finish(made: list[Path], *, then: str) -> None:
    """Install the entry points where there is an environment, write what is generated, and say what was made."""
    for path in made:
        print(f"made     {path.relative_to(PROJECT)}")
    print("changed  pyproject.toml")
    if (PROJECT / ".venv" / "bin" / "labrig").is_file():
        python = [str(path) for path in made if path.suffix == ".py"]  # imports sort by the new name
        for command in (
            [".venv/bin/ruff", "check", "--quiet", "--fix", *python],
            [".venv/bin/ruff", "format", "--quiet", *python],
            ["sh", "scripts/install.sh", ".venv"],
            [".venv/bin/labrig", "manifests"],
            [".venv/bin/python", "docs/generate.py"],
        ):
            subprocess.run(command, cwd=PROJECT, check=True)
        print("written  manifests and the tables of the docs")
    else:
        print("next     make manifests docs")
    print(f"next     {then}")
