"""Output protocols: how a long text of an engine, which may have megabytes, is delivered to an agent.

=========== =================================================================
``toc``     a flat list of headings and the lines that they start at, as JSON
``outline`` the engine's own map of the text, with key values
``raw:N``   the text itself, head and tail, at most N characters
``auto``    the text itself when small, the outline otherwise
=========== =================================================================

An engine says by an `Outliner` how its text is mapped; it may have further protocols of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from labrig.errors import LabrigError
from labrig.tools.lines import cut

INLINE_CHARS = 4_000
"""``auto`` gives texts up to this size as they are (characters)."""

Render = Callable[[str], str]


@dataclass(frozen=True)
class Outliner:
    """How the text of one engine is mapped.

    Attributes
    ----------
    toc, outline
        From a text to what an agent gets of it.
    tocs
        Further forms of the list of headings, by the protocol that names each (``toc:50``).
    """

    toc: Render
    outline: Render
    tocs: Mapping[str, Render] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The protocols; ``raw:N`` stands for any number N."""
        return ("toc", *self.tocs, "outline", "raw:N", "auto")

    def check(self, protocol: str) -> str:
        """Return the protocol, or refuse it.

        Raises
        ------
        LabrigError
            For a name that is not one of `names`, or ``raw:N`` without a positive whole number.
        """
        if protocol in self.names and protocol != "raw:N":
            return protocol
        head, _, count = protocol.partition(":")
        if head == "raw" and count.isascii() and count.isdigit() and 0 < int(count[:19]) < 10**18:
            return protocol
        raise LabrigError(
            f"{protocol!r} is not an output protocol",
            where="output",
            expected=", ".join(self.names) + " (N: characters, such as raw:100000)",
        )

    def deliver(self, output: str, protocol: str, *, where: str) -> tuple[str, str]:
        """Return what an agent gets of `output`: the kind (``toc``, ``outline`` or ``raw``) and the text.

        Parameters
        ----------
        protocol
            What `check` has returned.
        where
            Name of the file in which the whole output lies; the cut of ``raw:N`` names it.
        """
        if protocol == "toc":
            return "toc", self.toc(output)
        if protocol in self.tocs:
            return "toc", self.tocs[protocol](output)
        if protocol.startswith("raw:"):
            return "raw", cut(output, int(protocol[4:]), where)
        if protocol == "auto" and len(output) <= INLINE_CHARS:
            return "raw", output
        return "outline", self.outline(output)
