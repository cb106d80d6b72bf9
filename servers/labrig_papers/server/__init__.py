"""The MCP face of the papers server.

- `base`: what the rooms share: toolbox, papers that are open, their pages
- `pages`: opening, outline, text, search; `tables`: tables; `pictures`: pages as pictures
- `evidence`: quantities and quotes; `values`: names of properties, units, formulas, space groups
"""

from labrig_papers.server import evidence, pages, pictures, tables, values
from labrig_papers.server.base import toolbox

__all__ = ["evidence", "pages", "pictures", "tables", "toolbox", "values"]
