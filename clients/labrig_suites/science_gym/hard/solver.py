"""Answers the question of a hard repository from its files alone: the program that runs in the sandbox.

Nothing here is imported by Labrig; `solution.program` reads this file as text and puts one line below it, which calls
`answer` with the readers of the sandbox. It shares nothing with the generator. What it knows of the files stands in
their README; what it knows of the question is the query: terms, units and conditions, as the words of it say them.
"""

import io
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

TO_BASE: dict[str, dict[str, tuple[float, float]]] = {
    "mg/L": {"ug/L": (1e-3, 0), "g/L": (1e3, 0)},
    "degC": {"degF": (5 / 9, -160 / 9), "K": (1, -273.15)},
    "uS/cm": {"mS/cm": (1e3, 0), "S/m": (1e4, 0)},
    "m": {"cm": (1e-2, 0), "ft": (0.3048, 0)},
    "mm": {"cm": (10, 0), "in": (25.4, 0)},
    "kPa": {"hPa": (0.1, 0), "bar": (100, 0)},
    "MPa": {"kPa": (1e-3, 0), "bar": (0.1, 0)},
    "m/s": {"km/h": (1 / 3.6, 0), "cm/s": (1e-2, 0)},
    "g": {"mg": (1e-3, 0), "kg": (1e3, 0)},
    "ug/m3": {"mg/m3": (1e3, 0), "ng/m3": (1e-3, 0)},
    "W/m2": {"kW/m2": (1e3, 0), "mW/cm2": (10, 0)},
    "mV": {"V": (1e3, 0), "uV": (1e-3, 0)},
    "mA": {"A": (1e3, 0), "uA": (1e-3, 0)},
    "L/min": {"m3/h": (1000 / 60, 0), "mL/s": (0.06, 0)},
    "h": {"min": (1 / 60, 0), "d": (24, 0)},
    "kJ": {"J": (1e-3, 0), "kcal": (4.184, 0)},
    "N": {"kN": (1e3, 0), "mN": (1e-3, 0)},
    "nm": {"um": (1e3, 0), "pm": (1e-3, 0)},
    "%": {"permille": (0.1, 0)},
    "s": {"ms": (1e-3, 0), "min": (60, 0)},
    "mg/kg": {"g/kg": (1e3, 0), "ug/kg": (1e-3, 0)},
    "kg/m3": {"g/cm3": (1e3, 0)},
    "eV": {"meV": (1e-3, 0), "keV": (1e3, 0)},
    "mT": {"T": (1e3, 0), "G": (0.1, 0)},
    "Hz": {"kHz": (1e3, 0)},
    "ppm": {"ppb": (1e-3, 0)},
}
"""By base unit: by what a value in a unit is multiplied, and what is added, for its value in the base unit."""
Reader = Callable[..., dict[str, Any]]


class NotPossible(Exception):
    """The README forbids an answer, or the files lack what it needs."""


def answer(query: dict[str, Any], list_directory: Reader, read_text: Reader, read_binary: Reader) -> str:
    """Return ``{"answer": ...}`` as JSON; beside "not possible" there is the reason."""
    try:
        return json.dumps({"answer": Answering(query, list_directory, read_text).result()})
    except NotPossible as error:
        return json.dumps({"answer": "not possible", "reason": str(error)})


class Answering:
    """One question."""

    def __init__(self, query: dict[str, Any], list_directory: Reader, read_text: Reader) -> None:
        self.query = query
        self._read_text = read_text
        self.paths = said(list_directory(query["repository"], "", None))["paths"]
        self.readme = self.text("README.md")
        self.columns = self.table("meta/columns.csv").set_index("column")
        self.loggers = self.table("meta/loggers.csv").set_index("logger")
        self.visits = self.table("meta/visits.csv").set_index("visit")
        gone = self.table("meta/withdrawn.csv")
        self.gone = set(gone["code"]) if len(gone) else set()

    def text(self, path: str) -> str:
        """Return what a file holds."""
        return str(said(self._read_text(self.query["repository"], path))["file_content"])

    def table(self, path: str) -> pd.DataFrame:
        """Return a list as texts; an empty one where the file is not there."""
        if path not in self.paths:
            return pd.DataFrame()
        return pd.read_csv(io.StringIO(self.text(path)), dtype=str, keep_default_na=False)

    def result(self) -> str:
        """Return the answer as text."""
        query = self.query
        if query["kind"] == "check":
            return str(self.check())
        self.main, self.other = self.column(query["term"]), self.column(query["other"])
        rows = self.samples()
        return repr(self.computed(rows)) if query["kind"] != "count" else str(int(self.computed(rows)))

    def column(self, term: str) -> str:
        """Return the column that a name stands for."""
        found = [
            name
            for name, called in self.columns["called"].items()
            if term in [each.strip() for each in called.split(";")]
        ]
        if len(found) != 1:
            raise NotPossible(f"{term}: {found}")
        return str(found[0])

    def to_base(self, column: str, unit: str) -> tuple[float, float]:
        """Return by what a value of a column in a unit is multiplied, and what is added."""
        base = self.columns.loc[column, "base_unit"]
        return (1.0, 0.0) if unit in ("", base) else TO_BASE[base][unit]

    def in_unit(self, values: pd.Series, column: str, unit: str) -> pd.Series:
        """Return values of the base unit in another."""
        factor, zero = self.to_base(column, unit)
        return (values - zero) / factor

    def files(self) -> dict[str, str]:
        """Return of each visit the file that counts."""
        found: dict[str, str] = {}
        for path in self.paths:
            if path.startswith("data/"):
                visit = re.split(r"[_.]", path.rpartition("/")[2])[0]
                if visit not in found or "_v2" in path:
                    found[visit] = path
        return found

    def rows_of(self, path: str) -> tuple[pd.DataFrame, dict[str, str]]:
        """Return the rows of a file as texts, and the units that it tells."""
        lines = [line for line in self.text(path).splitlines() if not line.startswith("#")]
        mark = ";" if ";" in lines[0] else ","
        cells = [line.split(mark) for line in lines]
        head, units = [], {}
        for name in cells[0]:
            match = re.fullmatch(r"(\S+) \((.+)\)", name)
            head.append(match[1] if match else name)
            if match:
                units[match[1]] = match[2]
        body = cells[1:]
        if not body[0][head.index("sample")]:
            units.update({name: unit for name, unit in zip(head, body.pop(0), strict=False) if unit})
        frame = pd.DataFrame(body, columns=head).drop_duplicates("sample")
        if mark == ";":
            frame = frame.apply(lambda column: column.str.replace(",", ".", regex=False))
        return frame, units

    def check(self) -> int:
        """Return how many visits have another number of samples than the list of visits says."""
        kept = self.with_places(self.visits.drop(self.gone, errors="ignore").reset_index())
        for each in self.query["conditions"]:
            kept = kept[kept[self.query[each["on"]]].isin(each["values"])]
        files = self.files()
        return sum(len(self.rows_of(files[row.visit])[0]) != int(row.samples) for row in kept.itertuples())

    def with_places(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows with the attributes of their places."""
        sites = self.table("meta/sites.csv")
        if len(sites):
            return rows.merge(sites, on="site", how="left")
        if self.query["factor"] not in rows:
            places = pd.concat(self.rows_of(path)[0] for path in self.files().values())
            places = places[["site", self.query["factor"], self.query["block"]]].drop_duplicates()
            return rows.merge(places, on="site", how="left")
        return rows

    def samples(self) -> pd.DataFrame:
        """Return the samples that count: value (base unit), whether valid, second quantity, places and times in UTC."""
        told = self.table("meta/units.csv")
        told = {(row.logger, row.column): row.unit for row in told.itertuples()} if len(told) else {}
        limits = dict(
            re.findall(
                r"`(\w+)` ([\d.e+]+) \S+?(?=[;.](?:\s|$))", self.readme.partition("above these limits")[2]
            )
        )
        universal = "-999" if "-999 stands for a missing" in self.readme else None
        names = {
            alias: name
            for name, row in self.columns.iterrows()
            for alias in [name, *row["also_written"].split()]
        }
        parts = []
        for visit, path in self.files().items():
            if visit in self.gone:
                continue
            logger = self.visits.loc[visit, "logger"]
            frame, units = self.rows_of(path)
            frame = frame[~frame["sample"].isin(self.gone)]
            code = universal if universal is not None else self.loggers.loc[logger, "missing"]
            part = frame[
                [each for each in frame if each not in names and each not in ("sample", "time")]
            ].copy()
            part["logger"], part["visit"] = logger, visit
            if "site" not in part:
                part["site"] = self.visits.loc[visit, "site"]
            part["time"] = times(frame["time"], self.loggers.loc[logger])
            written = {names[each]: each for each in frame if each in names}
            for role, column in (("main", self.main), ("other", self.other)):
                name = written.get(column)
                if name is None:
                    part[role], part[role + "_unit"] = np.nan, "?"
                    continue
                cells = frame[name].mask((frame[name] == code) | (frame[name] == ""))
                unit = units.get(name) or told.get((logger, name), "")
                factor, zero = self.to_base(column, unit)
                part[role] = cells.astype(float) * factor + zero
                part[role + "_unit"] = unit
                if column in limits:
                    part[role] = part[role].mask(part[role] > float(limits[column]) * (1 + 1e-12))
            parts.append(part)
        rows = self.with_places(pd.concat(parts, ignore_index=True))
        for window in self.table("meta/maintenance.csv").itertuples():
            within = (rows["visit"] == window.visit) & rows["time"].between(
                pd.Timestamp(window[2]), pd.Timestamp(window[3])
            )
            rows.loc[within, ["main", "other"]] = np.nan
        return self.corrected(rows)

    def corrected(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows with the corrections that the changes ask for."""
        if "CHANGES.md" not in self.paths:
            return rows
        pattern = r"Logger (\w+) read `(\w+)` too high by ([\d.]+) \S+ from (\S+) to (\S+) \("
        for logger, column, amount, first, last in re.findall(pattern, self.text("CHANGES.md")):
            if column == self.main:
                days = rows["time"].dt.floor("D")
                wrong = (rows["logger"] == logger) & days.between(pd.Timestamp(first), pd.Timestamp(last))
                rows.loc[wrong, "main"] -= float(amount)
        return rows

    def chosen(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows that fulfil the conditions, hours apart."""
        for each in self.query["conditions"]:
            on, values = each["on"], each["values"]
            if on in ("above", "below"):
                bound = float(values[0])
                rows = rows[rows["other"] > bound if on == "above" else rows["other"] < bound]
            elif on == "days":
                rows = rows[rows["time"].dt.floor("D").between(*map(pd.Timestamp, values))]
            else:
                rows = rows[rows[self.query[on]].isin(values)]
        return rows

    def computed(self, rows: pd.DataFrame) -> float:
        """Return the statistic."""
        query = self.query
        rows = self.chosen(rows)
        rows = rows[rows["main"].notna()]
        if query["kind"] == "window":
            if rows["time"].isna().any():
                raise NotPossible("a clock without an offset")
            minutes = rows["time"].dt.hour * 60 + rows["time"].dt.minute
            rows = rows[(minutes >= query["hours"][0] * 60) & (minutes < query["hours"][1] * 60)]
        if query["kind"] in ("summary", "window", "ratio", "difference") and (rows["main_unit"] == "").any():
            raise NotPossible("a file that does not tell its unit")
        if query["kind"] == "count":
            return len(rows)
        if query["kind"] == "test":
            return self.tested(rows)
        values = self.in_unit(rows["main"], self.main, query["unit"])
        if query["kind"] == "ratio":
            both = rows["other"].notna()
            return statistic(
                query["statistic"],
                values[both] / self.in_unit(rows["other"][both], self.other, query["other_unit"]),
            )
        if query["kind"] != "difference":
            return statistic(query["statistic"], values)
        means = values.groupby([rows[query["block"]], rows[query["factor"]]]).mean().unstack()
        if not {*query["pair"]} <= {*means}:
            raise NotPossible("one of the two levels does not occur")
        differences = (means[query["pair"][0]] - means[query["pair"][1]]).dropna()
        if differences.empty:
            raise NotPossible("the two levels are never together")
        return float(differences.mean())

    def tested(self, rows: pd.DataFrame) -> float:
        """Return the statistic of a test, if the reporting rule allows it."""
        name = self.query["statistic"]
        pilot = self.columns.loc[self.main]
        least = 15.7 * (float(pilot["pilot_sd"]) / float(pilot["smallest_effect"])) ** 2
        if name in ("pearson", "spearman"):
            rows = rows[rows["other"].notna()]
        # the same value in two units is the same value
        main, other = (rows[each].map("{:.12g}".format).astype(float) for each in ("main", "other"))
        groups = [
            main[rows[self.query["factor"]] == each] for each in sorted(set(rows[self.query["factor"]]))
        ]
        if min(map(len, groups)) < least if name in ("anova", "kruskal-wallis") else len(rows) < least:
            raise NotPossible("too few samples to be reported")
        if name == "pearson":
            return float(stats.pearsonr(main, other).statistic)
        if name == "spearman":
            return float(stats.spearmanr(main, other).statistic)
        return float((stats.f_oneway if name == "anova" else stats.kruskal)(*groups).statistic)


def said(result: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a reader that did read."""
    if result["status"] != "success":
        raise OSError(result["status"])
    return result


def times(cells: pd.Series, logger: pd.Series) -> pd.Series:
    """Return times in UTC; none where the offset of the clock is not known."""
    form = logger["time_form"]
    for ours, theirs in (("YYYY", "%Y"), ("MM", "%m"), ("DD", "%d"), ("hh", "%H"), ("mm", "%M")):
        form = form.replace(ours, theirs)
    local = pd.to_datetime(cells, format=form)
    offset = re.fullmatch(r"([+-])(\d\d):(\d\d)", logger["ahead_of_UTC"])
    if offset is None:
        return local.mask(local.notna())
    ahead = pd.Timedelta(hours=int(offset[2]), minutes=int(offset[3]))
    return local - ahead if offset[1] == "+" else local + ahead


def statistic(name: str, values: pd.Series) -> float:
    """Return a statistic of values."""
    found = {
        "mean": values.mean,
        "median": values.median,
        "minimum": values.min,
        "maximum": values.max,
        "sample-sd": values.std,
        "population-sd": lambda: values.std(ddof=0),
    }[name]()
    return float(found)
