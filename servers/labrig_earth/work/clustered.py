"""Operations whose pieces are computed by workers of a dask scheduler (``tcp://host:8786``) that see the same paths.

The child of such an operation cannot close itself in, since it speaks to the scheduler; the workers open the files by
their paths, each in its own process. So this is for a cluster of one's own, by the setting ``earth.scheduler``; without
it operations run behind walls (`inside`). Workers need the same packages: ``pip install 'labrig[earth,cluster]'``.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pyproj  # noqa: F401 - before any other library

from labrig.errors import LabrigError
from labrig.isolation.inside.answering import FIRST_FILE
from labrig_earth.data.formats import Place
from labrig_earth.work.calls import Call
from labrig_earth.work.running import run

CONNECT_S = 15


def work(question: Any) -> bytes:
    """Run an operation with the dask workers of ``scheduler``; the rest as `inside.work`.

    Raises
    ------
    LabrigError
        ``unavailable`` without the package distributed, or where the scheduler does not answer; else as `running.run`.
    """
    address = str(question["scheduler"])
    numbers = [int(number) for given in question["inputs"].values() for _, number in given]
    paths = {number: str(Path(f"/proc/self/fd/{FIRST_FILE + number}").readlink()) for number in numbers}
    inputs = {
        role: tuple(Place(paths[int(number)], str(name)) for name, number in given)
        for role, given in question["inputs"].items()
    }
    scratch = Path(f"/proc/self/fd/{FIRST_FILE + int(question['scratch'])}").readlink()
    os.chdir(scratch)
    tempfile.tempdir = str(scratch)
    try:
        from distributed import Client
    except ImportError:
        raise LabrigError(
            "A dask scheduler needs the package distributed, which is not installed",
            where="earth.scheduler",
            try_="pip install 'labrig[earth,cluster]'",
            code="unavailable",
        ) from None
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=True)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        raise LabrigError(
            f"The dask scheduler does not answer: {str(error)[:200]}",
            where=f"earth.scheduler={address}",
            expected="tcp://host:port of a running scheduler",
            code="unavailable",
        ) from None
    with client:
        return run(question["operation"], Call(inputs, question["arguments"], scratch))
