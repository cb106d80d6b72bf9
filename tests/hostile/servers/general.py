"""Attacks on any server: those that need nothing of its domain. What they aim at is found in its tools list.

`hostile.servers.attack` carries them out; `hostile.servers.case` says what the fields mean.
"""

from __future__ import annotations

import json
from typing import Any

from hostile.servers import acts
from hostile.servers.case import (
    ANSWERED,
    NOTHING_DONE,
    Act,
    Call,
    Case,
    EveryArgument,
    EveryFileTool,
    Raw,
    Send,
)
from hostile.servers.channels import META
from hostile.servers.listed import types

PATHS = "Paths in file tools"
ARGUMENTS = "Arguments"
PROTOCOL = "Protocol"
PROCESSES = "Calls and processes"

ODD_TEXTS = (
    "a\0b",
    "\x1b[2J\x07",
    "\u202etxt.exe\u2066",
    "\ufeff",
    "%s%n{0}{{",
    "9" * 5000,
    "raw:" + "9" * 5000,
    "(" * 5000,
    "../../etc/passwd",
    "x\n" * 2000,
)


def wrong_types(about: dict[str, Any]) -> tuple[Any, ...]:
    """Return values of none of the types that an argument may have."""
    allowed = types(about)
    if "any" in allowed:
        return ()
    wrong: list[Any] = [[["x"]] if "array" in allowed else ["x"]]
    if "object" not in allowed:
        wrong.append({"a": {"b": 1}})
    if "null" not in allowed:
        wrong.append(None)
    return tuple(wrong if "array" not in allowed else wrong[1:])


def huge_numbers(about: dict[str, Any]) -> tuple[Any, ...]:
    """Return numbers beyond all measure for an argument that takes a number."""
    return (10**400, -(10**400), 1e308, -1) if {"integer", "number"} & types(about) else ()


def odd_texts(about: dict[str, Any]) -> tuple[Any, ...]:
    """Return texts that are none for an argument that takes any text."""
    return ODD_TEXTS if "string" in types(about) else ()


def long_texts(about: dict[str, Any]) -> tuple[Any, ...]:
    """Return a text of 1 MB."""
    return ("x" * 1_000_000,) if "string" in types(about) else ()


def raw(body: Any, number: int | str | None = None) -> Send:
    """Return raw bytes, as they are or any value as JSON, addressed to the quiet tool."""
    return lambda quiet: Raw(body if isinstance(body, bytes) else json.dumps(body).encode(), quiet, number)


def _message(number: int | str | None = None, **changed: Any) -> Send:
    """Return a JSON-RPC call of the quiet tool with some fields changed."""
    return lambda quiet: Raw(json.dumps(_fields(quiet) | changed).encode(), quiet, number)


def _fields(quiet: str) -> dict[str, Any]:
    params = {"name": quiet, "arguments": {}, "_meta": META}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


def _batch(quiet: str) -> Raw:
    return Raw(json.dumps([_fields(quiet) | {"id": number} for number in (8, 9)]).encode(), quiet)


def _wrong_parameters(quiet: str) -> Raw:
    params = {"name": quiet, "arguments": [1], "_meta": META}
    return Raw(json.dumps(_fields(quiet) | {"params": params}).encode(), quiet, 7)


def _nested(quiet: str) -> Raw:
    whole = json.dumps(_fields(quiet)).encode()
    nested = b'"arguments": {"path": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    return Raw(whole.replace(b'"arguments": {}', nested), quiet, 7)


GENERAL: tuple[Case, ...] = (
    Case(
        PATHS,
        "parent folders",
        "`..` in front, in the middle, doubled, with backslashes",
        EveryFileTool(
            (
                "../outside/secret.txt",
                "a/../../outside/secret.txt",
                "....//....//x",
                "..\\outside\\secret.txt",
            )
        ),
        NOTHING_DONE,
        quick=True,
    ),
    Case(
        PATHS,
        "absolute paths",
        "`/`, `//`, `~`, `C:`, `file://`",
        EveryFileTool(
            (
                "{outside}/secret.txt",
                "//etc/passwd",
                "~/.ssh/id_rsa",
                "C:\\x",
                "file:///etc/passwd",
                "@root/x",
            )
        ),
        NOTHING_DONE,
    ),
    Case(
        PATHS,
        "link to a file",
        "a link in the workspace to a secret, absolute and relative",
        EveryFileTool(("link", "relative")),
        NOTHING_DONE,
        plant=(
            ("symlink", "link", "{outside}/secret.txt"),
            ("symlink", "relative", "../../outside/secret.txt"),
        ),
        quick=True,
    ),
    Case(
        PATHS,
        "link to a folder",
        "`link/passwd`, where link is /etc",
        EveryFileTool(("link/passwd", "loop/x")),
        NOTHING_DONE,
        plant=(("symlink", "link", "/etc"), ("symlink", "loop", "loop")),
    ),
    Case(
        PATHS,
        "writing through links",
        "writing at a link to a file, through a link to a folder, and at a hard link",
        tuple(
            Call("{writes}", {"path": path, "content": "overwritten"})
            for path in ("link", "folder/x", "hard")
        ),
        ("ok, refused",),
        plant=(
            ("symlink", "link", "{outside}/plain.txt"),
            ("symlink", "folder", "{outside}/folder"),
            ("hard link", "hard", "{outside}/plain.txt"),
        ),
    ),
    Case(
        PATHS,
        "hard link",
        "reading a hard link that somebody made by hand: it is the file itself",
        (Call("{reads}", {"path": "hard"}),),
        ("ok", "not_found"),
        plant=(("hard link", "hard", "{outside}/plain.txt"),),
    ),
    Case(
        PATHS,
        "private folder",
        "`.labrig`, straight, through `.`, and through a link",
        EveryFileTool((".labrig/lock", "./.labrig/./lock", "link/lock")),
        NOTHING_DONE,
        plant=(("symlink", "link", ".labrig"),),
    ),
    Case(
        PATHS,
        "names",
        "a line feed, an escape sequence, NUL, 300 characters, 3,000 characters, a blank",
        EveryFileTool(("a\nb", "\x1b[2J", "a\0b", "x" * 300, "x/" * 1500 + "x", " ")),
        NOTHING_DONE,
    ),
    Case(
        PATHS,
        "not a file",
        "a folder, a pipe",
        EveryFileTool(("folder", "pipe")),
        NOTHING_DONE,
        plant=(("folder", "folder", ""), ("fifo", "pipe", "")),
    ),
    Case(
        PATHS,
        "somebody else's artifact",
        "the handle of an artifact in another workspace, short and in full",
        EveryFileTool(("sha256:{theirs_sha256_16}", "sha256:{theirs_sha256}")),
        NOTHING_DONE,
        quick=True,
    ),
    Case(
        PATHS,
        "somebody else's files",
        "the neighbouring workspace by its true name",
        EveryFileTool(("../{theirs}/secret.txt", "{theirs}/secret.txt")),
        NOTHING_DONE,
    ),
    Case(
        PATHS,
        "somebody else's new file",
        "a file that another token has just written, by its name",
        Act(acts.their_files),
        ("not_found",),
        theirs=True,
    ),
    Case(
        PATHS,
        "handles",
        "a handle with a wildcard, too short, with a path in it",
        EveryFileTool(("sha256:*", "sha256:00", "sha256:../../../../secret", "sha256:" + "0" * 64)),
        NOTHING_DONE,
    ),
    Case(
        PATHS,
        "folders without end",
        "one file below 500 folders: folders are in no quota",
        (Call("{writes}", {"path": "d/" * 500 + "x", "content": ""}),),
        ("bad_input",),
    ),
    Case(
        PATHS,
        "file above the quota",
        "a file above the 2 GiB of a workspace",
        Act(acts.full_workspace),
        ("limit",),
    ),
    Case(
        PATHS,
        "70 MB file",
        "more than a file may have",
        (Call("{writes}", {"path": "big", "content": "x" * 70_000_000}),),
        ("limit",),
        http=("HTTP 413",),
    ),
    Case(
        ARGUMENTS,
        "unknown tool",
        "a tool that does not exist",
        (Call("rm_rf", {"path": "/"}),),
        ("not_found",),
    ),
    Case(
        ARGUMENTS,
        "wrong types",
        "a list and an object for every argument that takes none, and null for one that is needed",
        EveryArgument(wrong_types),
        ("bad_input", "not_found"),  # of a value that is right after all, the file beside it is not there
        quick=True,
    ),
    Case(
        ARGUMENTS,
        "unknown arguments",
        "`__class__` and `self` for the arguments of a tool",
        (Call("{quiet}", {"__class__": "x", "self": 1}),),
        ("bad_input",),
    ),
    Case(
        ARGUMENTS,
        "many unknown arguments",
        "100,000 arguments that a tool does not have",
        (Call("{quiet}", {f"k{number}": 0 for number in range(100_000)}),),
        ("bad_input",),
    ),
    Case(
        ARGUMENTS,
        "huge numbers",
        "400 digits, as many negative ones, and 1e308 for every argument that takes a number",
        EveryArgument(huge_numbers),
        (ANSWERED,),
    ),
    Case(
        ARGUMENTS,
        "odd texts",
        "NUL, escape sequences, overrides, format strings and 5,000 digits for every argument that takes a text",
        EveryArgument(odd_texts),
        (ANSWERED,),
        wall_s=1.0,
    ),
    Case(
        ARGUMENTS,
        "long texts",
        "1 MB for every argument that takes a text: no answer may repeat it",
        EveryArgument(long_texts),
        (ANSWERED,),
        most=100_000,
    ),
    Case(
        ARGUMENTS,
        "half a pair",
        "half a surrogate pair as a text",
        Act(acts.half_surrogate),
        ("dropped",),
        http=(ANSWERED,),
    ),
    Case(
        ARGUMENTS,
        "somebody else's job",
        "ids guessed: the first of every caller, a path, a name with NUL; over HTTP the id of a job of the other token",
        Act(acts.somebody_elses_job),
        ("not_found",),
        theirs=True,
    ),
    Case(
        PROTOCOL, "not JSON", "a brace and a word", raw(b"{bad"), ("dropped",), http=("HTTP 400",), quick=True
    ),
    Case(
        PROTOCOL,
        "not UTF-8",
        "bytes of no text, and NUL",
        raw(b"\xff\xfe\0\0\x80"),
        ("dropped",),
        http=("HTTP 400",),
    ),
    Case(
        PROTOCOL,
        "no message",
        "a JSON number, too large for a double",
        raw(b"1e999"),
        ("dropped",),
        http=("HTTP 400",),
    ),
    Case(
        PROTOCOL,
        "a batch",
        "two calls in one list, which MCP has given up",
        _batch,
        ("dropped",),
        http=("HTTP 400",),
    ),
    Case(
        PROTOCOL,
        "odd ids",
        "null, a fraction, an object as the id of a call",
        _message(id={"a": None}),
        ("dropped",),
        http=("HTTP 400",),
    ),
    Case(
        PROTOCOL,
        "an id of 1 MB",
        "an id that has to be sent back",
        _message("x" * 1_000_000, id="x" * 1_000_000),
        (
            "ok",
            "not_found",
            "bad_input",
        ),  # refused where no tool does without arguments, with its id all the same
    ),
    Case(
        PROTOCOL,
        "unknown method",
        "a method that does not exist",
        _message(7, method="rm/rf"),
        ("JSON-RPC -32601",),
        http=("HTTP 400",),
    ),
    Case(
        PROTOCOL,
        "parameters of the wrong kind",
        "a list in place of the arguments",
        _wrong_parameters,
        ("JSON-RPC -32602",),
        http=("HTTP 400",),
    ),
    Case(
        PROTOCOL,
        "no handshake",
        "a call before `initialize` and without the envelope; over HTTP without a token",
        Act(acts.no_handshake),
        ("JSON-RPC -32602",),
        http=("HTTP 401",),
    ),
    Case(
        PROTOCOL,
        "names of other sites",
        "a good token under a foreign or doubled Host, one with `@`, and such an Origin, `null` too (HTTP)",
        Act(acts.foreign_names),
        ("HTTP 421, HTTP 403",),
    ),
    Case(
        PROTOCOL,
        "guessed tokens",
        "eight wrong tokens at once (HTTP)",
        Act(acts.guessed_tokens),
        ("HTTP 401 slowly",),
    ),
    Case(
        PROTOCOL,
        "tokens that others read",
        "a server started on a token file of the modes 644, 640, 620 and 606 (HTTP)",
        Act(acts.tokens_of_others),
        ("refused",),
    ),
    Case(PROTOCOL, "deep JSON", "200,000 nested lists", _nested, ("dropped",), http=("HTTP 400",)),
    Case(
        PROTOCOL,
        "20 MB without a line end",
        "a message that is not a message, and larger than any",
        raw(b"x" * 20_000_000),
        ("dropped",),
        http=("HTTP 413",),
    ),
    Case(
        PROTOCOL,
        "10,000 notices",
        "a flood of notices that nobody waits for",
        Act(acts.flood),
        ("survived",),
    ),
    Case(
        PROCESSES,
        "two at once",
        "two calls in the same moment, in one workspace",
        Act(acts.many_at_once(2)),
        ("ok",),
        wall_s=20,
    ),
    Case(
        PROCESSES,
        "40 at once",
        "more calls than may wait",
        Act(acts.many_at_once(40)),
        ("ok or busy",),
        wall_s=20,
    ),
    Case(
        PROCESSES,
        "call taken back",
        "an endless call is cancelled by its caller",
        Act(acts.taken_back),
        ("ended",),
        wall_s=60,
        quick=True,
    ),
    Case(
        PROCESSES,
        "client gone",
        "the connection breaks in the middle of an endless call",
        Act(acts.client_gone),
        ("ended",),
        wall_s=60,
        kills=True,
    ),
    Case(
        PROCESSES,
        "server killed in a run",
        "SIGKILL to the server in the middle of an endless call: nothing of it may go on",
        Act(acts.server_killed),
        ("ended",),
        wall_s=60,
        kills=True,
    ),
)
