"""A package of others, as it would be installed: three servers and a suite that use every part of the contracts.

- `scale`: weighs files of bytes, in a job; files, a setting, a picture
- `shelf`: a second server, whose `read_file` has the name of the first one's
- `almanac`: asks the network: a service with a key, pages by their address
- `volumes`: a suite over both, with an agent of its own

The folder above is put on ``sys.path``: the metadata beside this package is what an installer would write.
"""
