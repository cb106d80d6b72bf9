"""Tables that are not one line a sample: samples in columns, and one line a measured value, as databases export them.

Both become lines with one sample each, whose headings `headings` reads like any other. Exports of this kind: the Water
Quality Portal (WQP) and NWIS of the United States, ADES and Hub'Eau of France (codes of Sandre), and laboratories' own.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from labrig.errors import LabrigError
from labrig_phreeqc.waters.constituents import fold
from labrig_phreeqc.waters.field_parameters import is_sample_name

Line = tuple[int, list[str]]

with Path(__file__).with_name("codes.csv").open(encoding="utf-8", newline="") as _lines:
    CODES: Mapping[str, str] = {line["code"]: line["heading"] for line in csv.DictReader(_lines)}
"""Headings by the number that a database has for a parameter: five digits of NWIS, four of Sandre."""

_PARTS = {
    "name": """characteristicname resultcharacteristic characteristic parameter parametername analyte variable
        chemical measure constituent determinand determinandlabel determinandname
        nomparam nomparametre lblongparametre lbparametre
        libelleparametre parametre param messgrosse messgroesse stoff parametro determinacion
        项目 检测项目 参数 指标""",
    "code": """usgspcode parmcd parametercode pcode codeparam codeparametre cdparametre codesandre
        codesandreparametre""",
    "value": """resultmeasurevalue resultmeasure resultva resultvalue value result concentration measurement resultat
        rsana valeur messwert wert ergebnis valor resultado 结果 检测结果 测定值 数值""",
    "unit": """resultmeasuremeasureunitcode resultmeasureunit resultunit unit units determinandunit
        determinandunitlabel symboleunite symunite unite unitemesure einheit unidad unidades 单位""",
    "as": "methodspecificationname methodspeciationname resultmethodspeciation speciation",
    "fraction": """resultsamplefractiontext resultsamplefraction samplefraction fraction nomfractionanalysee
        lbfractionanalysee""",
    "remark": """resultdetectionconditiontext resultresultdetectioncondition resultdetectioncondition rmkcd remarkcd
        remark prefix qualifier resultqualifier""",
    "code of remark": "coderemarqueanalyse coderemarque cdremana cdrqana",
    "limit": """detectionquantitationlimitmeasuremeasurevalue resultdetectionlimitmeasure detectionlimitmeasure
        detectionlimitmeasurea detectionlimitvalue1 detectionlimit reportinglimit limitequantification
        limitedequantification lqana mdl loq rl""",
    "limit unit": """detectionquantitationlimitmeasuremeasureunitcode resultdetectionlimitmeasureunit
        detectionlimitmeasureunit""",
    "site": """monitoringlocationidentifier locationidentifier siteno codebss bssid codestation
        cdstationmesureeauxsouterraines samplingpoint samplesamplingpoint samplepoint messstelle station site well
        pozo puits forage location 采样点 点位""",
    "sample": """sampleid sample samplename sampleno samplenumber clientsampleid probe probennummer muestra
        样品编号""",
    "date": """activitystartdate sampledt sampledate datedebutprelevement dateprelevement dtdebprel date datum fecha
        samplesampledatetime 采样日期 日期""",
    "time": "activitystarttimetime activitystarttime sampletm sampletime heure uhrzeit hora",
}
_PLACES: Mapping[str, Sequence[str]] = {part: names.split() for part, names in _PARTS.items()}
_BELOW = re.compile(r"<|.*(?:not detected|below|<|non.?detect).*|u", re.IGNORECASE)
"""Remarks of values below a limit: ``<``, those of WQP in words."""
_BELOW_OF_SANDRE = ("2", "10")
"""Below the limit of detection, and of quantification."""
_WIDTH_OF_RDB = re.compile(r"\d+[sdn]")


def without_comments(lines: Sequence[Line]) -> list[Line]:
    """Leave out comments before the heading, and the line of widths below that of an RDB file (``5s 15s 20d``)."""
    start = next((n for n, (_, cells) in enumerate(lines) if not cells[0].lstrip().startswith("#")), 0)
    kept = list(lines[start:])
    if len(kept) > 1 and all(_WIDTH_OF_RDB.fullmatch(cell.strip()) for cell in kept[1][1]):
        del kept[1]
    return kept


def parts_of(cells: Sequence[str]) -> dict[str, int]:
    """Return which column holds what, where a line is the heading of one line a value; else nothing."""
    folded = [fold(cell.strip("# ")) for cell in cells]
    found = {
        part: min(places, key=lambda place: names.index(folded[place]))
        for part, names in _PLACES.items()
        if (places := [place for place, name in enumerate(folded) if name in names])
    }
    named = "name" in found or "code" in found
    return found if named and "value" in found and ("site" in found or "sample" in found) else {}


def pivoted(
    lines: Sequence[Line], heading: int, is_known: Callable[[str], bool]
) -> tuple[list[Line], list[str]]:
    """Return one line a sample of lines with one value each, and what is to be said of it.

    Parameters
    ----------
    heading
        Which line is the heading.
    is_known
        Whether a heading is one of a constituent or field parameter; others are counted and left out.
    """
    parts = parts_of(lines[heading][1])
    samples: dict[tuple[str, ...], tuple[int, dict[str, str]]] = {}
    headings: dict[str, bool] = {}
    doubles = 0
    for number, cells in lines[heading + 1 :]:
        value = _Value(cells, parts)
        if not any(cells) or not value.text:
            continue
        if headings.setdefault(value.heading, is_known(value.heading)):
            _, values = samples.setdefault(value.sample, (number, {}))
            doubles += values.setdefault(value.heading, value.text) != value.text
    known = [name for name, is_one in headings.items() if is_one]
    if not known:
        raise LabrigError(
            "No parameter of the table is a constituent of a water that is known",
            where=", ".join(name[:40] for name in list(headings)[:6]) or "no line has a value",
            expected="parameters such as pH, Calcium (mg/L), Alkalinity (mg/L as CaCO3)",
        )
    wide = [
        (
            number,
            [" ".join(filter(None, sample)), sample[0], sample[1], *(values.get(name, "") for name in known)],
        )
        for sample, (number, values) in samples.items()
    ]
    notes = [
        f"one line a value: {len(wide)} samples, by {' and '.join(_key_names(lines[heading][1], parts))}"
    ]
    if others := [name for name, is_one in headings.items() if not is_one]:
        some = ", ".join(name[:40] for name in others[:5]) + (", ..." if others[5:] else "")
        notes.append(
            f"parameters that are no constituents of a water and are left out: {len(others)} ({some})"
        )
    if doubles:
        notes.append(f"values that stand twice for a sample and differ: {doubles}; the first of each counts")
    return [(lines[heading][0], ["Sample", "place", "date", *known]), *wide], notes


def _key_names(heading: Sequence[str], parts: Mapping[str, int]) -> list[str]:
    return [heading[parts[part]].strip() for part in ("site", "sample", "date", "time") if part in parts]


class _Value:
    """One line with one value: its sample, the heading that it has in a wide table, the text of its cell."""

    def __init__(self, cells: Sequence[str], parts: Mapping[str, int]) -> None:
        said = {part: cells[place].strip() if place < len(cells) else "" for part, place in parts.items()}
        day = said.get("date", "")
        moment = said.get("time", "")
        self.sample = (said.get("site", ""), day, moment if moment not in day else "", said.get("sample", ""))
        unit, value = said.get("unit", ""), said.get("value", "")
        below = _BELOW.fullmatch(said.get("remark", "")) or said.get("code of remark") in _BELOW_OF_SANDRE
        if below and not value.startswith("<"):
            limit = value or said.get("limit", "")
            value = f"<{limit}" if limit else "nd"
            unit = unit or said.get("limit unit", "")
        self.text = value
        self.heading = self._name(said, unit)

    def _name(self, said: Mapping[str, str], unit: str) -> str:
        code = said.get("code", "").strip("'\" ")
        known = CODES.get(
            code.zfill(5) if code.isdigit() and len(code) < 5 and code.zfill(5) in CODES else code, ""
        )
        name = said.get("name", "")
        if known and (not name or not unit):
            return known
        fraction = f", {said['fraction']}" if said.get("fraction") else ""
        basis = f" {said['as']}" if said.get("as") and said["as"].casefold() not in unit.casefold() else ""
        return (
            f"{name}{fraction} ({unit}{basis})" if unit and unit.casefold() != "none" else f"{name}{fraction}"
        )


def name_columns(lines: Sequence[Line], heading: int) -> tuple[list[Line], list[str]]:
    """Return a table with columns of codes (``p00915``) under their names, and what is to be said of it.

    The column of remarks that belongs to such a one (``r00915``) goes into its cells: ``<`` before the limit.
    """
    headers = [cell.strip() for cell in lines[heading][1]]
    codes = {place: CODES[found[1]] for place, name in enumerate(headers) if (found := _is_code(name))}
    remarks = {
        headers.index(f"r{headers[place][1:]}"): place
        for place in codes
        if f"r{headers[place][1:]}" in headers
    }
    wide = [(lines[heading][0], [codes.get(place, name) for place, name in enumerate(headers)])]
    for number, cells in lines[heading + 1 :]:
        row = list(cells)
        for remark, place in remarks.items():
            if max(remark, place) < len(row) and row[remark].strip() == "<":
                row[place] = f"<{row[place].strip()}"
        wide.append((number, row))
    kept = [[cell for place, cell in enumerate(cells) if place not in remarks] for _, cells in wide]
    note = f"columns are named by their codes of NWIS: {headers[min(codes)]} is {codes[min(codes)]}, ..."
    return [(number, cells) for (number, _), cells in zip(wide, kept, strict=True)], [note]


def has_codes(cells: Sequence[str]) -> bool:
    """Return whether a line is a heading of columns that are named by codes of NWIS."""
    return sum(_is_code(cell.strip()) is not None for cell in cells) > 2


def _is_code(name: str) -> re.Match[str] | None:
    found = _WIDE_CODE.fullmatch(name)
    return found if found and found[1] in CODES else None


_WIDE_CODE = re.compile(r"[pP](\d{5})")


def transposed(
    lines: Sequence[Line], place: int, is_known: Callable[[str], bool]
) -> tuple[list[Line], list[str]]:
    """Return one line a sample of a table with one column a sample; column `place` names the constituents."""
    width = max(len(cells) for _, cells in lines)
    columns = [[cells[n] if n < len(cells) else "" for _, cells in lines] for n in range(place, width)]
    first = columns[0]
    name = next((n for n, cell in enumerate(first) if not is_known(cell)), None)
    if name is not None and not any(is_sample_name(cell) for cell in first):
        first[name] = "Sample"
    notes = [f"the samples are in columns: what is called line {place + 2} is the column beside the names"]
    return [(n + 1 + place, column) for n, column in enumerate(columns) if any(map(str.strip, column))], notes
