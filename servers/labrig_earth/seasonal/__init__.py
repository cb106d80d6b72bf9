"""Seasonal forecasts: hindcasts by start and lead, seasons of them, their bias, categories, and the state of ENSO.

- `hindcasts`: a file as starts, leads and members; the months that they are valid for; the observations of these
- `seasons`: three months as one value
- `correction`: bias removed by the mean or by quantiles, checked on years left out
- `categories`: terciles of a climate, probabilities of them, forecasts of several models blended
- `enso`: sea surface temperature in the boxes of ENSO
"""
