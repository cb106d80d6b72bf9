"""The arms of science-gym: the paper's five tools, our own, the paper's readers without code, and no tools at all."""

from __future__ import annotations

from labrig.toolbox import ServeOptions
from labrig_harness.channels import Channel
from labrig_harness.suite import Arm

ANSWER = """\
When you have the answer, return a JSON object with the single key "answer", as in {"answer": "..."}. If the question, \
or any part of it, cannot be answered from the repository, return {"answer": "not possible"}.
"""
READERS = ("list_directory", "read_text_file", "read_binary_file")
MOST_STEPS, WALL_S = 40, 900.0
"""The paper names neither; its models made 2.4 to 7.6 calls a question on average (leaderboard)."""


def _arm(name: str, about: str, toolset: str, tools: tuple[str, ...] = ()) -> Arm:
    serve = ServeOptions(toolsets=(toolset,), tools=tools)
    return Arm(
        *(name, "repository", serve, ANSWER, Channel("json")),
        max_steps=MOST_STEPS,
        wall_s=WALL_S,
        about=about,
        needs=() if tools else ("sandbox",),
    )


ARMS = (
    _arm(
        "agent-paper",
        "the paper's tools: three readers, Python code, and the versions of its packages",
        "paper",
    ),
    _arm("agent-default", "our own tools: also describe_table and search, and cursors", "default"),
    _arm("agent-reading", "only the paper's readers, without Python code", "paper", READERS),
    Arm(
        "direct",
        instructions=ANSWER,
        channel=Channel("json"),
        max_steps=1,
        about="no tools: what guessing alone achieves",
    ),
)
