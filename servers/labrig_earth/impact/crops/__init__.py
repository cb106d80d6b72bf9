"""Crops: AquaCrop and DSSAT, from checked inputs to yields whose water balance closes.

- `setup`: what ``labrig setup crops`` brings; ``crops.in`` and ``crops.lock``
"""
