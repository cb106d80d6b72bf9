"""The hard tier: truths that a second program finds from the files alone, switches that act, exact gaps."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from labrig.errors import LabrigError
from labrig_repository.gym.hard import levels
from labrig_repository.gym.hard.campaign import HardRepository, open_hard
from labrig_repository.gym.hard.levels import SWITCHES, Levels, chosen, usual
from labrig_repository.gym.hard.plan import GAPS, KINDS, Gap, Kind, fate, plan
from labrig_repository.gym.repository import open_any
from labrig_suites.science_gym.hard import asking, truth
from support.hard_gym import agrees, asked, solved

EVERY = [(kind, gap) for kind in KINDS for gap in ("", *GAPS[kind])]
NONE, SMALL = Levels("0" * len(SWITCHES)), chosen({"files": 0})
SIZES = [pytest.param(SMALL, id="8 files"), pytest.param(usual(), id="30 files", marks=pytest.mark.accept)]
ONE_BY_ONE = [
    (each.name, level) for each in SWITCHES for level in range(len(each.levels)) if level != each.usual
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("kind", "gap"), EVERY)
def test_the_files_alone_give_the_truth(kind: Kind, gap: Gap, size: Levels) -> None:
    repository, expected = asked(kind, gap, levels=size)
    assert expected.reason == gap
    assert agrees(expected, solved(repository)), repository.name


@pytest.mark.parametrize("kind", ["difference", "test", "window"])
def test_a_folder_without_difficulties_has_the_truth_too(kind: Kind) -> None:
    repository, expected = asked(kind, levels=NONE)
    assert agrees(expected, solved(repository)), repository.name


@pytest.mark.accept
@pytest.mark.parametrize(("name", "level"), ONE_BY_ONE)
def test_the_files_give_the_truth_at_each_level(name: str, level: int) -> None:
    if (name, level) in (("rows", 3), ("files", 3)):
        pytest.skip("in the soak")
    turn = ONE_BY_ONE.index((name, level))
    for kind in (KINDS[(turn + step) % len(KINDS)] for step in (0, 2, 3)):
        repository, expected = asked(kind, number=turn, levels=chosen({name: level}))
        assert agrees(expected, solved(repository)), repository.name


def test_rules_say_what_comes_first_and_decoys_are_no_sign() -> None:
    """As strangers asked: limits before corrections, what tells no unit, visits and columns that are not all alike."""
    plans = [plan(number, usual()) for number in range(1, 40)]
    text = HardRepository(plans[0]).read("README.md").decode()
    assert (
        "before any correction" in text
        and "neither `base_unit` in `meta/columns.csv` nor this text tells it" in text
    )
    assert all(len({visit.rows for visit in each.visits}) > 3 for each in plans)
    untold = [len(each.loggers[0].untold) for each in plans if each.gap != "no unit"]
    assert {*untold} == {1, 2}
    outside = [any(visit.untold for visit in each.visits) for each in plans if each.gap == ""]
    assert {*outside} == {True, False}  # gaps that the question does not touch


def test_a_changed_file_changes_the_answer() -> None:
    def shifted(path: str, text: str) -> str:
        """Return a table whose every number has another last digit."""
        if "data/" not in path:
            return text
        return re.sub(
            r"(?<=[,;\n])\d+(\.\d+)?(?=[,;\n])",
            lambda cell: f"{cell[0][:-1]}{(int(cell[0][-1]) + 4) % 10}",
            text,
        )

    kinds: tuple[Kind, ...] = ("summary", "difference", "ratio")
    for kind in kinds:
        repository, expected = asked(kind, levels=SMALL)
        assert not agrees(expected, solved(repository, shifted)), repository.name


@pytest.mark.parametrize(
    ("rule", "forgotten", "kind"),
    [
        ("meta/withdrawn.csv", "what,code,reason\n", "count"),
        ("meta/withdrawn.csv", "what,code,reason\n", "check"),
        ("meta/maintenance.csv", "visit,from,to\n", "count"),
        ("CHANGES.md", "", "difference"),
    ],
)
def test_a_rule_that_is_passed_over_changes_an_answer(rule: str, forgotten: str, kind: Kind) -> None:
    """A list that is read as if it were empty leaves another answer, for one question of three at least."""
    assert any(
        not agrees(expected, solved(repository, lambda path, text: forgotten if path == rule else text))
        for repository, expected in (asked(kind, number=number) for number in range(3))
    )


def test_the_question_of_a_number_is_the_same_at_every_level() -> None:
    base = plan(606147093, usual())
    for each in SWITCHES:
        other = plan(606147093, chosen({each.name: 0}))
        assert (other.world, other.ask.term, other.ask.kind) == (base.world, base.ask.term, base.ask.kind)
        assert other.id != base.id and open_hard(other.id).plan == other


@pytest.mark.parametrize("switch", SWITCHES, ids=lambda each: str(each.name))
def test_each_level_of_a_switch_changes_the_files(switch: levels.Switch) -> None:
    def content(level: int) -> list[tuple[str, bytes]]:
        settings = {each.name: each.usual for each in SWITCHES if each.name not in ("rows", "files")}
        found = HardRepository(plan(7, chosen({**settings, switch.name: level})))
        return [(path, found.read(path)) for path in found.paths()[:12]]

    if switch.name == "steps":  # of the question, not of the files
        conditions = [
            max(len(plan(number, chosen({"steps": level})).ask.conditions) for number in range(1, 60))
            for level in range(3)
        ]
        assert conditions == [1, 2, 3]
        return
    several = [content(level) for level in range(min(len(switch.levels), 3))]
    assert all(one != other for one, other in pairwise(several))


def test_without_difficulties_the_files_are_plain() -> None:
    repository = HardRepository(plan(7, NONE))
    assert {path.partition("/")[0] for path in repository.paths()} == {"README.md", "data", "meta"}
    for path in repository.paths():
        if path.startswith("data/"):
            head, *rows = repository.read(path).decode().splitlines()
            assert all(len(row.split(",")) == len(head.split(",")) and all(row.split(",")) for row in rows)
            assert re.match(r"V\d+-\d+,\d{4}-\d\d-\d\d \d\d:\d\d,", rows[0])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if GAPS[kind]])
def test_a_gap_leaves_the_question_as_it_was(kind: Kind) -> None:
    """Without its gap the same repository is asked the same, and has an answer."""
    for gap in GAPS[kind]:
        repository, _ = asked(kind, gap)
        whole = HardRepository(plan(repository.plan.number, repository.plan.levels, whole=True))
        assert whole.plan.ask == repository.plan.ask
        assert asking.answered(whole).kind in ("number", "integer")
        with pytest.raises(truth.NotPossible, match=gap):
            truth.answer(repository)


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("isg/hard-1:118", "not an id"),
        ("isg/hard-2:118-3223322221111", "Version 2"),
        ("isg/hard-1:118-9223322221111", "missing has no level 9"),
        ("isg/hard-1:118-3223322221123", "more than a million rows"),
        ("isg/hard-1:0-3223322221111", "not an id"),
    ],
)
def test_what_is_no_id_is_refused(id: str, said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        open_any(id)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"missing": 4}, "missing has no level 4"),
        ({"mising": 1}, "mising"),
        ({"rows": 3, "files": 2}, "rows=3"),
        ({"missing": "x"}, "no level x"),
    ],
)
def test_a_wrong_setting_is_refused(settings: dict[str, int], said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        chosen(settings)


def test_a_set_is_dealt_evenly_and_so_is_its_beginning() -> None:
    for count in (14, 125, 1000):
        dealt = asking.deals("a seed", count)
        kinds = [sum(kind == each for each, _ in dealt) for kind in KINDS]
        assert max(kinds) - min(kinds) <= 1
        impossible = sum(bool(gap) for _, gap in dealt)
        assert abs(impossible - count * 6 / 21) <= 7
    assert {gap for kind, gap in dealt} == {"", *(gap for gaps in GAPS.values() for gap in gaps)}
    assert all(fate(asked(kind, gap)[0].plan.number) == (kind, gap) for kind, gap in EVERY)
