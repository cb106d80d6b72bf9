"""What `make test CHANGED=1` runs: the folders by the layers, and everything where the table does not know better."""

from __future__ import annotations

import runpy

import pytest

from support.places import PROJECT

CHANGED = runpy.run_path(str(PROJECT / "scripts" / "changed.py"))


@pytest.mark.parametrize(
    ("paths", "tests"),
    [
        (["shared/labrig/answer.py"], ["tests"]),
        (["servers/labrig_phreeqc/engine/run.py"], ["tests/clients", "tests/e2e", "tests/servers/phreeqc"]),
        (["clients/labrig_harness/run/runner.py"], ["tests/clients", "tests/e2e"]),
        (["clients/labrig_suites/science_gym/items.py"], ["tests/clients/suites/science_gym"]),
        (["clients/labrig_suites/phreeqc_basics/stems.py"], ["tests/clients", "tests/e2e"]),
        (["tests/e2e/test_docs.py", "docs/harness.md"], ["tests/e2e/test_docs.py"]),
        (["tests/e2e/test_docs.py", "clients/labrig_harness/agent.py"], ["tests/clients", "tests/e2e"]),
        (["tests/e2e/test_that_was_removed.py"], []),
        (["tests/support/web.py"], ["tests"]),
        (["tests/hostile/servers/cases.py"], ["tests/e2e"]),
        (["pyproject.toml"], ["tests"]),
        (["a new folder/file"], ["tests"]),
        (["LICENSE"], []),
        ([], []),
    ],
)
def test_what_a_change_reaches(paths: list[str], tests: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    found = CHANGED["narrowed"](set().union(*map(CHANGED["reached"], paths)))
    assert [each for each in found if each not in CHANGED["HOUSE"].split()] == tests


def test_every_room_of_the_house_is_known() -> None:
    """A server or a suite that is added has its tests where its name leads."""
    for package in [*PROJECT.glob("servers/labrig_*/"), *PROJECT.glob("clients/labrig_suites/[a-z]*/")]:
        path = f"{package.relative_to(PROJECT).as_posix()}/x.py"
        if package.name != "common":
            reached = CHANGED["reached"](path) - set(CHANGED["HOUSE"].split())
            assert all((PROJECT / each).exists() for each in reached), path
