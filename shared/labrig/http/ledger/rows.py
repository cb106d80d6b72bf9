"""Exchanges as rows of a ledger's tables, and back."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from labrig.canonical import sha256
from labrig.http.exchange import Exchange, from_text, to_text
from labrig.http.ledger.bodies import LARGE, Bodies
from labrig.http.ledger.errors import Damaged
from labrig.http.messages import Request, Response
from labrig.http.stored import Stored


@dataclass(frozen=True)
class Entry:
    """One line of a ledger's table of contents: an exchange without headers and bodies.

    Attributes
    ----------
    number
        In order of recording.
    status
        None where the outcome is an error, whose code is `code`.
    media
        The header ``content-type``.
    size, sha256
        Of the response's body.
    """

    number: int
    key: str
    ordinal: int
    method: str
    url: str
    status: int | None
    code: str
    media: str
    size: int
    sha256: str
    recorded_at: str
    service: str


def entry(row: sqlite3.Row) -> Entry:
    """Return a row of the exchanges without what must be looked up or read."""
    return Entry(
        row["number"],
        row["key"],
        row["ordinal"],
        row["method"],
        row["url"],
        row["status"],
        row["code"],
        row["media"],
        row["size"],
        row["content"] or "",
        row["recorded_at"],
        row["service"],
    )


def exchange(db: sqlite3.Connection, bodies: Bodies, row: sqlite3.Row) -> Exchange:
    """Return a row of the exchanges with its bodies; a large one stays in its file."""
    try:
        asked = request(db, bodies, row)
        content = None if row["content"] is None else _body(db, bodies, row["content"], of=str(asked))
        return Exchange(
            asked,
            from_text(row["answer"], content),
            row["ordinal"],
            row["recorded_at"],
            row["took_ms"],
            row["service"],
            row["limit_bytes"],
            row["labrig"],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"exchange {row['number']}: {error}") from error


def request(db: sqlite3.Connection, bodies: Bodies, row: sqlite3.Row, most: int | None = None) -> Request:
    """Return the request of a row, with at most the first `most` bytes of its body."""
    try:
        headers = tuple((str(name), str(value)) for name, value in json.loads(row["headers"]))
    except (ValueError, TypeError) as error:
        raise Damaged(f"exchange {row['number']}: {error}") from error
    body = b"" if row["body"] is None else _body(db, bodies, row["body"], most)
    if isinstance(body, Stored):  # what was sent once was answered elsewhere
        body = body.read()[:most]
    return Request(row["method"], row["url"], headers, body)


def _body(
    db: sqlite3.Connection, bodies: Bodies, name: str, most: int | None = None, of: str = ""
) -> bytes | Stored:
    row = db.execute("SELECT size, data FROM blobs WHERE sha256 = ?", (name,)).fetchone()
    if row is None:
        raise Damaged(f"body {name[:12]} is missing")
    if row["size"] < 0:  # to zlib, 0 as a limit is none
        raise Damaged(f"body {name[:12]} has {row['size']} bytes")
    if row["data"] == IN_FILE:
        return bodies.stored(name, row["size"], of)
    if row["size"] > MOST_PACKED:
        raise Damaged(f"body {name[:12]} is packed, and said to have {row['size']:,} bytes")
    try:
        # No further than the stated size: a ledger may come from elsewhere, and little data unpack to very much.
        data = zlib.decompressobj().decompress(row["data"], row["size"] + 1 if most is None else most)
    except (zlib.error, OverflowError) as error:
        raise Damaged(f"body {name[:12]}: {error}") from error
    if most is None and sha256(data) != name:
        raise Damaged(f"body {name[:12]} is not what was written")
    return data


MOST_PACKED = 128 << 20
"""Bytes of a packed body: those above `LARGE` are files now, and were at most 64 MiB before unless asked for."""

Blob = tuple[str, int, bytes]
IN_FILE = b"in a file"
"""In place of the data of a body that is a file; packed data never begins so (RFC 1950: its first byte is 0x78)."""


def blobs(of: Exchange) -> list[Blob]:
    """Return the bodies of an exchange, packed, those that are files without their data."""
    bodies = [of.request.body] if of.request.body else []
    in_file: list[Blob] = []
    if isinstance(of.outcome, Response):
        if of.outcome.size > LARGE:
            in_file.append((of.outcome.sha256, of.outcome.size, IN_FILE))
        else:
            bodies.append(of.outcome.body)
    return [(sha256(body), len(body), zlib.compress(body)) for body in bodies] + in_file


def insert(db: sqlite3.Connection, new: Exchange, key: str, bodies: list[Blob]) -> None:
    """Write an exchange at the end."""
    db.executemany("INSERT OR IGNORE INTO blobs VALUES (?, ?, ?)", bodies)
    asked, outcome = new.request, new.outcome
    response = outcome if isinstance(outcome, Response) else None
    error = None if isinstance(outcome, Response) else outcome
    values = {
        "key": key,
        "ordinal": new.ordinal,
        "method": asked.method,
        "host": asked.host,
        "url": asked.url,
        "headers": json.dumps(asked.headers),
        "body": sha256(asked.body) if asked.body else None,
        "status": response.status if response else None,
        "code": error.code if error else "",
        "media": response.headers.get("content-type", "") if response else "",
        "size": response.size if response else 0,
        "answer": to_text(outcome),
        "content": response.sha256 if response else None,
        "recorded_at": new.recorded_at,
        "took_ms": new.took_ms,
        "service": new.service,
        "limit_bytes": new.limit_bytes,
        "labrig": new.labrig,
    }
    names = ", ".join(values)
    db.execute(f"INSERT INTO exchanges ({names}) VALUES (:{names.replace(', ', ', :')})", values)


def remove_series(db: sqlite3.Connection, key: str, ordinal: int) -> set[str]:
    """Remove a recording and those that followed it, and bodies that nothing else has; return the names of all."""
    which, values = "key = ? AND ordinal >= ?", (key, ordinal)
    bodies = {
        name
        for row in db.execute(f"SELECT body, content FROM exchanges WHERE {which}", values)
        for name in row
        if name is not None
    }
    db.execute(f"DELETE FROM exchanges WHERE {which}", values)
    db.executemany(
        """DELETE FROM blobs WHERE sha256 = ?1
           AND NOT EXISTS (SELECT 1 FROM exchanges WHERE body = ?1)
           AND NOT EXISTS (SELECT 1 FROM exchanges WHERE content = ?1)""",
        [(name,) for name in bodies],
    )
    return bodies


def unnamed(db: sqlite3.Connection, names: Iterable[str]) -> list[str]:
    """Return which of the names of bodies no exchange has, or one whose data is in the ledger itself."""
    query = "SELECT 1 FROM blobs WHERE sha256 = ? AND data = ?"
    return [name for name in names if db.execute(query, (name, IN_FILE)).fetchone() is None]


def ranges(db: sqlite3.Connection, asked: Request) -> list[tuple[int, int]]:
    """Return first and last byte of the parts that were had of what a request asks for, in order of recording."""
    rows = db.execute(
        "SELECT * FROM exchanges WHERE host = ? AND url = ? AND method = ? AND status = 206 ORDER BY number",
        (asked.host, asked.url, asked.method),
    )
    found = []
    for row in rows:
        headers = {str(name): str(value) for name, value in json.loads(row["headers"])}
        part = re.fullmatch(r"bytes=(\d{1,18})-(\d{1,18})", headers.pop("range", ""))
        if part and headers == dict(asked.headers):
            found.append((int(part[1]), int(part[2])))
    return found


REMOVE_UNUSED = """DELETE FROM blobs WHERE sha256 NOT IN (
    SELECT content FROM exchanges WHERE content IS NOT NULL UNION SELECT body FROM exchanges WHERE body IS NOT NULL)"""
"""Removes all bodies that no exchange has."""


def where(
    *, host: str = "", since: str = "", before: str = "", status: str = "", errors: bool = False
) -> tuple[str, list[str | int]]:
    """Return a condition on exchanges, and its values. A host without a port means all of its ports."""
    conditions: list[str] = ["TRUE"]
    values: list[str | int] = []
    if host:
        conditions.append("(host = ? OR (host >= ? AND host < ?))")
        name = host.lower()
        values += [name, f"{name}:", f"{name};"]  # the semicolon comes after the colon
    if since:
        conditions.append("recorded_at >= ?")
        values.append(since)
    if before:
        conditions.append("recorded_at < ?")
        values.append(before)
    if errors:  # what `labrig.http.exchange.is_answer` is not
        conditions.append("(status IS NULL OR status = 429 OR status >= 500)")
    if status == "error":
        conditions.append("status IS NULL")
    elif status:
        conditions.append("status = ?")
        values.append(int(status))
    return " AND ".join(conditions), values
