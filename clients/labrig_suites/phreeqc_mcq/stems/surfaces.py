"""Surface complexation on hydrous ferric oxide: zinc and pH, arsenate and ferric chloride, a river and the sea."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import PH, adsorbed, molality, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, given_as, optional, read


def _zinc(unit: str) -> tuple[Quantity, ...]:
    return (
        total("zinc", "Zn", "zinc", name="dissolved", unit=unit),
        *(
            adsorbed(site, f"zinc adsorbed on the {site} sites", species, "zinc", unit=unit)
            for site, species in (("strong", "Hfo_sOZn+"), ("weak", "Hfo_wOZn+"))
        ),
    )


def _draw_edge(draws: random.Random) -> dict[str, float]:
    low = draws.choice(range(55, 63)) / 10
    return {
        "zinc": draws.choice((10, 15, 20, 25, 30)),
        "oxide": draws.choice(range(60, 161, 10)),
        "salt": draws.choice((20, 50, 100)),
        "ca": draws.choice((5, 10, 15)),
        "low": low,
        "high": low + draws.choice((5, 6, 7, 8)) / 10,
    }


def _tell_edge(n: Numbers, s: States) -> str:
    oxide = {
        "oxide": f"{n['oxide']:g} mg of ferrihydrite (89 g per mol of Fe)",
        "iron": f"ferrihydrite that contains {n['oxide']:g} mg of Fe (55.85 g/mol)",
    }[s["as"]]
    layer = {
        "layer": "The charge of the surface is to be taken into account, with the diffuse-layer model of the database",
        "plain": "The charge of the surface is to be neglected: the constants of the database are used without an "
        "electrostatic term",
    }[s["charge"]]
    salts = {
        "none": f"{n['salt']:g} mmol NaCl",
        "calcium": f"{n['salt']:g} mmol NaCl, {n['ca']:g} mmol CaCl2",
    }[s["calcium"]]
    return (
        f"An adsorption edge is measured at 25 °C. A flask contains 1 kg of water with {salts} and {n['zinc']:g} µmol "
        f"ZnCl2, acidified to pH 3.0 with HCl, and free of carbonate. Then {oxide} is added. It is the surface Hfo of "
        "the database, initially with uncharged sites, and has 0.005 mol of strong sites, 0.2 mol of weak sites and "
        f"53,400 m2 per mol of Fe. {layer}. NaOH is then added until adsorption equilibrium is reached at pH "
        f"{n['low']:.1f}, and more NaOH until equilibrium is reached at pH {n['high']:.1f}. The oxide does not "
        f"dissolve. The question concerns pH {n[s['read']]:.1f}."
    )


def _build_edge(n: Numbers, s: States) -> str:
    iron = n["oxide"] / 1000 / {"oxide": 89, "iron": 55.85}[s["as"]]
    calcium = n["ca"] if s["calcium"] == "calcium" else 0
    lines = f"    Ca {calcium:g}\n" if calcium else ""
    plain = "    -no_edl\n" if s["charge"] == "plain" else ""
    flasks = "".join(
        f"USE solution 1\nUSE surface 1\nEQUILIBRIUM_PHASES 1\n    Fix_pH {-n[each]:.1f} NaOH 10\nEND\n"
        for each in ("low", "high")
    )
    return (
        "PHASES\nFix_pH\n    H+ = H+\n    log_k 0\n"
        f"SOLUTION 1 Flask\n    temp 25\n    pH 3\n    units mmol/kgw\n    Na {n['salt']:g}\n{lines}"
        f"    Zn {n['zinc'] / 1000:g}\n    Cl {n['salt'] + 2 * calcium:g} charge\nEND\n"
        f"SURFACE 1\n    Hfo_sOH {0.005 * iron:.6e} 600 {89 * iron:.6e}\n    Hfo_wOH {0.2 * iron:.6e}\n{plain}END\n"
        f"{flasks}"
    )


def _tell_arsenic(n: Numbers, s: States) -> str:
    dose = {
        "iron": f"{n['dose']:g} mg of Fe (55.85 g/mol) as ferric chloride, FeCl3,",
        "salt": f"{n['dose']:g} mg of ferric chloride, FeCl3 (162.2 g/mol),",
    }[s["dose"]]
    phosphate = {"none": "", "phosphate": f", {n['phosphate']:g} µmol of phosphate"}[s["phosphate"]]
    gas = {
        "closed": "No CO2 escapes",
        "open": "The water is also brought to equilibrium with the CO2 of the air, at 10^-3.4 atm",
    }[s["air"]]
    acid = {
        "free": "the pH is left to adjust itself",
        "held": "HCl is added until the pH is 6.4",
    }[s["ph"]]
    return (
        f"Well water at {n['temp']:g} °C has pH {n['ph']:.1f} and contains, per kg of water, {n['ca']:.1f} mmol Ca, "
        f"{n['na']:.1f} mmol Na, an alkalinity of {n['alk']:.1f} meq{phosphate} and {n['arsenic']:g} µg of arsenic "
        f"(74.92 g/mol), all of it as arsenate, with chloride set by charge balance. To treat 1 kg of it, {dose} is "
        "dissolved in it, in equilibrium with the oxygen of the air (10^-0.7 atm). Iron precipitates as amorphous "
        "Fe(OH)3, the phase Fe(OH)3(a) of the database; each mol of this acts as the hydrous ferric oxide Hfo of the "
        "database, with 0.2 mol of weak sites, 0.005 mol of strong sites and 53,400 m2, on which the solutes adsorb "
        f"(diffuse-layer model). {gas}, and {acid}. Nothing else precipitates."
    )


def _build_arsenic(n: Numbers, s: States) -> str:
    dose = n["dose"] / 1000 / {"iron": 55.85, "salt": 162.2}[s["dose"]]
    phosphate = f"    P {n['phosphate'] / 1000:g}\n" if s["phosphate"] == "phosphate" else ""
    gas = "    CO2(g) -3.4 10\n" if s["air"] == "open" else ""
    held = "    Fix_pH -6.4 HCl 10\n" if s["ph"] == "held" else ""
    return (
        "PHASES\nFix_pH\n    H+ = H+\n    log_k 0\n"
        f"SOLUTION 1 Well\n    temp {n['temp']:g}\n    pH {n['ph']:.1f}\n    units mmol/kgw\n    Ca "
        f"{n['ca']:.1f}\n    Na {n['na']:.1f}\n    Alkalinity {n['alk']:.1f}\n    As(5) "
        f"{n['arsenic'] / 74920:.6e}\n{phosphate}    Cl 1 charge\nEND\nUSE solution 1\n"
        f"REACTION 1\n    FeCl3 1\n    {dose:.6e} moles\n"
        f"EQUILIBRIUM_PHASES 1\n    Fe(OH)3(a) 0 0\n    O2(g) -0.7 10\n{gas}{held}"
        "SURFACE 1\n    Hfo_wOH Fe(OH)3(a) equilibrium_phase 0.2 53400\n"
        "    Hfo_sOH Fe(OH)3(a) equilibrium_phase 0.005\nEND\n"
    )


def _tell_estuary(n: Numbers, s: States) -> str:
    unit = {"ug": "µg of zinc (65.39 g/mol)", "nmol": "nmol of zinc"}[s["unit"]]
    oxide = (
        f"{n['oxide']:g} mg of suspended ferrihydrite, the surface Hfo of the database (89 g per mol of Fe, 600 m2/g; "
        "0.005 mol of strong and 0.2 mol of weak sites per mol of Fe; diffuse-layer model)"
    )
    source = {
        "river": f"With each kg of this water, and in adsorption equilibrium with it, the river carries {oxide}",
        "fresh": f"The river carries no oxide, but at its mouth the sludge of a mine adds, per kg of river water, "
        f"{oxide}, bare and with uncharged sites",
    }[s["source"]]
    other = n["far" if s["mix"] == "near" else "near"]
    gas = {
        "closed": "without any exchange of gas",
        "open": "while the mixture comes to equilibrium with the CO2 of the air, at 10^-3.4 atm",
    }[s["air"]]
    return (
        f"The water of a river at {n['temp']:g} °C has pH {n['ph']:.1f} and contains, in solution and per kg of water, "
        f"{n['ca']:.1f} mmol Ca, {n['na']:.1f} mmol Na, {n['zinc']:g} {unit} and an alkalinity of {n['alk']:.1f} meq, "
        f"with chloride set by charge balance. {source}. In the estuary, river water with 1 kg of H2O mixes with "
        f"seawater with {n[s['mix']]:g} kg of H2O (elsewhere, {other:g} kg) at the same temperature (pH 8.1; per kg of "
        "water 468 mmol Na, 53 mmol Mg, 10.3 mmol Ca, 10.2 mmol K, 28.2 mmol SO4, an alkalinity of 2.3 meq, and "
        "chloride set by charge balance; no zinc), and all of the oxide comes to adsorption equilibrium with the "
        f"mixture, {gas}; nothing precipitates or dissolves. The question concerns the mixture, per kg of its water."
    )


def _build_estuary(n: Numbers, s: States) -> str:
    zinc = n["zinc"] / {"ug": 65390, "nmol": 1e6}[s["unit"]]
    iron = n["oxide"] / 1000 / 89
    start = "    -equilibrate 1\n" if s["source"] == "river" else ""
    gas = "EQUILIBRIUM_PHASES 1\n    CO2(g) -3.4 10\n" if s["air"] == "open" else ""
    return (
        f"SOLUTION 1 River\n    temp {n['temp']:g}\n    pH {n['ph']:.1f}\n    units mmol/kgw\n    Ca {n['ca']:.1f}\n"
        f"    Na {n['na']:.1f}\n    Alkalinity {n['alk']:.1f}\n    Zn {zinc:.6e}\n    Cl 1 charge\n"
        f"SOLUTION 2 Sea\n    temp {n['temp']:g}\n    pH 8.1\n    units mmol/kgw\n    Na 468\n    Mg 53\n    Ca 10.3\n"
        "    K 10.2\n    S(6) 28.2\n    Alkalinity 2.3\n    Cl 545 charge\nEND\n"
        f"SURFACE 1\n{start}    Hfo_sOH {0.005 * iron:.6e} 600 {89 * iron:.6e}\n    Hfo_wOH {0.2 * iron:.6e}\nEND\n"
        f"MIX 1\n    1 1\n    2 {n[s['mix']]:g}\nUSE surface 1\n{gas}END\n"
    )


STEMS = (
    Stem(
        name="zinc-adsorption-edge",
        topic="surface complexation",
        draw=_draw_edge,
        switches=(
            optional("charge", "electrostatic term", {"layer": True, "plain": False}),
            given_as("as", {"oxide": "iron", "iron": "oxide"}, "mg of {} taken as mg of {}"),
            optional("calcium", "calcium", {"none": False, "calcium": True}),
            read("read", {"low": "at the lower pH", "high": "at the higher pH"}),
        ),
        tell=_tell_edge,
        build=_build_edge,
        quantities=_zinc("µmol"),
        state=lambda n, s: -1 if s["read"] == "high" else -2,
    ),
    Stem(
        name="arsenate-and-ferric-chloride",
        topic="surface complexation",
        draw=one_of(
            temp=range(9, 21),
            ph=tenths(range(74, 80)),
            ca=tenths((10, 12, 15, 18)),
            na=tenths((16, 20, 25, 30)),
            alk=tenths((25, 28, 30, 33)),
            arsenic=(60, 80, 100, 120, 150, 200),
            phosphate=(10, 15, 20, 25),
            dose=(6, 7, 8, 9, 10, 11, 12),
        ),
        switches=(
            given_as("dose", {"iron": "FeCl3", "salt": "Fe"}, "mg of {} taken as mg of {}"),
            optional("phosphate", "phosphate", {"none": False, "phosphate": True}),
            either("air", {"closed": "closed", "open": "kept open"}, "water {} to CO2 of the air"),
            Switch("ph", {"free": "pH left to adjust itself", "held": "pH set to 6.4"}),
        ),
        tell=_tell_arsenic,
        build=_build_arsenic,
        quantities=(
            total("arsenic", "As", "arsenic", unit="µmol"),
            molality("free-arsenate", "HAsO4-2", "arsenic", noun="the dissolved ion", unit="µmol"),
            adsorbed(
                "bound-arsenate",
                "arsenate bound as the surface species Hfo_wHAsO4-",
                "Hfo_wHAsO4-",
                unit="µmol",
            ),
        ),
        database="wateq4f.dat",
    ),
    Stem(
        name="zinc-in-an-estuary",
        topic="surface complexation",
        draw=one_of(
            temp=range(8, 23),
            ph=tenths(range(70, 79)),
            ca=tenths((5, 8, 10, 12)),
            alk=tenths((12, 15, 18)),
            na=tenths((5, 8, 10)),
            zinc=(40, 50, 60, 80, 100),
            oxide=(15, 20, 25, 30, 40),
            near=(0.2, 0.3, 0.4),
            far=(1.5, 2.0, 3.0),
        ),
        switches=(
            given_as("unit", {"ug": "µg", "nmol": "nmol"}, "zinc taken in {} instead of {}"),
            Switch(
                "source",
                {
                    "river": "oxide first equilibrated with the river water",
                    "fresh": "equilibrium of the oxide with the river water omitted",
                },
            ),
            Switch("mix", {"near": "too little seawater mixed in", "far": "too much seawater mixed in"}),
            either("air", {"closed": "closed", "open": "kept open"}, "water {} to CO2 of the air"),
        ),
        tell=_tell_estuary,
        build=_build_estuary,
        quantities=(*_zinc("nmol"), PH),
    ),
)
