"""``python -m labrig_harness.registry NAME ...``: a server without a command of its own, for runs and clients."""

from __future__ import annotations

import sys

from labrig.errors import LabrigError
from labrig.serving.serve import USAGE
from labrig.serving.serve import main as serve_main
from labrig_harness.registry.servers import toolbox


def main() -> int:
    """Run the server that the first word names, with the flags after it."""
    name, *flags = sys.argv[1:] or [""]
    try:
        found = toolbox(name)
    except LabrigError as error:
        print(f"labrig: {error}", file=sys.stderr)
        return USAGE
    return serve_main(found, flags)


if __name__ == "__main__":
    sys.exit(main())
