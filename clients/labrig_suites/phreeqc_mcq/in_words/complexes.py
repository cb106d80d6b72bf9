"""Which species or cation is the most: uranium and aluminium in mine water, cations on a clay."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.judged import in_order, most, species
from labrig_suites.phreeqc_mcq.scenario import Numbers, Printed, Quantity, States, Stem, Switch
from labrig_suites.phreeqc_mcq.switches import amount, either, given_as, much_or_little, tell_amount

PLACES = Switch(
    "place",
    {
        "heap": "pH of the heap used",
        "stream": "pH of the stream used",
        "plant": "pH of the treatment plant used",
    },
)


def _tell_places(n: Numbers, s: States) -> str:
    place = {"heap": "at the heap", "stream": "in the stream", "plant": "behind the treatment plant"}[
        s["place"]
    ]
    return (
        f"Its pH is {n['heap']:g} where it seeps out of a heap, {n['stream']:g} in a stream and {n['plant']:g} behind "
        f"a treatment plant; temperature and concentrations are the same in the three places. Consider the water "
        f"{place}. No mineral forms, and nothing is reduced."
    )


def _tell_uranium(n: Numbers, s: States) -> str:
    ligands = ", ".join(tell_amount(n, s, name) for name in ("sulfate", "fluoride", "phosphate"))
    return (
        f"Water of an old uranium mine at {n['temp']:g} °C contains, per kg of water, {n['uranium']:g} µmol of "
        f"hexavalent uranium, {n['carbon']:g} mmol of dissolved inorganic carbon, {n['sodium']:g} mmol of sodium, "
        f"{ligands}; chloride balances the charge. {_tell_places(n, s)}"
    )


def _build_uranium(n: Numbers, s: States) -> str:
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH {n[s['place']]:g}\n    units mmol/kgw\n"
        f"    U(6) {n['uranium']:g} umol/kgw\n    C(4) {n['carbon']:g}\n    Na {n['sodium']:g}\n"
        f"    S(6) {amount(n, s, 'sulfate'):g}\n    F {amount(n, s, 'fluoride'):g}\n"
        f"    P {amount(n, s, 'phosphate'):g}\n    Cl {n['sodium']:g} charge\nEND\n"
    )


def _sulfate(n: Numbers, s: States) -> float:
    return n["sulfate"] / {"S": 32.064, "SO4": 96.0616}[s["basis"]]


def _tell_aluminium(n: Numbers, s: States) -> str:
    basis = {"S": "expressed as S", "SO4": "expressed as SO4"}[s["basis"]]
    return (
        f"Water of a tin mine at {n['temp']:g} °C contains, per kg of water, {n['aluminium']:g} µmol of aluminium, "
        f"{n['sulfate']:g} mg of sulfate ({basis}), {tell_amount(n, s, 'fluoride', 'µmol')}, and magnesium, which "
        f"balances the charge. {_tell_places(n, s)}"
    )


def _build_aluminium(n: Numbers, s: States) -> str:
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH {n[s['place']]:g}\n    units mmol/kgw\n"
        f"    Al {n['aluminium']:g} umol/kgw\n    S(6) {_sulfate(n, s):.6g}\n"
        f"    F {amount(n, s, 'fluoride'):g} umol/kgw\n"
        f"    Mg {_sulfate(n, s):.3g} charge\nEND\n"
    )


WATERS = {
    "river": "Na {fresh}, K 0.1, Mg 0.4, Ca {calcium}",
    "lagoon": "Na {salt}, K 4, Mg 20, Ca 4",
    "potash": "Na 20, K {potassium}, Mg 2, Ca 1",
    "bittern": "Na 30, K 2, Mg {magnesium}, Ca 1",
}
"""mmol per kg of water; chloride balances the charge."""
SAID = {
    "river": "river water",
    "lagoon": "lagoon water",
    "potash": "the waste water of a potash works",
    "bittern": "the bittern of a salt works",
}


def _tell_clay(n: Numbers, s: States) -> str:
    waters = "; ".join(f"{SAID[name]}: {held.format(**n)}" for name, held in WATERS.items())
    sites = n["sites"] * (n["more"] if s["clay"] == "bentonite" else 1)
    kind = {"loam": "loam", "bentonite": "bentonite"}[s["clay"]]
    return (
        "Four waters of pH 7 at 25 °C contain, in mmol per kg of water, with chloride set by charge balance "
        f"({waters}). A {kind} with {sites:g} meq of exchange sites is in equilibrium with {SAID[s['first']]} at "
        f"first. The water is drained and replaced with 1 kg of {SAID[s['then']]}, which comes to equilibrium "
        "with the exchanger; the exchange constants are those of the database. The question concerns the exchanger "
        "afterwards, in charge equivalents."
    )


def _build_clay(n: Numbers, s: States) -> str:
    sites = n["sites"] * (n["more"] if s["clay"] == "bentonite" else 1) / 1000
    text = ""
    for number, name in enumerate((s["first"], s["then"]), 1):
        held = "".join(f"    {each.strip()}\n" for each in WATERS[name].format(**n).split(","))
        text += f"SOLUTION {number}\n    temp 25\n    pH 7\n    units mmol/kgw\n{held}    Cl 10 charge\n"
    return (
        f"{text}EXCHANGE 1\n    X {sites:g}\n    -equilibrate 1\nEND\nUSE solution 2\nUSE exchange 1\nEND\n"
    )


CATIONS = {
    noun: Quantity(
        noun,
        "",
        "meq",
        "value",
        f'MOL("{held}")*TOT("water")*{charge}e3',
        Printed("Exchange composition", held, 1, 1e3),
    )
    for noun, held, charge in (
        ("sodium", "NaX", 1),
        ("potassium", "KX", 1),
        ("magnesium", "MgX2", 2),
        ("calcium", "CaX2", 2),
    )
}


def _which_water(name: str, *waters: str) -> Switch:
    order = {"first": "first", "then": "second"}[name]
    return Switch(name, {water: f"{SAID[water]} taken as the {order} water" for water in waters})


STEMS = (
    Stem(
        name="species-of-uranium",
        topic="speciation",
        draw=one_of(
            temp=range(10, 26, 5),
            heap=tenths(range(30, 37)),
            stream=tenths(range(54, 62)),
            plant=tenths(range(78, 86)),
            uranium=(0.5, 1, 2, 5),
            carbon=(1, 1.5, 2, 3),
            sodium=range(10, 41, 10),
            sulfate=range(4, 17, 2),
            fluoride=(0.1, 0.2, 0.4, 0.8),
            phosphate=(0.05, 0.1, 0.2, 0.4),
        ),
        switches=(
            PLACES,
            much_or_little("sulfate"),
            much_or_little("fluoride"),
            much_or_little("phosphate"),
        ),
        tell=_tell_uranium,
        build=_build_uranium,
        quantities=(),
        judged=(
            species(
                "uranium-species",
                "uranium",
                "UO2+2",
                "UO2SO4",
                "UO2(SO4)2-2",
                "UO2F+",
                "UO2F2",
                "UO2CO3",
                "UO2(CO3)2-2",
                "UO2(CO3)3-4",
                "UO2HPO4",
                "UO2(HPO4)2-2",
            ),
        ),
        database="wateq4f.dat",
    ),
    Stem(
        name="species-of-aluminium",
        topic="speciation",
        draw=one_of(
            temp=range(10, 26, 5),
            heap=tenths(range(28, 37)),
            stream=tenths(range(52, 61)),
            plant=tenths(range(80, 90)),
            aluminium=(20, 30, 40, 50, 60),
            sulfate=range(200, 1501, 100),
            fluoride=(30, 50, 80, 120, 200),
        ),
        switches=(
            PLACES,
            much_or_little("fluoride"),
            given_as("basis", {"S": "S", "SO4": "SO4"}, "sulfate taken as {} instead of {}"),
        ),
        tell=_tell_aluminium,
        build=_build_aluminium,
        quantities=(),
        judged=(
            species(
                "aluminium-species",
                "aluminium",
                "Al+3",
                "AlSO4+",
                "Al(SO4)2-",
                "AlOH+2",
                "Al(OH)2+",
                "Al(OH)3",
                "Al(OH)4-",
                "AlF+2",
                "AlF2+",
                "AlF3",
            ),
        ),
    ),
    Stem(
        name="cations-on-a-clay",
        topic="cation exchange",
        draw=one_of(
            fresh=(0.5, 1, 2),
            calcium=tenths(range(10, 31, 2)),
            salt=range(150, 301, 25),
            potassium=range(40, 121, 10),
            magnesium=range(60, 161, 20),
            sites=range(10, 31, 5),
            more=(8, 10, 12),
        ),
        switches=(
            _which_water("first", "river", "lagoon"),
            _which_water("then", "river", "lagoon", "potash", "bittern"),
            either(
                "clay", {"loam": "loam", "bentonite": "bentonite"}, "sites of the {} used instead of the {}"
            ),
        ),
        tell=_tell_clay,
        build=_build_clay,
        quantities=(),
        judged=(
            most("most-held", "Which of {} occupies most of the exchanger?", CATIONS),
            in_order(
                "order-held",
                "In what order do {} occupy the exchanger, from the most to the least?",
                CATIONS,
            ),
        ),
    ),
)
