"""The arms: the paper as an attachment without tools, and the papers server with all readers, fewer, or by page."""

from __future__ import annotations

from labrig.toolbox import ServeOptions
from labrig_harness.channels import Channel
from labrig_harness.suite import Arm

FILE, BY_PAGE = "predictions.json", "by-page"
WRITE = f"Write the JSON object with write_file to {FILE}, and nothing else into that file.\n"
CHECK = "validate_extraction says what is wrong with it; correct that and write the file again.\n"
PAGES = (
    "Go through the paper page by page: read one page, list what it reports, and go on. At the end put the lists "
    "together, drop what stands twice and what belongs to others.\n"
)
READERS = (
    *(
        "write_file",
        "read_file",
        "list_file",
        "verify_quote",
        "validate_extraction",
        "open_paper",
        "outline_paper",
    ),
    *("read_pages", "search_paper", "show_page", "read_table", "match_property"),
)
"""The default tools without find_quantities."""


def _arm(name: str, about: str, instructions: str, tools: tuple[str, ...] = ()) -> Arm:
    return Arm(
        *(name, "papers", ServeOptions(toolsets=("default",), tools=tools), instructions),
        Channel("predictions", FILE),
        max_steps=80,
        wall_s=1200.0,
        about=about,
    )


ARMS = (
    _arm("agent-default", "the papers server: text, tables, quantities, quotes, checks", WRITE + CHECK),
    _arm("agent-reading", "the same without find_quantities", WRITE + CHECK, READERS),
    _arm("per-page", "the same tools, one page after the other", PAGES + WRITE),
    Arm(
        "zeroshot",
        instructions="Print the JSON object and nothing else.\n",
        channel=Channel("json"),
        max_steps=1,
        wall_s=1200.0,
        about="no tools: the PDF as an attachment, one answer",
    ),
    Arm(
        BY_PAGE,
        instructions="The file holds one page of the paper. Print the JSON object and nothing else.\n",
        channel=Channel("json"),
        max_steps=400,
        wall_s=1200.0,
        about="no tools: each page as a PDF of its own, one call a page, the lists joined (agent by-page)",
    ),
)
"""The paper's limit of 20 minutes stands for all."""
