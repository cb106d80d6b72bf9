"""The export to Inspect's EvalLog, read by the real inspect-ai and shown by its viewer in a real browser; and ``.eval``
logs that the real inspect-ai made with its mock model, imported.

inspect-ai is not a dependency of ours: it is looked for in the virtual environment ``$LABRIG_TEST_INSPECT``, or
``inspect`` beside the agent programs of the other tests. To make one: ``uv venv -p 3.11 DIR`` and
``uv pip install --python DIR/bin/python inspect-ai``. A screenshot is kept where ``$LABRIG_TEST_PICTURES`` says.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from labrig_harness import suites
from labrig_harness.records.scoring import score_folder
from labrig_harness.suite import item_means
from labrig_study.logs.exporting import export
from labrig_study.logs.importing import import_logs
from support.basics import basics
from support.written_logs import PICTURE, claude_log

pytestmark = pytest.mark.accept

LABEL = "agent-toc.claude-code-m-1"


@pytest.fixture(scope="module")
def inspect() -> Path:
    """Return the folder of inspect-ai's programs."""
    cache = Path(os.environ.get("LABRIG_TEST_CLIENTS", Path.home() / ".cache" / "labrig-test-clients"))
    found = Path(os.environ.get("LABRIG_TEST_INSPECT", cache / "inspect")) / "bin"
    if not (found / "inspect").exists():
        pytest.skip("inspect-ai is not installed; LABRIG_TEST_INSPECT names its virtual environment")
    return found


@pytest.fixture(scope="module")
def exported(databases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Import two runs of each of three items, one of them cut off, and export them."""
    base = tmp_path_factory.mktemp("inspect")
    suite = suites.load("phreeqc-basics")
    samples = basics()[:3]
    for n, sample in enumerate(samples):
        for epoch in range(2):
            letter = sample.truth["answer"] if (n + epoch) % 2 else "A"
            log = claude_log(
                (
                    "execute_phreeqc",
                    {"input": "SOLUTION 1\n pH 8.1 # <script>alert(1)</script>"},
                    "pH 8.10 é 漢字",
                ),
                ("read_file", {"path": "result.out"}, [{"type": "text", "text": "a \ud83d half"}, PICTURE]),
                ("read_file", {"path": "nothing"}, ValueError("There is no such file")),
                ("write_file", {"path": "final_answer.txt", "content": letter}, "written"),
                "I wrote the answer.",
                end="error_max_turns" if n == 2 else "success",
            )
            path = base / "logs" / f"run{epoch}" / f"{sample.id}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(log)
    done = import_logs("claude-code", base / "logs", base / "out", suite=suite, samples=samples)
    assert len(done.records) == 6, done.skipped
    assert score_folder(base / "out").whole
    (log,) = export(base / "out", "inspect", base / "view").files
    return log


READ = """
import json, sys
from inspect_ai.log import read_eval_log, read_eval_log_samples
log = read_eval_log(sys.argv[1])
print(json.dumps({
    "status": log.status, "task": log.eval.task, "samples": log.eval.dataset.samples, "epochs": log.eval.config.epochs,
    "means": {s.name: s.metrics["mean"].value for s in log.results.scores},
    "usage": {m: u.model_dump() for m, u in log.stats.model_usage.items()},
    "read": [{
        "id": s.id, "epoch": s.epoch, "target": s.target, "choices": s.choices,
        "roles": [m.role for m in s.messages],
        "calls": [[c.function, c.arguments] for m in s.messages if m.role == "assistant" for c in m.tool_calls or []],
        "results": [m.text for m in s.messages if m.role == "tool"],
        "images": sum(c.type == "image" for m in s.messages if isinstance(m.content, list) for c in m.content),
        "errors": [m.error.message for m in s.messages if m.role == "tool" and m.error],
        "scores": {k: [v.value, v.answer, v.explanation] for k, v in s.scores.items()},
        "limit": s.limit.type if s.limit else None, "input": s.input if isinstance(s.input, str) else None,
    } for s in log.samples],
}))
"""


def test_inspect_reads_it(inspect: Path, exported: Path) -> None:
    done = subprocess.run(
        [inspect / "python", "-W", "error::UserWarning", "-c", READ, exported],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    log = json.loads(done.stdout)
    assert (log["status"], log["samples"], log["epochs"]) == ("success", 3, 2)
    # six runs of five turns: 10 uncached, 90 cached, 5 out each
    (usage,) = log["usage"].values()
    assert (usage["input_tokens"], usage["input_tokens_cache_read"], usage["output_tokens"]) == (
        300,
        2700,
        150,
    )
    assert usage["total_tokens"] == 3150
    assert len(log["read"]) == 6
    scored = score_folder(exported.parents[1] / "out")
    ours = {(score.task, score.epoch + 1): score for score in scored.scores}
    for sample in log["read"]:
        score = ours[sample["id"], sample["epoch"]]
        assert sample["scores"]["strict"][:2] == [score.strict, score.answer]
        assert sample["scores"]["compat"][0] == score.compat
        assert "executions: 1" in sample["scores"]["strict"][2]
        assert sample["target"] == scored.tasks[sample["id"]].truth["answer"]
        assert sample["choices"] == ["A", "B", "C", "D"]
        assert sample["roles"] == ["assistant", "tool"] * 4 + ["assistant"]
        assert [name for name, _ in sample["calls"]] == [
            "execute_phreeqc",
            "read_file",
            "read_file",
            "write_file",
        ]
        assert sample["results"][0] == "pH 8.10 é 漢字"
        assert (sample["images"], sample["errors"]) == (1, ["There is no such file"])
    assert sorted(sample["limit"] or "" for sample in log["read"]) == ["", "", "", "", "message", "message"]
    assert log["means"]["compat"] == pytest.approx(sum(s.compat for s in scored.scores) / 6)


def test_inspect_lists_it(inspect: Path, exported: Path) -> None:
    (listed,) = _listed(inspect, exported.parent)
    assert Path(listed["name"]).name == exported.name
    assert listed["task_id"] == json.loads(exported.read_text())["eval"]["task_id"]
    assert LABEL in listed["task"]


def _listed(inspect: Path, logs: Path) -> list[dict[str, Any]]:
    """Return what ``inspect log list`` says of a folder."""
    command = [str(inspect / "inspect"), "log", "list", "--json", "--log-dir", str(logs)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@contextmanager
def viewer(inspect: Path, logs: Path, tmp_path: Path) -> Iterator[str]:
    """Run ``inspect view start`` on 127.0.0.1 and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        inspect / "inspect",
        "view",
        "start",
        "--log-dir",
        logs,
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with subprocess.Popen(
        command,
        env={**os.environ, "HOME": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2).close())
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@contextmanager
def browser(chromium: str, tmp_path: Path) -> Iterator[Any]:
    """Run a browser; yield a function that opens an address, waits for a text, takes a picture, gives the words.

    The viewer loads its log in the background, so the browser is driven over its debugging protocol.
    """
    profile = tmp_path / "profile"
    command = [
        *(chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1500,1000"),
        *(f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            port = _wait(lambda: (profile / "DevToolsActivePort").read_text().split()[0])
            pages = _wait(
                lambda: json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=2))
            )
            address = next(each["webSocketDebuggerUrl"] for each in pages if each["type"] == "page")
            with connect(address, max_size=None) as wire:
                yield lambda url, text, picture: _open(wire, url, text, tmp_path, picture)
        finally:
            process.terminate()


def _wait(look: Callable[[], Any], seconds: float = 60) -> Any:
    end = time.monotonic() + seconds
    while True:
        try:
            return look()
        except (OSError, IndexError, LookupError):
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def _ask(wire: Any, method: str, **params: Any) -> Any:
    number = time.monotonic_ns() % 2**31
    wire.send(json.dumps({"id": number, "method": method, "params": params}))
    while (reply := json.loads(wire.recv(timeout=60))).get("id") != number:
        pass
    return reply["result"]


def _open(wire: Any, url: str, text: str, tmp_path: Path, picture: str) -> str:
    def words() -> str:
        found = _ask(wire, "Runtime.evaluate", expression="document.body.innerText", returnByValue=True)
        shown = str(found["result"].get("value", ""))
        if text not in shown:
            raise LookupError(f"{text!r} is not on the page: {shown[:500]!r}")
        return shown

    _ask(wire, "Page.navigate", url=url)
    shown = _wait(words)
    image = base64.b64decode(_ask(wire, "Page.captureScreenshot")["data"])
    (Path(os.environ.get("LABRIG_TEST_PICTURES", tmp_path)) / picture).write_bytes(image)
    return str(shown)


def test_inspect_view_shows_it(inspect: Path, exported: Path, tmp_path: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium is installed")
    items = {sample["id"] for sample in json.loads(exported.read_text())["samples"]}
    first = sorted(items)[0]
    with viewer(inspect, exported.parent, tmp_path) as address, browser(chromium, tmp_path) as look:
        found = look(f"{address}/#/logs", "phreeqc-basics", "inspect-listing.png")
        assert LABEL in found, "the viewer's own listing shows the log"
        page = f"{address}/#/logs/{exported.name}"
        listed = look(page, "6 rows", "inspect-samples.png")
        assert "phreeqc-basics" in listed
        assert all(item in listed for item in items)
        assert "strict\t0.667" in listed.casefold()
        sample = look(
            f"{page}/samples/sample/{first}/1/messages", "I wrote the answer.", "inspect-messages.png"
        )
        assert "execute_phreeqc" in sample
        assert "<script>alert(1)</script>" in sample, "what an agent wrote is shown as text"
        assert "pH 8.10 é 漢字" in sample
        scoring = look(f"{page}/samples/sample/{first}/1/scoring", "EXPLANATION", "inspect-scoring.png")
        assert "executions: 1" in scoring


MAKE = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes, match

def output(text):
    made = ModelOutput.from_content("m", text)
    made.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)  # or it asks the network for a tokenizer
    return made

told = []
for number in range(5):
    said = [
        f"The answer is {n if (7 * n + 3 * epoch) % 6 > number else 99}" + (" or so" if n % 3 == number % 3 else "")
        for epoch in range(2) for n in range(6)
    ]
    samples = [Sample(id=f"q{n}", input=f"Say {n}", target=str(n)) for n in range(6)]
    task = Task(samples, scorer=[match(), includes()], name="sums")
    model = get_model(f"mockllm/m{number}", custom_outputs=[output(each) for each in said])
    (log,) = eval(task, model=model, epochs=2, log_dir=sys.argv[1], log_format="eval", display="none", max_samples=1)
    assert log.status == "success", log.error
    told.append({
        "model": log.eval.model,
        "accuracies": {s.name: s.metrics["accuracy"].value for s in log.results.scores},
        "answers": {f"{s.id}/{s.epoch - 1}": s.scores["match"].answer for s in log.samples},
    })
print(json.dumps(told))
"""


def test_eval_logs_of_inspect_keep_their_scores(inspect: Path, tmp_path: Path) -> None:
    """Inspect's own results are the oracle: five models, two scorers, six samples twice."""
    logs, out = tmp_path / "logs", tmp_path / "out"
    made = subprocess.run(
        [str(inspect / "python"), "-c", MAKE, str(logs)],
        env={**os.environ, "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert made.returncode == 0, made.stderr[-2000:]
    theirs = {each["model"]: each for each in json.loads(made.stdout.splitlines()[-1])}
    accuracies = [each["accuracies"]["match"] for each in theirs.values()]
    assert len(theirs) == 5 and len(set(accuracies)) > 2, "figures that are all the same would show nothing"
    assert any(each["accuracies"]["match"] != each["accuracies"]["includes"] for each in theirs.values())

    done = import_logs("inspect", logs, out)
    assert len(done.records) == 60 and not done.skipped
    scored = score_folder(out)
    assert scored.whole
    assert {id: sample.truth for id, sample in scored.tasks.items()} == {
        f"q{n}": {"target": str(n)} for n in range(6)
    }
    for model, told in theirs.items():
        mine = [record for record in scored.records if record.model == model]
        scores = [record.score for record in mine if record.score is not None]
        assert {f"{each.task}/{each.epoch}": each.answer for each in scores} == told["answers"]
        assert all(record.submission == told["answers"][f"{record.task}/{record.epoch}"] for record in mine)
        means = item_means(scores, "strict")
        assert sum(means) / len(means) == pytest.approx(told["accuracies"]["match"])
        (agent,) = {record.agent for record in mine}
        shown = {row[2]: row[4] for row in scored.tables[0].rows if row[1] == agent}
        assert shown == {name: round(100 * value, 1) for name, value in told["accuracies"].items()}
