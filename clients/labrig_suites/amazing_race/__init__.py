"""The Amazing Agent Race: legs through pages and tools to one digit.

- `legs`: a leg, as published; `values`, `pages`, `tool_names`: its values, addresses and tools, compared
- `closure`: which stops matter; `lint`: what is wrong with a leg
- `items`: legs as samples; `arms`: budgets and answers
- `reading`: what was committed; `verifier`, `evaluator`: the published definitions; `path`: ours; `score`
- `evidence`: values that stood in results; `measures`, `tables`: what runs did; `paper`: the paper's tables and figures
- `making`: legs of our own, from the pages and tools of a world
- `simulated`, `fixtures`: runs whose scores are known
"""
