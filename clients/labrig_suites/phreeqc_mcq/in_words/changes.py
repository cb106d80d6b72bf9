"""What rises and what falls: the water of a spring in a basin."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.judged import trend
from labrig_suites.phreeqc_mcq.quantities import CALCIUM, PH, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, optional

IONIC_STRENGTH = Quantity(
    "ionic-strength",
    "",
    "mol/kg water",
    "value",
    "MU",
    Printed("Description of solution", "Ionic strength (mol/kgw) ="),
)


def _before(n: Numbers, s: States) -> int:
    return -2


def _tell_basin(n: Numbers, s: States) -> str:
    gas = (
        f"comes to equilibrium with air of a CO2 partial pressure of 10^{n['air']:g} atm (and not with the gas of a "
        f"tank at 10^{n['tank']:g} atm)"
        if s["gas"] == "air"
        else f"comes to equilibrium with the gas of a tank at a CO2 partial pressure of 10^{n['tank']:g} atm (and not "
        f"with air at 10^{n['air']:g} atm)"
    )
    floor = (
        "and with calcite, of which there is an excess"
        if s["floor"] == "calcite"
        else "but not with calcite, since no mineral dissolves or forms"
    )
    water = (
        f"{n['share']:g} % of its water evaporate"
        if s["water"] == "evaporates"
        else f"rain adds {n['share']:g} % of pure water to it"
    )
    return (
        f"A spring at {n['temp']:g} °C has pH {n['ph']:g} and contains, per kg of water, {n['calcium']:g} mmol Ca, "
        f"{n['magnesium']:g} mmol Mg, {n['sodium']:g} mmol Na, an alkalinity of {n['alkalinity']:g} meq, and chloride "
        f"set by charge balance. Its water is led into a basin. There {water}, and it {gas} {floor}. The temperature "
        "stays the same, and concentrations are per kg of water. Compare the water in the basin, in its final state, "
        "with that of the spring."
    )


def _build_basin(n: Numbers, s: States) -> str:
    sign = -1 if s["water"] == "evaporates" else 1
    calcite = "    Calcite 0 10\n" if s["floor"] == "calcite" else ""
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH {n['ph']:g}\n    units mmol/kgw\n    Ca {n['calcium']:g}\n"
        f"    Mg {n['magnesium']:g}\n    Na {n['sodium']:g}\n    Alkalinity {n['alkalinity']:g}\n    Cl 1 charge\nEND\n"
        f"USE solution 1\nREACTION 1\n    H2O {sign}\n    {55.508435 * n['share'] / 100:.6g} moles\n"
        f"EQUILIBRIUM_PHASES 1\n    CO2(g) {n['air'] if s['gas'] == 'air' else n['tank']:g} 10\n{calcite}END\n"
    )


STEMS = (
    Stem(
        name="spring-in-a-basin",
        topic="gases and minerals",
        draw=one_of(
            temp=range(8, 21),
            ph=tenths(range(68, 74)),
            calcium=tenths(range(15, 31)),
            magnesium=tenths(range(2, 8)),
            sodium=tenths(range(10, 41, 5)),
            alkalinity=tenths(range(30, 51, 2)),
            air=tenths(range(-35, -29)),
            tank=tenths(range(-9, -2)),
            share=range(15, 51, 5),
        ),
        switches=(
            Switch("gas", {"air": "CO2 of the air used", "tank": "CO2 of the tank used"}),
            optional("floor", "equilibrium with calcite", {"calcite": True, "clay": False}),
            either("water", {"evaporates": "evaporation", "rain": "rain"}),
        ),
        tell=_tell_basin,
        build=_build_basin,
        quantities=(),
        judged=(
            trend(
                "change-of-ph-calcium-and-sodium",
                _before,
                {"pH": PH, "calcium": CALCIUM, "sodium": total("sodium", "Na")},
            ),
            trend(
                "change-of-ph-calcium-and-ionic-strength",
                _before,
                {"pH": PH, "calcium": CALCIUM, "ionic strength": IONIC_STRENGTH},
            ),
        ),
    ),
)
