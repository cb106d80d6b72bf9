"""Wikipedia, maps, weather, countries and markets for agents: rooms that work without MCP.

- `articles`: short articles of Labrig's own, read from TOML and checked
- `facts`: what a look-up gives back, whichever source answers it
- `world`: the bundled world, its tables and articles, made into one database; `offline`: look-ups in it
- `wiki`: pages, their identity and their stores
- `services`: the same questions asked of live services
- `asking`: one place that answers every question, by the backend that its settings name
- `reading`: pages by address or title, of the bundled wiki, a store or the web
- `published`: answers in the shape of the public servers of The Amazing Agent Race
- `server`: the MCP face; `tools`: one tool from a shell, in the manner of the published program
"""
