"""The thin harness: runs an agent against the servers, records what happened, scores the records."""
