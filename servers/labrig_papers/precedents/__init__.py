"""Whether a material was ever found superconducting, by what a corpus of papers says in so many words.

- `statements`: sentences that say it of a material, or deny it, with temperature, criterion, pressure and field
- `subjects`: which of the names in a text may be what it speaks of
- `finding`: the statements of a corpus about one material, with paper, page and quote
- `judging`: what they come to: superconducting, not down to a temperature, contradicting, or unknown
"""
