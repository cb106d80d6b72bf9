"""A resources server in NeMo Gym's form: rows for its trainers, and ``/seed_session``, ``/TOOL``, ``/verify`` for them.

A row names its sample and holds no truth: that stays in this process. A session begins with its row, has a server and
a workspace of its own, and ends when it is verified.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from labrig_harness.endings import Ending
from labrig_harness.recording.warm import warm_servers
from labrig_harness.run.bench import WorkBench
from labrig_study.bridges.episode import Episode
from labrig_study.view.serving import HOST, listen

COOKIE = "labrig_session"
FORGOTTEN_S = 3600.0
"""After so long a session that nobody verified is ended."""

Episodes = Mapping[str, Episode]


@dataclass
class Session:
    """One episode in work."""

    episode: Episode
    folder: Path
    bench: WorkBench
    began: float = field(default_factory=time.monotonic)

    @classmethod
    def begin(cls, episode: Episode) -> Session:
        """Make the workspace; the server starts with the first call."""
        folder = Path(tempfile.mkdtemp(prefix="labrig-gym-"))
        calls, workspace = episode.open(folder)
        return cls(episode, folder, WorkBench(episode.sample.brief, episode.arm, calls, workspace))

    async def end(self) -> None:
        """End the server and remove the workspace."""
        await self.bench.__aexit__(None, None, None)
        shutil.rmtree(self.folder, ignore_errors=True)


def make_app(episodes: Episodes) -> Starlette:
    """Return the application; a page of another site that found the port is refused by its host's name."""
    sessions: dict[str, Session] = {}

    async def seed(request: Request) -> Response:
        for key in [key for key, each in sessions.items() if time.monotonic() - each.began > FORGOTTEN_S]:
            await sessions.pop(key).end()
        about = (await _read_object(request)).get("verifier_metadata")
        name = about.get("sample") if isinstance(about, dict) else None
        if not isinstance(name, str) or name not in episodes:
            return PlainTextResponse(f"There is no sample {name!r} here", 404)
        key = secrets.token_urlsafe(24)
        sessions[key] = Session.begin(episodes[name])
        answer = JSONResponse({})
        answer.set_cookie(COOKIE, key, httponly=True)
        return answer

    async def call(request: Request) -> Response:
        session = sessions.get(request.cookies.get(COOKIE, ""))
        if session is None:
            return PlainTextResponse("There is no such session: begin with /seed_session", 404)
        try:
            result = await session.bench.call(request.path_params["tool"], await _read_object(request))
        except Ending as ended:
            return PlainTextResponse(f"The episode is over: {ended}", 409)
        return PlainTextResponse(result.text, 400 if result.is_error else 200)

    async def verify(request: Request) -> Response:
        row = await _read_object(request)
        try:
            last = read_last(row["response"]["output"])
        except (KeyError, TypeError, AttributeError):  # the session stays
            return PlainTextResponse(
                "There is no response with an output, as the Responses API gives it", 400
            )
        session = sessions.pop(request.cookies.get(COOKIE, ""), None)
        if session is None:
            return PlainTextResponse("There is no such session, or it was verified", 404)
        try:
            score = session.episode.score_folder(session.folder, last)
        finally:
            await session.end()
        return JSONResponse({**row, "reward": score.strict, "compat": score.compat, "answer": score.answer})

    return Starlette(
        routes=[
            Route("/seed_session", seed, methods=["POST"]),
            Route("/verify", verify, methods=["POST"]),
            Route("/{tool}", call, methods=["POST"]),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])],
    )


async def _read_object(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"The body is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise HTTPException(400, "The body is no JSON object")
    return body


def read_last(output: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the last message in the output of a response."""
    said = [
        "".join(part.get("text", "") for part in item["content"] if part.get("type") == "output_text")
        for item in output
        if item.get("type") == "message"
    ]
    return next((text for text in reversed(said) if text.strip()), "")


async def make_rows(episodes: Episodes) -> list[dict[str, Any]]:
    """Return a row for each episode: what the model is asked with its tools, and which sample it is."""
    first = Session.begin(next(iter(episodes.values())))
    try:
        tools = [
            {
                "type": "function",
                "name": tool["name"],
                "description": tool.get("description", ""),
                "parameters": tool["inputSchema"],
                "strict": False,
            }
            for tool in await first.bench.tools()
        ]
    finally:
        await first.end()
    return [
        {
            "responses_create_params": {
                "input": [{"role": "user", "content": each.prompt}],
                "tools": tools,
                "parallel_tool_calls": False,
            },
            "verifier_metadata": {
                "suite": each.suite.name,
                "arm": each.arm.name,
                "sample": name,
                "labels": each.sample.labels,
            },
        }
        for name, each in episodes.items()
    ]


def serve(episodes: Episodes, port: int, say: Callable[[str], None]) -> None:
    """Serve episodes until Ctrl-C; `say` is told the address."""
    import uvicorn

    with listen(port) as (listening, address), warm_servers():
        say(address)
        config = uvicorn.Config(make_app(episodes), log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[listening])
