"""Sources of a store of pages that are made to do harm: dumps, folders and articles."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

HEAD = "<mediawiki><siteinfo><sitename>W</sitename><base>https://en.wikipedia.org/wiki/M</base></siteinfo>"
PAGE = "<page><title>%s</title><ns>0</ns><revision><id>1</id><text>%s</text></revision></page>"
END = "</mediawiki>"
GOOD = PAGE % ("Ulm", "A town on the Danube.")
ENTITIES = f'<!DOCTYPE m [<!ENTITY a "{"x" * 100_000}">]>'


def _dump(text: str, pack: Callable[[bytes], bytes] = bytes, name: str = "a.xml") -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        (folder / name).write_bytes(pack(text.encode()))
        return folder / name

    return made


def _folder(files: dict[str, bytes]) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return folder

    return made


def _made_folder(folder: Path) -> Path:
    (folder / "a.toml").mkdir()
    return folder


def _linked(folder: Path) -> Path:
    (folder / "a.toml").symlink_to("/dev/zero")
    return folder


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "entities that grow": (_dump(ENTITIES + HEAD + PAGE % ("A", "&a;" * 90) + END), "document type"),
    "entities behind a long comment": (
        _dump(f"<!--{'-.' * 20_000}-->{ENTITIES}{HEAD}{PAGE % ('A', '&a;' * 90)}{END}"),
        "document type",
    ),
    "entities in another encoding": (
        _dump(
            '<?xml version="1.0" encoding="utf-16"?>' + ENTITIES + HEAD + END,
            lambda data: data.decode().encode("utf-16"),
        ),
        "not in UTF-8",
    ),
    "a codec of Python's": (_dump('<?xml version="1.0" encoding="zlib"?>' + HEAD + END), "no page"),
    "elements in each other": (_dump(HEAD + "<page>" + "<a>" * 100_000), "in each other"),
    "elements without end": (
        _dump(HEAD + "<page>" + "<a/>" * 20_000, lambda data: gzip.compress(data, 1), "a.xml.gz"),
        "elements, or",
    ),
    "a bomb": (
        _dump(HEAD + "<x/>" * 400_000 + END, lambda data: bz2.compress(data, 1), "a.xml.bz2"),
        "times its bytes",
    ),
    "a stream that is cut and bent": (
        _dump(HEAD + GOOD * 99, lambda data: gzip.compress(data)[:60] + bytes(99), "a.xml.gz"),
        "no whole dump",
    ),
    "an article of brackets": (_folder({"a.toml": b"x = " + b"[" * 100_000}), "not TOML"),
    "an article of dots": (_folder({"a.toml": b"a." * 50_000 + b"a=1"}), "32 parts"),
    "an article of quoted dots": (_folder({"a.toml": b"['a'" + b' . "a"' * 50_000 + b"]"}), "32 parts"),
    "an article of digits": (_folder({"a.toml": b"x = " + b"1" * 5_000}), "not TOML"),
    "an article that is a folder": (_made_folder, "no file"),
    "an article that is a link": (_linked, "has no links"),
    "an article that is no text": (_folder({"a.toml": b'x = "\xff"'}), "not TOML"),
}
"""What makes each, and a word of the refusal."""

ACTING = "\x1b]0;owned\x07\x1b[31m\u202e"
BUILT: dict[str, Callable[[Path], Path]] = {
    "a host that is none": _dump(HEAD.replace("https://en.wikipedia.org", "http://[x") + GOOD + END),
    "a host of other characters": _dump(HEAD.replace("en.wikipedia.org", "a&#155;31m b") + GOOD + END),
    "a title of a megabyte": _dump(HEAD + PAGE % ("T" * 1_000_000, "x") + GOOD + END),
    "a title that acts on a terminal": _dump(HEAD + PAGE % ("A&#155;31m\u202ex", "x") + GOOD + END),
    "a file whose name acts on a terminal": _folder({"Ulm.html": b"<p>x", f"Talk:{ACTING}.html": b"<p>x"}),
}
"""Sources that hold one page, and something that is left out or passed over."""
