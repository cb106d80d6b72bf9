"""Numbers, units and values as papers print them.

- `text`: characters of one meaning folded to one, without moving any position.
- `numbers`: the grammar of one number: 6.24(3), 1,200, 1.2(3) x 10^{6}, 23.7 ± 0.5.
- `registry`: the units that are known (`units.toml`), over pint, and nothing else.
- `units`: the grammar of units: mJ/mol K2, mΩcm, μ_{B}/f.u.; what is ambiguous is refused with the reason.
- `reading`: a whole value: qualifier, number, range or list, unit, and what it is in SI.
- `converting`: a value in another unit.
"""
