"""Models: services, their names and keys, settings, messages, errors, prices.

- `names`, `settings`, `prices`: which model, with what, at what cost
- `service`: one request with its retries, and what is wrong with a reply (cut off, empty)
- `messages`: between MCP and a model; `errors`: what a failure means
"""
