"""``make bench``: every benchmark in turn. Ratios and sizes count; bare times are of this machine, now."""

from __future__ import annotations

from benchmarks import fork_server, gym, outline_sizes, relay, sandbox, scoring, startup, waters


def main() -> None:
    """Run them all."""
    for module in (startup, fork_server, outline_sizes, waters, scoring, relay, sandbox, gym):
        print(f"== {module.__name__.rpartition('.')[2]}", flush=True)
        module.main()
        print(flush=True)


if __name__ == "__main__":
    main()
