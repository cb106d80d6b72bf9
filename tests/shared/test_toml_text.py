"""TOML of others: what takes tomllib long is refused at once, everything else reads as tomllib reads it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig import toml_text

LONG = "a." * toml_text.MOST_PARTS
TEXTS = st.text("ab.=[]{}\"'\\#\n 1,", max_size=80)


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG}a=1",
        f"[{LONG}a]",
        f"[[{LONG}a]]",
        f"x = {{{LONG}a=1}}",
        f"x = 1 # ''' \n{LONG}a=1",
        "'a' . " * 99 + "a=1",
        '"\\"" .\t' * 99 + "a=1",
        "x = " + "[" * 100_000,
        "x = " + "1" * 5_000,
        "a." * 50_000 + "a=1",
    ],
)
def test_a_text_that_grows_is_refused(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        toml_text.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG[2:]}a = 1",
        f"x = '{LONG}a' # {LONG}a",
        f'x = """\n{LONG}\\"""" \ny = \'\'\'{LONG}\'\'\'',
        'x = "" # " \ny = [1.5, 2.5e3, 1979-05-27T07:32:00.5Z]',
    ],
)
def test_a_text_of_people_is_read(text: str) -> None:
    assert toml_text.loads(text) == tomllib.loads(text)


@given(TEXTS)
def test_any_text_is_read_as_tomllib_does(text: str) -> None:
    def read(by: object) -> object:
        try:
            return by.loads(text)  # type: ignore[attr-defined]
        except tomllib.TOMLDecodeError:
            return None

    assert read(toml_text) == read(tomllib)
