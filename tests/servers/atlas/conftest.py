"""Live services, imitated: each at its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.atlas_services import played
from support.imitation import Imitation


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Imitation]:
    with played(monkeypatch) as made:
        yield made
