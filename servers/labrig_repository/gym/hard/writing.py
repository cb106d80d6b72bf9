"""The files of a hard repository as text: README, changes, lists, and a table for each visit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import numpy as np

from labrig_repository.gym.hard.plan import DAY, Correction, Logger, Plan, Visit
from labrig_repository.gym.hard.records import Records, how_written, limit
from labrig_repository.gym.numbers import Integers

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIME, SAMPLE = "time", "sample"


def paths(plan: Plan) -> dict[str, tuple[int, str]]:
    """Return the data files: of each path the visit, and ``new``, ``old`` or ``copy``."""
    found = {}
    for number, visit in enumerate(plan.visits):
        stem = path_stem(plan, visit)
        found[f"{stem}_v2.csv" if visit.superseded else f"{stem}.csv"] = (number, "new")
        if visit.superseded:
            found[f"{stem}.csv"] = (number, "old")
        if visit.copied:
            found[f"{stem}_copy.csv"] = (number, "copy")
    return found


def path_stem(plan: Plan, visit: Visit) -> str:
    """Return the path of a visit's file without version and extension."""
    site, logger = plan.sites[visit.site].code, plan.loggers[visit.logger].code
    if plan.levels["joins"] == 2:
        return f"data/{moment(visit.start)[:7]}/{visit.code}"
    return f"data/{site}/{visit.code}_{site}_{logger}"


def moment(minute: int, form: str = "%Y-%m-%d %H:%M") -> str:
    """Return a minute since 1970 as text."""
    return (EPOCH + timedelta(minutes=minute)).strftime(form)


def day(number: int) -> str:
    """Return a day since 1970 as text."""
    return moment(number * DAY)[:10]


def table(plan: Plan, records: Records, number: int, *, old: bool) -> str:
    """Return the file of a visit."""
    visit, logger, world = plan.visits[number], plan.loggers[plan.visits[number].logger], plan.world
    rows = np.arange(visit.rows, dtype=np.int64)
    if plan.levels["copies"] >= 1 and visit.code.endswith(("2", "6")):
        rows = np.concatenate([rows, rows[len(rows) // 3 : len(rows) // 3 + 3]])
    visits = np.full(len(rows), number, dtype=np.int64)
    columns = [[f"{visit.code}-{row:05d}" for row in rows.tolist()]]
    columns.append(_times(records.times(visits, rows), logger))
    heads, units = [SAMPLE, TIME], ["", ""]
    for place, measured in enumerate(plan.measured):
        form = how_written(logger, measured, place)
        unit = "" if place in logger.untold or (visit.untold and place == plan.main) else form.unit.name
        heads.append(logger.names[place] + (f" ({unit})" if unit and logger.told == "heading" else ""))
        units.append(unit)
        columns.append(_cells(records, visits, rows, place, logger, old=old))
    order = [each for each in logger.order if each < 2 or each - 2 != logger.absent]
    heads, units, columns = ([part[each] for each in order] for part in (heads, units, columns))  # type: ignore[assignment]
    fixed = [
        (
            world.category.column,
            [world.category.levels[each] for each in records.categories(visits, rows).tolist()],
        )
    ]
    if plan.levels["joins"] < 2:
        fixed.append(("site", [plan.sites[visit.site].code] * len(rows)))
    if plan.levels["joins"] == 0:
        site = plan.sites[visit.site]
        fixed.append((world.factor.column, [world.factor.levels[site.factor]] * len(rows)))
        fixed.append((world.block.column, [world.block.levels[site.block]] * len(rows)))
    heads += [name for name, _ in fixed]
    units += [""] * len(fixed)
    columns += [cells for _, cells in fixed]
    mark = ";" if logger.semicolons else ","
    lines = [f"# logger {logger.code}", f"# exported for visit {visit.code}"] if logger.comments else []
    lines.append(mark.join(heads))
    if logger.told == "row":
        lines.append(mark.join(units))
    lines += map(mark.join, zip(*columns, strict=True))
    return "\n".join(lines) + "\n"


def _times(minutes: Integers, logger: Logger) -> list[str]:
    """Return the times of a file by its logger's clock."""
    return [moment(each + logger.offset, logger.form) for each in minutes.tolist()]


def _cells(
    records: Records, visits: Integers, rows: Integers, place: int, logger: Logger, *, old: bool
) -> list[str]:
    measured = records.plan.measured[place]
    decimals = how_written(logger, measured, place).decimals
    point = "," if logger.semicolons else "."
    mantissas = records.mantissas(visits, rows, place, old=old).tolist()
    missing = records.missing(visits, rows, place, old=old).tolist()
    return [
        logger.missing if gone else decimal(each, decimals, point)
        for each, gone in zip(mantissas, missing, strict=True)
    ]


def decimal(mantissa: int, decimals: int, point: str = ".") -> str:
    """Return a mantissa as a decimal number."""
    sign, digits = ("-" if mantissa < 0 else ""), f"{abs(mantissa):0{decimals + 1}d}"
    return f"{sign}{digits[:-decimals]}{point}{digits[-decimals:]}" if decimals else sign + digits


def lists(plan: Plan) -> dict[str, str]:
    """Return the files beside the data."""
    levels, world = plan.levels, plan.world
    found = {
        "README.md": readme(plan),
        "meta/columns.csv": _columns(plan),
        "meta/loggers.csv": _loggers(plan),
    }
    visits = [
        [
            *(each.code, plan.sites[each.site].code, plan.loggers[each.logger].code),
            *(moment(each.start)[:10], str(each.rows + each.said)),
        ]
        for each in plan.visits
    ]
    found["meta/visits.csv"] = _csv(["visit", "site", "logger", "day", "samples"], visits)
    if levels["joins"] >= 1:
        sites = [
            [each.code, world.factor.levels[each.factor], world.block.levels[each.block]]
            for each in plan.sites
        ]
        found["meta/sites.csv"] = _csv(["site", world.factor.column, world.block.column], sites)
    if levels["copies"] == 3:
        gone = [["visit", each.code, "seal broken"] for each in plan.visits if each.withdrawn]
        gone += [
            ["sample", f"{each.code}-{row:05d}", "mislabelled"]
            for each, row in zip(plan.visits, plan.withdrawn_rows, strict=True)
            if not each.withdrawn
        ]
        found["meta/withdrawn.csv"] = _csv(["what", "code", "reason"], gone)
    if levels["outliers"] == 2:
        windows = [
            [each.code, *(moment(each.start + row * plan.step) for row in each.maintained)]
            for each in plan.visits
            if each.maintained[0] <= each.maintained[1]
        ]
        found["meta/maintenance.csv"] = _csv(["visit", "from", "to"], windows)
    if levels["units"] == 2:
        told = [
            [logger.code, logger.names[place], logger.units[place].name]
            for logger in plan.loggers
            if logger.told == "table"
            for place in range(len(plan.measured))
            if place not in logger.untold and place != logger.absent
        ]
        found["meta/units.csv"] = _csv(["logger", "column", "unit"], told)
    if levels["readme"] == 2:
        found["CHANGES.md"] = _changes(plan, plan.correction)
    return found


def _csv(heads: list[str], rows: list[list[str]]) -> str:
    return (
        "\n".join(",".join(f'"{cell}"' if "," in cell else cell for cell in row) for row in (heads, *rows))
        + "\n"
    )


def _columns(plan: Plan) -> str:
    rows = []
    for place, each in enumerate(plan.measured):
        other = sorted({logger.names[place] for logger in plan.loggers} - {each.column})
        rows.append(
            [
                *(each.column, " ".join(other), each.about, "; ".join(each.called), each.unit),
                *(each.pilot_sd, each.smallest_effect),
            ]
        )
    heads = ["column", "also_written", "meaning", "called", "base_unit", "pilot_sd", "smallest_effect"]
    return _csv(heads, rows)


def _loggers(plan: Plan) -> str:
    rows = []
    for each in plan.loggers:
        sign, minutes = ("-" if each.offset < 0 else "+"), abs(each.offset)
        offset = f"{sign}{minutes // 60:02d}:{minutes % 60:02d}" if each.clock else ""
        form = (
            each.form.replace("%Y", "YYYY").replace("%m", "MM").replace("%d", "DD").replace("%H:%M", "hh:mm")
        )
        rows.append([each.code, form, offset, each.missing])
    return _csv(["logger", "time_form", "ahead_of_UTC", "missing"], rows)


def _changes(plan: Plan, correction: Correction) -> str:
    measured = plan.measured[plan.main]
    amount = decimal(int(correction.amount * 10**measured.decimals), measured.decimals)
    return (
        "# Changes\n\nData files stay as they were recorded; what is said here is for those who use them.\n\n"
        f"- Logger {plan.loggers[correction.logger].code} read `{measured.column}` too high by {amount} "
        f"{measured.unit} from {day(correction.first)} to {day(correction.last)} (days in UTC, both "
        "included): subtract it.\n"
    )


def readme(plan: Plan) -> str:
    """Return the README: what the project is, where things stand, and the rules by which it answers."""
    levels, world = plan.levels, plan.world
    files = {
        0: "Each row has the attributes of its place.",
        1: "`meta/sites.csv` has the attributes of the places.",
        2: "`meta/visits.csv` says at which place and by which logger a visit was; `meta/sites.csv` has the attributes "
        "of the places.",
    }[levels["joins"]]
    rules = [f"A sample is a row, and its code (`{SAMPLE}`) counts once, however often it stands in files."]
    if levels["copies"] >= 2:
        rules.append(
            "Of a visit with a file `_v2` that file alone counts; the one without `_v2` is superseded."
        )
    if levels["copies"] == 3:
        rules.append("Visits and samples in `meta/withdrawn.csv` do not count at all.")
    if levels["missing"] == 1:
        rules.append("-999 stands for a missing value.")
    if levels["missing"] >= 2:
        rules.append(
            "What stands for a missing value is in `meta/loggers.csv` (column `missing`; empty: an empty cell)."
        )
    if levels["columns"] >= 2:
        rules.append("Some loggers write other names of columns: `meta/columns.csv` (`also_written`).")
    if levels["columns"] == 3:
        rules.append("Where a file has no column for a quantity, it was not measured there.")
    told = "in the heading, in the row below it" if levels["units-row"] else "in the heading"
    told += ", or in `meta/units.csv`" if levels["units"] == 2 else ""
    rules.append(
        f"The unit of a column is told by the file ({told}); neither `base_unit` in `meta/columns.csv` nor this text "
        "tells it. A value whose unit is told nowhere cannot be used, and what would need it cannot be answered."
    )
    if levels["readme"] >= 1:
        measured = plan.measured[plan.main]
        rules.append(
            f"`{measured.column}` is in {plan.wrong_unit} throughout. (Where this text and a file disagree, the "
            "file is right.)"
        )
    if levels["readme"] == 2:
        rules.append("Corrections are in `CHANGES.md`; apply them.")
    rules.append(
        "Times in files are those of the logger's clock, in its form; `meta/loggers.csv` says how far a clock is ahead "
        "of UTC. Days and hours in requests are UTC. Where no offset is given, the UTC time of that logger's samples "
        "is not known, and what would need it cannot be answered."
    )
    if levels["outliers"] >= 1:
        limits = "; ".join(f"`{each.column}` {_plain(limit(each))} {each.unit}" for each in plan.measured)
        rules.append(
            "Readings that are recorded above these limits, before any correction, are faults of the instrument and "
            f"count as missing: {limits}."
        )
    if levels["outliers"] == 2:
        rules.append("So do all readings of the times in `meta/maintenance.csv` (UTC, both ends included).")
    rules += [
        "People ask for quantities by the names under `called` in `meta/columns.csv`. Where one name stands at two "
        "columns, nobody can say which is meant, and the request cannot be answered.",
        f"A difference between two levels of {world.factor.about} is taken within each level of {world.block.about} in "
        "which both occur, and the differences are averaged, each level alike. Where the samples that are asked for "
        "have them together in none, the difference cannot be told from one between those levels, and the request "
        "cannot be answered.",
        "A statistic of a test is reported only where each group that occurs (for a correlation: the whole) has at "
        "least 15.7 (pilot_sd / smallest_effect)^2 samples, by `meta/columns.csv` for the quantity that the request "
        "names first; else the request cannot be answered.",
    ]
    numbered = "\n".join(f"{number}. {rule}" for number, rule in enumerate(rules, 1))
    return (
        f"# {world.title}\n\n{len(plan.sites)} {world.places}, {len(plan.visits)} visits. Each visit is a file under "
        f"`data/`. {files} `meta/columns.csv` explains the columns.\n\n## Rules\n\n{numbered}\n"
    )


def _plain(number: Fraction) -> str:
    return f"{float(number):.10g}"
