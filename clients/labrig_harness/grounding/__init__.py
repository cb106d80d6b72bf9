"""Causal grounding: one result changed on its way to the agent, and what its answer follows.

- `perturb`: declared changes, and making one in a result
- `outcomes`: followed, stayed, noticed: read from the record
"""
