"""How tests are spread over workers: what shares a rig stays together, the longest begin first."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from support import spread
from support.places import PROJECT
from support.spread import APART, ATTACKS, PLANTED, SECONDS, Spread, shared_by


class Worker:
    """What a scheduler knows of a worker."""

    def __init__(self, name: str) -> None:
        self.gateway, self.shutting_down = SimpleNamespace(id=name), False
        self.sent: list[int] = []

    def send_runtest_some(self, indices: Sequence[int]) -> None:
        self.sent += indices

    def shutdown(self) -> None:
        self.shutting_down = True


def ran(tests: list[str], workers: int = 2) -> list[list[str]]:
    """Let workers run tests, each as long as the others, and return what each ran."""
    asked = SimpleNamespace(
        getvalue=lambda _: [f"{workers}*popen"], option=SimpleNamespace(loadscopereorder=True)
    )
    scheduler, made = Spread(asked), [Worker(str(number)) for number in range(workers)]  # type: ignore[arg-type]
    nodes: list[Any] = list(made)
    for node in nodes:
        scheduler.add_node(node)
    for node in nodes:
        scheduler.add_node_collection(node, tests)
    scheduler.schedule()
    done = dict.fromkeys(range(workers), 0)
    while any(done[number] < len(each.sent) for number, each in enumerate(made)):
        for number, each in enumerate(made):
            if done[number] < len(each.sent):
                scheduler.mark_test_complete(nodes[number], each.sent[done[number]])
                done[number] += 1
    return [[tests[index] for index in each.sent] for each in made]


def test_every_test_runs_once_and_those_of_a_file_in_one_worker() -> None:
    tests = [f"tests/{file}.py::test_{number}" for file in "abcdef" for number in range(5)]
    found = ran(tests)
    assert sorted(found[0] + found[1]) == tests
    assert not {each.partition("::")[0] for each in found[0]} & {each.partition("::")[0] for each in found[1]}


def test_the_longest_begin_first() -> None:
    short = [f"tests/short.py::test_{number}" for number in range(20)]
    pages = [f"{APART[0]}::test_examples_work[{page}.md]" for page in "ab"]
    attacks = [
        f"{ATTACKS}::test_the_server_stands[{server}-HTTP-x{n}]"
        for server in ("earth", "atlas")
        for n in range(40)
    ]
    found = ran([*short, *pages, *attacks])
    assert [each[0] for each in found] == [attacks[0], attacks[40]]
    assert sorted(found[0] + found[1]) == sorted([*short, *pages, *attacks])


def test_what_waits_for_one_lock_shares_a_worker() -> None:
    assert len({shared_by(f"{file}::test_x") for file in PLANTED}) == 1


def test_files_that_are_named_are_there() -> None:
    assert [file for file in (*SECONDS, *APART, *PLANTED) if not (PROJECT / file).is_file()] == []
    assert spread.seconds(f"{ATTACKS}::earth", 10) > spread.seconds("tests/x.py", 10)
