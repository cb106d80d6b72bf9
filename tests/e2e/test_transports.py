"""The real server process over raw stdio and HTTP, in both protocol eras, as any client would reach it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from hostile.guard import until
from labrig.serving.gate import OPENING_BYTES, WRONG_TOKEN_S, Gate
from labrig.serving.knocking import HEAD_S, MOST
from labrig.serving.serve import main as serve_main
from labrig_harness.registry.servers import toolbox
from support.command import labrig

SERVER = [sys.executable, "-m", "labrig_phreeqc"]
SPECIATION = "SOLUTION 1\n pH 7 charge\n Ca 1\n Cl 2\nEND\n"
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class RawServer:
    """A server on pipes, spoken to in lines of JSON."""

    def __init__(self, *flags: str, program: list[str] | None = None) -> None:
        self.process = subprocess.Popen(
            [*(program or SERVER), *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._id = 0
        self._errors: list[str] = []
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors.append(line)

    @property
    def stderr(self) -> str:
        return "".join(self._errors)

    def send(
        self, method: str, params: dict[str, Any] | None = None, *, notify: bool = False
    ) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        if not notify:
            self._id += 1
            message["id"] = self._id
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while not notify:
            line = self.process.stdout.readline()
            assert line, f"the server closed stdout; stderr: {self.stderr}"
            self.lines.append(line)
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._id:
                return answer
        return {}

    def close(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(30)


@contextlib.contextmanager
def raw_server(*flags: str) -> Iterator[RawServer]:
    server = RawServer(*flags)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


@pytest.mark.accept
def test_stdio_previous_era(private_home: Path, tmp_path: Path) -> None:
    with raw_server("--workspace", str(tmp_path / "w")) as server:
        about = server.send(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "raw", "version": "0"},
            },
        )["result"]
        assert about["serverInfo"]["name"] == "phreeqc"
        assert 0 < len(about["instructions"]) <= 600
        server.send("notifications/initialized", notify=True)
        tools = server.send("tools/list")["result"]["tools"]
        assert {"write_file", "read_file", "list_file", "execute_phreeqc"} <= {tool["name"] for tool in tools}
        assert all("readOnlyHint" in tool["annotations"] for tool in tools)
        result = server.send("tools/call", {"name": "execute_phreeqc", "arguments": {"input": SPECIATION}})[
            "result"
        ]
        assert result["structuredContent"]["status"] == "ok"
        assert (tmp_path / "w" / "result.out").exists()
        assert server.close() == 0
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)
        assert server.stderr == "", "no banner, no update notice, no chatter"


@pytest.mark.accept
def test_stdio_current_era(private_home: Path, tmp_path: Path) -> None:
    with raw_server("--workspace", str(tmp_path / "w")) as server:
        about = server.send("server/discover", {"_meta": MODERN_META})["result"]
        assert "2026-07-28" in about["supportedVersions"]
        tools = server.send("tools/list", {"_meta": MODERN_META})["result"]["tools"]
        assert len(tools) >= 4
        params = {"name": "execute_phreeqc", "arguments": {"input": SPECIATION}, "_meta": MODERN_META}
        result = server.send("tools/call", params)["result"]
        assert result["structuredContent"]["status"] == "ok"
        assert server.close() == 0
        assert server.stderr == ""


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.accept), signal.SIGTERM])
def test_the_first_signal_ends_a_stdio_server_and_its_runs(private_home: Path, number: int) -> None:
    with raw_server() as server:
        server.send("server/discover", {"_meta": MODERN_META})
        assert server.process.stdin is not None
        endless = {"input": "SOLUTION 1\nUSER_PRINT\n10 GOTO 10\nEND\n"}
        call = {"name": "execute_phreeqc", "arguments": endless, "_meta": MODERN_META}
        message = {"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": call}
        server.process.stdin.write(json.dumps(message) + "\n")
        server.process.stdin.flush()
        _until(lambda: len(_descendants(server.process.pid)) >= 2)
        started = _descendants(server.process.pid)
        server.process.send_signal(number)
        assert server.process.wait(10) == 128 + number
        _until(lambda: not any(map(_alive, started)))


def _descendants(pid: int) -> list[int]:
    """Return the processes below one, by /proc."""
    found, pending = [], [pid]
    while pending:
        parent = pending.pop()
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(path.parent.name))
                    pending.append(int(path.parent.name))
    return found


def _alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.accept
def test_garbage_on_stdin_does_not_end_the_server(private_home: Path) -> None:
    with raw_server() as server:
        assert server.process.stdin is not None
        server.process.stdin.write('not json\n{}\n[]\n"\\ud800"\n{"jsonrpc":"2.0","id":1.5}\n\x00\n')
        server.process.stdin.flush()
        assert server.send("server/discover", {"_meta": MODERN_META})["result"]
        assert server.close() == 0


@contextlib.contextmanager
def http_server(*flags: str, tokens: str = "") -> Iterator[str]:
    environment = {**os.environ, "LABRIG_TOKENS": tokens}
    process = subprocess.Popen(
        [*SERVER, "--http", "127.0.0.1:0", *flags], stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
        assert match, line + process.stderr.read()
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield match[0]
    finally:
        process.terminate()
        process.wait(30)


TOKENS = ("a" * 20, "b" * 20)


@pytest.mark.accept
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_two_tokens_never_see_each_others_files(private_home: Path, mode: str) -> None:
    with http_server(tokens=",".join(TOKENS)) as url:
        for token in TOKENS:
            async with Client(StreamableHttpTransport(url, auth=token), mode=mode) as client:
                await client.call_tool_mcp("write_file", {"path": f"{token[0]}.txt", "content": token})
        for token, other in (TOKENS, TOKENS[::-1]):
            async with Client(StreamableHttpTransport(url, auth=token), mode=mode) as client:
                listed = (await client.call_tool_mcp("list_file", {})).content[0].text
                assert f"{token[0]}.txt" in listed
                assert f"{other[0]}.txt" not in listed
                for path in (f"{other[0]}.txt", f"../token-{other}/{other[0]}.txt"):
                    assert (await client.call_tool_mcp("read_file", {"path": path})).is_error
                marked = f"TITLE of {token}\n{SPECIATION}"
                started = await client.call_tool_mcp("start_phreeqc", {"input": marked})
                job = started.structured_content["data"]["job"]
                async with Client(StreamableHttpTransport(url, auth=other), mode=mode) as stranger:
                    theirs = await stranger.call_tool_mcp("get_job", {"job": job, "wait_s": 30})
                    assert token not in theirs.content[0].text
                done = await client.call_tool_mcp("get_job", {"job": job, "wait_s": 30})
                assert done.structured_content["status"] == "ok"
                assert token in done.content[0].text


@contextlib.contextmanager
def half_sent(url: str, count: int) -> Iterator[list[socket.socket]]:
    """Give connections on which a request has begun and does not go on."""
    address = urlsplit(url)
    begun = f"POST /mcp HTTP/1.1\r\nHost: {address.netloc}\r\nX-begun: b".encode()
    with contextlib.ExitStack() as stack:
        made = []
        for _ in range(count):
            made.append(stack.enter_context(socket.create_connection((address.hostname, address.port), 30)))
            with contextlib.suppress(ConnectionError):
                made[-1].sendall(begun)
        yield made


def is_closed(connection: socket.socket) -> bool:
    """Tell whether the other side has closed a connection."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


@pytest.mark.accept
def test_a_request_that_does_not_come_is_not_waited_for(private_home: Path) -> None:
    with http_server(tokens=",".join(TOKENS)) as url, half_sent(url, 4) as begun:
        begun[0].sendall(b"\r\nContent-Length: 9\r\n\r\n{")  # answered before its body: there is no token
        assert begun[0].recv(12) == b"HTTP/1.1 401"
        assert until(lambda: all(map(is_closed, begun[1:])), HEAD_S + 10)


def test_http_is_guarded(private_home: Path) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": MODERN_META}}
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "server/discover",
    }
    with http_server(tokens=",".join(TOKENS)) as url:

        def status(**more: str) -> int:
            return httpx2.post(url, json=body, headers={**headers, **more}).status_code

        good = {"authorization": f"Bearer {TOKENS[0]}"}
        assert status(**good) == 200
        assert status() == 401
        assert status(authorization="Bearer " + "c" * 20) == 401
        assert status(**good, host="evil.example") == 421
        assert status(**good, origin="http://evil.example") == 403
        began = time.monotonic()
        assert {status(authorization="Bearer " + "c" * 20) for _ in range(4)} == {401}
        assert time.monotonic() - began >= 4 * WRONG_TOKEN_S * 0.9
        with half_sent(url, 3 * MOST) as strangers, httpx2.Client() as known:
            assert status(**good) == 200, "who has a token is served beside strangers"
            assert known.post(url, json=body, headers={**headers, **good}).status_code == 200
            with half_sent(url, MOST):  # they displace each other, and not who has shown a token
                assert known.post(url, json=body, headers={**headers, **good}).status_code == 200
                assert sum(map(is_closed, strangers)) >= 2 * MOST
        opening = {"accept": headers["accept"], **good}
        said = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "x", "version": "1"}}
        for count, answer in ((10, 200), (OPENING_BYTES // 8, 413)):  # kept as long as the session
            said["capabilities"] = {"experimental": {f"k{n}": {} for n in range(count)}}
            asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": said}
            assert httpx2.post(url, json=asked, headers=opening).status_code == answer
            assert httpx2.post(url, json=asked, headers={**headers, **good}).status_code == 400, (
                "not a first one"
            )
        two_lengths = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        with half_sent(url, 1) as (one,):
            one.sendall(b"\r\nAuthorization: Bearer " + TOKENS[0].encode() + b"\r\n" + two_lengths)
            assert one.makefile("rb").read().startswith(b"HTTP/1.1 400"), "and the connection is closed"
    with http_server() as url:
        assert status() == 200
        assert status(host="evil.example") == 421
        assert status(origin="http://evil.example") == 403


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:8000", "", 200),
        ("LOCALHOST:8000", "http://localhost:3000", 200),
        ("[::1]:8000", "http://[0:0::1]", 200),
        ("lab.example:9443", "https://lab.example", 200),
        ("other.example:8000", "", 200),
        ("other.example:8001", "", 421),
        ("", "", 421),
        ("127.0.0.1:8000,evil.com", "", 421),
        ("evil.com@127.0.0.1", "", 421),
        ("127.0.0.1.evil.com", "", 421),
        ("127.0.0.1:99999", "", 421),
        ("127.0.0.1:8000 ", "", 421),
        ("0.0.0.0:8000", "", 421),
        ("[::1", "", 421),
        ("127.0.0.1", "http://evil.com@127.0.0.1", 403),
        ("127.0.0.1", "http://127.0.0.1@evil.com", 403),
        ("127.0.0.1", "http://127.0.0.1/", 403),
        ("127.0.0.1", "http://127.0.0.1,http://evil.com", 403),
        ("127.0.0.1", "http://localhost.evil.com", 403),
        ("127.0.0.1", "file://localhost", 403),
        ("127.0.0.1", "null", 403),
    ],
)
async def test_host_and_origin_are_compared_whole(host: str, origin: str, status: int) -> None:
    passed = []

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        passed.append(200)

    async def send(message: dict[str, Any]) -> None:
        passed.extend([message["status"]] if "status" in message else [])

    headers = [(b"host", host.encode())] + ([(b"origin", origin.encode())] if origin else [])
    gate = Gate(behind, names=("lab.example", "other.example:8000"))
    await gate({"type": "http", "headers": headers}, None, send)
    assert passed == [status]


async def test_two_hosts_are_none() -> None:
    answered: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        answered.append(message)

    for name, status in (("host", 421), ("origin", 403)):
        headers = [(b"host", b"localhost"), *[(name.encode(), b"localhost")] * 2]
        await Gate(None)({"type": "http", "headers": headers}, None, send)  # type: ignore[arg-type]
        assert answered.pop(0)["status"] == status and answered.pop()


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606])
def test_a_token_file_that_others_can_read_is_refused(
    private_home: Path, tmp_path: Path, mode: int, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tokens"
    path.write_text(TOKENS[0])
    path.chmod(mode)
    assert serve_main(toolbox("phreeqc"), ["--http", "127.0.0.1:0", "--token-file", str(path)]) == 2
    assert "chmod 600" in capfd.readouterr().err


@pytest.mark.accept
def test_an_idle_session_ends(private_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session of the older protocol; its id is unknown once it has ended, and a client begins another."""
    monkeypatch.setenv("LABRIG_SERVE_SESSION_IDLE_S", "1")
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "0"}}
    headers = {"accept": "application/json, text/event-stream"}

    def status(url: str, method: str, params: dict[str, Any], **more: str) -> httpx2.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return httpx2.post(url, json=body, headers={**headers, **more})

    with http_server() as url:
        session = {"mcp-session-id": status(url, "initialize", hello).headers["mcp-session-id"]}
        assert status(url, "tools/list", {}, **session).status_code == 200
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            time.sleep(1.5)
            if (last := status(url, "ping", {}, **session).status_code) == 404:
                break
        assert last == 404


@pytest.mark.parametrize(
    ("flags", "tokens", "says"),
    [
        (["--http", "0.0.0.0:0"], "", "--token-file"),
        (["--http", "0.0.0.0:0"], TOKENS[0], "--allow-host"),
        (["--http", "0.0.0.0:0", "--allow-host", "lab.example"], "", "--token-file"),
        (["--http", "0.0.0.0:0", "--allow-host", "*"], TOKENS[0], "wildcard"),
        (["--http", "[::]:0"], "", "--token-file"),
        (["--http", "0.0.0.0:0", "--allow-host", "*.example"], TOKENS[0], "wildcard"),
        (["--http", "0.0.0.0:0", "--allow-host", "http://lab.example"], TOKENS[0], "not a host"),
        (["--http", "127.0.0.1:x"], "", "HOST:PORT"),
        (["--http", "127.0.0.1:99999"], "", "HOST:PORT"),
        (["--http", "127.0.0.1:0"], "short", "too short"),
        (["--toolsets", "papr"], "", "paper"),
        (["--output", "tok"], "", "toc"),
        (["--root", "/no/such/folder", "--http", "127.0.0.1:0"], "", "not a folder"),
        (["--workspace", "/proc/x"], "", "cannot be used"),
        (["--token-file", "x"], "", "--http"),
        (["--http", "127.0.0.1:\u00b2"], "", "HOST:PORT"),
    ],
)
def test_unsafe_or_wrong_flags_are_refused(
    private_home: Path,
    flags: list[str],
    tokens: str,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LABRIG_TOKENS", tokens)
    assert serve_main(toolbox("phreeqc"), flags) == 2
    said = capfd.readouterr()
    assert says in said.err
    assert said.out == ""


@pytest.mark.accept
def test_what_a_tool_prints_does_not_reach_the_protocol(tmp_path: Path) -> None:
    """Prints, writes to descriptor 1 and child processes go to stderr; the results stay clean."""
    program = tmp_path / "noisy.py"
    program.write_text(
        "import os, subprocess, sys\n"
        "from labrig.answer import Answer\n"
        "from labrig.serving.serve import main\n"
        "from labrig.toolbox import Toolbox\n"
        "toolbox = Toolbox('noisy', 'Noisy', 'Makes noise.')\n"
        "@toolbox.tool(title='Shout', read_only=True)\n"
        "async def shout() -> Answer:\n"
        "    print('printed', flush=True)\n"
        "    os.write(1, b'written\\n')\n"
        "    subprocess.run(['echo', 'from a child'])\n"
        "    return Answer(source='noise')\n"
        "sys.exit(main(toolbox))\n"
    )
    server = RawServer(program=[sys.executable, str(program)])
    try:
        server.send("server/discover", {"_meta": MODERN_META})
        result = server.send("tools/call", {"name": "shout", "arguments": {}, "_meta": MODERN_META})["result"]
        assert result["structuredContent"]["source"] == "noise"
        assert server.close() == 0
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)
        for noise in ("printed", "written", "from a child"):
            assert noise in server.stderr
    finally:
        server.process.kill()
        server.process.wait()


@pytest.mark.accept
def test_a_collection_in_a_call_leaves_alone_what_the_start_has_made(tmp_path: Path) -> None:
    """Else each full one goes through all of it, in the loop, while every caller waits."""
    program = tmp_path / "counting.py"
    program.write_text(
        "import gc, sys\n"
        "from labrig.answer import Answer\n"
        "from labrig.serving.serve import main\n"
        "from labrig.toolbox import Toolbox\n"
        "toolbox = Toolbox('counting', 'Counting', 'Counts objects.')\n"
        "@toolbox.tool(title='Count', read_only=True)\n"
        "async def count() -> Answer:\n"
        "    known = int('key_value.aio.stores.memory' in sys.modules)\n"
        "    return Answer(source=f'{len(gc.get_objects())} {gc.get_freeze_count()} {known}')\n"
        "sys.exit(main(toolbox))\n"
    )
    server = RawServer(program=[sys.executable, str(program)])
    try:
        result = server.send("tools/call", {"name": "count", "arguments": {}, "_meta": MODERN_META})["result"]
        gone_through, left_alone, known = map(int, result["structuredContent"]["source"].split())
        assert gone_through < left_alone / 2
        assert known, "what FastMCP would import at the first list of tools, in the loop"
    finally:
        server.process.kill()
        server.process.wait()


@pytest.mark.accept
def test_get_job_called_from_a_shell_waits_as_long_as_it_says(private_home: Path) -> None:
    rates = "RATES\n slow\n -start\n 10 FOR i = 1 TO 1e9\n 20 NEXT i\n 30 SAVE 0\n -end\n"
    text = f"{rates}SOLUTION 1\nKINETICS 1\n slow\n -formula NaCl 1\n -steps 1\nEND\n"
    with http_server() as url:
        started = labrig("call", url, "start_phreeqc", json.dumps({"input": text, "wall_s": 60}), "--no-wait")
        job = json.loads(started.stdout)["data"]["job"]
        begun = time.monotonic()
        state = labrig("call", url, "get_job", json.dumps({"job": job, "wait_s": 0}))
        assert json.loads(state.stdout)["status"] == "running", state.stdout
        assert time.monotonic() - begun < 50, "it says that it runs; it does not wait for the end"
        assert labrig("call", url, "cancel_job", json.dumps({"job": job})).returncode == 0
