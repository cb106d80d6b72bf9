"""The tables and figures on extraction of the paper on evidence verification, from records; figures as tables.

F1 there is `Score.compat`, by the published rules with a list of names in place of embedder and judge; what stands
beside it is said by each table. A configuration of the paper is a pair of agent and arm here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import percent, with_error
from labrig_suites.common.grouped import grouped
from labrig_suites.supercon_extraction.grading.kinds import KINDS
from labrig_suites.supercon_extraction.tables import failed, of


def paper_tables(samples: Sequence[Sample], scores: Sequence[Score]) -> list[Table]:
    """Return Tables 1, 3 (and 4), 6, the comparison of section A.2, Figures 3, 5 and 10, and the kinds of errors."""
    known = {sample.id for sample in samples}
    found = [score for score in scores if score.task in known]
    groups = grouped(found, lambda score: (score.agent, score.arm))
    return [
        *(pairs(groups), effort(groups), tolerances(groups), per_page(groups), reliability(groups)),
        errors(groups),
    ]


Groups = dict[tuple[str, str], list[Score]]


def pairs(groups: Groups) -> Table:
    """Return Table 1: F1 and the match of property and material, over all papers."""
    rows = [
        (
            *names,
            len(group),
            with_error([score.compat for score in group]),
            with_error(of(group, "pm")),
            with_error([s.strict for s in group]),
        )
        for names, group in groups.items()
    ]
    return Table(
        "Table 1. Property-material match and F1",
        ("agent", "arm", "papers", "F1", "PM match", "F1 proved"),
        tuple(rows),
        "Failed papers count as 0. F1 proved is ours.",
    )


def effort(groups: Groups) -> Table:
    """Return Tables 3 and 4 with Figures 3 and 10: F1, cost and tokens of a paper, failures."""
    rows: list[tuple[Any, ...]] = []
    for names, group in groups.items():
        costs = [score.facts["cost"] for score in group if score.facts["cost"] is not None]
        tokens = [score.facts["tokens"] for score in group if score.facts["tokens"] is not None]
        rows.append(
            (
                *(*names, len(group), with_error([score.compat for score in group])),
                *(round(fmean(costs), 4) if costs else None, len(costs)),
                *(round(fmean(tokens) / 1000, 1) if tokens else None, len(tokens)),
                percent(sum(map(failed, group)), len(group)),
            )
        )
    return Table(
        "Tables 3 and 4, Figures 3 and 10. F1, cost and tokens of a paper",
        (
            "agent",
            "arm",
            "papers",
            "F1",
            "cost",
            "papers with cost",
            "thousand tokens",
            "papers with tokens",
            "failed %",
        ),
        tuple(rows),
        "Costs are those of the price table, over the papers that have one; tokens over those that were measured.",
    )


def tolerances(groups: Groups) -> Table:
    """Return Table 6: F1 of values at three tolerances."""
    rows = [
        (*names, len(group), *(with_error(of(group, fact)) for fact in ("f1", "f1_1", "f1_10", "pm")))
        for names, group in groups.items()
    ]
    return Table(
        "Table 6. F1 under varying tolerance",
        ("agent", "arm", "papers", "F1 (0.1%)", "F1 (1%)", "F1 (10%)", "PM match"),
        tuple(rows),
        "One prediction for one truth, whatever the quote. Failed papers count as 0.",
    )


def per_page(groups: Groups) -> Table:
    """Return the figures of section A.2: how much was said, and what of it is right."""
    rows = [
        (
            *names,
            len(group),
            with_error(of(group, "said")),
            with_error(of(group, "recall")),
            with_error(of(group, "precision")),
        )
        for names, group in groups.items()
    ]
    return Table(
        "Section A.2. Page by page",
        ("agent", "arm", "papers", "properties said", "recall", "precision"),
        tuple(rows),
    )


def reliability(groups: Groups) -> Table:
    """Return Figure 5: how many papers gave nothing, and F1 of those that gave something."""
    rows = []
    for names, group in groups.items():
        kept = [score for score in group if not failed(score)]
        rows.append(
            (
                *names,
                len(group),
                percent(len(group) - len(kept), len(group)),
                len(kept),
                with_error([s.compat for s in kept]),
            )
        )
    return Table(
        "Figure 5. Reliability",
        ("agent", "arm", "papers", "failed %", "papers read", "F1 of these"),
        tuple(rows),
    )


def errors(groups: Groups) -> Table:
    """Return of what kind the predictions are, where the paper names examples: see `grading.kinds`."""
    rows = []
    for names, group in groups.items():
        counts = Counter[str]()
        for score in group:
            counts.update(score.facts.get("kinds", {}))
        said = sum(counts[kind] for kind in KINDS)
        asked = sum(score.facts["truths"] - score.facts["figures"] for score in group)
        shares = [percent(counts[kind], said) if said else None for kind in KINDS]
        rows.append((*names, len(group), said, *shares, percent(counts["missed"], asked)))
    return Table(
        "Kinds of errors, in % of what was said",
        ("agent", "arm", "papers", "said", *KINDS, "missed, of the truths"),
        tuple(rows),
        "; ".join(f"{kind}: {about}" for kind, about in KINDS.items()) + ".",
    )
