"""Settings given as K=V on a command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig.redaction import redact


def settings_of(given: Sequence[str]) -> dict[str, Any]:
    """Read ``K=V`` pairs; a value is JSON where it can be read as such, else text."""
    settings: dict[str, Any] = {}
    for setting in given:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise LabrigError("A setting is K=V", where=f"--set {redact(setting)}", expected="temperature=0")
        if redact(value) != value:
            raise LabrigError(
                "This setting holds a key, and settings are recorded",
                where=f"--set {name}=...",
                try_="leave the key in its environment variable",
                code="refused",
            )
        try:
            settings[name] = json.loads(value)
        except ValueError:
            settings[name] = value
    return settings
