"""A run of CLIMADA: a set of events on assets, by event, by asset and as a curve; each run computed again by NumPy."""

from __future__ import annotations

import io
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from labrig.errors import LabrigError, over_limit
from labrig.threads import in_thread
from labrig_earth.impact.envelope import Metric
from labrig_earth.impact.risk import direct
from labrig_earth.impact.risk.exposure import Exposure, read_exposure
from labrig_earth.impact.risk.functions import Functions, names_of, read_functions
from labrig_earth.impact.risk.hazard import Hazard, read_hazard
from labrig_earth.impact.risk.setup import CLIMADA_ENV
from labrig_earth.impact.runs import Engine
from labrig_earth.impact.simulator import Given, Run, Simulation, Simulator
from labrig_earth.impact.tables import Floats, read_table

CLIMADA = Engine("climada", "CLIMADA", "climada_engine", CLIMADA_ENV)

MOST_PAIRS = 2_000_000_000
"""Events times assets."""

SPACINGS = 2.0
"""Farthest centroid that an asset takes, in distances between centroids, as CLIMADA has it."""

UNITS = 20_000


@dataclass(frozen=True)
class Case:
    """The files of a run, read, checked, and brought together.

    Attributes
    ----------
    names
        Of the impact function of each asset.
    centroid, distance
        The nearest centroid of each asset, and how far it is, km.
    most_km
        The farthest that is taken.
    inside
        Which assets have a centroid near enough; the others have no impact.
    """

    hazard: Hazard
    exposure: Exposure
    functions: Functions
    names: tuple[str, ...]
    centroid: direct.Indices
    distance: Floats
    most_km: float
    inside: Any
    notes: tuple[str, ...]


def case_of(given: Given) -> Case:
    """Read and check the files of a call.

    Raises
    ------
    LabrigError
        What each file's reader refuses; hazards or units that differ, functions that are not there, assets that are
        far from every centroid.
    """
    hazard = read_hazard(given.one("hazard_event_set_path"))
    exposure = read_exposure(given.one("exposure_path"))
    named = given.one("impact_functions_path")
    functions = read_functions(named)
    for what, one, other in (
        ("hazard_type", hazard.kind, functions.kind),
        ("intensity_unit", hazard.unit, functions.unit),
    ):
        if one != other:
            raise LabrigError(
                f"The {what} of the events is {one!r}, that of the functions {other!r}",
                where=f"hazard_event_set_path, {named.name}",
                expected="one for both",
            )
    if len(hazard.events) * len(exposure.names) > MOST_PAIRS:
        raise over_limit(
            f"{len(hazard.events):,} events on {len(exposure.names):,} assets are too many",
            MOST_PAIRS,
            "pairs",
            where="hazard_event_set_path, exposure_path",
        )
    found, assumed = names_of(functions, exposure.functions, exposure.types)
    names = found if isinstance(found, tuple) else (found,) * len(exposure.names)
    centroid, distance = direct.nearest(hazard, exposure.latitude, exposure.longitude)
    most_km, said = _most_km(hazard, functions)
    inside = distance <= most_km + direct.NEAR_KM
    notes = [*hazard.notes, *exposure.notes, *functions.notes, *assumed, said]
    notes += _outside(exposure, distance, most_km, inside, functions.outside)
    notes += _beyond(hazard, functions, names)
    return Case(
        hazard, exposure, functions, names, np.where(inside, centroid, -1), distance, most_km, inside,
        tuple(notes),
    )  # fmt: skip


def _most_km(hazard: Hazard, functions: Functions) -> tuple[float, str]:
    if functions.most_km is not None:
        return functions.most_km, f"assets take the nearest centroid, at most {functions.most_km:g} km away"
    spacing = direct.spacing_km(hazard)
    if spacing is None:
        raise LabrigError(
            "The events have one centroid, so that nothing says how far it reaches",
            where="impact_functions_path",
            expected="max_centroid_distance_km, or more centroids",
        )
    most = SPACINGS * spacing
    return (
        most,
        f"assets take the nearest centroid, at most {most:.4g} km away (twice what is between centroids)",
    )


def _outside(exposure: Exposure, distance: Floats, most_km: float, inside: Any, outside: str) -> list[str]:
    """Say which assets are far from every centroid, or refuse them: CLIMADA gives them no impact in silence."""
    far = np.flatnonzero(~inside)
    if not len(far):
        return []
    worst = int(far[np.argmax(distance[far])])
    share = float(exposure.value[far].sum() / exposure.value.sum())
    text = (
        f"{len(far):,} of {len(inside):,} assets, {100 * share:.3g} % of the value, are more than {most_km:.4g} km "
        f"from every centroid; {exposure.names[worst][:60]} is {distance[worst]:.4g} km away"
    )
    if outside == "refused" or len(far) == len(inside):
        raise LabrigError(
            text,
            where="exposure_path, hazard_event_set_path",
            expected="centroids with intensity 0 where nothing happens, longitudes from -180 to 180",
            try_="outside='no_impact' or max_centroid_distance_km in the functions, where that is meant",
        )
    return [f"{text}: no impact there"]


def _beyond(hazard: Hazard, functions: Functions, names: tuple[str, ...]) -> list[str]:
    """Say where events are stronger than a function knows."""
    strongest = float(hazard.intensity.data.max())
    return [
        f"function {name[:40]} ends at {functions.by_name[name].intensity[-1]:g} {hazard.unit}, events reach "
        f"{strongest:.4g}: beyond its end the damage stays"
        for name in dict.fromkeys(names)
        if functions.by_name[name].intensity[-1] < strongest
    ]


def asked_of(case: Case) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the arguments and the file of the engine."""
    order = {name: number for number, name in enumerate(case.functions.by_name, 1)}
    hazard, exposure = case.hazard, case.exposure
    file = io.BytesIO()
    np.savez(
        file,
        centroid_latitude=hazard.latitude,
        centroid_longitude=hazard.longitude,
        event_id=np.array(hazard.events, dtype=str),
        frequency=hazard.frequency,
        intensity=hazard.intensity.data,
        indices=hazard.intensity.indices,
        indptr=hazard.intensity.indptr,
        exposure_id=np.array(exposure.names, dtype=str),
        latitude=exposure.latitude,
        longitude=exposure.longitude,
        value=exposure.value,
        function=np.array([order[name] for name in case.names]),
    )
    arguments = {
        "hazard_type": hazard.kind,
        "intensity_unit": hazard.unit,
        "value_unit": exposure.unit,
        "most_degrees": math.degrees(case.most_km / direct.EARTH_KM) * (1 + 1e-9) + 1e-10,
        "functions": [
            {
                "id": order[name],
                "name": name,
                "intensity": each.intensity.tolist(),
                "mdd": each.mdd.tolist(),
                "paa": each.paa.tolist(),
                "emanuel": dict(each.emanuel),
            }
            for name, each in case.functions.by_name.items()
        ],
    }
    return arguments, {"case.npz": file.getvalue()}


@dataclass(frozen=True)
class Impact:
    """What CLIMADA gave, after it was held against NumPy.

    Attributes
    ----------
    at_event, by_asset
        Impact of each event; expected annual impact of each asset.
    curve
        How often an impact is exceeded.
    sample
        What was computed again, in words.
    """

    at_event: Floats
    by_asset: Floats
    curve: direct.Curve
    expected: float
    sample: str


def impact_of(case: Case, result: Mapping[str, Any], files: Mapping[str, bytes]) -> Impact:
    """Read what CLIMADA left, and hold it against a direct computation.

    Raises
    ------
    LabrigError
        ``engine`` where impacts, centroids, the expected annual impact or the curve are others than by NumPy.
    """
    hazard, exposure = case.hazard, case.exposure
    (at_event,) = _columns(files, "impact_by_event.csv", "event_impact")
    by_asset, taken = _columns(files, "impact_by_asset.csv", "expected_annual_impact", "centroid")
    centroid = taken.astype(np.int64)
    expected = float(result["aai_agg"])
    if len(at_event) != len(hazard.events) or len(by_asset) != len(exposure.names):
        raise LabrigError("CLIMADA left impacts of other events or assets", where="outputs", code="engine")
    _require_centroids(case, centroid)
    whole = len(at_event) * len(by_asset) <= direct.WHOLE
    events = direct.sample_of(len(at_event), int(at_event.argmax()), whole)
    assets = direct.sample_of(len(by_asset), int(by_asset.argmax()), whole)
    everything = (np.arange(len(at_event)), np.arange(len(by_asset)))
    functions = case.functions.by_name
    # Centroids are CLIMADA's: of two that are equally far, both are right.
    again = direct.impacts(hazard, exposure, functions, case.names, centroid, events, everything[1])
    direct.require_same("impacts by event", at_event[events], again.sum(axis=1), float(at_event.max()))
    if not whole:
        again = direct.impacts(hazard, exposure, functions, case.names, centroid, everything[0], assets)
    annual = again.T @ hazard.frequency
    direct.require_same("expected impacts by asset", by_asset[assets], annual, float(by_asset.max()))
    total = math.fsum(at_event * hazard.frequency)
    direct.require_same("expected annual impact", np.array([expected]), np.array([total]), total)
    own = direct.exceedance(at_event, hazard.frequency)
    curve = {"return_period_years": own.period, "impact": own.impact}
    for (name, mine), given in zip(curve.items(), _columns(files, "risk_curve.csv", *curve), strict=True):
        if name == "return_period_years" and len(np.unique(at_event)) < len(at_event):
            continue  # of equal impacts either may come first, with the frequency of its own
        direct.require_same("exceedance curve", given, mine, float(np.abs(mine).max()))
    if float(at_event.max()) > float(exposure.value.sum()) * (1 + direct.RELATIVE):
        raise LabrigError("An event destroys more than there is", where="impact_by_event.csv", code="engine")
    sample = (
        f"all {len(at_event):,} events and {len(by_asset):,} assets"
        if whole
        else f"{len(events)} events on all assets, and {len(assets)} assets in all events"
    )
    return Impact(at_event, by_asset, own, expected, sample)


def _require_centroids(case: Case, centroid: direct.Indices) -> None:
    """Raise where CLIMADA took a centroid that is not the nearest, or took none where there is one."""
    exposure = case.exposure
    same = (centroid >= 0) == case.inside
    taken = np.flatnonzero(centroid >= 0)
    if same.all() and (centroid < len(case.hazard.latitude)).all():
        far = direct.distance_km(
            case.hazard, centroid[taken], exposure.latitude[taken], exposure.longitude[taken]
        )
        if (far <= case.distance[taken] + direct.NEAR_KM).all():
            return
    raise LabrigError(
        "CLIMADA took other centroids than the nearest", where="impact_by_asset.csv, centroid", code="engine"
    )


def _columns(files: Mapping[str, bytes], name: str, *columns: str) -> list[Floats]:
    """Return columns of a table that CLIMADA left; ``engine`` where they are not there, or no numbers."""
    try:
        table = read_table(files[name], name)
        return [table.values(each) for each in columns]
    except LabrigError as error:
        error.code = "engine"
        raise


OUTPUTS = ("impact_by_event.csv", "impact_by_asset.csv", "risk_curve.csv")


@asynccontextmanager
async def simulate(given: Given, how: Run) -> AsyncIterator[Simulation]:
    """Run CLIMADA on the files of a call.

    Raises
    ------
    LabrigError
        What `case_of`, the engine and `impact_of` refuse.
    """
    case = await in_thread(case_of, given)
    arguments, inputs = await in_thread(asked_of, case)
    async with how.engines.run(CLIMADA, arguments, inputs, allowed=how.allowed, seed=how.seed) as run:
        files = {name: (run.folder / "outputs" / name).read_bytes() for name in OUTPUTS}
        found = await in_thread(impact_of, case, run.result, files)
        metrics, derived = totals(case, found)
        yield Simulation(
            version=run.version,
            metrics=metrics,
            derived=derived,
            units=[
                {"unit": name, "expected_event_impact": float(impact)}
                for name, impact in zip(case.hazard.events[:UNITS], found.at_event[:UNITS], strict=True)
            ],
            time=("", "", "event"),
            warnings=(*case.notes, *_harmless(case, found), *run.warnings),
            text=_said(case, found),
            folder=run.folder,
            wall_s=run.wall_s,
        )


def _harmless(case: Case, found: Impact) -> list[str]:
    """Say where nothing is lost at all: a unit or a function that does not fit looks like this."""
    if found.at_event.any():
        return []
    taken = np.unique(case.centroid[case.inside])
    strongest = float(case.hazard.intensity[:, taken].max())
    return [
        f"nothing is lost in any event: the strongest at an asset is {strongest:.4g} {case.hazard.unit}, "
        "and no function destroys anything there"
    ]


def totals(case: Case, found: Impact) -> tuple[dict[str, Metric], dict[str, Metric]]:
    """Return the metrics of a run and those derived of it.

    ``expected_event_impact`` is the mean over events, ``expected_annual_impact`` their sum weighted by frequency.
    """
    unit = case.exposure.unit
    value = float(case.exposure.value.sum())
    metrics = {
        "expected_annual_impact": Metric(found.expected, f"{unit}/year"),
        "expected_event_impact": Metric(float(found.at_event.mean()), unit),
        "worst_event_impact": Metric(float(found.at_event.max()), unit),
        "total_impact": Metric(math.fsum(found.at_event), unit),
    }
    derived = {
        "events_count": Metric(len(found.at_event), "count"),
        "events_with_impact": Metric(int((found.at_event > 0).sum()), "count"),
        "exposure_points": Metric(len(case.exposure.names), "count"),
        "assets_with_impact": Metric(int((found.by_asset > 0).sum()), "count"),
        "total_exposed_value": Metric(value, unit),
        "expected_annual_impact_share": Metric(found.expected / value, "1/year"),
        "shortest_return_period": Metric(float(found.curve.period[0]), "years"),
        "longest_return_period": Metric(float(found.curve.period[-1]), "years"),
    }
    for period, impact in direct.at_periods(found.curve, case.functions.periods).items():
        derived[f"impact_at_{period:g}_years"] = Metric(impact, unit)
    return metrics, derived


def _said(case: Case, found: Impact) -> str:
    unit = case.exposure.unit
    worst = int(found.at_event.argmax())
    return (
        f"{len(found.at_event):,} events of {case.hazard.kind} on {len(found.by_asset):,} assets: "
        f"{found.expected:.6g} {unit} are lost a year on average, {found.at_event[worst]:.6g} {unit} in the worst "
        f"event ({case.hazard.events[worst][:60]}). Computed again by NumPy: {found.sample}"
    )


FILES: Mapping[str, str] = {
    "hazard_event_set_path": "CSV, a row for each event and place: event_id, frequency_per_year, latitude, longitude "
    "(degrees, EPSG:4326), intensity (0: no hazard), hazard_type, intensity_unit; or JSON: hazard_type, "
    "intensity_unit, latitude [], longitude [], events [{event_id, frequency_per_year, intensity [], "
    "centroids [] (from 0; all)}]",
    "exposure_path": "CSV: exposure_id, latitude, longitude, value; value_unit (one for all), impact_function_id or "
    "asset_type; extract_exposure_layers and make_input (assets) write it",
    "impact_functions_path": "JSON: hazard_type, intensity_unit, functions {id: {intensity [], mdd [], paa [] (1)} or "
    "{form: 'emanuel_2011', v_thresh_m_s (25.7), v_half_m_s, scale (1)}}, asset_types {type: id}, "
    "max_centroid_distance_km (twice what is between centroids), outside ('refused', 'no_impact'), "
    "return_periods_years []",
}

SIMULATOR = Simulator(
    tool="impact_climada_run",
    engine=CLIMADA,
    backends=("climada", "official"),
    files=FILES,
    run=simulate,
    check=lambda given: case_of(given).notes,
)
