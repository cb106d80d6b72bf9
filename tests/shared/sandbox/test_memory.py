"""A run is a fork: what its fork server has read may be found in its memory, so that must be nothing of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.sandbox_rig import rig

SEARCH = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.sbrk.restype = ctypes.c_void_p
table = bytes(255 - value for value in range(256))
wanted = WANTED  # turned about, so that it does not find what it looks for in itself
read, write = os.pipe()

def page(address):  # writing from an address that is none fails, where reading it would end the process
    return os.read(read, 4096) if libc.write(write, ctypes.c_void_p(address), 4096) == 4096 else b""

found = 0
top, near = libc.sbrk(0) & ~4095, id(object()) & ~4095
for start, end in ((top - (192 << 20), top), (near - (96 << 20), near + (96 << 20))):
    before = b""
    for address in range(start, end, 4096):
        held = page(address)
        found += (before[-100:] + held).translate(table).count(wanted)
        before = held
print(found)
""".replace("WANTED", repr(bytes(255 - value for value in b"theirs-was-here")))


@pytest.mark.accept
@pytest.mark.parametrize("backend", ["landlock", "bubblewrap"])
def test_the_names_of_inputs_of_others_are_not_found(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "theirs-was-here.csv"
    path.write_text("a\n1\n")
    with rig(backend=backend, warm=False) as lab:
        mine = lab.run(SEARCH, inputs={"theirs-was-here.csv": path}, wall_s=60, cpu_s=60)
        assert int(mine.output) > 0, "the search finds what this very run was told"
        theirs = lab.run("1", inputs={"theirs-was-here.csv": path})
        assert theirs.status == "ok"
        assert lab.run(SEARCH, wall_s=60, cpu_s=60).output == "0\n"
