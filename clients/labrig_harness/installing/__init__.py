"""Putting servers into clients: their configuration files, written, merged, undone, and the manifests."""
