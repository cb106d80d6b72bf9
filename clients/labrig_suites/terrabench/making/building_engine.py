"""EnergyPlus for true values, run in the engine's own Python: cases as JSON on standard input, loads on its output.

A case is the text of a building's file as the item holds it, with set points of its own, and the path of its weather.
Hours are read out of the engine's own meter file; nothing of the server is imported.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

CASES = "cases"
BOUGHT = {
    "Electricity:Facility",
    "NaturalGas:Facility",
    "DistrictHeatingWater:Facility",
    "DistrictCooling:Facility",
}
"""Meters of what a building takes from outside."""

HEAT = {"Heating:EnergyTransfer", "Cooling:EnergyTransfer"}
J_PER_KWH = 3.6e6
DICTIONARY = re.compile(r"(\d+),\d+,([^\[]+?) \[J\] !Hourly")
END = "End of Data Dictionary"


def asked(text: str, heating_c: float | None) -> str:
    """Return a building's file with meters by the hour and, where it is given, a constant heating set point."""
    if heating_c is not None:
        text = re.sub(r"(?m)^(ThermostatSetpoint:DualSetpoint,[^,]+,)[^,]+,", r"\g<1>Constant heating,", text)
        text += f"\nSchedule:Constant,Constant heating,,{heating_c:g};\n"
    return text + "".join(f"Output:Meter,{name},Hourly;\n" for name in sorted(BOUGHT | HEAT))


def hours(meters: str) -> dict[str, list[float]]:
    """Return the hours of each meter, J, out of the text of ``eplusout.mtr``."""
    head, data = meters.split(END, 1)
    names = dict(DICTIONARY.findall(head))
    found: dict[str, list[float]] = {name: [] for name in names.values()}
    for line in data.splitlines():
        number, _, value = line.partition(",")
        if number in names:
            found[names[number]].append(float(value))
    return found


def run(case: dict[str, Any], folder: Path) -> dict[str, float]:
    """Run a case and return the energy that was bought (kWh), its peak hour (kW), and heating and cooling (kWh)."""
    from pyenergyplus.api import EnergyPlusAPI  # type: ignore[import-not-found]

    folder.mkdir()
    building = folder / "building.idf"
    building.write_text(asked(case["building"], case["heating_c"]))
    api = EnergyPlusAPI()
    state = api.state_manager.new_state()
    api.runtime.set_console_output_status(state, False)
    code = api.runtime.run_energyplus(state, ["-w", case["weather"], "-d", str(folder), str(building)])
    if code:
        raise RuntimeError(
            "; ".join(re.findall(r"\*\* (?:Severe|Fatal) +\*\* (.*)", (folder / "eplusout.err").read_text()))
        )
    found = hours((folder / "eplusout.mtr").read_text())
    bought = [sum(each) for each in zip(*(found[name] for name in sorted(BOUGHT & set(found))), strict=True)]
    return {
        "energy_kwh": sum(bought) / J_PER_KWH,
        "peak_kw": max(bought) / J_PER_KWH,
        "heating_kwh": sum(found["Heating:EnergyTransfer"]) / J_PER_KWH,
        "cooling_kwh": sum(found["Cooling:EnergyTransfer"]) / J_PER_KWH,
    }


def main() -> None:
    """Answer the cases of standard input."""
    with tempfile.TemporaryDirectory() as made:
        cases = json.load(sys.stdin)[CASES]
        print(json.dumps([run(case, Path(made) / str(place)) for place, case in enumerate(cases)]))


if __name__ == "__main__":
    main()
