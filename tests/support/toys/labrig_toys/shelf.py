"""The server ``shelf``: densities, each in a file that only its own `read_file` knows."""

from __future__ import annotations

from labrig.answer import Answer
from labrig.errors import unknown_name
from labrig.toolbox import Toolbox, session

DENSITIES = {"quartz": "2.65 g/cm3", "calcite": "2.71 g/cm3"}
toolbox = Toolbox("shelf", "A shelf", "Densities of minerals: list_names, read_file.")


@toolbox.tool(title="List names", read_only=True)
async def list_names() -> Answer:
    """List the minerals."""
    return Answer(source="toy shelf 1", text="\n".join(DENSITIES))


@toolbox.tool(title="Read a file", read_only=True)
async def read_file(path: str) -> Answer:
    """Read what the shelf holds of a mineral; a text of many lines, whose last has the density."""
    if path not in DENSITIES:
        raise unknown_name("mineral", path, DENSITIES)
    seen = [entry.path for entry in session().workspace.entries()]
    text = f"density {DENSITIES[path]}\nthe workspace holds {', '.join(seen)}\n" + "a line about it\n" * 50
    return Answer(source="toy shelf 1", text=text)
