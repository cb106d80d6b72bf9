"""Tables as spreadsheets save them."""

from __future__ import annotations

import pytest

from labrig.errors import LabrigError
from labrig_phreeqc.waters.encoding import decoded

TABLE = "Probe;Temp (°C);Fe (µg/l)\nMüller;12,1;5\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_of_spreadsheets(encoding: str) -> None:
    assert decoded(TABLE.encode(encoding)) == TABLE


@pytest.mark.parametrize(("data", "says"), [(b"%PDF-1.7", "PDF"), (b"a,b\n\0\0", "binary")])
def test_what_is_no_table_is_named(data: bytes, says: str) -> None:
    with pytest.raises(LabrigError, match=says):
        decoded(data)
