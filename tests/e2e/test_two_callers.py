"""Every tool of every server, called by two tokens: what one does changes no answer of the other."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from hostile.guard import adopting
from hostile.servers.attack import Rig
from hostile.servers.callers import differences, second_answers
from support.every_server import installed, target

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="rigs look at processes of Linux")


MANY = ("earth",)
"""Servers with so many tools that `make soak` calls them."""


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.soak if name in MANY else pytest.mark.accept)
        for name in installed()
    ],
)
def test_what_one_caller_does_changes_no_answer_of_another(
    name: str, databases: Path, tmp_path: Path
) -> None:
    target(name).needs()
    found, wrong = {}, []
    with adopting():
        for attacked in (False, True):
            place = tmp_path / "rig"  # the same for both: some files and answers name it
            shutil.rmtree(place, ignore_errors=True)
            rig = Rig(name, "HTTP", place / "HTTP")
            try:
                found[attacked], shown = second_answers(rig, attacked=attacked)
            finally:
                rig.close()
            wrong += shown
    assert wrong + differences(found[False], found[True]) == []
    assert found[True].keys() == rig.listed.schemas.keys()
