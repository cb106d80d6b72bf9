"""Logs and tables of other programs that no agent of ours writes; one module per format.

- `inspect`: Inspect's EvalLog, ``.json`` or ``.eval``
- `terrabench`: traces of TerraBench, in the four shapes of its public code
- `results`: a table of results, JSONL or CSV

Modules: a reader for each format (`inspect_log`, `terrabench`, `results`), which returns a `read_run`;
`inspect_writing`: our records as an EvalLog; `detect`: which format a file is; `results_suite`, `imported_suite`: the
suites that tables of results and logs without truths belong to. Logs of agent programs are read by
`labrig_programs.reading`, on which these stand.
"""

from __future__ import annotations

from labrig_programs.reading import LINE_FORMATS, documents

FORMATS = (*LINE_FORMATS, *documents.FORMATS, "inspect", "terrabench", "results")
