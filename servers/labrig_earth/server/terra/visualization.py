"""Group visualization: maps as PNG, of fields, ensembles and seasonal forecasts."""

from __future__ import annotations

import functools

from labrig_earth.server.terra.offering import offer
from labrig_earth.terra.arguments import visualization as arguments

tool = functools.partial(offer, "visualization")

tool("plot_region_map", "Plot a region", arguments.PlotRegionMap)
tool("plot_ensemble_mean_map", "Plot an ensemble mean", arguments.PlotEnsembleMeanMap)
tool("plot_spread_map", "Plot a spread", arguments.PlotSpreadMap)
tool("plot_confidence_map", "Plot a confidence", arguments.PlotConfidenceMap)
tool("plot_spaghetti_map", "Plot contours of members", arguments.PlotSpaghettiMap)
tool("plot_tercile_map", "Plot a tercile", arguments.PlotTercileMap)
tool("plot_anomaly_map", "Plot an anomaly", arguments.PlotAnomalyMap)
tool("plot_skill_map", "Plot skill", arguments.PlotSkillMap)
