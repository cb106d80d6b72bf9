"""Which minerals, how many, in what order: wells of a spa that are supersaturated, salts that a brine leaves."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.judged import formed, supersaturated
from labrig_suites.phreeqc_mcq.scenario import Numbers, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import amount, either, much_or_little, tell_amount


def _tell_spa(n: Numbers, s: States) -> str:
    well = {"new": "The new well", "old": "The old well"}[s["well"]]
    gas = (
        f"At its head, carbon dioxide has escaped, and the pH is {n['tank']:g} instead of {n['deep']:g} below"
        if s["gas"] == "lost"
        else f"It is kept under pressure, so that its pH is {n['deep']:g} as below and not {n['tank']:g} as it is "
        "where carbon dioxide escapes"
    )
    bath = (
        f"It is looked at as it flows, at {n['hot']:g} °C, before it cools to {n['cold']:g} °C"
        if s["bath"] == "hot"
        else f"It has cooled from {n['hot']:g} °C to {n['cold']:g} °C"
    )
    return (
        f"A spa has an old well with {n['poor']:g} mmol of sulfate per kg of water and a new one with "
        f"{n['rich']:g}. Otherwise both contain, per kg of water, {n['calcium']:g} mmol Ca, {n['sodium']:g} mmol Na, "
        f"{n['barium']:g} µmol Ba, {n['silica']:g} mmol Si, {tell_amount(n, s, 'fluoride')}, an "
        f"alkalinity of {n['alkalinity']:g} meq, and chloride set by charge balance. {well} is used. "
        f"{gas}. {bath}; the pH is that given at either temperature, and no mineral forms."
    )


def _build_spa(n: Numbers, s: States) -> str:
    return (
        f"SOLUTION 1\n    temp {n['hot'] if s['bath'] == 'hot' else n['cold']:g}\n"
        f"    pH {n['tank'] if s['gas'] == 'lost' else n['deep']:g}\n    units mmol/kgw\n    Ca {n['calcium']:g}\n"
        f"    Na {n['sodium']:g}\n    Ba {n['barium']:g} umol/kgw\n    Si {n['silica']:g}\n"
        f"    F {amount(n, s, 'fluoride'):g}\n    S(6) {n['rich'] if s['well'] == 'new' else n['poor']:g}\n"
        f"    Alkalinity {n['alkalinity']:g}\n"
        f"    Cl {n['sodium']:g} charge\nEND\n"
    )


SALTS = ("Gypsum", "Halite", "Sylvite", "Carnallite", "Bischofite")


def _tell_brine(n: Numbers, s: States) -> str:
    pan = {"early": "first", "middle": "second", "late": "third"}[s["pan"]]
    return (
        f"A brine at {n['temp']:g} °C contains, per kg of water, {n['sodium']:g} mol Na, "
        f"{tell_amount(n, s, 'potassium', 'mol')}, {tell_amount(n, s, 'magnesium', 'mol')}, 30 mmol Ca and "
        f"{tell_amount(n, s, 'sulfate')}, with chloride set by charge balance. It flows through a row of pans, in "
        f"which {n['early']:g}, {n['middle']:g} and {n['late']:g} % of its water have evaporated in all. The question "
        f"concerns the {pan} pan, where {n[s['pan']]:g} % have evaporated. Gypsum, halite, sylvite, carnallite and "
        "bischofite form whenever the brine would otherwise be supersaturated with them, and dissolve again where it "
        "would not; no other salt forms."
    )


def _build_brine(n: Numbers, s: States) -> str:
    phases = "".join(f"    {salt} 0 0\n" for salt in SALTS)
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH 7\n    units mmol/kgw\n    Na {n['sodium'] * 1000:g}\n    Ca 30\n"
        f"    K {amount(n, s, 'potassium') * 1000:g}\n    Mg {amount(n, s, 'magnesium') * 1000:g}\n"
        f"    S(6) {amount(n, s, 'sulfate'):g}\n    Cl 1000 charge\nEQUILIBRIUM_PHASES 1\n{phases}"
        f"REACTION 1\n    H2O -1\n    {55.508435 * n[s['pan']] / 100:.6g} moles\nEND\n"
    )


STEMS = (
    Stem(
        name="wells-of-a-spa",
        topic="saturation",
        draw=one_of(
            cold=range(12, 26),
            hot=range(55, 86, 5),
            poor=(0.05, 0.1, 0.2),
            rich=range(30, 46, 3),
            calcium=range(12, 21),
            sodium=range(20, 61, 10),
            barium=(0.5, 0.8, 1.2, 1.6),
            silica=tenths(range(4, 10)),
            fluoride=tenths(range(2, 7)),
            alkalinity=range(2, 7),
            deep=tenths(range(56, 63)),
            tank=tenths(range(72, 80)),
        ),
        switches=(
            either("well", {"new": "new", "old": "old"}, "sulfate of the {} well used instead of the {}"),
            much_or_little("fluoride"),
            Switch(
                "gas",
                {"lost": "escape of CO2 assumed although there is none", "kept": "escape of CO2 omitted"},
            ),
            either(
                "bath", {"hot": "hot", "cold": "cooled"}, "temperature of the {} water used instead of the {}"
            ),
        ),
        tell=_tell_spa,
        build=_build_spa,
        quantities=(),
        judged=supersaturated("Calcite", "Gypsum", "Barite", "Fluorite", "Chalcedony"),
    ),
    Stem(
        name="salts-of-a-row-of-pans",
        topic="evaporation",
        draw=one_of(
            temp=range(20, 31),
            sodium=tenths(range(20, 46, 5)),
            potassium=tenths(range(3, 9)),
            magnesium=tenths(range(4, 11)),
            sulfate=(10, 15, 20, 25),
            early=(10, 15, 20, 25),
            middle=range(60, 76, 5),
            late=(86, 88, 90, 92),
        ),
        switches=(
            Switch(
                "pan",
                {
                    "early": "value read in the first pan",
                    "middle": "value read in the second pan",
                    "late": "value read in the third pan",
                },
                "step",
            ),
            much_or_little("potassium"),
            much_or_little("magnesium"),
            much_or_little("sulfate"),
        ),
        tell=_tell_brine,
        build=_build_brine,
        quantities=(),
        judged=formed(*SALTS, where="in this pan"),
        database="pitzer.dat",
    ),
)
