"""Suites that frameworks of others run: their runner and agent, our servers, samples and scorers.

- `episode`: the core; a sample as a file, what was done on it (the server's own call log, the workspace, the last
  message) as a trajectory, and its score
- `harbor`: a folder a sample for Harbor; `inside`: what runs in its containers
- `inspect_tasks`: tasks of Inspect
- `gym`: a resources server in the form of NeMo Gym, which verifiers asks, too
"""
