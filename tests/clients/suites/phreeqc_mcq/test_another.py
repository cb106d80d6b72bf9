"""phreeqc-mcq and phreeqc-basics: the second solution, and the questions of their fixtures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fastmcp import Client

from labrig.serving.builder import build
from labrig_harness import suites
from labrig_harness.sample import Sample
from labrig_harness.suite import Unsolvable
from labrig_phreeqc.server import toolbox
from labrig_suites import phreeqc_basics
from labrig_suites.phreeqc_mcq import another, fixtures, items
from labrig_suites.phreeqc_mcq.scenario import Printed
from labrig_suites.phreeqc_mcq.stems import STEMS
from support.solved import answer_of, other_digits

PROMPT = "What?\n\nA. 1.000 mol\nB. 1.020 mol\nC. pH 7.28\nD. -2.5e-3 µmol/kg water\n"
RUN = "status: ok\nselected output 7: t.tsv\nresult.out: 9 characters, 1 lines\n"


def solved(where: Printed, table: str, *, state: int = -1, build: str = "", run: str = RUN) -> str:
    """Return the letter that a table gives."""
    solution = another.by_table(build, "phreeqc.dat", where, state, PROMPT)
    results = ["Wrote", "Wrote", run, table]
    assert solution.calls[3].bind(results)["path"] == "t.tsv"
    return solution.answer(results)


def test_every_quantity_of_every_stem_has_columns() -> None:
    places = {
        (
            each.printed,
            "INVERSE_MODELING\n    -solutions 1 2\n    -phases\n        Calcite\n        CO2(g)\n        NaX\n",
        )
        if stem.topic == "inverse modelling"
        else (each.printed, "")
        for stem in STEMS
        for each in stem.quantities
    }
    assert len(places) > 80
    for where, text in places:
        calls = another.by_table(text, "phreeqc.dat", where, -1, PROMPT).calls
        assert "SELECTED_OUTPUT 7\n    -reset false\n" in calls[1].bind([])["content"]
    with pytest.raises(Unsolvable, match="no column"):
        another.by_table("", "phreeqc.dat", Printed("Beginning of time", "pH"), -1, PROMPT)


@pytest.mark.parametrize(
    ("where", "cells", "letter"),
    [
        (Printed("Solution composition", "Ca"), "1.004e+00", "A"),
        (Printed("Solution composition", "Ca", scale=1e-3), "1021", "B"),
        (Printed("Solution composition", "C", 1), "0.5\t2.04", "B"),  # molality times water
        (Printed("Description of solution", "Activity of water ="), "0.00001", "A"),  # its logarithm
        (Printed("Exchange composition", "CaX2", 1), "1\t0.5", "A"),  # two sites each
        (Printed("Exchange composition", "NaY", 2), "2\t2.04", "B"),  # a part of all sites
        (Printed("Gas phase", "CO2(g)", 1), "2.04\t4\t9\t2", "B"),  # its share of the pressure
        (Printed("Distribution of species", "Zn", counted=True), "Zn+2\t", "A"),
        (Printed("Saturation indices", "Calcite"), "-2.501e-3", "D"),
    ],
)
def test_a_value_is_made_of_the_cells_of_a_row(where: Printed, cells: str, letter: str) -> None:
    assert solved(where, f"heading\n9\t9\t9\t9\n{cells}\n") == letter
    assert solved(where, f"heading\n{cells}\n9\t9\t9\t9\n", state=-2) == letter


@pytest.mark.parametrize(
    "table",
    ["", "heading\n", "heading\nx\n", "heading\nnan\n", "heading\n1.0101\n", "heading\n\n", "heading\n900\n"],
)
def test_a_table_without_the_value_is_unsolvable(table: str) -> None:
    with pytest.raises(Unsolvable):
        solved(Printed("Solution composition", "Ca"), table)


@pytest.mark.parametrize("run", ["", "status: input_error\nselected output 7: t.tsv\n", "status: ok\n"])
def test_a_run_that_left_no_table_is_unsolvable(run: str) -> None:
    solution = another.by_table("", "phreeqc.dat", Printed("Solution composition", "Ca"), -1, PROMPT)
    with pytest.raises(Unsolvable, match="no run"):
        solution.calls[3].bind(["", "", run])
    with pytest.raises(Unsolvable, match="no run"):
        solution.answer(["", "", run, "heading\n1.000\n"])


@pytest.mark.parametrize(
    ("name", "sample"),
    [("phreeqc-mcq", fixtures.sample()), ("phreeqc-basics", phreeqc_basics.fixtures.sample())],
    ids=lambda each: each if isinstance(each, str) else "",
)
async def test_both_solutions_give_the_key_of_the_fixtures(
    name: str, sample: Sample, private_home: Path, tmp_path: Path
) -> None:
    suite = suites.load(name)
    arm = suite.arm()
    async with Client(build(toolbox, replace(arm.serve, workspace=tmp_path))) as client:
        for solve in (suite.solution, suite.another):
            assert solve is not None
            solution = solve(sample, arm)
            last = len(solution.calls) - 1
            assert await answer_of(client, solution) == sample.truth["answer"]
            assert await answer_of(client, solution, other_digits, last) != sample.truth["answer"]


def test_the_question_of_the_fixtures_is_one_that_a_file_may_hold() -> None:
    sample = fixtures.sample()
    assert items.from_row(json.loads(json.dumps(items.row(sample)))) == sample
