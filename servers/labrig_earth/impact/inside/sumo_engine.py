"""SUMO in its own Python: netconvert, duarouter and sumo are run on files that the server wrote; nothing is imported.

The network is disturbed here, since netconvert makes it: a closed lane admits no class of vehicle. Undisturbed and
disturbed roads see the same seeds. What SUMO writes holds the time of the run and paths, so tables are made of it.
"""

from __future__ import annotations

import csv
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labrig.isolation.inside.answering import Refused

HERE = Path(sys.prefix)
SHOWN = 600
MOST_WARNINGS = 12
TELEPORT_S = 300
"""After which a vehicle that stands in a jam is moved past it; SUMO's default. It is counted."""

COLUMNS = ("seed", "roads", "trip", "departure_delay_s", "duration_s", "time_loss_s", "route_m", "finished")
OF_EDGES = ("vehicles", "time_loss_s")
DRY = ("--xml-validation", "never", "--xml-validation.net", "never", "--no-step-log")


def run(arguments: dict[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Simulate the seeds of both cases; ``trips.csv`` and ``edges.csv`` are left, and the network if it was made."""
    folder = Path(os.environ["TMPDIR"])
    programs = Programs()
    whole = inputs / "network.net.xml"
    if not whole.exists():
        whole = outputs / "network.net.xml"
        programs.run(
            "netconvert",
            *(
                "-n",
                inputs / "roads.nod.xml",
                "-e",
                inputs / "roads.edg.xml",
                "-o",
                whole,
                "--no-turnarounds",
                "true",
            ),
        )
        _without_comments(whole)
    cases = {"undisturbed": whole}
    if arguments["disturbed"]:
        cases["disturbed"] = folder / "disturbed.net.xml"
        _disturb(whole, cases["disturbed"], set(arguments["closed"]), arguments["factors"])
    found: dict[str, Any] = {}
    edges: dict[str, dict[str, list[float]]] = {}
    with (outputs / "trips.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for case, network in cases.items():
            found[case] = _simulated(programs, case, network, arguments, inputs, folder, table, edges)
    _write_edges(outputs / "edges.csv", whole, set(arguments["closed"]), arguments, edges)
    return {"version": programs.version(), "warnings": programs.warned(), "cases": found}


class Programs:
    """The programs of the wheel, and what they warned of."""

    def __init__(self) -> None:
        (self._folder,) = sorted(HERE.glob("lib/python3*/site-packages/sumo"))
        self._warnings: dict[str, int] = {}

    def run(self, program: str, *arguments: object) -> str:
        """Run a program and return what it printed; Refused, ``engine``, where it fails."""
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(
                [str(self._folder / "bin" / program), *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env={
                    "SUMO_HOME": str(self._folder),
                    "PROJ_DATA": str(self._folder / "data" / "proj"),
                    "TMPDIR": os.environ["TMPDIR"],
                    "HOME": os.environ["TMPDIR"],
                    "PATH": "/usr/bin:/bin",
                    "LC_ALL": "C.UTF-8",
                },
                check=False,
            )
            size = said.seek(0, os.SEEK_END)
            said.seek(0)
            text = said.read(1 << 20).decode("utf-8", "replace")
        most = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        if done.returncode != 0 and (
            size == most or done.returncode == -signal.SIGXFSZ or "File too large" in text[-SHOWN:]
        ):
            raise Refused(
                f"{program} printed, or wrote into a file, more than {most:,} bytes",
                code="limit",
                where=program,
            )
        for line in text.splitlines():
            if line.startswith("Warning: "):
                kind = re.sub(r"'[^']*'", "'...'", line.removeprefix("Warning: "))
                kind = re.sub(r"\d+(\.\d+)?", "N", kind)
                self._warnings[kind] = self._warnings.get(kind, 0) + 1
        if done.returncode != 0:
            wrong = " ".join(line for line in text.splitlines() if line.startswith("Error"))
            raise Refused(
                f"{program} stopped ({done.returncode}): {(wrong or text)[-SHOWN:]}".replace(
                    os.environ["TMPDIR"], "RUN"
                ),
                code="engine",
                where=program,
            )
        return text

    def version(self) -> str:
        """Return what the program says of itself."""
        match = re.search(r"Eclipse SUMO sumo (\S+)", self.run("sumo", "--version"))
        if match is None:
            raise Refused("sumo does not say its version", code="engine")
        return f"SUMO {match[1]}"

    def warned(self) -> list[str]:
        """Return the kinds of warnings with their counts."""
        kinds = sorted(self._warnings.items(), key=lambda each: (-each[1], each[0]))
        return [f"SUMO, {count} times: {kind}"[:250] for kind, count in kinds[:MOST_WARNINGS]]


def _without_comments(path: Path) -> None:
    """Take the head out, in which the time of the run stands."""
    tree.parse(path).write(path, encoding="utf-8")


def _disturb(whole: Path, target: Path, closed: set[str], factors: dict[str, float]) -> None:
    """Write the network with closed edges and changed speed limits."""
    network = tree.parse(whole)
    for edge in network.getroot().iter("edge"):
        name = edge.get("id", "")
        for lane in edge.iter("lane"):
            if name in closed:
                lane.attrib.pop("allow", None)
                lane.set("disallow", "all")
            if name in factors:
                lane.set("speed", f"{float(lane.get('speed', '0')) * factors[name]:.4f}")
    network.write(target, encoding="utf-8")


def _simulated(
    programs: Programs,
    case: str,
    network: Path,
    arguments: dict[str, Any],
    inputs: Path,
    folder: Path,
    table: Any,
    edges: dict[str, dict[str, list[float]]],
) -> dict[str, Any]:
    """Route the trips of a case, and run its seeds."""
    routed = folder / f"{case}.rou.xml"
    programs.run(
        "duarouter",
        *(
            "-n",
            network,
            "-r",
            inputs / f"{case}.rou.xml",
            "-o",
            routed,
            "--ignore-errors",
            "--no-warnings",
            *DRY,
        ),
    )
    ways = {
        each.get("id", ""): each.find("route").get("edges", "").split()  # type: ignore[union-attr]
        for each in tree.parse(routed).getroot().iter("vehicle")
    }
    asked = _asked(inputs / f"{case}.rou.xml")
    runs = [
        _seed(programs, case, network, routed, seed, arguments, folder, table, edges)
        for seed in arguments["seeds"]
    ]
    return {
        "routes": len(ways),
        "unroutable": [name for name in asked if name not in ways],
        "cut": [name for name, way in ways.items() if (way[0], way[-1]) != asked.get(name)],
        "crossing": [
            name for name, way in ways.items() if case == "disturbed" and set(arguments["closed"]) & set(way)
        ],
        "runs": runs,
    }


def _asked(path: Path) -> dict[str, tuple[str, str]]:
    """Return where each trip begins and ends."""
    found = {}
    for each in tree.parse(path).getroot():
        if each.tag == "trip":
            found[each.get("id", "")] = (each.get("from", ""), each.get("to", ""))
        elif each.tag == "vehicle":
            way = each.find("route").get("edges", "").split()  # type: ignore[union-attr]
            found[each.get("id", "")] = (way[0], way[-1])
    return found


def _seed(
    programs: Programs,
    case: str,
    network: Path,
    routed: Path,
    seed: int,
    arguments: dict[str, Any],
    folder: Path,
    table: Any,
    edges: dict[str, dict[str, list[float]]],
) -> dict[str, int]:
    """Run one seed, and return what SUMO itself counts."""
    trips, counts, roads, more = (
        folder / name for name in ("trips.xml", "counts.xml", "roads.xml", "more.xml")
    )
    more.write_text(f'<additional><edgeData id="all" file="{roads}" excludeEmpty="true"/></additional>')
    rerouting: Sequence[object] = ()
    if arguments["rerouting_share"]:
        rerouting = (
            *(
                "--device.rerouting.probability",
                arguments["rerouting_share"],
                "--device.rerouting.period",
                60,
            ),
            *("--device.rerouting.adaptation-interval", 10),
        )
    programs.run(
        "sumo",
        *(
            "-n",
            network,
            "-r",
            routed,
            "-a",
            more,
            "--seed",
            seed,
            "--end",
            arguments["end_s"],
            *DRY,
            *rerouting,
        ),
        *(
            "--tripinfo-output",
            trips,
            "--tripinfo-output.write-unfinished",
            "--tripinfo-output.write-undeparted",
        ),
        *("--statistic-output", counts, "--duration-log.disable", "--time-to-teleport", TELEPORT_S),
    )
    for each in tree.parse(trips).getroot().iter("tripinfo"):
        ended = float(each.get("arrival", "-1")) >= 0 and not each.get("vaporized")
        cells = [each.get(name, "") for name in ("departDelay", "duration", "timeLoss", "routeLength")]
        table.writerow([seed, case, each.get("id", ""), *cells, int(ended)])
    for each in tree.parse(roads).getroot().iter("edge"):
        if not each.get("id", "").startswith(":"):
            sums = edges.setdefault(each.get("id", ""), {}).setdefault(case, [0.0, 0.0])
            sums[0] += float(each.get("departed", "0")) + float(each.get("entered", "0"))
            sums[1] += float(each.get("timeLoss", "0"))
    said = tree.parse(counts).getroot()
    vehicles, teleports = said.find("vehicles"), said.find("teleports")
    if vehicles is None or teleports is None:
        raise Refused("sumo left no counts", code="engine", where="statistic-output")
    return {
        "seed": seed,
        **{name: int(vehicles.get(name, "-1")) for name in ("loaded", "inserted", "running", "waiting")},
        "teleports": int(teleports.get("total", "-1")),
    }


def _write_edges(
    path: Path,
    network: Path,
    closed: set[str],
    arguments: dict[str, Any],
    edges: dict[str, dict[str, list[float]]],
) -> None:
    """Write what each edge saw, mean over the seeds, with the line of its first lane."""
    count = len(arguments["seeds"])
    cases = ("undisturbed", "disturbed") if arguments["disturbed"] else ("undisturbed",)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        sums = [f"{case}_{name}" for case in cases for name in OF_EDGES]
        table.writerow(["edge", "closed", "speed_m_s", "length_m", *sums, "shape"])
        for edge in tree.parse(network).getroot().iter("edge"):
            name, lane = edge.get("id", ""), edge.find("lane")
            if name.startswith(":") or lane is None:
                continue
            seen = [value / count for case in cases for value in edges.get(name, {}).get(case, (0.0, 0.0))]
            row = [name, int(name in closed), lane.get("speed"), lane.get("length")]
            table.writerow([*row, *(f"{value:.6g}" for value in seen), lane.get("shape")])
