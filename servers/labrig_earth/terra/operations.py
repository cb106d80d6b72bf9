"""Operations of TerraAgent's sub-tools by name; each begins with ``terra_``, so that none is one of the core's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import get_type_hints

from labrig_earth.results import Result
from labrig_earth.terra import (
    basics,
    checks,
    era5_fields,
    era5_regions,
    era5_times,
    fields,
    forecasts,
    maps,
    netcdf,
    osm,
    regridding,
    satellite,
    satellite_pictures,
    seasonal,
    seasonal_bias,
    seasonal_regions,
    tracks,
)
from labrig_earth.work.calls import Operation


def read_arguments(operation: Callable[..., Result]) -> Operation:
    """Return an operation of a call of one that takes the declared arguments of its sub-tool beside the files."""
    kind = get_type_hints(operation).get("asked")
    if kind is None:
        return operation
    return lambda call: operation(call, kind(**call.arguments))


OPERATIONS: Mapping[str, Operation] = {
    f"terra_{operation.__name__}": read_arguments(operation)
    for operation in (
        netcdf.describe_netcdf_variables,
        netcdf.inspect_netcdf,
        netcdf.read_netcdf_data,
        fields.harmonize_grid,
        fields.anomaly_and_climo,
        fields.smooth_gaussian_field,
        fields.aggregate_ensemble,
        fields.ensemble_spread,
        fields.normalized_spread,
        fields.event_probability,
        checks.emos_calibration,
        fields.confidence_index,
        checks.lagged_ic_ensemble,
        checks.ehf_heatwave,
        checks.verify,
        maps.plot_region_map,
        maps.plot_ensemble_mean_map,
        maps.plot_spread_map,
        maps.plot_confidence_map,
        maps.plot_spaghetti_map,
        maps.plot_tercile_map,
        maps.plot_anomaly_map,
        maps.plot_skill_map,
        osm.gis_feature_query,
        osm.gis_feature_stats,
        osm.gis_distance_matrix,
        osm.gis_overlay,
        osm.gis_source_metadata,
        basics.resolve_place,
        basics.page_text,
        satellite.gee_fetch_sentinel2_indices,
        satellite.gee_index_area_stats,
        satellite.gee_fetch_truecolor_thumbnail,
        satellite_pictures.draw_geometries_on_image,
        satellite_pictures.composite_satellite_environmental_image,
        satellite_pictures.pictures_for_a_model,
        seasonal.standardize_seasonal_files,
        seasonal.aggregate_to_season,
        seasonal_bias.fit_bias_correction,
        seasonal_bias.apply_bias_correction,
        seasonal.category_probabilities,
        seasonal.blend_multi_model,
        seasonal.forecast_anomaly_from_model_climo,
        seasonal_regions.compute_enso_indices,
        seasonal_regions.region_mask,
        seasonal_regions.seasonal_region_table,
        era5_times.fetch_era5,
        era5_times.build_era5_climatology,
        era5_times.count_era5_events,
        era5_times.temporal_aggregate,
        era5_fields.winds_basic,
        era5_fields.humidity_basic,
        era5_fields.moisture_integrals,
        era5_fields.kinematics,
        era5_fields.vertical_shear,
        era5_regions.region_reduce,
        forecasts.pangu_inputs,
        forecasts.pangu_fields,
        forecasts.aurora_inputs,
        forecasts.aurora_fields,
        regridding.regrid_to_target_grid,
        tracks.run_tc_tracks_from_era5,
    )
}
