"""A corpus of papers from a shell: ``python -m labrig_papers.corpus add FOLDER``, then ``search WORDS``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from labrig.errors import LabrigError
from labrig_papers.corpus.adding import Added, add_folder
from labrig_papers.corpus.searching import search
from labrig_papers.corpus.store import default_path, opened


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 for an error, 2 for wrong usage, 130 where it was interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m labrig_papers.corpus", description="Make PDFs searchable by words and formulas."
    )
    parser.add_argument("--corpus", type=Path, default=default_path(), help="the file (default: %(default)s)")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser(
        "add", help="add the PDFs of a folder", description="Run again, it adds what is new."
    )
    verb.add_argument("folder", type=Path)
    verb = verbs.add_parser("search", help="find documents by words and formulas")
    verb.add_argument("question", nargs="+")
    verb.add_argument("--limit", type=int, default=10)
    given = parser.parse_args(arguments)
    try:
        if given.verb == "add":
            added = asyncio.run(_add(given.folder, given.corpus))
            print(report(added, given.corpus))
        else:
            with opened(given.corpus) as database:
                found = search(database, " ".join(given.question), given.limit)
            said = {
                "documents": found.documents,
                "formulas": {each.printed: each.key for each in found.formulas},
                "total": found.total,
                "hits": [each.to_dict() for each in found.hits],
                "relatives": [each.to_dict() for each in found.relatives],
            }
            print(json.dumps(said, indent=1, ensure_ascii=False))
    except LabrigError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted; the same command goes on from here.", file=sys.stderr)
        return 130
    return 0


def report(added: Added, corpus: Path) -> str:
    """Return what was added and what was left out, as text."""
    lines = [f"{corpus}: {added.documents:,} papers, {added.added:,} new, {added.known:,} known already"]
    lines += [f"left out: {path}: {why}" for path, why in sorted(added.left_out.items())]
    return "\n".join(lines)


async def _add(folder: Path, corpus: Path) -> Added:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading papers", total=None)
        return await add_folder(
            folder, corpus, progress=lambda done, total: bar.update(task, completed=done, total=total)
        )


if __name__ == "__main__":
    sys.exit(main())
