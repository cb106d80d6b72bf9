"""What waters are held to, in one place for inputs, outputs, tables and pictures."""

from __future__ import annotations

CHARGE_ERROR_PERCENT = 5.0
"""Charge error that is worth a word: the criterion of Standard Methods 1030 E for waters of 10 to 800 meq/L."""

PH_RANGE = (-2.0, 16.0)
"""Beyond this no water lies, and PHREEQC does not converge."""

MEASURED_PH_RANGE = (0.0, 14.0)
"""Beyond this a cell of a table of analyses is not a pH: glass electrodes are calibrated within it."""
