"""The stems, a module for each topic."""

from importlib import import_module
from pkgutil import iter_modules

from labrig_harness.suites.phreeqc_mcq.scenario import Stem

STEMS: tuple[Stem, ...] = tuple(
    stem
    for found in sorted(iter_modules(__path__), key=lambda each: each.name)
    for stem in import_module(f"{__name__}.{found.name}").STEMS
)
"""All of them, by module and in the order of each."""
