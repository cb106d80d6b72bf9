"""Which format a file is."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from labrig_programs.reading.owner import owner
from labrig_study.formats.terrabench import NAME as TERRABENCH
from labrig_study.formats.terrabench import SHAPES, is_trace


def formats_of(path: Path) -> list[str]:
    """Return the formats a file holds lines of, or whose document it is; empty for none of ours.

    The first 200 objects decide: a file in which two programs' lines are mixed has both.
    """
    from labrig_programs.reading.lines import Skipped, objects

    with path.open("rb") as file:
        head = file.read(4096)
        if head.startswith(b"PK\x03\x04"):
            return ["inspect"]
        file.seek(0)
        numbered = list(islice(objects(file, Skipped()), 200))
    first = [event for _, event in numbered]
    owners = list(dict.fromkeys(filter(None, map(owner, first))))
    if owners:
        return owners
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff").lstrip()
    blank = head[: len(head) - len(head.lstrip())].count(b"\n")
    is_document = text.startswith("{") and (not first or numbered[0][0] > blank + 1)  # on many lines
    if is_document and '"eval"' in text and '"steps"' not in text.partition('"eval"')[0]:
        return ["inspect"]
    if any("agent" in each and "steps" in each for each in first):
        return ["atif"]
    if any("eval" in each and "status" in each for each in first):
        return ["inspect"]
    if any(map(is_trace, first)):
        return [TERRABENCH]
    if is_document:
        return [TERRABENCH] if _is_trace_start(text) else ["atif"]
    if first or text.startswith("[") or path.suffix.casefold() in (".csv", ".tsv"):
        return ["results"]
    return []


def _is_trace_start(text: str) -> bool:
    """Return whether a JSON object on many lines begins as a trace of TerraBench does, and not as one of ATIF.

    The outermost keys decide, as far as they stand in this beginning; their lines are those with the least indent.
    """
    lines = [line for line in text.splitlines() if line.lstrip().startswith('"') and '":' in line]
    least = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    outer = {line.strip().split('"')[1] for line in lines if len(line) - len(line.lstrip()) == least}
    if outer & {"agent", "schema_version", "final_metrics"} or '"step_id"' in text:
        return False
    return bool(outer & {*SHAPES, "metadata", "run_id"})
