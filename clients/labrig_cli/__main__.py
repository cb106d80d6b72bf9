"""``python -m labrig_cli`` is the command ``labrig``."""

from __future__ import annotations

import sys

from labrig_cli import main

if __name__ == "__main__":
    sys.exit(main())
