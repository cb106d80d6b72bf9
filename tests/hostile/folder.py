"""A folder of somebody else in which `labrig` is started: its files have the names of modules, and write when imported.

`tests/e2e/test_working_folder.py` starts every verb in it.
"""

from __future__ import annotations

from pathlib import Path

NAMES = (
    *(
        "mcp",
        "fastmcp",
        "pydantic",
        "httpx2",
        "numpy",
        "pandas",
        "yaml",
        "typing_extensions",
        "anyio",
        "sniffio",
    ),
    *(
        "labrig",
        "labrig_harness",
        "labrig_phreeqc",
        "labrig_suites",
        "distributed",
        "dask",
        "tornado",
        "psutil",
    ),
    *("json", "socket", "pickle", "asyncio", "multiprocessing", "runpy", "pip", "venv", "sitecustomize"),
)
"""What Labrig and its children import, of other packages, of itself and of Python."""


def lay_out(folder: Path) -> Path:
    """Write the modules into a folder, and return the file into which they write their names."""
    canary = folder / "canary.txt"
    for name in NAMES:
        written = f"open({str(canary)!r}, 'a').write(__name__ + chr(10))\nraise SystemExit(3)\n"
        (folder / f"{name}.py").write_text(written)
    return canary
