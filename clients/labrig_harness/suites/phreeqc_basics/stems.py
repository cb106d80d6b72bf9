"""The questions of phreeqc-basics: what is asked, how it is built rightly, and how it is built wrongly.

A stem is one scenario with one quantity. Its `build` is a PHREEQC input that does what the question says,
its `punch` the Basic expression for the quantity, and its `mistakes` the builds and readings that
experience (and the failure taxonomy of PHREEQC-MCQ-200, appendix J) expects of people and models: a charge
balance left out, a unit taken for another, a phase left out, the wrong step, the wrong field. A mistake is
written as the smallest change of the right build, so a reader can check that it is one and nothing else is.

Every question states all that its quantity depends on. None asks for pe, nor for anything that hangs on
the pe of an unbuffered water.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """How a quantity is written in an option, and how far apart options must be.

    Attributes
    ----------
    name
        Written before the number: ``pH``; empty where the unit says enough.
    unit
        Written after the number; empty for pH and saturation indices.
    decimals
        Digits after the point; None for four significant digits.
    gap
        Smallest distance between two options: absolute with `decimals`, else a fraction of the larger.
    """

    name: str
    unit: str
    decimals: int | None
    gap: float

    def show(self, value: float) -> str:
        """Return the text of an option."""
        if self.decimals is None:
            number = significant(value)
        else:
            number = f"{round(value, self.decimals) + 0.0:.{self.decimals}f}"  # + 0.0: never "-0.00"
        return " ".join(part for part in (self.name, number, self.unit) if part)

    def differ(self, first: float, second: float) -> bool:
        """Return whether two values are far enough apart to be options of one question."""
        scale = 1.0 if self.decimals is not None else max(abs(first), abs(second))
        return abs(first - second) >= self.gap * scale


def significant(value: float, digits: int = 4) -> str:
    """Return a number with `digits` significant digits, plain where that is readable."""
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        exponent = int(f"{value:.{digits - 1}e}".partition("e")[2]) if value else 0
        return f"{value:.{max(0, digits - 1 - exponent)}f}"
    return f"{value:.{digits - 1}e}"


PH = Quantity("pH", "", 2, 0.05)
SI = Quantity("SI", "", 2, 0.05)
MILLIMOLAL = Quantity("", "mmol/kg water", None, 0.03)
MICROMOLAL = Quantity("", "µmol/kg water", None, 0.03)
IONIC_STRENGTH = Quantity("", "mol/kg water", None, 0.03)
MICROMOLES = Quantity("", "µmol", None, 0.03)
ATMOSPHERES = Quantity("", "atm", None, 0.03)


@dataclass(frozen=True)
class Mistake:
    """A named way to get a stem wrong.

    Attributes
    ----------
    diagnosis
        What went wrong, in a few words; the key of the diagnosis table.
    edits
        Replacements (old, new) that turn the right build into the wrong one; each `old` occurs in it.
    punch, row, database
        What is read instead of the stem's own, where reading is the mistake.
    """

    diagnosis: str
    edits: tuple[tuple[str, str], ...] = ()
    punch: str = ""
    row: int | None = None
    database: str = ""


def wrong(
    diagnosis: str, *edits: tuple[str, str], punch: str = "", row: int | None = None, database: str = ""
) -> Mistake:
    """Return a mistake; each edit is (what the right build says, what the wrong one says)."""
    return Mistake(diagnosis, edits, punch, row, database)


@dataclass(frozen=True)
class Stem:
    """One scenario with one quantity.

    Attributes
    ----------
    punch
        Basic expression of the quantity, in the unit of the options.
    row
        Which calculated state it is read from, counted from the last (-1).
    """

    name: str
    question: str
    build: str
    punch: str
    quantity: Quantity
    mistakes: tuple[Mistake, ...]
    row: int = -1
    database: str = "phreeqc.dat"


STEMS = (
    Stem(
        name="seawater-calcite",
        question=(
            "Cold surface seawater at 12 °C has pH 8.10 and contains, per kg of water: Na 486, Mg 54.7, "
            "Ca 10.7, K 10.6, Cl 566 and SO4 29.3 mmol, and an alkalinity of 2.40 meq. What is the "
            "saturation index of calcite in it?"
        ),
        build="""\
SOLUTION 1 Surface seawater
    temp 12
    pH 8.1
    units mmol/kgw
    Na 486
    Mg 54.7
    Ca 10.7
    K 10.6
    Cl 566
    S(6) 29.3
    Alkalinity 2.4
END
""",
        punch='SI("Calcite")',
        quantity=SI,
        mistakes=(
            wrong("temperature left at 25 °C", ("    temp 12\n", "")),
            wrong("read aragonite for calcite", punch='SI("Aragonite")'),
            wrong("read dolomite for calcite", punch='SI("Dolomite")'),
            wrong(
                "major ions other than Ca and alkalinity left out",
                ("    Na 486\n    Mg 54.7\n", ""),
                ("    K 10.6\n    Cl 566\n    S(6) 29.3\n", ""),
            ),
            wrong("mmol taken as mg", ("mmol/kgw", "mg/kgw")),
            wrong("pH left at 7", ("    pH 8.1\n", "")),
            wrong(
                "magnesium and sulfate left out, 25 °C",
                ("    temp 12\n", ""),
                ("    Mg 54.7\n", ""),
                ("    S(6) 29.3\n", ""),
            ),
        ),
    ),
    Stem(
        name="calcite-soil-co2",
        question=(
            "Rain percolates through a soil whose air has a CO2 pressure of 0.01 atm, and comes to "
            "equilibrium with that CO2 and with calcite in the limestone below, at 12 °C. Start from pure "
            "water, with CO2 and calcite in excess. What is the pH of the water?"
        ),
        build="""\
SOLUTION 1 Pure water
    temp 12
    pH 7
EQUILIBRIUM_PHASES 1
    Calcite 0 10
    CO2(g) -2 10
END
""",
        punch='-LA("H+")',
        quantity=PH,
        mistakes=(
            wrong("CO2 pressure of outdoor air, 10^-3.5 atm", ("CO2(g) -2 10", "CO2(g) -3.5 10")),
            wrong("CO2 left out", ("    CO2(g) -2 10\n", "")),
            wrong("calcite left out", ("    Calcite 0 10\n", "")),
            wrong("CO2 pressure entered where its logarithm belongs", ("CO2(g) -2 10", "CO2(g) 0.01 10")),
            wrong(
                "closed to CO2 once the water has met calcite",
                ("    Calcite 0 10\n", ""),
                (
                    "END\n",
                    "SAVE solution 1\nEND\nUSE solution 1\nEQUILIBRIUM_PHASES 2\n    Calcite 0 10\nEND\n",
                ),
            ),
            wrong("read the initial water", row=-2),
            wrong("dolomite for calcite", ("Calcite 0 10", "Dolomite 0 10")),
        ),
    ),
    Stem(
        name="gypsum-in-salt",
        question=(
            "Gypsum, in excess, dissolves at 25 °C in water that holds 0.500 mol NaCl per kg of water, "
            "until equilibrium. What is the total concentration of dissolved calcium?"
        ),
        build="""\
SOLUTION 1 Sodium chloride
    temp 25
    pH 7
    units mol/kgw
    Na 0.5
    Cl 0.5
EQUILIBRIUM_PHASES 1
    Gypsum 0 10
END
""",
        punch='TOT("Ca")*1e3',
        quantity=MILLIMOLAL,
        mistakes=(
            wrong("salt left out", ("    Na 0.5\n    Cl 0.5\n", "")),
            wrong("anhydrite for gypsum", ("Gypsum 0 10", "Anhydrite 0 10")),
            wrong("read free Ca+2 for total Ca", punch='MOL("Ca+2")*1e3'),
            wrong("read the CaSO4 ion pair for total Ca", punch='MOL("CaSO4")*1e3'),
            wrong("salt counted twice", ("Na 0.5", "Na 1.0"), ("Cl 0.5", "Cl 1.0")),
            wrong("0.05 mol of salt for 0.5", ("Na 0.5", "Na 0.05"), ("Cl 0.5", "Cl 0.05")),
            wrong("sodium sulfate for sodium chloride", ("    Cl 0.5\n", "    S(6) 0.25\n")),
        ),
    ),
    Stem(
        name="mixing-corrosion",
        question=(
            "Two waters meet in a limestone cave at 15 °C. Both were pure water brought to equilibrium "
            "with calcite, the first at a CO2 pressure of 10^-1.0 atm, the second at 10^-3.5 atm. Mix "
            "0.60 kg of the first with 0.40 kg of the second with no gas or mineral present. What is the "
            "saturation index of calcite in the mixture?"
        ),
        build="""\
SOLUTION 1 Deep water
    temp 15
    pH 7
EQUILIBRIUM_PHASES 1
    Calcite 0 10
    CO2(g) -1.0 10
SAVE solution 1
END
SOLUTION 2 Shallow water
    temp 15
    pH 7
EQUILIBRIUM_PHASES 2
    Calcite 0 10
    CO2(g) -3.5 10
SAVE solution 2
END
MIX 1
    1 0.6
    2 0.4
END
""",
        punch='SI("Calcite")',
        quantity=SI,
        mistakes=(
            wrong("mixing fractions swapped", ("1 0.6", "1 0.4"), ("2 0.4", "2 0.6")),
            wrong("read the water before mixing", row=-2),
            wrong(
                "mixture held at outdoor CO2",
                ("    2 0.4\n", "    2 0.4\nEQUILIBRIUM_PHASES 3\n    CO2(g) -3.5 10\n"),
            ),
            wrong("second water not saved, pure water mixed in its place", ("SAVE solution 2\n", "")),
            wrong(
                "calcite left out of the second water",
                ("    Calcite 0 10\n    CO2(g) -3.5", "    CO2(g) -3.5"),
            ),
            wrong("read aragonite for calcite", punch='SI("Aragonite")'),
            wrong("CO2 of the deep water ten times too low", ("CO2(g) -1.0", "CO2(g) -2.0")),
            wrong("mixed 90 to 10", ("1 0.6", "1 0.9"), ("2 0.4", "2 0.1")),
        ),
    ),
    Stem(
        name="evaporation",
        question=(
            "A lake water at 25 °C holds, per kg of water, Na 2.0, Ca 1.0, Mg 0.5, Cl 2.0, SO4 1.0 mmol "
            "and 1.0 mmol of bicarbonate alkalinity, at pH 7.9. One kg of it evaporates until only 1/20 "
            "of the water is left; nothing precipitates and no gas is exchanged. What is the ionic "
            "strength of what remains (with ion pairs taken into account)?"
        ),
        build="""\
SOLUTION 1 Lake water
    temp 25
    pH 7.9
    units mmol/kgw
    Na 2
    Ca 1
    Mg 0.5
    Cl 2
    S(6) 1
    Alkalinity 1
REACTION 1
    H2O -1
    52.731 moles
END
""",
        punch="MU",
        quantity=IONIC_STRENGTH,
        mistakes=(
            wrong("read the water before evaporation", row=-2),
            wrong("a tenth left for a twentieth", ("52.731", "49.956")),
            wrong("a twentieth removed, not left", ("52.731", "2.7754")),
            wrong(
                "calcite and gypsum allowed to precipitate",
                ("REACTION 1", "EQUILIBRIUM_PHASES 1\n    Calcite 0 0\n    Gypsum 0 0\nREACTION 1"),
            ),
            wrong(
                "calcite allowed to precipitate",
                ("REACTION 1", "EQUILIBRIUM_PHASES 1\n    Calcite 0 0\nREACTION 1"),
            ),
            wrong("alkalinity left out", ("    Alkalinity 1\n", "")),
            wrong("water added, not removed", ("H2O -1", "H2O 1")),
            wrong("ionic strength before, times twenty", punch="MU*20", row=-2),
            wrong("a fortieth left for a twentieth", ("52.731", "54.120")),
            wrong(
                "ion pairs ignored",
                punch='0.5*(TOT("Na")+TOT("Cl")+4*(TOT("Ca")+TOT("Mg")+TOT("S(6)"))+TOT("C(4)"))',
            ),
            wrong("sulfate left out", ("    S(6) 1\n", "")),
        ),
    ),
    Stem(
        name="freshening-exchange",
        question=(
            "A coastal clay holds 10 mmol (charge equivalents) of cation exchange sites per kg of pore "
            "water. It is first in equilibrium with a brackish water of Na 100, Ca 20 and Cl 140 mmol per "
            "kg of water; that water is then wholly replaced by 1 kg of fresh water with Ca 3.0 mmol/kg "
            "and alkalinity 6.0 meq/kg at pH 7.2, which comes to equilibrium with the clay. All at 25 °C. "
            "What is the concentration of sodium in the fresh water then?"
        ),
        build="""\
SOLUTION 1 Brackish water
    temp 25
    pH 7
    units mmol/kgw
    Na 100
    Ca 20
    Cl 140
EXCHANGE 1
    X 0.01
    -equilibrate 1
END
SOLUTION 2 Fresh water
    temp 25
    pH 7.2
    units mmol/kgw
    Ca 3
    Alkalinity 6
END
USE solution 2
USE exchange 1
END
""",
        punch='TOT("Na")*1e3',
        quantity=MILLIMOLAL,
        mistakes=(
            wrong(
                "fresh water mixed with the old instead of replacing it",
                ("USE solution 2\n", "MIX 1\n    1 0.5\n    2 0.5\n"),
            ),
            wrong("half the exchange sites (X taken as divalent)", ("X 0.01", "X 0.005")),
            wrong("exchange sites counted twice", ("X 0.01", "X 0.02")),
            wrong("read calcium for sodium", punch='TOT("Ca")*1e3'),
            wrong(
                "exchanger started with sodium only", ("    X 0.01\n    -equilibrate 1\n", "    NaX 0.01\n")
            ),
            wrong("calcium left out of the brackish water", ("    Ca 20\n    Cl 140", "    Cl 100")),
            wrong("read sodium on the exchanger", punch='MOL("NaX")*1e3'),
        ),
    ),
    Stem(
        name="zinc-on-ferrihydrite",
        question=(
            "A sediment holds hydrous ferric oxide (the two-layer surface Hfo of the database): 0.090 g "
            "of it per kg of water, with 600 m2/g, 5.0 µmol of strong and 200 µmol of weak sites. It is "
            "in equilibrium, at 25 °C, with a water of pH 6.50 that holds NaCl 0.100 mol/kg and, after "
            "sorption, 1.00 µmol/kg of dissolved zinc. How much zinc is bound to the weak sites?"
        ),
        build="""\
SOLUTION 1 Zinc in sodium chloride
    temp 25
    pH 6.5
    units mmol/kgw
    Na 100
    Cl 100 charge
    Zn 0.001
SURFACE 1
    -equilibrate 1
    Hfo_sOH 5e-6 600 0.09
    Hfo_wOH 2e-4
END
""",
        punch='MOL("Hfo_wOZn+")*1e6',
        quantity=MICROMOLES,
        mistakes=(
            wrong("read the strong sites for the weak", punch='MOL("Hfo_sOZn+")*1e6'),
            wrong("pH left at 7", ("pH 6.5", "pH 7")),
            wrong("dissolved zinc taken as the total", ("    -equilibrate 1\n", "")),
            wrong(
                "electrostatic term left out", ("    -equilibrate 1\n", "    -equilibrate 1\n    -no_edl\n")
            ),
            wrong("background salt left out", ("    Na 100\n    Cl 100 charge\n", "    Cl 0.1 charge\n")),
            wrong("0.9 g of oxide for 0.09, sites unchanged", ("600 0.09", "600 0.9")),
            wrong("sum over both kinds of site", punch='(MOL("Hfo_wOZn+")+MOL("Hfo_sOZn+"))*1e6'),
            wrong("zinc 10 µmol/kg for 1", ("Zn 0.001", "Zn 0.01")),
        ),
    ),
    Stem(
        name="calcite-kinetics",
        question=(
            "Pure water, held at a CO2 pressure of 0.01 atm and 10 °C, dissolves calcite at the rate that "
            "the database gives for it under the name Calcite. There are 3.0 mmol of calcite per kg of "
            "water at the start, with a specific surface of 1.67e5 cm2 per mol and an exponent of 0.6 for "
            "its decline. How much calcium is dissolved after 6 hours?"
        ),
        build="""\
SOLUTION 1 Pure water
    temp 10
    pH 7
EQUILIBRIUM_PHASES 1
    CO2(g) -2 10
KINETICS 1
    Calcite
    -tol 1e-9
    -m0 3e-3
    -m 3e-3
    -parms 1.67e5 0.6
    -steps 21600
    -cvode true
END
""",
        punch='TOT("Ca")*1e3',
        quantity=MILLIMOLAL,
        mistakes=(
            wrong("6 minutes for 6 hours", ("-steps 21600", "-steps 360")),
            wrong("1 hour for 6", ("-steps 21600", "-steps 3600")),
            wrong(
                "equilibrium with calcite for its rate",
                ("    CO2(g) -2 10\n", "    CO2(g) -2 10\n    Calcite 0 3e-3\n"),
            ),
            wrong("CO2 left out", ("EQUILIBRIUM_PHASES 1\n    CO2(g) -2 10\n", "")),
            wrong("surface in m2 for cm2", ("1.67e5 0.6", "16.7 0.6")),
            wrong("ten times the calcite", ("-m0 3e-3", "-m0 3e-2"), ("-m 3e-3", "-m 3e-2")),
            wrong("12 hours for 6", ("-steps 21600", "-steps 43200")),
        ),
    ),
    Stem(
        name="quartz-kinetics",
        question=(
            "Sand grains in pure water (pH 7 at the start) at 60 °C dissolve at the rate that the "
            "database gives under the name Quartz. There are 100 mol of quartz per kg of water, with a "
            "specific surface of 0.146 m2 per mol and a salt correction of 1.5. How much dissolved "
            "silicon does the water hold after 1.0 year (31 557 600 s)?"
        ),
        build="""\
SOLUTION 1 Pure water
    temp 60
    pH 7
KINETICS 1
    Quartz
    -tol 1e-12
    -m0 100
    -m 100
    -parms 0.146 1.5
    -steps 31557600
    -cvode true
END
""",
        punch='TOT("Si")*1e6',
        quantity=MICROMOLAL,
        mistakes=(
            wrong("temperature left at 25 °C", ("    temp 60\n", "")),
            wrong(
                "equilibrium with quartz for its rate",
                ("KINETICS 1", "EQUILIBRIUM_PHASES 1\n    Quartz 0 100\nKINETICS 1"),
            ),
            wrong("salt correction left at 1", ("0.146 1.5", "0.146 1")),
            wrong("1 month for 1 year", ("-steps 31557600", "-steps 2629800")),
            wrong("1 day for 1 year", ("-steps 31557600", "-steps 86400")),
            wrong(
                "chalcedony equilibrium for the rate of quartz",
                ("KINETICS 1", "EQUILIBRIUM_PHASES 1\n    Chalcedony 0 100\nKINETICS 1"),
            ),
            wrong(
                "equilibrium with amorphous silica for the rate of quartz",
                ("KINETICS 1", "EQUILIBRIUM_PHASES 1\n    SiO2(a) 0 100\nKINETICS 1"),
            ),
            wrong("2 years for 1", ("-steps 31557600", "-steps 63115200")),
        ),
    ),
    Stem(
        name="headspace-co2",
        question=(
            "A sealed vessel at 25 °C holds 1 kg of water with 20 mmol of NaOH and a gas space of fixed "
            "volume, 1.00 L, filled at the start with CO2 at 1.00 atm. What is the CO2 pressure in the "
            "gas space at equilibrium? (Take the gas as given by the database; water vapour need not be "
            "included.)"
        ),
        build="""\
SOLUTION 1 Sodium hydroxide
    temp 25
    pH 12 charge
    units mmol/kgw
    Na 20
GAS_PHASE 1
    -fixed_volume
    -volume 1
    -temperature 25
    CO2(g) 1.0
END
""",
        punch='PR_P("CO2(g)")',
        quantity=ATMOSPHERES,
        mistakes=(
            wrong("hydroxide left out", ("    Na 20\n", ""), ("pH 12 charge", "pH 7")),
            wrong("pH put at 12, not balanced by charge", ("pH 12 charge", "pH 12")),
            wrong(
                "NaOH entered as NaHCO3",
                ("    Na 20\n", "    Na 20\n    C(4) 20\n"),
                ("pH 12 charge", "pH 8 charge"),
            ),
            wrong("gas space of 2 L", ("-volume 1", "-volume 2")),
            wrong("2 mmol of hydroxide for 20", ("Na 20", "Na 2")),
            wrong("10 mmol of hydroxide for 20", ("Na 20", "Na 10")),
            wrong("calcium hydroxide for sodium hydroxide", ("Na 20", "Ca 20")),
            wrong("40 mmol of hydroxide for 20", ("Na 20", "Na 40")),
            wrong("read moles of gas for its pressure", punch='GAS("CO2(g)")'),
            wrong("read dissolved CO2 for its pressure", punch='MOL("CO2")'),
            wrong("gas at fixed pressure, not in a fixed volume", ("-fixed_volume", "-fixed_pressure")),
            wrong("NaCl for NaOH", ("    Na 20\n", "    Na 20\n    Cl 20\n"), ("pH 12 charge", "pH 7")),
        ),
    ),
    Stem(
        name="charge-balanced-ph",
        question=(
            "A spring water at 20 °C was analysed in the laboratory: Na 23.0, Ca 40.1, Mg 12.2, Cl 35.5 "
            "and SO4 48.0 mg/L, and total dissolved inorganic carbon 42.0 mg/L as C; density 1.000 kg/L. "
            "Its pH was not measured. Which pH makes the analysis electrically neutral?"
        ),
        build="""\
SOLUTION 1 Spring water
    temp 20
    pH 7 charge
    units mg/L
    density 1.0
    Na 23.0
    Ca 40.1
    Mg 12.2
    Cl 35.5
    S(6) 48.0 as SO4
    C(4) 42.0 as C
END
""",
        punch='-LA("H+")',
        quantity=PH,
        mistakes=(
            wrong("pH left at 7 without charge balance", ("pH 7 charge", "pH 7")),
            wrong("inorganic carbon taken as HCO3", ("42.0 as C", "42.0 as HCO3")),
            wrong("sulfate taken as S", ("48.0 as SO4", "48.0 as S")),
            wrong("chloride left out", ("    Cl 35.5\n", "")),
            wrong("magnesium left out", ("    Mg 12.2\n", "")),
            wrong("sulfate left out", ("    S(6) 48.0 as SO4\n", "")),
            wrong("potassium for sodium", ("Na 23.0", "K 23.0")),
            wrong(
                "brought to equilibrium with outdoor CO2",
                ("END\n", "EQUILIBRIUM_PHASES 1\n    CO2(g) -3.5 10\nEND\n"),
            ),
        ),
    ),
    Stem(
        name="iron-oxidation",
        question=(
            "An anoxic groundwater at 25 °C has pH 6.80 and holds, per kg of water, Fe(II) 1.00 mmol, Na "
            "3.00, Cl 2.00 mmol and an alkalinity of 3.00 meq. It is exposed to oxygen at 0.2 atm (log P "
            "= -0.7), without exchange of CO2, until equilibrium, while amorphous ferric hydroxide, "
            "Fe(OH)3(a), precipitates. What is its pH then?"
        ),
        build="""\
SOLUTION 1 Anoxic groundwater
    temp 25
    pH 6.8
    pe 0
    units mmol/kgw
    Fe(2) 1
    Na 3
    Cl 2
    Alkalinity 3
EQUILIBRIUM_PHASES 1
    O2(g) -0.7 10
    Fe(OH)3(a) 0 0
END
""",
        punch='-LA("H+")',
        quantity=PH,
        mistakes=(
            wrong("read the water before oxidation", row=-2),
            wrong("oxygen left out", ("    O2(g) -0.7 10\n", "")),
            wrong(
                "CO2 exchanged with outdoor air",
                ("    O2(g) -0.7 10\n", "    O2(g) -0.7 10\n    CO2(g) -3.5 10\n"),
            ),
            wrong("alkalinity left out", ("    Alkalinity 3\n", "")),
            wrong("ferric hydroxide not allowed to precipitate", ("    Fe(OH)3(a) 0 0\n", "")),
            wrong("iron in mg for mmol", ("Fe(2) 1", "Fe(2) 0.0179")),
            wrong("alkalinity in mg of CaCO3 for meq", ("Alkalinity 3", "Alkalinity 0.06")),
            wrong("twice the iron", ("Fe(2) 1", "Fe(2) 2")),
            wrong("alkalinity taken as total inorganic carbon", ("Alkalinity 3", "C(4) 3")),
        ),
    ),
    Stem(
        name="heated-groundwater",
        question=(
            "A groundwater sampled at 10 °C with pH 7.60 holds, per kg of water, Ca 2.00, Na 1.00, Cl "
            "1.00 mmol and an alkalinity of 4.00 meq. It is heated to 60 °C in a closed heat exchanger "
            "without precipitation or loss of gas. What is its pH at 60 °C?"
        ),
        build="""\
SOLUTION 1 Groundwater
    temp 10
    pH 7.6
    units mmol/kgw
    Ca 2
    Na 1
    Cl 1
    Alkalinity 4
REACTION_TEMPERATURE 1
    60
END
""",
        punch='-LA("H+")',
        quantity=PH,
        mistakes=(
            wrong("read the pH before heating", row=-2),
            wrong("heated to 35 °C", ("    60\n", "    35\n")),
            wrong(
                "calcite allowed to precipitate",
                ("REACTION_TEMPERATURE 1", "EQUILIBRIUM_PHASES 1\n    Calcite 0 0\nREACTION_TEMPERATURE 1"),
            ),
            wrong(
                "CO2 lost to outdoor air",
                (
                    "REACTION_TEMPERATURE 1",
                    "EQUILIBRIUM_PHASES 1\n    CO2(g) -3.5 10\nREACTION_TEMPERATURE 1",
                ),
            ),
            wrong("sample taken at 25 °C", ("temp 10", "temp 25")),
            wrong("alkalinity left out", ("    Alkalinity 4\n", "")),
            wrong(
                "held at a soil CO2 pressure of 10^-1.5 atm",
                (
                    "REACTION_TEMPERATURE 1",
                    "EQUILIBRIUM_PHASES 1\n    CO2(g) -1.5 10\nREACTION_TEMPERATURE 1",
                ),
            ),
            wrong(
                "calcite precipitates and CO2 is lost",
                (
                    "REACTION_TEMPERATURE 1",
                    "EQUILIBRIUM_PHASES 1\n    Calcite 0 0\n    CO2(g) -3.5 10\nREACTION_TEMPERATURE 1",
                ),
            ),
        ),
    ),
    Stem(
        name="brine-halite",
        question=(
            "A salt-lake brine at 25 °C, pH 7.0, holds per kg of water: Na 2.50, Mg 2.00, K 0.30, Cl 6.00 "
            "and SO4 0.40 mol. What is the saturation index of halite in it?"
        ),
        build="""\
SOLUTION 1 Salt-lake brine
    temp 25
    pH 7
    units mol/kgw
    Na 2.5
    Mg 2
    K 0.3
    Cl 6
    S(6) 0.4
END
""",
        punch='SI("Halite")',
        quantity=SI,
        database="pitzer.dat",
        mistakes=(
            wrong("dilute-water database phreeqc.dat", database="phreeqc.dat"),
            wrong(
                "molal taken as molar, density 1",
                ("mol/kgw", "mol/L"),
                ("temp 25", "temp 25\n    density 1.0"),
            ),
            wrong("sulfate entered as chloride", ("    S(6) 0.4\n", ""), ("Cl 6", "Cl 6.8")),
            wrong("magnesium entered as calcium", ("Mg 2", "Ca 2")),
            wrong("magnesium entered as sodium", ("    Na 2.5\n    Mg 2\n", "    Na 6.5\n")),
            wrong("mol taken as mmol", ("mol/kgw", "mmol/kgw")),
            wrong("read sylvite for halite", punch='SI("Sylvite")'),
            wrong("magnesium left out", ("    Mg 2\n", "")),
            wrong("magnesium and sulfate left out", ("    Mg 2\n", ""), ("    S(6) 0.4\n", "")),
            wrong(
                "sodium chloride alone, 6 mol",
                ("Na 2.5", "Na 6"),
                ("    Mg 2\n    K 0.3\n", ""),
                ("    S(6) 0.4\n", ""),
            ),
        ),
    ),
    Stem(
        name="column-effluent",
        question=(
            "A column of 10 cells, each with 1 kg of pore water and 2.0 mmol (equivalents) of cation "
            "exchange sites, stands at 25 °C in equilibrium with a water of NaCl 1.00 mmol/kg (pH 7). It "
            "is flushed by plug flow, one cell per shift and without dispersion, with a water of CaCl2 "
            "0.50 mmol/kg (pH 7). What is the total calcium concentration in the last cell after 30 "
            "shifts?"
        ),
        build="""\
SOLUTION 0 Calcium chloride
    temp 25
    pH 7
    units mmol/kgw
    Ca 0.5
    Cl 1
SOLUTION 1-10 Sodium chloride
    temp 25
    pH 7
    units mmol/kgw
    Na 1
    Cl 1
EXCHANGE 1-10
    X 0.002
    -equilibrate 1
END
ADVECTION
    -cells 10
    -shifts 30
    -punch_cells 10
    -print_cells 10
    -print_frequency 30
END
""",
        punch='TOT("Ca")*1e3',
        quantity=MILLIMOLAL,
        mistakes=(
            wrong("read the shift before", row=-2),
            wrong("read the shift after", ("-shifts 30", "-shifts 31")),
            wrong("exchange left out", ("EXCHANGE 1-10\n    X 0.002\n    -equilibrate 1\n", "")),
            wrong("exchange sites of 1 mmol", ("X 0.002", "X 0.001")),
            wrong("read cell 9 for cell 10", ("-punch_cells 10", "-punch_cells 9")),
            wrong("read cell 5 for cell 10", ("-punch_cells 10", "-punch_cells 5")),
            wrong("pore volumes for shifts", ("-shifts 30", "-shifts 300")),
            wrong("read chloride for calcium", punch='TOT("Cl")*1e3'),
            wrong("calcium counted in charge equivalents", punch='TOT("Ca")*2e3'),
            wrong("read sodium for calcium", punch='TOT("Na")*1e3'),
        ),
    ),
    Stem(
        name="mine-drainage",
        question=(
            "An acid mine water at 25 °C, pH 2.50, holds per kg of water Fe(III) 10.0, Al 4.00, Ca 8.00, "
            "Na 2.00 and SO4 32.8 mmol. It flows over limestone, in contact with air (CO2 at 10^-3.5 atm "
            "and O2 at 10^-0.7 atm), and comes to equilibrium with calcite (in excess) while gypsum, "
            "amorphous ferric hydroxide Fe(OH)3(a) and amorphous aluminium hydroxide Al(OH)3(a) may "
            "precipitate. What is the concentration of dissolved sulfate then?"
        ),
        build="""\
SOLUTION 1 Acid mine water
    temp 25
    pH 2.5
    pe 14
    units mmol/kgw
    Fe(3) 10
    Al 4
    Ca 8
    Na 2
    S(6) 32.8
EQUILIBRIUM_PHASES 1
    Calcite 0 10
    CO2(g) -3.5 10
    O2(g) -0.7 10
    Gypsum 0 0
    Fe(OH)3(a) 0 0
    Al(OH)3(a) 0 0
END
""",
        punch='TOT("S(6)")*1e3',
        quantity=MILLIMOLAL,
        mistakes=(
            wrong("read the water before neutralisation", row=-2),
            wrong("read the CaSO4 ion pair for total sulfate", punch='MOL("CaSO4")*1e3'),
            wrong("read free sulfate for total", punch='MOL("SO4-2")*1e3'),
            wrong("calcite left out", ("    Calcite 0 10\n", "")),
            wrong("read calcium for sulfate", punch='TOT("Ca")*1e3'),
            wrong("gypsum not allowed to precipitate", ("    Gypsum 0 0\n", "")),
            wrong("no exchange of CO2 with the air", ("    CO2(g) -3.5 10\n", "")),
            wrong("dolomite for calcite", ("Calcite 0 10", "Dolomite 0 10")),
            wrong(
                "ferric and aluminium hydroxides left out", ("    Fe(OH)3(a) 0 0\n    Al(OH)3(a) 0 0\n", "")
            ),
        ),
    ),
    Stem(
        name="sulfate-ion-pair",
        question=(
            "A mine-shaft water at 15 °C, pH 7.4, holds per kg of water Ca 10.0, Mg 15.0, Na 5.0, Cl 5.0 "
            "and SO4 24.0 mmol, and an alkalinity of 2.0 meq. What is the molality of the neutral "
            "magnesium sulfate ion pair in it?"
        ),
        build="""\
SOLUTION 1 Mine-shaft water
    temp 15
    pH 7.4
    units mmol/kgw
    Ca 10
    Mg 15
    Na 5
    Cl 5
    S(6) 24
    Alkalinity 2
END
""",
        punch='MOL("MgSO4")*1e3',
        quantity=MILLIMOLAL,
        mistakes=(
            wrong("read free Mg+2 for the pair", punch='MOL("Mg+2")*1e3'),
            wrong("read the calcium pair for the magnesium pair", punch='MOL("CaSO4")*1e3'),
            wrong("activity for molality", punch='ACT("MgSO4")*1e3'),
            wrong("calcium left out", ("    Ca 10\n", "")),
            wrong("read free sulfate for the pair", punch='MOL("SO4-2")*1e3'),
            wrong("sulfate taken as mg of S", ("S(6) 24", "S(6) 8")),
            wrong("temperature left at 25 °C", ("    temp 15\n", "")),
        ),
    ),
    Stem(
        name="acidified-water",
        question=(
            "To 1 kg of a river water at 25 °C with pH 8.20, Ca 1.50 mmol, Cl 0.50 mmol, Na 0.50 mmol and "
            "an alkalinity of 3.00 meq, 2.00 mmol of HCl are added; no gas escapes. What is the pH?"
        ),
        build="""\
SOLUTION 1 River water
    temp 25
    pH 8.2
    units mmol/kgw
    Ca 1.5
    Cl 0.5
    Na 0.5
    Alkalinity 3
REACTION 1
    HCl 1
    0.002 moles
END
""",
        punch='-LA("H+")',
        quantity=PH,
        mistakes=(
            wrong("read the water before the acid", row=-2),
            wrong(
                "outdoor CO2 kept in equilibrium",
                ("REACTION 1", "EQUILIBRIUM_PHASES 1\n    CO2(g) -3.5 10\nREACTION 1"),
            ),
            wrong("sulfuric acid for hydrochloric", ("HCl 1", "H2SO4 1")),
            wrong("2 µmol of acid for 2 mmol", ("0.002 moles", "2e-6 moles")),
            wrong("alkalinity in mg of CaCO3 for meq", ("Alkalinity 3", "Alkalinity 0.06")),
            wrong("1 mmol of acid for 2", ("0.002 moles", "0.001 moles")),
            wrong("calcite present", ("REACTION 1", "EQUILIBRIUM_PHASES 1\n    Calcite 0 10\nREACTION 1")),
            wrong("3 mmol of acid for 2", ("0.002 moles", "0.003 moles")),
        ),
    ),
    Stem(
        name="deep-calcite",
        question=(
            "Water in equilibrium with calcite and with CO2 at 10^-1.5 atm at the surface (1 atm, 25 °C, "
            "start from pure water) is pumped, without gas or mineral, into a well where the pressure is "
            "800 atm, at the same temperature. What is the saturation index of calcite there?"
        ),
        build="""\
SOLUTION 1 Pure water
    temp 25
    pH 7
EQUILIBRIUM_PHASES 1
    Calcite 0 10
    CO2(g) -1.5 10
SAVE solution 1
END
USE solution 1
REACTION_PRESSURE 1
    800
END
""",
        punch='SI("Calcite")',
        quantity=SI,
        mistakes=(
            wrong("pressure left at 1 atm", ("    800\n", "    1\n")),
            wrong("pressure of 80 atm", ("    800\n", "    80\n")),
            wrong("pressure of 400 atm", ("    800\n", "    400\n")),
            wrong("read aragonite for calcite", punch='SI("Aragonite")'),
            wrong("read CO2 for calcite", punch='SI("CO2(g)")'),
            wrong(
                "CO2 gas kept in equilibrium at depth",
                ("USE solution 1\n", "USE solution 1\nEQUILIBRIUM_PHASES 2\n    CO2(g) -1.5 10\n"),
            ),
            wrong(
                "water of the well at 5 °C",
                ("USE solution 1\n", "USE solution 1\nREACTION_TEMPERATURE 1\n    5\n"),
            ),
        ),
    ),
)
