"""The console script ``labrig-atlas``: this server on stdio or HTTP."""

from __future__ import annotations

import sys

from labrig.serving.serve import main as serve_main
from labrig_atlas.server import toolbox


def main() -> int:
    """Run the server with the flags of the command line."""
    return serve_main(toolbox)


if __name__ == "__main__":
    sys.exit(main())
