"""Stores of pages from a shell: ``python -m labrig_atlas.wiki build SOURCE STORE``."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from labrig.errors import LabrigError
from labrig_atlas.wiki.building import Built, build


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 for an error, 2 for wrong usage, 130 where it was interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m labrig_atlas.wiki",
        description="Build a store of wiki pages, for the setting atlas.wiki.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser(
        "build",
        help="build a store from a source",
        description="Build a store. Run again after it was interrupted, it goes on where it was.",
    )
    verb.add_argument(
        "source",
        type=Path,
        help="a folder of .html files (TITLE.html), a MediaWiki dump (.xml, .xml.bz2, .xml.gz),"
        " a .zim file (needs libzim) or a folder of articles (.toml)",
    )
    verb.add_argument("store", type=Path, help="the file to make")
    verb.add_argument(
        "--host", default="", help="host of the wiki's addresses (default: the dump's, else en.wikipedia.org)"
    )
    verb.add_argument(
        "--replace", action="store_true", help="replace a store that is there, once the new one is whole"
    )
    given = parser.parse_args(arguments)
    try:
        built = asyncio.run(_build(given))
    except LabrigError as error:
        print(_plain(str(error)), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted; the same command goes on from here.", file=sys.stderr)
        return 130
    print(_plain(report(built)))
    return 0


def _plain(text: str) -> str:
    """Return text without characters that act on a terminal: titles and names of files are somebody else's."""
    return "".join(
        each if each.isprintable() or each == "\n" else "\N{REPLACEMENT CHARACTER}" for each in text
    )


def report(built: Built) -> str:
    """Return what was built and what was left out, as text."""
    lines = [f"{built.path}: {built.pages:,} pages"]
    lines += [
        f"left out: {count:,} {why}"
        for why, count in sorted(built.left_out.items(), key=lambda each: -each[1])
    ]
    lines += [f"left out: {built.lost:,} redirects that lead to no page here"] if built.lost else []
    lines += [f"  {each}" for each in built.examples if "namespace" not in each][:10]
    return "\n".join(lines)


async def _build(given: argparse.Namespace) -> Built:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def shown(done: int, total: int, pages: int) -> None:
            bar.update(task, completed=done, total=total, description=f"{pages:,} pages")

        return await build(given.source, given.store, host=given.host, replace=given.replace, progress=shown)


if __name__ == "__main__":
    sys.exit(main())
