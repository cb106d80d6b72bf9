"""What the store of artifacts is made of.

- `contents`: a file or a folder, read through descriptors: what it holds, its hash, a copy of it
- `manifests`: what is said of an artifact; `quota`: which of them go when there is no more room
- `leftovers`: files written whole or not at all, and what killed processes left
- `holds`: locks, by which processes know what others of them use
"""
