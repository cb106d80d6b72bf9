"""A simulator as tools see it: which files and options it takes, and how it is run; each room of engines has its own.

A room makes a `Simulator` for each tool of the paper; the MCP face finds them by the tool's name, so that starting,
checking and comparing are written once for all engines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.runs import Allowed, Engine, Engines
from labrig_earth.work.fields import Fields


@dataclass(frozen=True)
class Named:
    """A file by its name, and what it holds."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Given:
    """What a run is given.

    Attributes
    ----------
    files
        By the name of the argument; an argument that is a list has several.
    options
        Those of the tool alone.
    """

    files: Mapping[str, Sequence[Named]]
    options: Mapping[str, Any] = field(default_factory=dict)

    def one(self, role: str) -> Named:
        """Return the file of an argument."""
        return self.files[role][0]

    def several(self, role: str) -> Sequence[Named]:
        """Return the files of an argument that is a list, which may be empty."""
        return self.files.get(role, ())

    def asked(self) -> Fields:
        """Return the options as fields, each to be read by its type and range; one that is None is not given."""
        return Fields(self.options, "arguments")


@dataclass(frozen=True)
class Simulation:
    """What a run gave.

    Attributes
    ----------
    metrics, derived
        Numbers with units, by the names of the envelope.
    units
        What two runs can be paired by: a row for each season, person or building, with ``unit`` and numbers.
    time
        First and last time (ISO), and the step (such as P1D).
    warnings
        Of the engine, and what was assumed or filled.
    text
        A line or two for a reader.
    folder
        What is kept; it is there until the block of the run ends.
    """

    version: str
    metrics: Mapping[str, Metric]
    derived: Mapping[str, Metric]
    units: Sequence[Mapping[str, Any]]
    time: tuple[str, str, str]
    warnings: Sequence[str]
    text: str
    folder: Path
    wall_s: float


@dataclass(frozen=True)
class Run:
    """How a simulator is run."""

    engines: Engines
    allowed: Allowed
    seed: int


@dataclass(frozen=True)
class Simulator:
    """A tool of the paper, and what stands behind it.

    Attributes
    ----------
    tool
        The tool's name.
    engine
        What computes, for its environment and title.
    backends
        Names by which it may be asked for, beside none.
    files
        What each file is, by the argument that names it.
    lists
        Those of them that are lists, and may be empty.
    options
        What each option of the tool alone is, by its name.
    run
        Runs it, and gives what it left until the block ends.
    check
        Checks the files without a run, and returns what would be assumed or filled.
    question
        The arguments and files of the engine, for one that answers ``{"check": true}`` and ``{"list": true}``: whether
        it knows what is named, and what may be named.
    names
        What it lists.
    proxies
        Published arguments that only drove a formula in place of the engine, each with what stands for it here.
    """

    tool: str
    engine: Engine
    backends: Sequence[str]
    files: Mapping[str, str]
    run: Callable[[Given, Run], AbstractAsyncContextManager[Simulation]]
    check: Callable[[Given], Sequence[str]]
    lists: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    question: Callable[[Given], tuple[Mapping[str, Any], Mapping[str, bytes]]] | None = None
    names: Sequence[str] = ()
    proxies: Mapping[str, str] = field(default_factory=dict)
