"""What an attack is: how it is sent, what it plants, and which outcomes are acceptable.

In arguments and planted links, ``{outside}``, ``{home}``, ``{theirs}`` and so on stand for folders of the watched tree
(`hostile.servers.attack.Rig.places`); as a tool, ``{quiet}``, ``{reads}`` and ``{writes}`` stand for tools of the
server that is attacked (`hostile.servers.listed`).

An outcome is one word (`hostile.servers.channels.word`); several calls of one case give their distinct words in
order of appearance, joined by commas. Where calls are made at once, or for every tool, each word must be acceptable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hostile.servers.attack import Rig

NOTHING = "-"
"""The outcome where a server has no tool, or no argument, of the kind that is attacked."""

ANSWERED = "answered"
"""Accepts any answer, and any refusal that is not a defect of the server."""

REFUSED = ("refused", "not_found", "bad_input")
NOTHING_DONE = (*REFUSED, "unavailable", "not_recorded")
"""The last two for a good path, where what the tool would ask is not set up, or not in the ledger that is replayed."""


@dataclass(frozen=True)
class Call:
    """A tool call."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EveryFileTool:
    """A call of every tool that takes a path, once for each path given here, which all of its path arguments get."""

    paths: tuple[str, ...]


@dataclass(frozen=True)
class EveryArgument:
    """A call of every tool for each of its arguments, which gets each of the values that are made from its schema.

    Other arguments are given only where they are needed.
    """

    values: Callable[[dict[str, Any]], tuple[Any, ...]]


@dataclass(frozen=True)
class Raw:
    """Bytes that no client library would send: a line on stdio, a request body over HTTP."""

    body: bytes
    tool: str
    number: int | str | None = None


@dataclass(frozen=True)
class Act:
    """Something done to the connection or to a process; it returns the outcome."""

    do: Callable[[Rig], str]


Send = tuple[Call, ...] | EveryFileTool | EveryArgument | Raw | Act | Callable[[str], Raw]


@dataclass(frozen=True)
class Case:
    """One attack.

    Attributes
    ----------
    family, name, tries
        Its place in the table, a short name, and what it tries in a few words.
    send
        How it is sent; a function makes it from the name of a tool that needs no arguments.
    accept
        Acceptable outcomes, or `ANSWERED`.
    http
        Acceptable outcomes over HTTP, where they differ.
    plant
        What is put into the workspace by hand before: kind, name, content or target.
    wall_s
        The time limit of a call during the case.
    most
        Bytes that an answer may have.
    together
        Calls of `send` that are made at once; the others one after the other.
    kills
        Whether the server is meant to end.
    quick
        Whether it belongs to the quick sample.
    theirs
        Whether the other caller acts, too, in a workspace of its own.
    """

    family: str
    name: str
    tries: str
    send: Send
    accept: tuple[str, ...]
    http: tuple[str, ...] = ()
    plant: tuple[tuple[str, str, str], ...] = ()
    wall_s: float = 2.0
    most: int = 1_200_000
    together: bool = False
    kills: bool = False
    quick: bool = False
    theirs: bool = False

    def accepted(self, transport: str) -> tuple[str, ...]:
        """Return the acceptable outcomes over one transport."""
        return self.http if self.http and transport == "HTTP" else self.accept
