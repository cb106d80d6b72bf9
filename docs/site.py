"""Write what the site is built from: the pages of this folder, a page a tool, and ``llms.txt``.

python docs/site.py FOLDER     (`make site` calls it, then mkdocs)
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labrig.toolbox import ToolSpec
from labrig_harness.registry.servers import toolbox

DOCS = Path(__file__).parent
SERVERS = ("phreeqc", "papers", "earth", "repository", "atlas")
SUMMARY = (
    "Labrig gives science agents laboratory instruments over MCP (geochemistry, papers, Earth data, data folders, "
    "world knowledge), runs any MCP-capable agent against them, and scores the records."
)


def pages() -> list[Path]:
    """Return the pages of this folder, the first one first."""
    found = sorted(DOCS.rglob("*.md"))
    return [DOCS / "index.md", *(page for page in found if page != DOCS / "index.md")]


def tool_page(spec: ToolSpec, schema: dict[str, Any]) -> str:
    """Return the page of a tool: what it does, and its arguments as a client sees them."""
    rows = ["| argument | type | default | what it is |", "| --- | --- | --- | --- |"]
    for name, each in schema.get("properties", {}).items():
        usual = "required" if name in schema.get("required", ()) else f"`{each.get('default')!r}`"
        words = " ".join(str(each.get("description", "")).split()).replace("|", "\\|")
        rows.append(f"| `{name}` | {_kind(each)} | {usual} | {words} |")
    changes = "changes no file" if spec.read_only else "writes files into its workspace"
    about = f"{spec.title}. Toolsets: {', '.join(spec.toolsets)}; {changes}."
    table = "\n".join(rows) if len(rows) > 2 else "No argument."
    return f"# {spec.name}\n\n{about}\n\n{spec.description.strip()}\n\n{table}\n"


def _kind(schema: dict[str, Any]) -> str:
    kinds = [str(each.get("type", "any")) for each in schema.get("anyOf", [schema])]
    return " or ".join(dict.fromkeys(kinds))


def tool_pages() -> Iterator[tuple[str, str]]:
    """Yield the pages of all tools by their paths, and of each server the list of them."""
    for server in SERVERS:
        listed = [f"# Tools of {server}\n"]
        for spec in toolbox(server).specs:
            name = f"{spec.name}.md" if "paper" not in spec.toolsets else f"{spec.name}-paper.md"
            yield f"tools/{server}/{name}", tool_page(spec, _schema(spec))
            listed.append(f"- [{spec.name}]({name}): {spec.description.splitlines()[0]}")
        yield f"tools/{server}/index.md", "\n".join(listed) + "\n"


def _schema(spec: ToolSpec) -> dict[str, Any]:
    from fastmcp.tools import Tool

    return Tool.from_function(spec.function, name=spec.name).parameters


def llms() -> str:
    """Return the index of the pages for models, as llmstxt.org has it."""
    lines = ["# Labrig", "", f"> {SUMMARY}", "", "## Pages", ""]
    for page in pages():
        text = page.read_text(encoding="utf-8")
        title = text.partition("\n")[0].lstrip("# ")
        where = page.relative_to(DOCS).with_suffix("").as_posix()
        lines.append(f"- [{title}]({'' if where == 'index' else where + '/'})")
    return "\n".join(lines) + "\n"


def main(folder: Path) -> None:
    """Write all of it into a folder, which is emptied before."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    made = [("llms.txt", llms()), *tool_pages()]
    for name, text in made:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
