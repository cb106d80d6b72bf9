"""Whose value it is, and of which material: kinds that real papers showed, each in a sentence or a page of ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from labrig_papers.attribution.rows import cited_by_caption, is_group
from labrig_papers.attribution.samples import formulas_near, of_title, paired
from labrig_papers.evidence.quotes import verify_quote
from labrig_papers.pdf.continuing import going_on
from labrig_papers.pdf.opening import opened
from labrig_papers.pdf.page import Page
from labrig_papers.pdf.pages import read_pages
from labrig_papers.quantities.candidates import Candidate
from labrig_papers.quantities.finding import find_quantities
from labrig_papers.quantities.placing import areas_of_all


def found_in(text: str) -> tuple[Candidate, ...]:
    return find_quantities([text])


@pytest.mark.parametrize(
    ("text", "standings"),
    [
        ("We find T_{c} = 7.2 K. Shirotani reported T_{c} = 6.8 K.^{4}\n\nNext.", ["measured", "cited"]),
        ("A transition at 30 K was seen in KFe_{2}Se_{2}.^{5,6}\n\nNext is 3 K.", ["cited", "measured"]),
        ("Onnes and coworkers reported 4.2 K for mercury.", ["cited"]),
        ("The T_{c} of strained films could reach 100 K.", ["calculated"]),
        ("T_{c}, estimated by the modified McMillan formula [35], was found to be 2 K.", ["calculated"]),
        ("With a critical field of 3 T [4] the curve of the Brandt formula [49] is drawn.", ["cited"]),
        (
            "Given the critical field of 3 T, the theoretical curve follows the Brandt formula [49].",
            ["measured"],
        ),
        ("As expected from the London model [7] one observes a maximum at 40 mT [49].", ["measured"]),
        ("Previously, we determined 100 K in Ref. 18.", ["cited"]),
        (
            "The spacing rises to 12.1 Å due to dipoles (the moment is 3 meV for PC) [53].",
            ["measured", "cited"],
        ),
        (
            "We found no signal at 0.3 Hz, corresponding to the planet of 3.3 days by Konacki (2005).",
            ["measured", "cited"],
        ),
        ("All mock sets have an rms of 105 m/s.", ["calculated"]),
        (
            "Konacki (2005) is consistent with our analysis, provided that the precision is not 15 m/s.",
            ["cited"],
        ),
        (
            "We see 0.3 T, as in Fig. S9 of Ref. [20].\n\n[20] See Supplemental Material at a page.",
            ["measured"],
        ),
        ("They see 0.3 T, as in Fig. 9 of Ref. [20].\n\n[20] A. Author, A Journal 1 (2001).", ["cited"]),
        (
            "The distance of the states δE = Δ^{2}/E_{F} (Ref. [35]) is 0.4 μeV, assuming Δ = 0.5 meV and E = 650 meV.",
            ["calculated", "measured", "measured"],
        ),
        ("A moment (with γ = −5.7719 MHz/T [30]) is seen after two days at 1050 °C.", ["cited", "measured"]),
        ("The film was annealed at 850 °C for two weeks [9].", ["measured"]),
        ("At 0.7 T the peak could be construed as two.", ["measured"]),
        ("Substitution of γ = 2.83 gives a rate of 5 K/GPa.", ["calculated"]),
        ("By substitution of La for Sr the film is at 5 K.", ["measured"]),
        ("It mixes the bands at Y [37]. The latter moves by 20 meV.", ["measured"]),
        ("It mixes the bands [37] at Y. The latter moves by 20 meV.", ["measured"]),
        ("It was grown by A. Smith at 20 K [4].", ["cited"]),
    ],
)
def test_standing(text: str, standings: list[str]) -> None:
    assert [each.standing for each in found_in(text)] == standings


def test_raised_numbers_are_notes_where_a_paper_cites_by_brackets() -> None:
    cited = " ".join(f"Known [{number}]." for number in range(1, 12))
    sentence = "The sum is 9.2 km/s from the visual orbit.^{1}\n\nNext."
    assert found_in(sentence)[0].standing == "cited"
    assert found_in(f"{cited} {sentence}")[0].standing == "measured"


def test_what_was_looked_for_and_not_found_is_said() -> None:
    no, yes = found_in(
        "We did not observe superconductivity down to 40 mK in URhSi. UCoGe orders not later than at 3 K."
    )
    assert no.conditions["denied"] == "yes" and "denied" not in yes.conditions


@pytest.mark.parametrize(
    ("sentence", "materials"),
    [
        (
            "The T_{c} is 4.5 K and 7.1 K for Li0.2SnSe2 and NbSe2, respectively.",
            {"4.5 K": "Li0.2SnSe2", "7.1 K": "NbSe2"},
        ),
        (
            "With Tc = 12 K for LiZrNCl and Tc = 6.9 K for Li_{0.2}(THF)_{0.3}SnSe_{2} the ratio is the same.",
            {"12 K": "LiZrNCl", "6.9 K": "Li_{0.2}(THF)_{0.3}SnSe_{2}"},
        ),
        ("In NbSe2 (7.2 K) and MgB2 (39 K) it is known.", {"7.2 K": "NbSe2", "39 K": "MgB2"}),
    ],
)
def test_a_sentence_pairs_values_with_materials(sentence: str, materials: dict[str, str]) -> None:
    assert {each.text: each.formulas[0] for each in found_in(sentence)} == materials


def test_a_material_that_is_near_says_how_near_it_is() -> None:
    text = "In NbSe2 (7.2 K) it is known. Then T_{c} is 39 K in MgB2. Above, 3 K was reached, and 5 K."
    said = {each.text: each.material_by for each in found_in(text)}
    assert said["7.2 K"] == said["39 K"] == "paired"
    assert said["3 K"] == "nearest, 9 characters before, in another sentence"


def test_what_is_denied_is_a_finding() -> None:
    text = "Without pressure at 5 K it is normal. It does not depend on the field up to 9 T. No anomaly is seen to 2 K."
    assert [each.text for each in found_in(text) if "denied" in each.conditions] == ["2 K"]


def test_a_temperature_to_which_a_sample_was_cooled_is_no_transition() -> None:
    text = "Field cooling from above T_{c} to 1.7 K was used. Below T_{c} = 8.9 K it vanishes."
    assert [each.name for each in found_in(text)] == ["", "critical_temperature"]


def test_a_parent_is_the_material_that_is_intercalated() -> None:
    text = "The Debye temperature is 180 K and 166 K for parent and superconducting samples, respectively."
    first, other = find_quantities([text], title="Superconductivity in intercalated SnSe_{2}")
    assert first.formulas == ("SnSe_{2}",) and other.formulas == ()


def test_a_nickname_is_the_formula_that_a_paper_explains_it_by() -> None:
    text = "We study LaFeAsO_{1−x}H_{x} (H-doped La1111). T_{c} of La1111 is 45 K.\n\nIn F-doped La1111 it is 26 K."
    assert [each.formulas[0] for each in found_in(text)] == ["LaFeAsO_{1−x}H_{x}", "La1111"]


def test_what_is_compared_in_a_title_is_not_the_material_of_the_paper() -> None:
    assert of_title("Magnetization in URhSi: similarities to UGe2 and URhGe") == "URhSi"


def test_a_sentence_goes_on_about_what_the_one_before_it_cites() -> None:
    text = (
        "We study URhSi. Stress enhances T_{c} of URhGe [76]. The value in URhGe rises to 0.8 K. It falls by 10 %.\n\n"
        "In URhGe it is known [76]. Our sample has 0.3 K. In URhSi 9.5 K was read."
    )
    found = find_quantities([text], title="Magnetization in URhSi")
    assert [each.standing for each in found] == ["cited", "cited", "measured", "measured"]


def test_no_formula_is_cut_where_one_looks_back() -> None:
    text = "Li_{0.2}(THF)_{0.3}SnSe_{2}" + " so it is said" * 60 + " at 5 K."
    cuts = {formulas_near(text, at, at + 3, reach=400) for at in range(700, len(text) - 4)}
    assert cuts <= {(), ("Li_{0.2}(THF)_{0.3}SnSe_{2}",)}


def test_lists_of_other_lengths_are_not_paired() -> None:
    sentence = "The values are 4.5 K and 7.1 K for MgB2, NbSe2 and V3Si, respectively."
    assert paired(sentence, [(15, 20, "temperature"), (25, 30, "temperature")]) in ({}, {25: "MgB2"})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1T-TaS_{2} and 2H-TaS_{2}; 1T crystals and the 3R polytype in 1 T.", ["1 T"]),
        ("The star HD 188753 A and the grant ANR 2008-048T, of 5 T.", ["5 T"]),
        ("The density is n = 4/A, where A is the cell area of 3 nm^{2}.", ["3 nm^{2}"]),
        (
            "1. A large number of sets. 2. A second set at 5 K. It approaches 0. As the sum, 5.2. K is it.",
            ["5 K"],
        ),
        ("With a factor 1/A it is x^{(3K)} in a term (1/2m)(p − A), at 5 K.", ["5 K"]),
        ("Sample 3 A was annealed at 900 K, and chain 12 V kept.", ["900 K"]),
    ],
)
def test_numbers_that_name_things_are_no_values(text: str, values: list[str]) -> None:
    assert [each.text for each in found_in(text)] == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It is 526 +/ − 2 Tesla.", {"526 +/ − 2 Tesla": 526}),
        ("An uncertainty of +/ − 0.8 Tesla.", {"0.8 Tesla": 0.8}),
        (
            "The rates are 0.023 and 0.018 (s^{-1} K^{-1}), the gap is 1.31(1) (meV).",
            {"0.023": 0.023, "0.018 (s^{-1} K^{-1})": 0.018, "1.31(1) (meV)": 1.31 * 1.602176634e-22},
        ),
        ("In a 9-T magnet a 30-nm-thick film was seen (Fig. 3).", {"9-T": 9.0, "30-nm": 3e-8}),
        ("The two phases have T_{c} = 60 (90) K.", {"60": 60.0, "90) K": 90.0}),
        ("The lattice has a = 3.77 (2) Å.", {"3.77 (2) Å": 3.77e-10}),
        (
            "A planet of 1.14 M_{Jup} at 0.03 AU, 450 pc away.",
            {
                "1.14 M_{Jup}": 1.14 * 1.8981245973360505e27,
                "0.03 AU": 0.03 * 149597870700.0,
                "450 pc": 450 * 3.0856775814913673e16,
            },
        ),
        ("It carries (1.2-2.4) × 10^{6} A/cm^{2}.", {"(1.2-2.4) × 10^{6} A/cm^{2}": 1.2e10}),
    ],
)
def test_units_as_printed(text: str, values: dict[str, float]) -> None:
    read = {each.text: each.value.si()[0] for each in found_in(text) if each.value is not None}
    assert read == pytest.approx(values, rel=1e-9)


def test_the_t_c_of_a_magnet_is_its_curie_temperature() -> None:
    text = "URhSi orders with a Curie temperature T_{C} of 10 K. From the plots T_{C} = 10.15 K is read."
    assert [each.name for each in found_in(text)] == ["curie_temperature"] * 2
    both = "The Curie temperature is 9 K. Superconductivity sets in at T_{C} = 0.6 K."
    assert [each.name for each in found_in(both)] == ["curie_temperature", "critical_temperature"]


def pages_of(path: Path, drawn: Sequence[Sequence[tuple[float, float, float, str]]]) -> list[Page]:
    canvas = Canvas(str(path), pagesize=A4)
    for page in drawn:
        for x, y, size, text in page:
            canvas.setFont("Helvetica", size)
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    with opened(str(path), path.name) as document:
        return list(read_pages(document, range(1, len(drawn) + 1)))


def test_rows_that_name_a_group_give_material_and_source_to_those_below(tmp_path: Path) -> None:
    rows = [
        ("", "Method", "Tc (K)", "Reference"), ("URhSi", "", "", "This work"), ("", "Arrott", "10.12", ""),
        ("", "Scaling", "10.15", ""), ("UGe2", "", "", "[18]"), ("", "Arrott", "52.60", ""),
        ("", "Scaling", "52.79", ""),
    ]  # fmt: skip
    drawn = [(72.0, 780.0, 10.0, "TABLE I. Transition temperatures of two compounds.")]
    for line, row in enumerate(rows):
        drawn += [(72.0 + 90 * x, 750.0 - 16 * line, 10.0, text) for x, text in enumerate(row) if text]
    pages = pages_of(tmp_path / "groups.pdf", [drawn])
    found = find_quantities([pages[0].text], areas=areas_of_all(pages))
    assert [(each.text, each.formulas[0], each.standing) for each in found] == [
        ("10.12", "URhSi", "measured"), ("10.15", "URhSi", "measured"),
        ("52.60", "UGe2", "cited"), ("52.79", "UGe2", "cited"),
    ]  # fmt: skip


def test_a_caption_cites_by_material() -> None:
    caption = "TABLE I. Transition temperatures. Values for UGe2 are from Ref. [18]. Those of URhSi are ours."
    assert list(cited_by_caption(caption)) == ["UGe2"]
    assert (
        is_group(["URhSi", "", "This work"])
        and not is_group(["URhSi", "10.5", ""])
        and not is_group(["a", "b"])
    )


def test_a_sentence_goes_on_behind_a_figure_on_the_next_page(tmp_path: Path) -> None:
    body = "The transition that is seen in all of our samples by resistance falls from 8.5 K at 0 GPa to 6.2 K at 1.9"
    pages = pages_of(
        tmp_path / "float.pdf",
        [
            [(72, 120, 10, body), (300, 40, 8, "4")],
            [
                (300, 800, 8, "5"),
                (72, 700, 8, "FIG. 4. Temperature dependence of the penetration depth in 60 mT."),
                (
                    72,
                    640,
                    10,
                    "GPa, while the gap that follows from the muon spectra is 1.31 meV in this state.",
                ),
            ],
        ],
    )
    assert going_on(*pages) is not None
    assert verify_quote(pages, "to 6.2 K at 1.9 GPa, while the gap that follows").status == "normalised"
    assert verify_quote(pages, "to 6.2 K at 1.9 mT, while the gap that follows").status == "not_found"
    texts, areas = [each.text for each in pages], areas_of_all(pages)
    found = {each.text: each for each in find_quantities(texts, areas=areas)}
    assert found["6.2 K"].conditions["pressure"] == "1.9 GPa" and found["1.9 GPa"].page == 1
    assert found["1.31 meV"].page == 2 and texts[1][found["1.31 meV"].start :].startswith("1.31 meV")
    assert found["60 mT"].source == "caption"


def test_what_a_caption_takes_from_others_is_cited(tmp_path: Path) -> None:
    """By its material, which the rows do not name, or with all of its values."""
    rows = [("Method", "Tc (K)", "p (GPa)"), ("Arrott", "52.60", "1.2"), ("Scaling", "52.79", "1.3")]
    for caption, standing in (
        ("TABLE I. Critical behaviour of UGe2 [18] near its transition.", "cited"),
        ("TABLE I. Transitions by two methods. Data taken from Ref. [18].", "cited"),
        ("TABLE I. Transitions by the method of Ref. [18] in UGe2.", "measured"),
        ("TABLE I. Transitions by two methods.", "measured"),
    ):
        drawn = [(72.0, 780.0, 10.0, caption)]
        for line, row in enumerate(rows):
            drawn += [(72.0 + 90 * x, 750.0 - 16 * line, 10.0, text) for x, text in enumerate(row)]
        pages = pages_of(tmp_path / "caption.pdf", [drawn])
        found = find_quantities([pages[0].text], areas=areas_of_all(pages))
        assert len(found) == 4 and {each.standing for each in found} == {standing}, caption


def test_the_first_words_of_a_caption_say_that_all_is_calculated(tmp_path: Path) -> None:
    lines = [
        "FIG. 1. (a) Calculated density of states. Note the width of 3 meV. (b) Density by tunnelling at 4 K.",
        "FIG. 2. Density by tunnelling. It is compared with a theory. Note the width of 5 meV.",
    ]
    pages = pages_of(
        tmp_path / "figures.pdf", [[(40, 700 - 60 * n, 9, line) for n, line in enumerate(lines)]]
    )
    found = find_quantities([pages[0].text], areas=areas_of_all(pages))
    assert [(each.text, each.standing) for each in found] == [
        ("3 meV", "calculated"), ("4 K", "measured"), ("5 meV", "measured"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "formula", "by"),
    [
        (
            "Bright dots lie on Bi_{2}Se_{3} surfaces. The lattice constant is 0.41 nm.",
            "Cu_{x}Bi_{2}Se_{3}",
            "title",
        ),
        ("Films of NbSe_{2} were seen [3]. Figure 2 shows a vortex at 0.2 T.", "Cu_{x}Bi_{2}Se_{3}", "title"),
        (
            "We take 249 GPa, in analogy with UB_{12} [19]. The rate is 2 s^{-1}.",
            "Cu_{x}Bi_{2}Se_{3}",
            "title",
        ),
        ("The film was grown on NbSe_{2}. Its gap is 1.1 meV.", "NbSe_{2}", "nearest"),
        ("In NbSe_{2} the gap is 1.1 meV, as our Fig. 2 shows.", "NbSe_{2}", "nearest"),
    ],
)
def test_the_title_goes_before_the_host_and_before_what_others_wrote(
    text: str, formula: str, by: str
) -> None:
    each = find_quantities([text], title="Superconductivity in Cu_{x}Bi_{2}Se_{3}")[-1]
    assert each.formulas[0] == formula and each.material_by.startswith(by)


MEASURED, CITED, CALCULATED = "measured", "cited", "calculated"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "It was found to be 11.3 K, in\nbest agreement with the bulk and in\ncontrast with a previous report [6].",
            MEASURED,
        ),
        ("Some contacts have gaps of 2.4 meV, similarly to the results of Ref. 9.", MEASURED),
        (
            "Samples were synthesized by reacting graphite (spread below 0.4 Å) for weeks at 350 K with an alloy [8].",
            MEASURED,
        ),
        ("Recent tunnel results claimed a gap of 40 meV, higher than that of others.", CITED),
        ("Here the volume is V = 2 nm^{3}, where W = 0.195 nm is that of a cell^{22}.", MEASURED),
        ("The coherence length is 11 nm, which is comparable to that of other compounds [24].", MEASURED),
        ("The path is 15 nm (with a surface of two nm as given by band structure^{13}).", MEASURED),
        ("The curves measured at 4 K are shown beside the calculated ones.", MEASURED),
        ("Following them we extrapolated the ratio in 35 K < T < 47 K to zero.", MEASURED),
        ("The sample was cooled down to 2 K and analyzed assuming a Gaussian distribution.", MEASURED),
        ("The separation is about 4 meV here, assuming Δ = 5 of the rest.", CALCULATED),
        ("By setting a = 1 and B as above\nwe obtain 5 kbar.", CALCULATED),
        ("This value is smaller than the experimentally observed one, 0.6 K.", MEASURED),
        ("The enhancement of 30 K is much larger than the experimental results.", CALCULATED),
        ("Recently, films with a sharp transition at 43 K were synthesized by using a press [10].", CITED),
        ("The noise of the diffractometer^{14} enables us to rule out more than 1 K.", MEASURED),
        ("A transition at 84 K is at odds with what is known of others^{19}.", MEASURED),
        ("The resistivity is 28 nm, which lies in between that of pure A and B [22].", MEASURED),
        ("The solid line is the fit (T_{c} = 6.16(1) K) with the tabulated data [15] of others.", MEASURED),
        ("The deviation of experimental points from the theoretical curve does not exceed 2 K.", MEASURED),
        ("C vs. T at low temperature (≤ 5 K). γ(H) is estimated from the extrapolation of data.", MEASURED),
        (
            "Taking a = 657 K and a coupling of b, the parameter can be had from the formula,^{19} which is long.",
            MEASURED,
        ),
        ("We measured fields up to 8 T, which was never reported in the literature earlier.", MEASURED),
        ("The data, presented in figure 3(b), verify the expected splitting at 129 K [23, 24].", MEASURED),
        ("Substitution is known to suppress the phase at 140 K.", CITED),
        ("Compounds with transitions as high as 56 K are much studied since their discovery.", CITED),
        ("NbC (T_{c} = 12 K) [301,303] and MoC were the first.", CITED),
        ("Very recently, we prepared crystals of it and found a transition at 1.0 K [5].", CITED),
        (
            "Superconductivity up to 40 K was a surprise in a compound which was in 2001 available in tons [34].",
            CITED,
        ),
        ("The axis is 3.692 Å^{22} here.", CITED),
        (
            "Right after that, it was\n\nreported that the transition rises to 43 K, suggesting more.^{4)}",
            CITED,
        ),
        (
            "Measurements up to 12 GPa were performed by a standard\n\ntechnique in a cell, respectively.^{8)}",
            MEASURED,
        ),
        ("The plateau at 1 GPa is not tied to the angle but rather to the height.^{4,7)}", CITED),
        ("An Allen–Dynes treatment yields a superconducting T_{c} ≈ 14 K.", CALCULATED),
        ("Strain raises it to 41.8 K; this enhancement was attributed to a mode [5].", CITED),
        ("The number can be had from the law [19] within an error of 10%.", MEASURED),
        ("We calculated the fields using the data from 0 to 7 T and the theory [16]: H = 134 T.", MEASURED),
        ("This is smaller than the grains of about 150 µm, reassuring that it is negligible [27].", MEASURED),
    ],
)
def test_whose_a_value_is_over_lines_comparisons_and_asides(text: str, expected: str) -> None:
    assert {each.standing for each in find_quantities([text])[:1]} == {expected}, find_quantities([text])


def test_marks_with_a_bracket_end_a_sentence() -> None:
    text = "It is close to those of the first report.^{10)} These reach 46.0 K at 4.15 GPa."
    assert [each.standing for each in find_quantities([text])] == [MEASURED, MEASURED]


def test_an_element_before_a_bracket_is_the_material_of_what_stands_in_it() -> None:
    text = "In Ag_{5}Pb_{2}O_{6} it is 11 nm, comparable to that of tungsten^{24} (ξ = 32 nm, T_{c} = 15 K)."
    assert [each.formulas[0] for each in find_quantities([text])] == [
        "Ag_{5}Pb_{2}O_{6}",
        "tungsten",
        "tungsten",
    ]


def test_a_line_that_goes_on_behind_an_empty_one_is_of_the_sentence() -> None:
    text = "The third are RbOs_{2}O_{6}\n\n(T_{c} = 6.3 K) [4] and CsOs_{2}O_{6} (T_{c} = 3.3 K) [8].\n\nIt is 5 K."
    found = find_quantities([text])
    assert [each.formulas[0] for each in found][:2] == ["RbOs_{2}O_{6}", "CsOs_{2}O_{6}"]
    assert [each.standing for each in found] == [CITED, CITED, MEASURED]


def test_a_number_and_its_unit_may_stand_on_lines_set_far_apart() -> None:
    assert [each.text for each in find_quantities(["It was seen at 12\n\nGPa.\n\n300\n\nT (K)"])] == [
        "12\n\nGPa"
    ]


@pytest.mark.parametrize(
    ("text", "title", "material"),
    [
        ("The structure is of the ZrCuSiAs-type with a = 0.403 nm.", "Pressure on LaFeAsO", "LaFeAsO"),
        ("LaFeAsO was put into a cell, which is of CuBe alloy, up to 29 GPa.", "", "LaFeAsO"),
        (
            "Powdered NaCl as a\npressure-transmitting medium went to 29 GPa.",
            "Pressure on LaFeAsO",
            "LaFeAsO",
        ),
        (
            "Films of FeTe_{0.65}Se_{0.35} were made. The thickness of our films is 15 nm.",
            "Inhomogeneous FeTe_{1-x}Se_{x}",
            "FeTe_{0.65}Se_{0.35}",
        ),
        ("In NaxCoO2 water between its CoO_{2} sheets, brings 4.5 K.", "", "NaxCoO2"),
        ("The Fe_{1−x}TM_{x}As was sintered at 700 K.", "", "Fe_{1−x}TM_{x}As"),
        ("The T_{c} ofLi(Fe_{1−x}Cu_{x})As is lowered to 3 K.", "", "Li(Fe_{1−x}Cu_{x})As"),
    ],
)
def test_types_cells_and_media_are_no_material_and_a_member_of_a_series_is_one(
    text: str, title: str, material: str
) -> None:
    assert [each.formulas[0] for each in find_quantities([text], title=title)] == [material]


def test_what_was_named_beside_the_material_of_the_title_is_not_what_goes_on() -> None:
    text = "No order was found neither in LiFeP nor in LiFeAs. The width of the transition is constant up to 2.25 GPa."
    assert find_quantities([text], title="Phase diagram of LiFeP")[0].formulas[0] == "LiFeP"
    text = "For LiFeP a = 3.692 Å^{22} compared to a = 3.670 Å, c = 6.108 Å for LiFeAs at 6.54 GPa.^{23}"
    found = find_quantities([text], title="Phase diagram of LiFeP")
    assert [each.formulas[0] for each in found] == ["LiFeP", "LiFeAs", "LiFeAs", "LiFeAs"]
    assert {each.standing for each in found} == {CITED}
    text = "The angle is 109.92 K for LiFeP, of which β = 3 K while LiFeAs has more."
    assert [each.formulas[0] for each in find_quantities([text])] == ["LiFeP", "LiFeP"]
