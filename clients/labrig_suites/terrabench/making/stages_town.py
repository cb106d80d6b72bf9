"""Stages in the town: what stands in a zone, how long its streets are, how far sites are from shelters."""

from __future__ import annotations

from labrig_suites.terrabench.making import town as towns
from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.plan import Plan, Result, Tolerance, combined

SHARE = 0.004
FOUND = "work/streets/features.geojson"


def near(value: float, why: str) -> Tolerance:
    """Return a tolerance that is a small part of a value."""
    return Tolerance(SHARE * abs(value), f"{why}: {100 * SHARE:g} % of the value")


def quarter(plan: Plan, case: Case, *, distances: bool = True) -> None:
    """Buildings and streets in a zone, and distances of sites to the nearest shelter."""
    town = towns.make_town(case.world, case.rng)
    plan.files |= towns.files_of(case.world, town)
    box = list(town.box)
    plan.call(
        "gis_source_metadata",
        source=towns.STREETS,
        geometry={"bbox": box},
        feature_types=["building", "road", "amenity"],
    )
    plan.call(
        "gis_feature_query",
        source=towns.STREETS,
        geometry={"bbox": box},
        filters=[{"key": "highway"}],
        geometry_types=["line"],
        output_dir="work/streets",
    )
    tally = plan.call("gis_feature_stats", features=FOUND, metrics=["count", "length_km"])
    plan.questions.append(
        f"In the town (buildings in {towns.BUILDINGS}, OpenStreetMap in {towns.STREETS}) look at the zone of "
        f"{towns.ZONE}, and at the streets (highways that are lines) that touch the box from {box[0]} to {box[2]} N "
        f"and from {box[1]} to {box[3]} E. Measure on the WGS 84 ellipsoid."
    )
    _in_the_zone(plan, case, town, tally)
    plan.steps.append(
        "What the map holds; streets of the box; their length; buildings and streets laid against the zone."
    )
    if distances:
        _distances(plan, case, town)


def _in_the_zone(plan: Plan, case: Case, town: towns.Town, tally: Result) -> None:
    """Ask for what of buildings and streets lies in the zone; `tally` has the length of the streets."""
    built, cut = (
        plan.call(
            "gis_overlay",
            targets=targets,
            zones=towns.ZONE,
            operation="intersect",
            summary_metrics=["count", measure],
        ).at("stats", "metrics", measure)
        for targets, measure in ((towns.BUILDINGS, "area_km2"), (FOUND, "length_km"))
    )
    ground = towns.built_in(case.world, town)
    whole, within = towns.streets_in(case.world, town)
    ellipsoid = "methods: geodesic measures and those of a projection of the town"
    plan.ask(
        "built_ground_m2",
        "ground of buildings that lies within the zone, m2",
        ground,
        1e6 * built,
        near(ground, ellipsoid),
    )
    plan.ask(
        "streets_in_zone_km",
        "length of the parts of these streets within the zone, km",
        within,
        cut * 1.0,
        near(within, ellipsoid),
    )
    plan.ask(
        "streets_in_zone_share",
        "the same over the length of these streets, each whole",
        within / whole,
        cut / tally.at("rows", 0, "length_km"),
        near(within / whole, ellipsoid),
    )


def _distances(plan: Plan, case: Case, town: towns.Town) -> None:
    def points(name: str, places: tuple[tuple[float, float], ...]) -> list[dict[str, object]]:
        return [
            {"id": f"{name}{number + 1}", "lat": lat, "lon": lon} for number, (lat, lon) in enumerate(places)
        ]

    made = plan.call(
        "gis_distance_matrix",
        origins=points("site-", town.sites),
        destinations=points("shelter-", town.shelters),
        metric="geodesic_km",
    )
    sites = ", ".join(f"site-{n + 1} at {lat} N {lon} E" for n, (lat, lon) in enumerate(town.sites))
    shelters = ", ".join(f"shelter-{n + 1} at {lat} N {lon} E" for n, (lat, lon) in enumerate(town.shelters))
    plan.questions.append(f"Take geodesic distances from {sites} to the nearer of {shelters}.")
    nearest = [min(towns.distance_km(one, two) for two in town.shelters) for one in town.sites]
    count = len(town.sites)
    mean = sum(nearest) / count
    sphere = "methods: geodesics on the ellipsoid and on a sphere"
    plan.ask(
        "mean_distance_km",
        "mean over the sites of the distance to the nearer shelter, km",
        mean,
        combined("mean", *(made.at("nearest", number, "distance_km") for number in range(count))),
        near(mean, sphere),
    )
    plan.ask(
        "longest_distance_km",
        "longest of these distances, km",
        max(nearest),
        combined("max", *(made.at("nearest", number, "distance_km") for number in range(count))),
        near(max(nearest), sphere),
    )
    plan.steps.append("Distances of the sites to the shelters; mean and longest of the nearest.")
