"""The tables of attackers and rules, as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.stats import binom

from attackers.phreeqc_mcq.results import ENOUGH, Result
from attackers.phreeqc_mcq.set_rules import Rule
from labrig_study.statistics.proportions import wilson


def report(results: Sequence[Result], rules: Sequence[Rule]) -> str:
    """Return the tables as text."""
    lines = [
        f"{'sees':<9}{'attacker':<47}{'trained':>7}{'hits':>8}{'items':>7}{'%':>6}{'95 % Wilson':>14}{'limit %':>9}"
    ]
    for result in results:
        low, high = wilson(result.hits, result.tried)
        percent = f"{100 * result.hits / result.tried:.1f}" if result.tried else "–"
        bound = f"{100 * result.limit:.1f}" if result.judged and result.tried else "–"
        verdict = "LEAK" if result.leaks else "–" if bound == "–" else "ok"
        lines.append(
            f"{result.group:<9}{result.attacker:<47}{result.trained or '':>7}{result.hits:>8.1f}"
            f"{result.tried:>7}{percent:>6}"
            f"{100 * low:>8.1f}{100 * high:>6.1f}{bound:>9}  {verdict}"
        )
    judged = [each for each in results if each.judged and each.tried]
    by_chance = sum(float(binom.sf(math.floor(each.limit * each.tried), each.tried, 0.25)) for each in judged)
    above = sum(each.leaks for each in judged)
    lines.append(
        f"Of {len(judged)} attackers without knowledge {above} exceed their limits; "
        f"by chance alone {by_chance:.2f} would{': check with another seed whether there is a leak' if above else ''}."
    )
    if any(each.group == "question" for each in results):
        lines.append(
            "Attackers that read the question are not judged: that a total exceeds a free ion is chemistry, not a leak."
        )
    few = [each for each in judged if each.tried < ENOUGH]
    if few:
        lines.append(
            f"On fewer than {ENOUGH:,} samples, chance alone can exceed 27 %: "
            "the limit is then what one blind guesser in a thousand exceeds."
        )
    lines += ["", f"{'rule':<46} {'broken':>6}"]
    for rule in rules:
        lines.append(f"{rule.name:<46} {len(rule.broken):6}  {'BROKEN' if rule.broken else 'ok'}")
        lines += [f"    {each}" for each in rule.broken[:5]]
    return "\n".join(lines)
