"""Names of properties; units, formulas and space groups as papers print them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Answer, Quantity
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig_papers.server.base import toolbox

LONGEST = 400
SOURCE = "labrig_papers"
TextArgument = Annotated[str, Field(max_length=LONGEST, description="As printed.")]


@toolbox.tool(
    title="Match a property's name",
    read_only=True,
    words="name, synonym, column name, canonical name, vocabulary, ontology, standard names, same meaning, map "
    "columns, Tc, Tg, glass transition",
)
async def match_property(
    name: Annotated[str, Field(max_length=LONGEST, description="As the paper has it, such as Tc(onset).")],
    context: Annotated[
        str, Field(max_length=LONGEST, description="The sentence or conditions round it.")
    ] = "",
) -> Answer:
    """Name the standard properties that a name may mean, best first, with the reason and what forbids others.

    Columns that mean the same thing (Tg, glass transition temperature) get one canonical name of the vocabulary, or
    the nearest property in the list.

    Example: {"name": "Tc (onset)"}
    """
    from labrig_papers.properties import matching

    found = await in_thread(matching.match_property, name, context)
    return Answer(
        source=f"{SOURCE}: list of 97 property names",
        status="ok" if found.matches else "partial",
        data={"matches": [each.to_dict() for each in found.matches], "quantity": found.quantity},
        warnings=() if found.matches else ("No name of the list means this",),
    )


@toolbox.tool(
    title="Convert a value's unit",
    read_only=True,
    toolsets=("values",),
    words="wavenumber cm-1, wavelength nm, photon energy, eV, meV, Hartree, kcal/mol, kJ/mol, Hz, THz, K, F, C, "
    "Kelvin, Celsius, Fahrenheit, melting points, tesla, oersted, gauss, GPa, kbar, Angstrom, bring to one unit, "
    "conversion, SI",
)
async def convert_units(
    value: TextArgument,
    to: Annotated[str, Field(max_length=100, description="Unit; default that of SI.")] = "",
) -> Answer:
    """Convert a value as printed, such as 6.24(3) K or 310 Oe, with its uncertainty; ambiguous units are refused.

    It takes the value, uncertainty and unit of a sentence apart (1.2(3) W/mK) and brings melting points in °F, K or
    °C to one unit; energies in eV, kJ/mol, kcal/mol, K and 1/cm (wavenumber) to each other, and the wavelength of
    light (nm) to its energy or frequency.

    Example: {"value": "310 Oe", "to": "T"}
    """
    from labrig_papers.values import converting

    found = await in_thread(converting.convert_units, value, to)
    values: list[Quantity] = []
    for number, spread in zip(found.values, found.uncertainties, strict=True):
        values.append(Quantity("value", number, found.unit.canonical or "1"))
        if spread is not None:
            values.append(Quantity("uncertainty", spread, found.unit.canonical or "1"))
    data: dict[str, Any] = {
        "read": found.source.to_dict(),
        "to_the_digits_given": [f"{each} {found.unit.canonical}".strip() for each in found.texts],
    }
    if found.equivalence:
        data["equivalence_used"] = found.equivalence
    return Answer(source=f"{SOURCE} with pint", values=tuple(values), data=data)


@toolbox.tool(
    title="Normalise a formula",
    read_only=True,
    toolsets=("values",),
    words="chemical, reduced, empirical composition, stoichiometry, doping x, elements and amounts, parse, "
    "brackets, hydrate, Cs4 O4, one form",
)
async def normalize_formula(
    text: TextArgument,
    context: Annotated[str, Field(max_length=LONGEST, description="The sentence, for x or delta.")] = "",
) -> Answer:
    """Resolve a material as printed to a composition, or say which variable or name is missing.

    It puts compositions of any writing into one form, so that they can be merged: Ba0.5Sr0.5CoO3-δ, (Ba,Sr)CoO3-d.

    Example: {"text": "La2-xSrxCuO4", "context": "x = 0.15"}
    """
    from labrig_papers.materials import formulas

    found = await in_thread(formulas.normalize_formula, text, None, context)
    return Answer(
        source=f"{SOURCE} with pymatgen",
        status="ok" if found.status == "resolved" else "partial",
        values=(Quantity("formula", found.formula),) if found.formula else (),
        data={
            "status": found.status,
            "composition": dict(found.composition),
            **({"why": found.why} if found.why else {}),
            **({"needs": list(found.needs)} if found.needs else {}),
            **({"assumptions": list(found.assumptions)} if found.assumptions else {}),
            **({"alternatives": list(found.alternatives)[:20]} if found.alternatives else {}),
            **({"isotopes": dict(found.isotopes)} if found.isotopes else {}),
        },
    )


@toolbox.tool(
    title="Compare formulas",
    read_only=True,
    toolsets=("values",),
    words="same composition, chemical formula equal, duplicates, stoichiometry, order of elements, doping",
)
async def compare_formulas(
    first: TextArgument,
    second: TextArgument,
    tolerance: Annotated[
        float, Field(ge=0, le=10, description="Atoms per formula unit; default 0.005.")
    ] = 0.005,
) -> Answer:
    """Compare two formulas in any writing and scale; the largest difference of an amount is said.

    Example: {"first": "YBa2Cu3O7", "second": "YBa2Cu3O6.93"}
    """
    from labrig_papers.materials import comparing

    found = await in_thread(comparing.compare_formulas, first, second, tolerance)
    values = [Quantity("same", found.same)]
    if found.max_deviation is not None:
        values.append(Quantity("max_deviation", found.max_deviation, "atoms per formula unit", found.element))
    return Answer(
        source=f"{SOURCE} with pymatgen",
        values=tuple(values),
        data={"first": found.first.formula, "second": found.second.formula, "scale": found.scale},
        warnings=(found.reason,) if found.reason else (),
    )


@toolbox.tool(
    title="Normalise a space group",
    read_only=True,
    toolsets=("values",),
    words="Hermann-Mauguin symbol, number, short, full or Hall symbol, crystal system, symmetry, international "
    "tables",
)
async def normalize_space_group(text: TextArgument) -> Answer:
    """Give number, symbol and crystal system of a space group in any writing: P6_{3}/mmc, Fm3m, No. 139.

    Example: {"text": "P6_{3}/mmc"}
    """
    from labrig_papers.materials import space_groups

    if not text.strip():
        raise LabrigError("The text is empty", where="text", expected="a space group")
    found = await in_thread(space_groups.normalize_space_group, text)
    return Answer(
        source=f"{SOURCE} with pymatgen",
        values=(
            Quantity("number", found.number, "1"),
            Quantity("symbol", found.symbol),
            Quantity("crystal_system", found.crystal_system),
        ),
        data={"setting": found.setting} if found.setting else {},
        warnings=found.notes,
    )


@toolbox.tool(
    title="Compare values",
    read_only=True,
    toolsets=("values",),
    words="agree, same value, tolerance, uncertainty, range, extracted against true",
)
async def compare_values(
    value: TextArgument,
    truth: TextArgument,
    rel_tol: Annotated[float, Field(ge=0, le=1, description="Relative, in SI; default 0.001.")] = 0.001,
    unit: Annotated[str, Field(max_length=100, description="Unit of a bare number.")] = "",
) -> Answer:
    """Compare two values as printed, in SI: ranges by both ends, bounds by their direction.

    Example: {"value": "36.9(2) K", "truth": "36.9 K"}
    """
    from labrig_papers.checks import comparing

    found = await in_thread(comparing.compare_values, value, truth, rel_tol, None, unit)
    values = [Quantity("same", found.same)]
    if found.deviation is not None:
        values.append(Quantity("relative_deviation", found.deviation, "1"))
    data = {"equivalence_used": found.equivalence} if found.equivalence else {}
    return Answer(
        source=f"{SOURCE} with pint",
        values=tuple(values),
        data=data,
        warnings=(found.reason,) if found.reason else (),
    )


@toolbox.tool(
    title="Check consistency",
    read_only=True,
    toolsets=("values",),
    words="superconductor parameters, coherence length, penetration depth, upper critical field Hc2, kappa, gap, "
    "Pauli limit, specific heat jump, consistent",
)
async def check_consistency(
    values: Annotated[
        dict[str, str],
        Field(
            max_length=40,
            description='As printed, by name: {"tc": "36.9(2) K", "hc2": "54 T", "xi": "2.5 nm"}.',
        ),
    ],
    formula: Annotated[str, Field(max_length=LONGEST, description="Of the unit cell, for the density.")] = "",
    z: Annotated[int | None, Field(ge=1, le=200, description="Formula units in the cell.")] = None,
    angles_deg: Annotated[
        list[float],
        Field(
            min_length=3,
            max_length=3,
            description="alpha, beta and gamma of the cell: [90, 90, 120] of a hexagonal one.",
        ),
    ] = [90.0, 90.0, 90.0],  # noqa: B006 - pydantic copies it
) -> Answer:
    """Check values of one superconductor against each other: kappa, xi from Hc2, WHH, Pauli, gap, jump, density.

    Example: {"values": {"tc": "36.9(2) K", "hc2": "54 T"}}
    """
    from labrig_papers.checks import consistency

    if sum(len(key) + len(value) for key, value in values.items()) > 4_000:
        raise LabrigError("These are too many characters", where="values", expected="values as printed")
    alpha, beta, gamma = angles_deg
    found = await in_thread(consistency.check_consistency, values, formula, z, (alpha, beta, gamma))
    flagged = [each for each in found if each.verdict == "flagged"]
    checked = [each for each in found if each.verdict != "not_checked"]
    return Answer(
        source=SOURCE,
        status="ok_with_warnings" if flagged else "ok" if checked else "partial",
        values=(Quantity("flagged", len(flagged), "1"), Quantity("checked", len(checked), "1")),
        data={"checks": [each.to_dict() for each in checked]},
        warnings=tuple(f"{each.relation}: {each.note}"[:300] for each in flagged[:8]),
    )
