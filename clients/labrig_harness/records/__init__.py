"""Records on disk.

- `outfolder`: where what lies, written so that what is there is whole
- `items_file`: items as lines of a file, as ``labrig generate`` writes them
- `verify`: whether a record agrees with itself
- `chosen`: what a preset left out of a run, in the titles of its tables
- `verdicts`: what a judge said of a record, kept beside it
- `scoring`: an output folder read back and scored from its records alone
"""
