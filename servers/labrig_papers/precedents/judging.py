"""What reports of a material come to: one state, and which of them contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from labrig_papers.precedents.finding import Report
from labrig_papers.precedents.statements import Statement

State = Literal["superconducting", "not superconducting", "contradicting", "unknown"]
SAME = 0.10
"""Relative difference of two transition temperatures at one pressure above which they are told apart."""


@dataclass(frozen=True)
class Judgement:
    """What reports come to.

    Attributes
    ----------
    state
        From what papers measured themselves; from what they cite of others where there is nothing else.
    kelvin
        The highest transition temperature, or the lowest temperature tested; None where none is stated.
    contradictions
        Pairs of places in the list of reports, with the reason.
    notes
        What a reader has to know of the state.
    """

    state: State
    kelvin: float | None
    contradictions: tuple[tuple[int, int, str], ...] = ()
    notes: tuple[str, ...] = ()


def judge(reports: Sequence[Report]) -> Judgement:
    """Return what reports come to; calculated values count for nothing."""
    every = [(place, each.statement) for place, each in enumerate(reports)]
    counted = [each for each in every if each[1].standing == "measured"]
    notes = []
    if not counted:
        counted = [each for each in every if each[1].standing == "cited"]
        if counted:
            notes.append("Known here only by what papers cite of others: look for the original")
    found = [each for each in counted if each[1].says == "superconducting"]
    denied = [each for each in counted if each[1].says == "not superconducting"]
    if any(each[1].standing == "calculated" for each in every):
        notes.append("Calculated values are listed and count for nothing")
    against = tuple(
        (one, other, why) for one, yes in found for other, no in denied if (why := _against(yes, no))
    )
    kelvins = [each.kelvin for _, each in found if each.kelvin is not None]
    tested = [each.kelvin for _, each in denied if each.kelvin is not None]
    if denied and not tested:
        tested = [
            each.kelvin for _, each in every if each.says == "not superconducting" and each.kelvin is not None
        ]
        if tested:
            notes.append("The lowest temperature tested is cited of others")
    differing = _differing(found)
    if against:
        return Judgement("contradicting", max(kelvins, default=None), (*against, *differing), tuple(notes))
    if found:
        if denied:
            notes.append("Reports of none are of another pressure, or of temperatures above the transition")
        if all(_pressure(each) for _, each in found):
            notes.append("All reports of superconductivity are of samples under pressure")
        elif pressed := next((each for _, each in found if each.kelvin == max(kelvins, default=0)), None):
            notes += [f"The highest temperature is of a sample under pressure ({pressed.pressure})"] * bool(
                _pressure(pressed)
            )
        return Judgement("superconducting", max(kelvins, default=None), differing, tuple(notes))
    if denied:
        if not tested:
            notes.append("No report says down to which temperature it was tested")
        return Judgement("not superconducting", min(tested, default=None), (), tuple(notes))
    return Judgement("unknown", None, (), tuple(notes))


def _pressure(said: Statement) -> float | str:
    """Return the pressure in GPa, 0 where none is stated; in words where its amount is not told."""
    return (said.pressure if said.gigapascal is None else said.gigapascal) or 0.0


def _against(yes: Statement, no: Statement) -> str:
    """Return why a report of superconductivity and one of none cannot both be right; empty where they can."""
    if _pressure(yes) != _pressure(no):
        return ""
    tc, tested = yes.kelvin, no.kelvin
    if tc is not None and tested is not None and tested >= tc:
        return ""
    if tc is None or tested is None:
        return "one says it is superconducting, the other that it is not"
    return f"superconducting below {tc:g} K, and not down to {tested:g} K, at one pressure"


def _differing(found: Sequence[tuple[int, Statement]]) -> tuple[tuple[int, int, str], ...]:
    """Return pairs of transition temperatures of one pressure, field and criterion that are far from each other."""
    pairs = []
    for number, (one, first) in enumerate(found):
        for other, second in found[number + 1 :]:
            if first.kelvin is None or second.kelvin is None or _conditions(first) != _conditions(second):
                continue
            if abs(first.kelvin - second.kelvin) > SAME * max(first.kelvin, second.kelvin):
                pairs.append((one, other, f"transition at {first.kelvin:g} K and at {second.kelvin:g} K"))
    return tuple(pairs)


def _conditions(said: Statement) -> tuple[float | str, str, str]:
    return _pressure(said), said.criterion, said.field
