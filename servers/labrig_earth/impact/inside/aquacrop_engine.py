"""AquaCrop in its own Python: a checked case becomes a model, its tables become CSV files and seasons.

Arguments that AquaCrop takes no notice of (a parameter of a crop under another name, a day of irrigation outside of the
season) are refused or told here, where its own lists are known. It prints nothing.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import math
import warnings
from pathlib import Path
from typing import Any

import aquacrop  # type: ignore[import-not-found]
import numpy as np
import pandas as pd
from aquacrop.entities.co2 import CO2  # type: ignore[import-not-found]
from aquacrop.entities.crops.crop_params import crop_params  # type: ignore[import-not-found]

from labrig.isolation.inside.answering import Refused

SOILS = (
    *("Clay", "ClayLoam", "Loam", "LoamySand", "Sand", "SandyClay", "SandyClayLoam", "SandyLoam"),
    *("Silt", "SiltClayLoam", "SiltLoam", "SiltClay", "Paddy", "ac_TunisLocal"),
)
METHODS = {"none": 0, "thresholds": 1, "interval": 2, "schedule": 3, "net": 4}
DEEPEST_M = 3.0
"""A soil by its type cannot be deepened much further, and AquaCrop tries without an end."""

DECIMALS = 6
FLUXES = {
    "irrigation_mm": "IrrDay",
    "infiltration_mm": "Infl",
    "runoff_mm": "Runoff",
    "deep_percolation_mm": "DeepPerc",
    "capillary_rise_mm": "CR",
    "groundwater_inflow_mm": "GwIn",
    "soil_evaporation_mm": "Es",
    "transpiration_mm": "Tr",
    "potential_evaporation_mm": "EsPot",
    "potential_transpiration_mm": "TrPot",
    "surface_water_mm": "surface_storage",
    "root_zone_water_mm": "Wr",
}
GROWTH = {
    "growing_degree_days": "gdd",
    "root_depth_m": "z_root",
    "canopy_cover": "canopy_cover",
    "harvest_index": "harvest_index_adj",
}


def run(arguments: dict[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Run a case for each file of weather, or only build its model (``check``)."""
    warnings.simplefilter("ignore")
    version = f"AquaCrop-OSPy {importlib.metadata.version('aquacrop')}"
    if arguments.get("list"):
        return {"version": version, "crops": sorted(crop_params), "soils": list(SOILS)}
    members, notes = [], []
    for name in arguments["weather"]:
        weather = _weather(inputs / name)
        model = _model(arguments, weather)
        if arguments.get("check"):
            continue
        try:
            model.run_model(till_termination=True)
        except IndexError as error:  # it looks for the dates of a first season that does not end
            raise _no_season(arguments) from error
        except Exception as error:
            raise Refused(
                f"AquaCrop stopped: {type(error).__name__}: {error}"[:500], code="engine", where=name
            ) from error
        daily, seasons, more = _tables(model, weather, arguments)
        stem = Path(name).stem
        daily.to_csv(outputs / f"{stem}_daily.csv", index=False, lineterminator="\n")
        members.append({"weather": name, "daily": f"{stem}_daily.csv", "seasons": seasons})
        notes += [note for note in more if note not in notes]
    rows = [{"weather": each["weather"], **season} for each in members for season in each["seasons"]]
    if rows:
        pd.DataFrame(rows).to_csv(outputs / "seasons.csv", index=False, lineterminator="\n")
    return {"version": version, "warnings": notes, "members": members}


def _weather(path: Path) -> pd.DataFrame:
    read = pd.read_csv(path)
    return pd.DataFrame(
        {
            "MinTemp": read.tmin_c.astype(float),
            "MaxTemp": read.tmax_c.astype(float),
            "Precipitation": read.precipitation_mm.astype(float),
            "ReferenceET": read.et0_mm.astype(float),
            "Date": pd.to_datetime(read.date),
        }
    )


def _model(arguments: dict[str, Any], weather: pd.DataFrame) -> aquacrop.AquaCropModel:
    crop = _crop(arguments["crop"])
    soil = _soil(arguments["soil"], crop)
    co2 = arguments["co2_ppm"]
    water = arguments["groundwater_m"]
    field = aquacrop.FieldMngt(**arguments["field"])
    return aquacrop.AquaCropModel(
        arguments["start"].replace("-", "/"),
        arguments["end"].replace("-", "/"),
        weather,
        soil,
        crop,
        _initial(arguments["initial"], soil),
        irrigation_management=_irrigation(arguments["irrigation"]),
        field_management=field,
        groundwater=None
        if water is None
        else aquacrop.GroundWater(
            water_table="Y", dates=[arguments["start"].replace("-", "/")], values=[water]
        ),
        co2_concentration=None if co2 is None else CO2(current_concentration=co2, constant_conc=True),
        off_season=arguments["off_season"],
    )


def _unknown(kind: str, name: str, known: list[str]) -> Refused:
    lower = {each.lower(): each for each in known}
    close = [lower[each] for each in difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.4)]
    more = {"try": "did you mean " + " or ".join(close) + "?"} if close else {}
    return Refused(
        f"There is no {kind} named {name!r}",
        code="not_found",
        where=kind,
        expected="one of " + ", ".join(known) if len(known) < 60 else "",
        **more,
    )


def _crop(given: dict[str, Any]) -> aquacrop.Crop:
    if given["name"] not in crop_params:
        raise _unknown("crop", given["name"], sorted(crop_params))
    dates = {"planting_date": given["planting"], "harvest_date": given["harvest"]}
    plain = aquacrop.Crop(given["name"], **dates)
    for name in given["parameters"]:
        if not hasattr(plain, name):
            raise _unknown("parameter of the crop", name, sorted(vars(plain)))
    crop = aquacrop.Crop(given["name"], **dates, **given["parameters"])
    for name, value in given["parameters"].items():
        if getattr(crop, name) != value:  # it is not among those that a caller may set
            raise Refused(f"AquaCrop computes {name} itself", where="crop", expected="parameters without it")
    return crop


def _soil(given: dict[str, Any], crop: aquacrop.Crop) -> aquacrop.Soil:
    if not 0.1 <= crop.Zmin <= crop.Zmax <= DEEPEST_M:
        raise Refused(
            f"Roots reach from {crop.Zmin:g} to {crop.Zmax:g} m",
            where="crop, Zmin and Zmax",
            expected=f"0.1 to {DEEPEST_M:g} m, Zmin at most Zmax",
        )
    if given["type"]:
        if given["type"] not in SOILS:
            raise _unknown("soil", given["type"], list(SOILS))
        return aquacrop.Soil(given["type"])
    layers = given["layers"]
    depth = sum(layer["thickness_m"] for layer in layers)
    # AquaCrop thickens the lowest compartments without a word, and without an end where they are few.
    if round(depth, 2) < crop.Zmax + 0.1:
        raise Refused(
            f"The soil is {depth:g} m deep, and roots of {crop.Name} may reach {crop.Zmax:g} m",
            where="soil",
            expected=f"layers down to {crop.Zmax + 0.1:g} m, or a smaller Zmax among the crop's parameters",
        )
    thick = []
    for layer in layers:
        count = max(1, round(layer["thickness_m"] / 0.1))
        thick += [layer["thickness_m"] / count] * count
    numbers = {name: given[name] for name in ("cn", "rew") if given[name] is not None}
    soil = aquacrop.Soil("custom", dz=thick, adj_rew=1 if "rew" not in numbers else 0, **numbers)
    for layer in layers:
        soil.add_layer(
            layer["thickness_m"],
            layer["wilting_point"],
            layer["field_capacity"],
            layer["saturation"],
            layer["ksat_mm_day"],
            layer["penetrability"],
        )
    return soil


def _initial(given: dict[str, Any], soil: aquacrop.Soil) -> aquacrop.InitialWaterContent:
    layers = list(range(1, soil.nLayer + 1))
    values = given["value"] if isinstance(given["value"], list) else [given["value"]] * len(layers)
    if len(values) != len(layers):
        raise Refused(
            f"Initial water has {len(values)} values, and the soil {len(layers)} layers",
            where="management, initial_water",
            expected="a value for each layer",
        )
    return aquacrop.InitialWaterContent(wc_type=given["type"], depth_layer=layers, value=values)


def _irrigation(given: dict[str, Any]) -> aquacrop.IrrigationManagement:
    numbers = dict(given["numbers"])
    if given["method"] == "schedule":
        numbers["Schedule"] = pd.DataFrame(
            {"Date": pd.to_datetime(list(given["events"])), "Depth": list(given["events"].values())}
        )
    return aquacrop.IrrigationManagement(METHODS[given["method"]], **numbers)


def _tables(
    model: aquacrop.AquaCropModel, weather: pd.DataFrame, arguments: dict[str, Any]
) -> tuple[pd.DataFrame, list[dict[str, Any]], list[str]]:
    """Return the days that were simulated, the seasons, and what is to be known of them."""
    flux, storage, growth = model.get_water_flux(), model.get_water_storage(), model.get_crop_growth()
    span = pd.date_range(arguments["start"], periods=len(flux), freq="D")
    rain = weather.set_index("Date").Precipitation.reindex(span).to_numpy()
    thick = np.asarray(model._param_struct.Soil.Profile.dz, dtype=float)
    water = storage.filter(regex="^th").to_numpy(dtype=float)
    daily = pd.DataFrame({"date": span.strftime("%Y-%m-%d"), "season": flux.season_counter.astype(int) + 1})
    daily["day_after_planting"] = flux.dap.astype(int)
    daily["precipitation_mm"] = rain
    daily["soil_water_mm"] = water @ thick * 1000
    for name, theirs in FLUXES.items():
        daily[name] = flux[theirs].astype(float)
    for name, theirs in GROWTH.items():
        daily[name] = growth[theirs].astype(float)
    daily["biomass_t_ha"] = growth.biomass.astype(float) / 100
    daily["yield_t_ha"] = growth.DryYield.astype(float)
    potential = daily.potential_transpiration_mm.where(daily.potential_transpiration_mm > 0)
    daily["water_stress"] = (1 - daily.transpiration_mm / potential).fillna(0.0).clip(0, 1)
    simulated = (daily.day_after_planting > 0) if not arguments["off_season"] else (water.sum(axis=1) > 0)
    daily = daily[simulated].round(DECIMALS)
    seasons, notes = [], []
    for _, row in model.get_simulation_results().iterrows():
        number = int(row["Season"]) + 1
        days = daily[(daily.season == number) & (daily.day_after_planting > 0)]
        seasons.append(_season(number, row, days))
    if not seasons:
        raise _no_season(arguments)
    if any(each["fresh_yield_t_ha"] is None for each in seasons):
        notes.append(
            "fresh yield is not given: AquaCrop has no water content of the crop's yield (YldWC is 0)"
        )
    begun = int(daily.season.max())
    if begun > len(seasons):
        notes.append(f"season {begun} did not end before {arguments['end']} and is not in the results")
    notes += _unapplied(arguments["irrigation"], daily)
    return daily, seasons, notes


def _no_season(arguments: dict[str, Any]) -> Refused:
    return Refused(
        "No season ended: the crop was not ripe on the last day",
        where=f"{arguments['start']} to {arguments['end']}",
        expected="weather until the harvest",
    )


def _season(number: int, row: pd.Series, days: pd.DataFrame) -> dict[str, Any]:
    potential = float(days.potential_transpiration_mm.sum())
    fresh = float(
        row["Fresh yield (tonne/ha)"]
    )  # AquaCrop divides by the dry share of the crop, which may be 0
    return {
        "season": number,
        "planted": str(days.date.iloc[0]),
        "harvested": str(days.date.iloc[-1]),
        "days": len(days),
        "yield_t_ha": round(float(row["Dry yield (tonne/ha)"]), DECIMALS),
        "fresh_yield_t_ha": round(fresh, DECIMALS) if math.isfinite(fresh) else None,
        "potential_yield_t_ha": round(float(row["Yield potential (tonne/ha)"]), DECIMALS),
        "biomass_t_ha": round(float(days.biomass_t_ha.iloc[-1]), DECIMALS),
        "irrigation_mm": round(float(days.irrigation_mm.sum()), DECIMALS),
        "precipitation_mm": round(float(days.precipitation_mm.sum()), DECIMALS),
        "transpiration_mm": round(float(days.transpiration_mm.sum()), DECIMALS),
        "potential_transpiration_mm": round(potential, DECIMALS),
        "soil_evaporation_mm": round(float(days.soil_evaporation_mm.sum()), DECIMALS),
        "runoff_mm": round(float(days.runoff_mm.sum()), DECIMALS),
        "deep_percolation_mm": round(float(days.deep_percolation_mm.sum()), DECIMALS),
        "first_day_growing_degrees": round(float(days.growing_degree_days.iloc[0]), DECIMALS),
        "growing_degree_days": round(float(days.growing_degree_days.sum()), DECIMALS),
    }


def _unapplied(irrigation: dict[str, Any], daily: pd.DataFrame) -> list[str]:
    """Say which scheduled irrigation did not reach the field: outside of a season, or more than a day may have."""
    if irrigation["method"] != "schedule":
        return []
    applied = daily.set_index("date").irrigation_mm
    lost = {
        day: depth
        for day, depth in irrigation["events"].items()
        if not math.isclose(float(applied.get(day, 0.0)), depth, abs_tol=1e-6)
    }
    said = ", ".join(
        f"{day}: {float(applied.get(day, 0.0)):g} of {depth:g} mm" for day, depth in lost.items()
    )
    return [f"irrigation that was not applied as scheduled: {said}"[:600]] if lost else []
