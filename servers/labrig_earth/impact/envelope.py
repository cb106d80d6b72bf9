"""What a simulator of the paper takes and gives: the common arguments, and the published envelope of a result.

Names and shape are those of the public code (``status``, ``metrics``, ``derived_metrics``, ``outputs_artifacts``,
``provenance``, ``run_context``). Three things differ, since they would be untrue or not repeatable: a run that fails is
an error with a code, ``runtime_seconds`` is null and stands in the record of the call, and ``model_version`` is what
the engine says of itself. Arguments that only drove a formula in place of an engine are refused with the reason.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from labrig.answer import Published
from labrig.canonical import content_hash
from labrig.errors import LabrigError, over_limit
from labrig_earth.impact.runs import Allowed

OUTPUT_DIR = "./data/simulators"
DECIMALS = 6
MOST_RECORDED_BYTES = 32_000
LEAST_WALL_S, MOST_WALL_S = 1, 3600
LEAST_MEMORY_GB, MOST_MEMORY_GB = 1.0, 8.0
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,79}")


@dataclass(frozen=True)
class Common:
    """The arguments that every simulator of the paper has.

    Attributes
    ----------
    run_id
        Names the run and its folder; empty for one made from the inputs and arguments.
    model_version
        Empty, or the engine's version that the caller expects: another one is refused.
    memory_gb
        Most memory of the run, GB of address space.
    output_dir
        Folder of the workspace; files of the result are written into ``<tool>/<run_id>`` below it.
    backend
        Empty for the engine, or its name.
    """

    run_id: str = ""
    instance_id: str = "instance-001"
    scenario_name: str = "baseline"
    scenario_description: str = ""
    assumptions: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    model_version: str = ""
    container_image: str = ""
    threads: int = 1
    cpu_cores: float | None = None
    memory_gb: float | None = None
    timeout_seconds: int = 600
    output_dir: str = OUTPUT_DIR
    backend: str = ""

    def checked(self, backends: Sequence[str]) -> Allowed:
        """Check the arguments, and return what the run may use.

        Parameters
        ----------
        backends
            Names by which the engine may be asked for.

        Raises
        ------
        LabrigError
            For a value out of its range; ``refused`` for a backend that is a formula in place of the engine.
        """
        if self.backend == "proxy":
            raise LabrigError(
                "backend='proxy' asks for a formula in place of the engine, which is not offered",
                where="backend",
                expected="leave it out, or " + " or ".join(map(repr, backends)),
                code="refused",
            )
        if self.backend and self.backend not in backends:
            raise LabrigError(
                f"There is no backend {self.backend!r}",
                where="backend",
                expected="leave it out, or " + " or ".join(map(repr, backends)),
            )
        if self.threads != 1:
            raise LabrigError(
                "A run has one thread, so that it gives the same numbers each time",
                where=f"threads {self.threads}",
                expected="1",
            )
        for where, name in (("run_id", self.run_id), ("instance_id", self.instance_id)):
            if name and not _NAME.fullmatch(name):
                raise LabrigError(
                    "This cannot be a name of a folder",
                    where=f"{where} {name!r}",
                    expected="letters, digits, '.', '_' and '-', at most 80, the first a letter or digit",
                )
        if not 0 <= self.seed < 2**31:
            raise LabrigError("The seed is out of range", where="seed", expected="0 to 2147483647")
        self._require_plain()
        wall = _within("timeout_seconds", self.timeout_seconds, LEAST_WALL_S, MOST_WALL_S, "whole seconds")
        if self.memory_gb is None:
            return Allowed(wall_s=wall)
        memory = _within("memory_gb", self.memory_gb, LEAST_MEMORY_GB, MOST_MEMORY_GB, "GB")
        return Allowed(wall_s=wall, memory_bytes=int(memory * 1e9))

    def _require_plain(self) -> None:
        """Refuse what a record of a run cannot hold: values that are no numbers, broken text, too much."""
        said = [
            self.scenario_name,
            self.scenario_description,
            self.container_image,
            dict(self.assumptions),
            self.cpu_cores,
        ]
        try:
            size = len(json.dumps(said, ensure_ascii=False, allow_nan=False).encode())
        except (ValueError, TypeError, RecursionError):
            raise LabrigError(
                "What is to be recorded of the run is no JSON",
                where="assumptions, scenario, container_image, cpu_cores",
            ) from None
        if size > MOST_RECORDED_BYTES:
            raise over_limit(
                f"What is to be recorded of the run has {size:,} bytes",
                MOST_RECORDED_BYTES,
                "bytes",
                where="assumptions, scenario, container_image",
            )

    def require_version(self, version: str) -> None:
        """Raise ``unavailable`` where the caller expects another version than the engine's."""
        if self.model_version and self.model_version != version:
            raise LabrigError(
                f"The engine is {version!r}, and {self.model_version!r} is asked for",
                where="model_version",
                expected=f"leave it out, or {version!r}",
                code="unavailable",
            )

    def named(self, tool: str, arguments: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
        """Return the run's id: the one given, or one that the same inputs and arguments get again."""
        if self.run_id:
            return self.run_id
        made_from = {
            "tool": tool,
            "arguments": dict(arguments),
            "inputs": sorted(inputs.values()),
            "seed": self.seed,
            "scenario": [self.scenario_name, self.scenario_description, dict(self.assumptions)],
        }
        return f"{tool.removeprefix('impact_').removesuffix('_run')}-{content_hash(made_from)[:12]}"

    def folder(self, tool: str, run_id: str) -> str:
        """Return the folder of the workspace into which the files of the result go.

        Raises
        ------
        LabrigError
            ``refused`` for one that leads out of the workspace.
        """
        path = PurePosixPath(self.output_dir or OUTPUT_DIR)
        if path.is_absolute() or ".." in path.parts:
            raise LabrigError(
                "Results are written in the workspace",
                where=f"output_dir {self.output_dir}",
                expected="a relative path without '..'",
                code="refused",
            )
        return str(path / tool / run_id)


@dataclass(frozen=True)
class Metric:
    """A number of a result with its unit; None where there is none."""

    value: float | int | None
    unit: str


@dataclass(frozen=True)
class File:
    """A file of a run that an envelope names.

    Attributes
    ----------
    path
        In the workspace, or the handle of an artifact.
    """

    path: str
    sha256: str
    content_type: str
    description: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the file as the envelope has it."""
        return dict(vars(self))


@dataclass(frozen=True)
class Finished:
    """A run that succeeded, as an envelope shows it.

    Attributes
    ----------
    command
        What was run: engine and version.
    time
        First and last time (ISO), and the step.
    text
        A line or two for a reader: ``agentic_summary``.
    """

    tool: str
    run_id: str
    command: str
    version: str
    metrics: Mapping[str, Metric]
    derived: Mapping[str, Metric]
    outputs: Sequence[File]
    inputs: Sequence[File]
    time: tuple[str, str, str]
    warnings: Sequence[str]
    text: str
    wall_s: float


def envelope(done: Finished, common: Common) -> dict[str, Any]:
    """Return the published envelope of a run; numbers are rounded to 6 decimals.

    Raises
    ------
    LabrigError
        ``engine`` for a number that is not finite: a null in its place would look like a missing value.
    """
    start, end, step = done.time
    return {
        "status": "success",
        "metrics": _numbers(done.metrics),
        "derived_metrics": _numbers(done.derived),
        "outputs_artifacts": [each.to_dict() for each in done.outputs],
        "provenance": {
            "command": done.command,
            "runtime_seconds": None,
            "warnings": list(done.warnings),
            "errors": [],
        },
        "run_context": {
            "run_id": done.run_id,
            "instance_id": common.instance_id,
            "scenario": {"name": common.scenario_name, "description": common.scenario_description},
            "time": {"start_iso": start, "end_iso": end, "timestep": step},
            "assumptions": dict(common.assumptions),
            "determinism": {
                "seed": common.seed,
                "model_version": done.version,
                "container_image": common.container_image or None,
                "threads": common.threads,
            },
            "resources": {
                "cpu_cores": common.cpu_cores,
                "memory_gb": common.memory_gb,
                "timeout_seconds": common.timeout_seconds,
            },
            "inputs_artifacts": [each.to_dict() for each in done.inputs],
        },
        "agentic_summary": done.text,
    }


def published(done: Finished, common: Common) -> Published:
    """Return the envelope as the text of a tool; how long the run took stands in the record."""
    return Published(
        json.dumps(envelope(done, common), ensure_ascii=False, allow_nan=False),
        status="ok_with_warnings" if done.warnings else "ok",
        source=done.version,
        record={
            "engine": done.version,
            "run_id": done.run_id,
            "volatile": {"runtime_s": round(done.wall_s, 3)},
        },
    )


def _numbers(metrics: Mapping[str, Metric]) -> dict[str, dict[str, Any]]:
    shown = {}
    for name, metric in metrics.items():
        value = metric.value
        if isinstance(value, float):
            if not math.isfinite(value):
                raise LabrigError(f"The engine gave {value} for {name}", where=name, code="engine")
            value = round(value, DECIMALS)
        shown[name] = {"value": value, "unit": metric.unit}
    return shown


def _within(where: str, value: float, least: float, most: float, unit: str) -> float:
    if not least <= value <= most:
        raise LabrigError(f"{where} is {value!s:.20}", where=where, expected=f"{least:g} to {most:g} {unit}")
    return float(value)
