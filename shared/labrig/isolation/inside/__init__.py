"""What runs in a child that is closed in: standard library only, and nothing of labrig outside this folder.

- `walls`: all walls around a run: `seccomp` with its `rules`, `landlock`, `capabilities`, `limits`; `syscalls`:
  numbers by name
- `forking`: what fork servers share: requests in, forks and reports out; `answering`: one for any module that answers
  questions
- `program`: becomes a program of somebody else behind walls
- `mounts`: a file system in memory that only one run sees
"""
