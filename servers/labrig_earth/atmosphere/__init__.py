"""Fields of the free atmosphere: levels of pressure, moisture and its transport, how air turns and spreads, shear.

- `levels`: which pressure a level has, levels in order, one level by its pressure
- `moisture`: columns of water vapour and its transport
- `kinematics`: vorticity and divergence on the sphere, the wind that balances a gradient
- `shear`: differences of the wind between two levels
- `naming`: the name and the attributes of what was worked out
- `thermodynamics`: potential temperature, mixing ratio
"""
