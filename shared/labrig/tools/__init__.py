"""What tools of any server share.

- `files`, `jobs`: the tools write_file, read_file, list_file, and get_job, cancel_job
- `lines`: lines of a text as tools count them, and the cut of a long text
- `reading`: text files, whole or by their first and last lines, whatever their encoding
- `own_files`: what a tool writes beside its answer, without replacing what is somebody else's
- `cursor`: long lists in pages
"""
