"""Agents that cheat: what is a suite worth to one that sees its questions and uses no tool?

One for each suite, run on the items of a seed or of a file: ``PYTHONPATH=tests python -m attackers.NAME``.
"""
