"""``python -m labrig_atlas.tools``: names, printed results, and the log that the published verifier reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from labrig_atlas.tools.__main__ import main
from labrig_atlas.tools.calls import FOURTEEN, TOOLS
from support.command import labrig


def run(capsys: pytest.CaptureFixture[str], tool: str, **args: Any) -> tuple[int, str]:
    code = main([tool, json.dumps(args)])
    return code, capsys.readouterr().out.rstrip("\n")


def logged(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "tool_log.jsonl").read_text().splitlines()]


def test_calls_print_and_are_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Google's own JSON for maps; a line a call, also for one that fails, previews cut at 2,000 characters."""
    monkeypatch.chdir(tmp_path)
    code, out = run(capsys, "maps_geocode", address="Ulm")
    (found,) = json.loads(out)["results"]
    assert code == 0 and found["geometry"]["location"] == {"lat": 48.4011, "lng": 9.9876}
    point = found["geometry"]["location"]
    code, out = run(
        capsys, "maps_elevation", locations=[{"latitude": str(point["lat"]), "longitude": point["lng"]}]
    )
    assert json.loads(out)["results"][0]["elevation"] == 478 and json.loads(out)["status"] == "OK"
    code, out = run(capsys, "maps_directions", origin="Ulm", destination="Stuttgart")
    assert json.loads(out)["routes"][0]["legs"][0]["duration"]["value"] > 0
    code, out = run(capsys, "maps_distance_matrix", origins=["Ulm"], destinations=["Tokyo"])
    assert json.loads(out)["rows"] == [{"elements": [{"status": "ZERO_RESULTS"}]}]
    code, out = run(capsys, "weather_historical", latitude="48.4", longitude=9.99, date="2024-01-15")
    assert set(json.loads(out)["daily"]) == {
        "time",
        "temperature_2m_max",
        "temperature_2m_min",
        "precipitation_sum",
    }
    code, page = run(capsys, "fetch_webpage", url="https://en.wikipedia.org/wiki/Germany")
    assert code == 0 and page.startswith("# Germany")
    for tool, args in (
        ("maps_geocode", {"address": "Minas Tirith"}),
        ("maps_geocode", {"adress": "Ulm"}),
        ("maps_elevation", {"locations": 3}),
        ("maps_geocod", {}),
        ("stock_volume", {"ticker": "GSK", "date": "2024-01-02"}),
    ):
        code, out = run(capsys, tool, **args)
        assert code == 1 and out.startswith("Error: "), out
    lines = logged(tmp_path)
    assert [each["success"] for each in lines] == [True] * 6 + [False] * 5
    assert lines[0].keys() == {"tool", "args", "success", "result_preview", "result_len", "ts"}
    fetched = lines[5]
    assert fetched["url"] == fetched["args"]["url"] and fetched["result_len"] == len(page) + 1
    assert fetched["result_preview"] == page[:2000]
    imported = labrig(
        "import", "auto", str(tmp_path / "tool_log.jsonl"), "--out", str(tmp_path / "out"), "--item", "x"
    )
    assert imported.returncode == 0, imported.stderr
    (calls,) = (tmp_path / "out").rglob("calls.jsonl")
    assert len(calls.read_text().splitlines()) == len(lines)


def test_names_and_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.split() == list(TOOLS)
    assert len(FOURTEEN) == 14 and len(TOOLS) == 20
    for words in ([], ["maps_geocode", "[1]"], ["maps_geocode", "{"], ["--help"]):
        assert main(words) == 2
    assert not (tmp_path / "tool_log.jsonl").exists()


@pytest.mark.accept
def test_code_as_a_process(tmp_path: Path) -> None:
    def ran(code: str) -> subprocess.CompletedProcess[str]:
        words = [
            sys.executable,
            "-m",
            "labrig_atlas.tools",
            "python_execute_code",
            json.dumps({"code": code}),
        ]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)

    assert ran("print(6 * 7)").stdout == "42\n"
    assert ran("x = 1").stdout == "(no output)\n"
    failed = ran("import sys; print(1); sys.exit(3)").stdout
    assert failed.startswith("Exit code: 3\n1\n")
