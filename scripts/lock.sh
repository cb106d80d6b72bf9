#!/bin/sh
# Write requirements.lock and the locks of the sandbox's environments: every version and hash, for all platforms and
# Pythons that labrig supports.
# They are plain requirements files, not uv.lock, because that form writes the address of the package index that it was
# made with into the repository; these install from whatever index the machine has.
set -eu
lock() {
    uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
        --no-annotate --quiet --custom-compile-command "make lock" "$@"
}
lock pyproject.toml --all-extras --group dev --output-file requirements.lock "$@"
# The same versions on every Python where that is possible, so that the same code gives the same numbers. Wheels only.
sandbox=shared/labrig/sandbox/profiles
lock $sandbox/science.in --fork-strategy fewest --only-binary :all: --output-file $sandbox/science.lock "$@"
lock $sandbox/earth.in --fork-strategy fewest --only-binary :all: --constraint $sandbox/science.lock \
    --output-file $sandbox/earth.lock "$@"
# Engines of crops, without what their packages ask for and never import: plots, tests, downloads.
crops=servers/labrig_earth/impact/crops
left_out=
for name in matplotlib seaborn pillow contourpy cycler fonttools kiwisolver pyparsing pytest pytest-cov coverage iniconfig \
    pluggy py pygments toml tomli colorama requests certifi charset-normalizer idna urllib3 attrs packaging; do
    left_out="$left_out --no-emit-package $name"
done
# shellcheck disable=SC2086
lock $crops/crops.in --fork-strategy fewest --only-binary :all: $left_out --output-file $crops/crops.lock "$@"
traffic=servers/labrig_earth/impact/traffic
lock $traffic/sumo.in --fork-strategy fewest --only-binary :all: --output-file $traffic/sumo.lock "$@"
# EnergyPlus, without what its package asks for to build models, which is not imported.
buildings=servers/labrig_earth/impact/buildings
left_out=
for name in pydantic pydantic-core annotated-types typing-extensions typing-inspection; do
    left_out="$left_out --no-emit-package $name"
done
# shellcheck disable=SC2086
lock $buildings/energyplus.in --fork-strategy fewest --only-binary :all: $left_out \
    --output-file $buildings/energyplus.lock "$@"
# CLIMADA, without what it asks for and an impact does not import: downloads, calibration, readers of other formats. Without
# gdal, which has no wheels, and pyarrow, which would start a thread in the process that every run is forked from.
risk=servers/labrig_earth/impact/risk
left_out=
for name in pyarrow pyogrio tables blosc2 ndindex msgpack numexpr py-cpuinfo eccodes cfgrib findlibs bayesian-optimization salib seaborn \
    pydantic pydantic-core annotated-types typing-inspection peewee overpy openpyxl et-xmlfile xlrd httpx httpcore h11 h2 hpack \
    hyperframe anyio rich markdown-it-py mdurl pygments haversine geographiclib click-plugins cffi pycparser colorama; do
    left_out="$left_out --no-emit-package $name"
done
# shellcheck disable=SC2086
lock $risk/climada.in --fork-strategy fewest --only-binary :all: --override $risk/gdal.override $left_out \
    --output-file $risk/climada.lock "$@"
# ONNX Runtime, without what its package asks for and does not import to run a network.
models=servers/labrig_earth/forecasting
left_out=
for name in coloredlogs humanfriendly pyreadline3 sympy mpmath flatbuffers protobuf packaging; do
    left_out="$left_out --no-emit-package $name"
done
# shellcheck disable=SC2086
lock $models/pangu.in --fork-strategy fewest --only-binary :all: $left_out --output-file $models/pangu.lock "$@"
grib=servers/labrig_earth/grib
lock $grib/grib.in --fork-strategy fewest --only-binary :all: --output-file $grib/grib.lock "$@"
# xclim, without what it asks for and indices do not import: clusters of ensembles, its own command.
indices=servers/labrig_earth/indices
left_out=
for name in pyarrow scikit-learn joblib threadpoolctl narwhals click; do
    left_out="$left_out --no-emit-package $name"
done
# shellcheck disable=SC2086
lock $indices/climate.in --fork-strategy fewest --only-binary :all: $left_out --output-file $indices/climate.lock "$@"
