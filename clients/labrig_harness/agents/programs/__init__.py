"""Agents that are programs of others, each in a private place with a cell around it.

- `program`: what they have in common: found, started, watched, ended
- `private`: a place of its own for one sample; `confinement`: the cell around it
- `streaming`: its output, kept as a log while it runs; `concluding`: how it ended
- `claude_code`, `codex`, `gemini`, `command`: what each is told, and how its log is read
"""
