"""Our suites as tasks of the real inspect-ai: our servers' tools, a model that plays the reference, our scorer.

inspect-ai stands in an environment of its own (see `test_inspect_view`); what Labrig needs is added behind it, from the
environment of the tests, as ``pip install labrig inspect-ai`` would have both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from labrig_harness import suites
from labrig_harness.records.scoring import score_folder
from labrig_study.bridges.episode import choose
from labrig_study.logs.importing import import_logs
from support.solvable import solvable

pytestmark = pytest.mark.accept

CHOSEN = {"phreeqc-mcq": "agent-toc", "science-gym": "agent-reading"}

RUN = """
import json, site, sys
site.addsitedir(sys.argv[1])
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from labrig_harness import suites
from labrig_study.bridges.episode import Episode, choose

logs, chosen = sys.argv[2], json.loads(sys.argv[3])
solutions = {}
for name, (arm, ids) in chosen.items():
    suite = suites.load(name)
    for sample in [each for each in choose(suite) if each.id in ids]:
        episode = Episode.of(suite, suite.arm(arm), sample)
        solutions[episode.prompt.strip()] = episode.arm.channel, suite.solution(sample, episode.arm)

def say(text):
    return ModelOutput.from_content("m", text)

def call(tool, arguments):
    return ModelOutput.for_tool_call("m", tool, arguments)

def oracle(input, *rest):
    channel, solution = solutions[input[0].text.strip()]
    results = [each.text for each in input if each.role == "tool"]
    if len(results) < len(solution.calls):
        return call(solution.calls[len(results)].tool, solution.calls[len(results)].bind(results))
    answer = solution.answer(results[: len(solution.calls)])
    if not channel.is_file:
        return say(answer)
    if len(results) > len(solution.calls):
        return say("Done.")
    return call("write_file", {"path": channel.path, "content": answer})

def nop(input, *rest):
    return say("I do not know.")

def endless(input, tools, *rest):
    return call(next(each.name for each in tools if each.name.startswith("list")), {})

def counted(say):
    def answer(*given):
        output = say(*given)
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)  # or it asks the network
        return output
    return answer

told = []
for agent in (oracle, nop, endless):
    model = get_model(f"mockllm/{agent.__name__}", custom_outputs=counted(agent))
    tasks = [(name, *of) for name, of in chosen.items() if agent is not endless or name == "phreeqc-mcq"]
    for name, arm, ids in tasks:
        (log,) = eval(
            f"labrig/{name.replace('-', '_')}", model=model, task_args={"arm": arm}, sample_id=ids, log_dir=logs,
            display="none",
        )
        assert log.status == "success", log.error
        text = log.model_dump_json()
        told.append([agent.__name__, name, [s.scores["labrig"].value for s in log.samples],
            [s.limit and s.limit.type for s in log.samples], '"shift"' in text or '"scheme"' in text])
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def inspect_python() -> Path:
    """Return inspect-ai's Python, which must be of the version that the tests run in."""
    cache = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
    found = Path(os.environ.get("LABRIG_TEST_INSPECT", cache / "inspect")) / "bin" / "python"
    if not found.exists():
        pytest.skip("inspect-ai is not installed; LABRIG_TEST_INSPECT names its virtual environment")
    said = subprocess.run(
        [found, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True, check=True
    )
    if said.stdout.strip() != str(sys.version_info[:2]):
        pytest.skip(f"inspect-ai stands in another Python, {said.stdout.strip()}")
    return found


def test_the_oracle_has_full_marks_and_nothing_none(
    inspect_python: Path, databases: Path, private_home: Path, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    chosen = {name: (arm, solvable(name, arm, 2)) for name, arm in CHOSEN.items()}
    ran = subprocess.run(
        [inspect_python, "-c", RUN, sysconfig.get_path("purelib"), logs, json.dumps(chosen)],
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = json.loads(ran.stdout.splitlines()[-1])
    full, none = {"strict": 1.0, "compat": 1.0}, {"strict": 0.0, "compat": 0.0}
    assert [each[:4] for each in told] == [
        *(["oracle", name, [full, full], [None, None]] for name in CHOSEN),
        *(["nop", name, [none, none], [None, None]] for name in CHOSEN),
        ["endless", "phreeqc-mcq", [none, none], ["turn", "turn"]],
    ]
    assert not any(each[4] for each in told), "the log holds the truth, which has these keys"
    for name in CHOSEN:  # our reader of Inspect's logs, and our scorer on what it read
        suite = suites.load(name)
        samples = [each for each in choose(suite) if each.id in chosen[name][1]]
        mine = tmp_path / f"logs-{name}"
        mine.mkdir()
        for log in logs.glob(f"*{name}*.eval"):
            log.rename(mine / log.name)
        import_logs("inspect", mine, tmp_path / name, suite=suite, samples=samples)
        scored = score_folder(tmp_path / name)
        strict = {(each.agent, each.strict) for each in scored.scores}
        assert {(agent.rpartition("-")[2], value) for agent, value in strict} >= {
            ("oracle", 1.0),
            ("nop", 0.0),
        }
