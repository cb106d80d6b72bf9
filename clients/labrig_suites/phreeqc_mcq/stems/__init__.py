"""The stems, a module for each topic.

- waters: `speciation`, `redox`, `saturation`, `mixing`, `evaporation`, `brines`, `isotopes`
- with minerals and gases: `carbonate`, `minerals`, `gas`, `solid_solutions`, `mine_drainage`, `cement`, `hydrothermal`,
  `storage`
- with surfaces: `exchange`, `surfaces`; in time: `kinetics`; in space: `transport`, `transport_aquifers`
- backwards: `inverse`; of long outputs: `large`, `counts`

Stems whose questions are answered in words are in `in_words`, beside this folder.
"""

from importlib import import_module
from pkgutil import iter_modules

from labrig_suites.phreeqc_mcq.in_words import JUDGED
from labrig_suites.phreeqc_mcq.scenario import Stem

STEMS: tuple[Stem, ...]
"""All of them, by module and in the order of each."""


def of_module(name: str) -> tuple[Stem, ...]:
    """Return the stems of one module, whatever state the others are in."""
    stems: tuple[Stem, ...] = import_module(f"{__name__}.{name}").STEMS
    return stems


def find_stem(name: object) -> Stem | None:
    """Return a stem by name, of those in words too; None where there is none."""
    every: tuple[Stem, ...] = globals().get("STEMS") or __getattr__("STEMS")
    return next((each for each in (*every, *JUDGED) if each.name == name), None)


def __getattr__(name: str) -> tuple[Stem, ...]:
    """Load all modules when `STEMS` is first asked for, not before: `of_module` is to need one only."""
    if name != "STEMS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = sorted(found.name for found in iter_modules(__path__))
    globals()["STEMS"] = stems = tuple(stem for module in modules for stem in of_module(module))
    return stems
