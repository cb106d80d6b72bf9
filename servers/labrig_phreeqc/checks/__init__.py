"""Notices: what a reader should know beside the numbers, each of a kind.

- `criteria`: the charge error and the pH that waters are held to
- `input_notices`: of an input alone: what PHREEQC takes where it is silent, and what is probably not meant
- `output_notices`: of the printed numbers: outside the models behind them, or not determined
- `plain_phases`: minerals and gases that leave the heavy isotopes of the waters alone
- `state_notices`: what an output itself gives no word of: charge errors, states that are no result
- `run_notices`: all of them for one run; `input_check`: for the waters of an input before anything reacts
"""
