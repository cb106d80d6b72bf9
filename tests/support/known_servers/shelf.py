"""What the tests know of the toy server ``shelf``."""

from __future__ import annotations

from hypothesis import strategies as st

from hostile.servers.case import Call
from hostile.servers.target import Target
from support.fuzzing import Vocabulary

VOCABULARY = Vocabulary(
    lambda handles: {"path": st.sampled_from(["quartz", "calcite", "Quartz", "../quartz", ""])},
    {"read_file": [{"path": "quartz"}], "list_names": [{}]},
)

TARGET = Target(
    canary=Call("read_file", {"path": "quartz"}),
    right=lambda result: "2.65 g/cm3" in str(result.get("structuredContent", {}).get("text")),
)
