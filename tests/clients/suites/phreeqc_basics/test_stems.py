"""Reading stems.toml: what is written is what is meant, and what cannot be meant is refused where it stands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_suites.phreeqc_basics.stems import Mistake, edited, read, stems
from support.places import PROJECT

STEM = """\
[[stem]]
name = "salt"
question = \"\"\"
How salty
is it?\"\"\"
build = '''
SOLUTION 1
    units mmol/kgw
    Na 1
    Cl 1
END
'''
quantity = "mol/kg water"
punch = "MU"
printed = { section = "Description of solution", row = "Ionic strength (mol/kgw)" }

[stem.mistakes]
"chloride left out" = { without = ["Cl 1"] }
"mmol taken as mg" = { edits = [["mmol", "mg"]] }
"read the state before" = { row = -2 }
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "stems.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_stem_is_read_as_it_is_written(tmp_path: Path) -> None:
    (stem,) = read(written(tmp_path, STEM))
    assert (stem.name, stem.question, stem.quantity) == ("salt", "How salty is it?", "mol/kg water")
    assert (stem.row, stem.database, stem.printed.column, stem.printed.scale) == (-1, "phreeqc.dat", 0, 1.0)
    builds = {diagnosis: edited(stem, mistake) for diagnosis, mistake in stem.mistakes.items()}
    right = "SOLUTION 1\n    units mmol/kgw\n    Na 1\n    Cl 1\nEND\n"
    assert edited(stem, Mistake()) == stem.build == right
    assert builds == {
        "chloride left out": "SOLUTION 1\n    units mmol/kgw\n    Na 1\nEND\n",
        "mmol taken as mg": "SOLUTION 1\n    units mg/kgw\n    Na 1\n    Cl 1\nEND\n",
        "read the state before": right,
    }
    assert [mistake.row for mistake in stem.mistakes.values()] == [None, None, -2]


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('punch = "MU"', 'punhc = "MU"', ["stem salt: punch: is missing", "stem salt: punhc: is unknown"]),
        ('punch = "MU"', "", ["stem salt: punch: is missing"]),
        ('row = "Ionic strength (mol/kgw)"', "column = 1", ["stem salt: printed: row: is missing"]),
        ('row = "Ionic', 'rwo = 1, row = "Ionic', ["stem salt: printed: rwo: is unknown"]),
        ("printed = {", "# {", ["stem salt: printed: is missing"]),
        ("{ row = -2 }", "{ rwo = -2 }", ["stem salt: mistakes: read the state before: rwo: is unknown"]),
        ("{ row = -2 }", '{ row = "-2" }', ["read the state before: row: ", "integer"]),
        ('[["mmol", "mg"]]', '[["mmol"]]', ["stem salt: mistakes: mmol taken as mg: edits: 0"]),
        ('[["mmol", "mg"]]', '[["mol/L", "mg"]]', ["mmol taken as mg: edits: 'mol/L'", "once, not 0 times"]),
        ('[["mmol", "mg"]]', '[["1", "2"]]', ["mmol taken as mg: edits: '1'", "once, not 3 times"]),
        ('["Cl 1"]', '["Cl"]', ["stem salt: mistakes: chloride left out: without: 'Cl'", "not 0 times"]),
        ("    Na 1\n", "    Cl 1\n", ["stem salt: mistakes: chloride left out: without: 'Cl 1'", "2 times"]),
        ('name = "salt"\n', "", ["stem 1: name: is missing"]),
        ('name = "salt"', "name = 1979-05-27", ["stem 1979-05-27: name: ", "string"]),
        ("[[stem]]", "title = 1\n[[stem]]", ["title: is unknown"]),
        ("[[stem]]", STEM + "[[stem]]", ["stem salt: is there 2 times"]),
        ("[[stem]]", "[[stem]", ["This is not TOML", "line 1"]),
        ("build = '''", "build = ''", ["This is not TOML", "line 7"]),
        ("[stem.mistakes]", "[mistakes]", ["stem salt: mistakes: is missing", "mistakes: is unknown"]),
    ],
)
def test_what_cannot_be_meant_is_refused_where_it_stands(
    tmp_path: Path, right: str, wrong: str, said: list[str]
) -> None:
    assert right in STEM
    path = written(tmp_path, STEM.replace(right, wrong, 1))
    with pytest.raises(LabrigError) as refused:
        read(path)
    assert refused.value.where == "stems.toml"
    for each in said:
        assert each in refused.value.what


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stems.toml"
    path.write_bytes(STEM.replace("salty", "s\xe4lty").encode("latin-1"))
    with pytest.raises(LabrigError, match="This is not TOML"):
        read(path)


def test_the_page_shows_a_stem_of_the_suite(tmp_path: Path) -> None:
    page = (PROJECT / "docs/suites/phreeqc-basics.md").read_text(encoding="utf-8")
    (shown,) = read(written(tmp_path, page.split("```toml\n")[1].split("```")[0]))
    (stem,) = (each for each in stems() if each.name == shown.name)
    assert shown.mistakes.items() <= stem.mistakes.items()
    assert replace(shown, mistakes=stem.mistakes) == stem
