"""What is done to the connection, to a process, or in several steps, to any server; each act gives its outcome."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hostile.guard import descendants, until
from hostile.servers.case import NOTHING, Call
from hostile.servers.channels import MINE, THEIRS, Http, Stdio, message

if TYPE_CHECKING:
    from hostile.servers.attack import Rig

BEGINS_S = 60.0
"""So long is waited for what must come: the beginning of a run, the end of a server whose only client is gone."""


def in_order(words: Iterable[str]) -> str:
    """Return the distinct words in order of appearance."""
    return ", ".join(dict.fromkeys(words))


def no_handshake(rig: Rig) -> str:
    """Call a tool with nothing that says who calls."""
    quiet = rig.listed.quiet or "nothing"
    if isinstance(rig.server, Http):
        return rig.kept(rig.server.raw(message(quiet, {}, 1), tool=quiet, token="")).word
    body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{quiet}","arguments":{{}}}}}}'
    return rig.kept(rig.server.raw(body.encode(), 1)).word


def flood(rig: Rig) -> str:
    """Send notices as fast as they go: 10,000 over stdio, 300 over HTTP, where each is a request."""
    notice = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'
    if isinstance(rig.server, Http):
        for _ in range(300):
            rig.kept(rig.server.raw(notice))
    else:
        rig.kept(rig.server.raw(b"\n".join([notice] * 10_000)))
    return "survived" if rig.server.listed().result.get("tools") else "no answer"


def half_surrogate(rig: Rig) -> str:
    """Send half a surrogate pair as the text of an argument."""
    for tool, arguments in rig.listed.argument_calls(_half_a_pair):
        return rig.kept(rig.server.raw(message(tool, arguments, 7), 7, tool=tool)).word
    return NOTHING


def _half_a_pair(about: dict[str, Any]) -> tuple[str, ...]:
    return ("SOLUTION 1 # \ud800\nEND",) if about.get("type") == "string" and "enum" not in about else ()


def somebody_elses_job(rig: Rig) -> str:
    """Ask for, and cancel, the job of another caller by its id, where there is one; and ids that are guessed.

    Ids are counted for each caller, so the other one starts jobs until one has a number that the attacker has not had.
    """
    tools = [tool for tool in ("get_job", "cancel_job") if tool in rig.listed.schemas]
    if not tools:
        return NOTHING
    kind, number = rig.name, 0
    if rig.target.starts:
        kind, number = _started(rig, MINE)
    while rig.target.starts and isinstance(rig.server, Http) and _started(rig, THEIRS)[1] <= number:
        pass
    ids = [f"{kind}-{number + 1}", f"../{kind}-1", f"{kind}-1\0"]
    replies = [rig.call(tool, {"job": job}) for tool in tools for job in ids]
    return in_order(each.word for each in replies)


def _started(rig: Rig, token: str) -> tuple[str, int]:
    """Start a job, wait for its end, and return the two parts of its id."""
    asks = [*rig.target.starts, Call("get_job", {"wait_s": 20})]
    job = ""
    for ask in asks:
        arguments = {**ask.arguments, "job": job} if ask is asks[-1] else ask.arguments
        if isinstance(rig.server, Http):
            reply = rig.server.call(ask.tool, arguments, token=token)
        else:
            reply = rig.server.call(ask.tool, arguments)
        job = reply.result.get("structuredContent", {}).get("data", {}).get("job", job)
    kind, _, number = job.rpartition("-")
    return kind, int(number)


def their_files(rig: Rig) -> str:
    """Write a file with one token, and ask for it by the same name with the other; over stdio there is one caller."""
    writes, reads = rig.listed.writes, rig.listed.reads
    if not (writes and reads):
        return NOTHING
    if not isinstance(rig.server, Http):
        return rig.call(reads, {"path": "private.txt"}).word
    rig.server.call(writes, {"path": "private.txt", "content": rig.guard.secret}, token=THEIRS)
    return rig.kept(rig.server.call(reads, {"path": "private.txt"}, token=MINE)).word


def many_at_once(count: int) -> Callable[[Rig], str]:
    """Return what makes the ordinary call so many times in one moment."""

    def act(rig: Rig) -> str:
        call = rig.target.ordinary or Call(rig.listed.quiet or "nothing")
        rig.prepare()
        with ThreadPoolExecutor(count) as pool:
            replies = list(pool.map(lambda _: rig.call(call.tool, call.arguments, 120), range(count)))
        words = {each.word for each in replies}
        may_wait = count > 2 and "ok" in words <= {"ok", "busy"}
        return "ok or busy" if may_wait else ", ".join(sorted(words))

    return act


def _ended(rig: Rig, stop: Callable[[], None]) -> str:
    if not until(lambda: bool(rig.working()), BEGINS_S):
        return "never ran"
    stop()
    return "ended" if until(lambda: not rig.working()) else "went on"


def _begin(rig: Rig, how: Callable[[str, Any], Callable[[], None]]) -> str:
    if rig.target.endless is None:
        return NOTHING
    return _ended(rig, how(rig.target.endless.tool, rig.target.endless.arguments))


def taken_back(rig: Rig) -> str:
    """Cancel an endless call."""
    return _begin(rig, rig.server.begin)


def client_gone(rig: Rig) -> str:
    """Break the connection under an endless call."""
    outcome = _begin(rig, rig.server.vanish)
    if isinstance(rig.server, Stdio) and outcome != NOTHING:  # whose client is the only one
        until(lambda: not rig.alive, BEGINS_S)
    return outcome


def server_killed_while(rig: Rig, call: Callable[[], None], working: Callable[[], bool]) -> str:
    """Kill the server while it works, and say what became of the processes below it."""
    if not until(working, BEGINS_S):
        return "never ran"
    below = set(descendants(rig.server.process.pid))
    rig.server.process.kill()
    rig.server.process.wait()
    call()  # held until here: a connection that nobody holds is closed, and its call with it
    return "ended" if until(lambda: not below & set(descendants(os.getpid()))) else "went on"


def server_killed(rig: Rig) -> str:
    """Kill the server in the middle of an endless call."""
    if rig.target.endless is None:
        return NOTHING
    call = rig.server.begin(rig.target.endless.tool, rig.target.endless.arguments)
    return server_killed_while(rig, call, lambda: bool(rig.working()))


def full_workspace(rig: Rig) -> str:
    """Fill the quota with a file of holes, then write."""
    if not rig.listed.writes:
        return NOTHING
    holes = rig.guard.workspace / "holes"
    with holes.open("wb") as file:
        file.truncate(3 << 30)
    reply = rig.call(rig.listed.writes, {"path": "x", "content": "one more"})
    holes.unlink()
    return reply.word


FOREIGN: tuple[dict[str, str], ...] = (
    {"Host": "evil.com"},
    {"Host": "127.0.0.1:{port},evil.com"},
    {"Host": "evil.com@127.0.0.1:{port}"},
    {"Host": "127.0.0.1:{port}.evil.com"},
    {"Host": "0.0.0.0:{port}"},
    {"Origin": "http://evil.com"},
    {"Origin": "http://evil.com@127.0.0.1"},
    {"Origin": "http://127.0.0.1:{port},http://evil.com"},
    {"Origin": "http://localhost.evil.com"},
    {"Origin": "null"},
)


def foreign_names(rig: Rig) -> str:
    """Ask with a good token under the names of another site, as a browser would that a foreign page has caught."""
    if not isinstance(rig.server, Http):
        return NOTHING
    port = str(rig.server.port)
    return in_order(
        f"HTTP {rig.server.under({key: value.replace('{port}', port) for key, value in names.items()})}"
        for names in FOREIGN
    )


GUESSES, SLOW_S = 8, 1.5


def guessed_tokens(rig: Rig) -> str:
    """Guess tokens, eight at once: it must take longer than the machine needs to refuse them."""
    if not isinstance(rig.server, Http):
        return NOTHING
    server, began = rig.server, time.monotonic()
    with ThreadPoolExecutor(GUESSES) as pool:
        found = list(pool.map(lambda n: server.under({}, token=f"guess-{n:020}"), range(GUESSES)))
    slow = "slowly" if time.monotonic() - began >= SLOW_S else "at once"
    return f"{in_order(f'HTTP {each}' for each in found)} {slow}"


READABLE = (0o644, 0o640, 0o620, 0o606)


def tokens_of_others(rig: Rig) -> str:
    """Start a server on a token file that others may read or change: it must not listen."""
    if not isinstance(rig.server, Http):
        return NOTHING
    words = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tokens"
        file.write_text(MINE)
        for mode in READABLE:
            file.chmod(mode)
            started = subprocess.Popen(
                [*rig.argv, "--http", "127.0.0.1:0", "--token-file", str(file)],
                env=rig.environment,
                cwd=rig.guard.cwd,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert started.stderr is not None
            said = started.stderr.readline()  # what is wrong, or where it listens
            started.kill()
            started.communicate()
            words.append(
                "listens" if "http://" in said else "refused" if "token file" in said else said.strip()
            )
    return in_order(words)


SESSIONS, IDLE_S, LOOKS = 50, 1, 10


def sessions_left_idle(rig: Rig) -> str:
    """Begin sessions of the older protocol and leave them: none may be known after the time for which one may idle."""
    if not isinstance(rig.server, Http):
        return NOTHING
    server = Http(rig.argv, {**rig.environment, "LABRIG_SERVE_SESSION_IDLE_S": str(IDLE_S)}, rig.guard.cwd)
    try:
        sessions = [server.session() for _ in range(SESSIONS)]
        known = server.in_session(sessions[-1])
        for _ in range(LOOKS):
            time.sleep(2 * IDLE_S)  # to ask in a session is to use it
            sessions = [each for each in sessions if server.in_session(each) != 404]
            if not sessions:
                return f"HTTP {known}, HTTP 404"
        return f"HTTP {known}, {len(sessions)} kept"
    finally:
        server.close()
