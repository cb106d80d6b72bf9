"""Legs as samples: made from a seed, published ones as they are, and what an agent is shown of any."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.canonical import content_hash, sha256
from labrig.config import home
from labrig.errors import LabrigError
from labrig_harness.records.items_file import published_rows
from labrig_harness.sample import Sample, SampleInput
from labrig_suites.amazing_race.arms import WORLD
from labrig_suites.amazing_race.legs import LEVELS, VARIANTS, Leg, published_id, read_leg
from labrig_suites.amazing_race.lint import lint
from labrig_suites.amazing_race.second_reading import ambiguous
from labrig_suites.amazing_race.simulated import perfect
from labrig_suites.amazing_race.tool_names import PAPER_TOOLS
from labrig_suites.common import generated
from labrig_suites.common.unfinished import Unfinished

if TYPE_CHECKING:
    from labrig_suites.amazing_race.making.world import RaceWorld

NAME = "amazing-race"
VERSION = "1"
DRAWING = "1"
"""Of all that is drawn from a seed: with the same one, and the same world, the same seed gives the same legs."""
WORDINGS = ("none", "all")
"""Of legs of ours: which of their pages are described by riddles."""
TRIES, ATTEMPTS = 1500, 12
"""Plans of one attempt at a leg, and attempts."""
LEAST_KEPT = 20
"""Legs of a set from which on what is made of it is kept, should it be ended half-way."""
commitment = partial(generated.commitment, NAME)


def generate(
    seed: str,
    count: int,
    progress: Callable[[int], None] | None = None,
    world: str = WORLD,
    riddles: bool = False,
    wiki: str = "",
) -> list[Sample]:
    """Return legs of a seed: every level and variant in turn, the same legs first whatever `count` is.

    Parameters
    ----------
    world
        ``twin-1``, in which the arms run, or another: ``earth``, ``twin-SEED``.
    riddles
        Describe pages by several facts, so that they have to be looked for (`making.riddles`).
    wiki
        The path of a store (`labrig_atlas.wiki`), whose pages stand in place of those of the world.
    """
    from labrig_suites.amazing_race.making.world import race_world

    kept = Unfinished(_kept(seed, world, riddles, wiki)) if count >= LEAST_KEPT else None
    there = kept.read() if kept else {}
    with race_world(world, wiki) as opened:
        said = (*(("riddles",) if riddles else ()), *((opened.pages.digest,) if wiki else ()))

        def make(number: int) -> Sample:
            if number in there:
                return from_row(there[number][0])
            level, variant = LEVELS[number // 2 % len(LEVELS)], VARIANTS[number % 2]
            sample = _made(opened, seed, number, level, variant, said)
            if kept:
                kept.add(number, [row(sample)])
            return sample

        made = generated.one_by_one(range(count), make, progress)
    if kept:
        kept.remove()
    return made


def _kept(*what: Any) -> Path:
    """Return where a set is kept while it is made; the name changes with the code that makes it and answers in it."""
    import labrig_atlas

    rooms = (Path(__file__).parent, Path(labrig_atlas.__file__).parent)
    files = (
        path for room in rooms for path in sorted(room.rglob("*")) if path.suffix in (".py", ".toml", ".csv")
    )
    code = [sha256(path.read_bytes()) for path in files]
    return home() / "suites" / NAME / f"{content_hash([code, *what])[:16]}.jsonl"


def configured(settings: Mapping[str, Any]) -> Callable[..., list[Sample]]:
    """Return `generate` with what a caller sets: ``riddles``, ``world``, ``wiki``."""
    if unknown := sorted(set(settings) - {"riddles", "world", "wiki"}):
        raise LabrigError(f"Unknown setting {unknown[0]!r}", where="--set", expected="riddles, world, wiki")
    wiki = str(settings.get("wiki", ""))
    riddles, world = settings.get("riddles", WORDINGS[0]), settings.get("world", "earth" if wiki else WORLD)
    if riddles not in WORDINGS:
        expected = " or ".join(WORDINGS)
        raise LabrigError(f"There are no riddles {riddles!r:.40}", where="--set riddles", expected=expected)
    return partial(
        generate, world=str(world), riddles=riddles == "all", wiki=wiki and str(Path(wiki).resolve())
    )


def _made(world: RaceWorld, seed: str, number: int, level: str, variant: str, said: Sequence[str]) -> Sample:
    """Return one leg: planned, looked over by the linter, and run once with all its calls."""
    from labrig_repository.gym.numbers import Draws
    from labrig_suites.amazing_race.making.assembling import leg_of_plan
    from labrig_suites.amazing_race.making.planning import plan

    riddles = "riddles" in said
    id = generated.opaque_id(seed, "/".join((NAME, VERSION, *said, world.name, str(number))))
    for attempt in range(ATTEMPTS):
        draws = Draws(NAME, DRAWING, *said, seed, world.name, str(number), str(attempt))
        described = world.riddles if riddles else None
        planned = plan(draws, world.pages, world.ask, level, variant, world.markets, TRIES, described)
        if planned is None:
            continue
        fields = leg_of_plan(planned, id, level, world.name, riddles)
        leg = read_leg(fields)
        if riddles and ambiguous(leg, world.texts):
            continue
        if leg.variant == variant and not lint(leg, PAPER_TOOLS, world.has_page):
            traced = trace(leg, world)
            if reads_back(leg, [result for _, result in traced]):
                labels = {"source": "generated", "world": world.name}
                truth = {"same_page": world.redirects(leg), "trace": [call for call, _ in traced]}
                return sample_of(fields, id, labels, truth)
    raise LabrigError(
        f"No leg of the level {level} came out in the world {world.name}",
        where=f"leg {number}",
        try_="another seed",
        code="engine",
    )


def trace(leg: Leg, world: RaceWorld) -> list[tuple[dict[str, Any], str]]:
    """Return the calls that solve a leg, each with the hash of its result, and beside it the result.

    A record holds the result of every call but those of pages. Programs of `python_execute_code` are not run here: what
    they give is the leg's ``golden``.
    """
    made = []
    programs = [
        json.dumps({"stdout": f"{leg.golden[str(stop.index)][0]}\n"})
        for stop in leg.of_type("tool")
        if stop.bridge.tool_chain[0].tool_name == "python_execute_code"
    ]
    for call in perfect(leg):
        record: dict[str, Any] = {"tool": call.tool, "arguments": call.arguments}
        if call.tool == "python_execute_code":
            made.append((record, programs.pop(0)))
            continue
        text = world.ask_text(call.tool, call.arguments)
        record["sha256"] = sha256(text.encode())
        if call.tool != "fetch_webpage":
            record["result"] = text
        made.append((record, text))
    return made


def reads_back(leg: Leg, results: Sequence[str]) -> bool:
    """Return whether the reference reads every value of a leg, and its number, from the results of its trace."""
    from labrig_harness.suite import Unsolvable
    from labrig_suites.amazing_race.solution import Way

    way = Way(leg)
    try:
        same = all(_equal(way.value(stop, results), stop.extracted_value) for stop in leg.stops[:-1])
        return same and way.finish(results) == (leg.passcode, leg.number)
    except Unsolvable:
        return False


def _equal(found: Any, value: Any) -> bool:
    return bool(found == value or (isinstance(value, float) and float(found) == value))


def adopt(rows: Sequence[dict[str, Any]], settings: Mapping[str, Any]) -> list[Sample]:
    """Return samples of published legs, unchanged.

    Raises
    ------
    LabrigError
        ``bad_input`` for a setting, for a leg that `legs.read_leg` refuses, for two of one id.
    """
    if settings:
        raise LabrigError(f"Unknown setting {min(settings)!r}", where="--set", expected="no settings")
    samples = [sample_of(row, published_id(read_leg(row)), {"source": "published"}) for row in rows]
    twice = [id for id, times in Counter(sample.id for sample in samples).items() if times > 1]
    if twice:
        raise LabrigError(f"{len(twice)} legs occur more than once, the first as sample {twice[0]}")
    return samples


def released_rows(top: Path) -> list[dict[str, Any]]:
    """Return the legs below a folder, each with the variant and level that the release's folders give it.

    Where some lie in folders of the release (``aar-dag/easy``), other JSON beside those (a clone has some) is no leg.

    Raises
    ------
    LabrigError
        For a folder without JSON, and for a file that cannot be read as JSON objects.
    """
    places = {path: _released(path) for path in sorted(top.rglob("*.json"))}
    if not any(places.values()):
        return published_rows(top)
    return [
        {**row, "released": said} for path, said in places.items() if said for row in published_rows(path)
    ]


def _released(path: Path) -> dict[str, str]:
    """Return the variant and level of a file of the release; empty for one that lies elsewhere."""
    *_, variant, level, _ = ("", "", "", *path.absolute().parts)
    known = variant.removeprefix("aar-") in VARIANTS and level in LEVELS
    return {"variant": variant.removeprefix("aar-"), "level": level} if known else {}


def sample_of(
    fields: Mapping[str, Any], id: str, labels: Mapping[str, str], truth: Mapping[str, Any] | None = None
) -> Sample:
    """Return a sample of a leg in its JSON form.

    Parameters
    ----------
    truth
        What the scorer is told beside the leg, such as ``same_page``.
    """
    leg = read_leg(fields)
    if leg.level not in LEVELS:
        raise LabrigError(
            f"The level of the leg is {leg.level[:20]!r}",
            where=f"{leg.trail_id}: difficulty.level",
            expected=", ".join(LEVELS),
        )
    return Sample(
        suite=NAME,
        suite_version=VERSION,
        brief=SampleInput(id, prompt(leg)),
        truth={"answer": str(leg.passcode), "leg": dict(fields), **(truth or {})},
        labels={
            "kind": f"{leg.variant}-{leg.level}",
            "level": leg.level,
            "variant": leg.variant,
            "leg": leg.trail_id,
            **labels,
        },
    )


def prompt(leg: Leg) -> str:
    """Return what an agent is shown: where the race starts, and the clue envelope."""
    begin = "No page is named: clues describe them." if leg.riddles else f"The race starts at {leg.seed_url}"
    return f"{begin}\n\nThe clues:\n\n{leg.riddle.strip()}\n"


def row(sample: Sample) -> dict[str, Any]:
    """Return a sample as a line of a JSONL file: what an agent may see, the answer, and the rest under ``truth``."""
    return {"id": sample.id, "riddle": sample.brief.prompt, **generated.hidden(sample)}


def from_row(fields: dict[str, Any]) -> Sample:
    """Return the sample of a line that `row` made.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no such line, of another version, or holds a leg that cannot be read or is not the
        one that its riddle and answer say.
    """
    with generated.read_back(NAME, VERSION, fields):
        labels = {str(key): str(value) for key, value in fields["labels"].items()}
        truth = dict(fields["truth"])
        made = sample_of(truth.pop("leg"), str(fields["id"]), labels, truth)
        if made.truth["answer"] != str(fields["answer"]) or made.brief.prompt != fields["riddle"]:
            raise LabrigError("The riddle or the answer is not that of the leg", where=made.id)
        return made
