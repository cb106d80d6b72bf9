"""What is delivered of a result: its text up to so many characters, for every agent alike."""

from __future__ import annotations

from typing import Any


def cut(wire: dict[str, Any], most: int) -> dict[str, Any]:
    """Return a result, in wire form, with at most so many characters of text, and no structured content.

    Structured content says the same once more, and clients differ in which of the two they show. That something was
    cut is said in a part of its own, beyond `most`. Pictures and links stay.

    >>> [part["text"] for part in cut({"content": [{"type": "text", "text": "abcdef"}]}, 4)["content"]]
    ['abcd', '[cut: 4 of 6 characters are shown]']
    """
    content = [dict(each) for each in wire.get("content") or ()]
    holders = [holder for each in content if (holder := _find_holder(each)) is not None]
    whole, left = sum(len(each["text"]) for each in holders), most
    for holder in holders:
        holder["text"] = holder["text"][:left]
        left -= len(holder["text"])
    if whole > most:
        content = [each for each in content if (_find_holder(each) or {}).get("text") != ""]
        content.append({"type": "text", "text": f"[cut: {most:,} of {whole:,} characters are shown]"})
    return {**{key: value for key, value in wire.items() if key != "structuredContent"}, "content": content}


def text_bytes(wire: dict[str, Any]) -> int:
    """Return the bytes of a result's text."""
    holders = (_find_holder(each) for each in wire.get("content") or ())
    return sum(len(each["text"].encode("utf-8", "surrogatepass")) for each in holders if each is not None)


def _find_holder(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return what holds the text of a content part: the part, or the resource in it (a copy, put in its place)."""
    if isinstance(part.get("resource"), dict):
        part["resource"] = dict(part["resource"])
        return part["resource"] if isinstance(part["resource"].get("text"), str) else None
    return part if isinstance(part.get("text"), str) else None
