"""The MCP face of the atlas server: our own tools, and those of The Amazing Agent Race.

- `base`: what the rooms share: toolbox, settings, who answers which question, sandbox
- `answers`: facts as Answers
- `pages`, `places`, `ways`, `weather`, `countries`, `markets`, `code`: our own tools
- `paper`, `paper_code`: the published tools; `aliases`: other names of them
"""

# In the order in which tools/list has them: what one begins with stands first.
from labrig_atlas.server import pages, places, ways, weather, countries, markets, code  # isort: skip
from labrig_atlas.server import paper, paper_code, aliases  # isort: skip
from labrig_atlas.server.base import toolbox

__all__ = [
    "aliases",
    "code",
    "countries",
    "markets",
    "pages",
    "paper",
    "paper_code",
    "places",
    "toolbox",
    "ways",
    "weather",
]
