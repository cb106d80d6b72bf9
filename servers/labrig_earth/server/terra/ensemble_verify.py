"""Group ensemble_verify: fields made alike, ensembles, calibration, heat waves, verification."""

from __future__ import annotations

import functools
import json
from pathlib import PurePosixPath
from typing import TypeVar

from labrig.errors import LabrigError
from labrig.tools.sources import names_artifact, opened_source
from labrig_earth.server.terra.offering import offer
from labrig_earth.terra.arguments import ensemble_verify as arguments

MANIFEST_BYTES = 1 << 20
Ensemble = TypeVar("Ensemble", bound=arguments.OfMembers)


async def find_members(asked: Ensemble) -> Ensemble:
    """Return what is asked with files of members in place of manifests, and variables by the names of files."""
    changed: dict[str, object] = {"member_paths": [find_member(path) for path in asked.member_paths]}
    if isinstance(asked, arguments.AggregateEnsemble | arguments.EnsembleSpread):
        changed["variable_map"] = {
            path if names_artifact(path) else PurePosixPath(path).name: str(name)
            for path, name in asked.variable_map.items()
        }
    return asked.model_copy(update=changed)


def find_member(path: str) -> str:
    """Return the path of a member; that of a manifest is the file of members beside it."""
    if not path.endswith(".json"):
        return path
    with opened_source(path) as source:
        if source.size() > MANIFEST_BYTES:
            raise LabrigError("This is no manifest of an ensemble: it is too large", where=path)
        text = source.read()
    try:
        name = json.loads(text)["ensemble"]
        if not isinstance(name, str) or "/" in name:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise LabrigError(
            "This is no manifest of an ensemble", where=path, expected="one of lagged_ic_ensemble"
        ) from None
    return str(PurePosixPath(path).parent / name)


tool = functools.partial(offer, "ensemble_verify")

tool("harmonize_grid", "Harmonize grids", arguments.HarmonizeGrid)
tool("anomaly_and_climo", "Anomaly from climate", arguments.AnomalyAndClimo)
tool("smooth_gaussian_field", "Smooth a field", arguments.SmoothGaussianField)
tool("aggregate_ensemble", "Mean of an ensemble", arguments.AggregateEnsemble, prepare=find_members)
tool("ensemble_spread", "Spread of an ensemble", arguments.EnsembleSpread, prepare=find_members)
tool("normalized_spread", "Normalize a spread", arguments.NormalizedSpread)
tool("event_probability", "Probability of an event", arguments.EventProbability, prepare=find_members)
tool("emos_calibration", "Calibrate an ensemble", arguments.EmosCalibration, prepare=find_members)
tool("confidence_index", "Confidence of an ensemble", arguments.ConfidenceIndex, prepare=find_members)
tool("lagged_ic_ensemble", "Join lagged runs", arguments.LaggedIcEnsemble)
tool("ehf_heatwave", "Excess heat factor", arguments.EhfHeatwave)
tool("verify", "Verify a forecast", arguments.Verify, read_only=True)
