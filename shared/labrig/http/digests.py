"""What a service says that the bytes of a file hash to, read from the headers in which that is said.

``Repr-Digest`` (RFC 9530), ``Digest`` (RFC 3230), ``Content-MD5`` (RFC 1864), and what object stores send in their
place: ``x-amz-checksum-sha256`` and ``x-goog-hash``. They are taken to be of the whole file as it is sent, not packed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ALGORITHMS = {"sha-512": "sha512", "sha-256": "sha256", "md5": "md5"}
"""Names in headers, the strongest first, and what hashlib calls them. MD5 tells another file, not a forged one."""
_MEMBER = re.compile(r"([A-Za-z0-9-]+)\s*=\s*(:?)([A-Za-z0-9+/]+={0,2})\2(?=\s*(?:[,;]|$))")


@dataclass(frozen=True)
class Digest:
    """A hash that a file must have: an algorithm of hashlib, and the bytes in hexadecimal."""

    algorithm: str
    hex: str

    def of(self, path: Path) -> bool:
        """Return whether a file has it."""
        with path.open("rb") as file:
            return hashlib.file_digest(file, self.algorithm).hexdigest() == self.hex


def stated(headers: Mapping[str, str]) -> Digest | None:
    """Return the strongest hash that an answer states of the whole file; None where it states none that can be read.

    Parameters
    ----------
    headers
        Of an answer with the whole file; of one with a part, ``Repr-Digest`` alone is certain to be of the whole.
    """
    said = [headers.get("repr-digest", "")]
    if "content-range" not in headers:
        said.append(headers.get("digest", ""))
        if headers.get("x-goog-stored-content-encoding", "identity").lower() == "identity":
            said.append(headers.get("x-goog-hash", ""))
    found = {name.lower(): value for text in said for name, _, value in _MEMBER.findall(text)}
    if "content-range" not in headers:
        found.setdefault("sha-256", headers.get("x-amz-checksum-sha256", ""))
        found.setdefault("md5", headers.get("content-md5", ""))
    for name, algorithm in ALGORITHMS.items():
        try:
            raw = base64.b64decode(found.get(name, ""), validate=True)
        except binascii.Error:
            continue
        if len(raw) == hashlib.new(algorithm, usedforsecurity=False).digest_size:
            return Digest(algorithm, raw.hex())
    return None
