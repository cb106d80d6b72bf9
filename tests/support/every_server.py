"""Every server: those that are installed, and the toys, with what the tests know of each.

What is known of a server stands in one file, tests/support/known_servers/NAME.py: `VOCABULARY` (words for the fuzz),
`TARGET` (how it is attacked), `NETWORK` (what its services say, if it declares any). A server without one is fuzzed and
attacked by what its tools list says, and one that asks the network is given an empty ledger.
"""

from __future__ import annotations

import configparser
import importlib
import json
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from labrig_harness.registry import servers
from support.places import PROJECT
from support.toys_installed import TOYS

if TYPE_CHECKING:
    from hostile.servers.target import Target
    from support.fuzzing import Vocabulary
    from support.recorded import Recorded

FOLDER = PROJECT / "tests" / "support" / "known_servers"


def toys() -> list[str]:
    """Return the names of the toy servers, which `support.toys_installed` installs."""
    declared = configparser.ConfigParser()
    declared.read(next(TOYS.glob("*.dist-info/entry_points.txt")))
    return sorted(declared["labrig.servers"])


def installed() -> list[str]:
    """Return the names of the servers of this project, whatever other packages are installed."""
    return [name for name in servers.names() if (PROJECT / "servers" / servers.package(name)).is_dir()]


def names() -> list[str]:
    """Return all of them."""
    return installed() + toys()


def known(server: str) -> ModuleType | None:
    """Return what the tests know of a server."""
    if not (FOLDER / f"{server}.py").is_file():
        return None
    return importlib.import_module(f"support.known_servers.{server}")


def examples(tools: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """Return the example call at the end of the description of each tool that has one."""
    said = {tool.name: (tool.description or "").partition("Example: ")[2] for tool in tools}
    return {name: json.loads(call) for name, call in said.items() if call}


def vocabulary(server: str) -> Vocabulary:
    """Return the words for its fuzz; none, where none are known."""
    from support.fuzzing import Vocabulary

    return _of(server, "VOCABULARY") or Vocabulary()


def target(server: str) -> Target:
    """Return how it is attacked."""
    from hostile.servers.target import Target

    return _of(server, "TARGET") or Target()


def recorded(server: str, folder: Path) -> Recorded | None:
    """Return the ledger that a server replays, recorded into a folder; None for one that asks no network."""
    from support.recorded import recorded as record

    return record(server, _of(server, "NETWORK"), folder)


def _of(server: str, name: str) -> Any:
    return getattr(known(server), name, None)
