"""Items as the lines of a JSONL file: what ``labrig generate`` writes and ``run --tasks`` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labrig.errors import LabrigError

if TYPE_CHECKING:
    from labrig_harness.sample import Sample
    from labrig_harness.suite import Generator, Suite


def generator_of(suite: Suite) -> Generator:
    """Return the generator of a suite; a LabrigError where it has none."""
    if suite.generator is None:
        from labrig_harness import suites

        others = [name for name in suites.names() if suites.load(name).generator is not None]
        raise LabrigError(
            f"The samples of {suite.name} are fixed", where=suite.name, expected=f"one of {', '.join(others)}"
        )
    return suite.generator


def read_tasks(path: Path, suite: Suite) -> list[Sample]:
    """Return the items of a file that ``labrig generate`` wrote.

    Raises
    ------
    LabrigError
        For a file that cannot be read, a line that is not an item of the suite, an item that is there twice, no item.
    """
    generator = generator_of(suite)
    samples: dict[str, Sample] = {}
    for number, row in rows(path):
        try:
            sample = generator.task(row)
        except LabrigError as error:
            published = generator.adopt is not None and "truth" not in row and "question" in row
            raise LabrigError(
                error.what,
                where=f"{path}:{number}",
                try_=f"labrig generate {suite.name} --from {path} --out FILE" if published else error.try_,
            ) from error
        # What Sample.from_dict raises, and a suite's own code.
        except (ValueError, TypeError, KeyError) as error:
            said = f"no {error}" if isinstance(error, KeyError) else error
            raise LabrigError(
                f"This line is not a sample of {suite.name}: {said}", where=f"{path}:{number}"
            ) from error
        if sample.id in samples:
            raise LabrigError(f"The sample {sample.id} is there twice", where=f"{path}:{number}")
        samples[sample.id] = sample.beside(path.parent)
    if not samples:
        raise LabrigError("The file holds no sample", where=str(path))
    return list(samples.values())


def published_rows(path: Path) -> list[dict[str, Any]]:
    """Return what others published: the lines of a JSONL file, a JSON document, or all documents below a folder.

    A document is an object, or a list of objects. Those of a folder come in the order of their paths.

    Raises
    ------
    LabrigError
        For what cannot be read, is no JSON, or holds something else than objects; for a folder without any.
    """
    if path.is_dir():
        found = [row for each in sorted(path.rglob("*.json")) for row in _read_document(each)]
        if not found:
            raise LabrigError("The folder holds no file that ends in .json", where=str(path))
        return found
    if path.suffix == ".json":
        return _read_document(path)
    return [row for _, row in rows(path)]


def _read_document(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_refuse_constant)
    except (OSError, UnicodeDecodeError) as error:
        raise LabrigError(f"Cannot read the samples: {error}", where=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise LabrigError(f"This file is not JSON: {error}", where=str(path)) from error
    found = content if isinstance(content, list) else [content]
    if not all(isinstance(each, dict) for each in found):
        raise LabrigError("This file holds no JSON object, or list of them", where=str(path))
    if not is_text(json.dumps(found, ensure_ascii=False)):
        raise LabrigError("This file has half a character (a lone surrogate)", where=str(path))
    return found


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the lines of a JSONL file with their numbers."""
    try:
        lines: Sequence[str] = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise LabrigError(f"Cannot read the samples: {error}", where=str(path)) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise LabrigError(
                f"This line is not JSON: {error}", where=f"{path}:{number}", expected="one sample a line"
            ) from error
        if not isinstance(row, dict):
            raise LabrigError("This line is not a JSON object", where=f"{path}:{number}")
        if not is_text(json.dumps(row, ensure_ascii=False)):
            raise LabrigError("This line has half a character (a lone surrogate)", where=f"{path}:{number}")
        yield number, row


def is_text(text: str) -> bool:
    """Return whether a text can be written as UTF-8; arguments in other bytes, and half pairs in JSON, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")
