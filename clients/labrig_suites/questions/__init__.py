"""questions: a file of questions (TOML, JSONL or CSV) as a suite, for who writes no Python.

`question` is one question and the file; `reading` makes both of a file; `tasks` makes samples of them. `score` compares
an answer by its kind (`answers`) and asks what was called (`calls`); `tables` shows both.
``example.toml`` is what ``labrig new-suite`` writes, `fixtures` what the scorer is tried with; there is no reference
`solution`.
"""

from labrig_harness.arm import Arm
from labrig_harness.channels import Channel
from labrig_harness.suite import Suite
from labrig_suites.questions import fixtures, score, solution, tables, tasks

INSTRUCTIONS = """\
End your last message with a line that begins with ANSWER: and goes on with the answer and nothing else. If what you \
have does not let you answer the question, write ANSWER: ABSTAIN."""

PLAIN = Arm(
    "plain",
    instructions=INSTRUCTIONS,
    channel=Channel("answer"),
    toolless=True,
    about="the last line of the last message is the answer; no server, unless the file or --server names one",
)

suite = Suite(
    name=tasks.NAME,
    version=tasks.VERSION,
    scorer_version=score.VERSION,
    about="The questions of a file (labrig new-suite writes one): labrig run FILE",
    arms=(PLAIN,),
    tasks=tasks.tasks,
    solution=solution.solution,
    score=score.score,
    tables=tables.tables,
    cluster="group",
    fixtures=fixtures.fixtures,
    kind="kind",
)
