"""Functions of the host that the code can call: a call is a line of JSON on the run's socket, and so is its answer."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable
from typing import Any

MAX_CALL_BYTES = 1 << 20


class HostError(RuntimeError):
    """What a function of the host answered in place of a result."""

    __module__ = "__main__"  # where the code finds it


class Channel:
    """The socket to the host; threads take turns."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire
        self._lines = wire.makefile("rb")
        self._turn = threading.Lock()

    def receive(self) -> dict[str, Any]:
        """Return the host's next message; end the process where the host is gone."""
        line = self._lines.readline()
        if not line.endswith(b"\n"):
            os._exit(0)
        message: dict[str, Any] = json.loads(line)
        return message

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        data = json.dumps(message, default=plain, allow_nan=True).encode() + b"\n"
        if len(data) > MAX_CALL_BYTES:
            raise HostError(f"the arguments take {len(data):,} bytes; at most {MAX_CALL_BYTES:,} can be sent")
        self._wire.sendall(data)

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of the host and wait for its answer."""
        asked = {"call": name, "args": list(args), "kwargs": kwargs}
        with self._turn:
            self.send(asked)
            answer = self.receive()
        if "error" in answer:
            raise HostError(answer["error"])
        return answer["result"]


def function(channel: Channel, name: str, doc: str) -> Callable[..., Any]:
    """Return what the code sees as a function of the host."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return channel.call(name, args, kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


def plain(value: Any) -> Any:
    """Return numpy numbers and arrays, paths and sets as what JSON has; TypeError for anything else."""
    for method in ("tolist", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(
        f"an argument of type {type(value).__name__} cannot be sent; use numbers, text, lists and dictionaries"
    )
