"""A network of Pangu-Weather's form, run step by step in ONNX Runtime: each step's outputs are the next one's inputs.

Loaded by the Python of the side environment ``pangu``, which has NumPy and ONNX Runtime.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-not-found]

from labrig.isolation.inside.answering import Refused

SHOWN = 300


def run(arguments: dict[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Roll a network out; ``upper.npy`` (step, variable, level, y, x) and ``surface.npy`` (.., y, x) are left.

    Parameters
    ----------
    arguments
        ``steps``; ``upper_input``, ``surface_input``, ``upper_output``, ``surface_output``: names of the network;
        ``files``: paths of ``weights`` and of the first inputs, ``upper`` and ``surface`` (NPY, float32).
    """
    files = arguments["files"]
    upper, surface = (np.load(files[name], allow_pickle=False) for name in ("upper", "surface"))
    session = _session(files["weights"])
    steps = int(arguments["steps"])
    kept_upper, kept_surface = (
        np.lib.format.open_memmap(
            outputs / f"{name}.npy", mode="w+", dtype=np.float32, shape=(steps, *first.shape)
        )
        for name, first in (("upper", upper), ("surface", surface))
    )
    for step in range(steps):
        given = {arguments["upper_input"]: upper, arguments["surface_input"]: surface}
        try:
            found = session.run([arguments["upper_output"], arguments["surface_output"]], given)
        except Exception as error:  # ONNX Runtime has classes of its own for each status
            raise Refused(
                f"The network failed in step {step + 1}: {_short(error)}", code="engine", where="model_path"
            ) from None
        for made, before in zip(found, (upper, surface), strict=True):
            if made.shape[-before.ndim :] != before.shape or made.dtype != np.float32:
                raise Refused(
                    f"The network gave {made.dtype} of {made.shape} where float32 of {before.shape} was stated",
                    code="engine",
                    where="model_path",
                )
            if not np.isfinite(made).all():
                raise Refused(
                    f"Step {step + 1} has values that are not finite: the network does not fit these inputs",
                    code="engine",
                    where="model_path",
                )
        upper, surface = (
            made.reshape(before.shape) for made, before in zip(found, (upper, surface), strict=True)
        )
        kept_upper[step], kept_surface[step] = upper, surface
    kept_upper.flush()
    kept_surface.flush()
    return {"version": f"ONNX Runtime {onnxruntime.__version__}", "warnings": [], "steps": steps}


def _session(path: str) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = max(1, len(os.sched_getaffinity(0)))
    options.log_severity_level = 3
    options.use_deterministic_compute = True
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # as above
        raise Refused(
            f"ONNX Runtime cannot load the network: {_short(error)}", code="bad_input", where="model_path"
        ) from None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:SHOWN]
