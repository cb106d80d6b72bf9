"""Simulators of impacts: the engines themselves, each run in a process and a folder of its own.

- `envelope`: what a simulator of the paper gives back, with its common arguments
- `runs`: a run of an engine, from its inputs to one folder that holds all of it
- `simulator`, `simulators`: what stands behind a tool of the paper, and all of them by name
- `tables`: CSV files, numbers within a range
- `records`: what an archived run says of itself, and two runs compared
- `reading_output`: a file of a run by an output protocol, or by its lines
- `operations`: runs drawn
- `building`, `sampling`: inputs made of data in the workspace, by their kind; a variable at a place
- `scenario`: one perturbation of the inputs of every engine
- `inside`: what runs in the child, also in the Python of a side environment
- `crops`: AquaCrop and DSSAT; `traffic`: SUMO; `buildings`: EnergyPlus; `risk`: CLIMADA
- `health`: UTCI, and what an exposure costs in cases; `weather`: series of weather, the sun
"""
