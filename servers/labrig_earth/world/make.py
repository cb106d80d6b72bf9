"""The whole world in a folder: ``python -m labrig_earth.world.make FOLDER SEED [SIZE]``.

Each part has random numbers of its own, so that a change of one leaves the others as they were.
"""

from __future__ import annotations

import pyproj  # isort: skip  # before any library that may bring another PROJ
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.world.sizes import size_of
from labrig_earth.world.writing import Folder, rounded

FIRST = pyproj.__version__
DATA, TRUTH, CONTENTS = "data", "truth.json", "contents.json"


def make_world(folder: Path | str, seed: int, size: str = "small") -> dict[str, Any]:
    """Make a world and return what was planted.

    Parameters
    ----------
    folder
        Empty, or absent. The data go into ``data`` in it, which an agent may see: the truth lies beside it.
    seed
        The same seed and size give the same values, whatever the versions of the libraries.
    size
        ``small`` (2 MB, about two seconds) or ``full`` (30 years).

    Returns
    -------
    dict
        What truth.json says. contents.json has a SHA-256 of what each file holds (`writing.hash_arrays`).

    Raises
    ------
    LabrigError
        ``refused`` for a folder that is not empty.
    """
    import numpy as np

    from labrig_earth.world.air import write_air
    from labrig_earth.world.climate import write_climate
    from labrig_earth.world.cyclone import write_cyclone
    from labrig_earth.world.forecast import write_forecast
    from labrig_earth.world.impacts import write_impacts
    from labrig_earth.world.scenes import write_scenes
    from labrig_earth.world.seasons import write_seasons
    from labrig_earth.world.tables import write_tables
    from labrig_earth.world.town import write_town

    numbers = size_of(size)
    top = Path(folder)
    top.mkdir(parents=True, exist_ok=True)
    if any(top.iterdir()):
        raise LabrigError("The folder is not empty", where=str(top), expected="an empty one", code="refused")
    made = Folder(top / DATA, seed)
    parts = [np.random.default_rng([seed, part]) for part in range(9)]
    t2m = write_climate(made, numbers, parts[0])
    write_forecast(made, numbers, parts[1], t2m)
    write_air(made, numbers, parts[2])
    streets = write_town(made, numbers, parts[3])
    write_scenes(made, numbers, parts[4], streets)
    write_tables(made, numbers, parts[5])
    write_impacts(made, numbers, parts[6], t2m)
    write_seasons(made, parts[7])
    write_cyclone(made, parts[8])
    _write_catalogue(made)

    truth: dict[str, Any] = rounded({"seed": seed, "size": size, "label": made.label, **made.truth})
    (top / TRUTH).write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    contents = {f"{DATA}/{name}": each for name, each in sorted(made.contents.items())}
    contents[TRUTH] = hashlib.sha256((top / TRUTH).read_bytes()).hexdigest()
    (top / CONTENTS).write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")
    return truth


def _write_catalogue(made: Folder) -> None:
    """Write a static STAC catalogue of the data; its hash is that of what it says."""
    from labrig_earth.catalogue.scanning import entry_of
    from labrig_earth.catalogue.static import FILE, ITEMS, write_static
    from labrig_earth.data.formats import Place

    entries = [entry_of(Place.of(made.path / name), where=name) for name in sorted(made.contents)]
    write_static(made.path, entries, title=f"A synthetic world ({made.label})")
    said = json.dumps([entry.to_dict() for entry in entries])
    made.contents[FILE] = made.contents[ITEMS] = hashlib.sha256(said.encode()).hexdigest()


def main(arguments: list[str]) -> int:
    """Run the command."""
    if len(arguments) not in (2, 3) or not arguments[1].isdigit():
        print("usage: python -m labrig_earth.world.make FOLDER SEED [small|full]", file=sys.stderr)
        return 2
    make_world(arguments[0], int(arguments[1]), arguments[2] if len(arguments) == 3 else "full")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
