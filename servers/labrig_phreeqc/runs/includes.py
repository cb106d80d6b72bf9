"""``INCLUDE$`` resolved before PHREEQC runs, from the workspace or from the run itself.

PHREEQC would open the named file while it reads. Here the text is put in its place: a file that an earlier
SELECTED_OUTPUT of the same input writes (the official examples 8 and 21 do that) is obtained by running the
input up to there, any other must be a file of the workspace. Everything else is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from labrig.errors import LabrigError
from labrig.threads import aside
from labrig_phreeqc.engine.run import Run
from labrig_phreeqc.input.screening import include_refusal, name_inside, screen
from labrig_phreeqc.input.statements import Statement, is_file_option, is_include, statements
from labrig_phreeqc.runs.output_files import with_files

MAX_DEPTH = 8
MAX_INCLUDES = 50
MAX_CHARACTERS = 5_000_000

Read = Callable[[str], str | None]
RunPrefix = Callable[[str], Awaitable[Run]]


async def resolve_includes(text: str, read: Read, run_prefix: RunPrefix, wall_s: float = 50.0) -> str:
    """Return `text` with every INCLUDE$ replaced by what it names.

    Parameters
    ----------
    text
        PHREEQC input.
    read
        Returns the text of a workspace file by its bare name, or None.
    run_prefix
        Runs an input; `labrig_phreeqc.engine.engine.Engine.run` on the chosen database.
    wall_s
        Seconds that all these runs together may take.

    Raises
    ------
    LabrigError
        ``refused`` with the line, or ``limit`` beyond `MAX_DEPTH`, `MAX_INCLUDES` or `MAX_CHARACTERS`.
    """
    try:
        async with asyncio.timeout(wall_s):
            resolved = await _Resolver(read, run_prefix).resolve(text, "", 0)
    except TimeoutError:
        raise LabrigError(
            "The runs whose output the input includes take too long",
            where="INCLUDE$",
            expected=f"at most {wall_s:g} s for all of them together",
            code="limit",
        ) from None
    if resolved is not text:
        await aside(len(resolved), screen, resolved)
    return resolved


class _Resolver:
    def __init__(self, read: Read, run_prefix: RunPrefix) -> None:
        self._read = read
        self._run_prefix = run_prefix
        self._count = 0
        self._characters = 0
        self._declared: set[str] = set()

    async def resolve(self, text: str, before: str, depth: int) -> str:
        """Resolve `text`, of which `before` is the resolved input that precedes it."""
        done, cursor = "", 0
        for statement in await aside(len(text), _about_files, text):
            if not is_include(statement):
                self._declared.add(statement.rest)
                continue
            name = name_inside(statement.rest)
            if not name:
                raise include_refusal(statement)
            done += text[cursor : statement.start]
            cursor = statement.end
            content = await self._content(name, before + done)
            if content is None:
                raise include_refusal(statement)
            self._spend(content, depth, statement.line)
            done += await self.resolve(content, before + done, depth + 1)
            if not done.endswith("\n"):
                done += "\n"
        return done + text[cursor:] if cursor else text

    async def _content(self, name: str, prefix: str) -> str | None:
        if name in self._declared:
            await aside(len(prefix), screen, prefix)
            run = await self._run_prefix(prefix)
            if not run.solved:
                raise LabrigError(
                    f"The input before INCLUDE$ {name}, which writes that file, ended with {run.status}",
                    where="; ".join(run.errors[:3]) or run.detail,
                    expected="an input that runs up to there",
                )
            return (await with_files(run, prefix, self._run_prefix)).files.get(name)
        return self._read(name)

    def _spend(self, content: str, depth: int, line: int) -> None:
        self._count += 1
        self._characters += len(content)
        if depth >= MAX_DEPTH or self._count > MAX_INCLUDES or self._characters > MAX_CHARACTERS:
            raise LabrigError(
                "INCLUDE$ goes too deep or brings in too much",
                where=f"line {line}",
                expected=f"at most {MAX_DEPTH} levels, {MAX_INCLUDES} files, {MAX_CHARACTERS} characters",
                code="limit",
            )


def _about_files(text: str) -> list[Statement]:
    """Return the statements that include a file, or name one that SELECTED_OUTPUT writes."""
    return [
        statement
        for statement in statements(text)
        if is_include(statement)
        or (statement.block == "SELECTED_OUTPUT" and is_file_option(statement) and statement.rest)
    ]
