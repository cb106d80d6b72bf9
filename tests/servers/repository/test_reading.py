"""Text, its first and last lines, encodings and limits; the commands head and tail are the judge."""

from __future__ import annotations

import base64
import codecs
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig.tools.reading import Text, encoding_of, read_binary_file, read_text_file
from labrig_repository.folder.folder import Folder
from support.memory_repository import Memory


def reads(content: bytes, **how: Any) -> Text:
    return read_text_file(Memory({"f": content}), "f", **{"most_bytes": 1 << 20, **how})


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 100])
@pytest.mark.parametrize(
    "content", [b"", b"a", b"a\n", b"a\nb\nc\n", b"a\nb\nc", b"\n\n\n", b"a\r\nb\r\n", b"a\rb"]
)
def test_head_and_tail_are_those_of_the_commands(content: bytes, count: int, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(content)
    for name in ("head", "tail"):
        said = subprocess.run(
            [name, "-n", str(count), tmp_path / "f"], capture_output=True, check=True
        ).stdout
        assert reads(content, **{name: count}).text == said.decode()


@given(
    st.text("aé\n", max_size=60),
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]),
    st.integers(0, 12),
)
def test_lines_are_the_same_in_every_encoding(text: str, encoding: str, count: int) -> None:
    """In these letters the bytes of a line end stand across two characters, in either order of bytes."""
    text = f"{text}\u0a41\u0100\u0a41\u0100\n{text}"
    content = f"\ufeff{text}".encode(encoding)
    *ended, rest = text.split("\n")
    lines = [f"{line}\n" for line in ended] + [rest] * bool(rest)
    assert reads(content).text == text
    assert reads(content, head=count).text == "".join(lines[:count])
    assert reads(content, tail=count).text == "".join(lines[len(lines) - min(count, len(lines)) :])
    assert reads(content).encoding == encoding
    for first in range(1, len(ended) + 2):
        assert reads(content, start_line=first, head=count).text == "".join(lines[first - 1 :][:count])


def test_a_file_is_read_from_any_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labrig.tools.reading._BLOCK", 64)
    content = b"".join(b"line %d\n" % number for number in range(1, 101))
    assert reads(content, start_line=57, head=2).text == "line 57\nline 58\n"
    assert reads(content, start_line=99).text == "line 99\nline 100\n"
    assert reads(content, start_line=101).text == ""
    with pytest.raises(LabrigError, match="The file has 100 line ends"):
        reads(content, start_line=102)
    for how in ({"start_line": 0}, {"start_line": 3, "tail": 1}):
        with pytest.raises(LabrigError, match="goes with head alone"):
            reads(content, **how)


@pytest.mark.parametrize(
    ("content", "encoding", "text"),
    [
        ("µg/L\n".encode(), "utf-8", "µg/L\n"),
        (codecs.BOM_UTF8 + b"a,b\n", "utf-8", "a,b\n"),
        ("µg/L\n".encode("latin-1"), "latin-1", "µg/L\n"),
        ("\ufeffµ\n".encode("utf-16-le"), "utf-16-le", "µ\n"),
        (b"a\tb\x0c\n\x1b[0m", "utf-8", "a\tb\x0c\n\x1b[0m"),  # a log with colours is text
    ],
)
def test_encodings_are_said(content: bytes, encoding: str, text: str) -> None:
    found = reads(content)
    assert (found.encoding, found.text, found.replaced) == (encoding, text, 0)


def test_a_character_across_the_end_of_what_was_looked_at_is_no_other_encoding() -> None:
    assert encoding_of(("a" + "é" * 5000).encode()[:8192]) == "utf-8"


def test_bytes_that_are_no_utf_8_further_down_are_counted() -> None:
    found = reads(b"a\n" * 10_000 + b"5 \xb5g\n")
    assert (found.encoding, found.replaced, found.text[-5:]) == ("utf-8", 1, "5 \ufffdg\n")


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04rest",
        b"\x89HDF\r\n",
        b"a\0b",
        bytes(range(256)),
        b"\x01\x02\x03\x04" * 9,
        b"%PDF-1.7 text",
    ],
)
def test_what_is_not_text_is_refused_with_a_way_out(content: bytes) -> None:
    with pytest.raises(LabrigError, match=r"not text.*read_binary_file"):
        reads(content)


@pytest.mark.parametrize("how", [{"head": -1}, {"tail": -1}, {"head": True}, {"tail": 1.5}, {"head": "3"}])
def test_numbers_of_lines_that_cannot_be(how: dict[str, Any]) -> None:
    with pytest.raises(LabrigError, match="a number of lines"):
        reads(b"a\n", **how)


def test_head_and_tail_exclude_each_other() -> None:
    for head, tail in ((1, 1), (0, 0), (0, 3)):
        with pytest.raises(LabrigError, match="head and tail"):
            reads(b"a\n", head=head, tail=tail)


def test_a_cut_is_said_and_no_character_is_broken() -> None:
    content = ("é" * 10 + "\n").encode() * 100
    for most in range(40, 50):
        head, tail = reads(content, most_bytes=most), reads(content, tail=50, most_bytes=most)
        assert head.cut and content.decode().startswith(head.text) and head.replaced == 0
        assert tail.cut and content.decode().endswith(tail.text) and tail.replaced == 0
        assert most - 4 < len(head.text.encode()) <= most >= len(tail.text.encode()) > most - 4
    with pytest.raises(LabrigError, match="2,100 bytes"):
        reads(content, most_bytes=100, whole=True)
    assert not reads(content, most_bytes=100, whole=True, head=2).cut
    assert not reads(content, most_bytes=100, whole=True, tail=2).cut


def test_the_ends_of_a_file_of_gigabytes_are_read_alone(tmp_path: Path) -> None:
    with (tmp_path / "f").open("wb") as file:
        file.write(b"first\nsecond\n" + b"x" * 9000)
        file.seek(6 << 30)
        file.write(b"\nlast but one\nlast\n")
    here = Folder(tmp_path)
    assert read_text_file(here, "f", tail=2, most_bytes=1 << 20).text == "last but one\nlast\n"
    assert read_text_file(here, "f", head=2, most_bytes=1 << 20).text == "first\nsecond\n"
    memory = Memory({"f": b"line\n" * 2_000_000})
    read_text_file(memory, "f", tail=3, most_bytes=1 << 20)
    assert memory.reads < 100_000


def test_a_file_that_shrinks_between_two_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_bytes(b"a\nb\n")
    here = Folder(tmp_path)
    monkeypatch.setattr(Folder, "size", lambda self, path: 1 << 21)
    assert read_text_file(here, "f", tail=1, most_bytes=1 << 20).text == ""
    assert read_text_file(here, "f", head=1, most_bytes=1 << 20).text == "a\n"


def test_bytes_are_given_whole_or_not_at_all() -> None:
    memory = Memory({"t.csv": bytes(range(256))})
    encoded, kind = read_binary_file(memory, "t.csv", most_bytes=256)
    assert (base64.b64decode(encoded), kind) == (bytes(range(256)), "text/csv")
    with pytest.raises(LabrigError, match="256 bytes"):
        read_binary_file(memory, "t.csv", most_bytes=255)
    with pytest.raises(LabrigError, match="no such file"):
        read_binary_file(memory, "u.csv", most_bytes=255)
