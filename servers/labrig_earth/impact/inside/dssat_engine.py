"""DSSAT in its own Python: DSSATTools writes the files of an experiment, the program of its wheel runs them.

Known traps are closed here: management is by dates (``R``; by default DSSATTools says days after planting, and dated
events are then not applied), harvest is at maturity, the run's folder is short, and what the program says of the time
is taken out of its files, so that the same run leaves the same bytes.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib.metadata
import io
import os
import re
import sys
import warnings
from datetime import date
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")

import DSSATTools.crop as crops  # type: ignore[import-not-found]  # noqa: E402
import DSSATTools.filex as sections  # type: ignore[import-not-found]  # noqa: E402
import pandas as pd  # noqa: E402
from DSSATTools.run import DSSAT  # type: ignore[import-not-found]  # noqa: E402
from DSSATTools.soil import SoilLayer, SoilProfile  # type: ignore[import-not-found]  # noqa: E402
from DSSATTools.weather import WeatherStation  # type: ignore[import-not-found]  # noqa: E402

from labrig.isolation.inside.answering import Refused  # noqa: E402

CROPS = ("Maize", "Sorghum", "PearlMillet", "Wheat", "Soybean", "DryBean", "Sunflower")
"""Those that are sown and harvested once, as grain; roots, forage and perennial crops need other management.

Rice is left out: in a drought that takes nine tenths of its yield its daily table shows no water stress.
"""

STATION = "LRIG"
SOIL = "LRIG000001"
TIME = re.compile(r"[A-Z]{3} [ \d]\d, \d{4}; ?\d\d:\d\d:\d\d|[A-Z]{3} [ \d]\d, \d{4} +\d\d:\d\d:\d\d")
VERSION = re.compile(r"DSSAT Cropping System Model Ver\. ([\d.]+)")
SHOWN = 600
MISSING = -99


def run(arguments: dict[str, Any], inputs: Path, outputs: Path) -> dict[str, Any]:
    """Run one treatment, or only say what may be named (``list``) or whether the cultivar is known (``check``)."""
    said_version = f"DSSATTools {importlib.metadata.version('DSSATTools')}"
    if arguments.get("list"):
        return {"version": said_version, "crops": list(CROPS), "cultivars": _listed(arguments.get("of", ""))}
    cultivar = _cultivar(arguments["crop"], arguments["cultivar"])
    if arguments.get("check"):
        return {"version": said_version}
    folder = os.environ["TMPDIR"]
    sown = arguments["planting"]
    start = date.fromisoformat(arguments["start"])
    profile = _profile(arguments["soil"], arguments["site"])
    weather = _station(pd.read_csv(inputs / "weather.csv"), arguments["weather"], arguments["site"])
    field = sections.Field(
        id_field=f"{STATION}0001", wsta=weather, id_soil=profile, fldt="DR000", flob=0, fldd=0, flds=0
    )
    parts: dict[str, Any] = {
        "field": field,
        "cultivar": cultivar,
        "planting": sections.Planting(
            pdate=date.fromisoformat(sown["date"]),
            ppop=sown["plants_m2"],
            ppoe=sown["plants_m2"],
            plme="S",
            plds="R",
            plrs=sown["row_cm"],
            plrd=0,
            pldp=sown["depth_cm"],
        ),
        "initial_conditions": sections.InitialConditions(
            pcr=cultivar.code,
            icdat=start,
            table=[
                sections.InitialConditionsLayer(
                    icbl=layer["bottom_cm"],
                    sh2o=layer["water"],
                    snh4=layer["ammonium"],
                    sno3=layer["nitrate"],
                )
                for layer in arguments["initial"]
            ],
        ),
        "simulation_controls": sections.SimulationControls(
            general=sections.SCGeneral(sdate=start, rseed=1 + arguments["seed"] % 9999),
            options=sections.SCOptions(water="Y", nitro="Y" if arguments["nitrogen"] else "N"),
            methods=sections.SCMethods(mesom=arguments["organic_matter"]),
            management=sections.SCManagement(plant="R", irrig="R", ferti="R", resid="R", harvs="M"),
            outputs=sections.SCOutputs(waout="Y", niout="Y" if arguments["nitrogen"] else "N"),
        ),
    }
    if arguments["nitrogen"] and crops.CROPS_MODULES[arguments["crop"]] == "CRGRO":
        parts["simulation_controls"]["options"]["symbi"] = "Y"
    if arguments["irrigation"]:
        parts["irrigation"] = sections.Irrigation(
            table=[
                sections.IrrigationEvent(idate=date.fromisoformat(day), irop="IR001", irval=depth)
                for day, depth in arguments["irrigation"].items()
            ]
        )
    if arguments["fertilizer"]:
        parts["fertilizer"] = sections.Fertilizer(
            table=[
                sections.FertilizerEvent(
                    fdate=date.fromisoformat(each["date"]),
                    fmcd="FE005",
                    facd="AP002",
                    fdep=each["depth_cm"],
                    famn=each["n_kg_ha"],
                )
                for each in arguments["fertilizer"]
            ]
        )
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            DSSAT(folder).run_treatment(verbose=False, **parts)
    except (RuntimeError, OSError) as error:
        raise Refused(_why(folder, said.getvalue(), error), code="engine", where="treatment") from error
    except (ValueError, IndexError, KeyError) as error:
        if not Path(folder, "Summary.OUT").exists():
            raise Refused(_why(folder, said.getvalue(), error), code="engine", where="treatment") from error
    return _kept(Path(folder), outputs)


def _why(folder: str, said: str, error: Exception) -> str:
    """Return what DSSAT says of its failure."""
    for name in ("ERROR.OUT", "WARNING.OUT"):
        with contextlib.suppress(OSError):
            lines = Path(folder, name).read_text(encoding="latin-1").splitlines()
            words = " ".join(line.strip() for line in lines if line.strip() and not line.startswith("*"))
            if words:
                return f"DSSAT stopped: {words.replace(folder, 'RUN')[-SHOWN:]}"
    return f"DSSAT stopped: {type(error).__name__}: {error} {said[-200:]}"[:SHOWN]


def _kept(folder: Path, outputs: Path) -> dict[str, Any]:
    """Copy the files of the run without its time and place, and return its version and warnings."""
    texts: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if (path.is_file() and path.suffix in (".OUT", ".SOL", ".WTH", ".CUL", ".ECO")) or path.name.endswith(
            "X"
        ):
            text = path.read_text(encoding="latin-1").replace(str(folder), "RUN")
            texts[path.name] = TIME.sub("(time of the run)", text)
            (outputs / path.name).write_text(texts[path.name], encoding="utf-8")
    found = VERSION.search(texts.get("OVERVIEW.OUT", "") + texts.get("Summary.OUT", ""))
    if found is None or "PlantGro.OUT" not in texts:
        raise Refused("DSSAT left no results", code="engine", where=", ".join(texts)[:SHOWN])
    return {"version": f"DSSAT-CSM {found[1]}", "warnings": _warnings(texts.get("WARNING.OUT", ""))}


def _warnings(text: str) -> list[str]:
    """Return the warnings of the program, one line each, without its headings."""
    found: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in block.splitlines()]
        words = [line for line in lines if line and not line.startswith("*")]
        if len(words) < 2 or not re.match(r"\S+ +YEAR DOY", words[0]):
            continue
        said = " ".join(words[1:])
        # DSSATTools names the model in a way that the program does not know; the default is the one meant.
        if not said.startswith("Invalid model specified") and said not in found:
            found.append(said)
    return [f"DSSAT: {each}"[:300] for each in found[:20]]


def _unknown(kind: str, name: str, known: list[str]) -> Refused:
    lower = {each.lower(): each for each in known}
    close = [lower[each] for each in difflib.get_close_matches(name.lower(), lower, n=4, cutoff=0.5)]
    more = {"try": "did you mean " + " or ".join(close) + "?"} if close else {}
    return Refused(
        f"There is no {kind} named {name!r}",
        code="not_found",
        where=kind,
        expected="one of " + ", ".join(known) if len(known) <= 80 else "",
        **more,
    )


def cultivars(crop: str) -> dict[str, str]:
    """Return the cultivars of a crop: names by code, out of the file that the program reads."""
    kind = getattr(crops, crop)
    path = Path(kind.spe_path).with_suffix(".CUL")
    found = {}
    for line in path.read_text(encoding="latin-1").splitlines():
        if line[:1].isalnum() or re.match(r"[A-Z0-9]{6} ", line):
            code, name = line[:6].strip(), line[7:23].strip(" .")
            if re.fullmatch(r"[A-Z0-9]{6}", code) and not name.startswith(("MINIMA", "MAXIMA", "DEFAULT")):
                found[code] = name
    return found


def _listed(crop: str) -> list[str]:
    """Return the cultivars of a crop with their codes; none for no crop."""
    if crop and crop not in CROPS:
        raise _unknown("crop", crop, list(CROPS))
    return [f"{code} ({name})" for code, name in cultivars(crop).items()] if crop else []


def _cultivar(crop: str, wanted: str) -> Any:
    if crop not in CROPS:
        raise _unknown("crop", crop, list(CROPS))
    known = cultivars(crop)
    by_name = {name.lower(): code for code, name in known.items()}
    code = wanted if wanted in known else by_name.get(wanted.lower(), "")
    if not code:
        shown = [f"{each} ({name})" for each, name in known.items()]
        lower = {name.lower(): each for each, name in known.items()} | {each.lower(): each for each in known}
        close = difflib.get_close_matches(wanted.lower(), lower, n=3, cutoff=0.5)
        said = " or ".join(f"{lower[each]} ({known[lower[each]]})" for each in close)
        raise Refused(
            f"There is no cultivar of {crop} named {wanted!r}",
            code="not_found",
            where="cultivar",
            expected=("one of " + ", ".join(shown))[:700],
            **({"try": f"did you mean {said}?"} if said else {}),
        )
    with contextlib.redirect_stdout(sys.stderr):
        return getattr(crops, crop)(code)


def _profile(soil: dict[str, Any], site: dict[str, Any]) -> Any:
    return SoilProfile(
        name=SOIL,
        soil_series_name="given",
        site="given",
        country="-99",
        lat=site["latitude"],
        long=site["longitude"],
        soil_data_source="given",
        soil_clasification="-99",
        scs_family="-99",
        scom="",
        salb=soil["albedo"],
        slu1=soil["evaporation_limit_mm"],
        sldr=soil["drainage_rate"],
        slro=soil["curve_number"],
        slnf=soil["mineralization_factor"],
        slpf=soil["fertility_factor"],
        smhb="IB001",
        smpx="IB001",
        smke="IB001",
        table=[
            SoilLayer(
                slb=layer["bottom_cm"],
                slmh="",
                slll=layer["wilting_point"],
                sdul=layer["field_capacity"],
                ssat=layer["saturation"],
                srgf=layer["root_factor"],
                ssks=layer["ksat_cm_h"],
                sbdm=layer["bulk_density"],
                sloc=layer["organic_carbon"],
                slcl=layer["clay"],
                slsi=layer["silt"],
                slcf=0.0,
                slhw=layer["ph"],
            )
            for layer in soil["layers"]
        ],
    )


def _station(read: pd.DataFrame, weather: dict[str, Any], site: dict[str, Any]) -> Any:
    table = pd.DataFrame(
        {
            "date": pd.to_datetime(read.date),
            "srad": read.srad_mj_m2,
            "tmax": read.tmax_c,
            "tmin": read.tmin_c,
            "rain": read.precipitation_mm,
        }
    )
    if "tdew_c" in read:
        table["dewp"] = read.tdew_c
    if "wind_2m_m_s" in read:
        table["wind"] = read.wind_2m_m_s * 86.4  # km a day
    return WeatherStation(
        insi=STATION,
        lat=site["latitude"],
        long=site["longitude"],
        elev=site["elevation_m"],
        table=table,
        tav=weather["tav_c"],
        amp=weather["amp_k"],
        refht=2.0,
        wndht=2.0,
        **({"cco2": weather["co2_ppm"]} if weather["co2_ppm"] else {}),
    )
