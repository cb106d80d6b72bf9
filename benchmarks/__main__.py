"""``make bench``: every benchmark in turn; ``python -m benchmarks NAME``: one of them.

Ratios and sizes count; bare times are of this machine, now.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

ALL = (
    "startup",
    "fork_server",
    "outline_sizes",
    "waters",
    "beside_phreeqpy",
    "beside_inspect",
    "scoring",
    "relay",
    "sandbox",
    "describe_table",
    "beside_filesystem",
    "gym",
    "warm_servers",
    "atlas",
    "papers",
    "papers_beside_others",
    "literature",
    "earth",
    "zones",
    "cubes",
    "first_answer",
    "crops",
    "seasonal",
    "buildings",
    "traffic",
    "risk",
    "race",
    "terrabench",
)
ON_REQUEST = ("loop_overhead", "side_by_side")


def main() -> None:
    """Run the one that is named, else all but those on request."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=(*ALL, *ON_REQUEST), help="only this one")
    given, rest = parser.parse_known_args()
    named = given.name
    if rest and named not in ON_REQUEST:
        parser.error(f"not known: {' '.join(rest)}")
    sys.argv[1:] = rest  # what one on request is told besides
    for name in (named,) if named else ALL:
        print(f"== {name}", flush=True)
        import_module(f"benchmarks.{name}").main()
        print(flush=True)


if __name__ == "__main__":
    main()
