"""What others published, in the files that they published it in; limits that depend on arm and sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig_harness.agent import AgentSpec
from labrig_harness.records.items_file import published_rows
from labrig_harness.run.plan import RunPlan
from labrig_harness.sample import Sample, SampleInput
from labrig_harness.suite import Arm, Suite


def test_lines_a_document_a_list_and_a_folder_of_documents(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"n": 1}\n\n{"n": 2}\n')
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "2.json").write_text('[{"n": 4}]')
    (tmp_path / "b" / "1.json").write_text('{\n "n": 3\n}')
    assert published_rows(tmp_path / "a.jsonl") == [{"n": 1}, {"n": 2}]
    assert published_rows(tmp_path / "b" / "1.json") == [{"n": 3}]
    assert published_rows(tmp_path) == [{"n": 3}, {"n": 4}]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.json", b"{", "not JSON"),
        ("x.json", b"3", "no JSON object"),
        ("x.json", b'{"n": NaN}', "not JSON"),
        ("x.json", b'{"n": "\\ud800"}', "half a character"),
        ("x.json", b"\xff", "Cannot read"),
        ("x.json", b"[" * 100_000, "not JSON"),
        ("x.txt", b"{", "not JSON"),
        ("x/y.csv", b"", "no file that ends in .json"),
    ],
)
def test_what_cannot_be_read_names_its_file(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(LabrigError, match=said) as refused:
        published_rows(path if path.parent == tmp_path else path.parent)
    assert str(tmp_path) in str(refused.value.where)


def test_an_arm_may_limit_a_sample_and_a_flag_stands_over_it() -> None:
    samples = tuple(
        Sample("s", "1", SampleInput(str(n), "?"), {"stops": n}, limits={"max_steps": 99, "wall_s": 7.0})
        for n in (4, 9)
    )
    arm = Arm("a", limits_of=lambda sample: {"max_steps": 3 * sample.truth["stops"]})

    def unused(*_: object, **__: object) -> object:
        raise AssertionError

    suite = Suite("s", "1", "1", "", (arm,), unused, unused, unused, unused)  # type: ignore[arg-type]
    plan = RunPlan(suite, arm, AgentSpec("reference"), samples)
    assert [(plan.arm_of(each).max_steps, plan.arm_of(each).wall_s) for each in samples] == [
        (12, 7.0),
        (27, 7.0),
    ]
    given = RunPlan(suite, arm, AgentSpec("reference"), samples, given=("max_steps",))
    assert given.arm_of(samples[0]).max_steps == arm.max_steps
