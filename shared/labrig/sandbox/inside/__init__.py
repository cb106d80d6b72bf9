"""What runs in the side environment: standard library and `labrig.isolation.inside` only.

- `zygote`: the fork server; `cell`: one run of code
- `hosting`: calls to functions of the host; `hints`, `notices`: what the code is told
- `tree`: removing what hostile code left
"""
