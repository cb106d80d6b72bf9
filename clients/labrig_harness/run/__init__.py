"""Running a suite, in the order things happen.

- `plan`: what is to be run, kept in the output folder so that it can be gone on with
- `attempts`: which records are still to be made
- `claims`: of two runners in one folder only one works on a record at a time
- `record`: one record: a sample run in a fresh workspace, tried again while a service asks to wait, written whole
- `probing`: whether servers of others can be started
- `decisive`: what a declared change does to the right answer of an item
- `bench`: where an agent works on one sample; `linking`: its own log beside the calls that were recorded
- `runner`: all records of a plan, here; `cluster`: the same on many machines, whose workers have `makers`, which run
  `one_record`
"""
