"""The stage of satellite scenes: a kind of ground before and after a change, its zones, and what would have kept it.

===== ============================================================================================================
level what is asked
===== ============================================================================================================
0     mean of an index, the area of a kind of ground and its change, what clouds left to be seen
1     and how the index goes with a layer of the site, over three zones
2     and the area if the limit were another one; what a zone that is mended would give back
3     and the zone that fell most, and what would have been had it done as the others did
===== ============================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labrig_suites.terrabench.making import scenes
from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.plan import Number, Plan, Result, Tolerance, combined
from labrig_suites.terrabench.making.scenes import Ground
from labrig_suites.terrabench.making.sites import Site, sites
from labrig_suites.terrabench.making.stages_town import near
from labrig_suites.terrabench.making.world import Floats

HECTARES = 1e-4
"""Of a square metre; 100 of a square kilometre."""
MARGIN = 1e-5
"""How far every cell is from a limit, so that rounding moves none over it."""
ORDER = Tolerance(
    0.0005, "rounding of reflectances to 1e-4 and the order of sums: an index to three decimals"
)
ELLIPSOID = "methods: areas of cells on the ellipsoid, and in a projection"


def ground(plan: Plan, case: Case) -> None:
    """Bring the scenes of the domain's site, and ask what the level asks of them."""
    site = sites()[case.domain.name]
    made = scenes.make_ground(site, case.grids.boxes[0], case.grids.year, case.rng)
    plan.files |= scenes.files_of(made, site, case.world.label)
    look = _Look(plan, made, site, float(case.rng.uniform(0.35, 0.65)))
    areas = _observe(plan, look, case)
    if case.level == 1:
        _relate(plan, look)
    if case.level == 2:
        shift = float(case.rng.uniform(0.015, 0.05) * case.rng.choice([-1, 1]))
        _move(plan, look, areas, look.free(look.limit + shift))
        _mend(plan, look, areas, int(case.rng.integers(scenes.ZONES)))
    if case.level == 3:
        _spare(plan, look, areas)


class _Look:
    """Calls on the scenes, and what is true of the ground.

    Attributes
    ----------
    values
        The site's index before and after, (row, column).
    weights
        Areas of cells, m2, (row, column).
    limit
        From which on a cell is of the site's kind, or up to which: `share` of the cells lie below it.
    """

    def __init__(self, plan: Plan, made: Ground, site: Site, share: float) -> None:
        self.plan, self.made, self.site = plan, made, site
        self.values = [made.index(site.index, period) for period in (0, 1)]
        self.weights: Floats = np.broadcast_to(made.cell_m2()[:, None], made.layer.shape)
        self.limit = self.free(float(np.nanquantile(self.values, share)))

    def free(self, limit: float) -> float:
        """Return the next limit of three decimals that no cell is near to."""
        found = round(limit, 3)
        while np.nanmin(np.abs(np.array(self.values) - found)) < MARGIN:
            found = round(found + 0.001, 3)
        return found

    def areas(self, period: int, limit: float | None = None) -> Result:
        """Have areas of the box measured."""
        start, end = self.made.spans[period]
        return self.plan.call(
            "gee_index_area_stats",
            bbox=list(self.made.box),
            start_date=str(start),
            end_date=str(end),
            max_cloud=self.made.most_cloud,
            class_thresholds=self._class(limit),
            scenes=[each.path for each in self.made.scenes],
        )

    def zone(self, number: int, period: int) -> Result:
        """Have a zone measured, in the scenes that the box allows."""
        start, end = self.made.spans[period]
        kept = [
            each
            for each in self.made.scenes
            if start <= each.day < end and each.cloud <= self.made.most_cloud
        ]
        return self.plan.call(
            "gee_index_area_stats",
            bbox=list(self.made.around(self.made.zones[number])),
            start_date=str(start),
            end_date=str(end),
            max_cloud=100,
            class_thresholds=self._class(None),
            scenes=[each.path for each in kept],
        )

    def mean(self, result: Result) -> Number:
        """Return the mean of the index that a result has."""
        return result.at("index_stats", self.site.index, f"{self.site.index}_mean")

    def hectares(self, result: Result) -> Number:
        """Return the area of the kind of ground that a result has, ha."""
        return 100 * result.at("class_areas", self.key, "area_sq_km")

    @property
    def key(self) -> str:
        """The kind of ground as a part of a key."""
        return self.site.kind.replace(" ", "_")

    def true_mean(self, period: int, number: int | None = None) -> tuple[float, float]:
        """Return the true mean of the index over the box or a zone, and the clear area that it is of, m2."""
        values, weights = self._part(self.values[period], number), self._part(self.weights, number)
        clear = np.isfinite(values)
        return float(np.average(values[clear], weights=weights[clear])), float(weights[clear].sum())

    def true_hectares(self, period: int, number: int | None = None, limit: float | None = None) -> float:
        """Return the true area of the kind of ground in the box or a zone, ha."""
        limit = self.limit if limit is None else limit
        values, weights = self._part(self.values[period], number), self._part(self.weights, number)
        there = np.isfinite(values) & ((values >= limit) if self.site.high else (values <= limit))
        return HECTARES * float(weights[there].sum())

    def _part(self, field: Floats, number: int | None) -> Floats:
        if number is None:
            return field
        top, bottom, left, right = self.made.zones[number]
        return field[top : bottom + 1, left : right + 1]

    def _class(self, limit: float | None) -> dict[str, dict[str, object]]:
        end = "min" if self.site.high else "max"
        return {self.key: {"index": self.site.index, end: self.limit if limit is None else limit}}


def _observe(plan: Plan, look: _Look, case: Case) -> list[Result]:
    """Mean of the index, area of the kind of ground, its change; return the calls that measured areas."""
    made, site = look.made, look.site
    start, end = made.spans[1]
    shown = plan.call(
        "gee_fetch_sentinel2_indices",
        bbox=list(made.box),
        start_date=str(start),
        end_date=str(end),
        max_cloud=made.most_cloud,
        indices=[site.index],
        output_dir="satellite/after",
        include_geotiff=True,
        scenes=[each.path for each in made.scenes],
    )
    areas = [look.areas(period) for period in (0, 1)]
    a, b = scenes.FORMULAS[site.index]
    north, west, south, east = made.box
    spans = [f"from {first} to before {last}" for first, last in made.spans]
    side = "at or above" if site.high else "at or below"
    plan.questions.append(
        f"The scenes of Sentinel-2 in {scenes.FOLDER} show {site.ground}, {north} to {south} N and {west} to {east} E, "
        f"in cells of about {scenes.METRES:g} m. Take the first period ({spans[0]}) and the second ({spans[1]}). Leave "
        f"scenes out of which more than {made.most_cloud} % of the cells are cloud (SCL 8, 9, 10); of the others take, "
        f"band by band, the median over the scenes in which a cell is clear (SCL 4, 5, 6, 7, 11), and of these medians "
        f"{site.index}, ({a} - {b}) / ({a} + {b}). A cell is {site.kind} where {site.index} is {side} {look.limit:g}; "
        "cells count by their area, and those that are never clear do not count."
    )
    mean, clear = look.true_mean(1)
    before, after = (look.true_hectares(period) for period in (0, 1))
    whole = float(look.weights.sum())
    plan.ask(
        f"{site.index.lower()}_second_period",
        f"mean of {site.index} in the second period",
        mean,
        shown.at("indices", site.index, f"{site.index}_mean") * 1.0,
        ORDER,
    )
    plan.ask(
        f"{look.key}_ha",
        f"area of {site.kind} in the second period, ha",
        after,
        look.hectares(areas[1]),
        near(after, ELLIPSOID),
    )
    plan.ask(
        f"change_of_{look.key}_ha",
        f"area of {site.kind} in the second period minus that in the first, ha",
        after - before,
        look.hectares(areas[1]) - look.hectares(areas[0]),
        near(after - before, ELLIPSOID),
    )
    if case.level == 0:
        hidden = HECTARES * (whole - clear)
        plan.ask(
            "never_clear_ha",
            "area of the box that is clear in none of the second period's scenes, ha",
            hidden,
            100 * (areas[1].at("aoi_area_sq_km") - areas[1].at("clear_area_sq_km")),
            near(hidden, ELLIPSOID),
        )
    plan.steps.append(
        f"Medians of the clear cells of both periods; {site.index} of the second; area of {site.kind} in both."
    )
    return areas


def _relate(plan: Plan, look: _Look) -> None:
    """How the index goes with the layer, by the means of three zones."""
    site, made = look.site, look.made
    seen, laid, true_seen, true_laid = [], [], [], []
    for number, zone in enumerate(made.zones):
        seen.append(look.mean(look.zone(number, 1)))
        mask = f"work/zone_{number + 1}.nc"
        plan.call("region_mask", region=list(made.around(zone)), grid_path=scenes.LAYER, output_path=mask)
        reduced = plan.call(
            "region_reduce", netcdf_path=scenes.LAYER, variable=site.layer, mask_path=mask, stats=["mean"]
        )
        laid.append(reduced.at("mean"))
        true_seen.append(look.true_mean(1, number)[0])
        top, bottom, left, right = zone
        cells = (slice(top, bottom + 1), slice(left, right + 1))
        true_laid.append(float(np.average(made.layer[cells], weights=look.weights[cells])))
    x, y = np.array(true_laid), np.array(true_seen)
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    plan.questions.append(
        f"{_zones(made, range(scenes.ZONES))} Set the mean of {site.index} of each zone in the second period, from the "
        f"same scenes as for the box, against the mean of {site.layer} ({site.layer_name}, {scenes.LAYER}) over the "
        "cells whose centres lie in the zone, by area."
    )
    plan.ask(
        f"{site.index.lower()}_by_{site.layer}",
        f"slope of the least-squares line of the three means of {site.index} on those of {site.layer}",
        slope,
        _slope(laid, seen),
        Tolerance(0.002 * abs(slope) + 0.001 * float(y.std() / x.std()), "rounding of the six means"),
    )
    spread = max(true_seen) - min(true_seen)
    plan.ask(
        f"{site.index.lower()}_between_zones",
        f"highest minus lowest of the three means of {site.index}",
        spread,
        combined("max", *seen) - combined("min", *seen),
        ORDER,
    )
    plan.steps.append(f"{site.index} and {site.layer} of three zones, and the line through their means.")


def _slope(x: Sequence[Number], y: Sequence[Number]) -> Number:
    mean_x, mean_y = combined("mean", *x), combined("mean", *y)
    above = combined("add", *((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)))
    return above / combined("add", *((a - mean_x) * (a - mean_x) for a in x))


def _move(plan: Plan, look: _Look, areas: list[Result], moved: float) -> None:
    """The area if the limit were another one."""
    site = look.site
    other = look.areas(1, moved)
    change = look.true_hectares(1, limit=moved) - look.true_hectares(1)
    plan.questions.append(f"Suppose that the limit of {site.kind} were {moved:g} instead.")
    plan.ask(
        f"{look.key}_by_other_limit_ha",
        f"area of {site.kind} in the second period by that limit minus that by the first one, ha",
        change,
        look.hectares(other) - look.hectares(areas[1]),
        near(change, ELLIPSOID),
    )
    plan.steps.append("The area once more, by another limit.")


def _mend(plan: Plan, look: _Look, areas: list[Result], number: int) -> None:
    """The box of the second period with a zone as it stood in the first."""
    site = look.site
    zones = [look.zone(number, period) for period in (0, 1)]
    (mean, clear), (was, _), (now, part) = (
        look.true_mean(1),
        look.true_mean(0, number),
        look.true_mean(1, number),
    )
    true_mean = mean + part / clear * (was - now)
    back = look.true_hectares(0, number) - look.true_hectares(1, number)
    plan.questions.append(
        f"{_zones(look.made, [number])} Suppose that it {site.mended}: in the second period its clear cells have the "
        f"mean of {site.index} that it had in the first, and as much {site.kind} as then (scenes as for the box). "
        "All else stays as it was."
    )
    plan.ask(
        f"{site.index.lower()}_if_mended",
        f"mean of {site.index} of the box in the second period then",
        true_mean,
        look.mean(areas[1])
        + zones[1].at("clear_area_sq_km")
        / areas[1].at("clear_area_sq_km")
        * (look.mean(zones[0]) - look.mean(zones[1])),
        ORDER,
    )
    total = look.true_hectares(1) + back
    plan.ask(
        f"{look.key}_if_mended_ha",
        f"area of {site.kind} in the box in the second period then, ha",
        total,
        look.hectares(areas[1]) + look.hectares(zones[0]) - look.hectares(zones[1]),
        near(total, ELLIPSOID),
    )
    plan.steps.append("The zone in both periods; the box with the zone as it stood.")


def _spare(plan: Plan, look: _Look, areas: list[Result]) -> None:
    """The zone that fell most, and the box had that zone done as the others did."""
    site, count = look.site, scenes.ZONES
    zones = [[look.zone(number, period) for period in (0, 1)] for number in range(count)]
    changes = [look.mean(after) - look.mean(before) for before, after in zones]
    mean, clear = look.true_mean(1)
    truly = [(look.true_mean(0, number)[0], *look.true_mean(1, number)) for number in range(count)]
    true_changes = [after - before for before, after, _ in truly]
    instead, true_instead = [], []
    for number in range(count):
        others = [place for place in range(count) if place != number]
        share = zones[number][1].at("clear_area_sq_km") / areas[1].at("clear_area_sq_km")
        usual = combined("mean", *(changes[place] for place in others))
        instead.append(look.mean(areas[1]) + share * (usual - changes[number]))
        true_usual = float(np.mean([true_changes[place] for place in others]))
        true_instead.append(mean + truly[number][2] / clear * (true_usual - true_changes[number]))
    worst = int(np.argmin(true_changes))
    plan.questions.append(
        f"{_zones(look.made, range(count))} Find, from the same scenes as for the box, in which of them the mean of "
        f"{site.index} fell most from the first period to the second. Had that zone {site.spared}, its mean would have "
        "changed by the mean of the changes of the other two, and all else would have been as it was."
    )
    plan.ask(
        "change_of_the_zone",
        f"mean of {site.index} of that zone in the second period minus that in the first, as it was",
        true_changes[worst],
        combined("min", *changes),
        ORDER,
    )
    plan.ask(
        f"{site.index.lower()}_if_spared",
        f"mean of {site.index} of the box in the second period, had the zone been spared",
        true_instead[worst],
        combined("nearest", combined("min", *changes), *changes, *instead),
        ORDER,
    )
    plan.steps.append("Three zones in both periods; the one that fell most, changed as the others changed.")


def _zones(made: Ground, numbers: Sequence[int]) -> str:
    said = []
    for number in numbers:
        north, west, south, east = made.around(made.zones[number])
        said.append(f"zone {number + 1} from {north} to {south} N and from {west} to {east} E")
    return f"{'Zones are' if len(said) > 1 else 'There is'} {'; '.join(said)}."
