"""SUMO for true values, run in the engine's own Python: cases as JSON on standard input, times of trips on its output.

It writes nodes, edges and trips by itself, from the same numbers that the item's files hold; nothing of the server is
imported. Drivers are all alike and never dawdle, so the seed, which is another one than the tool's, changes nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CASES, NETWORKS = "cases", "networks"
SEED, AFTER_S = 7, 7200
"""A seed, and the seconds that a run goes on after the last departure."""

HERE = Path(sys.prefix)


def program(name: str, folder: Path, *arguments: object) -> None:
    """Run a program of the wheel; RuntimeError with the end of what it said where it fails."""
    (home,) = HERE.glob("lib/python3*/site-packages/sumo")
    done = subprocess.run(
        [home / "bin" / name, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "SUMO_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{name}: {(done.stdout + done.stderr)[-300:]}")


def written(path: Path, root: str, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Path:
    """Write elements with attributes below a root."""
    top = tree.Element(root)
    for tag, fields in rows:
        tree.SubElement(top, tag, {name: str(value) for name, value in fields.items()})
    tree.ElementTree(top).write(path)
    return path


def roads(folder: Path, name: str, network: Mapping[str, Any]) -> Path:
    """Make SUMO's network of nodes and edges; no edge is left by turning round."""
    nodes = written(folder / f"{name}.nod.xml", "nodes", [("node", each) for each in network["nodes"]])
    edges = [
        ("edge", {"id": e["id"], "from": e["from"], "to": e["to"], "numLanes": e["lanes"], "speed": e["speed_m_s"]})
        for e in network["edges"]
    ]  # fmt: skip
    net = folder / f"{name}.net.xml"
    streets = written(folder / f"{name}.edg.xml", "edges", edges)
    program("netconvert", folder, "-n", nodes, "-e", streets, "-o", net, "--no-turnarounds", "true")
    return net


def disturbed(net: Path, case: Mapping[str, Any], target: Path) -> Path:
    """Write a network on some edges of which nobody may drive, and others with their limits times a factor."""
    network = tree.parse(net)
    for edge in network.getroot().iterfind("edge"):
        for lane in edge.iterfind("lane"):
            if edge.get("id") in case["closed"]:
                lane.attrib.pop("allow", None)
                lane.set("disallow", "all")
            factor = case["factors"].get(edge.get("id"), 1)
            lane.set("speed", f"{float(lane.get('speed', 'nan')) * factor:.4f}")
    network.write(target)
    return target


def simulated(folder: Path, net: Path, case: Mapping[str, Any]) -> dict[str, Any]:
    """Run a case: by trip, seconds of waiting, of driving, and lost against a free road; and what was stuck."""
    if case["closed"] or case["factors"]:
        net = disturbed(net, case, folder / "disturbed.net.xml")
    kind = ("vType", {"id": "car", "sigma": 0, "speedDev": 0})
    trips = [
        ("trip", {"id": name, "type": "car", "depart": depart, "from": start, "to": end})
        for name, depart, start, end in case["trips"]
    ]
    asked = written(folder / "trips.xml", "routes", [kind, *trips])
    ways, took, counts = folder / "ways.xml", folder / "took.xml", folder / "counts.xml"
    program("duarouter", folder, "-n", net, "-r", asked, "-o", ways, "--seed", SEED)
    end = max(depart for _, depart, _, _ in case["trips"]) + AFTER_S
    program(
        "sumo",
        folder,
        *("-n", net, "-r", ways, "--seed", SEED, "--end", end, "--no-step-log"),
        *("--tripinfo-output", took, "--statistic-output", counts, "--duration-log.disable"),
    )
    found = {
        each.get("id"): [float(each.get(name, "nan")) for name in ("departDelay", "duration", "timeLoss")]
        for each in tree.parse(took).getroot().iterfind("tripinfo")
    }
    teleports = tree.parse(counts).getroot().find("teleports")
    moved = int(teleports.get("total", "0")) if teleports is not None else 0
    return {"took": found, "stuck": len(trips) - len(found) + moved}


def main() -> None:
    """Answer the cases of standard input."""
    given = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        nets = {name: roads(folder, name, each) for name, each in given[NETWORKS].items()}
        print(json.dumps([simulated(folder, nets[each["network"]], each) for each in given[CASES]]))


if __name__ == "__main__":
    main()
