"""Putting servers into clients: their configuration files, written, merged, undone, and the manifests.

- `client_configs`: where each client keeps its servers; `config_edit`: one table of somebody's file, changed
- `install`: into a client and out again; `skills`: what the folder ``skills`` of the command holds, likewise
- `manifests`: the generated files
- `tool_schemas`: what model services refuse in the description of a tool
"""
