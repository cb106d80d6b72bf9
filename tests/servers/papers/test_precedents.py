"""Precedents: sentences that claim, deny or do neither, of the material that is meant; states and their sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig.serving.builder import build
from labrig.toolbox import ServeOptions
from labrig_papers.corpus.mentions import mentions
from labrig_papers.corpus.store import Document, add, opened
from labrig_papers.precedents.finding import look
from labrig_papers.precedents.statements import Statement, named_in, statements
from labrig_papers.server import toolbox


def said(text: str, material: str, title: str = "") -> list[Statement]:
    (wanted,) = {each.key for each in mentions(material)}
    return list(statements(text, 1, wanted, {}, named_in(title)))


def short(
    text: str, material: str, title: str = ""
) -> list[tuple[bool, float | None, str, float | None, str]]:
    """Return what is said, in short: whether it is superconducting, K, criterion, GPa, standing."""
    return [
        (each.says == "superconducting", each.kelvin, each.criterion, each.gigapascal, each.standing)
        for each in said(text, material, title)
    ]


PAIRED = (
    "The superconducting transitions are at 4.5 K and 7 K for Li0.2SnSe2 and Li0.2(THF)ySnSe2, respectively."
)
SEVERAL = "Superconductivity was found in MgB2 (39 K) and Nb3Sn (18 K)."
LISTED = "These ratios are those of the superconducting TMD systems, as Td-MoTe2 and 2H-NbSe2."
GOES_ON = "MoTe2 becomes superconducting at 0.1 K [5]. Under pressure, its Tc is enhanced to about 8 K."
TWO = "MgB2 superconducts at 39 K, whereas AlB2 shows no superconductivity down to 1.8 K."
CASES: list[tuple[str, str, str, list[tuple[bool, float | None, str, float | None, str]]]] = [
    (PAIRED, "Li0.2SnSe2", "", [(True, 4.5, "", None, "measured")]),
    (SEVERAL, "MgB2", "", [(True, 39, "", None, "measured")]),
    (SEVERAL, "Nb3Sn", "", [(True, 18, "", None, "measured")]),
    (
        "We have observed in LaFeAsO1-xHx that Tc for x = 0.20 marks a high Tc of 48 K.",
        *("LaFeAsO0.8H0.2", ""),
        [(True, 48, "", None, "measured")],
    ),
    (LISTED, "NbSe2", "", [(True, None, "", None, "measured")]),
    (GOES_ON, "MoTe2", "", [(True, 0.1, "", None, "cited"), (True, 8, "", None, "cited")]),
    (
        "WS2 has a superconducting and a nonsuperconducting volume.",
        "WS2",
        "",
        [(True, None, "", None, "measured")],
    ),
    (
        "CaB6 has a superconducting transition width of 0.6 K.",
        "CaB6",
        "",
        [(True, None, "", None, "measured")],
    ),
    ("Bi2Se3, which shows superconductivity ^38,39.", "Bi2Se3", "", [(True, None, "", None, "cited")]),
    (TWO, "B2Mg", "", [(True, 39, "", None, "measured")]),
    (TWO, "AlB2", "", [(False, 1.8, "", None, "measured")]),
    (
        "UGe2 was annealed at 900 K. The onset of superconductivity is at 0.8 K and zero resistance at 0.62(3) K under "
        "a pressure of 1.2 GPa.",
        *("UGe2", ""),
        [(True, 0.8, "onset", 1.2, "measured"), (True, 0.62, "zero resistance", 1.2, "measured")],
    ),
    (
        "No sign of superconductivity was seen above 50 mK at ambient pressure.",
        *("LaRhGe3", "Specific heat of LaRhGe3"),
        [(False, 0.05, "", 0, "measured")],
    ),
    (
        "The resistivity of Nb3Sn falls to zero at 17.9 K; Tc = 18.1 K (midpoint) and 18.4 K (onset).",
        *("Nb3Sn", ""),
        [
            (True, 17.9, "zero resistance", None, "measured"),
            (True, 18.1, "midpoint", None, "measured"),
            (True, 18.4, "onset", None, "measured"),
        ],
    ),
    (
        "CsI3 is superconducting with Tc = 2 K at 206 kbar and 1.4 K at 180 GPa.",
        *("CsI3", ""),
        [(True, 2, "", 20.6, "measured"), (True, 1.4, "", 180, "measured")],
    ),
    (
        "With a mean phonon frequency of θ = 55K, adjusted to give the right Tc of CaB6, the curve is drawn.",
        *("CaB6", ""),
        [],
    ),
    ("The superconducting CaB6 has Θ_D = 340 K and Tc = 5 K.", "CaB6", "", [(True, 5, "", None, "measured")]),
    (
        "YPd2Si2 remains metallic down to 350 mK.",
        "YPd2Si2",
        "",
        [(False, 0.35, "", None, "measured")],
    ),
    (
        "Doe et al. reported superconductivity in CaB6 below 5 K [3].",
        "CaB6",
        "",
        [(True, 5, "", None, "cited")],
    ),
    (
        "ScNi3, which shows superconductivity at Tc = 39 K, also has a T2 law in the resistivity up to 240 K.",
        *("ScNi3", ""),
        [(True, 39, "resistive", None, "measured")],
    ),
    (
        "A structural transition is at Ts = 200 K in the oxide Cd2Re2O7, a superconductor with Tc = 1 K.",
        *("Cd2Re2O7", ""),
        [(True, 1, "", None, "measured")],
    ),
    (
        "Below 1.1 K ScNi3 becomes superconducting, and Tc rises from 1.1 K to 3 K at 2 GPa and to 4 K at 5 GPa.",
        *("ScNi3", ""),
        [
            (True, 1.1, "", 2, "measured"),
            (True, 1.1, "", 2, "measured"),
            (True, 3, "", 2, "measured"),
            (True, 4, "", 5, "measured"),
        ],
    ),
    (
        "In ScNi3 (Tc ~ 31 K) the depth was measured down to 0.4 K, and for Tc < T < 240 K nothing was seen.",
        *("ScNi3", ""),
        [(True, 31, "", None, "measured")],
    ),
    (
        "The superconductor ScNi3 has a Curie temperature TC = 131 K and a transition temperature Tc = 56 K.",
        *("ScNi3", ""),
        [(True, 56, "", None, "measured")],
    ),
    (
        "ScNi3 with an ambient pressure value of Tc = 5.8 K rises to Tc = 8.8 K at 1 GPa.",
        *("ScNi3", ""),
        [(True, 5.8, "", 0, "measured"), (True, 8.8, "", 1, "measured")],
    ),
    (
        "The superconducting ScNi3 did not show any magnetic order.",
        *("ScNi3", ""),
        [(True, None, "", None, "measured")],
    ),
    ("ScNi3 is non-superconducting.", "ScNi3", "", [(False, None, "", None, "measured")]),
    ("ScNi3 is a supercon-\nductor below\n3.1 K.", "ScNi3", "", [(True, 3.1, "", None, "measured")]),
    *(
        (text, material, title, [])
        for text, material, title in (
            (
                "Even with Tc = 56 K and Tc = 75 K the stiffness, which avoids the CuO chains, is high.",
                "CuO",
                "",
            ),
            ("The cell holds NaCl as a pressure medium. The zero resistance is below 10 K.", "NaCl", ""),
            ("Films were grown on LaAlO3. They have a narrow transition. Their Tc is 86 K.", "LaAlO3", ""),
            ("With the virgin crystal of Tc = 31 K the FC and ZFC curves were superconducting.", "CF", ""),
            (
                "Superconductivity at 8 K was found in AlB2O4 and in three AOs2O6. Their Tc is 9.6 K.",
                "AlB2O4",
                "",
            ),
            (
                "with a superconducting transition temperature Tc of 26 K has attracted",
                "CeB6",
                "Heat of CeB6",
            ),
            (
                "The Tc of the film is high, compared with the maximum Tc of 43 K in others.",
                "CeB6",
                "Heat of CeB6",
            ),
            (
                "There, quite often zero resistance is found without any sign of superconductivity.",
                "CeB6",
                "CeB6 heat",
            ),
            ("The hydrated Na0.3CoO2 · 1.3H2O is superconducting at 4.5 K.", "Na0.3CoO2", ""),
            ("Superconductivity had not been observed in the family until CeB6.", "CeB6", ""),
            ("Superconductivity of CeB6 cannot be ruled out.", "CeB6", ""),
            ("No superconductivity of CeB6 was seen in 10 T down to 1.5 K.", "CeB6", ""),
            (
                "Superconductivity in LaBaCuO4 is absent for x = 1/8 in La2-xBaxCuO4.",
                "LaBaCuO4",
                "La2-xBaxCuO4",
            ),
            ("It is predicted that LaBeH8 is superconducting at 185 K.", "LaBeH8", ""),
            ("Whether CaB6 superconducts is not known.", "CaB6", ""),
            ("CaB6 has not been tested for superconductivity.", "CaB6", ""),
            ("We searched for superconductivity in CaB6 with a SQUID.", "CaB6", ""),
            ("Nb3Sn and Nb3Ge are superconducting below 18 K and 23 K.", "Nb3Sn", ""),
            ("CaB6 was grown. In many other compounds superconductivity was found at 3 K.", "CaB6", ""),
            ("CaB6 orders ferromagnetically with a transition temperature of 600 mK.", "CaB6", ""),
            ("Superconductivity of Mg1.1B2 sets in at 38 K.", "MgB2", "Crystals of MgB2"),
            ("Superconductivity of MgB2 disappears at 39 GPa.", "MgB2", ""),
            ("We induced superconductivity at 7.6 K in intercalated SnSe2.", "SnSe2", ""),
            ("CaB6 has a pseudogap that is not related to a superconducting phase.", "CaB6", ""),
            ("The LaFeAsO series is doped with H. Its Tc reaches 45 K.", "LaFeAsO", ""),
            ("Compared to MoS2, the layers are wide. Superconductivity was found at 3.9 K.", "MoS2", ""),
            ("The magnetization of CeB6 was measured in a 9 T superconducting magnet.", "CeB6", ""),
            ("SrTiO3 is a common substrate for superconducting films.", "SrTiO3", ""),
            (
                "The interplay of superconductivity and topology can lead to new states.",
                *("CeB6", "Heat of CeB6"),
            ),
            ("Superconductivity up to 133 K was reported long ago [4].", "CeB6", "Heat of CeB6"),
            ("The superconducting transition of Pb at 7.2 K was used to calibrate.", "CeB6", "Heat of CeB6"),
            ("Hole-doped cuprates are superconducting below 133 K.", "CeB6", "Heat of CeB6"),
            ("The critical temperature of CO2 is 304 K.", "CO2", ""),
            ("VO2 has a metal-insulator transition with a superconducting-like drop at 340 K.", "VO2", ""),
            ("The transition temperature of VO2 is 340 K.", "VO2", ""),
            ("In CeB6 the density is not sufficient to induce superconductivity.", "CeB6", ""),
            ("In CeB6 we cannot obtain information on the superconductivity.", "CeB6", ""),
            ("There is no competing order to superconductivity in Fe2S3.", "Fe3S4", ""),
            ("Each point of MgB2 was obtained by field cooling from above Tc to 1.7 K.", "MgB2", ""),
            ("There is no sign of superconductivity above 4 K.", "UC", "UC Irvine"),
            ("An estimate of BC2 is from the superconducting transition of our films.", "BC2", ""),
            (
                "Lines of an impurity phase of tetragonal LaC2 were seen. The superconducting properties of the sample "
                "were determined.",
                *("LaC2", ""),
            ),
            (
                "(It has no other superconducting order.) For the sample of Na0.75CoO2 the rate was measured.",
                *("Na0.75CoO2", ""),
            ),
            (
                "We saw effects in CeB6 [22], evidence for a coupling relevant for the superconducting state.",
                *("CeB6", ""),
            ),
            (
                "The ruthenate is isostructural to La2CuO4. The superconductivity is carried by RuO2 layers.",
                *("La2CuO4", ""),
            ),
            ("It was made without Ag2O2. Superconductivity did not show for this sample.", "Ag2O2", ""),
            ("Synthesis and Superconductivity of New BiS2 Based compounds.", "BiS2", ""),
            (
                "Carbon is precipitated out in the form of MgB2C2. The superconducting sample has Tc = 27.9 K.",
                *("MgB2C2", ""),
            ),
            ("NaCoO2 is the host compound for the new superconductor described here.", "NaCoO2", ""),
            (
                "Na0.3CoO2 was put into a hydration chamber. The superconducting sample has Tc = 3 K.",
                "Na0.3CoO2",
                "",
            ),
            (
                "Work on YBa2Cu3O6.99 is past the optimum, but for the lower two dopings Tc = 56 K.",
                *("YBa2Cu3O6.99", ""),
            ),
            ("A class of superconductors with Tc above 1 K is based on BEDT-TTF.", "BEDT-TTF", ""),
            ("Reports on carbon using B4C exist. The Tc near 22 K is the lowest.", "B4C", ""),
            ("Peaks due to Ag2O appeared. The sample exhibited superconductivity at 20 K.", "Ag2O", ""),
            (
                "Superconducting transitions for overdoped and underdoped CeB6 films differ.",
                "CeB6",
                "",
            ),
            ("CeB6 lies at the border of the superconducting phase.", "CeB6", ""),
            ("CeB6 has a feature close to the insulator-superconductor transition at 0.05.", "CeB6", ""),
            ("A piece of In [Tc = 3.4 K] was added to the cell.", "CeB6", "Heat of CeB6"),
            (
                "Spectra of WS2 above (T = 10 K) and below (T = 200 mK) the transition temperature Tc.",
                "WS2",
                "",
            ),
        )
    ),
]


@pytest.mark.parametrize(
    ("text", "material", "title", "expected"), CASES, ids=[case[0][:40] for case in CASES]
)
def test_a_sentence_counts_for_the_material_that_it_is_about(
    text: str, material: str, title: str, expected: list[Any]
) -> None:
    found = short(text, material, title)
    assert found == expected
    for each in said(text, material, title):
        assert each.quote in " ".join(text.replace("supercon-\n", "supercon").split()), (
            "a quote is what stands there"
        )


def test_the_t_c_of_a_magnet_a_class_and_a_parent_compound_are_no_precedent() -> None:
    key = next(mentions("URhSi")).key
    magnet = "In URhSi we find TC = 10.15 K. The superconductivity of URhSi was not observed down to 40 mK."
    told = list(statements(magnet, 1, key, of_magnet=True))
    assert [(each.says, each.kelvin) for each in told] == [("not superconducting", 0.04)]
    assert (
        list(statements("URhSi is compared with the ferromagnetic superconductors of uranium.", 1, key)) == []
    )
    hydrate = "The superconductivity of NaxCoO2 · yH2O appears near a ferromagnetic phase."
    sodium = next(mentions("Na0.5CoO2")).key
    assert list(statements(hydrate, 1, sodium, {"NaxCoO2": sodium})) == []
    series = "The superconducting transition of Lix(THF)ySnSe2 is at 7.6 K. The superconducting transition is sharp."
    parent = next(mentions("SnSe2")).key
    assert list(statements(series, 1, parent, {}, [parent], of_series=True)) == []
    order = "In WS2 there is an absence of competing order to superconductivity."
    assert all(each.says == "superconducting" for each in statements(order, 1, next(mentions("WS2")).key))


@settings(max_examples=40)
@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    list(statements(text, 1, "B0.6667 Mg0.3333", {"MgxB": "x"}, ["B0.6667 Mg0.3333"]))


CORPUS = (
    ("Superconductivity of MgB2", "10.1/a", "Bulk samples of Mg2B4 are superconducting below 39 K (onset)."),
    ("Films of magnesium diboride", "10.1/b", "Films of MgB2 become superconducting at 25 K (onset)."),
    ("A boride", "10.1/c", "AlB2 shows no superconductivity down to 1.8 K."),
    ("The same boride", "10.1/d", "In B2Al superconductivity was not found down to 0.3 K."),
    (
        "Iodides",
        "10.1/e",
        "KI3 is superconducting below 4 K at 20 GPa, but KI3 stays metallic down to 1 K at zero pressure.",
    ),
    ("Claims", "10.1/f", "We observe superconductivity in CuCl2 at 90 K."),
    ("No claims", "10.1/g", "CuCl2 is not superconducting down to 4.2 K."),
    ("Hear-say", "10.1/h", "Superconductivity of LaS2 at 3 K was reported by Doe et al. [4]."),
    ("Series", "10.1/i", "La2-xSrxCuO4 (x = 0.15) is superconducting below 37 K."),
    ("Growth", "10.1/j", "Crystals of NaCl3 were grown from the melt."),
    (
        "Heavy fermions",
        "10.1/k",
        "CeX is unknown; CeRu3 is superconducting below 0.9 K, yet Ru3Ce was normal.",
    ),
    ("Old search", "10.1/l", "No superconductivity was seen in CeRu3 above 1.2 K."),
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "c.sqlite"
    with opened(path, make=True) as database:
        for number, (title, doi, text) in enumerate(CORPUS):
            add(database, Document(f"{number:064}", f"/p/{number}.pdf", title, doi, 2000 + number, [text]))
    return path


STATES = {
    "MgB2": ("superconducting", 39, ["10.1/a", "10.1/b"]),
    "AlB2": ("not superconducting", 0.3, ["10.1/c", "10.1/d"]),
    "I3K": ("superconducting", 4, ["10.1/e"]),
    "CuCl2": ("contradicting", 90, ["10.1/f", "10.1/g"]),
    "LaS2": ("superconducting", 3, ["10.1/h"]),
    "La1.85Sr0.15CuO4": ("superconducting", 37, ["10.1/i"]),
    "La2-xSrxCuO4 with x = 0.15": ("superconducting", 37, ["10.1/i"]),
    "CeRu3": ("superconducting", 0.9, ["10.1/k", "10.1/l"]),
    "NaCl3": ("unknown", None, []),
    "NaCl2": ("unknown", None, []),
    "UPt3": ("unknown", None, []),
}


async def test_states_have_their_sources_and_unknown_what_was_searched(corpus: Path, tmp_path: Path) -> None:
    options = ServeOptions(
        toolsets=("literature",), workspace=tmp_path / "w", settings={"corpus": str(corpus)}
    )
    async with Client(build(toolbox, options)) as client:
        answers = {}
        for material, (state, kelvin, dois) in STATES.items():
            found: Any = (
                await client.call_tool("validate_precedent", {"material": material})
            ).structured_content
            assert len(json.dumps(found).encode()) < 8_000
            values = {each["name"]: each["value"] for each in found["values"]}
            told = values.get("highest_tc", values.get("lowest_temperature_tested"))
            reports = found["data"]["reports"]
            assert (values["state"], told) == (state, kelvin), (material, found)
            assert sorted({each["doi"] for each in reports}) == dois, material
            texts = {doi: text for _, doi, text in CORPUS}
            assert all(each["quote"] in texts[each["doi"]] and each["page"] == 1 for each in reports)
            answers[material] = found
        for bad in ("", "x" * 300, "La2-xSrxCuO4", "no formula", "\x00"):
            failed: Any = await client.call_tool(
                "validate_precedent", {"material": bad}, raise_on_error=False
            )
            assert failed.is_error and "internal" not in failed.content[0].text
    assert answers["MgB2"]["data"]["contradictions"][0]["why"] == "transition at 39 K and at 25 K"
    assert "90 K, and not down to 4.2 K" in answers["CuCl2"]["data"]["contradictions"][0]["why"]
    assert "cite of others" in answers["LaS2"]["warnings"][0]
    assert (
        "contradictions" not in answers["I3K"]["data"] and "another pressure" in answers["I3K"]["warnings"][0]
    )
    assert "1 of 12 papers here name it; none says" in answers["NaCl3"]["warnings"][0]
    assert answers["NaCl3"]["data"]["silent"][0]["doi"] == "10.1/j"
    assert answers["NaCl2"]["data"]["relatives"][0]["doi"] == "10.1/j"
    assert "None of the 12 papers here names it" in answers["UPt3"]["warnings"][0]
    assert answers["UPt3"]["data"]["searched"]["papers"] == 12


def test_a_material_is_one_composition(corpus: Path) -> None:
    with opened(corpus) as database:
        assert look(database, "magnesium diboride").naming == 2
        with pytest.raises(LabrigError, match="not one composition"):
            look(database, "La2-xSrxCuO4 with x = 0.1, 0.2")
