"""Changing one tool result on its way to the agent, in a declared way: does the answer follow the evidence?

A change is written as ``KIND:VALUE@where``:

=========================== ===========================================================================
scale:1.5@match=pH          the first number after ``pH`` in its line, times 1.5
scale:1.5@match=Ca,value=2.1e-03   that number in lines that name Ca, times 1.5
swap-rows:Calcite,Aragonite two rows of a table exchange all but their names
unit:mmol->mol@match=Ca     a unit is replaced in the lines (or fields) that name Ca
=========================== ===========================================================================

``where`` may say ``tool=NAME`` (any tool otherwise) and ``call=N``, the N-th result in which the target occurs (the
first otherwise), or ``call=all``. ``last`` cannot be said: which result is the last is not known when it comes. A
comma, ``@``, ``=`` or ``%`` inside a value is written ``%2C``, ``%40``, ``%3D``, ``%25``.

Text and structured content are changed alike. The call's record keeps what the server said; what the agent was given
is a second blob of the log.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, unquote

from labrig.calls import CallLog, CallRecord, split_volatile
from labrig.canonical import canonical_json, sha256
from labrig.errors import LabrigError
from labrig.redaction import redact_bytes

KINDS = ("scale", "swap-rows", "unit")
AUTO = "auto"
"""The spec that leaves it to `decisive` to find, for each item, a change on which the answer depends."""

SHOWN = 20
"""Edits of a result that a record lists; their number is given beside."""

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*\w)")
_KEYS = ("tool", "match", "value", "call")


@dataclass(frozen=True)
class Change:
    """A declared change.

    Attributes
    ----------
    factor
        Of ``scale``.
    first, second
        The rows of ``swap-rows``, or the old and new unit.
    match
        Words that the line, or the fields beside the number, hold; white space counts as one blank.
    value
        The number as it is printed; empty for the first one after `match`.
    call
        Which of the results in which the target occurs, from 1; 0 for all.
    """

    kind: str
    factor: float = 1.0
    first: str = ""
    second: str = ""
    tool: str = ""
    match: str = ""
    value: str = ""
    call: int = 1

    @property
    def spec(self) -> str:
        """The change as it is written."""
        if self.kind == "scale":
            body = f"{self.factor:.12g}"
        else:
            body = ("," if self.kind == "swap-rows" else "->").join(
                quote(each, safe=" ()/+-") for each in (self.first, self.second)
            )
        call = {0: "all", 1: ""}.get(self.call, str(self.call))
        where = {"tool": self.tool, "match": self.match, "value": self.value, "call": call}
        said = ",".join(f"{key}={quote(each, safe=' ()/+-:')}" for key, each in where.items() if each)
        return f"{self.kind}:{body}" + (f"@{said}" if said else "")


def parse(spec: str) -> Change:
    """Read a change.

    Raises
    ------
    LabrigError
        Saying which part cannot be read.
    """
    head, _, tail = spec.partition("@")
    kind, _, body = head.partition(":")
    if kind not in KINDS:
        raise _refuse_spec(
            f"There is no change {kind!r}", "scale:FACTOR, swap-rows:ROW,ROW or unit:OLD->NEW, or auto"
        )
    where: dict[str, str] = {}
    for part in filter(None, tail.split(",")):
        key, equals, value = part.partition("=")
        if key not in _KEYS or not equals or not value:
            raise _refuse_spec(f"This part cannot be read: {part!r}", "tool=, match=, value= or call=")
        where[key] = unquote(value)
    call = where.pop("call", "1")
    if call != "all" and not (call.isascii() and call.isdigit() and int(call) > 0):
        raise _refuse_spec(
            f"call={call} cannot be used",
            "a number from 1, or all: which call is the last is not known in time",
        )
    change = Change(
        kind,
        tool=where.get("tool", ""),
        match=where.get("match", ""),
        value=where.get("value", ""),
        call=0 if call == "all" else int(call),
    )
    if kind == "scale":
        try:
            factor = float(body)
        except ValueError:
            raise _refuse_spec(f"{body!r} is not a factor", "a number, as in scale:1.5") from None
        if not math.isfinite(factor) or factor == 1:
            raise _refuse_spec(
                f"A factor of {body} changes nothing that can be told", "a finite number other than 1"
            )
        if not (change.match or change.value):
            raise _refuse_spec("scale does not say which number", "@match=WORDS, @value=NUMBER or both")
        if change.value and not _NUMBER.fullmatch(change.value):
            raise _refuse_spec(f"value={change.value} is not a number", "the number as it is printed")
        return replace(change, factor=factor)
    first, between, second = body.partition("," if kind == "swap-rows" else "->")
    first, second = unquote(first).strip(), unquote(second).strip()
    if not between or not first or not second or first == second:
        raise _refuse_spec(
            f"{body!r} cannot be read", "two different names, as in swap-rows:A,B or unit:mmol->mol"
        )
    return replace(change, first=first, second=second)


def _refuse_spec(what: str, expected: str) -> LabrigError:
    return LabrigError(what, where="--perturb", expected=expected)


# ------------------------------------------------------------------------------------------------ changing a result


@dataclass(frozen=True)
class Edit:
    """One place that was changed.

    Attributes
    ----------
    at
        The part of the result: ``content/0``, ``structuredContent/values/3/value``.
    offset
        Bytes from the start of a text part; None in structured content.
    """

    at: str
    before: str
    after: str
    offset: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the edit as plain data."""
        return {"at": self.at, "before": self.before, "after": self.after, "offset": self.offset}


def apply(change: Change, wire: dict[str, Any]) -> tuple[dict[str, Any], list[Edit]]:
    """Return a result in wire form with the change made in it, and what was changed; pure."""
    edits: list[Edit] = []
    content = [
        _change_part(change, part, f"content/{n}", edits) for n, part in enumerate(wire.get("content", ()))
    ]
    changed = {**wire, "content": content}
    if "structuredContent" in wire:
        # What the text showed as the first number is the number that is meant here, too.
        meant = change
        if change.kind == "scale" and not change.value and edits and _NUMBER.fullmatch(edits[0].before):
            meant = replace(change, value=edits[0].before)
        changed["structuredContent"] = _change_structured(
            meant, wire["structuredContent"], "structuredContent", edits
        )
    return (changed, edits) if edits else (wire, [])


def _change_part(change: Change, part: Any, at: str, edits: list[Edit]) -> Any:
    if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
        return part
    text = part["text"]
    if text.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            here: list[Edit] = []
            altered = _change_structured(change, value, at, here)
            edits += here
            indent = 2 if "\n" in text.strip() else None
            separators = None if indent or ": " in text else (",", ":")
            if not here:
                return part
            return {
                **part,
                "text": json.dumps(altered, ensure_ascii=False, indent=indent, separators=separators),
            }
    return {**part, "text": change_text(change, text, at, edits)}


def change_text(change: Change, text: str, at: str, edits: list[Edit]) -> str:
    """Return a text with the change made in it; what was changed is added to `edits`."""
    spans = sorted(_find_spans(change, text))
    if not spans:
        return text
    pieces, end = [], 0
    for start, stop, after in spans:
        edits.append(Edit(at, text[start:stop], after, len(text[:start].encode("utf-8", "surrogatepass"))))
        pieces += [text[end:start], after]
        end = stop
    return "".join([*pieces, text[end:]])


def _find_spans(change: Change, text: str) -> list[tuple[int, int, str]]:
    """Return (start, end, new text) of each place to change."""
    if change.kind == "swap-rows":
        return _swap_lines(change, text)
    found: list[tuple[int, int, str]] = []
    label = _match_label(change.match)
    unit = re.compile(rf"(?<![\w/]){re.escape(change.first)}(?![\w/])")
    for start, line in _split_lines(text):
        named = label.search(line)
        if named is None:
            continue
        if change.kind == "unit":
            found += [(start + hit.start(), start + hit.end(), change.second) for hit in unit.finditer(line)]
            continue
        for number in _NUMBER.finditer(line, named.end() if change.match else 0):
            if change.value and number[0] != change.value:
                continue
            after = scaled(number[0], change.factor)
            if after != number[0]:
                found.append((start + number.start(), start + number.end(), after))
            if not change.value:
                return found
    return found


def _swap_lines(change: Change, text: str) -> list[tuple[int, int, str]]:
    """Exchange what follows the names of two rows; of each the first line that begins with the name is meant."""
    rest: dict[str, tuple[int, int]] = {}
    for start, line in _split_lines(text):
        for name in (change.first, change.second):
            begun = re.match(rf"[\s|]*{_normalise_words(name)}(?!\w)", line)
            if begun is not None and name not in rest:
                rest[name] = (start + begun.end(), start + len(line))
    if len(rest) < 2:
        return []
    (a, b), (c, d) = rest[change.first], rest[change.second]
    return [] if text[a:b] == text[c:d] else [(a, b, text[c:d]), (c, d, text[a:b])]


def _split_lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line.rstrip("\r\n")
        start += len(line)


def _normalise_words(text: str) -> str:
    return r"\s+".join(map(re.escape, text.split()))


def _match_label(match: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){_normalise_words(match)}(?!\w)" if match else "")


def scaled(number: str, factor: float) -> str:
    """Return a printed number times a factor in the same form: as many decimals, more where they would lose it.

    >>> scaled("8.22", 0.5), scaled("1.234e-03", 2), scaled("1", 1.5), scaled("-0.75", -1)
    ('4.11', '2.468e-03', '1.5', '0.75')
    """
    value = float(number) * factor
    mantissa, e, _ = number.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    kind = "e" if e else "f"
    text = f"{value:.{decimals}{kind}}"
    while value and abs(float(text) - value) > 0.005 * abs(value) and decimals < 17:
        decimals += 1
        text = f"{value:.{decimals}{kind}}"
    return text.replace("e", "E") if "E" in number else text


# -------------------------------------------------------------------------------------------- structured content


def _change_structured(change: Change, value: Any, at: str, edits: list[Edit]) -> Any:
    """Return structured content with the change made in it: numbers by their neighbours' names, texts as texts."""
    if change.kind == "swap-rows":
        return _walk_values(value, at, lambda each, here: _swap_items(change, each, here, edits))
    label = _match_label(change.match)

    def visit(each: Any, here: str, names: tuple[str, ...]) -> Any:
        if isinstance(each, dict):
            beside = tuple(text for text in each.values() if isinstance(text, str))
            return {key: visit(inner, f"{here}/{key}", (*names, key, *beside)) for key, inner in each.items()}
        if isinstance(each, list):
            beside = tuple(text for text in each if isinstance(text, str))
            return [visit(inner, f"{here}/{n}", (*names, *beside)) for n, inner in enumerate(each)]
        if change.kind == "unit" and each == change.first:
            if any(label.search(name) for name in names):
                edits.append(Edit(here, change.first, change.second))
                return change.second
        elif isinstance(each, str):
            mine: list[Edit] = []
            text = change_text(change, each, here, mine)
            edits.extend(mine)
            return text
        elif change.kind == "scale" and isinstance(each, int | float) and not isinstance(each, bool):
            named = not change.match or any(label.search(name) for name in names)
            meant = _is_printed_as(each, change.value) if change.value else not edits
            if named and meant and each:
                new = each * change.factor
                edits.append(Edit(here, repr(each), repr(new)))
                return new
        return each

    return visit(value, at, ())


def _is_printed_as(number: float, text: str) -> bool:
    """Return whether a number would be printed as a text that has been rounded."""
    mantissa, _, exponent = text.lower().partition("e")
    place = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(number - float(text)) <= 0.5 * place * (1 + 1e-9)


def _walk_values(value: Any, at: str, change_list: Callable[[list[Any], str], list[Any]]) -> Any:
    if isinstance(value, dict):
        return {key: _walk_values(each, f"{at}/{key}", change_list) for key, each in value.items()}
    if isinstance(value, list):
        return change_list([_walk_values(each, f"{at}/{n}", change_list) for n, each in enumerate(value)], at)
    return value


def _swap_items(change: Change, items: list[Any], at: str, edits: list[Edit]) -> list[Any]:
    """Exchange two rows of a list of objects or lists, but for their names."""
    place: dict[str, tuple[int, Any]] = {}
    for n, item in enumerate(items):
        pairs = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
        for key, value in pairs:
            if value in (change.first, change.second) and value not in place:
                place[value] = (n, key)
                break
    if len(place) < 2:
        return items
    (a, key), (b, other) = place[change.first], place[change.second]
    if type(items[a]) is not type(items[b]) or key != other:
        return items
    new = list(items)
    if isinstance(items[a], dict):
        new[a], new[b] = {**items[b], key: change.first}, {**items[a], key: change.second}
    else:
        new[a] = [change.first if n == key else each for n, each in enumerate(items[b])]
        new[b] = [change.second if n == key else each for n, each in enumerate(items[a])]
    if new == items:
        return items
    for n in (a, b):
        before, after = (json.dumps(each, ensure_ascii=False) for each in (items[n], new[n]))
        edits.append(Edit(f"{at}/{n}", before, after))
    return new


# ------------------------------------------------------------------------------------------------------ in a run


@dataclass(frozen=True)
class Declared:
    """What is to be changed in one run, and what follows from it.

    Attributes
    ----------
    change
        None where no change of this item is decisive.
    spec
        As it was asked for.
    truth, expected
        What the reference solution answers from the true results, and from the changed ones; empty where not known.
    why
        Why nothing is changed.
    """

    change: Change | None
    spec: str
    truth: str = ""
    expected: str = ""
    why: str = ""

    @classmethod
    def plainly(cls, spec: str) -> Declared:
        """Return a change of which nothing but the spec is known."""
        return cls(parse(spec), spec)


class Perturber:
    """Makes a declared change in the results of one run, and keeps account of it."""

    def __init__(self, declared: Declared) -> None:
        self._change = declared.change
        self._met = 0
        self.declared: dict[str, Any] = {
            "spec": declared.change.spec if declared.change else declared.spec,
            "truth": declared.truth,
            "expected": declared.expected,
            "applied": False,
            "changes": [],
        } | ({"why": declared.why} if declared.why else {})

    def deliver(
        self, log: CallLog, record: CallRecord, number: int, wire: dict[str, Any], tool: str = ""
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a result as the agent is to get it, and the account; a changed result is put beside the true one.

        Parameters
        ----------
        tool
            The tool's name in the arm, which the spec uses; by default the one in the record.
        """
        change, tool = self._change, tool or record.tool
        if change is None or record.is_error or (change.tool and change.tool != tool):
            return wire, self.declared
        altered, edits = apply(change, wire)
        if not edits:
            return wire, self.declared
        self._met += 1
        if change.call not in (0, self._met):
            return wire, self.declared
        blob = redact_bytes(canonical_json(split_volatile(altered)[0]))
        log.put(blob)
        made = {
            "record": number,
            "tool": tool,
            "result": record.result,
            "altered": sha256(blob),
            "edits": [edit.to_dict() for edit in edits[:SHOWN]],
            "edited": len(edits),
        }
        self.declared = {**self.declared, "applied": True, "changes": [*self.declared["changes"], made]}
        return altered, self.declared
