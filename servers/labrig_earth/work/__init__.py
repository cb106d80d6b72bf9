"""Operations run in children: the libraries of Earth data are slow to load, can crash, and read what others have made.

- `calls`: what one operation is given, and what it is: a function from a `Call` to a `Result`
- `fields`: what a caller gives by name (JSON files, options), each with its type and range
- `arguments`: arguments of a call by them
- `running`: operations by their names, as the rooms offer them
- `asking`: the half of the server: a child is asked, and what it answers is checked
- `clustered`: the module of children whose pieces are computed by dask workers, without walls
- `inside`: the module of the children, which imports the libraries once and runs an operation behind walls
"""
