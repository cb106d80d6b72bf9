"""The recording proxy: calls made, written down, stored and replayed.

- `recorder`: makes a call for an agent or a program, and writes it down
- `relay`: an agent program's way to a server, over a socket
- `cutting`: what is delivered of a result
- `budget`: calls that are left to a session
- `wire`: JSON-RPC lines, read strictly
- `serverprocess`: a server as a child process
- `warm`: servers of a run as forks of warm processes
- `socket_folder`: a folder for a socket
- `client`: our own agents' way to a server
- `call_store`: results kept across runs, and when a call counts as the same
- `replay`: a server that answers from a store
"""
