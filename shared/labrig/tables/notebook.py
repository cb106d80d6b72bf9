"""A Jupyter notebook, which is no table: how many cells it has, in which language, and what they printed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from labrig.errors import LabrigError
from labrig.tables.columns import short
from labrig.tables.description import Description
from labrig.tools.reading import Files, read_text_file

MOST_BYTES = 32 << 20
_SHOWN_OUTPUTS = 12


def describe(files: Files, path: str) -> Description:
    """Describe a notebook of format 4 or 3.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is no notebook, ``limit`` above `MOST_BYTES`.
    """
    try:
        content = json.loads(read_text_file(files, path, most_bytes=MOST_BYTES, whole=True).text)
        cells = content["cells"] if "cells" in content else content["worksheets"][0]["cells"]
        kinds = Counter(str(cell["cell_type"]) for cell in cells)
        printed = [line for cell in cells for line in _printed(cell)]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise LabrigError("This is not a Jupyter notebook", where=path, try_="read_text_file") from error
    kernel = content.get("metadata", {}).get("kernelspec", {}).get("display_name", "")
    about: dict[str, Any] = {f"{kind}_cells": count for kind, count in sorted(kinds.items())}
    about |= {"kernel": kernel} if kernel else {}
    about |= {"printed": printed[:_SHOWN_OUTPUTS]} if printed else {}
    notes = ["a notebook, no table: read_text_file shows its cells"]
    if len(printed) > _SHOWN_OUTPUTS:
        notes.append(f"the first {_SHOWN_OUTPUTS} of {len(printed)} lines that its cells printed are shown")
    return Description("Jupyter notebook", None, [], notes, about=about)


def _printed(cell: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of text that a cell printed or returned."""
    for output in cell.get("outputs", ()):
        text = output.get("text") or output.get("data", {}).get("text/plain") or ""
        for line in "".join(text).splitlines():
            if line.strip():
                yield short(line.strip(), 120)
