"""The passport of an answer: each number with the chain that leads to it, computed again from the stored results.

Nothing is called: a result is taken from the record by its hash, the number is read at its place there, and the
conversion, rounding or arithmetic is made once more. ``passport.schema.json`` is the form of the manifest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from statistics import fmean, median
from typing import Any

from labrig.answer import META_KEY
from labrig.calls import CallLog, CallRecord
from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig_harness.records.verify import contradiction
from labrig_harness.trajectory import Trajectory
from labrig_study.audit.auditing import NAMES, answer_of, audit, texts_of
from labrig_study.audit.claims import Number
from labrig_study.audit.tracing import ANSWERED, ASKED, Source, Trace, counts_of, ways
from labrig_study.quantities import find_quantities

SCHEMA = "labrig.passport/1"
AROUND = 160
"""Characters of a result that are shown on each side of a number."""
OPERATIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "mean": fmean,
    "median": median,
    "span": lambda values: max(values) - min(values),
    "difference": lambda values: values[0] - values[1],
    "ratio": lambda values: values[0] / values[1],
    "relative difference": lambda values: (values[0] - values[1]) / values[1],
}
_PLACES = ("page", "quote", "box", "doi", "path", "open", "title")


def read_record(folder: Path) -> Trajectory:
    """Read the trajectory of a record; a LabrigError says what is missing, or what in it contradicts what."""
    try:
        text = (folder / "trajectory.json").read_text(encoding="utf-8")
        trajectory = Trajectory.from_dict(json.loads(text))
    except (OSError, ValueError) as error:
        raise LabrigError(
            f"This is no record: {str(error).splitlines()[0]}",
            where=str(folder),
            expected="the folder of one epoch: DIR/RUN/SAMPLE/epoch0",
            code="not_found" if isinstance(error, OSError) else "bad_input",
        ) from error
    if problem := contradiction(folder, trajectory):
        raise LabrigError(problem, where=str(folder), code="refused")
    return trajectory


def make_passport(folder: Path, answer: str | None = None) -> dict[str, Any]:
    """Return the manifest of an answer against a record.

    Parameters
    ----------
    answer
        Its text; None for the record's own answer.
    """
    trajectory = read_record(folder)
    text = answer_of(trajectory) if answer is None else answer
    results = dict(texts_of(folder, trajectory))
    asked = "\n".join(step.text for step in trajectory.steps if step.source != "agent")
    audited = audit(text, asked, trajectory.calls, list(results.items()))
    log = CallLog(folder)
    chains = _Chains(trajectory, log, list(log), {ASKED: asked, ANSWERED: text, **results})
    claims = [chains.claim(trace) for trace in audited.traces]
    numbers = [each for each in claims if each["kind"] == "number"]
    return {
        "schema": SCHEMA,
        "record": {
            **{name: getattr(trajectory, name) for name in ("suite", "task", "arm", "agent", "epoch")},
            "trajectory_sha256": sha256((folder / "trajectory.json").read_bytes()),
        },
        "answer": {"text": text, "sha256": sha256(text)},
        "claims": claims,
        "undone": [each.text for each in audited.undone],
        "unread": list(audited.unread),
        "summary": {
            "numbers": len(numbers),
            "resolved": sum(each["resolved"] for each in numbers),
            "recomputed": sum(each["agrees"] is True for each in numbers),
            "names": len(claims) - len(numbers),
            "flagged": sum(not each["resolved"] for each in claims)
            + len(audited.undone)
            + len(audited.unread),
        },
    }


class _Chains:
    """Makes the chains of claims of one record."""

    def __init__(
        self, trajectory: Trajectory, log: CallLog, records: Sequence[CallRecord], texts: Mapping[int, str]
    ) -> None:
        self.trajectory, self.log, self.records, self.texts = trajectory, log, records, texts

    def claim(self, trace: Trace) -> dict[str, Any]:
        """Return a claim with its chain, and what comes out when it is computed again."""
        kind = "name" if trace.how in NAMES else "number"
        made = None if trace.flagged or trace.number is None else self._compute(trace, trace.number)
        return {
            "text": trace.text,
            "start": trace.start,
            "kind": kind,
            "status": trace.status,
            "how": trace.how,
            "resolved": not trace.flagged and trace.status != "own",
            "value": trace.number.value if trace.number else None,
            "unit": trace.number.unit if trace.number else "",
            "recomputed": made,
            "agrees": None if made is None or trace.number is None else _agrees(made, trace.number),
            "chain": [
                self._link(each, kind)
                for each in (trace.sources if trace.how in OPERATIONS else trace.sources[:1])
            ],
        }

    def _compute(self, trace: Trace, claim: Number) -> float | None:
        """Return the value of a claim from the stored results; None where a number is not at its place any more."""
        parts = trace.sources if trace.how in OPERATIONS else trace.sources[:1]
        values = [self._read(each) for each in parts]
        known = [each for each in values if each is not None]
        if not known or len(known) < len(values):
            return None
        operation = OPERATIONS.get(trace.how)
        value = operation(known) if operation else -known[0] if trace.how == "sign" else known[0]
        unit = "" if trace.how in ("ratio", "relative difference") else parts[0].number.unit
        made = [
            value * factor + offset for factor, offset, said in ways(unit, claim.unit) if said != "against"
        ]
        return min(made, key=lambda each: abs(each - claim.value), default=None)

    def _read(self, source: Source) -> float | None:
        """Return the number of a stored text at the place of a source."""
        text, number = self.texts.get(source.call, ""), source.number
        if source.counted:
            return next((each.value for each in counts_of(text) if each.value == number.value), None)
        found = next(find_quantities(text[number.start : number.end]), None)
        if found is not None and abs(found.value) == abs(number.value):
            return number.value
        # In a JSON text that escapes letters, and for numbers in words, the place is not the number's own.
        return next((each.value for each in numbers_read(text) if each.value == number.value), None)

    def _link(self, source: Source, kind: str) -> dict[str, Any]:
        text, number = self.texts.get(source.call, ""), source.number
        link: dict[str, Any] = {"from": {ASKED: "question", ANSWERED: "answer"}.get(source.call, "result")}
        if kind == "number":
            link |= {"value": number.value, "unit": number.unit, "counted": source.counted}
            if not source.counted:
                start, end = max(0, number.start - AROUND), number.end + AROUND
                link |= {
                    "start": number.start,
                    "end": number.end,
                    "text": text[start:end],
                    "before": number.start - start,
                }
                link |= _evidence(text, number.start)
        if source.call < 0:
            return link
        call = self.trajectory.calls[source.call]
        link |= {
            "call": source.call,
            "tool": call.tool,
            "arguments": call.arguments,
            "result_sha256": call.result,
        }
        if call.record >= 0:
            record = self.records[call.record]
            meta = self.log.result(record).get("_meta", {}).get(META_KEY, {}) if record.result else {}
            link |= {"server": record.server, "arguments_sha256": record.key, "versions": record.versions}
            link["provenance"] = meta.get("record", meta.get("source") or None)
        return link


def numbers_read(text: str) -> list[Number]:
    """Return all numbers of a text, in digits and in words."""
    from labrig_study.audit.claims import numbers_of, spelled_numbers

    return [*numbers_of(text), *spelled_numbers(text)]


def _evidence(text: str, start: int) -> dict[str, Any]:
    """Return page, quote and the like from the JSON object around a place."""
    decoder, opening = json.JSONDecoder(), start
    for _ in range(4):
        opening = text.rfind("{", max(0, start - 4000), opening)
        if opening < 0:
            break
        try:
            found, end = decoder.raw_decode(text, opening)
        except (ValueError, RecursionError):
            continue
        if end > start and (named := {name: found[name] for name in _PLACES if name in found}):
            return {"evidence": named}
    return {}


def _agrees(made: float, claim: Number) -> bool:
    return abs(made - claim.value) <= max(0.5 * claim.place * (1 + 1e-9), 1e-9 * abs(claim.value))


def render_passport(manifest: Mapping[str, Any]) -> str:
    """Return a manifest as one page of HTML, on which a number of the answer opens its chain."""
    from labrig import __version__
    from labrig_study.report.page import find_template

    text, past, pieces = manifest["answer"]["text"], 0, []
    for number, claim in enumerate(manifest["claims"]):
        start, end = claim["start"], claim["start"] + len(claim["text"])
        if (
            start < past or text[start:end] != claim["text"]
        ):  # within another one, or a day, which is named in one form
            continue
        pieces += [
            {"text": text[past:start], "claim": None},
            {
                "text": claim["text"],
                "claim": number,
                "resolved": claim["resolved"],
                "status": claim["status"],
            },
        ]
        past = end
    pieces.append({"text": text[past:], "claim": None})
    return find_template("passport.html.j2").render(**manifest, pieces=pieces, labrig_version=__version__)


def schema() -> dict[str, Any]:
    """Return the published schema of a manifest."""
    text = files("labrig_study.audit").joinpath("passport.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def validate(manifest: Any, folder: Path | None = None) -> list[str]:
    """Return what is wrong with a manifest: by its schema, and against the record where one is given."""
    from jsonschema import Draft202012Validator

    problems = [
        f"{'/'.join(map(str, each.absolute_path)) or 'the manifest'}: {each.message[:200]}"
        for each in Draft202012Validator(schema()).iter_errors(manifest)
    ]
    if problems or folder is None:
        return problems
    again = make_passport(folder, manifest["answer"]["text"])
    return [
        f"{name} is not what the record gives"
        for name, value in again.items()
        if json.loads(json.dumps(value)) != manifest.get(name)
    ]
