"""The stage of hours of a reanalysis: days out of hours, events, a country's mean, and what would have been.

===== ============================================================================================================
level what is asked
===== ============================================================================================================
0     days that begin at 06:00, their mean in a country and its box and under a satellite picture; hours of events
1     and how these days go with those of a network of stations
2     and the events, and the share of the country beyond a value, if every value were changed
3     and of four summers the one with most events, and how many it would have had, had it been changed
===== ============================================================================================================
"""

from __future__ import annotations

import numpy as np

from labrig_suites.terrabench.making import reanalysis as made_of
from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.plan import Found, Number, Plan, Result, Tolerance, combined
from labrig_suites.terrabench.making.reanalysis import Analysis, Spell, spells
from labrig_suites.terrabench.making.world import Floats

MARGIN = 5e-5
"""How far every value is from a limit, so that 32 bits (3e-5 at 300 K) move none over it."""
WHOLE = Tolerance(0.5, "a count: no value is near the limit")
SUBGRID = "methods: parts of cells in an outline exactly, and on a subgrid of 10 by 10"
"""Over 96 draws the two differ by up to 0.005 standard deviations of the days, and shares by up to 0.0032."""
DAILY = "work/daily.nc"


def hours(plan: Plan, case: Case) -> None:
    """Bring the reanalysis of the domain, and ask what the level asks of it."""
    spell = spells()[case.domain.name]
    made = made_of.make_analysis(case.world, spell, case.grids.year, case.rng)
    plan.files |= made_of.files_of(made, spell, case.world.label)
    stage = _Stage(plan, made, spell, case.rng)
    stage.observe()
    if case.level == 1:
        stage.relate()
    if case.level == 2:
        stage.intervene()
    if case.level == 3:
        stage.look_back()


class _Stage:
    """The calls of an item on its reanalysis, and what is true.

    Attributes
    ----------
    values, days
        The field by the hour and by the day.
    high
        Whether an event is at or above the limit, not at or below it.
    limit
        In the unit of the field.
    """

    def __init__(self, plan: Plan, made: Analysis, spell: Spell, rng: np.random.Generator) -> None:
        self.plan, self.made, self.spell, self.rng = plan, made, spell, rng
        self.values, self.days = made.field(spell), made.daily(spell)
        self.high = spell.beyond == ">="
        share = float(rng.uniform(0.8, 0.93))
        self.limit = free(self.values, float(np.quantile(self.values, share if self.high else 1 - share)))
        self.unit, self.said = made_of.NUMBERS[spell.field]
        self.name = f"{spell.field}_1D_{spell.daily}"
        self.year = int(made.start[:4])

    def near(self, share: float, why: str) -> Tolerance:
        """Return a tolerance that is a small part of the standard deviation of the days."""
        return Tolerance(
            share * float(self.days.std()), f"{why}: {100 * share:g} % of their standard deviation"
        )

    def count(self, values: Floats, limit: float) -> int:
        """Return how many values are events."""
        return int((values >= limit).sum() if self.high else (values <= limit).sum())

    def counted(self, path: str, variable: str, limit: float, years: tuple[int, int]) -> Result:
        """Have the events of a file counted."""
        return self.plan.call(
            "count_era5_events",
            data_path=path,
            variable=variable,
            start_year=years[0],
            end_year=years[1],
            threshold=limit,
            comparison=self.spell.beyond,
            output_dir="work/events",
        )

    def rounded(self, key: str, about: str, value: float, number: Number) -> None:
        """Ask for a value in the unit of the field, on which ways of computing it differ by rounding alone."""
        tolerance = self.near(0.002, "rounding to 32 bits")
        self.plan.ask(key, f"{about}, {self.unit}", value, number, tolerance)

    def observe(self) -> None:
        """Days out of hours, their means, and the hours of events."""
        made, spell = self.made, self.spell
        daily = self.make_days()
        self.in_the_country()
        self.in_the_box()
        self.under_the_picture(daily)
        self.beyond_the_limit()
        how = {"max": "highest", "mean": "mean"}[spell.daily]
        first = " (speed of the wind from its components)" if spell.field == "wind_speed" else ""
        clock, side = f"{made_of.BEGIN:02d}:00", "above" if self.high else "below"
        self.plan.questions.append(
            f"{made_of.HOURS} holds hours of a reanalysis over {made.country}. Take its {self.said}{first}, and of "
            f"each day from {clock} to {clock} UTC the {how} value of each cell. Average these days over "
            f"{made.country} by Natural Earth's outline of 1:50 million, each cell by its area and by its part in the "
            "outline; over the cells whose centres lie in the smallest box of that outline, each cell once; and over "
            f"the pixels of {made_of.PICTURE}, over which the mean of the days is to be drawn, a pixel having the "
            f"value of the cell that its middle lies in. Hours in which a cell is at or {side} {self.limit:g} "
            f"{self.unit} are its {spell.events}; count them over all cells."
        )
        self.plan.steps.append(
            "Days out of hours; their means over the country, its box and the picture; hours beyond the limit."
        )

    def make_days(self) -> Result:
        """Have the days made of the hours, where the field is the speed of the wind of its components first."""
        self.source = made_of.HOURS
        if self.spell.field == "wind_speed":
            self.source = "work/wind.nc"
            self.plan.call("winds_basic", netcdf_path=made_of.HOURS, output_path=self.source)
        return self.plan.call(
            "temporal_aggregate",
            netcdf_path=self.source,
            spec={self.spell.field: f"1D:{self.spell.daily}"},
            align=f"{made_of.BEGIN:02d}:00",
            output_path=DAILY,
        )

    def in_the_country(self) -> None:
        """The mean of the days over the country, cells by their parts in its outline."""
        country, parts = self.made.country, self.made.parts()
        inside = self.plan.call(
            "region_reduce", netcdf_path=DAILY, variable=self.name, region_name=country, stats=["mean"]
        )
        self.plan.ask(
            "days_in_the_country",
            f"mean of the days over {country}, {self.unit}",
            float((self.days.mean(axis=0) * parts).sum() / parts.sum()),
            inside.at("mean") * 1.0,
            self.near(0.008, SUBGRID),
        )

    def in_the_box(self) -> None:
        """Maximum and mean of the days over the smallest box of the country."""
        plan, made = self.plan, self.made
        box = plan.call(
            "gis_resolve_region",
            place_query=made.country,
            return_geometry_type="bbox",
            source="natural_earth",
        )
        west, south, east, north = made_of.outline(made.country).bounds
        around = plan.call(
            "read_netcdf_data",
            netcdf_path=DAILY,
            variable=self.name,
            lat_range=Found((box.at("bbox", 0), box.at("bbox", 2)), (south, north)),
            lon_range=Found((box.at("bbox", 1), box.at("bbox", 3)), (west, east)),
            sample_limit=0,
        )
        rows = (made.lat >= south) & (made.lat <= north)
        columns = (made.lon >= west) & (made.lon <= east)
        cells = self.days[:, rows][:, :, columns]
        highest, mean = (around.at("stats", each) * 1.0 for each in ("max", "mean"))
        self.rounded("highest_in_the_box", "highest value of a day and cell in the box", cells.max(), highest)
        self.rounded("days_in_the_box", "mean of the days over that box", cells.mean(), mean)

    def under_the_picture(self, daily: Result) -> None:
        """The mean of the days under a satellite picture, less that of all cells."""
        shown = self.plan.call(
            "composite_satellite_environmental_image",
            satellite_image=made_of.PICTURE,
            anomaly_path=DAILY,
            anomaly_variable=self.name,
            anomaly_aggregate="mean",
            overlay_cmap="viridis",
            overlay_center_zero=False,
            output_path="maps/days_over_picture.png",
        )
        at_rows, at_columns = (each.astype(int) for each in self.made.pixels())
        pixels = self.days.mean(axis=0)[np.ix_(at_rows, at_columns)]
        self.rounded(
            "under_the_picture",
            "mean over the picture's pixels minus the mean of the days over all cells, each once",
            pixels.mean() - self.days.mean(),
            shown.at("field", "mean") - daily.at("ranges", self.name, "mean"),
        )

    def beyond_the_limit(self) -> None:
        """The hours of events."""
        self.events = self.counted(self.source, self.spell.field, self.limit, (self.year, self.year))
        self.plan.ask(
            self.spell.key,
            f"{self.spell.events}, all cells together",
            self.count(self.values, self.limit),
            self.events.at("total_events") * 1.0,
            WHOLE,
        )

    def relate(self) -> None:
        """How the days go with those of the network."""
        plan, made, name = self.plan, self.made, f"{self.spell.field}_{self.spell.daily}"
        held = plan.call(
            "verify",
            forecast_path=DAILY,
            truth_path=made_of.NETWORK,
            variable=self.name,
            truth_variable=name,
            metrics=["correlation", "rmse", "bias"],
        )
        error = self.days - made.network
        plan.questions.append(
            f"Hold these days against those of a network of stations ({made_of.NETWORK}, same days and cells), all "
            "days and cells together, each once."
        )
        plan.ask(
            "network_correlation",
            "Pearson's correlation of the days with those of the network",
            np.corrcoef(self.days.ravel(), made.network.ravel())[0, 1],
            held.at("metrics", "correlation") * 1.0,
            Tolerance(0.001, "rounding: a correlation is asked for to two decimals, with room"),
        )
        self.rounded(
            "network_rmse",
            "root mean square difference of the two",
            np.sqrt((error**2).mean()),
            held.at("metrics", "rmse") * 1.0,
        )
        self.rounded(
            "days_minus_network",
            "mean of the days minus that of the network",
            error.mean(),
            held.at("metrics", "bias") * 1.0,
        )
        plan.steps.append("The days held against the network's.")

    def before(self, limit: float, size: float) -> float:
        """Return what a value has to be before a change of that size for the limit after it."""
        if self.spell.added:
            return round(limit - self.spell.added * size, 6)
        return round(limit / (1 - size / 100 if self.high else 1 + size / 100), 6)

    def size(self, *pairs: tuple[Floats, float]) -> float:
        """Draw the size of a change, or the next that moves no value near to its limit."""
        found = round(float(self.rng.uniform(*((0.6, 2.4) if self.spell.added else (6.0, 18.0)))), 1)
        while any(np.abs(values - self.before(limit, found)).min() < MARGIN for values, limit in pairs):
            found = round(found + 0.1, 1)
        return found

    def intervene(self) -> None:
        """Events, and the share of the country's days beyond a limit, if every value were changed."""
        plan, made, spell = self.plan, self.made, self.spell
        usual = free(self.days, float(np.quantile(self.days, self.rng.uniform(0.35, 0.65))))
        size = self.size((self.values, self.limit), (self.days, usual))
        moved = self.before(self.limit, size)
        fewer = self.counted(self.source, spell.field, moved, (self.year, self.year))
        limits = (usual, self.before(usual, size))
        shares = [
            plan.call(
                "region_reduce",
                netcdf_path=DAILY,
                variable=self.name,
                region_name=made.country,
                stats=["area_frac"],
                threshold=limit,
            )
            for limit in limits
        ]
        plan.questions.append(
            f"Suppose that every value of the {self.said} {spell.changed.format(size=f'{size:g}')}. Count the "
            f"{spell.events} again, and the share of {made.country} and its days (by area and part, all days "
            f"together) whose value is at or above {usual:g} {self.unit}."
        )
        parts = made.parts()
        was, then = (
            float(((self.days >= limit).mean(axis=0) * parts).sum() / parts.sum()) for limit in limits
        )
        plan.ask(
            f"change_of_{spell.key}",
            f"{spell.events} then minus those as it was, all cells together",
            self.count(self.values, moved) - self.count(self.values, self.limit),
            fewer.at("total_events") - self.events.at("total_events"),
            WHOLE,
        )
        plan.ask(
            "change_of_share",
            f"that share of {made.country} then minus that as it was (no unit)",
            then - was,
            shares[1].at("area_frac") - shares[0].at("area_frac"),
            Tolerance(0.005, SUBGRID),
        )
        plan.steps.append("Events and the country's share by the limits that the change amounts to.")

    def look_back(self) -> None:
        """Of four summers the one with most events, and had it been changed."""
        plan, made, spell = self.plan, self.made, self.spell
        name, values = f"{spell.field}_{spell.daily}", made.summers
        years = [made_of.FIRST_SUMMER + number for number in range(len(values))]
        share = float(self.rng.uniform(0.7, 0.85))
        limit = free(values, float(np.quantile(values, share if self.high else 1 - share)))
        size = self.size((values, limit))
        moved = self.before(limit, size)
        usual = plan.call(
            "build_era5_climatology",
            data_path=made_of.SUMMERS,
            variable=name,
            start_year=years[0],
            end_year=years[-1],
            output_dir="work/normals",
        )
        first = self.counted(made_of.SUMMERS, name, limit, (years[0], years[-1]))
        then = self.counted(made_of.SUMMERS, name, moved, (years[0], years[-1]))
        were = [first.at("yearly_counts", str(year)) for year in years]
        would = [then.at("yearly_counts", str(year)) for year in years]
        true_were = [self.count(each, limit) for each in values]
        true_would = [self.count(each, moved) for each in values]
        worst = int(np.argmax(true_were))
        months = [values[:, :30], values[:, 30:61], values[:, 61:]]
        side = "above" if self.high else "below"
        plan.questions.append(
            f"{made_of.SUMMERS} holds days of June to August of {years[0]} to {years[-1]} on the same cells. Take the "
            "normal of each month over these years, each cell and day once; and find the year in which most cells and "
            f"days were at or {side} {limit:g} {self.unit}. Had every value of that year "
            f"{spell.had.format(size=f'{size:g}')}, how many would it have been?"
        )
        self.rounded(
            "august_minus_june",
            "normal of August minus that of June, mean over all cells",
            months[2].mean() - months[0].mean(),
            usual.at("mean", 2) - usual.at("mean", 0),
        )
        plan.ask(
            "most_in_a_year",
            "cells and days beyond that value in the year with most of them, as it was",
            true_were[worst],
            combined("max", *were),
            WHOLE,
        )
        plan.ask(
            "had_the_year_been_changed",
            "cells and days beyond that value in the same year, had it been so",
            true_would[worst],
            combined("nearest", combined("max", *were), *were, *would),
            WHOLE,
        )
        plan.steps.append(
            "Normals; the worst of four summers, and its count by the limit that the change amounts to."
        )


def free(values: Floats, limit: float) -> float:
    """Return the next limit of two decimals that no value is near to."""
    found = round(limit, 2)
    while np.abs(values - found).min() < MARGIN:
        found = round(found + 0.01, 2)
    return found
