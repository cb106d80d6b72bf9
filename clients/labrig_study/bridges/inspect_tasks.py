"""Tasks of Inspect: ``inspect eval labrig/phreeqc_mcq --model ..``, each suite by its name with ``_`` for ``-``.

Inspect finds them by the entry point ``labrig`` of the group ``inspect_ai``, in an environment that has both. For each
sample the command ``labrig`` serves the arm's server, whose tools the model is given; `Episode` scores what it saw.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.agent import as_solver, react
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.scorer import Score as InspectScore
from inspect_ai.scorer import mean, scorer, stderr
from inspect_ai.solver import solver
from inspect_ai.tool import mcp_server_stdio
from inspect_ai.util import apply_limits, time_limit, token_limit, turn_limit

from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_study.bridges.episode import Episode, choose, episodes_of

FOLDER = "labrig_folder"
WITHOUT_SAMPLES = ("imported", "questions", "results")

Episodes = Mapping[str, Episode]


def _offer(name: str) -> None:
    """Register the task of a suite."""

    def make(arm: str = "", tasks: str = "", seed: int = 0, limit: int = 0) -> Any:
        suite = suites.load(name)
        chosen = suite.arm(arm)
        episodes = episodes_of(suite, chosen, choose(suite, tasks, seed, limit))
        samples = [InspectSample(id=id, input=each.prompt) for id, each in episodes.items()]
        by = {each: [mean(), stderr()] for each in ("strict", "compat")}
        return Task(
            dataset=MemoryDataset(samples, name=name),
            # Without arguments: what is given to a solver or a scorer is written to the log, and here it is the truth.
            solver=solver(name="labrig_server")(lambda: _work(episodes))(),
            scorer=scorer(metrics=by, name="labrig")(lambda: _judge(episodes))(),
            cleanup=_clean,
            version=suite.version,
            metadata={"arm": chosen.name, "scorer_version": suite.scorer_version},
        )

    make.__name__ = name.replace("-", "_")
    make.__module__ = "labrig"  # Inspect puts the top package of the module before the name
    task(make)


def _work(episodes: Episodes) -> Callable[..., Any]:
    async def solve(state: Any, generate: Any) -> Any:
        episode = episodes[state.sample_id]
        folder = Path(tempfile.mkdtemp(prefix="labrig-inspect-"))
        state.store.set(FOLDER, str(folder))
        words, arm = ["serve", *episode.serving(*episode.open(folder))], episode.arm
        server = mcp_server_stdio(name=arm.server, command="labrig", args=words, env=dict(os.environ))
        limits = [turn_limit(arm.max_steps), time_limit(arm.wall_s), token_limit(arm.max_tokens)]
        with apply_limits(limits):
            return await as_solver(react(prompt=None, tools=[server], submit=False))(state, generate)

    return solve


def _judge(episodes: Episodes) -> Callable[..., Any]:
    async def judge(state: Any, target: Any) -> Any:
        folder = state.store.get(FOLDER)
        if not folder or not Path(folder).is_dir():
            raise LabrigError(
                "What the server saw is gone: a sample is scored when it ends, and not again",
                where="inspect score",
            )
        said = [each.text for each in state.messages if each.role == "assistant" and each.text.strip()]
        score = episodes[state.sample_id].score_folder(Path(folder), said[-1] if said else "")
        return InspectScore(
            value={"strict": score.strict, "compat": score.compat}, answer=score.answer, metadata=score.facts
        )

    return judge


async def _clean(state: Any) -> None:
    if folder := state.store.get(FOLDER):
        shutil.rmtree(folder, ignore_errors=True)


for _name in suites.names():
    if _name not in WITHOUT_SAMPLES:
        _offer(_name)
