"""Run once by the Python of a new side environment, as ``python -I prepare.py FOLDER MODULE...``: imports its modules.

Prints as JSON, in the last line, the versions of Python and of every package. Standard library only.
"""

import importlib
import importlib.metadata
import json
import platform
import sys


def main(modules: list[str]) -> None:
    """Import the modules, and print what is there."""
    for name in modules:
        importlib.import_module(name)
    found = {each.metadata["Name"].lower(): each.version for each in importlib.metadata.distributions()}
    print(json.dumps({"python": platform.python_version(), "packages": dict(sorted(found.items()))}))


if __name__ == "__main__":
    main(sys.argv[2:])
