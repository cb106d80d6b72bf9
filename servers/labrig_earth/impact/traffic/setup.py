"""What ``labrig setup sumo`` brings: SUMO's programs (EPL-2.0 or GPL-2.0), which stay out of process.

The wheel holds programs for x86-64 Linux (glibc 2.28) and imports nothing but the standard library. libsumo, 260 MB
more, would run the same program within this process, and is left out.
"""

from pathlib import Path

from labrig.sideenv import PythonEnv

SUMO_ENV = PythonEnv(
    name="sumo",
    title="Engine of traffic: SUMO",
    folder="earth/sumo",
    lock=Path(__file__).with_name("sumo.lock"),
    prepare=Path(__file__).parents[1] / "inside" / "prepare.py",
    imports=("sumo",),
    shown=("eclipse-sumo",),
    default=False,
    requires_python=">=3.11,<3.14",
    machines=("x86_64",),
)
