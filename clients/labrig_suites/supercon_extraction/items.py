"""Papers as samples: made from a seed, or published rows with papers that the user has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from labrig.canonical import content_hash
from labrig.errors import LabrigError
from labrig_harness.blobs import Blob
from labrig_harness.sample import Attachment, Sample, SampleInput
from labrig_harness.suite import Make
from labrig_suites.common import generated
from labrig_suites.supercon_extraction.grading.units import read_unit
from labrig_suites.supercon_extraction.making.long_papers import LEVEL as LONG
from labrig_suites.supercon_extraction.making.variants import Variant, make_variant
from labrig_suites.supercon_extraction.making.writing import LEVELS, Paper
from labrig_suites.supercon_extraction.published.properties import Property, decoded, find, properties
from labrig_suites.supercon_extraction.rows import Rule, Truth, truths
from labrig_suites.supercon_extraction.targets import Target, field

NAME, VERSION = "supercon-extraction", "3"
FILE, MOST_PDF = "paper.pdf", 64 * 2**20
ABOUT = {"supercon": "superconductors", "thermoelectrics": "thermoelectric materials"}
FIRST_SCAN = 26
"""The first paper of a set that may be a scan, from 0: sets of 20 have none."""
RULES: dict[str, Rule] = {
    "0.1% si": "numeric", "numeric": "numeric", "exact_match": "categorical", "categorical": "categorical",
    "pymatgen": "formula", "formula": "formula", "space_group": "space_group",
}  # fmt: skip
"""Rules as published, and ours."""
commitment = partial(generated.commitment, NAME)


def dealt(number: int) -> tuple[int, str, Variant]:
    """Return level, field and variant of the n-th paper of a set, from 0.

    Levels take turns; every sixth paper is of the second field; three of ten are locked, damaged or in bitmap fonts.
    From the 27th on one of ten is a scan, of which OCR reads no formula: it takes eyes.
    """
    name = "thermoelectrics" if number % 6 == 5 else "supercon"
    variants: dict[int, Variant] = {3: "locked", 7: "damaged", 9: "bitmap"}
    if number >= FIRST_SCAN and number % 10 == FIRST_SCAN % 10:
        return LEVELS[number // 10 % len(LEVELS)], name, "scanned"
    turn = number if name == "supercon" else number // 6
    return LEVELS[turn % len(LEVELS)], name, variants.get(number % 10, "plain")


def generate(
    seed: str, count: int, progress: Callable[[int], None] | None = None, first: int | None = None
) -> list[Sample]:
    """Return papers of a seed: the same ones first, whatever `count` is.

    Raises
    ------
    LabrigError
        ``bad_input`` for a count below 1; ``unavailable`` without reportlab.
    """
    generated.at_least_one(count)

    def make(number: int) -> Sample:
        level, name, variant = dealt(number)
        return made(seed, number, make_variant(f"{seed}/{number}", level, name, variant), variant)

    return generated.one_by_one(range(count)[:first], make, progress)


def configured(settings: Mapping[str, Any]) -> Make:
    """Return what makes plain papers on superconductors of one level: the only way to those of level 5.

    Raises
    ------
    LabrigError
        ``bad_input`` for a setting that is not ``level``, and a level that is not there.
    """
    if set(settings) != {"level"} or str(settings["level"]) not in map(str, (*LEVELS, LONG)):
        raise LabrigError("These settings make no papers", where="--set", expected="level=1, 2, 3, 4 or 5")
    return partial(of_level, int(settings["level"]))


def of_level(
    level: int, seed: str, count: int, progress: Callable[[int], None] | None = None
) -> list[Sample]:
    """Return papers of a level, which are in no set of `generate`."""
    generated.at_least_one(count)

    def make(number: int) -> Sample:
        paper = make_variant(f"{seed}/{number}", level, "supercon", "plain")
        return made(seed, f"level-{level}/{number}", paper, "plain")

    return generated.one_by_one(range(count), make, progress)


def made(seed: str, number: int | str, paper: Paper, variant: Variant) -> Sample:
    """Return a made paper as a sample."""
    return Sample(
        NAME,
        VERSION,
        _shown(
            generated.opaque_id(seed, f"{NAME}/{VERSION}/{number}"),
            paper.pdf,
            files(__package__).joinpath("prompt.md"),
            pages=f"{len(paper.pages)} page{'s' * (len(paper.pages) != 1)}",
            about=ABOUT[paper.field],
            names=_names(field(paper.field).targets),
        ),
        truth={
            "rows": truths().dump_python(paper.rows, mode="json"),
            "pages": list(paper.pages),
            "planted": [list(each) for each in paper.planted],
            **(
                {"values": [asdict(each) | {"box": list(each.box)} for each in paper.values]}
                if paper.values
                else {}
            ),
        },
        labels={
            "kind": f"{paper.field}-{paper.level}",
            "field": paper.field,
            "level": str(paper.level),
            "variant": variant,
        },
    )


def _shown(id: str, pdf: bytes, prompt: Traversable, **words: str) -> SampleInput:
    blob = Blob.of(pdf)
    shown = prompt.read_text("utf-8").format(file=FILE, **words)
    return SampleInput(id, shown, {FILE: blob}, (Attachment(FILE, "application/pdf", blob=blob),))


def _names(targets: Sequence[Target | Property]) -> str:
    by_category: dict[str, list[str]] = {}
    for target in targets:
        by_category.setdefault(target.category, []).append(f"`{target.name}`")
    return "\n".join(f"- {category}: {', '.join(names)}" for category, names in by_category.items())


def from_row(fields: dict[str, Any]) -> Sample:
    """Return the sample of a line that `Sample.to_dict` made, checked so that it can be scored.

    Raises
    ------
    LabrigError
        ``bad_input`` for what is not such a line, or of another suite or version, and for invalid rows of truth.
    """
    return generated.read_sample(NAME, VERSION, fields, _check)


def _check(truth: Mapping[str, Any]) -> None:
    rows, pages = truths().validate_python(truth.get("rows")), truth.get("pages")
    if not rows or not (
        pages is None or (isinstance(pages, list) and all(isinstance(each, str) for each in pages))
    ):
        raise ValueError("it has no rows of truth, or pages that are no texts")


def adopt(rows: Sequence[dict[str, Any]], settings: Mapping[str, Any]) -> list[Sample]:
    """Return samples of the published form, one for each ``expected.json``, with the user's own copies of the papers.

    Parameters
    ----------
    rows
        Objects with ``refno`` and ``ground_truth``, a list of ``material``, ``property_name``, ``property_value``,
        ``property_unit`` and ``rubric``. Pages of the values are not published, so no evidence is asked for.
    settings
        ``papers``: the folder that holds ``REFNO.pdf`` of each.

    Raises
    ------
    LabrigError
        ``bad_input`` for rows of another form, ``not_found`` for a paper that is not there.
    """
    if not settings.get("papers"):
        raise LabrigError(
            "Published rows come without papers", where="papers", expected="a folder of REFNO.pdf"
        )
    folder = Path(str(settings["papers"]))
    return [_adopted(number, row, folder) for number, row in enumerate(rows)]


def _adopted(number: int, row: dict[str, Any], folder: Path) -> Sample:
    where = f"row {number}"
    refno, found = row.get("refno"), row.get("ground_truth")
    if (
        not isinstance(refno, str)
        or not refno
        or "/" in refno
        or refno.startswith(".")
        or not isinstance(found, list)
    ):
        raise LabrigError(
            "This is no published truth", where=where, expected='{"refno": .., "ground_truth": [..]}'
        )
    known = tuple(_published(entry, f"{where}, entry {place}") for place, entry in enumerate(found))
    if not known:
        raise LabrigError("A paper without truth cannot be scored", where=where)
    path = folder / f"{refno}.pdf"
    if not path.is_file():
        raise LabrigError("The paper is not there", where=str(path), code="not_found")
    if path.stat().st_size > MOST_PDF:
        raise LabrigError("The paper is too large", where=str(path), expected=f"at most {MOST_PDF:,} bytes")
    pdf = path.read_bytes()
    id = f"{refno}-{content_hash({'rows': truths().dump_python(known, mode='json')})[:8]}"
    return Sample(
        NAME,
        VERSION,
        _shown(id, pdf, files(__package__).joinpath("published", "prompt.md"), names=_names(properties())),
        truth={"rows": truths().dump_python(known, mode="json"), "pages": None},
        labels={"kind": "published", "field": "supercon", "level": "published", "variant": "plain"},
    )


def _published(entry: Any, where: str) -> Truth:
    """Return a row of published truth; a unit that only its name states is taken from there."""
    texts = {}
    for name in ("material", "property_name", "property_value", "property_unit", "rubric"):
        value = entry.get(name) if isinstance(entry, dict) else None
        texts[name] = "" if value is None else str(value).strip()
    rule = RULES.get(texts["rubric"].casefold())
    if rule is None or not texts["property_name"] or not texts["property_value"]:
        raise LabrigError(
            "This is no row of published truth",
            where=where,
            expected=f"name, value and a rubric of {', '.join(RULES)}: {json.dumps(texts)[:200]}",
        )
    unit = texts["property_unit"]
    if rule == "numeric" and not unit and "(" in texts["property_name"]:
        named = texts["property_name"].rpartition("(")[2].rstrip(") ")
        unit = named if named != "0" and read_unit(named) is not None else ""
    name, value = texts["property_name"], texts["property_value"]
    known = find(name)
    also = tuple(each for each in (known.name, known.also) if each and each != name) if known else ()
    return Truth(name, rule, texts["material"], decoded(name, value), unit, also=also)
