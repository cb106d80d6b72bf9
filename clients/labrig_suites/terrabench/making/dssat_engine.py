"""DSSAT for true values: the program of DSSATTools' wheel, in its own Python; farms as JSON on standard input.

The files of an experiment are written here, from the same numbers that the item's files hold; neither DSSATTools nor
anything of the server is imported. Columns and codes are those of DSSAT 4.8 (its ``*.CDE`` files).
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

FARMS = "farms"
CODES = {"Maize": ("MZ", "MZCER"), "Sorghum": ("SG", "SGCER")}
"""Code and model of a crop."""
EXPERIMENT, STATION, SOIL = "FARM0101", "FARM", "FARM000001"
METHODS = "M     M     E     R     R     C     R     1     P     R     1"
"""Weather and first water measured, evaporation by Priestley and Taylor, organic matter by CENTURY, by default."""
SECONDS = 60


def season(farm: dict[str, Any], package: Path) -> dict[str, float]:
    """Run a farm, and return what was harvested (t/ha) and what the soil and the crop gave to the air (mm)."""
    with tempfile.TemporaryDirectory(prefix="ds") as made:  # DSSAT cuts long paths
        folder = Path(made)
        code, model = CODES[farm["crop"]]
        home = folder / "home"
        home.symlink_to(package / "dssat-csm-os" / "Data")
        (folder / f"{EXPERIMENT}.{code}X").write_text(experiment(farm, code, model))
        (folder / "SOIL.SOL").write_text(profile(farm))
        start = date.fromisoformat(farm["start"])
        (folder / f"{STATION}{start:%y}01.WTH").write_text(station(farm))
        (folder / "DSSATPRO.L48").write_text(
            f"WED    {folder}\nM{code}    {folder} dscsm048 {model}048\nCRD    {home}/Genotype\n"
            f"PSD    {home}/Pest\nSLD    {home}/Soil\nSTD    {home}/StandardData\n"
        )
        done = subprocess.run(
            [package / "bin" / "dscsm048", "C", f"{EXPERIMENT}.{code}X", "1"],
            cwd=folder,
            env={"DSSAT_HOME": f"{home}/"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
        if done.returncode or not (folder / "Summary.OUT").exists():
            said = folder / "ERROR.OUT"
            raise RuntimeError(said.read_text(errors="replace") if said.exists() else done.stdout[-300:])
        return harvest(folder, farm["planting"]["date"])


def experiment(farm: dict[str, Any], code: str, model: str) -> str:
    """Return the file of the experiment: one treatment, managed by dates, harvested when ripe."""
    sown = farm["planting"]
    start = ydoy(farm["start"])
    first = "".join(
        f" 1{bottom:6.0f}{water:6.3f}{farm['ammonium']:6.1f}{farm['nitrate']:6.1f}\n"
        for bottom, water in zip(farm["bottoms_cm"], farm["water"], strict=True)
    )
    watered = "".join(f" 1 {ydoy(day)} IR001{mm:6.1f}\n" for day, mm in farm["irrigation"])
    fed = "".join(
        f" 1 {ydoy(day)} FE005 AP002{depth:6.0f}{amount:6.1f}   -99   -99   -99   -99   -99 -99\n"
        for day, amount, depth in farm["fertilizer"]
    )
    none = " ".join(["  -99"] * 6)
    return f"""*EXP.DETAILS: {EXPERIMENT}{code} FARM

*TREATMENTS                        -------------FACTOR LEVELS------------
@N R O C TNAME.................... CU FL SA IC MP MI MF MR MC MT ME MH SM
 1 1 0 0 FARM                       1  1  0  1  1 {1 if watered else 0:2d} {1 if fed else 0:2d}  0  0  0  0  0  1

*CULTIVARS
@C CR INGENO CNAME
 1 {code} {farm["cultivar"]} FARM

*FIELDS
@L ID_FIELD WSTA....  FLSA  FLOB  FLDT  FLDD  FLDS  FLST SLTX   SLDP ID_SOIL    FLNAME
 1 FARM0001 {STATION}{start[:2]}01   -99     0 DR000     0     0   -99 -99  {farm["bottoms_cm"][-1]:6.0f} {SOIL} -99

*INITIAL CONDITIONS
@C   PCR ICDAT  ICRT  ICND  ICRN  ICRE  ICWD ICRES ICREN ICREP ICRIP ICRID ICNAME
 1    {code} {start}   -99   -99   -99   -99   -99   -99   -99   -99   -99   -99 -99
@C  ICBL  SH2O  SNH4  SNO3
{first}
*PLANTING DETAILS
@P PDATE EDATE  PPOP  PPOE  PLME  PLDS  PLRS  PLRD  PLDP  PLWT  PAGE  PENV  PLPH  SPRL                        PLNAME
 1 {ydoy(sown["date"])}   -99{sown["plants_m2"]:6.1f}{sown["plants_m2"]:6.1f}     S     R{sown["row_cm"]:6.0f}     0\
{sown["depth_cm"]:6.1f}   -99   -99   -99   -99     0                           -99

*IRRIGATION AND WATER MANAGEMENT
@I  EFIR  IDEP  ITHR  IEPT  IOFF  IAME  IAMT IRNAME
 1  1.00 {none} -99
@I IDATE  IROP IRVAL
{watered}
*FERTILIZERS (INORGANIC)
@F FDATE  FMCD  FACD  FDEP  FAMN  FAMP  FAMK  FAMC  FAMO  FOCD FERNAME
{fed}
*SIMULATION CONTROLS
@N GENERAL     NYERS NREPS START SDATE RSEED SNAME.................... SMODEL
 1 GE              1     1     S {start}     1 FARM                      {model}
@N OPTIONS     WATER NITRO SYMBI PHOSP POTAS DISES  CHEM  TILL   CO2
 1 OP              Y     Y     N     N     N     N     N     N     M
@N METHODS     WTHER INCON LIGHT EVAPO INFIL PHOTO HYDRO NSWIT MESOM MESEV MESOL
 1 ME              {METHODS}
@N MANAGEMENT  PLANT IRRIG FERTI RESID HARVS
 1 MA              R     R     R     R     M
@N OUTPUTS     FNAME OVVEW SUMRY FROPT GROUT CAOUT WAOUT NIOUT MIOUT DIOUT VBOSE CHOUT OPOUT FMOPT
 1 OU              N     Y     Y     1     Y     N     Y     N     N     N     Y     N     N     A
"""


def profile(farm: dict[str, Any]) -> str:
    """Return the file of the soil."""
    soil, place = farm["soil"], farm["site"]
    rows = "".join(
        f"{bottom:6.0f} -99  {each['wilting_point']:6.3f}{each['field_capacity']:6.3f}{each['saturation']:6.3f}"
        f"{each['root_factor']:6.3f}{each['ksat_mm_day'] / 240:6.2f}{each['bulk_density_g_cm3']:6.2f}"
        f"{each['organic_carbon_percent']:6.2f}{each['clay_percent']:6.1f}{each['silt_percent']:6.1f}   0.0   -99"
        f"{each['ph']:6.1f}   -99   -99   -99\n"
        for bottom, each in zip(farm["bottoms_cm"], soil["layers"], strict=True)
    )
    return f"""*SOILS: FARM

*{SOIL}  FARM        -99  {farm["bottoms_cm"][-1]:6.0f} FARM
@SITE        COUNTRY          LAT     LONG SCS FAMILY
 FARM        -99         {place["latitude"]:8.3f} {place["longitude"]:8.3f} -99
@ SCOM  SALB  SLU1  SLDR  SLRO  SLNF  SLPF  SMHB  SMPX  SMKE
   -99{soil["albedo"]:6.2f}{soil["evaporation_limit_mm"]:6.1f}{soil["drainage_rate"]:6.2f}\
{soil["curve_number"]:6.0f}{soil["mineralization_factor"]:6.2f}{soil["fertility_factor"]:6.2f} IB001 IB001 IB001
@  SLB  SLMH  SLLL  SDUL  SSAT  SRGF  SSKS  SBDM  SLOC  SLCL  SLSI  SLCF  SLNI  SLHW  SLHB  SCEC  SADC
{rows}"""


def station(farm: dict[str, Any]) -> str:
    """Return the file of the weather, from the start of the run."""
    place = farm["site"]
    rows = "".join(
        f"{date.fromisoformat(day):%Y%j}{sun:6.1f}{high:6.1f}{low:6.1f}{rain:6.1f}\n"
        for day, low, high, rain, sun in farm["weather"]
        if day >= farm["start"]
    )
    return f"""$WEATHER DATA : FARM

@ INSI      LAT     LONG  ELEV   TAV   AMP REFHT WNDHT
  {STATION} {place["latitude"]:8.3f} {place["longitude"]:8.3f} {place["elevation_m"]:5.0f}{farm["tav_c"]:6.1f}\
{farm["amp_k"]:6.1f}   2.0   2.0
@  DATE  SRAD  TMAX  TMIN  RAIN
{rows}"""


def harvest(folder: Path, planted: str) -> dict[str, float]:
    """Read the harvest out of the summary, and sums of days from planting on; a crop that is not ripe has none."""
    lines = [
        each for each in (folder / "Summary.OUT").read_text(errors="replace").splitlines() if each.strip()
    ]
    names = next(each[1:].split() for each in lines if each.startswith("@"))
    cells = lines[-1].split()
    row = dict(zip(reversed(names), reversed(cells), strict=False))  # names of places may hold blanks
    if int(row["MDAT"]) <= 0:
        return {"ripe": 0.0}
    first, last = int(f"{date.fromisoformat(planted):%Y%j}"), int(row["HDAT"])
    grown = days(folder / "PlantGro.OUT")
    used = [each for day, each in days(folder / "ET.OUT").items() if first <= day <= last and day in grown]
    return {
        "ripe": 1.0,
        "yield_t_ha": float(row["HWAM"]) / 1000,
        "biomass_t_ha": float(row["CWAM"]) / 1000,
        "seasonal_et_mm": sum(each["ETAA"] for each in used),
    }


def days(path: Path) -> dict[int, dict[str, float]]:
    """Return the rows of a daily table by year and day."""
    names: list[str] = []
    found = {}
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith("@"):
            names = line[1:].split()
        elif names and line.strip()[:1].isdigit():
            row = dict(zip(names, map(float, line.split()), strict=True))
            found[int(1000 * row["YEAR"] + row["DOY"])] = row
    return found


def ydoy(day: str) -> str:
    """Return a day as DSSAT has it: two digits of the year, three of the day in it."""
    return f"{date.fromisoformat(day):%y%j}"


if __name__ == "__main__":
    found = importlib.util.find_spec("DSSATTools")
    assert found is not None and found.origin is not None
    where = Path(found.origin).parent
    print(json.dumps([season(each, where) for each in json.load(sys.stdin)[FARMS]]))
