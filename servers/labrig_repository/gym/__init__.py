"""Generated repositories of science, with exact truth."""
