"""What an answer says was done or read, against the calls: done without a call, files never read, calls for nothing.

The rules are conservative: a shell or code that ran may have done anything, unless the answer names a file that no call
named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from labrig_harness.trajectory import ToolCall
from labrig_study.audit.claims import MOST, names_of, numbers_of, plain

ACTS: dict[str, tuple[str, str]] = {
    "write": (
        "saved|written|wrote|created|stored|exported|updated|edited|modified|added|appended|renamed|moved|uploaded|"
        "generated|plotted|drawn|implemented|fixed|replaced|changed|installed",
        "save write creat stor export updat edit modif add append renam move upload generat plot draw insert replac "
        "change set put make mk fix install patch submit commit echo cat tee sed mv cp open dump to",
    ),
    "remove": (
        "deleted|removed|cancelled|canceled|cleared|revoked",
        "delet remov cancel clear revok drop rm unlink",
    ),
    "send": (
        "sent|emailed|submitted|posted|booked|reserved|ordered|paid|refunded|transferred|scheduled|confirmed|notified",
        "send sent mail submit post book reserv order pay refund transfer schedul confirm notif issu creat updat "
        "messag certificat cancel",
    ),
    "run": (
        "ran|run|executed|simulated|tested|recalculated",
        "run execut simulat test calculat comput speciat forecast solve evaluat check",
    ),
}
"""By kind of act: the words of an answer, and what the name or the arguments of a call that does it hold."""
ANYTHING = re.compile(
    r"bash|shell|terminal|command|python|code|execute|cell|notebook|script|exec", re.IGNORECASE
)
_ADVERBS = r"(?:(?:also|now|just|already|successfully|then|finally) )*"
_DONE = re.compile(
    rf"(?:\b(?:I|We|we)(?:'ve|’ve| have)? {_ADVERBS}(?P<a>{{verbs}})"
    rf"|\b(?:has|have) {_ADVERBS}been {_ADVERBS}(?P<b>{{verbs}})"
    rf"|\bsuccessfully (?P<c>{{verbs}})|(?m:^[\s*#>-]*(?P<d>(?i:{{verbs}})) (?=[`'\"/\w]*[./`'\"]|the\b)))\b".replace(
        "{verbs}", "|".join(verbs for verbs, _ in ACTS.values())
    )
)
_SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?](?=\w)[^.!?\n]*)*[.!?\n]?")
REACH = 1000
"""Characters of a sentence on each side of what was done, so that a text of one endless sentence takes no hours."""
_DENIED = re.compile(
    r"\b(?:No|no|when|whether|may|depends|not|never|n't|n’t|unable|"
    r"could|cannot|would|will|if|once|until|before|to be|need|should|must)\b"
)


@dataclass(frozen=True)
class Done:
    """A sentence that says something was done.

    Attributes
    ----------
    kind
        One of `ACTS`.
    call
        The number of a call that may have done it, or -1.
    """

    text: str
    kind: str
    start: int
    call: int


def done_claims(answer: str, calls: Sequence[ToolCall], results: Sequence[tuple[int, str]]) -> list[Done]:
    """Return what an answer says was done, and by which call."""
    acts: list[tuple[str, str]] | None = None
    found = []
    for each in _DONE.finditer(answer):
        verb = next(word for word in each.groups() if word).lower()
        kind = next(kind for kind, (verbs, _) in ACTS.items() if verb in verbs.split("|"))
        low = max(0, each.start() - REACH)
        begins = max(low, *(answer.rfind(mark, low, each.start()) + 1 for mark in (". ", "! ", "? ", "\n")))
        sentence = _SENTENCE.match(answer, begins, each.end() + REACH)
        text = sentence[0].strip() if sentence else each[0]
        if _DENIED.search(answer[begins : each.end()]) or text.endswith("?"):
            continue
        acts = acts if acts is not None else _acts(calls, results)
        found.append(Done(text[:300], kind, each.start(), _doing(kind, text, verb, calls, acts)))
    return found


def _acts(calls: Sequence[ToolCall], results: Sequence[tuple[int, str]]) -> list[tuple[str, str]]:
    """Return for each call what it was asked, and what came of it beside."""
    came = dict(results)
    made = []
    for number, call in enumerate(calls):
        name = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", call.tool)
        asked = plain(f"{name} {json.dumps(call.arguments, ensure_ascii=False)[:MOST]}")
        made.append((asked, asked + plain(came.get(number, "")[:MOST])))
    return made


def _doing(
    kind: str, text: str, verb: str, calls: Sequence[ToolCall], acts: Sequence[tuple[str, str]]
) -> int:
    """Return the number of a call that succeeded and may have done it, or -1.

    Its name, or what a shell or code was given, must hold a word for such an act, and the call a word or path of what
    the sentence names.
    """
    stems = ACTS[kind][1].split()
    paths = [plain(name.text) for name in names_of(text) if name.kind == "path"]
    things = {each[:5] for each in plain(text).split() if len(each) > 3} - {verb[:5]} - _COMMON
    for number, (call, (asked, all_of_it)) in enumerate(zip(calls, acts, strict=True)):
        if call.is_error:
            continue
        name = (
            asked
            if ANYTHING.search(call.tool) or paths
            else plain(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", call.tool))
        )
        able = any(f" {stem}" in name for stem in stems) or (
            kind == "run" and ANYTHING.search(call.tool) is not None
        )
        named = bool(paths) or not things or any(f" {each}" in all_of_it for each in things)
        if able and named and all(path in asked for path in paths):
            return number
    return -1


_SAID = "have been also with your this that from successfully following details as below"
_COMMON = frozenset(each[:5] for each in _SAID.split())


def unread_files(
    answer: str, calls: Sequence[ToolCall], results: Sequence[tuple[int, str]], done: Sequence[Done]
) -> list[str]:
    """Return the files that an answer names and a result lists, but no call that succeeded was given."""
    given = " ".join(
        plain(json.dumps(each.arguments, ensure_ascii=False)[:MOST]) for each in calls if not each.is_error
    )
    code = any(ANYTHING.search(each.tool) for each in calls if not each.is_error)
    listed = " ".join(plain(text[:MOST]) for _, text in results)
    found = []
    for name in names_of(answer):
        if name.kind != "path" or any(name.text in each.text for each in done):
            continue
        base = plain(name.text.rpartition("/")[2])
        # Code that reads a whole folder names no file.
        if base in listed and base.strip() not in given and not code and _is_cited(answer, name.start):
            found.append(name.text)
    return found


def _is_cited(answer: str, start: int) -> bool:
    return (
        re.search(
            r"(?:according to|from|in|based on|read|per|see|source:?|by)\W+$",
            answer[max(0, start - 24) : start],
            re.I,
        )
        is not None
    )


def dead_calls(calls: Sequence[ToolCall], results: Sequence[tuple[int, str]], used: set[int]) -> list[int]:
    """Return the calls that succeeded and on whose results neither the answer nor a later call rests.

    Parameters
    ----------
    used
        Those on which the answer rests.
    """
    texts = {
        number: (plain(text[:MOST]), {each.value for each in numbers_of(text)}) for number, text in results
    }
    living = set(used)
    for number in range(len(calls) - 1, -1, -1):
        if number not in living and number != len(calls) - 1:
            continue
        said = json.dumps(calls[number].arguments, ensure_ascii=False)[:MOST]
        words = {f" {each} " for each in plain(said).split() if len(each) > 4}
        values = {each.value for each in numbers_of(said) if abs(each.value) > 12}
        for before, (text, known) in texts.items():
            if (
                before < number
                and before not in living
                and (values & known or any(each in text for each in words))
            ):
                living.add(before)
    return [
        n
        for n, each in enumerate(calls)
        if n in texts and n not in living and not each.is_error and n != len(calls) - 1
    ]
