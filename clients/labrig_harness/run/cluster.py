"""Running a plan on a dask cluster: many machines, one shared output folder.

A task is one record. The worker has it made by a process beside it, which writes the record to the shared folder;
what travels back is how that went, so nothing that was paid for lives in a worker's memory alone, and a
record that is there is never made again, however often dask starts its task. An item that kills processes takes
its own with it and no neighbour.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError
from labrig.redaction import redact
from labrig_harness.records import outfolder
from labrig_harness.run.attempts import missing
from labrig_harness.run.makers import DIED, OURS, Refused, end_makers, make_record
from labrig_harness.run.plan import RunPlan, prepare
from labrig_harness.trajectory import Trajectory

LOCAL = "local"
TRIES = 3
"""Times a record is tried whose worker or process died, the last one alone on the cluster."""

CONNECT_S = 20.0


def run(
    plan: RunPlan,
    out: Path,
    scheduler: str,
    *,
    progress: Callable[[Trajectory], None] = lambda each: None,
) -> list[Path]:
    """Run what is not recorded yet on a cluster, and return the records' folders.

    Parameters
    ----------
    scheduler
        Address of a dask scheduler (``tcp://host:8786``), or ``local`` for a cluster on this machine with as
        many workers as ``plan.jobs``. Every worker must have this version of Labrig, and see `out` under the
        same path.

    Raises
    ------
    LabrigError
        If dask is not installed, the scheduler cannot be reached, or a worker does not see the folder.
    """
    dask = _import_distributed()
    out = out.resolve()
    plan = prepare(plan, out)
    local: Any = None
    try:
        if scheduler == LOCAL:
            with _no_module_of_this_folder():
                local = dask.LocalCluster(
                    n_workers=plan.jobs, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
                )
        client = dask.Client(local or scheduler, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise LabrigError(
            f"The scheduler cannot be reached: {error}",
            where=f"--scheduler {scheduler}",
            expected="tcp://host:port of a running dask scheduler, or local",
            code="unavailable",
        ) from error
    try:
        return _run_on(client, plan, out, progress)
    finally:
        with suppress(Exception):  # a worker that is gone has taken its processes with it
            client.run(end_makers)
        client.close()
        if local is not None:
            local.close()


@contextmanager
def _no_module_of_this_folder() -> Iterator[None]:
    """Have the workers that dask starts take no file of the working folder for a module, as ``-P`` does."""
    if "PYTHONSAFEPATH" in os.environ:
        yield
        return
    os.environ.update([OURS])
    try:
        yield
    finally:
        del os.environ["PYTHONSAFEPATH"]


def _import_distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError as error:
        raise LabrigError(
            "dask.distributed is not installed", try_="pip install 'labrig[cluster]'", code="unavailable"
        ) from error


def _run_on(client: Any, plan: RunPlan, out: Path, progress: Callable[[Trajectory], None]) -> list[Path]:
    folders = {
        (sample.id, epoch): outfolder.record_folder(out, plan.label, sample.id, epoch)
        for sample, epoch in plan.units()
    }
    run = secrets.token_hex(8)
    todo = [unit for unit, folder in folders.items() if missing(folder) is not None]
    reasons: dict[tuple[str, int], str] = {}
    for attempt in range(TRIES):
        alone = attempt == TRIES - 1
        for batch in [[unit] for unit in todo] if alone else [todo]:
            reasons |= _run_batch(client, run, plan, out, batch, attempt, folders, progress)
        todo = [unit for unit in todo if unit in reasons and missing(folders[unit]) is not None]
        if not todo:
            break
    for unit in todo:
        _write_lost(plan, folders[unit], unit, reasons[unit])
    return list(folders.values())


def _run_batch(
    client: Any,
    run: str,
    plan: RunPlan,
    out: Path,
    units: list[tuple[str, int]],
    attempt: int,
    folders: dict[tuple[str, int], Path],
    progress: Callable[[Trajectory], None],
) -> dict[tuple[str, int], str]:
    """Run records on the cluster; return those that brought none, each with the reason."""

    def submit(unit: tuple[str, int]) -> Any:
        # A key that the scheduler has not forgotten yet would bring the result of the attempt before.
        key = f"{plan.label}/{unit[0]}/{unit[1]}/{attempt}"
        return client.submit(one_record, run, str(out), plan.label, *unit, key=key, pure=False)

    futures = {submit(unit): unit for unit in units}
    lost: dict[tuple[str, int], str] = {}
    for future in _import_distributed().as_completed(list(futures)):
        unit = futures.pop(future)
        failure = future.exception() if future.status == "error" else None
        problem = str(failure) if failure is not None else str(future.result())
        # A future that is held would be computed again when the worker that holds its result dies.
        future.release()
        if type(failure) is RuntimeError:
            raise LabrigError(problem, where="the dask cluster", code="unavailable")
        record = folders[unit] / "trajectory.json"
        if record.exists():
            progress(Trajectory.from_dict(json.loads(record.read_text(encoding="utf-8"))))
        else:
            lost[unit] = problem or "no record was written"
    return lost


def one_record(run: str, out: str, label: str, item: str, epoch: int) -> str:
    """Make one record; this is what a worker runs.

    Parameters
    ----------
    run
        What tells this run from others that the worker has a part in.

    Returns
    -------
    str
        Empty when the record is there, else how its process ended without one.

    Raises
    ------
    RuntimeError
        When this worker cannot make any record of the run: it does not see the folder, or lacks a key or program.
    """
    folder = outfolder.record_folder(Path(out), label, item, epoch)
    if not (Path(out) / label / "run.json").is_file():
        raise RuntimeError(f"a worker does not see {out}")
    if missing(folder) is None:
        return ""
    try:
        return make_record(run, out, label, item, epoch)
    except Refused as refused:
        raise RuntimeError(str(refused)) from None


def _write_lost(plan: RunPlan, folder: Path, unit: tuple[str, int], reason: str) -> None:
    """Record that an item brought no record; where its own process died, as its agent's end, which is scored.

    Where its worker died under it each time, that is not a fault of the agent, and `labrig resume` makes it again.
    """
    item, epoch = unit
    making = outfolder.making(folder)
    lost = Trajectory(
        task=item,
        suite=plan.suite.name,
        agent=plan.agent.label,
        arm=plan.arm.name,
        epoch=epoch,
        seed=plan.seed,
        steps=(),
        submission=None,
        end="agent_error" if reason.startswith(DIED) else "server_error",
        end_detail=f"no record after {TRIES} tries: {redact(reason)}",
        model=plan.agent.model,
        settings=plan.agent.settings,
        meta={"attempts": [], "started": datetime.now(UTC).isoformat(timespec="milliseconds")},
    )
    outfolder.write_atomically(making / "trajectory.json", outfolder.json_text(lost.to_dict()) + "\n")
    outfolder.place(making, folder)
