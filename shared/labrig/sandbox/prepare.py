"""Run once by the Python of a new side environment, as ``python -I prepare.py FOLDER MODULE...``.

Imports the modules that the sandbox promises, makes matplotlib's list of fonts, and prints as JSON what only this
Python knows of itself: where its standard library lies, and which shared libraries outside of it get loaded.
It runs in the side environment: standard library and matplotlib only.
"""

import contextlib
import importlib
import importlib.metadata
import importlib.util
import io
import json
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

FONTS = Path("var") / "matplotlib"
NOT_TRIED = ("_tkinter", "_test", "_xx", "xx")
"""Extension modules of the standard library that need a display, or are for its own tests."""


def main(folder: Path, modules: list[str]) -> None:
    """Do all of it, and print the facts as the last line."""
    os.environ.update(MPLBACKEND="Agg", MPLCONFIGDIR=str(folder.parent / "matplotlib"))
    for name in modules:
        importlib.import_module(name)
    require_bytecode(folder)
    write_fonts(folder / FONTS)
    base = base_folders(folder)
    import_extensions(base)
    facts = {
        "python": platform.python_version(),
        "packages": packages(),
        "base": [str(path) for path in base],
        "executable": getattr(sys, "_base_executable", sys.executable),
        "triplet": sysconfig.get_config_var("MULTIARCH") or "",
        "libraries": libraries(folder, base),
    }
    print(json.dumps(facts))


def require_bytecode(folder: Path) -> None:
    """Fail where an imported module has no bytecode: a full disk stops its making without an error."""
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    mine = [each for each in files if each.endswith(".py") and Path(each).is_relative_to(folder)]
    bare = [each for each in mine if not Path(importlib.util.cache_from_source(each)).exists()]
    if bare:
        sys.exit(
            f"No bytecode was written for {len(bare)} of {len(mine)} modules, such as {bare[0]}: is the disk full?"
        )


def write_fonts(folder: Path) -> None:
    """Write a list of matplotlib's own fonts only, so that a picture has the same fonts on every machine.

    The list holds paths relative to matplotlib's data (`matplotlib.font_manager.json_dump`), and is sorted, for
    of two fonts that suit equally well the first is taken.
    """
    from matplotlib import font_manager

    find = font_manager.findSystemFonts

    def find_own(
        fontpaths: Iterable[str | os.PathLike[str]] | None = None, fontext: Literal["ttf", "afm"] = "ttf"
    ) -> list[str]:
        return sorted(find(fontpaths, fontext)) if fontpaths else []

    font_manager.findSystemFonts = find_own
    folder.mkdir(parents=True)
    manager = font_manager.FontManager()
    font_manager.json_dump(manager, str(folder / f"fontlist-v{manager.__version__}.json"))


def packages() -> dict[str, str]:
    """Return the version of every package of the environment."""
    found = {each.metadata["Name"].lower(): each.version for each in importlib.metadata.distributions()}
    return dict(sorted(found.items()))


def base_folders(folder: Path) -> list[Path]:
    """Return the folders of the standard library: what is on the path and not of the environment."""
    return [each for each in map(Path, sys.path) if each.is_dir() and not each.is_relative_to(folder)]


def import_extensions(base: list[Path]) -> None:
    """Import the standard library's extension modules, so that `libraries` sees what they need."""
    for path in sorted(each for folder in base for each in folder.glob("*.so")):
        name = path.name.split(".")[0]
        if not name.startswith(NOT_TRIED):
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                importlib.import_module(name)


def libraries(folder: Path, base: list[Path]) -> list[str]:
    """Return the shared libraries that this process has loaded from elsewhere."""
    here = os.path.realpath(folder)
    known = [here, *(os.path.realpath(each) for each in base)]
    found = set()
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = line.split(maxsplit=5)[-1]
        if path.startswith("/") and ".so" in path and not any(path.startswith(f"{each}/") for each in known):
            found.add(path)
    return sorted(found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
