"""What draws, in a child: the data of a picture with its ``kind``, to a PNG.

See `labrig.plotting.drawing` for how it is asked, and the function ``figure`` of the module of each kind for its data.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from labrig.errors import LabrigError, unknown_name
from labrig.plotting.drawing import painted

KINDS = (
    "series",
    "map",
    "piper",
    "durov",
    "schoeller",
    "gibbs",
    "stiff",
    "saturation",
    "uncertainty",
    "predominance",
    "user_graph",
)


def paint(data: Any) -> bytes:
    """Return the picture as PNG."""
    if not isinstance(data, dict):
        raise LabrigError("The data of a picture must be an object", expected='{"kind": "series", ...}')
    kind = data.get("kind")
    if kind not in KINDS:
        raise unknown_name("picture", str(kind), KINDS, where="kind")
    from labrig.plotting import style  # here, where a missing matplotlib is told

    module = import_module(f"labrig_phreeqc.plots.{kind}")
    return style.png(module.figure({key: value for key, value in data.items() if key != "kind"}))


work = painted(paint)
