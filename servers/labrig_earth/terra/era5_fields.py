"""Group era5_obs, its fields: winds, humidity, columns of moisture, kinematics, shear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labrig.errors import LabrigError
from labrig_earth.atmosphere import kinematics as sphere
from labrig_earth.atmosphere import shear, thermodynamics
from labrig_earth.atmosphere.levels import PRESSURE, at_level, at_levels, by_pressure, level_axis
from labrig_earth.atmosphere.moisture import GRAVITY, vapour_transport, water_vapour
from labrig_earth.data.formats import Place
from labrig_earth.ensembles.members import like, read_field
from labrig_earth.grids import humidity
from labrig_earth.grids.axes import axes_of, variable_of
from labrig_earth.grids.reading import Field, opened
from labrig_earth.grids.units import same_dimension, units_in
from labrig_earth.grids.wind import wind_direction, wind_speed
from labrig_earth.results import Result
from labrig_earth.terra.arguments import era5_obs as arguments
from labrig_earth.terra.payloads import make_result, ranges, write_netcdf
from labrig_earth.work.calls import Call

UNITS = {"u": "m s-1", "v": "m s-1", "q": "kg kg-1"}


def winds_basic(call: Call, asked: arguments.WindsBasic) -> Result:
    """Give speed and direction of a wind."""
    fields, assumed = read_winds(call, {"u": asked.u, "v": asked.v}, levels=asked.levels)
    u, v = fields["u"].data, fields["v"].data
    found = {"wind_speed": wind_speed(u, v), "wind_dir": wind_direction(u, v)}
    said = "speed; direction whence the wind blows, clockwise from north, missing where it is calm"
    return write_fields(call, found, "winds_basic", said, fields, assumed=assumed)


def humidity_basic(call: Call, asked: arguments.HumidityBasic) -> Result:
    """Give dew point, relative humidity, mixing ratio and potential temperature."""
    place = call.input("netcdf_path")
    formula = asked.formula
    fields = {"T": read_field(place, asked.T, where="T")}
    temperature = convert_to(fields["T"], "K", "T")
    pressure, assumed = read_pressure(place, asked.p, temperature, fields)
    there = [str(name) for name in opened(place).data.data_vars]
    q, d2m = asked.q, asked.d2m
    if q in there or (q and not d2m):
        fields["q"] = read_field(place, q, where="q")
        specific = like(convert_to(fields["q"], "kg kg-1", "q"), temperature, where="q", units=False)
        e = humidity.vapour_pressure_of_specific(specific, pressure)
        dew_point = units_in(humidity.dew_point_of_pressure(e, formula=formula), "K")
        whence = f"specific humidity {q}"
    elif d2m:
        fields["d2m"] = read_field(place, d2m, where="d2m")
        dew_point = like(convert_to(fields["d2m"], "K", "d2m"), temperature, where="d2m", units=False)
        e = humidity.vapour_pressure(dew_point, formula=formula)
        whence = f"dew point {d2m}"
    else:
        raise LabrigError("No humidity is given", where="q, d2m", expected="specific humidity or dew point")
    part = e / humidity.saturation_vapour_pressure(temperature, formula=formula)
    found = {
        "dewpoint": dew_point,
        "relative_humidity": part.assign_attrs({"units": "1", "long_name": "relative humidity over water"}),
        "mixing_ratio": thermodynamics.mixing_ratio(e, pressure),
        "potential_temperature": thermodynamics.potential_temperature(temperature, pressure),
    }
    warnings = [humidity.beyond_range(temperature, formula)]
    above = int((part > 1.0).sum())
    if above:
        warnings.append(f"{above} of {part.size} values of relative humidity are above 1")
    said = f"from {whence}; saturation vapour pressure over water by {formula}; relative humidity from 0 to 1"
    order = temperature.dims
    found = {name: each.transpose(*order) for name, each in found.items()}
    return write_fields(
        call, found, "humidity_basic", said, fields, assumed=assumed, warnings=tuple(filter(None, warnings))
    )


def moisture_integrals(call: Call, asked: arguments.MoistureIntegrals) -> Result:
    """Give the water vapour of columns and its transport."""
    fields, assumed = read_winds(call, {"u": asked.u, "v": asked.v, "q": asked.q})
    axis = level_axis(fields["q"].data, asked.level_dim)
    columns: dict[str, Any] = {}
    for role, field in fields.items():
        columns[role], notes = by_pressure(field.data, axis)
        assumed = (*assumed, *notes)
    if asked.levels:
        columns = {role: at_levels(each, asked.levels, where="levels") for role, each in columns.items()}
    q = columns["q"]
    warnings: list[str] = []
    if float(q.max()) > 0.1:
        warnings.append(f"Specific humidity is up to {float(q.max()):g} kg kg-1: is it in g kg-1?")
    ground, below = None, "all levels count, those below the ground too"
    surface = asked.surface_pressure
    if surface:
        fields["surface"] = read_field(call.input("netcdf_path"), surface, where="surface_pressure")
        ground = like(
            convert_to(fields["surface"], "Pa", "surface_pressure"),
            q.isel({PRESSURE: 0}),
            where="surface_pressure",
            units=False,
        )
        below = f"down to {surface}"
        lowest = float(q[PRESSURE].max())
        if float(ground.max()) > lowest:
            warnings.append(
                f"Nothing is known below {lowest / 100:g} hPa, the lowest level, where the ground is lower"
            )
    vapour = water_vapour(q, ground)
    east, north, size = vapour_transport(q, columns["u"], columns["v"], ground)
    found = {"IWV": vapour, "IVT_u": east, "IVT_v": north, "IVT": size}
    low, high = float(q[PRESSURE].min()) / 100, float(q[PRESSURE].max()) / 100
    lost = int(vapour.isnull().sum())
    if lost:
        warnings.append(f"{lost} of {vapour.size} columns have a level without a value, and no integral")
    said = (
        f"1/g times the integral over pressure, {low:g} to {high:g} hPa, {q.sizes[PRESSURE]} levels, by the "
        f"trapezoidal rule; {below}"
    )
    return write_fields(
        call, found, "moisture_integrals", said, fields, assumed=assumed, warnings=tuple(warnings)
    )


def kinematics(call: Call, asked: arguments.Kinematics) -> Result:
    """Give vorticity and divergence of a wind, and the geostrophic wind."""
    fields, assumed = read_winds(call, {"u": asked.u, "v": asked.v}, level=asked.level)
    u, v = fields["u"].data, fields["v"].data
    order = u.dims
    found = {"vorticity": sphere.vorticity(u, v), "divergence": sphere.divergence(u, v)}
    warnings: list[str] = []
    balance, whence, more = read_balance(call, asked, fields)
    assumed = (*assumed, *more)
    if balance is None:
        warnings.append(f"No geostrophic wind is given: {whence}")
    else:
        east, north = sphere.geostrophic_wind(like(balance, u, where="geopotential, pressure", units=False))
        if bool(east.notnull().any()) and bool(north.notnull().any()):
            found |= {"geostrophic_u": east, "geostrophic_v": north}
        else:
            warnings.append("No geostrophic wind is given: all cells are within 3.9 degrees of the equator")
    found = {
        name: each.transpose(*[dim for dim in order if dim in each.dims]) for name, each in found.items()
    }
    said = (
        "vorticity and divergence on the sphere, centred differences of second order, one-sided at the edges of the "
        "box" + (f"; geostrophic wind from {whence}" if balance is not None else "")
    )
    return write_fields(call, found, "kinematics", said, fields, assumed=assumed, warnings=tuple(warnings))


def vertical_shear(call: Call, asked: arguments.VerticalShear) -> Result:
    """Give the wind at the top of a layer less that at its bottom."""
    fields, assumed = read_winds(call, {"u": asked.u, "v": asked.v})
    axis = level_axis(fields["u"].data, asked.level_dim)
    u, notes = by_pressure(fields["u"].data, axis)
    v, _ = by_pressure(fields["v"].data, axis)
    top, bottom = asked.top, asked.bottom
    east, north, size = shear.vertical_shear(u, v, top=top, bottom=bottom)
    found = {"shear_u": east, "shear_v": north, "shear_mag": size}
    said = f"wind at {top:g} hPa less wind at {bottom:g} hPa"
    return write_fields(call, found, "vertical_shear", said, fields, assumed=(*assumed, *notes))


def read_winds(
    call: Call,
    names: Mapping[str, str],
    *,
    levels: Sequence[float] = (),
    level: float | None = None,
) -> tuple[dict[str, Field], tuple[str, ...]]:
    """Return the components of a wind, and humidity, on the same cells, at the levels asked for."""
    place = call.input("netcdf_path")
    found: dict[str, Field] = {}
    assumed: tuple[str, ...] = ()
    for role, name in names.items():
        field = read_field(place, name, where=role)
        data = convert_to(field, UNITS[role], role)
        if found:
            data = like(data, found["u"].data, where=role, units=False)
        found[role] = field.with_data(data)
    if len({id(found[role].data) for role in ("u", "v")}) < 2 or found["u"].data.name == found["v"].data.name:
        raise LabrigError("Both components are one variable", where="u, v", expected="two")
    if level is not None or levels:
        for role, field in found.items():
            data, notes = by_pressure(field.data)
            assumed = (*assumed, *notes)
            data = (
                at_level(data, level, where="level")
                if level is not None
                else name_levels(at_levels(data, levels, where="levels"))
            )
            found[role] = field.with_data(data)
    return found, tuple(dict.fromkeys(assumed))


def name_levels(data: Any) -> Any:
    """Return data over ``level`` in hPa, as archives have it, in place of ``pressure``."""
    about = {"units": "hPa", "standard_name": "air_pressure", "positive": "down"}
    values = data[PRESSURE].values / 100.0
    return data.rename({PRESSURE: "level"}).assign_coords(level=("level", values, about))


def convert_to(field: Field, unit: str, role: str) -> Any:
    """Return the values of a field in a unit; LabrigError that names the argument."""
    own = str(field.data.attrs.get("units", "")).strip()
    if not own or not same_dimension(own, unit):
        raise LabrigError(
            f"{field.data.name} {'states no unit' if not own else f'is in {own}'}",
            where=f"{role} of {field.source}",
            expected=f"a variable in {unit}, or in a unit that converts to it",
        )
    return units_in(field.data, unit)


def read_pressure(
    place: Place, name: str, temperature: Any, fields: dict[str, Field]
) -> tuple[Any, tuple[str, ...]]:
    """Return the pressure of air, hPa: a variable, or the axis of levels."""
    data = opened(place).data
    axis = axes_of(temperature).level
    if name not in data.data_vars and axis and name in (axis, "level", PRESSURE):
        from labrig_earth.atmosphere.levels import pressures_of

        values, assumed = pressures_of(temperature[axis])
        made = temperature[axis].copy(data=values / 100.0).rename("pressure").assign_attrs(units="hPa")
        return made, (assumed,) if assumed else ()
    try:
        variable_of(data, name)
    except LabrigError as error:
        error.where = f"p of {place.name}"
        if axis in temperature.dims:
            error.try_ = f'p="{axis}", whose levels are pressures'
        raise
    fields["p"] = read_field(place, name, where="p")
    pressure = like(convert_to(fields["p"], "hPa", "p"), temperature, where="p", units=False)
    if bool((pressure <= 0).any()):
        raise LabrigError("A pressure is not above 0", where=f"p of {place.name}")
    return pressure, ()


def read_balance(
    call: Call, asked: arguments.Kinematics, fields: dict[str, Field]
) -> tuple[Any, str, tuple[str, ...]]:
    """Return what the geostrophic wind balances, m2 s-2, or None; from what, or why not; and what was assumed."""
    place, level = call.input("netcdf_path"), asked.level
    there = [str(name) for name in opened(place).data.data_vars]
    potential, pressure = asked.geopotential, asked.pressure
    for name, usual in ((potential, "z"), (pressure, "msl")):
        if name and name != usual and name not in there:
            variable_of(opened(place).data, name)
    if potential in there:
        field = fields["geopotential"] = read_field(place, potential, where="geopotential")
        unit = str(field.data.attrs.get("units", "")).strip()
        height = same_dimension(unit, "m") or unit in ("gpm", "m of geopotential")
        data = field.data * GRAVITY if height else convert_to(field, "m2 s-2", "geopotential")
        assumed: tuple[str, ...] = ()
        if axes_of(data).level in data.dims:
            if level is not None:
                data, assumed = by_pressure(data)
                data = at_level(data, level, where="level")
        elif not axes_of(field.data).level:
            assumed = (
                f"{potential} is that of one level of pressure: of the ground it would balance no wind",
            )
        kind = f"heights {potential}, times g" if height else f"the geopotential {potential}"
        return data, kind, assumed
    if pressure in there:
        density = asked.air_density
        field = fields["pressure"] = read_field(place, pressure, where="pressure")
        assumed = (f"air of {density:g} kg m-3 at sea level, by which the gradient of {pressure} is divided",)
        return convert_to(field, "Pa", "pressure") / density, f"{pressure} over the density of air", assumed
    return None, f"the file has neither {potential or 'a geopotential'} nor {pressure or 'a pressure'}", ()


def write_fields(
    call: Call,
    found: Mapping[str, Any],
    name: str,
    said: str,
    fields: Mapping[str, Field],
    *,
    assumed: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Result:
    """Write fields into one file, and return its payload: its path, its variables, and their ranges."""
    source = next(iter(fields.values())).source
    attrs = {each: field.assign_attrs(field.attrs) for each, field in found.items()}
    path = write_netcdf(call, attrs, name, history=said, source=source)
    payload = {
        "output_path": path,
        "variables": list(found),
        "of": {role: str(field.data.name) for role, field in fields.items()},
        "ranges": {each: ranges(field) for each, field in found.items()},
    }
    notes = tuple(each for field in fields.values() for each in field.warnings)
    taken = tuple(each for field in fields.values() for each in field.assumed)
    return make_result(
        payload, method=said, files=(path,), warnings=(*notes, *warnings), assumed=(*taken, *assumed)
    )
