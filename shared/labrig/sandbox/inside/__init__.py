"""What runs in the side environment: standard library only, and nothing of labrig outside this folder.

- `zygote`: the fork server; `cell`: one run of code
- `walls`: all walls around a run: `seccomp`, `landlock`, `capabilities`, `limits`; `syscalls`: numbers by name
- `hosting`: calls to functions of the host; `hints`, `notices`: what the code is told
- `tree`: removing what hostile code left
"""
