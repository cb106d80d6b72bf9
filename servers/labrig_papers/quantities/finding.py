"""Candidates for quantities in marked text, each with what an agent needs to choose among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from labrig.errors import LabrigError
from labrig_papers.attribution.carrying import goes_on_citing, speaks_of_own
from labrig_papers.attribution.magnets import is_of_magnet
from labrig_papers.attribution.samples import (
    COMPARED,
    formulas_near,
    nearness,
    nicknames,
    of_title,
    paired,
    parent_of,
    spelled_out,
    written_in,
)
from labrig_papers.attribution.sentences import sentence_of
from labrig_papers.attribution.standing import (
    citations_in,
    has_raised_marks,
    is_calculated,
    is_denied,
    own_notes,
    standing_of,
    without_notes,
)
from labrig_papers.properties.facets import facets_of
from labrig_papers.quantities.candidates import Candidate
from labrig_papers.quantities.conditions import CONDITIONS, Placed, conditions_of
from labrig_papers.quantities.naming import BOUND, name_before, without_unit
from labrig_papers.quantities.scanning import Found, bare_numbers, scan
from labrig_papers.quantities.tabled import Areas, tabled
from labrig_papers.values.reading import read_value
from labrig_papers.values.registry import known
from labrig_papers.values.units import BARE

MOST_CHARS = 2_000_000


def find_quantities(
    pages: Sequence[str],
    dimension: str = "",
    quantity: str = "",
    first_page: int = 1,
    areas: Sequence[Areas] = (),
    title: str = "",
) -> tuple[Candidate, ...]:
    """Return the quantities in the marked text of pages, in reading order.

    Parameters
    ----------
    pages
        Marked text of each page.
    dimension
        Only those of a named dimension (``temperature``); ``"1"`` gives bare numbers that follow a known name.
    quantity
        Only those whose `Candidate.name` is this.
    first_page
        Number of the first page.
    areas
        Of each page its tables and captions, where they are known: cells then take the unit of their column.
    title
        Of the paper: what has no material near it is of the one that the title names.

    Raises
    ------
    LabrigError
        If the dimension is unknown or the text is too long.
    """
    dimensions = {each.name for each in known().dimensions} | {"1", "magnetisation"}
    if dimension and dimension not in dimensions:
        raise LabrigError(
            f"There is no dimension {dimension[:60]!r}",
            where="dimension",
            expected="one of " + ", ".join(sorted(dimensions)),
        )
    if sum(map(len, pages)) > MOST_CHARS:
        raise LabrigError(
            "The text is too long", where="pages", expected=f"at most {MOST_CHARS} characters", code="limit"
        )
    found: list[Candidate] = []
    by_page: list[list[Candidate]] = []
    whole = "\n".join(pages)
    raised, notes = has_raised_marks(whole), own_notes(whole)
    for index, text in enumerate(pages):
        number, here = first_page + index, areas[index] if index < len(areas) else Areas()
        units = list(scan(text))
        taken = [(each.start, each.end) for each in units]
        candidates = [_candidate(text, number, each, raised, notes) for each in units]
        for each in bare_numbers(text):
            if not any(start <= each.start < end for start, end in taken):
                candidate = _candidate(text, number, each, raised, notes)
                if each.problem or candidate.name in without_unit():
                    candidates.append(candidate)
        candidates.sort(key=lambda candidate: candidate.start)
        inside = _with_materials(
            text, [each for each in candidates if not here.in_table(each.start)], parent_of(title)
        )
        inside = [_of_caption(text, each, here) if here.in_caption(each.start) else each for each in inside]
        by_page.append(inside)
    for index, here in enumerate(areas[: len(pages) - 1]):
        ends, begins = here.breaks_off, areas[index + 1].goes_on if index + 1 < len(areas) else None
        if ends is not None and begins is not None:
            _join(by_page, index, pages, ends, begins, first_page + index, raised, notes)
    for index, inside in enumerate(by_page):
        number, here = first_page + index, areas[index] if index < len(areas) else Areas()
        ordered = sorted([*inside, *tabled(here, number)], key=lambda candidate: candidate.start)
        found += _with_conditions(pages[index], ordered)
    if alone := of_title(title):
        found = [_of_title(each, pages[each.page - first_page], alone) for each in found]
    found = _of_others(_spelled_out(found, pages, first_page), pages, first_page, title, raised)
    found = _side_by_side(_of_magnets(found, pages, first_page))
    return tuple(
        each
        for each in found
        if (not dimension or (each.value is not None and each.value.unit.dimension == dimension))
        and (not quantity or each.name == quantity)
    )


def _candidate(text: str, page: int, found: Found, raised: bool, notes: frozenset[str]) -> Candidate:
    sentence = sentence_of(text, found.start, found.end)
    quote = text[sentence.start : sentence.end].strip()
    before = text[max(sentence.start, found.start - 100) : found.start]
    if bound := BOUND.match(found.text):
        before += bound.group(0)
    value, problem = found.value, found.problem
    unit = value.unit if value is not None else BARE
    name = name_before(before, unit.dimension if value is not None else "", unit.canonical)
    if _THAN.match(text, found.end):
        name = ""  # a difference
    elif not name and (behind := _FOR.match(text, found.end)):
        name = name_before(behind[1], unit.dimension if value is not None else "", unit.canonical)
    if value is None and "emu/mol" in problem and name in _SUSCEPTIBILITIES:
        # The text names what it is, so the unit has one meaning.
        value, problem = read_value(found.text, "susceptibility"), ""
    at = max(0, found.start - sentence.start)
    said = without_notes(text[sentence.start : sentence.end], notes)
    formulas = formulas_near(text, found.start, found.end)
    return Candidate(
        page,
        found.start,
        found.end,
        found.text,
        value,
        problem,
        name,
        quote,
        sentence.start,
        formulas,
        citations_in(said, raised),
        standing_of(said, at, raised),
        conditions={"denied": "yes"} if is_denied(text[sentence.start : sentence.end], at) else {},
        material_by=nearness(text, found.start, found.end, formulas[0]) if formulas else "",
    )


def _of_title(each: Candidate, text: str, alone: str) -> Candidate:
    """Return a candidate that no material is near as one of the title's, or where what is near is only its host.

    A sentence that speaks of own work is of the title's material, too, where only sentences before it name others.
    """
    if not each.formulas:
        return replace(each, formulas=(alone,), material_by="title")
    printed = [_without_marks(written) for written in each.formulas]
    at = text.rfind(each.formulas[0], 0, each.start)
    compared = any(
        match.start() <= at < match.end() for match in COMPARED.finditer(text, max(0, at - 80), at + 80)
    )
    outside = each.material_by.startswith("nearest") and each.material_by.endswith("another sentence")
    if not outside or printed[0] == _without_marks(alone) or _is_member(printed[0], _without_marks(alone)):
        return each
    if (
        not compared
        and printed[0] not in _without_marks(alone)
        and (each.standing == "cited" or not (speaks_of_own(each.quote) or _is_aside(text, at, each, alone)))
    ):
        return each
    written = next(
        (one for one, plain in zip(each.formulas, printed, strict=True) if plain == _without_marks(alone)),
        alone,
    )
    return replace(each, formulas=tuple(dict.fromkeys([written, *each.formulas])), material_by="title")


def _is_member(written: str, series: str) -> bool:
    """Tell whether a formula is one of a series with a variable, of the same elements: FeTe0.65Se0.35 of FeTe1-xSex."""
    one, all_of_them = (set(re.findall(r"[A-Z][a-w]?", each)) for each in (written, series))
    return one == all_of_them and re.search(r"[xyz]", series) is not None and not re.search(r"[xyz]", written)


_PRONOUN = re.compile(r"\W*(?:it|its|this|these|those|their|they|there|here|also)\b", re.IGNORECASE)


def _is_aside(text: str, at: int, each: Candidate, alone: str) -> bool:
    """Tell whether another material was named beside the title's, or before own work, and nothing goes on about it."""
    named = sentence_of(text, at, at + 1)
    beside = _without_marks(alone) in _without_marks(text[named.start : named.end])
    since = speaks_of_own(text[named.end : each.quote_start])
    return (beside or since) and _PRONOUN.match(each.quote) is None


def _without_marks(written: str) -> str:
    return re.sub(r"[_{}\s]", "", written)


CAPTION_BEGINS = 48
"""Characters of a caption or of a part of it, in which it says what is drawn."""
_PANEL = re.compile(r"\.\s+(?=\([a-z]\))")


def _of_caption(text: str, each: Candidate, here: Areas) -> Candidate:
    """Return a candidate as one of a caption: what the first words of a panel call calculated, all of it is."""
    start = next(first for first, last in here.captions if first <= each.start < last)
    start = max([start, *(match.end() for match in _PANEL.finditer(text, start, each.start))])
    first = text[start : min(each.start, start + CAPTION_BEGINS)]
    standing = "calculated" if each.standing == "measured" and is_calculated(first) else each.standing
    return replace(each, source="caption", standing=standing)


def _spelled_out(found: list[Candidate], pages: Sequence[str], first_page: int) -> list[Candidate]:
    """Return the candidates with the formula for each nickname that the paper explains."""
    meant = nicknames("\n".join(pages))
    if not meant:
        return found
    spelled = []
    for each in found:
        text = pages[each.page - first_page]
        formulas = [spelled_out(text, each.start, written, meant) for written in each.formulas]
        spelled.append(replace(each, formulas=tuple(dict.fromkeys(formulas))))
    return spelled


def _of_others(
    found: list[Candidate], pages: Sequence[str], first_page: int, title: str, raised: bool
) -> list[Candidate]:
    """Return the candidates; cited where the paper goes on about what it cites of a material not of its title."""
    titled = {_without_marks(written) for _, _, written in written_in(COMPARED.sub(" ", title))}
    return [
        replace(each, standing="cited")
        if each.source == "text"
        and each.standing == "measured"
        and each.formulas
        and _without_marks(each.formulas[0]) not in titled
        and goes_on_citing(pages[each.page - first_page], each.start, each.end, each.formulas[0], raised)
        else each
        for each in found
    ]


def _of_magnets(found: list[Candidate], pages: Sequence[str], first_page: int) -> list[Candidate]:
    """Return the candidates of a paper; where it says that its T_{C} is a Curie temperature, so named."""
    if not is_of_magnet("\n".join(pages)):
        return found
    symbol = re.compile(r"T_\{?C\}?(?![A-Za-z])")
    return [
        replace(each, name="curie_temperature")
        if each.name == "critical_temperature"
        and symbol.search(each.column or pages[each.page - first_page][max(0, each.start - 100) : each.start])
        else each
        for each in found
    ]


BACK = 600
"""Characters on either side of the end of a page among which its last sentence is looked for."""


def _join(
    by_page: list[list[Candidate]],
    index: int,
    pages: Sequence[str],
    ends: int,
    begins: int,
    number: int,
    raised: bool,
    notes: frozenset[str],
) -> None:
    """Put the values of a sentence that goes on over the end of a page in place of those that its halves gave."""
    tail = pages[index][max(0, ends - BACK) : ends].rstrip()
    head = pages[index + 1][begins : begins + BACK]
    text, cut = f"{tail} {head}", len(tail)
    first_at, next_at = max(0, ends - BACK), begins - cut - 1
    sentence = sentence_of(text, cut - 1, cut + 2)
    fresh = [
        _candidate(text, number, each, raised, notes)
        for each in scan(text)
        if sentence.start <= each.start and each.end <= sentence.end
    ]
    low, high = first_at + sentence.start, next_at + sentence.end
    kept = [each for each in by_page[index] if not low <= each.start < ends]
    more = [each for each in by_page[index + 1] if not begins <= each.start < high]
    for each in fresh:
        if each.start < cut:
            start, end = first_at + each.start, first_at + min(each.end, cut)
            kept.append(replace(each, start=start, end=end, quote_start=low))
        else:
            start, end = next_at + each.start, next_at + each.end
            more.append(replace(each, page=number + 1, start=start, end=end, quote_start=begins))
    bare = [
        each
        for each in by_page[index]
        if low <= each.start < ends and each.value and not each.value.unit.canonical
    ]
    taken = [(each.start, each.end) for each in kept]
    kept += [each for each in bare if not any(start <= each.start < end for start, end in taken)]
    by_page[index] = sorted(kept, key=lambda each: each.start)
    by_page[index + 1] = sorted(more, key=lambda each: each.start)


def _with_materials(text: str, found: Sequence[Candidate], parent: str) -> list[Candidate]:
    """Return the candidates of a text, each with the material first that its sentence pairs it with."""
    of_sentence: dict[int, list[Candidate]] = {}
    for each in found:
        of_sentence.setdefault(each.quote_start, []).append(each)
    told: dict[int, str] = {}
    for start, some in of_sentence.items():
        sentence = text[start : sentence_of(text, some[0].start, some[-1].end).end]
        values = [
            (each.start - start, each.end - start, each.value.unit.dimension if each.value else "")
            for each in some
        ]
        told |= {start + at: written for at, written in paired(sentence, values, parent).items()}
    return [
        replace(each, formulas=tuple(dict.fromkeys([told[each.start], *each.formulas])), material_by="paired")
        if each.start in told
        else each
        for each in found
    ]


_THAN = re.compile(r"\s(?:higher|lower|larger|smaller|greater|less|more|wide|broad|apart)\b")
_FOR = re.compile(r"\s(?:for|as)\s(?:the\s)?([^.,;\n]{1,40})")
"""What a value is of may stand behind it: "a value of 5 nm for the coherence length"."""
_SUSCEPTIBILITIES = frozenset({"susceptibility_constant", "curie_constant"})


def _with_conditions(text: str, found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates of a page in order, each with what the words round it state: onset or zero, direction."""
    told = []
    before = 0
    held, are_conditions = conditions_of([_placed(each) for each in found], text)
    for index, each in enumerate(found):
        if each.source == "table":
            stated = facets_of(each.column)
            at = {key: stated[key] for key in CONDITIONS if key in stated and key not in _own(each)}
        else:
            low = max(before, each.quote_start, each.start - 120)
            high = min(found[index + 1].start if index + 1 < len(found) else len(text), each.end + 60)
            behind = _CLAUSE_END.split(text[each.end : max(each.end, high)], maxsplit=1)[0]
            said = re.sub(r"\^\{(ab|c)\}", r" ∥ \1 ", f"{text[low : each.start]} {behind}")
            stated = facets_of(_SCRIPT.sub(r" \1\2 ", said))
            if not _IN_BRACKETS.search(text[max(0, each.start - 24) : each.start]):
                before = each.end + len(behind)  # of ρ_{ab}(300 K) = 0.43 mΩ cm both values are of one symbol
            at = held[index]
        words = {key: stated[key] for key in _TOLD if key in stated}
        if index in are_conditions:
            each = replace(each, name="")  # what was named before is of the value that this is a condition of
        of_row = {key: value for key, value in each.conditions.items() if key not in _own(each)}
        told.append(replace(each, conditions={**of_row, **words, **at}))
    return told


def _placed(each: Candidate) -> Placed:
    dimension = each.value.unit.dimension if each.value is not None else ""
    return Placed(each.start, each.end, each.text, dimension, each.quote_start, each.source == "table")


def _own(each: Candidate) -> frozenset[str]:
    """Return the conditions that a value of this dimension is not under, since it is one itself."""
    dimension = each.value.unit.dimension if each.value is not None else ""
    return frozenset(key for key, known_one in CONDITIONS.items() if known_one == dimension)


_TOLD = ("criterion", "orientation", "sample")
_SCRIPT = re.compile(r"\^\{([^{}]*)\}|_\{(?:c\s?,\s?)?(?=[a-z]{3})([^{}]*)\}")
_IN_BRACKETS = re.compile(r"[\w}]\([^()]*$")
_CLAUSE_END = re.compile(r"[,;.]\s|\s(?:and|while|whereas|but)\s")


def _named_value(each: Candidate) -> str:
    """Return a value as it stands beside others: with unit, material, page and standing."""
    printed = " ".join(each.text.split())
    if each.source == "table" and each.value is not None and each.column:
        printed = (
            f"{printed} {each.value.unit.canonical}".rstrip()
            if printed[-1:].isdigit() or printed[-1:] == ")"
            else printed
        )
    conditions = [value if name in _TOLD else f"{name} {value}" for name, value in each.conditions.items()]
    about = [*each.formulas[:1], *conditions, f"p. {each.page}", each.standing]
    return f"{printed} ({', '.join(about)})"


def _side_by_side(found: list[Candidate], most: int = 6) -> list[Candidate]:
    """Return the candidates, each with the other values of its dimension and quantity, those of its material first."""
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for each in found:
        if each.value is not None:
            groups.setdefault((each.value.unit.dimension, each.name), []).append(each)
    placed = []
    for each in found:
        others: list[tuple[bool, str]] = []
        if each.value is not None and each.name:
            for other in groups[each.value.unit.dimension, each.name]:
                if other is not each and other.value is not None and other.value.si() != each.value.si():
                    others.append((other.formulas[:1] != each.formulas[:1], _named_value(other)))
        ranked = dict.fromkeys(text for _, text in sorted(others, key=lambda pair: pair[0]))
        placed.append(replace(each, competing=tuple(ranked)[:most]))
    return placed
