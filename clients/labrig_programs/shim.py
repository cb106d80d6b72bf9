"""Standard input and output, joined to a Unix socket: what an agent program starts in place of a server.

This file is a program of its own: ``python -I -S shim.py SOCKET``, any Python from 3.9 on, the standard library
alone. A sandbox needs this one file and the socket; the server, its data and the records stay outside. As ``shim.py
--doors PORT=SOCKET .. -- PROGRAM ..`` it runs a program in a cell without a network, and joins the connections to these
ports of the cell's own loopback to the sockets.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

CHUNK = 1 << 18


def command(
    path: str | os.PathLike[str], python: str | os.PathLike[str] = "", script: str = __file__
) -> list[str]:
    """Return the command that an agent program is to start as its MCP server.

    Parameters
    ----------
    python
        The interpreter, 3.9 or later; by default the one that runs this.
    script
        Where this file lies for the agent, in a sandbox that shows it elsewhere.
    """
    return [os.fspath(python) or sys.executable, "-I", "-S", script, os.fspath(path)]


def join(path: str, source: int = 0, sink: int = 1) -> None:
    """Copy `source` to the socket and the socket to `sink`; return when the socket's other end has closed."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)

    def outward() -> None:
        try:
            while data := os.read(source, CHUNK):
                line.sendall(data)
        except OSError:
            pass  # the other end has gone, which the other direction sees as well
        try:
            line.shutdown(socket.SHUT_WR)  # the answers to what was sent are still to come
        except OSError:
            pass

    threading.Thread(target=outward, daemon=True).start()
    try:
        while data := line.recv(CHUNK):
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(sink, rest) :]
    except OSError:
        pass  # nobody reads our output any more
    finally:
        line.close()


def open_door(port: int, path: str) -> None:
    """Listen at a port of the loopback, and join each connection to a socket of its own."""
    listener = socket.create_server(("127.0.0.1", port), backlog=64)

    def carry(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(CHUNK):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def serve(inner: socket.socket) -> None:
        with inner, socket.socket(socket.AF_UNIX) as outer:
            try:
                outer.connect(path)
            except OSError:
                return
            back = threading.Thread(target=carry, args=(outer, inner), daemon=True)
            back.start()
            carry(inner, outer)
            back.join()

    def accept() -> None:
        while True:
            inner, _ = listener.accept()
            threading.Thread(target=serve, args=(inner,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def run_behind(words: list[str]) -> None:
    """Open the doors, run the program, and end as it does."""
    import subprocess

    begun = words.index("--")
    for word in words[:begun]:
        port, _, path = word.partition("=")
        open_door(int(port), path)
    code = subprocess.call(words[begun + 1 :])
    os._exit(code if code >= 0 else 128 - code)


def main() -> None:
    """Run as a program."""
    if sys.argv[1:2] == ["--doors"]:
        run_behind(sys.argv[2:])
    if len(sys.argv) != 2:
        sys.exit("usage: python -I -S shim.py SOCKET")
    try:
        join(sys.argv[1])
    except OSError as error:
        sys.exit(f"labrig shim: cannot reach {sys.argv[1]}: {error}")
    os._exit(0)  # the thread may wait for input that nobody will send


if __name__ == "__main__":
    main()
