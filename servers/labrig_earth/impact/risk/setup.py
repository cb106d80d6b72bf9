"""What ``labrig setup climada`` brings: CLIMADA (GPL-3.0) in a Python of its own.

The lock leaves out gdal, which has no wheels, and what no impact imports. Three empty modules stand in, which
``SETUP.json`` and each run name (`impact.inside.climada_stubs`). CLIMADA is for Python below 3.13.
"""

from pathlib import Path

from labrig.sideenv import PythonEnv

CLIMADA_ENV = PythonEnv(
    name="climada",
    title="Engine of risk: CLIMADA",
    folder="earth/climada",
    lock=Path(__file__).with_name("climada.lock"),
    prepare=Path(__file__).parents[1] / "inside" / "climada_stubs.py",
    imports=("climada.engine", "climada.entity", "climada.hazard"),
    shown=("climada",),
    default=False,
    requires_python=">=3.11,<3.13",
    machines=("x86_64",),
)
