"""What is taken out of a store, and what is left there of processes that were killed."""

from __future__ import annotations

import re
import secrets
import time
from contextlib import suppress

from labrig.storage.folder import NEW, Folder
from labrig.storage.holds import DIGEST, HELD, TRASH, is_free

_OLD_TEMPORARY = re.compile(r"\.[0-9a-f]{12}")
_OLD_S = 86_400


def swept(store: Folder, names: set[str], others: set[str]) -> list[str]:
    """Put what killed processes left out of the way, and return it; called with the lock of the store.

    Parameters
    ----------
    names
        All that is in the store.
    others
        Those of them that may have been left: all but the names of artifacts that are known to be whole.
    """
    trash = [name for name in others if name.startswith(TRASH)]
    for name in others:
        digest, _, ending = name.partition(".")
        if name.startswith((NEW, HELD)):
            dead = is_free(store, name)
        elif name.startswith("."):
            dead = _OLD_TEMPORARY.fullmatch(name) is not None and _is_old(store, name)
        elif ending:  # what stands beside a content, without it
            dead = digest not in names and DIGEST.fullmatch(digest) is not None
        else:  # a content without its manifest
            dead = f"{name}.json" not in names and DIGEST.fullmatch(name) is not None and is_free(store, name)
        if dead:
            with suppress(OSError):
                trash.append(thrown_away(store, name))
    return trash


def _is_old(store: Folder, name: str) -> bool:
    """Tell whether a temporary file, which an older Labrig did not lock, is of yesterday."""
    try:
        return store.about(name).st_mtime < time.time() - _OLD_S
    except OSError:
        return False


def removed(store: Folder, digest: str) -> list[str]:
    """Take an artifact out of the store, manifest first; return what is to be deleted."""
    for ending in (".json", ".listing", ".names"):
        store.delete(f"{digest}{ending}")
    with suppress(FileNotFoundError):
        return [thrown_away(store, digest)]
    return []


def thrown_away(store: Folder, name: str) -> str:
    """Rename what is to be deleted, which may take its time; return the name."""
    trash = f"{TRASH}{secrets.token_hex(8)}"
    store.rename(name, trash)
    return trash
