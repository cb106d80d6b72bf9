"""What is installed, found by entry points.

- `servers`: servers by name, by URL, or as a command, and how each is reached
- `entries`: what installed packages declare
"""
