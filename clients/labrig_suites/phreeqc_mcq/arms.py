"""The arms of the suites that PHREEQC answers: what execute_phreeqc returns, and two without tools.

Those of PHREEQC-MCQ-200 (section 3.2, appendix B), the list as its authors' released code gives it, and our outline.
"""

from __future__ import annotations

from labrig.toolbox import ServeOptions
from labrig_harness.channels import Channel
from labrig_harness.suite import Arm

WITH_TOOLS = """\
How to answer: write a PHREEQC input file with write_file and run it with execute_phreeqc, naming the database. The \
complete output of the simulator is then in result.out{how}. Decide which option is correct, and use write_file to \
write a file final_answer.txt that contains only its letter (A, B, C or D).
"""
LISTED = ", which you can read by line ranges with read_file"
INLINE = "; execute_phreeqc returns that output, with its middle cut out if it is too long"
DIRECT = "Answer with one letter (A, B, C or D) and nothing else."
COT = "Think it through step by step. End with a line that contains only the letter of your answer (A, B, C or D)."


def _arm(name: str, output: str, about: str) -> Arm:
    serve = ServeOptions(toolsets=("paper",), output=output)
    instructions = WITH_TOOLS.format(how=INLINE if output.startswith("raw") else LISTED)
    return Arm(name, "phreeqc", serve, instructions, Channel("file", "final_answer.txt"), about=about)


def _without_tools(name: str, instructions: str, about: str) -> Arm:
    return Arm(name, instructions=instructions, channel=Channel("letter"), max_steps=1, about=about)


TOC = _arm("agent-toc", "toc", "the paper's Agent-TOC: a flat list of sections with line numbers")
TOC50 = _arm("agent-toc50", "toc:50", "the list as the authors' released code gives it, at most 50 entries")
OUTLINE = _arm("agent-outline", "outline", "our outline: states with their key values and line ranges")
RAW100K = _arm("agent-raw100k", "raw:100000", "the paper's Agent-Raw100k: the output itself, head and tail")
RAW500K = _arm("agent-raw500k", "raw:500000", "the paper's Agent-Raw500k")
WITHOUT_TOOLS = (
    _without_tools("direct", DIRECT, "no tools, the letter alone"),
    _without_tools("cot", COT, "no tools, reasoning before the letter"),
)
