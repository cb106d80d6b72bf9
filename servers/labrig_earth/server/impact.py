"""What goes with simulators: inputs listed and checked, runs started, compared and drawn; in toolset ``impact``.

A run is named by the handle of its archive, which `start_simulation` and the published tools return.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from pydantic.fields import FieldInfo

from labrig.answer import Answer, Pictures, Quantity
from labrig.errors import LabrigError, unknown_name
from labrig.progress import Progress
from labrig.sideenv import status
from labrig.threads import in_thread
from labrig.toolbox import session
from labrig.tools.sources import opened_source
from labrig_earth.impact.envelope import Common, Metric
from labrig_earth.impact.reading_output import output_text
from labrig_earth.impact.records import (
    SUMMARY,
    Paired,
    Record,
    compared,
    over_pairs,
    read_summary,
    require_one_kind,
)
from labrig_earth.impact.simulators import ROOMS, simulator
from labrig_earth.server import simulating
from labrig_earth.server.arguments import keys_of, number, one_of, several, text
from labrig_earth.server.base import options_of, toolbox
from labrig_earth.server.operations import Asked, answer_operation, draw_operation

IMPACT = ("impact",)
MOST_PAIRED, MOST_PAIRS = 10, 40
MOST_FILES = 80
MOST_LOOKED_AT = 5_000
MOST_TEXT = 5_000
"""Bytes of a text in an answer."""

ToolArgument = Annotated[str, Field(description="impact_aquacrop_run, ...; list_inputs names all.")]


def _of_simulators(schema: dict[str, Any]) -> None:
    """Name the arguments of all simulators' tools in the schema of an object that takes those of one."""
    named: dict[str, dict[str, str]] = {}
    for spec in toolbox.specs:
        for each in inspect.signature(spec.function).parameters.values() if spec.name in ROOMS else ():
            about = getattr(each.annotation, "__metadata__", ())
            said = [
                field.description for field in about if isinstance(field, FieldInfo) and field.description
            ]
            named.setdefault(each.name, {"description": said[0]} if said else {})
    schema |= {"properties": dict(sorted(named.items())), "additionalProperties": {}}


ArgumentsArgument = Annotated[
    dict[str, Any],
    Field(
        description="Those of the tool: files by path or handle, and options.",
        json_schema_extra=_of_simulators,
    ),
]
RunArgument = Annotated[str, Field(description="Handle of a run's folder in the workspace.")]
RunsArgument = Annotated[
    str | Annotated[list[str], Field(max_length=MOST_PAIRS)],
    Field(description="Handle of a run, or a list of them."),
]


@toolbox.tool(title="List inputs", read_only=True, toolsets=IMPACT)
async def list_inputs(
    tool: Annotated[str, Field(description="A simulator; empty for all of them.")] = "",
    crop: Annotated[str, Field(description="For impact_dssat_run: list the cultivars of this crop.")] = "",
) -> Answer:
    """Say what files and options a simulator takes, with units, what may be named, and whether its engine is there.

    Example: {"tool": "impact_health_utci"}
    """
    if not tool:
        known = {name: _standing(name) for name in ROOMS}
        return Answer(source="labrig earth", data={"simulators": known}, next="list_inputs(tool=...)")
    found = simulator(tool)
    data: dict[str, Any] = {
        "tool": tool,
        "engine": _standing(tool),
        "files": dict(found.files),
        "options": dict(found.options),
    }
    if found.names and _there(tool):
        asked = {"list": True, "of": crop}
        async with session().state.engines.run(found.engine, asked, {}) as run:
            data |= {name: run.result.get(name, []) for name in found.names}
    return Answer(source="labrig earth", data=data, next=f"check_inputs(tool={tool!r}, arguments=...)")


def _there(tool: str) -> bool:
    environment = simulator(tool).engine.environment
    return environment is None or status(environment).state == "installed"


def _standing(tool: str) -> str:
    """Return an engine's title, and whether it is there."""
    engine = simulator(tool).engine
    if engine.environment is None:
        return engine.title
    state = status(engine.environment)
    there = state.state == "installed"
    return f"{engine.title}: " + (
        state.reason if there else f"{state.state}; labrig setup {engine.environment.name}"
    )


@toolbox.tool(title="Check inputs", read_only=True, toolsets=IMPACT)
async def check_inputs(tool: ToolArgument, arguments: ArgumentsArgument) -> Answer:
    """Check the files of a run without running it: missing days, units, ranges; say what would be assumed or filled.

    Example: {"tool": "impact_health_utci", "arguments": {"met_timeseries_path": "met.csv"}}
    """
    files, options, common = _split(tool, arguments)
    common.checked(simulator(tool).backends)
    given, hashes = await in_thread(simulating.read_given, tool, files, options)
    notes = await in_thread(simulator(tool).check, given)
    question, text = simulator(tool).question, "The files can be used as they are."
    if question is not None:
        if await in_thread(_there, tool):
            asked, inputs = await in_thread(question, given)
            async with session().state.engines.run(simulator(tool).engine, {**asked, "check": True}, inputs):
                text += " The engine knows what they name."
        else:
            text += f" Whether the engine knows what they name is not checked: {_standing(tool)}."
    return Answer(
        source=f"labrig earth {toolbox.version}",
        text=text,
        data={"assumed": list(notes), "files": {role: len(each) for role, each in hashes.items()}},
        next=f"start_simulation(tool={tool!r}, arguments=...)",
    )


@toolbox.tool(title="Make weather for crops", read_only=False, toolsets=IMPACT)
async def make_weather(
    data: Annotated[
        list[str],
        Field(min_length=1, max_length=8, description="Gridded daily files in the workspace, or handles."),
    ],
    point: Annotated[
        list[float], Field(min_length=2, max_length=2, description="[latitude, longitude], degrees.")
    ],
    variables: Annotated[
        dict[str, str],
        Field(
            description="Variables by column: tmin_c, tmax_c or mean_c; precipitation_mm, et0_mm, srad_mj_m2, tdew_c; "
            "u10 and v10, or wind_10m."
        ),
    ],
    options: Annotated[
        dict[str, Any],
        keys_of(
            "Options.",
            start=text("First day, ISO."),
            end=text("Last day, ISO."),
            diurnal_range_k=number("K, where only the mean temperature is known."),
        ),
    ] = {},  # noqa: B006
) -> Answer:
    """Make the daily weather file of a crop's run out of gridded data at a place; units are converted, all is told.

    Example: {"data": ["@data/climate/daily.nc"], "point": [48.2, 12.8],
    "variables": {"mean_c": "t2m", "precipitation_mm": "tp"}, "options": {"diurnal_range_k": 8}}
    """
    arguments = {
        "point": point,
        "variables": variables,
        **options_of(options, ("start", "end", "diurnal_range_k")),
    }
    hint = "check_inputs with the handle as weather_daily_path"
    return await answer_operation(Asked("make_weather", {"data": data}, arguments, hint))


@toolbox.tool(title="Make an input of a simulator", read_only=False, toolsets=IMPACT)
async def make_input(
    kind: Annotated[
        str,
        Field(
            description="soil, season (sowing day, field), met (hours for UTCI), population, exposure, roads, "
            "assets or hazard (CLIMADA)."
        ),
    ],
    data: Annotated[
        list[str],
        Field(
            min_length=1,
            max_length=8,
            description="Files in the workspace, or handles; for season the weather, for roads OSM streets.",
        ),
    ],
    point: Annotated[
        list[float],
        Field(max_length=2, description="[latitude, longitude], degrees; of soil, season, met, exposure."),
    ] = [],  # noqa: B006 - pydantic copies it
    variables: Annotated[
        dict[str, str],
        Field(
            description="Variables by column. soil: clay_percent, sand_percent or silt_percent, "
            "organic_carbon_percent, bulk_density_g_cm3. met: tair_c, dew_point_c or rh_pct, u10 and v10, tmrt_c or "
            "solar_down_w_m2, solar_direct_w_m2, solar_net_w_m2, thermal_down_w_m2, thermal_net_w_m2. "
            "population: persons. exposure: one of a name. assets: value. hazard: intensity."
        ),
    ] = {},  # noqa: B006
    zones: Annotated[
        str, Field(description="population: polygons, a group each. hazard of polygons: where centroids are.")
    ] = "",
    options: Annotated[
        dict[str, Any],
        keys_of(
            "By the kind.",
            bottoms_m=several("number", "soil: of each layer."),
            bottom_m=number("soil."),
            engine=one_of(("aquacrop", "dssat"), "season."),
            crop=text("season."),
            after=text("season: a day, ISO."),
            from_c=number("season: degC."),
            days=number("season."),
            cultivar=text("season, dssat."),
            elevation_m=number("season, dssat."),
            plants_m2=number("season, dssat."),
            row_cm=number("season, dssat."),
            depth_cm=number("season, dssat."),
            names=text("population: column of the zones."),
            layer=text("population: of the zones."),
            unit=text("exposure, hazard."),
            statistic=one_of(("mean", "max"), "exposure."),
            trips=number("roads: how many."),
            minutes=number("roads."),
            seed=number("roads."),
            lights=number("roads: at crossings of so many roads."),
            value_unit=text("assets."),
            per_unit=number("assets."),
            asset_type=text("assets."),
            hazard_type=text("hazard."),
            events=one_of(("year", "steps"), "hazard."),
            frequency_per_year=number("hazard."),
            above=number("hazard."),
            spacing_m=number("hazard of polygons."),
            column=text("hazard of polygons."),
            start=text("met, exposure, hazard: ISO."),
            end=text("Included."),
            box=several("number", "assets, hazard: [west, south, east, north]."),
        ),
    ] = {},  # noqa: B006
) -> Answer:
    """Make an input of a simulator of data: soil, sowing day, hourly weather, people, roads and trips, assets, events.

    Units are converted, methods and assumptions told; what a run would refuse is refused.

    Example: {"kind": "population", "data": ["@data/town/people.tif"], "zones": "@data/town/districts.geojson",
    "options": {"names": "district"}}
    """
    asked = {"kind": kind, "point": point, "variables": variables, "options": options}
    inputs = {"data": data, "zones": [zones] if zones else []}
    return await answer_operation(
        Asked("make_input", inputs, asked, "check_inputs with the handle of the file")
    )


@toolbox.tool(title="Start a simulation", read_only=False, idempotent=False, toolsets=IMPACT)
async def start_simulation(tool: ToolArgument, arguments: ArgumentsArgument) -> Answer:
    """Run a simulator as a job, for get_job: numbers with units, and the handle of all that the run left.

    Example: {"tool": "impact_health_utci", "arguments": {"met_timeseries_path": "met.csv"}}
    """
    files, options, common = _split(tool, arguments)
    common.checked(simulator(tool).backends)
    here = session()

    async def work(progress: Progress) -> Answer:
        progress(0.0, tool)
        return _answer(await simulating.run_and_keep(tool, files, options, common, here))

    job = here.jobs.start(tool, work, owner=here.owner)
    return Answer(
        source="labrig earth", data={"job": job}, next=f'get_job(job="{job}", wait_s=45) gives the result'
    )


def _answer(kept: simulating.Kept) -> Answer:
    done = kept.done
    return Answer(
        source=f"{done.version}; labrig earth {toolbox.version}",
        status="ok_with_warnings" if done.warnings else "ok",
        values=(*_quantities(done.metrics), *_quantities(done.derived)),
        text=done.text,
        data={"run_id": done.run_id, "scenario": kept.common.scenario_name, "time": list(done.time)},
        warnings=tuple(done.warnings)[:20],
        artifacts=(kept.archive.to_dict(),),
        next="compare_runs(baseline, intervention) or plot_run(runs) take the handle",
        record={"volatile": {"runtime_s": round(done.wall_s, 3)}},
    )


def _quantities(metrics: Mapping[str, Metric]) -> list[Quantity]:
    return [
        Quantity(name, round(each.value, 6) if isinstance(each.value, float) else each.value, each.unit)
        for name, each in metrics.items()
    ]


def _split(tool: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], Common]:
    """Return files, options and common arguments of a call; those of no kind are refused later, by name."""
    known = simulator(tool)
    names = set(Common.__dataclass_fields__)
    common = {name: value for name, value in arguments.items() if name in names}
    options = {name: value for name, value in arguments.items() if name in known.options}
    files = {
        name: value for name, value in arguments.items() if name not in names and name not in known.options
    }
    for name, value in common.items():
        wanted: tuple[type, ...] = {
            "assumptions": (dict,),
            "seed": (int,),
            "threads": (int,),
            "timeout_seconds": (int,),
            "cpu_cores": (int, float, type(None)),
            "memory_gb": (int, float, type(None)),
        }.get(name, (str, type(None)))
        if isinstance(value, bool) or not isinstance(value, wanted):
            raise LabrigError(f"{name} is {value!r}"[:200], where=f"arguments, {name}")
    return files, options, simulating.make_common(common)


@toolbox.tool(title="Compare runs", read_only=True, toolsets=IMPACT)
async def compare_runs(
    baseline: RunsArgument,
    intervention: RunsArgument,
    changed_options: Annotated[
        list[str], Field(max_length=10, description="Options that are meant to differ.")
    ] = [],  # noqa: B006 - pydantic copies it
) -> Answer:
    """Compare two runs of one simulator, intervention less baseline, paired by season where seasons pair.

    Lists of as many handles each are pairs: mean difference, 95 % interval and number of pairs of each metric. Runs of
    other engines, options or seeds are refused: their difference would be taken for the intervention's.

    Example: {"baseline": "sha256:80f8d87600a5bf65", "intervention": "sha256:0b1d3e7c9a2f4655"}
    """
    ones, others = ([each] if isinstance(each, str) else each for each in (baseline, intervention))
    if len(ones) != len(others) or not ones:
        raise LabrigError(
            f"{len(ones)} and {len(others)} runs are given",
            where="baseline, intervention",
            expected="as many of both, at least one, in the order of the pairs",
        )
    pairs = await in_thread(
        lambda: [(_record(one), _record(other)) for one, other in zip(ones, others, strict=True)]
    )
    if len(pairs) > 1:
        return _over_pairs(pairs, changed_options)
    first, second = pairs[0]
    found = compared(first, second, changed_options)
    values = [
        Quantity(
            each.name,
            round(each.difference, 6),
            each.unit,
            f"{each.baseline:.6g} to {each.intervention:.6g}"
            + ("" if each.percent is None else f", {each.percent:+.2f} %"),
        )
        for each in found.differences
    ]
    paired = [_row(each) for each in found.paired]
    return Answer(
        source=f"{first.version}; labrig earth {toolbox.version}",
        status="ok_with_warnings" if found.warnings else "ok",
        values=tuple(values),
        data={
            "baseline": first.scenario,
            "intervention": second.scenario,
            "changed_inputs": list(found.changed),
            "paired": paired[:MOST_PAIRED],
        },
        warnings=tuple(found.warnings),
        next="plot_run(runs=[baseline, intervention])",
    )


def _row(each: Paired) -> dict[str, Any]:
    return {
        "name": each.name,
        "mean_difference": round(each.mean, 6),
        "standard_error": None if each.standard_error is None else round(each.standard_error, 6),
        "interval_95": None if each.interval is None else [round(end, 6) for end in each.interval],
        "pairs": each.pairs,
    }


def _over_pairs(pairs: Sequence[tuple[Record, Record]], changed_options: Sequence[str]) -> Answer:
    """Return the differences of several pairs of runs."""
    require_one_kind([each for pair in pairs for each in pair])
    found = [compared(first, second, changed_options) for first, second in pairs]
    units = {each.name: each.unit for comparison in found for each in comparison.differences}
    rows = over_pairs(found)
    warnings = dict.fromkeys(said for each in found for said in each.warnings)
    return Answer(
        source=f"{pairs[0][0].version}; labrig earth {toolbox.version}",
        status="ok_with_warnings" if warnings else "ok",
        values=tuple(
            Quantity(
                each.name,
                round(each.mean, 6),
                units[each.name],
                f"mean of {each.pairs} pairs"
                + (f", 95 % {each.interval[0]:.6g} to {each.interval[1]:.6g}" if each.interval else ""),
            )
            for each in rows
        ),
        data={
            "baseline": pairs[0][0].scenario,
            "intervention": pairs[0][1].scenario,
            "changed_inputs": list(dict.fromkeys(name for each in found for name in each.changed)),
            "paired": [_row(each) for each in rows][:MOST_PAIRED],
            "pairs": len(pairs),
        },
        warnings=tuple(warnings),
        next="plot_run(runs=[baseline, intervention]) of a pair",
    )


def _record(run: str) -> Record:
    with opened_source(run, kind="folder"), opened_source(f"{run.rstrip('/')}/{SUMMARY}") as source:
        return read_summary(source.read(), run)


@toolbox.tool(title="Read an output", read_only=True, toolsets=IMPACT)
async def read_output(
    run: RunArgument,
    name: Annotated[
        str, Field(description="Of a file of the run, such as OVERVIEW.OUT; empty to list them.")
    ] = "",
    output: Annotated[
        str, Field(description="auto, toc, outline, raw:N (characters); lines A-B for those lines.")
    ] = "auto",
) -> Answer:
    """List what a run left, or read a file of it: its headings (toc), its map (outline), its text or some of its lines.

    DSSAT's files are mapped by headings and tables, messages of EnergyPlus by kinds, CSV files by their columns; JSON
    is given as it is.

    Example: {"run": "sha256:80f8d87600a5bf65", "name": "utci_daily.csv"}
    """
    return await in_thread(_read_output, run, name, output)


def _read_output(run: str, name: str, output: str) -> Answer:
    with opened_source(run, kind="folder") as folder:
        found = itertools.islice(folder.place.rglob("*"), MOST_LOOKED_AT)
        names = sorted(path.relative_to(folder.place).as_posix() for path in found if path.is_file())
    if not names:
        raise LabrigError(
            "No run left anything in this folder",
            where=run,
            expected="the handle of a run, which start_simulation and the simulators give",
            code="not_found",
        )
    source = f"{run}; labrig earth {toolbox.version}"
    if not name:
        return Answer(
            source=source,
            data={"files": names[:MOST_FILES], "count": len(names)},
            next=f"read_output(run={run!r}, name=...)",
        )
    path = next((each for each in names if name in (each, each.rpartition("/")[2])), "")
    if not path:
        raise unknown_name("file of the run", name, names, where=run)
    with opened_source(f"{run.rstrip('/')}/{path}") as file:
        text = file.read().decode("utf-8", "replace")
    kind, shown = output_text(text, path, output)
    cut = len(shown.encode()) > MOST_TEXT
    if cut:
        shown = shown.encode()[:MOST_TEXT].decode("utf-8", "ignore")
    return Answer(
        source=source,
        status="partial" if cut else "ok",
        text=shown,
        data={"file": path, "kind": kind, "lines": text.count("\n") + 1},
        warnings=("the text is cut here; ask for lines A-B",) if cut else (),
        next=f"read_output(run={run!r}, name={path!r}, output='lines 1-40')",
    )


@toolbox.tool(title="Plot runs", read_only=False, picture=True, toolsets=IMPACT)
async def plot_run(
    runs: Annotated[
        list[str], Field(min_length=1, max_length=4, description="Handles of runs' folders in the workspace.")
    ],
    options: Annotated[
        dict[str, Any],
        keys_of(
            "Options.",
            title=text("Of the picture."),
            season=number("Of crops, from 1."),
            member=number("Of crops; 0 is the first weather."),
        ),
    ] = {},  # noqa: B006 - pydantic copies it
) -> Pictures:
    """Draw one to four runs of a simulator: a season of crops, heat, cases, delays on roads, losses by their years.

    Example: {"runs": ["sha256:80f8d87600a5bf65"]}
    """
    return await draw_operation(Asked("plot_run", {"runs": runs}, {"options": options}))
