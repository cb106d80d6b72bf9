"""Answers audited: where each number and name comes from, what was said to be done and was not; pure over records.

- `claims`: numbers and names of a text, with the words that say what they are
- `tracing`: each found in the question or a result, as it is, rounded, converted, or by a little arithmetic
- `doing`: done without a call, files never read, calls that led nowhere
- `auditing`: a record, and a folder as a table
- `passport`: the chain of each number of one answer, computed again; its form is ``passport.schema.json``
- `corrupting`: answers changed in ten ways; `measuring`: how many of them an audit finds
"""
