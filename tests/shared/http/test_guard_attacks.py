"""Requests that try to reach what is not the public web, and requests that try to say more than they may.

The internet of these tests lies below the guard: two addresses of it are sites of ours, every other address, private or
not, is a canary. What the guard lets through therefore arrives somewhere, and nothing leaves the machine.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpcore2
import pytest

from labrig.errors import LabrigError
from labrig.http import guard
from labrig.http.client import ANY, Client
from labrig.http.hosts import Limit
from support.imitation import Imitation, echo, imitation, raw, redirect, text

PUBLIC, SECOND = "93.184.216.34", "93.184.216.35"
ALSO_PUBLIC = ["2606:2800:220:1::1", "64:ff9b::5db8:d822"]
"""IPv6, and the first through NAT64, as networks without IPv4 have it."""


class Net:
    """Names, and what lies at addresses.

    Attributes
    ----------
    site, other
        What ``public.test`` and ``second.test`` are.
    canary
        Everything else.
    names
        Name -> its addresses, or a function that returns them.
    lookups, reached
        Names that were looked up, and addresses that were connected to, in order.
    """

    def __init__(self, site: Imitation, other: Imitation, canary: Imitation) -> None:
        self.site, self.other, self.canary = site, other, canary
        self.names: dict[str, list[str] | Callable[[], list[str]]] = {
            "public.test": [PUBLIC],
            "second.test": [SECOND],
            "canary.test": ["127.0.0.1"],
            "localhost": ["127.0.0.1", "::1"],
        }
        self.lookups: list[str] = []
        self.reached: list[tuple[str, int]] = []

    def resolve(self, host: str | bytes, port: Any, *more: Any, **others: Any) -> list[Any]:
        """Stand in for `socket.getaddrinfo`; addresses in any spelling are left to the system's."""
        name = host.decode() if isinstance(host, bytes) else host
        self.lookups.append(name)
        known = self.names.get(name.lower().rstrip("."))
        if known is None:
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        found = []
        for address in known() if callable(known) else known:
            six = ":" in address
            place = (address, port, 0, 0) if six else (address, port)
            family = socket.AF_INET6 if six else socket.AF_INET
            found.append((family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place))
        return found

    def at(self, address: str) -> Imitation:
        return {**dict.fromkeys([PUBLIC, *ALSO_PUBLIC], self.site), SECOND: self.other}.get(
            address, self.canary
        )

    def client(self, **more: Any) -> Client:
        return Client(**{"resolver": self.resolve, "limit": Limit(1000, 50), **more})

    @property
    def intact(self) -> bool:
        """Whether the canary was left alone, down to the last connection."""
        return self.canary.connections == 0 and not self.canary.hits


@pytest.fixture
def net(monkeypatch: pytest.MonkeyPatch) -> Iterator[Net]:
    with imitation() as site, imitation() as other, imitation() as canary:
        made = Net(site, other, canary)
        for each in (site, other, canary):
            each.on("*").then(echo())
        connect = httpcore2.AnyIOBackend.connect_tcp

        async def routed(self: Any, host: str, port: int, *more: Any, **others: Any) -> Any:
            made.reached.append((host, port))
            return await connect(self, "127.0.0.1", made.at(host).port, *more, **others)

        monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", routed)
        yield made


async def ends(client: Client, url: str, method: str = "GET", **more: Any) -> str:
    """Return the code a request ends with, or ``answered``."""
    try:
        await client.request(method, url, **{"patience_s": 0.2, "timeout_s": 5, **more})
    except LabrigError as error:
        assert error.what and len(str(error)) < 3000
        return error.code
    return "answered"


def words(*lines: str) -> list[str]:
    return " ".join(lines).split(" ")


@pytest.mark.parametrize("address", [PUBLIC, *ALSO_PUBLIC])
async def test_the_public_web_is_reached(net: Net, address: str) -> None:
    net.names["public.test"] = [address]
    async with net.client() as client:
        answer = await client.get("http://public.test/a?b=c")
    assert answer.json()["url"] == "http://public.test/a?b=c"
    assert net.reached == [(address, 80)] and net.lookups == ["public.test"] and net.intact


# ------------------------------------------------------------------------------------------- addresses in URLs

ARRIVING = words(
    # this machine
    "127.0.0.1 127.255.255.254 127.1 127.0.1 2130706433 0x7f000001 0x7F.0.0.1 017700000001 0x7f.1 0 0.0.0.0",
    # private, shared, example networks; to many; reserved
    "10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1",
    "224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255",
    # where clouds tell their secrets; the last is Azure's, in a public range
    "169.254.169.254 2852039166 0xa9fea9fe 169.254.170.2 100.100.100.200 168.63.129.16",
    # IPv4 in IPv6: mapped, compatible, translated (RFC 2765)
    "[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:1] [::127.0.0.1] [::7f00:1] [::ffff:0:7f00:1]",
    # NAT64, 6to4, Teredo with its server and with its client inside
    "[64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:a9fe:a9fe::1]",
    "[2001:0:7f00:1::] [2001:0:4136:e378:8000:63bf:80ff:fffe]",
    # local, to many, discarded, documentation, ORCHID, and what was never given to anybody
    "[fe80::1] [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1] [100::1] [2001:db8::1] [2001:10::1] [4000::1]",
    "localhost localhost. LOCALHOST canary.test canary.test. CANARY.TEST 127。0。0。1 127．0．0．1 127｡0｡0｡1",
)
"""Hosts that a client without a guard connects to."""

NOWHERE = [
    *words(
        "0177.0.0.1 0177.0x0.0.1 00127.0.0.1 127.000.000.001 127.0.0.1. 127.0.0.1.. .127.0.0.1 256.256.256.256"
    ),
    *words("127.0.0.1%00 127.0.0.1%2f %31%32%37.0.0.1 loc%61lhost 127.0.0.1%20 127.0.0.1, [v1.127.0.0.1]"),
    *words(
        "[fe80::1%25lo] [fe80::1%lo] [::1%25lo] [::1%251] [::1 ::1 [::ffff:127.0.0.1.] [127.0.0.1] [] [::1]]"
    ),
    *words("①②⑦.0.0.1 １２７.0.0.1 ⓛocalhost ٠.0.0.0 127.0.0.1\u00ad lo\u00adcalhost 127\u200b.0.0.1"),
    *words("user:word@127.0.0.1 user@public.test @127.0.0.1 public.test@127.0.0.1 127.0.0.1@public.test"),
    *words(
        "127.0.0.1\\@public.test public.test\\@127.0.0.1 public.test:80@127.0.0.1 public.test%40127.0.0.1"
    ),
    *["public.test 127.0.0.1", "127.0.0.1\t", "127.0\n.0.1", "\t127.0.0.1", "127.0.0.1\0.public.test"],
    *words(
        "\u202e1.0.0.721 public.test:80:80 127.0.0.1:+80 127.0.0.1:-1 127.0.0.1:65616 127.0.0.1:８０ 127.0.0.1:0"
    ),
]
"""Hosts that no client should make anything of."""


@pytest.mark.parametrize("host", [*ARRIVING, *NOWHERE], ids=ascii)
async def test_no_other_address_is_reached_however_it_is_written(net: Net, host: str) -> None:
    async with net.client() as client:
        code = await ends(client, f"http://{host}/latest/meta-data/")
    assert net.intact and not net.reached
    assert code in (("refused",) if host in ARRIVING else ("refused", "bad_input"))


@pytest.mark.accept
@pytest.mark.parametrize("host", ARRIVING, ids=ascii)
async def test_without_the_guard_they_are_reached(
    net: Net, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the canary was left alone says something only if it was in reach."""

    async def unchecked(self: Any, name: str, port: int) -> list[str]:
        return [found[4][0] for found in net.resolve(name, port)]

    monkeypatch.setattr(guard.Guard, "check", lambda self, url: None)
    monkeypatch.setattr(guard.Guard, "addresses", unchecked)
    async with net.client() as client:
        assert await ends(client, f"http://{host}/latest/meta-data/") == "answered"
    assert len(net.canary.hits) == 1


async def test_with_true_sockets_the_canary_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with imitation() as canary:
        monkeypatch.setattr(guard, "PORTS", guard.PORTS | {canary.port})
        canary.on("*").then("the canary")
        async with Client(private_origins=[canary.url("")]) as client:
            assert (await client.get(canary.url("/"))).text == "the canary"
        canary.forget()
        async with Client() as client:
            for host in ("127.0.0.1", "localhost", "::ffff:127.0.0.1", "0x7f000001", "127.1", "0.0.0.0"):
                assert await ends(client, canary.url("/", host=host)) == "refused", host
        assert canary.connections == 0


URLS = [
    *words("http:127.0.0.1/ http:/127.0.0.1/ http:///127.0.0.1/ http:////127.0.0.1/ //127.0.0.1/ 127.0.0.1/"),
    *words(
        "http:\\\\127.0.0.1\\ http:/\\127.0.0.1/ http://\\127.0.0.1/ http://127.0.0.1\\.x/ url:http://127.0.0.1"
    ),
    *[
        "ht\ttp://127.0.0.1/",
        "http\n://127.0.0.1",
        " http://127.0.0.1/ ",
        "\0http://127.0.0.1/",
        "\ufeffhttp://127.0.0.1/",
    ],
    *words("HTTP://127.0.0.1/ http://127.0.0.1 http://127.0.0.1:/ http://127.0.0.1#@public.test/"),
    *words(
        "http://127.0.0.1?@public.test/ http:∕∕127.0.0.1/ http://／127.0.0.1/ https://127.0.0.1/ http://[::1]:443/"
    ),
    *words("file:///etc/passwd file://127.0.0.1/etc/passwd gopher://127.0.0.1:80/_x dict://127.0.0.1:80/"),
    *words("ftp://127.0.0.1/ data:text/plain,x jar:http://127.0.0.1/!/ http+unix://%2Frun%2Fdocker.sock/"),
    *[
        "ws://127.0.0.1/",
        "netdoc:///etc",
        "",
        " ",
        "http://",
        "http://[",
        "http://]/",
        "http://./",
        "http://../",
    ],
    *[
        "http:// /",
        "http://a..test/",
        "http://\ud800.test/",
        f"http://{'a' * 64}.test/",
        f"http://{'a' * 300}/",
    ],
    *["http://" + "a." * 40_000],
]


@pytest.mark.parametrize("url", URLS, ids=lambda url: ascii(url)[:40])
async def test_urls_that_are_none_or_speak_another_language(net: Net, url: str) -> None:
    async with net.client() as client:
        assert await ends(client, url) in ("refused", "bad_input")
    assert net.intact and not net.reached


async def test_other_services_of_public_hosts_are_not_reached(net: Net) -> None:
    async with net.client() as client:
        for port in (1, 22, 25, 53, 110, 2375, 3306, 5432, 6379, 9200, 11211, 65535):
            assert await ends(client, f"http://public.test:{port}/") == "refused", port
            assert await ends(client, f"https://{PUBLIC}:{port}/") == "refused", port
    assert not net.reached


# --------------------------------------------------------------------------------------------------------- names

FAR = [[PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC], [PUBLIC, "::1"], [PUBLIC] * 30 + ["127.0.0.1"]]
NEAR = words(
    "127.0.0.1 ::1 0.0.0.0 :: 169.254.169.254 168.63.129.16 fd00:ec2::254 ::ffff:127.0.0.1 ::ffff:0:7f00:1",
    "64:ff9b::7f00:1 2002:7f00:1:: fe80::1%1 10.1.2.3 100.64.0.1 224.0.0.1",
)


@pytest.mark.parametrize(
    "addresses", [*([each] for each in NEAR), *FAR], ids=lambda each: f"{len(each)}-{each[0]}"
)
async def test_a_name_one_of_whose_addresses_is_private_is_refused(net: Net, addresses: list[str]) -> None:
    net.names["evil.test"] = addresses
    async with net.client() as client:
        assert await ends(client, "http://evil.test/") == "refused"
        assert await ends(client, "https://evil.test:8443/") == "refused"
    assert net.intact and not net.reached


async def test_a_name_that_changes_its_address_is_looked_up_once_for_each_connection(net: Net) -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    net.names["rebind.test"] = lambda: next(answers)
    net.site.on("/").then(text("first", headers={"Connection": "close"}))
    async with net.client() as client:
        assert (await client.get("http://rebind.test/")).text == "first"
        assert net.lookups == ["rebind.test"] and net.reached == [(PUBLIC, 80)]
        assert await ends(client, "http://rebind.test/other") == "refused"
    assert net.intact


async def test_a_name_that_changes_its_address_between_attempts_is_refused_at_the_next(net: Net) -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    net.names["rebind.test"] = lambda: next(answers)
    net.site.on("/").then(raw(b""))  # hangs up without a word, so that it is tried again
    async with net.client() as client:
        assert await ends(client, "http://rebind.test/", patience_s=20) == "refused"
    assert net.reached == [(PUBLIC, 80)] and net.intact


async def test_a_name_that_nobody_knows_is_unreachable(net: Net) -> None:
    def fail() -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    net.names |= {"nobody.test": fail, "none.test": []}
    async with net.client() as client:
        for name in ("nobody.test", "none.test"):
            assert await ends(client, f"http://{name}/") == "unreachable", name
    assert net.intact and not net.reached


async def test_a_lookup_that_hangs_is_left_at_the_time_limit(net: Net) -> None:
    free = threading.Event()
    net.names["tarpit.test"] = lambda: [PUBLIC] if free.wait(60) else []
    began = time.monotonic()
    try:
        async with net.client() as client:
            assert await ends(client, "http://tarpit.test/", timeout_s=0.5) == "unreachable"
            assert await ends(client, "http://public.test/") == "answered"
        assert time.monotonic() - began < 20
    finally:
        free.set()
    assert net.lookups[-1] == "public.test" and net.reached == [(PUBLIC, 80)]


# ----------------------------------------------------------------------------------------------------- redirects

PLACES = words(
    "http://169.254.169.254/latest/ http://127.0.0.1/ //127.0.0.1/ http://canary.test/ https://canary.test/",
    "http://2130706433/ http://[::ffff:127.0.0.1]/ http://[64:ff9b::7f00:1]/ http://0.0.0.0/ http://localhost./",
    "http://127。0。0。1/ http://127.0.0.1#@public.test/ http://public.test@127.0.0.1/ http://127.0.0.1\\@public.test/",
    "http://public.test:22/ https://public.test:6379/ http://user:word@second.test/",
    "file:///etc/passwd gopher://127.0.0.1/_x data:text/html,hello ftp://public.test/",
)


@pytest.mark.parametrize("to", PLACES, ids=ascii)
async def test_redirects_lead_to_no_place_that_could_not_be_asked_for(net: Net, to: str) -> None:
    async with net.client() as client:
        for code in (301, 302, 303, 307, 308):
            net.site.on("/a").then(redirect(to, code))
            net.other.on("/chain").then(redirect("http://public.test/a", code))
            assert await ends(client, "http://public.test/a") in ("refused", "bad_input")
            assert await ends(client, "http://second.test/chain", "POST", body="x") in (
                "refused",
                "bad_input",
            )
    assert net.intact and {address for address, _ in net.reached} == {PUBLIC, SECOND}


OTHERS = [
    *words(
        "http:127.0.0.1/ ///127.0.0.1/ http:////127.0.0.1/ \\\\127.0.0.1/ /\\127.0.0.1/ 127.0.0.1 ?@127.0.0.1"
    ),
    *["%2f%2f127.0.0.1", "http://public.test/, http://127.0.0.1/", "http://127.0.0.1/, http://public.test/"],
]


@pytest.mark.parametrize("to", OTHERS)
async def test_redirects_that_others_may_read_as_another_host_stay_or_end(net: Net, to: str) -> None:
    net.site.on("/a").then(redirect(to))
    async with net.client() as client:
        await ends(client, "http://public.test/a")
    assert net.intact and {address for address, _ in net.reached} == {PUBLIC}


LONG = "a" * (64 << 10)
ODD = {
    "64 kB private": f"http://127.0.0.1/{LONG}".encode(),
    "64 kB public": f"http://public.test/{LONG}".encode(),
    "two": b"http://127.0.0.1/\r\nLocation: http://127.0.0.2/",
    "no UTF-8": b"http://127.0.0.1/\xff\xfe",
    "circled digits": "http://①②⑦.0.0.1/".encode(),
    "tab": b"http://127.0.0.1\t/",
    "folded": b"http://public.test\r\n @127.0.0.1/",
    "half": b"http://[::1",
    "port": b"http://public.test:99999/",
}


@pytest.mark.parametrize("to", ODD.values(), ids=ODD)
async def test_redirects_that_are_odd_end_in_a_typed_error(net: Net, to: bytes) -> None:
    net.site.on("/a").then(raw(b"HTTP/1.1 302 Found\r\nLocation: " + to + b"\r\nContent-Length: 0\r\n\r\n"))
    async with net.client() as client:
        assert await ends(client, "http://public.test/a") in ("refused", "bad_input", "unreachable")
    assert net.intact and len(net.site.hits) <= 5


async def test_a_place_is_not_gone_to_where_it_is_no_redirect(net: Net) -> None:
    hints = {
        "Location": "http://127.0.0.1/",
        "Content-Location": "http://127.0.0.1/",
        "Refresh": "0; url=http://127.0.0.1/",
        "Link": "<http://127.0.0.1/>; rel=preload",
        "Alt-Svc": 'h2="127.0.0.1:80", http/1.1="127.0.0.1:80"',
    }
    net.site.on("/a").then(text("stay", headers=hints))
    net.site.on("/b").then(redirect("http://127.0.0.1/"))
    async with net.client() as client:
        for _ in range(2):
            assert (await client.get("http://public.test/a")).text == "stay"
        kept = await client.get("http://public.test/b", follow=False, accept=ANY)
    assert (kept.status, kept.headers["location"]) == (302, "http://127.0.0.1/") and net.intact


async def test_the_rules_of_a_site_lead_nowhere_else_either(net: Net) -> None:
    net.site.on("/robots.txt").then(redirect("http://169.254.169.254/latest/"))
    async with net.client() as client:
        assert await ends(client, "http://public.test/a", robots=True) in ("refused", "unreachable")
    assert net.intact and [hit.path for hit in net.site.hits] == ["/robots.txt"]


# -------------------------------------------------------------------------------------------- the operator's own


async def test_an_own_origin_opens_itself_and_nothing_beside_it() -> None:
    with imitation() as own, imitation() as canary:
        own.on("/a").then("own")
        own.on("/b").then(redirect(canary.url("/")))
        own.on("/c").then(redirect(own.url("/a")))
        async with Client(private_origins=[own.url("")], limit=Limit(1000, 50)) as client:
            assert (await client.get(own.url("/c"))).text == "own"
            assert await ends(client, own.url("/b")) == "refused"
            for url in (
                canary.url("/"),
                own.url("/a").replace("http:", "https:"),
                own.url("/a").replace("//", "//user:word@"),
                own.url("/a", host="localhost"),
                own.url("/a", host="127.1"),
                own.url("/a", host="::ffff:127.0.0.1"),
                "http://127.0.0.1/",
            ):
                assert await ends(client, url) == "refused", url
        assert canary.connections == 0 and [hit.path for hit in own.hits] == ["/c", "/a", "/b"]


async def test_the_public_web_cannot_send_to_an_own_origin_s_neighbour(net: Net) -> None:
    net.site.on("/a").then(redirect("http://127.0.0.1:8081/"))
    async with net.client(private_origins=["http://127.0.0.1:8082"]) as client:
        assert await ends(client, "http://public.test/a") == "refused"
        assert await ends(client, "http://127.0.0.1:8082/") == "answered"
    assert net.reached == [(PUBLIC, 80), ("127.0.0.1", 8082)]


# ------------------------------------------------------------------------------------- what is sent, and to whom


async def test_the_environment_s_proxies_and_passwords_are_not_used(
    net: Net, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, net.canary.url(""))
        monkeypatch.setenv(name.lower(), net.canary.url(""))
    for name in (".netrc", "_netrc"):
        (tmp_path / name).write_text("machine public.test login somebody password hunter22\n")
        (tmp_path / name).chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    async with net.client() as client:
        await client.get("http://public.test/a")
    (hit,) = net.site.hits
    assert hit.target == "/a" and b"hunter22" not in hit.head and "authorization" not in hit.headers
    assert not [name for name in hit.headers if name.startswith("proxy")] and net.intact


async def test_cookies_are_not_kept(net: Net) -> None:
    cookie = {"Set-Cookie": "session=abcdef123456; Domain=test; Path=/"}
    net.site.on("/set").then(redirect("/after", headers=cookie))
    net.site.on("/there").then(redirect("http://second.test/", headers=cookie))
    async with net.client() as client:
        answer = await client.get("http://public.test/set")
        await client.get("http://public.test/there")
        await client.get("http://public.test/again")
    assert not [hit for hit in [*net.site.hits, *net.other.hits] if "cookie" in hit.headers]
    assert len(net.site.hits) == 4 and len(net.other.hits) == 1 and "set-cookie" not in answer.headers


SECRET = "s3cr3t-0123456789abcdef"
NAMES = words(
    "X-Api-Key X-Goog-Api-Key X-RapidAPI-Key X-ELS-APIKey X-ELS-Insttoken X-Auth-Token X-Auth-Key Private-Token",
    "Ocp-Apim-Subscription-Key X-Amz-Security-Token X-Client-Secret",
)
"""Headers in which services take credentials; X-ELS are a publisher's."""


@pytest.mark.parametrize("name", ["Authorization", "Cookie", *NAMES])
async def test_credentials_do_not_go_on_to_another_origin(net: Net, name: str) -> None:
    sent = {name: {"Authorization": f"Bearer {SECRET}", "Cookie": f"a={SECRET}"}.get(name, SECRET)}
    asked = 0
    async with net.client() as client:
        for code in (301, 302, 303, 307, 308):
            for to in ("http://second.test/there", "http://public.test:8080/there"):
                net.site.on("/a").then(redirect(to, code))
                for method in ("GET", "POST"):
                    asked += 1
                    assert await ends(client, "http://public.test/a", method, headers=sent) == "answered"
    hits = [*net.site.hits, *net.other.hits]
    before, after = ([hit for hit in hits if hit.path == path] for path in ("/a", "/there"))
    assert len(before) == len(after) == asked and all(SECRET.encode() in hit.head for hit in before)
    assert not [hit for hit in after if SECRET.encode() in hit.head]


async def test_credentials_do_go_on_within_an_origin(net: Net) -> None:
    net.site.on("/a").then(redirect("/b"))
    async with net.client() as client:
        await client.get("http://public.test/a", headers={"X-Api-Key": SECRET})
    assert [hit.headers["x-api-key"] for hit in net.site.hits] == [SECRET, SECRET]


@pytest.mark.parametrize("code", [307, 308])
async def test_a_body_with_a_key_in_it_does_not_go_on_to_another_origin(net: Net, code: int) -> None:
    net.site.on("/a").then(redirect("http://second.test/there", code))
    async with net.client() as client:
        await ends(client, "http://public.test/a", "POST", form={"api_key": SECRET, "q": "quartz"})
        await ends(client, "http://public.test/a", "POST", data={"token": SECRET, "q": "quartz"})
    assert len(net.site.hits) == 2 and all(SECRET.encode() in hit.body for hit in net.site.hits)
    assert not [hit for hit in net.other.hits if SECRET.encode() in hit.body + hit.head]


FRAMING = {
    "Host": "canary.test",
    "Content-Length": "3",
    "Transfer-Encoding": "chunked",
    "Connection": "upgrade",
    "Upgrade": "h2c",
    "TE": "trailers",
    "Trailer": "Host",
    "Expect": "100-continue",
    "HTTP2-Settings": "AAAA",
    "Proxy-Connection": "keep-alive",
    "Keep-Alive": "timeout=1",
}


@pytest.mark.parametrize(("name", "value"), FRAMING.items(), ids=FRAMING)
async def test_headers_that_say_where_a_message_ends_or_goes_are_the_client_s(
    net: Net, name: str, value: str
) -> None:
    """RFC 9112, section 6.3: given a length and chunks, two readers may see two requests in one."""
    inner = b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: public.test\r\n\r\n"
    async with net.client() as client:
        code = await ends(client, "http://public.test/a", "POST", headers={name: value}, body=inner)
    assert code in ("answered", "bad_input", "refused") and len(net.site.hits) == (code == "answered")
    for hit in net.site.hits:
        assert (hit.path, hit.headers["host"], hit.body) == ("/a", "public.test", inner)
        assert hit.headers["content-length"] == str(len(inner)) and value not in hit.headers.values()
    assert net.intact


LINE = "\r\nX-Injected: 1"
ENDS = ["\r\n", "\n", "\r", "\r\n ", "\0", "\x0b\x0c\x1c\x1e\x85\u2028"]
METHODS = [f"GET / HTTP/1.1{LINE}", "CONNECT", "TRACE", "", "GET http://127.0.0.1/", "ＧＥＴ"]
SLIPPED: list[dict[str, Any]] = [
    *({"headers": {"X-A": f"1{end}X-Injected: 1"}} for end in ENDS),
    *(
        {"headers": {name: "1"}}
        for name in (f"X-A{LINE}", f"X-A: 1{LINE}", "X-A\n", "", "X A", "X-é", "\ud800", "Ω")
    ),
    *({"headers": {name: f"a{LINE}"}} for name in ("User-Agent", "Content-Type", "Accept", "Referer")),
    *({"headers": {"X-A": value}} for value in ("\ud800", "é", "日本")),
    *({"params": {"q": value}} for value in (f"1{LINE}", "\ud800", "\0")),
    {"params": {f"q HTTP/1.1{LINE}": "x"}},
    {"url": f"http://public.test/a HTTP/1.1{LINE}\r\n\r\n"},
    {"url": "http://public.test/a%0d%0aX-Injected:%201"},
    {"url": "http://public.test/a\u0085X-Injected: 1"},
    {"url": "http://public.test/a HTTP/1.1"},
    {"url": "http://public.test/\u010d\u010aX-Injected: 1"},  # whose low bytes are a line end
    {"url": "http://public.test/\ud800"},
    *({"method": method} for method in METHODS),
    *(
        {"method": "POST", **each}
        for each in ({"body": "\ud800"}, {"form": {"a": "\ud800"}}, {"data": ["\ud800"]})
    ),
    {"method": "POST", "body": "a=1\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n"},
]


@pytest.mark.parametrize("more", SLIPPED, ids=lambda more: ascii(more)[:60])
async def test_nothing_is_slipped_into_a_request(net: Net, more: dict[str, Any]) -> None:
    """Half of a surrogate pair, which JSON can say, is an argument that cannot be used and no defect of ours."""
    given = {"url": "http://public.test/a", "method": "GET", **more}
    async with net.client() as client:
        code = await ends(client, **given)
    assert code in ("answered", "bad_input", "refused") and len(net.site.hits) == (code == "answered")
    for hit in net.site.hits:
        first, *_ = hit.head.split(b"\r\n")
        assert first.startswith(f"{given['method']} /".encode()) and first.count(b" ") == 2
        assert "x-injected" not in hit.headers and hit.headers["host"] == "public.test"
        assert not set(hit.head.replace(b"\r\n", b"")) & set(b"\r\n\0")
    assert net.intact


HERE = words(
    "http://public.test/http://127.0.0.1/ http://public.test//127.0.0.1/ http://public.test/@127.0.0.1/",
    "http://public.test?@127.0.0.1/ http://public.test#@127.0.0.1/ http://public.test/../../127.0.0.1/",
    "http://public.test/\\127.0.0.1 http://public.test:80/?url=http://127.0.0.1/ http://PUBLIC.test./",
)


@pytest.mark.parametrize("url", HERE)
async def test_what_names_another_host_elsewhere_in_a_url_is_sent_to_its_host(net: Net, url: str) -> None:
    async with net.client() as client:
        assert await ends(client, url) == "answered"
    (hit,) = net.site.hits
    assert hit.target.startswith("/") and hit.headers["host"].rstrip(".") == "public.test" and net.intact


async def test_connections_are_not_used_for_another_host(net: Net) -> None:
    net.names["evil.test"] = ["127.0.0.1"]
    urls = words("http://public.test/p http://second.test/s http://evil.test/e http://127.0.0.1/l") * 10
    async with net.client() as client:
        codes = await asyncio.gather(*(ends(client, url, patience_s=20) for url in urls))
    assert codes == ["answered", "answered", "refused", "refused"] * 10 and net.intact
    assert {hit.path for hit in net.site.hits} == {"/p"} and {hit.path for hit in net.other.hits} == {"/s"}
