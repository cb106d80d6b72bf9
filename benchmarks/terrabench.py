"""What TerraBench costs: scoring 403 made items of 60 steps, as many as the paper has, and making items from a seed.

The items and runs of three simulated agents are made first. Then each run is scored, and all tables of the paper are
made, with 2,000 resamples for every interval, in a process of its own, which says how long it took and the most memory
that it held. The aim is 30 s and 1 GB for one agent.

Items are made in another process: one of each domain and level without an engine, and as many of the domains whose
engine is a simulator. The aims are 20 and 4 a minute.

Run it with ``python -m benchmarks terrabench``.
"""

from __future__ import annotations

import json
import subprocess
import sys

ITEMS, STEPS = 403, 60
AIM_S, AIM_MB = 30, 1_024
AIM_PLAIN, AIM_ENGINES = 20, 4

MEASURE = """
import resource, sys, time
from labrig_suites.terrabench.paper import paper_tables
from labrig_suites.terrabench.score import score
from labrig_suites.terrabench.simulated import items, runs
agents = int(sys.argv[1])
samples = items(0, {items}, steps={steps})
by_id = {{sample.id: sample for sample in samples}}
made = list(runs(samples, [0.6, 0.75, 0.9][:agents]))
start = time.perf_counter()
scores = [score(by_id[each.task], each) for each in made]
scored = time.perf_counter()
tables = paper_tables(samples, scores)
done = time.perf_counter()
assert len(tables[0].rows) == agents and tables[0].rows[0][2] == {items}
print(scored - start, done - scored, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""

MAKE = """
import json, sys, time, warnings
from labrig.errors import Lacking
from labrig_suites.terrabench.making.assembling import ENGINES, PER_TRACK, make_item
from labrig_suites.terrabench.making.domains import domains
warnings.simplefilter("ignore")
lacking = set()
plain = range(PER_TRACK)
engines = [PER_TRACK + each for each in plain if domains()[each % len(domains())].name in ENGINES]
found = {}
for name, numbers in (("plain", plain), ("engines", engines)):
    start, made = time.perf_counter(), 0
    for number in numbers:
        try:
            make_item("bench", number, "bench")
        except Lacking as error:
            lacking.add(error.side_env)
            continue
        made += 1
    found[name] = made * 60 / (time.perf_counter() - start)
print(json.dumps(found | {"lacking": sorted(lacking)}))
"""


def _measure(agents: int) -> tuple[float, float, float]:
    code = MEASURE.format(items=ITEMS, steps=STEPS)
    scoring, tables, memory = map(float, _said("-c", code, str(agents)).split())
    return scoring, tables, memory


def main() -> None:
    """Print time and memory for one agent and for three, and their ratio."""
    one, three = _measure(1), _measure(3)
    for count, (scoring, tables, memory) in ((1, one), (3, three)):
        print(
            f"{count} x {ITEMS} items of {STEPS} steps: scored in {scoring:.1f} s, "
            f"tables with B = 2000 in {tables:.1f} s, at most {memory:.0f} MB"
        )
    ratio = sum(three[:2]) / sum(one[:2])
    print(f"aim for one agent: {AIM_S} s and {AIM_MB} MB; three agents take {ratio:.1f} times as long")
    made = json.loads(_said("-c", MAKE))
    print(
        f"items without an engine: {made['plain']:.0f} a minute, {made['plain'] / AIM_PLAIN:.1f} times the aim"
    )
    print(
        f"items with a simulator: {made['engines']:.0f} a minute, {made['engines'] / AIM_ENGINES:.1f} times the aim"
    )
    if made["lacking"]:
        print(f"without those of engines that are not installed: labrig setup {' '.join(made['lacking'])}")


def _said(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


if __name__ == "__main__":
    main()
