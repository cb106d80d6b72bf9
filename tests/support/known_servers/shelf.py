"""What the tests know of the toy server ``shelf``."""

from __future__ import annotations

from hypothesis import strategies as st

from support.fuzzing import Vocabulary

VOCABULARY = Vocabulary(
    lambda handles: {"path": st.sampled_from(["quartz", "calcite", "Quartz", "../quartz", ""])},
    {"read_file": [{"path": "quartz"}], "list_names": [{}]},
)
