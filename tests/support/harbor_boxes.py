"""An environment for Harbor where no Docker runs: ``harbor run -e harbor_boxes:Boxes``, in Harbor's own Python.

It reads the Dockerfiles and the compose file that we export, and in place of each container it has folders of its own,
bound by bubblewrap over a read-only view of this machine. What it does not show: that the image can be built, that
other users' files are out of reach, and Docker's network (here all containers share one loopback).

``LABRIG_TEST_BIN`` is the folder of the programs ``labrig`` and ``python``; ``LABRIG_TEST_DOCKERFILE`` is ours, whose
entry point the image has.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import tempfile
from pathlib import Path

import yaml
from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities
from harbor.environments.compose_service_ops import ComposeServiceOpsMixin

OWN = ("app", "workspace", "calls", "tests", "solution", "logs", "tmp", "runtime")
SPECIAL = ("dev", "proc")


class Box:
    """What stands for one container."""

    def __init__(self, context: Path, image: str = "labrig") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="harbor-box-"))
        for name in OWN:
            (self.folder / name).mkdir()
        self.cwd = "/"
        ours = Path(os.environ["LABRIG_TEST_DOCKERFILE"]).read_text().splitlines()
        self.entry: list[str] = json.loads(
            next(line for line in ours if line.startswith("ENTRYPOINT ")).partition(" ")[2]
        )
        self.runs: list[str] = []
        for line in (context / "Dockerfile").read_text().splitlines():
            word, _, rest = line.partition(" ")
            if word == "FROM":
                assert rest == image, line
            elif word == "ENTRYPOINT":
                self.entry = json.loads(rest)
            elif word == "WORKDIR":
                self.cwd = rest
            elif word == "COPY":
                source, target = rest.split()
                shutil.copytree(context / source, self.host(target), dirs_exist_ok=True)
            elif word == "RUN":
                self.runs.append(rest)
            else:
                assert word == "USER", line  # all is done as one user here

    def host(self, path: str) -> Path:
        """Return where a path of the container lies."""
        first = Path(path).parts[1]
        assert first in OWN, path
        return self.folder / path.lstrip("/")

    def argv(self, words: list[str], cwd: str | None = None) -> list[str]:
        """Return the command that runs another one in the container."""
        found = ["bwrap", "--die-with-parent", "--dev-bind", "/dev", "/dev", "--proc", "/proc"]
        for each in sorted(Path("/").iterdir()):
            if each.name not in (*OWN, *SPECIAL):
                link = each.is_symlink()
                found += (
                    ["--symlink", str(each.readlink()), str(each)]
                    if link
                    else ["--ro-bind", *[str(each)] * 2]
                )
        for name in OWN:
            found += ["--bind", str(self.folder / name), f"/{name}"]
        home, ours = os.environ["LABRIG_HOME"], str(Path(os.environ["LABRIG_TEST_DOCKERFILE"]).parent)
        found += ["--ro-bind", ours, ours]  # which one of `OWN` hides, where the checkout lies below /tmp
        found += ["--bind", home, home, "--chdir", cwd or self.cwd]
        return [
            *found,
            "--setenv",
            "PATH",
            f"{os.environ['LABRIG_TEST_BIN']}:{os.environ['PATH']}",
            "--",
            *words,
        ]


class Boxes(ComposeServiceOpsMixin, BaseEnvironment):
    """Containers of one task, or of its verifier."""

    @staticmethod
    def type() -> str:
        """Return the name of this kind of environment."""
        return "boxes"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """What it can do."""
        return EnvironmentCapabilities(docker_compose=True)

    def _validate_definition(self) -> None:
        assert (self.environment_dir / "Dockerfile").is_file()

    async def start(self, force_build: bool) -> None:
        """Make the containers, and start what the compose file names."""
        self.boxes = {"main": Box(self.environment_dir)}
        self.started: dict[str, asyncio.subprocess.Process] = {}
        compose = self.environment_dir / "docker-compose.yaml"
        services = yaml.safe_load(compose.read_text())["services"] if compose.exists() else {}
        for name, about in services.items():
            assert set(about) == {"build", "command", "network_mode"}, about
            assert about["network_mode"] == "service:main"
            box = self.boxes[name] = Box(self.environment_dir / about["build"]["context"])
            for line in box.runs:
                done = await self._run(box, f"chown() {{ :; }}; {line}")
                assert done.return_code == 0, done
            words = box.argv([*box.entry, *about["command"]])
            self.started[name] = await asyncio.create_subprocess_exec(*words, stdin=-3, stdout=-3)
        await self.ensure_dirs(self._mount_targets(writable_only=True))

    async def stop(self, delete: bool) -> None:
        """End what runs, and remove the folders."""
        for name in list(self.started):
            await self.stop_service(name)
        for box in self.boxes.values():
            shutil.rmtree(box.folder)

    async def stop_service(self, service: str) -> None:
        """End a service; in the main container nothing is left running."""
        if process := self.started.pop(service, None):
            process.send_signal(signal.SIGTERM)
            await process.wait()

    async def _run(
        self,
        box: Box,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
    ) -> ExecResult:
        words = box.argv(["bash", "-c", command], cwd)
        process = await asyncio.create_subprocess_exec(
            *words, env={**os.environ, **(env or {})}, stdin=-3, stdout=-1, stderr=-1
        )
        out, errors = await asyncio.wait_for(process.communicate(), timeout_sec)
        return ExecResult(stdout=out.decode(), stderr=errors.decode(), return_code=process.returncode or 0)

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run a command in the main container."""
        return await self._run(self.boxes["main"], command, cwd, self._merge_env(env), timeout_sec)

    async def service_exec(
        self, command: str, *, service: str | None = None, **options: object
    ) -> ExecResult:
        """Run a command in a container."""
        return await self._run(self.boxes[service or "main"], command)

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file into the main container."""
        self.boxes["main"].host(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, self.boxes["main"].host(target_path))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy a folder into the main container."""
        shutil.copytree(source_dir, self.boxes["main"].host(target_dir), dirs_exist_ok=True)

    async def service_download_file(
        self, source_path: str, target_path: Path | str, *, service: str | None = None
    ) -> None:
        """Copy a file out of a container."""
        shutil.copy(self.boxes[service or "main"].host(source_path), target_path)

    async def service_download_dir(
        self, source_dir: str, target_dir: Path | str, *, service: str | None = None
    ) -> None:
        """Copy a folder out of a container."""
        shutil.copytree(self.boxes[service or "main"].host(source_dir), target_dir, dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out of the main container."""
        await self.service_download_file(source_path, target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy a folder out of the main container."""
        await self.service_download_dir(source_dir, target_dir)
