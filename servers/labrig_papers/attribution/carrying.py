"""Whether a sentence without a mark goes on about what a sentence before it cites of another's material."""

from __future__ import annotations

import re

from labrig_papers.attribution.samples import written_in
from labrig_papers.attribution.sentences import sentence_of
from labrig_papers.attribution.standing import citations_in

MOST_BACK = 3
_OF_OURS = re.compile(
    r"\b(?:we|our|ours|this (?:work|study|paper)|here|present|samples?|Figs?\.?|Figures?|Tables?|insets?)\b",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(r"\n\s*\n")


def speaks_of_own(sentence: str) -> bool:
    """Tell whether a sentence speaks of the paper's own work: its figures, its samples, "we"."""
    return _OF_OURS.search(sentence) is not None


def goes_on_citing(text: str, start: int, end: int, material: str, raised: bool = True) -> bool:
    """Tell whether one of the sentences before a value cites its material, and none since speaks of own work.

    Parameters
    ----------
    start, end
        Of the value.
    material
        As printed.
    raised
        Raised numbers are marks; see `has_raised_marks`.
    """
    sentence = sentence_of(text, start, end)
    said = text[sentence.start : sentence.end]
    for _ in range(MOST_BACK):
        others = {written for _, _, written in written_in(said)} - {material}
        if _OF_OURS.search(said) or others:
            return False
        at = len(text[: sentence.start].rstrip())
        if not at or _PARAGRAPH.search(text[at : sentence.start]):
            return False
        sentence = sentence_of(text, at - 1, at)
        said = text[sentence.start : at]
        named = {written for _, _, written in written_in(said)}
        if material in named and citations_in(said, raised):
            return not _OF_OURS.search(said)
    return False
