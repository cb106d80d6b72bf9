"""Articles as TOML holds them: what is one is read, what is none is refused with its place, and links are checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_atlas import articles
from labrig_atlas.articles import Article, ArticleSection

TEXT = """
[[article]]
title = "Mont Blanc"
aliases = ["Monte Bianco"]
kind = "mountain"
lead = "Mont Blanc stands on the border of [[France]] and [[Italy|its neighbour]]."
coordinates = [45.8326, 6.8652]
sources = ["IGN, 2023"]
languages = 120
[article.infobox]
Elevation = "4,806 m"
Range = "[[France#Alps]]"
[[article.section]]
title = "Geography"
text = "It is high."

[[article]]
title = "France"
aliases = ["Italy"]
kind = "country"
lead = "A country, with [[monte Bianco]] and [[Mont Blanc]]."
sources = ["CIA World Factbook, 2023"]
"""


def test_articles_are_read_and_their_links_lead_somewhere() -> None:
    blanc, france = articles.articles_of(TEXT, "alps.toml")
    assert blanc == Article(
        title="Mont Blanc",
        kind="mountain",
        lead="Mont Blanc stands on the border of [[France]] and [[Italy|its neighbour]].",
        sources=("IGN, 2023",),
        infobox={"Elevation": "4,806 m", "Range": "[[France#Alps]]"},
        sections=(ArticleSection("Geography", "It is high."),),
        aliases=("Monte Bianco",),
        coordinates=(45.8326, 6.8652),
        languages=120,
    )
    assert articles.check([blanc, france]) == []
    assert articles.links_of(blanc.lead) == [("France", "France"), ("Italy", "its neighbour")]
    assert articles.shown(blanc.lead) == "Mont Blanc stands on the border of France and its neighbour."
    missing, *rest = articles.check([blanc])
    assert missing.startswith("Mont Blanc: [[France]] leads nowhere") and len(rest) == 2
    twice = articles.check([blanc, france, france])
    assert "France: the name 'France' stands 2 times" in twice
    assert articles.digest([blanc, france]) != articles.digest([france, blanc])


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ('title = "Mont Blanc"', 'title = "Mont_Blanc"', "title"),
        ("[45.8326, 6.8652]", "[95.8, 6.8652]", "latitude"),
        ("[45.8326, 6.8652]", "[45.8]", "coordinates"),
        ("lead = ", "led = ", "did you mean lead"),
        ('["IGN, 2023"]', "[]", "source"),
        ('Elevation = "4,806 m"', "Elevation = 4806", "Elevation"),
        ('title = "Geography"\n', "", "section"),
        ("[[article]]", "[[articles]]", "[[article]]"),
        ("120", "true", "languages"),
    ],
)
def test_what_is_no_article_is_refused_with_its_place(old: str, new: str, word: str) -> None:
    with pytest.raises(LabrigError) as caught:
        articles.articles_of(TEXT.replace(old, new), "alps.toml")
    assert caught.value.code == "bad_input" and caught.value.where.startswith("alps.toml")
    assert word in str(caught.value)


def test_a_folder_without_articles_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LabrigError, match="no articles"):
        articles.read_articles(tmp_path)
    (tmp_path / "a.toml").write_text(TEXT.replace("[[monte Bianco]]", "[[Monte Rosa]]"), encoding="utf-8")
    assert articles.main([str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.out == "2 articles, 1 problems\n" and "[[Monte Rosa]] leads nowhere" in said.err
