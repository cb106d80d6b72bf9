"""What describe_table says of a file in memory."""

from __future__ import annotations

from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.tables import describe_table
from support.memory_repository import Memory


def described(content: bytes | str, name: str = "t.csv", **how: Any) -> dict[str, Any]:
    data = content.encode() if isinstance(content, str) else content
    return describe_table(Memory({name: data}), name, **how).to_dict()


def columns(content: bytes | str, name: str = "t.csv", **how: Any) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in described(content, name, **how)["columns"]}


def refusal(content: bytes | str, name: str = "t.csv", **how: Any) -> LabrigError:
    with pytest.raises(LabrigError) as caught:
        described(content, name, **how)
    return caught.value
