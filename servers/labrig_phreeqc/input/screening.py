"""What an input asks of the file system or of memory, refused or explained before PHREEQC runs.

The child that solves cannot open any file, so nothing here is the wall: this is the sign in front of
it, which names the line and the way that works. Basic ``LOAD`` and ``MERGE`` are left to the wall (they fail
with a Basic error), since telling them from other Basic text takes a Basic parser.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Literal

from labrig.errors import LabrigError
from labrig_phreeqc.input.basic import check_memory
from labrig_phreeqc.input.statements import Statement, is_file_option, is_include, option, statements

_TRANSPORT_OPTIONS = """
    cells shifts print selected_output bcond timest diffc tempr length disp punch stagnant bc
    boundary_conditions time_step temp_retardation_factor diffusion_coefficient dispersivity
    direction temperature_retardation_factor print_cells selected_cells flow_direction flow lengths
    dispersivities dump output output_frequency selected_output_frequency punch_cells dump_frequency
    dump_restart punch_frequency print_frequency correct_disp initial_time warning warnings
    thermal_diffusion multi_d interlayer_d porosities porosity fix_current current implicit
    same_model
"""
_INVERSE_OPTIONS = """
    solutions uncertainty uncertainties balances phase_data range minimal minimum balance bal sol
    phases ranges tolerance u_water uncertainty_water force force_solution force_solutions isotopes
    mineral_water phase multiple_precision mp_tolerance censor_mp lon_netpath pat_netpath
"""
TRANSPORT_OPTIONS, INVERSE_OPTIONS = _TRANSPORT_OPTIONS.split(), _INVERSE_OPTIONS.split()
"""Option names in PHREEQC's order (release 3.8.6), which decides what an abbreviation means."""


@dataclass(frozen=True)
class Notice:
    """Something in the input that will not do what it says.

    Attributes
    ----------
    line
        Line number, from 1.
    kind
        ``database`` (the keyword is ignored), ``file`` (text is returned instead of written),
        ``graph`` (another tool draws USER_GRAPH) or ``include`` (text is put in place of INCLUDE$).
    message
        One sentence.
    """

    line: int
    kind: Literal["database", "file", "graph", "include"]
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


def screen(text: str, database: str = "") -> list[Notice]:
    """Return notices about an input; raise ``refused`` at what would read or write a file.

    A ``DATABASE`` that names the one that is used is nothing to say.

    ``INCLUDE$`` of a name in the workspace passes; `labrig_phreeqc.runs.includes` replaces or refuses it.
    """
    nul = text.find("\0")
    if nul >= 0:
        raise _refusal(
            "The input holds a NUL byte, at which PHREEQC would stop reading without a word",
            text.count("\n", 0, nul) + 1,
            "plain text",
        )
    notices: list[Notice] = []
    for statement in statements(text):
        if is_include(statement):
            if not name_inside(statement.rest):
                raise include_refusal(statement)
            message = f"INCLUDE$ {statement.rest} is replaced by the text it names before PHREEQC runs"
            notices.append(Notice(statement.line, "include", message))
        elif statement.is_keyword:
            notices += _keyword_notices(statement, database)
        elif statement.block == "TRANSPORT" and option(statement, TRANSPORT_OPTIONS).startswith("dump"):
            raise _refusal(
                f"TRANSPORT {statement.first} writes a file",
                statement.line,
                "no dump option",
                "the DUMP keyword after TRANSPORT, whose text is returned",
            )
        elif statement.block == "INVERSE_MODELING" and option(statement, INVERSE_OPTIONS).endswith("netpath"):
            raise _refusal(
                f"INVERSE_MODELING {statement.first} writes NETPATH files",
                statement.line,
                "no netpath option; the models stand in the output",
            )
        elif is_file_option(statement):
            notices += _file_notices(statement)
        else:
            check_memory(statement, f"line {statement.line} of the input")
    return notices


def name_inside(path: str) -> str:
    """Return the name in the workspace that an INCLUDE$ means, as ``rates.inc`` for ``./rates.inc``; else nothing."""
    name = posixpath.normpath(path)
    return name if path and all(map(is_bare_name, name.split("/"))) else ""


def is_bare_name(name: str) -> bool:
    """Return whether `name` is a file name with no folder, drive, leading dot or control character."""
    return (
        0 < len(name) <= 200 and name[0] != "." and name.isprintable() and not set(name) & set('/\\:*?"<>|')
    )


def include_refusal(statement: Statement) -> LabrigError:
    """Return the refusal of an INCLUDE$ that cannot be resolved."""
    if name_inside(statement.rest):
        return _refusal(
            f"INCLUDE$ names {statement.rest!r}, which is neither a workspace file nor the -file of an "
            "earlier SELECTED_OUTPUT",
            statement.line,
            "",
            "put the file into the workspace, or its text into the input",
        )
    return _refusal(
        f"INCLUDE$ {statement.rest} would read a file outside the workspace",
        statement.line,
        "the name of a workspace file",
        "put the text itself into the input",
    )


def database_named(text: str) -> str:
    """Return the file name that the last ``DATABASE`` of an input names, folders left out; empty where none does."""
    named = [each.rest for each in statements(text) if each.is_keyword and each.block == "DATABASE"]
    return file_name(named[-1]) if named else ""


def file_name(path: str) -> str:
    """Return the bare name of a path as inputs write them, quotation marks or not."""
    return re.split(r"[/\\]", path.strip(" \t\"'"))[-1]


def _keyword_notices(statement: Statement, database: str) -> list[Notice]:
    if statement.block == "DATABASE":
        if database and file_name(statement.rest).casefold() == database.casefold():
            return []
        message = (
            f"DATABASE {statement.rest} is ignored: {database or 'the one chosen by the argument'} is used"
        )
        return [Notice(statement.line, "database", message)]
    if statement.block == "USER_GRAPH":
        return [
            Notice(
                statement.line,
                "graph",
                "USER_GRAPH is drawn by draw_user_graph, not here; no file is read",
            )
        ]
    return []


def _file_notices(statement: Statement) -> list[Notice]:
    if statement.rest and not is_bare_name(statement.rest):
        raise _refusal(
            f"{statement.block} {statement.first} {statement.rest} names a path",
            statement.line,
            "a bare file name; its text is returned, and never written by PHREEQC",
        )
    message = f"{statement.block} -file {statement.rest}: the text is returned, PHREEQC writes no file"
    return [Notice(statement.line, "file", message)]


def _refusal(what: str, line: int, expected: str, try_: str = "") -> LabrigError:
    return LabrigError(what, where=f"line {line} of the input", expected=expected, try_=try_, code="refused")
