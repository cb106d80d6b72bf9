"""Weights of learned forecast models: found where a call or the operator names them, opened, and hashed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from labrig.errors import LabrigError
from labrig.server_settings import ServerSetting
from labrig.storage.contents import content_sha256
from labrig.toolbox import session
from labrig_earth.forecasting import aurora, pangu
from labrig_earth.server.base import (
    AURORA_SHA256,
    AURORA_WEIGHTS,
    PANGU_SHA256,
    PANGU_WEIGHTS,
    toolbox,
)
from labrig_earth.server.places import open_data


@dataclass(frozen=True)
class Weights:
    """A file of weights that is open: its name, descriptor, bytes and SHA-256."""

    name: str
    descriptor: int
    size: int
    sha256: str


@contextmanager
def open_weights(model_path: str, lead_hours: Sequence[float]) -> Iterator[Weights]:
    """Open the file of weights that a call names, or that the server has, and hash it."""
    options = session().state.options
    with ExitStack() as held:
        if model_path:
            try:
                source = held.enter_context(open_data(model_path))
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
                descriptor = held.enter_context(open_descriptor(path))
            except OSError as error:
                raise LabrigError(
                    f"The weights cannot be read: {error.strerror}",
                    where=f"the setting earth.{PANGU_WEIGHTS.name}",
                    try_=_whence(),
                    code="unavailable",
                ) from None
        yield hash_weights(name, descriptor, PANGU_SHA256, "These are other weights: their")


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


@contextmanager
def open_checkpoint(name: str) -> Iterator[Weights]:
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
            descriptor = held.enter_context(open_descriptor(path))
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        except OSError as error:
            raise _no_checkpoint(path.name, error.strerror or "it cannot be opened") from None
        if not regular:
            raise _no_checkpoint(path.name, "it is no file")
        yield hash_weights(path.name, descriptor, AURORA_SHA256, "This is another checkpoint: its")


def _no_checkpoint(name: str, why: str) -> LabrigError:
    return LabrigError(
        f"The checkpoint {name} cannot be read: {why}",
        where=f"the setting earth.{AURORA_WEIGHTS.name}, checkpoint_name",
        try_=f"download it from {aurora.SOURCE} ({aurora.LICENCE}); the server downloads nothing",
        code="unavailable",
    )


def hash_weights(name: str, descriptor: int, setting: ServerSetting, other: str) -> Weights:
    """Return open weights with their hash; LabrigError, beginning with `other`, where a setting names another one."""
    sha256 = content_sha256(descriptor)
    wanted = str(toolbox.setting(session().state.options, setting.name)).lower()
    if wanted and sha256 != wanted:
        raise LabrigError(
            f"{other} sha256 is {sha256}", where=name, expected=f"sha256 {wanted}", code="refused"
        )
    return Weights(name, descriptor, os.fstat(descriptor).st_size, sha256)


@contextmanager
def open_descriptor(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
