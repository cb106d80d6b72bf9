"""Conditions on attributes as a list: what they mean by column, and what is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from labrig.errors import LabrigError
from labrig_earth.gis.querying import _meets
from labrig_earth.server.arguments import read_conditions


@pytest.mark.parametrize(
    ("listed", "by_column"),
    [
        ([], {}),
        ([{"column": "use", "value": "a"}], {"use": "a"}),
        ([{"column": "use", "compare": "in", "values": ["a", "b"]}], {"use": ["a", "b"]}),
        ([{"column": "use", "value": ["a", "b"]}], {"use": ["a", "b"]}),
        ([{"column": "name", "compare": "any"}, {"column": "use"}], {"name": True, "use": True}),
        ([{"column": "n", "compare": ">=", "value": "3"}], {"n": {">=": 3.0}}),
        (
            [{"column": "n", "compare": ">", "value": 3}, {"column": "n", "compare": "<=", "value": "9"}],
            {"n": {">": 3, "<=": 9.0}},
        ),
        ([{"column": "day", "compare": "<", "value": "2020-01-01"}], {"day": {"<": "2020-01-01"}}),
        ({"floors": {">=": 3}}, {"floors": {">=": 3}}),
    ],
)
def test_conditions_are_read(listed: Any, by_column: dict[str, Any]) -> None:
    assert read_conditions(listed) == by_column


@pytest.mark.parametrize(
    ("listed", "where"),
    [
        ("floors >= 3", "where"),
        ([{"value": "3"}], "where"),
        ([{"column": "n", "compare": "=>", "value": "3"}], "where, n"),
        ([{"column": "n", "compare": ">"}], "where, n, value"),
        ([{"column": "n", "compare": "in", "values": []}], "where, n, values"),
        ([{"column": "n", "value": "3"}, {"column": "n", "value": "4"}], "where"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(listed: Any, where: str) -> None:
    with pytest.raises(LabrigError) as refused:
        read_conditions(listed)
    assert refused.value.where == where


def test_numbers_written_as_text_find_numbers() -> None:
    assert _meets(pd.Series([1.0, 3.0, None]), "3", "n").tolist() == [False, True, False]
    assert _meets(pd.Series([1, 3]), ["3", "x"], "n").tolist() == [False, True]
    assert _meets(pd.Series(["03", "3"]), "3", "code").tolist() == [False, True]
    assert _meets(pd.Series([True, False]), "true", "open").tolist() == [True, False]
