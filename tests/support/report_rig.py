"""Synthetic output folders for tests of reports and comparisons: real call logs and blobs, no server."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from labrig.calls import CallLog
from labrig.canonical import sha256
from labrig.toolbox import ServeOptions
from labrig_harness.endings import EndReason
from labrig_harness.records import outfolder
from labrig_harness.records.scoring import Scored, grounding, summary
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Arm, Score, Solution, Suite, Table
from labrig_harness.trajectory import Cost, Fault, Step, Submission, Tokens, ToolCall, Trajectory

LETTERS = ("A", "B", "C", "D")
STEMS = ("seawater-calcite", "calcite-soil-co2", "gypsum-in-salt", "mixing-corrosion", "evaporation")
MISTAKES = ("temperature left at 25 °C", "read aragonite for calcite", "mmol taken as mg")
HOSTILE = (
    "</script><script>alert('x')</script><img src=http://evil.example/x onerror=alert(1)>\x1b[31m\ud800\u202e"
)

PROMPT = """\
Cold surface seawater at {temp} °C has pH 8.10 and contains, per kg of water: Na 486, Mg 54.7, Ca 10.7, \
K 10.6, Cl 566 and SO4 29.3 mmol, and an alkalinity of 2.40 meq. \
What is the saturation index of calcite in it?

{options}

Build the input, run it with the tools, and write the letter of your choice, alone, to final_answer.txt. \
You have 24 steps."""

INPUT = """\
SOLUTION 1 Surface seawater
    temp {temp}
    pH 8.1
    units mmol/kgw
    Na 486
    Mg 54.7
    Ca 10.7
    K 10.6
    Cl 566
    S(6) 29.3
    Alkalinity 2.4
END
"""

OUTPUT_LINE = "\t{name:<12} {si:8.2f} {iap:9.2f} {k:9.2f}  {formula}"


def engine_output(draw: random.Random, lines: int) -> str:
    """Return text that looks like an engine's."""
    head = "------------------------------------\nReading input data for simulation 1.\n" + "-" * 36 + "\n\n"
    rows = (
        OUTPUT_LINE.format(
            name=f"Phase{n}", si=draw.gauss(0, 2), iap=draw.gauss(-8, 3), k=draw.gauss(-9, 3), formula="CaCO3"
        )
        for n in range(lines)
    )
    return head + "-----------------------Saturation indices-----------------------\n\n" + "\n".join(rows)


def make_task(number: int, *, hostile: bool = False) -> Sample:
    """Return a multiple-choice task with a diagnosis for each wrong option."""
    draw = random.Random(number)
    right = draw.choice(LETTERS)
    values = dict(zip(LETTERS, sorted(round(draw.uniform(-1.5, 1.5), 2) for _ in LETTERS), strict=True))
    wrong = iter(MISTAKES)
    options = {
        letter: {"value": value, "diagnosis": "" if letter == right else next(wrong), "also": []}
        for letter, value in values.items()
    }
    listed = "\n".join(f"{letter}) SI {value}" for letter, value in values.items())
    prompt = HOSTILE if hostile else PROMPT.format(temp=8 + number, options=listed)
    brief = SampleInput(sha256(f"fake/{number}")[:10], prompt, choices=LETTERS)
    truth = {
        "letter": right,
        "value": values[right],
        "unit": "SI",
        "options": options,
        "database": "phreeqc.dat",
    }
    labels = {"stem": STEMS[number % len(STEMS)], "quantity": "saturation index"}
    return Sample("fake-basics", "1.2", brief, truth, labels)


def score(sample: Sample, trajectory: Trajectory) -> Score:
    """Score a letter; compat takes the first letter that occurs, strict the whole text."""
    text = trajectory.submission.text.strip() if trajectory.submission else ""
    found = re.search("[A-D]", text)
    loose = found.group() if found else ""
    right = sample.truth["letter"]
    return Score(
        sample.id,
        trajectory.arm,
        trajectory.agent,
        trajectory.epoch,
        strict=float(text == right),
        compat=float(loose == right),
        answer=text if text in LETTERS else loose,
        facts={"stem": sample.labels["stem"]},
    )


def tables(samples: Iterable[Sample], scores: Iterable[Score]) -> list[Table]:
    """Return accuracy by stem."""
    stems: dict[str, list[float]] = {}
    for each in scores:
        stems.setdefault(each.facts["stem"], []).append(each.strict)
    rows = tuple((stem, len(each), sum(each) / len(each)) for stem, each in sorted(stems.items()))
    return [
        Table("Accuracy by stem", ("Stem", "n", "Strict"), rows, "Over all arms and agents."),
        Table("Empty table", ("Stem", "n"), ()),
    ]


def no_tasks(*, seed: int) -> list[Sample]:
    return []


def no_solution(sample: Sample, arm: Arm) -> Solution:
    raise NotImplementedError


SUITE = Suite(
    name="fake-basics",
    version="1.2",
    scorer_version="3",
    about="Can an agent operate a geochemical engine: build the input, run it, read the number asked for?",
    arms=(
        Arm("toc", "phreeqc", ServeOptions(output="toc"), about="Results arrive as a table of contents."),
        Arm("raw", "phreeqc", ServeOptions(output="raw:100000"), about="Results arrive whole."),
    ),
    tasks=no_tasks,
    solution=no_solution,
    score=score,
    tables=tables,
    cluster="stem",
)


class Rig:
    """Writes records as the runner does, and collects what `score_folder` would."""

    def __init__(self, out: Path, samples: list[Sample], *, lines: int = 120) -> None:
        self.out = out
        self.tasks = {sample.id: sample for sample in samples}
        self.lines = lines
        self.made: list[tuple[Path, Trajectory]] = []

    def call(self, log: CallLog, count: int, tool: str, arguments: dict[str, object], text: str) -> ToolCall:
        failed = text.startswith("ERROR")
        record = log.append(
            server="phreeqc",
            tool=tool,
            arguments=arguments,
            result={"content": [{"type": "text", "text": text}], "isError": failed},
            error={"code": "engine", "what": text} if failed else None,
            tools_hash="0" * 64,
            versions={"labrig": "0.1.0"},
            meta={},
        )
        return ToolCall(
            tool,
            arguments,
            count,
            record.is_error,
            record.result,
            record.result_bytes,
            meta={"duration_s": 0.21},
        )

    def record(
        self, sample: Sample, arm: str, agent: str, epoch: int = 0, *, hostile: bool = False
    ) -> Trajectory:
        """Write one record."""
        folder = self.out / f"{arm}.{agent}" / sample.id / f"epoch{epoch}"
        folder.mkdir(parents=True)
        log, calls = CallLog(folder), []
        draw = random.Random(f"{sample.id}/{arm}/{agent}/{epoch}")
        right = str(sample.truth["letter"])
        answer = {"nop": "", "random": draw.choice(LETTERS), "reference": right}.get(agent)
        if answer is None:
            answer = draw.choice([right, right, "", draw.choice(LETTERS), f"The answer is {right}."])
        if agent in ("reference", "noisy-reference"):
            text = INPUT.format(temp=12)
            output = engine_output(random.Random(sample.id), self.lines)
            calls.append(
                self.call(log, 0, "write_file", {"path": "input.pqi", "content": text}, "Wrote 178 bytes.")
            )
            if agent == "noisy-reference" and draw.random() < 0.5:
                error = "ERROR: Phase not found in database, Calcit.\nERROR: Calculations terminating."
                calls.append(self.call(log, 1, "execute_phreeqc", {"path": "input.pqi"}, error))
            calls.append(
                self.call(
                    log, len(calls), "execute_phreeqc", {"path": "input.pqi"}, HOSTILE if hostile else output
                )
            )
            arguments = {"path": "result.out", "start_line": 41, "end_line": 60}
            calls.append(self.call(log, len(calls), "read_file", dict(arguments), output[900:1800]))
        if answer:
            arguments = {"path": "final_answer.txt", "content": answer}
            calls.append(self.call(log, len(calls), "write_file", dict(arguments), "Wrote 1 byte."))
        end: EndReason = "answered" if answer else "no_answer"
        if not answer and draw.random() < 0.5 and agent != "nop":
            end = "step_limit"
        says = "The saturation indices are under line 41." if agent == "noisy-reference" else ""
        each = Trajectory(
            task=sample.id,
            suite=sample.suite,
            agent=agent,
            arm=arm,
            epoch=epoch,
            seed=7,
            steps=tuple(
                Step(n, says if call.tool == "read_file" else "", (call,), Tokens())
                for n, call in enumerate(calls)
            ),
            submission=Submission(HOSTILE if hostile else answer, len(calls) - 1)
            if answer or hostile
            else None,
            end=end,
            versions={"labrig": "0.1.0", "phreeqc": "3.8.6"},
            meta={"started": "2026-11-21T10:00:00.000+00:00", "duration_s": 1.284},
        )
        self.keep(folder, each)
        return each

    def keep(self, folder: Path, each: Trajectory) -> None:
        """Keep a trajectory in its folder."""
        (folder / "trajectory.json").write_text(json.dumps(each.to_dict()))
        self.made.append((folder, each))

    def finish(self) -> Path:
        """Write what `labrig run` writes beside the records, and return the folder."""
        samples = list(self.tasks.values())
        body = "".join(outfolder.json_text(sample.to_dict()) + "\n" for sample in samples)
        (self.out / "tasks.jsonl").write_text(body)
        epochs: dict[Path, int] = {}
        for folder, each in self.made:
            run = folder.parent.parent
            epochs[run] = max(epochs.get(run, 0), each.epoch + 1)
        for run, count in epochs.items():
            about = {
                "schema": outfolder.RUN_SCHEMA,
                "suite": samples[0].suite,
                "seed": 7,
                "epochs": count,
                "budget": {"max_steps": 24, "wall_s": 300.0},
                "tasks": outfolder.tasks_hash(samples),
            }
            (run / "run.json").write_text(json.dumps(about))
        return self.out

    def scored(self, skipped: Iterable[str] = ()) -> Scored:
        """Return the folder as `score_folder` does."""
        if self.tasks:
            self.finish()
        scores = [
            score(self.tasks[each.task], each) if self.tasks[each.task].truth else None
            for _, each in self.made
        ]
        known = [each for each in scores if each is not None]
        return Scored(
            suite=SUITE,
            tasks=self.tasks,
            records=[
                summary(folder, each, its, grounding(SUITE, self.tasks[each.task], each, its))
                for (folder, each), its in zip(self.made, scores, strict=True)
            ],
            tables=tables(self.tasks.values(), known) if known else [],
            skipped=list(skipped),
        )


def full(out: Path, *, items: int = 14, epochs: int = 1) -> Scored:
    """Return a run of four agents, the better two in both arms."""
    rig = Rig(out, [make_task(number) for number in range(items)])
    runs = [("toc", "reference"), ("toc", "noisy-reference"), ("raw", "noisy-reference")]
    for arm, agent in [*runs, ("toc", "random"), ("toc", "nop")]:
        for sample in rig.tasks.values():
            for epoch in range(epochs):
                rig.record(sample, arm, agent, epoch)
    return rig.scored(["toc.reference/lost/epoch0/trajectory.json: ValueError: schema 'x'"])


def real_task(number: int, version: str) -> Sample:
    """Return a task that the installed suite phreeqc-basics can score."""
    sample = make_task(number)
    truth = {**sample.truth, "answer": sample.truth["letter"]}
    labels = {**sample.labels, "stem": f"S{number % 12:02}"}
    return replace(sample, suite="phreeqc-basics", suite_version=version, truth=truth, labels=labels)


MODELS = {
    # chance of being right, tokens of a turn, turns, chance of no answer
    "loop+atlas-9": (0.86, 2400, 7, 0.02),
    "loop+atlas-mini": (0.55, 900, 8, 0.08),
    "claude-code+sonata-4": (0.80, 5200, 9, 0.05),
    "direct+atlas-9": (0.38, 350, 1, 0.0),
}
"""Agents of a synthetic benchmark; the names are invented."""


def modelled(
    rig: Rig,
    sample: Sample,
    arm: str,
    agent: str,
    epoch: int = 0,
    *,
    lines: int = 40,
    change: bool = False,
    tokens: bool = True,
) -> Trajectory:
    """Write a record as a model would leave one: reasoning, mistakes, tokens, limits, a price."""
    label = f"{arm}.{agent}" + (".auto" if change else "")
    folder = rig.out / label / sample.id / f"epoch{epoch}"
    folder.mkdir(parents=True)
    draw = random.Random(f"{sample.id}/{label}/{epoch}")
    skill, spent, turns, silent = MODELS[agent]
    ease = {
        stem: 0.18 * (n % 5 - 2)
        for n, stem in enumerate(sorted({t.labels["stem"] for t in rig.tasks.values()}))
    }
    steady = random.Random(f"{sample.id}/{label}").random()  # an item is hard in every epoch
    right = 0.7 * steady + 0.3 * draw.random() < skill + ease[sample.labels["stem"]] - (
        0.08 if arm == "raw" else 0
    )
    log, steps = (
        CallLog(folder),
        [Step(0, sample.brief.prompt.rstrip() + "\n\nUse the tools.\n", source="user")],
    )
    count = 0
    took = 1 if turns == 1 else max(3, min(24, round(draw.gauss(turns, 3) + (0 if right else 3))))
    failed = draw.random() < silent or took == 24
    truth = str(sample.truth.get("letter", "A"))
    answer = truth if right else draw.choice([each for each in LETTERS if each != truth])
    for number in range(1, took + 1):
        used = (
            Tokens(draw.randint(spent // 2, spent), spent, 0, draw.randint(40, 300), 20, True)
            if tokens
            else Tokens()
        )
        calls: list[ToolCall] = []
        faults: tuple[Fault, ...] = ()
        last = number == took
        if turns > 1 and not last and draw.random() < 0.08:
            told = "ERROR: the arguments are no JSON object"
            calls.append(
                ToolCall(
                    "execute_phreeqc", {}, -1, True, raw='{"path": input.pqi', fault="not_json", told=told
                )
            )
        elif turns > 1 and not last:
            output = engine_output(random.Random(f"{sample.id}/{number % 3}"), lines)
            text = "ERROR: Phase not found in database, Calcit." if draw.random() < 0.1 else output
            call = rig.call(log, count, "execute_phreeqc", {"path": "input.pqi"}, text)
            cut = draw.random() < 0.05
            calls.append(replace(call, delivered_bytes=call.result_bytes // 4 if cut else None))
            count += 1
        elif turns > 1 and not failed:
            calls.append(
                rig.call(
                    log, count, "write_file", {"path": "final_answer.txt", "content": answer}, "Wrote 1 byte."
                )
            )
            count += 1
        elif draw.random() < 0.1:
            faults = ("empty_reply",)
        says = (
            f"Step {number}: the saturation index of calcite is printed under line {40 + number}."
            if number > 1
            else ""
        )
        steps.append(
            Step(
                number,
                says,
                tuple(calls),
                used,
                reasoning="The input needs pH." if number == 1 else "",
                faults=faults,
                model="atlas-9-2026-10-01",
            )
        )
    end: EndReason = (
        ("step_limit" if took == 24 else draw.choice(["no_answer", "refused", "wall_limit"]))
        if failed
        else "answered"
    )
    each = Trajectory(
        task=sample.id,
        suite=sample.suite,
        agent=agent,
        arm=arm,
        epoch=epoch,
        seed=7,
        steps=tuple(steps),
        submission=None if failed else Submission(answer, took),
        end=end,
        model=f"atlas:{agent}",
        settings={"temperature": 0},
        confinement="bubblewrap",
        perturbation={
            "spec": "scale:2@match=pH",
            "truth": truth,
            "expected": "ABCD"["DABC".index(truth)],
            "applied": True,
            "changes": [],
        }
        if change
        else None,
        cost=Cost(0.000003 * spent * took, "USD", "list prices 2026-11-01 (ab12)") if tokens else None,
        versions={"labrig": "0.1.0", "phreeqc": "3.8.6"},
        meta={"started": "2026-11-21T10:00:00.000+00:00", "duration_s": round(draw.uniform(8, 90), 2)},
    )
    rig.keep(folder, each)
    return each


def benchmark(out: Path, *, items: int = 200, epochs: int = 1, lines: int = 40) -> Rig:
    """Write four runs of `items` items in 20 stems."""
    samples = [make_task(number) for number in range(items)]
    samples = [
        replace(sample, labels={**sample.labels, "stem": f"S{n % 20:02}"}) for n, sample in enumerate(samples)
    ]
    rig = Rig(out, samples, lines=lines)
    runs = [
        ("toc", "loop+atlas-9"),
        ("toc", "loop+atlas-mini"),
        ("raw", "claude-code+sonata-4"),
        ("raw", "direct+atlas-9"),
    ]
    for arm, agent in runs:
        for sample in samples:
            for epoch in range(epochs):
                modelled(rig, sample, arm, agent, epoch, lines=lines, tokens=agent != "direct+atlas-9")
    return rig
