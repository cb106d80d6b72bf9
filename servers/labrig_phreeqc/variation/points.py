"""An input with a place for each parameter, run once for each point: a point that fails spoils no other."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_phreeqc.database.databases import find_database
from labrig_phreeqc.database.reading import read
from labrig_phreeqc.engine.engine import PATIENT_S, Engine
from labrig_phreeqc.engine.run import Limits, Run
from labrig_phreeqc.variation.expressions import expression
from labrig_phreeqc.waters.speciation import RUNS_AT_A_TIME, together

MOST_POINTS = 2500
_USER = 89_999
"""User number of our selected output; nobody uses such a one."""
_PLACE = re.compile(r"\{(1 *- *)?([A-Za-z]\w{0,39})\}")
_ABSENT = -99.9
"""Above what PHREEQC says for a logarithm of what is not there: -99.99 or -999.999."""


@dataclass(frozen=True)
class Point:
    """What an input gives for some values of its parameters.

    Attributes
    ----------
    values
        By quantity, in the last state that the input calculates; None where it has none.
    failure
        Why there are no values, or empty.
    """

    parameters: Mapping[str, float]
    values: Mapping[str, float | None]
    failure: str = ""


class Question:
    """An input with places such as ``{dose}`` or ``{1-fraction}``, and the quantities that are asked of it."""

    def __init__(
        self, text: str, quantities: Sequence[str], *, database: str, engine: Engine, limits: Limits
    ) -> None:
        names = [each.name for each in read(find_database(database).path).phases]
        found = {
            name: (basic, unit) for name, basic, unit in (expression(q, names, text) for q in quantities)
        }
        self.text, self.database, self.engine, self.limits = text, database, engine, limits
        self.expressions = {name: basic for name, (basic, _) in found.items()}
        self.units = {name: unit for name, (_, unit) in found.items()}
        self.run: Run | None = None
        """A run that gave values, for what computed them."""
        self._places = asyncio.Semaphore(RUNS_AT_A_TIME)

    async def points(
        self, asked: Iterable[Mapping[str, float]], progress: Callable[..., None] = lambda *_: None
    ) -> list[Point]:
        """Run the input for each point, in the order in which they are asked."""
        every = list(asked)
        if len(every) > MOST_POINTS:
            raise LabrigError(
                f"{len(every):,} points",
                expected=f"at most {MOST_POINTS:,}",
                try_="fewer steps",
                code="limit",
            )
        done = 0

        async def point(parameters: Mapping[str, float]) -> Point:
            nonlocal done
            async with self._places:
                found = await self._point(parameters)
            done += 1
            progress(done / len(every), f"{done} of {len(every)} points")
            return found

        return await together(point(each) for each in every)

    async def _point(self, parameters: Mapping[str, float]) -> Point:
        text = self._head() + filled(self.text, parameters)
        run = await self.engine.run(text, database=self.database, limits=self.limits, queue_s=PATIENT_S)
        if not run.solved:
            return Point(parameters, {}, (run.errors or [run.detail or run.status])[0].split("\n")[0])
        table = next((each for each in run.selected if each.user == _USER), None)
        if table is None or not table.rows:
            raise LabrigError(
                "The input calculates no state, or switches selected output off",
                where="input",
                expected="a SOLUTION, and no PRINT -selected_output false",
            )
        self.run = run
        cells = table.rows[-1][-len(self.expressions) :]
        return Point(parameters, dict(zip(self.expressions, map(_value, cells), strict=True)))

    def _head(self) -> str:
        lines = [f"SELECTED_OUTPUT {_USER}\n -reset false\n -high_precision true\nUSER_PUNCH {_USER}"]
        lines.append(" -headings " + " ".join(f"q{number}" for number in range(len(self.expressions))))
        lines += [f" {number} PUNCH {each}" for number, each in enumerate(self.expressions.values(), 10)]
        return "\n".join(lines) + "\n"


def places(text: str) -> list[str]:
    """Return the parameters that an input has a place for, each once."""
    return list(dict.fromkeys(match[2] for match in _PLACE.finditer(text)))


def filled(text: str, parameters: Mapping[str, float]) -> str:
    """Return an input with the values of its parameters in their places."""

    def value(match: re.Match[str]) -> str:
        number = parameters[match[2]]
        return repr(1 - number if match[1] else number)

    return _PLACE.sub(value, text)


def require_places(text: str, names: Sequence[str]) -> None:
    """Refuse an input whose places are not those of the parameters."""
    found = places(text)
    for name in names:
        if name not in found:
            raise LabrigError(
                f"The input has no place for {name}",
                where=f"input has {', '.join(f'{{{each}}}' for each in found) or 'no place in braces'}",
                expected=f"{{{name}}} where its value belongs",
            )
    if unknown := [each for each in found if each not in names]:
        raise LabrigError(
            f"Nothing says what {{{unknown[0]}}} is",
            where="input",
            expected=f"no places but {', '.join(f'{{{each}}}' for each in names)}",
        )


def _value(cell: object) -> float | None:
    if not isinstance(cell, int | float):
        return None
    return None if cell <= _ABSENT else float(cell)


def evenly(least: float, most: float, count: int) -> list[float]:
    """Return so many values from the least to the most, both among them."""
    return [least + (most - least) * number / (count - 1) for number in range(count)]
