"""The diagrams of Gibbs: dissolved solids against the share of sodium and of chloride.

Source: Gibbs (1970), Mechanisms controlling world water chemistry, Science 170, 1088-1090. His three fields
(precipitation, rock, evaporation) were drawn by hand and have no stated borders: their names stand where he put them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from labrig.plotting import checks, style
from labrig_phreeqc.plots.key import key_look, make_key, point_look, point_size
from labrig_phreeqc.plots.piper import MAX_SAMPLES
from labrig_phreeqc.plots.water import Water, read_waters

MG_PER_MEQ = {
    "Ca": 20.039,
    "Mg": 12.1525,
    "Na": 22.98977,
    "K": 39.0983,
    "HCO3": 61.0168,
    "CO3": 30.0045,
    "SO4": 48.0313,
    "Cl": 35.453,
    "NO3": 62.0049,
    "F": 18.9984,
    "Br": 79.904,
}
_FIELDS = ((0.13, 300.0, "Rock"), (0.78, 12.0, "Precipitation"), (0.78, 12_000.0, "Evaporation"))


def place(water: Water) -> tuple[float, float, float]:
    """Return Na/(Na + Ca) and Cl/(Cl + HCO3) by mass, as Gibbs has them, and the sum of the ions in mg."""
    mg = {ion: value * MG_PER_MEQ[ion] for ion, value in water.meq.items()}
    sodium, chloride = mg["Na"] + mg["K"], mg["Cl"]
    return (
        sodium / (sodium + mg["Ca"]) if sodium + mg["Ca"] else float("nan"),
        chloride / (chloride + mg["HCO3"]) if chloride + mg["HCO3"] else float("nan"),
        sum(mg.values()),
    )


def figure(data: dict[str, Any]) -> Figure:
    """Draw both diagrams of Gibbs; data as those of `stiff.figure`, and group."""
    checks.record(data, "", ("samples",), (*checks.HEADING, "unit"))
    heading = checks.heading(data)
    basis = checks.text(data.get("unit", "meq/L"), "unit").rpartition("/")[2]
    waters = read_waters(data["samples"], MAX_SAMPLES, "draw fewer samples", ("group", "tds"))
    with style.house():
        key, entries = make_key(waters)
        notes = ["By mass; dissolved solids are the sum of the ions", *style.glyph_notes(e.name for e in key)]
        sheet, _ = style.page(5.8, heading, notes)
        panels = sheet.subplots(1, 2, sharey=True)
        points, of = np.array([place(water) for water in waters]), np.array(entries)
        for panel, axes in enumerate(panels):
            for number, entry in enumerate(key):
                mine = points[of == number]
                size, look = point_size(len(waters)), point_look(entry, len(waters))
                axes.scatter(mine[:, panel], mine[:, 2], s=size, clip_on=False, **look)  # sea water is at 1
            for x, y, name in _FIELDS:
                axes.text(x, y, name, style="italic", color=style.FAINT, ha="center", va="center", zorder=1)
            style.logarithmic(axes, "y")
            low, high = points[:, 2].min(), points[:, 2].max()
            axes.set(xlim=(0, 1), ylim=(min(3.0, low / 2), max(40_000.0, high * 2)))
            axes.set_xlabel(("(Na + K) / (Na + K + Ca)", "Cl / (Cl + HCO₃)")[panel])
        panels[0].set_ylabel(f"Sum of ions, mg/{basis}")
        handles = [Line2D([], [], linestyle="none", label=entry.name, **key_look(entry)) for entry in key]
        panels[1].legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1), handletextpad=0.3)
        return sheet
