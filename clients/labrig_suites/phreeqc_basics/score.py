"""The score of a phreeqc-basics item: the letter, and for strict a run that went well before it."""

from labrig_suites.common.choice import VERSION, score

__all__ = ["VERSION", "score"]
