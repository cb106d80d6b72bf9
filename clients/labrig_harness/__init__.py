"""Runs any MCP-capable agent against any MCP servers, records every call, and scores the records; knows no suite.

The words first: `sample` (what is asked; its bytes are `blobs`), `arm` (servers, answer channel and budget), `suite`
(samples, arms, scores), `agent` (what answers, and where it works), `trajectory` (what it did), `channels` (where its
answer is looked for), `limits` and `endings` (how much it may use, and how a run ends), `tool_names` (those of several
servers), `playing` (the calls of a solution, made), `asking` (a server in this process, asked from plain code),
`left_files` (what a run leaves). Then the rooms:

- `registry`: servers and suites, found by their entry points
- `run`: a plan, a bench, one record after another, here or on a cluster
- `records`: the output folder, read back, checked and scored
- `agents`: loops over a model, scripted ones, and programs (`agents.programs`), confined, whose
  own logs are read by `agents.reading`
- `models`: the services that models are asked at
- `recording`: every call recorded, between any agent and any server; replayed
- `grounding`: did the answer hang on the results: a result changed, and what came of it

And what analyses records, which none of the above imports:

- `statistics`, `report`: intervals, tests and tables; pages and terminals that show them
- `formats`: logs of other benchmarks and tables of results, read and written; `logs`: import, export, show
- `installing`: servers put into a client's configuration; manifests
- `cli`: the command ``labrig``; `pytest_plugin`: a client of a server, as a fixture
"""
