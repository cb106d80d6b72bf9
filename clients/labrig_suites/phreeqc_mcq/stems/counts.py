"""What is to be counted in an output, not read: how many species a database knows of a metal in a given water."""

from __future__ import annotations

from labrig_suites.phreeqc_mcq.drawing import one_of, tenths
from labrig_suites.phreeqc_mcq.scenario import (
    Numbers,
    Printed,
    Quantity,
    States,
    Stem,
)
from labrig_suites.phreeqc_mcq.switches import databases, optional

LIGANDS = {
    "sulfate": ("sulfate", "S(6)"),
    "carbonate": ("dissolved inorganic carbon", "C(4)"),
    "fluoride": ("fluoride", "F"),
    "phosphate": ("phosphate", "P"),
}
"""Name of the switch, words of the statement, name of the element in the input."""


def _tell_leachate(n: Numbers, s: States) -> str:
    held = [f"{n[name]:g} mmol of {words}" for name, (words, _) in LIGANDS.items() if s[name] == "with"]
    absent = [f"no {words}" for name, (words, _) in LIGANDS.items() if s[name] == "without"]
    analysis = [
        f"{n['sodium']:g} mmol of sodium",
        *(f"{n[metal]:g} µmol of {metal}" for metal in ("zinc", "cadmium", "nickel")),
        *held,
    ]
    lacks = f" It contains {_join_words(absent)}." if absent else ""
    return (
        f"The water of an old galvanising works is at {n['temp']:g} °C and pH {n['ph']:g}. It contains, per kg of "
        f"water, {_join_words(analysis)}; chloride balances the charge.{lacks} No mineral precipitates, and nothing is "
        "oxidised or reduced, so that there is neither sulfide nor methane."
    )


def _join_words(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _build_leachate(n: Numbers, s: States) -> str:
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH {n['ph']:g}\n    units mmol/kgw\n    Na {n['sodium']:g}\n"
        f"    Zn {n['zinc']:g} umol/kgw\n    Cd {n['cadmium']:g} umol/kgw\n    Ni {n['nickel']:g} umol/kgw\n"
        + "".join(
            f"    {element} {n[name]:g}\n" for name, (_, element) in LIGANDS.items() if s[name] == "with"
        )
        + f"    Cl {n['sodium']:g} charge\nEND\n"
    )


def _count_species(metal: str, element: str) -> Quantity:
    return Quantity(
        f"{metal}-species",
        f"What is the number of aqueous species of {metal}, including the free ion, in the calculated distribution of "
        "species?",
        "",
        "count",
        f'SYS("{element}",count,name$,type$,moles)*0+count',
        Printed("Distribution of species", element, counted=True),
        "species",
    )


STEMS = (
    Stem(
        name="metals-of-a-galvanising-works",
        topic="speciation",
        draw=one_of(
            temp=(10, 15, 20, 25),
            ph=tenths(range(60, 81)),
            sodium=range(20, 61, 5),
            zinc=(5, 10, 20, 50),
            cadmium=(0.1, 0.2, 0.5, 1),
            nickel=(1, 2, 5, 10),
            sulfate=(2, 3, 5, 8),
            carbonate=(2, 4, 6, 10),
            fluoride=(0.05, 0.1, 0.2),
            phosphate=(0.02, 0.05, 0.1),
        ),
        switches=(
            optional("sulfate", "sulfate", {"with": True, "without": False}),
            optional("carbonate", "carbonate", {"with": True, "without": False}),
            optional("fluoride", "fluoride", {"with": True, "without": False}),
            optional("phosphate", "phosphate", {"with": True, "without": False}),
            databases("wateq4f.dat", "minteq.v4.dat", "llnl.dat"),
        ),
        tell=_tell_leachate,
        build=_build_leachate,
        quantities=(
            _count_species("zinc", "Zn"),
            _count_species("cadmium", "Cd"),
            _count_species("nickel", "Ni"),
        ),
    ),
)
