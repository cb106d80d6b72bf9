"""The runs of one file, whatever its format, with the answer that lies beside it where the format has it there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig_harness.channels import MOST
from labrig_programs import reading
from labrig_programs.reading import LINE_FORMATS
from labrig_programs.reading.read_run import ReadRun
from labrig_study.formats.terrabench import TRACE
from labrig_study.logs import harbor
from labrig_study.logs.keeping import whole


def read_file(format: str, file: Path) -> Iterator[ReadRun]:
    """Read the runs of one file.

    Raises
    ------
    LabrigError
        If the file as a whole cannot be used: not of this format, too large, in UTF-16.
    """
    from labrig_programs.reading import aar_tools, chats, documents
    from labrig_study.formats import inspect_log, terrabench

    with file.open("rb") as opened:
        head = opened.read(4)
        opened.seek(0)
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise LabrigError(
                "This file is UTF-16", where=file.name, expected="UTF-8", try_="iconv -f UTF-16 -t UTF-8 FILE"
            )
        if format in LINE_FORMATS:
            beside = file.with_name(aar_tools.ANSWER)
            for run in reading.read(format, opened):
                yield _add_answer(run, beside) if format == aar_tools.NAME else run
        elif format == "inspect" and head.startswith(b"PK"):
            yield from inspect_log.read_archive(opened)
        else:
            ours: dict[str, Callable[[Any], Iterable[ReadRun]]] = {
                "inspect": inspect_log.read,
                terrabench.NAME: terrabench.read,
            }
            trial = harbor.trial_of(file)
            beside = file.with_name(terrabench.ANSWER)
            for document in documents.split(whole(file), file.name):
                found = ours[format](document) if format in ours else documents.read(format, document)
                for run in found:
                    if format == chats.TAU:
                        run = replace(run, agent=file.stem)  # nothing in it names the model
                    run = _add_folder(run, file, beside) if format == terrabench.NAME else run
                    yield harbor.add_trial(run, trial) if trial else run


def _add_folder(run: ReadRun, file: Path, answer: Path) -> ReadRun:
    """Return a run of TerraBench with its item, by which its folder is called, and the answer, if it lies there."""
    if file.name == TRACE:
        run = replace(run, item=run.item or file.absolute().parent.name)
    if not answer.exists() and not answer.is_symlink():
        return run
    run = _add_answer(run, answer)
    return replace(run, end="answered") if run.committed and run.end == "no_answer" else run


def _add_answer(run: ReadRun, path: Path) -> ReadRun:
    """Return a run with what was committed in the file beside its log; no file is an answer that was never given."""
    if path.is_symlink() or not path.is_file():
        return replace(run, end="no_answer")
    with path.open("rb") as file:
        return replace(run, committed=file.read(MOST["file"]).decode("utf-8", errors="replace"))
