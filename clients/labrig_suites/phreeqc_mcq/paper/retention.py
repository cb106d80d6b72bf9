"""Tables 2 and 19-21: items kept, gained and lost when an agent gets tools, and where the lost ones are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from labrig_harness.suite import Table
from labrig_study.cells import percent, rounded
from labrig_study.statistics.retention import Movement, kept_gained_lost
from labrig_suites.phreeqc_mcq.paper.accuracy import LETTERS
from labrig_suites.phreeqc_mcq.paper.bins import BINS, bin_of
from labrig_suites.phreeqc_mcq.paper.cells import table
from labrig_suites.phreeqc_mcq.paper.lines import Line, lines, remarks
from labrig_suites.phreeqc_mcq.paper.records import (
    DIRECT,
    RAW100,
    TOC,
    Records,
    Run,
    right,
    rights,
    shared,
)

MISSING = "needs the arm direct and the arm {} of one backbone, on the same items."
PAIRED = "Over the items that have both runs (n), by the score compat, of the original runs (epoch 0)."


def decomposition(records: Records) -> Table:
    """Return Table 2: kept, gained, lost and retention against the direct run."""
    rows = []
    found = lines(records)
    for line in found:
        direct = records.run(DIRECT, line.direct)
        toc, raw = records.run(TOC, line.agent), records.run(RAW100, line.agent)
        moved = moved_between(direct, toc), moved_between(direct, raw)
        if any(moved):
            items = shared(direct, toc, raw)
            both = moved_between(direct, toc, items), moved_between(direct, raw, items)
            gains = (gain_rate(each) for each in moved)
            rows.append((line.agent, *movement(moved[0]), *movement(moved[1]), *contrast(*both), *gains))
    half = ("n", "kept", "gained", "lost", "ret. %")
    return table(
        "Table 2. Kept, gained, lost against the direct run",
        (
            "agent",
            *(f"TOC {name}" for name in half),
            *(f"Raw100k {name}" for name in half),
            "delta ret. (pp)",
            "delta net",
            "TOC gain rate %",
            "Raw100k gain rate %",
        ),
        rows,
        f"{PAIRED} Retention is kept / (kept + lost). delta: TOC minus Raw100k, over the items that have all three "
        "runs, computed from the retentions as printed; net is gained minus lost. Gain rate, which the paper does not "
        "give: the share of the items wrong in the direct run that are right with tools. If retention is no higher "
        "than the gain rate, having been right without tools says nothing about an item, and losing it is not harm "
        f"done by tools. {remarks(found)}",
        MISSING.format("agent-toc or agent-raw100k"),
    )


def moved_between(before: Run, after: Run, items: Sequence[str] | None = None) -> Movement | None:
    """Return kept, gained, lost over the items of both runs, or over `items`; None without items."""
    paired = shared(before, after) if items is None else items
    return kept_gained_lost(rights(before, paired), rights(after, paired)) if paired else None


def movement(moved: Movement | None) -> tuple[Any, ...]:
    """Return n, kept, gained, lost, and retention in percent."""
    if moved is None:
        return 0, None, None, None, None
    return moved.n, moved.kept, moved.gained, moved.lost, percent(moved.kept, moved.right)


def gain_rate(moved: Movement | None) -> float | None:
    """Return of the items wrong in the direct run the percentage that is right with tools."""
    return None if moved is None else percent(moved.gained, moved.wrong)


def contrast(toc: Movement | None, raw: Movement | None) -> tuple[float | None, int | None]:
    """Return retention under TOC less that under Raw100k, in points, and the same of the net gain, in items.

    The first is the difference of the two retentions as printed, with one decimal: only so do all five lines of the
    paper's Table 2 come out (GPT-5.4: 64.8 - 63.0 = 1.8, where 35/54 - 34/54 is 1.85).
    """
    if toc is None or raw is None:
        return None, None
    first, second = percent(toc.kept, toc.right), percent(raw.kept, raw.right)
    return (None if first is None or second is None else rounded(first - second)), toc.net - raw.net


def lost_by_size(records: Records) -> Table:
    """Return Table 19: the share of direct-right items that are wrong with TOC, by output size."""
    found = _pair_runs(records)
    binned: dict[str, set[str]] = {name: set() for name, _ in BINS}
    for item in records.tasks:
        size = records.size(item)
        if size is not None:
            binned[bin_of(size)].add(item)
    rows: list[tuple[Any, ...]] = [
        (name, len(items), *_rates(found, items)) for name, items in binned.items() if items
    ]
    if rows:
        sized = set().union(*binned.values())
        rows.append(("overall", len(sized), *_rates(found, sized)))
    columns = [f"{line.agent} {what}" for line, _, _ in found for what in ("lost %", "lost/right")]
    return table(
        "Table 19. Lost items by output size",
        ("bin", "n", *columns),
        rows if found else (),
        "lost/right: of the items that were right in the direct run and were also run with TOC, those that were wrong "
        "with TOC. Bins are by the output of the reference input (as in Table 8) and are the same for all agents; the "
        "counts in the paper's Table 19 are those of its Table 24, which are by the outputs of one agent. n: items of "
        "the suite. "
        f"{remarks(lines(records))}",
        f"{MISSING.format('agent-toc')} Items without a reference output (an imported set) are left out.",
    )


def lost_by_stem(records: Records) -> Table:
    """Return Table 20: the scenarios in which most items were lost."""
    rows = []
    for line, direct, toc in _pair_runs(records):
        gone = lost(direct, toc)
        stems = Counter(records.stem(item) or "(no stem)" for item in gone)
        rows.append((line.agent, len(shared(direct, toc)), len(gone), concentration(stems)))
    return table(
        "Table 20. Lost items by scenario",
        ("agent", "n", "lost", "scenarios (lost items)"),
        rows,
        f"Lost: right in the direct run, wrong with TOC. {PAIRED} {remarks(lines(records))}",
        MISSING.format("agent-toc"),
    )


def lost_by_letter(records: Records) -> Table:
    """Return Table 21: the right letters of lost items, beside those of the suite."""
    found = _pair_runs(records)
    rows: list[tuple[Any, ...]] = []
    for line, direct, toc in found:
        letters = Counter(records.letter(item) for item in lost(direct, toc))
        rows.append(
            (line.agent, len(shared(direct, toc)), *(letters[each] for each in LETTERS), letters.total())
        )
    if rows:
        suite = Counter(records.letter(item) for item in records.tasks)
        n = len(records.tasks)
        rows.append(("all items", n, *(suite[each] for each in LETTERS), n))
        rows.append(("all items, %", n, *(percent(suite[each], n) for each in LETTERS), percent(n, n)))
    return table(
        "Table 21. Lost items by right letter",
        ("agent", "n", *LETTERS, "total"),
        rows,
        f"Lost: right in the direct run, wrong with TOC. {PAIRED} {remarks(lines(records))}",
        MISSING.format("agent-toc"),
    )


def lost(before: Run, after: Run) -> list[str]:
    """Return the items that were right before and are wrong after."""
    return [item for item in shared(before, after) if right(before[item]) and not right(after[item])]


def concentration(counts: Counter[str]) -> str:
    """Return scenarios with their counts, the largest first; those with one item are only counted.

    >>> concentration(Counter(S12=2, S07=3, S01=1, S02=1))
    'S07 (3), S12 (2), 2 other scenarios with 1 each'
    """
    many = [(stem, count) for stem, count in counts.items() if count > 1]
    named = [f"{stem} ({count})" for stem, count in sorted(many, key=lambda each: (-each[1], each[0]))]
    ones = len(counts) - len(many)
    if ones:
        named.append(f"{ones} {'other ' if many else ''}scenario{'s' * (ones > 1)} with 1 each")
    return ", ".join(named)


def _pair_runs(records: Records) -> list[tuple[Line, Run, Run]]:
    """Return the lines that have a direct and a TOC run with items in common."""
    found = [
        (line, records.run(DIRECT, line.direct), records.run(TOC, line.agent)) for line in lines(records)
    ]
    return [each for each in found if shared(*each[1:])]


def _rates(found: list[tuple[Line, Run, Run]], items: set[str]) -> list[Any]:
    """Return for each line the share of direct-right items that were lost, among `items`, and the two counts."""
    cells: list[Any] = []
    for _, direct, toc in found:
        moved = moved_between(direct, toc, [item for item in shared(direct, toc) if item in items])
        gone, before = (moved.lost, moved.right) if moved else (0, 0)
        cells += [percent(gone, before), f"{gone}/{before}"]
    return cells
