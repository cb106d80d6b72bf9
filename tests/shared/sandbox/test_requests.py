"""Limits, arguments and sandboxes that cannot be are refused with a clear error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.sandbox import Limits, Sandbox
from support.sandbox_rig import BACKENDS, Rig, skip_unless


@pytest.fixture(scope="module", params=BACKENDS)
def lab(request: pytest.FixtureRequest, standing: Callable[[str], Rig]) -> Rig:
    return standing(request.param)


@pytest.mark.parametrize("value", ["5", None, True, [1], float("nan"), float("inf"), 0, -1, 1 << 60])
def test_limits_are_positive_numbers(value: Any) -> None:
    for name in ("wall_s", "memory_bytes"):
        with pytest.raises(ValueError, match=f"{name} must be a positive"):
            Limits(**{name: value})


def test_bytes_and_threads_are_counted_in_whole_numbers() -> None:
    assert Limits(wall_s=0.5, cpu_s=1.5).wall_s == 0.5
    for name in ("memory_bytes", "output_bytes", "scratch_bytes", "file_bytes", "threads"):
        with pytest.raises(ValueError, match="whole"):
            Limits(**{name: 1.5})


@pytest.mark.parametrize(
    "given",
    [
        {"code": None},
        {"code": b"1"},
        {"seed": "abc"},
        {"seed": 1.5},
        {"seed": True},
        {"seed": 1 << 64},
        {"inputs": ["/tmp"]},
        {"inputs": {1: Path()}},
        {"inputs": {"a": None}},
        {"inputs": {"a": Path("a\0b")}},
        {"limits": {"wall_s": 1}},
        {"functions": {"class": print}},
        {"functions": {3: print}},
        {"functions": {"f": 5}},
    ],
)
def test_arguments_of_the_wrong_type_are_refused(given: dict[str, Any]) -> None:
    async def go() -> None:
        async with Sandbox() as sandbox:
            await sandbox.run(**{"code": "1"} | given)

    with pytest.raises(LabrigError):
        asyncio.run(go())


@pytest.mark.parametrize(
    "given",
    [
        {"slots": 0},
        {"slots": -1},
        {"slots": "2"},
        {"slots": 2.5},
        {"queue": -1},
        {"roots": "/tmp"},
        {"roots": [Path("/no/such/folder")]},
        {"profile": None},
    ],
)
def test_a_sandbox_that_cannot_be_is_refused_at_once(given: dict[str, Any]) -> None:
    with pytest.raises(LabrigError):
        Sandbox(**given)


@pytest.mark.accept
def test_a_sandbox_belongs_to_one_event_loop() -> None:
    skip_unless()
    sandbox = Sandbox()

    async def once() -> str:
        return (await sandbox.run("1")).output

    with asyncio.Runner() as first:
        assert first.run(once()) == "1\n"
        with asyncio.Runner() as second, pytest.raises(LabrigError, match="another event loop"):
            second.run(once())
        assert first.run(once()) == "1\n"
        first.run(sandbox.close())
