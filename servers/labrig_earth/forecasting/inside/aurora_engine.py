"""Aurora, rolled out step by step on processors with its own package: `aurora.Batch` in, `aurora.rollout`, arrays out.

Loaded by the Python that the setting ``earth.aurora_python`` names, which has ``microsoft-aurora`` and PyTorch.
"""

from __future__ import annotations

import os
import pickle
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import aurora  # type: ignore[import-not-found]
import numpy as np
import torch  # type: ignore[import-not-found]

from labrig.isolation.inside.answering import Refused

SHOWN = 300
SURFACE = ("msl", "10u", "10v", "2t")
UPPER = ("z", "q", "t", "u", "v")
STATIC = ("lsm", "z", "slt")
"""Names of the package, in the order of the arrays."""


def run(arguments: dict[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Roll a model out; ``upper.npy`` (step, variable, level, y, x) and ``surface.npy`` (.., y, x) are left.

    Parameters
    ----------
    arguments
        ``steps``; ``class``: of the package; ``configuration``: arguments of its constructor; ``time``: of the
        analysis, ISO; ``levels``: hPa; ``latitudes``, ``longitudes``: degrees; ``files``: paths of ``weights``, and of
        ``surface`` (time, variable, y, x), ``upper`` (time, variable, level, y, x), ``static`` (field, y, x), NPY of
        float32.
    """
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0))))
    files = arguments["files"]
    arrays = {name: np.load(files[name], allow_pickle=False) for name in ("surface", "upper", "static")}
    model = _model(arguments["class"], arguments["configuration"], files["weights"])
    batch = aurora.Batch(
        surf_vars={name: _tensor(arrays["surface"][None, :, place]) for place, name in enumerate(SURFACE)},
        static_vars={name: _tensor(arrays["static"][place]) for place, name in enumerate(STATIC)},
        atmos_vars={name: _tensor(arrays["upper"][None, :, place]) for place, name in enumerate(UPPER)},
        metadata=aurora.Metadata(
            lat=torch.tensor(arguments["latitudes"], dtype=torch.float32),
            lon=torch.tensor(arguments["longitudes"], dtype=torch.float32),
            time=(datetime.fromisoformat(arguments["time"]),),
            atmos_levels=tuple(arguments["levels"]),
        ),
    )
    kept: dict[str, Any] = {}
    steps = int(arguments["steps"])
    made = 0
    try:
        with torch.inference_mode():
            for step, found in enumerate(aurora.rollout(model, batch, steps=steps)):
                surface = np.stack([found.surf_vars[name][0, 0].numpy() for name in SURFACE])
                upper = np.stack([found.atmos_vars[name][0, 0].numpy() for name in UPPER])
                for name, values in (("surface", surface), ("upper", upper)):
                    if not np.isfinite(values).all():
                        raise Refused(
                            f"Step {step + 1} has values that are not finite: the checkpoint does not fit these inputs",
                            code="engine",
                            where="checkpoint_name",
                        )
                    if name not in kept:
                        kept[name] = np.lib.format.open_memmap(
                            outputs / f"{name}.npy", mode="w+", dtype=np.float32, shape=(steps, *values.shape)
                        )
                    kept[name][step] = values
                made += 1
    except (RuntimeError, ValueError, AssertionError, IndexError, TypeError) as error:
        raise _failed(error, f"The model failed in step {made + 1}", "engine") from None
    for values in kept.values():
        values.flush()
    said = f"microsoft-aurora {version('microsoft-aurora')}, PyTorch {torch.__version__}"
    return {"version": said, "warnings": [], "steps": made}


def _model(kind: str, configuration: dict[str, Any], path: str) -> Any:
    """Return the model with a checkpoint's weights; pickled code in a checkpoint is not run (``weights_only``)."""
    given = {name: tuple(each) if isinstance(each, list) else each for name, each in configuration.items()}
    try:
        model = getattr(aurora, kind)(**given)
    except Exception as error:  # whatever a layer says of sizes that do not go together
        raise _failed(
            error, "Aurora cannot be made of this configuration", "bad_input", "model_kwargs"
        ) from None
    try:
        model.load_checkpoint_local(path)
    except MemoryError:
        raise
    except pickle.UnpicklingError:  # PyTorch's own words advise to load it unsafely
        raise Refused(
            "This is no checkpoint: it is damaged, or holds code or objects beside weights, which are not loaded",
            where="checkpoint_name",
        ) from None
    except Exception as error:  # the unpickler, the archive and the model have classes of their own
        raise _failed(
            error, f"This is no checkpoint of aurora.{kind} with this configuration", "bad_input"
        ) from None
    return model.eval()


def _failed(error: Exception, what: str, code: str, where: str = "checkpoint_name") -> Refused:
    said = " ".join(str(error).split())
    if "allocate memory" in said:
        return Refused(f"{what}: it needs more memory than a run may take", code="limit", where=where)
    return Refused(f"{what}: {type(error).__name__}: {said[:SHOWN]}", code=code, where=where)


def _tensor(values: Any) -> Any:
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
