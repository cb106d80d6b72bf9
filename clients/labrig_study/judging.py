"""A model judges what a scorer asks of records: each question once, and what it said stays beside the record."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from labrig.canonical import sha256
from labrig.errors import LabrigError
from labrig_harness.agent import AgentSpec
from labrig_harness.models import service
from labrig_harness.models.errors import one_line
from labrig_harness.records import verdicts
from labrig_harness.records.scoring import Record, score_folder
from labrig_harness.records.verdicts import Verdicts
from labrig_harness.sample import Sample
from labrig_harness.suite import Judging, Question
from labrig_harness.trajectory import Trajectory

WORDLLAMA, NEAREST = "wordllama", 3
"""The embedder that a wheel ships whole, and how many names it proposes for one (001, appendix C)."""
SECONDS = 600.0
"""Seconds a question may take, retries included."""
MOST_WHY = 300


async def judge_folder(
    out: Path, spec: AgentSpec, embedder: str, *, jobs: int = 4, told: Callable[[str], None] = print
) -> int:
    """Put the questions of all records of a folder to a model, and return how many were asked.

    Records that this judge judged whole are left alone, so a run that was interrupted goes on.

    Raises
    ------
    LabrigError
        For a suite without questions, a model or an embedder that cannot be asked.
    """
    scored = score_folder(out)
    judging = scored.suite.judging
    if judging is None:
        raise LabrigError(f"The scorer of {scored.suite.name} asks no judge", where=str(out), code="refused")
    service.check(spec, tools=False)
    turns, asked = asyncio.Semaphore(jobs), 0
    for record in scored.records:
        trajectory, sample = record.trajectory(), scored.tasks[record.task]
        nearest = f"{NEAREST} nearest by {embedder}"
        before = verdicts.read(record.folder)
        known = Verdicts(spec.model, spec.settings, nearest, verdicts.submission_hash(trajectory))
        if before is not None and _is_of(before, known):
            known = before
        questions = await _list_questions(judging, sample, trajectory, embedder)
        left = [each for each in questions if known.said.get(each.key, {}).get("yes") is None]
        if left or before is not known:
            await _judge_record(record, spec, known, left, turns)
        asked += len(left)
        told(f"{record.folder.relative_to(out)}: {len(questions)} questions, {len(left)} asked")
    return asked


def _is_of(before: Verdicts, known: Verdicts) -> bool:
    names = ("judge", "settings", "nearest", "submission")
    return all(getattr(before, name) == getattr(known, name) for name in names)


async def _list_questions(
    judging: Judging, sample: Sample, trajectory: Trajectory, embedder: str
) -> list[Question]:
    """Return the questions on a record, given for each name of one list the nearest of the other."""
    names = judging.names(sample, trajectory)
    if not all(names):
        return []
    vectors = [await embed(each, embedder) for each in names]
    near = vectors[0] @ vectors[1].T
    pairs = {(row, int(column)) for row in range(len(near)) for column in _best(near[row])}
    pairs |= {(int(row), column) for column in range(near.shape[1]) for row in _best(near[:, column])}
    return judging.ask(
        sample, trajectory, [(names[0][row], names[1][column]) for row, column in sorted(pairs)]
    )


def _best(cosines: np.ndarray) -> np.ndarray:
    return np.argsort(-cosines, kind="stable")[:NEAREST]


async def embed(texts: Sequence[str], embedder: str) -> np.ndarray:
    """Return vectors of length one, a row a text.

    Parameters
    ----------
    embedder
        ``wordllama``, which runs here, or PROVIDER:NAME of a service, as pydantic-ai names it.

    Raises
    ------
    LabrigError
        ``unavailable`` where it is not installed or does not answer.
    """
    try:
        if embedder == WORDLLAMA:
            vectors = np.asarray(_load_wordllama().embed(list(texts)), float)
        else:
            from pydantic_ai.embeddings import Embedder

            vectors = np.asarray((await Embedder(embedder).embed_documents(list(texts))).embeddings, float)
    except Exception as error:  # each service and library has errors of its own
        raise LabrigError(
            f"The embedder {embedder} does not answer: {one_line(str(error)) or type(error).__name__}",
            where="--embedder",
            try_="pip install wordllama" if embedder == WORDLLAMA else f"--embedder {WORDLLAMA}",
            code="unavailable",
        ) from error
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


@lru_cache(maxsize=1)
def _load_wordllama() -> Any:
    import wordllama

    # Its own folder as the cache: 0.4 looks for the tokenizer, which the wheel has, under another name.
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


async def _judge_record(
    record: Record, spec: AgentSpec, known: Verdicts, questions: Sequence[Question], turns: asyncio.Semaphore
) -> None:
    """Ask the questions that are left, and keep what was said, also where one of them could not be asked."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    said, tokens = dict(known.said), known.tokens or 0
    measured = known.tokens is not None or not known.said

    async def ask(model: service.Session, question: Question) -> None:
        nonlocal tokens, measured
        async with turns:
            reply = await model.ask([ModelRequest([UserPromptPart(question.prompt)])], [], seconds=SECONDS)
        tokens, measured = tokens + reply.tokens.total, measured and reply.tokens.measured
        yes, why = read_verdict(reply.text)
        said[question.key] = {
            "yes": yes,
            "why": why,
            "prompt": sha256(question.prompt),
            "model": reply.version,
        }

    try:
        async with service.connect(spec) as model:
            done = await asyncio.gather(*(ask(model, each) for each in questions), return_exceptions=True)
    finally:
        kept = Verdicts(
            known.judge, known.settings, known.nearest, known.submission, said, tokens if measured else None
        )
        verdicts.keep(record.folder, kept)
    for each in done:
        if isinstance(each, BaseException):
            raise LabrigError(
                f"The judge {spec.model} does not answer: {each}",
                where=str(record.folder),
                try_="the same command, which goes on",
                code="unavailable",
            ) from each


def read_verdict(text: str) -> tuple[bool | None, str]:
    """Return yes or no, and why, of a judge's reply; None where it holds no such object, or several that differ.

    >>> read_verdict('Sure: {"same": true, "why": "synonyms"}')
    (True, 'synonyms')
    >>> read_verdict("yes")[0] is None
    True
    """
    found = []
    for each in re.findall(r"\{[^{}]*\}", text):
        try:
            fields = json.loads(each)
        except ValueError:
            continue
        if isinstance(fields.get("same"), bool):
            found.append((fields["same"], str(fields.get("why", ""))[:MOST_WHY]))
    if len({yes for yes, _ in found}) != 1:
        return None, text[:MOST_WHY]
    return found[0]
