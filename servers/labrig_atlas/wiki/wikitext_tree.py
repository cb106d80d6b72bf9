"""Wikitext as a tree of templates and links: a stack, no recursion, time in proportion to the text.

What is opened and never closed is text, as MediaWiki has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

DEEPEST = 60
"""Templates and links within each other; what opens deeper is text."""
_TOKEN = re.compile(r"\{\{|\}\}|\[\[|\]\]|\|")
_OPENS = {"{{": "template", "[[": "link"}
_CLOSES = {"}}": "template", "]]": "link"}
_MARKS = {"template": ("{{", "}}"), "link": ("[[", "]]")}

Kind = Literal["template", "link"]


@dataclass(frozen=True, slots=True)
class Call:
    """A template or a link: its parts between bars, the first its name or title."""

    kind: Kind
    parts: tuple[Nodes, ...]


Node = str | Call
Nodes = tuple[Node, ...]


@dataclass
class _Open:
    kind: str
    parts: list[list[Node]] = field(default_factory=lambda: [[]])


def tree_of(text: str) -> Nodes:
    """Return a text as pieces of text, templates and links."""
    stack = [_Open("root")]
    at = 0
    for token in _TOKEN.finditer(text):
        if token.start() < at:
            continue
        _add(stack, text[at : token.start()])
        mark, at = token.group(), token.end()
        if mark in _OPENS:
            if len(stack) > DEEPEST:
                _add(stack, mark)
            else:
                stack.append(_Open(_OPENS[mark]))
        elif mark in _CLOSES:
            _close(stack, _CLOSES[mark], mark)
        elif stack[-1].kind == "root":
            _add(stack, mark)
        else:
            stack[-1].parts.append([])
    _add(stack, text[at:])
    while len(stack) > 1:
        _unopened(stack)
    return tuple(stack[0].parts[0])


def text_of(nodes: Nodes) -> str:
    """Return the wikitext of a tree again."""
    pieces: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            pieces.append(node)
        else:
            before, after = _MARKS[node.kind]
            pieces.append(before + "|".join(text_of(part) for part in node.parts) + after)
    return "".join(pieces)


def arguments(call: Call) -> tuple[dict[int, Nodes], dict[str, Nodes]]:
    """Return the arguments of a template, by their place from 1 on and by their name."""
    places: dict[int, Nodes] = {}
    names: dict[str, Nodes] = {}
    for part in call.parts[1:]:
        first = part[0] if part and isinstance(part[0], str) else ""
        name, equals, rest = first.partition("=")
        if equals and "<" not in name:  # an equals sign in a tag is none of a name
            value = (rest, *part[1:]) if rest else tuple(part[1:])
            key = name.strip()
            if key.isdigit() and len(key) < 4:
                places[int(key)] = value
            else:
                names[key.lower()] = value
        else:
            places[len(places) + 1] = part
    return places, names


def calls(nodes: Nodes) -> Iterator[Call]:
    """Give the templates and links of a tree, the outer before the inner."""
    for node in nodes:
        if isinstance(node, Call):
            yield node
            for part in node.parts:
                yield from calls(part)


def _add(stack: list[_Open], text: str) -> None:
    if text:
        stack[-1].parts[-1].append(text)


def _close(stack: list[_Open], kind: str, mark: str) -> None:
    """Close the innermost of a kind; what was opened in it and not closed is text."""
    if all(each.kind != kind for each in stack):
        _add(stack, mark)
        return
    while stack[-1].kind != kind:
        _unopened(stack)
    done = stack.pop()
    parts = tuple(tuple(part) for part in done.parts)
    stack[-1].parts[-1].append(Call("template" if kind == "template" else "link", parts))


def _unopened(stack: list[_Open]) -> None:
    """Take the innermost that was opened as text; its bars part the outer one."""
    done = stack.pop()
    outer = stack[-1]
    outer.parts[-1].append(_MARKS[done.kind][0])
    outer.parts[-1].extend(done.parts[0])
    if outer.kind != "root":
        outer.parts.extend(done.parts[1:])
        return
    for part in done.parts[1:]:
        outer.parts[-1].append("|")
        outer.parts[-1].extend(part)
