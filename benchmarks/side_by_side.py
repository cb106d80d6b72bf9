"""What the same call costs in two checkouts, made by turns: whether walls have become dearer since a commit.

    git worktree add ../before COMMIT
    python -m benchmarks side_by_side ../before

Both run in this Python, with the packages and side environments that it has. Each is a process that makes the call when
it is told to; they are told by turns, so what else the machine does meets both. A call is a line of pandas in the
sandbox, with either backend, the speciation of sea water by PHREEQC, what a child of Earth says of a small field in
NetCDF and in Zarr and of a layer in GeoJSON, a part of a Zarr store that is fetched, two pages of a PDF, and the page
of an article in HTML. What is called unwalled is read in the process itself, so that a reader which does more than
before is told from walls which cost more. Of time the medians are printed, and of processor time (user and system) what
each process and all below it took a call, which tells more on a machine at other work.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
OF_EARTH = {
    "netcdf": ("describe_data", "field.nc"),
    "zarr": ("describe_data", "field.zarr"),
    "geojson": ("gis_measure", "layer.geojson"),
}
CALLS = (
    "bubblewrap",
    "landlock",
    "phreeqc",
    *OF_EARTH,
    "fetched",
    "pdf",
    "wiki",
    "unwalled-netcdf",
    "unwalled-pdf",
)
WARMING = 5
READY = "ready"


async def prepared(call: str, stack: AsyncExitStack) -> Callable[[], Awaitable[None]]:
    """Return a function that makes the call, once its server is up."""
    from benchmarks.fork_server import SPECIATION
    from benchmarks.sandbox import LINE

    if call == "phreeqc":
        from labrig_phreeqc.engine.engine import Engine

        engine = await stack.enter_async_context(Engine())

        async def speciated() -> None:
            assert (await engine.run(SPECIATION)).status == "ok"

        return speciated
    if call in OF_EARTH:
        return await prepared_of_earth(call, stack)
    if call in (others := {"fetched": prepared_fetching, "pdf": prepared_pdf, "wiki": prepared_wiki}):
        return await others[call](stack)
    if call.startswith("unwalled"):
        return prepared_unwalled(call, stack)
    from labrig.sandbox import Sandbox

    sandbox = await stack.enter_async_context(Sandbox(backend=call))

    async def computed() -> None:
        assert (await sandbox.run(LINE)).status == "ok"

    return computed


async def prepared_of_earth(call: str, stack: AsyncExitStack) -> Callable[[], Awaitable[None]]:
    """Return the same of a file that children of Earth read behind walls."""
    from labrig_earth.work import asking

    operation, name = OF_EARTH[call]
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    write_earth(folder)
    scratch = folder / "scratch"
    scratch.mkdir()
    opened = [os.open(each, os.O_RDONLY) for each in (folder / name, scratch)]
    by = await stack.enter_async_context(asking.workers())

    async def looked() -> None:
        given = {"data": [asking.Given(name, opened[0])]}
        assert (await asking.run(by, operation, given, {}, opened[1])).data

    return looked


async def prepared_fetching(stack: AsyncExitStack) -> Callable[[], Awaitable[None]]:
    """Return the same of a Zarr store on this machine's network."""
    from fastmcp import Client

    from labrig.serving.builder import build
    from labrig.toolbox import ServeOptions
    from labrig_earth.server import toolbox

    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    write_earth(folder)
    handler = partial(Quiet, directory=str(folder))
    site = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), handler))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    stack.callback(site.shutdown)
    origin = f"http://127.0.0.1:{site.server_port}"
    os.environ |= {"LABRIG_HOME": str(folder / "home"), "LABRIG_HTTP_PRIVATE_ORIGINS": origin}
    options = ServeOptions(workspace=folder / "work", toolsets=("default", "online"))
    client = await stack.enter_async_context(Client(build(toolbox, options)))
    asked = {"kind": "zarr", "url": f"{origin}/field.zarr", "variables": ["t"]}

    async def fetched() -> None:
        await client.call_tool("fetch_part", asked)

    return fetched


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, and no log."""

    def log_message(self, format: str, *words: object) -> None:
        """Say nothing."""


async def prepared_pdf(stack: AsyncExitStack) -> Callable[[], Awaitable[None]]:
    """Return the same of two pages of a paper."""
    from benchmarks.papers import _paper

    from labrig_papers.pdf.apart import Reader, readers

    path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "paper.pdf"
    path.write_bytes(_paper())
    descriptor = os.open(path, os.O_RDONLY)
    reader = Reader(await stack.enter_async_context(readers()), descriptor, path.name)

    async def read() -> None:
        assert len(await reader.pages([1, 2])) == 2

    return read


async def prepared_wiki(stack: AsyncExitStack) -> Callable[[], Awaitable[None]]:
    """Return the same of an article of 100 sections and links."""
    from labrig_atlas.wiki.about import About
    from labrig_atlas.wiki.apart import page_apart, readers

    parts = (f"<h2>Part {n}</h2><p>Words of it, and <a href='./P{n}'>a link</a>.</p>" for n in range(100))
    html = f"<html><body>{''.join(parts)}</body></html>".encode()
    by = await stack.enter_async_context(readers())

    async def parsed() -> None:
        assert (await page_apart(by, html, About("https://example.org/wiki/P", "P"))).title == "P"

    return parsed


def prepared_unwalled(call: str, stack: AsyncExitStack) -> Callable[[], Awaitable[None]]:
    """Return the same of the field in NetCDF or the two pages, read here."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    if call == "unwalled-pdf":
        import pypdfium2
        from benchmarks.papers import _paper

        from labrig_papers.pdf.pages import read_pages

        content = _paper()

        async def read() -> None:
            assert len(list(read_pages(pypdfium2.PdfDocument(content), [1, 2]))) == 2

        return read
    from labrig_earth.data.formats import Place
    from labrig_earth.work.calls import Call
    from labrig_earth.work.running import run

    write_earth(folder)
    given = Call({"data": (Place(str(folder / "field.nc"), "field.nc"),)}, {}, folder)

    async def described() -> None:
        assert run("describe_data", given)

    return described


def write_earth(folder: Path) -> None:
    """Write 4 x 40 x 50 values, and 100 squares."""
    import numpy as np
    import xarray as xr

    places = {"latitude": np.linspace(39.0, 0.0, 40), "longitude": np.arange(50.0)}
    values = np.arange(8000.0).reshape(4, 40, 50)
    data = xr.Dataset({"t": (("time", *places), values, {"units": "K"})}, places)
    data.to_netcdf(folder / "field.nc", engine="netcdf4")
    data.to_zarr(folder / "field.zarr", zarr_format=2)
    rings = [[[n, 0], [n + 1, 0], [n + 1, 1], [n, 1], [n, 0]] for n in range(100)]
    features = [
        {"type": "Feature", "properties": {"n": n}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
        for n, ring in enumerate(rings)
    ]
    whole = {"type": "FeatureCollection", "features": features}
    (folder / "layer.geojson").write_text(json.dumps(whole))


async def work(call: str) -> None:
    """Make the call for each line of standard input, and print how long it took, in seconds."""
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        make = await prepared(call, stack)
        for _ in range(WARMING):
            await make()
        print(READY, flush=True)
        while await loop.run_in_executor(None, sys.stdin.readline):
            began = time.perf_counter()
            await make()
            print(time.perf_counter() - began, flush=True)


def worker(checkout: Path, call: str) -> subprocess.Popen[str]:
    """Start the process of a checkout; this file may be newer than that."""
    folders = [checkout / name for name in ("shared", "servers", "clients")]
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), "--work", call],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*folders, HERE]))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline().strip() == READY
    return process


def used(process: subprocess.Popen[str]) -> float:
    """Return the processor time in ms that a process, those below it and those that ended there have taken."""
    rows: dict[int, tuple[int, float]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            rows[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    own = {process.pid}
    while more := {pid for pid, (parent, _) in rows.items() if parent in own} - own:
        own |= more
    return 1000 * sum(rows[pid][1] for pid in own) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the times of each call in both checkouts, and their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("before", type=Path, nargs="?", help="the other checkout")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--call", choices=CALLS, action="append", help="only this one; repeatable")
    parser.add_argument("--work", choices=CALLS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        asyncio.run(work(given.work))
        return
    if given.before is None or not (given.before / "shared" / "labrig").is_dir():
        parser.error("the folder of another checkout is needed")
    for call in given.call or CALLS:
        workers = {"before": worker(given.before.resolve(), call), "now": worker(HERE, call)}
        took: dict[str, list[float]] = {name: [] for name in workers}
        began = {name: used(process) for name, process in workers.items()}
        for number in range(given.rounds):
            for name in sorted(workers, reverse=bool(number % 2)):
                process = workers[name]
                assert process.stdin is not None and process.stdout is not None
                print("go", file=process.stdin, flush=True)
                took[name].append(1000 * float(process.stdout.readline()))
        spent = {name: (used(each) - began[name]) / given.rounds for name, each in workers.items()}
        for process in workers.values():
            process.communicate()
        quarters = {name: statistics.quantiles(times)[:2] for name, times in took.items()}
        print(
            f"{call}: "
            + "; ".join(
                f"{name} median {median:.2f} ms, first quarter {first:.2f} ms, processor {spent[name]:.2f} ms"
                for name, (first, median) in quarters.items()
            )
            + f"; now / before {quarters['now'][1] / quarters['before'][1]:.2f}, "
            f"{quarters['now'][0] / quarters['before'][0]:.2f}, processor {spent['now'] / spent['before']:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
