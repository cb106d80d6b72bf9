"""Quotes held against the text of a paper.

- `folding`: text as it is compared, with the way back to where each character stands
- `quotes`: whether a quote stands on a page, and in which boxes; `searching`: where words stand
"""
