"""What a run knows: a database together with what the input itself defines, and its activity model."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from labrig_phreeqc.database.catalogue import Catalogue
from labrig_phreeqc.database.formulas import formula_weight
from labrig_phreeqc.database.reading import parse
from labrig_phreeqc.input.statements import statements

ActivityModel = Literal["Davies", "ion association", "B-dot", "SIT", "Pitzer"]

_DEFINES = re.compile(
    r"^\s*(?:solution_master_species|solution_species|phases)\b", re.IGNORECASE | re.MULTILINE
)
_MODELS: tuple[tuple[ActivityModel, re.Pattern[str]], ...] = (
    ("Pitzer", re.compile(r"^\s*pitzer\b", re.IGNORECASE | re.MULTILINE)),
    ("SIT", re.compile(r"^\s*sit\b", re.IGNORECASE | re.MULTILINE)),
    ("B-dot", re.compile(r"^\s*llnl_aqueous_model(?:_parameters)?\b", re.IGNORECASE | re.MULTILINE)),
)


class Definitions:
    """A database together with what the input itself defines, as it stands at each simulation.

    Parameters
    ----------
    catalogue
        Of the database.
    text
        The input; its definitions of elements, species and phases count from their simulation on.
    """

    def __init__(self, catalogue: Catalogue, text: str) -> None:
        self._base = catalogue
        self._own = parse(text) if _DEFINES.search(text) else None
        ends = (each.line for each in statements(text) if each.is_keyword and each.block == "END")
        self._ends = list(ends) if self._own is not None else []
        self._at: dict[int, Catalogue] = {}

    def at(self, simulation: int) -> Catalogue:
        """Return everything defined in a simulation (from 1) or before."""
        if self._own is None:
            return self._base
        ended = min(simulation - 1, len(self._ends))
        if ended not in self._at:
            self._at[ended] = self._merged(self._own, ended)
        return self._at[ended]

    def _merged(self, own: Catalogue, ended: int) -> Catalogue:
        def known(line: int) -> bool:
            return bisect_left(self._ends, line) <= ended

        elements = {each.name: each for each in self._base.elements}
        elements |= {each.name: each for each in own.elements if known(each.line)}
        species = {each.name: each for each in self._base.species}
        species |= {each.name: each for each in own.species if known(each.line)}
        phases = {each.name.casefold(): each for each in self._base.phases}
        phases |= {each.name.casefold(): each for each in own.phases if known(each.line)}
        weights = {each.name: w for each in elements.values() if (w := each.atomic_weight) is not None}
        return Catalogue(
            tuple(
                replace(element, formula_weight=formula_weight(element.gfw, weights))
                for element in elements.values()
            ),
            tuple(species.values()),
            tuple(phases.values()),
            self._base.rates,
            self._base.expressions,
        )


def activity_model(database: Path, text: str = "") -> ActivityModel:
    """Return how a run computes activity coefficients, by the keywords of its input, else of its database.

    ``PITZER`` and ``SIT`` switch their models on, ``LLNL_AQUEOUS_MODEL_PARAMETERS`` the B-dot equation; else it is
    ion association with the Debye-Hueckel, WATEQ and Davies equations (TM 6-A43), or Davies alone where a database has
    no ``-gamma`` for Na+ (minteq.v4.dat, in which all ions of a charge have one activity coefficient).
    """
    own = _keyword_model(text)
    return own or _model_of(database, database.stat().st_mtime_ns)


def has_volumes(database: Path) -> bool:
    """Tell whether a database gives molar volumes of solutes, without which PHREEQC computes no density.

    Volumes of minerals alone (sit.dat) do not count. With the B-dot equation PHREEQC takes those of solutes as 0,
    though core10.dat and Kinec.v2.dat state them: 1 mol/kgw of NaCl comes out at 1.058 kg/L instead of 1.036 (tried
    with phreeqcrm 0.0.20).
    """
    return _has_volumes(database, database.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _has_volumes(path: Path, _mtime_ns: int) -> bool:
    solutes = path.read_bytes().partition(b"PHASES")[0].lower()
    return b"-vm" in solutes and activity_model(path) != "B-dot"


@lru_cache(maxsize=64)
def _model_of(path: Path, _mtime_ns: int) -> ActivityModel:
    text = path.read_text(encoding="utf-8", errors="replace")
    if model := _keyword_model(text):
        return model
    sodium = _SODIUM.search(text)
    return "Davies" if sodium and not _GAMMA.search(sodium[1]) else "ion association"


_SODIUM = re.compile(r"^\s*Na\+\s*=\s*Na\+[^\n]*\n((?:[^=\n]*\n)*)", re.MULTILINE)
"""The lines that belong to the master species, up to the next reaction."""
_GAMMA = re.compile(r"^\s*-?g(?:amma)?\b", re.IGNORECASE | re.MULTILINE)


def _keyword_model(text: str) -> ActivityModel | None:
    return next((model for model, keyword in _MODELS if keyword.search(text)), None)
