"""Statistics of benchmark results, on NumPy and SciPy alone.

- `proportions`: Wilson intervals
- `bootstrap`: intervals of means, differences, ratios, over items or whole clusters
- `clustered`: design effect, detectable difference; `paired`: permutation, McNemar, t, Holm
- `retention`: kept, gained, lost; `stability`: reruns; `passing`: pass@k, pass^k; `agreement`: alpha, kappa
- `prediction`: logistic regression, correlations
- `arms`: one arm; `comparison`: two arms, all of it together
- `planning`: what a number of samples can show, before a run
- `checking`, `distributions`: shared by these

All functions are pure; where chance is involved it comes from a seed. `wilson` and `planning` need the standard
library only.
"""

from __future__ import annotations


def has_statistics() -> bool:
    """Say whether NumPy and SciPy, which resampling needs, are installed."""
    try:
        import numpy  # noqa: F401
        import scipy.special  # noqa: F401
    except ImportError:
        return False
    return True
