"""Table 7: what thinking aloud costs in tokens, and what it gives."""

from __future__ import annotations

from labrig_harness.suite import Table
from labrig_study.cells import percent, ratio, rounded
from labrig_suites.phreeqc_mcq.paper.cells import table
from labrig_suites.phreeqc_mcq.paper.lines import lines, remarks
from labrig_suites.phreeqc_mcq.paper.records import COT, DIRECT, Records, rights, shared, tokens


def cot_tokens(records: Records) -> Table:
    """Return Table 7: tokens and accuracy of the direct and the CoT run of a line."""
    rows = {}
    found = lines(records)
    for line in found:
        direct, cot = records.run(DIRECT, line.direct), records.run(COT, line.cot)
        items = shared(direct, cot)
        if items:
            before, after = ([run[item] for item in items] for run in (direct, cot))
            counts = [tokens(side, kind) for side in (before, after) for kind in ("input", "output")]
            n = len(items)
            accuracies = [percent(sum(rights(run, items)), n) for run in (direct, cot)]
            # Lines that share their runs without tools would say the same twice.
            rows[line.direct, line.cot] = (n, *counts, times(counts[3], counts[1]), *accuracies)
    return table(
        "Table 7. Tokens of direct and CoT answers",
        (
            *("direct run", "CoT run", "n", "Direct in", "Direct out", "CoT in", "CoT out", "out ratio"),
            *("Direct %", "CoT %"),
        ),
        ((*runs, *cells) for runs, cells in rows.items()),
        "Totals over the items that both runs have (n); output includes hidden reasoning, as far as a service reports "
        f"it. Empty if a record was not measured. {remarks(found)}",
        "needs the arms direct and cot of one backbone, on the same items.",
    )


def times(part: float | None, whole: float | None) -> float | None:
    """Return how many times larger `part` is, one decimal."""
    return rounded(ratio(part, whole))
