"""Exchanges as rows of a ledger's tables, and back."""

from __future__ import annotations

import json
import sqlite3
import zlib
from dataclasses import dataclass

from labrig.canonical import sha256
from labrig.http.exchange import Exchange, from_text, to_text
from labrig.http.ledger.errors import Damaged
from labrig.http.messages import Request, Response


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


def exchange(db: sqlite3.Connection, row: sqlite3.Row) -> Exchange:
    """Return a row of the exchanges with its bodies."""
    try:
        return Exchange(
            request(db, row),
            from_text(row["answer"], None if row["content"] is None else _body(db, row["content"])),
            row["ordinal"],
            row["recorded_at"],
            row["took_ms"],
            row["service"],
            row["limit_bytes"],
            row["labrig"],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"exchange {row['number']}: {error}") from error


def request(db: sqlite3.Connection, row: sqlite3.Row, most: int | None = None) -> Request:
    """Return the request of a row, with at most the first `most` bytes of its body."""
    try:
        headers = tuple((str(name), str(value)) for name, value in json.loads(row["headers"]))
    except (ValueError, TypeError) as error:
        raise Damaged(f"exchange {row['number']}: {error}") from error
    return Request(
        row["method"], row["url"], headers, b"" if row["body"] is None else _body(db, row["body"], most)
    )


def _body(db: sqlite3.Connection, name: str, most: int | None = None) -> bytes:
    row = db.execute("SELECT size, data FROM blobs WHERE sha256 = ?", (name,)).fetchone()
    if row is None:
        raise Damaged(f"body {name[:12]} is missing")
    try:
        # No further than the stated size: a ledger may come from elsewhere, and little data unpack to very much.
        data = zlib.decompressobj().decompress(row["data"], row["size"] + 1 if most is None else most)
    except (zlib.error, OverflowError) as error:
        raise Damaged(f"body {name[:12]}: {error}") from error
    if most is None and sha256(data) != name:
        raise Damaged(f"body {name[:12]} is not what was written")
    return data


Blob = tuple[str, int, bytes]


def blobs(of: Exchange) -> list[Blob]:
    """Return the bodies of an exchange, packed."""
    bodies = [of.request.body] if of.request.body else []
    if isinstance(of.outcome, Response):
        bodies.append(of.outcome.body)
    return [(sha256(body), len(body), zlib.compress(body)) for body in bodies]


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
        "size": len(response.body) if response else 0,
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


def remove_series(db: sqlite3.Connection, key: str, ordinal: int) -> None:
    """Remove a recording and those that followed it, and bodies that nothing else has."""
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
