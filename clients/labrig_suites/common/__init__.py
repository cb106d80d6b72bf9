"""What suites share.

- `choice`: the score of a question with lettered options; `choice_fixtures`: trajectories that it is tried with
- `numbers`: numbers as options and outputs show them
- `dealing`: letters, ranks and stems dealt out evenly
- `generated`: sets from a seed: commitment, opaque ids, samples one by one, lines of a file read back
- `unfinished`: items of a set that was ended, kept for the next time
- `answer_data`: the data of an answer, found again in its text
- `from_sync`: a coroutine run to its end from synchronous code
- `grouped`: scores in groups, percentages, the table of end reasons
"""
