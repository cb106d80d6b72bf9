"""What the tests know of the toy server ``scale``."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from hostile.servers.case import Call
from hostile.servers.target import Target
from support.fuzzing import Bench, Vocabulary, mangled

MASSES = struct.pack("<3d", 1.0, 2.0, 3.5)
NAME = st.sampled_from(["masses.f8", "note.txt", "nothing", "../x", "/etc/passwd"])


def _sensible(handles: list[str]) -> dict[str, st.SearchStrategy[Any]]:
    return {
        "path": st.one_of(NAME, mangled(NAME)),
        "content": st.text(max_size=40),
        "pause_s": st.sampled_from([0.0, 0.01, -1.0, float("1e300")]),
        "job": st.integers(1, 9).map(lambda n: f"weighing-{n}") | st.text(max_size=8),
        "wait_s": st.floats(0, 0.02),
    }


RECIPES: dict[str, list[dict[str, Any]]] = {
    "start_weighing": [{"path": "masses.f8"}],
    "read_file": [{"path": "note.txt"}],
    "draw_dial": [{"fraction": 0.5}],
}


def _begin(bench: Bench, workspace: Path) -> None:
    bench.call("write_file", path="note.txt", content="weighed")
    (workspace / "masses.f8").write_bytes(MASSES)


VOCABULARY = Vocabulary(_sensible, RECIPES, begin=_begin)

TARGET = Target(
    canary=Call("draw_dial", {"fraction": 0.5}),
    ordinary=Call("draw_dial", {"fraction": 0.25}),
    starts=(
        Call("write_file", {"path": "masses", "content": "8 bytes."}),
        Call("start_weighing", {"path": "masses"}),
    ),
    arguments=RECIPES,
)
