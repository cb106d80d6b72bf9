"""Which recorded requests resemble one that is not recorded."""

from __future__ import annotations

import sqlite3

from labrig.http.difference import resemblance
from labrig.http.ledger.bodies import Bodies
from labrig.http.ledger.rows import request as read
from labrig.http.messages import Request

COMPARED = 1_000
"""Recorded requests that are looked at: before it in the order of URLs, after it, and the latest."""
BODY_BYTES = 16_384
ELSEWHERE = 0.7
"""Requests to other hosts must resemble it so much: that is the same service at another address."""


def nearest(db: sqlite3.Connection, bodies: Bodies, wanted: Request, n: int) -> list[Request]:
    """Return up to `n` recorded requests, best first: same host and method before all else."""
    rows = {row["key"]: row for row in _candidates(db, wanted)}
    judged = [(read(db, bodies, row, BODY_BYTES), row) for row in rows.values()]
    for quick, most in ((True, max(20, n)), (False, n)):  # exact resemblance takes long
        ranked = [
            (
                (
                    request.host == wanted.host,
                    request.method == wanted.method,
                    resemblance(wanted, request, quick=quick),
                ),
                number,
            )
            for number, (request, _) in enumerate(judged)
        ]
        best = sorted(ranked, key=lambda each: each[0], reverse=True)[:most]
        judged = [judged[number] for (here, _, likeness), number in best if here or likeness >= ELSEWHERE]
    return [read(db, bodies, row) for _, row in judged]


def _candidates(db: sqlite3.Connection, wanted: Request) -> list[sqlite3.Row]:
    """Return rows of the same host; those next to it in the order of URLs begin as it does."""
    columns = "SELECT number, key, method, url, headers, body FROM exchanges"
    found: list[sqlite3.Row] = []
    for which, values in (
        ("host = ? AND url >= ? ORDER BY url", [wanted.host, wanted.url]),
        ("host = ? AND url < ? ORDER BY url DESC", [wanted.host, wanted.url]),
        ("host = ? ORDER BY number DESC", [wanted.host]),
    ):
        found += db.execute(f"{columns} WHERE {which} LIMIT {COMPARED}", values)
    return found or db.execute(f"{columns} ORDER BY number DESC LIMIT {COMPARED}").fetchall()
