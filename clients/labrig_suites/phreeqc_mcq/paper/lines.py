"""Which runs belong together: the tool runs of an agent, and the runs without tools that they are set against."""

from __future__ import annotations

from dataclasses import dataclass

from labrig_suites.phreeqc_mcq.paper.records import COT, DIRECT, WITHOUT_TOOLS, Records


@dataclass(frozen=True)
class Line:
    """A line of a table: an agent label, and the labels of its direct and CoT runs; empty where it has none.

    Attributes
    ----------
    note
        Which run was left out because more than one could be meant; empty when none was.
    """

    agent: str
    direct: str = ""
    cot: str = ""
    note: str = ""


def lines(records: Records) -> list[Line]:
    """Return a line for each agent with tools, and for each other agent whose run no line has taken.

    The direct (CoT) run of a line is that of the same label; else that of the same backbone, where only one
    label has such a run. Two direct runs of one model with different settings are two baselines, and nothing in
    the records says which is meant: then there is none.
    """
    made: list[Line] = []
    with_tools = {agent for arm, agent in records.methods if arm not in WITHOUT_TOOLS}
    made += [_line(records, agent) for agent in sorted(with_tools)]
    for arm in WITHOUT_TOOLS:
        taken = {label for line in made for label in (line.agent, line.direct, line.cot)}
        made += [_line(records, agent) for agent in records.agents(arm) if agent not in taken]
    return made


def backbone(records: Records, agent: str) -> str:
    """Return the model behind a label; the label itself where its records name none, or more than one."""
    named = {
        str(score.facts["model"])
        for (_, label), epochs in records.runs.items()
        if label == agent
        for run in epochs.values()
        for score in run.values()
    }
    return named.pop() if len(named) == 1 and "" not in named else agent


def remarks(found: list[Line]) -> str:
    """Return what is to be said of lines whose run without tools could not be told."""
    return " ".join(line.note for line in found if line.note)


def _line(records: Records, agent: str) -> Line:
    direct, why_direct = _without_tools(records, agent, DIRECT)
    cot, why_cot = _without_tools(records, agent, COT)
    return Line(agent, direct, cot, " ".join(filter(None, (why_direct, why_cot))))


def _without_tools(records: Records, agent: str, arm: str) -> tuple[str, str]:
    candidates = records.agents(arm)
    if agent in candidates:
        return agent, ""
    model = backbone(records, agent)
    of_model = [label for label in candidates if backbone(records, label) == model]
    if len(of_model) > 1:
        labels = ", ".join(of_model)
        return (
            "",
            f"{agent} has no {arm} run here: {labels} all use {model}, and it is not known which one is meant.",
        )
    return (of_model[0] if of_model else ""), ""
