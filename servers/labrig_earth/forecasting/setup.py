"""What ``labrig setup pangu`` brings: ONNX Runtime (MIT) in a Python of its own. Weights are not part of it.

The lock leaves out what the package asks for and does not import: sympy, protobuf, flatbuffers, coloured logs.
"""

from pathlib import Path

from labrig.sideenv import PythonEnv
from labrig_earth.impact import inside

PANGU_ENV = PythonEnv(
    name="pangu",
    title="Engine of Pangu-Weather: ONNX Runtime",
    folder="earth/pangu",
    lock=Path(__file__).with_name("pangu.lock"),
    prepare=Path(inside.__file__).with_name("prepare.py"),
    imports=("numpy", "onnxruntime"),
    shown=("onnxruntime",),
    default=False,
    requires_python=">=3.11,<3.14",
)
