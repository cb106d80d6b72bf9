"""A run that stands in a folder of the host: it reads the files at their own paths, and changes none of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.sandbox.inputs import Standing
from support.sandbox_rig import BACKENDS, Rig, rig

FILES = {
    "meta/stations.csv": "id,depth\n1,2.5\n",
    "2024/05/north.csv": "a\n1\n",
    "2024/06/north.csv": "a\n2\n",
    "statistics.py": "raise SystemExit('a module of the folder')",
    "campaign.py": "NAME = 'spring'",
    ".git/config": "a secret",
    "old/.git/config": "a secret",
}
HIDDEN = (".git", "old/.git")


def standing(folder: Path) -> Standing:
    about = folder.stat()
    return Standing(folder, (about.st_dev, about.st_ino), HIDDEN)


def content(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(each.relative_to(folder)): (each.read_bytes(), each.stat().st_mode)
        for each in folder.rglob("*")
        if each.is_file() and not each.is_symlink()
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("standing") / "a folder, with: signs"
    for path, text in FILES.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text)
    (top.parent / "beside.txt").write_text("a secret")
    (top / "out").symlink_to(top.parent / "beside.txt")
    (top / "up").symlink_to("..")
    (top / "near").symlink_to("meta/stations.csv")
    return top


@pytest.fixture(scope="module", params=BACKENDS)
def sandbox(request: pytest.FixtureRequest, folder: Path) -> Iterator[Rig]:
    with rig(backend=request.param, roots=[folder]) as made:
        first = made.run("1", folder=standing(folder))
        if first.notes:
            pytest.skip(first.notes[0])
        yield made


def test_files_are_at_their_own_paths(sandbox: Rig, folder: Path) -> None:
    code = """
import os
import pandas as pd
from pathlib import Path
print(pd.read_csv("meta/stations.csv").depth.sum(), open("near").readline().strip())
print(sorted(str(each) for each in Path().rglob("*.csv")))
print(sorted(name for _, folders, names in os.walk(".") for name in (*folders, *names)))
"""
    result = sandbox.run(code, folder=standing(folder))
    assert (result.status, result.error) == ("ok", "")
    paths, names = result.output.splitlines()[1:]
    assert result.output.startswith("2.5 id,depth\n")
    assert paths == "['2024/05/north.csv', '2024/06/north.csv', 'meta/stations.csv']"
    assert ".git" not in names and "old" in names


def test_what_is_written_is_the_runs_own(sandbox: Rig, folder: Path) -> None:
    before = content(folder)
    code = """
import os, shutil
open("meta/stations.csv", "a").write("2,3.5\\n")
open("2024/sums.csv", "w").write("a\\n3\\n")
os.makedirs("plots/new")
open("plots/new/text.txt", "w").write("made")
os.chmod("campaign.py", 0o777)
os.remove("2024/05/north.csv")
shutil.rmtree("2024/06")
print(sorted(os.listdir("2024")), len(open("meta/stations.csv").readlines()))
"""
    result = sandbox.run(code, folder=standing(folder))
    assert (result.output, result.error) == ("['05', 'sums.csv'] 3\n", "")
    assert result.files == {
        "meta/stations.csv": b"id,depth\n1,2.5\n2,3.5\n",
        "2024/sums.csv": b"a\n3\n",
        "plots/new/text.txt": b"made",
    }  # a mode is not changed: the walls pretend that it is
    assert not result.cut and content(folder) == before
    again = sandbox.run("import os; print(os.listdir('2024/05'))", folder=standing(folder))
    assert again.output == "['north.csv']\n"


def test_what_lies_outside_or_is_hidden_is_not_there(sandbox: Rig, folder: Path) -> None:
    before = content(folder)
    code = f"""
import os
tries = {{
    "hidden": lambda: open(".git/config").read(),
    "hidden below": lambda: open("old/.git/config").read(),
    "by another way": lambda: open("old/../.git/config").read(),
    "hidden, listed": lambda: os.listdir(".git"),
    "link out": lambda: open("out").read(),
    "link up": lambda: os.listdir("up"),
    "beside, through the link": lambda: open("up/beside.txt").read(),
    "the folder by its own path": lambda: open({str(folder / ".git/config")!r}).read(),
    "its files by its own path": lambda: open({str(folder / "campaign.py")!r}).read(),
    "the layer below": lambda: open("../lower/.git/config").read(),
    "the layer above": lambda: os.listdir("../upper"),
    "the layers' workplace": lambda: os.listdir("../aside/work"),
    "a link made": lambda: os.symlink({str(folder / ".git")!r}, "mine"),
    "a hard link": lambda: os.link("campaign.py", "../mine.py"),
    "a device": lambda: os.mknod("device", 0o020600, os.makedev(1, 5)),
    "the hidden name undone": lambda: os.rmdir(".git"),
    "an attribute": lambda: os.setxattr("2024", "user.overlay.opaque", b"y"),
    "an attribute read": lambda: os.getxattr("2024", "user.overlay.origin"),
}}
for name, attempt in tries.items():
    try:
        print(name, "succeeds:", attempt())
    except (OSError, AttributeError):
        pass
os.mkdir(".git")
print(os.listdir(".git"))
"""
    result = sandbox.run(code, folder=standing(folder))
    assert (result.output, result.error) == ("[]\n", "")
    assert content(folder) == before


def test_a_module_of_the_folder_hides_none_of_a_library(sandbox: Rig, folder: Path) -> None:
    code = "import statistics, campaign; print(statistics.mean([1, 2]), campaign.NAME)"
    assert sandbox.run(code, folder=standing(folder)).output == "1.5 spring\n"


def test_a_file_too_large_to_be_changed_is_a_limit(sandbox: Rig, folder: Path) -> None:
    large = folder / "large.bin"
    large.write_bytes(b"x" * (12 << 20))
    try:
        code = "open('large.bin', 'ab').write(b'x' * (1 << 20))"
        result = sandbox.run(code, folder=standing(folder), scratch_bytes=8 << 20)
        assert result.status == "scratch_limit" and large.stat().st_size == 12 << 20
    finally:
        large.unlink()


def test_a_folder_that_has_been_exchanged_is_refused(sandbox: Rig, folder: Path) -> None:
    with pytest.raises(LabrigError, match="another folder has taken the place"):
        sandbox.run("print(1)", folder=Standing(folder, (1, 1)))


def test_what_the_code_could_not_know_is_said(sandbox: Rig, folder: Path) -> None:
    sandbox.run("table = 1", folder=standing(folder))
    assert "each run starts anew" in sandbox.run("table", folder=standing(folder)).notes[0]
    slash = sandbox.run("open('/meta/stations.csv')", folder=standing(folder))
    assert slash.notes == ("in code the paths of the folder have no slash in front: 'meta/stations.csv'",)


def test_another_file_system_in_the_folder_is_named() -> None:
    with rig(backend="landlock", warm=False) as made:
        if made.run("1", folder=Standing(Path(__file__).parent, ())).notes:
            pytest.skip("no run can stand in a folder here")
        with pytest.raises(LabrigError, match="another file system is mounted in /"):
            made.run("1", folder=Standing(Path("/"), ()))


def test_where_it_cannot_be_had_a_note_says_so(folder: Path) -> None:
    with rig(backend="unsafe-local", warm=False) as made:
        result = made.run("import os; print(os.listdir())", folder=standing(folder))
    assert result.output == "[]\n"
    assert any("not at their own paths here" in each for each in result.notes)
