"""Water at 150 to 250 °C: competing minerals, and what scales when it cools, boils or is heated."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.quantities import PH, index, molality, total
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import either, forming, optional

# --- a granite at 150 to 250 °C -------------------------------------------------------------------------------------


def _tell_granite(n: Numbers, s: States) -> str:
    place = {"cool": "above", "hot": "below"}[s["temperature"]]
    well = {"less": "A", "more": "B"}[s["salt"]]
    silica = {
        "Quartz": "quartz (chalcedony does not form)",
        "Chalcedony": "chalcedony (quartz does not form)",
    }[s["silica"]]
    clay = {"Muscovite": "muscovite", "Kaolinite": "kaolinite"}[s["mica"]]
    return (
        f"The brines of two geothermal wells contain {n['salt']:g} mmol NaCl per kg of water in well A and "
        f"{n['salt'] * n['more']:g} mmol NaCl per kg of water in well B, both at pH 7 before they come into contact "
        f"with the rock. The rock is a granite, at {n['temp']:g} °C above a fault and at "
        f"{n['temp'] + n['hotter']:g} °C below it. The brine of well {well} comes to equilibrium {place} the fault "
        f"with low albite (Albite_low in the database), maximum microcline, {clay} and {silica}. There are 10 mol of "
        "each of these four minerals per kg of water, so that none is used up. No gas phase forms, and nothing else "
        "precipitates."
    )


def _build_granite(n: Numbers, s: States) -> str:
    temp = n["temp"] + (n["hotter"] if s["temperature"] == "hot" else 0)
    salt = n["salt"] * (n["more"] if s["salt"] == "more" else 1)
    return (
        f"SOLUTION 1\n    temp {temp:g}\n    pH 7\n    units mmol/kgw\n    Na {salt:g}\n    Cl {salt:g}\n"
        "EQUILIBRIUM_PHASES 1\n    Albite_low 0 10\n    Maximum_Microcline 0 10\n"
        f"    {s['mica']} 0 10\n    {s['silica']} 0 10\nEND\n"
    )


# --- silica scale ---------------------------------------------------------------------------------------------------


def _tell_silica(n: Numbers, s: States) -> str:
    steam = (
        f"flashes in a separator, where {n['steam']:g} % of its water is lost as pure steam"
        if s["steam"] == "lost"
        else "is kept under pressure, so that no steam is lost"
    )
    temp, other = (n["brine"], n["separator"]) if s["cooling"] == "far" else (n["separator"], n["brine"])
    scale = (
        "There, amorphous silica precipitates until equilibrium if the water is supersaturated with it"
        if s["scale"] == "forms"
        else "There, an inhibitor keeps all silica in solution, even if the water is supersaturated with it"
    )
    silica = {"Quartz": "quartz", "Chalcedony": "chalcedony"}[s["silica"]]
    return (
        f"In a reservoir at {n['reservoir']:g} °C, water with {n['salt']:g} mmol NaCl per kg of water is in "
        f"equilibrium with {silica}, which is present in excess. On its way up, it leaves the rock and {steam}; it "
        f"then cools to {temp:g} °C (in another line of the plant, to {other:g} °C). {scale}; no other mineral forms. "
        "The water contains nothing but NaCl and silica, and its pH is set by charge balance from the beginning."
    )


def _build_silica(n: Numbers, s: States) -> str:
    temp = n["brine"] if s["cooling"] == "far" else n["separator"]
    steam = (
        f"REACTION 2\n    H2O -1\n    {55.508435 * n['steam'] / 100:.8g} moles\n"
        if s["steam"] == "lost"
        else ""
    )
    return (
        f"SOLUTION 1\n    temp {n['reservoir']:g}\n    pH 7 charge\n    units mmol/kgw\n    Na {n['salt']:g}\n"
        f"    Cl {n['salt']:g}\nEQUILIBRIUM_PHASES 1\n    {s['silica']} 0 10\nSAVE solution 1\nEND\n"
        f"USE solution 1\n{steam}REACTION_TEMPERATURE 2\n    {temp:g}\n"
        + ("EQUILIBRIUM_PHASES 2\n    SiO2(am) 0 0\n" if s["scale"] == "forms" else "")
        + "END\n"
    )


# --- calcite scale --------------------------------------------------------------------------------------------------


def _tell_calcite(n: Numbers, s: States) -> str:
    gas = (
        f"carbon dioxide escapes until its fugacity is 10^{n['log_p'] - n['factor']:g} atm"
        if s["gas"] == "escapes"
        else "no gas escapes"
    )
    temp = n["reservoir"] - (n["drop"] if s["cooling"] == "cools" else 0)
    cools = f"it cools to {temp:g} °C" if s["cooling"] == "cools" else f"it remains at {temp:g} °C"
    anhydrite = (
        "calcite and anhydrite" if s["anhydrite"] == "present" else "calcite, in the absence of sulfate,"
    )
    return (
        f"A geothermal brine with {n['salt']:g} mmol NaCl and {n['calcium']:g} mmol CaCl2 per kg of water has pH 7 at "
        f"{n['reservoir']:g} °C before it comes into contact with the rock. There it comes to equilibrium, at the "
        f"same temperature, with {anhydrite} and with CO2 at a fugacity of 10^{n['log_p']:g} atm; the minerals and "
        "CO2 are in excess. It then leaves the rock and rises in a well, in which no mineral dissolves or "
        f"precipitates: {cools}, and {gas}. The formation of steam is neglected."
    )


def _build_calcite(n: Numbers, s: States) -> str:
    temp = n["reservoir"] - (n["drop"] if s["cooling"] == "cools" else 0)
    gas = (
        f"EQUILIBRIUM_PHASES 2\n    CO2(g) {n['log_p'] - n['factor']:g} 0\n" if s["gas"] == "escapes" else ""
    )
    return (
        f"SOLUTION 1\n    temp {n['reservoir']:g}\n    pH 7\n    units mmol/kgw\n    Na {n['salt']:g}\n"
        f"    Ca {n['calcium']:g}\n    Cl {n['salt'] + 2 * n['calcium']:g}\n"
        f"EQUILIBRIUM_PHASES 1\n    Calcite 0 10\n    CO2(g) {n['log_p']:g} 10\n"
        + ("    Anhydrite 0 10\n" if s["anhydrite"] == "present" else "")
        + f"SAVE solution 1\nEND\nUSE solution 1\nREACTION_TEMPERATURE 2\n    {temp:g}\n{gas}END\n"
    )


STEMS = (
    Stem(
        name="brine-in-a-hot-granite",
        topic="hydrothermal",
        draw=one_of(
            temp=range(150, 206, 5),
            hotter=(30, 35, 40, 45),
            salt=range(50, 501, 25),
            more=(2.5, 3, 4),
        ),
        switches=(
            either(
                "temperature", {"cool": "lower", "hot": "higher"}, "{} temperature used instead of the {}"
            ),
            either("mica", {"Muscovite": "muscovite", "Kaolinite": "kaolinite"}),
            either("silica", {"Quartz": "quartz", "Chalcedony": "chalcedony"}),
            either("salt", {"less": "less", "more": "more"}, "{} saline brine used instead of the {} saline"),
        ),
        tell=_tell_granite,
        build=_build_granite,
        quantities=(
            PH,
            total("potassium", "K", "alkali"),
            total("sodium", "Na", "alkali"),
            total("silicon", "Si", "alkali"),
        ),
        database="llnl.dat",
    ),
    Stem(
        name="silica-from-a-geothermal-well",
        topic="geothermal scaling",
        draw=one_of(
            reservoir=range(200, 251, 5),
            separator=range(150, 171, 5),
            brine=range(40, 81, 5),
            salt=(20, 50, 100, 150),
            steam=(10, 12, 14, 16, 18, 20),
        ),
        switches=(
            Switch("steam", {"lost": "steam removed although none is lost", "kept": "loss of steam omitted"}),
            either("cooling", {"far": "far", "little": "little"}, "water cooled too {}"),
            either("silica", {"Quartz": "quartz", "Chalcedony": "chalcedony"}),
            forming("scale", "amorphous silica", {"forms": True, "does not form": False}),
        ),
        tell=_tell_silica,
        build=_build_silica,
        quantities=(
            index("Chalcedony", "index", name="si"),
            index("Quartz", "index"),
            total("silicon", "Si", "silicon"),
        ),
        database="llnl.dat",
    ),
    Stem(
        name="calcite-in-a-geothermal-well",
        topic="geothermal scaling",
        draw=one_of(
            reservoir=range(180, 241, 5),
            drop=range(25, 61, 5),
            log_p=tenths((-5, -4, -3, -2, 0, 2, 4)),
            factor=(0.8, 0.9, 1, 1.1, 1.2),
            salt=range(50, 301, 25),
            calcium=(2, 3, 4, 5, 6, 8),
        ),
        switches=(
            Switch(
                "gas",
                {"escapes": "CO2 allowed to escape although it does not", "stays": "escape of CO2 omitted"},
            ),
            Switch(
                "cooling", {"cools": "brine cooled although it stays hot", "stays hot": "cooling omitted"}
            ),
            optional("anhydrite", "anhydrite", {"present": True, "absent": False}),
        ),
        tell=_tell_calcite,
        build=_build_calcite,
        quantities=(
            PH,
            index("Calcite", "index"),
            index("Aragonite", "index"),
            molality(
                "co2", "CO2", "carbon", ask="What is the molality of dissolved CO2 (the neutral molecule)?"
            ),
            molality("bicarbonate", "HCO3-", "carbon"),
        ),
        database="llnl.dat",
    ),
)
