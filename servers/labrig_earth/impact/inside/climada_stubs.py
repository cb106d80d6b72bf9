"""Modules that stand in for what CLIMADA imports and an impact does not use; the last step of its environment's setup.

- ``osgeo`` and ``osgeo.gdal``: of GDAL, which has no wheels; CLIMADA reads night lights with it.
- ``dask.dataframe``: needs pyarrow, which would start a thread in the process that every run is forked from; CLIMADA
  looks up countries of many points with it.

They are empty: a use of them is an AttributeError. Standard library only.
"""

import importlib
import importlib.metadata
import json
import platform
import sys
import types

STAND_INS = ("osgeo", "osgeo.gdal", "dask.dataframe")


def stand_in() -> None:
    """Put the empty modules where an import finds them."""
    for name in STAND_INS:
        module = sys.modules.setdefault(
            name, types.ModuleType(name, "Empty: stands in for a module of CLIMADA's.")
        )
        parent, _, last = name.rpartition(".")
        if parent in sys.modules:
            setattr(sys.modules[parent], last, module)


def main(modules: list[str]) -> None:
    """Import the modules, and print as JSON the versions that are there, and what stands in."""
    stand_in()
    for name in modules:
        importlib.import_module(name)
    found = {each.metadata["Name"].lower(): each.version for each in importlib.metadata.distributions()}
    said = {
        "python": platform.python_version(),
        "packages": dict(sorted(found.items())),
        "stand_ins": STAND_INS,
    }
    print(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[2:])
