"""The suites: each a folder with ``tasks.py``, ``solution.py``, ``score.py`` and ``tables.py``.

`common` is what they share.

The harness finds them through the entry-point group ``labrig.suites``, so another package can bring its own.

- `phreeqc_mcq`: PHREEQC-MCQ-200; `phreeqc_basics`: a small relative to try
- `science_gym`: InfiniteScienceGym
- `amazing_race`: The Amazing Agent Race
- `supercon_extraction`: properties of papers on superconductors, with their evidence
- `precedent_search`: whether a material was ever found superconducting, or nobody looked
- `questions`: the questions of a file, for who writes no Python
- `terrabench`: TerraBench: workflows over Earth data, their metrics, analyses and tables
"""
