"""The arms: the published tools all on, switched on by the agent, our own tools, with documents, and no tools."""

from __future__ import annotations

from labrig.toolbox import ServeOptions
from labrig_harness.channels import Channel
from labrig_harness.suite import Arm, Served

TERRA = ("terra", "simulators")
ACTIVATED = "agent-activation"
WORK = """\
The files are in your workspace; write what you make into it, too. Use the tools for every step, and end with a \
message that holds the fields between <final_json> and </final_json>.
"""
SWITCH = """\
Groups of tools are off at first: reset_equipped_tools switches those on that it is asked for, and all others off.
"""
DIRECT = """\
You have no tools and cannot see the files: give your best numbers all the same, between <final_json> and </final_json>.
"""
ANSWER = Channel("final_json")
STEPS, WALL_S, CALL_S = 120, 3600.0, 300.0
"""Turns and seconds of an item, and seconds of a call."""


def _arm(
    name: str, serve: ServeOptions, about: str, instructions: str = WORK, also: tuple[Served, ...] = ()
) -> Arm:
    return Arm(
        *(name, "earth", serve, instructions, ANSWER, STEPS, WALL_S),
        call_s=CALL_S,
        left_files=True,
        also=also,
        about=about,
    )


ARMS = (
    _arm("agent-terra", ServeOptions(toolsets=TERRA), "the published tools that stand, all groups on"),
    _arm(
        ACTIVATED,
        ServeOptions(toolsets=TERRA, settings={"activation": "on"}),
        "the same, and the agent switches groups on as in the paper",
        SWITCH + WORK,
    ),
    _arm(
        "agent-default",
        ServeOptions(toolsets=("default", "impact", "simulators")),
        "our own tools for Earth data, with the simulators",
    ),
    _arm(
        "agent-documents",
        ServeOptions(toolsets=TERRA),
        "the published tools, and the papers server to read documents",
        also=(Served("papers", ServeOptions(toolsets=("default",))),),
    ),
    Arm(
        "direct",
        instructions=DIRECT,
        channel=ANSWER,
        max_steps=1,
        about="no tools: what memory and guessing achieve",
    ),
)
