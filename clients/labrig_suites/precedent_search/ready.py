"""Whether an arm can look for published materials here: asked before a run, since these come without papers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from labrig.config import setting
from labrig.errors import LabrigError
from labrig_harness.sample import Sample
from labrig_harness.suite import Arm
from labrig_suites.precedent_search.arms import CORPUS, SEARCHED_WEB


def check(arm: Arm, samples: Sequence[Sample]) -> None:
    """Raise a LabrigError where an arm would find nothing to search in.

    Raises
    ------
    LabrigError
        ``not_found`` without a corpus of the user's own in an arm that searches one; ``unavailable`` without a service
        in the arm that searches the web.
    """
    bare = [sample for sample in samples if CORPUS not in sample.brief.files]
    if not bare or arm.server != "papers":
        return
    if SEARCHED_WEB in arm.served:
        _check_search(arm)
    else:
        _check_corpus(arm, bare[0])


def _check_corpus(arm: Arm, sample: Sample) -> None:
    from labrig_papers.corpus.store import opened

    given = arm.serve.settings.get("corpus", CORPUS)
    path = Path(given).expanduser()
    if given == CORPUS or not path.is_absolute():
        raise LabrigError(
            f"Published materials come without papers, and the arm {arm.name} searches a corpus",
            where=sample.id,
            expected="--server-set corpus=FILE, with the whole path of a corpus of yours",
            try_="python -m labrig_papers.corpus add FOLDER, which makes one; --arm open-web asks the network",
            code="not_found",
        )
    with opened(path):
        pass


def _check_search(arm: Arm) -> None:
    """Check that the service is set up which the atlas would ask; a replay asks nobody."""
    from labrig_atlas.services.web_search import BRAVE, SEARXNG, SERPER

    serve = arm.served[SEARCHED_WEB]
    if (serve.http_mode or setting("http", "mode")) == "replay":
        return
    name = serve.settings.get("search") or "searxng"
    service = {"google": SERPER, "serper": SERPER, "brave": BRAVE}.get(name, SEARXNG).service
    if not (service.key.value() if service.key is not None else service.moved):
        raise LabrigError(
            f"The arm {arm.name} searches the web, and {service.name} is not set up",
            where=service.key.variable if service.key is not None else service.moved_by,
            expected=f"{SEARXNG.service.moved_by}, a SearXNG of your own; or {SERPER.wants} or {BRAVE.wants}, with "
            f"--server-set {SEARCHED_WEB}.search=serper or brave",
            try_="--http-mode replay --ledger FILE, where the answers were recorded",
            code="unavailable",
        )
