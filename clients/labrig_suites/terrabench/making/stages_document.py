"""Stages with a document: its method read, its numbers made again out of the files, and held against what it prints.

============ =======================================================================================================
mode         what the document prints
============ =======================================================================================================
exact        the very numbers, with fewer digits than an answer needs
approximate  numbers of an earlier edition of the fields
structural   numbers at another level: differences between regions can be compared, values cannot
proxy        another quantity of which the one that can be computed is a stand-in
============ =======================================================================================================
"""

from __future__ import annotations

import random
from datetime import date, timedelta

import numpy as np

from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.documents import PATH, Report, make_pdf
from labrig_suites.terrabench.making.plan import Found, Number, Plan, Tolerance
from labrig_suites.terrabench.making.stages_grids import rounding, summers

MODES = ("exact", "approximate", "structural", "proxy")
REMARKS = {
    "exact": "Values are those of the fields beside this report, rounded for print.",
    "approximate": "Values are of an earlier edition of the fields, and differ a little from those beside this report.",
    "structural": "Values are at the level of the stations, which is not that of the fields: only differences compare.",
    "proxy": "Values are of the stations' highest readings, for which means of the fields are a stand-in.",
}
DAY = r"(\d{4}-\d{2}-\d{2})"


def again(plan: Plan, case: Case, mode: str) -> None:
    """Read the report, and compute by its method what it prints."""
    grids, rng, domain, unit = case.grids, case.rng, case.domain, case.domain.unit
    a, b = grids.boxes[:2]
    first = int(rng.integers(5, 60))
    last = first + int(rng.integers(20, 45))
    start = str(date(grids.year, 5, 1) + timedelta(days=first))
    end = str(date(grids.year, 5, 1) + timedelta(days=last))
    threshold = f"{np.quantile(grids.forecast, rng.uniform(0.35, 0.65)):.4g}"

    def part(box: object) -> np.ndarray:
        rows, columns = grids.inside(box, days=True)  # type: ignore[arg-type]
        return grids.days[first : last + 1, rows, columns]

    hindcast, _, observed = summers(case)
    share = (grids.forecast >= np.float32(threshold)).mean()
    true = {
        f"mean, {a.name}": float(part(a).mean()),
        f"mean, {b.name}": float(part(b).mean()),
        f"highest day, {a.name}": float(part(a).max()),
        "season, hindcast minus observations": float(hindcast.mean() - observed.mean()),
        "share of members that exceed (no unit)": float(share),
    }
    printed = {what: _printed(value, mode, case, what) for what, value in true.items()}
    draw = random.Random(int(rng.integers(1 << 30)))
    report = Report(start, end, threshold, tuple(printed.items()), REMARKS[mode])
    plan.files[PATH] = make_pdf(report, domain, draw)

    plan.call("open_paper", path=PATH)
    plan.call("outline", path=PATH)
    text = plan.call("read_pages", path=PATH, pages="1-1")
    table = plan.call("read_table", path=PATH, table="Table 1")
    when = {
        "start_time": Found(text.find(f"days from {DAY}"), start),
        "end_time": Found(text.find(f"days from {DAY} to {DAY}", 2), end),
    }
    reads = [
        plan.call(
            "read_netcdf_data",
            netcdf_path="data/days.nc",
            variable=domain.variable,
            lat_range=[box.south, box.north],
            lon_range=[box.west, box.east],
            sample_limit=0,
            **when,
        )
        for box in (a, b)
    ]
    exceeded = plan.call(
        "event_probability",
        member_paths=["data/forecast.nc"],
        variable=domain.variable,
        threshold=Found(text.find(r"at or above (-?[\d.]+)"), float(threshold)),
        mode="votes",
        output_path="work/exceeded.nc",
    )
    found: dict[str, Number] = {
        f"mean, {a.name}": reads[0].at("stats", "mean") * 1.0,
        f"mean, {b.name}": reads[1].at("stats", "mean") * 1.0,
        f"highest day, {a.name}": reads[0].at("stats", "max") * 1.0,
        "season, hindcast minus observations": plan.kept["hindcast"].at("mean")
        - plan.kept["observed"].at("mean"),
        "share of members that exceed (no unit)": exceeded.at("mean") * 1.0,
    }
    keys = dict(
        zip(
            true,
            (f"again_{a.key}", f"again_{b.key}", "again_highest", "again_season", "again_share"),
            strict=True,
        )
    )
    plan.questions.append(
        f"{PATH} reports on this summer and its outlook. Compute the numbers of its Table 1 again by its method: "
        f"data/days.nc for means and the highest day of {a.said} and {b.said}, the seasons as above, and the raw "
        "data/forecast.nc for the share of members. Give what comes out of the files, whatever is printed."
    )
    for what, key in keys.items():
        fine = Tolerance(0.002, "rounding: shares of ten members, averaged over months and cells")
        tolerance = fine if key == "again_share" else rounding(case)
        about = f"'{what}' out of the files{'' if key == 'again_share' else f', {unit}'}"
        plan.ask(key, about, true[what], found[what], tolerance)
        plan.document[key] = float(printed[what])
    if mode != "exact":
        for what, key in (
            (f"mean, {a.name}", f"printed_minus_{a.key}"),
            (f"mean, {b.name}", f"printed_minus_{b.key}"),
        ):
            plan.ask(
                key,
                f"the printed '{what}' minus that out of the files, {unit}",
                float(printed[what]) - true[what],
                table.find(rf"{what}\W+(-?[\d.]+)") - found[what],
                rounding(case),
            )
    plan.steps.append(
        "Open the report; its outline, text and table; period and threshold out of its text; the numbers again."
    )


def _printed(value: float, mode: str, case: Case, what: str) -> str:
    """Return a value as the report prints it."""
    rng, scatter = case.rng, case.grids.scatter
    off = float(rng.choice([-1.0, 1.0]))
    if "share" in what:
        moved = {"exact": 0.0, "approximate": 0.03, "structural": 0.12, "proxy": 0.2}[mode] * rng.uniform(
            0.6, 1.4
        )
        return f"{min(max(value + off * moved, 0.01), 0.99):.2f}" if mode != "exact" else f"{value:.1f}"
    if mode == "exact":
        # To a whole step of a tenth of the scatter: fewer digits than an answer needs.
        digits = max(0, 1 - int(np.floor(np.log10(scatter))))
        return f"{value:.{digits - 1 if digits else 0}f}"
    moved = {"approximate": 0.12, "structural": 0.8, "proxy": 1.3}[mode] * scatter * rng.uniform(0.6, 1.4)
    return f"{value + (moved if mode != 'approximate' else off * moved):.2f}"
