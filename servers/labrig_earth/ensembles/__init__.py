"""Several forecasts of one thing: what they say together, and how far they agree.

- `members`: files of members as one array, paired by place and time, in one unit
- `statistics`: weighted mean and spread, probabilities, agreement
- `excess_heat`: the excess heat factor, and spells of it
"""
