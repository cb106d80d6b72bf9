"""Settings that a toolbox declares: typed, looked up in order, refused by name."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.http import Key, Service
from labrig.server_settings import ServerSetting, Value
from labrig.serving.serve import add_serve_arguments, serve_options
from labrig.serving.serve import main as serve_main
from labrig.toolbox import ServeOptions, Toolbox
from labrig_harness.registry.servers import serve_flags
from support.command import labrig

toolbox = Toolbox(
    "toy",
    "A toy",
    "Play.",
    settings=(
        ServerSetting("backend", "offline", "who answers", choices=("offline", "open")),
        ServerSetting("wall_s", 5.0, "seconds", least=0.5, most=60),
        ServerSetting("places", 3, "places", least=1),
        ServerSetting("quick", False, "whether it is quick"),
    ),
)


@toolbox.tool(title="Play", read_only=True)
async def play() -> None:
    """Play."""


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("backend", "open", "open"),
        ("wall_s", "0.5", 0.5),
        ("places", "7", 7),
        ("quick", "On", True),
        ("quick", "0", False),
    ],
)
def test_values_have_the_type_of_their_default(name: str, text: str, value: Value) -> None:
    toolbox.select(ServeOptions(settings={name: text}))
    assert toolbox.setting(ServeOptions(settings={name: text}), name) == value


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("bakend", "open", "did you mean backend"),
        ("backend", "opne", "did you mean open"),
        ("backend", "", "value of backend"),
        ("wall_s", "0.4", "from 0.5 up to 60"),
        ("wall_s", "nan", "from 0.5"),
        ("wall_s", "5 s", "a number"),
        ("places", "1.5", "a whole number from 1"),
        ("quick", "maybe", "true or false"),
    ],
)
def test_what_cannot_be_set_is_refused_before_the_server_starts(name: str, text: str, said: str) -> None:
    with pytest.raises(LabrigError, match=said):
        toolbox.select(ServeOptions(settings={name: text}))


def test_a_flag_comes_before_the_environment_and_that_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABRIG_CONFIG", str(tmp_path / "labrig.toml"))
    (tmp_path / "labrig.toml").write_text("[toy]\nplaces = 4\nquick = true\n")
    assert toolbox.setting(ServeOptions(), "places") == 4 and toolbox.setting(ServeOptions(), "quick") is True
    monkeypatch.setenv("LABRIG_TOY_PLACES", "5")
    assert toolbox.setting(ServeOptions(), "places") == 5
    assert toolbox.setting(ServeOptions(settings={"places": "6"}), "places") == 6
    monkeypatch.setenv("LABRIG_TOY_PLACES", "many")
    with pytest.raises(LabrigError, match=r"setting toy\.places"):
        toolbox.setting(ServeOptions(), "places")


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("PLACES", "many", "a whole number from 1"),
        ("BACKEND", "opne", "did you mean open"),
        ("PLACE", "3", "did you mean places"),
        ("WORDS", "3", "did you mean word"),
    ],
)
@pytest.mark.parametrize("way", ["variable", "file"])
def test_what_is_configured_wrongly_is_said_when_the_server_starts(
    key: str, text: str, said: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("LABRIG_CONFIG", str(tmp_path / "labrig.toml"))
    line = f'{key.lower()} = "{text}"' if way == "file" else ""
    (tmp_path / "labrig.toml").write_text(f"[toy]\nword = 'any'\n{line}\n")
    if way == "variable":
        monkeypatch.setenv(f"LABRIG_TOY_{key}", text)
    assert serve_main(replace(toolbox, reads=("word",)), ["--set", "quick=on"]) == 2
    shown = capsys.readouterr()
    assert said in shown.err and shown.out == ""
    assert ("LABRIG_TOY_" if way == "variable" else "[toy] of") in shown.err


def test_a_flag_stands_over_what_cannot_be_and_unknown_names_are_for_who_declares_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LABRIG_TOY_PLACES", "many")
    monkeypatch.setenv("LABRIG_TOY_WORD", "any")
    monkeypatch.setenv("LABRIG_TOY_WALL_S", "")
    toolbox.select(ServeOptions(settings={"places": "3"}))
    with pytest.raises(LabrigError, match="LABRIG_TOY_PLACES"):
        toolbox.select(ServeOptions())


def test_the_help_of_a_server_lists_its_toolsets_and_settings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        serve_main(toolbox, ["--help"])
    own = capsys.readouterr().out
    assert "  default  what a server serves unless --toolsets says otherwise\n" in own
    assert "  backend  who answers; offline or open (default: offline)\n" in own
    assert "  wall_s   seconds; a number from 0.5 up to 60 (default: 5)\n" in own
    assert "  quick    whether it is quick; true or false (default: false)\n" in own
    named = labrig("serve", "phreeqc", "--help")
    assert named.returncode == 0 and "LABRIG_PHREEQC_NAME" in named.stdout
    assert "  wall_s  seconds that execute_phreeqc may take" in named.stdout
    listed = labrig("tools", "phreeqc").stdout
    for shown in (named.stdout, listed):
        assert "  paper    the four tools of PHREEQC-MCQ-200, by their published names\n" in shown
    for words in (("serve", "--help"), ("serve", "phreeqx", "--help")):
        assert "labrig serve SERVER --help lists" in labrig(*words).stdout


MAPS = Service(
    "maps", "https://maps.example.org", key=Key("toy", "maps_key", param="key", get_it="their desk")
)
PLANTS = Service(
    "plants",
    "https://plants.example.org",
    contact=True,
    key=Key("toy", "plants_key", header="X", required=False),
)


def test_services_bring_their_keys_into_settings_help_and_doctor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A key that is set is no unknown name, is never shown, and counts for the server whose section it is in."""
    elsewhere = Service("elsewhere", "https://x.example.org", key=Key("other", "key", param="k"))
    box = replace(toolbox, reads=("word",), services=(MAPS, PLANTS, elsewhere))
    assert box.reads == ("word", "maps_key", "plants_key")
    monkeypatch.delenv("LABRIG_HTTP_CONTACT", raising=False)
    monkeypatch.setenv("LABRIG_TOY_MAPS_KEY", "a-long-secret")
    monkeypatch.setenv("LABRIG_HTTP_URL_PLANTS", "http://127.0.0.1:9/flora")
    box.select(ServeOptions())
    with pytest.raises(LabrigError, match="MAPS_KEY"):
        replace(toolbox, reads=("word",)).select(ServeOptions())
    with pytest.raises(SystemExit):
        serve_main(box, ["--help"])
    shown = capsys.readouterr().out
    assert (
        "  maps       https://maps.example.org; wants the key LABRIG_TOY_MAPS_KEY (get one at their desk)\n"
        in shown
    )
    assert "; wants LABRIG_HTTP_CONTACT; takes the key LABRIG_TOY_PLANTS_KEY\n" in shown
    lines = list(replace(box, doctor=lambda: ["a line"]).checkup())
    assert lines == [
        "a line",
        "service maps: https://maps.example.org; LABRIG_TOY_MAPS_KEY is set",
        "service plants: http://127.0.0.1:9/flora (by LABRIG_HTTP_URL_PLANTS); LABRIG_HTTP_CONTACT is not set; "
        "LABRIG_TOY_PLANTS_KEY is not set",
        "service elsewhere: https://x.example.org; LABRIG_OTHER_KEY is not set",
    ]
    assert "a-long-secret" not in shown + "".join(lines)
    with pytest.raises(ValueError, match="two services"):
        replace(toolbox, services=(MAPS, MAPS))


def test_flags_carry_settings_to_a_server_that_is_started() -> None:
    parser = argparse.ArgumentParser()
    add_serve_arguments(parser)
    options = ServeOptions(settings={"backend": "open", "places": "a=b c"})
    assert serve_options(parser.parse_args(serve_flags(options))).settings == options.settings
    with pytest.raises(LabrigError, match="NAME=VALUE"):
        serve_options(parser.parse_args(["--set", "backend"]))
