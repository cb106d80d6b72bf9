"""The IPhreeqc C interface on one instance: what phreeqpy offers, and what it leaves out.

phreeqpy finds and creates the instance and loads the database. It has no call for the main output,
the warnings, the version, the dump and any SELECTED_OUTPUT but the first, its ``add_warning`` is broken
and it turns run errors into bare exceptions; those parts of the C interface are called here
on the same instance. Standard library and phreeqpy only: this module also runs in
``python -I -S``, inside the fork server.

The interface is documented in ``IPhreeqc.h`` of USGS IPhreeqc 3.8.6.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from phreeqpy.iphreeqc.phreeqc_dll import VAR, IPhreeqc

Cell = float | int | str | None

USER_NUMBERS = 1000
"""SELECTED_OUTPUT 0 to 999 give text; higher numbers give their table only."""

_INTEGERS = (
    "GetComponentCount",
    "GetNthSelectedOutputUserNumber",
    "GetSelectedOutputColumnCount",
    "GetSelectedOutputCount",
    "GetSelectedOutputRowCount",
    "GetSelectedOutputValue",
    "RunString",
    "SetCurrentSelectedOutputUserNumber",
    "SetDumpStringOn",
    "SetErrorStringOn",
    "SetOutputStringOn",
    "SetSelectedOutputStringOn",
)
_TEXTS = (
    "GetComponent",
    "GetDumpString",
    "GetErrorString",
    "GetOutputString",
    "GetSelectedOutputFileName",
    "GetSelectedOutputString",
    "GetVersionString",
    "GetWarningString",
)
_LONG, _DOUBLE, _STRING = 2, 3, 4


@dataclass(frozen=True)
class Selected:
    """One SELECTED_OUTPUT definition after a run; `text` is valid until the next run."""

    user: int
    file: str
    text: memoryview
    n_rows: int
    n_columns: int


class Instance:
    """One PHREEQC, with nothing written to files and everything kept in memory.

    Parameters
    ----------
    library
        Path of a shared library that exports the IPhreeqc C interface.
    """

    def __init__(self, library: str) -> None:
        self._phreeqpy = IPhreeqc(dll_path=library)
        self._id = self._phreeqpy.id_
        self._c = ctypes.CDLL(library)
        for name in _INTEGERS:
            getattr(self._c, name).restype = ctypes.c_int
        for name in _TEXTS:
            getattr(self._c, name).restype = ctypes.c_void_p
        self._strlen = (ctypes.cdll.msvcrt if hasattr(ctypes, "WinDLL") else ctypes.CDLL(None)).strlen
        self._strlen.argtypes, self._strlen.restype = [ctypes.c_void_p], ctypes.c_size_t

    def close(self) -> None:
        """Free the instance."""
        self._phreeqpy.destroy_iphreeqc()

    @property
    def version(self) -> str:
        """What the library says it is; builds from git say ``3.0.0-0`` whatever they are."""
        return _text(ctypes.string_at(self._c.GetVersionString()))

    def load_database(self, path: str) -> int:
        """Load a database, switch all text on, and return the number of errors."""
        self._phreeqpy.load_database(path)
        for user in range(USER_NUMBERS):
            self._c.SetCurrentSelectedOutputUserNumber(self._id, user)
            self._c.SetSelectedOutputStringOn(self._id, 1)
        self._c.SetCurrentSelectedOutputUserNumber(self._id, 1)
        self._c.SetOutputStringOn(self._id, 1)
        self._c.SetErrorStringOn(self._id, 1)
        self._c.SetDumpStringOn(self._id, 1)
        return int(self._phreeqpy.phc_database_error_count)

    def run(self, text: bytes) -> int:
        """Run PHREEQC input, which ends at the first NUL, and return the number of errors."""
        return int(self._c.RunString(self._id, ctypes.c_char_p(text)))

    def output(self) -> memoryview:
        """Return the main output without copying it; valid until the next run, or `components`."""
        return self._view("GetOutputString")

    def errors(self) -> str:
        """Return the error text of the last run or load."""
        return _text(bytes(self._view("GetErrorString")))

    def warnings(self) -> str:
        """Return the warning text of the last run or load."""
        return _text(bytes(self._view("GetWarningString")))

    def dump(self) -> memoryview:
        """Return the text of the DUMP keyword without copying it; valid until the next run."""
        return self._view("GetDumpString")

    def components(self) -> list[str]:
        """Return the elements that occur in the current solutions and reactants.

        PHREEQC adds the errors that it meets then to its output.
        """
        count = self._c.GetComponentCount(self._id)
        return [_text(ctypes.string_at(self._c.GetComponent(self._id, n))) for n in range(count)]

    def selected(self) -> list[Selected]:
        """Return every SELECTED_OUTPUT definition, by user number."""
        found = []
        for n in range(self._c.GetSelectedOutputCount(self._id)):
            user = self._c.GetNthSelectedOutputUserNumber(self._id, n)
            self._c.SetCurrentSelectedOutputUserNumber(self._id, user)
            file = _text(bytes(self._view("GetSelectedOutputFileName")))
            text = self._view("GetSelectedOutputString") if user < USER_NUMBERS else memoryview(b"")
            n_rows = self._c.GetSelectedOutputRowCount(self._id)
            n_columns = self._c.GetSelectedOutputColumnCount(self._id)
            found.append(Selected(user, file, text, n_rows, n_columns))
        return found

    def row(self, selected: Selected, n: int) -> list[Cell]:
        """Return one row of a table with typed values; row 0 holds the headings."""
        self._c.SetCurrentSelectedOutputUserNumber(self._id, selected.user)
        cell, reference = VAR(), None
        reference = ctypes.byref(cell)
        values: list[Cell] = []
        for column in range(selected.n_columns):
            self._c.GetSelectedOutputValue(self._id, n, column, reference)
            values.append(_value(cell))
            if cell.type == _STRING:
                self._c.VarClear(reference)
        return values

    def _view(self, call: str) -> memoryview:
        address = getattr(self._c, call)(self._id)
        length = self._strlen(address) if address else 0
        if not length:
            return memoryview(b"")
        return memoryview((ctypes.c_char * length).from_address(address))


def _value(cell: Any) -> Cell:
    if cell.type == _DOUBLE:
        return float(cell.value.double_value)
    if cell.type == _LONG:
        return int(cell.value.long_value)
    if cell.type == _STRING:
        return _text(cell.value.string_value)
    return None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")
