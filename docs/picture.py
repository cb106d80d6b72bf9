"""Draw the picture of the README from a real run: a question, the call, its answer and the line of its source.

python docs/picture.py            writes docs/first-answer.svg
python docs/picture.py --check    says whether the picture is what a run gives now, and fails where it is not
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).parent / "first-answer.svg"
QUESTION = "Is this groundwater saturated with calcite?"
WATER = {
    "units": "mg/L", "temp": 12, "pH": 7.4, "Ca": 80, "Mg": 20, "Na": 30, "Alkalinity": "250 as HCO3",
    "S(6)": "90 as SO4", "Cl": 40,
}  # fmt: skip
WANTED = ("pH =", "ionic strength =", "charge error =", "saturation_indices:", "assumed:", "source:")
"""Lines of the answer that the picture shows; it leaves out the table of contents of the output."""
WIDTH = 104


def answer_lines() -> list[str]:
    """Ask the server by the command, and return the lines of its answer that are shown."""
    text = "SOLUTION 1\n" + "".join(f" {name} {value}\n" for name, value in WATER.items()) + "END"
    command = [
        sys.executable,
        "-m",
        "labrig_cli",
        "call",
        "phreeqc",
        "execute_phreeqc",
        json.dumps({"input": text}),
    ]
    done = subprocess.run([*command, "--text"], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if line.startswith(WANTED)]


def drawn(lines: list[str]) -> str:
    """Return the picture as SVG, without fonts of other hosts."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"# {QUESTION}", style="italic bright_black"))
    console.print(
        Text('$ labrig call phreeqc execute_phreeqc \'{"input": "SOLUTION 1 .."}\' --text', style="bold")
    )
    for line in lines:
        name, mark, rest = line.partition(" = " if " = " in line else ": ")
        rest = (
            re.sub(r"(^\[.*\"SI\": \{|\"|, \"Epsomite.*)", "", rest) if name == "saturation_indices" else rest
        )
        console.print(Text.assemble((name, "cyan"), mark, (rest, "green" if name == "source" else "")))
    svg = console.export_svg(title="Labrig", unique_id="labrig")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)


def main() -> int:
    """Write the picture, or compare it."""
    now = drawn(answer_lines())
    if "--check" not in sys.argv[1:]:
        PICTURE.write_text(now, encoding="utf-8")
        return 0
    if PICTURE.read_text(encoding="utf-8") == now:
        return 0
    print("docs/first-answer.svg is not what a run gives now: python docs/picture.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
