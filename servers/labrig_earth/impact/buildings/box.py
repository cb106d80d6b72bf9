"""A building of one room by its numbers, as objects of EnergyPlus: for comparisons, and where no IDF is at hand.

Walls and roof are 15 cm of concrete with insulation outside; the floor passes no heat. Ideal loads keep the set points,
so that heating and cooling are what the room needs, before any plant.
"""

from __future__ import annotations

from labrig_earth.work.fields import Fields

CONCRETE_M = 0.15
RUN = """
Version, 25.2
Timestep, 4
Building, Box, 0, City, 0.04, 0.4, FullExterior, 25, 6
SimulationControl, No, No, No, No, Yes, No, 1
RunPeriod, Year, 1, 1, , 12, 31, , Monday, No, No, No, Yes, Yes
GlobalGeometryRules, UpperLeftCorner, Counterclockwise, World
ScheduleTypeLimits, Any
Schedule:Constant, On, Any, 1
"""
IDEAL_LOADS = """
ZoneControl:Thermostat, Thermostat, Room, Dual, ThermostatSetpoint:DualSetpoint, Set points
ThermostatSetpoint:DualSetpoint, Set points, Heating set point, Cooling set point
ZoneHVAC:EquipmentConnections, Room, Equipment, Inlet, , Air, Outlet
ZoneHVAC:EquipmentList, Equipment, SequentialLoad, ZoneHVAC:IdealLoadsAirSystem, Ideal, 1, 1
ZoneHVAC:IdealLoadsAirSystem, Ideal, , Inlet, , , 50, 13, 0.0156, 0.0077, NoLimit, , , NoLimit, , , , , \
ConstantSensibleHeatRatio, 0.7, None
""".replace("\\\n", "")
Point = tuple[float, float, float]


def box(fields: Fields) -> list[list[str]]:
    """Return the objects of a box.

    Parameters
    ----------
    fields
        ``length_m``, ``width_m``, ``height_m``, ``insulation_r_m2k_w``, ``window_share`` (of the south wall, 0 to 0.9),
        ``window_u_w_m2k``, ``window_shgc``, ``air_changes_per_h``, ``equipment_w_m2``, ``heating_setpoint_c``,
        ``cooling_setpoint_c``.
    """
    length = fields.number("length_m", 2, 200, "m", 10.0)
    width = fields.number("width_m", 2, 200, "m", 8.0)
    height = fields.number("height_m", 2, 30, "m", 3.0)
    insulation = fields.number("insulation_r_m2k_w", 0.05, 20, "m2 K/W", 3.0)
    share = fields.number("window_share", 0, 0.9, "1", 0.3)
    window = (
        fields.number("window_u_w_m2k", 0.5, 6, "W/(m2 K)", 1.8),
        fields.number("window_shgc", 0.05, 0.9, "1", 0.5),
    )
    leaks = fields.number("air_changes_per_h", 0, 10, "1/h", 0.5)
    devices = fields.number("equipment_w_m2", 0, 200, "W/m2", 6.0)
    heating = fields.number("heating_setpoint_c", 5, 30, "degC", 20.0)
    cooling = fields.number("cooling_setpoint_c", heating, 40, "degC", max(26.0, heating))
    fields.require_all_known()
    return [
        *map(_object, RUN.strip().splitlines()),
        _object(f"Schedule:Constant, Heating set point, Any, {heating:g}"),
        _object(f"Schedule:Constant, Cooling set point, Any, {cooling:g}"),
        _object("Schedule:Constant, Dual, Any, 4"),
        _object(f"Material:NoMass, Insulation, Rough, {insulation:g}, 0.9, 0.7, 0.7"),
        *_shell(length, width, height),
        _object(
            f"ZoneInfiltration:DesignFlowRate, Leaks, Room, On, AirChanges/Hour, , , , {leaks:g}, 1, 0, 0, 0"
        ),
        _object(f"ElectricEquipment, Devices, Room, On, Watts/Area, , {devices:g}, , 0, 0.3, 0, Plug"),
        *map(_object, IDEAL_LOADS.strip().splitlines()),
        *(_window(length, height, share, *window) if share else []),
    ]


def _object(line: str) -> list[str]:
    """Return an object by its line in an IDF."""
    return [field.strip() for field in line.split(",")]


def _corners(*points: Point) -> list[str]:
    return [str(len(points)), *(f"{value:g}" for point in points for value in point)]


def _shell(a: float, b: float, h: float) -> list[list[str]]:
    """Return walls, roof and floor of a room that is `a` long, `b` wide and `h` high, and what they are made of."""

    def surface(name: str, kind: str, outside: str, *points: Point) -> list[str]:
        exposed = "SunExposed, WindExposed" if outside == "Outdoors" else "NoSun, NoWind"
        line = (
            f"BuildingSurface:Detailed, {name}, {kind}, Shell, Room, , {outside}, , {exposed}, autocalculate"
        )
        return [*_object(line), *_corners(*points)]

    return [
        _object(f"Material, Concrete, Rough, {CONCRETE_M:g}, 1.4, 2200, 900"),
        _object("Construction, Shell, Insulation, Concrete"),
        _object("Zone, Room, 0, 0, 0, 0, 1, 1, autocalculate, autocalculate"),
        surface("South", "Wall", "Outdoors", (0, 0, h), (0, 0, 0), (a, 0, 0), (a, 0, h)),
        surface("East", "Wall", "Outdoors", (a, 0, h), (a, 0, 0), (a, b, 0), (a, b, h)),
        surface("North", "Wall", "Outdoors", (a, b, h), (a, b, 0), (0, b, 0), (0, b, h)),
        surface("West", "Wall", "Outdoors", (0, b, h), (0, b, 0), (0, 0, 0), (0, 0, h)),
        surface("Roof", "Roof", "Outdoors", (0, b, h), (0, 0, h), (a, 0, h), (a, b, h)),
        surface("Floor", "Floor", "Adiabatic", (0, 0, 0), (0, b, 0), (a, b, 0), (a, 0, 0)),
    ]


def _window(a: float, h: float, share: float, u: float, shgc: float) -> list[list[str]]:
    """Return a window in the middle of the south wall."""
    low, high, edge = 0.5 * h * (1 - share), 0.5 * h * (1 + share), 0.01 * a
    return [
        _object(f"WindowMaterial:SimpleGlazingSystem, Glazing, {u:g}, {shgc:g}"),
        _object("Construction, Window, Glazing"),
        [
            *_object("FenestrationSurface:Detailed, Pane, Window, Window, South, , autocalculate, , 1"),
            *_corners((edge, 0, high), (edge, 0, low), (a - edge, 0, low), (a - edge, 0, high)),
        ],
    ]
