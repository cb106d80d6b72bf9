"""A run for a caller.

- `execution`: input from the workspace, results into it, with provenance
- `includes`: INCLUDE$ resolved before the run, from the workspace or from the run itself
- `output_files`: the text of each file that one SELECTED_OUTPUT number is given
- `user_graph`: what USER_GRAPH blocks plot, as numbers
"""
