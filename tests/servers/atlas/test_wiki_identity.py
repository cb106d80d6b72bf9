"""A page has one identity, however it is addressed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_atlas.wiki.identity import Identity, identity_of, is_wiki, normal_title


@pytest.mark.parametrize(
    "address",
    [
        "https://en.wikipedia.org/wiki/St_George%27s_College,_Harare",
        "https://en.m.wikipedia.org/wiki/St_George's_College,_Harare",
        "http://EN.Wikipedia.org:80/wiki/st_George%27s%20College%2C_Harare/",
        "//en.wikipedia.org/wiki/St__George%2527s_College,_Harare",
        "en.wikipedia.org/wiki/St_George&#39;s_College,_Harare?useskin=vector&utm_source=x",
        "https://en.wikipedia.org/w/index.php?title=St_George%27s_College%2C_Harare&redirect=no",
        "https://en.wikipedia.org/w/index.php/St_George%27s_College,_Harare#History",
        "https://www.wikipedia.org/wiki/St_George%27s_College,_Harare",
        " st George's College, Harare ",
        ":St_George's\u00a0College,\u200e Harare",
    ],
)
def test_every_writing_of_an_address_is_one_page(address: str) -> None:
    found = identity_of(address)
    assert found == Identity("en.wikipedia.org", "St George's College, Harare") and found.language == "en"
    assert found.address == "https://en.wikipedia.org/wiki/St_George%27s_College,_Harare"


def test_what_was_asked_of_a_page_is_kept_beside_its_identity() -> None:
    found = identity_of("https://zh.m.wikipedia.org/zh-tw/%E5%8F%B0%E5%8C%97%E5%B8%82#%E6%AD%B7%E5%8F%B2_1")
    assert (found.host, found.title, found.section, found.variant) == (
        "zh.wikipedia.org",
        "台北市",
        "歷史 1",
        "zh-tw",
    )
    assert found == identity_of("台北市", host="zh.wikipedia.org") and found.language == "zh"
    assert str(found) == f"{found.address}#%E6%AD%B7%E5%8F%B2_1"
    assert identity_of("C%23").section == "" and identity_of("C%23").title == "C"
    assert identity_of("https://en.wikipedia.org/wiki/Paris#/media/File:X.jpg").section == ""
    assert identity_of("https://en.wikipedia.org/wiki/Paris#History:~:text=the").section == "History"
    assert identity_of("https://de.wikipedia.org/wiki/%C3%9Fx").title == "ßx"  # it has no single capital
    twin = identity_of("https://wiki.twin-7.invalid/wiki/Mount_Osk")
    assert twin.host == "wiki.twin-7.invalid" and twin.language == "en"
    assert identity_of("http://127.0.0.1:8081/wiki/A", hosts=["127.0.0.1:8081"]).host == "127.0.0.1:8081"


@pytest.mark.parametrize(
    ("address", "code", "word"),
    [
        ("File:Mont Blanc.jpg", "refused", "file"),
        ("https://en.wikipedia.org/wiki/special%3ARandom", "refused", "anew"),
        ("https://de.wikipedia.org/wiki/Kategorie:Berg", "refused", "category"),
        ("User_talk:Somebody", "refused", "discussion"),
        ("https://en.wikipedia.org/w/index.php?title=Paris&oldid=12", "refused", "older version"),
        ("https://en.wikipedia.org/w/index.php?title=Paris&action=edit", "refused", "edit"),
        ("https://en.wikipedia.org/?curid=5", "refused", "number"),
        ("https://user:password@en.wikipedia.org/wiki/Paris", "refused", "user name"),
        ("ftp://en.wikipedia.org/wiki/Paris", "refused", "ftp"),
        ("https://example.org/wiki/Paris", "bad_input", "not a page of a wiki"),
        ("https://en.wikipedia.org.evil.example/wiki/Paris", "bad_input", "not a page of a wiki"),
        ("https://en.wikipedia.org:8443/wiki/Paris", "bad_input", "not a page of a wiki"),
        ("https://en.wikipedia.org/wiki/", "bad_input", "no title"),
        ("https://en.wikipedia.org/wiki/%ff", "bad_input", "UTF-8"),
        ("https://en.wikipedia.org/wiki/A%5BB", "bad_input", "'['"),
        ("https://en.wikipedia.org:x/wiki/A", "bad_input", "names no page"),
        ("x" * 256, "bad_input", "255"),
        ("../secret", "bad_input", "relative"),
        ("", "bad_input", "empty"),
        ("#History", "bad_input", "empty"),
        ("%252525252541", "bad_input", "again"),
    ],
)
def test_what_is_no_article_is_refused_with_the_reason(address: str, code: str, word: str) -> None:
    with pytest.raises(LabrigError) as caught:
        identity_of(address)
    assert caught.value.code == code and word in str(caught.value)


@given(st.text(max_size=60))
def test_an_identity_names_itself(text: str) -> None:
    try:
        found = identity_of(text)
    except LabrigError:
        return
    assert identity_of(found.address) == found == identity_of(found.title, host=found.host)
    assert identity_of(str(found)) == found and is_wiki(found.address)
    assert normal_title(found.title) == found.title


@given(
    st.text(
        st.characters(exclude_characters="#<>[]|{}%&", exclude_categories=("Cc", "Cs", "Cn")),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from(["en.wikipedia.org", "en.m.wikipedia.org"]),
    st.booleans(),
)
def test_encoded_or_not_on_a_desk_or_a_phone(title: str, host: str, encoded: bool) -> None:
    from urllib.parse import quote

    try:
        found = identity_of(title, host="en.wikipedia.org")
    except LabrigError:
        return
    written = quote(title, safe="") if encoded else quote(title.replace(" ", "_"), safe="/'()!,")
    assert identity_of(f"https://{host}/wiki/{written}") == found
