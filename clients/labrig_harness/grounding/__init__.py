"""Causal grounding: one result changed on its way to the agent, and what its answer follows.

========== ================================================================
perturb    declared changes, and making one in a result
decisive   what a change does to an item's right answer
outcomes   followed, stayed, noticed: read from the record
========== ================================================================
"""
