"""A ledger, or a part of it, in another file: JSON lines, a HAR file, or a ledger again.

Large bodies go along with a ledger only; the other two say their size and hash.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from labrig.errors import LabrigError
from labrig.http.ledger import har
from labrig.http.ledger.bodies import Bodies, beside
from labrig.http.ledger.ledger import Exchange, Ledger


def export(ledger: Ledger, target: Path, *, host: str = "", since: str = "", force: bool = False) -> int:
    """Write the exchanges of a ledger, all or those of a host or time, to a file, and return how many they are.

    Parameters
    ----------
    target
        Its suffix says the format: ``.jsonl``, ``.har`` or ``.sqlite``. It is there whole, or not at all.
    force
        Write also where there is a file.

    Raises
    ------
    LabrigError
        ``bad_input`` for another suffix, ``refused`` where there is a file, or a ledger that somebody uses.
    """
    write = _WRITERS.get(target.suffix.lower())
    if write is None:
        raise LabrigError(
            f"There is no format for {target.suffix or 'a name without a suffix'}",
            where=str(target),
            expected="a name that ends in " + ", ".join(_WRITERS),
        )
    _require_free(target, ledger.path, force)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{secrets.token_hex(6)}{target.suffix}")
    bodies = beside(target)
    had_bodies = bodies.folder.exists()
    try:
        count = write(ledger.exchanges(host=host, since=since), temporary, bodies)
        temporary.replace(target)
        if write is _part and bodies.folder.exists():
            with Ledger(target, write=True) as part:
                part.remove_unused()  # those of the ledger that was replaced
    except BaseException:
        if not had_bodies:
            shutil.rmtree(bodies.folder, ignore_errors=True)
        raise
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            Path(f"{temporary}{suffix}").unlink(missing_ok=True)
    return count


def _require_free(target: Path, source: Path, force: bool) -> None:
    if not target.exists():
        return
    if target.samefile(source):
        raise LabrigError(
            "This is the ledger itself", where=str(target), expected="another file", code="refused"
        )
    if not force:
        raise LabrigError("There is a file of this name", where=str(target), try_="--force", code="refused")
    if Path(f"{target}-wal").exists() or Path(f"{target}-journal").exists():
        # SQLite would take what is in them for a part of the new file.
        raise LabrigError(
            "This ledger is in use, or was not closed",
            where=str(target),
            expected="another file",
            code="refused",
        )


def _jsonl(exchanges: Iterable[Exchange], path: Path, _: Bodies) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for count, exchange in enumerate(exchanges, 1):  # noqa: B007
            file.write(json.dumps(exchange.to_dict()) + "\n")
    return count


def _har(exchanges: Iterable[Exchange], path: Path, _: Bodies) -> int:
    """Write entry by entry: a ledger may be larger than memory."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{{"log": {json.dumps(har.HEAD)[:-1]}, "entries": [')
        for count, exchange in enumerate(exchanges, 1):
            file.write((",\n" if count > 1 else "\n") + json.dumps(har.entry(exchange)))
        file.write("\n]}}\n")
    return count


def _part(exchanges: Iterable[Exchange], path: Path, bodies: Bodies) -> int:
    count = 0
    with Ledger(path, write=True, bodies=bodies) as part:
        for count, exchange in enumerate(exchanges, 1):  # noqa: B007
            part.add(exchange)
    return count


_WRITERS: dict[str, Callable[[Iterable[Exchange], Path, Bodies], int]] = {
    ".jsonl": _jsonl,
    ".har": _har,
    ".sqlite": _part,
}
