"""Every package of the house is known wherever a list must name it: import contracts, entry points, scripts, extras."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import grimp
import pytest

from support.places import PROJECT

ROOTS = ("shared", "servers", "clients")
PYPROJECT: dict[str, Any] = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
METADATA = PYPROJECT["project"]
LINTER = PYPROJECT["tool"]["importlinter"]


def folders(root: str) -> list[str]:
    """Return the folders of a source root that hold something, by name."""
    return sorted(
        each.name for each in (PROJECT / root).iterdir() if each.is_dir() and any(each.rglob("*.py"))
    )


SERVERS = folders("servers")
OFFERED = [each for each in SERVERS if (PROJECT / "servers" / each / "server").is_dir()]
SUITES = [
    each
    for each in folders("clients/labrig_suites")
    if (
        PROJECT / "clients" / "labrig_suites" / each / "tasks.py"
    ).is_file()  # else what suites share, or rooms of one
]


def test_contracts_know_every_package() -> None:
    packages = [name for root in ROOTS for name in folders(root)]
    assert sorted(LINTER["root_packages"]) == sorted(packages)
    (order,) = [each["layers"] for each in LINTER["contracts"] if each["type"] == "layers"]
    floors = [sorted(layer.split(" | ")) for layer in order]
    clients = ["labrig_cli", "labrig_suites", "labrig_study", "labrig_programs", "labrig_harness"]
    assert floors == [*([each] for each in clients), SERVERS, ["labrig"]]
    for name in packages:
        (place,) = [PROJECT / root / name for root in ROOTS if (PROJECT / root / name).is_dir()]
        assert (place / "py.typed").is_file(), f"{name} is typed, and says so"


@pytest.mark.parametrize("contract", LINTER["contracts"], ids=lambda each: each["name"])
def test_a_contract_that_names_one_server_names_all(contract: dict[str, Any]) -> None:
    for key in ("source_modules", "forbidden_modules", "protected_modules", "allowed_importers"):
        modules = contract.get(key, [])
        for named in modules:
            server, dot, rest = named.partition(".")
            if server in SERVERS:
                missing = [each for each in SERVERS if each + dot + rest not in modules]
                assert not missing, f"{key} has {named}"


@pytest.mark.parametrize("package", LINTER["root_packages"])
def test_no_module_imports_itself_by_way_of_others(package: str) -> None:
    """`labrig_harness.suite` and `.agent` once imported each other; import-linter looks at rooms, this at files."""
    graph = grimp.build_graph(package)
    order = TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    )
    order.prepare()  # raises CycleError, which names the circle


def test_rooms_without_a_face_are_not_offered() -> None:
    offered = [each.removeprefix("labrig_") for each in OFFERED]
    assert sorted(METADATA["entry-points"]["labrig.servers"]) == sorted(offered)


@pytest.mark.parametrize("package", OFFERED)
def test_a_server_has_its_entry_point_its_command_its_extra_and_its_page(package: str) -> None:
    name = package.removeprefix("labrig_")
    assert package == f"labrig_{name}"
    assert METADATA["entry-points"]["labrig.servers"][name] == f"{package}.server:toolbox"
    assert METADATA["scripts"][f"labrig-{name}"] == f"{package}.__main__:main"
    extras = METADATA["optional-dependencies"]
    assert name in extras
    assert name in extras["all"][0].partition("[")[2].rstrip("]").split(",")
    for path in (f"docs/servers/{name}.md", f"tests/servers/{name}", f"manifests/tools/{name}.json"):
        assert (PROJECT / path).exists(), path


@pytest.mark.parametrize("package", SUITES)
def test_a_suite_has_its_entry_point(package: str) -> None:
    suites = METADATA["entry-points"]["labrig.suites"]
    assert suites[package.replace("_", "-")] == f"labrig_suites.{package}:suite"


@pytest.mark.parametrize("group", METADATA["entry-points"])
def test_entry_points_are_installed_and_lead_somewhere(group: str) -> None:
    declared = METADATA["entry-points"][group]
    installed = {each.name: each for each in entry_points(group=group) if each.value in declared.values()}
    assert {name: each.value for name, each in installed.items()} == declared, "sh scripts/install.sh .venv"
    for each in installed.values():
        if group == "inspect_ai":  # loaded in Inspect's environment alone: tests/e2e/test_inspect_tasks.py
            assert find_spec(each.module)
        else:
            each.load()


def test_a_benchmark_is_run_by_its_name() -> None:
    unknown = subprocess.run(
        [sys.executable, "-m", "benchmarks", "nothing"], cwd=PROJECT, capture_output=True, text=True
    )
    assert unknown.returncode == 2
    for path in (PROJECT / "benchmarks").glob("[!_]*.py"):
        assert f"'{path.stem}'" in unknown.stderr


@pytest.mark.accept
def test_a_new_server_and_a_new_suite_pass_their_tests_as_they_are_made(tmp_path: Path) -> None:
    """In a copy without an environment, so that nothing of this one is installed anew."""
    tracked = subprocess.run(["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True, check=True)
    for name in tracked.stdout.split():
        copied = tmp_path / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, copied)
    for script in ("new_server", "new_suite"):
        made = [sys.executable, f"scripts/{script}", "demo"]
        subprocess.run(made, cwd=tmp_path, check=True)
        again = subprocess.run(made, cwd=tmp_path, capture_output=True, text=True)
        assert again.returncode == 1 and "nothing was changed" in again.stderr
    declared = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))
    assert declared["project"]["entry-points"]["labrig.servers"]["demo"] == "labrig_demo.server:toolbox"
    assert declared["project"]["entry-points"]["labrig.suites"]["demo"] == "labrig_suites.demo:suite"
    contracts = declared["tool"]["importlinter"]
    beside = [str(contracts).count(f"'{package}") for package in ("labrig_demo", "labrig_repository")]
    assert beside[0] == beside[1], "the lists that name one server name all"
    roots = os.pathsep.join(str(tmp_path / each) for each in (*ROOTS, "tests"))
    tests = ["tests/test_map.py", "tests/servers/demo", "tests/clients/suites/demo"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": roots},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
