"""Output protocols: how a PHREEQC output, which may have megabytes, is delivered to an agent.

=========== ============================================================================
``toc``     the paper's flat list of sections and starting lines (PHREEQC-MCQ-200, C.2)
``toc:50``  the form that the authors' released code gives: at most 50 entries
``outline`` ours: simulation > stage > state > section, with key values
``raw:N``   the output itself, head and tail, at most N characters (Raw100k, Raw500k)
``auto``    the output itself when small, the outline otherwise
=========== ============================================================================
"""

from __future__ import annotations

from labrig.errors import LabrigError
from labrig.tools.lines import cut
from labrig_phreeqc.output.outline import outline_output
from labrig_phreeqc.output.outline_text import render
from labrig_phreeqc.output.toc import toc, toc_capped, toc_json

NAMES = ("toc", "toc:50", "outline", "raw:N", "auto")
INLINE_CHARS = 4_000
"""``auto`` gives outputs up to this size as they are (characters)."""


def check(protocol: str) -> str:
    """Return the protocol, or refuse it.

    Raises
    ------
    LabrigError
        For a name that is none of `NAMES`, or ``raw:N`` without a positive whole number.
    """
    if protocol in NAMES and protocol != "raw:N":
        return protocol
    head, _, count = protocol.partition(":")
    if head == "raw" and count.isascii() and count.isdigit() and 0 < int(count[:19]) < 10**18:
        return protocol
    raise LabrigError(
        f"{protocol!r} is not an output protocol",
        where="output",
        expected=", ".join(NAMES) + " (N: characters, such as raw:100000)",
    )


def deliver(output: str, protocol: str, *, where: str = "result.out") -> tuple[str, str]:
    """Return what an agent gets of `output`: the kind (``toc``, ``outline`` or ``raw``) and the text.

    Parameters
    ----------
    where
        Name of the file in which the whole output lies; the cut of ``raw:N`` names it.
    """
    if protocol == "toc":
        return "toc", toc_json(toc(output))
    if protocol == "toc:50":
        return "toc", toc_json(toc_capped(output))
    if protocol.startswith("raw:"):
        return "raw", cut(output, int(protocol[4:]), where)
    if protocol == "auto" and len(output) <= INLINE_CHARS:
        return "raw", output
    return "outline", render(outline_output(output))
