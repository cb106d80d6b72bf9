"""The name and the attributes of a field that was worked out."""

from __future__ import annotations

from typing import Any


def named(values: Any, name: str, unit: str, **attributes: str) -> Any:
    """Return a field under its name, with its unit and no attributes but those given."""
    values = values.rename(name)
    values.attrs = {"units": unit, **attributes}
    return values
