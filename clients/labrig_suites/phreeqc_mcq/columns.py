"""Cells in a row: the blocks that move water through them, and where a cell stands in what PHREEQC prints.

The refinement of a column has cells and time steps of half the size, and mixes the two cells that make up the one that
is read: what a cell holds is the mean over its length.
"""

from __future__ import annotations

REFINEMENT = 2


def transport(
    cells: int,
    shifts: int,
    step: float,
    length: float,
    *,
    dispersivity: float = 0.0,
    diffusion: float = 0.0,
    inlet: str = "flux",
    outlet: str = "flux",
    direction: str = "forward",
    mean_of: int = 0,
) -> str:
    """Return the transport block; `mean_of` is the cell that is read, for a refined column."""
    return (
        f"TRANSPORT\n    -cells {cells}\n    -shifts {shifts}\n    -time_step {step:.10g}\n"
        f"    -lengths {cells}*{length:.10g}\n    -dispersivities {cells}*{dispersivity:.10g}\n"
        f"    -diffusion_coefficient {diffusion:.10g}\n"
        f"    -flow_direction {direction}\n    -boundary_conditions {inlet} {outlet}\n"
        + (f"    -punch_cells 1\n    -punch_frequency {shifts}\n" if mean_of else "")
        + "END\n"
        + (f"MIX 1\n    {2 * mean_of - 1} 0.5\n    {2 * mean_of} 0.5\nEND\n" if mean_of else "")
    )


def state_of_cell(cells: int, shifts: int, cell: int, shift: int, *, closed: bool = False) -> int:
    """Return where a cell after a shift is: after each PHREEQC prints inlet, cells and, if not closed, outlet."""
    after = 0 if closed else 1
    return -((shifts - shift) * (cells + 1 + after) + (cells - cell + after) + 1)


def advection(cells: int, shifts: int) -> str:
    """Return the advection block."""
    return f"ADVECTION\n    -cells {cells}\n    -shifts {shifts}\nEND\n"


def state_of_vessel(cells: int, shifts: int, cell: int, shift: int) -> int:
    """Return where a cell after a shift is, without dispersion: after each PHREEQC prints the cells."""
    return -((shifts - shift) * cells + (cells - cell) + 1)
