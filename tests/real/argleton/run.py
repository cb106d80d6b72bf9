"""Argleton's probes, asked of the Earth server through MCP, judged by Argleton.

    python tests/real/argleton/run.py [--only ID ..] [--install]

Argleton is installed into an environment of its own, from which its code and probes are read; no test needs it.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

TESTS = Path(__file__).resolve().parents[2]
if str(TESTS) not in sys.path:  # run as a program
    sys.path.insert(0, str(TESTS))

from fastmcp import Client  # noqa: E402

from labrig.config import home  # noqa: E402
from labrig.serving.builder import build  # noqa: E402
from labrig.toolbox import ServeOptions  # noqa: E402
from labrig_earth.server import toolbox  # noqa: E402
from real.argleton.adapter import TASKS, Given, Refused, Unsupported  # noqa: E402

VERSION = "0.6.0"
MOST_UNSUPPORTED = 4
MORE = "tables"
"""The toolset whose tools are asked what the default ones do not do."""


def environment() -> Path:
    """Return where Argleton's environment is, or would be."""
    return home() / f"argleton-{VERSION}"


def install() -> None:
    """Make the environment, which nothing else of Labrig reads."""
    if packages() is None:
        subprocess.run([sys.executable, "-m", "venv", str(environment())], check=True)
        python = environment() / "bin" / "python"
        subprocess.run([str(python), "-m", "pip", "install", "-q", f"argleton=={VERSION}"], check=True)


def packages() -> Path | None:
    """Return the folder that holds Argleton's package; None where it is not installed."""
    found = sorted(environment().glob("lib/python*/site-packages/argleton/run.py"))
    return found[0].parents[1] if found else None


def argleton() -> SimpleNamespace:
    """Return Argleton's modules; its folder comes last, so that it brings no other package."""
    place = packages()
    assert place is not None
    if str(place) not in sys.path:
        sys.path.append(str(place))
    names = ("model", "run", "score")
    return SimpleNamespace(**{name: importlib.import_module(f"argleton.{name}") for name in names})


async def judge_probes(
    folder: Path, only: Sequence[str] = (), *, toolsets: Sequence[str] = ("default",)
) -> list[Any]:
    """Build the files of probes, have the server answer each, and return Argleton's verdicts.

    Parameters
    ----------
    folder
        Empty; files and the workspace of the server lie in it.
    only
        Their names; all by default.
    toolsets
        Of the server; a probe that needs a tool of another one is unsupported.
    """
    suite = argleton()
    probes = [each for each in suite.model.discover(suite.run.ROOT) if not only or each.id in only]
    data, work = folder / "data", folder / "work"
    work.mkdir()
    for probe in probes:
        (data / probe.id).mkdir(parents=True)
        suite.run.build_fixtures(probe, data / probe.id)
    async with Client(
        build(toolbox, ServeOptions(toolsets=tuple(toolsets), workspace=work, roots=(data,)))
    ) as client:
        listed = {tool.name for tool in await client.list_tools()}
        return [
            suite.score.judge(probe, await _outcome(suite, probe, client, listed, data.name))
            for probe in probes
        ]


async def _outcome(
    suite: SimpleNamespace, probe: Any, client: Client[Any], listed: set[str], root: str
) -> Any:
    async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
        if tool not in listed:
            raise Unsupported
        result = await client.call_tool(tool, arguments, raise_on_error=False)
        if result.is_error:
            raise Refused(result.content[0].text)
        return dict(result.structured_content)

    if probe.operation not in TASKS:
        return suite.model.Outcome(unsupported=True)
    try:
        answer, warnings = await TASKS[probe.operation](Given(f"@{root}/{probe.id}", probe.arguments, ask))
    except Unsupported:
        return suite.model.Outcome(unsupported=True)
    except Refused as refusal:
        return suite.model.Outcome(refusal=str(refusal))
    return suite.model.Outcome(answer=answer, warnings=warnings)


def summary(verdicts: Sequence[Any], toolsets: str) -> str:
    """Return what came of a run in one line, with versions."""
    found = argleton().score.summarise(verdicts)
    silent, done = (
        "none" if found[name] is None else f"{found[name]:.2f}"
        for name in ("silent_error_rate", "completion_rate")
    )
    return (
        f"argleton {VERSION}, labrig {version('labrig')}, {toolsets}: "
        f"silent error rate {silent} of {found['traps_run']} traps, "
        f"completion {done} of {found['clean_run']} clean tasks, "
        f"{found['unsupported']} unsupported"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--install", action="store_true", help="make the environment, and no more")
    given = parser.parse_args()
    install()
    if given.install:
        return 0
    verdicts = judge_all(given.only, ("default",))
    print(summary(verdicts, "the default toolset"))
    left = [each.probe_id for each in verdicts if each.verdict == "unsupported"]
    others = judge_all(left, ("default", MORE)) if left else []
    if others:
        print(summary([*(each for each in verdicts if each.probe_id not in left), *others], f"with {MORE}"))
    right = all(each.success is not False for each in (*verdicts, *others))
    return 0 if right and len(left) <= MOST_UNSUPPORTED else 1


def judge_all(only: Sequence[str], toolsets: Sequence[str]) -> list[Any]:
    """Print and return the verdicts on probes, in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="argleton-") as folder:
        verdicts = asyncio.run(judge_probes(Path(folder), only, toolsets=toolsets))
    for each in verdicts:
        print(f"{each.population:5} {each.probe_id:32} {each.verdict:20} {each.detail[:110]}", flush=True)
    return verdicts


if __name__ == "__main__":
    sys.exit(main())
