"""A price table: what tokens cost by model, in a TOML file that a reader of the costs can look at.

::

    name = "list prices"
    date = "2026-11-01"
    currency = "USD"

    [models."anthropic:claude-x"]      # PROVIDER:NAME, as it is asked for
    input = 3.0                        # per million tokens; input that no cache was read or written for
    cache_read = 0.3
    cache_write = 3.75
    output = 15.0                      # reasoning included

Prices change and differ by contract, so Labrig brings none: without a table there is no cost.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from labrig import toml_text
from labrig.errors import LabrigError, nearest
from labrig_harness.trajectory import AT_LEAST, Cost, Tokens

MOST_BYTES = 2**20


@dataclass(frozen=True)
class Price:
    """The price of a million tokens of each kind."""

    input: float
    cache_read: float
    cache_write: float
    output: float


KINDS = tuple(each.name for each in fields(Price))


@dataclass(frozen=True)
class PriceTable:
    """Prices by model.

    Attributes
    ----------
    sha256
        Of the file, first 16 hexadecimal digits.
    """

    name: str
    date: str
    currency: str
    models: dict[str, Price]
    sha256: str

    @property
    def label(self) -> str:
        """Name, date and hash: what a cost names as its table."""
        return f"{self.name} {self.date} sha256:{self.sha256}"

    def price(self, model: str) -> Price:
        """Return the price of a model by its name as it is asked for.

        Raises
        ------
        LabrigError
            When the table does not have the model.
        """
        if model not in self.models:
            close = nearest(model, self.models)
            raise LabrigError(
                f"The price table {self.name!r} has no model {model!r}",
                where="--prices",
                expected=f'a section [models."{model}"] with {", ".join(KINDS)}',
                try_="did you mean " + " or ".join(close) + "?" if close else "",
                code="not_found",
            )
        return self.models[model]


def load(path: Path) -> PriceTable:
    """Read a price table.

    Raises
    ------
    LabrigError
        When the file is absent, too large, no TOML, or lacks a field; the error names the place.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise LabrigError(
            f"The price table cannot be read: {why}", where=str(path), code="not_found"
        ) from error
    if len(data) > MOST_BYTES:
        raise LabrigError("The price table is larger than 1 MiB", where=str(path), code="limit")
    try:
        content = toml_text.loads(data.decode("utf-8"))
    except ValueError as error:
        raise LabrigError(f"The price table is not TOML: {error}", where=str(path)) from error
    return _read_table(content, hashlib.sha256(data).hexdigest()[:16], str(path))


def _read_table(content: Mapping[str, Any], sha256: str, where: str) -> PriceTable:
    texts = ("name", "date", "currency")
    for field in texts:
        # A date without quotes is a date to TOML; it means the same.
        if not str(content.get(field, "")).strip():
            raise LabrigError(f"The price table has no {field}", where=where, expected=f'{field} = "..."')
    for field in content:
        if field not in (*texts, "models"):
            raise LabrigError(f"The price table has a field {field!r} that means nothing", where=where)
    models = content.get("models")
    if not isinstance(models, Mapping) or not models:
        raise LabrigError(
            "The price table has no models", where=where, expected='sections [models."PROVIDER:NAME"]'
        )
    name, date, currency = (str(content[field]).strip() for field in texts)
    prices = {model: _read_price(row, f'{where}, models."{model}"') for model, row in models.items()}
    return PriceTable(name, date, currency, prices, sha256)


def _read_price(row: object, where: str) -> Price:
    if not isinstance(row, Mapping) or set(row) != set(KINDS):
        raise LabrigError(
            "A model's prices are not complete", where=where, expected="these: " + ", ".join(KINDS)
        )
    for kind in KINDS:
        price = row[kind]
        if isinstance(price, bool) or not isinstance(price, (int, float)) or not 0 <= price < math.inf:
            raise LabrigError(
                f"{kind} is {price!r}", where=where, expected="a price per million tokens, 0 or more"
            )
    return Price(**{kind: float(row[kind]) for kind in KINDS})


def cost_of(tokens: Tokens, model: str, table: PriceTable) -> Cost:
    """Return what tokens of a model cost.

    Tokens of which the service reported a part only cost at least the amount: the table's label then says so.
    """
    price = table.price(model)
    amount = (
        tokens.input_uncached * price.input
        + tokens.cache_read * price.cache_read
        + tokens.cache_write * price.cache_write
        + tokens.output * price.output
    ) / 1e6
    label = table.label if tokens.measured else table.label + AT_LEAST
    return Cost(amount, table.currency, label)
