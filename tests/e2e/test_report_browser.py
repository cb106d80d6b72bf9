"""The report in a browser: its script runs and nothing is refused, with and without scripts, light, dark and narrow."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from labrig_harness import suites
from labrig_study.report.files import write_report
from labrig_study.report.page import render
from labrig_study.view.pages import Asked, render_list, render_record
from labrig_study.view.serving import make_app
from labrig_study.view.watching import Watch
from support.report_rig import Rig, benchmark, make_task, modelled, real_task

pytestmark = pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")

QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --enable-logging=stderr --v=0"
)


def browse(page: str, tmp_path: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Open a page in a browser with a profile of its own."""
    command = ["chromium", *QUIET.split(), f"--user-data-dir={tmp_path / 'profile'}", *flags, page]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    return render(benchmark(tmp_path_factory.mktemp("run"), items=40, lines=8).scored())


@pytest.mark.accept
@pytest.mark.parametrize("opens", ["record", "", "pair"])
def test_it_opens_without_a_complaint(html: str, tmp_path: Path, opens: str) -> None:
    anchor = {
        "": "",
        "record": re.search(r'id="(r-toc-[^"]+)"', html),
        "pair": re.search(r'id="(pair-2-1)"', html),
    }
    found = anchor[opens]
    fragment = f"#{found[1]}" if isinstance(found, re.Match) else ""
    (tmp_path / "report.html").write_text(html, encoding="utf-8")
    done = browse(f"file://{tmp_path}/report.html{fragment}", tmp_path, "--dump-dom")
    assert not [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    theme = re.search(r'<button id="theme"[^>]*>', done.stdout)
    assert theme and "hidden" not in theme.group(), "the page's own script did not run"
    assert len(re.findall(r'<details class="record" open', done.stdout)) == (opens == "record")
    assert len(re.findall(r'<details class="pair" id="[^"]*" open', done.stdout)) == (opens == "pair")


PROBE = """
<script>
const every = (names) => [...document.querySelectorAll(names)].filter((e) => e.checkVisibility());
const inside = ".wide, pre, .skip, .unseen, svg, details:not([open]) > :not(summary)";
const wide = every("body *").filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(inside));
const scroll = every(".wide, pre").filter((e) => e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0);
const linear = (x) => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4;
const channels = (c) => c.match(/[\\d.]+/g).slice(0, 3).map((x) => linear(c.startsWith("color") ? +x : x / 255));
const shade = (c) => channels(c).reduce((sum, x, n) => sum + x * [.2126, .7152, .0722][n], 0);
const paper = (e) => {
  for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (c.startsWith("rgb(") || c.startsWith("color(srgb")) return c;
  }
  return "rgb(255,255,255)";
};
const faint = every("p, td, th, dd, dt, a, summary, span, figcaption, li, b, pre").filter((e) => {
  if (!e.textContent.trim() || e.closest(".unseen")) return false;
  const a = shade(getComputedStyle(e).color), b = shade(paper(e));
  return (Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5;
});
const named = (found) => found.slice(0, 5).map((e) => e.outerHTML.slice(0, 200));
const reach = every("a[href], summary, input, [tabindex='0']").length;
const table = every("details.data table").length;
const open = every("details.record .steps, nav").length;
document.documentElement.dataset.found = JSON.stringify(
  { wide: named(wide), faint: named(faint), scroll: named(scroll), reach, table, open });
</script>
"""


def probed(html: str, tmp_path: Path, width: int) -> dict[str, Any]:
    """Measure a page `width` pixels wide by a script of the test's, for which the page's own policy is taken out."""
    measured = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
    measured = re.sub(r"<script>\(\(\) =>.*?</script>", PROBE.replace("\\", r"\\"), measured, flags=re.DOTALL)
    # A headless window is not made narrower than 500 pixels: a frame is.
    (tmp_path / "page.html").write_text(measured, encoding="utf-8")
    holder = f"""<!doctype html><iframe src="page.html" width="{width}" height="900"></iframe><script>
const root = (page) => page.documentElement.dataset;
onload = () => {{ root(document).found = root(document.querySelector("iframe").contentDocument).found; }};</script>"""
    (tmp_path / "holder.html").write_text(holder, encoding="utf-8")
    flags = ("--allow-file-access-from-files", "--window-size=1400,1000", "--dump-dom")
    done = browse(f"file://{tmp_path}/holder.html", tmp_path, *flags)
    found = re.search(r'data-found="([^"]*)"', done.stdout)
    assert found, done.stderr[-2000:]
    seen: dict[str, Any] = json.loads(unescape(found[1]))
    return seen


@pytest.mark.accept
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_over_everything_can_be_reached_and_every_text_has_contrast(
    html: str, tmp_path: Path, width: int, theme: str
) -> None:
    seen = probed(html.replace('<html lang="en">', f'<html lang="en" data-theme="{theme}">'), tmp_path, width)
    assert (seen["wide"], seen["faint"], seen["scroll"]) == ([], [], []) and seen["reach"] > 100


@pytest.mark.accept
def test_the_measuring_finds_what_is_wrong(html: str, tmp_path: Path) -> None:
    wrong = (
        '<main><p id="w" style="width:3000px;max-width:none;color:#bbb;background:#fff">x</p><pre>'
        + "x" * 4000
        + "</pre>"
    )
    seen = probed(html.replace("<main>", wrong), tmp_path, 1280)
    assert 'id="w"' in seen["wide"][0] and 'id="w"' in seen["faint"][0] and "xxx" in seen["scroll"][0]


@pytest.mark.accept
def test_it_prints_its_summary_and_the_tables_of_its_plots(html: str, tmp_path: Path) -> None:
    on_paper = html.replace("@media print", "@media all")
    screen, paper = probed(html, tmp_path, 1000), probed(on_paper, tmp_path, 1000)
    assert (screen["table"], screen["open"]) == (0, 1)
    assert (paper["table"], paper["open"]) == (1, 0) and "open all of them first to print all" in html


@pytest.mark.accept
def test_it_can_be_read_without_its_script(html: str, tmp_path: Path) -> None:
    without = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    (tmp_path / "report.html").write_text(without, encoding="utf-8")
    done = browse(f"file://{tmp_path}/report.html", tmp_path, "--dump-dom")
    assert (
        "Runs against each other" in done.stdout and '<button id="theme" type="button" hidden' in done.stdout
    )
    assert done.stdout.count('<details class="record">') == 160  # a summary opens by itself


@pytest.mark.accept
def test_a_page_of_one_record_opens(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "run", [make_task(0)])
    rig.record(next(iter(rig.tasks.values())), "toc", "reference")
    _, page = write_report(rig.scored(), tmp_path / "r.html", "html", tmp_path / "records")
    done = browse(f"file://{page}", tmp_path, "--dump-dom")
    assert not [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert "Saturation indices" in done.stdout and "hidden" not in done.stdout.split('id="theme"')[1][:30]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watch:
    version = suites.load("phreeqc-basics").version
    rig = Rig(tmp_path_factory.mktemp("watched"), [real_task(number, version) for number in range(6)])
    for sample in rig.tasks.values():
        for agent in ("loop+atlas-9", "loop+atlas-mini"):
            modelled(rig, sample, "agent-toc", agent, lines=8)
    return Watch(rig.finish())


@pytest.mark.accept
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_live_view_is_readable_too(watched: Watch, tmp_path: Path, width: int, theme: str) -> None:
    beside = Asked(beside="agent-toc.loop+atlas-mini")
    for html in (render_list(watched, beside, 1), render_record(watched, watched.keys[0], beside)):
        seen = probed(html.replace("<html", f'<html data-theme="{theme}"', 1), tmp_path, width)
        assert (seen["wide"], seen["faint"], seen["scroll"]) == ([], [], []) and seen["reach"] > 5


@pytest.mark.accept
def test_the_live_view_opens_without_a_complaint(watched: Watch, tmp_path: Path) -> None:
    server = uvicorn.Server(uvicorn.Config(make_app(watched), log_level="warning"))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        serving = threading.Thread(target=server.run, args=([listening],))
        serving.start()
        try:
            label, sample, epoch = watched.keys[0]
            for path in ("/", f"/record/{label}/{sample}/{epoch}?beside=agent-toc.loop%2Batlas-mini"):
                done = browse(address + path, tmp_path, "--dump-dom")
                assert not [line for line in done.stderr.splitlines() if "CONSOLE" in line]
                theme = re.search(r'<button id="theme"[^>]*>', done.stdout)
                assert theme and "hidden" not in theme.group(), "the page's own script did not run"
        finally:
            server.force_exit = server.should_exit = True
            serving.join()
