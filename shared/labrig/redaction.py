"""Keeping keys out of what is written: records, reports, errors.

A key is the value of an environment variable whose name says so (``..._API_KEY``, ``..._TOKEN``). Its value is
replaced wherever it turns up, so no writer has to know where a service or a program may echo it.
"""

from __future__ import annotations

import os
import re

NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:$|_)", re.IGNORECASE)
SHORTEST = 8
"""Values shorter than this are no keys: replacing them would damage ordinary text."""


def keys() -> list[str]:
    """Return the values of this process's environment that are keys, longest first."""
    found = {value for name, value in os.environ.items() if NAME.search(name) and len(value) >= SHORTEST}
    # A path or a flag is no secret, though its variable may be called ..._TOKEN_FILE.
    return sorted((value for value in found if not value.startswith("/")), key=len, reverse=True)


def redact(text: str) -> str:
    """Return a text with every key replaced by ``[key]``."""
    for key in keys():
        text = text.replace(key, "[key]")
    return text


def redact_bytes(data: bytes) -> bytes:
    """Return UTF-8 bytes with every key replaced by ``[key]``."""
    for key in keys():
        data = data.replace(key.encode("utf-8", "surrogateescape"), b"[key]")
    return data
