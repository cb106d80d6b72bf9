"""What an output gives no word of: that nothing was computed, where the iteration stopped, charge errors."""

from __future__ import annotations

from labrig_phreeqc.checks.criteria import CHARGE_ERROR_PERCENT
from labrig_phreeqc.checks.output_notices import charge_error_with_surface, column_rows, named_rows
from labrig_phreeqc.engine.run import Run
from labrig_phreeqc.output.key_values import place
from labrig_phreeqc.output.outline import Outline


def state_notices(run: Run, output: Outline, most: int = 3) -> list[str]:
    """Return warnings that the output itself gives no word of: no state, unconverged state, charge error.

    Where no state is printed, the column ``pct_err`` of the selected output is looked at instead. A surface holds
    the counter-charge of its solution, so that with a surface the charge of both together counts.
    """
    said = []
    if run.solved and not output.states and not run.selected:
        if "End of Run." in run.output:
            said.append("No state was computed: the input defines nothing that PHREEQC solves or prints")
        else:  # what PRINT -reset false leaves out
            said.append(
                "Nothing was printed: the input has PRINT -reset false and no SELECTED_OUTPUT; "
                "charge error and ionic strength cannot be looked at"
            )
    states = output.states
    if run.status == "not_converged":
        said.append("The numbers of the last state are where the iteration stopped: not a result")
        states = states[:-1]
    sorbing = any(each.startswith("surface") for state in states for each in state.reactants)
    lines = run.output.split("\n") if sorbing else []
    errors = [(state, charge_error_with_surface(state, lines)) for state in states]
    off = [
        (state, error) for state, error in errors if error is not None and abs(error) > CHARGE_ERROR_PERCENT
    ]
    said += [f"charge error {error:.1f} % in {place(state, output)}" for state, error in off[:most]]
    if len(off) > most:
        said.append(f"charge error above {CHARGE_ERROR_PERCENT:g} % in {len(off) - most} more states")
    for table in run.selected if run.solved and not output.states else ():
        rows = list(column_rows(table, "pct_err", lambda error: abs(error) > CHARGE_ERROR_PERCENT))
        if rows:
            worst = max((error for _, error in rows), key=abs)
            said.append(f"charge error up to {worst:.1f} % in {named_rows(table, rows)}")
    return said
