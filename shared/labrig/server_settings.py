"""The settings of a server, as its toolbox declares them: a name, a default whose type counts, what it may be.

A value comes from ``--set NAME=VALUE``, else from where every setting does (`labrig.config`), else it is the default.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labrig.config import YES_NO, configured, setting
from labrig.errors import LabrigError, unknown_name

Value = str | int | float | bool


@dataclass(frozen=True)
class ServerSetting:
    """One setting of a server.

    Attributes
    ----------
    default
        Its type is the setting's: text, a whole number, a number, or yes and no.
    about
        What it means, with its unit.
    choices
        The texts that it may be; empty for any.
    least, most
        Bounds of a number, themselves allowed.
    """

    name: str
    default: Value
    about: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    def read(self, text: str, *, where: str) -> Value:
        """Return a text as a value; a LabrigError says what it should be."""
        if self.choices and text not in self.choices:
            raise unknown_name(f"value of {self.name}", text, self.choices, where=where)
        try:
            value = self._typed(text.strip())
        except ValueError:
            raise LabrigError(
                f"The setting {self.name} cannot be {text[:80]!r}", where=where, expected=self.expected
            ) from None
        return value

    def _typed(self, text: str) -> Value:
        if isinstance(self.default, bool):
            if text.lower() not in YES_NO:
                raise ValueError
            return YES_NO[text.lower()]
        if isinstance(self.default, str):
            return text
        value = int(text) if isinstance(self.default, int) else float(text)
        low = -math.inf if self.least is None else self.least
        high = math.inf if self.most is None else self.most
        if not low <= value <= high:
            raise ValueError
        return value

    @property
    def expected(self) -> str:
        """What a value may be, in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, str):
            return " or ".join(self.choices) or "text"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        low = f" from {self.least:g}" if self.least is not None else ""
        return kind + low + (f" up to {self.most:g}" if self.most is not None else "")


def described(section: str, declared: Sequence[ServerSetting]) -> str:
    """Return the settings of a server in words, a line each, for the help of a command."""
    if not declared:
        return f"settings of {section}: none"
    width = max(len(each.name) for each in declared)
    where = f"--set NAME=VALUE, LABRIG_{section.upper()}_NAME, or NAME in [{section}] of labrig.toml"
    lines = [
        f"  {each.name:{width}}  {each.about}; {each.expected} (default: {_text(each.default)})"
        for each in declared
    ]
    return "\n".join([f"settings of {section} ({where}):", *lines])


def _text(value: Value) -> str:
    """Return a value as it would be given."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value) or "empty"


def check(declared: Sequence[ServerSetting], given: Mapping[str, str], *, flag: str = "--set") -> None:
    """Raise a LabrigError for a given setting that is not declared, or cannot be what it is said to be."""
    known = {each.name: each for each in declared}
    for name, text in given.items():
        if name not in known:
            raise unknown_name("setting", name, known, where=flag)
        known[name].read(text, where=f"{flag} {name}")


def check_configured(
    section: str, declared: Sequence[ServerSetting], given: Mapping[str, str], reads: Sequence[str] | None
) -> None:
    """Raise a LabrigError for what environment or file set wrongly: an invalid value, a name that nothing reads.

    Parameters
    ----------
    given
        Settings that stand over these, which are not looked at then.
    reads
        Further names of the section that are read; None where nobody knows them, and any name may be one.
    """
    known = {each.name: each for each in declared}
    for name, where in configured(section).items():
        if name in known:
            text = setting(section, name)
            if text and name not in given:
                known[name].read(text, where=where)
        elif reads is not None and name not in reads:
            raise unknown_name(f"setting of {section}", name, (*known, *reads), where=where)


def value_of(section: str, declared: Sequence[ServerSetting], given: Mapping[str, str], name: str) -> Value:
    """Return what a declared setting is: given, configured, or its default."""
    (asked,) = [each for each in declared if each.name == name]
    if name in given:
        return asked.read(given[name], where=f"--set {name}")
    text = setting(section, name)
    return asked.read(text, where=f"the setting {section}.{name}") if text else asked.default


def read_pairs(pairs: Sequence[str], *, flag: str = "--set") -> dict[str, str]:
    """Read ``NAME=VALUE`` words of a command line; the last of one name holds."""
    read: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise LabrigError(f"A setting is NAME=VALUE, and {pair[:80]!r} is not", where=flag)
        read[name.strip()] = value
    return read
