"""Scientific repositories for agents: real folders and generated ones, behind the same tools."""
