"""The names of tools in an arm of several servers.

The servers stand in the arm's order, and the first one keeps the names of its tools. A later server's tool whose name
is taken is called ``SERVER__TOOL``: prompts, answer channels and solutions that know one server stay as they are when
another is added. Trajectories, declared changes and our own agents use these names; a call's record has server and tool
apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def names_of(tools: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, str]]:
    """Return by name in the arm, in order, the server and its own name of the tool.

    Parameters
    ----------
    tools
        By server, in the arm's order, the names of its tools.

    >>> names_of({"earth": ["read_file", "plot"], "atlas": ["read_file", "search"]})["atlas__read_file"]
    ('atlas', 'read_file')
    """
    named: dict[str, tuple[str, str]] = {}
    for server, own in tools.items():
        for tool in dict.fromkeys(own):
            name = tool
            while name in named:
                name = f"{server}__{name}"
            named[name] = (server, tool)
    return named


def is_name_of(name: str, server: str, tool: str) -> bool:
    """Return whether a name in an arm can be that of a server's tool."""
    while name != tool and name.startswith(f"{server}__"):
        name = name.removeprefix(f"{server}__")
    return name == tool
