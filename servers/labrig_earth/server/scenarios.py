"""``compile_scenario``: one perturbation of the inputs of all engines, written into a folder of the workspace."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import ANSWER_BYTES, Answer, json_bytes
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig_earth.server.arguments import keys_of, number, one_of, several, text
from labrig_earth.server.base import options_of, toolbox
from labrig_earth.server.operations import Asked, Worked, do_operation, fit_answer, line_of_sources

CLOSURE, PAIRS = "closure.json", "pairs.json"
GIVEN = "given:"


@toolbox.tool(title="Compile a scenario", read_only=False, toolsets=("impact",))
async def compile_scenario(
    name: Annotated[str, Field(description="Names it and its folder.", pattern=r"^[A-Za-z0-9][\w.-]{0,59}$")],
    perturbation: Annotated[
        dict[str, Any],
        keys_of(
            "What changes; at least one.",
            warmer_k=number("K, with humidity."),
            humidity=one_of(("constant_relative_humidity", "constant_vapour_pressure"), "Of warmer air."),
            precipitation_percent=number("More or less, per cent."),
            precipitation_as=one_of(("intensity", "wet_days"), "What of the rain changes."),
            closed_edges=several("string", "Streets of a network that are closed."),
            planting_shift_days=number("Days later."),
            heating_setpoint_c=number("degC."),
            cooling_setpoint_c=number("degC."),
            co2_ppm=number("ppm."),
            hazard_intensity_percent=number("More or less, per cent."),
            hazard_frequency_percent=number("More or less, per cent."),
        ),
    ],
    inputs: Annotated[
        dict[str, str | list[str]],
        keys_of(
            "The baseline's files, by the simulators' arguments.",
            weather_daily_path=several("string", "Members, or one."),
            weather_timeseries_path=text(),
            met_timeseries_path=text(),
            weather_epw_path=text(),
            crop_path=text(),
            management_path=text(),
            treatment_path=text(),
            disruptions_path=text(),
            building_idf_path=text(),
            design_days_path=text(),
            hazard_event_set_path=text(),
            soil_path=text(),
            soil_profile_path=text(),
            cultivar_path=text(),
            network_path=text(),
            routes_path=text(),
            exposure_path=text(),
            impact_functions_path=text(),
        ),
    ],
    options: Annotated[
        dict[str, Any],
        keys_of(
            "Options.",
            latitude=number("Degrees north, for et0_mm."),
            elevation_m=number("m, for et0_mm."),
            seed=number("Of wet days."),
        ),
    ] = {},  # noqa: B006 - pydantic copies it
) -> Answer:
    """Carry one perturbation through the inputs of crops, buildings, traffic, health and risk, physically consistent.

    Gives changed copies in scenarios/NAME, pairs of arguments (baseline, scenario), and a closure report: what changed
    by how much, checks, and what was not perturbed.

    Example: {"name": "warmer", "perturbation": {"warmer_k": 2, "humidity": "constant_relative_humidity"},
    "inputs": {"met_timeseries_path": "met.csv"}}
    """
    options_of(options, ("latitude", "elevation_m", "seed"))
    paths = {role: [value] if isinstance(value, str) else list(value) for role, value in inputs.items()}
    here = session()
    asked = Asked("compile_scenario", paths, {"name": name, "perturbation": perturbation, "options": options})
    async with do_operation(asked, here) as done:
        return await in_thread(write_scenario, here, name, paths, done)


def write_scenario(here: Session, name: str, paths: Mapping[str, Sequence[str]], done: Worked) -> Answer:
    """Write what was compiled into its folder, and return the answer."""
    folder = f"scenarios/{name}"
    pairs = [name_files(pair, folder, paths) for pair in done.result.data["pairs"]]
    closure = {
        "schema": "labrig.earth.scenario/1",
        "scenario": done.result.data["scenario"],
        "seed": done.result.data["seed"],
        **done.result.data["closure"],
    }
    contents = {each: done.folder.read(each) for each in done.result.files}
    contents |= {CLOSURE: encode_json(closure), PAIRS: encode_json(pairs)}
    write_files(here, folder, contents)
    failed = done.result.data["failed"]
    tools = dict.fromkeys(pair["tool"] for pair in pairs)
    answer = Answer(
        source=line_of_sources(done.hashes),
        status="ok_with_warnings" if failed else "ok",
        text=f"{done.result.data['scenario']}: {done.result.data['checks']} checks, {len(failed)} failed",
        data={
            "folder": folder,
            "pairs": pairs,
            "changes": {
                f"{each['input']} {each['file']}": [shorten_change(change) for change in each["changes"]]
                for each in closure["inputs"]
                if each["changes"]
            },
            "between_inputs": closure["between_inputs"],
            "not_perturbed": [
                *closure["not_perturbed"],
                *dict.fromkeys(left for each in closure["inputs"] for left in each["not_perturbed"]),
            ],
            "assumed": list(dict.fromkeys(said for each in closure["inputs"] for said in each["assumed"])),
            "closure": f"{folder}/{CLOSURE}",
            "pairs_file": f"{folder}/{PAIRS}",
        },
        warnings=tuple(done.result.warnings),
        next=suggest_next(list(tools), "weather_timeseries_path" in paths, folder),
        record={"operation": "compile_scenario", "inputs": dict(done.hashes)},
    )
    if json_bytes(answer.to_dict()) <= ANSWER_BYTES - 200:
        return answer
    return fit_answer(answer, f"{folder}/{CLOSURE} and {PAIRS}")


def suggest_next(tools: Sequence[str], timeseries: bool, folder: str) -> str:
    """Return what to do with a scenario, as a hint."""
    hints = []
    if tools:
        hints.append(
            f"run both arguments of each pair of {', '.join(tools)}, then compare_runs(baseline, intervention), lists "
            "for several pairs"
        )
    if timeseries:
        hints.append(f"weather_to_epw makes an EPW file of the weather_timeseries in {folder}")
    return "; ".join(hints) or "give the other inputs of an engine as well, for pairs of runs"


def name_files(pair: Mapping[str, Any], folder: str, paths: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a pair with the paths of its files in place of what stands for them."""

    def path(role: str, said: str) -> str:
        if said.startswith(GIVEN):
            return paths[role][int(said.removeprefix(GIVEN))]
        return f"{folder}/{said}"

    def world(arguments: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for role, value in arguments.items():
            source = "weather_daily_path" if role == "ensemble_weather_daily_paths" else role
            if not (role.endswith("_path") or role.endswith("_paths")):
                found[role] = value
            elif isinstance(value, list):
                found[role] = [path(source, each) for each in value]
            else:
                found[role] = path(source, value)
        return found

    return {
        **{name: value for name, value in pair.items() if name not in ("baseline", "scenario")},
        "baseline": world(pair["baseline"]),
        "scenario": world(pair["scenario"]),
    }


def shorten_change(change: Mapping[str, Any]) -> str:
    """Return a row of an account in a few words."""
    if "before" in change and "by" not in change:
        return f"{change['what']}: {change['before']} to {change['after']}"
    percent = f" ({change['percent']:+.2f} %)" if "percent" in change else ""
    return f"{change['what']}: {change['by']:+g} {change['unit']}{percent}"


def encode_json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def write_files(here: Session, folder: str, contents: Mapping[str, bytes]) -> None:
    """Write the files of a scenario; a folder that holds another one is left alone.

    The same call again finds its own files, also those of a call that was ended half-way.
    """
    there = [each.path for each in here.workspace.entries() if each.path.startswith(f"{folder}/")]
    for path in there:
        name = path.removeprefix(f"{folder}/")
        if name not in contents or here.workspace.read_bytes(path) != contents[name]:
            raise LabrigError(
                "There is another scenario of this name",
                where=path,
                expected="a name that is new, or the same scenario again",
                try_="another name",
            )
    for name, content in contents.items():
        here.workspace.write_bytes(f"{folder}/{name}", content)
