"""What the repositories of the gym are about: 22 fields with their domains, subdomains and the words of designs.

- `field`: a field and its words; `loading`: from the data files to fields
"""

from labrig_repository.gym.taxonomy.field import (
    Categorical,
    Dependent,
    Distribution,
    Domain,
    Draw,
    Drawn,
    Driver,
    Field,
    Identifier,
    Moment,
    PathVariable,
    Phrase,
    Phrases,
    RowNumber,
    Sign,
    Threshold,
)
from labrig_repository.gym.taxonomy.loading import load

__all__ = [
    "Categorical",
    "Dependent",
    "Distribution",
    "Domain",
    "Draw",
    "Drawn",
    "Driver",
    "Field",
    "Identifier",
    "Moment",
    "PathVariable",
    "Phrase",
    "Phrases",
    "RowNumber",
    "Sign",
    "Threshold",
    "load",
]
