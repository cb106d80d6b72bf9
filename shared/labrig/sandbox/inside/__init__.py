"""What runs in the side environment: standard library only, and nothing of labrig outside this folder."""
