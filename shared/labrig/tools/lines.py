"""Lines of a text as tools count them, and the cut of a text that is too long."""

from __future__ import annotations


def lines_of(text: str) -> list[str]:
    """Return the lines by which `read_file` counts: split at line feeds, the last of which ends a line."""
    return text.removesuffix("\n").split("\n")


def cut(text: str, limit: int, where: str) -> str:
    """Return `text`, or its head and tail with a line between them that says what is missing of the file `where`.

    The head and the tail have `limit` characters together.
    """
    if len(text) <= limit:
        return text
    head, tail = text[: limit - limit // 2], text[len(text) - limit // 2 :]
    first, last = head.count("\n") + 1, text.count("\n") + 1 - tail.count("\n")
    missing = len(text) - limit
    return f"{head}\n[... {missing} characters omitted, lines {first} to {last} of {where} ...]\n{tail}"


def cut_passage(text: str, limit: int, where: str, first: int) -> str:
    """Return a passage of a file, or its first and last lines and between them which lines of the file are missing.

    Lines stay whole, so that no number is cut: of `limit` characters at most. The passage begins with line `first`.
    """
    if len(text) <= limit:
        return text
    head = text[: limit - limit // 2].rpartition("\n")[0]
    tail = text[len(text) - limit // 2 :].partition("\n")[2]
    start = first + head.count("\n") + bool(head)
    end = first + text.count("\n") - tail.count("\n") - bool(tail)
    return f"{head}\n[... lines {start} to {end} of {where} are not shown ...]\n{tail}"
