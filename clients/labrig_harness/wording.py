"""Questions in the words of a file, in place of the suite's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig_harness.sample import Sample

WORDING = "prompt"
"""The key of ``run.json`` and of the versions of a record."""
PROMPT, FILES = "{prompt}", "{files}"
"""What a file may hold: the suite's own words, and the names of the sample's files."""
MOST_BYTES = 2**20


@dataclass(frozen=True)
class Wording:
    """The words of a file.

    Attributes
    ----------
    name, hash
        The file's name, and the SHA-256 of its bytes.
    words
        Its text. ``{prompt}`` stands for the suite's own words, ``{files}`` for the names of the sample's files; any
        other brace is a brace.
    """

    name: str
    hash: str
    words: str

    @classmethod
    def read(cls, path: Path) -> Wording:
        """Read the words of a file.

        Raises
        ------
        LabrigError
            ``bad_input`` for a file that is no UTF-8 text, is empty, or has more than a MiB.
        """
        try:
            with path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
            words = content.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise LabrigError(f"Cannot read the prompt: {error}", where=str(path)) from error
        if not words.strip() or len(content) > MOST_BYTES:
            raise LabrigError(
                "The prompt is empty or too long",
                where=str(path),
                expected=f"1 to {MOST_BYTES:,} bytes of text",
            )
        return cls(path.name, sha256(content), words)

    def ask(self, samples: Sequence[Sample]) -> list[Sample]:
        """Return samples that ask in these words.

        Raises
        ------
        LabrigError
            ``bad_input`` where several samples would ask the same: the words leave out the suite's own, which
            differ, and the samples bring no files that tell them apart.
        """
        own = {sample.brief.prompt for sample in samples}
        if PROMPT not in self.words and len(own) > 1 and not all(sample.brief.files for sample in samples):
            raise LabrigError(
                "All samples would ask the same question",
                where=self.name,
                expected=f"{PROMPT} where the suite's own words belong",
            )
        return [replace(each, brief=replace(each.brief, prompt=self._of(each))) for each in samples]

    def _of(self, sample: Sample) -> str:
        # The suite's words come last: braces of theirs are not filled.
        words = self.words.replace(FILES, ", ".join(sorted(sample.brief.files)))
        return words.replace(PROMPT, sample.brief.prompt.rstrip())
