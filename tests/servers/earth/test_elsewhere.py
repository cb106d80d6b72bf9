"""Files whose values lie in other files are refused; their fill values would look like numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from labrig.errors import LabrigError
from labrig_earth.data import elsewhere
from labrig_earth.data.formats import Place
from labrig_earth.data.layers import describe_layers
from labrig_earth.data.opening import open_dataset
from labrig_earth.work.asking import OTHER_DRIVERS
from support import leading_files


@pytest.mark.parametrize("name", leading_files.NAMES)
def test_a_file_that_names_others_is_refused(name: str, tmp_path: Path) -> None:
    leading_files.lay_out(tmp_path)
    opens = describe_layers if "pipeline" in name else open_dataset
    with pytest.raises(LabrigError) as refused:
        opens(Place.of(tmp_path / name))
    assert refused.value.code == "refused" and refused.value.where == name
    assert "other file" in str(refused.value) or "link" in str(refused.value)


def test_a_file_that_is_put_together_of_itself_is_read(tmp_path: Path) -> None:
    leading_files.whole(tmp_path / "whole.nc")
    with open_dataset(tmp_path / "whole.nc") as data:
        np.testing.assert_array_equal(data.t2m.values, [280.0] * 4)


def test_groups_in_a_circle_and_names_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with h5py.File(tmp_path / "circle.nc", "w") as file:
        file["a/b/v"] = np.zeros(2)
        file["a/b/c"] = file["a"]
        file["a/soft"] = h5py.SoftLink("/nowhere")
    elsewhere.check_file(Place.of(tmp_path / "circle.nc"))
    monkeypatch.setattr(elsewhere, "MOST_NAMES", 2)
    with pytest.raises(LabrigError) as refused:
        elsewhere.check_file(Place.of(tmp_path / "circle.nc"))
    assert refused.value.code == "limit"


@pytest.mark.accept
def test_children_have_one_reader_for_each_format_of_layers() -> None:
    """A GDAL that brings another reader fails this: it is named in `asking.OTHER_DRIVERS`, or accepted."""
    code = "import pyogrio; print(*sorted(pyogrio.list_drivers()), sep=',')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"OGR_SKIP": OTHER_DRIVERS},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "ESRI Shapefile,GPKG,GPX,GeoJSON,MEM"
