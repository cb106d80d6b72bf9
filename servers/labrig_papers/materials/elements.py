"""Symbols of the elements, without the cost of importing a library for them."""

from __future__ import annotations

import re

SYMBOLS = frozenset(
    re.findall(
        r"\w+",
        """H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr
        Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt
        Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm""",
    )
)
"""Elements of which there are samples; the heavier ones have been measured in no paper on superconductors."""

NAMES = {
    "aluminium": "Al", "aluminum": "Al", "beryllium": "Be", "bismuth": "Bi", "boron": "B", "cadmium": "Cd",
    "gallium": "Ga", "indium": "In", "iridium": "Ir", "iron": "Fe", "lanthanum": "La", "lead": "Pb", "lithium": "Li",
    "mercury": "Hg", "molybdenum": "Mo", "niobium": "Nb", "osmium": "Os", "rhenium": "Re", "ruthenium": "Ru",
    "tantalum": "Ta", "technetium": "Tc", "thallium": "Tl", "thorium": "Th", "tin": "Sn", "titanium": "Ti",
    "tungsten": "W", "uranium": "U", "vanadium": "V", "zinc": "Zn", "zirconium": "Zr", "yttrium": "Y",
}  # fmt: skip
"""Elements that papers on superconductors call by name."""

DOPANTS = frozenset(
    re.findall(
        r"\w+",
        "antimony arsenic barium bromine caesium calcium carbon cerium cesium chlorine chromium cobalt copper "
        "dysprosium erbium europium fluorine gadolinium germanium gold hafnium holmium hydrogen iodine "
        "lutetium magnesium manganese neodymium nickel nitrogen oxygen palladium phosphorus platinum "
        "potassium praseodymium rhodium rubidium samarium scandium selenium silicon silver sodium strontium "
        "sulfur sulphur tellurium terbium thulium ytterbium",
    )
)
"""Other elements by name: in front of "-doped" they are no sample."""

WORDS = frozenset({"In", "As", "At", "I", "He", "Be", "Am", "No"})
"""Symbols that are English words; one alone before a formula may be either."""

LIGHT_ISOTOPES = {"B": ("10", "11"), "O": ("16", "17", "18")}
"""Mass numbers that lose their raised place in plain text: Mg11B2 is MgB2 with boron 11."""
