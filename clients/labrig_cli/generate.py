"""``generate``: the items of a suite as a file, from a seed or from a published file."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig_cli.settings import settings_of
from labrig_harness import blobs
from labrig_harness.records.items_file import generator_of, is_text, published_rows

if TYPE_CHECKING:
    from labrig_harness.sample import Sample
    from labrig_harness.suite import Generator, Suite


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verbs of this module."""
    generate = verbs.add_parser(
        "generate", help="make the samples of a suite and write them as JSONL, truths included"
    )
    generate.add_argument("suite", metavar="SUITE")
    generate.add_argument(
        "--seed", metavar="S", help="any text; private: openssl rand -hex 16 (default: drawn, and printed)"
    )
    generate.add_argument("--n", type=int, metavar="N", help="how many samples (default: 200)")
    generate.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FILE",
        help="take the published questions of this file or folder (JSONL or JSON)",
    )
    generate.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        help="how the set is made (kinds=all, per_scenario=3); with --from: database=phreeqc.dat",
    )
    generate.add_argument(
        "--wiki",
        metavar="STORE",
        help="make legs of the pages of this store, which python -m labrig_atlas.wiki build wrote (amazing-race)",
    )
    generate.add_argument("--out", type=Path, required=True, metavar="FILE")
    generate.set_defaults(run=_generate)


def _generate(arguments: argparse.Namespace) -> int:
    from labrig_harness import suites
    from labrig_harness.records.outfolder import json_text, write_new

    suite = suites.load(arguments.suite)
    generator = generator_of(suite)
    if arguments.out.exists():
        raise LabrigError(
            "This file is there already, and samples that were run cannot be made again without their seed",
            where=str(arguments.out),
            try_="another --out",
        )
    if not arguments.out.parent.is_dir():
        raise LabrigError("There is no such folder", where=str(arguments.out.parent), code="not_found")
    if not os.access(arguments.out.parent, os.W_OK):  # before minutes of work
        raise LabrigError("This folder cannot be written to", where=str(arguments.out.parent))
    if arguments.source is not None:
        made, said = _adopt_samples(arguments, suite, generator), [f"from {arguments.source}"]
    else:
        made, said = _make_samples(arguments, generator)
    for sample in made:
        blobs.keep(sample.blobs, arguments.out.parent)
    write_new(arguments.out, "".join(json_text(generator.row(each)) + "\n" for each in made))
    print(f"{suite.name} {suite.version}: {len(made)} samples in {arguments.out}", *said, sep="\n")
    return 0


def _make_samples(arguments: argparse.Namespace, generator: Generator) -> tuple[list[Sample], list[str]]:
    from rich.console import Console
    from rich.progress import Progress

    make = generator.make
    settings = settings_of(arguments.set) | ({"wiki": arguments.wiki} if arguments.wiki else {})
    if settings:
        if generator.configured is None:
            raise LabrigError("Settings belong to published questions", where="--set", expected="--from FILE")
        make = generator.configured(settings)
    if arguments.seed is not None and not arguments.seed.strip():
        raise LabrigError("The seed is empty", where="--seed", expected="any text, or no --seed")
    if arguments.seed is not None and not is_text(arguments.seed):
        raise LabrigError("The seed is not UTF-8", where="--seed", expected="any text, or no --seed")
    count = 200 if arguments.n is None else arguments.n
    seed = arguments.seed or secrets.token_hex(16)
    with Progress(console=Console(stderr=True)) as bars:
        bar = bars.add_task("samples", total=max(count, 1))
        try:
            made = make(seed, count, progress=lambda done: bars.update(bar, completed=done))
        except BaseException:
            if arguments.seed is None:
                print(f"The set was not finished; --seed {seed} makes the same one", file=sys.stderr)
            raise
    said = [f"commitment {generator.commitment(seed)}"]
    if arguments.seed is None:
        said.append(f"seed {seed} (keep it: the same set can be made from it, and from nothing else)")
    return made, said


def _adopt_samples(arguments: argparse.Namespace, suite: Suite, generator: Generator) -> list[Sample]:
    if generator.adopt is None:
        raise LabrigError(f"{suite.name} has no published form", where="--from")
    if arguments.seed is not None or arguments.n is not None:
        raise LabrigError("Published questions come from a file, not from a seed", where="--seed, --n")
    several = generator.rows is not None and arguments.source.is_dir()
    read = generator.rows if several and generator.rows else published_rows
    return generator.adopt(read(arguments.source), settings_of(arguments.set))
