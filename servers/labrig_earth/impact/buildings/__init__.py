"""Buildings: EnergyPlus, from a checked IDF (or a box by its numbers) and an EPW to loads whose energy balance closes.

- `setup`: what ``labrig setup energyplus`` brings; ``energyplus.in`` and ``energyplus.lock``
- `idf`: the objects of an IDF, which are refused, and what is asked of the run
- `box`: a building of one room by its numbers
- `balance`: hours and heat of a run accounted for
- `energyplus`: a run, from its files to numbers
- `err_outline`: its file of messages, mapped
- `drawing`: the load of a year as a profile and as days
"""
