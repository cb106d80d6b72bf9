"""Records in and out of an output folder: import, export, and one item on a console."""
