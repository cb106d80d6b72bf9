"""A service that goes on, after a break, with the bytes of another file of the same size and ETag."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from support.imitation import Answer, Hit, head, raw


def mixed(
    body: bytes, other: bytes, breaks_at: int, headers: Mapping[str, str], *, honest_later: bool = True
) -> Callable[[Hit], Answer]:
    """Return an answer: `body` up to a break, then the rest of `other` as if it were the same file.

    Parameters
    ----------
    headers
        Sent with every answer: what the service says that its file hashes to.
    honest_later
        Whether `body` is sent when all of it is asked for again; else `other`.
    """
    times = 0

    def answer(hit: Hit) -> Answer:
        nonlocal times
        times += 1
        given = [("ETag", '"same"'), *headers.items()]
        if times == 1:
            return raw(head(200, [("Content-Length", str(len(body))), *given]) + body[:breaks_at])
        first = int(hit.headers.get("range", "bytes=0-")[6:].rstrip("-"))
        rest = (body if honest_later and not first else other)[first:]
        given.append(("Content-Length", str(len(rest))))
        if first:
            given.append(("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}"))
        return raw(head(206 if first else 200, given) + rest)

    return answer
