"""A run of a learned forecast model: weights found and checked, inputs made, the network run, its fields kept."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.storage.contents import content_sha256
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig_earth.forecasting import aurora, pangu
from labrig_earth.forecasting.aurora_python import MADE_BY, PACKAGE, looked_at
from labrig_earth.forecasting.onnx_header import read_header
from labrig_earth.forecasting.setup import PANGU_ENV
from labrig_earth.impact.runs import Allowed, Engine, require
from labrig_earth.results import Result
from labrig_earth.server.base import (
    AURORA_PYTHON,
    AURORA_SHA256,
    AURORA_WEIGHTS,
    PANGU_SHA256,
    PANGU_WEIGHTS,
    Worked,
    _opened,
    _scratch,
    source_line,
    toolbox,
)
from labrig_earth.server.places import opened_data
from labrig_earth.server.terra.common import marked, published, put_files, within

PANGU = Engine(
    "pangu",
    "Pangu-Weather's network",
    "pangu_engine",
    PANGU_ENV,
    folder=Path(pangu.__file__).with_name("inside"),
)
RESULT_BYTES = 2 << 30
"""Of the arrays of all steps: seven steps on the published grid."""
ALLOWED = Allowed(wall_s=1800.0, memory_bytes=48 << 30, file_bytes=RESULT_BYTES, folder_bytes=3 << 30)
"""The published network takes about 10 GB; address space, which is what is bounded, is several times that."""

AURORA = Engine(
    "aurora",
    "Aurora",
    "aurora_engine",
    folder=Path(aurora.__file__).with_name("inside"),
    variables={"HF_HUB_OFFLINE": "1"},
)
AURORA_ALLOWED = replace(ALLOWED, wall_s=3600.0, memory_bytes=128 << 30)
"""The published models take tens of GB on their grid."""


@dataclass(frozen=True)
class Weights:
    """A file of weights that is open: its name, descriptor, bytes and SHA-256."""

    name: str
    descriptor: int
    size: int
    sha256: str


async def pangu_forecast(
    surface_path: str,
    pressure_path: str,
    *,
    valid_time: str,
    horizon_h: float | None,
    lead_hours: Sequence[float],
    model_path: str,
    upper_input: str,
    surface_input: str,
    output_dir: str,
    notes: Sequence[str],
) -> Published:
    """Run Pangu-Weather on an analysis, and return its payload.

    Raises
    ------
    LabrigError
        ``unavailable`` without weights or without the side environment; what weights and inputs are refused for, which
        is found before the network is loaded; ``limit`` for more than `RESULT_BYTES`; ``engine`` where it fails.
    """
    here = session()
    when = _time(valid_time)
    folder = within(output_dir, "output_dir")
    with ExitStack() as held:
        weights = await in_thread(lambda: held.enter_context(_weights(model_path, lead_hours)))
        step = pangu.step_of(weights.name, lead_hours)
        steps = pangu.steps_until(step, lead_hours, horizon_h)
        network = await in_thread(_network, weights, upper_input, surface_input)
        values = (
            (len(pangu.UPPER) * len(pangu.LEVELS) + len(pangu.SURFACE)) * network.shape[0] * network.shape[1]
        )
        if steps * values * 4 > RESULT_BYTES:
            raise LabrigError(
                f"{steps} steps would be {steps * values * 4:,} bytes",
                where="max_forecast_hours",
                expected=f"at most {RESULT_BYTES // (values * 4) * step} h in a call",
                try_="fewer; then output_path as both inputs, and its last time as valid_time, go on from there",
                code="limit",
            )
        inputs = {"surface": [surface_path], "pressure": [pressure_path]}
        given, hashes = await in_thread(_opened, inputs, held)
        require(PANGU)
        from labrig_earth.work import asking

        place = await in_thread(lambda: held.enter_context(_scratch(here)))
        ready = await asking.run(
            here.state.workers, "terra_pangu_inputs", given, {"valid_time": when, "shape": list(network.shape)},
            place.descriptor, limits=asking.JOB,
        )  # fmt: skip
        here.progress(0.1, "the network is loaded")
        top = Path(f"/proc/self/fd/{place.descriptor}")
        files = {
            name: await in_thread(held.enter_context, _left(top / f"{name}.npy"))
            for name in ("upper", "surface")
        }
        arguments = {
            "steps": steps,
            "upper_input": network.upper_input,
            "surface_input": network.surface_input,
            "upper_output": network.upper_output,
            "surface_output": network.surface_output,
        }
        async with here.state.engines.run(
            PANGU, arguments, {}, files={"weights": weights.descriptor, **files}, allowed=ALLOWED
        ) as run:
            left = {name: run.folder / "outputs" / f"{name}.npy" for name in ("upper", "surface")}
            made = {
                name: [asking.Given(name, await in_thread(held.enter_context, _left(path)))]
                for name, path in left.items()
            }
            said = {
                "valid_time": when,
                "step_h": step,
                "sources": list(hashes),
                "history": f"Pangu-Weather, {steps} steps of {step} h by {weights.name} in {run.version}",
            }
            result = await asking.run(
                here.state.workers, "terra_pangu_fields", made, said, place.descriptor, limits=asking.JOB
            )
        worked = Worked(result, place, hashes, said)
        paths, outputs = await in_thread(put_files, here, worked, folder, None)
    return _answer(result, paths, outputs, hashes, weights, run.version, [*notes, *ready.warnings])


def _answer(
    result: Result,
    paths: Mapping[str, str],
    outputs: Mapping[str, str],
    hashes: Mapping[str, str],
    weights: Weights,
    version: str,
    warnings: Sequence[str],
) -> Published:
    payload: dict[str, Any] = {
        "model": "pangu_weather",
        **marked(dict(result.data), paths),
        "provider": "CPUExecutionProvider",
        "engine": version,
        "input_files": dict(zip(("surface", "pressure"), [*hashes, *hashes], strict=False)),
        "weights": {"name": weights.name, "sha256": weights.sha256, "bytes": weights.size},
        "licence": f"of the published weights: {pangu.LICENCE} ({pangu.SOURCE})",
        "method": result.method,
    }
    if warnings:
        payload["warnings"] = list(dict.fromkeys(warnings))
    given = {**{name: sha for name, sha in hashes.items() if sha}, weights.name: weights.sha256}
    record = {"operation": "run_pangu_forecast", "inputs": given, "outputs": dict(outputs)}
    return published(payload, source=source_line(hashes), record=record, warned=bool(warnings))


@dataclass(frozen=True)
class Rollout:
    """What is asked of Aurora: steps, the name of the checkpoint, and arguments of the model's constructor."""

    steps: int
    checkpoint: str
    configuration: Mapping[str, Any]


async def aurora_forecast(
    inputs: Mapping[str, Sequence[str]],
    asked: Rollout,
    *,
    selected_times: Sequence[str],
    analysis_time: str,
    output_dir: str,
    notes: Sequence[str],
) -> Published:
    """Roll Aurora out from two analyses, and return its payload.

    Raises
    ------
    LabrigError
        ``unavailable`` without a checkpoint, or without a Python that has the package; what inputs are refused for,
        which is found before PyTorch is loaded; ``limit`` for more than `RESULT_BYTES`; ``engine`` where it fails.
    """
    here = session()
    folder = within(output_dir, "output_dir")
    stated = _time(analysis_time, "analysis_time") if analysis_time else ""
    chosen = [np.datetime64(_time(each, "selected_times"), "s") for each in selected_times]
    when = aurora.analysis_time(chosen, np.datetime64(stated, "s") if stated else None)
    _require_aurora()
    with ExitStack() as held:
        checkpoint = await in_thread(lambda: held.enter_context(_checkpoint(asked.checkpoint)))
        kind = aurora.class_of(checkpoint.name)
        of_python = f"the setting earth.{AURORA_PYTHON.name}"
        python = await in_thread(
            looked_at, str(toolbox.setting(here.state.options, AURORA_PYTHON.name)), of_python
        )
        given, hashes = await in_thread(_opened, inputs, held)
        from labrig_earth.work import asking

        place = await in_thread(lambda: held.enter_context(_scratch(here)))
        wanted = {
            "analysis_time": str(when) if when is not None else "",
            "patch": int(asked.configuration.get("patch_size", 4)),
        }
        ready = await asking.run(
            here.state.workers, "terra_aurora_inputs", given, wanted, place.descriptor, limits=asking.JOB
        )
        rows, columns = ready.data["shape"]
        _check_bytes(asked.steps, rows * columns)
        here.progress(0.1, "the model is loaded")
        top = Path(f"/proc/self/fd/{place.descriptor}")
        files = {
            name: await in_thread(held.enter_context, _left(top / f"{name}.npy"))
            for name in ("upper", "surface", "static")
        }
        latitudes, longitudes = pangu.axes(rows, columns)
        arguments = {
            "steps": asked.steps,
            "class": kind,
            "configuration": dict(asked.configuration),
            "time": ready.data["analysis_time"],
            "levels": list(pangu.LEVELS),
            "latitudes": latitudes.tolist(),
            "longitudes": longitudes.tolist(),
        }
        engine = replace(AURORA, python=python.path)
        async with here.state.engines.run(
            engine, arguments, {}, files={"weights": checkpoint.descriptor, **files}, allowed=AURORA_ALLOWED
        ) as run:
            left = {name: run.folder / "outputs" / f"{name}.npy" for name in ("upper", "surface")}
            made = {
                name: [asking.Given(name, await in_thread(held.enter_context, _left(path)))]
                for name, path in left.items()
            }
            said = {
                "valid_time": ready.data["analysis_time"],
                "rows": rows,
                "sources": list(hashes),
                "history": f"Aurora, {asked.steps} steps of {aurora.STEP_H} h by {checkpoint.name} in {run.version}",
            }
            result = await asking.run(
                here.state.workers, "terra_aurora_fields", made, said, place.descriptor, limits=asking.JOB
            )
        worked = Worked(result, place, hashes, said)
        paths, outputs = await in_thread(put_files, here, worked, folder, None)
    payload: dict[str, Any] = {
        "model": "aurora",
        **marked(dict(result.data), paths),
        "provider": "CPU",
        "engine": run.version,
        "class": f"aurora.{kind}",
        "configuration": dict(asked.configuration),
        "input_files": dict(zip(("surface", "pressure", "static"), _named(inputs), strict=True)),
        "weights": {"name": checkpoint.name, "sha256": checkpoint.sha256, "bytes": checkpoint.size},
        "weights_checked": _checked_against(),
        "licence": f"of the package and the published checkpoints: {aurora.LICENCE} ({aurora.SOURCE})",
        "method": result.method,
    }
    warnings = [*notes, *ready.warnings]
    if rows % wanted["patch"]:
        warnings.append(
            "the latitude at the south pole is left out by the model, whose patches do not reach it"
        )
    if warnings:
        payload["warnings"] = list(dict.fromkeys(warnings))
    known = {**{name: sha for name, sha in hashes.items() if sha}, checkpoint.name: checkpoint.sha256}
    record = {"operation": "run_aurora_forecast", "inputs": known, "outputs": dict(outputs)}
    return published(payload, source=source_line(hashes), record=record, warned=bool(warnings))


def _named(inputs: Mapping[str, Sequence[str]]) -> list[str]:
    return [paths[0] for paths in inputs.values()]


def _check_bytes(steps: int, points: int) -> None:
    """Raise ``limit`` where the arrays of all steps would be more than `RESULT_BYTES`."""
    each = (len(pangu.UPPER) * len(pangu.LEVELS) + len(pangu.SURFACE)) * points * 4
    if steps * each > RESULT_BYTES:
        raise LabrigError(
            f"{steps} steps would be {steps * each:,} bytes",
            where="rollout_steps",
            expected=f"at most {RESULT_BYTES // each} in a call on this grid",
            code="limit",
        )


def _require_aurora() -> None:
    """Raise ``unavailable`` where a setting is missing, naming each that is, and where what it names is had."""
    options = session().state.options
    wanted = {
        AURORA_PYTHON.name: f"a Python with {PACKAGE} ({MADE_BY})",
        AURORA_WEIGHTS.name: f"a checkpoint, such as aurora-0.25-pretrained.ckpt of {aurora.SOURCE}",
    }
    missing = {name: what for name, what in wanted.items() if not str(toolbox.setting(options, name))}
    if missing:
        raise LabrigError(
            f"Aurora is not set up: {' and '.join(f'earth.{name}' for name in missing)} not set",
            where="run_aurora_forecast",
            expected="; ".join(f"earth.{name}: {what}" for name, what in missing.items())
            + f". Licence of both: {aurora.LICENCE}; the server downloads nothing",
            try_=" and ".join(f"LABRIG_EARTH_{name.upper()}=PATH" for name in missing)
            + ", or a forecast made elsewhere as NetCDF, which every other sub-tool takes",
            code="unavailable",
        )


@contextmanager
def _checkpoint(name: str) -> Iterator[Weights]:
    """Open the checkpoint that the server has, or the one of its folder that a call names, and hash it."""
    options = session().state.options
    path = Path(str(toolbox.setting(options, AURORA_WEIGHTS.name))).expanduser()
    if path.is_dir():
        path /= name or "aurora-0.25-pretrained.ckpt"
    elif name not in ("", path.name, "aurora-0.25-pretrained.ckpt"):
        raise LabrigError(
            f"The server has {path.name}, not {name}", where="checkpoint_name", expected=path.name, code="not_found"
        )  # fmt: skip
    with ExitStack() as held:
        try:
            descriptor = held.enter_context(_read(path))
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        except OSError as error:
            raise _no_checkpoint(path.name, error.strerror or "it cannot be opened") from None
        if not regular:
            raise _no_checkpoint(path.name, "it is no file")
        sha256 = content_sha256(descriptor)
        wanted = str(toolbox.setting(options, AURORA_SHA256.name)).lower()
        if wanted and sha256 != wanted:
            raise LabrigError(
                f"This is another checkpoint: its sha256 is {sha256}", where=path.name, expected=f"sha256 {wanted}",
                code="refused",
            )  # fmt: skip
        yield Weights(path.name, descriptor, os.fstat(descriptor).st_size, sha256)


def _no_checkpoint(name: str, why: str) -> LabrigError:
    return LabrigError(
        f"The checkpoint {name} cannot be read: {why}",
        where=f"the setting earth.{AURORA_WEIGHTS.name}, checkpoint_name",
        try_=f"download it from {aurora.SOURCE} ({aurora.LICENCE}); the server downloads nothing",
        code="unavailable",
    )


def _checked_against() -> str:
    if toolbox.setting(session().state.options, AURORA_SHA256.name):
        return f"its sha256 is that of the setting earth.{AURORA_SHA256.name}"
    return f"no published sha256 is known here; earth.{AURORA_SHA256.name} would have it compared"


@contextmanager
def _weights(model_path: str, lead_hours: Sequence[float]) -> Iterator[Weights]:
    """Open the file of weights that a call names, or that the server has, and hash it."""
    options = session().state.options
    with ExitStack() as held:
        if model_path:
            try:
                source = held.enter_context(opened_data(model_path))
            except LabrigError as error:
                if error.code == "not_found":
                    error.try_ = _whence()
                raise
            name, descriptor = PurePosixPath(model_path).name, source.descriptor
            if source.kind != "file":
                raise LabrigError("The weights are a folder", where="model_path", expected="a file .onnx")
        else:
            path = _of_server(str(toolbox.setting(options, PANGU_WEIGHTS.name)), lead_hours)
            name = path.name
            try:
                descriptor = held.enter_context(_read(path))
            except OSError as error:
                raise LabrigError(
                    f"The weights cannot be read: {error.strerror}",
                    where=f"the setting earth.{PANGU_WEIGHTS.name}",
                    try_=_whence(),
                    code="unavailable",
                ) from None
        sha256 = content_sha256(descriptor)
        wanted = str(toolbox.setting(options, PANGU_SHA256.name)).lower()
        if wanted and sha256 != wanted:
            raise LabrigError(
                f"These are other weights: their sha256 is {sha256}", where=name, expected=f"sha256 {wanted}",
                code="refused",
            )  # fmt: skip
        yield Weights(name, descriptor, os.fstat(descriptor).st_size, sha256)


def _of_server(setting: str, lead_hours: Sequence[float]) -> Path:
    """Return the file that the operator set, or the one of a folder for the first lead, by default of 6 h."""
    if not setting:
        raise LabrigError(
            "Pangu-Weather's weights are not there",
            where=f"model_path, or the setting earth.{PANGU_WEIGHTS.name}",
            expected="pangu_weather_24.onnx, _6, _3 or _1 (1.2 GB each)",
            try_=_whence(),
            code="unavailable",
        )
    path = Path(setting).expanduser()
    step = f"{lead_hours[0]:g}" if lead_hours else "6"
    return path / f"pangu_weather_{step}.onnx" if path.is_dir() else path


def _whence() -> str:
    return (
        f"download it as {pangu.SOURCE} says ({pangu.LICENCE}), and name it: --root FOLDER and model_path=@FOLDER/.., "
        f"or LABRIG_EARTH_{PANGU_WEIGHTS.name.upper()}"
    )


def _network(weights: Weights, upper_input: str, surface_input: str) -> pangu.Network:
    header = read_header(weights.descriptor, where=f"model_path {weights.name}")
    inputs, outputs = (
        {each.name: (each.kind, each.shape) for each in tensors}
        for tensors in (header.inputs, header.outputs)
    )
    return pangu.checked_network(inputs, outputs, upper_input=upper_input, surface_input=surface_input)


def _time(text: str, where: str = "valid_time") -> str:
    """Return a time as ISO text in UTC without its zone; LabrigError for what is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise LabrigError(
            f"This is no time: {text[:40]!r}",
            where=where,
            expected="ISO 8601, such as 2023-01-01T06:00",
        ) from None
    if found.tzinfo is not None:
        found = found.astimezone(UTC).replace(tzinfo=None)
    return found.isoformat()


@contextmanager
def _left(path: Path) -> Iterator[int]:
    """Open a file that a child left; a link is not followed, and what cannot be opened is the engine's failure."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise LabrigError(
            f"The run left no {path.name}: {error.strerror}", where="model_path", code="engine"
        ) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _read(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
