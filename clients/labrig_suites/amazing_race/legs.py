"""A leg of the race: stops in order, each with a value, and a single digit at the finish line.

The JSON form is that of the published data (github.com/minnesotanlp/the-amazing-agent-race, commit 78eff566), read
unchanged. Its words and the paper's differ: ``page`` is route info, ``tool`` a roadblock, ``reason`` a detour,
``compute`` the finish line. Legs that are generated here have two more keys, which published ones lack: ``number``, the
whole number that the finish line reduces to a digit, and ``golden``, what each step of a tool chain gave. Legs that
were read from a folder of the release have one: ``released``, the variant and level under which they lie there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from labrig.errors import LabrigError
from labrig_harness.sample import Sample

StopType = Literal["page", "tool", "reason", "compute"]
LEVELS = ("easy", "medium", "hard", "extreme")
VARIANTS = ("linear", "dag")
MERGED = "merged"
"""The output key of a stop that joins two branches: what makes a leg a DAG."""
MOST_STOPS = 500
RIDDLES = "riddles"
"""The wording of legs whose pages are described: a key of `Leg.metadata`, which other legs lack."""


@dataclass(frozen=True)
class Step:
    """One call of a stop's tool chain.

    Attributes
    ----------
    arguments
        As they are sent, but for three keys that refer to outputs of earlier steps of the chain: ``__from_previous``
        (a name or names), ``__from_previous_as_locations`` (a name), ``__from_previous_as_origins_destinations`` (two).
    output_key
        The name of what it gives.
    expected_output
        Null in all published legs.
    """

    tool_name: str
    arguments: dict[str, Any]
    output_key: str = ""
    expected_output: Any = None


@dataclass(frozen=True)
class Bridge:
    """How a stop leads to the next one, or what it does."""

    bridge_type: str = ""
    target_url: str | None = None
    search_query: str | None = None
    expected_result_url: str | None = None
    tool_chain: tuple[Step, ...] = ()
    expression: str | None = None
    expression_code: str | None = None
    referenced_stops: tuple[int, ...] = ()


@dataclass(frozen=True)
class Stop:
    """One stop.

    Attributes
    ----------
    page_url
        The page on which the value stands (``page``), or from which the stop was made.
    extracted_value
        Its value: a number, or a text (names, dates, coordinates).
    reason_source_stop
        The stop whose value a detour transforms.
    depends_on
        Stops before it; in published legs mostly the one before, whatever its value is needed for.
    """

    index: int
    stop_type: StopType
    extraction_target: str
    extracted_value: Any
    page_url: str | None = None
    extraction_section: str | None = None
    extracted_value_type: str = "text"
    bridge: Bridge = field(default_factory=Bridge)
    reasoning: str | None = None
    reason_transform: str | None = None
    reason_source_stop: int | None = None
    reason_code: str | None = None
    depends_on: tuple[int, ...] = ()

    @property
    def merges(self) -> bool:
        """Whether it joins two branches of a diamond."""
        return self.stop_type == "tool" and any(step.output_key == MERGED for step in self.bridge.tool_chain)


@dataclass(frozen=True)
class Leg:
    """A leg.

    Attributes
    ----------
    passcode
        The digit at the finish line.
    riddle
        The clue envelope.
    difficulty, metadata
        As published; ``level`` is one of `LEVELS`.
    number
        What the finish line reduces to the digit; None where a leg does not say.
    golden
        By index of a stop (as text) what each step of its chain gave: a number, or latitude and longitude in degrees.
    released
        ``variant`` and ``level`` of the folder of the release: 22 of its DAG legs join no branches, and a linear one
        among the easy legs calls itself medium; its tables count folders.
    """

    trail_id: str
    seed_url: str
    stops: tuple[Stop, ...]
    passcode: int
    riddle: str
    seed_title: str = ""
    difficulty: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    generated_at: str = ""
    number: int | None = None
    golden: dict[str, list[Any]] = field(default_factory=dict)
    released: dict[str, str] = field(default_factory=dict)

    @property
    def level(self) -> str:
        """The difficulty, one of `LEVELS`."""
        said = self.released.get("level") or self.difficulty.get("level") or self.metadata.get("difficulty")
        return str(said or "")

    @property
    def variant(self) -> str:
        """As released; else ``dag`` for a leg with a stop that joins two branches: published legs do not say."""
        joins = any(stop.merges for stop in self.stops)
        return self.released.get("variant") or ("dag" if joins else "linear")

    @property
    def riddles(self) -> bool:
        """Whether its clues describe pages by several facts, the first page too (`making.riddles`)."""
        return self.metadata.get("wording") == RIDDLES

    @property
    def finish(self) -> Stop:
        """The last stop."""
        return self.stops[-1]

    def of_type(self, kind: StopType) -> Iterator[Stop]:
        """Yield the stops of a type, in order."""
        return (stop for stop in self.stops if stop.stop_type == kind)


def read_leg(fields: Mapping[str, Any]) -> Leg:
    """Return a leg of its published JSON form.

    Raises
    ------
    LabrigError
        ``bad_input``: for a key that is missing or of the wrong type; no stops or more than 500; indices that are not
        0, 1, 2, ..; a finish line that is missing, or not last; a stop that refers to itself, to a later one (a cycle)
        or to one that is not there; a passcode that is no digit or not the value of the finish line.
    """
    named = str(fields.get("trail_id", ""))[:60] or "a leg without trail_id"
    try:
        leg = _reader().validate_python(dict(fields))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise LabrigError(
            f"This is not a leg: {first['msg']}",
            where=f"{named}: {place}",
            expected="the published JSON form",
        ) from error
    _check(leg, named)
    return leg


def leg_of(sample: Sample) -> Leg:
    """Return the leg of a sample of this suite."""
    return read_leg(sample.truth["leg"])


@lru_cache(maxsize=1)
def _reader() -> TypeAdapter[Leg]:
    return TypeAdapter(Leg)


def _check(leg: Leg, named: str) -> None:
    if not 1 <= len(leg.stops) <= MOST_STOPS:
        raise LabrigError(f"A leg has 1 to {MOST_STOPS} stops, not {len(leg.stops)}", where=f"{named}: stops")
    for place, stop in enumerate(leg.stops):
        where = f"{named}: stops.{place}"
        if stop.index != place:
            raise LabrigError(f"The index of stop {place} is {stop.index}", where=where, expected=str(place))
        if (stop.stop_type == "compute") != (place == len(leg.stops) - 1):
            raise LabrigError("The finish line is the last stop, and only one", where=where)
        source = () if stop.reason_source_stop is None else (stop.reason_source_stop,)
        for other in (*stop.depends_on, *source, *stop.bridge.referenced_stops):
            if not 0 <= other < place:
                raise LabrigError(
                    f"Stop {place} refers to stop {other}, which is not before it",
                    where=where,
                    expected="stops in an order in which each refers to earlier ones alone",
                )
        if stop.stop_type == "reason" and stop.reason_source_stop is None:
            raise LabrigError(
                "A detour needs the stop whose value it transforms", where=f"{where}: reason_source_stop"
            )
        if stop.stop_type == "tool" and not stop.bridge.tool_chain:
            raise LabrigError("A roadblock needs a tool chain", where=f"{where}: bridge.tool_chain")
        if stop.stop_type == "page" and not (stop.page_url or "").strip():
            raise LabrigError("Route info needs a page", where=f"{where}: page_url")
    if not 0 <= leg.passcode <= 9:
        raise LabrigError(
            f"The passcode {leg.passcode} is no digit", where=f"{named}: passcode", expected="0 to 9"
        )
    if str(leg.finish.extracted_value) != str(leg.passcode):
        raise LabrigError(
            f"The finish line has {str(leg.finish.extracted_value)[:20]}, and the passcode is {leg.passcode}",
            where=f"{named}: passcode",
        )


def published_id(leg: Leg) -> str:
    """Return an id that names the leg's file, ``dag-easy-sample_003``; its own id where it names no sample."""
    name = str(leg.metadata.get("sample_id") or leg.trail_id)
    return f"{leg.variant}-{leg.level or 'unknown'}-{name}"
