"""The tools of The Amazing Agent Race in the shape of its public servers: facts as the JSON that these return.

Functions of an `Atlas` (`labrig_atlas.asking`) or of `Pages` (`labrig_atlas.reading`), with the published arguments.

- `maps`: places, ways and heights; `google`: the same as Google's own JSON
- `weather`: days, and the paths of `select`
- `figures`: countries and markets
- `texts`: pages and searches
- `writing`: code that a configured model writes
"""
