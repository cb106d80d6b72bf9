"""What ``labrig setup crops`` brings: AquaCrop and DSSAT in a Python of their own.

The lock leaves out what the packages ask for and never import: matplotlib and seaborn, pytest and what measures tests.
DSSAT's program is in the wheel of DSSATTools, for x86-64 Linux; both are under the GPL and stay out of process.
"""

from pathlib import Path

from labrig.sideenv import PythonEnv

CROPS = PythonEnv(
    name="crops",
    title="Engines of crops: AquaCrop and DSSAT",
    folder="earth/crops",
    lock=Path(__file__).with_name("crops.lock"),
    prepare=Path(__file__).parents[1] / "inside" / "prepare.py",
    imports=("aquacrop", "DSSATTools"),
    shown=("aquacrop", "dssattools"),
    default=False,
    requires_python=">=3.11,<3.14",
    machines=("x86_64",),
)
