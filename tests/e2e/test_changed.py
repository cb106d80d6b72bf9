"""What `make test CHANGED=1` runs: the folders by the layers, and everything where the table does not know better."""

from __future__ import annotations

import re
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
        (["clients/labrig_study/report/page.py"], ["tests/clients", "tests/e2e"]),
        (["clients/labrig_suites/science_gym/items.py"], ["tests/clients/suites/science_gym"]),
        (["clients/labrig_suites/phreeqc_basics/stems.py"], ["tests/clients", "tests/e2e"]),
        (["tests/e2e/test_docs.py", "docs/harness.md"], ["tests/e2e/test_docs.py"]),
        (["tests/e2e/test_docs.py", "clients/labrig_harness/agent.py"], ["tests/clients", "tests/e2e"]),
        (["tests/e2e/test_that_was_removed.py"], []),
        (["tests/support/web.py"], ["tests"]),
        (["tests/hostile/servers/cases.py"], ["tests/e2e", "tests/servers"]),
        (["clients/labrig_suites/phreeqc_mcq/arms.py"], ["tests/clients", "tests/e2e"]),
        (
            ["docs/suites/science-gym-grading.md"],
            ["tests/clients/suites/science_gym", "tests/e2e/test_docs.py"],
        ),
        (["docs/reports.md"], ["tests/clients/study/test_report.py", "tests/e2e/test_docs.py"]),
        (
            ["tests/clients/suites/phreeqc_mcq/test_oracles_kinetics.py"],
            [f"tests/clients/suites/phreeqc_mcq/test_oracles_{name}.py" for name in ("kinetics", "rock")],
        ),
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


def test_a_suite_that_others_import_reaches_their_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    for path in PROJECT.glob("clients/labrig_suites/*/**/*.py"):
        importer = path.relative_to(PROJECT).parts[2]
        for other in re.findall(
            r"^from labrig_suites\.(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            theirs = CHANGED["reached"](f"clients/labrig_suites/{importer}/x.py")
            ours = CHANGED["reached"](f"clients/labrig_suites/{other}/x.py")
            assert CHANGED["narrowed"](theirs | ours) == CHANGED["narrowed"](ours), (importer, other)


def test_every_room_of_the_house_is_known() -> None:
    """A server or a suite that is added has its tests where its name leads."""
    for package in [*PROJECT.glob("servers/labrig_*/"), *PROJECT.glob("clients/labrig_suites/[a-z]*/")]:
        path = f"{package.relative_to(PROJECT).as_posix()}/x.py"
        rooms_alone = package.parent.name == "servers" and not (package / "server").is_dir()
        if package.name != "common" and not rooms_alone:
            reached = CHANGED["reached"](path) - set(CHANGED["HOUSE"].split())
            assert all((PROJECT / each).exists() for each in reached), path
