"""Functions of the host that are cancelled, slow, or not what they should be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from support.sandbox_rig import BACKENDS, Rig


@pytest.fixture(scope="module", params=BACKENDS)
def lab(request: pytest.FixtureRequest, standing: Callable[[str], Rig]) -> Rig:
    return standing(request.param)


def test_a_function_of_the_host_that_is_cancelled_or_not_async_answers(lab: Rig) -> None:
    async def cancelled() -> None:
        raise asyncio.CancelledError

    functions = {"cancelled": cancelled, "plain": lambda: 1}
    for name, said in (("cancelled", "was cancelled"), ("plain", "defect of Labrig")):
        result = lab.run(f"{name}()", functions=functions, wall_s=10)
        assert (result.status, said in result.error) == ("error", True)


def test_a_limit_is_exact_while_the_host_answers(lab: Rig) -> None:
    ended = []

    async def slow() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append(True)

    result = lab.run("slow()", functions={"slow": slow}, wall_s=0.5)
    assert (result.status, ended) == ("wall_limit", [True])
    assert result.wall_s < 2  # not the two seconds for which the pipes are waited for
