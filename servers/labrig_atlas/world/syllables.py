"""Fictional words: each real word has one in a world, made of syllables by address, and no two words share theirs."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Sequence

from labrig_atlas.world.names import fold
from labrig_atlas.world.noise import whole
from labrig_atlas.world.sources import DATA

WORDS: dict[str, list[str]] = tomllib.loads((DATA / "words.toml").read_text(encoding="utf-8"))
"""Words and parts of words, as `data/words.toml` explains them."""
_ENDINGS = {"country": ("ia", "ora", "enia", "ania", "istar", "omar"), "metal": ("ium",)}


class Words:
    """The fictional words of one seed.

    Parameters
    ----------
    real
        Folded words that no fictional one may be.
    """

    def __init__(self, seed: int, real: Collection[str]) -> None:
        self._seed = seed
        self._real = real
        self._made: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()

    def word(self, real: str, sort: str = "") -> str:
        """Return the fictional word of a real one, capitalised; capitals throughout where the real one has them.

        What comes of a word depends on the words asked before it where two would share one: ask in a fixed order.

        Parameters
        ----------
        sort
            ``country`` or ``metal`` for words that end as such names do.
        """
        key = (fold(real), sort)
        if key not in self._made:
            attempt = 0
            while True:
                made = self._draw(*key, attempt)
                if made not in self._taken and made not in self._real:
                    break
                attempt += 1
            self._taken.add(made)
            self._made[key] = made
        made = self._made[key]
        return made[: max(len(real), 2)].upper() if len(real) > 1 and real.isupper() else made.capitalize()

    def _draw(self, real: str, sort: str, attempt: int) -> str:
        bits = whole("word", self._seed, real, sort, attempt)

        def pick(choices: Sequence[str]) -> str:
            nonlocal bits
            bits, at = divmod(bits, len(choices))
            return choices[at]

        count = 1 if sort else 2 if len(real) < 8 else 2 + pick(("a", "b")).count("a")
        made = "".join(pick(WORDS["onsets"]) + pick(WORDS["vowels"]) for _ in range(count))
        return made + (pick(WORDS["onsets"]) + pick(_ENDINGS[sort]) if sort else pick(WORDS["codas"]))
