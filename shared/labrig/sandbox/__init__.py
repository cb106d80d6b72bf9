"""Code of an agent, run at warm speed where it can hurt nothing; see ``docs/sandbox.md``."""

from labrig.sandbox.results import STATUSES, Limits, Result
from labrig.sandbox.sandbox import Sandbox

__all__ = ["STATUSES", "Limits", "Result", "Sandbox"]
