"""``audit``: where the numbers of answers come from, from records alone."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig_harness.records.scoring import Record
    from labrig_harness.suite import Table
    from labrig_study.audit.auditing import Audit


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb of this module."""
    audit = verbs.add_parser(
        "audit",
        help="trace every number and name of answers to a result, and count what has no source",
        description="Reads records alone. A number is found as it is, rounded, in another unit, or as sum, difference, "
        "ratio or mean of a few; what is not found is named.",
    )
    audit.add_argument("out", type=Path, nargs="+", metavar="DIR")
    audit.add_argument("--json", action="store_true", help="print each audit as a line of JSON")
    audit.add_argument("--each", action="store_true", help="print what each answer is blamed for")
    audit.add_argument(
        "--corrupt",
        type=int,
        metavar="N",
        help="change N answers in ten ways, and print how many changes the audit finds (precision, recall)",
    )
    audit.add_argument("--seed", type=int, default=0, metavar="N", help="of --corrupt (default: 0)")
    audit.set_defaults(run=_audit)


def _audit(arguments: argparse.Namespace) -> int:
    from labrig_harness.records.scoring import score_folder
    from labrig_study.audit.auditing import as_rows, audit_record, audit_table
    from labrig_study.report.prose import readable
    from labrig_study.report.terminal import print_table, stdout_console

    folders = [score_folder(each) for each in arguments.out]
    audits = [(record, audit_record(record)) for scored in folders for record in scored.records]
    if arguments.json:
        for row in as_rows(audits):
            print(json.dumps(row, ensure_ascii=False))
        return 0
    if arguments.each:
        for record, audit in audits:
            for line in _blame(audit):
                print(readable(f"{record.run}/{record.task}/epoch{record.epoch}: {line}"))
    if arguments.corrupt is None:
        made = audit_table(folders, {record.folder: audit for record, audit in audits})
    else:
        made = _measure(audits, arguments.corrupt, arguments.seed)
    print_table(stdout_console(240), made, most_rows=None)
    return 0


def _blame(audit: Audit) -> list[str]:
    lines = []
    for trace in audit.flagged:
        instead = "; ".join(
            f"call {each.call + 1} has {each.number.value:g} {each.number.unit}".rstrip()
            for each in trace.sources
        )
        lines.append(f"{trace.text[:80]!r}: {trace.status}" + f" ({instead})" * bool(instead))
    lines += [f"{each.text[:80]!r}: no call did this" for each in audit.undone]
    return lines + [f"{each}: cited and never read" for each in audit.unread]


def _measure(audits: list[tuple[Record, Audit]], many: int, seed: int) -> Table:
    """Corrupt answers, audit them again, and count."""
    from labrig_study.audit.auditing import audit_record, texts_of
    from labrig_study.audit.corrupting import WAYS, corrupt
    from labrig_study.audit.measuring import judge, spread, table_of

    usable = [(record, audit) for record, audit in audits if audit.numbers]
    if not 0 < many <= len(usable):
        raise LabrigError(
            f"{len(usable)} answers have a number", where=f"--corrupt {many}", expected=f"1 to {len(usable)}"
        )
    draw = random.Random(seed)
    chosen = set(draw.sample(range(len(usable)), many))
    ways = iter(spread(list(WAYS), many, draw))
    found, clean = [], []
    for number, (record, before) in enumerate(usable):
        change = None
        if number in chosen:
            change = corrupt(before, texts_of(record.folder, record.trajectory()), next(ways), draw)
        if change is None:
            clean.append(before)
        else:
            found.append(judge(change, audit_record(record, change.answer)))
    return table_of(found, clean)
