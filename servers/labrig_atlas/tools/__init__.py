"""One tool from a shell, in the manner of the published ``tools.py`` of The Amazing Agent Race.

    python -m labrig_atlas.tools --list
    python -m labrig_atlas.tools maps_geocode '{"address": "Ulm"}'

- `calls`: the tools by name, each from its arguments to the text that it prints
- `log`: ``tool_log.jsonl``, a line for each call
- `__main__`: the command
"""
