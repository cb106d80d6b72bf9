"""TOML that somebody else may have written: read within bounds.

``tomllib`` takes the square of the parts of a key: 100 kB of dots took a minute.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 32
"""Of one key or heading."""

_TEXTS = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\\?\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*+"|\'[^\'\n]*+\'|#[^\n]*+',
    re.DOTALL,
)
"""What is quoted, and comments; what does not end reaches to the end, so each is looked at once."""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


def loads(text: str) -> dict[str, Any]:
    """Return what a TOML text says.

    Raises
    ------
    tomllib.TOMLDecodeError
        For what is no TOML, a key of more than `MOST_PARTS` parts, values too deep in each other, a number too long.
    """
    if _LONG_KEY.search(_TEXTS.sub(lambda found: "" if found[0].startswith("#") else "q", text)):
        raise tomllib.TOMLDecodeError(f"a key has more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("its values are too deep in each other") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # an integer of more digits than Python reads
        raise tomllib.TOMLDecodeError(str(error)) from None
