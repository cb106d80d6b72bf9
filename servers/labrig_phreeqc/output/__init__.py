"""What PHREEQC printed.

- `toc`: the paper's table of contents; `outline`: ours, simulation > stage > state > section, and finding states in it;
  `outline_reading`: from an output; `outline_text`: as text
- `protocols`: how an output is delivered to an agent; `key_values`: what stands first in an answer
- `search`: strings, sections and states of an output
- `printed_tables`: the tables of a state; `printouts`: which of them a calculation has; `quantities`: what is asked of
  them; `series`: any quantity over states; `table_file`: the same from files
- `pairing`, `compare`, `compare_text`: two outputs, state by state
"""
