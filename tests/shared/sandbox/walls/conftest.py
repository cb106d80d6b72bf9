"""Folders and users for children behind the walls, and versions of Landlock."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # at its import a file of tests is skipped where no walls are to be had
    from support.walled import Place

NOBODY = 65534


@pytest.fixture(params=["root or this user", pytest.param("ordinary user", marks=pytest.mark.accept)])
def user(request: pytest.FixtureRequest) -> int | None:
    if request.param == "ordinary user":
        if os.getuid() != 0:
            pytest.skip("not root, so the other half of this test is the ordinary user")
        return NOBODY
    return None


@pytest.fixture(
    params=[
        pytest.param(None, id="this kernel's Landlock"),
        pytest.param(1, id="Landlock version 1", marks=pytest.mark.accept),
    ]
)
def abi(request: pytest.FixtureRequest) -> int | None:
    version: int | None = request.param
    return version


@pytest.fixture
def places(user: int | None) -> Iterator[Callable[[], Place]]:
    """Return a function that makes a fresh place, in a folder that an ordinary user can reach."""
    from support.walled import Place

    with tempfile.TemporaryDirectory(prefix="labrig-walls-", dir="/tmp") as top:
        Path(top).chmod(0o755)
        made: list[Place] = []

        def make() -> Place:
            made.append(Place(Path(top) / str(len(made)), user))
            return made[-1]

        yield make
        for place in made:
            place.close()


@pytest.fixture
def place() -> Iterator[Place]:
    from support.walled import Place

    with tempfile.TemporaryDirectory(prefix="labrig-walls-", dir="/tmp") as top:
        made = Place(Path(top) / "0")
        yield made
        made.close()
