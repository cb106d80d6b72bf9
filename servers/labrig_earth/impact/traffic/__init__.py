"""Traffic: SUMO, from checked roads, trips and closures to delays in which every trip is accounted for.

- `setup`: what ``labrig setup sumo`` brings; ``sumo.in`` and ``sumo.lock``
- `markup`: XML of SUMO, of which only what is known here goes on
- `network`, `demand`, `disruptions`: the three files of a run
- `accounting`: trips of all seeds added up; nobody is lost, and only the same trips are compared
- `sumo`: a run, from its files to numbers
- `building`: roads and trips out of streets of OpenStreetMap
- `drawing`: a map of delays, and how many trips are delayed by how much
"""
