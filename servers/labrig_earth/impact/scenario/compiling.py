"""The operation ``compile_scenario``: inputs of a call become those of a changed world, and pairs of runs to compare.

Every input has an account (`closure`). What the scenario does not change is used as it was given, and what a run would
refuse is refused here, in the baseline and in the scenario.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labrig.errors import LabrigError, over_limit, unknown_name
from labrig_earth.impact.crops.evapotranspiration import with_et0
from labrig_earth.impact.crops.weather import MOST_FILLED_DAYS, read_weather
from labrig_earth.impact.scenario import design_days, settings, tables
from labrig_earth.impact.scenario.closure import Closure, across
from labrig_earth.impact.scenario.epw_files import epw
from labrig_earth.impact.scenario.events import events
from labrig_earth.impact.scenario.perturbation import Perturbation, read_perturbation
from labrig_earth.impact.simulator import Given, Named
from labrig_earth.impact.simulators import simulator
from labrig_earth.impact.traffic.network import read_network
from labrig_earth.impact.weather.epw import read_epw
from labrig_earth.results import Result
from labrig_earth.work.arguments import mapping_of, text_of
from labrig_earth.work.calls import Call
from labrig_earth.work.fields import Fields, read_object

MOST_BYTES = 32 << 20
MOST_MEMBERS = 20
SEED = 1
SAME_PLACE_DEGREES = 1.0

Weather = Callable[[Named, Perturbation, tables.Site, int, Closure], tables.Changed]
Settings = Callable[[Named, Perturbation, Closure], bytes]

WEATHER: Mapping[str, tuple[Weather, str]] = {
    "weather_daily_path": (tables.daily, "weather_daily.csv"),
    "weather_timeseries_path": (tables.timeseries, "weather_timeseries.csv"),
    "met_timeseries_path": (tables.met, "met.csv"),
    "weather_epw_path": (epw, "weather.epw"),
}
"""Inputs of weather: what perturbs each, and the name that it gets; several files are members."""

SETTINGS: Mapping[str, tuple[Settings, str]] = {
    "crop_path": (settings.crop, "crop.json"),
    "management_path": (settings.management, "management.json"),
    "treatment_path": (settings.treatment, "treatment.json"),
    "disruptions_path": (settings.disruptions, "disruptions.json"),
    "building_idf_path": (design_days.design_days, "building.idf"),
    "design_days_path": (design_days.design_days, "design_days.ddy"),
    "hazard_event_set_path": (events, "hazard"),
}
PASSED = (
    *("soil_path", "soil_profile_path", "cultivar_path", "network_path", "routes_path"),
    *("exposure_path", "impact_functions_path"),
)
"""What no perturbation changes, and runs need."""

ROLES = (*WEATHER, *SETTINGS, *PASSED)
ENSEMBLE = "ensemble_weather_daily_paths"

TOOLS: Mapping[str, tuple[str, ...]] = {
    "impact_aquacrop_run": ("weather_daily_path", "soil_path", "crop_path", "management_path"),
    "impact_dssat_run": ("weather_daily_path", "soil_profile_path", "cultivar_path", "treatment_path"),
    "impact_energyplus_run": ("building_idf_path", "weather_epw_path"),
    "impact_sumo_run": ("network_path", "routes_path", "disruptions_path"),
    "impact_health_utci": ("met_timeseries_path",),
    "impact_climada_run": ("hazard_event_set_path", "exposure_path", "impact_functions_path"),
}
"""Files of each engine."""

OWN = {
    "impact_aquacrop_run": ("soil_path", "crop_path", "management_path"),
    "impact_dssat_run": ("soil_profile_path", "cultivar_path", "treatment_path"),
    "impact_energyplus_run": ("building_idf_path", "weather_epw_path"),
    "impact_sumo_run": ("network_path", "routes_path", "disruptions_path"),
    "impact_health_utci": ("met_timeseries_path",),
    "impact_climada_run": ("hazard_event_set_path", "exposure_path", "impact_functions_path"),
}
"""Files by which one knows that an engine is meant: the weather of crops serves two."""


@dataclass
class _World:
    """Inputs as they are in one of the two worlds: contents by role, and where each comes from.

    Attributes
    ----------
    places
        ``given:<number>`` for a file of the call, else the name of one that is written.
    """

    files: dict[str, list[Named]] = field(default_factory=dict)
    places: dict[str, list[str]] = field(default_factory=dict)

    def put(self, role: str, number: int, named: Named, place: str) -> None:
        """Put the file of a role in its place."""
        files, places = self.files.setdefault(role, []), self.places.setdefault(role, [])
        if number < len(files):
            files[number], places[number] = named, place
        else:
            files.append(named)
            places.append(place)


def compile_scenario(call: Call) -> Result:
    """Compile a scenario.

    Arguments: ``perturbation`` (see `read_perturbation`), ``name``, ``options`` (``latitude``, ``elevation_m``,
    ``seed``). Files by the arguments of the simulators (`ROLES`). What is written stands in `Result.files`; ``data``
    has ``pairs``: the arguments of each run in both worlds, in which ``given:N`` is the N-th file of that argument.

    Raises
    ------
    LabrigError
        For an input that no scenario knows, a perturbation that changes none of the inputs, and whatever the engines'
        readers refuse in the inputs, before and after.
    """
    asked = read_perturbation(mapping_of(call, "perturbation"))
    name = text_of(call, "name", "scenario")
    options = Fields(mapping_of(call, "options"), "options")
    seed = options.whole("seed", 0, 2**31 - 1, "", SEED)
    base = _given(call)
    site, places = _site(options, base)
    options.require_all_known()
    _require_roads(asked, base)
    made: dict[str, bytes] = {}
    _open_roads(asked, base, made)
    _written_et0(asked, base, site, made)
    changed = _World({role: list(each) for role, each in base.files.items()}, {})
    changed.places = {role: list(each) for role, each in base.places.items()}
    accounts, baselines = [], []
    for role, files in base.files.items():
        for number, named in enumerate(files):
            if role in PASSED:
                continue
            told = Closure(role, named.name)
            content, days = _perturbed(role, named, asked, site, seed + number, told)
            if days is not None and len(days.means_c):
                baselines.append((f"{role} {named.name}", days.days, days.means_c))
            if role == "weather_daily_path" and asked.warmer_k:
                _computed_et0(asked, base, named, content, told)
            if told.changes:
                written = _name(role, number, files)
                if role == "hazard_event_set_path":
                    written += ".json" if content.lstrip()[:1] == b"{" else ".csv"
                made[written] = content
                changed.put(role, number, Named(written, content), written)
            accounts.append(told)
    pairs, lacking = _pairs(asked, base, changed, name)
    if not any(each.changes for each in accounts) and not any(each["changed_options"] for each in pairs):
        raise LabrigError(
            f"The perturbation ({asked.said}) changes none of these inputs",
            where="inputs",
            expected="files that it acts on, such as weather for a change of temperature",
        )
    checks = [*across(accounts, baselines), *places]
    _require_taken(pairs, base, changed)
    for written, content in made.items():
        (call.scratch / written).write_bytes(content)
    told_checks = [each.to_dict() for account in accounts for each in account.checks] + [
        each.to_dict() for each in checks
    ]
    failed = [each for each in told_checks if not each["passed"]]
    return Result(
        method=f"one perturbation of all inputs: {asked.said}",
        data={
            "scenario": asked.said,
            "seed": seed,
            "pairs": pairs,
            "closure": {
                "inputs": [each.to_dict() for each in accounts],
                "between_inputs": [each.to_dict() for each in checks],
                "not_perturbed": [*lacking, *_untouched(asked, base)],
            },
            "checks": len(told_checks),
            "failed": failed,
        },
        warnings=tuple(f"{each['check']}: {each['found']}" for each in failed),
        source=", ".join(dict.fromkeys(each.name for files in base.files.values() for each in files)),
        files=tuple(made),
    )


def _given(call: Call) -> _World:
    base = _World()
    for role, places in call.inputs.items():
        if role not in ROLES:
            raise unknown_name("input of a scenario", role, ROLES, where="inputs")
        if len(places) > (MOST_MEMBERS if role in WEATHER else 1):
            raise LabrigError(
                f"{len(places)} files are given",
                where=role,
                expected=f"at most {MOST_MEMBERS} members" if role in WEATHER else "one",
                code="limit",
            )
        for number, place in enumerate(places):
            path = Path(place.path)
            if path.stat().st_size > MOST_BYTES:
                raise over_limit(f"The file has {path.stat().st_size:,} bytes", MOST_BYTES, where=place.name)
            base.put(role, number, Named(place.name, path.read_bytes()), f"given:{number}")
    if not base.files:
        raise LabrigError("No input is given", where="inputs", expected=", ".join(ROLES))
    return base


def _site(options: Fields, base: _World) -> tuple[tables.Site, list[Any]]:
    """Return where the weather is, and checks that the inputs which say it agree."""
    from labrig_earth.impact.scenario.closure import Check

    said: dict[str, tuple[float, float]] = {}
    if options.has("latitude"):
        said["options"] = (
            options.number("latitude", -90, 90, "degrees north"),
            options.number("elevation_m", -450, 6000, "m", 0.0),
        )
    elif options.has("elevation_m"):
        raise LabrigError(
            "elevation_m is given without latitude", where="options", expected="both, or latitude"
        )
    for named in base.files.get("treatment_path", []):
        site = read_object(named.content, named.name).fields("site", {})
        if site.has("latitude"):
            said["treatment_path"] = (
                site.number("latitude", -66, 66, "degrees north"),
                site.number("elevation_m", -400, 6000, "m", 0.0),
            )
    for named in base.files.get("management_path", []):
        et0 = read_object(named.content, named.name).fields("et0", {})
        if et0.has("latitude"):
            said["management_path"] = (
                et0.number("latitude", -90, 90, "degrees north"),
                et0.number("elevation_m", -400, 6000, "m", 0.0),
            )
    for named in base.files.get("weather_epw_path", [])[:1]:
        read = read_epw(named.content, named.name)
        said["weather_epw_path"] = (read.latitude, read.elevation_m)
    checks = []
    if len(said) > 1:
        spread = max(each[0] for each in said.values()) - min(each[0] for each in said.values())
        checks.append(
            Check(
                "the inputs are of one place",
                spread <= SAME_PLACE_DEGREES,
                ", ".join(f"{role} {each[0]:g} degrees north" for role, each in said.items()),
            )
        )
    if not said:
        return tables.Site(None, 0.0), checks
    latitude, elevation = next(iter(said.values()))
    return tables.Site(latitude, elevation), checks


def _require_roads(asked: Perturbation, base: _World) -> None:
    if asked.closed_edges and not {"network_path", "routes_path"} <= base.files.keys():
        raise LabrigError(
            "Edges are closed, and the roads are not given",
            where="inputs",
            expected="network_path and routes_path, and disruptions_path where the baseline has disruptions",
        )
    if asked.closed_edges:
        network = read_network(base.files["network_path"][0])
        for edge in asked.closed_edges:
            network.require(edge, "perturbation, closed_edges")


def _open_roads(asked: Perturbation, base: _World, made: dict[str, bytes]) -> None:
    """Write open roads as the baseline where no disruptions are given."""
    if asked.closed_edges and "disruptions_path" not in base.files:
        content = settings.written({"closed_edges": []})
        made["baseline_disruptions.json"] = content
        base.put(
            "disruptions_path", 0, Named("baseline_disruptions.json", content), "baseline_disruptions.json"
        )


def _written_et0(asked: Perturbation, base: _World, site: tables.Site, made: dict[str, bytes]) -> None:
    """Write evapotranspiration into the weather of both worlds where Hargreaves would compute it.

    It knows no humidity, so it would say the same for either rule; the scenario changes what it gives for the baseline
    by Penman-Monteith.
    """
    if not (asked.warmer_k and base.files.get("management_path") and base.files.get("weather_daily_path")):
        return
    managed = base.files["management_path"][0]
    fields = read_object(managed.content, managed.name)
    et0 = fields.fields("et0", {})
    if not et0.has("method") or et0.text("method") != "hargreaves" or site.latitude is None:
        return
    fill_days = fields.whole("fill_days", 0, MOST_FILLED_DAYS, "days", 0)
    latitude = et0.number("latitude", -90, 90, "degrees north")
    for number, named in enumerate(base.files["weather_daily_path"]):
        read = with_et0(read_weather(named.content, named.name, fill_days), "hargreaves", latitude, 0.0)
        written = f"baseline_{_name('weather_daily_path', number, base.files['weather_daily_path'])}"
        made[written] = read.csv(tuple(read.columns))
        base.put("weather_daily_path", number, Named(written, made[written]), written)
    said = {key: value for key, value in fields.raw().items() if key != "et0"}
    made["baseline_management.json"] = settings.written(said)
    base.put(
        "management_path",
        0,
        Named("baseline_management.json", made["baseline_management.json"]),
        "baseline_management.json",
    )


def _computed_et0(asked: Perturbation, base: _World, before: Named, content: bytes, told: Closure) -> None:
    """Note how evapotranspiration changes that the engine computes of the weather, by the method of the management."""
    managed = base.files.get("management_path")
    et0 = read_object(managed[0].content, managed[0].name).fields("et0", {}) if managed else None
    if et0 is None or not et0.has("method") or et0.text("method") != "penman_monteith":
        return
    latitude = et0.number("latitude", -90, 90, "degrees north")
    elevation = et0.number("elevation_m", -400, 6000, "m", 0.0)
    fill_days = MOST_FILLED_DAYS
    sums = [
        with_et0(read_weather(each, before.name, fill_days), "penman_monteith", latitude, elevation)
        for each in (before.content, content)
    ]
    first, second = (each.columns["et0_mm"] for each in sums)
    told.changed("et0 that AquaCrop's run computes (Penman-Monteith)", "mm", first, second, total=True)
    tables.within_band(told, first, second, asked)


def _perturbed(
    role: str, named: Named, asked: Perturbation, site: tables.Site, seed: int, told: Closure
) -> tuple[bytes, tables.Changed | None]:
    if role in WEATHER:
        changed = WEATHER[role][0](named, asked, site, seed, told)
        return changed.content, changed
    if role == "building_idf_path" and design_days.is_box(named):
        told.left.append("a box by its numbers has no design days")
        return named.content, None
    return SETTINGS[role][0](named, asked, told), None


def _name(role: str, number: int, files: Sequence[Named]) -> str:
    name = WEATHER[role][1] if role in WEATHER else SETTINGS[role][1]
    if len(files) < 2:
        return name
    stem, _, ending = name.rpartition(".")
    return f"{stem}_{number + 1:02}.{ending}"


def _pairs(
    asked: Perturbation, base: _World, changed: _World, name: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the runs of both worlds that are to be compared, and what engines lack."""
    pairs: list[dict[str, Any]] = []
    lacking: list[str] = []
    for tool, roles in TOOLS.items():
        absent = [role for role in roles if role not in base.files]
        if absent:
            if any(role in base.files for role in OWN[tool]):
                lacking.append(f"{tool} has no pair: {', '.join(absent)} is not given")
            continue
        members = max(len(base.files[role]) for role in roles)
        options = dict(asked.setpoints or {}) if tool == "impact_energyplus_run" else {}
        whole = tool == "impact_aquacrop_run"  # it runs its members in one call
        for number in range(1 if whole else members):
            worlds: dict[str, Any] = {}
            for world, said, more in ((base, "baseline", {}), (changed, name, options)):
                arguments: dict[str, Any] = {
                    role: world.places[role][number if len(world.places[role]) > 1 else 0] for role in roles
                }
                if whole and members > 1:
                    arguments[ENSEMBLE] = world.places["weather_daily_path"][1:]
                worlds["baseline" if world is base else "scenario"] = {
                    **arguments,
                    **more,
                    "scenario_name": said,
                }
            worlds["scenario"]["scenario_description"] = asked.said
            same = all(base.places[role] == changed.places[role] for role in roles) and not options
            if same:
                lacking.append(f"{tool} has no pair: the scenario changes none of its inputs")
                break
            pairs.append({"tool": tool, "member": number + 1, "changed_options": sorted(options), **worlds})
    return pairs, lacking


def _require_taken(pairs: Sequence[Mapping[str, Any]], base: _World, changed: _World) -> None:
    """Raise what an engine's reader refuses in either world."""
    for pair in pairs:
        found = simulator(pair["tool"])
        for world, files in (("baseline", base), ("scenario", changed)):
            given: dict[str, list[Named]] = {}
            for role, value in pair[world].items():
                source = "weather_daily_path" if role == ENSEMBLE else role
                if source in files.places and (role in found.files):
                    wanted = value if isinstance(value, list) else [value]
                    given[role] = [files.files[source][files.places[source].index(each)] for each in wanted]
            options = {each: pair[world][each] for each in pair["changed_options"] if each in pair[world]}
            try:
                found.check(Given(given, options))
            except LabrigError as error:
                error.where = f"{world} of {pair['tool']}: {error.where}"
                raise


def _untouched(asked: Perturbation, base: _World) -> list[str]:
    """Return what was asked for and no input could take."""
    told = []
    if asked.planting_shift_days and not {"crop_path", "treatment_path"} & base.files.keys():
        told.append("planting: neither crop_path nor treatment_path is given")
    if asked.co2_ppm is not None and not {"management_path", "treatment_path"} & base.files.keys():
        told.append("carbon dioxide: neither management_path nor treatment_path is given")
    if asked.setpoints and not {"building_idf_path", "weather_epw_path"} <= base.files.keys():
        told.append("set points: building_idf_path and weather_epw_path are not given")
    if (asked.hazard_intensity_percent or asked.hazard_frequency_percent) and (
        "hazard_event_set_path" not in base.files
    ):
        told.append("events: hazard_event_set_path is not given")
    if asked.warmer_k and not set(WEATHER) & base.files.keys():
        told.append("temperature: no weather is given")
    if (
        asked.precipitation_percent
        and not {"weather_daily_path", "weather_timeseries_path"} & base.files.keys()
    ):
        told.append("precipitation: no file with rain is given")
    return told
