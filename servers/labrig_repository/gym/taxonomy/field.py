"""A field of science and the words from which designs of its projects are made.

Every variable has a `name`, as it stands in a path or in the head of a column, and an `about`: a noun phrase that
reads well inside a sentence ("specific growth rate"), without its unit.

Some fields hold domains that have little in common (cell biology and zoology). Their domains belong to *strands*; a
variable, setting or method that names strands is for the domains of these strands, one that names none is for all.
A domain may leave out single variables of its strand.
`Field.within` leaves what suits one domain.

Slots of the patterns for titles and abstracts, written in braces; the first letter of a filled pattern is still to be
made a capital:

=============  ===========================================================================================
``subject``    one of the domain's subjects, a plural or mass noun phrase: "budding yeast strains"
``topic``      the subdomain, as it is written in the taxonomy
``factor``     `about` of one path variable that is not a nuisance
``factors``    the same of all path variables, as a list in words
``outcome``    `about` of one dependent file variable
``outcomes``   the same of two or three of them, as a list in words
``covariates`` the same of two or three independent file variables, as a list in words
``setting``    one of the field's settings, with its preposition: "in a growth chamber"
``method``     one of the field's methods, a noun phrase without an article: "flow cytometry"
=============  ===========================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

Distribution = Literal[
    "Bernoulli",
    "Binomial",
    "Geometric",
    "NegativeBinomial",
    "Poisson",
    "Beta",
    "Exponential",
    "Normal",
    "Uniform",
]
Sign = Literal["+", "-", "~"]

SLOTS = frozenset(
    {"subject", "topic", "factor", "factors", "outcome", "outcomes", "covariates", "setting", "method"}
)


class _Variable(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def strands(self) -> tuple[str, ...]: ...


V = TypeVar("V", bound=_Variable)


@dataclass(frozen=True, slots=True)
class PathVariable:
    """A condition of an experiment that is told by the path of a file.

    Attributes
    ----------
    name
        As used in file names: letters, digits and ``_``.
    kind
        ``number`` where every level holds one number, in `unit`; ``ordered`` where the levels rise.
    levels
        3 to 8 texts that may stand in a path.
    values
        The numbers of the levels where `kind` is ``number``, else empty.
    unit
        Of `values`; empty where they have none.
    nuisance
        A repeat, a batch or a source of data: it varies, but no title names it as the factor of interest.
    """

    name: str
    about: str
    kind: Literal["categorical", "ordered", "number"]
    levels: tuple[str, ...]
    values: tuple[float, ...] = ()
    unit: str = ""
    nuisance: bool = False
    strands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Categorical:
    """An independent column of texts, drawn with `weights` (positive, of any sum)."""

    name: str
    about: str
    levels: tuple[str, ...]
    weights: tuple[int, ...]
    strands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draw:
    """A distribution and its parameters.

    ====================  ======================================================================
    Bernoulli             p: probability of 1
    Binomial              n, p: successes in n trials
    Geometric             p: trials up to the first success, from 1
    NegativeBinomial      r, p: failures before success r
    Poisson               mean
    Beta                  a, b: stretched from 0..1 to the bounds of the variable
    Exponential           mean, counted from the lower bound of the variable
    Normal                mean, standard deviation
    Uniform               none: between the bounds of the variable
    ====================  ======================================================================
    """

    distribution: Distribution
    parameters: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An independent column of numbers.

    Attributes
    ----------
    draw
        The distribution; what it gives beyond the bounds is brought to them.
    low, high
        Physical bounds, in `unit`.
    decimals
        Digits after the point; 0 for integers.
    whole
        Whether it is an integer by nature: a count, a flag, a rank. Where `draw` is Bernoulli, 1 means that what
        `about` says is the case.
    """

    name: str
    about: str
    unit: str
    draw: Draw
    low: float
    high: float
    decimals: int
    whole: bool
    strands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Driver:
    """A variable on which a dependent one may depend.

    Attributes
    ----------
    name
        Of a path variable or an independent file variable of the field.
    sign
        ``+`` the outcome rises with it, ``-`` it falls, ``~`` either way, as the levels of a category do.
    """

    name: str
    sign: Sign


@dataclass(frozen=True, slots=True)
class Dependent:
    """A column of numbers that follows from others.

    Attributes
    ----------
    low, high
        The range in which the values of such studies lie, in `unit`.
    decimals
        Digits after the point; 0 for integers.
    whole
        Whether it is an integer by nature.
    drivers
        What it may depend on. Some may be absent from a design.
    """

    name: str
    about: str
    unit: str
    low: float
    high: float
    decimals: int
    whole: bool
    drivers: tuple[Driver, ...]
    strands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Threshold:
    """A column of texts that says between which cuts a dependent number lies.

    Attributes
    ----------
    source
        Name of the dependent number.
    cuts
        Rising, one fewer than the levels: below the first stands the first level, from the first on the second.
    """

    name: str
    about: str
    source: str
    cuts: tuple[float, ...]
    levels: tuple[str, ...]
    strands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowNumber:
    """The number of the row in its file, from 1, with leading zeros up to `width` digits."""

    width: int


@dataclass(frozen=True, slots=True)
class Identifier:
    """A column of labels.

    Attributes
    ----------
    pieces
        What is written one after the other: the number of the row, or one of several texts (fixed text is a choice
        of one).
    """

    name: str
    about: str
    pieces: tuple[tuple[str, ...] | RowNumber, ...]
    strands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """A column of dates or times.

    Attributes
    ----------
    form
        As for `datetime.strftime`; only ``%Y %m %d %H %M %S``.
    step_s
        Seconds from one row to the next.
    """

    name: str
    about: str
    form: str
    step_s: int
    strands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Phrase:
    """A setting or a method."""

    text: str
    strands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Phrases:
    """Patterns of titles and of the sentences of an abstract, in the order of an abstract."""

    titles: tuple[str, ...]
    aims: tuple[str, ...]
    designs: tuple[str, ...]
    measurements: tuple[str, ...]
    analyses: tuple[str, ...]
    uses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain of a field.

    Attributes
    ----------
    strand
        The strand of the field that it belongs to; empty where the field has none.
    subjects
        What its projects study, as noun phrases in the plural or mass nouns.
    without
        Names of variables of its strand that make no sense in it.
    """

    name: str
    strand: str
    subjects: tuple[str, ...]
    subdomains: tuple[str, ...]
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Field:
    """A field, its domains and the words of its designs."""

    name: str
    domains: tuple[Domain, ...]
    phrases: Phrases
    settings: tuple[Phrase, ...]
    methods: tuple[Phrase, ...]
    paths: tuple[PathVariable, ...]
    categories: tuple[Categorical, ...]
    numbers: tuple[Drawn, ...]
    dependents: tuple[Dependent, ...]
    thresholds: tuple[Threshold, ...]
    identifiers: tuple[Identifier, ...]
    moments: tuple[Moment, ...]

    def within(self, domain: Domain) -> Field:
        """Return the field with `domain` alone and with what suits it."""

        def suits(strands: tuple[str, ...]) -> bool:
            return not strands or domain.strand in strands

        def suiting(variables: tuple[V, ...]) -> tuple[V, ...]:
            return tuple(v for v in variables if suits(v.strands) and v.name not in domain.without)

        return replace(
            self,
            domains=(domain,),
            settings=tuple(each for each in self.settings if suits(each.strands)),
            methods=tuple(each for each in self.methods if suits(each.strands)),
            paths=suiting(self.paths),
            categories=suiting(self.categories),
            numbers=suiting(self.numbers),
            dependents=suiting(self.dependents),
            thresholds=tuple(each for each in suiting(self.thresholds) if each.source not in domain.without),
            identifiers=suiting(self.identifiers),
            moments=suiting(self.moments),
        )
