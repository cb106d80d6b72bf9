"""Output protocols of PHREEQC (`labrig.tools.outlines`): its own maps of an output, and two published ones.

=========== ============================================================================
``toc``     the paper's flat list of sections and starting lines (PHREEQC-MCQ-200, C.2)
``toc:50``  the form that the authors' released code gives: at most 50 entries
``outline`` ours: simulation > stage > state > section, with key values
``raw:N``   the output itself, head and tail, at most N characters (Raw100k, Raw500k)
``auto``    the output itself when small, the outline otherwise
=========== ============================================================================
"""

from __future__ import annotations

from dataclasses import replace

from labrig.tools.outlines import INLINE_CHARS, Outliner
from labrig_phreeqc.output.outline import Outline
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.outline_text import render
from labrig_phreeqc.output.toc import toc, toc_capped, toc_json

__all__ = ["INLINE_CHARS", "NAMES", "OUTLINER", "check", "deliver"]

OUTLINER = Outliner(
    toc=lambda output: toc_json(toc(output)),
    outline=lambda output: render(outline_output(output)),
    tocs={"toc:50": lambda output: toc_json(toc_capped(output))},
)
NAMES = OUTLINER.names


def check(protocol: str) -> str:
    """Return the protocol, or refuse it; see `labrig.tools.outlines.Outliner.check`."""
    return OUTLINER.check(protocol)


def deliver(
    output: str, protocol: str, built: Outline | None = None, *, where: str = "result.out"
) -> tuple[str, str]:
    """Return what an agent gets of `output`, which may have its outline; see `labrig.tools.outlines.Outliner`."""
    outliner = OUTLINER if built is None else replace(OUTLINER, outline=lambda _: render(built))
    return outliner.deliver(output, protocol, where=where)
