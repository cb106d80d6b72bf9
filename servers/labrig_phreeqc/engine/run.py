"""What a PHREEQC calculation may use, and what it gives: the values that everything else passes around."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from labrig_phreeqc.database.databases import Database
from labrig_phreeqc.engine.library import Library
from labrig_phreeqc.engine.messages import is_ignored_input

Status = Literal[
    "ok",
    "ok_with_warnings",
    "input_error",  # PHREEQC refused the input; see errors
    "not_converged",  # the numerical method failed; output up to there
    "cpu_limit",
    "wall_limit",
    "memory_limit",
    "output_truncated",  # solved, but more text or rows than the limit
    "crashed",  # the process died; detail names the signal
    "cancelled",  # the engine was closed during the run
]
FAILED: frozenset[Status] = frozenset(
    {"input_error", "not_converged", "cpu_limit", "wall_limit", "memory_limit", "crashed"}
)
"""Statuses of a calculation that was carried out and gave no whole result."""

Cell = float | int | str | None


@dataclass(frozen=True)
class Limits:
    """What one run may use.

    Attributes
    ----------
    cpu_s
        CPU seconds; rounded up to whole seconds.
    wall_s
        Seconds from the start of the child; waiting in the queue and resting for other owners do not count.
    memory_bytes
        Address space of the child in bytes, the loaded library and database (about 60 MB) included.
    output_bytes
        Bytes of text (main output, selected output and dump together).
    """

    cpu_s: float = 60
    wall_s: float = 50
    memory_bytes: int = 2 << 30
    output_bytes: int = 50 << 20


@dataclass(frozen=True)
class SelectedOutput:
    """The table of one SELECTED_OUTPUT definition.

    Attributes
    ----------
    user
        User number.
    file
        The last ``-file`` name it was given, or empty. No file is written.
    columns
        Headings, with units where PHREEQC gives them.
    rows
        Values with their types; None for empty.
    text
        What PHREEQC would have written to the file.
    files
        `text` by ``-file`` name, where the number was defined more than once with different names.
    """

    user: int
    file: str
    columns: list[str]
    rows: list[list[Cell]]
    text: str
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """One calculation, however it ended.

    Attributes
    ----------
    status
        See `Status`.
    output
        The main output; empty when the process was killed or crashed. The run time in its last lines is
        left out, so that the same input gives the same bytes.
    errors, warnings
        Single messages with the input line they are about; ignored input comes first.
    selected
        Every SELECTED_OUTPUT, by user number.
    components
        Elements in the final state.
    library, reported_version, database
        What computed it.
    cpu_s, wall_s, max_rss_bytes
        What it used; CPU and memory are 0 where the system does not tell.
    detail
        Why the status is what it is, where errors do not say it.
    dump
        The text of the DUMP keyword.
    """

    status: Status
    output: str
    errors: list[str]
    warnings: list[str]
    selected: list[SelectedOutput]
    components: list[str]
    library: Library
    reported_version: str
    database: Database
    cpu_s: float
    wall_s: float
    max_rss_bytes: int
    detail: str = ""
    dump: str = ""

    @property
    def ignored_input(self) -> list[str]:
        """Warnings about input without effect: misspelt keywords and elements the database lacks."""
        return [warning for warning in self.warnings if is_ignored_input(warning)]

    @property
    def files(self) -> dict[str, str]:
        """The text of each file that SELECTED_OUTPUT blocks name with ``-file``."""
        files: dict[str, str] = {}
        for table in self.selected:
            files |= table.files or ({table.file: table.text} if table.file else {})
        return files

    @property
    def solved(self) -> bool:
        """Whether PHREEQC finished the whole input without an error."""
        return self.status in ("ok", "ok_with_warnings", "output_truncated")

    @property
    def failed(self) -> bool:
        """Whether it gave no whole result, because of its input or of a limit."""
        return self.status in FAILED


def provenance(run: Run) -> str:
    """Return one line that names the library and the database behind a result."""
    reported = f"reports {run.reported_version}, " if run.reported_version else ""
    release = f" {run.database.official}" if run.database.official else ""
    return (
        f"PHREEQC {run.library.distribution} ({reported}sha256 {run.library.sha256[:12]}), "
        f"{run.database.name}{release} (sha256 {run.database.sha256[:12]})"
    )


def record(run: Run) -> dict[str, Any]:
    """Return the same as data, with the full hashes and without times or machine paths."""
    return {
        "engine": "PHREEQC",
        "library": {
            "distribution": run.library.distribution,
            "sha256": run.library.sha256,
            "reported_version": run.reported_version,
        },
        "database": {
            "name": run.database.name,
            "release": run.database.official,
            "sha256": run.database.sha256,
        },
    }
