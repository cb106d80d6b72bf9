"""Keeping keys out of what is written: records, reports, errors.

A key is the value of an environment variable whose name says so (``..._API_KEY``, ``..._TOKEN``), one of those between
the commas of ``LABRIG_TOKENS``, or one that was told to `remember`. It is replaced wherever it turns up, in whatever
spelling a service or a program may echo it:

- its letters and digits as they are, any other character raw or escaped as in URLs (``%3D``, a space as ``+``, twice:
  ``%253D``), in JSON (``\\u003d``, ``\\/``), in JSON within JSON, in HTML (``&amp;``, ``&#61;``, ``&#x3d;``);
- every character escaped, letters and digits too;
- as a part of something in base64, standard or URL-safe, such as the ``user:key`` of Basic authorization.

What is packed, encrypted or in UTF-16 is not looked into.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from html.entities import html5
from types import MappingProxyType

from labrig.errors import LabrigError

NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?(?:$|_)", re.IGNORECASE)
MASK = "[key]"
SHORTEST = 8
"""Values of the environment shorter than this are no keys: replacing them would damage ordinary text."""
SHORTEST_GIVEN = 6
"""The same for values that somebody says are keys. Longer than `MASK`: what is replaced gets shorter, so it ends."""

_remembered: set[str] = set()


@lru_cache(maxsize=4096)
def _is_key(name: str) -> bool:
    return NAME.search(name) is not None


def remember(value: str) -> None:
    """Treat a value as a key from now on: one from ``labrig.toml``, or a token fetched at run time.

    Raises
    ------
    LabrigError
        ``bad_input`` for a value so short that replacing it would damage ordinary text.
    """
    value = value.strip()
    if len(value) < SHORTEST_GIVEN:
        raise LabrigError(
            "This key is too short to be kept out of what is written",
            where=f"a key of {len(value)} characters",
            expected=f"at least {SHORTEST_GIVEN} characters",
            try_="a longer key, from the service that issued it",
        )
    _remembered.add(value)


def keys() -> list[str]:
    """Return the keys of this process's environment and those remembered, longest first."""
    # What a key is sent as has no line end, though `export KEY="$(cat file)"` and the like may leave one.
    found = {part.strip() for name in os.environ if _is_key(name) for part in _parts(name)}
    # A path or a flag is not a secret, though its variable may be called ..._TOKEN_FILE.
    wanted = {value for value in found if len(value) >= SHORTEST and not value.startswith("/")}
    return sorted(wanted.union(tuple(_remembered)), key=len, reverse=True)


def _parts(name: str) -> list[str]:
    """Return the value of a variable, and those between its commas; a number of tokens (``MAX_TOKENS``) is no key."""
    value = os.environ.get(name, "")
    return [] if "TOKENS" in name.upper() and value.isdecimal() else [value, *value.split(",")]


def redact(text: str, also: Iterable[str] = ()) -> str:
    """Return a text with every key replaced by ``[key]``, and every value of `also`; see `redact_bytes`."""
    wanted = _wanted(also)
    if not wanted:
        return text
    data = text.encode("utf-8", "surrogatepass")
    done = _redacted(data, wanted)
    if done == data:
        return text
    try:
        return done.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # a key that is not UTF-8 was found across the bytes of a character
        return done.decode("utf-8", "replace")


def redact_bytes(data: bytes, also: Iterable[str] = ()) -> bytes:
    """Return bytes with every key replaced by ``[key]``, and every value of `also`; the rest stays as it is.

    Values of `also` shorter than `SHORTEST_GIVEN` stay. To redact twice changes nothing.
    """
    wanted = _wanted(also)
    return _redacted(data, wanted) if wanted else data


def _wanted(also: Iterable[str]) -> list[str]:
    given = {value for value in also if len(value) >= SHORTEST_GIVEN}
    return sorted(given.union(keys()), key=len, reverse=True)


def _redacted(data: bytes, wanted: list[str]) -> bytes:
    """Replace until nothing is left to replace: a key with brackets in it may come about beside a mask."""
    before = b""
    while data != before:
        before = data
        for runs, one in _ALL_ESCAPED:
            data = runs.sub(partial(_masked_run, one, wanted), data)
        data = _replaced(data, wanted)
    return data


def _replaced(data: bytes, wanted: list[str]) -> bytes:
    for value in wanted:
        for part, pattern in _forms(value):
            if part in data:  # far quicker than the pattern, and mostly the end of it
                data = pattern.sub(MASK.encode(), data)
    return data


def _masked_run(one: re.Pattern[bytes], wanted: list[str], run: re.Match[bytes]) -> bytes:
    """Return a run of escapes as it is; the mask alone if there is a key in it."""
    numbers = one.findall(run[0])
    read = bytes(int(base16, 16) if base16 else int(base10) % 256 for base16, base10 in numbers)
    return run[0] if _replaced(read, wanted) == read else MASK.encode()


# ------------------------------------------------------------------------------------------------------ spellings
# Patterns are written as text with one character per byte (Latin-1). Every repetition inside them has a bound, so that
# nothing a service sends makes the search slow.

_PERCENT = "%(?:25){0,3}"
_BACKSLASH = r"\\\\{0,7}"
"""One in JSON, two in JSON within JSON, and so on. The first stands alone: `re` then searches quickly."""
_AND = "&(?:amp;){0,2}"


def _escapes(one: str) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return the pattern of a run of escapes as long as a key, and that of one, with its number in base 16 or 10."""
    return re.compile(f"{one}(?:{one}){{{SHORTEST_GIVEN - 1},}}".encode()), re.compile(one.encode())


_ALL_ESCAPED = [
    _escapes(rf"{_PERCENT}([2-7][0-9A-Fa-f])()"),
    _escapes(rf"{_BACKSLASH}(?:u00|x)([2-7][0-9A-Fa-f])()"),
    _escapes(rf"{_AND}#(?:[xX]0{{0,6}}([2-7][0-9A-Fa-f])|0{{0,6}}(\d{{2,3}}));"),
]

_NAMED: dict[str, list[str]] = {}
for _name, _character in html5.items():
    if _name.endswith(";"):
        _NAMED.setdefault(_character, []).append(_name[:-1])
_SHORT = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_TOKENS = re.compile(r"[A-Za-z0-9]+|([^A-Za-z0-9])\1*")
URL_SAFE = {"+": "-", "/": "_"}


@lru_cache(maxsize=1024)
def _forms(value: str) -> tuple[tuple[bytes, re.Pattern[bytes]], ...]:
    """Return the spellings of a key: a part that stands in all data that hold it, and the pattern that finds it."""
    data = _bytes(value)
    forms = [(_longest_word(value), re.compile(_pattern(value).encode("latin-1")))]
    # Base64 makes four characters of three bytes: so many bytes of three stand before the key.
    for before in range(3):
        text = b64encode(bytes(before) + data).decode()
        # The first and the last character may hold bits of what is beside the key, too.
        whole = text[(0, 2, 3)[before] : 8 * (before + len(data)) // 6]
        left = _EDGE if before else ""
        right = _EDGE if 8 * (before + len(data)) % 6 else ""
        forms.append((_longest_word(whole), re.compile((left + _pattern(whole, URL_SAFE) + right).encode())))
    return tuple(forms)


def _longest_word(text: str) -> bytes:
    words: list[str] = re.findall(r"[A-Za-z0-9]*", text)
    return max(words, key=len).encode()


def _pattern(text: str, also: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the pattern of a text whose letters and digits stand as they are; some characters may stand for others."""
    return "".join(
        token[0] if token[1] is None else _spelled(token[1], len(token[0]), also.get(token[1], ""))
        for token in _TOKENS.finditer(text)
    )


def _spelled(character: str, times: int, or_: str) -> str:
    """Return the pattern of a character that is neither letter nor digit, several times in one spelling."""
    return f"(?:{'|'.join(f'(?:{way}){{{times}}}' for each in (character + or_) for way in _ways(each))})"


def _ways(character: str) -> list[str]:
    """Return patterns of all ways to write a character, itself last."""
    code = ord(character)
    units = character.encode("utf-16-be", "surrogatepass").hex()
    names = "".join(f"{re.escape(name)}|" for name in _NAMED.get(character, []))
    ways = [
        "".join(_PERCENT + _hex(f"{byte:02x}") for byte in _bytes(character)),
        "".join(f"{_BACKSLASH}u{_hex(units[at : at + 4])}" for at in range(0, len(units), 4)),
        f"{_AND}(?:{names}#0{{0,6}}{code}|#[xX]0{{0,6}}{_hex(f'{code:x}')});",
    ]
    if code < 256:
        ways.append(f"{_BACKSLASH}x{_hex(f'{code:02x}')}")
    if character in _SHORT:
        ways.append(_BACKSLASH + _SHORT[character])
    if character == " ":
        ways += [r"\+", "%(?:25){0,2}2[bB]"]
    raw = {_bytes(character), character.encode("utf-8", "surrogatepass")}
    if character == "\\":
        return [*ways, *(r"\\" * times for times in (8, 4, 2, 1))]
    return ways + [r"\\{0,8}" + re.escape(each.decode("latin-1")) for each in sorted(raw)]


def _hex(digits: str) -> str:
    """Return the pattern of a hexadecimal number in either case."""
    return "".join(f"[{each}{each.upper()}]" if each.isalpha() else each for each in digits)


def _bytes(text: str) -> bytes:
    """Return a text in UTF-8; bytes of the environment that are not UTF-8 become what they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


_EDGE = "(?:" + "|".join([r"[\w-]", *_ways("+"), *_ways("/")]) + ")?"
