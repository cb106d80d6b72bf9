"""One input, many values: what a practitioner asks the other way round. PHREEQC calculates every point.

- `expressions`: quantities as expressions of PHREEQC's Basic, with all their digits
- `points`: an input with a place for each parameter, run once for each point
- `treatment`: a water, a reagent and what may precipitate, as such an input
- `doses`: the dose at which a quantity has a value
- `predominance`: which species and solids hold an element, by pH and pe
"""
