"""Samples with files of bytes, limits and needs: read strictly, written as before where nothing new is used."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig_harness import blobs
from labrig_harness.blobs import Blob
from labrig_harness.left_files import left_files
from labrig_harness.recording.cutting import cut
from labrig_harness.sample import Attachment, Sample, SampleInput

OLD = (
    '{"suite": "s", "suite_version": "1", "brief": {"id": "i", "prompt": "?", "files": {"a.txt": "b"}, "attachments": '
    '[{"name": "p", "media_type": "image/png", "data": "AAAA"}], "choices": ["A"]}, "truth": {"x": 1}, "labels": {}, '
    '"schema": "labrig.task/2"}'
)


def sample(**brief: Any) -> Sample:
    return Sample("s", "1", SampleInput("i", "?", **brief), {"x": 1})


def test_a_sample_that_uses_nothing_new_is_written_as_before() -> None:
    assert json.dumps(Sample.from_dict(json.loads(OLD)).to_dict()) == OLD


def test_bytes_are_named_by_hash_and_come_back(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"x" * (3 << 20))
    made = sample(
        files={"d/a.bin": Blob.of(large), "b.txt": "text"},
        attachments=(Attachment("p", "application/pdf", blob=Blob.of(b"%PDF")),),
    )
    line = json.loads(json.dumps(made.to_dict()))
    assert line["schema"] == "labrig.task/3" and "source" not in json.dumps(line)
    blobs.keep(made.blobs, tmp_path)
    read = Sample.from_dict(line).beside(tmp_path)
    assert read == made and read.brief.attachments[0].content() == b"%PDF"
    (tmp_path / "w").mkdir()
    blobs.place(read.brief.files, tmp_path / "w")
    assert (tmp_path / "w" / "d" / "a.bin").read_bytes() == large.read_bytes()
    (tmp_path / "w" / "new").symlink_to("/etc/passwd")
    (tmp_path / "w" / "b.txt").write_text("changed")
    left, note = left_files(tmp_path / "w", read.brief.files)
    assert [file.path for file in left] == ["b.txt"] and note == ""


def test_what_cannot_be_read_of_a_workspace_is_counted_and_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(18):  # a path has 4,096 bytes at most
        os.mkdir("d" * 250, dir_fd=folder)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=folder)
        os.close(os.open("f" * 250, os.O_CREAT | os.O_WRONLY, dir_fd=inner))
        os.close(folder)
        folder = inner
    os.close(folder)
    left, note = left_files(tmp_path, {})
    assert left[0].path == "a.txt" and 10 < len(left) < 19
    assert "cannot be read" in note and "too long" in note


def test_a_line_cannot_say_where_its_bytes_are() -> None:
    line = sample(files={"a": Blob.of(b"1")}).to_dict()
    line["brief"]["files"]["a"]["source"] = "/etc/passwd"
    (read,) = Sample.from_dict(line).blobs
    assert read.source is None
    with pytest.raises(LabrigError, match="is not here"):
        read.read()


@pytest.mark.parametrize(
    "path", ["/etc/x", "../x", "a/../../x", "", ".", "a//b", "./a", ".labrig/x", "a\nb", "a/", "x" * 2000]
)
def test_a_file_stays_in_the_workspace(path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        sample(files={path: "x"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"limits": {"max_stepz": 3}}, "max_stepz"),
        ({"limits": {"max_steps": 0}}, "max_steps=0"),
        ({"limits": {"max_steps": 1.5}}, r"max_steps=1\.5"),
        ({"limits": {"wall_s": -1}}, "wall_s"),
        ({"limits": {"wall_s": 1e9}}, "wall_s"),
        ({"limits": {"max_steps": 1e300}}, "max_steps"),
        ({"limits": {"wall_s": "much"}}, "wall_s"),
        ({"needs": "sandbox"}, "needs"),
        ({"schema": "labrig.task/9"}, "labrig.task/9"),
        ({"brief": {"id": "i", "prompt": "?", "files": {"a": "x", "a/b": "y"}}}, "folder of another"),
        ({"brief": {"id": "i", "prompt": "?", "files": {"a": {"sha256": "..", "size": 1}}}}, "sha256"),
        ({"brief": {"id": "i", "prompt": "?", "files": {"a": {"sha256": "0" * 64, "size": -1}}}}, "size"),
        ({"brief": {"id": "i", "prompt": "?", "files": {"a": 7}}}, "files"),
    ],
)
def test_what_a_line_cannot_hold_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Sample.from_dict({**sample().to_dict(), **change})


def test_a_result_is_cut_over_all_its_texts() -> None:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    resource = {"type": "resource", "resource": {"uri": "x:y", "text": "é" * 10}}
    wire = {"content": [{"type": "text", "text": "abc"}, image, resource, {"type": "text", "text": "more"}],
            "structuredContent": {"a": 1}, "_meta": {"m": 1}}  # fmt: skip
    given = cut(wire, 5)
    assert given["content"][:2] == wire["content"][:2] and given["content"][2]["resource"]["text"] == "éé"
    assert [each.get("text") for each in given["content"][3:]] == ["[cut: 5 of 17 characters are shown]"]
    assert "structuredContent" not in given and given["_meta"] == {"m": 1}
    assert wire["content"][2]["resource"]["text"] == "é" * 10, "the record keeps the whole"
    assert cut(wire, 17)["content"] == wire["content"]
    assert cut({"content": []}, 5)["content"] == [] and cut({}, 5)["content"] == []


@pytest.mark.parametrize("kind", ["endless", "pipe", "hole", "another file"])
def test_a_file_beside_samples_may_be_anything(tmp_path: Path, kind: str) -> None:
    line = sample(files={"a": Blob.of(b"1")}).to_dict()
    read = Sample.from_dict(line).beside(tmp_path)
    (blob,) = read.blobs
    (tmp_path / "files").mkdir()
    path = tmp_path / "files" / blob.sha256
    if kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "hole":
        path.touch()
        os.truncate(path, 1 << 40)
    else:
        path.symlink_to("/etc/passwd")
    (tmp_path / "w").mkdir()
    with pytest.raises(LabrigError, match=r"is not here|no longer has its hash"):
        blobs.place(read.brief.files, tmp_path / "w")
    assert list((tmp_path / "w").iterdir()) == []


def test_a_limit_is_a_number(tmp_path: Path) -> None:
    for endless in ("Infinity", "NaN", "1e999"):
        line = {**sample().to_dict(), "schema": "labrig.task/3", "limits": {"max_steps": 1}}
        for name in ("max_steps", "wall_s"):
            text = json.dumps({**line, "limits": {name: 0}}).replace(f'"{name}": 0', f'"{name}": {endless}')
            with pytest.raises(ValueError, match="no limit of a sample"):
                Sample.from_dict(json.loads(text))
