"""Look at stems while they are written: ``python -m labrig_suites.phreeqc_mcq.check [--items N] STEM...``

With --module it loads the stems of one module alone, so that a half-written module elsewhere does not stop it.

For each stem it draws items, and says how many draws were not taken and why, how the rank of the truth is spread, how
long the outputs are, how long it takes, whether each state of each switch occurs, and whether the main output prints
what SELECTED_OUTPUT says. With --show it prints whole items and their inputs. Exit code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence

from labrig_phreeqc.engine.engine import PATIENT_S, Engine
from labrig_suites.phreeqc_mcq import orbit, printed, stems
from labrig_suites.phreeqc_mcq.scenario import FIELD, Stem


async def check(engine: Engine, stem: Stem, items: int, show: int) -> list[str]:
    """Draw items of a stem, print what came of it, and return what is wrong."""
    wrong: list[str] = []
    thrown: Counter[str] = Counter()
    ranks: Counter[int] = Counter()
    states: Counter[tuple[str, str]] = Counter()
    pairs: Counter[tuple[str, ...]] = Counter()
    chars: list[int] = []
    began = time.monotonic()
    for number in range(items):
        drawn, reasons = await orbit.item(engine, stem, random.Random(f"check/{stem.name}/{number}"))
        thrown.update(reasons)
        if drawn is None:
            wrong.append(f"sample {number}: four options not found in {orbit.ATTEMPTS} draws")
            continue
        found = [option.value for option in drawn.options]
        ranks[sorted(found).index(found[0])] += 1
        chars += [option.computed.output_chars for option in drawn.options]
        states.update(drawn.scene.states.items())
        pairs[tuple(sorted(each.switch for each in drawn.options[3].missed))] += 1
        for option in drawn.options:
            wrong += await _misprinted(engine, option, number)
        if number < show:
            _print_item(drawn)
    seconds = (time.monotonic() - began) / max(items, 1)
    print(
        f"{stem.name} ({stem.topic}): {items} samples, {seconds:.2f} s each; discarded: {dict(thrown.most_common(6))}"
    )
    print(f"  rank of the truth {dict(sorted(ranks.items()))}")
    print(f"  output {min(chars, default=0):,}-{max(chars, default=0):,} characters")
    print(f"  missed together: {dict(pairs)}")
    every = [(switch.name, state) for switch in stem.switches for state in switch.states]
    never = [each for each in [*every, *((FIELD, q.name) for q in stem.quantities)] if not states[each]]
    if items >= 20 and never:
        wrong.append(f"never drawn: {never}")
    if sum(thrown.values()) > 4 * items:
        wrong.append(f"{sum(thrown.values())} draws discarded for {items} samples")
    if len(stem.switches) < 3 or len(stem.quantities) < 2:
        wrong.append("fewer than three switches or two quantities")
    return [f"{stem.name}: {each}" for each in wrong]


async def _misprinted(engine: Engine, option: orbit.Option, number: int) -> list[str]:
    """Compare the main output of a scene with its value."""
    scene, value = option.scene, option.value
    run = await engine.run(scene.build, database=scene.database)
    shown = printed.value(run.output, scene.quantity.printed, scene.state)
    if shown is None:
        return [f"sample {number}: {scene.quantity.name} is not printed"]
    if not scene.quantity.same(shown, value):
        return [f"sample {number}: {scene.quantity.name} is printed as {shown}, but is {value}"]
    return []


def _print_item(drawn: orbit.Drawn) -> None:
    scene = drawn.scene
    print(f"--- {scene.statement}\n")
    for option in drawn.options:
        missed = "; and ".join(each.diagnosis for each in option.missed) or "the truth"
        print(f"  {scene.quantity.show(option.value)}   {missed}")
    print(f"\n{scene.build}")


async def _all(loaded: Sequence[Stem], names: Sequence[str], items: int, show: int) -> int:
    wrong: list[str] = []
    async with Engine(queue_s=PATIENT_S) as engine:
        for stem in loaded:
            if not names or any(name in (stem.name, stem.topic) for name in names):
                wrong += await check(engine, stem, items, show)
    print("\n".join(["", *wrong]) if wrong else "nothing is wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="STEM", help="name of a stem or a topic (default: all)")
    parser.add_argument("--module", metavar="NAME", help="module of stems to load (default: all)")
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    loaded = stems.of_module(given.module) if given.module else stems.STEMS
    raise SystemExit(asyncio.run(_all(loaded, given.names, given.items, given.show)))
