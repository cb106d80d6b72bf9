"""Code of an agent, run at warm speed where it can hurt nothing; see ``docs/sandbox.md``.

In the order of a run:

- `profiles`: the Pythons that exist; `environment`: one of them, and what it reads; `prepare`: run once
  when it is made
- `backends`: which protection works here; `folders`: the sandbox's own folder
- `sandbox`: the queue; `forkserver`: the fork server as the host sees it
- `running`: one run; `inputs`: what it may read; `pipes`: what it prints; `conversation`: what it and its host say to
  one another
- `inside`: what runs beside the code, and the walls
- `scratch`: what the run left; `results`: what came of it; `answers`: the same as a tool's answer
- `live`: sessions, whose process stays
"""

from labrig.sandbox.results import STATUSES, Limits, Result
from labrig.sandbox.sandbox import Sandbox

__all__ = ["STATUSES", "Limits", "Result", "Sandbox"]
