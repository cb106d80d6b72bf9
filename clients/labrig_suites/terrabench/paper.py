"""The tables and figures of TerraBench, from records; figures as tables. A model is an agent in an arm.

Shares are in percent with two decimals where the paper prints them so, and from 0 to 1 with four where it does.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

from labrig_harness.sample import Sample
from labrig_harness.suite import Score, Table
from labrig_study.cells import mean, percent, rounded
from labrig_study.statistics.agreement import cohen_kappa
from labrig_study.statistics.prediction import pearson
from labrig_suites.common.grouped import grouped
from labrig_suites.terrabench.analysis.failures import CATEGORIES, NONE, shares
from labrig_suites.terrabench.analysis.intervals import RESAMPLES, difference, excludes_zero, interval
from labrig_suites.terrabench.analysis.observations import (
    COMPONENTS,
    METRICS,
    Model,
    Observed,
    observe,
    stacked,
)
from labrig_suites.terrabench.analysis.regression import Predictive, derived_weights, predictive
from labrig_suites.terrabench.analysis.weights import DRAWS, SPREAD, leaders, perturbed, schemes
from labrig_suites.terrabench.metrics.calls import reference_of
from labrig_suites.terrabench.metrics.families import families, family_of, words
from labrig_suites.terrabench.truth import DOMAINS, LEVELS, TRACKS

OUTCOMES = ("ToolUseScore", "NumScore", "Hit@tol")
PAIRS = 6
"""Models up to which every pair is compared; above, the leader with each other one."""
RUN = "No records yet."


def paper_tables(samples: Sequence[Sample], scores: Sequence[Score]) -> list[Table]:
    """Return Tables 2 to 7 and 9 and Figures 5, 7, 9 and 10, figures behind the tables."""
    ids = {sample.id for sample in samples}
    found = sorted(
        (each for each in scores if each.task in ids),
        key=lambda each: (each.agent, each.arm, each.task, each.epoch),
    )
    runs = grouped(found, lambda each: (each.agent, each.arm))
    models = observe(found)
    study = study_a(models)
    return [
        main_results(models),
        predictive_validity(study),
        sensitivity(models),
        other_weights(models, study),
        intervals(models),
        pairwise(models),
        resources(runs),
        agreement(found),
        composition(samples),
        tool_groups(samples),
        calls(runs),
        by_label(runs, "track", TRACKS, "Figure 7b. NumScore by track"),
        by_label(runs, "level", LEVELS, "Figure 7c. Scores by reasoning level"),
        by_label(runs, "domain", DOMAINS, "Figure 7, more. Scores by domain"),
        coupling(models),
        bootstrap_means(models),
        failure_modes(runs),
        usage(runs),
    ]


def main_results(models: dict[Model, Observed]) -> Table:
    """Return Table 2: the process metrics and the answer scores of each model, in percent."""
    columns = ("ToolAcc", "CategoryF1", "ArgAcc", "OrderScore", "ToolUseScore", "NumScore", "Hit@tol")
    rows = [
        (*model, len(each.items), *(percent(each.mean(name), digits=2) for name in columns))
        for model, each in models.items()
    ]
    return Table(
        "Table 2. Main results, %", ("agent", "arm", "items", *columns), tuple(rows), "" if rows else RUN
    )


def compared(scores: Sequence[Score]) -> Table:
    """Return the same runs by the paper's definitions and by the public code's, in percent."""
    rows = []
    for (agent, arm), group in grouped(scores, lambda each: (each.agent, each.arm)).items():
        for name in ("ToolAcc", "CategoryF1", "ArgAcc", "OrderScore", *OUTCOMES):
            ours, theirs = (fmean(each.facts[key][name] for each in group) for key in ("metrics", "compat"))
            rows.append((agent, arm, name, len(group), percent(ours, digits=2), percent(theirs, digits=2)))
    columns = ("agent", "arm", "metric", "runs", "paper %", "public code %")
    return Table("The paper's definitions and the public code's", columns, tuple(rows))


def study_a(models: dict[Model, Observed]) -> Predictive | None:
    """Return Study A over every model and item; None where there is no observation."""
    columns = stacked(models, METRICS)
    if not columns["Hit@tol"]:
        return None
    success = [each >= 1 for each in columns["Hit@tol"]]
    return predictive(success, columns["NumScore"], {name: columns[name] for name in COMPONENTS})


def predictive_validity(study: Predictive | None) -> Table:
    """Return Table 3: AUC and McFadden's pseudo-R2 of success, and R2 of NumScore."""
    columns = ("analysis", "quantity", "value")
    if study is None:
        return Table("Table 3. Predictive validity of the process metrics", columns, (), RUN)
    fit, label = study.success, "logistic regression of 1{Hit@tol >= 1}"
    rows: list[tuple[Any, ...]] = [
        (label, "AUC", rounded(fit.auc if fit else None, 3)),
        (label, "McFadden pseudo-R2", rounded(fit.mcfadden if fit else None, 3)),
        ("linear regression of NumScore", "R2", rounded(study.num_score.r2, 3)),
        ("both", "observations", study.num_score.n),
    ]
    notes = [f"{name} is left out: {why}." for name, why in study.dropped.items()]
    notes += [each for each in (study.note, fit.note if fit else "") if each]
    return Table("Table 3. Predictive validity of the process metrics", columns, tuple(rows), " ".join(notes))


def sensitivity(models: dict[Model, Observed]) -> Table:
    """Return Table 4: the ranking under 1,000 perturbations of the published weights."""
    columns = ("quantity", "value")
    if len(models) < 2:
        return Table(
            "Table 4. Rankings under perturbed weights", columns, (), "Two models are needed for a ranking."
        )
    found = perturbed(_means(models))
    rows = (
        ("random perturbation trials", found.draws),
        ("median Spearman rho", rounded(found.median, 3)),
        ("minimum Spearman rho", rounded(found.least, 3)),
        ("fraction with rho >= 0.95", rounded(found.reach, 3)),
        ("top-ranked model unchanged", rounded(found.first, 3)),
        ("bottom-ranked model unchanged", rounded(found.last, 3)),
    )
    note = f"Each weight is moved by up to {SPREAD:g}, clipped at 0, and all are made to add up to 1; {DRAWS:,} draws."
    return Table("Table 4. Rankings under perturbed weights", columns, rows, note)


def other_weights(models: dict[Model, Observed], study: Predictive | None) -> Table:
    """Return what the paper says of Table 4 in words: equal, leave-one-out and regression-derived weights."""
    columns = ("weights", "Spearman rho", "first", *COMPONENTS)
    title = "Table 4, more. Rankings under other weights"
    if len(models) < 2:
        return Table(title, columns, (), "Two models are needed for a ranking.")
    table = _means(models)
    derived, notes = None, []
    if study is not None and study.success is not None and study.success.coefficients:
        coefficients = dict(zip(study.names, study.success.coefficients[1:], strict=True))
        derived = derived_weights(coefficients, COMPONENTS)
        negative = [name for name, each in coefficients.items() if each < 0]
        notes += [f"Negative coefficients count as 0: {', '.join(negative)}."] if negative else []
    elif study is not None:
        derived = derived_weights(study.num_score.coefficients, COMPONENTS)
        notes.append("There is no logistic fit: the weights are those of the linear one.")
    if derived is None:
        notes.append("No coefficient is positive: there are no weights from a regression.")
    rows = [
        (
            each.name,
            rounded(each.spearman, 3),
            leaders(table, each.weights)[0],
            *(round(each.weights[name], 3) for name in COMPONENTS),
        )
        for each in schemes(table, derived=derived)
    ]
    return Table(title, columns, tuple(rows), " ".join(notes))


def intervals(models: dict[Model, Observed]) -> Table:
    """Return Table 5: means over items with 95 % bootstrap intervals."""
    rows = []
    for model, each in models.items():
        for metric in OUTCOMES:
            found = interval(each, metric)
            rows.append((*model, metric, found.n, round(found.value, 4), *_ends(found.interval)))
    columns = ("agent", "arm", "metric", "N", "mean", "from", "to")
    return Table(
        "Table 5. Bootstrap intervals", columns, tuple(rows), f"95 %, percentiles, {RESAMPLES:,} resamples."
    )


def pairwise(models: dict[Model, Observed]) -> Table:
    """Return Table 6: paired differences with their intervals."""
    rows = []
    for first, second in _pairs(models):
        for metric in OUTCOMES:
            found = difference(models[first], models[second], metric)
            if found is not None:
                label = f"{_label(first, models)} - {_label(second, models)}"
                ends = _ends(found.interval)
                rows.append((label, metric, found.n, round(found.value, 4), *ends, excludes_zero(found)))
    columns = ("comparison", "metric", "N", "mean diff", "from", "to", "excludes 0")
    note = f"Over the items of both, the better by ToolUseScore first; {RESAMPLES:,} resamples."
    return Table("Table 6. Paired differences", columns, tuple(rows), note)


def resources(runs: dict[Model, list[Score]]) -> Table:
    """Return Table 7: runs, and the time that they took."""
    rows = []
    for model, group in runs.items():
        times = [each.facts["wall_s"] for each in group if each.facts["wall_s"] > 0]
        rows.append((*model, len(group), _clock(sum(times)), _clock(fmean(times)) if times else None))
    note = "The sum of the runs' own durations; runs without one are in the count alone."
    return Table("Table 7. Time", ("agent", "arm", "runs", "total", "a run"), tuple(rows), note)


def agreement(scores: Sequence[Score]) -> Table:
    """Return Table 9 in form: two raters' accept or reject. Here they are our scorer and that of the public code."""
    ours, theirs = [each.strict >= 1 for each in scores], [each.compat >= 1 for each in scores]
    rows: tuple[tuple[Any, ...], ...] = ()
    if ours:
        same = [a == b for a, b in zip(ours, theirs, strict=True)]
        rows = (
            ("runs", len(ours)),
            ("raw agreement, %", percent(fmean(same), digits=2)),
            ("Cohen's kappa", rounded(cohen_kappa(ours, theirs), 3)),
            ("disagreements", len(same) - sum(same)),
        )
    note = (
        "A run is accepted whose fields are all right. The paper's two raters were people who judged traces of "
        "candidates; records hold no such judgements."
    )
    return Table("Table 9. Agreement of two scorers", ("quantity", "value"), rows, note)


def composition(samples: Sequence[Sample]) -> Table:
    """Return Figure 5a: the share of each domain in a track, in percent, with lengths of the references."""
    rows = []
    others = {each.labels.get("track", "") for each in samples} - set(TRACKS)
    for track in (*TRACKS, *sorted(others)):
        group = [each for each in samples if each.labels.get("track", "") == track]
        if group:
            count = Counter(each.labels.get("domain", "") for each in group)
            rows.append((track, len(group), *(percent(count[domain], len(group), 2) for domain in DOMAINS)))
    return Table("Figure 5a. Domains of each track, %", ("track", "items", *DOMAINS), tuple(rows))


def tool_groups(samples: Sequence[Sample]) -> Table:
    """Return Figure 5b: the tools of each family, and how much the references use them."""
    tools = {name: len(each) for name, each in words()["families"].items()}
    paths = [reference_of(each.truth["paths"][0], each.id) for each in samples]
    used = Counter(family_of(call.tool) for path in paths for call in path)
    items = Counter(family for path in paths for family in {family_of(call.tool) for call in path})
    rows = [(family, tools[family], used[family], items[family]) for family in families()]
    return Table(
        "Figure 5b. Tool families",
        ("family", "tools", "calls of references", "items that use it"),
        tuple(rows),
        "Tools are the published ones and those of Labrig's own servers.",
    )


def calls(runs: dict[Model, list[Score]]) -> Table:
    """Return Figure 7a: calls made and calls that succeeded."""
    rows = [
        (
            *model,
            sum(each.facts["calls"]["made"] for each in group),
            sum(each.facts["calls"]["succeeded"] for each in group),
            rounded(mean(each.facts["calls"]["made"] for each in group)),
        )
        for model, group in runs.items()
    ]
    columns = ("agent", "arm", "calls", "successful", "calls a run")
    return Table("Figure 7a. Tool calls", columns, tuple(rows))


def by_label(runs: dict[Model, list[Score]], label: str, values: Sequence[str], title: str) -> Table:
    """Return means of each model over the items of each track, level or domain, in percent."""
    rows = []
    for model, group in runs.items():
        others = {str(each.facts[label]) for each in group} - set(values)
        for value in (*values, *sorted(others)):
            if part := [each for each in group if str(each.facts[label]) == value]:
                (found,) = observe(part).values()
                rows.append(
                    (
                        *model,
                        value,
                        len(found.items),
                        *(percent(found.mean(each), digits=2) for each in OUTCOMES),
                    )
                )
    return Table(title, ("agent", "arm", label, "items", *(f"{each} %" for each in OUTCOMES)), tuple(rows))


def coupling(models: dict[Model, Observed]) -> Table:
    """Return Figure 7d: Pearson's correlation of process metrics with NumScore, over every model and item."""
    columns = stacked(models, METRICS)
    rows = []
    for name in ("ToolAcc", "OrderScore", "CategoryF1", "ArgAcc", "ToolUseScore"):
        if columns[name]:
            found = pearson(columns[name], columns["NumScore"])
            rows.append((name, found.n, rounded(found.value, 3), *_ends(found.interval), found.note))
    return Table("Figure 7d. Process and answer", ("metric", "n", "r", "from", "to", "note"), tuple(rows))


def bootstrap_means(models: dict[Model, Observed]) -> Table:
    """Return Figure 9a: ToolUseScore and NumScore with their intervals; 9b is Table 6."""
    rows = []
    for model, each in sorted(models.items(), key=lambda pair: -pair[1].mean("ToolUseScore")):
        found = [interval(each, metric) for metric in ("ToolUseScore", "NumScore")]
        rows.append(
            (*model, *(value for one in found for value in (round(one.value, 4), *_ends(one.interval))))
        )
    columns = ("agent", "arm", "ToolUseScore", "from", "to", "NumScore", "from ", "to ")
    return Table(
        "Figure 9. Means with intervals", columns, tuple(rows), "Best first. The differences are Table 6."
    )


def failure_modes(runs: dict[Model, list[Score]]) -> Table:
    """Return Figure 10: the share of runs that show each kind of failure, in percent."""
    rows = []
    for model, group in runs.items():
        found = shares(group)
        rows.append((*model, len(group), *(percent(found[name], digits=2) for name in (*CATEGORIES, NONE))))
    note = "A run may show several. Thresholds: labrig_suites.terrabench.analysis.failures."
    return Table(
        "Figure 10. Failures, % of runs", ("agent", "arm", "runs", *CATEGORIES, NONE), tuple(rows), note
    )


def usage(runs: dict[Model, list[Score]]) -> Table:
    """Return Figure 8a: the share of each tool family in the valid calls of a model, in percent."""
    rows = []
    for model, group in runs.items():
        count: Counter[str] = Counter()
        for each in group:
            count.update(each.facts["families"])
        known = [count[name] for name in families()]
        total = count.total()
        cells = [*known, total - sum(known)]
        rows.append((*model, total, *(percent(each, total, 2) for each in cells)))
    columns = ("agent", "arm", "valid calls", *families(), "other")
    return Table("Figure 8a. Use of tool families, %", columns, tuple(rows))


def _pairs(models: dict[Model, Observed]) -> Iterable[tuple[Model, Model]]:
    order = sorted(models, key=lambda model: (-models[model].mean("ToolUseScore"), model))
    if len(order) <= PAIRS:
        return list(itertools.combinations(order, 2))
    return [(order[0], other) for other in order[1:]]


def _means(models: dict[Model, Observed]) -> dict[str, dict[str, float]]:
    return {
        _label(model, models): {name: each.mean(name) for name in COMPONENTS}
        for model, each in models.items()
    }


def _label(model: Model, models: Iterable[Model]) -> str:
    agent, arm = model
    return agent if sum(each[0] == agent for each in models) == 1 else f"{agent} ({arm})"


def _ends(ends: tuple[float, float] | None) -> tuple[float | None, float | None]:
    return (None, None) if ends is None else (round(ends[0], 4), round(ends[1], 4))


def _clock(seconds: float) -> str:
    """Return a duration as the paper writes it.

    >>> _clock(316067), _clock(630)
    ('3d 15:47:47', '00:10:30')
    """
    whole = round(seconds)
    days, rest = divmod(whole, 86_400)
    clock = f"{rest // 3_600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days}d {clock}" if days else clock
