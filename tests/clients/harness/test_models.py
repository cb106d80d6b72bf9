"""The model layer: names, keys, settings as they are sent, prices. Requests go to a scripted endpoint on loopback."""

from __future__ import annotations

import asyncio
import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labrig.errors import LabrigError
from labrig_harness.agent import AgentSpec
from labrig_harness.models import prices
from labrig_harness.models import service as models
from labrig_harness.models import settings as model_settings
from labrig_harness.models.messages import as_history, read_arguments, sendable_name
from labrig_harness.models.names import PROVIDERS
from labrig_harness.suite import Arm
from labrig_harness.trajectory import Tokens
from support.scripted_model import Reply, Usage, scripted_model

if find_spec("pydantic_ai") is None:  # an import would take a second, in every process that collects
    pytest.skip("agents with a model need labrig[agents]", allow_module_level=True)

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "VLLM_API_KEY")
URL = "http://127.0.0.1:9/v1"


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, "not-a-real-key")


def check(model: str, **settings: Any) -> None:
    if PROVIDERS[model.partition(":")[0]].ours:
        settings = {"base_url": URL, **settings}
    models.check(AgentSpec("loop", model, settings), tools=True)


# -------------------------------------------------------------------------------------------------- at the start


@pytest.mark.parametrize(
    "model", ["gpt-4.1", "openai:", "opnai:gpt-4.1", ":x", "anthropic/claude", "mistral:x"]
)
def test_a_wrong_name_says_what_is_known(keys: None, model: str) -> None:
    with pytest.raises(LabrigError, match="anthropic, openai, openai-chat, google, gemini, vllm, ollama"):
        models.check(AgentSpec("loop", model), tools=True)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-chat", "google", "gemini"])
def test_no_key_is_said_before_any_item_runs(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(LabrigError, match=PROVIDERS[provider].keys[0]) as caught:
        check(f"{provider}:some-model")
    assert caught.value.code == "unavailable"


@pytest.mark.parametrize("key", ["sk-secret-1\n", " sk-secret-1", "sk-sécret-1", "/secret/key/file"])
def test_a_key_that_no_header_can_carry_is_refused(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The HTTP library would quote it in its error, in a form that redaction does not know."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(LabrigError, match="OPENAI_API_KEY holds no usable key") as caught:
        check("openai:gpt-4.1")
    assert "ret-1" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_server_of_ones_own_needs_an_address_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    check("vllm:Qwen/Qwen3-8B", temperature=0)
    for provider in ("vllm", "ollama", "openai-compatible"):
        with pytest.raises(LabrigError, match="address"):
            models.check(AgentSpec("loop", f"{provider}:x"), tools=True)


@pytest.mark.parametrize(
    "settings",
    [
        {"temprature": 0},
        {"temperature": "0"},
        {"temperature": math.nan},
        {"temperature": -1},
        {"temperature": True},
        {"max_output_tokens": 0},
        {"max_output_tokens": 1.5},
        {"effort": "extreme"},
        {"effort": 3},
        {"base_url": "127.0.0.1:8000"},
        {"base_url": "http://user:secret@127.0.0.1/v1"},
        {"base_url": "http://127.0.0.1/v1?key=secret"},
        {"base_url": "http://[::1/v1"},
        {"timeout_s": 0},
        {"images": "yes"},
        {"cache": 1},
    ],
)
def test_a_setting_of_no_use_is_refused(keys: None, settings: dict[str, Any]) -> None:
    with pytest.raises(LabrigError) as caught:
        check("openai:gpt-4.1", **settings)
    assert "secret" not in str(caught.value)


TAKEN = [
    ("anthropic:claude-sonnet-4-5", {"temperature": 0.0, "top_p": 0.9, "max_output_tokens": 500}),
    ("anthropic:claude-sonnet-4-5", {"effort": "low", "max_output_tokens": 20_000}),
    ("anthropic:claude-opus-4-8", {"effort": "max", "cache": True}),
    ("openai:gpt-4.1", {"temperature": 0, "top_p": 0.5, "max_output_tokens": 500}),
    ("openai:gpt-5", {"effort": "minimal"}),
    ("openai-chat:gpt-4.1", {"temperature": 1.5, "seed": 7, "max_output_tokens": 500}),
    ("gemini:gemini-2.5-flash", {"temperature": 0, "top_p": 0.5, "max_output_tokens": 500, "seed": 7}),
    ("google:gemini-2.5-flash", {"effort": "none"}),
    ("google:gemini-3-pro-preview", {"effort": "low"}),
    ("vllm:Qwen/Qwen3-8B", {"temperature": 0, "effort": "high", "seed": 7, "max_output_tokens": 500}),
    ("ollama:llama3", {"temperature": 0, "seed": 7}),
    ("openai-compatible:some/model", {"temperature": 0, "effort": "low", "seed": 7}),
]
NOT_TAKEN = [  # the library would leave out or change each of these without a word
    ("anthropic:claude-sonnet-4-5", {"seed": 7}),
    ("anthropic:claude-opus-4-8", {"temperature": 0}),
    ("anthropic:claude-sonnet-4-5", {"effort": "max"}),
    ("openai:gpt-4.1", {"seed": 7}),
    ("openai:gpt-5", {"temperature": 0}),
    ("openai-chat:gpt-5", {"top_p": 0.5}),
    ("google:gemini-3-pro-preview", {"effort": "none"}),
    ("google:gemini-2.5-flash", {"effort": "max"}),
    ("google:gemini-2.5-flash", {"cache": True}),
]


@pytest.mark.parametrize(
    ("model", "settings"),
    [pytest.param(*each, marks=() if each[0].startswith("openai") else pytest.mark.accept) for each in TAKEN],
)
def test_what_is_asked_for_is_in_the_request(keys: None, model: str, settings: dict[str, Any]) -> None:
    ours = PROVIDERS[model.partition(":")[0]]
    with scripted_model([Reply("A")]) as service:
        base = service.url + ("" if ours.form in ("messages", "gemini") else "/v1")
        spec = AgentSpec("loop", model, {**settings, "base_url": base})
        models.check(spec, tools=False)
        assert service.requests == [], "the check sends nothing"
        reply = asyncio.run(_ask(spec))
    sent = model_settings.in_body(service.requests[0], ours.form)
    for name, value in settings.items():
        if isinstance(sent[name], str) or name != "effort":
            assert sent[name] == value
        else:  # a number of tokens in place of a level
            assert (sent[name] == 0) == (value == "none")
    assert reply.meta["sent"].items() >= sent.items()
    assert reply.meta["sent"]["url"].startswith(service.url)


async def _ask(spec: AgentSpec) -> models.Reply:
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    async with models.connect(spec) as session:
        return await session.ask([ModelRequest([UserPromptPart("?")])], [], seconds=30)


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        pytest.param(*each, marks=() if each[0].startswith("openai") else pytest.mark.accept)
        for each in NOT_TAKEN
    ],
)
def test_what_a_model_does_not_take_is_refused(keys: None, model: str, settings: dict[str, Any]) -> None:
    with pytest.raises(LabrigError, match=f"does not take {next(iter(settings))}"):
        check(model, **settings)


async def test_the_check_works_inside_an_event_loop(keys: None) -> None:
    check("openai:gpt-4.1", temperature=0)


# -------------------------------------------------------------------------------------------------------- tokens

FORMS = ["anthropic:claude-sonnet-4-5", "openai:gpt-4.1", "openai-chat:gpt-4.1", "google:gemini-2.5-flash"]


@pytest.mark.parametrize(
    "model", [each if "openai" in each else pytest.param(each, marks=pytest.mark.accept) for each in FORMS]
)
def test_tokens_do_not_overlap(keys: None, model: str) -> None:
    form = PROVIDERS[model.partition(":")[0]].form
    script = [
        Reply("A", usage=Usage(100, 40, 20 if form == "messages" else 0, 30, 9)),
        Reply("A", usage=None),
    ]
    with scripted_model(script, by="requests") as service:
        base = service.url + ("" if form in ("messages", "gemini") else "/v1")
        spec = AgentSpec("loop", model, {"base_url": base})
        counted, not_counted = asyncio.run(_ask(spec)), asyncio.run(_ask(spec))
    write = 20 if form == "messages" else 0
    assert counted.tokens == Tokens(100, 40, write, 30, 9, measured=True)
    assert not_counted.tokens == Tokens(measured=False)


# ------------------------------------------------------------------------------------------------------ messages


@pytest.mark.accept
@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.dictionaries(st.text(), x))
)
def test_arguments_are_an_object_that_can_be_written_or_none(value: Any) -> None:
    import json

    arguments, why = read_arguments(json.dumps(value))
    assert (arguments is None) == bool(why)
    if arguments is not None:
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode("utf-8")
    again, _ = read_arguments(value if isinstance(value, dict) else json.dumps(value))
    assert again == arguments


@given(st.text())
def test_any_text_as_arguments_does_no_harm(text: str) -> None:
    arguments, why = read_arguments(text)
    assert isinstance(arguments, dict) or why


@pytest.mark.parametrize(
    "raw", ['{"a":' * 5000, '{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}', "[1]", "{", '"a"']
)
def test_arguments_that_are_none(raw: str) -> None:
    from pydantic_ai.messages import ModelResponse, ToolCallPart

    assert read_arguments(raw)[0] is None
    history = as_history(ModelResponse([ToolCallPart("a.b", raw, "id")])).parts[0]
    assert isinstance(history, ToolCallPart)
    assert (history.tool_name, history.tool_call_id) == ("a_b", "id")
    assert read_arguments(history.args_as_json_str())[0] is not None, "it can be sent again"


def test_names_that_services_do_not_take_back() -> None:
    assert sendable_name("functions.write file\ud800") == "functions_write_file_"
    assert sendable_name("") == "unnamed"
    assert len(sendable_name("x" * 500)) == 64


# -------------------------------------------------------------------------------------------------------- prices

TABLE = """
name = "list"
date = 2026-11-01
currency = "USD"
[models."openai:gpt-x"]
input = 2.0
cache_read = 0.5
cache_write = 2.5
output = 8
"""


def table(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_cost_names_its_table(tmp_path: Path) -> None:
    found = prices.load(table(tmp_path, TABLE))
    cost = prices.cost_of(
        Tokens(1_000_000, 100_000, 10_000, 1_000, 500, measured=True), "openai:gpt-x", found
    )
    assert cost.amount == pytest.approx(2.0 + 0.05 + 0.025 + 0.008)
    assert cost.currency == "USD"
    assert cost.table == f"list 2026-11-01 sha256:{found.sha256}"
    assert len(found.sha256) == 16
    assert "at least" in prices.cost_of(Tokens(1), "openai:gpt-x", found).table


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (TABLE.replace("output = 8", ""), "not complete"),
        (TABLE.replace("= 8", '= "8"'), "output is '8'"),
        (TABLE.replace("= 8", "= -8"), "output is -8"),
        (TABLE.replace("= 8", "= nan"), "output is nan"),
        (TABLE.replace("= 8", "= true"), "output is True"),
        (TABLE + "reasoning = 3", "not complete"),
        (TABLE.replace('currency = "USD"', ""), "no currency"),
        (TABLE.replace("[models", "[model"), "means nothing"),
        (TABLE.partition("[")[0], "no models"),
        (TABLE.replace('"USD"', "USD"), "not TOML"),
        ("", "no name"),
        ("#" * 2**20 + TABLE, "larger"),
    ],
)
def test_a_damaged_price_table_says_where(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(LabrigError, match=complaint) as caught:
        prices.load(table(tmp_path, text))
    assert "prices.toml" in str(caught.value)


def test_a_price_table_that_is_no_help_is_refused_at_the_start(keys: None, tmp_path: Path) -> None:
    from labrig_harness.agents.single import Single

    arm = Arm("direct", channel=_letter())
    with pytest.raises(LabrigError, match="cannot be read"):
        Single(AgentSpec("direct", "openai:gpt-x", prices=str(tmp_path / "none.toml")))
    with pytest.raises(LabrigError, match="did you mean openai:gpt-x"):
        Single(AgentSpec("direct", "openai:gpt-y", prices=str(table(tmp_path, TABLE)))).accept(arm)
    with pytest.raises(LabrigError, match="needs a price table"):
        Single(AgentSpec("direct", "openai:gpt-y")).accept(Arm("direct", channel=_letter(), max_cost=1.0))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(LabrigError, match="not TOML"):
        prices.load(tmp_path / "bytes.toml")


def _letter() -> Any:
    from labrig_harness.channels import Channel

    return Channel("letter")


# ------------------------------------------------------------------------------------------------------- results


def test_what_a_model_is_shown_of_a_result() -> None:
    from pydantic_ai.messages import BinaryContent

    from labrig_harness.agent import ToolResult
    from labrig_harness.models.messages import content

    text, picture = (
        {"type": "text", "text": "pH 7"},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
    )
    both = ToolResult("pH 7\n[image]", False, {"pH": 7}, (text, picture, text))
    shown = content(both, images=True)
    assert shown[0] == "pH 7\npH 7"
    assert isinstance(shown[1], BinaryContent)
    assert (shown[1].data, shown[1].media_type) == (b"hi", "image/png")
    assert content(both, images=False) == "pH 7\n[image image/png: not shown]\npH 7"
    assert content(ToolResult("", False, {"pH": 7.0, "µ": 1}), images=True) == '{"pH": 7.0, "µ": 1}'
    assert content(ToolResult("There is no tool 'x'.", True), images=True) == "There is no tool 'x'."
    odd: tuple[dict[str, Any], ...] = (
        {"type": "image", "data": "%%%"},
        {"type": "resource", "resource": {"uri": "a", "text": "inside"}},
        {"type": "resource_link", "uri": "file:///a"},
        {"type": "audio", "mimeType": "audio/wav", "data": "aGk="},
        {},
    )
    assert content(ToolResult("", False, None, odd), images=True) == (
        "[an image that cannot be read]\ninside\n[resource_link file:///a: not shown]\n"
        "[audio audio/wav: not shown]\n[None : not shown]"
    )
