"""PHREEQC input cut into statements exactly as PHREEQC cuts it.

A statement ends at a newline or a semicolon; ``#`` starts a comment to the end of the line; a
backslash before a newline joins two lines. What follows another backslash loses its meaning, and the
order of these rules is PHREEQC's (``PHRQ_io::get_logical_line``, ``get_line`` and ``Phreeqc::get_option``,
release 3.8.6), so that a reader of statements cannot be told another story than PHREEQC is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labrig.threads import look

_PLAIN = re.compile(r"[^#;\n\\]+")
_TOKEN = re.compile(r"[ \t\n\v\f\r]*([^ \t\n\v\f\r]*)[ \t\n\v\f\r]*(.*)", re.DOTALL)
_BLANK = " \t\n\v\f\r"

_ALIASES = {
    "SELECTED_OUTPUT": "selected_output select_output selected_out select_out",
    "EQUILIBRIUM_PHASES": "equilibrium_phases equilibrium_phase equilibria equilibrium pure_phases pure",
    "SOLID_SOLUTIONS": "solid_solutions solid_solution",
    "SOLUTION_SPREAD": "solution_spread solution_s spread_solution",
    "KNOBS": "knobs debug",
    "TITLE": "title comment",
    "END": "end eof",
    "INCREMENTAL_REACTIONS": "incremental_reactions incremental",
    "LLNL_AQUEOUS_MODEL_PARAMETERS": "llnl_aqueous_model_parameters llnl_aqueous_model",
    "NAMED_EXPRESSIONS": "named_expressions named_log_k "
    "named_analytical_expression named_analytical_expressions",
    "REACTION_PRESSURE": "reaction_pressure reaction_pressures",
    "SOLID_SOLUTIONS_MODIFY": "solid_solutions_modify solid_solution_modify",
    "EQUILIBRIUM_PHASES_MIX": "equilibrium_phases_mix mix_equilibrium_phases "
    "equilibrium_phase_mix mix_equilibrium_phase",
    "SOLID_SOLUTIONS_MIX": "solid_solutions_mix mix_solid_solutions solid_solution_mix mix_solid_solution",
}
_PLAIN_KEYWORDS = """
    solution_species solution_master_species solution phases reaction mix use save exchange_species
    exchange_master_species exchange surface_species surface_master_species surface
    reaction_temperature inverse_modeling gas_phase transport print advection kinetics rates
    user_print user_punch user_graph database isotopes calculate_values isotope_ratios
    isotope_alphas copy pitzer sit solution_raw exchange_raw surface_raw equilibrium_phases_raw
    kinetics_raw solid_solutions_raw gas_phase_raw reaction_raw mix_raw reaction_temperature_raw
    dump solution_modify equilibrium_phases_modify exchange_modify surface_modify gas_phase_modify
    kinetics_modify delete run_cells reaction_modify reaction_temperature_modify
    reaction_pressure_raw reaction_pressure_modify rate_parameters_pk rate_parameters_svd
    rate_parameters_hermanska mean_gammas gas_binary_parameters solution_mix mix_solution
    exchange_mix mix_exchange gas_phase_mix mix_gas_phase kinetics_mix mix_kinetics surface_mix
    mix_surface
"""
KEYWORDS = {word: word.upper() for word in _PLAIN_KEYWORDS.split()} | {
    word: name for name, words in _ALIASES.items() for word in words.split()
}
"""Every spelling of a keyword, in lower case, and the keyword's usual name."""


@dataclass(frozen=True)
class Statement:
    """One statement of an input.

    Attributes
    ----------
    line
        Number of the line in which it starts, from 1.
    first, rest
        Its first word and the remainder, without comment and outer blanks.
    block
        The keyword in whose data block it stands (its own, if it is one), or empty.
    is_keyword
        Whether it opens a block.
    start, end
        Its place in the text, as a slice, the terminating newline or semicolon included.
    """

    line: int
    first: str
    rest: str
    block: str
    is_keyword: bool
    start: int
    end: int

    @property
    def text(self) -> str:
        """The statement without its comment, one blank after the first word."""
        return f"{self.first} {self.rest}".strip()


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of an input that are not empty."""
    position, line, block = 0, 1, ""
    while position < len(text):
        look()  # a long input takes seconds, in which its call may be taken back
        start, start_line = position, line
        raw, position = _logical_line(text, position)
        line += text.count("\n", start, position)
        match = _TOKEN.match(raw.partition("#")[0])
        if match is None or not match[1]:
            continue
        keyword = KEYWORDS.get(_lower(match[1]))
        block = keyword or block
        yield Statement(
            start_line, match[1], match[2].rstrip(_BLANK), block, keyword is not None, start, position
        )


def _logical_line(text: str, position: int) -> tuple[str, int]:
    """Return one statement with its comment, and where the next one starts."""
    parts: list[str] = []  # joined once: a statement may go on over as many lines as the input has
    length = len(text)
    while position < length:
        plain = _PLAIN.match(text, position)
        if plain is not None:
            parts.append(plain[0])
            position = plain.end()
            continue
        mark = text[position]
        if mark == "#":
            newline = text.find("\n", position)
            end = length if newline < 0 else newline
            return "".join(parts) + text[position:end], min(end + 1, length)
        position += 1
        if mark in ";\n":
            return "".join(parts), position
        cut = len(parts)  # a backslash: joins lines if only blanks follow it
        parts.append(mark)
        while position < length:
            character = text[position]
            position += 1
            if character == "\n":
                del parts[cut:]
                break
            if character == "\\":
                cut = len(parts)
            parts.append(character)
            if character != "\\" and character not in _BLANK:
                break
    return "".join(parts), position


def option(statement: Statement, names: Sequence[str]) -> str:
    """Return which of a block's option names a statement is, or an empty string.

    With a hyphen the first name that begins with the word counts (``-du`` is ``dump`` where ``diffc`` stands
    before it); without one only the whole name does.
    """
    word = _lower(statement.first)
    if statement.is_keyword:
        return ""
    if len(word) > 1 and word[0] == "-" and word[1].isascii() and word[1].isalpha():
        return next((name for name in names if name.startswith(word[1:])), "")
    return word if word in names else ""


def is_include(statement: Statement) -> bool:
    """Return whether PHREEQC would open a file at this statement."""
    return _lower(statement.first).startswith(("include$", "include_file")) and bool(statement.rest)


def _lower(word: str) -> str:
    """Lower the case as C does: ASCII letters only."""
    return word.lower() if word.isascii() else word


def is_file_option(statement: Statement) -> bool:
    """Return whether a statement is the ``-file`` of a SELECTED_OUTPUT or DUMP block."""
    return statement.block in ("SELECTED_OUTPUT", "DUMP") and bool(option(statement, ("file",)))


_MAY_NAME_FILE = re.compile(r"-f|file|\\", re.IGNORECASE)
"""What an input has at least where a statement is an `is_file_option`, in whole or joined of two lines."""


@dataclass(frozen=True)
class DeclaredFile:
    """A ``-file NAME`` of a SELECTED_OUTPUT or DUMP block."""

    block: str
    user: int
    name: str
    line: int


def declared_files(text: str) -> list[DeclaredFile]:
    """Return the files that SELECTED_OUTPUT and DUMP blocks name, in order."""
    found: list[DeclaredFile] = []
    if not _MAY_NAME_FILE.search(text):  # the input of a table of waters is long
        return found
    user = 1
    for statement in statements(text):
        if statement.is_keyword:
            number = re.match(r"\d{1,18}", statement.rest)
            user = int(number[0]) if number else 1
        elif is_file_option(statement) and statement.rest:
            found.append(DeclaredFile(statement.block, user, statement.rest, statement.line))
    return found
