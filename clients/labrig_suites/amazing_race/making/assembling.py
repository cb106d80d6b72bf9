"""A plan becomes a leg in the published JSON form, with its riddle."""

from __future__ import annotations

from typing import Any

from labrig_suites.amazing_race.legs import RIDDLES
from labrig_suites.amazing_race.making.nodes import Node
from labrig_suites.amazing_race.making.planning import LEVELS, Plan

BRIDGES = {"value": "link_follow", "link": "link_follow", "search": "search_query", "seed": "link_follow"}
WHOLE = "Every result that later clues use is a whole number: drop what stands behind the point, and do not round."


def leg_of_plan(plan: Plan, trail_id: str, level: str, world: str, riddles: bool = False) -> dict[str, Any]:
    """Return a leg in the published JSON form, with the keys ``number`` and ``golden`` beside it."""
    metadata = {"difficulty": level, "sample_id": trail_id, "source": f"labrig, world {world}"}
    places = {id(node): place for place, node in enumerate(plan.nodes)}
    stops = [_stop(node, place, places, plan.nodes) for place, node in enumerate(plan.nodes)]
    referenced = [places[id(each)] for each in plan.operands]
    expression = plan.reduction.expression([each.whole for each in plan.operands])
    stops.append(
        {
            "index": len(stops),
            "stop_type": "compute",
            "page_url": None,
            "extraction_target": f"Compute: {expression}",
            "extracted_value": plan.digit,
            "extracted_value_type": "number",
            "bridge": {
                "bridge_type": "compute",
                "tool_chain": [],
                "expression": expression,
                "expression_code": _code(expression),
                "referenced_stops": referenced,
            },
            "depends_on": referenced,
        }
    )
    kinds = [stop["stop_type"] for stop in stops]
    return {
        "trail_id": trail_id,
        "seed_url": plan.seed.url,
        "seed_title": plan.seed.title,
        "stops": stops,
        "passcode": plan.digit,
        "number": plan.number,
        "golden": {str(place): list(node.golden) for place, node in enumerate(plan.nodes) if node.golden},
        "difficulty": {
            "level": level,
            "depth": len(stops),
            "tool_stop_count": kinds.count("tool"),
            "reason_stop_count": kinds.count("reason"),
            "extraction_difficulty": "cross_section" if LEVELS[level].cross_section else "prose",
            "bridge_obscurity": "search"
            if any(node.via == "search" for node in plan.nodes)
            else "direct_link",
        },
        "riddle": riddle(plan),
        "metadata": metadata | ({"wording": RIDDLES} if riddles else {}),
    }


def riddle(plan: Plan) -> str:
    """Return the clues, numbered from 1; the last one is the finish line."""
    numbers = {id(node): place for place, node in enumerate(plan.nodes, 1)}
    clues = [node.clue.format(*(numbers[id(each)] for each in node.inputs)) for node in plan.nodes]
    named = [str(numbers[id(each)]) for each in plan.operands]
    listed = f"{', '.join(named[:-1])} and {named[-1]}"
    clues.append(
        f"Take {plan.reduction.combined.format(listed)}. The code is {plan.reduction.reduced}. {WHOLE}"
    )
    return "\n\n".join(f"{number}. {clue}" for number, clue in enumerate(clues, 1))


def _stop(node: Node, place: int, places: dict[int, int], nodes: list[Node]) -> dict[str, Any]:
    following = next((each for each in nodes[place + 1 :] if each.kind == "page"), None)
    target = following.page.url if following is not None and following.page is not None else None
    bridge: dict[str, Any] = {
        "bridge_type": "tool_call" if node.kind == "tool" else "compute",
        "tool_chain": [],
    }
    if node.kind == "page":
        bridge["bridge_type"] = BRIDGES[following.via] if following is not None else "link_follow"
        bridge["target_url"] = target
    if node.kind == "tool":
        bridge["tool_chain"] = [
            {
                "tool_name": step.tool_name,
                "arguments": dict(step.arguments),
                "expected_output": node.golden[number] if number < len(node.golden) else None,
                "output_key": step.output_key,
            }
            for number, step in enumerate(node.steps)
        ]
    made: dict[str, Any] = {
        "index": place,
        "stop_type": node.kind,
        "page_url": node.page.url if node.page is not None else None,
        "extraction_target": node.target,
        "extraction_section": node.section or None,
        "extracted_value": node.value,
        "extracted_value_type": {"number": "number", "year": "number", "date": "date"}.get(
            node.gives, "text"
        ),
        "bridge": bridge,
        "depends_on": [places[id(each)] for each in node.inputs],
    }
    if node.kind == "reason":
        made |= {"reason_transform": node.detour, "reason_source_stop": places[id(node.inputs[0])]}
    return made


def _code(expression: str) -> str:
    if "digital_root" not in expression:
        return f"print({expression})"
    return f"def digital_root(n):\n    return 0 if n == 0 else (n - 1) % 9 + 1\n\n\nprint({expression})"
