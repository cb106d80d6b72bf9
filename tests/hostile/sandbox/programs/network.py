"""Whom a program would reach: sockets of every family."""

from __future__ import annotations

from hostile.sandbox.case import group

CASES, add = group("Network")

add(
    "TCP",
    "a connection to a listener on 127.0.0.1 and on ::1, by the standard library, urllib and pandas, as MPTCP",
    """
import socket, urllib.request
import pandas
def connected(family, address, port, protocol=0):
    with socket.socket(family, socket.SOCK_STREAM, protocol) as link:
        link.settimeout(2)
        link.connect((address, port))
        link.send(b"hello")
url = f"http://127.0.0.1:{T['tcp']}/"
tried(lambda: connected(socket.AF_INET, "127.0.0.1", T["tcp"]), lambda: connected(socket.AF_INET6, "::1", T["tcp6"]),
      lambda: connected(socket.AF_INET, "127.0.0.1", T["tcp"], 262))
for way in (lambda: urllib.request.urlopen(url, timeout=2), lambda: pandas.read_csv(url)):
    try:
        way()
    except Exception:
        pass
""",
    quick=True,
)
add(
    "UDP",
    "a datagram to 127.0.0.1 as a question to a name server, connected and not",
    """
import socket
def sent(connect):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        if connect:
            link.connect(("127.0.0.1", T["udp"]))
            link.send(b"hello")
        else:
            link.sendto(b"hello", ("127.0.0.1", T["udp"]))
tried(lambda: sent(False), lambda: sent(True))
""",
    quick=True,
)
add(
    "unix sockets",
    "a listener by its path and by its abstract name; a datagram sent from one end of a pair",
    """
import socket
def connected(address, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_UNIX, kind) as link:
        link.connect(address)
        link.send(b"hello")
def from_pair():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"hello", "\\0" + T["abstract"])
tried(lambda: connected(T["unix"]), lambda: connected("\\0" + T["abstract"]), from_pair)
""",
)
add(
    "a listener of its own",
    "a port and an abstract name opened for others to call",
    """
import socket
def listening(family, address):
    link = socket.socket(family)
    link.bind(address)
    link.listen()
    links.append(link)
links = []
tried(lambda: listening(socket.AF_INET, ("127.0.0.1", 0)), lambda: listening(socket.AF_UNIX, "\\0labrig-attack"),
      lambda: listening(socket.AF_UNIX, "socket"))
hold()
""",
)
add(
    "other families",
    "raw, packet, netlink, vsock, crypto and Bluetooth sockets",
    """
import socket
links = []
tried(*[lambda family=family, kind=kind: links.append(socket.socket(family, kind)) for family, kind in
        ((2, 3), (17, 3), (16, 3), (40, 1), (38, 5), (31, 3), (10, 3), (44, 3))])
hold()
""",
)
