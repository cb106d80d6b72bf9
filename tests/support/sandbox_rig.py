"""A sandbox for tests that are no coroutines: it keeps one event loop, and so one fork server, for a whole module."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.sandbox import Limits, Result, Sandbox, backends, environment
from labrig.sandbox.profiles import profiles

BACKENDS = ["auto", pytest.param("landlock", marks=pytest.mark.accept)]
"""``auto`` is the fullest that works here; the acceptance tries the other one too."""


class Rig:
    """A sandbox and the loop that it lives in."""

    def __init__(self, runner: asyncio.Runner, sandbox: Sandbox) -> None:
        self.runner = runner
        self.sandbox = sandbox

    def run(self, code: str, **options: Any) -> Result:
        """Run code to its end."""
        limits = {name: options.pop(name) for name in list(options) if name in Limits.__dataclass_fields__}
        return self.go(self.sandbox.run(code, limits=Limits(**limits), **options))

    def go(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the sandbox's loop."""
        return self.runner.run(work)


def skip_unless(profile: str = "science", backend: str = "auto") -> None:
    """Skip where the environment or the backend is missing, and say why."""
    try:
        environment.find(profile)
        backends.choose(backend)
    except LabrigError as error:
        pytest.skip(str(error))


@contextmanager
def rig(*, warm: bool = True, **options: Any) -> Iterator[Rig]:
    """Give a rig; skip where the environment or the backend is missing, and say why.

    One that is not warm has imported what draws and no other package, whose import is most of the time of a start.
    """
    skip_unless(options.get("profile", "science"), options.get("backend", "auto"))
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        if not warm:
            bare = {name: replace(each, warm=("matplotlib.pyplot",)) for name, each in profiles().items()}
            patch.setattr("labrig.sandbox.sandbox.profiles", lambda: bare)

        async def made() -> Sandbox:
            return Sandbox(**options)

        sandbox = runner.run(made())
        try:
            yield Rig(runner, sandbox)
        finally:
            runner.run(sandbox.close())


def children(pid: int) -> set[int]:
    """Return all descendants of a process that are not zombies."""
    found: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            found[int(folder.name)] = int(parent)
    below: set[int] = set()
    while more := {each for each, parent in found.items() if parent in below | {pid} and each not in below}:
        below |= more
    return below
