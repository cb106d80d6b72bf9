"""Texts of a fictional world: every real name gets the fictional one that it has everywhere.

A name is what has a capital and is no ordinary word. Ordinary are words that the articles also write small, and a few
more (`KEPT`); what is neither is taken for a name, so that a real name rather than an ordinary word is lost. Names of
countries and titles of articles are renamed whole, then single words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from labrig_atlas.articles import LINK
from labrig_atlas.world.names import fold
from labrig_atlas.world.syllables import WORDS, Words

GENERIC = frozenset(WORDS["generic"])
"""Words that stay in names of places."""
KEPT = GENERIC | frozenset(WORDS["kept"])
_WORD = re.compile(r"[^\W\d_]+")
_ROMAN = re.compile(r"[IVXLC]+")
_ARTICLE = re.compile(r"\b([Aa])n?( \[*)(?=([A-Z])(?!ni|ne\b|\b|[A-Z]))")


def _article(found: re.Match[str]) -> str:
    """Return the indefinite article that goes with a name."""
    return f"{found[1]}{'n' if found[3] in 'AEIOU' else ''}{found[2]}"


class Renaming:
    """Renames texts.

    Parameters
    ----------
    small
        Words that the articles write small.
    forced
        Folded words that are names whenever they have a capital.
    phrases
        Fictional names of whole phrases, by the real one.
    metals
        Fictional words of words that are renamed when written small, too.
    """

    def __init__(
        self,
        words: Words,
        small: Collection[str],
        forced: Collection[str],
        phrases: Mapping[str, str],
        metals: Mapping[str, str],
    ) -> None:
        self._words = words
        self._small = small
        self._forced = forced
        self._phrases = dict(phrases)
        self._metals = {word.lower(): made for word, made in metals.items()}
        whole = sorted(self._phrases, key=lambda phrase: (-len(phrase), phrase))
        pattern = "|".join(re.escape(phrase) for phrase in whole)
        self._pattern = (
            re.compile(rf"(?<!\w)(?:[Tt]he (?=United|Netherlands))?({pattern})(?!\w)") if whole else None
        )

    def text(self, text: str) -> str:
        """Return a text without links, renamed."""
        return _ARTICLE.sub(_article, self._renamed(text))

    def _renamed(self, text: str) -> str:
        return self._whole(text, self._single)

    def _whole(self, text: str, rest: Callable[[str], str]) -> str:
        """Return a text with its phrases renamed, and what is between them by `rest`."""
        if self._pattern is None:
            return rest(text)
        made, at = "", 0
        for found in self._pattern.finditer(text):
            made += rest(text[at : found.start()]) + self._phrases[found[1]]
            at = found.end()
        return made + rest(text[at:])

    def linked(self, text: str, titles: Mapping[str, str], figures: Callable[[str], str]) -> str:
        """Return a text with links, renamed, its figures moved.

        Parameters
        ----------
        titles
            The new title of what a link leads to.
        figures
            Moves the figures of a piece of text.
        """
        made, at = "", 0
        for found in LINK.finditer(text):
            made += self.text(figures(text[at : found.start()]))
            title, shown = found[1].strip(), (found[2] or found[1]).strip()
            page, _, section = title.partition("#")
            target = titles[page[:1].upper() + page[1:]] + (
                f"#{self.text(figures(section))}" if section else ""
            )
            told = self.text(figures(shown))
            made += f"[[{target}]]" if told == target else f"[[{target}|{told}]]"
            at = found.end()
        return made + self.text(figures(text[at:]))

    def heading(self, text: str) -> str:
        """Return a label or a title of a section, whose first word has a capital whether it is a name or not."""
        first = _WORD.match(text)
        if first is None or first[0].lower() in self._metals:
            return self.text(text)
        if fold(first[0]) in self._forced and first[0].lower() not in self._small:
            return self.text(text)
        return first[0] + self.text(text[first.end() :])

    def place(self, name: str) -> str:
        """Return the name of a place: every word of it but generic ones, whatever the articles write small.

        A name of generic words alone (Cape Town, South Island) becomes one word.
        """
        if name in self._phrases:
            return self._phrases[name]
        made = self._whole(name, self._words_of_place)
        return self._words.word(name) if made == name and name else made

    def _words_of_place(self, name: str) -> str:
        return _WORD.sub(
            lambda found: (
                found[0]
                if found[0].lower() in GENERIC or not found[0][0].isupper() or len(found[0]) == 1
                else self._words.word(found[0])
            ),
            name,
        )

    def _single(self, text: str) -> str:
        def one(found: re.Match[str]) -> str:
            word = found[0]
            small = word.lower()
            if small in self._metals:
                made = self._metals[small]
                return made if word[0].isupper() else made.lower()
            if (
                word[0].upper() == word[0].lower()
            ):  # a script without capitals: in English texts these are names
                return self._words.word(word)
            if not word[0].isupper() or len(word) == 1 or _ROMAN.fullmatch(word):
                return word
            if fold(word) in self._forced or (small.endswith("s") and fold(word)[:-1] in self._forced):
                return self._words.word(word)
            if self._ordinary(small):
                return word
            return self._words.word(word)

        return _WORD.sub(one, text)

    def _ordinary(self, small: str) -> bool:
        if small in self._small or small in KEPT:
            return True
        roots = [small.removesuffix(end) for end in ("s", "ed", "ing") if small.endswith(end)]
        return any(len(root) > 3 and root in self._small for root in roots)


def words_of(texts: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the words of texts that are written small, and those that have a capital."""
    small: set[str] = set()
    capital: set[str] = set()
    for text in texts:
        for word in _WORD.findall(text):
            (capital if word[0].isupper() else small).add(word)
    return small, capital
