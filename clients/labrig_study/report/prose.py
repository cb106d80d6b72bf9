"""Text of unknown origin, made fit to be looked at: no control characters, no endless length."""

from __future__ import annotations

from dataclasses import dataclass

from labrig.canonical import sha256

MOST = 4_000
"""Characters that are kept of a text; its head and its tail."""

_BIDI = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F]
_VISIBLE: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(32) if code not in (9, 10)},
    **{code: f"⟨U+{code:04X}⟩" for code in (*range(0x7F, 0xA0), *_BIDI)},
}


def readable(text: str) -> str:
    """Return text in which characters that act (terminal escapes, direction overrides) are seen instead."""
    whole = text.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")
    return whole.translate(_VISIBLE)


def percent(share: float) -> str:
    """Return a share in [0, 1] as a percentage to one decimal."""
    return f"{100 * share:.1f}"


@dataclass(frozen=True)
class Prose:
    """A text of any length: its ends, its size and its hash.

    Attributes
    ----------
    head, tail
        The ends; `tail` is empty when `head` is the whole.
    chars
        Characters of the whole.
    sha256
        Hash of the whole, as UTF-8.
    """

    head: str
    tail: str
    chars: int
    sha256: str

    @classmethod
    def of(cls, text: str, most: int = MOST) -> Prose:
        """Keep at most `most` characters of a text."""
        whole = readable(text)
        return cls(whole, "", len(whole), sha256(whole)).cut(most)

    @property
    def left_out(self) -> int:
        """Characters between head and tail."""
        return self.chars - len(self.head) - len(self.tail)

    def cut(self, limit: int) -> Prose:
        """Return at most `limit` characters of it: three quarters from its head, the rest from its tail."""
        if len(self.head) + len(self.tail) <= limit:
            return self
        first = limit - limit // 4
        last = (self.tail or self.head)[-(limit // 4) :] if limit // 4 else ""
        return Prose(self.head[:first], last, self.chars, self.sha256)
