"""EnergyPlus's file of messages as an agent reads it."""

from __future__ import annotations

import json

from labrig_earth.impact.reading_output import output_text

ERR = """Program Version,EnergyPlus, Version 25.2.0-cf7368216c (No OpenGL),
   ** Warning ** CheckConvexity: Zone="ATTIC", Surface="ROOF 1" is non-convex.
   **   ~~~   ** vertex 1 is not shown
   ** Warning ** CheckConvexity: Zone="ATTIC", Surface="ROOF 2" is non-convex.
   ** Severe  ** Temperature (low) out of bounds (-120.5) for zone="ATTIC"
   ************* Testing Individual Branch Integrity
   ** Warning ** Output:Meter: invalid Key Name="NATURALGAS:FACILITY" - not found.
   **  Fatal  ** Program terminates due to preceding conditions.
   ************* EnergyPlus Terminated--Fatal Error Detected. 3 Warning; 1 Severe Errors;
"""


def test_messages_of_a_kind_are_one_line_with_where_the_first_stands() -> None:
    kind, shown = output_text(ERR, "outputs/eplusout.err", "outline")
    lines = shown.splitlines()
    assert kind == "outline"
    assert "Terminated--Fatal Error Detected" in lines[0]
    assert lines[1] == "Fatal: 1 messages of 1 kinds"
    assert "Warning: 3 messages of 2 kinds" in lines
    assert '  line 2, 2 times: CheckConvexity: Zone="ATTIC", Surface="ROOF 1" is non-convex.' in lines
    toc = json.loads(output_text(ERR, "outputs/eplusout.err", "toc")[1])
    assert [each["line"] for each in toc] == [8, 5, 2, 7]
    assert output_text(ERR, "eplusout.err", "lines 5-5")[1].startswith("   ** Severe")


def test_a_file_without_messages_says_so() -> None:
    shown = output_text("Program Version,EnergyPlus\n", "eplusout.err", "outline")[1]
    assert "it does not say how it ended" in shown and "Severe: 0 messages of 0 kinds" in shown
