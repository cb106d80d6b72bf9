"""The way out of a cell without a network: what is let through, what is not, and that each request is listed."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from labrig_harness.records.scoring import score_folder
from labrig_programs import confinement
from labrig_programs.way_out import way_out
from support.command import labrig


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = f"{self.path} {self.headers.get('Proxy-Authorization')} {self.headers['Connection']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def _ask(log: Path, site: str, requests: list[str], *, web: bool) -> tuple[list[str], list[dict[str, Any]]]:
    """Send requests through the proxy, each on a connection of its own; return the answers and the list."""

    async def ask() -> list[str]:
        answers = []
        async with way_out(log, ["model.example"], [site], web=web) as way:
            assert [*way.doors] == [way.proxy, int(site.rpartition(":")[2])]
            for request in requests:
                reader, writer = await asyncio.open_unix_connection(way.doors[way.proxy])
                writer.write(request.encode())
                writer.write_eof()
                answers.append((await reader.read()).decode())
                writer.close()
        return answers

    answers = asyncio.run(ask())
    return answers, [json.loads(line) for line in log.read_text().splitlines()]


def test_the_services_that_are_known_are_reached_and_no_other(site: str, tmp_path: Path) -> None:
    inner, host = "GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", site.removeprefix("http://")
    requests = [
        f"GET {site}/a?b=1 HTTP/1.1\r\nHost: {host}\r\nProxy-Authorization: Basic x\r\n\r\n",
        f"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n{inner}",
        "CONNECT web.example:443 HTTP/1.1\r\n\r\n",
        "GET ftp://127.0.0.1/x HTTP/1.1\r\n\r\n",
        "nonsense\r\n\r\n",
    ]
    answers, listed = _ask(tmp_path / "web.jsonl", site, requests, web=False)
    assert answers[0].startswith("HTTP/1.0 200") and answers[0].endswith("/a?b=1 None close")
    assert "200 Connection established" in answers[1] and answers[1].endswith("/b None close")
    assert all(answer.startswith("HTTP/1.1 403") for answer in answers[2:])
    assert "this arm has no web" in answers[2]
    assert [each.get("url", each.get("host")) for each in listed] == [
        f"{site}/a?b=1", "127.0.0.1", "web.example", "ftp://127.0.0.1/x", None,
    ]  # fmt: skip
    assert [("refused" in each) for each in listed] == [False, False, True, True, True]
    assert listed[1]["sent"] == len(inner) and listed[1]["received"] > 100


@pytest.mark.parametrize("behind", [False, True], ids=["alone", "behind another proxy"])
def test_the_web_is_what_is_public(
    behind: bool, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy of the user's, which would look names up itself, is not asked for what is private either."""
    if behind:
        monkeypatch.setenv("HTTPS_PROXY", site)
    requests = [
        f"CONNECT {place} HTTP/1.1\r\n\r\n" for place in ("127.0.0.1:80", "169.254.169.254:80", "[::1]:443")
    ]
    answers, listed = _ask(tmp_path / "web.jsonl", site, requests, web=True)
    assert all(answer.startswith("HTTP/1.1 403") for answer in answers)
    assert all("refused" in each for each in listed)


AGENT = """
import os, socket, sys, urllib.request
from pathlib import Path

site, closed = sys.argv[1:]


def tried(address):
    try:
        return urllib.request.urlopen(address, timeout=20).read().decode()
    except Exception as error:
        return type(error).__name__


port = int(closed.rpartition(":")[2])
try:
    socket.create_connection(("127.0.0.1", port), timeout=5)
    found = "reached"
except OSError:
    found = "closed"
direct = tried(site + "/direct")
for name in ("NO_PROXY", "no_proxy"):
    del os.environ[name]
proxied = urllib.request.build_opener(urllib.request.ProxyHandler({"http": os.environ["HTTP_PROXY"]}))
Path("final_answer.txt").write_text("B")
print(direct, proxied.open(site + "/proxied", timeout=20).read().decode(), found)
sys.exit(3)
"""


@pytest.mark.accept
def test_a_program_with_tools_of_its_own_and_the_web(
    site: str, databases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reaches what is let through, on this machine nothing else; the arm, the list and its end say so."""
    if confinement.decide("auto") != confinement.BUBBLEWRAP:
        pytest.skip("bubblewrap does not work here")
    other = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    monkeypatch.setenv("LABRIG_HTTP_PRIVATE_ORIGINS", site)
    agent, out = tmp_path / "own.py", tmp_path / "out"
    agent.write_text(AGENT)
    words = ("run", "phreeqc-basics", "--limit", "1", "--agent", "command", "--native-web", "--out", str(out))
    done = labrig(*words, "--", sys.executable, str(agent), site, f"http://127.0.0.1:{other.server_port}")
    other.server_close()
    assert done.returncode == 0, done.stderr
    run = out / "agent-toc-native+web.command"
    (record,) = run.glob("*/epoch0")
    found = json.loads((record / "trajectory.json").read_text())
    assert found["arm"] == "agent-toc-native+web" and found["submission"]["text"] == "B"
    assert (found["end"], "exit code 3" in found["end_detail"]) == ("agent_error", True)
    assert found["steps"][-1]["text"] == "/direct None close /proxied None close closed"
    (line,) = (record / "web.jsonl").read_text().splitlines()
    assert json.loads(line)["url"] == f"{site}/proxied"
    assert json.loads((run / "run.json").read_text())["web"] is True
    shutil.rmtree(record)
    assert labrig("resume", str(out)).returncode == 0 and (record / "web.jsonl").exists()
    assert not score_folder(out).skipped
