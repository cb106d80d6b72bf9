"""A run of a learned forecast model: inputs made, the network run on them, its fields kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.storage.folder import Folder
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig_earth.forecasting import aurora, pangu
from labrig_earth.forecasting.aurora_python import MADE_BY, PACKAGE, looked_at
from labrig_earth.forecasting.onnx_header import read_header
from labrig_earth.forecasting.setup import PANGU_ENV
from labrig_earth.impact.runs import Allowed, Engine, require
from labrig_earth.server.base import AURORA_PYTHON, AURORA_SHA256, AURORA_WEIGHTS, toolbox
from labrig_earth.server.operations import Worked, line_of_sources, make_scratch, open_inputs
from labrig_earth.server.terra.common import publish_payload, put_files, replace_marks, require_within
from labrig_earth.server.terra.weights import Weights, open_checkpoint, open_weights

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
    folder = require_within(output_dir, "output_dir")
    with ExitStack() as held:
        weights = await in_thread(lambda: held.enter_context(open_weights(model_path, lead_hours)))
        step = pangu.step_of(weights.name, lead_hours)
        steps = pangu.steps_until(step, lead_hours, horizon_h)
        network = await in_thread(read_network, weights, upper_input, surface_input)
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
        given, hashes, _ = await in_thread(open_inputs, inputs, held)
        require(PANGU)
        from labrig_earth.work import asking

        place = await in_thread(lambda: held.enter_context(make_scratch(here)))
        ready = await asking.run(
            here.state.workers, "terra_pangu_inputs", given, {"valid_time": when, "shape": list(network.shape)},
            place.descriptor, limits=asking.JOB,
        )  # fmt: skip
        here.progress(0.1, "the network is loaded")
        arguments = {
            "steps": steps,
            "upper_input": network.upper_input,
            "surface_input": network.surface_input,
            "upper_output": network.upper_output,
            "surface_output": network.surface_output,
        }
        run = await _run(
            _Model(PANGU, ALLOWED, weights, ("upper", "surface")), arguments, hashes, place, held,
            operation="terra_pangu_fields", said={"valid_time": when, "step_h": step},
            history=f"Pangu-Weather, {steps} steps of {step} h",
        )  # fmt: skip
        paths, outputs = await in_thread(put_files, here, run.worked, folder, None)
    payload: dict[str, Any] = {
        "model": "pangu_weather",
        **replace_marks(dict(run.worked.result.data), paths),
        "provider": "CPUExecutionProvider",
        "engine": run.version,
        "input_files": dict(zip(("surface", "pressure"), [*hashes, *hashes], strict=False)),
        "weights": {"name": weights.name, "sha256": weights.sha256, "bytes": weights.size},
        "licence": f"of the published weights: {pangu.LICENCE} ({pangu.SOURCE})",
        "method": run.worked.result.method,
    }
    return _answer("run_pangu_forecast", payload, hashes, weights, outputs, [*notes, *ready.warnings])


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
    folder = require_within(output_dir, "output_dir")
    stated = _time(analysis_time, "analysis_time") if analysis_time else ""
    chosen = [np.datetime64(_time(each, "selected_times"), "s") for each in selected_times]
    when = aurora.analysis_time(chosen, np.datetime64(stated, "s") if stated else None)
    _require_aurora()
    with ExitStack() as held:
        checkpoint = await in_thread(lambda: held.enter_context(open_checkpoint(asked.checkpoint)))
        kind = aurora.class_of(checkpoint.name)
        of_python = f"the setting earth.{AURORA_PYTHON.name}"
        python = await in_thread(
            looked_at, str(toolbox.setting(here.state.options, AURORA_PYTHON.name)), of_python
        )
        given, hashes, _ = await in_thread(open_inputs, inputs, held)
        from labrig_earth.work import asking

        place = await in_thread(lambda: held.enter_context(make_scratch(here)))
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
        run = await _run(
            _Model(engine, AURORA_ALLOWED, checkpoint, ("upper", "surface", "static")), arguments, hashes, place, held,
            operation="terra_aurora_fields", said={"valid_time": ready.data["analysis_time"], "rows": rows},
            history=f"Aurora, {asked.steps} steps of {aurora.STEP_H} h",
        )  # fmt: skip
        paths, outputs = await in_thread(put_files, here, run.worked, folder, None)
    payload: dict[str, Any] = {
        "model": "aurora",
        **replace_marks(dict(run.worked.result.data), paths),
        "provider": "CPU",
        "engine": run.version,
        "class": f"aurora.{kind}",
        "configuration": dict(asked.configuration),
        "input_files": {name: paths[0] for name, paths in inputs.items()},
        "weights": {"name": checkpoint.name, "sha256": checkpoint.sha256, "bytes": checkpoint.size},
        "weights_checked": name_checks(),
        "licence": f"of the package and the published checkpoints: {aurora.LICENCE} ({aurora.SOURCE})",
        "method": run.worked.result.method,
    }
    warnings = [*notes, *ready.warnings]
    if rows % wanted["patch"]:
        warnings.append(
            "the latitude at the south pole is left out by the model, whose patches do not reach it"
        )
    return _answer("run_aurora_forecast", payload, hashes, checkpoint, outputs, warnings)


@dataclass(frozen=True)
class _Model:
    """A network as it is run, and the names of the arrays that go into it."""

    engine: Engine
    allowed: Allowed
    weights: Weights
    inputs: tuple[str, ...]


@dataclass(frozen=True)
class _Ran:
    """What a child made of the fields that a network left, and what it was run in."""

    worked: Worked
    version: str


async def _run(
    model: _Model,
    arguments: Mapping[str, Any],
    hashes: Mapping[str, str],
    place: Folder,
    held: ExitStack,
    *,
    operation: str,
    said: Mapping[str, Any],
    history: str,
) -> _Ran:
    """Run a network on the arrays that a child left in a folder, and have another make files of what comes out.

    Parameters
    ----------
    operation, said
        Of the child that makes files, and its arguments, to which the sources and the history are added.
    """
    from labrig_earth.work import asking

    state, top = session().state, Path(f"/proc/self/fd/{place.descriptor}")
    files = {name: await in_thread(held.enter_context, _left(top / f"{name}.npy")) for name in model.inputs}
    files = {"weights": model.weights.descriptor, **files}
    async with state.engines.run(model.engine, arguments, {}, files=files, allowed=model.allowed) as run:
        made = {}
        for name in ("upper", "surface"):
            left = await in_thread(held.enter_context, _left(run.folder / "outputs" / f"{name}.npy"))
            made[name] = [asking.Given(name, left)]
        history = f"{history} by {model.weights.name} in {run.version}"
        said = {**said, "sources": list(hashes), "history": history}
        result = await asking.run(state.workers, operation, made, said, place.descriptor, limits=asking.JOB)
    return _Ran(Worked(result, place, hashes), run.version)


def _answer(
    operation: str,
    payload: dict[str, Any],
    hashes: Mapping[str, str],
    weights: Weights,
    outputs: Mapping[str, str],
    warnings: Sequence[str],
) -> Published:
    if warnings:
        payload["warnings"] = list(dict.fromkeys(warnings))
    given = {**{name: sha for name, sha in hashes.items() if sha}, weights.name: weights.sha256}
    record = {"operation": operation, "inputs": given, "outputs": dict(outputs)}
    return publish_payload(payload, source=line_of_sources(hashes), record=record, warned=bool(warnings))


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
    """Raise ``unavailable`` where a setting is missing, naming each that is, and where to get what it names."""
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


def name_checks() -> str:
    if toolbox.setting(session().state.options, AURORA_SHA256.name):
        return f"its sha256 is that of the setting earth.{AURORA_SHA256.name}"
    return f"no published sha256 is known here; earth.{AURORA_SHA256.name} would have it compared"


def read_network(weights: Weights, upper_input: str, surface_input: str) -> pangu.Network:
    header = read_header(weights.descriptor, where=f"model_path {weights.name}")
    inputs, outputs = (
        {each.name: (each.kind, each.shape) for each in tensors}
        for tensors in (header.inputs, header.outputs)
    )
    return pangu.checked_network(inputs, outputs, upper_input=upper_input, surface_input=surface_input)


def _time(text: str, where: str = "valid_time") -> str:
    """Return a time as ISO text in UTC without its zone; LabrigError for an invalid time."""
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
