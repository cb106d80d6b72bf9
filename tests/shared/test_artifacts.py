"""Artifacts of any size, folders among them: what is kept is whole, what is in use stays, and nothing is lost."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from labrig import artifacts
from labrig.artifacts import ArtifactStore, holding
from labrig.errors import LabrigError
from labrig.jobs import Jobs, Progress
from labrig.serving.gc import collect
from labrig.storage import contents, quota
from labrig.storage.folder import Folder
from labrig.storage.holds import in_use
from labrig.workspace import Workspace

RUN = {"model.nc": b"n" * 70_000, "log.txt": b"", "c/0/0": b"\0\1", "c/0/1": b"\2", "c.json": b"{}"}


@pytest.fixture
def store(tmp_path: Path) -> ArtifactStore:
    return ArtifactStore(Workspace(tmp_path / "work"))


def folder_of(tmp_path: Path) -> Path:
    return tmp_path / "work" / ".labrig" / "artifacts"


def run_folder(path: Path, files: dict[str, bytes] = RUN) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def hidden(folder: Path) -> list[str]:
    return sorted(
        each.name for each in folder.iterdir() if each.name.startswith(".") and each.name != ".lock"
    )


def listing_hash(files: dict[str, bytes]) -> str:
    """The hash of a folder, computed from its definition."""
    rows = [
        [name, len(content), hashlib.sha256(content).hexdigest()]
        for name, content in sorted(files.items(), key=lambda each: each[0].encode())
    ]
    lines = [json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows]
    return hashlib.sha256(("labrig.folder/1\n" + "".join(f"{line}\n" for line in lines)).encode()).hexdigest()


def test_the_manifest_of_a_file_is_what_it_was(store: ArtifactStore, tmp_path: Path) -> None:
    made = store.put("µ.txt", b"text", media_type="text/plain", made_by={"tool": "t"}, inputs={"i": "0" * 64})
    written = (folder_of(tmp_path) / f"{made.sha256}.json").read_text(encoding="utf-8")
    created = json.loads(written)["meta"]["created"]
    assert written == (
        f'{{\n "schema": "labrig.artifact/1",\n "sha256": "{made.sha256}",\n "name": "µ.txt",\n "bytes": 4,\n'
        ' "type": "text/plain",\n "made_by": {\n  "tool": "t"\n },\n "inputs": {\n  "i": "'
        + "0"
        * 64
        + '"\n },\n'
        f' "meta": {{\n  "created": "{created}"\n }}\n}}'
    )
    (folder_of(tmp_path) / ".lock").unlink()  # as an older Labrig left it
    assert store.read(made.handle) == b"text"


def test_a_folder_is_moved_named_by_its_files_and_opened(store: ArtifactStore, tmp_path: Path) -> None:
    source = run_folder(tmp_path / "run")
    (source / "empty").mkdir()
    inode = (source / "model.nc").stat().st_ino
    made = store.put_path(source, made_by={"tool": "t"})
    assert not source.exists() and made.sha256 == listing_hash(RUN)
    assert made.to_dict() == {
        "handle": made.handle,
        "name": "run",
        "bytes": sum(map(len, RUN.values())),
        "type": "inode/directory",
        "files": 5,
    }
    manifest = json.loads((folder_of(tmp_path) / f"{made.sha256}.json").read_text())
    assert (manifest["schema"], manifest["kind"]) == ("labrig.artifact/2", "folder")
    assert store.get(made.handle) == made and store.verify(made.handle) == made
    with store.opened(made.handle) as opened:
        assert os.stat("model.nc", dir_fd=opened.descriptor).st_ino == inode, "renamed, not copied"
        assert sorted(os.listdir(opened.descriptor)) == ["c", "c.json", "empty", "log.txt", "model.nc"]
        with opened.opened("c/0/0") as file:
            assert os.read(file, 9) == b"\0\1"
        for wrong in ("../x", "c", "", "/etc/passwd", "c/0/2", "c//0"):
            with pytest.raises(LabrigError), opened.opened(wrong):
                pass
    with pytest.raises(LabrigError, match="folder of 5 files"):
        store.read(made.handle)
    again = store.put_path(run_folder(tmp_path / "again"), keep=True)
    assert again.handle == made.handle and (tmp_path / "again").exists()
    assert store.names(made.handle) == ("run", "again")
    assert store.put_path(tmp_path / "again").handle == made.handle and not (tmp_path / "again").exists()
    assert hidden(folder_of(tmp_path)) == []


def test_a_file_is_moved_or_copied(store: ArtifactStore, tmp_path: Path) -> None:
    (tmp_path / "a.nc").write_bytes(b"a" * 3_000_000)
    kept = store.put_path(tmp_path / "a.nc", keep=True)
    assert (
        kept.sha256 == hashlib.sha256(b"a" * 3_000_000).hexdigest()
        and kept.media_type == "application/x-netcdf"
    )
    (tmp_path / "b").write_bytes(b"b")
    os.link(tmp_path / "b", tmp_path / "other name")
    linked = store.put_path(tmp_path / "b", name="in/b.txt")
    (tmp_path / "other name").write_bytes(b"changed")
    assert store.read(linked.handle) == b"b" and not (tmp_path / "b").exists(), (
        "what has another name is copied"
    )
    descriptor = os.open(tmp_path / "a.nc", os.O_RDONLY)
    assert store.put_path(descriptor, name="again.nc").handle == kept.handle
    os.close(descriptor)
    assert (tmp_path / "a.nc").exists() and hidden(folder_of(tmp_path)) == []


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda top: (top / "l").symlink_to("/etc/passwd"), "a link"),
        (lambda top: (top / "c" / "l").symlink_to(".", target_is_directory=True), "a link"),
        (lambda top: os.mkfifo(top / "c" / "pipe"), "a pipe"),
        (lambda top: (top / "a\nb").write_bytes(b""), "cannot be kept"),
        (lambda top: (top / "a\\b").write_bytes(b""), "cannot be kept"),
        (lambda top: (top / ".labrig").mkdir(), "cannot be kept"),
        (lambda top: Path(os.fsdecode(os.fsencode(top) + b"/\xff")).write_bytes(b""), "cannot be kept"),
        (lambda top: (top / "/".join("d" * 32)).mkdir(parents=True), "32 folders deep"),
    ],
)
def test_what_a_folder_may_not_hold(store: ArtifactStore, tmp_path: Path, spoil: Any, why: str) -> None:
    source = run_folder(tmp_path / "run")
    spoil(source)
    with pytest.raises(LabrigError, match=why):
        store.put_path(source)
    assert (source / "model.nc").exists() and list(tmp_path.rglob("*.json")) == [source / "c.json"]


def test_what_cannot_be_kept_at_all(
    store: ArtifactStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(run_folder(tmp_path / "run"))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    for name, why in (("link", "a link"), ("pipe", "a pipe"), ("empty", "no file"), ("absent", "no such")):
        with pytest.raises(LabrigError, match=why):
            store.put_path(tmp_path / name)
    for name in ("../x", "a\nb", "/x", "a//b", "x" * 1025, "a\\b", "."):
        with pytest.raises(LabrigError, match="name of an artifact"):
            store.put(name, b"", media_type="text/plain")
        with pytest.raises(LabrigError, match="name of an artifact"):
            store.put_path(tmp_path / "run", name=name)
    for path in (tmp_path / "run" / "c" / "..", Path("/")):
        with pytest.raises(LabrigError, match="does not end with a name"):
            store.put_path(path, name="x")
    monkeypatch.setattr(contents, "MAX_FILES", 4)
    with pytest.raises(LabrigError, match="too much"):
        store.put_path(tmp_path / "run")
    assert (tmp_path / "run" / "c" / "0" / "0").exists()


@pytest.mark.parametrize("keep", [True, False])
def test_a_folder_that_changes_while_it_is_read_stays(
    store: ArtifactStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: bool
) -> None:
    source = run_folder(tmp_path / "run")
    read, changes = contents.read_content, iter(("more", "new", "gone", "late"))

    def changed(*args: Any) -> Any:
        change = next(changes)
        if change == "more":
            (source / "c" / "0" / "0").write_bytes(b"longer")
        elif change == "new":
            (source / "c" / "new").write_bytes(b"")
        elif change == "gone":
            (source / "c" / "new").unlink()
        found = read(*args)
        if change == "late":  # it is read, and not yet taken away
            (source / "log.txt").write_bytes(b"late")
        return found

    monkeypatch.setattr(contents, "read_content", changed)
    for _ in range(4 - keep):
        with pytest.raises(LabrigError, match="changed while"):
            store.put_path(source, keep=keep)
        assert (source / "model.nc").read_bytes() == RUN["model.nc"]
        assert {each.name for each in folder_of(tmp_path).iterdir()} <= {".lock"}
    monkeypatch.undo()
    assert store.verify(store.put_path(source).handle).files == 5


def test_what_was_changed_by_hand_is_noticed(
    store: ArtifactStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifacts, "CHECKED_BYTES", 10)
    made = store.put_path(run_folder(tmp_path / "run"))
    inner = folder_of(tmp_path) / made.sha256 / "c" / "0" / "0"
    times = (inner.stat().st_atime_ns, inner.stat().st_mtime_ns)
    inner.write_bytes(b"\5\5")  # of the same size
    os.utime(inner, ns=(times[0], times[1] + 3_600 * 10**9))
    with pytest.raises(LabrigError, match="no longer has its hash"), store.opened(made.handle):
        pass
    os.utime(inner, ns=times)  # a large content is not read again where its times say that nobody wrote
    with store.opened(made.handle):
        pass
    with pytest.raises(LabrigError, match="no longer has its hash"):
        store.verify(made.handle)
    inner.write_bytes(RUN["c/0/0"])
    os.utime(inner, ns=(times[0], times[1] + 3_600 * 10**9))  # as after a restore: right, and newer
    with store.opened(made.handle):
        pass
    file = store.put("f", b"f", media_type="text/plain")
    (folder_of(tmp_path) / file.sha256).unlink()
    with pytest.raises(LabrigError, match="no such artifact"):
        store.get(file.handle)
    assert store.read(store.put("f", b"f", media_type="text/plain").handle) == b"f", (
        "put again, it is whole again"
    )
    (folder_of(tmp_path) / f"{file.sha256}.json").write_text('{"schema": "labrig.artifact/1", "sh')
    with pytest.raises(LabrigError, match="manifest cannot be read"):
        store.get(file.handle)
    (folder_of(tmp_path) / f"{file.sha256}.json").write_text('{"schema": "labrig.artifact/9"}')
    with pytest.raises(LabrigError, match=r"labrig\.artifact/9"):
        store.get(file.handle)


def test_the_oldest_go_and_none_in_use(
    store: ArtifactStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_ARTIFACTS_QUOTA_BYTES", "1kB")
    old, middle, new = (store.put(f"{n}", f"{n}".encode() * 300, media_type="t") for n in range(3))
    for age, each in enumerate((new, middle, old)):
        os.utime(folder_of(tmp_path) / f"{each.sha256}.json", (1e9 - age, 1e9 - age))
        os.utime(folder_of(tmp_path) / each.sha256, (1e9 - age, 1e9 - age))
    with store.opened(old.handle):
        third = store.put("3", b"3" * 300, media_type="t")
        assert store.get(old.handle) and store.get(new.handle) and store.get(third.handle)
        with pytest.raises(LabrigError, match="no such artifact"):
            store.get(middle.handle)
        with store.opened(new.handle), store.opened(third.handle):
            before = sorted(folder_of(tmp_path).iterdir())
            with pytest.raises(LabrigError, match=r"artifacts\.quota_bytes") as caught:
                store.put("4", b"4" * 300, media_type="t")
            assert caught.value.code == "limit" and sorted(folder_of(tmp_path).iterdir()) == before
    with pytest.raises(LabrigError, match=r"artifacts\.quota_bytes"):
        store.put("5", b"5" * 1001, media_type="t")
    source = run_folder(tmp_path / "run")
    with pytest.raises(LabrigError, match=r"artifacts\.quota_bytes"):
        store.put_path(source)
    assert (source / "model.nc").exists() and len(list(folder_of(tmp_path).glob("*.json"))) == 3
    monkeypatch.setenv("LABRIG_ARTIFACTS_QUOTA_BYTES", "much")
    with pytest.raises(LabrigError, match="not a size"):
        store.put("6", b"6", media_type="t")


async def test_what_a_call_or_a_job_made_stays_while_it_works(
    store: ArtifactStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_ARTIFACTS_QUOTA_BYTES", "100")
    with holding():
        store.put("a", b"a" * 60, media_type="t")
        with pytest.raises(LabrigError, match="in use"):
            store.put("b", b"b" * 60, media_type="t")
        await asyncio.to_thread(store.put, "c", b"c" * 40, media_type="t")
    store.put("b", b"b" * 60, media_type="t")
    goes_on = asyncio.Event()

    async def make(progress: Progress) -> None:
        store.put("j", b"j" * 60, media_type="t")
        progress(0.5)
        await goes_on.wait()

    jobs = Jobs()
    job = jobs.start("make", make, owner="me")
    while (await jobs.get(job, owner="me")).progress is None:
        await asyncio.sleep(0.01)
    with pytest.raises(LabrigError, match="in use"):
        store.put("d", b"d" * 60, media_type="t")
    goes_on.set()
    assert (await jobs.get(job, 20, owner="me")).state == "done"
    store.put("d", b"d" * 60, media_type="t")
    await jobs.close()


READER = """
import sys, time
from pathlib import Path
from labrig.artifacts import ArtifactStore
from labrig.workspace import Workspace
with ArtifactStore(Workspace(Path(sys.argv[1]))).opened(sys.argv[2]) as opened:
    print("open", flush=True)
    sys.stdin.readline()
"""


def test_gc_and_a_quota_leave_what_another_process_has_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = tmp_path / "root" / "server" / "session"
    store = ArtifactStore(Workspace(session))
    made = store.put("a", b"a" * 60, media_type="t")
    words = [sys.executable, "-c", READER, str(session), made.handle]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None and reader.stdout.readline() == "open\n"
        for dry in (True, False):
            report = collect(tmp_path / "root", 0, dry_run=dry)
            assert [each.path for each in report.in_use] == [session] and not report.removed
        monkeypatch.setenv("LABRIG_ARTIFACTS_QUOTA_BYTES", "100")
        with pytest.raises(LabrigError, match="in use"):
            store.put("b", b"b" * 60, media_type="t")
        reader.communicate("\n")
    with Workspace(session).private("artifacts") as held:
        assert not in_use(held)
    store.put("b", b"b" * 60, media_type="t")
    assert [each.path for each in collect(tmp_path / "root", 0).removed] == [session]


KILLED = """
import os, signal, sys
from pathlib import Path
from labrig import artifacts
from labrig.storage import contents, leftovers
from labrig.workspace import Workspace
place, source, where = sys.argv[1:]
def killed(*args, **named): os.kill(os.getpid(), signal.SIGKILL)
if where == "copying":
    write = contents.os.write
    def some(descriptor, piece):
        write(descriptor, piece[:10])
        killed()
    contents.os.write = some
elif where == "manifest":
    os.rename = killed
elif where == "removing":
    leftovers.thrown_away = killed
store = artifacts.ArtifactStore(Workspace(Path(place)))
if where == "removing":
    os.environ["LABRIG_ARTIFACTS_QUOTA_BYTES"] = "75000"
    store.put("big", b"b" * 60000, media_type="t")
    store.put("other", b"o" * 60000, media_type="t")
store.put_path(Path(source), keep=where == "copying")
"""


@pytest.mark.parametrize("where", ["copying", "manifest", "removing"])
def test_killed_half_way_nothing_looks_whole_and_nothing_is_lost(
    store: ArtifactStore, tmp_path: Path, where: str
) -> None:
    source = run_folder(tmp_path / "run")
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "work"), str(source), where])
    assert done.returncode == -signal.SIGKILL
    assert {name: (source / name).read_bytes() for name in RUN} == RUN
    with pytest.raises(LabrigError, match="no such artifact"):
        store.get(f"sha256:{listing_hash(RUN)}")
    store.sweep()
    left = {each.name.partition(".")[0] for each in folder_of(tmp_path).iterdir() if each.name != ".lock"}
    whole = {each.stem for each in folder_of(tmp_path).glob("*.json")}
    assert left == whole and len(whole) == (where == "removing")
    made = store.put_path(source)
    assert store.verify(made.handle).sha256 == listing_hash(RUN)


def test_a_full_disk_loses_nothing(
    store: ArtifactStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = run_folder(tmp_path / "run")
    known = store.put("known", b"known", media_type="t")

    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "no space")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(LabrigError, match="disk is full"):
            store.put_path(source, keep=True)
        with pytest.raises(LabrigError, match="disk is full"):
            store.put("new", b"new", media_type="t")
        with pytest.raises(LabrigError, match="disk is full"):
            store.put_path(source)
    names = {each.name.partition(".")[0] for each in folder_of(tmp_path).iterdir()} - {""}
    assert names == {known.sha256} and hidden(folder_of(tmp_path)) == []
    assert store.read(known.handle) == b"known"
    assert store.put_path(source).sha256 == listing_hash(RUN)


def test_a_manifest_that_vanishes_half_way_loses_nothing(
    store: ArtifactStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = run_folder(tmp_path / "run")

    def vanish(folder: Folder, name: str, *_: Any) -> None:
        folder.delete(name)
        os.utime(name, dir_fd=folder.descriptor)

    with monkeypatch.context() as patch, pytest.raises(LabrigError, match="no such file"):
        patch.setattr(Folder, "touch", vanish)
        store.put_path(source)
    store.sweep()
    assert {name: (source / name).read_bytes() for name in RUN} == RUN


def test_a_file_that_was_made_to_have_the_hash_of_a_folder(store: ArtifactStore, tmp_path: Path) -> None:
    made = store.put_path(run_folder(tmp_path / "run"))
    listing = (folder_of(tmp_path) / f"{made.sha256}.listing").read_bytes()
    with pytest.raises(LabrigError, match="has the hash of this file"):
        store.put("listing", listing, media_type="text/plain")
    assert store.verify(made.handle) == made


def test_the_same_content_put_at_once(store: ArtifactStore, tmp_path: Path) -> None:
    sources = [run_folder(tmp_path / f"run{n}") for n in range(8)]
    failed: list[BaseException] = []

    def put(source: Path) -> None:
        try:
            store.put_path(source, name="run", keep=source.name < "run4")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=put, args=(source,)) for source in sources]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and [source.exists() for source in sources] == [True] * 4 + [False] * 4
    assert store.verify(f"sha256:{listing_hash(RUN)}").name == "run"
    assert len(list(folder_of(tmp_path).iterdir())) == 4, "content, manifest, listing, lock"


BUSY = """
import os, random, sys, time
from pathlib import Path
from labrig.artifacts import ArtifactStore, holding
from labrig.errors import LabrigError
from labrig.serving.gc import collect, hold
from labrig.workspace import Workspace
root, what = Path(sys.argv[1]), sys.argv[2]
os.environ["LABRIG_ARTIFACTS_QUOTA_BYTES"] = "200kB"
session = root / "server" / "session"
until = time.monotonic() + 4
counts = dict.fromkeys(("kept", "full", "gone", "collected"), 0)
random.seed(what)
while time.monotonic() < until:
    if what == "gc":
        counts["collected"] += len(collect(root, 0).removed)
        time.sleep(0.02)
        continue
    with hold(session):
        store = ArtifactStore(Workspace(session))
        source = root / f"{what}-run"
        source.mkdir(exist_ok=True)
        for n in range(3):
            (source / f"{n}.bin").write_bytes(bytes([random.randrange(4)]) * 20_000)
        try:
            made = store.put_path(source, keep=random.random() < 0.5)
            with store.opened(made.handle, check=True) as opened:
                time.sleep(0.002)
                assert len(os.listdir(opened.descriptor)) == 3, "removed while open"
            counts["kept"] += 1
        except LabrigError as error:
            if error.code not in ("limit", "not_found"):
                raise
            counts["full" if error.code == "limit" else "gone"] += 1
print(counts["kept"] or counts["collected"], flush=True)
"""


@pytest.mark.accept
def test_putting_and_collecting_at_once(tmp_path: Path) -> None:
    roles = ("a", "b", "gc")
    running = [
        subprocess.Popen([sys.executable, "-c", BUSY, str(tmp_path / "root"), role], stdout=subprocess.PIPE)
        for role in roles
    ]
    for role, process in zip(roles, running, strict=True):
        said, _ = process.communicate()
        assert process.returncode == 0, role
        assert int(said) > 0 or role == "gc", "something was kept"


FILLING = """
import sys
from pathlib import Path
from labrig.artifacts import ArtifactStore
from labrig.errors import LabrigError
from labrig.workspace import Workspace
store = ArtifactStore(Workspace(Path(sys.argv[1])))
first = store.put("first", b"1" * 1_000_000, media_type="t")
source = Path(sys.argv[2])
for keep in (True, False):
    try:
        store.put_path(source, keep=keep)
    except LabrigError as error:
        print(error.code, source.exists())
try:
    store.put("second", b"2" * 3_000_000, media_type="t")
except LabrigError as error:
    print(error.code, len(store.read(first.handle)))
print(sorted(each.name[:3] for each in Path(sys.argv[1], ".labrig", "artifacts").iterdir()) == sorted(
    [".lo", first.sha256[:3], first.sha256[:3]]))
"""


@pytest.mark.accept
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    run_folder(tmp_path / "run", {"a": b"a" * 1_500_000, "b": b"b" * 1_500_000})
    script = 'mount -t tmpfs -o size=2m none "$1" && exec "$2" -c "$3" "$1/work" "$4"'
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    words += [str(tmp_path / "disk"), sys.executable, FILLING, str(tmp_path / "run")]
    done = subprocess.run(words, capture_output=True, text=True)
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(f"no mount namespace here: {done.stderr.strip()}")
    assert done.stdout.splitlines() == ["limit True", "limit True", "limit 1000000", "True"], done.stderr


LARGE = """
import re, sys
from pathlib import Path
from labrig.artifacts import ArtifactStore
from labrig.workspace import Workspace
store = ArtifactStore(Workspace(Path(sys.argv[1])))
for source in sys.argv[2:]:
    for keep in (True, False):
        store.verify(store.put_path(Path(source), keep=keep).handle)
# What getrusage says begins with the memory of the process that started this one.
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.parametrize(
    ("size", "files"),
    [
        pytest.param(1 << 29, 20_000, marks=pytest.mark.accept),
        pytest.param(3 << 30, 100_000, marks=pytest.mark.soak),
    ],
)
def test_large_contents_take_little_memory(tmp_path: Path, size: int, files: int) -> None:
    with (tmp_path / "large.bin").open("wb") as file:
        file.truncate(size)
    many = tmp_path / "many"
    for n in range(files):
        if n % 1000 == 0:
            (many / f"{n // 1000}").mkdir(parents=True)
        (many / f"{n // 1000}" / f"{n}").touch()
    words = [sys.executable, "-c", LARGE, str(tmp_path / "work"), str(tmp_path / "large.bin"), str(many)]
    environment = {**os.environ, "LABRIG_ARTIFACTS_QUOTA_BYTES": "4GiB"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 200 << 10, "KiB"
    assert not (tmp_path / "large.bin").exists() and not many.exists()


def test_there_are_so_many_artifacts_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "MOST", 3)
    store = ArtifactStore(Workspace(tmp_path))
    made = [store.put(f"{n}", f"{n}".encode(), media_type="text/plain").handle for n in range(4)]
    with pytest.raises(LabrigError, match="no such artifact"):
        store.get(made[0])
    assert [store.read(handle) for handle in made[1:]] == [b"1", b"2", b"3"]
    with store.opened(made[1]), store.opened(made[2]), store.opened(made[3]):
        with pytest.raises(LabrigError, match="at most 3 artifacts") as caught:
            store.put("4", b"4", media_type="text/plain")
        assert caught.value.code == "limit"


def test_stores_that_share_a_workspace_count_what_the_other_put(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_ARTIFACTS_QUOTA_BYTES", "100")
    one, other = ArtifactStore(Workspace(tmp_path)), ArtifactStore(Workspace(tmp_path))
    made = []
    for n in range(8):
        made.append((one, other)[n % 2].put(f"{n}", f"{n}".encode() * 30, media_type="t"))
        os.utime(tmp_path / ".labrig" / "artifacts" / f"{made[-1].sha256}.json", (n, n))
        whole = sorted(path.stem for path in (tmp_path / ".labrig" / "artifacts").glob("*.json"))
        assert whole == sorted(each.sha256 for each in made[-3:]), "three of 30 bytes, and the oldest went"
    (tmp_path / ".labrig" / "artifacts" / f"{made[-1].sha256}.json").unlink()  # by hand: its content is swept
    (tmp_path / ".labrig" / "artifacts" / made[-2].sha256).unlink()
    last = [one.put(name, name.encode() * 30, media_type="t") for name in "ab"]
    assert [one.get(each.handle) for each in (made[-3], *last)] == [made[-3], *last]
