"""Settings that a toolbox declares: typed, looked up in order, refused by name."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from labrig.errors import LabrigError
from labrig.server_settings import ServerSetting, Value
from labrig.serving.serve import add_serve_arguments, serve_options
from labrig.toolbox import ServeOptions, Toolbox
from labrig_harness.registry.servers import serve_flags

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


def test_flags_carry_settings_to_a_server_that_is_started() -> None:
    parser = argparse.ArgumentParser()
    add_serve_arguments(parser)
    options = ServeOptions(settings={"backend": "open", "places": "a=b c"})
    assert serve_options(parser.parse_args(serve_flags(options))).settings == options.settings
    with pytest.raises(LabrigError, match="NAME=VALUE"):
        serve_options(parser.parse_args(["--set", "backend"]))
