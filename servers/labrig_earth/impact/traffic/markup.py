"""XML of SUMO: it is read here, and only elements and attributes that are known are written again for the program.

SUMO's files may name other files, to read and to write (``include``, ``file``, ``output``, entities, ``param``), so a
caller's file is never given to it as it is.
"""

from __future__ import annotations

import xml.etree.ElementTree as tree
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element
from xml.sax.saxutils import quoteattr

from labrig.errors import LabrigError, over_limit, unknown_name

MOST_BYTES = 16 << 20
MOST_TEXT = 200_000
"""Characters of one attribute; the shape of a long edge has some thousands."""


def read_xml(content: bytes, root: str, where: str) -> Element:
    """Read an XML file whose root is known.

    Raises
    ------
    LabrigError
        ``refused`` for a document type or an entity; ``bad_input`` for what is no XML, or has another root; ``limit``
        for too much.
    """
    if len(content) > MOST_BYTES:
        raise over_limit(f"The file has {len(content):,} bytes", MOST_BYTES, "bytes", where=where)
    parser: Any = tree.XMLPullParser(("start", "end"))
    depth = 0
    found: Element | None = None
    try:
        if b"<!DOCTYPE" in content or b"<!ENTITY" in content or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise LabrigError(
                "The file has a document type or entities, which may name other files, or is no UTF-8",
                where=where,
                expected="plain XML in UTF-8",
                code="refused",
            )
        for start in range(0, len(content), 1 << 20):
            parser.feed(content[start : start + (1 << 20)])
            for event, element in parser.read_events():
                depth += 1 if event == "start" else -1
                found = element if found is None else found
                if depth > 5:
                    raise LabrigError("The elements lie too deep in each other", where=where)
        parser.close()
    except (tree.ParseError, ValueError, LookupError) as error:
        raise LabrigError(
            f"This is no XML: {error}"[:200], where=where, expected=f"XML with the root <{root}>"
        ) from None
    if found is None or found.tag != root:
        raise LabrigError(
            "This is no file of that kind" if found is None else f"The root is <{found.tag}>"[:120],
            where=where,
            expected=f"XML with the root <{root}>",
        )
    return found


def kept(element: Element, known: Mapping[str, Sequence[str]], where: str, dropped: set[str]) -> str:
    """Return an element with all beneath it as text, of attributes those that are known.

    Parameters
    ----------
    known
        Attributes by element; an element that is not among them is refused.
    dropped
        Gets the attributes that are left out.
    """
    if element.tag not in known:
        raise unknown_name("element", str(element.tag)[:80], known, where=where)
    parts = [f"<{element.tag}"]
    for name, value in element.attrib.items():
        if name not in known[element.tag]:
            if not name.startswith("{"):  # of another namespace, such as xsi
                dropped.add(f"{element.tag} {name}"[:80])
            continue
        if len(value) > MOST_TEXT:
            raise LabrigError(
                f"{name} of a <{element.tag}> has {len(value):,} characters", where=where, code="limit"
            )
        parts.append(f" {name}={quoteattr(value)}")
    inner = [kept(each, known, where, dropped) for each in element if each.tag != "param"]
    if not inner:
        return "".join((*parts, "/>"))
    return "".join((*parts, ">", *inner, f"</{element.tag}>"))


def written(tag: str, fields: Mapping[str, object], inner: str = "") -> str:
    """Return an element with attributes as text."""
    said = "".join(f" {name}={quoteattr(str(value))}" for name, value in fields.items())
    return f"<{tag}{said}>{inner}</{tag}>" if inner else f"<{tag}{said}/>"
