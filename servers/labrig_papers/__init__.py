"""Values with exact evidence out of scientific PDFs: rooms that work without MCP."""
