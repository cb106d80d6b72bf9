"""AquaCrop for true values, run in the engine's own Python: cases as JSON on standard input, seasons on its output.

It builds its models by itself, from the same numbers that the item's files hold; nothing of the server is imported.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

CASES = "cases"
MOST_MM_DAY = 1000.0
"""No limit: AquaCrop gives 25 mm a day at most unless it is told."""


def season(case: dict[str, Any]) -> dict[str, float]:
    """Run a case and return yield, evapotranspiration and transpiration of its one season."""
    import aquacrop  # type: ignore[import-not-found]
    import pandas as pd

    days = pd.DataFrame(case["weather"], columns=["date", "low", "high", "rain", "et0"])
    weather = pd.DataFrame(
        {
            "MinTemp": days.low,
            "MaxTemp": days.high,
            "Precipitation": days.rain,
            "ReferenceET": days.et0,
            "Date": pd.to_datetime(days.date),
        }
    )
    irrigation = aquacrop.IrrigationManagement(0)
    if case["events"]:
        dates, depths = zip(*case["events"], strict=True)
        schedule = pd.DataFrame({"Date": pd.to_datetime(list(dates)), "Depth": list(depths)})
        irrigation = aquacrop.IrrigationManagement(3, Schedule=schedule, MaxIrr=MOST_MM_DAY)
    model = aquacrop.AquaCropModel(
        case["start"].replace("-", "/"),
        case["end"].replace("-", "/"),
        weather,
        aquacrop.Soil(case["soil"]),
        aquacrop.Crop(case["crop"], planting_date=case["planting"].replace("-", "/")),
        aquacrop.InitialWaterContent("Pct", "Layer", [1], [case["water_percent"]]),
        irrigation_management=irrigation,
    )
    model.run_model(till_termination=True)
    flux = model.get_water_flux()
    grown = flux[flux.season_counter == 0]
    found = model.get_simulation_results().iloc[0]
    growing = grown[grown.dap > 0]
    return {
        "yield_t_ha": float(found["Dry yield (tonne/ha)"]),
        "transpiration_mm": float(growing.Tr.sum()),
        "soil_evaporation_mm": float(growing.Es.sum()),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps([season(each) for each in json.load(sys.stdin)[CASES]]))
