"""Rules of sites for programs: what they cost, and that reading them cheaply changes no decision.

How requests keep them: tests/shared/http/test_client.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import protego
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile.downloads.robots import SPELLINGS, bomb, long
from hostile.servers import watched
from labrig.errors import LabrigError
from labrig.http import robots
from labrig.http.client import Client
from labrig.http.messages import Response
from labrig.http.robots import AGENT, READ_CHARACTERS, Robots, read
from support.imitation import Imitation, imitation


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Imitation]:
    with imitation() as made:
        monkeypatch.setenv("LABRIG_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("LABRIG_HTTP_PRIVATE_ORIGINS", made.url("").rstrip("/"))
        made.on("/*").then("page")
        yield made


def file(text: str) -> Response:
    return Response(200, "http://site/robots.txt", {"content-type": "text/plain"}, text.encode())


async def test_agents_by_rules_hold_no_loop(
    site: Imitation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """43 kB held all callers for 35 s, and 95 kB took 1 GB."""
    log = tmp_path / "held"
    monkeypatch.setattr(asyncio.Handle, "_run", asyncio.Handle._run)
    watched.watch(log)
    site.on("/robots.txt").then(bomb(1500, 1500))
    async with Client.configured() as web:
        assert (await web.get(site.url("/x"), robots=True)).ok
    assert not log.exists()
    found = read(file(bomb(1500, 1500))).file
    assert found is not None and len(found._user_agents) <= 3
    assert not found.can_fetch("http://site/7", AGENT)


@pytest.mark.accept
def test_the_rest_of_a_long_file_is_not_read() -> None:
    short, cut = read(file(long(READ_CHARACTERS))).file, read(file(long(READ_CHARACTERS + 200))).file
    assert short is not None and cut is not None
    assert [short.can_fetch(f"http://site/{path}", AGENT) for path in ("first", "last")] == [False, False]
    assert [cut.can_fetch(f"http://site/{path}", AGENT) for path in ("first", "last")] == [False, True]


NAMES = st.sampled_from(["*", "labrig", "Labrig", "lab*rig", "labrig*", "other", "labrigs", "a", "**", ""])
LINES = st.one_of(
    st.builds(str.format, st.sampled_from(SPELLINGS), NAMES),
    st.builds("{}: {}".format, st.sampled_from(["Disallow", "allow", "Allow"]),
              st.sampled_from(["/", "/a", "/a/b", "/*.pdf$", "", "/a?"])),
    st.sampled_from(["", "# note", "Sitemap: http://site/map", "Crawl-delay: 2", "nonsense", "x: y", "Disallow /a"]),
)  # fmt: skip


@pytest.mark.accept
@given(st.lists(LINES, max_size=12))
def test_no_decision_changes(lines: list[str]) -> None:
    text = "\n".join(lines)
    whole, ours = protego.Protego.parse(text), read(file(text)).file
    assert ours is not None
    for path in ("/", "/a", "/a/b", "/a/b.pdf", "/z"):
        assert ours.can_fetch(f"http://site{path}", AGENT) == whole.can_fetch(f"http://site{path}", AGENT)
    assert ours.crawl_delay(AGENT) == whole.crawl_delay(AGENT)


async def test_rules_of_many_sites_are_not_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots, "MOST_KEPT", 100)
    asked: list[str] = []

    async def fetch(url: str, patience_s: float) -> Response:
        asked.append(url)
        return file("User-agent: *\nDisallow: /private\n")

    rules = Robots(fetch)
    for number in (1, 2, 2, 3, 4, 1):
        await rules.check(f"http://site-{number}/x", 1)
    assert [url[12] for url in asked] == ["1", "2", "3", "4", "1"]


@pytest.mark.parametrize("host", ["0x7f.0x0.0x0.0x1", "127.1", "2130706433"])
async def test_a_site_inside_is_refused_and_not_asked_later(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of writings that the resolver alone reads, its file for programs was said to be out of reach for now."""
    monkeypatch.setenv("LABRIG_HOME", str(tmp_path))
    async with Client.configured() as web:
        with pytest.raises(LabrigError, match="is not fetched") as caught:
            await web.get(f"http://{host}/x", robots=True)
    assert caught.value.code == "refused" and not caught.value.try_.startswith("the same call")
