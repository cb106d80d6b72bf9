"""Keys do not get into what is written, however a service spells them when it echoes them."""

from __future__ import annotations

import base64
import html
import json
import os
import time
from collections.abc import Callable
from itertools import product
from urllib.parse import quote, quote_plus, unquote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig import redaction
from labrig.errors import LabrigError
from labrig.redaction import MASK, redact, redact_bytes, remember

PLAIN = "sk-proj-Ab3dEf9hIjKlMnOpQrSt"
ODD = "p4ss w/rd+&<\"'=%\\é~漢😀:end"
LINES = "-----BEGIN PRIVATE KEY-----\nMIIEvQ+IBADAN/Bgkqh=\n-----END PRIVATE KEY-----"
KEYS = (PLAIN, ODD, LINES)


@pytest.fixture(autouse=True)
def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if redaction.NAME.search(name):
            monkeypatch.delenv(name)
    monkeypatch.setattr(redaction, "_remembered", set())


def in_json(text: str) -> str:
    return json.dumps(text)[1:-1]


def as_go(text: str) -> str:
    """What Go's encoder makes of it, which escapes what HTML would read; some add ``=``."""
    for each in "<>&'=+":
        text = text.replace(each, f"\\u{ord(each):04X}")
    return text


def in_small_hexadecimals(text: str) -> str:
    """Return percent-encoded text with ``%3d``, which is as good as ``%3D``."""
    first, *others = quote(text, safe="").split("%")
    return "%".join([first, *(each[:2].lower() + each[2:] for each in others)])


def by_number(text: str) -> str:
    return "".join(each if each.isalnum() and each.isascii() else f"&#{ord(each)};" for each in text)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "raw": str,
    "percent": lambda key: quote(key, safe=""),
    "percent, a path": quote,
    "percent, small hexadecimals": in_small_hexadecimals,
    "form": quote_plus,
    "percent twice": lambda key: quote(quote(key, safe=""), safe=""),
    "form, then percent": lambda key: quote(quote_plus(key), safe=""),
    "JSON": in_json,
    "JSON as it is": lambda key: json.dumps(key, ensure_ascii=False)[1:-1],
    "JSON of PHP": lambda key: in_json(key).replace("/", "\\/"),
    "JSON of Go": lambda key: as_go(in_json(key)),
    "JSON in JSON": lambda key: in_json(in_json(key)),
    "JSON in JSON in JSON": lambda key: in_json(in_json(in_json(key).replace("/", "\\/"))),
    "a URL in JSON": lambda key: in_json(quote(key)).replace("/", "\\/"),
    "HTML": html.escape,
    "HTML without quotes": lambda key: html.escape(key, quote=False),
    "HTML twice": lambda key: html.escape(html.escape(key)),
    "HTML by number": by_number,
    "HTML by name": lambda key: html.escape(key).replace("=", "&equals;").replace("/", "&sol;").replace("+", "&plus;"),
    "JavaScript": lambda key: "".join(
        each if each.isalnum() or ord(each) > 127 else f"\\x{ord(each):02x}" for each in key
    ),
    "Python": lambda key: repr(key)[1:-1],
}  # fmt: skip
EVERY: dict[str, Callable[[str], str]] = {
    "percent": lambda key: "".join(f"%{each:02X}" for each in key.encode()),
    "percent twice": lambda key: "".join(f"%25{each:02x}" for each in key.encode()),
    "JSON": lambda key: "".join(f"\\u{ord(each):04x}" for each in key),
    "HTML": lambda key: "".join(f"&#{ord(each)};" for each in key),
    "HTML, as Markdown hides addresses": lambda key: "".join(
        f"&#x{ord(each):X};" if at % 2 else f"&#{ord(each)};" for at, each in enumerate(key)
    ),
}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling(spelling: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", key)
    echo = SPELLINGS[spelling](key)
    assert redact(f"key={echo}&x=1") == f"key={MASK}&x=1"
    assert redact_bytes(f"<p>{echo}</p>".encode()) == f"<p>{MASK}</p>".encode()


@pytest.mark.parametrize("spelling", EVERY)
def test_every_character_escaped(spelling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", PLAIN)
    assert redact(f"<{EVERY[spelling](PLAIN)}>") == f"<{MASK}>"
    other = EVERY[spelling]("nothing to see here")
    assert redact(f"<{other}>") == f"<{other}>"


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("key", [*KEYS, *(PLAIN[:length] for length in range(6, 12)), ODD[-7:]])
def test_base64_at_any_place(key: str, encode: Callable[[bytes], bytes]) -> None:
    """Every character goes that holds a bit of the key, and no other."""
    for before, after in product(
        (b"", b"u", b"u:", b"me:", b"\xfb\xf0?>"), (b"", b"\n", b"?>", b"\xff\xff\xff\xff")
    ):
        whole = encode(before + key.encode() + after).decode()
        first, end = len(before) * 8 // 6, -(-len(before + key.encode()) * 8 // 6)
        wanted = whole[:first] + MASK + whole[end:]
        assert redact(f"Basic {whole},", [key]) == f"Basic {wanted},"
        assert unquote(redact(quote(whole, safe=""), [key])) == wanted
        in_php = '"' + whole.replace("/", "\\/").replace("=", "\\u003d").replace("+", "\\u002b") + '"'
        assert json.loads(redact(in_php, [key])) == wanted


def test_an_echo_of_everything_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", ODD)
    remember(PLAIN)
    echo = {
        "url": "https://example.org/?" + urlencode({"key": ODD, "token": PLAIN}),
        "headers": {
            "Authorization": "Basic " + base64.b64encode(f"user:{ODD}".encode()).decode(),
            "X-Api-Key": PLAIN,
        },
        "body": json.dumps({"key": ODD}),
        "page": f"<b title='{html.escape(ODD)}'>{PLAIN}</b>",
    }
    written = redact_bytes(json.dumps(echo).encode())
    assert json.loads(written) == {
        "url": "https://example.org/?key=[key]&token=[key]",
        "headers": {"Authorization": "Basic dXNlcj[key]", "X-Api-Key": "[key]"},
        "body": '{"key": "[key]"}',
        "page": "<b title='[key]'>[key]</b>",
    }


def test_keys_are_those_of_the_environment_and_those_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert redaction.keys() == []
    monkeypatch.setenv("A_TOKEN", "longer-than-the-others")
    monkeypatch.setenv("B_PASSWORD", "with-a-line-end\n")
    monkeypatch.setenv("C_TOKEN_FILE", "/run/secrets/token")
    monkeypatch.setenv("D_KEY", "short")
    monkeypatch.setenv("MONKEY", "no key at all")
    remember(" told-at-run-time ")
    assert redaction.keys() == ["longer-than-the-others", "told-at-run-time", "with-a-line-end"]
    assert redact("with-a-line-end told-at-run-time.") == "[key] [key]."
    monkeypatch.setenv("LABRIG_TOKENS", "of-the-first-one,of-the-second")
    monkeypatch.setenv("MAX_OUTPUT_TOKENS", "100000000")
    assert redact("of-the-second is one of 100000000") == "[key] is one of 100000000"


@pytest.mark.parametrize("value", ["", "abc", "12345", "  abc   "])
def test_a_short_value_is_refused_and_not_quoted(value: str) -> None:
    with pytest.raises(LabrigError) as caught:
        remember(value)
    assert caught.value.code == "bad_input"
    assert not value.strip() or value.strip() not in str(caught.value)
    assert redaction.keys() == []


def test_values_beside_the_keys_are_left_out_too() -> None:
    data = b"a secret-of-this-request, and a b"
    assert redact_bytes(data, ["secret-of-this-request", "", "a", "and"]) == b"a [key], and a b"
    assert redact("ordinary text", ["", "a", "text"]) == "ordinary text"


def test_of_two_keys_the_longer_one_goes_as_a_whole() -> None:
    remember("abcdef")
    remember("abcdef-ghijkl")
    assert redact("abcdef-ghijkl abcdef") == "[key] [key]"


def test_a_key_that_comes_about_beside_a_mask_goes_too() -> None:
    secrets = ["abcdef", "key]1234567890"]
    once = redact("abcdef1234567890", secrets)
    assert once == redact(once, secrets) == "[[key]"


def test_ordinary_text_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, key in enumerate(KEYS):
        monkeypatch.setenv(f"K{number}_API_KEY", key)
    texts = [
        "sk-proj-Ab3dEf9hIjKlMnOpQrS is not the key, nor is SK-PROJ-AB3DEF9HIJKLMNOPQRST.",
        "%41%42%43 &#65;&#66; \\u0041 \\\\\\\\\\\\\\\\\\\\ %25%25%25 &amp;amp;amp; +++ ===",
        "half \ud83d and \udc80 of a pair, NUL \x00, [key] [[key]] key]",
        json.dumps({"formula": "Ca+2 = 1e-3", "path": "a/b\\c", "text": "Größe"}),
    ]
    for text in texts:
        assert redact(text) == text
        assert redact_bytes(text.encode("utf-8", "surrogatepass")) == text.encode("utf-8", "surrogatepass")
    anything = bytes(range(256)) * 3
    assert redact_bytes(anything) == anything


def test_a_key_that_is_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "SOME_KEY", os.fsdecode(b"\xa9\xff-secret-\xfe"))
    assert redact_bytes(b"<\xa9\xff-secret-\xfe>") == b"<[key]>"
    assert redact(os.fsdecode(b"<\xa9\xff-secret-\xfe>")) == "<[key]>"
    assert redact_bytes(b"%A9%ff-secret-%FE") == b"[key]"
    remember("\ud800 half a pair")
    assert redact("<\ud800 half a pair>") == "<[key]>"
    assert redact('"\\ud800 half a pair"') == '"[key]"'
    monkeypatch.setitem(os.environ, "SOME_KEY", os.fsdecode(b"\xa9-secret-"))
    assert "secret" not in redact("é-secret-")  # its last byte, and the key


NASTY = st.text(st.sampled_from("[]keyab%25\\u&amp;#x06/+= \n\"'漢\ud800\udc80"), min_size=6, max_size=12)


@given(st.lists(NASTY, min_size=1, max_size=3), st.data())
def test_twice_is_once_and_nothing_raises(secrets: list[str], data: st.DataObject) -> None:
    some = st.sampled_from(
        [*secrets, *(quote(each.encode("utf-8", "surrogatepass")) for each in secrets), MASK]
    )
    text = "".join(data.draw(st.lists(st.one_of(some, NASTY, st.text(max_size=3)), max_size=8)))
    once = redact(text, secrets)
    assert redact(once, secrets) == once
    raw = text.encode("utf-8", "surrogatepass")
    assert redact_bytes(redact_bytes(raw, secrets), secrets) == redact_bytes(raw, secrets)


PRINTABLE = st.one_of(st.just(" "), st.characters(exclude_categories=("C", "Z")))  # as str.isprintable says


@given(st.text(PRINTABLE, min_size=6, max_size=40), st.sampled_from(sorted(SPELLINGS)))
def test_any_key_in_any_spelling(key: str, spelling: str) -> None:
    echo = SPELLINGS[spelling](key)
    assert redact(f"'{echo}'", [key]) == f"'{MASK}'"


@pytest.mark.accept
def test_what_a_service_sends_cannot_make_it_slow() -> None:
    secrets = ["\\" * 30 + "ab", "%25%25%25&&&&amp;amp;ab", "ab" + "/" * 20, "a" * 40 + "\n" * 20 + "b"]
    units = [
        "\\",
        "%25",
        "&amp;",
        "%41",
        "&#65;",
        "\\u0041",
        "/",
        "\\/",
        "a",
        "\n",
        "\\n",
        "ab\\",
        "ab&amp;amp;amp;",
    ]
    for unit in units:
        data = (unit * (1 << 20))[: 1 << 20].encode() + b"!"
        start = time.perf_counter()
        redact_bytes(data, secrets)
        assert time.perf_counter() - start < 60, unit
