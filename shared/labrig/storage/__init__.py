"""What the store of artifacts is made of.

- `folder`: a folder held by its descriptor, in which all of the others work
- `contents`: a file or a folder, read through descriptors: what it holds, its hash, a copy of it
- `manifests`: what is said of an artifact; `quota`: which of them go when there is no more room
- `placing`: how a content takes its place; `leftovers`: what is taken out of the store, or was left by killed processes
- `databases`: what an SQLite file of others may hold
- `holds`: locks, by which processes know what others of them use
"""
