"""Every tool of every server, called by two tokens: what one does changes no answer of the other."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hostile.guard import adopting
from hostile.servers.attack import Rig
from hostile.servers.callers import meet
from support.every_server import installed, target

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="rigs look at processes of Linux")


@pytest.mark.accept
@pytest.mark.parametrize("name", installed())
def test_what_one_caller_does_changes_no_answer_of_another(
    name: str, databases: Path, tmp_path: Path
) -> None:
    target(name).needs()
    with adopting():
        rig = Rig(name, "HTTP", tmp_path / "HTTP")
        try:
            tools, wrong = meet(rig)
        finally:
            rig.close()
    assert wrong == []
    assert tools == set(rig.listed.schemas)
