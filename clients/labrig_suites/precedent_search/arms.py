"""The arms: the papers server with a corpus, the open web, and a model alone.

How much a model reasons is a setting of the agent.
"""

from __future__ import annotations

from labrig.toolbox import ServeOptions
from labrig_harness.channels import Channel
from labrig_harness.suite import Arm, Served

FILE, CORPUS = "precedent.json", "corpus.sqlite"
SEARCHED_WEB = "atlas"
"""The server whose web search stands for the paper's search engines."""
WALL_S = 1200.0
"""The paper's limit of 20 minutes."""
WRITE = (
    "The papers are those that search_literature finds. Write the JSON object with write_file to "
    f"{FILE}, and nothing else into that file.\n"
)
SEARCHING = (
    "write_file",
    "read_file",
    "list_file",
    "search_literature",
    "open_paper",
    "read_pages",
    "search_paper",
)
"""What an agent needs that judges papers itself; verify_quote is added to it."""
FETCHING = ("resolve_doi", "find_open_access", "fetch_pdf", "show_page", "find_quantities")
WEB = (
    "web_search searches the web, fetch_webpage reads a page; search_literature asks services for titles and abstracts "
    'where sources names them ("openalex", "crossref", "arxiv", "semantic_scholar"), fetch_pdf gets a free copy of a '
    f"paper. Write the JSON object with write_file to {FILE}, and nothing else into that file.\n"
)


def _arm(name: str, about: str, tools: tuple[str, ...] = ()) -> Arm:
    serve = ServeOptions(toolsets=("default", "literature"), tools=tools, settings={"corpus": CORPUS})
    return Arm(
        name, "papers", serve, WRITE, Channel("predictions", FILE), max_steps=80, wall_s=WALL_S, about=about
    )


ARMS = (
    _arm("agent-default", "the papers server: a corpus searched, papers read, precedents looked for"),
    _arm("agent-searching", "the same without validate_precedent", (*SEARCHING, "verify_quote")),
    Arm(
        "open-web",
        "papers",
        ServeOptions(
            toolsets=("default", "literature"),
            tools=(*SEARCHING, "verify_quote", *FETCHING),
            settings={"corpus": CORPUS},
        ),
        WEB,
        Channel("predictions", FILE),
        max_steps=80,
        wall_s=WALL_S,
        about="web search, pages, services of the literature and free PDFs; the ledger records and replays them",
        also=(
            Served(
                SEARCHED_WEB,
                ServeOptions(
                    toolsets=("default", "paper"),
                    tools=("web_search", "fetch_webpage"),
                    settings={"backend": "open", "wiki": "live"},
                ),
            ),
        ),
    ),
    Arm(
        "direct",
        instructions="Print the JSON object and nothing else.\n",
        channel=Channel("json"),
        max_steps=1,
        wall_s=WALL_S,
        about="no tools: one answer",
    ),
)
