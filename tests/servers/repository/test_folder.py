"""A real folder: what is inside is found under any name, and nothing outside is opened."""

from __future__ import annotations

import math
import os
import socket
import threading
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_repository.folder import folder as folders
from labrig_repository.folder import listing
from labrig_repository.folder.folder import Folder
from labrig_repository.folder.listing import list_directory
from labrig_repository.folder.names import located, shown


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Make a folder with a secret beside it, and return it."""
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "data-old").mkdir()
    (tmp_path / "data-old" / "x.csv").write_text("sibling")
    made = tmp_path / "data"
    (made / "runs").mkdir(parents=True)
    (made / "runs" / "a.csv").write_text("t,x\n1,2\n")
    return made


@pytest.fixture
def data(top: Path) -> Iterator[Folder]:
    """Serve it."""
    here = Folder(top)
    yield here
    here.close()


def refusal(data: Folder, path: str) -> str:
    with pytest.raises(LabrigError) as caught:
        data.read(path)
    return caught.value.code


def test_files_and_folders(data: Folder) -> None:
    assert [(each.name, each.kind) for each in data.entries("")] == [("runs", "folder")]
    assert data.read("runs/a.csv") == b"t,x\n1,2\n"
    assert data.read("runs/a.csv", 2, 3) == b"x\n1"
    assert data.read("runs/a.csv", 99) == b""
    assert data.size("runs/a.csv") == 8
    assert data.media_type("runs/a.CSV") == "text/csv"
    assert (data.kind("runs"), data.kind("runs/a.csv"), data.kind("runs/b.csv")) == ("folder", "file", None)
    assert refusal(data, "runs") == "bad_input"
    assert refusal(data, "runs/a.csv/x") == "not_found"
    assert refusal(data, "runs/" + "n" * 300) == "not_found"


def test_links_inside_are_followed_and_others_are_not(data: Folder, top: Path) -> None:
    for name, target in {
        "straight": "runs/a.csv",
        "up": "runs/../runs/a.csv",
        "absolute": f"{top}/runs/a.csv",
        "folder": "runs",
        "out": "../secret.txt",
        "out-absolute": f"{top.parent}/secret.txt",
        "sibling": f"{top}-old/x.csv",
        "sibling-folder": "../data-old",
        "in-and-out": "runs/../../secret.txt",
        "passwd": "/etc/passwd",
        "self": "self",
        "nothing": "missing.csv",
        "chain": "out",
    }.items():
        (top / name).symlink_to(target)
    for name in ("straight", "up", "absolute", "folder/a.csv"):
        assert data.read(name) == b"t,x\n1,2\n", name
    out = ("out", "out-absolute", "sibling", "sibling-folder/x.csv", "in-and-out", "passwd", "chain", "self")
    assert {refusal(data, name) for name in out} == {"refused"}
    assert refusal(data, "nothing") == "not_found"
    seen = {each.name: (each.kind, each.link, each.note) for each in data.entries("")}
    assert seen["straight"] == ("file", True, "")
    assert seen["folder"] == ("folder", True, "")
    assert seen["out"] == ("other", True, "a link that leads out")
    assert seen["nothing"] == ("other", True, "a link to nothing")


def test_a_link_to_a_folder_above_does_not_make_a_listing_endless(data: Folder, top: Path) -> None:
    (top / "runs" / "round").symlink_to("..")
    assert [each.shown for each in list_directory(data, "/*", None)] == ["runs/a.csv", "runs/round"]
    assert [each.shown for each in list_directory(data, "/runs/round/runs", 1)] == ["a.csv", "round"]


def test_what_is_no_file_is_shown_and_never_opened(data: Folder, top: Path) -> None:
    os.mkfifo(top / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(top)  # the path of a socket has to be short
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)
    (top / "to-pipe").symlink_to("pipe")
    (top / "device").symlink_to("/dev/zero")
    for name in ("pipe", "socket", "to-pipe", "device"):
        assert refusal(data, name) == "refused"
        assert next(each for each in data.entries("") if each.name == name).kind == "other"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_entered_is_named(data: Folder, top: Path) -> None:
    (top / "closed").mkdir(mode=0)
    assert [(each.shown, each.note) for each in list_directory(data, "/*", None)] == [
        ("closed", "cannot be entered"),
        ("runs/a.csv", ""),
    ]


def test_a_checkout_s_own_folder_is_hidden(data: Folder, top: Path) -> None:
    (top / ".git").mkdir()
    (top / ".git" / "config").write_text("token")
    (top / "runs" / ".GIT").write_text("gitdir: elsewhere")
    (top / ".gitignore").write_text("*.tmp")
    (top / "x.tmp").write_text("")
    (top / "history").symlink_to(".git")
    assert [each.shown for each in list_directory(data, "/*", None)] == [
        ".gitignore",
        "history",
        "runs/a.csv",
        "x.tmp",
    ]
    assert list(list_directory(data, "/.git", 1)) == []
    for path in (".git/config", "history/config", "runs/.GIT"):
        assert refusal(data, path) == "refused"
    assert Folder(top, hidden=frozenset()).read(".git/config") == b"token"


def test_names_that_are_not_utf_8_are_shown_and_found(data: Folder, top: Path) -> None:
    raw = os.fsencode(top) + b"/caf\xe9.csv"
    Path(os.fsdecode(raw)).write_bytes(b"1")
    (entry,) = [each for each in data.entries("") if each.name.startswith("caf")]
    assert shown(entry.name) == "caf\\xe9.csv"
    assert data.read(located(data, "caf\\xe9.csv")) == b"1"
    (top / "caf\\xe9.csv").write_bytes(b"2")  # a name that is spelled so goes first
    assert data.read(located(data, "caf\\xe9.csv")) == b"2"
    (top / "two\nlines\t.csv").write_bytes(b"3")
    assert shown("two\nlines\t.csv") == "two\\x0alines\\x09.csv"
    assert data.read(located(data, "two\\x0alines\\x09.csv")) == b"3"
    assert located(data, "\\x41.csv") == "\\x41.csv"  # what is never shown so is not read so
    assert refusal(data, "\ud800") == "not_found"
    assert refusal(data, "a\0b") == "not_found"


def test_unicode_forms(data: Folder, top: Path) -> None:
    apart = unicodedata.normalize("NFD", "Zürich/Größe.csv")
    (top / apart).parent.mkdir()
    (top / apart).write_text("1")
    assert data.read(located(data, "/Zürich/Größe.csv")) == b"1"


def test_a_long_path(data: Folder, top: Path) -> None:
    names = ["d" * 200] * 19
    descriptor = os.open(top, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=descriptor)
        inner = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(os.open("x", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)
    path = "/".join([*names, "x"])
    assert data.read(located(data, path)) == b""
    assert path in [each.shown for each in list_directory(data, "/*", None)]


def test_a_folder_that_is_too_deep_is_named(data: Folder, top: Path) -> None:
    here = os.open(top, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    deepest, _ = list_directory(data, "/*", None)
    assert (deepest.shown, deepest.note) == ("/".join("d" * 256), "cannot be entered")


def test_files_that_vanish_or_shrink(data: Folder, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = list_directory(data, "/runs/*")
    (top / "runs" / "a.csv").write_text("t")
    assert data.read(found.path, 0, 100) == b"t"
    (top / "runs" / "a.csv").unlink()
    assert refusal(data, found.path) == "not_found"


def test_a_file_that_is_exchanged_between_check_and_read_is_the_one_that_was_checked(
    data: Folder, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = folders._require_file

    def exchanged(descriptor: int, path: str) -> None:
        check(descriptor, path)
        (top / "runs" / "a.csv").unlink()
        (top / "runs" / "a.csv").symlink_to("../../secret.txt")

    monkeypatch.setattr(folders, "_require_file", exchanged)
    assert data.read("runs/a.csv") == b"t,x\n1,2\n"


def test_a_name_that_turns_into_a_link_while_it_is_read_leads_nowhere(data: Folder, top: Path) -> None:
    """One thread puts file and link in turn at a name; no read gives what the link leads to."""
    stop = threading.Event()
    (top / "file").write_text("inside")

    def swaps() -> None:
        while not stop.is_set():
            os.link(top / "file", top / "new")
            os.replace(top / "new", top / "runs" / "x")
            os.symlink("../../secret.txt", top / "new")
            os.replace(top / "new", top / "runs" / "x")

    thread = threading.Thread(target=swaps)
    thread.start()
    try:
        for _ in range(3000):
            try:
                assert data.read("runs/x") == b"inside"
            except LabrigError as error:
                assert error.code in ("refused", "not_found")
    finally:
        stop.set()
        thread.join()


def test_what_is_put_in_place_of_the_folder_is_not_seen(data: Folder, top: Path) -> None:
    top.rename(top.parent / "moved")
    top.symlink_to("data-old")
    assert data.read("runs/a.csv") == b"t,x\n1,2\n"
    assert data.kind("x.csv") is None


def test_limits(data: Folder, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (top / "large").open("wb") as file:
        file.truncate(5 << 30)
    assert refusal(data, "large") == "limit"
    assert data.read("large", (5 << 30) - 2, 10) == b"\0\0"
    monkeypatch.setattr(folders, "MOST_ENTRIES", 1)
    with pytest.raises(LabrigError, match="more than 1 names"):
        data.entries("")


def test_no_descriptor_is_left_open(data: Folder, top: Path) -> None:
    (top / "out").symlink_to("/etc")
    before = len(os.listdir("/proc/self/fd"))
    for path in ("runs/a.csv", "runs", "out/passwd", "none/x", "runs/a.csv/x"):
        for act in (data.read, data.entries, data.kind, data.size):
            try:
                act(path)
            except LabrigError:
                pass
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "names",
    [pytest.param(200_000, marks=pytest.mark.accept), pytest.param(1_000_000, marks=pytest.mark.soak)],
)
def test_a_folder_with_very_many_names(tmp_path: Path, names: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_SECONDS", math.inf)
    for number in range(names):
        os.close(os.open(tmp_path / f"{number:07d}.csv", os.O_CREAT | os.O_WRONLY))
    here = Folder(tmp_path)
    assert sum(1 for _ in list_directory(here, "/*", None)) == names
    assert [each.shown for each in list_directory(here, "/0199?99.csv")] == [
        f"0199{n}99.csv" for n in range(10)
    ]
    assert here.kind("0000000.csv") == "file"
    here.close()


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path / "file"):
        (tmp_path / "file").touch()
        with pytest.raises(LabrigError) as caught:
            Folder(path)
        assert caught.value.code == "not_found"


def test_a_folder_that_stays_is_read_once_and_what_it_holds_is_looked_at(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names by the times of their folder, files and targets of links each time; nothing that was changed just now."""
    (top / "runs" / "link").symlink_to("a.csv")
    read: list[object] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda place: read.append(place) or scandir(place))
    here, fresh = Folder(top, now=lambda: time.time_ns() + 10**10), Folder(top)
    first = here.entries("runs")
    assert here.entries("runs") == first == fresh.entries("runs") == fresh.entries("runs") and len(read) == 3
    (top / "runs" / "a.csv").write_text("t,x\n1,2\n3,4\n")
    assert [each.version and each.version.size for each in here.entries("runs")] == [12, 12]
    assert len(read) == 3
    (top / "runs" / "b.csv").write_text("later")
    assert [each.name for each in here.entries("runs")] == ["a.csv", "b.csv", "link"] and len(read) == 4
    (top / "runs" / "link").unlink()
    (top / "runs" / "link").symlink_to(tmp_path / "secret.txt")
    assert here.entries("runs")[2].kind == "other"
    monkeypatch.setattr(folders, "MOST_KNOWN", 2)
    (top / "other").mkdir()
    assert (
        not here.entries("other")
        and here.entries("runs")
        and here.entries("")
        and here.kind("other") == "folder"
    )
    for each in (here, fresh):
        each.close()
