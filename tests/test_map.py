"""Each folder's ``__init__`` names its files, so that a reader finds his way from folder to folder."""

import re
from pathlib import Path

import pytest

from support.places import PROJECT

FOLDERS = sorted(
    init.parent.relative_to(PROJECT)
    for root in ("shared", "servers", "clients")
    for init in (PROJECT / root).rglob("__init__.py")
)


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_names_its_files(folder: Path) -> None:
    here = PROJECT / folder
    text = (here / "__init__.py").read_text(encoding="utf-8")
    files = {path.stem for path in here.glob("*.py")} - {"__init__", "__main__"}
    rooms = {path.parent.name for path in here.glob("*/__init__.py")}
    missing = [name for name in sorted(files | rooms) if not re.search(rf"\b{name}\b", text)]
    assert not missing, f"{folder}/__init__.py does not name {', '.join(missing)}"
