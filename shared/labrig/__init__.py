"""What every Labrig server is built from. Imports no server and no client."""

__version__ = "0.1.0"
