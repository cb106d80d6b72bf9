"""Aurora: what a call may ask of it, its inputs beside Pangu-Weather's, and its outputs as fields.

Bodnar et al. (2025), Nature 641, 1180, doi:10.1038/s41586-025-09005-y. The package is ``microsoft-aurora`` and the
checkpoints are at https://huggingface.co/microsoft/aurora, both under the MIT licence. The models of 0.25 degree take
two analyses 6 h apart (4 variables at the surface, 5 on 13 levels) and 3 static fields, and give the next 6 h.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.forecasting import pangu

SOURCE = "https://huggingface.co/microsoft/aurora"
LICENCE = "MIT"
REPO = "microsoft/aurora"
STEP_H = 6
MOST_STEPS = 400
HISTORY = 2
"""Times that the model takes: the analysis and the one a step before."""
PUBLISHED_SHAPE = (721, 1440)
CLASSES = {
    "aurora-0.25-pretrained.ckpt": "AuroraPretrained",
    "aurora-0.25-finetuned.ckpt": "Aurora",
    "aurora-0.25-small-pretrained.ckpt": "AuroraSmallPretrained",
}
"""Class of the package that a published checkpoint belongs to; one of another name belongs to ``Aurora``."""
_OTHER_FORM = re.compile(r"aurora-(0\.1-|0\.25-(12h|wave|v1p5|1\.5)|0\.4-)")
"""Published checkpoints of other variables, grids or steps."""
_NAME = re.compile(r"[\w][\w.+-]{0,120}")
STATIC = {"lsm": ("land_sea_mask",), "z": ("geopotential",), "slt": ("soil_type",)}
"""Static fields, with their other names, in the order of ``static.npy``."""
_STATIC_RANGE = {"lsm": (0.0, 1.0), "z": (-10_000.0, 90_000.0), "slt": (0.0, 7.0)}

_WHOLE = {
    "embed_dim": 4096, "num_heads": 128, "latent_levels": 32, "patch_size": 16, "enc_depth": 16, "dec_depth": 16,
    "lora_steps": 1000,
}  # fmt: skip
_WHOLES = ("window_size", "encoder_depths", "encoder_num_heads", "decoder_depths", "decoder_num_heads")
_FLAGS = ("use_lora", "autocast", "stabilise_level_agg")
_RATIOS = ("mlp_ratio", "dec_mlp_ratio", "perceiver_ln_eps")
_WORDS = {"lora_mode": ("single", "from_second", "all")}


def checked_configuration(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments of the model's constructor that a call may give: those that a checkpoint's size depends on.

    Raises
    ------
    LabrigError
        ``bad_input`` for one of another name, type or range.
    """
    names = [*_WHOLE, *_WHOLES, *_FLAGS, *_RATIOS, *_WORDS]
    for name, value in given.items():
        if name not in names:
            raise LabrigError(
                f"Aurora's configuration takes no {name[:60]!r} here",
                where="model_kwargs",
                expected=", ".join(names),
            )
        if name in _WHOLE:
            fits, expected = _whole(value, _WHOLE[name]), f"a whole number from 1 to {_WHOLE[name]}"
        elif name in _WHOLES:
            fits = isinstance(value, list) and len(value) <= 6 and all(_whole(each, 1024) for each in value)
            fits = fits and (len(value) == 3 if name == "window_size" else len(value) > 0)
            expected = (
                "[levels, latitudes, longitudes]" if name == "window_size" else "whole numbers, one a layer"
            )
        elif name in _FLAGS:
            fits, expected = isinstance(value, bool), "true or false"
        elif name in _RATIOS:
            fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 64
            expected = "a number above 0, at most 64"
        else:
            fits, expected = value in _WORDS[name], ", ".join(_WORDS[name])
        if not fits:
            raise LabrigError(
                f"{name} is {str(value)[:60]!r}", where=f"model_kwargs {name}", expected=expected
            )
    return dict(given)


def class_of(checkpoint: str) -> str:
    """Return the package's class for a checkpoint's name.

    Raises
    ------
    LabrigError
        ``bad_input`` for the published ones of another form.
    """
    if _OTHER_FORM.match(checkpoint):
        raise LabrigError(
            f"{checkpoint[:80]} has other variables, another grid or another step",
            where="checkpoint_name",
            expected=f"one of the 0.25 degree models with steps of {STEP_H} h: {', '.join(CLASSES)}",
        )
    return CLASSES.get(checkpoint, "Aurora")


def checked_name(checkpoint: str) -> str:
    """Return the name of a checkpoint's file; LabrigError, ``refused``, for one with folders."""
    if not _NAME.fullmatch(checkpoint):
        raise LabrigError(
            f"This is no name of a file: {checkpoint[:60]!r}",
            where="checkpoint_name",
            expected="a file of the folder that earth.aurora_weights names",
            code="refused",
        )
    return checkpoint


def checked_steps(steps: int, interval_h: float | None, history: int) -> int:
    """Return the steps of a rollout.

    Raises
    ------
    LabrigError
        ``bad_input`` for another interval or history than the model has, and for no steps or too many.
    """
    if interval_h is not None and interval_h != STEP_H:
        raise LabrigError(
            f"An interval of {interval_h:g} h",
            where="forecast_interval_hours",
            expected=f"{STEP_H}, the step of the model",
        )
    if history not in (0, HISTORY):
        raise LabrigError(
            f"{history} steps of history",
            where="history_steps",
            expected=f"{HISTORY}: the analysis and the time {STEP_H} h before",
        )
    if not 1 <= steps <= MOST_STEPS:
        raise LabrigError(
            f"{steps} steps", where="rollout_steps", expected=f"1 to {MOST_STEPS} steps of {STEP_H} h"
        )
    return steps


def grid_of(surface: Any, patch: int) -> tuple[int, int]:
    """Return latitudes and longitudes of a file's grid, which patches must tile but for one latitude at the pole.

    Raises
    ------
    LabrigError
        ``not_found`` without a variable at the surface; ``bad_input`` for a grid of another size.
    """
    from labrig_earth.grids.axes import horizontal

    field = pangu.variable(surface, "msl", "surface_path")
    found = horizontal(field)
    rows, columns = int(field.sizes[found.y]), int(field.sizes[found.x])
    if columns % patch or rows % patch not in (0, 1) or rows < 2 * patch or columns < 2 * patch:
        raise LabrigError(
            f"The grid has {rows} latitudes and {columns} longitudes",
            where="surface_path",
            expected=f"longitudes a multiple of {patch}, the model's patch, and latitudes one too, or one more; the "
            f"published models have {PUBLISHED_SHAPE[0]} x {PUBLISHED_SHAPE[1]}",
            try_="regrid_to_target_grid",
        )
    return rows, columns


def static_fields(data: Any, shape: tuple[int, int]) -> Any:
    """Return the static fields as float32 (3, y, x), in the order of `STATIC`, north first, eastwards from 0.

    Raises
    ------
    LabrigError
        ``not_found`` for one that is not there; ``bad_input`` for values beyond their range, gaps and another grid.
    """
    made = []
    for name, others in STATIC.items():
        found = [each for each in (name, *others) if each in data.data_vars]
        if not found:
            raise LabrigError(
                f"There is no static field {name}",
                where="static_path",
                expected=f"{', '.join(STATIC)}; there are {', '.join(map(str, data))}"[:300],
                code="not_found",
            )
        field = data[found[0]]
        if name != "z":  # a fraction and a class: ERA5 writes "(0 - 1)" and "~"
            field = field.assign_attrs(units="1")
        low, high = _STATIC_RANGE[name]
        unit = "m2 s-2" if name == "z" else "1"
        made.append(pangu.plane(field, name, unit, shape, "static_path", (low, high)))
    return np.stack(made)


def fields(upper: Any, surface: Any, when: Any, rows: int) -> dict[str, Any]:
    """Return outputs (step, variable, ..) as `pangu.fields` does, on the latitudes that the model keeps.

    Parameters
    ----------
    rows
        Latitudes of the inputs, from 90 to -90: the model leaves out the last where patches do not reach it.
    """
    kept = pangu.axes(rows, surface.shape[-1])[0][: surface.shape[-2]]
    latitude = ("latitude", kept, {"units": "degrees_north"})
    made = pangu.fields(upper, surface, when, STEP_H)
    return {name: field.assign_coords(latitude=latitude) for name, field in made.items()}


def analysis_time(selected: Sequence[Any], stated: Any | None) -> Any | None:
    """Return the time of the analysis (`numpy.datetime64`): the stated one, or the last selected; None for neither.

    Raises
    ------
    LabrigError
        ``bad_input`` where selected times are not two, 6 h apart, of which the last is the one that is stated.
    """
    if not selected:
        return stated
    ordered = sorted(selected)
    if len(ordered) != HISTORY or ordered[1] - ordered[0] != np.timedelta64(STEP_H, "h"):
        raise LabrigError(
            f"{len(ordered)} times are selected: {', '.join(map(str, ordered))[:100]}",
            where="selected_times",
            expected=f"{HISTORY} times {STEP_H} h apart",
        )
    if stated is not None and stated != ordered[1]:
        raise LabrigError(
            f"The last of the selected times is {ordered[1]}, the analysis is of {stated}",
            where="analysis_time, selected_times",
            expected="the same time, or one of both",
        )
    return ordered[1]


def _whole(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
