"""How a wind turns and spreads on the sphere, and the wind that balances a gradient of pressure.

With latitude phi, longitude lambda (radians) and the Earth's radius a:

    vorticity   1/(a cos phi) (dv/dlambda - d(u cos phi)/dphi)
    divergence  1/(a cos phi) (du/dlambda + d(v cos phi)/dphi)

(Holton and Hakim 2013, appendix). The cosine inside the derivative is what a plane lacks: u tan(phi)/a, half of the
vorticity of a body that turns as a whole. Derivatives are centred differences of second order, one-sided at the edges
of a box, and go round the Earth where the grid does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labrig.errors import LabrigError
from labrig_earth.atmosphere.naming import named
from labrig_earth.grids.axes import Axes, goes_round, horizontal
from labrig_earth.grids.cells import EARTH_KM
from labrig_earth.grids.selecting import unbroken

RADIUS_M = EARTH_KM * 1000.0
ROTATION = 7.292115e-5
"""Of the Earth, s-1 (GRS 80)."""
LEAST_CORIOLIS = 1e-5
"""s-1; nearer to the equator, within 3.9 degrees, no geostrophic wind is given."""
LEAST_CELLS = 3


def vorticity(u: Any, v: Any) -> Any:
    """Return the relative vorticity, s-1, of a wind in m s-1; missing at the poles."""
    u, v, axes, cosine = _wind(u, v)
    found = (_by_longitude(v, axes) - _by_latitude(u * cosine, axes)) / (RADIUS_M * _off_poles(cosine))
    return named(found, "vorticity", "s-1", standard_name="atmosphere_relative_vorticity")


def divergence(u: Any, v: Any) -> Any:
    """Return the divergence, s-1, of a wind in m s-1; missing at the poles."""
    u, v, axes, cosine = _wind(u, v)
    found = (_by_longitude(u, axes) + _by_latitude(v * cosine, axes)) / (RADIUS_M * _off_poles(cosine))
    return named(found, "divergence", "s-1", standard_name="divergence_of_wind")


def geostrophic_wind(potential: Any) -> tuple[Any, Any]:
    """Return the wind that balances a gradient along a level, to the east and to the north, m s-1.

    Parameters
    ----------
    potential
        Geopotential of a level of pressure, m2 s-2; or pressure divided by the density of air, along a level of height.
    """
    axes = require_sphere(potential)
    potential = unbroken(potential, axes)
    latitude = np.deg2rad(potential[axes.y].astype("f8"))
    cosine = _off_poles(np.cos(latitude))
    coriolis = 2.0 * ROTATION * np.sin(latitude)
    coriolis = coriolis.where(np.abs(coriolis) >= LEAST_CORIOLIS)
    east = -_by_latitude(potential, axes) / (RADIUS_M * coriolis)
    north = _by_longitude(potential, axes) / (RADIUS_M * cosine * coriolis)
    order = potential.dims
    return (
        named(east.transpose(*order), "geostrophic_u", "m s-1", standard_name="geostrophic_eastward_wind"),
        named(north.transpose(*order), "geostrophic_v", "m s-1", standard_name="geostrophic_northward_wind"),
    )


def require_sphere(data: Any) -> Axes:
    """Return the axes of data over latitudes and longitudes with three of each or more.

    Raises
    ------
    LabrigError
        ``bad_input`` for other grids, and for axes that neither rise nor fall.
    """
    axes = horizontal(data)
    if not axes.geographic:
        raise LabrigError(
            "The grid is of a projection, whose axes are not east and north",
            where=f"{axes.y}, {axes.x}",
            expected="latitudes and longitudes",
            try_="regrid_variable it to EPSG:4326 first",
        )
    for name in (axes.y, axes.x):
        if data.sizes.get(name, 0) < LEAST_CELLS:
            raise LabrigError(
                f"The axis {name} has {data.sizes.get(name, 0)} cells, too few for a derivative",
                where=name,
                expected=f"{LEAST_CELLS} or more",
            )
        steps = np.diff(np.asarray(unbroken(data, axes)[name].values, "f8"))
        if not ((steps > 0).all() or (steps < 0).all()):
            raise LabrigError(f"The axis {name} neither rises nor falls throughout", where=name)
    return axes


def _wind(u: Any, v: Any) -> tuple[Any, Any, Axes, Any]:
    axes = require_sphere(u)
    u, v = unbroken(u, axes), unbroken(v, axes)
    cosine = np.cos(np.deg2rad(u[axes.y].astype("f8")))
    return u, v, axes, cosine


def _off_poles(cosine: Any) -> Any:
    return cosine.where(cosine > 1e-6)


def _by_longitude(data: Any, axes: Axes) -> Any:
    """Return the derivative by longitude, per radian."""
    place = data.get_axis_num(axes.x)
    values, angles = data.values, np.deg2rad(np.asarray(data[axes.x].values, "f8"))
    if goes_round(data, axes):
        turn = 2 * np.pi * np.sign(angles[-1] - angles[0])
        values = np.concatenate([values.take([-1], place), values, values.take([0], place)], axis=place)
        angles = np.concatenate([[angles[-1] - turn], angles, [angles[0] + turn]])
        found = np.gradient(values, angles, axis=place).take(np.arange(1, angles.size - 1), place)
    else:
        found = np.gradient(values, angles, axis=place, edge_order=2)
    return data.copy(data=found)


def _by_latitude(data: Any, axes: Axes) -> Any:
    """Return the derivative by latitude, per radian."""
    place, angles = data.get_axis_num(axes.y), np.deg2rad(np.asarray(data[axes.y].values, "f8"))
    return data.copy(data=np.gradient(data.values, angles, axis=place, edge_order=2))
