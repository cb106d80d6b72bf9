"""The tables of attackers and rules, as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.stats import binom

from labrig_harness.statistics import wilson
from labrig_harness.suites.phreeqc_mcq.attack.results import ENOUGH, Result
from labrig_harness.suites.phreeqc_mcq.attack.set_rules import Rule


def report(results: Sequence[Result], rules: Sequence[Rule]) -> str:
    """Return the tables as text."""
    lines = [
        f"{'sees':<9}{'attacker':<47}{'trained':>7}{'hits':>8}{'items':>7}{'%':>6}{'95 % Wilson':>14}{'limit %':>9}"
    ]
    for each in results:
        low, high = wilson(each.hits, each.tried)
        percent = f"{100 * each.hits / each.tried:.1f}" if each.tried else "–"
        bound = f"{100 * each.limit:.1f}" if each.judged and each.tried else "–"
        verdict = "LEAK" if each.leaks else "–" if bound == "–" else "ok"
        lines.append(
            f"{each.group:<9}{each.attacker:<47}{each.trained or '':>7}{each.hits:>8.1f}{each.tried:>7}{percent:>6}"
            f"{100 * low:>8.1f}{100 * high:>6.1f}{bound:>9}  {verdict}"
        )
    judged = [each for each in results if each.judged and each.tried]
    by_chance = sum(float(binom.sf(math.floor(each.limit * each.tried), each.tried, 0.25)) for each in judged)
    lines.append(
        f"Of {len(judged)} attackers that knew nothing, chance alone would put {by_chance:.2f} above their limits: "
        "see whether a leak is there with another seed."
    )
    if any(each.group == "question" for each in results):
        lines.append(
            "Who reads the question is not judged: that a total exceeds a free ion, in any stem, is chemistry, no leak."
        )
    few = [each for each in judged if each.tried < ENOUGH]
    if few:
        lines.append(
            f"On fewer than {ENOUGH:,} items chance alone goes above 27 %: "
            "the limit is then what one blind guesser in a thousand exceeds."
        )
    lines += ["", f"{'rule':<46} {'broken':>6}"]
    for rule in rules:
        lines.append(f"{rule.name:<46} {len(rule.broken):6}  {'BROKEN' if rule.broken else 'ok'}")
        lines += [f"    {each}" for each in rule.broken[:5]]
    return "\n".join(lines)
