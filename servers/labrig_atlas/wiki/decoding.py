"""The bytes of a page as text: byte order mark, then what the server said, then what the page says, then UTF-8.

This is the order of the HTML standard (section "determining the character encoding"). A charset that is wrong shows: a
page stated as UTF-8 that is not is read as Windows-1252 if that is what it must be, and says so.
"""

from __future__ import annotations

import codecs
import re

_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_READ_AS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
}
"""What browsers read instead (WHATWG Encoding): the wider one that contains it."""
_NEVER = frozenset(("utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs"))
_BEGINNING = 4_096
"""Bytes in which a page names its charset; the standard asks for 1,024."""


def decoded(data: bytes, content_type: str = "") -> tuple[str, str]:
    """Return the text of a page, and a note where its charset was not as stated (else empty)."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace"), ""
    header = _HEADER.search(content_type)
    inside = _XML.search(data[:_BEGINNING]) or _META.search(data[:_BEGINNING])
    stated = _codec(header.group(1)) if header else ""
    stated = stated or (_codec(inside.group(1).decode("ascii")) if inside else "")
    if inside and not header and stated.startswith("utf-16"):
        stated = "utf-8"  # it could be read as ASCII, so it is not that
    try:
        return data.decode(stated or "utf-8"), ""
    except UnicodeDecodeError:
        pass
    named = stated or "utf-8, which holds where a page names no charset"
    if stated not in ("", "utf-8"):
        try:
            return data.decode("utf-8"), f"the page is stated to be in {named} and was read as utf-8"
        except UnicodeDecodeError:
            return data.decode(stated, "replace"), f"some bytes are no characters of {named}"
    try:
        return data.decode("cp1252"), f"the page is not in {named}, and was read as windows-1252"
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), f"some bytes are no characters of {named}"


def _codec(label: str) -> str:
    """Return Python's name of a text encoding, empty for one that is unknown or no encoding of pages."""
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return ""
    if info.name in _NEVER or not info._is_text_encoding:
        return ""
    return _READ_AS.get(info.name, info.name)
