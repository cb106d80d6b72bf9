"""Sizes and speed of outlines, next to the flat lists they replace.

    python benchmarks/outline_sizes.py [FOLDER or FILE ...]

Without arguments: the official reference outputs in shared/data, and a column of 20 cells x 200 shifts
made of one of their states. Sizes are characters; speed is 10^6 characters per second, best of five runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from labrig_phreeqc.output.outline import states
from labrig_phreeqc.output.outline_reading import outline_output
from labrig_phreeqc.output.outline_text import render
from labrig_phreeqc.output.toc import toc, toc_capped, toc_json

REFERENCES = (
    Path(__file__).resolve().parents[1].parent / "shared" / "data" / "phreeqc-examples" / "reference_out"
)


def outputs(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names and texts of PHREEQC outputs."""
    for root in map(Path, arguments or [str(REFERENCES)]):
        for path in sorted(root.glob("*.out")) if root.is_dir() else [root]:
            yield path.stem, path.read_text(encoding="utf-8", errors="replace")


def column(text: str, cells: int = 20, shifts: int = 200) -> str:
    """Repeat the last state of an output as if it were printed for every cell after every shift."""
    tree = outline_output(text)
    (last,) = states(tree, tree.states[-1].first, tree.states[-1].first)
    state = "\n".join(text.split("\n")[last.first : last.last])
    return "".join(
        f"Beginning of advection time step {shift}, cumulative pore volumes {shift / cells:f}.\n"
        + "".join(f"\nCell {cell}.\n{state}\n" for cell in range(1, cells + 1))
        for shift in range(1, shifts + 1)
    )


def speed(function: Callable[[str], object], text: str) -> float:
    """Megabytes (10^6 characters) per second, best of five."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function(text)
        times.append(time.perf_counter() - start)
    return len(text) / 1e6 / min(times)


def main(arguments: Sequence[str] = ()) -> None:
    """Print one row per output, and the totals."""
    rows = list(outputs(arguments))
    if not rows and not arguments:
        print("skipped: the official reference outputs are not beside this checkout")
        return
    if not rows:
        raise SystemExit(f"no *.out files in {', '.join(arguments)}")
    print(
        f"{'output':12}{'chars':>11}{'states':>7}{'flat':>9}{'capped':>8}{'ours':>7}{'/flat':>7}"
        f"{'unfolded':>9}{'MB/s':>7}"
    )
    total = [0, 0, 0, 0]
    for name, text in rows:
        tree = outline_output(text)
        pages = (toc_json(toc(text)), toc_json(toc_capped(text)), render(tree), render(tree, fold=None))
        sizes = [len(page) for page in pages]
        total = [a + b for a, b in zip(total, sizes, strict=True)]
        print(
            f"{name:12}{len(text):11}{len(tree.states):7}{sizes[0]:9}{sizes[1]:8}{sizes[2]:7}"
            f"{sizes[2] / sizes[0]:7.0%}{sizes[3]:9}{speed(outline_output, text):7.0f}"
        )
    flat, capped, ours, unfolded = total
    print(f"{'total':30}{flat:9}{capped:8}{ours:7}{ours / max(flat, 1):7.0%}{unfolded:9}")
    print(f"ours / flat list {ours / max(flat, 1):.1%}, ours / capped list {ours / max(capped, 1):.1%}")
    if not arguments:
        big = column(dict(rows)["ex14"])
        print(
            f"{len(big) / 1e6:.1f} MB column: {speed(outline_output, big):.0f} MB/s, toc {speed(toc, big):.0f} MB/s"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
