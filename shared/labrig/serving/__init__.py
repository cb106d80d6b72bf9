"""What turns a toolbox into a server.

- `builder`: a toolbox's tools as a FastMCP server; `face`: every call with its workspace, turn and record; `results`:
  its answer as MCP content (structured content, text, isError)
- `tested`: how a tool was tested, as its ``_meta`` says
- `meaning`: arguments as they were meant; `lean`: the short form of tools in tools/list
- `telling`: how far a call is, told to the client
- `serve`: the command line of a server: stdio or HTTP, its options
- `gate`: Host and Origin of a request, compared whole; wrong tokens, slowed; `knocking`: connections of strangers,
  bounded in time and number; `door`: requests of many callers, in turns
- `warm`: a server that is imported once and forked for each client; `stand_in`: what a client starts to be given one
- `gc`: workspaces beyond a quota, the oldest first
"""
