"""A server in this process, asked from plain code."""

from __future__ import annotations

from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.toolbox import ServeOptions
from labrig_harness.asking import asking


def test_results_are_texts_and_errors_are_raised(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    options = ServeOptions(roots=(tmp_path,), toolsets=("paper",))
    with asking("repository", options) as ask:
        assert "a.txt" in ask("list_directory", {"id": "local"})
        assert ask("list_directory", {"id": "local"}) == ask("list_directory", {"id": "local"})
        with pytest.raises(LabrigError, match="no tool named"):
            ask("list_nothing", {"id": "local"})
    with pytest.raises(RuntimeError):
        ask("list_directory", {"id": "local"})
