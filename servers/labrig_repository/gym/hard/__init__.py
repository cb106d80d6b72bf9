"""The hard tier: campaigns as people leave them, of which every cell is known. In the order things happen:

- `levels`: the switches, one difficulty each, and the id that says their levels
- `worlds`: what a campaign is about, from `worlds.toml`
- `plan`: from a number to a campaign and its one question, with a gap or without
- `records`: its cells as integers; `writing`: its files as text; `campaign`: all of it, for tools and truths
"""
