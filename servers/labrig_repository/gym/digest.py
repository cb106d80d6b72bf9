"""One SHA-256 for all that a generated repository holds: to compare machines, Pythons and versions of numpy.

``python -m labrig_repository.gym.digest 1 500`` prints a line for each repository and one for all of them. It
needs numpy alone, so it runs in any environment with this package on its path.
"""

from __future__ import annotations

import argparse
import hashlib
import platform

import numpy as np

from labrig_repository.gym.repository import GeneratedRepository, open_repository


def digest(repository: GeneratedRepository, files: int | None = None) -> str:
    """Return the SHA-256 of a repository: its words, all its paths and the bytes of its files.

    Parameters
    ----------
    files
        Of how many files the bytes are taken, spread evenly; all of them where it is not said.
    """
    total = hashlib.sha256()
    paths = repository.paths()
    step = 1 if files is None else max(len(paths) // files, 1)
    _add(total, f"{repository.name}\n{repository.specification.title}\n{repository.specification.abstract}")
    _add(total, "\n".join(paths))
    for path in paths[::step]:
        total.update(hashlib.sha256(repository.read(path)).digest())
    return total.hexdigest()


def _add(total: hashlib._Hash, text: str) -> None:
    total.update(hashlib.sha256(text.encode()).digest())


def main() -> None:
    """Print the digests of a range of repositories."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--files", type=int, help="how many files of each; all where this is not said")
    asked = parser.parse_args()
    total = hashlib.sha256()
    for number in range(asked.first, asked.last + 1):
        found = digest(open_repository(str(number)), asked.files)
        total.update(bytes.fromhex(found))
        print(number, found)
    print(
        f"all {total.hexdigest()} Python {platform.python_version()} numpy {np.__version__} {platform.machine()}"
    )


if __name__ == "__main__":
    main()
