"""Statistics of benchmark results, on NumPy and SciPy alone.

- `proportions`: Wilson intervals
- `bootstrap`: intervals of means, differences, ratios, over items or whole clusters
- `clustered`: design effect, detectable difference; `paired`: permutation, McNemar, t, Holm
- `retention`: kept, gained, lost; `stability`: reruns; `agreement`: alpha, kappa
- `prediction`: logistic regression, correlations
- `arms`: one arm; `comparison`: two arms, all of it together
- `checking`, `distributions`: shared by these

All functions are pure; where chance is involved it comes from a seed. `wilson` needs the standard library only, and
the rest is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from labrig_study.statistics.proportions import wilson

if TYPE_CHECKING:
    from labrig_study.statistics.agreement import cohen_kappa, krippendorff_alpha
    from labrig_study.statistics.bootstrap import (
        Estimate,
        bootstrap_difference,
        bootstrap_mean,
        bootstrap_ratio,
        bootstrap_ratio_difference,
    )
    from labrig_study.statistics.clustered import (
        DesignEffect,
        Detectable,
        design_effect,
        detectable,
        minimum_detectable_difference,
        standard_error,
    )
    from labrig_study.statistics.paired import (
        McNemar,
        PairedT,
        Permutation,
        holm,
        mcnemar,
        paired_t,
        permutation_test,
    )
    from labrig_study.statistics.prediction import Logistic, logistic, pearson, spearman
    from labrig_study.statistics.retention import (
        GuessCorrected,
        Movement,
        OddsRatio,
        RetentionTest,
        guess_corrected_retention,
        kept_gained_lost,
        retention_odds_ratio,
        retention_test,
    )
    from labrig_study.statistics.stability import (
        RerunNull,
        Spread,
        Stability,
        rerun_retention,
        rerun_spread,
        rerun_stability,
    )

_MODULES = {
    "agreement": "cohen_kappa krippendorff_alpha",
    "bootstrap": "Estimate bootstrap_difference bootstrap_mean bootstrap_ratio bootstrap_ratio_difference",
    "clustered": (
        "DesignEffect Detectable design_effect detectable minimum_detectable_difference standard_error"
    ),
    "paired": "McNemar PairedT Permutation holm mcnemar paired_t permutation_test",
    "prediction": "Logistic logistic pearson spearman",
    "retention": (
        "GuessCorrected Movement OddsRatio RetentionTest guess_corrected_retention kept_gained_lost "
        "retention_odds_ratio retention_test"
    ),
    "stability": "RerunNull Spread Stability rerun_retention rerun_spread rerun_stability",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def has_statistics() -> bool:
    """Say whether NumPy and SciPy, which resampling needs, are installed."""
    try:
        import numpy  # noqa: F401
        import scipy.special  # noqa: F401
    except ImportError:
        return False
    return True


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


__all__ = [
    "DesignEffect",
    "Detectable",
    "Estimate",
    "GuessCorrected",
    "Logistic",
    "McNemar",
    "Movement",
    "OddsRatio",
    "PairedT",
    "Permutation",
    "RerunNull",
    "RetentionTest",
    "Spread",
    "Stability",
    "bootstrap_difference",
    "bootstrap_mean",
    "bootstrap_ratio",
    "bootstrap_ratio_difference",
    "cohen_kappa",
    "design_effect",
    "detectable",
    "guess_corrected_retention",
    "has_statistics",
    "holm",
    "kept_gained_lost",
    "krippendorff_alpha",
    "logistic",
    "mcnemar",
    "minimum_detectable_difference",
    "paired_t",
    "pearson",
    "permutation_test",
    "rerun_retention",
    "rerun_spread",
    "rerun_stability",
    "retention_odds_ratio",
    "retention_test",
    "spearman",
    "standard_error",
    "wilson",
]
