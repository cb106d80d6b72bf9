"""The MCP face of the repository server: the paper's tools and our own.

- `base`: what the rooms share: toolbox, repositories by id, sandbox
- `paper`: the paper's tools; `files`, `search`, `tables`, `views`, `code`: our own
"""

from labrig_repository.server import code, files, paper, search, tables, views
from labrig_repository.server.base import toolbox

__all__ = ["code", "files", "paper", "search", "tables", "toolbox", "views"]
