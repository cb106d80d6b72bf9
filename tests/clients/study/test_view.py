"""An output folder as it is watched: progress, what is asked for, the records, and what foreign text may not do."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from labrig.errors import LabrigError
from labrig_harness import suites
from labrig_harness.records.outfolder import MAKING
from labrig_study.view.pages import ROWS
from labrig_study.view.serving import make_app
from labrig_study.view.watching import Watch, seconds_left
from support.report_rig import HOSTILE, Rig, modelled, real_task

A, B = "agent-toc.loop+atlas-9", "agent-toc.loop+atlas-mini"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    version = suites.load("phreeqc-basics").version
    out = tmp_path_factory.mktemp("runs") / "out"
    rig = Rig(out, [real_task(number, version) for number in range(30)])
    for sample in rig.tasks.values():
        for agent in ("loop+atlas-9", "loop+atlas-mini"):
            modelled(rig, sample, "agent-toc", agent, lines=3)
    rig.finish()
    for label in (A, B):
        about = json.loads((out / label / "run.json").read_text())
        (out / label / "run.json").write_text(json.dumps({**about, "count": 40, "epochs": 1}))
    return out


@pytest.fixture
def watch(folder: Path, tmp_path: Path) -> Watch:
    return Watch(Path(shutil.copytree(folder, tmp_path / "out")))


def open_pages(watch: Watch) -> TestClient:
    return TestClient(make_app(watch), base_url="http://127.0.0.1")


def test_progress_and_records_grow_with_the_folder(watch: Watch) -> None:
    away = watch.out.parent / "away"
    sample = watch.keys[0][1]
    (watch.out / A / sample).rename(away)
    watch.look()
    before = watch.version
    watch.look()
    assert watch.version == before, "nothing has changed"
    watch.read_pending(100)
    first = {each.label: each for each in watch.progress()}[A]
    assert (first.done, first.total, first.read, first.at_work, first.left_s) == (29, 40, 29, False, None)
    away.rename(watch.out / A / sample)
    (watch.out / A / "next" / f"{MAKING}host-1-x").mkdir(parents=True)
    for number, key in enumerate(each for each in watch.keys if each[0] == A):
        path = watch.out / A / key[1] / "epoch0" / "trajectory.json"
        os.utime(path, (1000 + 2 * number, 1000 + 2 * number))
    os.utime(watch.out / A / sample / "epoch0" / "trajectory.json", (1058, 1058))
    watch.look()
    assert watch.version > before
    watch.read_pending(100)
    now = {each.label: each for each in watch.progress()}[A]
    assert (now.done, now.at_work, now.failed) == (30, True, 0)
    assert now.left_s == pytest.approx(20), "ten records at one in two seconds"
    assert now.tokens > 0 and sum(now.ends.values()) == 30 and now.right is not None
    assert seconds_left([1.0], 5) is seconds_left([1.0, 2.0], None) is None


def test_the_list_shows_what_is_asked_for(watch: Watch) -> None:
    pages = open_pages(watch)
    assert pages.get("/").text.count('href="/record/') == 60 <= ROWS, "records are read when they are shown"
    wrong = [
        key for key in watch.keys if key[0] == A and (score := watch.read(key).score) and score.strict < 1
    ]
    assert 0 < len(wrong) < 30
    failing = pages.get("/", params={"run": A, "verdict": "failing", "beside": B}).text
    assert failing.count('href="/record/') == len(wrong)
    assert f'<th scope="col">{B}</th>' in failing
    assert pages.get("/", params={"text": wrong[0][1]}).text.count('href="/record/') == 2
    assert "no record" in pages.get("/", params={"end": "no such", "page": "9" * 7}).text

    label, sample, epoch = wrong[1]
    shown = pages.get(f"/record/{label}/{sample}/{epoch}", params={"beside": B, "verdict": "failing"}).text
    assert shown.count('<ol class="steps">') == 2 and "execute_phreeqc" in shown
    assert all(f"/record/{quote(A)}/{wrong[number][1]}/0" in shown for number in (0, 2))
    assert "verdict=failing" in shown, "the way back is to the same list"


def test_what_does_not_stand_is_said_and_what_is_not_there_is_not_found(watch: Watch) -> None:
    label, sample, _ = watch.keys[0]
    (watch.out / label / sample / "epoch0" / "trajectory.json").write_text("{")
    watch.look()
    watch.read_pending(100)
    pages = open_pages(watch)
    assert sum(each.failed for each in watch.progress()) == 1
    assert "Expecting property name" in pages.get(f"/record/{label}/{sample}/0").text
    (watch.out / B / sample).rename(watch.out.parent / "away")
    watch.look()
    assert "There is no such record in this run" in pages.get(f"/record/{label}/{sample}/0?beside={B}").text
    for path in (
        f"/record/{label}/{sample}/7",
        f"/record/x/{sample}/0",
        f"/record/{label}/..%2f..%2fx/0",
        "/etc",
    ):
        assert pages.get(path).status_code == 404, path
    with pytest.raises(LabrigError, match="not an output folder"):
        Watch(watch.out / label)


def test_foreign_text_is_text_and_other_hosts_are_refused(watch: Watch) -> None:
    label, sample, _ = watch.keys[0]
    path = watch.out / label / sample / "epoch0" / "trajectory.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps(about | {"end_detail": HOSTILE}))
    watch.look()
    pages = open_pages(watch)
    for url in (f"/record/{label}/{sample}/0", "/", f"/?text={HOSTILE[:60]}"):
        text = pages.get(url).text
        assert "<img src" not in text and text.count("<script") == 2, url
        assert "form-action 'self'" in text and "connect-src 'self'" in text
    assert "onerror" in pages.get(f"/record/{label}/{sample}/0").text
    assert pages.get("/", headers={"host": "evil.example"}).status_code == 400
