"""What a tool lacks is fetched when it is first asked for, once however many calls wait, and said on stderr.

Only files out of a wheel (`SideEnv`, a few megabytes) come so. A Python of its own takes minutes and hundreds of
megabytes, and waits for ``labrig setup``.
"""

from __future__ import annotations

import asyncio
import sys
import threading

from labrig.commands import setup_command
from labrig.config import YES_NO, setting
from labrig.errors import LabrigError, Lacking
from labrig.progress import Progress
from labrig.sideenv import SideEnv, find_side_env, setup

_under_way: dict[str, asyncio.Future[None]] = {}
_lines: dict[str, str] = {}
LOOK_S = 0.2


async def bring(lacking: Lacking, progress: Progress) -> None:
    """Fetch what is lacking, or wait until another call has.

    Parameters
    ----------
    lacking
        What a tool raised.
    progress
        Is told each step, for the client of this call.

    Raises
    ------
    LabrigError
        `lacking` itself where nothing may be fetched: in a replay, under ``setup.first_use = "no"``, or for a side
        environment that is no `SideEnv`; else ``unavailable``, with what the installer said.
    """
    env = find_side_env(lacking.side_env)
    if not isinstance(env, SideEnv) or not _allowed():
        raise lacking
    loop = asyncio.get_running_loop()
    done = _under_way.get(env.name)
    if done is None or done.done() or done.get_loop() is not loop:
        done = _under_way[env.name] = loop.create_future()
        done.add_done_callback(lambda future: future.cancelled() or future.exception())
        _say(env.name, f"{env.title} are not installed, and are fetched now ({setup_command(env.name)})")
        # A thread that does not keep a server from ending, which those of asyncio do.
        threading.Thread(target=_fetch, args=(env, loop, done), daemon=True).start()
    while not done.done():
        progress(None, _lines[env.name])
        await asyncio.wait([done], timeout=LOOK_S)
    try:
        done.result()
    except LabrigError as error:
        raise LabrigError(
            f"{lacking.what}, and fetching failed: {error.what}",
            where=error.where or lacking.where,
            try_=f"the same call again with a network, or `{lacking.try_} --source DIR` with a folder of the files",
            code="unavailable",
        ) from error


def _allowed() -> bool:
    text = setting("setup", "first_use") or "yes"
    if text.lower() not in YES_NO:
        raise LabrigError(
            "This is neither yes nor no", where=f"[setup] first_use = {text}", expected="yes or no"
        )
    return YES_NO[text.lower()] and setting("http", "mode") != "replay"


def _fetch(env: SideEnv, loop: asyncio.AbstractEventLoop, done: asyncio.Future[None]) -> None:
    """Be the thread that fetches."""
    try:
        _say(env.name, setup(env, say=lambda line: _say(env.name, line)).message)
        answer = None
    except LabrigError as error:
        answer = error
    except Exception as error:
        answer = LabrigError(f"{type(error).__name__}: {error}", where=str(env.path), code="unavailable")
    try:
        loop.call_soon_threadsafe(_answer, done, answer)
    except RuntimeError:  # the server has ended
        return


def _answer(done: asyncio.Future[None], error: LabrigError | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)


def _say(name: str, line: str) -> None:
    _lines[name] = line
    print(f"labrig: {line}", file=sys.stderr, flush=True)
