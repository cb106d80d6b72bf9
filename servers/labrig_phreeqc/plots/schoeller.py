"""The diagram of Schoeller: the major ions of each water as a line, on a logarithmic scale.

Source: Schoeller (1935), Utilité de la notion des échanges de bases pour la comparaison des eaux souterraines, Comptes
rendus de la Société géologique de France 5, 651-657.
"""

from __future__ import annotations

import math
from typing import Any

from matplotlib.figure import Figure

from labrig.plotting import checks, style
from labrig_phreeqc.plots.key import make_key
from labrig_phreeqc.plots.water import read_waters

MAX_SAMPLES = 2000
IONS = (
    ("Ca²⁺", ("Ca",)),
    ("Mg²⁺", ("Mg",)),
    ("Na⁺ + K⁺", ("Na", "K")),
    ("Cl⁻", ("Cl",)),
    ("SO₄²⁻", ("SO4",)),
    ("HCO₃⁻ + CO₃²⁻", ("HCO3", "CO3")),
)
"""From the left, and the ions that are counted together."""


def figure(data: dict[str, Any]) -> Figure:
    """Draw a Schoeller diagram; data as those of `stiff.figure`, and group. A line has a gap where an ion is 0."""
    checks.record(data, "", ("samples",), (*checks.HEADING, "unit"))
    heading = checks.heading(data)
    unit = style.short(checks.text(data.get("unit", "meq/L"), "unit"), 20)
    waters = read_waters(data["samples"], MAX_SAMPLES, "draw fewer samples", ("group", "tds"))
    with style.house():
        key, entries = make_key(waters)
        sheet, _ = style.page(5.6, heading, style.glyph_notes(entry.name for entry in key))
        axes = sheet.subplots()
        seen: set[int] = set()
        for water, place in zip(waters, entries, strict=True):
            values = [water.sum(*ions) or float("nan") for _, ions in IONS]
            entry = key[place]
            axes.plot(
                range(len(IONS)),
                values,
                color=entry.colour,
                marker=entry.marker,
                markerfacecolor=entry.colour if entry.filled else "white",
                markersize=5,
                linewidth=1.2,
                alpha=0.9 if len(waters) <= 25 else 0.4,
                label=None if place in seen else entry.name,
            )
            seen.add(place)
        axes.set_xticks(range(len(IONS)), labels=[name for name, _ in IONS])
        style.logarithmic(axes, "y")
        known = [value for water in waters for _, ions in IONS if (value := water.sum(*ions))]
        axes.set_ylim(  # 10.0: a power of the integer may be greater than matplotlib takes
            10.0 ** math.floor(math.log10(min(known))), 10.0 ** math.ceil(math.log10(max(known)) + 1e-9)
        )
        axes.set_ylabel(unit)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
        return sheet
