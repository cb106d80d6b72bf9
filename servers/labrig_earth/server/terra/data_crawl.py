"""Group data_crawl: files of CMIP6 from the Climate Data Store, and of MSWEP from the folder that GloH2O shares."""

from __future__ import annotations

import calendar
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from labrig.answer import Published
from labrig.canonical import content_hash
from labrig.errors import LabrigError, unknown_name
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig_earth.catalogue import mswep
from labrig_earth.catalogue.data_stores import CDS, WAIT_S, constraints, retrieve
from labrig_earth.catalogue.unpacking import unpack
from labrig_earth.server.base import MSWEP_FOLDER, state, toolbox
from labrig_earth.server.operations import make_scratch
from labrig_earth.server.terra.common import publish_payload, put_file, require_active, require_within
from labrig_earth.server.terra.stores import require_netcdf, safe
from labrig_earth.terra.arguments.kinds import Text

GROUP = "data_crawl"
TOOLSETS = ("terra", f"terra-{GROUP}")
MOST_REQUESTS, MOST_FILES = 40, 248
ZIP = b"PK\x03\x04"


def read_texts(value: Any) -> Any:
    """Return one value or several as texts: published calls write years as texts, agents also as numbers."""
    values = value if isinstance(value, list) else [value]
    return [str(each) if isinstance(each, int) and not isinstance(each, bool) else each for each in values]


def default_to(default: Sequence[str]) -> BeforeValidator:
    return BeforeValidator(lambda value: list(default) if value is None else read_texts(value))


YEARS = [str(year) for year in range(2015, 2021)]
MONTHS = [f"{month:02d}" for month in range(1, 13)]
Years = Annotated[list[str], default_to(YEARS)]
Months = Annotated[list[str], default_to(MONTHS)]
Days = Annotated[list[str], default_to(()), Field(description="By default all.")]
Hours = Annotated[list[str], default_to(mswep.HOURS), Field(description="00, 03 .. 21.")]
Several = Annotated[str | list[str], BeforeValidator(lambda value: value)]
SavePath = Annotated[str, Field(description="A folder.")]


@toolbox.tool(title="Fetch CMIP6", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def CMIP6(
    save_path: SavePath,
    variable: Annotated[Several, Field(description="As the CDS names it: precipitation.")],
    exp_type: Annotated[str, Field(description="Such as ssp1_2_6.")],
    model_type: Annotated[Several, Field(description="Such as gfdl_esm4.")],
    temporal_resolution: Annotated[str, Field(description="monthly, daily, fixed.")],
    levels: Annotated[list[str], default_to(()), Field(description="hPa.")] = [],  # noqa: B006 - pydantic copies it
    dataset: Text = "projections-cmip6",
    years: Years = YEARS,
    months: Months = MONTHS,
    days: Days = [],  # noqa: B006
    KEY: Annotated[Text, Field(description="Refused: a setting.")] = "",
    data_format: Annotated[Text, Field(description="zip.")] = "zip",
) -> Published:
    """Fetch CMIP6 projections from the CDS, unpacked as NetCDF; needs a key of the CDS."""
    here = session()
    require_active(GROUP, here)
    if KEY:
        raise LabrigError(
            "Keys are settings of the server, no arguments",
            where="KEY",
            try_=CDS.key.variable if CDS.key else "",
            code="refused",
        )
    if (dataset or "projections-cmip6") != "projections-cmip6":
        raise unknown_name("dataset", dataset, ("projections-cmip6",), where="dataset")
    if (data_format or "zip") != "zip":
        raise LabrigError(
            "The store sends CMIP6 as ZIP archives alone, which are unpacked here",
            where="data_format", expected="zip",
        )  # fmt: skip
    if temporal_resolution not in ("monthly", "daily", "fixed"):
        raise unknown_name(
            "resolution", temporal_resolution, ("monthly", "daily", "fixed"), where="temporal_resolution"
        )
    by_day = temporal_resolution == "daily"
    chosen = _calendar(years, months, days if by_day else [])
    base: dict[str, Any] = {
        "temporal_resolution": temporal_resolution,
        "experiment": exp_type,
        "variable": read_list(variable, "variable"),
        "model": read_list(model_type, "model_type"),
    }
    if levels:
        base["level"] = levels
    when = [
        {"year": [year], "month": chosen.months, "day": chosen.days or [f"{day:02d}" for day in range(1, 32)]}
        for year in chosen.years
    ]
    if temporal_resolution == "monthly":
        when = [{"year": chosen.years, "month": chosen.months}]
    elif temporal_resolution == "fixed":
        when = [{}]
    if len(when) > MOST_REQUESTS:
        raise _too_many(len(when), "requests of a year", MOST_REQUESTS)
    require_within(save_path, "save_path")
    requests = [{**base, **each} for each in when]
    stem = f"cmip6_{'-'.join(base['model'])}_{exp_type}_{'-'.join(base['variable'])}_{temporal_resolution}"
    folders = [f"{save_path}/{safe(stem)}_{content_hash(request)[:8]}" for request in requests]
    files, hashes, notes = [], dict[str, str](), list[str]()
    for request, folder in zip(requests, folders, strict=True):
        had = await in_thread(_had, here, folder)
        if not had:
            if not notes:
                await _require_available(base, chosen if temporal_resolution != "fixed" else None)
                notes.append("the store has these values, by its constraints")
            had = await fetch_archive(here, request, folder)
            hashes |= {each["path"]: each["sha256"] for each in had}
        files += [each["path"] for each in had]
    payload = {
        "dataset": "projections-cmip6",
        "files": files,
        "requests": len(requests),
        "notes": notes or ["all files were there"],
        "attribution": "CMIP6 by the Copernicus Climate Data Store; licences of the models hold",
    }
    source = f"{CDS.name} ({CDS.at()}), projections-cmip6"
    return publish_payload(payload, source=source, record={"operation": "CMIP6", "outputs": hashes})


@toolbox.tool(title="Fetch MSWEP", read_only=False, open_world=True, faithful=True, toolsets=TOOLSETS)
async def MSWEP(
    save_path: SavePath,
    years: Years = YEARS,
    months: Months = MONTHS,
    days: Days = [],  # noqa: B006 - pydantic copies it
    hours: Hours = list(mswep.HOURS),  # noqa: B006
) -> Published:
    """Fetch MSWEP precipitation, files of three hours; needs access to GloH2O's folder."""
    here, client = session(), state().client
    require_active(GROUP, here)
    for hour in hours:
        if hour not in mswep.HOURS:
            raise unknown_name("hour", hour, mswep.HOURS, where="hours")
    require_within(save_path, "save_path")
    chosen = _calendar(years, months, days)
    names = [mswep.name_of(day, hour) for day in chosen.each() for hour in dict.fromkeys(hours)]
    if not names:
        raise LabrigError("No day is asked for", where="years, months, days", expected="one or more")
    if len(names) > MOST_FILES:
        raise _too_many(len(names), "files of three hours", MOST_FILES)
    paths = {name: str(require_within(f"{save_path}/{name}", "save_path")) for name in names}
    there = await in_thread(lambda: {name for name in names if here.workspace.exists(paths[name])})
    wanted = [name for name in names if name not in there]
    hashes: dict[str, str] = {}
    if wanted:
        folder = str(toolbox.setting(here.state.options, MSWEP_FOLDER.name))
        found = await mswep.find_files(client, folder, wanted)
        lacking = [name for name in wanted if name not in found]
        if lacking:
            raise LabrigError(
                f"MSWEP has no file {', '.join(lacking[:5])}" + (" and others" if len(lacking) > 5 else ""),
                where="years, months, days, hours",
                expected="times from 1979 to the end of the past record",
                code="not_found",
            )
        began = time.monotonic()
        for number, name in enumerate(wanted):
            if time.monotonic() - began > WAIT_S and not client.replays:
                raise LabrigError(
                    f"{number} of {len(wanted)} files are there",
                    where=save_path,
                    try_="the same call again, which goes on with the others",
                    code="busy",
                )
            here.progress(number / len(wanted), name)
            paths[name], hashes[name] = await fetch_drive_file(here, found[name], paths[name])
    payload = {
        "files": [paths[name] for name in names],
        "cached": len(there),
        "attribution": "MSWEP by GloH2O, CC BY-NC 4.0 (Beck et al., 2019, BAMS 100, 473)",
    }
    outputs = {paths[name]: sha for name, sha in hashes.items()}
    return publish_payload(
        payload,
        source=f"{mswep.MSWEP.name} ({mswep.MSWEP.at()})",
        record={"operation": "MSWEP", "outputs": outputs},
    )


async def fetch_drive_file(here: Session, file: mswep.DriveFile, target: str) -> tuple[str, str]:
    with ExitStack() as held:
        place = await in_thread(lambda: held.enter_context(make_scratch(here)))
        path = Path(f"/proc/self/fd/{place.descriptor}/fetched.nc")
        await mswep.fetch_file(state().client, file, path)
        await in_thread(require_netcdf, path, file.name)
        made_by = {"server": "earth", "tool": "MSWEP", "file": file.name}
        return await in_thread(put_file, here, place, "fetched.nc", target, made_by)


async def fetch_archive(here: Session, request: Mapping[str, Any], folder: str) -> list[dict[str, str]]:
    """Have the store make the archive of a request, and put its files into a folder, with a list of them."""
    with ExitStack() as held:
        place = await in_thread(lambda: held.enter_context(make_scratch(here)))
        top = Path(f"/proc/self/fd/{place.descriptor}")
        await retrieve(
            state().client, CDS, "projections-cmip6", request, top / "fetched", wait_s=WAIT_S,
            told=lambda text: here.progress(0.0, text),
        )  # fmt: skip
        names = await in_thread(unpack_archive, top)
        made_by = {"server": "earth", "tool": "CMIP6", "request": dict(request)}
        kept = []
        for name in names:
            path, sha256 = await in_thread(put_file, here, place, name, f"{folder}/{name}", made_by)
            kept.append({"path": path, "sha256": sha256})
        listed = json.dumps({"request": dict(request), "files": kept}, indent=1).encode()
        await in_thread(here.workspace.write_bytes, f"{folder}/request.json", listed)
        return kept


def unpack_archive(top: Path) -> list[str]:
    with (top / "fetched").open("rb") as file:
        begins = file.read(4)
    if begins == ZIP:
        return unpack(top / "fetched", top, where="projections-cmip6")[0]
    require_netcdf(top / "fetched", "projections-cmip6")
    (top / "fetched").rename(top / "fetched.nc")
    return ["fetched.nc"]


def _had(here: Session, folder: str) -> list[dict[str, str]]:
    """Return the files of a request that were fetched before; none where one of them is gone."""
    listed = f"{folder}/request.json"
    if not here.workspace.exists(listed):
        return []
    try:
        files = json.loads(here.workspace.read_bytes(listed))["files"]
        kept = [{"path": str(each["path"]), "sha256": str(each["sha256"])} for each in files]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    ours = all(each["path"].startswith((f"{folder}/", "sha256:")) for each in kept)
    there = all(each["path"].startswith("sha256:") or here.workspace.exists(each["path"]) for each in kept)
    return kept if ours and there else []


async def _require_available(base: Mapping[str, Any], chosen: _Calendar | None) -> None:
    """Raise ``bad_input`` where the store says that it has not what is asked for."""
    found = await constraints(state().client, CDS, "projections-cmip6", base)
    asked = {**base, **({"year": chosen.years, "month": chosen.months} if chosen else {})}
    for key, wanted in asked.items():
        values = wanted if isinstance(wanted, list) else [wanted]
        missing = [value for value in values if key in found and value not in found[key]]
        if missing:
            raise LabrigError(
                f"The store has no {key} {', '.join(missing[:8])} for these",
                where=key,
                expected=", ".join(found[key][:12]) or "nothing: these values do not go together",
                try_="progressive_cds_constraints (terra-seasonal) says which values go together",
            )


class _Calendar:
    """Years, months and days of a call, checked: digits, in their ranges, each once."""

    def __init__(self, years: list[str], months: list[str], days: list[str]) -> None:
        self.years, self.months, self.days = years, months, days

    def each(self) -> list[date]:
        """Return all days."""
        return [
            date(int(year), int(month), int(day))
            for year in self.years
            for month in self.months
            for day in self.days or range(1, calendar.monthrange(int(year), int(month))[1] + 1)
        ]


def _calendar(years: list[str], months: list[str], days: list[str]) -> _Calendar:
    """Return a calendar; LabrigError for an invalid one, such as the 31st where one of the months has 30 days."""
    checked = []
    for name, values, low, high in (
        ("years", years, 1850, 2300), ("months", months, 1, 12), ("days", days, 1, 31)
    ):  # fmt: skip
        width = 4 if name == "years" else 2
        for value in values:
            if not value.isascii() or not value.isdigit() or len(value) > 4 or not low <= int(value) <= high:
                raise LabrigError(
                    f"{value[:40]!r} is not one of the {name}", where=name, expected=f"{low} to {high}"
                )
        checked.append(list(dict.fromkeys(f"{int(value):0{width}d}" for value in values)))
    if not checked[0] or not checked[1]:
        raise LabrigError("Nothing is asked for", where="years, months", expected="one or more of each")
    found = _Calendar(*checked)
    if len(found.years) * len(found.months) > 12 * 500:
        raise _too_many(len(found.years) * len(found.months), "months", 6000)
    try:
        if found.days:
            found.each()
    except ValueError:
        raise LabrigError(
            f"One of the months has no such day: {', '.join(found.days)}",
            where="days",
            expected="days that all of the months have, or none for all",
        ) from None
    return found


def read_list(value: str | list[str], where: str) -> list[str]:
    values = [value] if isinstance(value, str) else value
    if not values or not all(values):
        raise LabrigError("Nothing is asked for", where=where, expected="a name, or several")
    return list(dict.fromkeys(values))


def _too_many(count: int, what: str, most: int) -> LabrigError:
    return LabrigError(
        f"{count:,} {what} are asked for",
        where="years, months, days",
        expected=f"at most {most}",
        try_="several calls",
        code="limit",
    )
