"""Runs any MCP-capable agent against any MCP servers, records every call, and scores the records; knows no suite.

The words first: `sample` (what is asked; its bytes are `blobs`), `wording` (in whose words), `arm` (servers, answer
channel and budget), `suite` (samples, arms, scores; `suites` finds them by entry points), `agent` (what answers, and
where it works), `trajectory` (what it did), `channels` (where its answer is looked for), `limits` and `endings` (how
much it may use, and how a run ends), `tool_names` (those of several servers), `playing` (the calls of a solution,
made), `asking` (a server in this process, asked from plain code), `left_files` (what a run leaves). Then the rooms:

- `registry`: servers, found by their entry points, or given by URL or command
- `run`: a plan, a bench, one record after another, here or on a cluster
- `records`: the output folder, read back, checked and scored
- `agents`: loops over a model and scripted ones; those of other packages, found by their entry points
- `models`: the services that models are asked at
- `recording`: every call recorded, between any agent and any server; replayed
- `grounding`: did the answer hang on the results: a result changed, and what came of it
- `pytest_plugin`: a client of a server, as a fixture

Agents that are programs stand in `labrig_programs`, what is made of records in `labrig_study`, the command in
`labrig_cli`; nothing here imports them.
"""
