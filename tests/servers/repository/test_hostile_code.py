"""Code that would reach past the readers: the generator and its truth, the folder itself, what is beside it.

The programs that read are those of the sandbox's own attack table (`hostile.sandbox.programs.reading`), which succeed
where there is no sandbox; here they are sent to the server's tools, with the served folder as what they are after.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from fastmcp import Client

from hostile.sandbox.case import PRELUDE, numbers
from hostile.sandbox.programs import reading
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_repository.server import toolbox
from support.alone import alone
from support.places import PROJECT
from support.sandbox_rig import skip_unless

pytestmark = [
    pytest.mark.accept,
    pytest.mark.timeout(1200),  # it may wait for tests/e2e/test_sandbox_attacks.py
]


@pytest.fixture(scope="module", autouse=True)
def alone_with_the_python() -> Iterator[None]:
    """Nothing is planted in the Python of the sandbox meanwhile."""
    with alone("planted"):
        yield


SECRET = "the secret beside the data"
HELD = "what only the readers show"
READERS = (
    "password file",
    "names",
    "ground truth",
    "detours of a path",
    "libraries that read",
    "exec of a reader",
)


class Rig:
    """Servers with the toolsets in a loop."""

    def __init__(self, runner: asyncio.Runner, clients: dict[str, Client[Any]], told: dict[str, Any]) -> None:
        self.runner = runner
        self.clients = clients
        self.told = told

    def said(self, toolset: str, code: str) -> str:
        """Run code with a toolset's tool, and return all that it gives back."""
        call = self.clients[toolset].call_tool("run_python_code", {"code": code}, raise_on_error=False)
        result = self.runner.run(call)
        return "\n".join(getattr(each, "text", "") for each in result.content)

    def attacked(self, toolset: str, code: str) -> str:
        """Run one of the table's programs."""
        return self.said(toolset, f"T = {self.told!r}\n{PRELUDE}\n{code}")


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    skip_unless()
    top = tmp_path_factory.mktemp("rig")
    data = top / "data"
    (data / ".git").mkdir(parents=True)
    (data / ".git" / "config").write_text(SECRET)
    (data / "secret.txt").write_text(HELD)
    (data / "module.py").write_text(f"print({HELD!r})")
    (top / "beside.txt").write_text(SECRET)
    (data / "out").symlink_to("../beside.txt")
    told = {
        "home": os.path.expanduser("~"),
        "outside": str(data),
        "project": str(PROJECT),
        "labrig_home": str(top),
        "calls": numbers(),
    }
    with asyncio.Runner() as runner:
        clients: dict[str, Client[Any]] = {}

        async def opened() -> None:
            for toolset in ("paper", "default"):
                options = ServeOptions(toolsets=(toolset,), workspace=top / toolset, roots=(data,))
                clients[toolset] = await Client(build(toolbox, options)).__aenter__()

        runner.run(opened())
        yield Rig(runner, clients, told)
        for client in clients.values():
            runner.run(client.__aexit__(None, None, None))


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("toolset", ["paper", "default"])
def test_files_are_reached_through_the_readers_alone(toolset: str, name: str, rig: Rig) -> None:
    (case,) = [each for each in reading.CASES if each.name == name]
    said = rig.attacked(toolset, case.code)
    assert HELD not in said and SECRET not in said and "secret.txt'" not in said
    assert "root:" not in said and "class LabrigError" not in said and "=> done" not in said


def test_the_readers_show_the_folder_and_no_more(rig: Rig) -> None:
    paths = (
        "secret.txt",
        "out",
        ".git/config",
        "../beside.txt",
        str(PROJECT / "pyproject.toml"),
        "/etc/passwd",
    )
    code = f"for path in {paths!r}: print(read_text_file('data', path)['file_content'])"
    said = json.loads(rig.said("paper", code))["output"]
    assert said == f"{HELD}\n" + "None\n" * 5
    code = f"for path in {paths!r}:\n  try: print(read_text_file(path))\n  except HostError as e: print('no')"
    assert f"{HELD}\n" + "no\n" * 5 in rig.said("default", code)


@pytest.mark.parametrize(
    "code",
    [
        "import labrig_repository",
        "from labrig_repository.gym.repository import open_repository; print(open_repository('7').cells([0]))",
        "import importlib.metadata as m; print(m.distribution('labrig').files)",
        "import importlib.util as u; print(u.find_spec('labrig_repository').origin)",
        "import pkgutil; print([m.name for m in pkgutil.iter_modules() if m.name.startswith('labrig_')][0])",
        "import sys; print([m for m in sys.modules if 'labrig_' in m][0])",
        "print(read_text_file.__closure__[0].cell_contents._job)",
        "import gc; print([o for o in gc.get_objects() if type(o).__name__ == 'GeneratedRepository'][0])",
        f"import sys; sys.path[:0] = [{str(PROJECT / 'servers')!r}]; import labrig_repository.gym.design",
    ],
)
def test_the_generator_is_not_there(code: str, rig: Rig) -> None:
    said = json.loads(rig.said("paper", code))
    assert said["status"] == "error" and said["output"] == "", said


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print(read_text_file('data', ['secret.txt'])['file_content'])", "None\n"),
        ("print(read_text_file('data', {'a': 1})['file_content'])", "None\n"),
        ("print(read_text_file('data', None)['file_content'])", "None\n"),
        ("print(read_text_file(1.0, 'secret.txt')['file_content'])", "None\n"),
        ("print(read_text_file('data', 'secret.txt', float('nan'))['file_content'])", "None\n"),
        ("print(read_text_file('data', 'secret.txt', 1e300)['file_content'])", "None\n"),
        ("import numpy as np; print(list_directory('data', '/*', np.int64(1))['status'])", "success\n"),
        (
            "import pathlib; print(read_text_file('data', pathlib.Path('secret.txt'))['file_content'])",
            f"{HELD}\n",
        ),
        ("print(read_text_file('data', '\\ud800')['file_content'])", "None\n"),
        ("print(list_directory('data', '*/' * 1000)['paths'])", "None\n"),
        ("try: read_text_file('data', b'x')\nexcept Exception as e: print(type(e).__name__)", "TypeError\n"),
        (
            "try: read_text_file('data', 'x' * (2 << 20))\nexcept Exception as e: print(type(e).__name__)",
            "HostError\n",
        ),
        (
            "try: read_text_file('data', 'secret.txt', state=1)\nexcept Exception as e: print(type(e).__name__)",
            "HostError\n",
        ),
        (
            "channel = read_text_file.__closure__[0].cell_contents\n"
            "for name in ('open', 'State', '__class__', 'describe_table', 'functions'):\n"
            "  try: channel.call(name, ('data',), {})\n"
            "  except HostError as error: print(str(error)[:22])",
            "there is no function '\n" * 5,
        ),
        (
            "from concurrent.futures import ThreadPoolExecutor\n"
            "with ThreadPoolExecutor(8) as pool:\n"
            "  found = set(pool.map(lambda n: read_text_file('data', 'secret.txt')['file_content'], range(200)))\n"
            "print(found)",
            "{'what only the readers show'}\n",
        ),
    ],
)
def test_what_readers_are_called_with(code: str, said: str, rig: Rig) -> None:
    result = json.loads(rig.said("paper", code))
    assert (result["status"], result["output"]) == ("success", said), result
