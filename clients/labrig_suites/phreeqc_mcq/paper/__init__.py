"""The 31 tables of the PHREEQC-MCQ-200 paper, from records: one module for each thing they ask.

- `accuracy`: tables 1 and 6; `retention`: 2, 19-21; `reruns`: 3, 22-25; `sizes`: 4, 5, 8-13; `reasoning`: 7
- `overlap`: 14, 15; `outcomes`: 16, 30; `scenarios`: 17, 18; `harnesses`: 26; `trajectories`: 27-29
- `records`, `lines`: scores as runs, and which belong together; `bins`, `cells`: of sizes, of a table
"""

from __future__ import annotations

from collections.abc import Sequence

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.statistics import has_statistics


def paper_tables(samples: Sequence[Sample], scores: Sequence[Score]) -> list[Table]:
    """Return the paper's tables by number; 10 to 13, one per model in the paper, are one.

    Right means `Score.compat`: the committed letter. Counts are of the original run (epoch 0) unless a table is
    about reruns. A table whose records are missing has no rows, and its note says what to run. The same records
    give the same tables, in whatever order they come.

    Parameters
    ----------
    samples
        With the right letter, and where known the stem and the size of the reference output. Records of other
        items are left out.
    scores
        One for each arm, agent, epoch and item; an item need not have them all.

    Raises
    ------
    LabrigError
        If two records are of the same arm, agent, epoch and item.

    References
    ----------
    K. Zhang, S. Chundur, M. Javad Qomi and M. Raissi, PHREEQC-MCQ-200: A Diagnostic Benchmark for Tool-Augmented
    Scientific Simulator Agents.
    """
    if not has_statistics():
        need = "No rows: these tables need pip install 'labrig[harness]'"
        return [Table("Tables 1-31. The paper's tables", ("table",), (), need)]
    # Imported here, as they need NumPy and SciPy; a report without these has the suite's own tables.
    from labrig_suites.phreeqc_mcq.paper import (
        accuracy,
        harnesses,
        outcomes,
        overlap,
        reasoning,
        reruns,
        retention,
        scenarios,
        sizes,
        trajectories,
    )
    from labrig_suites.phreeqc_mcq.paper.records import arrange

    records = arrange(samples, scores)
    return [
        accuracy.main_results(records),
        retention.decomposition(records),
        reruns.stability(records),
        sizes.slices(records),
        sizes.windows(records),
        accuracy.labels(records),
        reasoning.cot_tokens(records),
        sizes.distribution(records),
        sizes.long_outputs(records),
        sizes.by_bin(records),
        overlap.two_protocols(records),
        overlap.three_protocols(records),
        outcomes.breakdown(records),
        scenarios.means(records),
        scenarios.grid(records),
        retention.lost_by_size(records),
        retention.lost_by_stem(records),
        retention.lost_by_letter(records),
        reruns.stability_short(records),
        reruns.per_item(records),
        reruns.by_size(records),
        reruns.by_letter(records),
        harnesses.harnesses(records),
        trajectories.trajectories(records),
        trajectories.by_steps(records),
        trajectories.failed_steps(records),
        outcomes.failures(records),
        REVIEWED,
    ]


REVIEWED = Table(
    "Table 31. Failures as a reviewer sees them",
    ("category", "count", "% of failed"),
    (),
    "No rows: the paper's categories are the judgement of a domain expert and cannot be computed from records. In "
    "their place, see the suite's tables “Where the chain broke” and “Diagnoses of wrong answers”, which need no "
    "reviewer.",
)
