"""``make bench``: every benchmark in turn; ``python -m benchmarks NAME``: one of them.

Ratios and sizes count; bare times are of this machine, now.
"""

from __future__ import annotations

import argparse
from importlib import import_module

ALL = (
    "startup",
    "fork_server",
    "outline_sizes",
    "waters",
    "scoring",
    "relay",
    "sandbox",
    "describe_table",
    "gym",
    "warm_servers",
    "atlas",
    "papers",
    "earth",
    "crops",
    "seasonal",
    "buildings",
    "traffic",
    "race",
    "terrabench",
)
ON_REQUEST = ("loop_overhead",)


def main() -> None:
    """Run the one that is named, else all but those on request."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=(*ALL, *ON_REQUEST), help="only this one")
    named = parser.parse_args().name
    for name in (named,) if named else ALL:
        print(f"== {name}", flush=True)
        import_module(f"benchmarks.{name}").main()
        print(flush=True)


if __name__ == "__main__":
    main()
