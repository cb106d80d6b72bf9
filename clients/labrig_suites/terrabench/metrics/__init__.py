"""The metrics of TerraBench as the paper states them, and `compat` as its public code computes them: pure functions.

- `families`: the family of a tool, from ``words.toml``; `calls`: which calls are made, valid, successful
- `arguments`: how alike two calls' arguments are; `alignment`: calls paired by dynamic programming
- `order`: OrderScore; `process`: the six process metrics and ToolUseScore, over all accepted paths
- `sidecar`: ``<final_json>`` read and checked; `answers`: Hit@tol and NumScore, by three definitions of the tolerance
- `boundaries`: file boundaries and guardrails; `texts`: likeness of texts
- `compat`: the public code's numbers
"""
