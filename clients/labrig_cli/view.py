"""``view``: an output folder in a browser, while its runs go on and after."""

from __future__ import annotations

import argparse
from pathlib import Path


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb of this module."""
    view = verbs.add_parser(
        "view",
        help="show an output folder in a browser: progress, records with their calls, two runs at once",
    )
    view.add_argument("out", type=Path, metavar="DIR")
    view.add_argument(
        "--port", type=int, default=0, metavar="N", help="of 127.0.0.1 (default: one that is free)"
    )
    view.set_defaults(run=_view)


def _view(arguments: argparse.Namespace) -> int:
    from labrig_study.view.serving import serve

    serve(arguments.out, arguments.port, lambda address: print(address, flush=True))
    return 0
