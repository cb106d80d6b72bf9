"""The mark of a file in a payload; apart, since the face needs it and none of the libraries that payloads load."""

from __future__ import annotations

MARK = "scratch:"
"""Before the name of a file in a payload: it stands for the path that the file will have."""
