"""An arm: one way to run a suite, with its servers, its answer channel and its budget."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from labrig.toolbox import ServeOptions
from labrig_harness.channels import Channel
from labrig_harness.registry.servers import Target
from labrig_harness.sample import Sample, SampleInput

NATIVE, WEB = "-native", "+web"
"""How the name of an arm ends in which programs keep their own tools, and those for the web, too."""


@dataclass(frozen=True)
class Served:
    """A further server of an arm, and how it is set up."""

    server: str
    serve: ServeOptions = field(default_factory=ServeOptions)


@dataclass(frozen=True)
class Arm:
    """One way to run a suite: the server and how it is set up, the answer channel, the budget.

    Attributes
    ----------
    server
        Name of the server; empty for an arm without tools (``direct``, ``cot``).
    serve
        Toolsets and output protocol, fixed at server start.
    also
        Further servers, which serve the same workspace. Tools of equal names: see `labrig_harness.tool_names`.
    instructions
        How to work and how to answer in this arm; it follows the item's own prompt.
    channel
        Where the answer is looked for.
    max_steps
        Turns an agent may take.
    wall_s
        Seconds an item may take.
    max_tokens
        Input and output tokens of an item; None for no limit.
    max_cost
        Cost of an item, in the currency of the price table; None for no limit.
    call_s
        Seconds one tool call may take.
    result_chars
        Characters of a result's text that the agent is given; None for all. The record keeps the whole. Results are
        then texts and pictures alone, without structured content beside them that would not be cut.
    left_files
        Whether the trajectory lists the files that a run made or changed in its workspace.
    limits_of
        Limits that this arm gives a sample (names of `labrig_harness.sample.LIMITS`), over those of arm and sample: a
        budget that depends on the length of a task.
    builtin_tools
        Whether an agent program keeps its own tools (shell, files) and the item's workspace as its folder.
    web_tools
        Whether it keeps those for the web, too; what it asks of the web is recorded.
    toolless
        Whether agents that call tools may run in it without a server: to be compared with one that has a server.
    targets
        Servers that are no packages of ``labrig.servers``: by name, the command or URL by which they are reached.
    needs
        Side environments (``labrig setup NAME``) that the server's tools need: a run is refused where one is not
        installed, since tools would answer every call with an error and the agent would be blamed.
    """

    name: str
    server: str = ""
    serve: ServeOptions = field(default_factory=ServeOptions)
    instructions: str = ""
    channel: Channel = field(default_factory=Channel)
    max_steps: int = 24
    wall_s: float = 300.0
    max_tokens: int | None = None
    max_cost: float | None = None
    call_s: float = 120.0
    builtin_tools: bool = False
    about: str = ""
    needs: tuple[str, ...] = ()
    result_chars: int | None = None
    left_files: bool = False
    also: tuple[Served, ...] = ()
    limits_of: Callable[[Sample], Mapping[str, float]] | None = None
    targets: Mapping[str, Target] = field(default_factory=dict)
    toolless: bool = False
    web_tools: bool = False

    def __post_init__(self) -> None:
        if self.result_chars is not None and self.result_chars < 1:
            raise ValueError(f"arm {self.name}: result_chars={self.result_chars} is no number of characters")
        names = [each.server for each in self.also]
        if names and (not self.server or len({self.server, *names}) <= len(names)):
            raise ValueError(f"arm {self.name}: further servers need a first one, and each is there once")

    @property
    def served(self) -> dict[str, ServeOptions]:
        """All servers in order, by name, and how each is set up; empty for an arm without tools."""
        first = {self.server: self.serve} if self.server else {}
        return first | {each.server: each.serve for each in self.also}

    def on(self, targets: Mapping[str, Target]) -> Arm:
        """Return the arm with other servers, named after them; one that it has stays set up as it is."""
        first, *others = targets
        return replace(
            self,
            name="+".join(targets),
            server=first,
            serve=self.served.get(first, ServeOptions()),
            also=tuple(Served(each, self.served.get(each, ServeOptions())) for each in others),
            targets={name: each for name, each in targets.items() if not each.is_own},
        )

    def native(self, *, web: bool = False) -> Arm:
        """Return the arm in which an agent program keeps its own tools for shell and files, or for the web, too."""
        name = f"{self.name}{NATIVE}{WEB if web else ''}"
        return replace(self, name=name, builtin_tools=True, web_tools=web)

    def target(self, server: str) -> Target:
        """Return how a server of the arm is reached."""
        return self.targets.get(server, Target(name=server))

    def serving(self, change: Callable[[str, ServeOptions], ServeOptions]) -> Arm:
        """Return the arm with each server set up as `change` says, given its name and options."""
        also = tuple(Served(each.server, change(each.server, each.serve)) for each in self.also)
        return replace(self, serve=change(self.server, self.serve), also=also)

    @property
    def raw_chars(self) -> int:
        """Characters of engine output that this arm puts into the agent's context as they are; 0 for none."""
        outputs = ((serve.output or "").partition(":") for serve in self.served.values())
        sizes = (int(size) for kind, _, size in outputs if kind == "raw" and size.isdigit())
        return min(max(sizes, default=0), self.result_chars or sys.maxsize)

    def prompt(self, brief: SampleInput) -> str:
        """Return what an agent is sent in this arm."""
        return (
            f"{brief.prompt.rstrip()}\n\n{self.instructions.strip()}\n" if self.instructions else brief.prompt
        )

    def budget(self) -> dict[str, Any]:
        """Return the limits as plain data."""
        return budget_of(self)


def budget_of(limits: object) -> dict[str, Any]:
    """Return the limits that an object has as attributes, such as an arm or the flags of a run, but for None."""
    names = ("max_steps", "wall_s", "max_tokens", "max_cost", "call_s")
    return {name: getattr(limits, name) for name in names if getattr(limits, name) is not None}
