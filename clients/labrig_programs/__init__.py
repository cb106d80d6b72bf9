"""Agents that are programs of others, each in a private place with a cell around it, and the readers of their logs.

The harness finds them by the entry-point group ``labrig.agents``, as it finds those of any other package.

- `claude_code`, `codex`, `gemini`: the programs Claude Code, Codex CLI and Gemini CLI: what each is told
- `command`: any program that takes a prompt and an MCP configuration
- `program`: what they have in common: found, started, watched, ended
- `private`: a place of its own for one sample; `confinement`: the cell around it
- `shim`: what a program starts in place of a server; `way_out`: the network of a program with tools of its own
- `streaming`: its output, kept as a log while it runs; `concluding`: how it ended
- `reading`: its log, read into steps, and logs of programs that others ran
"""
