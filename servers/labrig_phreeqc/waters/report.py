"""A survey as others need it: a CSV with every row, a summary of bounded size, and the data of the usual pictures."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from labrig.tables.formulas import without_formula
from labrig.tables.writing import csv_text
from labrig_phreeqc.waters.balance import Balance
from labrig_phreeqc.waters.survey import CALCITE, Row, Survey

SUMMARY_CHARS = 6_500
"""Size that a summary keeps within, as JSON, whatever the table."""
ALL_ROWS = 12
"""Rows up to which a summary has every value of every row."""
HIGHEST = 5
MANY_ROWS = 10
"""Rows above which a summary names those with the highest values."""
MEQ = ("Ca", "Mg", "Na", "K", "HCO3", "CO3", "SO4", "Cl", "NO3", "F")


def to_csv(survey: Survey) -> str:
    """Return a line for each row of the table, rejected ones included, with units in the heading."""
    basis = _basis(survey)
    heading = [
        "sample",
        "line",
        "group",
        "status",
        "reasons",
        "findings",
        "remark",
        "pH",
        "temperature (degC)",
        "pe",
        f"cations (meq/{basis})",
        f"anions (meq/{basis})",
        "charge error (%)",
        "charge error of PHREEQC (%)",
        "water type",
        f"hardness (mg/{basis} as CaCO3)",
        f"sum of constituents (mg/{basis})",
        "ionic strength (mol/kgw)",
        *(f"SI({each})" for each in survey.phases),
        "CaCO3 precipitation potential (mg/L as CaCO3)",
        "Langelier index",
        *(f"{each} (meq/{basis})" for each in MEQ),
        "above drinking-water limits",
    ]
    lines = (_line(survey, row) for row in survey.rows)
    return csv_text(
        heading, ([*map(without_formula, line), *[""] * (len(heading) - len(line))] for line in lines)
    )


def _line(survey: Survey, row: Row) -> list[str]:
    start = [row.sample, str(row.line), row.group, row.status]
    if row.water is None or row.balance is None or row.speciation is None:
        return [*start, "; ".join(each.words for each in row.reasons)]
    analysis, its, solved = row.water.analysis, row.balance, row.speciation
    return [
        *start,
        solved.failure,
        "; ".join([*row.beyond, *(each.text(explanations=3) for each in row.notices)]),
        row.remark,
        *("" if math.isnan(value) else f"{value:.6g}" for value in (analysis.pH, analysis.temperature)),
        _figures(solved.pe, 4),
        _figures(its.cations, 5),
        _figures(its.anions, 5),
        _decimals(its.charge_error, 2),
        _decimals(solved.charge_error, 2),
        its.water_type,
        _figures(its.hardness, 4),
        _figures(row.solids, 4),
        _figures(solved.ionic_strength, 4),
        *(_decimals(solved.SI.get(each), 3) for each in survey.phases),
        _figures(row.precipitation, 4),
        _decimals(row.langelier, 2),
        *(_figures(its.meq.get(each), 5) for each in MEQ),
        "; ".join(map(str, row.above_limits)),
    ]


def _decimals(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value + 0.0:.{decimals}f}"


def _figures(value: float | None, figures: int) -> str:
    return "" if value is None else f"{value:.{figures}g}"


def summary(survey: Survey, chars: int = SUMMARY_CHARS) -> dict[str, Any]:
    """Return what an answer can hold: counts, ranges, the rows that need attention.

    Parameters
    ----------
    chars
        Characters of JSON to stay within; the longer lists end earlier, and say how many there are.
    """
    for size in (24, 16, 12, 8, 6, 4, 3, 2, 1):
        found = _summary(survey, size)
        if len(json.dumps(found, ensure_ascii=False)) <= chars:
            break
    return found


def _summary(survey: Survey, size: int) -> dict[str, Any]:
    clip = 60 + 10 * size
    columns = survey.table.columns
    used = [each for each in columns if each.role not in ("text", "left out")]
    found: dict[str, Any] = {
        "rows": len(survey.rows),
        **{status: survey.count(status) for status in ("ok", "flagged", "unsolved", "rejected")},
        "balanced": survey.count("balanced") or None,
        "columns_used": _some((_column(each.header, each.said) for each in used), 2 * size, 60),
        "columns_left_out": _some((f"{each.header}: {each.why}" for each in columns if each.why), size, clip),
        "columns_kept_as_text": _some((each.header for each in columns if each.role == "text"), size, 30),
        "notes": _some(survey.notes, size, 2 * clip),
        "charge_error": _range([row.balance.charge_error if row.balance else None for row in survey.rows])
        | {"unit": "%", "limit": survey.charge_limit},
        "water_types": _types(survey, size),
        "saturation": _phases(survey, 2 * size),
        "CaCO3_precipitation_potential": _potential(survey),
        "rows_above_drinking_water_limits": _above_limits(survey, size),
        "highest": _highest(survey, min(size, HIGHEST)),
        "ionic_strength": _range(
            [row.speciation.ionic_strength if row.speciation else None for row in survey.rows]
        )
        | {"unit": "mol/kgw"},
        "rejected_rows": _rows(
            survey, "rejected", size, clip, lambda row: "; ".join(x.words for x in row.reasons)
        ),
        "unsolved_rows": _rows(survey, "unsolved", size, clip, _unsolved),
        "flagged_rows": _rows(survey, "flagged", size, 2 * clip, lambda row: "; ".join(row.doubtful)),
    }
    if len(survey.rows) <= ALL_ROWS:
        found["table"] = _table(survey)
    return {key: value for key, value in found.items() if value not in ([], {}, None)}


def _unsolved(row: Row) -> str:
    failure = row.speciation.failure if row.speciation else ""
    return "; ".join([failure, *row.doubtful])


def _column(header: str, said: str) -> str:
    """Write a heading, with what was understood where it does not say the same itself."""
    plain = header.replace(" ", "").casefold()
    return (
        header
        if all(part.casefold() in plain for part in said.replace(" as ", " ").split())
        else f"{header} [{said}]"
    )


def _some(texts: Iterable[str], number: int, clip: int) -> list[str]:
    every = [_clipped(text, clip) for text in texts]
    more = len(every) - number
    return every if more <= 0 else [*every[:number], f"and {more} more"]


def _clipped(text: str, clip: int) -> str:
    return text if len(text) <= clip else text[: clip - 3].rstrip() + "..."


def _range(values: Iterable[float | None]) -> dict[str, Any]:
    known = [each for each in values if each is not None]
    if not known:
        return {"n": 0}
    return {
        "n": len(known),
        "min": _short(min(known)),
        "median": _short(statistics.median(known)),
        "max": _short(max(known)),
    }


def _short(value: float) -> float:
    return float(f"{value:.3g}")


def _potential(survey: Survey) -> dict[str, Any]:
    values = [row.precipitation for row in survey.rows]
    above = sum(each is not None and each > 0 for each in values)
    found = _range(values)
    return found | ({"above_0": above} if found["n"] else {}) | {"unit": "mg/L as CaCO3"}


def _above_limits(survey: Survey, size: int) -> dict[str, int]:
    """Return how many rows exceed each limit of drinking water; the CSV says which."""
    counts = Counter(str(limit) for row in survey.rows for limit in row.above_limits)
    return dict(counts.most_common(size))


def _highest(survey: Survey, number: int) -> dict[str, Any] | None:
    """Return sample, line and value of the rows that scale most, where there are many rows."""
    if len(survey.rows) <= MANY_ROWS:
        return None
    columns = {
        f"SI({CALCITE})": [
            (row, row.speciation.SI.get(CALCITE) if row.speciation else None) for row in survey.rows
        ],
        "CaCO3_precipitation_potential": [(row, row.precipitation) for row in survey.rows],
    }
    found = {}
    for name, pairs in columns.items():
        known = sorted(((value, row) for row, value in pairs if value is not None), key=lambda each: -each[0])
        if known:
            found[name] = [
                [_clipped(row.sample, 24), row.line, _short(value)] for value, row in known[:number]
            ]
    return found


def _types(survey: Survey, size: int) -> dict[str, int]:
    counts = Counter(row.balance.water_type for row in survey.rows if row.balance and row.balance.water_type)
    common = dict(counts.most_common(size))
    rest = counts.total() - sum(common.values())
    return common | ({"others": rest} if rest else {})


def _phases(survey: Survey, size: int) -> list[dict[str, Any]]:
    found = []
    for phase in survey.phases[:size]:
        indices = [row.speciation.SI.get(phase) for row in survey.rows if row.speciation]
        known = [each for each in indices if each is not None]
        entry = {"phase": phase, **_range(known)}
        if phase.endswith("(g)"):
            entry["is"] = "log10 of the fugacity in atm"
        elif known:
            entry["supersaturated"] = sum(each > 0 for each in known)
        found.append(entry)
    if len(survey.phases) > size:
        found.append({"more_phases": len(survey.phases) - size})
    return found


def _rows(
    survey: Survey, status: str, number: int, clip: int, words: Callable[[Row], str]
) -> list[dict[str, Any]]:
    rows = [row for row in survey.rows if row.status == status]
    found: list[dict[str, Any]] = [
        {"sample": _clipped(row.sample, 40), "line": row.line, "why": _clipped(words(row), clip)}
        for row in rows[:number]
    ]
    if len(rows) > number:
        found.append(
            {"more": len(rows) - number, "lines": [row.line for row in rows[number : number + 2 * number]]}
        )
    return found


def _table(survey: Survey) -> dict[str, Any] | None:
    """Return every value of every accepted row, under one heading; phases that none of them can form are left out."""
    rows = survey.accepted
    phases = [
        phase
        for phase in survey.phases
        if any(r.speciation and r.speciation.SI.get(phase) is not None for r in rows)
    ]
    lines = []
    for row in rows:
        assert row.speciation is not None and row.balance is not None and row.water is not None
        indices = (row.speciation.SI.get(each) for each in phases)
        lines.append(
            [
                _clipped(row.sample, 24),
                None if math.isnan(row.water.analysis.pH) else row.water.analysis.pH,
                _rounded(row.balance.charge_error, 1),
                row.balance.water_type,
                None if row.speciation.ionic_strength is None else _short(row.speciation.ionic_strength),
                *(_rounded(each, 2) for each in indices),
                None if row.precipitation is None else _short(row.precipitation),
                _rounded(row.langelier, 2),
            ]
        )
    heading = [
        "sample",
        "pH",
        "charge error (%)",
        "water type",
        "ionic strength (mol/kgw)",
        *(f"SI({each})" for each in phases),
        "CaCO3 precipitation potential (mg/L)",
        "Langelier index",
    ]
    return {"columns": heading, "rows": lines} if lines else None


def _rounded(value: float | None, decimals: int) -> float | None:
    return None if value is None else round(value, decimals) + 0.0


def piper_data(survey: Survey) -> dict[str, Any]:
    """Return the equivalents behind a Piper diagram.

    Returns
    -------
    dict
        ``{"unit": "meq/L", "samples": [{"name", "meq": {"Ca", "Mg", "Na", "K", "HCO3", "CO3", "SO4", "Cl", "NO3", "F"},
        "group"}], "left_out": [names]}``. Waters without equivalents on one of the two sides have no place in it.
    """
    return _equivalents(survey, lambda its: bool(its.water_type))


def stiff_data(survey: Survey) -> dict[str, Any]:
    """Return the equivalents behind Stiff diagrams, as `piper_data` does; one measured ion is enough."""
    return _equivalents(survey, lambda its: any(its.meq.values()))


def _equivalents(survey: Survey, fits: Callable[[Balance], bool]) -> dict[str, Any]:
    samples, left_out = [], []
    for row in survey.rows:
        if row.balance is None or not fits(row.balance):
            left_out.append(row.sample)
            continue
        meq: Mapping[str, float] = {
            ion: float(f"{row.balance.meq[ion]:.6g}") for ion in MEQ if ion in row.balance.meq
        }
        samples.append({"name": row.sample, "meq": meq, **({"group": row.group} if row.group else {})})
    return {"unit": f"meq/{_basis(survey)}", "samples": samples, "left_out": left_out}


def saturation_data(survey: Survey) -> dict[str, Any]:
    """Return saturation indices by phase, null where there is none.

    Returns
    -------
    dict
        ``{"samples": [names], "phases": [{"name", "SI": [number or null]}]}``, rejected rows left out.
    """
    rows: Sequence[Row] = survey.accepted
    return {
        "samples": [row.sample for row in rows],
        "phases": [{"name": phase, "SI": [_index(row, phase) for row in rows]} for phase in survey.phases],
    }


def _index(row: Row, phase: str) -> float | None:
    value = row.speciation.SI.get(phase) if row.speciation else None
    return None if value is None else round(value, 4)


def _basis(survey: Survey) -> str:
    waters = survey.table.waters
    return waters[0].analysis.basis if waters else "L"
