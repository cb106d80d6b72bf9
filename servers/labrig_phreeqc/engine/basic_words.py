"""PEEK and POKE, switched off in PHREEQC's own table of Basic words.

PHREEQC's Basic came from Pascal by p2c, and kept two words that read and write the memory of the process at any
address. The table, ``PBasic::command_tokens``, is a ``std::map`` from word to number that the libraries phreeqcrm and
phreeqpy export; here both words get the number of THEN, which is an error wherever PEEK or POKE could stand. PEEK is
looked up inside of expressions, so nothing could be put before it.

The map is walked as libstdc++ lays it out (``bits/stl_tree.h``, ``bits/basic_string.h``), by reading this process's
memory as a file: where the layout is another, that is an error and not a crash. Standard library only: this module runs
in the fork server.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

SYMBOL = "_ZN6PBasic14command_tokensB5cxx11E"
DANGEROUS, HARMLESS = (b"peek", b"poke"), b"then"
_KNOWN = {b"print", b"goto", b"save", b"tot", HARMLESS, *DANGEROUS}
_MOST_WORDS = 10_000
_HEADER = struct.Struct("=8xQQQQQ")  # the comparison; colour, root, leftmost, rightmost; how many
_NODE = struct.Struct(
    "=QQQQQQ16xi"
)  # colour, parent, left, right; the string's address, length, buffer; the number
_NUMBER_AT = 64


def switch_off(library: str) -> str:
    """Make PEEK and POKE errors in every instance of a library in this process; return why not, or "".

    Parameters
    ----------
    library
        Path of a shared library that exports the IPhreeqc C interface; it stays loaded.
    """
    if sys.platform != "linux" or sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return "the layout of the library's table of Basic words is known for 64-bit Linux only"
    try:
        table = ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(library), SYMBOL))
    except OSError as error:
        return f"the library does not load: {error}"
    except ValueError:
        return "the library does not show its table of Basic words"
    try:
        places = _places(table)
    except (OSError, struct.error, ValueError) as error:
        return f"the library's table of Basic words is not laid out as expected: {error}"
    harmless = ctypes.c_int.from_address(places[HARMLESS]).value
    for word in DANGEROUS:
        ctypes.c_int.from_address(places[word]).value = harmless
    return ""


def _places(table: int) -> dict[bytes, int]:
    """Return where the number of each word stands."""
    memory = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _, root, _, _, count = _HEADER.unpack(os.pread(memory, _HEADER.size, table))
        if not 0 < count <= _MOST_WORDS:
            raise ValueError(f"{count} words")
        found: dict[bytes, int] = {}
        pending = [root]
        while pending:
            node = pending.pop()
            if not node:
                continue
            _, _, left, right, word, length, _ = _NODE.unpack(os.pread(memory, _NODE.size, node))
            if length > 100 or len(found) > count:
                raise ValueError(f"a word of {length} bytes after {len(found)} of {count}")
            found[os.pread(memory, length, word)] = node + _NUMBER_AT
            pending += [left, right]
    finally:
        os.close(memory)
    if len(found) != count or not found.keys() >= _KNOWN:
        raise ValueError(f"{len(found)} of {count} words")
    return found
