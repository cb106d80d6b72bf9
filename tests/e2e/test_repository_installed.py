"""What a user gets of the repository server: the wheel holds all of it, and what is missing beside it is named."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from support.places import PROJECT as ROOT

WITHOUT = """
import sys
for name in ("numpy", "pyarrow", "openpyxl", "python_calamine", "h5py"):
    sys.modules[name] = None
"""
"""As ``sitecustomize.py`` on the path: of the server, and of the child process that describes tables."""


@pytest.mark.accept
def test_the_wheel_holds_every_file_of_the_sources(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)],
        check=True,
        capture_output=True,
        timeout=240,
    )
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("shared", "servers", "clients"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                assert path.relative_to(ROOT / folder).as_posix() in packed
    taxonomy = "labrig_repository/gym/taxonomy/data/"  # 22 fields and the phrases
    assert sum(name.startswith(taxonomy) and name.endswith(".toml") for name in packed) == 23


@pytest.mark.accept
async def test_without_the_extra_what_needs_it_says_so(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as book:
        book.writestr("[Content_Types].xml", "")
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    (tmp_path / "x.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    (tmp_path / "x.csv").write_bytes(b"t,x (m)\n1,2\n")
    without = tmp_path / "without"
    without.mkdir()
    (without / "sitecustomize.py").write_text(WITHOUT)
    command = ["-m", "labrig_repository", "--root", str(tmp_path), "--workspace", str(tmp_path / "work")]
    environment = {**os.environ, "PYTHONPATH": str(without)}
    async with Client(StdioTransport(sys.executable, command, env=environment)) as client:
        for tool, arguments, package in (
            ("list_directory", {"id": 7}, "numpy"),
            ("describe_table", {"path": "x.parquet"}, "pyarrow"),
            ("describe_table", {"path": "x.xlsx"}, "openpyxl"),
            ("describe_table", {"path": "x.h5"}, "h5py"),
        ):
            refused = await client.call_tool_mcp(tool, arguments)
            said = refused.content[0].text  # type: ignore[union-attr]
            assert refused.is_error and f"the package {package}" in said and "not installed" in said, said
        assert not (await client.call_tool_mcp("list_directory", {})).is_error
        assert not (await client.call_tool_mcp("describe_table", {"path": "x.csv"})).is_error
