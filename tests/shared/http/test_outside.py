"""Libraries that go round the HTTP layer are named, and in a replay nothing does unseen."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.http import Client, Limit
from labrig.http.outside import KNOWN, collecting, outside
from labrig.http.sync import SyncClient
from support.imitation import imitation


def test_a_replay_refuses_a_library_that_goes_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABRIG_HTTP_MODE", "replay")
    with pytest.raises(LabrigError) as caught, outside("yfinance"):
        pytest.fail("the block ran")
    assert caught.value.code == "not_recorded"
    assert KNOWN["yfinance"] in str(caught.value) and "labrig run --calls replay" in str(caught.value)
    with outside("yfinance", mode="live"):
        pass  # a client may be in another mode than the settings


async def test_its_name_is_noted_for_the_call_that_uses_it_and_no_other() -> None:
    async def call(*names: str) -> list[str]:
        with collecting() as noted:
            for name in names:
                await asyncio.to_thread(use, name)
                await asyncio.sleep(0)
        return noted

    def use(name: str) -> None:
        with outside(name, "it is a test"):
            pass

    assert await asyncio.gather(call("gdal", "ddgs", "gdal"), call("yfinance"), call()) == [
        ["gdal", "ddgs", "gdal"],
        ["yfinance"],
        [],
    ]
    use("gdal")  # nobody collects


def test_an_unknown_one_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="say why"), outside("another"):
        pass


SEALED = """
import asyncio, json, os, socket, sys, tempfile, threading, urllib.request
from pathlib import Path
import requests
from labrig.errors import LabrigError
from labrig.http import Client
from labrig.http.outside import seal
from labrig.http.sync import SyncClient

port, ledger = int(sys.argv[1]), Path(sys.argv[2])
url = f"http://127.0.0.1:{port}/x"

def tried(what):
    try:
        return repr(what())
    except LabrigError as error:
        return f"{error.code} at {error.where}"
    except OSError as error:
        return type(error).__name__

def udp(send):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        return send(sock)

async def aio():
    await asyncio.open_connection("127.0.0.1", port)

def connect():
    socket.create_connection(("127.0.0.1", port)).close()

ways = {
    "connect": connect,
    "connect_ex": lambda: socket.socket().connect_ex(("127.0.0.1", port)),
    "asyncio": lambda: asyncio.run(aio()),
    "sendto": lambda: udp(lambda sock: sock.sendto(b"x", ("127.0.0.1", port))),
    "sendmsg": lambda: udp(lambda sock: sock.sendmsg([b"x"], [], 0, ("127.0.0.1", port))),
    "name": lambda: socket.getaddrinfo("name.invalid", 80),
    "old name": lambda: socket.gethostbyname("name.invalid"),
    "reverse": lambda: socket.gethostbyaddr("192.0.2.1"),
    "urllib": lambda: urllib.request.urlopen(url).status,
    "requests": lambda: requests.get(url).status_code,
}

def unix():
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as here:
        here.bind(f"{folder}/s")
        here.listen()
        with socket.socket(socket.AF_UNIX) as there:
            there.connect(f"{folder}/s")

async def serve():
    # A server over TCP: it looks its address up, listens, and is connected to by another program.
    async def answer(reader, writer):
        writer.write(b"hello")
        writer.close()
    server = await asyncio.start_server(answer, "localhost", 0)
    there = server.sockets[0].getsockname()
    code = "import socket, sys; print(socket.create_connection((sys.argv[1], int(sys.argv[2]))).recv(9).decode())"
    client = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, there[0], str(there[1]), stdout=asyncio.subprocess.PIPE)
    said = (await client.communicate())[0].decode().strip()
    server.close()
    return said

def replayed():
    origins = [f"http://127.0.0.1:{port}"]
    with SyncClient(lambda: Client(mode="replay", ledger=ledger, private_origins=origins)) as client:
        return client.request("GET", url).text

def forked():
    read, write = os.pipe()
    if not (child := os.fork()):
        os.write(write, tried(connect).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return os.read(read, 999).decode()

switch = seal()
found = {"sealed": {name: tried(way) for name, way in ways.items()}}
found["thread"] = []
thread = threading.Thread(target=lambda: found["thread"].append(tried(connect)))
thread.start()
thread.join()
found["fork"] = forked()
found["unix"] = tried(unix)
found["served"] = asyncio.run(serve())
found["own name"] = tried(lambda: bool(socket.getfqdn()))
found["replayed"] = replayed()
switch.closed = False
found["open"] = tried(connect)
found["same"] = seal() is switch
found["sealed again"] = tried(connect)
print(json.dumps(found))
"""


def test_a_sealed_process_reaches_nothing_but_the_ledger(tmp_path: Path) -> None:
    with imitation() as site:
        site.on("/x").then("recorded")
        ledger = tmp_path / "ledger.sqlite"

        def recording() -> Client:
            return Client(
                mode="record", ledger=ledger, private_origins=[site.url("").rstrip("/")], limit=Limit(100, 4)
            )

        with SyncClient(recording) as client:
            assert client.request("GET", site.url("/x")).text == "recorded"
        before = site.connections
        run = subprocess.run(
            [sys.executable, "-c", SEALED, str(site.port), str(ledger)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": "ignore"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert run.returncode == 0, run.stderr
        found = json.loads(run.stdout)
        here = f"not_recorded at 127.0.0.1:{site.port}"
        assert found["sealed"] == {
            **dict.fromkeys(("connect", "connect_ex", "asyncio", "sendto", "sendmsg"), here),
            **dict.fromkeys(("name", "old name"), "not_recorded at name.invalid"),
            "reverse": "not_recorded at 192.0.2.1",
            **dict.fromkeys(("urllib", "requests"), here),
        }
        assert (found["thread"], found["fork"]) == ([here], here)
        assert (found["unix"], found["served"], found["own name"]) == ("None", "hello", "True")
        assert found["replayed"] == "recorded"
        assert (found["open"], found["same"], found["sealed again"]) == ("None", True, here)
        assert site.connections - before == 1, "only the one while the switch was open"
