"""Where things lie: the checkout, and beside it the data that some tests read where it is at hand."""

from __future__ import annotations

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
DATA = PROJECT.parent / "shared" / "data"
EXAMPLES = DATA / "phreeqc-examples"
REFERENCE = EXAMPLES / "reference_out"
