"""How a fork server starts: a Python that finds only the named folders of Labrig, and nothing that they do not hold.

`labrig.isolation.inside` and its like need the standard library alone, but the packages round them import much more. So
these packages are made empty, with their folders as their paths, before the first import.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

BOOT = (
    "import importlib, json, sys, types\n"
    "packages, folders, main = json.loads(sys.argv.pop(1))\n"
    "for name, folder in packages.items():\n"
    "    sys.modules[name] = types.ModuleType(name)\n"
    "    sys.modules[name].__path__ = [folder]\n"
    "sys.path.extend(folders)\n"
    "importlib.import_module(main).main()"
)


def words(main: str, packages: Mapping[str, str | Path], folders: Sequence[str | Path] = ()) -> list[str]:
    """Return the last words of a Python's command, before the program's own arguments.

    Parameters
    ----------
    main
        Module whose ``main()`` is the program.
    packages
        Names of packages, outermost first, and the folders that their modules are found in.
    folders
        To import other packages from, after the Python's own.
    """
    named = {name: str(folder) for name, folder in packages.items()}
    return ["-c", BOOT, json.dumps([named, [str(folder) for folder in folders], main])]
