"""Stems whose questions are answered in words, a module for each topic: `complexes`, `minerals`, `changes`.

A set has them where its maker asks for them (`items.KINDS`). Their switches are many and strong, for an item needs four
different answers among the scenes of its numbers.
"""

from labrig_suites.phreeqc_mcq.in_words import changes, complexes, minerals
from labrig_suites.phreeqc_mcq.scenario import Stem

JUDGED: tuple[Stem, ...] = (*complexes.STEMS, *minerals.STEMS, *changes.STEMS)
