"""A libzim that a file has taken over: it tries what it may reach, gives that as pages, then crashes and lies.

Its text is written as ``libzim/reader.py`` where a store is built from a ZIM file (`laid_out`).
"""

from __future__ import annotations

from pathlib import Path

ACTS = ("Reads a file", "Reads a key", "Writes a file", "Starts a program", "Opens a socket")


def laid_out(folder: Path) -> None:
    """Write the package into a folder, beside which ``secret`` is not to be read."""
    (folder / "libzim").mkdir()
    (folder / "libzim" / "__init__.py").touch()
    (folder / "libzim" / "reader.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")


class Archive:
    """Entries: one for each act, whose title says whether it succeeded; a crash; an answer of no sense; a good page."""

    all_entry_count = len(ACTS) + 3

    def __init__(self, path: Path) -> None:
        self.size = path.open("rb").seek(0, 2)

    def _get_entry_by_id(self, number: int) -> Entry:
        if number < len(ACTS):
            return Entry(f"{ACTS[number]} {_succeeds(ACTS[number])}")
        if number == len(ACTS):
            import os
            import signal

            os.kill(os.getpid(), signal.SIGSEGV)
        if number == len(ACTS) + 1:
            return Entry(7)  # type: ignore[arg-type]
        return Entry(f"A good page behind it, of {self.size}")


class Entry:
    """An entry, and its item."""

    is_redirect = False
    mimetype = "text/html"
    content = b"<p>A town on the Danube."
    size = len(content)

    def __init__(self, path: str) -> None:
        self.path = path

    def get_item(self) -> Entry:
        """Return the content."""
        return self


def _succeeds(act: str) -> bool:
    import os
    import socket
    import subprocess

    outside = Path(__file__).parents[2]
    try:
        match act:
            case "Reads a file":
                return bool((outside / "secret").read_bytes())
            case "Reads a key":
                return "LABRIG_TEST_KEY" in os.environ
            case "Writes a file":
                return bool((outside / "written").write_text("x"))
            case "Starts a program":
                return subprocess.run(["/bin/true"], check=False).returncode == 0
            case _:
                socket.socket()
                return True
    except OSError:
        return False
