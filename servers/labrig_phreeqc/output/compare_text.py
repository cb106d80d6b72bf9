"""A comparison of two outputs as text of a page."""

from __future__ import annotations

from collections.abc import Sequence

from labrig_phreeqc.output.compare import Comparison
from labrig_phreeqc.output.pairing import Place

_CLIP = 28
_SHOWN = 4


def to_text(comparison: Comparison, limit: int = 10) -> str:
    """Return a comparison as a short text: counts, then the `limit` most important differences as a table.

    At most about 3 kB with the default limit, whatever the outputs; what is left out is counted.
    """
    each = comparison
    lines = [
        f"A {each.states_a} states, B {each.states_b}; {each.aligned} in both, {each.same} of these print the same "
        f"numbers ({each.compared} compared)"
    ]
    for side, places in (("A", each.only_in_a), ("B", each.only_in_b)):
        if places:
            lines.append(f"only in {side} ({len(places)}): " + _some([_short(place) for place in places]))
    if each.identical:
        lines.append("same text" if each.same_text else "no compared number differs; the texts do")
    elif each.differing:
        lines.append(
            f"{each.beyond} quantities differ by more than the tolerance (relative {each.relative:g}, absolute "
            f"{each.absolute:g}), {each.differing - each.beyond} by less; importance = |B-A|/tolerance, at its largest:"
        )
        shown = each.differences[:limit]
        table = [("importance", "quantity", "A", "B", "B-A", "unit", "states", "where (A)")]
        for one in shown:
            table.append(
                (
                    f"{one.importance:.3g}",
                    _clip(one.quantity, 22),
                    f"{one.a:.6g}",
                    f"{one.b:.6g}",
                    f"{one.absolute:+.3g}",
                    one.unit,
                    f"{one.states}/{one.compared}",
                    _short(one.place_a),
                )
            )
        widths = [max(len(row[n]) for row in table) for n in range(len(table[0]))]
        for row in table:
            lines.append(
                "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            )
        if each.differing > len(shown):
            lines.append(f"... and {each.differing - len(shown)} more quantities")
    for side in "AB":
        names = [
            f"{_clip(one.name, 22)}{'' if one.value is None else f' = {one.value:.3g}'} ({one.states})"
            for one in each.one_sided
            if one.side == side
        ]
        if names:
            lines.append(f"printed only in {side} (states): " + _some(names))
    if each.one_sided_count > len(each.one_sided):
        lines.append(f"... {each.one_sided_count} names in all are printed in only one of the two")
    if each.other_text:
        lines.append(
            "other text: " + _some([f"{_clip(one.name, 40)} ({one.states})" for one in each.other_text])
        )
    return "\n".join(lines)


def _some(items: Sequence[str]) -> str:
    more = f", ... {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more


def _short(place: Place) -> str:
    return f"sim {place.simulation} {_clip(place.label, _CLIP)} L{place.first}"


def _clip(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
