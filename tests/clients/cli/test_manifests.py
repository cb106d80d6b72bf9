"""What is committed under manifests/ is what the code generates, and clients and the registry can read it."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from labrig import __version__
from labrig.errors import LabrigError
from labrig.toolbox import Toolbox
from labrig_cli.installing import manifests, tool_schemas
from labrig_cli.installing.client_configs import CLIENTS, portable
from labrig_harness.registry import servers
from support.places import PROJECT

FOLDER = PROJECT / "manifests"

ARGUMENT = {
    "oneOf": [
        {"required": ["type", "name"], "properties": {"type": {"const": "named"}, "name": {"pattern": "^-"}}},
        {"required": ["type", "value"], "properties": {"type": {"const": "positional"}}},
    ]
}
REGISTRY_RULES: dict[str, Any] = {
    # what the registry's schema of 2025-12-11 asks of the fields that we use
    "required": ["name", "description", "version", "packages"],
    "properties": {
        "name": {"pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "maxLength": 200},
        "title": {"maxLength": 100, "minLength": 1},
        "description": {"maxLength": 100, "minLength": 1},
        "packages": {
            "items": {
                "required": ["registryType", "identifier", "transport", "runtimeHint"],
                "properties": {
                    "version": {"pattern": r"^\d+\.\d+\.\d+"},
                    "runtimeArguments": {"items": ARGUMENT},
                    "packageArguments": {"items": ARGUMENT},
                    "environmentVariables": {"items": {"required": ["name"]}},
                },
            }
        },
    },
}


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return manifests.generate()


def test_nothing_has_drifted() -> None:
    assert manifests.check(FOLDER) == [], "run `labrig manifests` and commit the result"


def test_generating_is_deterministic_and_names_no_machine(generated: dict[str, str]) -> None:
    assert manifests.generate() == generated
    for path, content in generated.items():
        assert content.endswith("\n") and not content.endswith("\n\n"), path
        assert not re.search(r"(/home/|/root/|/work/|/tmp/|/Users/|site-packages)", content), path


def test_every_client_starts_every_server_with_one_portable_command(generated: dict[str, str]) -> None:
    for client in CLIENTS.values():
        text = generated[client.manifest]
        whole = json.loads(text) if client.syntax == "json" else tomllib.loads(text)
        assert list(whole) == [client.table]
        for name in servers.names():
            entry = whole[client.table][f"labrig-{name}"]
            words = entry["command"] if client.one_list else [entry["command"], *entry["args"]]
            assert words == portable(name) and not {"env", "environment"} & set(entry)


def test_registry_entries(generated: dict[str, str]) -> None:
    for name in servers.names():
        entry = json.loads(generated[f"registry/{name}.server.json"])
        assert [error.message for error in Draft202012Validator(REGISTRY_RULES).iter_errors(entry)] == []
        (package,) = entry["packages"]
        assert entry["version"] == package["version"] == __version__
        (source,), words = (
            package["runtimeArguments"],
            [each["value"] for each in package["packageArguments"]],
        )
        command = [
            package["runtimeHint"],
            f"{source['name']}={source['value']}",
            f"{package['identifier']}=={package['version']}",
            *words,
        ]
        version = __version__
        assert command == ["uvx", f"--with=labrig[{name}]=={version}", f"labrig=={version}", "serve", name]


def test_a_title_too_long_for_the_registry_is_refused() -> None:
    with pytest.raises(LabrigError, match="too long"):
        manifests.registry_entry(Toolbox("x", "t" * 90, ""))


def test_listings_hold_what_the_server_lists(generated: dict[str, str]) -> None:
    for name in servers.names():
        listing = json.loads(generated[f"tools/{name}.json"])
        tools = {tool["name"]: tool for tool in listing["tools"]}
        assert list(tools) == listing["toolsets"]["default"]
        for tool in tools.values():
            assert tool["description"] and "readOnlyHint" in tool["annotations"]
            Draft202012Validator.check_schema(tool["inputSchema"])


def test_check_names_what_is_wrong(tmp_path: Path) -> None:
    assert all(line.endswith("is missing") for line in manifests.check(tmp_path))
    written = manifests.write(tmp_path)
    assert written and manifests.check(tmp_path) == [] and manifests.write(tmp_path) == []
    config = tmp_path / "codex" / "config.toml"
    config.write_text(config.read_text().replace("tool_timeout_sec = 600", "tool_timeout_sec = 60"))
    (tmp_path / "tools" / "old.json").write_text("{}")
    (tmp_path / "README.md").unlink()
    left_over, missing, changed = manifests.check(tmp_path)
    assert left_over == "tools/old.json: is no longer generated"
    assert missing == "README.md: is missing"
    assert (
        changed == "codex/config.toml: line 5 is 'tool_timeout_sec = 60', expected 'tool_timeout_sec = 600'"
    )


def test_no_tool_of_a_server_is_refused_by_a_model_service() -> None:
    """Of every toolset. `make check` says the same; this finds a server that is installed beside ours as well."""
    assert [line for name in servers.names() for line in manifests.refused_tools(servers.toolbox(name))] == []


def test_what_model_services_refuse_is_found() -> None:
    schema = {
        "type": "object",
        "oneOf": [{}],
        "properties": {
            "kind": {"enum": ["", "a", 1]},
            "two words": {"type": ["string", "null"]},
            "rows": {"type": "array", "items": {"type": "array"}},
            "one": {"anyOf": [{"const": 1}, {"type": "object", "additionalProperties": {"$ref": "#/x"}}]},
        },
    }
    said = tool_schemas.refused({"name": "weigh.it", "description": "x" * 1025, "inputSchema": schema})
    assert said == [
        "weigh.it: the name is refused by OpenAI and Gemini",
        "weigh.it: OpenAI refuses a description of 1025 characters",
        "weigh.it: OpenAI and Anthropic refuse oneOf at the top",
        "weigh.it: arguments: Gemini does not know oneOf",
        "weigh.it: arguments.kind: Gemini refuses '' in an enum",
        "weigh.it: arguments.kind: Gemini refuses 1 in an enum",
        "weigh.it: arguments: Anthropic refuses the name 'two words'",
        "weigh.it: arguments.two words: Gemini wants one type, not ['string', 'null']",
        "weigh.it: arguments.rows[items]: OpenAI and Gemini want the items of an array",
        "weigh.it: arguments.one|0: Gemini does not know const",
        "weigh.it: arguments.one|1[additionalProperties]: Gemini does not know $ref",
    ]
    right = {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "number"}}}}
    assert tool_schemas.refused({"name": "weigh", "description": "Weigh.", "inputSchema": right}) == []
