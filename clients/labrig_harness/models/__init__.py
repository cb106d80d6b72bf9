"""Models: services, their names and keys, settings, messages, errors, prices."""
