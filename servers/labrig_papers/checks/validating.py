"""An extraction checked before it is handed in: each finding with its field, a short code, and a known fix."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labrig.errors import LabrigError
from labrig_papers.attribution.standing import standing_of
from labrig_papers.checks import schema
from labrig_papers.materials.formulas import normalize_formula
from labrig_papers.materials.space_groups import normalize_space_group
from labrig_papers.properties.listing import Property, key
from labrig_papers.properties.matching import match_property
from labrig_papers.quantities.scanning import scan
from labrig_papers.values.numbers import NUMBER
from labrig_papers.values.reading import Value, has_unit, read_value
from labrig_papers.values.text import fold, without_latex

Grounded = Callable[[int, str], tuple[str, int | None]]
"""Whether a quote stands on a page (a status of `evidence.quotes`, or ``ocr``, ``too_short``, ``too_long``), and on
which page it does."""

Cells = Callable[[int, str], Sequence[Value]]
"""The values of the row of a table that a quote on a page is, with the units of their columns; else none."""

Materials = Callable[[int, str], Sequence[str]]
"""The materials that a quote on a page is of: those that it names, or that the row of a table is of."""

GROUNDED = ("exact", "normalised", "ambiguous")
"""What stands there; a quote that stands there more than once is no less true."""


@dataclass(frozen=True)
class Finding:
    """What is wrong with a property of an extraction.

    Attributes
    ----------
    index
        Place in the list, from 0; -1 for the payload itself.
    field
        ``value_string``, ``location.page``, ..
    code
        Short name.
    what
        In words.
    fix
        What to write instead, where that follows from the paper or the list; else None.
    severity
        ``error`` or ``warning``.
    """

    index: int
    field: str
    code: str
    what: str
    fix: str | int | None = None
    severity: str = "error"

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain data; what is empty is left out."""
        fields = {
            "index": self.index, "field": self.field, "code": self.code, "what": self.what, "fix": self.fix,
            "severity": self.severity,
        }  # fmt: skip
        return {name: each for name, each in fields.items() if each is not None}


def validate_extraction(
    payload: str | Mapping[str, Any],
    pages: int,
    grounded: Grounded | None = None,
    cells: Cells | None = None,
    materials: Materials | None = None,
) -> tuple[Finding, ...]:
    """Check an extraction in the form of the paper.

    Parameters
    ----------
    payload
        JSON text or an object ``{"properties": [...]}``.
    pages
        Number of pages of the paper.
    grounded
        Where quotes stand; without it they are not looked up, and only values are searched in them.
    cells
        What the row of a table says, whose units stand in its head.
    materials
        Whose values a quote states.

    Returns
    -------
    tuple of Finding
        Empty if nothing was found.

    Raises
    ------
    LabrigError
        If the payload is no such object, or holds more properties than anyone extracts.
    """
    properties = _properties(payload)
    findings: list[Finding] = []
    seen: dict[tuple[str, ...], int] = {}
    for index, entry in enumerate(properties):
        if not isinstance(entry, dict):
            findings.append(
                Finding(index, "", "wrong_type", f"the property is a {type(entry).__name__}, not an object")
            )
            continue
        findings += _schema(index, entry)
        findings += _meaning(index, entry)
        findings += _evidence(index, entry, pages, grounded, cells)
        findings += _whose(index, entry, materials)
        same = _identity(entry)
        if same in seen:
            findings.append(Finding(index, "", "duplicate", f"the same as property {seen[same]}", seen[same]))
        seen.setdefault(same, index)
    return tuple(findings)


def _identity(entry: dict[str, Any]) -> tuple[str, ...]:
    """Return what two entries share that are the same measurement."""
    names = ("material_or_system", "property_name", "value_string", "sample_label")
    conditions = json.dumps(entry.get("conditions", {}), sort_keys=True, ensure_ascii=False, default=str)
    return (*(key(str(entry.get(name, ""))) for name in names), conditions)


def _properties(payload: str | Mapping[str, Any]) -> list[Any]:
    expected = (
        '{"properties": [{"property_name": .., "value_string": .., "location": {"page": 1, "evidence": ..}}]}'
    )
    if isinstance(payload, str):
        try:
            payload = json.loads(payload, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise LabrigError(
                f"The payload is no JSON: {error}"[:300], where="payload", expected=expected
            ) from error
    properties = payload.get("properties") if isinstance(payload, Mapping) else None
    if not isinstance(properties, list):
        raise LabrigError(
            "The payload has no list of properties", where="payload.properties", expected=expected
        )
    if len(properties) > schema.MOST_PROPERTIES:
        raise LabrigError(
            f"The payload has {len(properties)} properties",
            where="payload.properties",
            expected=f"at most {schema.MOST_PROPERTIES}",
            code="limit",
        )
    return properties


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _schema(index: int, entry: dict[str, Any]) -> list[Finding]:
    findings = []
    for name in schema.REQUIRED:
        if name not in entry:
            findings.append(Finding(index, name, "field_missing", f"{name} is required"))
    for name, value in entry.items():
        if name not in schema.PROPERTY_FIELDS:
            findings.append(
                Finding(index, name[:60], "unknown_field", "no field of the schema", severity="warning")
            )
        elif not isinstance(value, schema.PROPERTY_FIELDS[name]):
            what = f"a {type(value).__name__}, not a {schema.PROPERTY_FIELDS[name].__name__}"
            findings.append(Finding(index, name, "wrong_type", what))
        elif isinstance(value, str) and not value.strip() and name != "value_unit":
            findings.append(
                Finding(index, name, "empty_field", "what is not stated is left out", severity="warning")
            )
        elif isinstance(value, str) and len(value) > schema.MOST_TEXT:
            findings.append(Finding(index, name, "too_long", f"{len(value)} characters"))
    for name, allowed in (("conditions", schema.CONDITIONS), ("location", schema.LOCATION)):
        inside = entry.get(name)
        if isinstance(inside, dict):
            for field in inside:
                if field not in allowed:
                    findings.append(
                        Finding(
                            index,
                            f"{name}.{field[:60]}",
                            "unknown_field",
                            "no field of the schema",
                            severity="warning",
                        )
                    )
    return findings


def _text(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) and len(value) <= schema.MOST_TEXT else ""


def _meaning(index: int, entry: dict[str, Any]) -> list[Finding]:
    """Check name, value, unit and material."""
    findings: list[Finding] = []
    name, written = _text(entry, "property_name"), _text(entry, "value_string")
    best = _canonical(index, entry, name, findings) if name.strip() and len(name) <= 300 else None
    if not written.strip():
        return findings
    if best is not None and best.rule == "space_group":
        findings += _space_group(index, written)
    elif best is not None and best.rule == "numeric":
        findings += _number(index, written, best, _text(entry, "value_unit"))
    material = _text(entry, "material_or_system")
    if material.strip():
        findings += _material(index, material)
    return findings


def _canonical(index: int, entry: dict[str, Any], name: str, findings: list[Finding]) -> Property | None:
    conditions = entry.get("conditions")
    context = (
        "; ".join(str(each)[:200] for each in conditions.values()) if isinstance(conditions, dict) else ""
    )
    matched = match_property(name, context[:2000])
    if not matched.matches:
        what = f"{name[:80]!r} is none of the closed list"
        findings.append(Finding(index, "property_name", "name_unknown", what, severity="warning"))
        return None
    best = matched.matches[0]
    if best.via != "exact":
        what = f"not a name of the closed list; {best.reason}"
        findings.append(
            Finding(index, "property_name", "name_not_canonical", what, best.property.name, "warning")
        )
    category = _text(entry, "category")
    if category and key(category) != key(best.property.category):
        what = f"{best.property.name} is in {best.property.category}"
        findings.append(Finding(index, "category", "category_wrong", what, best.property.category))
    return best.property


def _space_group(index: int, written: str) -> list[Finding]:
    try:
        group = normalize_space_group(written)
    except LabrigError as error:
        return [Finding(index, "value_string", "space_group_unknown", error.what)]
    if any("words" in note for note in group.notes) or re.search(r"\bNo\.?\s*\d", written):
        return [Finding(index, "value_string", "label_only", "only the symbol belongs here", group.setting)]
    return []


def _number(index: int, written: str, best: Property, unit: str) -> list[Finding]:
    try:
        value = read_value(written)
    except LabrigError as error:
        return [Finding(index, "value_string", "value_unreadable", str(error)[:300])]
    findings = []
    if value.kind == "list":
        findings.append(
            Finding(index, "value_string", "several_values", "each value is a property of its own")
        )
    if not has_unit(value) and best.dimension not in ("", "1"):
        fix = f"{written} {unit}" if unit else None
        findings.append(
            Finding(index, "value_string", "unit_missing", f"a value of {best.dimension} has a unit", fix)
        )
    elif not match_property(best.name, dimension=value.unit.dimension).matches:
        what = (
            f"{value.unit.canonical or 'a bare number'} is of {value.unit.dimension}, not of {best.dimension}"
        )
        findings.append(Finding(index, "value_string", "unit_dimension", what))
    for flag in value.flags:
        findings.append(Finding(index, "value_string", flag, "doubtful reading", severity="warning"))
    return findings


def _material(index: int, material: str) -> list[Finding]:
    try:
        read = normalize_formula(material)
    except LabrigError as error:
        return [Finding(index, "material_or_system", "formula_unresolved", error.what)]
    if read.status == "unresolved" or read.status == "several":
        fix = read.alternatives[0] if len(read.alternatives) == 1 else None
        return [Finding(index, "material_or_system", "formula_unresolved", read.why, fix)]
    if read.generic != read.formula and read.status == "nominal":
        what = "; ".join(read.assumptions)
        return [Finding(index, "material_or_system", "formula_generic", what, read.formula, "warning")]
    return []


def _evidence(
    index: int, entry: dict[str, Any], pages: int, grounded: Grounded | None, cells: Cells | None
) -> list[Finding]:
    """Check page and quote, and that the value stands in the quote."""
    location = entry.get("location")
    if not isinstance(location, dict):
        return []
    findings = []
    page = location.get("page")
    if not isinstance(page, int) or isinstance(page, bool):
        fix = (
            int(page)
            if isinstance(page, str) and page.strip().isascii() and page.strip().isdigit() and len(page) < 6
            else None
        )
        findings.append(Finding(index, "location.page", "page_missing", "a page is a positive integer", fix))
        page = None
    elif not 1 <= page <= pages:
        findings.append(Finding(index, "location.page", "page_out_of_range", f"page {page} of {pages}"))
        page = None
    source = location.get("source_type")
    if source is not None and source not in schema.SOURCES:
        findings.append(
            Finding(index, "location.source_type", "wrong_source", "one of " + ", ".join(schema.SOURCES))
        )
    quote = location.get("evidence")
    if not isinstance(quote, str) or not quote.strip() or len(quote) > schema.MOST_TEXT:
        findings.append(Finding(index, "location.evidence", "quote_missing", "an exact quote is required"))
        return findings
    if grounded is not None and page is not None:
        status, where = grounded(page, quote)
        if status == "ocr":
            what = "the page was read by OCR: look at its picture"
            findings.append(Finding(index, "location.evidence", "quote_from_ocr", what, severity="warning"))
        elif status not in GROUNDED:
            fix = where if status == "other_page" else None
            field = "location.page" if status == "other_page" else "location.evidence"
            findings.append(
                Finding(index, field, f"quote_{status}", f"the quote is {status.replace('_', ' ')}", fix)
            )
    written = _text(entry, "value_string")
    if written.strip() and source != "figure":
        row = cells(page, quote) if cells is not None and page is not None else ()
        findings += _in_quote(index, written, quote, row)
        at = max(0, quote.find(written.split()[0]))
        if standing_of(quote, at) == "cited":
            what = "the sentence states a value of others; of this paper are its own"
            findings.append(Finding(index, "location.evidence", "cited_value", what, severity="warning"))
    return findings


def _whose(index: int, entry: dict[str, Any], materials: Materials | None) -> list[Finding]:
    """Check that the quote is of the material: an error where it is of one other, a warning where of several others."""
    location, material = entry.get("location"), _text(entry, "material_or_system")
    page, quote = (
        (location.get("page"), location.get("evidence")) if isinstance(location, dict) else (None, None)
    )
    if materials is None or not isinstance(page, int) or not isinstance(quote, str) or not material.strip():
        return []
    own = _composition(material)
    others = {written: _composition(written) for written in materials(page, quote)}
    if not own or not others or any(not each or _are_alike(own, each) for each in others.values()):
        return []
    what = f"the quote is of {', '.join(others)}, not of {material[:60]}"
    if len(others) > 1:
        return [Finding(index, "material_or_system", "material_not_in_quote", what, severity="warning")]
    return [Finding(index, "material_or_system", "material_differs", what, next(iter(others)))]


def _composition(material: str) -> Mapping[str, float]:
    """Return the atoms of a material; nothing where it is no one composition."""
    try:
        return normalize_formula(material[: schema.MOST_TEXT]).composition
    except LabrigError:
        return {}


def _are_alike(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Tell whether two materials have the same elements: amounts differ from sample to sample of one study."""
    return one.keys() == other.keys()


def _in_quote(index: int, written: str, quote: str, row: Sequence[Value] = ()) -> list[Finding]:
    """Check that a value stands in its quote, with the power of ten and the unit of the quote or of its head."""
    missing = Finding(
        index, "value_string", "value_not_in_quote", f"{written[:60]!r} does not stand in the quote"
    )
    try:
        value = read_value(written)
    except LabrigError:
        plain = re.sub(r"[\s_^{}$\-]", "", fold(without_latex(written)).casefold())
        inside = re.sub(r"[\s_^{}$\-]", "", fold(without_latex(quote)).casefold())
        return [] if plain and plain in inside else [missing]
    in_quote = [found.value for found in scan(without_latex(quote)) if found.value is not None]
    in_quote += [each for each in row if has_unit(each)]
    if any(_equal(value, other) for other in in_quote) or _all_stand(value, in_quote):
        return []
    numbers = [each.group(0) for each in NUMBER.finditer(fold(without_latex(quote)))]
    nominal = {_digits(number) for number in numbers}
    if not all(_digits(each.text) in nominal for each in value.numbers):
        return [missing]
    same_digits = [
        other
        for other in in_quote
        if {_digits(n.text) for n in other.numbers} & {_digits(n.text) for n in value.numbers}
    ]
    if has_unit(value) and same_digits and not any(_equal(value, other) for other in same_digits):
        other = same_digits[0]
        if other.unit.factor != value.unit.factor or other.unit.dimension != value.unit.dimension:
            what = f"the quote has {other.unit.canonical}, the value {value.unit.canonical}"
            return [Finding(index, "value_string", "unit_differs", what, " ".join(other.text.split()))]
        what = f"the quote says {' '.join(other.text.split())}: another power of ten or sign"
        return [Finding(index, "value_string", "value_differs", what, " ".join(other.text.split()))]
    return []


def _all_stand(value: Value, others: Sequence[Value]) -> bool:
    """Tell whether each number of a range or a list stands by itself: "4.2-4.6 K", "between 4.2 and 4.6 K"."""
    said = [si for other in others if other.unit.dimension == value.unit.dimension for si in other.si()]
    return value.kind != "one" and all(
        any(abs(si - other) <= 1e-9 * max(abs(si), abs(other)) for other in said) for si in value.si()
    )


def _digits(text: str) -> str:
    return re.sub(r"\(.*|\s|±.*|[×x*·].*", "", fold(text)).lstrip("+-").rstrip(".") or text


def _equal(first: Value, second: Value) -> bool:
    if first.unit.dimension != second.unit.dimension or len(first.numbers) != len(second.numbers):
        return False
    return all(abs(a - b) <= 1e-9 * max(abs(a), abs(b)) for a, b in zip(first.si(), second.si(), strict=True))
