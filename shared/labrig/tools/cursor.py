"""Cursors: the rest of a long listing, bound to the question that began it."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from labrig.answer import json_bytes
from labrig.canonical import content_hash
from labrig.errors import LabrigError

T = TypeVar("T")


def encode(question: Any, offset: int) -> str:
    """Return an opaque cursor for `offset` within the answer to `question` (any JSON value)."""
    body = json.dumps([content_hash(question)[:12], offset]).encode()
    return base64.urlsafe_b64encode(body).decode().rstrip("=")


def decode(cursor: str, question: Any) -> int:
    """Return the offset that a cursor holds.

    Raises
    ------
    LabrigError
        If the text is not a cursor, or belongs to other arguments.
    """
    try:
        tag, offset = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not (isinstance(tag, str) and type(offset) is int and offset >= 0):
            raise ValueError
    except (ValueError, binascii.Error, TypeError, RecursionError):
        raise LabrigError(
            "This is not a cursor",
            where="cursor",
            expected="the text that an earlier result gave",
            try_="leave it out to start at the beginning",
        ) from None
    if tag != content_hash(question)[:12]:
        raise LabrigError(
            "This cursor belongs to a call with other arguments",
            where="cursor",
            try_="repeat that call's arguments, or leave the cursor out",
        )
    return offset


def page(
    items: Sequence[T],
    question: Any,
    cursor: str,
    size: int,
    *,
    most_bytes: int | None = None,
    written: Callable[[T], Any] = lambda item: item,
) -> tuple[Sequence[T], str]:
    """Return one page of `items` and the cursor of the next one (empty at the end).

    Parameters
    ----------
    size
        Items on a page, at most.
    most_bytes, written
        A page also ends before the item with which it would take more bytes of JSON, as `written` puts an item into
        the answer; it has one item at least.
    """
    start = decode(cursor, question) if cursor else 0
    end = start + (size if most_bytes is None else fitting(items[start : start + size], most_bytes, written))
    return items[start:end], encode(question, end) if end < len(items) else ""


def fitting(items: Sequence[T], most_bytes: int, written: Callable[[T], Any] = lambda item: item) -> int:
    """Return how many of the first items take at most so many bytes of JSON together; one at least."""
    room = most_bytes
    for number, item in enumerate(items):
        room -= json_bytes(written(item)) + 1  # and what parts it from the next
        if room < 0 and number:
            return number
    return len(items)
