"""phreeqc-basics: four-option questions of aqueous geochemistry that PHREEQC answers.

A small relative of PHREEQC-MCQ-200: one question per scenario, options computed by the engine that the agent
uses, every wrong option the result of a named mistake. `stems` holds the questions and their builds; the
other four files are those of every suite.
"""

from labrig.toolbox import ServeOptions
from labrig_harness.channels import Channel
from labrig_harness.suite import Arm, Suite
from labrig_harness.suites.phreeqc_basics import score, solution, tables, tasks

WITH_TOOLS = """\
How to answer: write a PHREEQC input file with write_file and run it with execute_phreeqc, naming the database. The \
simulator's whole output is then in result.out, which read_file reads. Decide which option is right, and write a file \
final_answer.txt with write_file that holds only its letter (A, B, C or D).
"""
DIRECT = "Answer with one letter (A, B, C or D) and nothing else."
COT = "Think it through step by step. End with one line that holds only the letter of your answer (A, B, C or D)."


def _arm(name: str, output: str, about: str) -> Arm:
    serve = ServeOptions(toolsets=("paper",), output=output)
    return Arm(name, "phreeqc", serve, WITH_TOOLS, Channel("file", "final_answer.txt"), about=about)


def _without_tools(name: str, instructions: str, about: str) -> Arm:
    return Arm(name, instructions=instructions, channel=Channel("letter"), max_steps=1, about=about)


suite = Suite(
    name=tasks.NAME,
    version=tasks.VERSION,
    scorer_version=score.VERSION,
    about="Four-option questions of aqueous geochemistry, answered by building and running PHREEQC models",
    arms=(
        _arm("agent-toc", "toc", "the paper's Agent-TOC: a flat list of sections with line numbers"),
        _arm("agent-outline", "outline", "our outline: states with their key values and line ranges"),
        _arm("agent-toc50", "toc:50", "the list as the authors' released code gives it, at most 50 entries"),
        _arm("agent-raw100k", "raw:100000", "the paper's Agent-Raw100k: the output itself, head and tail"),
        _without_tools("direct", DIRECT, "no tools, the letter at once"),
        _without_tools("cot", COT, "no tools, reasoning first"),
    ),
    tasks=tasks.tasks,
    solution=solution.solution,
    score=score.score,
    tables=tables.tables,
    cluster="stem",
)
