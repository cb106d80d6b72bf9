"""Items and runs that nobody made: agents of a known ability over workflows of any length.

They need no server. Analyses are tried on them, because the right ranking is known; and the time that scoring takes is
measured on them. ``python -m labrig_suites.terrabench.simulated`` prints the paper's tables of twelve such agents.

An item is a workflow of the paper's tools with arguments drawn at random. An agent of ability a leaves a call out,
takes another tool of the family, changes an argument or exchanges two neighbours with probabilities that fall with a;
so does that of a failing call. Each field of its answer is within the tolerance with probability a^3, else off by a
number of tolerances that is larger for smaller a.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

from labrig_harness.sample import Sample, SampleInput
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory
from labrig_suites.terrabench.metrics.families import family_of, words
from labrig_suites.terrabench.truth import DOMAINS, LEVELS, TRACKS

SUITE, ARM = "terrabench", "agent-terra"
VARIABLES = ("2m_temperature", "total_precipitation", "10m_u_component_of_wind", "sea_surface_temperature")
ABILITIES = tuple(round(0.35 + 0.05 * place, 2) for place in range(12))
"""Of twelve agents, from the weakest to the strongest."""


def items(seed: int, count: int, *, steps: int = 24, fields: int = 4) -> list[Sample]:
    """Return made items, the same for the same seed; tracks, levels and domains in turn."""
    rng = random.Random(f"terrabench items {seed}")
    named: dict[str, list[str]] = words()["families"]
    # Of the published tools: those of our own servers stand in the same families.
    code = {tool for tools in words()["code"].values() for tool in tools}
    by_family = [(family, [tool for tool in tools if tool in code]) for family, tools in named.items()]
    by_family = [(family, tools) for family, tools in by_family if tools]
    made = []
    for number in range(count):
        chosen = rng.sample(by_family, min(6, len(by_family)))
        path: list[dict[str, Any]] = []
        while len(path) < steps:
            tools = rng.choice(chosen)[1]
            path.append({"tool": rng.choice(tools), "arguments": _arguments(rng)})
        rows = [
            {
                "key": f"value_{place}",
                "value": round(rng.uniform(1, 100), 3),
                "abs_tol": round(rng.uniform(0.1, 1), 2),
                "rel_tol": 0.01,
                "floor_scale": 0,
            }
            for place in range(fields)
        ]
        made.append(
            Sample(
                suite=SUITE,
                suite_version="0",
                brief=SampleInput(f"made-{seed}-{number:04d}", "A made workflow."),
                truth={"fields": rows, "paths": [path], **_document(rows, TRACKS[number % len(TRACKS)])},
                labels={
                    "track": TRACKS[number % len(TRACKS)],
                    "level": LEVELS[number % len(LEVELS)],
                    "domain": DOMAINS[number % len(DOMAINS)],
                },
            )
        )
    return made


def runs(
    samples: Sequence[Sample], abilities: Sequence[float] = ABILITIES, *, seed: int = 0
) -> Iterator[Trajectory]:
    """Give a run of each agent on each item; the agent's name tells its place, not its ability."""
    for place, ability in enumerate(abilities):
        for sample in samples:
            rng = random.Random(f"terrabench run {seed} {place} {sample.id}")
            yield run(sample, f"agent-{place + 1:02d}", ability, rng)


def run(sample: Sample, agent: str, ability: float, rng: random.Random) -> Trajectory:
    """Return a run of an agent with an ability in [0, 1]; 1 is the reference itself."""
    slip = 1 - ability
    named: dict[str, list[str]] = words()["families"]
    wanted = [dict(each) for each in sample.truth["paths"][0]]
    for place in range(len(wanted) - 1):
        if rng.random() < slip / 2:
            wanted[place], wanted[place + 1] = wanted[place + 1], wanted[place]
    calls: list[ToolCall] = []
    for each in wanted:
        if rng.random() < slip:
            continue
        tool, arguments = each["tool"], dict(each["arguments"])
        if rng.random() < slip / 2:
            tool = rng.choice(named.get(family_of(tool), [tool]))
        for key in arguments:
            if rng.random() < slip:
                arguments[key] = _other(arguments[key], rng)
        failed = rng.random() < slip / 3
        unknown = rng.random() < slip / 5
        calls.append(
            ToolCall(
                "no_such_tool" if unknown else tool,
                arguments,
                -1 if unknown else len(calls),
                failed or unknown,
                fault="unknown_tool" if unknown else "",
            )
        )
    rows = []
    for field in sample.truth["fields"]:
        tolerance = max(field["abs_tol"], field["rel_tol"] * abs(field["value"]))
        widths = rng.uniform(0, 0.9) if rng.random() < ability**3 else 1.1 + rng.expovariate(1) * 6 * slip
        value = field["value"] + rng.choice((-1, 1)) * widths * tolerance
        rows.append({**field, "value": value})
    answer = json.dumps(rows)
    steps = [Step(0, sample.brief.prompt, source="user")]
    steps += [Step(number, calls=(call,)) for number, call in enumerate(calls, 1)]
    steps.append(Step(len(steps), f"<final_json>{answer}</final_json>"))
    return Trajectory(
        *(sample.id, SUITE, agent, ARM, 0, 0, tuple(steps)),
        submission=Submission(answer, len(steps) - 1),
        end="answered",
        meta={"duration_s": round(60 + 600 * ability + rng.uniform(0, 60), 1)},
    )


def _document(rows: Sequence[dict[str, Any]], track: str) -> dict[str, Any]:
    """Return what the document of an item reports, near the truth and beyond its tolerance; nothing in other tracks."""
    if track != TRACKS[2]:
        return {}
    return {"document": {each["key"]: round(1.2 * each["value"] + 5, 2) for each in rows}}


def _arguments(rng: random.Random) -> dict[str, Any]:
    month, south, west = rng.randint(1, 11), rng.randint(-60, 50), rng.randint(-170, 160)
    return {
        "variable": rng.choice(VARIABLES),
        "start": f"2020-{month:02d}-01",
        "end": f"2020-{month + 1:02d}-01",
        "bbox": [west, south, west + 10, south + 10],
        "threshold": rng.randint(1, 50),
    }


def _other(value: Any, rng: random.Random) -> Any:
    """Return a value that no comparison takes for the same."""
    if isinstance(value, list):
        return [each + rng.randint(1, 5) for each in value]
    if isinstance(value, str):
        return f"{value[:-2]}17" if value[0].isdigit() and value[:2] == "20" else f"not {value}"
    return value + rng.randint(1, 9)


def main() -> None:
    """Print the paper's tables of the twelve agents on 48 made items."""
    from labrig_study.report.terminal import print_table, stdout_console
    from labrig_suites.terrabench.paper import paper_tables
    from labrig_suites.terrabench.score import score

    samples = items(0, 48)
    by_id = {sample.id: sample for sample in samples}
    console = stdout_console()
    for table in paper_tables(samples, [score(by_id[each.task], each) for each in runs(samples)]):
        print_table(console, table, None)


if __name__ == "__main__":
    main()
