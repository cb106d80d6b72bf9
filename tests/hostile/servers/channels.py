"""How an attacker speaks to a real server: raw bytes over stdio, raw requests over HTTP.

Neither is a client library: a library would refuse to send what these must be able to send. Every answer is boiled
down to one word (`word`): the status of a run, the code of a refusal, ``JSON-RPC -32601``, ``HTTP 413``,
``closed``, or ``no answer``.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import queue
import re
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "attacker", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
OLDER = "2025-06-18"
MINE, THEIRS = "attacker-" + "a" * 16, "bystander-" + "b" * 16
"""The two bearer tokens of an HTTP server under attack: the attacker's, and somebody else's."""

PATIENCE_S = 30.0


@dataclass(frozen=True)
class Reply:
    """What came back: one word for it, and the bytes, in which no secret may stand."""

    word: str
    raw: bytes = b""

    @property
    def result(self) -> dict[str, Any]:
        """The result of the JSON-RPC answer, empty where there is none."""
        with contextlib.suppress(ValueError, AttributeError):
            found: dict[str, Any] = json.loads(self.raw).get("result", {})
            return found
        return {}


def word(raw: bytes) -> str:
    """Return the one word for a JSON-RPC answer."""
    answer = json.loads(raw)
    if "error" in answer:
        return f"JSON-RPC {answer['error']['code']}"
    result = answer["result"]
    ours = (result.get("_meta") or {}).get("labrig") or {}
    if "error" in ours:
        return str(ours["error"]["code"])
    status = (result.get("structuredContent") or {}).get("status") or ours.get("status")
    return str(status or ("nameless error" if result.get("isError") else "ok"))


def message(tool: str, arguments: Any, number: Any = 0, *, method: str = "tools/call") -> bytes:
    """Return a call as JSON in ASCII, so that a lone surrogate travels as its escape."""
    params = {"name": tool, "arguments": arguments, "_meta": META}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


class Stdio:
    """A server on pipes."""

    name = "stdio"

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            cwd=cwd,
        )
        self._numbers = itertools.count(1000)
        self._answers: dict[Any, bytes] = {}
        self._strays: list[bytes] = []
        self._over = False
        self._news = threading.Condition()
        self._outbox: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._write, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            number = None
            with contextlib.suppress(ValueError, AttributeError):
                number = json.loads(line).get("id")
            with self._news:
                if isinstance(number, int | str):
                    self._answers[number] = line
                else:
                    self._strays.append(line)
                self._news.notify_all()
        with self._news:
            self._over = True
            self._news.notify_all()

    def _write(self) -> None:
        """Write from a thread of its own: a server that does not read must not hold the attacker up."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            while (data := self._outbox.get()) is not None:
                self.process.stdin.write(data)
                self.process.stdin.flush()
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.close()

    def call(self, tool: str, arguments: Any, patience: float = PATIENCE_S) -> Reply:
        """Call a tool and wait for the answer."""
        number = next(self._numbers)
        return self._ask(message(tool, arguments, number), number, patience)

    def listed(self) -> Reply:
        """Ask what tools there are."""
        number = next(self._numbers)
        return self._ask(message("", {}, number, method="tools/list"), number, PATIENCE_S)

    def raw(self, body: bytes, number: int | str | None = None, *, tool: str = "") -> Reply:
        """Send a line that may be no message. One without an answer when the next call has its is dropped."""
        with self._news:
            self._strays.clear()
        self._outbox.put(body + b"\n")
        following = self.listed()
        if following.word != "ok":
            return following
        reply = self._found(number, 0.3)
        return Reply("dropped") if reply.word == "no answer" else reply

    def _ask(self, body: bytes, number: int, patience: float) -> Reply:
        self._outbox.put(body + b"\n")
        return self._found(number, patience)

    def _found(self, number: int | str | None, patience: float) -> Reply:
        """Wait for the answer to `number`; without one, for an answer to nobody."""

        def here() -> bool:
            return self._over or (number in self._answers if number is not None else bool(self._strays))

        with self._news:
            if not self._news.wait_for(here, patience):
                return Reply("no answer")
            if number is not None and number in self._answers:
                line = self._answers.pop(number)
            elif number is None and self._strays:
                line = self._strays.pop()
            else:
                return Reply("closed")
        return Reply(word(line), line)

    def begin(self, tool: str, arguments: Any) -> Callable[[], None]:
        """Start a call and return what takes it back: the client's notice of cancellation."""
        number = next(self._numbers)
        self._outbox.put(message(tool, arguments, number) + b"\n")
        notice = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": number, "_meta": META},
        }
        return lambda: self._outbox.put(json.dumps(notice).encode() + b"\n")

    def vanish(self, tool: str, arguments: Any) -> Callable[[], None]:
        """Start a call and return how the client goes away in the middle of it: its pipe closes."""
        self.begin(tool, arguments)
        return lambda: self._outbox.put(None)

    def close(self) -> None:
        """End the server."""
        self._outbox.put(None)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Http:
    """A server on a port of 127.0.0.1."""

    name = "HTTP"

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            [*argv, "--http", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**environment, "LABRIG_TOKENS": f"{MINE},{THEIRS}"},
            cwd=cwd,
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline().decode()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", line)
        assert match, f"the server does not start: {line}"
        self.port = int(match[1])
        self.stderr = line.encode()
        self._hearing = threading.Thread(target=self._hear, args=(self.process.stderr,), daemon=True)
        self._hearing.start()
        self._numbers = itertools.count(1000)

    def _hear(self, stderr: IO[bytes]) -> None:
        """Keep what the server says on stderr; without a reader it would wait at the end of a full pipe."""
        for line in stderr:
            self.stderr += line

    def call(self, tool: str, arguments: Any, patience: float = PATIENCE_S, *, token: str = MINE) -> Reply:
        """Call a tool and wait for the answer."""
        body = message(tool, arguments, next(self._numbers))
        return self._post(body, tool_headers("tools/call", tool, token), patience)

    def listed(self) -> Reply:
        """Ask what tools there are."""
        body = message("", {}, next(self._numbers), method="tools/list")
        return self._post(body, tool_headers("tools/list", "", MINE), PATIENCE_S)

    def raw(
        self, body: bytes, number: int | str | None = None, *, tool: str = "", token: str = MINE
    ) -> Reply:
        """Send a request whose body may be anything; `number` matters on stdio only."""
        return self._post(body, tool_headers("tools/call", tool, token), PATIENCE_S)

    def _post(self, body: bytes, headers: Mapping[str, str], patience: float) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the refusal may come first
                connection.request("POST", "/mcp", body, dict(headers))
            response = connection.getresponse()
            raw = response.read()
        except TimeoutError:
            return Reply("no answer")
        except (OSError, http.client.HTTPException):
            return Reply("closed")
        finally:
            connection.close()
        if response.status != 200:
            return Reply(f"HTTP {response.status}", raw)
        if response.headers.get_content_type() == "text/event-stream":
            data = [line.removeprefix(b"data:") for line in raw.splitlines() if line.startswith(b"data:")]
            raw = data[-1].strip()
        return Reply(word(raw), raw)

    def under(self, names: Mapping[str, str], token: str = MINE) -> str:
        """Ask what tools there are under other headers, such as another Host; return the status."""
        body = message("", {}, next(self._numbers), method="tools/list")
        lines = {"Host": f"127.0.0.1:{self.port}", **tool_headers("tools/list", "", token), **names}
        head = [
            "POST /mcp HTTP/1.1",
            *(f"{key}: {value}" for key, value in lines.items()),
            "Connection: close",
        ]
        head.append(f"Content-Length: {len(body)}")
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE_S) as connection:
            connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
            answer = connection.recv(64).split()
        return answer[1].decode() if len(answer) > 1 else "closed"

    def session(self) -> str:
        """Begin a session of the protocol that had them, and return its id."""
        about = {"name": "attacker", "version": "0"}
        hello = {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": about}
        return str(self._older("initialize", hello, "").headers["mcp-session-id"])

    def in_session(self, session: str) -> int:
        """Ask for nothing in a session; return the status, 404 where there is none of this id."""
        return self._older("ping", {}, session).status

    def _older(self, method: str, params: Any, session: str) -> http.client.HTTPResponse:
        body = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        headers = {**tool_headers(method, "", MINE), "MCP-Protocol-Version": OLDER, "Mcp-Session-Id": session}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            kept = {key: value for key, value in headers.items() if value}
            connection.request("POST", "/mcp", json.dumps(body), kept)
            answer = connection.getresponse()
            answer.read()
            return answer
        finally:
            connection.close()

    def begin(self, tool: str, arguments: Any) -> Callable[[], None]:
        """Start a call and return what takes it back: the connection is closed."""
        return self._open(tool, arguments).close

    def vanish(self, tool: str, arguments: Any) -> Callable[[], None]:
        """Start a call and return how the client goes away in the middle of it: the connection is reset."""
        connection = self._open(tool, arguments)

        def reset() -> None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        return reset

    def _open(self, tool: str, arguments: Any) -> socket.socket:
        body = message(tool, arguments, next(self._numbers))
        lines = [f"{key}: {value}" for key, value in tool_headers("tools/call", tool, MINE).items()]
        head = "\r\n".join(
            ["POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{self.port}", f"Content-Length: {len(body)}", *lines]
        )
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.sendall(head.encode() + b"\r\n\r\n" + body)
        return connection

    def close(self) -> None:
        """End the server."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._hearing.join()


def tool_headers(method: str, tool: str, token: str) -> dict[str, str]:
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": META["io.modelcontextprotocol/protocolVersion"],
        "Mcp-Method": method,
        "Mcp-Name": tool,
        "Authorization": f"Bearer {token}",
    }
    return {key: str(value) for key, value in headers.items()}
