"""Wikipedia, maps, weather, countries and markets for agents: rooms that work without MCP."""
