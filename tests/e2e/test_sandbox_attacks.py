"""Attack programs against the real sandbox: one test per program, column and user.

The programs are in `hostile.sandbox.programs`, when one has succeeded in `hostile.sandbox.attack`; the
table in docs/attacks.md may say only what these tests show.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import pytest

from hostile.guard import adopting
from hostile.sandbox.attack import (
    COLUMNS,
    EARTH,
    MUST_LEAK,
    SANDBOXES,
    USERS,
    Record,
    Rig,
    agrees,
    attack,
    lacking,
    place,
    published,
    side_environment,
    suited,
    users,
)
from hostile.sandbox.case import Case
from hostile.sandbox.cases import CASES
from support.alone import alone

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is for Linux"),
    pytest.mark.timeout(900),
]

GetRig = Callable[[str, str], Rig]
QUICK = [case for case in CASES if case.quick]
CHEAP = [
    case for case in QUICK if case.control and case.group not in ("Memory and disk", "Processes and time")
]
SLOW = ("disk", "namespaces", "output flood", "endless loop", "above an input folder")
"""Those of the quick ones that the sample leaves to the acceptance."""
AS_IS = "root" if os.geteuid() == 0 else "ordinary user"
"""As whom the tests run."""


def _tier(column: str, user: str, case: Case) -> pytest.MarkDecorator:
    """All are made as the user of the tests; as the other one, and in `earth`, those that were found strongest.

    The walls are those of the backend in either profile, so `earth` is tried in one of them.
    """
    if column == "earth, landlock":
        return pytest.mark.soak
    cheap = sum((user == AS_IS, case.quick, not column.startswith(EARTH)))
    return pytest.mark.accept if cheap >= 2 else pytest.mark.soak


EVERYWHERE = [
    pytest.param(column, user, case, id=f"{column}-{user}-{case.name}", marks=_tier(column, user, case))
    for column in SANDBOXES
    for user in USERS
    if "ABI" not in column or user == AS_IS
    for case in CASES
    if suited(case, column)
]


@pytest.fixture(scope="module", autouse=True)
def alone_with_the_python() -> Iterator[None]:
    """A module is planted in the one Python of the sandbox."""
    with alone("planted"):
        yield


@pytest.fixture(scope="module")
def rig() -> Iterator[GetRig]:
    """Give the rig of a column and a user, started when it is first asked for; one at a time."""
    if why := lacking(COLUMNS[0]):
        pytest.skip(f"the sandbox is not installed: {why}")
    missing = users()
    current: dict[tuple[str, str], Rig] = {}
    broken: dict[tuple[str, str], str] = {}
    made = 0

    with place() as folder, adopting():

        def get(column: str, user: str) -> Rig:
            nonlocal made
            if missing[user]:
                pytest.skip(missing[user])
            if (column, user) in broken:
                pytest.skip(broken[column, user])
            if why := lacking(column):
                pytest.skip(why)
            if (column, user) not in current:
                for each in current.values():
                    each.close()
                current.clear()
                made += 1
                try:
                    current[column, user] = Rig(column, user, folder / str(made), *side_environment(column))
                except RuntimeError as error:
                    if "bubblewrap" not in column or "bubblewrap" not in str(error):
                        raise
                    broken[column, user] = str(error).strip().splitlines()[-1]
                    pytest.skip(broken[column, user])
            return current[column, user]

        try:
            yield get
        finally:
            for each in current.values():
                each.close()


def _held(record: Record) -> None:
    assert record.leaks == {}
    assert record.faults == []


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=pytest.mark.accept if case.name in SLOW else ())
        for case in QUICK
    ],
)
@pytest.mark.parametrize("column", [pytest.param("bubblewrap", marks=pytest.mark.accept), "landlock"])
def test_the_sandbox_holds_a_sample(column: str, case: Case, rig: GetRig) -> None:
    if suited(case, column):
        _held(attack(rig(column, AS_IS), case))


@pytest.mark.accept
def test_the_sample_succeeds_without_a_sandbox(rig: GetRig) -> None:
    control = rig("control", _control_user())
    stopped = [case.name for case in CHEAP if suited(case, "control") and not attack(control, case).leaks]
    assert set(stopped) <= {"descriptors inherited", "patched modules"}


@pytest.mark.parametrize(("column", "user", "case"), EVERYWHERE)
def test_the_sandbox_holds(column: str, user: str, case: Case, rig: GetRig) -> None:
    record = attack(rig(column, user), case)
    _held(record)
    shown = published()
    if column in {each for _, each in shown}:  # a new one is not on the page before all of it was made
        assert agrees(record.cell, shown[case.name, column])


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_the_programs_succeed_without_a_sandbox(rig: GetRig) -> None:
    control = rig("control", _control_user())
    records = [attack(control, case) for case in CASES if suited(case, "control")]
    succeed = {each.case.name for each in records if each.leaks}
    assert len(succeed) >= MUST_LEAK
    shown = {
        name
        for (name, column), words in published().items()
        if column == "control" and words[0] not in ("–", "")
    }
    # A burst that the watch of a busy machine misses is seen the next time: nine of ten must agree.
    assert len(succeed & shown) >= 0.9 * len(shown & {case.name for case in CASES})


def _control_user() -> str:
    return "ordinary user" if not users()["ordinary user"] else AS_IS


def test_the_page_has_every_attack_and_no_other() -> None:
    shown = {name for name, _ in published()}
    assert shown == {case.name for case in CASES}
    assert len(CASES) >= 45
    assert len({case.name for case in CASES}) == len(CASES)


def test_the_page_shows_no_escape() -> None:
    words = [word for (_, column), cell in published().items() if column != "control" for word in cell]
    assert not [word for word in words if word.startswith("**")]


@pytest.mark.accept
def test_a_hurt_is_seen(rig: GetRig) -> None:
    """Do by hand what a program must not: each must be called by its name."""
    control = rig("control", _control_user())

    def tried(code: str) -> set[str]:
        return set(attack(control, Case("", "by hand", "", code)).leaks)

    assert "read" in tried("print(read(T['outside'] + '/secret.txt'))")
    assert "changed" in tried("os.chmod(T['outside'] + '/secret.txt', 0o644)")
    assert "processes" in tried("os.fork() or hold(0.5)\nhold()")
    assert "hurt" in tried("os.kill(T['victim'], 9)")
    assert "memory" in tried("x = b'x' * (900 << 20)\nhold(0.5)")
    assert tried("print('nothing')") == set()
