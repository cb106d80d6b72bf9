"""An item: the stages that its domain and level have, and the sample that comes of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from labrig_harness.blobs import Blob
from labrig_harness.sample import Attachment, Sample, SampleInput
from labrig_suites.terrabench.lint import lint
from labrig_suites.terrabench.making import (
    grids,
    stages_buildings,
    stages_crops,
    stages_document,
    stages_dssat,
    stages_forecast,
    stages_grids,
    stages_heat,
    stages_reanalysis,
    stages_risk,
    stages_satellite,
    stages_town,
    stages_traffic,
)
from labrig_suites.terrabench.making.case import Case
from labrig_suites.terrabench.making.documents import PATH
from labrig_suites.terrabench.making.domains import Domain, domains
from labrig_suites.terrabench.making.plan import Plan
from labrig_suites.terrabench.making.sites import sites
from labrig_suites.terrabench.making.world import world
from labrig_suites.terrabench.truth import NAME, TRACKS, VERSION

REFERENCE = """\
Every number is to come out of the files by the definitions given; nothing is to be taken from memory. Boxes take \
cells whose centres lie in them, edges included. All fields are synthetic."""
CONTRACT = """\
Answer with a JSON list between <final_json> and </final_json>, one object for each field, with exactly the keys \
"key", "value", "abs_tol", "rel_tol" and "floor_scale" (the last three are the precision that you claim; 0 is fine). \
Give numbers with at least six significant digits. The fields:"""
PER_TRACK = 32
"""Items of a track in a row: one of each domain and level."""
ENGINES: dict[str, Callable[[Plan, Case], object]] = {
    "Agriculture": stages_dssat.farm_season,
    "Hurricane / cyclone": stages_risk.storm_losses,
    "Water resources": stages_crops.field_season,
    "Emergency response": stages_traffic.rush,
    "Infrastructure": stages_buildings.weeks,
}
"""The stage of a domain whose simulator is not the one of heat and health (UTCI and the exposure response)."""
LONGEST_TEXT, DRAWS = 600, 8
PER_WORLD = 32
"""Items that share a made world; each has fields, a zone and hours of its own."""


def make_item(seed: str, number: int, id: str) -> Sample:
    """Return the item of a seed with this number, from 0: the first draw with which the linter finds nothing wrong.

    It finds, now and then, that a number of the report stands in the question by chance.
    """
    domain = domains()[number % len(domains())]
    level = number // len(domains()) % 4
    track = number // PER_TRACK % len(STAGES)
    for draw in range(DRAWS):
        case = _case(seed, number, draw, domain, level)
        plan = Plan()
        plan.files |= grids.files_of(case.grids, domain, case.world.label)
        for stage in STAGES[track](case):
            stage(plan)
        sample = _sample(id, case, plan, TRACKS[track])
        if not lint(sample):
            break
    return sample


def seen(plan: Plan, case: Case) -> None:
    """What satellites saw of a site, or a reanalysis of hours, by what the domain has."""
    stage = stages_satellite.ground if case.domain.name in sites() else stages_reanalysis.hours
    stage(plan, case)


def fundamentals(case: Case) -> list[Callable[[Plan], object]]:
    """Return the stages of an item of the track Fundamentals.

    Level 0 observes; level 1 relates forecasts to what came; level 2 intervenes; level 3 asks what would have been.
    """
    level = case.level
    boxes = 2

    def health(plan: Plan) -> None:
        dust = case.domain.name == stages_heat.DUST
        places = [] if dust else stages_heat.heat(plan, case, 2 if level in (1, 3) else 1)
        stages_heat.response(plan, case, places[0] if places else None)

    look: Callable[[Plan], object] = lambda plan: stages_grids.look(plan, case)  # noqa: E731
    found = [
        look,
        lambda plan: stages_grids.windows(plan, case, 3 if level == 3 else 2, 1 if level == 0 else 2),
        lambda plan: stages_grids.seasons(plan, case),
        lambda plan: seen(plan, case),
        lambda plan: stages_town.quarter(plan, case),
        health,
    ]
    if level in (1, 3):
        found.insert(3, lambda plan: stages_forecast.verify(plan, case))
    if level == 0:
        found.insert(3, lambda plan: stages_grids.draw(plan, case))
    else:
        found.insert(-2, lambda plan: stages_forecast.terciles(plan, case, boxes))
    if level >= 2:
        found.insert(-2, lambda plan: stages_forecast.correct(plan, case, boxes))
        found.insert(-2, lambda plan: stages_forecast.ensemble(plan, case, boxes))
        found.insert(-2, lambda plan: stages_forecast.smooth(plan, case))
    return found


def simulated(case: Case) -> list[Callable[[Plan], object]]:
    """Return the stages of an item of the track Simulator-Grounded: an engine in every level, and runs compared."""
    level = case.level

    def engine(plan: Plan) -> None:
        if stage := ENGINES.get(case.domain.name):
            stage(plan, case)
        else:
            dust = case.domain.name == stages_heat.DUST
            places = [] if dust else stages_heat.heat(plan, case, 3)
            stages_heat.response(plan, case, places[0] if places else None, doses=level + 1)

    found: list[Callable[[Plan], object]] = [
        lambda plan: stages_grids.look(plan, case),
        lambda plan: stages_grids.windows(plan, case, 2, 1 if level == 0 else 2),
        lambda plan: stages_grids.seasons(plan, case),
        lambda plan: stages_grids.draw(plan, case),
        lambda plan: stages_town.quarter(plan, case),
        engine,
    ]
    if level >= 1:
        found.insert(-2, lambda plan: stages_forecast.terciles(plan, case, 2))
    if level >= 2:
        found.insert(-2, lambda plan: stages_forecast.correct(plan, case, 2))
        found.insert(-2, lambda plan: stages_forecast.ensemble(plan, case, 2))
    return found


def documented(case: Case) -> list[Callable[[Plan], object]]:
    """Return the stages of an item of the track Document-Grounded Verification."""
    level = case.level

    def health(plan: Plan) -> None:
        dust = case.domain.name == stages_heat.DUST
        places = [] if dust else stages_heat.heat(plan, case, 1)
        stages_heat.response(plan, case, places[0] if places else None)

    found: list[Callable[[Plan], object]] = [
        lambda plan: stages_grids.look(plan, case),
        lambda plan: stages_grids.seasons(plan, case),
        lambda plan: stages_document.again(plan, case, case.mode),
        lambda plan: stages_grids.draw(plan, case),
        lambda plan: seen(plan, case),
        lambda plan: stages_town.quarter(plan, case),
        health,
    ]
    if level in (1, 3):
        found.insert(2, lambda plan: stages_forecast.verify(plan, case))
    if level >= 1:
        found.insert(-2, lambda plan: stages_forecast.terciles(plan, case, 2))
    if level >= 2:
        found.insert(-2, lambda plan: stages_forecast.correct(plan, case, 2))
        found.insert(-2, lambda plan: stages_forecast.ensemble(plan, case, 2))
    return found


STAGES = (fundamentals, simulated, documented)
"""By track, in the order of `labrig_suites.terrabench.truth.TRACKS`."""


def _kept(content: str | bytes) -> str | Blob:
    """Return short texts as they are, and the rest as bytes by their hash, which lines of samples do not hold."""
    if isinstance(content, str) and len(content) <= LONGEST_TEXT:
        return content
    return Blob.of(content.encode() if isinstance(content, str) else content)


def _case(seed: str, number: int, draw: int, domain: Domain, level: int) -> Case:
    made = world(_whole(f"terrabench world {seed} {number // PER_WORLD}"))
    rng = np.random.default_rng([_whole(f"terrabench item {seed}"), number, draw])
    mode = stages_document.MODES[(number + number // len(domains())) % len(stages_document.MODES)]
    return Case(domain, level, made, grids.make_grids(made, domain, rng), rng, mode)


def _whole(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def _sample(id: str, case: Case, plan: Plan, track: str) -> Sample:
    asked = "\n".join(f"{number}. {each}" for number, each in enumerate(plan.questions, 1))
    keys = "\n".join(f"- {key}: {about}" for key, about in plan.keys.items())
    prompt = f"{case.domain.context}\n\n{asked}\n\n{REFERENCE}\n\n{CONTRACT}\n{keys}\n"
    files = {path: _kept(each) for path, each in sorted(plan.files.items())}
    report = files.get(PATH)
    shown = (Attachment(PATH, "application/pdf", blob=report),) if isinstance(report, Blob) else ()
    return Sample(
        suite=NAME,
        suite_version=VERSION,
        brief=SampleInput(id, prompt, files, shown),
        truth=dict(plan.truth()),
        labels={
            "kind": f"{track}, level {case.level}",
            "track": track,
            "level": str(case.level),
            "domain": case.domain.name,
            **({"verification": case.mode} if shown else {}),
        },
        needs=tuple(sorted(plan.needs)),
    )
