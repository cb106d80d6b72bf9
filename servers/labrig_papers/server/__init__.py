"""The MCP face of the papers server.

- `base`: what the rooms share: toolbox, papers that are open, their pages
- `pages`: opening, outline, text, search; `tables`: tables; `pictures`: pages as pictures
- `evidence`: quantities and quotes; `values`: names of properties, units, formulas, space groups
- `literature`: papers searched, resolved and fetched; `precedents`: whether a material was ever superconducting
"""

from labrig_papers.server import evidence, literature, pages, pictures, precedents, tables, values
from labrig_papers.server.base import toolbox

__all__ = ["evidence", "literature", "pages", "pictures", "precedents", "tables", "toolbox", "values"]
