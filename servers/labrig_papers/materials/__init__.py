"""What a sample is made of, and how its lattice is called.

- `elements`: symbols of the elements, isotopes that papers name.
- `names.toml`, `names`: YBCO, BSCCO-2212, LSCO, Hg-1201, RE-123, TMTSF: what formula a name stands for, as data.
- `writing`: the step before a formula is read: subscripts, isotopes, LaTeX and lost signs as plain text.
- `variables`: x = 0.15, δ = 0.07, A = Cs in a text, and the amounts that contain them.
- `regions`: which words of a text are the formula of the sample, and which describe it or are of something else.
- `formulas`: any way of writing made one canonical formula and its composition, or a typed reason why there is none;
  never a guessed one.
- `comparing`: two compositions, independent of scale, with the largest deviation.
- `space_groups`: symbol or number in any writing, compared by number.
"""
