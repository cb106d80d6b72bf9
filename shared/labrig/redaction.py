"""Keeping keys out of what is written: records, reports, errors.

A key is the value of an environment variable whose name says so (``..._API_KEY``, ``..._TOKEN``). Its value is
replaced wherever it turns up, so no writer has to know where a service or a program may echo it.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:$|_)", re.IGNORECASE)
SHORTEST = 8
"""Values shorter than this are no keys: replacing them would damage ordinary text."""


@lru_cache(maxsize=4096)
def _is_key(name: str) -> bool:
    return NAME.search(name) is not None


def keys() -> list[str]:
    """Return the values of this process's environment that are keys, longest first."""
    found = {os.environ[name] for name in os.environ if _is_key(name)}
    # A path or a flag is no secret, though its variable may be called ..._TOKEN_FILE.
    wanted = (value for value in found if len(value) >= SHORTEST and not value.startswith("/"))
    return sorted(wanted, key=len, reverse=True)


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
