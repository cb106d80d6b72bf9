"""Agents, one readable file each.

- `reference`: plays a task's reference solution over real MCP
- `nop`: does nothing: the floor
- `random`: commits a random choice without a tool: the guess rate
- `noisy-reference`: the reference with seeded faults: makes reports that are worth reading
- `loop`: our own loop of model and tools (ReAct); any model that pydantic-ai knows
- `direct`: one model call, no tools, the answer alone
- `cot`: one model call, no tools, reasoning first

All others are brought by entry points of the group ``labrig.agents``: agents that are programs by `labrig_programs`,
and those of other packages in the same way; or a file brings them, as FILE.py:CLASS.

Modules: `reference`, `nop`, `random_choice`, `noisy_reference` on `own_code`; `loop`, `single` on `model_agent`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType

from labrig.errors import LabrigError, unknown_name
from labrig_harness.agent import Agent, AgentSpec
from labrig_harness.registry.entries import entries, one, unimportable
from labrig_harness.sample import SampleInput
from labrig_harness.suite import MakeAgent, Solution

GROUP = "labrig.agents"
"""Entry points of agents: each is called with the spec and a seed, as a class of one's own is made."""

FILE = ".py:"
"""What the name of an agent has in it that is a class of a file: FILE.py:CLASS."""

_MADE = "a class made by (spec, seed), with accept(arm) and async run(bench)"

Solve = Callable[[SampleInput], Solution]
"""Looks the reference solution of an item up; only agents that play solutions are given it."""

SCRIPTED = ("reference", "nop", "random", "noisy-reference")
MODELS = ("loop", "direct", "cot")
NAMES = (*SCRIPTED, *MODELS)


def make(
    spec: AgentSpec,
    *,
    seed: int,
    epoch: int = 0,
    solve: Solve,
    own: Mapping[str, MakeAgent] = MappingProxyType({}),
) -> Agent:
    """Return an agent; what it draws at random depends on seed, epoch and item alone.

    Parameters
    ----------
    own
        Agents that the suite brings; a name of `NAMES` is never one of them. They come before those of entry points.
        One whose class declares an attribute ``solve`` is given the reference solutions.

    Raises
    ------
    LabrigError
        For an unknown kind, a model or command that is missing or not wanted, a package that is not installed, an
        agent of another package that cannot be imported or has not `accept` and `run`.
    """
    kind = spec.kind
    if kind not in NAMES:
        if kind not in own:
            return _make_brought(spec, f"{seed}/{epoch}", own)
        agent = own[kind](spec, f"{seed}/{epoch}")
        if "solve" in getattr(type(agent), "__annotations__", {}):
            agent.solve = solve  # type: ignore[attr-defined]  # a suite knows its own solutions
        return agent
    if kind in SCRIPTED and spec.model:
        raise LabrigError(f"The agent {kind!r} has no model", where="--model", try_="leave it out")
    if kind in MODELS and not spec.model:
        raise LabrigError(
            f"The agent {kind!r} needs a model", where="--model", expected="PROVIDER:NAME, as in openai:gpt-x"
        )
    if spec.command:
        raise LabrigError(f"The agent {kind!r} takes no command", where="--", try_="--agent command")
    if kind in SCRIPTED:
        return _make_scripted(kind, f"{seed}/{epoch}", solve)
    from labrig_harness.agents.loop import Loop
    from labrig_harness.agents.single import Single

    return Loop(spec) if kind == "loop" else Single(spec)


def _make_brought(spec: AgentSpec, seed: str, own: Mapping[str, MakeAgent]) -> Agent:
    """Return an agent that an entry point brings, or a file."""
    if FILE in spec.kind:
        return _make_checked(_load_class(spec.kind), spec, seed, spec.label, spec.kind)
    brought = sorted({each.name for each in entries(GROUP)})
    if spec.kind not in brought:
        raise unknown_name("agent", spec.kind, (*NAMES, *own, *brought), where="--agent")
    entry = one(GROUP, spec.kind, "agent")
    try:
        maker: MakeAgent = entry.load()
    except Exception as error:  # whatever a module does at import is not to take the house down
        raise unimportable("agent", entry, error) from error
    return _make_checked(maker, spec, seed, spec.kind, entry.value)


def _make_checked(maker: MakeAgent, spec: AgentSpec, seed: str, name: str, where: str) -> Agent:
    try:
        agent = maker(spec, seed)
    except LabrigError:
        raise
    except Exception as error:  # whatever its class does is not to take the house down
        raise LabrigError(
            f"The agent {name!r} cannot be made: {type(error).__name__}: {error}", where=where, expected=_MADE
        ) from error
    missing = [each for each in ("accept", "run") if not callable(getattr(agent, each, None))]
    if missing:
        raise LabrigError(
            f"The agent {name!r} lacks the method {' and '.join(missing)}",
            where=where,
            expected=_MADE,
        )
    return agent


@cache
def _load_class(named: str) -> MakeAgent:
    """Return the class of FILE.py:CLASS, imported once; the folder of the file is none that Python searches."""
    path, _, name = named.rpartition(":")
    spec = spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None or not Path(path).is_file():
        raise LabrigError("There is no such file", where=f"--agent {named}", code="not_found")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever it does at import is not to take the house down
        raise LabrigError(
            f"It cannot be imported: {type(error).__name__}: {error}",
            where=path,
            try_=f"PYTHONPATH={Path(path).parent}, if it imports a file beside it",
        ) from error
    found: MakeAgent | None = getattr(module, name, None)
    if not callable(found):
        classes = [each for each, value in vars(module).items() if isinstance(value, type)]
        raise unknown_name("class of the file", name, classes, where=f"--agent {named}")
    return found


def _make_scripted(kind: str, seed: str, solve: Solve) -> Agent:
    from labrig_harness.agents.noisy_reference import NoisyReference
    from labrig_harness.agents.nop import Nop
    from labrig_harness.agents.random_choice import RandomChoice
    from labrig_harness.agents.reference import Reference

    if kind == "nop":
        return Nop()
    if kind == "random":
        return RandomChoice(seed)
    return Reference(solve) if kind == "reference" else NoisyReference(solve, seed)
