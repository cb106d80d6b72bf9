"""The file that describes an exposure-response function: what it says is checked, what it leaves out is refused."""

from __future__ import annotations

from dataclasses import dataclass

from labrig.errors import LabrigError
from labrig_earth.impact.health.response import FORMS, MOST_LAG, Form, Response, interval_of, slope_of
from labrig_earth.work.fields import Fields, read_object

PERIODS = ("day", "month", "year")
BASELINES = ("observed", "unexposed")
FIELDS = (
    "form (log_linear, linear, threshold); beta per unit of exposure with beta_ci [low, high] or beta_se, or "
    "relative_risk with per and relative_risk_ci; reference_exposure (or threshold); exposure_unit; outcome; "
    "step (day, month, year); baseline_period (day, month, year); baseline (observed, unexposed); effect (harmful, "
    "protective); lag_days or lag_weights; excess_only; ci_level"
)


@dataclass(frozen=True)
class Spec:
    """What is asked of an exposure-response function.

    Attributes
    ----------
    response
        The function.
    outcome, exposure_unit
        What is counted, and the unit of the exposure.
    step
        What a row of the exposure stands for: a day, a month or a year.
    baseline_period
        Over which the baseline rate counts cases; None where it is not said.
    baseline
        ``observed``: cases as they are counted among exposed people; ``unexposed``: at the reference.
    level
        Of the confidence interval, 0.95 for 95 %.
    notes
        What was assumed.
    """

    response: Response
    outcome: str
    exposure_unit: str
    step: str
    baseline_period: str | None
    baseline: str
    level: float
    notes: tuple[str, ...]


def read_spec(content: bytes, where: str) -> Spec:
    """Read the description of an exposure-response function, a JSON object.

    Raises
    ------
    LabrigError
        For a form that is unknown, a slope that is missing, stated twice or of the wrong sign, an interval that does
        not hold it, lags whose weights do not sum to 1, a field that is unknown.
    """
    fields = read_object(content, where)
    notes: list[str] = []
    form: Form = fields.choice("form", FORMS)  # type: ignore[assignment]
    level = fields.number("ci_level", 0.5, 0.999, "part of 1", 0.95)
    slope, low, high = _slope(fields, form, level)
    _require_sign(fields, slope)
    if low is not None and high is not None:
        if not low <= slope <= high:
            raise LabrigError(
                f"The interval {low:g} to {high:g} does not hold the slope {slope:g}",
                where=where,
                expected="low <= slope <= high",
            )
        if low < 0 < high:
            notes.append("the interval of the slope holds 0: the effect may have either sign")
    else:
        notes.append("the slope has no confidence interval, so neither has the result")
    step = fields.choice("step", PERIODS)
    period = fields.choice("baseline_period", PERIODS) if fields.has("baseline_period") else None
    baseline = fields.choice("baseline", BASELINES, "observed")
    if not fields.has("baseline"):
        notes.append(
            "the baseline was taken as observed, with the exposure's effect in it: AF = (RR - 1) / RR"
        )
    response = Response(
        form=form,
        slope=slope,
        low=low,
        high=high,
        reference=_reference(fields, form),
        lags=_lags(fields, step, notes),
        excess_only=fields.yes("excess_only", True),
    )
    if form == "threshold" and not response.excess_only:
        raise LabrigError(
            "A threshold has no effect below it",
            where=f"{where}, excess_only",
            expected="true, or log_linear",
        )
    spec = Spec(
        response,
        fields.text("outcome"),
        fields.text("exposure_unit"),
        step,
        period,
        baseline,
        level,
        tuple(notes),
    )
    fields.text("source", "")
    fields.require_all_known()
    return spec


def _slope(fields: Fields, form: Form, level: float) -> tuple[float, float | None, float | None]:
    has_beta, has_risk = fields.has("beta"), fields.has("relative_risk")
    if has_beta == has_risk:
        raise LabrigError(
            "The slope is stated twice" if has_beta else "There is no slope",
            where=fields.where,
            expected="beta (per unit of exposure), or relative_risk with per (such as 1.08 per 10)",
        )
    if has_beta:
        slope = fields.number("beta", -5, 5, "per unit of exposure")
        bounds = _pair(fields, "beta_ci", -5, 5)
        if fields.has("beta_se"):
            if bounds:
                raise LabrigError(
                    "The interval is stated twice", where=fields.where, expected="beta_ci or beta_se"
                )
            bounds = interval_of(slope, fields.number("beta_se", 1e-12, 5, "per unit of exposure"), level)
        return (slope, *bounds) if bounds else (slope, None, None)
    per = fields.number("per", 1e-6, 1e6, "units of exposure")
    risk = fields.number("relative_risk", 1e-3, 100, "1")
    bounds = _pair(fields, "relative_risk_ci", 1e-3, 100)
    slope = slope_of(risk, per, form)
    if not bounds:
        return slope, None, None
    return slope, slope_of(bounds[0], per, form), slope_of(bounds[1], per, form)


def _pair(fields: Fields, name: str, least: float, most: float) -> tuple[float, float] | None:
    if not fields.has(name):
        return None
    low, high = fields.numbers(name, least, most, "as the study prints them, [low, high]", (2, 2))
    return low, high


def _require_sign(fields: Fields, slope: float) -> None:
    """Refuse a slope whose sign is not that of the effect that is meant: it would turn deaths into lives."""
    effect = fields.choice("effect", ("harmful", "protective"), "harmful")
    if slope == 0 or (slope > 0) != (effect == "harmful"):
        raise LabrigError(
            f"The slope is {slope:g}, and the effect is to be {effect}",
            where=f"{fields.where}, beta",
            expected="a slope above 0 for a harmful effect, below 0 for a protective one",
            try_='"effect": "protective" where more exposure means fewer cases'
            if slope < 0
            else "check the slope's sign",
        )


def _reference(fields: Fields, form: Form) -> float:
    name, other = (
        ("threshold", "reference_exposure") if form == "threshold" else ("reference_exposure", "threshold")
    )
    if fields.has(name) and fields.has(other):
        raise LabrigError(f"{name} and {other} are both given", where=fields.where, expected="one of them")
    return fields.number(
        name if fields.has(name) or not fields.has(other) else other, -1e6, 1e6, "units of the exposure"
    )


def _lags(fields: Fields, step: str, notes: list[str]) -> tuple[float, ...]:
    """Return the weights of this step and those before it."""
    if not fields.has("lag_days") and not fields.has("lag_weights"):
        return (1.0,)
    if step != "day":
        raise LabrigError(
            f"Lags are in days, and a step is a {step}", where=fields.where, expected="step: day"
        )
    if fields.has("lag_days") and fields.has("lag_weights"):
        raise LabrigError("The lag is stated twice", where=fields.where, expected="lag_days, or lag_weights")
    if fields.has("lag_days"):
        days = fields.whole("lag_days", 0, MOST_LAG, "days")
        if days:
            notes.append(
                f"the exposure that acts is the mean of a day and the {days} days before it (lag 0-{days})"
            )
        return (1 / (days + 1),) * (days + 1)
    weights = fields.numbers("lag_weights", 0, 1, "of this day, the day before, ..", (1, MOST_LAG + 1))
    if abs(sum(weights) - 1) > 1e-6:
        raise LabrigError(
            f"lag_weights sum to {sum(weights):g}",
            where=fields.where,
            expected="weights that sum to 1: of this day, the day before, ..",
        )
    return tuple(weights)
