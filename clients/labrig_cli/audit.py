"""``audit``, ``check``: where the numbers of answers come from, from records alone."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig_harness.records.scoring import Record
    from labrig_harness.suite import Table
    from labrig_study.audit.auditing import Audit


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
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

    check = verbs.add_parser(
        "check",
        help="the passport of an answer: each number with the chain that leads to it, computed again",
        description="Takes each number of an answer back to a call of a record, its arguments and its result, and "
        "computes it again from there. Exits with 1 where something has no source or comes out otherwise.",
    )
    check.add_argument(
        "answer", type=Path, nargs="?", metavar="ANSWER", help="a text (default: the record's own answer)"
    )
    check.add_argument(
        "--record", type=Path, metavar="DIR", help="folder of one epoch: DIR/RUN/SAMPLE/epoch0"
    )
    check.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the passport: .html or .json")
    check.add_argument("--json", action="store_true", help="print the manifest")
    check.add_argument(
        "--validate", type=Path, metavar="FILE", help="check a manifest, with --record against it"
    )
    check.set_defaults(run=_check)


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


MOST = 2**20
"""Bytes of an answer."""


def _check(arguments: argparse.Namespace) -> int:
    from labrig_harness.records.outfolder import write_atomically
    from labrig_study.audit.passport import make_passport, render_passport
    from labrig_study.report.prose import readable

    if arguments.validate is not None:
        return _validate(arguments.validate, arguments.record)
    if arguments.record is None:
        raise LabrigError("A record is needed", where="--record", expected="DIR/RUN/SAMPLE/epoch0")
    if arguments.output is not None and arguments.output.suffix not in (".html", ".json"):
        raise LabrigError(
            "A passport is a page or a manifest", where=str(arguments.output), expected=".html, .json"
        )
    manifest = make_passport(arguments.record, _read_text(arguments.answer) if arguments.answer else None)
    text = json.dumps(manifest, ensure_ascii=False, indent=1)
    if arguments.output is not None:
        page = render_passport(manifest) if arguments.output.suffix == ".html" else text + "\n"
        write_atomically(arguments.output, page)
    if arguments.json:
        print(text)
    else:
        for claim in manifest["claims"]:
            if claim["kind"] == "number" or not claim["resolved"]:
                print(readable(_say_claim(claim)))
        for line in (*manifest["undone"], *manifest["unread"]):
            print(readable(f"no call did or read this: {line}"))
        told = "{numbers} numbers: {resolved} with a chain, {recomputed} computed again; flagged: {flagged}"
        print(told.format(**manifest["summary"]))
    whole = all(claim["resolved"] and claim["agrees"] is not False for claim in manifest["claims"])
    return 0 if whole and not manifest["summary"]["flagged"] else 1


def _read_text(path: Path) -> str:
    with path.open("rb") as file:
        text = file.read(MOST + 1)
    if len(text) > MOST:
        raise LabrigError(
            "This answer is too long", where=str(path), expected=f"at most {MOST} bytes", code="limit"
        )
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LabrigError("This answer is no UTF-8 text", where=str(path)) from error


def _say_claim(claim: dict[str, Any]) -> str:
    said = f"{claim['text'][:80]!r}: {claim['status']}" + f" ({claim['how']})" * bool(claim["how"])
    for link in claim["chain"][:3]:
        where = (
            f"call {link['call'] + 1}, {link['tool']}" if link["from"] == "result" else f"the {link['from']}"
        )
        value = f": {link['value']:g} {link['unit']}".rstrip() if "value" in link else ""
        page = f", page {link['evidence']['page']}" if "page" in link.get("evidence", {}) else ""
        said += f"; {where}{page}{value}"
    if claim["agrees"] is not None:
        said += f"; computed again: {claim['recomputed']:.10g}" + ", which is not this" * (
            not claim["agrees"]
        )
    return said


def _validate(path: Path, folder: Path | None) -> int:
    from labrig_study.audit.passport import validate

    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise LabrigError("This manifest is no JSON", where=str(path)) from error
    problems = validate(manifest, folder)
    print("\n".join(problems) or f"{path} is valid" + " and what the record gives" * (folder is not None))
    return 1 if problems else 0
