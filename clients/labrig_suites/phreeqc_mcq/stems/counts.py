"""What is to be counted in an output, not read: how many species a database knows of a metal in a given water."""

from __future__ import annotations

import random

from labrig_suites.phreeqc_mcq.scenario import (
    DATABASE,
    Numbers,
    Printed,
    Quantity,
    States,
    Stem,
    Switch,
)


def _leachate_numbers(draws: random.Random) -> dict[str, float]:
    return {
        "temp": draws.choice((10, 15, 20, 25)),
        "ph": draws.choice(range(60, 81)) / 10,
        "sodium": draws.choice(range(20, 61, 5)),
        "zinc": draws.choice((5, 10, 20, 50)),
        "cadmium": draws.choice((0.1, 0.2, 0.5, 1)),
        "nickel": draws.choice((1, 2, 5, 10)),
        "sulfate": draws.choice((2, 3, 5, 8)),
        "carbonate": draws.choice((2, 4, 6, 10)),
        "fluoride": draws.choice((0.05, 0.1, 0.2)),
        "phosphate": draws.choice((0.02, 0.05, 0.1)),
    }


LIGANDS = {
    "sulfate": ("sulfate", "S(6)"),
    "carbonate": ("dissolved inorganic carbon", "C(4)"),
    "fluoride": ("fluoride", "F"),
    "phosphate": ("phosphate", "P"),
}
"""Name of the switch, words of the statement, name of the element in the input."""


def _leachate_tell(n: Numbers, s: States) -> str:
    held = [f"{n[name]:g} mmol of {words}" for name, (words, _) in LIGANDS.items() if s[name] == "with"]
    absent = [f"no {words}" for name, (words, _) in LIGANDS.items() if s[name] == "without"]
    analysis = [
        f"{n['sodium']:g} mmol of sodium",
        *(f"{n[metal]:g} µmol of {metal}" for metal in ("zinc", "cadmium", "nickel")),
        *held,
    ]
    lacks = f" It contains {_listed(absent)}." if absent else ""
    return (
        f"The water of an old galvanising works is at {n['temp']:g} °C and pH {n['ph']:g}. It contains, per kg of "
        f"water, {_listed(analysis)}; chloride balances the charge.{lacks} No mineral precipitates, and nothing is "
        "oxidised or reduced, so that there is neither sulfide nor methane."
    )


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _leachate_build(n: Numbers, s: States) -> str:
    return (
        f"SOLUTION 1\n    temp {n['temp']:g}\n    pH {n['ph']:g}\n    units mmol/kgw\n    Na {n['sodium']:g}\n"
        f"    Zn {n['zinc']:g} umol/kgw\n    Cd {n['cadmium']:g} umol/kgw\n    Ni {n['nickel']:g} umol/kgw\n"
        + "".join(
            f"    {element} {n[name]:g}\n" for name, (_, element) in LIGANDS.items() if s[name] == "with"
        )
        + f"    Cl {n['sodium']:g} charge\nEND\n"
    )


def _species(metal: str, element: str) -> Quantity:
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


def _ligand(name: str) -> Switch:
    return Switch(name, {"with": f"{name} included", "without": f"{name} omitted"})


STEMS = (
    Stem(
        name="metals-of-a-galvanising-works",
        topic="speciation",
        draw=_leachate_numbers,
        switches=(
            _ligand("sulfate"),
            _ligand("carbonate"),
            _ligand("fluoride"),
            _ligand("phosphate"),
            Switch(
                DATABASE,
                {
                    "wateq4f.dat": "database wateq4f.dat used",
                    "minteq.v4.dat": "database minteq.v4.dat used",
                    "llnl.dat": "database llnl.dat used",
                },
                "database",
            ),
        ),
        tell=_leachate_tell,
        build=_leachate_build,
        quantities=(_species("zinc", "Zn"), _species("cadmium", "Cd"), _species("nickel", "Ni")),
    ),
)
