"""The bias correction of a seasonal hindcast, fitted and checked on years left out: time and memory.

24 years with 25 members on a global grid of 2.5 degrees (10,512 cells); at most 30 s and 2 GB are allowed.
"""

from __future__ import annotations

import resource
import time

import numpy as np

from labrig_earth.seasonal import correction

MOST_S, MOST_GB = 30.0, 2.0
SHAPE = (24, 25, 73, 144)


def main() -> None:
    """Print seconds of each method, and the most memory that the process held."""
    random = np.random.default_rng(1)
    hindcast, observed = random.standard_normal(SHAPE), random.standard_normal((SHAPE[0], *SHAPE[2:]))
    print(f"{'method':8} {'fit and 24 years left out':>26}   (at most {MOST_S:.0f} s and {MOST_GB:.0f} GB)")
    for method in correction.METHODS:
        began = time.perf_counter()
        correction.fit(hindcast, observed, method=method)
        correction.left_out(hindcast, observed, method=method)
        print(f"{method:8} {time.perf_counter() - began:24.1f} s")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    print(f"most memory {most:.2f} GB")


if __name__ == "__main__":
    main()
