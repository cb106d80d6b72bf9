"""The Dockerfile, without Docker: its promises read from the text, its steps replayed in a folder.

The replay cannot show what the base image holds, nor steps that change a system; docs/docker.md says so.
"""

import asyncio
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.places import PROJECT as REPO

IMAGE_FOLDERS = ("/opt/labrig", "/var/lib/labrig", "/src")
SYSTEM_STEPS = {
    "useradd": "makes a user",
    "chown": "needs that user",
    "compileall": "writes beside the host's Python",
}
UNREACHABLE = re.compile(r"connection|resolve|timed out|network|proxy|no matching distribution|ssl", re.I)


@dataclass
class Step:
    """One instruction, with the environment and the folder that it runs in."""

    word: str
    rest: str
    stage: int
    env: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"

    @property
    def argv(self) -> list[str]:
        """The words of a COPY, or of an exec form such as ``["labrig", "serve"]``."""
        return re.findall(r'"([^"]*)"', self.rest) if self.rest.startswith("[") else shlex.split(self.rest)


def parse(text: str) -> list[Step]:
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    steps: list[Step] = []
    stage, env, workdir = -1, dict[str, str](), "/"
    for line in filter(str.strip, text.splitlines()):
        word, rest = line.split(maxsplit=1)
        if word == "FROM":
            stage, env, workdir = stage + 1, {}, "/"
        elif word == "ENV":
            env = env | dict(each.split("=", 1) for each in shlex.split(rest))
        elif word == "WORKDIR":
            workdir = rest.strip()
        steps.append(Step(word, rest.strip(), stage, env, workdir))
    return steps


STEPS = parse((REPO / "Dockerfile").read_text(encoding="utf-8"))


def last(word: str) -> Step:
    return [step for step in STEPS if step.word == word and step.stage == STEPS[-1].stage][-1]


def sources(step: Step) -> list[str]:
    """The files that a COPY takes from the repository; none for a copy between stages."""
    words = step.argv
    return [] if any(each.startswith("--from") for each in words) else words[:-1]


def test_parser() -> None:
    steps = parse(
        '# c\nFROM a AS b\nENV A=1 \\\n    B="x y"\nRUN one \\\n  two\nFROM c\nENTRYPOINT ["l", "s"]\n'
    )
    assert [step.word for step in steps] == ["FROM", "ENV", "RUN", "FROM", "ENTRYPOINT"]
    assert steps[2].env == {"A": "1", "B": "x y"} and steps[2].rest.split() == ["one", "two"]
    assert (steps[-1].argv, steps[-1].env, steps[-1].stage) == (["l", "s"], {}, 1)


def test_what_the_image_promises() -> None:
    assert last("ENTRYPOINT").argv == ["labrig", "serve"]
    assert last("CMD").argv == ["phreeqc"]
    assert last("USER").rest not in ("root", "0")
    assert last("ENTRYPOINT").env["LABRIG_HOME"] == "/var/lib/labrig"
    assert last("VOLUME").rest == "/var/lib/labrig/workspaces"
    assert STEPS.index(last("USER")) > max(i for i, step in enumerate(STEPS) if step.word in ("RUN", "COPY"))
    installs = [step for step in STEPS if "uv pip install" in step.rest]
    assert installs and all(step.env["UV_COMPILE_BYTECODE"] == "1" for step in installs)
    assert all("--require-hashes" in step.rest or "--no-deps" in step.rest for step in installs)
    text = (REPO / "Dockerfile").read_text(encoding="utf-8")
    assert "PYTHONDONTWRITEBYTECODE" not in text
    assert not [step for step in STEPS if step.word in ("EXPOSE", "HEALTHCHECK", "ADD")]
    assert not re.search(r"(?i)(password|secret|api_?key|token)\s*=|BEGIN [A-Z ]*PRIVATE KEY", text)


def test_the_build_sees_what_it_copies_and_no_more() -> None:
    copied = {name.removeprefix("./") for step in STEPS if step.word == "COPY" for name in sources(step)}
    assert not [name for name in copied if not (REPO / name).exists()]
    rules = (REPO / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [rule for rule in rules if rule and not rule.startswith("#")]
    assert rules[0] == "*" and {rule[1:] for rule in rules if rule.startswith("!")} == copied


def labrig_phreeqc() -> str:
    script = Path(sys.executable).with_name("labrig-phreeqc")
    if not script.exists():
        pytest.skip("the console script labrig-phreeqc is not installed beside this Python")
    return str(script)


@pytest.mark.parametrize(
    ("flags", "missing"),
    [
        ([], "--token-file FILE (or LABRIG_TOKENS) and --allow-host NAME is missing"),
        (["--token-file", "token"], "--allow-host NAME is missing"),
        (["--allow-host", "lab"], "--token-file FILE (or LABRIG_TOKENS) is missing"),
        (["--token-file", "token", "--allow-host", "*"], "wildcard"),
    ],
)
def test_a_public_bind_is_refused_unprotected(tmp_path: Path, flags: list[str], missing: str) -> None:
    (tmp_path / "token").write_text("0123456789abcdef0123\n", encoding="utf-8")
    (tmp_path / "token").chmod(0o600)
    environment = {"PATH": os.defpath, "HOME": str(tmp_path), "LABRIG_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [labrig_phreeqc(), "--http", "0.0.0.0:0", *flags],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2, done.stderr
    assert missing in done.stderr and "Traceback" not in done.stderr and not done.stdout


class Replay:
    """The image's folders below a temporary one, and a fresh virtual environment as its Python."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.base = root / "usr" / "local"
        self.skipped: list[str] = []

    def here(self, text: str) -> str:
        for folder in IMAGE_FOLDERS:
            text = re.sub(rf"(?<![\w./-]){folder}(?![\w-])", f"{self.root}{folder}", text)
        return text

    def environment(self, step: Step) -> dict[str, str]:
        passed = {
            key: value
            for key, value in os.environ.items()
            if key.startswith(("PIP_", "UV_", "SSL_", "REQUESTS_")) or key.lower().endswith("_proxy")
        }
        path = f"{self.base}/bin:{os.defpath}"
        declared = {key: self.here(value).replace("$PATH", path) for key, value in step.env.items()}
        return {**passed, "HOME": str(self.root / "root"), "PATH": path, **declared}

    def run(self, step: Step) -> None:
        word = next((each for each in SYSTEM_STEPS if re.search(rf"\b{each}\b", step.rest)), None)
        if word:
            self.skipped.append(f"{step.rest.split()[0]}: {SYSTEM_STEPS[word]}")
            return
        done = subprocess.run(
            ["sh", "-ec", self.here(step.rest)],
            cwd=self.here(step.workdir),
            env=self.environment(step),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
        )
        said = (done.stdout + done.stderr)[-2000:]
        if done.returncode and "pip install" in step.rest and UNREACHABLE.search(said):
            pytest.skip(f"a package registry cannot be reached in {step.rest!r}: {said[-300:]}")
        assert done.returncode == 0, f"{step.rest}\n{said}"

    def copy(self, step: Step) -> None:
        target = Path(self.here(step.workdir)) / self.here(step.argv[-1])
        for name in sources(step):
            source = REPO / name
            if source.is_dir():
                ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=ignore)
            else:
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    def __call__(self) -> "Replay":
        subprocess.run([sys.executable, "-m", "venv", str(self.base)], check=True, timeout=300)
        (self.root / "root").mkdir()
        for step in STEPS:
            if step.word == "WORKDIR":
                Path(self.here(step.workdir)).mkdir(parents=True, exist_ok=True)
            elif step.word == "RUN":
                Path(self.here(step.workdir)).mkdir(parents=True, exist_ok=True)
                self.run(step)
            elif step.word == "COPY":
                self.copy(step)
        return self


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replay]:
    root = tmp_path_factory.mktemp("image")
    yield Replay(root)()
    shutil.rmtree(root, ignore_errors=True)


@pytest.mark.accept
@pytest.mark.timeout(1800)
def test_replay(image: Replay) -> None:
    assert sorted(each.split(":")[0] for each in image.skipped) == ["chown", "python", "useradd"]
    packages = next((image.root / "opt/labrig/lib").glob("python3*/site-packages"))
    for name in ("labrig", "labrig_phreeqc", "labrig_harness", "labrig_cli", "fastmcp", "mcp", "pydantic"):
        modules = [path for path in (packages / name).rglob("*.py") if path.stat().st_size]
        bare = [path for path in modules if not Path(importlib.util.cache_from_source(str(path))).exists()]
        assert modules and not bare, bare[:5]
    assert not (packages / "pytest").exists() and not (packages / "mypy").exists()
    assert not [
        path for path in packages.glob("labrig-*.dist-info/direct_url.json") if "editable" in path.read_text()
    ]
    assert list((image.root / "var/lib/labrig/phreeqc").rglob("phreeqc.dat"))
    entry = last("ENTRYPOINT")
    argv = [f"{image.root}/opt/labrig/bin/labrig", *entry.argv[1:]]
    refused = subprocess.run(
        [*argv, *last("CMD").argv, "--http", "0.0.0.0:0"],
        env=image.environment(entry),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert refused.returncode == 2 and "is missing" in refused.stderr
    tools, answer = asyncio.run(converse([*argv, *last("CMD").argv], image.environment(entry)))
    assert "execute_phreeqc" in tools
    assert "pitzer.dat" in answer


async def converse(argv: list[str], environment: dict[str, str]) -> tuple[list[str], str]:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async with Client(StdioTransport(argv[0], argv[1:], env=environment, keep_alive=False)) as client:
        tools = [tool.name for tool in await client.list_tools()]
        result = await client.call_tool_mcp("look_up_database", {"query": "", "kind": "database"})
        return tools, str(result.structured_content)
