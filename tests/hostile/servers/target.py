"""What is said of a server that is attacked; all of it may be left out, and is then found in its tools list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hostile.servers.case import Call, Case

if TYPE_CHECKING:
    from hostile.guard import Guard


@dataclass(frozen=True)
class Target:
    """How a server is attacked. It stands in tests/support/known_servers, as `TARGET`.

    Attributes
    ----------
    canary, right
        A call that does the server's work, after each attack, and what tells by its result whether the answer is the
        known one. Without them the server must list the tools that it listed first.
    ordinary
        A call that many make at once, of the server's ordinary work; by default one that needs no arguments.
    endless
        A call that goes on until it is ended, in a process of its own.
    starts
        Calls of which the last one starts a job.
    arguments
        Right arguments of tools, where a schema alone does not tell what is needed.
    configuration
        ``labrig.toml`` for a time limit of a call, in seconds.
    variables
        More of the server's environment.
    watched
        More folders in which nothing may change.
    lay_out
        Puts into the watched tree what the server needs, and returns more flags for it.
    ground
        The folder of the watched tree that its tools read, where it is not the workspace.
    needs
        Skips the attacks where the server lacks something.
    cases
        Attacks on this server alone.
    """

    canary: Call | None = None
    right: Callable[[dict[str, Any]], bool] = lambda result: not result.get("isError", True)
    ordinary: Call | None = None
    endless: Call | None = None
    starts: tuple[Call, ...] = ()
    arguments: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    configuration: Callable[[float], str] = lambda wall_s: ""
    variables: Callable[[], dict[str, str]] = dict
    watched: Callable[[], tuple[Any, ...]] = tuple
    lay_out: Callable[[Guard], list[str]] = lambda guard: []
    ground: str = ""
    needs: Callable[[], None] = lambda: None
    cases: Callable[[], tuple[Case, ...]] = tuple
