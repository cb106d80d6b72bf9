"""Calls that nobody would make, against a real server in memory: an answer comes back, always.

Calls are drawn from the tools' own input schemas, from values that almost make sense (a server's `Vocabulary`), and
from schema violations. Whatever is sent, the answer is a tool result or the protocol's refusal of the arguments, never
an exception and never the code ``internal``; what is structured fits the output schema, nothing is too large, and
memory, descriptors and processes do not grow.

A failure lists the first call of each fault and the seed of the whole; ``LABRIG_FUZZ_SEED=N`` makes the same calls
again.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from anyio.from_thread import start_blocking_portal
from fastmcp import Client
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema
from mcp import MCPError

from hostile.guard import descendants
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_harness.registry.servers import toolbox
from support.every_server import recorded

Call = tuple[str, dict[str, Any]]

ORDERS = {"own": 1, "paper": -1}
"""Where two toolsets hold a tool of one name the first wins, so both orders are fuzzed."""
AT_A_TIME = 10
CHUNK = 8
"""Examples of one hypothesis run: it remembers what it tried, and that is not the memory to be measured."""
MAX_GROWTH_BYTES = 64 << 20
MAX_MORE_DESCRIPTORS = 16
INVALID_PARAMS = -32602
DEFECT = "this is a defect"
"""How an exception is masked, also where it is code in the sandbox that is told."""


@dataclass(frozen=True)
class Vocabulary:
    """What the calls of one server are made of; one without any words is called by the schemas of its tools alone.

    Attributes
    ----------
    sensible
        From the handles of artifacts that were made: values that make sense, or nearly, by the name of the argument, if
        need be with that of its tool (``draw_plot.kind``).
    recipes
        Calls that are right, in each of which one argument is changed; tools that are not named here do without.
    instead
        Arguments of which one is given in place of the other.
    weight
        How often a tool is called.
    lay_out
        Makes the folders to be served, in a folder that exists, and returns them.
    begin
        The first calls, before any is drawn, with the workspace.
    load
        Calls, made in the thousands alone, that start whatever stays loaded before it is measured what is in use.
    rest
        Ends what lasts by design, such as sessions, before it is measured what is in use.
    did
        Tells whether an answer that is no exception did what was asked.
    short
        Makes calls that would go on for ever end after a moment.
    needs
        Skips the thousands where the server lacks something.
    sample, sample_weight
        Calls of the quick sample by the order of the toolsets, and how often a tool is called there if not by `weight`.
    thousands
        Calls of the long form in `make accept`, and how many of them come before it is measured what is in use.
    max_chars
        Of an answer, by the order of the toolsets.
    """

    sensible: Callable[[list[str]], dict[str, st.SearchStrategy[Any]]] = lambda handles: {}
    recipes: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    weight: Callable[[str], int] = lambda tool: 1
    instead: Sequence[set[str]] = ()
    lay_out: Callable[[Path], tuple[Path, ...]] = lambda folder: ()
    begin: Callable[[Bench, Path], None] = lambda bench, workspace: None
    load: Callable[[Bench], None] = lambda bench: None
    rest: Callable[[Bench], None] = lambda bench: None
    did: Callable[[Any], bool] = lambda result: not result.is_error
    short: Callable[[pytest.MonkeyPatch], None] = lambda patch: None
    needs: Callable[[], None] = lambda: None
    sample: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(ORDERS, 30))
    sample_weight: Callable[[str], int] | None = None
    thousands: tuple[int, int] = (750, 250)
    max_chars: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(ORDERS, 400_000))


@st.composite
def mangled(draw: st.DrawFn, text: st.SearchStrategy[str]) -> str:
    """Cut, double or overwrite a piece of a text."""
    whole = draw(text)
    first = draw(st.integers(0, len(whole)))
    last = draw(st.integers(first, min(len(whole), first + 6)))
    put = draw(
        st.sampled_from(["", whole[first:last] * 2, "\0", ";", "\\", "#", "é", '"', "(", "-", "9" * 30])
    )
    return whole[:first] + put + whole[last:]


NASTY = st.sampled_from(
    [
        "",
        "\0",
        "\ud800",
        "a\udcff",
        "\ufeff",
        "9" * 5000,
        "raw:" + "9" * 5000,
        "SELECTED_OUTPUT " + "9" * 5000 + "\n -file x",
        "L" + "9" * 5000,
        "sim " + "9" * 400,
        "x" * 500_000,
        "x\n" * 2000,
        "(" * 5000,
        "Ca" * 2000,
        "%s%n{0}",
        base64.urlsafe_b64encode(b"[" * 50_000).decode(),
    ]
)
WRONG: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**40), 10**40),
    st.floats(),
    st.sampled_from([[], [None], {"a": [1, {"b": None}]}, [["x"] * 500], 10**400]),
    NASTY,
    NASTY,
)


def _is_text(about: dict[str, Any]) -> bool:
    return about.get("type") == "string" and "enum" not in about


def fitting(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that fit a schema.

    Objects, lists and references are taken apart here: for objects hypothesis-jsonschema 0.23 reaches into parts of
    hypothesis that later releases have changed.
    """
    if "$ref" in schema:
        return fitting(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        return st.one_of([fitting(each, root) for each in schema["anyOf"]])
    if not schema.keys() & {"type", "enum", "const"}:
        return WRONG  # anything fits
    if schema.get("type") == "object":
        values = {name: fitting(each, root) for name, each in schema.get("properties", {}).items()}
        needed = {name: values[name] for name in schema.get("required", ())}
        named = st.fixed_dictionaries(
            needed, optional={name: each for name, each in values.items() if name not in needed}
        )
        more = schema.get("additionalProperties", False)
        if not isinstance(more, dict):
            return named
        extra = st.dictionaries(st.text(max_size=6), fitting(more, root), max_size=3)
        return st.builds(lambda some, rest: {**rest, **some}, named, extra)
    if schema.get("type") == "array":
        least = schema.get("minItems", 0)
        most = min(schema.get("maxItems", least + 4), least + 4)
        return st.lists(fitting(schema.get("items", {"type": "null"}), root), min_size=least, max_size=most)
    return from_schema(schema)


def calls(
    vocabulary: Vocabulary, tools: dict[str, dict[str, Any]], handles: list[str]
) -> Callable[[int], st.SearchStrategy[Call]]:
    """Return the strategy of calls: by schema, sensible, and wrong ones; given which of the tools is the first."""
    known = vocabulary.sensible(handles)

    def arguments(tool: str, schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
        values: dict[str, st.SearchStrategy[Any]] = {}
        for name, about in schema.get("properties", {}).items():
            mine = f"{tool}.{name}" if f"{tool}.{name}" in known else name
            values[name] = known[mine] if mine in known else fitting(about, schema)
        needed = {name: values[name] for name in schema.get("required", ())}
        free = {name: each for name, each in values.items() if name not in needed}
        good = st.fixed_dictionaries(needed, optional=free)
        for pair in vocabulary.instead:  # of which one is given
            if pair <= free.keys():
                others = {name: each for name, each in free.items() if name not in pair}
                good = st.one_of(
                    [
                        st.fixed_dictionaries({**needed, name: free[name]}, optional=others)
                        for name in sorted(pair)
                    ]
                )
        text = st.sampled_from([name for name in values if _is_text(schema["properties"][name])] or ["extra"])
        names = st.sampled_from([*values, "extra", "self", "__class__", "path\0"])
        wrong = st.one_of(
            st.builds(lambda given, name, value: {**given, name: value}, good, names, WRONG),
            st.builds(lambda given, name: {key: given[key] for key in given if key != name}, good, names),
            st.builds(lambda given, name, value: {**given, name: value}, good, text, NASTY),
        )
        one = st.sampled_from([*values] or ["extra"]).flatmap(
            lambda name: st.tuples(st.just(name), values.get(name, NASTY) | NASTY)
        )
        right = st.sampled_from(vocabulary.recipes.get(tool, [{}]))
        near = st.one_of(
            right, st.builds(lambda given, changed: {**given, changed[0]: changed[1]}, right, one)
        )
        return st.one_of(near, near, good, fitting(schema, schema), wrong, wrong)

    by_tool = {name: arguments(name, schema) for name, schema in tools.items()}
    names = list(tools)

    def begin_with(first: int) -> st.SearchStrategy[Call]:
        # what hypothesis draws from leans to the beginning: the heaviest come first, and of them another each time
        turned = [*names[first % len(names) :], *names[: first % len(names)]]
        by_weight = sorted(turned, key=lambda name: -vocabulary.weight(name))
        chosen = st.sampled_from([name for name in by_weight for _ in range(vocabulary.weight(name))])
        return chosen.flatmap(lambda name: st.tuples(st.just(name), by_tool[name]))

    return begin_with


class Bench:
    """A server in memory, its tools, and what has been called so far."""

    def __init__(
        self, vocabulary: Vocabulary, order: str, client: Client[Any], ask: Callable[..., Any]
    ) -> None:
        self.vocabulary, self.client, self.ask = vocabulary, client, ask
        self.max_chars = vocabulary.max_chars[order]
        self.seed = first_seed()
        tools = ask(client.list_tools)
        self.inputs = {tool.name: tool.input_schema for tool in tools}
        self.outputs = {tool.name: tool.output_schema for tool in tools}
        self.handles: list[str] = []
        self.made = 0
        self.good: Counter[str] = Counter()
        self.faults: dict[str, str] = {}

    def call(self, tool: str, /, **arguments: Any) -> None:
        """Make a call that is not judged."""
        self.ask(self.client.call_tool_mcp, tool, arguments)

    def settle(self) -> None:
        """Make the calls that are right, so that each process that stays is there, whenever it was last asked."""
        for tool in self.inputs:
            for arguments in self.vocabulary.recipes.get(tool, ()):
                self.call(tool, **arguments)
        self.vocabulary.rest(self)

    async def _one(self, tool: str, arguments: dict[str, Any]) -> Any:
        try:
            return await self.client.call_tool_mcp(tool, arguments)
        except Exception as error:
            return error

    async def _all(self, drawn: list[Call], together: bool) -> list[Any]:
        if together:
            return await asyncio.gather(*(self._one(*each) for each in drawn))
        return [await self._one(*each) for each in drawn]

    def make(self, drawn: list[Call], together: bool) -> None:
        """Make calls, one after the other or at once, and judge each answer; the first of each fault is kept."""
        for (tool, arguments), result in zip(drawn, self.ask(self._all, drawn, together), strict=True):
            self.made += 1
            self.good[tool] += not isinstance(result, Exception) and self.vocabulary.did(result)
            fault = self._fault(tool, result)
            if fault:
                shown = ", ".join(f"{name}={_short(value)}" for name, value in arguments.items())
                self.faults.setdefault(
                    f"{tool}: {fault}",
                    f"call {self.made}{' (ten at once)' if together else ''}: {tool}({shown})",
                )

    def _fault(self, tool: str, result: Any) -> str:
        """Return what is wrong with an answer, in words that are the same each time; empty if nothing is."""
        if isinstance(result, MCPError):
            return "" if result.error.code == INVALID_PARAMS else f"protocol error {result.error.code}"
        if isinstance(result, Exception):
            return f"the client raised {type(result).__name__}"
        error = ((result.meta or {}).get("labrig") or {}).get("error", {})
        if error.get("code") == "internal":
            return "masked exception"
        if not result.content or bool(error) > bool(result.is_error):
            return "an error that is none, or nothing at all"
        texts = [getattr(each, "text", "") for each in result.content]
        if any(DEFECT in text for text in texts):
            return "masked exception in what the code called"
        size = sum(map(len, texts))
        answer = result.structured_content
        if answer is not None:
            size += len(json.dumps(answer))
            try:
                jsonschema.validate(answer, self.outputs[tool] or {})
            except jsonschema.ValidationError as wrong:
                return f"does not fit the output schema: {wrong.message[:80]}"
            new = {each["handle"] for each in answer.get("artifacts", ())}.difference(self.handles)
            self.handles += sorted(new)[: 50 - len(self.handles)]
        elif self.outputs[tool] is not None and not result.is_error:
            return "nothing structured"
        return "too large" if size > self.max_chars else ""

    def verdict(self) -> None:
        """Say how many calls were made; fail with every fault that was found."""
        print(f"{self.made:,} calls were answered, of which {self.good.total():,} did something")
        found = "\n".join(f"{fault}\n    {call}" for fault, call in self.faults.items())
        if found:
            pytest.fail(f"LABRIG_FUZZ_SEED={self.seed}\n{found}", pytrace=False)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 600 else f"{text[:80]}... ({len(text)} characters)"


@contextmanager
def bench(server: str, vocabulary: Vocabulary, order: str, folder: Path) -> Iterator[Bench]:
    """Give a server that serves every toolset, in one of `ORDERS`; the workspace is made in `folder`.

    One that declares services replays a ledger of its own: no test asks the network.
    """
    tools = toolbox(server)
    folder.mkdir(parents=True, exist_ok=True)
    workspace = folder / "workspace"
    network = recorded(server, folder / "network")
    with network.replayed() if network else nullcontext({}) as replaying, start_blocking_portal() as portal:
        options = ServeOptions(
            toolsets=tuple(tools.toolsets)[:: ORDERS[order]],
            workspace=workspace,
            roots=vocabulary.lay_out(folder),
            **replaying,
        )
        client = Client(build(tools, options))
        with portal.wrap_async_context_manager(client):
            made = Bench(vocabulary, order, client, portal.call)
            vocabulary.begin(made, workspace)
            yield made


def fuzz(each: Bench, n_calls: int) -> None:
    """Make `n_calls` calls; the seed of each chunk follows from the first one and the calls made so far."""
    begin_with = calls(each.vocabulary, each.inputs, each.handles)
    until = each.made + n_calls
    while each.made < until:
        strategy = st.lists(begin_with(each.made), min_size=AT_A_TIME, max_size=AT_A_TIME)

        @seed(each.seed + each.made)
        @settings(
            max_examples=min(CHUNK, -(-(until - each.made) // AT_A_TIME)),
            phases=[Phase.generate],  # no shrinking: what a call does depends on those before it
            database=None,
            deadline=None,
            derandomize=False,
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy, st.booleans())
        def chunk(drawn: list[Call], together: bool) -> None:
            each.make(drawn, together)

        chunk()


def first_seed() -> int:
    """Return the seed to begin with: the one asked for, the same one in CI, else any."""
    asked = os.environ.get("LABRIG_FUZZ_SEED")
    return int(asked) if asked else 1 if "CI" in os.environ else random.randrange(10**9)


def _rss(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


def in_use() -> dict[str, int]:
    """Return memory of this process and of those below it, descriptors, and the number of processes."""
    gc.collect()
    below = descendants(os.getpid())
    return {
        "memory": _rss(os.getpid()),
        "memory below": sum(map(_rss, below)),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "processes": len(below),
    }


def sample(server: str, vocabulary: Vocabulary, order: str, folder: Path) -> None:
    """Make some calls, and fail with every fault."""
    quick = replace(vocabulary, weight=vocabulary.sample_weight or vocabulary.weight)
    with bench(server, quick, order, folder) as each:
        fuzz(each, vocabulary.sample[order])
    each.verdict()


def thousands(
    server: str, vocabulary: Vocabulary, order: str, folder: Path, n_calls: int, *, warm: int
) -> None:
    """Make many calls, the first `warm` of them before it is measured what is in use, and see that nothing grows."""
    with bench(server, vocabulary, order, folder) as each:
        vocabulary.load(each)
        fuzz(each, warm)
        each.settle()
        before = in_use()
        fuzz(each, n_calls - warm)
        each.settle()
        after = in_use()
    each.verdict()
    assert each.made >= n_calls
    if vocabulary.recipes:
        assert each.good.total() > n_calls / 10, f"hardly a call did anything: {each.good}"
        able = [
            tool for tool in each.inputs if tool in vocabulary.recipes
        ]  # others are called by their schemas alone
        done = [tool for tool in able if each.good[tool]]
        assert len(done) > len(able) / 2, f"most tools only refused: {each.good}"
    for what, most in (
        ("memory", MAX_GROWTH_BYTES),
        ("memory below", MAX_GROWTH_BYTES),
        ("descriptors", MAX_MORE_DESCRIPTORS),
        ("processes", 4),
    ):
        assert after[what] - before[what] < most, f"{what}: {before[what]:,} to {after[what]:,}"
