"""``ledger list``, ``show``, ``diff``, ``prune``, ``verify``, ``export``: recorded exchanges with services."""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError
from labrig_study.report import words

if TYPE_CHECKING:
    from labrig.http.ledger.ledger import Entry, Exchange, Ledger
    from labrig.http.stored import Stored

DIFFERENT = 1
"""As diff(1) has it."""
TEXT = 2_000
"""Characters of a body that are shown."""
SAME_URL = 20
"""Exchanges that are listed where several are meant."""
AGE = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    ledger = verbs.add_parser("ledger", help="look at recorded exchanges with services on the network")
    actions = ledger.add_subparsers(dest="action", metavar="ACTION", required=True)

    listing = actions.add_parser("list", help="one line for each exchange")
    _add_path(listing)
    _add_part(listing)
    listing.add_argument("--status", default="", metavar="S", help="only this status, such as 200, or error")
    listing.add_argument("--json", action="store_true", help="as JSON lines")
    listing.set_defaults(run=_list)

    show = actions.add_parser("show", help="one exchange: what was asked, and what came")
    _add_path(show)
    show.add_argument(
        "which", metavar="N|URL-PART", help="its number, or a part of its URL that no other has"
    )
    form = show.add_mutually_exclusive_group()
    form.add_argument(
        "--body", action="store_true", help="write the body to standard output, and nothing else"
    )
    form.add_argument("--json", action="store_true", help="as JSON, with the whole body")
    show.set_defaults(run=_show)

    diff = actions.add_parser(
        "diff", help="requests that only one ledger has, or with another outcome; exit 1 if any"
    )
    diff.add_argument("a", type=Path, metavar="A")
    diff.add_argument("b", type=Path, metavar="B")
    diff.add_argument("--json", action="store_true", help="as JSON")
    diff.set_defaults(run=_diff)

    prune = actions.add_parser("prune", help="remove the exchanges that meet all conditions")
    _add_path(prune)
    prune.add_argument(
        "--older-than", type=_read_moment, metavar="T", help="recorded before: 30d, 12h, or a date"
    )
    prune.add_argument("--host", default="", metavar="H", help="with its port, or without for all")
    prune.add_argument("--errors", action="store_true", help="whose outcome is an error")
    prune.add_argument("--dry-run", action="store_true", help="only say how many they are")
    prune.set_defaults(run=_prune)

    verify = actions.add_parser(
        "verify", help="read everything against its hash; exit 1 if anything is damaged"
    )
    _add_path(verify)
    verify.set_defaults(run=_verify)

    export = actions.add_parser("export", help="write the exchanges, or a part, to a file")
    _add_path(export)
    export.add_argument(
        "--to",
        type=Path,
        required=True,
        metavar="FILE",
        help=".jsonl; .har (for the developer tools of browsers); .sqlite (a ledger again, to ship)",
    )
    _add_part(export)
    export.add_argument("--force", action="store_true", help="replace FILE")
    export.set_defaults(run=_export)


def _add_path(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path",
        type=Path,
        nargs="?",
        metavar="PATH",
        help="default: the setting http.ledger, else http/ledger.sqlite in LABRIG_HOME",
    )


def _add_part(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="", metavar="H", help="only this host, with its port or without")
    parser.add_argument(
        "--since",
        type=_read_moment,
        metavar="T",
        help="only those recorded since: 30d, 12h, or a date",
    )


def _read_moment(text: str) -> str:
    """Return a date, a time or an age as ledgers write time; local time unless it says otherwise."""
    try:
        if age := re.fullmatch(r"(\d{1,6})([mhdw])", text):
            moment = datetime.now(UTC) - timedelta(**{AGE[age[2]]: int(age[1])})
        else:
            moment = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time: expected an age such as 30d, 12h or 90m, or a date such as 2026-01-31"
        ) from error
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _open(path: Path | None, *, write: bool = False) -> Ledger:
    try:
        from labrig.http.ledger import ledger
    except ModuleNotFoundError as error:
        raise LabrigError(
            f"The libraries of the network are not installed: {error.name}",
            try_="pip install 'labrig[http]'",
            code="unavailable",
        ) from error
    where = path.expanduser() if path is not None else ledger.default_path()
    if write:
        ledger.Ledger(where, write=False).close()  # what is not there is not made
    return ledger.Ledger(where, write=write)


# ---------------------------------------------------------------------------------------------------- list, show


def _list(arguments: argparse.Namespace) -> int:
    if not re.fullmatch(r"error|[1-5]\d\d|", arguments.status):
        raise LabrigError(
            f"{arguments.status!r} is not a status", where="--status", expected="such as 200, or error"
        )
    _allow_any_character()
    count = errors = size = 0
    with _open(arguments.path) as ledger:
        for entry in ledger.entries(
            host=arguments.host, since=arguments.since or "", status=arguments.status
        ):
            print(json.dumps(_list_fields(entry)) if arguments.json else _make_line(entry))
            count, errors, size = count + 1, errors + (entry.status is None), size + entry.size
    if not arguments.json:
        print(f"{_count_things(count, 'exchange')}, {_count_things(errors, 'error')}, {words.size(size)}")
    return 0


def _make_line(entry: Entry) -> str:
    outcome = entry.code if entry.status is None else str(entry.status)
    times = f" #{entry.ordinal}" if entry.ordinal else ""
    head = (
        f"{entry.number:>5}  {entry.recorded_at}  {entry.method:<4}  {outcome:<12}  "
        f"{'-' if entry.status is None else words.size(entry.size):>8}  "
    )
    url = f"{_escape_controls(entry.url)}{times}"
    if sys.stdout.isatty():
        room = max(20, shutil.get_terminal_size().columns - len(head))
        url = url if len(url) <= room else f"{url[: room - 3]}..."
    return _escape_controls(head) + url


def _list_fields(entry: Entry) -> dict[str, Any]:
    return {name: value for name, value in vars(entry).items() if name != "key"}


def _show(arguments: argparse.Namespace) -> int:
    from labrig.http.messages import Response

    _allow_any_character()
    if arguments.path is None and Path(arguments.which).is_file():
        raise LabrigError(
            "Which exchange?",
            where=f"labrig ledger show {arguments.which}",
            expected="its number, or a part of its URL, after the ledger",
            try_=f"labrig ledger list {arguments.which}",
        )
    with _open(arguments.path) as ledger:
        number = _find_number(ledger, arguments.which)
        exchange = ledger.at(number)
    if exchange is None:
        raise LabrigError(
            f"There is no exchange {number}", where="N", try_="labrig ledger list", code="not_found"
        )
    outcome = exchange.outcome
    if arguments.body:
        if not isinstance(outcome, Response):
            raise LabrigError(
                f"Exchange {number} has no body",
                expected=_escape_controls(f"a response; this is {outcome.code}: {outcome.what}"),
            )
        return _write_file(outcome.stored) if outcome.stored else _write(outcome.body)
    if arguments.json:
        print(json.dumps({"number": number, **exchange.to_dict()}, indent=1))
        return 0
    for line in _make_page(number, exchange):
        print(line)
    return 0


def _find_number(ledger: Ledger, which: str) -> int:
    """Return the number of the exchange that is meant."""
    if which.isascii() and which.isdigit() and len(which) < 19:
        return int(which)
    found = [each for each in ledger.entries() if which in each.url]
    if not found:
        raise LabrigError(
            f"No URL has {which!r} in it", where="URL-PART", try_="labrig ledger list", code="not_found"
        )
    if len(found) > 1:
        for entry in found[:SAME_URL]:
            print(_make_line(entry), file=sys.stderr)
        raise LabrigError(
            f"{len(found)} exchanges have {which!r} in their URL", where="URL-PART", expected="a number"
        )
    return found[0].number


def _make_page(number: int, exchange: Exchange) -> list[str]:
    from labrig.http.messages import Response

    request, outcome = exchange.request, exchange.outcome
    facts = [
        f"recorded {exchange.recorded_at}",
        f"in {exchange.took_ms} ms",
        f"by labrig {exchange.labrig}",
        f"for {exchange.service}" if exchange.service else "",
        f"with a limit of {exchange.limit_bytes:,} bytes" if exchange.limit_bytes else "",
        f"as #{exchange.ordinal} of its series" if exchange.ordinal else "",
    ]
    lines = [
        f"exchange {number}: {', '.join(fact for fact in facts if fact)}",
        f"{request.method} {request.url}",
    ]
    lines += [f"  {name}: {value}" for name, value in request.headers]
    if request.body:
        lines += ["", *_show_body(request.body, dict(request.headers).get("content-type", ""))]
    lines.append("")
    if isinstance(outcome, Response):
        lines += [f"redirected ({hop.status}) from {hop.url} to {hop.to}" for hop in outcome.redirects]
        lines += [f"{outcome.status} {outcome.url}, retrieved {outcome.retrieved_at}"]
        lines += [f"  {name}: {value}" for name, value in outcome.headers.items()]
        lines += [f"{outcome.size:,} bytes, sha256 {outcome.sha256}"]
        if outcome.stored:
            lines += [f"in {outcome.stored.path}"]
        lines += (
            ["", *_show_body(outcome.body, outcome.headers.get("content-type", ""))] if outcome.body else []
        )
    else:
        wait = "" if outcome.retry_after_s is None else f" (again after {outcome.retry_after_s:g} s)"
        lines.append(f"{outcome.code}{wait}: {outcome}")
    return [_escape_controls(line) for line in lines]


def _show_body(body: bytes, content_type: str) -> list[str]:
    """Return the beginning of a body, if it is text."""
    from labrig.http.messages import decoded

    text = decoded(body, content_type)[0]
    if "\0" in text or (not content_type.startswith("text/") and not _is_utf8(body)):
        return [f"(binary, begins {body[:16].hex(' ')}; --body writes it)"]
    more = [f"... {len(text) - TEXT:,} more characters; --body writes all"] if len(text) > TEXT else []
    return [*text[:TEXT].splitlines(), *more]


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _write(body: bytes) -> int:
    """Write a body as it is, but to a terminal only what cannot harm it."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
        return 0
    if not _is_utf8(body):
        raise LabrigError("This body is binary", where="--body", try_="the same with > FILE, or | PROGRAM")
    for line in body.decode().splitlines():
        print(_escape_controls(line))
    return 0


def _write_file(stored: Stored) -> int:
    """Write a body that lies in a file; one that is not what was written ends with an error after what there is."""
    if sys.stdout.isatty():
        raise LabrigError(
            f"This body has {stored.size:,} bytes", where="--body", try_="the same with > FILE, or | PROGRAM"
        )
    sys.stdout.flush()
    for piece in stored.pieces():
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    return 0


# ---------------------------------------------------------------------------------------------------------- diff


def _diff(arguments: argparse.Namespace) -> int:
    from labrig.http.difference import outcome_differences

    _allow_any_character()
    differ: list[tuple[Entry, list[str]]] = []
    with _open(arguments.a) as a, _open(arguments.b) as b:
        ones, others = ({(each.key, each.ordinal): each for each in ledger.entries()} for ledger in (a, b))
        for place in (each for each in ones if each in others):
            one, other = ones[place], others[place]
            x, y = a.at(one.number), b.at(other.number)
            if x is not None and y is not None and (found := outcome_differences(x, y)):
                differ.append((one, found))
    only = [
        [each for place, each in here.items() if place not in there]
        for here, there in ((ones, others), (others, ones))
    ]
    same = len(ones) - len(only[0]) - len(differ)
    if arguments.json:
        print(
            json.dumps(
                {
                    "only_a": [_list_fields(each) for each in only[0]],
                    "only_b": [_list_fields(each) for each in only[1]],
                    "differ": [_list_fields(each) | {"differences": found} for each, found in differ],
                    "same": same,
                },
                indent=1,
            )
        )
    else:
        for name, entries in zip("AB", only, strict=True):
            for entry in entries:
                print(
                    _escape_controls(f"only in {name}: {_make_request(entry)} ({entry.status or entry.code})")
                )
        for entry, found in differ:
            print(_escape_controls(f"differs: {_make_request(entry)}"))
            for line in found:
                print(f"    {_escape_controls(line)}")
        print(f"{len(only[0])} only in A, {len(only[1])} only in B, {len(differ)} differ, {same} the same")
    return DIFFERENT if differ or any(only) else 0


def _make_request(entry: Entry) -> str:
    return f"{entry.method} {entry.url}" + (f" #{entry.ordinal}" if entry.ordinal else "")


# ------------------------------------------------------------------------------------------------- prune, export


def _prune(arguments: argparse.Namespace) -> int:
    if not (arguments.older_than or arguments.host or arguments.errors):
        raise LabrigError("This would remove everything", expected="--older-than, --host or --errors")
    with _open(arguments.path, write=not arguments.dry_run) as ledger:
        all_, before = ledger.count(), _measure_disk(ledger.path)
        count = ledger.prune(
            before=arguments.older_than or "",
            host=arguments.host,
            errors=arguments.errors,
            dry=arguments.dry_run,
        )
        path = ledger.path
    if arguments.dry_run:
        print(f"would remove {count} of {_count_things(all_, 'exchange')}")
    else:
        freed = words.size(max(0, before - _measure_disk(path)))
        print(f"removed {count} of {_count_things(all_, 'exchange')}; {freed} freed")
    return 0


def _measure_disk(path: Path) -> int:
    from labrig.http.ledger.bodies import beside

    wal = path.with_name(f"{path.name}-wal")
    return beside(path).size() + sum(each.stat().st_size for each in (path, wal) if each.exists())


def _verify(arguments: argparse.Namespace) -> int:
    _allow_any_character()
    count = damaged = 0
    with _open(arguments.path) as ledger:
        for entry, wrong in ledger.verify():
            count += 1
            if wrong is not None:
                damaged += 1
                print(_escape_controls(f"{entry.number:>5}  {_make_request(entry)}: {wrong}"))
    print(f"{_count_things(count, 'exchange')}, {damaged} damaged")
    return DIFFERENT if damaged else 0


def _export(arguments: argparse.Namespace) -> int:
    from labrig.http.ledger.export import export

    with _open(arguments.path) as ledger:
        count = export(
            ledger,
            arguments.to.expanduser(),
            host=arguments.host,
            since=arguments.since or "",
            force=arguments.force,
        )
    print(f"{_count_things(count, 'exchange')} in {arguments.to}")
    return 0


# ---------------------------------------------------------------------------------------------------------- both


def _allow_any_character() -> None:
    """Let a terminal that has not every character show the others as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _escape_controls(text: str) -> str:
    """Return one line with control characters escaped: they would move the cursor, hide text or colour it."""
    return "".join(c if c.isprintable() or c == "\t" else ascii(c)[1:-1] for c in text)


def _count_things(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
