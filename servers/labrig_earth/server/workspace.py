"""Tools that any server may offer: files of the workspace, and jobs."""

from __future__ import annotations

from labrig.tools import files, jobs
from labrig_earth.server.base import toolbox

toolbox.tool(title="List files", name="list_files", read_only=True, faithful=True)(files.list_file)
toolbox.tool(title="Read a file", read_only=True, faithful=True, toolsets=("code",))(files.read_file)
toolbox.tool(title="Write a file", read_only=False, destructive=True, faithful=True, toolsets=("code",))(
    files.write_file
)
jobs.offer(
    toolbox,
    started_by="job=true or start_simulation",
    toolsets=("default", "impact"),
    cancel_in=("code", "impact"),
)
