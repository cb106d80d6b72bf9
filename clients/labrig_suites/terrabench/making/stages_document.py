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
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.documents import PATH, Report, make_pdf
from labrig_suites.terrabench.making.plan import Found, Number, Plan, Result, Tolerance
from labrig_suites.terrabench.making.stages_grids import cells_of, rounding, summers

MODES = ("exact", "approximate", "structural", "proxy")
REMARKS = {
    "exact": "Values are those of the fields beside this report, rounded for print.",
    "approximate": "Values are of an earlier edition of the fields, and differ a little from those beside this report.",
    "structural": "Values are at the level of the stations, which is not that of the fields: only differences compare.",
    "proxy": "Values are of the stations' highest readings, for which means of the fields are a stand-in.",
}
DAY = r"(\d{4}-\d{2}-\d{2})"


@dataclass(frozen=True)
class _Method:
    """The period and the threshold of a report, as it prints them."""

    first: int
    last: int
    start: str
    end: str
    threshold: str


@dataclass(frozen=True)
class _Row:
    """A row of the report's table: what it says, the key that asks for it, what is true and how it comes out."""

    what: str
    key: str
    true: float
    number: Number


def again(plan: Plan, case: Case, mode: str) -> None:
    """Read the report, and compute by its method what it prints."""
    unit, (a, b) = case.domain.unit, case.grids.boxes[:2]
    method = _method(case)
    plan.call("open_paper", path=PATH)
    plan.call("outline_paper", path=PATH)
    text = plan.call("read_pages", path=PATH, pages="1-1")
    table = plan.call("read_table", path=PATH, table="Table 1")
    rows = _rows(plan, case, method, text)
    printed = {row.what: _printed(row.true, mode, case, row.what) for row in rows}
    draw = random.Random(int(case.rng.integers(1 << 30)))
    report = Report(method.start, method.end, method.threshold, tuple(printed.items()), REMARKS[mode])
    plan.files[PATH] = make_pdf(report, case.domain, draw)
    plan.questions.append(
        f"{PATH} reports on this summer and its outlook. Compute the numbers of its Table 1 again by its method: "
        f"data/days.nc for means and the highest day of {a.said} and {b.said}, the seasons as above, and the raw "
        "data/forecast.nc for the share of members. Give what comes out of the files, whatever is printed."
    )
    for row in rows:
        fine = Tolerance(0.002, "rounding: shares of ten members, averaged over months and cells")
        share = row.key == "again_share"
        about = f"'{row.what}' out of the files{'' if share else f', {unit}'}"
        plan.ask(row.key, about, row.true, row.number, fine if share else rounding(case))
        plan.document[row.key] = float(printed[row.what])
    for box, row in zip((a, b), rows, strict=False) if mode != "exact" else ():
        plan.ask(
            f"printed_minus_{box.key}",
            f"the printed '{row.what}' minus that out of the files, {unit}",
            float(printed[row.what]) - row.true,
            table.find(rf"{row.what}\W+(-?[\d.]+)") - row.number,
            rounding(case),
        )
    plan.steps.append(
        "Open the report; its outline, text and table; period and threshold out of its text; the numbers again."
    )


def _method(case: Case) -> _Method:
    """Draw the period of a report, and a threshold that members of the forecast are near."""
    grids, rng = case.grids, case.rng
    first = int(rng.integers(5, 60))
    last = first + int(rng.integers(20, 45))
    start, end = (str(date(grids.year, 5, 1) + timedelta(days=each)) for each in (first, last))
    return _Method(first, last, start, end, f"{np.quantile(grids.forecast, rng.uniform(0.35, 0.65)):.4g}")


def _rows(plan: Plan, case: Case, method: _Method, text: Result) -> list[_Row]:
    """Have the numbers of the table computed by the method that stands in the report's text."""
    grids, variable = case.grids, case.domain.variable
    a, b = grids.boxes[:2]
    when = {
        "start_time": Found(text.find(f"days from {DAY}"), method.start),
        "end_time": Found(text.find(f"days from {DAY} to {DAY}", 2), method.end),
    }
    one, other = (
        plan.call("read_netcdf_data", netcdf_path="data/days.nc", variable=variable, **cells_of(box), **when)
        for box in (a, b)
    )
    exceeded = plan.call(
        "event_probability",
        member_paths=["data/forecast.nc"],
        variable=variable,
        threshold=Found(text.find(r"at or above (-?[\d.]+)"), float(method.threshold)),
        mode="votes",
        output_path="work/exceeded.nc",
    )
    days = grids.days[method.first : method.last + 1]
    here, there = (days[:, *grids.inside(box, days=True)] for box in (a, b))
    hindcast, _, observed = summers(case)
    share = (grids.forecast >= np.float32(method.threshold)).mean()
    seasons = plan.kept["hindcast"].at("mean") - plan.kept["observed"].at("mean")
    return [
        _Row(f"mean, {a.name}", f"again_{a.key}", here.mean(), one.at("stats", "mean") * 1.0),
        _Row(f"mean, {b.name}", f"again_{b.key}", there.mean(), other.at("stats", "mean") * 1.0),
        _Row(f"highest day, {a.name}", "again_highest", here.max(), one.at("stats", "max") * 1.0),
        _Row(
            "season, hindcast minus observations", "again_season", hindcast.mean() - observed.mean(), seasons
        ),
        _Row("share of members that exceed (no unit)", "again_share", share, exceeded.at("mean") * 1.0),
    ]


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
