"""Tables as laboratories and databases give them: workbooks, one line a value, samples in columns, languages."""

from __future__ import annotations

import io
from pathlib import Path

import openpyxl
import pytest

from labrig.errors import LabrigError
from labrig_phreeqc.server import toolbox
from labrig_phreeqc.waters.analysis import solution_block
from labrig_phreeqc.waters.columns import Stated
from labrig_phreeqc.waters.headings import recognised
from labrig_phreeqc.waters.layouts import CODES
from labrig_phreeqc.waters.table import Table, read_table
from labrig_phreeqc.waters.workbook import choose_sheet
from support.old_workbook import old_workbook

WQP = """ActivityIdentifier,ActivityStartDate,ActivityStartTime/Time,MonitoringLocationIdentifier,\
ResultDetectionConditionText,CharacteristicName,ResultSampleFractionText,ResultMeasureValue,\
ResultMeasure/MeasureUnitCode,MethodSpecificationName,DetectionQuantitationLimitMeasure/MeasureValue,\
DetectionQuantitationLimitMeasure/MeasureUnitCode
nw1,2015-05-06,10:10:00,USGS-1,,pH,,7.4,std units,,,
nw1,2015-05-06,10:10:00,USGS-1,,"Temperature, water",,18.2,deg C,,,
nw1,2015-05-06,10:10:00,USGS-1,,Calcium,Dissolved,40.078,mg/l,,,
nw1,2015-05-06,10:10:00,USGS-1,,Calcium,Dissolved,41,mg/l,,,
nw1,2015-05-06,10:10:00,USGS-1,,Alkalinity,Dissolved,100.0869,mg/l CaCO3,,,
nw1,2015-05-06,10:10:00,USGS-1,,Nitrate,Dissolved,14.0067,mg/l,as N,,
nw1,2015-05-06,10:10:00,USGS-1,Not Detected,Bromide,Dissolved,,,,79.904,mg/l
nw1,2015-05-06,10:10:00,USGS-1,,Atrazine,Dissolved,0.02,ug/l,,,
nw1,2015-05-06,10:10:00,USGS-1,,Specific conductance,Total,480,uS/cm @25C,,,
nw2,2015-06-06,10:10:00,USGS-1,,Calcium,Dissolved,80.156,mg/l,,,
"""
NWIS = """# comments, with, many, commas, before, the, heading
#
agency_cd\tsite_no\tsample_dt\tparm_cd\tremark_cd\tresult_va
5s\t15s\t10d\t5s\t1s\t12s
USGS\t03339000\t2004-02-03\t00400\t\t7.9
USGS\t03339000\t2004-02-03\t00010\t\t4.5
USGS\t03339000\t2004-02-03\t00915\t\t40.078
USGS\t03339000\t2004-02-03\t39086\t\t100.0869
USGS\t03339000\t2004-02-03\t71870\t<\t79.904
"""
ADES = """code_bss;nom_param;code_param;date_debut_prelevement;resultat;symbole_unite;code_remarque_analyse
07548X0009/F;Calcium;1374;2012-03-04;40,078;mg/L;1
07548X0009/F;Hydrogénocarbonates;1327;2012-03-04;122,034;mg(HCO3)/L;1
07548X0009/F;Nitrates;1340;2012-03-04;62,0049;mg(NO3)/L;1
07548X0009/F;Bromures;6505;2012-03-04;79,904;mg(Br)/L;10
07548X0009/F;Potentiel en Hydrogène (pH);1302;2012-03-04;7,35;unité pH;1
07548X0009/F;Température de l'Eau;1301;2012-03-04;13,1;°C;1
07548X0009/F;Conductivité à 25°C;1303;2012-03-04;480;µS/cm;1
"""
AMOUNTS = {"Ca": 1.0, "Alkalinity": 2.0, "N(5)": 1.0, "Br": 0.5}
"""mmol/L (meq/L) in each of these."""


def amounts(table: Table) -> dict[str, float]:
    water = table.waters[0].analysis
    return {name: round(each.amount, 3) for name, each in water.constituents.items()}


@pytest.mark.parametrize("text", [WQP, NWIS, ADES], ids=["WQP", "NWIS", "ADES"])
def test_one_line_a_value(text: str) -> None:
    table = read_table(text)
    found = amounts(table)
    assert found == {name: pytest.approx(AMOUNTS[name], rel=2e-3) for name in found}
    assert len(found) >= 3
    assert table.waters[0].analysis.constituents["Br"].censored
    assert any(note.startswith("one line a value") for note in table.notes)


def test_what_a_long_table_has_besides_is_said() -> None:
    table = read_table(WQP)
    assert [water.analysis.sample for water in table.waters] == [
        "USGS-1 2015-05-06 10:10:00",
        "USGS-1 2015-06-06 10:10:00",
    ]
    assert table.waters[0].checks["conductivity"] == 480
    notes = " | ".join(table.notes)
    assert "left out: 1 (Atrazine" in notes
    assert "stand twice for a sample and differ: 1" in notes
    assert table.waters[1].analysis.unmeasured == ("pH", "temperature")


def test_every_code_has_a_heading_that_is_read() -> None:
    assert [heading for heading in CODES.values() if not recognised(heading)] == []


@pytest.mark.parametrize("units", [True, False])
def test_samples_in_columns(units: bool) -> None:
    rows = [
        ("Parameter", "Unit", "Well 1", "Well 2"),
        ("Date", "", "2020-01-01", "2020-01-02"),
        ("pH", "-", "7.2", "7.4"),
        ("Temperature", "°C", "12", "13"),
        ("Calcium", "mg/L", "40.078", "80.156"),
        ("Bicarbonate", "mg/L", "122.034", "<5"),
        ("Chloride", "mg/L", "35.453", "20"),
    ]
    lines = [row if units else (f"{row[0]} ({row[1]})" if row[1] else row[0], *row[2:]) for row in rows]
    table = read_table("\n".join(",".join(line) for line in lines))
    assert [water.analysis.sample for water in table.waters] == ["Well 1", "Well 2"]
    assert amounts(table) == {"Ca": 1.0, "Alkalinity": 2.0, "Cl": 1.0}
    assert any("samples are in columns" in note for note in table.notes)


@pytest.mark.parametrize(
    "heading",
    [
        "Messstelle;pH-Wert;Wassertemperatur [°C];el. Leitfähigkeit bei 25°C [µS/cm];Calcium [mg/l];"
        "Hydrogencarbonat [mg/l]",
        "Forage;pH;Température de l'eau (°C);Conductivité à 25°C (µS/cm);Calcium (mg/L);Hydrogénocarbonates (mg/L)",
        "Muestra;pH;Temperatura del agua (°C);Conductividad eléctrica (µS/cm);Calcio (mg/L);Bicarbonatos (mg/L)",
        "样品编号;pH值;水温(℃);电导率(µS/cm);钙离子(mg/L);重碳酸根(mg/L)",
        "采样点;pH值;水温(℃);电导率(µS/cm);钙(毫克/升);碳酸氢根(毫克/升)",
    ],
    ids=["de", "fr", "es", "zh", "zh units"],
)
def test_headings_in_other_languages(heading: str) -> None:
    table = read_table(f"{heading}\nA;7,4;12,5;480;40,078;122,034")
    (water,) = table.waters
    assert (water.analysis.sample, water.analysis.pH, water.analysis.temperature) == ("A", 7.4, 12.5)
    assert water.checks["conductivity"] == 480
    assert amounts(table) == {"Ca": 1.0, "Alkalinity": 2.0}


@pytest.mark.parametrize(
    "heading",
    ["Ca diss. conc.", "Kalzium", "Natriumm mg", "Calciumgehalt", "SO4 by turbidimetry", "Mg-Ion Lab 3"],
)
def test_no_column_that_names_an_ion_is_text_without_a_word(heading: str) -> None:
    table = read_table(f"Sample,pH,Temp (C),Cl (mg/L),{heading}\nA,7,20,35.453,1\n")
    column = table.columns[4]
    assert column.role == "left out" and column.why


def test_a_column_of_units_says_the_unit_of_the_others() -> None:
    text = "solution,units,temp,pH,Ca,Cl (mmol/L)\nA,mg/L,12,7,40.078,2\nB,{},12,7,40.078,2\n"
    table = read_table(text.format("mg/L"))
    assert amounts(table) == {"Ca": 1.0, "Cl": 2.0}
    assert "units says mg/L in every row, for columns without a unit" in table.notes
    assert "Ca" not in amounts(read_table(text.format("mmol/L")))


def test_a_unit_by_argument_does_not_replace_another_of_the_heading() -> None:
    table = read_table(
        "Sample,pH,Temp (C),Ca (mmol/L),Cl\nA,7,20,1,2\n",
        stated=Stated("mg/L", units={"Ca (mmol/L)": "mg/L"}),
    )
    assert table.columns[3].why == "its heading says mmol/L, the argument mg/L"
    assert table.columns[4].said == "mg/L as Cl"


def test_a_long_table_of_other_things_names_them() -> None:
    text = "Sample_No,Date,Sample_Point,Measure,Result,Units\n1,2069-01-01,ME,E. coli,0,Orgs/100mL\n"
    with pytest.raises(LabrigError, match="No parameter of the table") as refused:
        read_table(text)
    assert "E. coli" in refused.value.where


def workbook(**sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


@pytest.mark.accept
async def test_a_workbook_through_the_front_door(tmp_path: Path, databases: Path) -> None:
    from fastmcp import Client

    from labrig.serving.builder import build
    from labrig.toolbox import ServeOptions

    heading = ["Sample", "pH", "Temp (°C)", "Ca (mg/L)", "HCO3 (mg/L)"]
    data = workbook(
        Notes=[["a laboratory's words"]],
        May=[["Report 7"], [], heading, ["W1", 7.4, 12.5, 40.078, 122.034]],
        June=[heading, ["W2", 7.5, 12.5, 80.156, 244]],
    )
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "lab.xlsx").write_bytes(data)
    async with Client(build(toolbox, ServeOptions(workspace=tmp_path / "w"))) as client:

        async def survey(**more: str) -> dict[str, object]:
            result = await client.call_tool_mcp("speciate_waters", {"path": "lab.xlsx"} | more)
            structured: dict[str, object] = result.structured_content or result.meta["labrig"]["error"]
            return structured

        one = await survey()
        assert one["data"]["table"]["rows"][0][:3] == ["W1", 7.4, 0.0]  # type: ignore[index]
        assert "sheet 'May' is read; give sheet= for 'June'" in one["warnings"]  # type: ignore[operator]
        other = await survey(sheet="June")
        assert other["data"]["table"]["rows"][0][0] == "W2"  # type: ignore[index]
        assert "did you mean June" in str(await survey(sheet="Juni"))
        (tmp_path / "w" / "lab.xls").write_bytes(
            old_workbook({"May": [heading, ["W3", 7.4, 12.5, 40.1, 122.0]]})
        )
        old = await survey(path="lab.xls")
        assert old["data"]["table"]["rows"][0][:2] == ["W3", 7.4]  # type: ignore[index]


def test_a_workbook_without_a_table_is_refused() -> None:
    with pytest.raises(LabrigError, match="No sheet"):
        choose_sheet({"Notes": [["a", "b"]], "Empty": []})


def test_cells_that_a_workbook_lacks_at_the_end_of_a_row_are_empty() -> None:
    rows = [
        ["Sample", "pH", "Temp (C)", "Ca (mg/L)", "Cl (mg/L)", "Remark"],
        ["A", "7", "20", "40", "20"],
        [],
    ]
    _, text, _ = choose_sheet({"May": rows})
    (water,) = read_table(text).waters
    assert {name: each.amount for name, each in water.analysis.constituents.items()}.keys() == {"Ca", "Cl"}


def test_columns_named_by_codes_of_nwis() -> None:
    """As the wide form of NWIS has them: p and the code of the parameter, r and the same for the remark."""
    wide = (
        "site_no\tsample_dt\tp00010\tp00400\tp00915\tp00940\tr00945\tp00945\tp29801\tp99999\n"
        "5s\t10d\t12s\t12s\t12s\t12s\t1s\t12s\t12s\t12s\n"
        "03339000\t2004-02-03\t4.5\t7.9\t40.078\t35.453\t<\t9.6\t100.0869\t3\n"
    )
    plain = (
        "site_no,Temperature (degC),pH,Calcium (mg/L),Chloride (mg/L),Sulfate (mg/L),Alkalinity (mg/L as CaCO3)\n"
        "03339000,4.5,7.9,40.078,35.453,<9.6,100.0869\n"
    )
    found, same = read_table(wide), read_table(plain)
    (water,), (other,) = found.waters, same.waters
    assert solution_block(water.analysis, 1) == solution_block(other.analysis, 1)
    assert any("p00010 is Temperature (degC)" in note for note in found.notes)
    assert [column.header for column in found.columns if column.header.startswith("r0")] == []
