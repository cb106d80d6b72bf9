"""From the data files, one a field, to `Field`.

How a data file is written:

- ``of = "+temp_C -ph ~medium"``: what a dependent variable may depend on, each with its sign.
- ``draw = "Normal(37, 0.8)"``: a distribution, as in `Draw`.
- ``pattern = "P{01-12}_{A-H}{row:3}"``: an identifier. In braces: the number of the row (``row``, or with leading
  zeros ``row:3``), a range of letters or of numbers, or words apart by ``|``.
- ``for = ["cell"]``: the strands that it suits; ``without = "tide elev"``, at a domain: the variables it leaves out.
- ``levels`` of a column: each with its weight.
"""

from __future__ import annotations

import functools
import re
import string
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, cast

from labrig_repository.gym.taxonomy.field import (
    Categorical,
    Dependent,
    Distribution,
    Domain,
    Draw,
    Drawn,
    Driver,
    Field,
    Identifier,
    Moment,
    PathVariable,
    Phrase,
    Phrases,
    RowNumber,
    Sign,
    Threshold,
)

NUMBER = re.compile(r"\d+(?:\.\d+)?")
DRAW = re.compile(r"(\w+)(?:\(([^)]*)\))?")
PIECE = re.compile(r"\{([^}]*)\}")
RANGE = re.compile(r"([A-Za-z])-([A-Za-z])|(\d+)-(\d+)")

Table = dict[str, Any]


@functools.cache
def load() -> tuple[Field, ...]:
    """Return the fields, in the order of the paper's Table 2."""
    data = files("labrig_repository.gym.taxonomy") / "data"
    common = _read(data / "phrases.toml")
    names = sorted(each.name for each in data.iterdir() if each.name[0].isdigit())
    return tuple(_field(_read(data / name), common) for name in names)


def _read(file: Traversable) -> Table:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _field(table: Table, common: Table) -> Field:
    return Field(
        name=table["name"],
        domains=tuple(_domain(each) for each in table["domain"]),
        phrases=Phrases(
            **{part: (*common[part], *table["phrases"].get(part, ())) for part in Phrases.__slots__}
        ),
        settings=_phrases(table["settings"]),
        methods=_phrases(table["methods"]),
        paths=tuple(_path_variables(table["path"])),
        categories=tuple(_category(*each) for each in table["independent"]["categorical"].items()),
        numbers=tuple(_numbers(table["independent"])),
        dependents=tuple(_dependents(table["dependent"])),
        thresholds=tuple(_threshold(*each) for each in table["dependent"]["categorical"].items()),
        identifiers=tuple(_identifier(*each) for each in table["identifier"].items()),
        moments=tuple(_moment(*each) for each in table["moment"].items()),
    )


def _domain(row: Table) -> Domain:
    return Domain(
        name=row["name"],
        strand=row.get("strand", ""),
        subjects=tuple(row["subjects"]),
        subdomains=tuple(row["subdomains"]),
        without=frozenset(row.get("without", "").split()),
    )


def _phrases(table: Table) -> tuple[Phrase, ...]:
    return tuple(
        Phrase(text, () if strand == "all" else (strand,))
        for strand, texts in table.items()
        for text in texts
    )


def _path_variables(table: Table) -> Iterator[PathVariable]:
    for kind in ("categorical", "ordered", "number"):
        for name, row in table[kind].items():
            levels = tuple(row["levels"])
            values = tuple(_one_number(level) for level in levels) if kind == "number" else ()
            yield PathVariable(
                name=name,
                about=row["about"],
                kind=kind,
                levels=levels,
                values=values,
                unit=row.get("unit", ""),
                nuisance=row.get("nuisance", False),
                strands=_strands(row),
            )


def _one_number(level: str) -> float:
    (number,) = NUMBER.findall(level)
    return float(number)


def _category(name: str, row: Table) -> Categorical:
    levels = row["levels"]
    return Categorical(name, row["about"], tuple(levels), tuple(levels.values()), _strands(row))


def _numbers(table: Table) -> Iterator[Drawn]:
    for kind in ("integer", "continuous"):
        for name, row in table[kind].items():
            draw = _draw(row["draw"])
            low, high = row.get("range") or _natural_bounds(draw)
            yield Drawn(
                name=name,
                about=row["about"],
                unit=row.get("unit", ""),
                draw=draw,
                low=float(low),
                high=float(high),
                decimals=row.get("decimals", 0),
                whole=kind == "integer",
                strands=_strands(row),
            )


def _draw(text: str) -> Draw:
    match = DRAW.fullmatch(text)
    if match is None:
        raise ValueError(f"no distribution: {text}")
    inner = match[2]
    return Draw(
        cast(Distribution, match[1]), tuple(float(each) for each in inner.split(",")) if inner else ()
    )


def _natural_bounds(draw: Draw) -> tuple[float, float]:
    """Return the bounds of a distribution that has its own."""
    if draw.distribution == "Bernoulli":
        return 0, 1
    if draw.distribution == "Binomial":
        return 0, draw.parameters[0]
    raise ValueError(f"{draw.distribution} needs a range")


def _dependents(table: Table) -> Iterator[Dependent]:
    for kind in ("continuous", "integer"):
        for name, row in table[kind].items():
            low, high = row["range"]
            yield Dependent(
                name=name,
                about=row["about"],
                unit=row.get("unit", ""),
                low=float(low),
                high=float(high),
                decimals=row.get("decimals", 0),
                whole=kind == "integer",
                drivers=tuple(Driver(each[1:], cast(Sign, each[0])) for each in row["of"].split()),
                strands=_strands(row),
            )


def _threshold(name: str, row: Table) -> Threshold:
    cuts = tuple(float(each) for each in row["cuts"])
    return Threshold(name, row["about"], row["from"], cuts, tuple(row["levels"]), _strands(row))


def _identifier(name: str, row: Table) -> Identifier:
    return Identifier(name, row["about"], tuple(_pieces(row["pattern"])), _strands(row))


def _pieces(pattern: str) -> Iterator[tuple[str, ...] | RowNumber]:
    for number, text in enumerate(PIECE.split(pattern)):
        if number % 2 == 0:  # what stands between the braces
            if text:
                yield (text,)
        elif text == "row" or text.startswith("row:"):
            yield RowNumber(int(text[4:] or 1))
        else:
            yield _choices(text)


def _choices(text: str) -> tuple[str, ...]:
    match = RANGE.fullmatch(text)
    if match is None:
        return tuple(text.split("|"))
    if match[1]:
        letters = string.ascii_letters
        return tuple(letters[letters.index(match[1]) : letters.index(match[2]) + 1])
    width = len(match[3])
    return tuple(f"{each:0{width}d}" for each in range(int(match[3]), int(match[4]) + 1))


def _moment(name: str, row: Table) -> Moment:
    return Moment(name, row["about"], row["form"], row["step_s"], _strands(row))


def _strands(row: Table) -> tuple[str, ...]:
    return tuple(row.get("for", ()))
