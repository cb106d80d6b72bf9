"""What all tests share: a private home, and the official examples where they are at hand."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from support import answer_sizes, leftovers
from support.places import EXAMPLES

if TYPE_CHECKING:
    from support.sandbox_rig import Rig
    from support.spread import Spread

# Timing never fails a test; in CI hypothesis repeats its cases, elsewhere it goes on looking. `make test` looks
# at a few cases, the acceptance at more, `make soak` at thousands.
settings.register_profile(
    "labrig", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", settings.get_profile("labrig"), derandomize=False, max_examples=2_000)
settings.register_profile("sample", settings.get_profile("labrig"), max_examples=30)
settings.load_profile("labrig")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the cases of `make test`. Mark what the tests start, unless this is a worker, which was started so."""
    if "not accept" in config.option.markexpr:
        settings.load_profile("sample")
    if not hasattr(config, "workerinput"):
        leftovers.mark()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Spread | None:
    """Spread the files over the workers, the longest first."""
    from support.spread import Spread

    return Spread(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep Python from looking for garbage among modules and tests: a full look takes half a second, in any test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _with_small_answers() -> Iterator[None]:
    """Fail a test, or what it needs, in which a server gave a larger Answer than an own tool may give."""
    answer_sizes.watch()
    yield
    answer_sizes.verdict()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    """Measure what servers answer to fixtures."""
    yield from _with_small_answers()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Measure what servers answer to tests."""
    yield from _with_small_answers()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where a process of the tests has outlived them: nobody knows what it will do, and when."""
    if not hasattr(session.config, "workerinput") and (left := leftovers.end_leftovers()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        for pid, command in left.items():
            print(f"\nleft behind by a test: {pid} {command[:300]}")


@pytest.fixture(scope="session")
def databases() -> Path:
    """Return the folder of the installed PHREEQC databases; skip where there is none."""
    from labrig_phreeqc.database.databases import list_databases

    found = list_databases()
    if not found:
        pytest.skip("no PHREEQC database is installed: labrig setup phreeqc")
    return found[0].path.parent


@pytest.fixture
def examples() -> Path:
    """Return the folder of the official PHREEQC examples; skip where it is absent."""
    if not EXAMPLES.is_dir():
        pytest.skip("the official examples are not beside this checkout")
    return EXAMPLES


@pytest.fixture(scope="session")
def standing() -> Iterator[Callable[[str], Rig]]:
    """Give the sandbox of a backend that all tests share which need none of their own."""
    from support.sandbox_rig import rig

    with ExitStack() as opened:
        made: dict[str, Rig] = {}

        def get(backend: str) -> Rig:
            if backend not in made:
                made[backend] = opened.enter_context(rig(backend=backend))
            return made[backend]

        yield get


def sandbox_environments() -> list[Path]:
    """Return the folders of the installed Pythons of the sandbox."""
    from labrig.sandbox.profiles import profiles

    return [env.path.resolve() for env in profiles().values() if env.path.is_dir()]


@pytest.fixture
def private_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, databases: Path) -> Iterator[Path]:
    """Make an empty LABRIG_HOME, keeping databases and the sandbox's Python reachable, and give its path."""
    home = tmp_path / "home"
    home.mkdir()
    for env in sandbox_environments():
        (home / "sandbox").mkdir(exist_ok=True)
        (home / "sandbox" / env.name).symlink_to(env)
    monkeypatch.setenv("LABRIG_HOME", str(home))
    monkeypatch.setenv("LABRIG_PHREEQC_DATABASES", str(databases))
    for name in [name for name in os.environ if name.startswith("FASTMCP_")]:
        monkeypatch.delenv(name)
    yield home
