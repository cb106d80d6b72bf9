"""Forecasts held against what happened: scores with closed forms, and calibration.

- `deterministic`: errors, bias and correlations of one forecast
- `probabilistic`: CRPS in its variants, Brier score and its parts, reliability, ranks, spread and skill
- `emos`: ensembles calibrated by nonhomogeneous regression, held against years left out
"""
