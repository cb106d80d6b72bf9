"""Headings of what is no concentration: pH, temperature, Eh, conductivity, density, and names of samples and groups."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from labrig_phreeqc.waters.columns import Column
from labrig_phreeqc.waters.constituents import fold
from labrig_phreeqc.waters.units import plain

_DEGREES = {"c": (1.0, 0.0), "f": (5 / 9, -160 / 9), "k": (1.0, -273.15)}
"""Factor and offset from a unit, by its first letter, to degC."""
_DENSITIES = {"kg/l": 1.0, "g/cm3": 1.0, "g/ml": 1.0, "kg/dm3": 1.0, "g/l": 1e-3, "kg/m3": 1e-3}
_CONDUCTIVITIES = {"us/cm": 1.0, "umho/cm": 1.0, "umhos/cm": 1.0, "ms/m": 10.0, "us/m": 1e-2}
_CONDUCTIVITIES |= {"ms/cm": 1e3, "mmho/cm": 1e3, "mmhos/cm": 1e3, "ds/m": 1e3}
_TEMPERATURE = re.compile(
    r"(?:t(?![a-z])|temp|tw|wassertemp(?:eratur)?|temperatur[ea]?|température|水温|温度)"
    r"(?: (?:de l'|del? )?(?:eau|agua|wasser|air libre))?"
    r"(?:[ /]*(?:in )?(?:°|º|o|deg(?:rees?)?)? ?(c|f|k|celsius|fahrenheit|kelvin))?"
)
_PH = re.compile(
    r"(?:ph|potentiel en hydrogène(?: ph)?)(?:[ -]?(?:wert|value|valeur|valor|值))?(?: ?/)?"
    r"(?: (?:at |bei |à |a )?2[05] ?(?:°|º|deg(?:rees)?)? ?c)?"
    r"(?: (?:-|1|su|s u|units?|ph units?|ph-einheiten|unités? ph|std units?|standard units?))?"
)
_EH = re.compile(r"eh(?: (m?v|(?:milli)?volts?))?(?: s?he| nhe)?")
_EC = re.compile(
    r"(?:ec|e c|cond|spec cond|conductivity|conductance|specific conductance|sp cond|spcond|sc|electrical conductivity|"
    r"elec(?:trical)? cond|(?:el(?:ektr(?:ische)?)? ?)?leitfähigkeit|lf|conductividad(?: eléctrica)?|"
    r"conductivité(?: électrique)?(?: de l'eau)?|电导率|ec ?25)(?: (.+))?"
)
_DENSITY = re.compile(r"(?:density|dichte|densidad|rho)(?: (.+))?")
_AT_25 = re.compile(r" ?(?:\bat|\bbei|\bà|\ba|@)? ?\b25 ?(?:°|º|deg(?:rees)?)? ?c(?:elsius)?\b")
_PLACES = {"field": "field", "insitu": "field", "situ": "field", "lab": "lab", "laboratory": "lab"}
_PLACE = re.compile(r"\b(in situ|insitu|field|laboratory|lab|water|unfiltered|filtered|measured|meas)\b")
_PER = re.compile(r"([a-z]+)[ ./·]*(cm|dm|ml|m|l)\^?-?([13])?")
_SAMPLE_NAMES = """clientsampleid clientid clientsample sampleid sample samplename samplenumber sampleno samplecode id
name nameofsample
sampleidentification well wellid wellname wellno borehole site siteid siteno sitename station stationid stationno
location messstelle messpunkt brunnen bohrung probe probenname probenbezeichnung probennummer muestra pozo punto
estacion point pointname nom puits forage 样品编号 样品 编号 采样点 井号
label code no nr number labsampleid labsample labid laboratoryid"""
_SAMPLE = _SAMPLE_NAMES.split()
_GROUP_NAMES = """group type aquifer class category cluster formation lithology facies watertype typ gruppe grupo
groupe season"""
_GROUP = _GROUP_NAMES.split()


def special(blank: Column, text: str) -> Column | None:
    """Read the heading of anything that is not a concentration."""
    words = " ".join(re.sub(r"[_,()\[\]{};:|]|(?<!\d)\.|\.(?!\d)", " ", text).split()).casefold()
    for unit, short in (("microsiemens", "us"), ("millisiemens", "ms")):
        words = words.replace(f"{unit} per centimeter", f"{short}/cm")
    words = re.sub(r"^ph(field|lab)$", r"ph \1", words)
    words = re.sub(r"\b(field) ?/ ?(?:lab|laboratory)\b", "", words).strip()  # whichever there is
    places = [each for each in _PLACE.findall(words) if each.replace(" ", "") in _PLACES]
    place = _PLACES[places[0].replace(" ", "")] if places else ""
    words = " ".join(_PLACE.sub(" ", words).split())
    if _PH.fullmatch(words):
        return replace(blank, role="pH", place=place)
    if words == "pe":
        return replace(blank, role="pe", place=place)
    if match := _TEMPERATURE.fullmatch(words):
        if match[1] is None:
            return replace(blank, role="temperature", place=place, assumed=True)
        factor, offset = _DEGREES[match[1][0]]
        return replace(blank, role="temperature", place=place, factor=factor, offset=offset)
    if match := _EH.fullmatch(words):
        if match[1] is None:
            return blank.left_out("it has no unit; write Eh (mV)")
        return replace(blank, role="Eh", place=place, factor=1e-3 if match[1].startswith("m") else 1.0)
    if match := _EC.fullmatch(
        measured := re.sub(r"\b(total|dissolved)\b ?", "", _AT_25.sub("", words)).strip()
    ):
        return _scaled(replace(blank, role="conductivity", place=place), match[1], _CONDUCTIVITIES, "uS/cm")
    if match := _DENSITY.fullmatch(measured):
        return _scaled(replace(blank, role="density", place=place), match[1], _DENSITIES, "kg/L")
    folded = fold(words)
    if folded in _SAMPLE:
        return replace(blank, role="sample")
    if folded in _GROUP:
        return replace(blank, role="group")
    return None


def _scaled(column: Column, said: str | None, units: Mapping[str, float], example: str) -> Column:
    """Return a column with the factor of its unit, or left out where it has none that is known."""
    per = _PER.fullmatch(said or "")
    unit = f"{per[1]}/{per[2]}{'3' if per[3] == '3' else ''}" if per else ""
    if unit in units:
        return replace(column, factor=units[unit])
    why = f"its unit {said} is not known" if said else "it has no unit"
    return Column(column.index, column.header).left_out(f"{why}; write {column.header} ({example})")


def sample_rank(header: str) -> int:
    """Return how likely a heading is the sample's own name; the laboratory's number comes last."""
    name = fold(plain(header).strip("()[] "))
    return _SAMPLE.index(name) if name in _SAMPLE else len(_SAMPLE) // 2


def is_sample_name(header: str) -> bool:
    """Tell whether a heading is that of the samples' names."""
    return fold(plain(header).strip("()[]# ")) in _SAMPLE
