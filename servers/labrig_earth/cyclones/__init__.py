"""Tropical cyclones in gridded fields: their centres at each time, and which of these are of one storm.

- `centres`: lows of pressure with cyclonic vorticity
- `linking`: centres of successive times linked to tracks, by distance or by motion and strength
"""
