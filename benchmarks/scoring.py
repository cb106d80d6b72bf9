"""What scoring costs: stored trajectories of `STEPS` steps, each with its call log and blobs, scored as a folder.

The records are made once by hand in the form that `labrig run` writes. `FEW` and `MANY` of them are scored in a
process of its own each, which says how long it took and the most memory that it and its workers held: the
time should grow with the number, the memory by the summaries alone.

Run it with ``python -m benchmarks.scoring``; it needs installed databases, for the tasks.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from labrig.calls import CallLog
from labrig_harness import suites
from labrig_harness.agent import AgentSpec
from labrig_harness.records import outfolder
from labrig_harness.run.plan import RunPlan, prepare
from labrig_harness.sample import Sample
from labrig_harness.suite import Suite
from labrig_harness.trajectory import Step, Submission, ToolCall, Trajectory

STEPS, FEW, MANY = 20, 2_000, 10_000
RESULT = "----Saturation indices----\n" + "\n".join(f"Phase{n} {n / 7:.3f}" for n in range(40))

MEASURE = """
import resource, sys, time
from pathlib import Path
from labrig_harness.records.scoring import score_folder
if __name__ == "__main__":
    start = time.perf_counter()
    scored = score_folder(Path(sys.argv[1]))
    seconds = time.perf_counter() - start
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    mine, theirs = (resource.getrusage(who).ru_maxrss / 1024 for who in whose)
    assert scored.whole, (scored.skipped[:2], scored.missing)
    print(len(scored.scores), seconds, mine, theirs)
"""


def _record(folder: Path, suite: Suite, sample: Sample, label: str, epoch: int) -> None:
    folder.mkdir(parents=True)
    log = CallLog(folder)
    steps = [Step(0, sample.brief.prompt, source="user")]
    for number in range(STEPS):
        last = number == STEPS - 1
        tool = "write_file" if last else "execute_phreeqc" if number == 1 else "read_file"
        arguments = {"path": "final_answer.txt", "content": "A"} if last else {"path": f"{number}.out"}
        text = f"{epoch} {number}\n{RESULT}"
        wire = {"content": [{"type": "text", "text": text}], "isError": False}
        record = log.append(
            server="phreeqc",
            tool=tool,
            arguments=arguments,
            result=wire,
            error=None,
            tools_hash="0" * 64,
            versions={"labrig": "0"},
            meta={},
        )
        call = ToolCall(tool, arguments, number, False, record.result, record.result_bytes)
        steps.append(Step(len(steps), calls=(call,)))
    made = Trajectory(
        *(sample.id, suite.name, label, suite.arm().name, epoch, 0, tuple(steps)),
        submission=Submission("A", STEPS),
        end="answered",
    )
    (folder / "trajectory.json").write_text(outfolder.json_text(made.to_dict()))


def _make(out: Path, count: int) -> None:
    suite = suites.load("phreeqc-basics")
    samples = tuple(suite.tasks(seed=0)[:10])
    plan = prepare(RunPlan(suite, suite.arm(), AgentSpec("nop"), samples, epochs=count // len(samples)), out)
    for sample, epoch in plan.units():
        _record(
            outfolder.record_folder(out, plan.label, sample.id, epoch), suite, sample, plan.agent.label, epoch
        )


def _measure(out: Path) -> tuple[int, float, float, float]:
    done = subprocess.run([sys.executable, "-c", MEASURE, str(out)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    count, seconds, mine, theirs = done.stdout.split()
    return int(count), float(seconds), float(mine), float(theirs)


def main() -> None:
    """Print time and memory for both numbers of records, and their ratios."""
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for count in (FEW, MANY):
            out = Path(folder) / str(count)
            _make(out, count)
            found.append(_measure(out))
    for count, seconds, mine, theirs in found:
        print(
            f"{count:,} records of {STEPS} steps scored in {seconds:.1f} s on {os.cpu_count()} cores, "
            f"{1e3 * seconds / count:.2f} ms each; at most {mine:.0f} MB, and {theirs:.0f} MB in a worker"
        )
    (few, quick, small, _), (many, slow, large, _) = found
    print(
        f"{many / few:g} times the records: {slow / quick:.1f} times as long, {large / small:.2f} times the memory"
    )


if __name__ == "__main__":
    main()
