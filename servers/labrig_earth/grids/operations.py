"""Operations on grids as tools name them: files are opened, a function of this room is called, arrays are written."""

from __future__ import annotations

from collections.abc import Mapping

from labrig_earth.data.opening import open_dataset
from labrig_earth.grids import describing
from labrig_earth.results import Result
from labrig_earth.work.calls import Call, Operation


def describe_data(call: Call) -> Result:
    """Describe a grid or raster; arguments ``variable``, ``group``."""
    data = open_dataset(call.input("data"), group=call.argument("group", ""))
    return describing.describe_data(data, variable=call.argument("variable", ""))


OPERATIONS: Mapping[str, Operation] = {"describe_data": describe_data}
